//! The object's side of statements on shared places, plain or boxed.
//!
//! A boxed variable is changed by replacing its node (or, wrongly, inside the node), which gives
//! random programs with a heap: stale references, reuse and ABA come for free.

use super::bodies::{Place, Writer};
use super::rng::Rng;

impl Writer<'_> {
    /// `place = value`
    pub(super) fn assign(&mut self, place: &Place, value: &str) {
        let name = &place.object;
        if !place.boxed {
            return self.object(&format!("{name} = {value}"));
        }
        if self.probing && self.rng.percent(50) {
            return self.assign_oddly(name, value);
        }
        if self.rng.percent(40) {
            return self.object(&format!("{name}.val = {value}"));
        }
        let old = self.name('o');
        match self.frees && self.rng.percent(60) {
            true => {
                self.object(&format!("let {old} = swap({name}, new Box {{ val: {value} }})"));
                self.object(&format!("free({old})"));
            }
            false => self.object(&format!("{name} = new Box {{ val: {value} }}")),
        }
    }

    /// `let t = cas(place, old, new)`; on a box it can also fail because the node is another one.
    pub(super) fn cas(&mut self, place: &Place, t: &str, old: &str, new: &str) {
        let name = &place.object;
        if !place.boxed {
            return match self.count % 5 {
                0 => self.object(&format!("let {t} = cas_value({name}, {old}, {new}) == {old}")),
                _ => self.object(&format!("let {t} = cas({name}, {old}, {new})")),
            };
        }
        let node = self.name('o');
        self.object(&format!("let {node} = {name}"));
        if self.probing && self.rng.percent(50) {
            return match self.rng.percent(50) {
                true => self.object(&format!("let {t} = cas({node}.val, {old}, {new})")),
                false => {
                    let k = self.name('k');
                    self.object(&format!("let {k} = ll({node}.val)"));
                    self.object(&format!("let {t} = {k} == {old} && sc({node}.val, {new})"));
                    self.linked.push((node, k));
                }
            };
        }
        let replace = format!("cas({name}, {node}, new Box {{ val: {new} }})");
        self.object(&format!("let {t} = {node}.val == {old} && {replace}"));
        if self.frees {
            self.object(&format!("if {t} {{"));
            self.object(&format!("  free({node})"));
            self.object("}");
        }
    }

    /// `let t = swap(place, new)`
    pub(super) fn swap(&mut self, place: &Place, t: &str, new: &str) {
        let name = &place.object;
        if !place.boxed {
            return self.object(&format!("let {t} = swap({name}, {new})"));
        }
        if self.probing && self.rng.percent(50) {
            return self.object(&format!("let {t} = swap({name}.val, {new})"));
        }
        let node = self.name('o');
        self.object(&format!("let {node} = swap({name}, new Box {{ val: {new} }})"));
        self.object(&format!("let {t} = {node}.val"));
        if self.frees {
            self.object(&format!("free({node})"));
        }
    }

    /// A loop that reads `t`, and replaces it by `new` unless somebody else was faster.
    pub(super) fn retry_in_object(&mut self, place: &Place, t: &str, new: &str) {
        let name = &place.object;
        let linked = self.rng.percent(40);
        let node = self.name('o');
        if place.boxed && self.probing && self.rng.percent(60) {
            return self.retry_in_node(name, &node, t, new);
        }
        let (source, new) = match place.boxed {
            true => (node.as_str(), format!("new Box {{ val: {new} }}")),
            false => (t, new.to_owned()),
        };
        let (read, write) = match linked {
            true => (format!("ll({name})"), format!("sc({name}, {new})")),
            false => (name.clone(), format!("cas({name}, {source}, {new})")),
        };
        self.object("loop {");
        self.object(&format!("  let {source} = {read}"));
        if place.boxed {
            self.object(&format!("  let {t} = {node}.val"));
        }
        self.object(&format!("  if {write} {{"));
        if place.boxed && self.frees {
            self.object(&format!("    free({node})"));
        }
        self.object("    break");
        self.object("  }");
        self.object("}");
    }

    /// The same inside the node, which may be another one by then.
    fn retry_in_node(&mut self, name: &str, node: &str, t: &str, new: &str) {
        self.object("loop {");
        self.object(&format!("  let {node} = {name}"));
        self.object(&format!("  let {t} = ll({node}.val)"));
        let same = match self.rng.below(3) {
            0 => format!("{name} == {node} && "),
            1 => format!("vl({node}.val) && "),
            _ => String::new(),
        };
        self.object(&format!("  if {same}sc({node}.val, {new}) {{"));
        self.object("    break");
        self.object("  }");
        self.object("}");
    }

    /// An assignment with a lock or a link of the node, or by a new node for the old one.
    fn assign_oddly(&mut self, name: &str, value: &str) {
        let node = self.name('o');
        self.object(&format!("let {node} = {name}"));
        match self.rng.below(4) {
            0 => {
                self.object(&format!("lock({node}.l)"));
                self.object(&format!("{node}.val = {value}"));
                self.object(&format!("unlock({node}.l)"));
            }
            1 => {
                let k = self.name('k');
                self.object(&format!("let {k} = ll({node}.val)"));
                self.object(&format!("if !sc({node}.val, {value}) {{"));
                self.object(&format!("  {name}.val = {value}"));
                self.object("}");
                self.linked.push((node.clone(), k));
            }
            2 => {
                self.object(&format!("free({node})"));
                self.object(&format!("{name} = new Box {{ val: {value} }}"));
            }
            _ => {
                let n = self.name('n');
                self.object(&format!("let {n} = new Box {{ val: {value} }}"));
                self.object(&format!("if cas({name}, {node}, {n}) {{"));
                self.object(&format!("  free({node})"));
                self.object("} else {");
                self.object(&format!("  free({n})"));
                self.object("}");
            }
        }
        self.nodes.push(node);
    }
}

/// The same where values are elements of arrays in nodes: one of two, now and then the other one by mistake. So there are
/// links to elements, which a write to the other element leaves alone.
pub(super) fn in_arrays(types: &str, object: &str, rng: &mut Rng) -> (String, String) {
    let types = types.replace("val: 0..=2", "val: [0..=2; 2]");
    let right = rng.below(2);
    let mut pieces = object.split(".val");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let element = if rng.percent(10) { 1 - right } else { right };
        text += &format!(".val[{element}]{piece}");
    }
    let (before, after) = if right == 0 { ("[", ", 1]") } else { ("[1, ", "]") };
    let mut pieces = text.split("{ val: ");
    let mut object = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // What a node is made of ends at its closing brace.
        let (value, rest) = piece.split_once(" }").unwrap_or((piece, ""));
        object += &format!("{{ val: {before}{value}{after} }}{rest}");
    }
    (types, object)
}
