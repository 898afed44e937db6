//! Statements on nodes that change nothing the specification knows of, for random bodies on memory
//! that is given back.
//!
//! They take a second look at nodes that may be free or somebody else's by now, link to their
//! fields, take their locks, make nodes and give them back, and *assert* what they see. Whether an
//! assertion can fail depends on the exact rules of reuse, of links and of the bound on the heap.

use super::bodies::Writer;

impl Writer<'_> {
    /// One such statement, or a few that belong together.
    pub(super) fn probe(&mut self) {
        let Some(node) = self.node() else { return };
        let claim = self.rng.percent(35);
        match self.rng.below(15) {
            0 => self.remember(),
            1 | 2 => self.make(),
            3 => self.object(&format!("free({node})")),
            4 | 5 => {
                let t = self.name('k');
                self.object(&format!("let {t} = ll({node}.val)"));
                self.linked.push((node, t));
            }
            6..9 => self.use_link(claim),
            9 => {
                let t = self.name('k');
                self.object(&format!("let {t} = ll({node}.next)"));
            }
            10 => {
                let new = self.node().unwrap_or(node.clone());
                match self.rng.percent(50) {
                    true => self.object(&format!("{node}.next = {new}")),
                    false => self.object(&format!("sc({node}.next, {new})")),
                }
            }
            11 => {
                let m = self.name('m');
                self.object(&format!("let {m} = {node}.next"));
                self.object(&format!("if {m} != null {{"));
                let val = self.rng.below(3);
                match self.rng.below(3) {
                    0 => self.object(&format!("  free({m})")),
                    1 => self.object(&format!("  {m}.next = null")),
                    _ => self.object(&format!("  assert {m}.val != {val}")),
                }
                self.object("}");
            }
            12 => {
                let other = self.node().unwrap_or_else(|| "null".to_owned());
                let op = ["==", "!="][self.rng.below(2)];
                self.object(&format!("assert {node} {op} {other}"));
            }
            _ => self.use_lock(&node, claim),
        }
    }

    /// Keeps a reference.
    fn remember(&mut self) {
        let boxes = self.boxes();
        if let Some(name) = self.rng.pick(&boxes).cloned() {
            let o = self.name('o');
            self.object(&format!("let {o} = {name}"));
            self.nodes.push(o);
        }
    }

    /// A node of its own, maybe given back at once.
    fn make(&mut self) {
        let n = self.name('n');
        let val = self.rng.below(3);
        self.object(&format!("let {n} = new Box {{ val: {val} }}"));
        match self.rng.below(4) {
            0 => self.object(&format!("free({n})")),
            1 if !self.nodes.is_empty() => {
                let other = self.nodes[self.rng.below(self.nodes.len())].clone();
                self.object(&format!("assert {n} != {other}"));
            }
            _ => {}
        }
        self.nodes.push(n);
    }

    /// Something with a link that was made before, or was not.
    fn use_link(&mut self, claim: bool) {
        let Some((node, t)) = self.rng.pick(&self.linked.clone()).cloned() else {
            return self.remember();
        };
        let not = ["", "!"][self.rng.below(2)];
        match (self.rng.percent(50), claim) {
            (true, true) => self.object(&format!("assert {not}vl({node}.val)")),
            (false, true) => self.object(&format!("assert {not}sc({node}.val, {t})")),
            (_, false) => self.object(&format!("sc({node}.val, {t})")),
        }
    }

    fn use_lock(&mut self, node: &str, claim: bool) {
        match (self.rng.percent(50), claim) {
            (true, true) => self.object(&format!("assert try_lock({node}.l)")),
            (true, false) => {
                self.object(&format!("if try_lock({node}.l) {{"));
                self.object(&format!("  unlock({node}.l)"));
                self.object("}");
            }
            (false, _) => {
                self.object(&format!("lock({node}.l)"));
                if !claim {
                    self.look();
                }
                self.object(&format!("unlock({node}.l)"));
            }
        }
    }

    /// An expression for a node: a reference kept before, or a variable.
    fn node(&mut self) -> Option<String> {
        if !self.nodes.is_empty() && self.rng.percent(75) {
            return self.rng.pick(&self.nodes.clone()).cloned();
        }
        let boxes = self.boxes();
        self.rng.pick(&boxes).cloned()
    }
}
