//! Random bodies with what is rarely written together: coins and waiting inside and outside of `atomic`, choices
//! from wide and from empty ranges, optional numbers of ranges without 0, threads that are none, several opaque types,
//! links and locks of nodes that nobody else knows, long loops, and specifications that go wrong.
//!
//! Every wrong verdict of `corpus/lin/regress` that came from one of these was found by hand, because no other random
//! program has them. The specification is the same code as one atomic action, without nodes.

use super::Model;
use super::rng::Rng;

/// What a variable holds.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// `0..=2`
    Number,
    /// `(1..=2)?`
    Optional,
    /// `int?`
    Wide,
    Bool,
    Thread,
    /// Values of `V` or `W`, or none.
    Data(char),
}

impl Kind {
    const SHARED: [Kind; 6] =
        [Kind::Number, Kind::Optional, Kind::Bool, Kind::Thread, Kind::Data('V'), Kind::Data('W')];

    fn text(self) -> String {
        match self {
            Kind::Number => "0..=2".to_owned(),
            Kind::Optional => "(1..=2)?".to_owned(),
            Kind::Wide => "int?".to_owned(),
            Kind::Bool => "bool".to_owned(),
            Kind::Thread => "thread".to_owned(),
            Kind::Data(ty) => format!("{ty}?"),
        }
    }
}

/// Both texts while they grow.
struct Writer<'r> {
    rng: &'r mut Rng,
    object: String,
    spec: String,
    depth: usize,
    shared: Vec<(String, Kind)>,
    locals: Vec<(String, Kind)>,
    /// Local variables of the object that refer to nodes of its own.
    nodes: Vec<String>,
    count: usize,
    /// Inside `atomic`.
    atomic: bool,
    /// There is an array with an element for each thread.
    per_thread: bool,
}

/// A random object with the specification that follows from it.
pub(super) fn random(rng: &mut Rng) -> Model {
    let mut w = Writer {
        rng,
        object: "object Obj {\n".to_owned(),
        spec: "spec Abs {\n".to_owned(),
        depth: 1,
        shared: Vec::new(),
        locals: Vec::new(),
        nodes: Vec::new(),
        count: 0,
        atomic: false,
        per_thread: false,
    };
    w.variables();
    let wide = ["empty", "1", "2", "3"][w.rng.below(4)];
    w.both("fn wide(b: bool) -> int? {");
    w.both(&format!("  return b ? {wide} : empty"));
    w.both("}");
    for name in ["f", "g"].into_iter().take(1 + w.rng.below(2)) {
        w.operation(name);
    }
    let mut types = "data V\ndata W\n".to_owned();
    if w.object.contains("new Box") {
        types += "node Box { val: 0..=2, l: lock }\n";
    }
    Model {
        origin: "rare bodies".to_owned(),
        types,
        object: w.object + "}\n",
        spec: w.spec + "}\n",
        settings: Vec::new(),
        heavy: false,
    }
}

impl Writer<'_> {
    fn object(&mut self, text: &str) {
        self.object += &format!("{:width$}{text}\n", "", width = 2 * self.depth);
    }

    fn spec(&mut self, text: &str) {
        self.spec += &format!("{:width$}{text}\n", "", width = 2 * self.depth);
    }

    fn both(&mut self, text: &str) {
        self.object(text);
        self.spec(text);
    }

    fn name(&mut self, letter: char) -> String {
        self.count += 1;
        format!("{letter}{}", self.count)
    }

    fn variables(&mut self) {
        for name in ["x", "y"].into_iter().take(1 + self.rng.below(2)) {
            let kind = Kind::SHARED[self.rng.below(Kind::SHARED.len())];
            let narrow = kind == Kind::Number && self.rng.percent(15);
            self.object(&format!("var {name}: {}", kind.text()));
            // A specification that cannot hold what the object holds goes wrong.
            let ty = if narrow { "0..=1".to_owned() } else { kind.text() };
            self.spec(&format!("var {name}: {ty}"));
            self.shared.push((name.to_owned(), kind));
        }
        self.per_thread = self.rng.percent(25);
        if self.per_thread {
            self.both("var a: [0..=2; threads]");
        }
    }

    fn operation(&mut self, name: &str) {
        self.locals.clear();
        self.nodes.clear();
        let data = self.shared.iter().find_map(|(_, kind)| match kind {
            Kind::Data(ty) => Some(*ty),
            _ => None,
        });
        let param = match data {
            Some(ty) if self.rng.percent(70) => format!("p: {ty}"),
            _ => String::new(),
        };
        if let Some(ty) = data.filter(|_| !param.is_empty()) {
            self.locals.push(("p".to_owned(), Kind::Data(ty)));
        }
        self.both(&format!("op {name}({param}) -> bool {{"));
        self.depth += 1;
        let n = 1 + self.rng.below(3);
        self.statements(n);
        let result = self.condition();
        self.both(&format!("return {result}"));
        self.depth -= 1;
        self.both("}");
    }

    fn statements(&mut self, n: usize) {
        (0..n).for_each(|_| self.statement());
    }

    /// Statements in a block of their own.
    fn block(&mut self, n: usize) {
        let (locals, nodes) = (self.locals.len(), self.nodes.len());
        self.depth += 1;
        self.statements(n);
        self.depth -= 1;
        self.locals.truncate(locals);
        self.nodes.truncate(nodes);
    }

    fn statement(&mut self) {
        let deep = self.depth > 4;
        match self.rng.below(24) {
            0..4 => self.write(),
            4..6 => self.look(),
            6..8 if !deep => {
                self.both("if choose(true, false) {");
                self.block(1);
                self.both("}");
            }
            8..11 if !deep => {
                self.both("either {");
                self.block(1);
                self.both("} or {");
                self.block(1);
                self.both("}");
            }
            11..14 if !deep && !self.atomic => {
                self.object("atomic {");
                self.atomic = true;
                let n = 1 + self.rng.below(2);
                // A block in the specification as well, so that names stay inside.
                self.spec("if true {");
                self.block(n);
                self.atomic = false;
                self.both("}");
            }
            14 | 15 => self.only_if("await"),
            16 => self.only_if("assume"),
            17 => self.choose(),
            18 => self.thread(),
            19 if self.atomic => self.long_loop(),
            20 => {
                let claim = format!("assert {}", self.condition());
                match self.rng.percent(70) {
                    true => self.object(&claim),
                    false => self.spec(&claim),
                }
            }
            _ => self.node(),
        }
    }

    fn only_if(&mut self, word: &str) {
        let condition = match self.rng.percent(25) {
            true => "false".to_owned(),
            false => self.condition(),
        };
        self.object(&format!("{word} {condition}"));
        self.spec(&format!("assume {condition}"));
    }

    fn variable(&mut self) -> (String, Kind) {
        self.shared[self.rng.below(self.shared.len())].clone()
    }

    fn write(&mut self) {
        let (name, kind) = self.variable();
        let value = self.value(kind);
        match (kind, self.rng.below(4)) {
            (Kind::Optional | Kind::Data(_), 0) => {
                let old = self.value(kind);
                self.object(&format!("cas({name}, {old}, {value})"));
                self.spec(&format!("if {name} == {old} {{ {name} = {value} }}"));
            }
            (_, 1) => {
                let t = self.name('t');
                self.object(&format!("let {t} = swap({name}, {value})"));
                self.spec(&format!("let {t} = {name}"));
                self.spec(&format!("{name} = {value}"));
                self.locals.push((t, kind));
            }
            _ => self.both(&format!("{name} = {value}")),
        }
    }

    fn look(&mut self) {
        let (name, kind) = self.variable();
        let t = self.name('t');
        self.both(&format!("let {t} = {name}"));
        self.locals.push((t, kind));
    }

    /// An expression of that kind without shared accesses.
    fn value(&mut self, kind: Kind) -> String {
        let same = |k: &Kind| *k == kind || kind == Kind::Optional && *k == Kind::Wide;
        let known: Vec<_> = self.locals.iter().filter(|(_, k)| same(k)).cloned().collect();
        if let Some((t, _)) = self.rng.pick(&known)
            && self.rng.percent(60)
        {
            return t.clone();
        }
        match kind {
            Kind::Number => self.rng.below(3).to_string(),
            Kind::Optional | Kind::Wide => {
                ["empty", "1", "2", "wide(true)", "wide(false)"][self.rng.below(5)].to_owned()
            }
            Kind::Bool => ["true", "false"][self.rng.below(2)].to_owned(),
            Kind::Thread => "self".to_owned(),
            Kind::Data(_) => known.first().map_or("empty".to_owned(), |(t, _)| t.clone()),
        }
    }

    /// A condition with at most one shared access.
    fn condition(&mut self) -> String {
        let (name, kind) = match self.rng.pick(&self.locals.clone()) {
            Some(local) if self.rng.percent(40) => local.clone(),
            _ => self.variable(),
        };
        let value = self.value(kind);
        let op = ["==", "!="][self.rng.below(2)];
        match kind {
            Kind::Optional if self.rng.percent(15) => format!("{name}.unwrap() {op} 1"),
            _ => format!("{name} {op} {value}"),
        }
    }

    /// One of many values, of the greatest, or of none.
    fn choose(&mut self) {
        let t = self.name('c');
        let (range, least) = [
            ("-1..=1", 1),
            ("2147483646..=2147483647", 2147483647),
            ("-2147483648..=-2147483647", -2147483647),
            ("2..=1", 0),
            // Not where every value is a state.
            ("0..=2000", 2000),
        ][self.rng.below(if self.atomic { 5 } else { 4 })];
        self.both(&format!("let {t} = choose({range})"));
        if range == "0..=2000" {
            self.both(&format!("assume {t} > 1998"));
        }
        let b = self.name('b');
        self.both(&format!("let {b} = {t} >= {least}"));
        self.locals.push((b, Kind::Bool));
    }

    /// Something that only a thread that is one can be used for.
    fn thread(&mut self) {
        let threads: Vec<_> =
            self.locals.iter().filter(|(_, k)| *k == Kind::Thread).cloned().collect();
        let thread = match self.rng.pick(&threads) {
            Some((t, _)) => t.clone(),
            None => "self".to_owned(),
        };
        let b = self.name('b');
        match (self.per_thread, self.rng.below(3)) {
            (true, 0) => self.both(&format!("let {b} = a[{thread}] == 1")),
            (true, 1) => return self.both(&format!("a[{thread}] = 1")),
            _ => self.both(&format!("let {b} = {thread} as int == 0")),
        }
        self.locals.push((b, Kind::Bool));
    }

    /// A loop inside one step.
    fn long_loop(&mut self) {
        let numbers: Vec<_> =
            self.shared.iter().filter(|(_, k)| *k == Kind::Number).cloned().collect();
        let Some((name, _)) = self.rng.pick(&numbers).cloned() else { return self.write() };
        let (i, rounds) = (self.name('i'), [2, 40, 900][self.rng.below(3)]);
        self.both(&format!("for {i} in 0..{rounds} {{"));
        self.both(&format!("  {name} = {i} % 2"));
        self.both("}");
    }

    /// Something with a node that nobody else knows; the specification knows nothing of it.
    fn node(&mut self) {
        let Some(node) = self.rng.pick(&self.nodes.clone()).cloned() else {
            let n = self.name('n');
            self.object(&format!("let {n} = new Box {{ val: 1 }}"));
            return self.nodes.push(n);
        };
        match self.rng.below(6) {
            0 => {
                let k = self.name('k');
                self.object(&format!("let {k} = ll({node}.val)"));
            }
            1 => self.object(&format!("sc({node}.val, 2)")),
            2 => self.object(&format!("assert sc({node}.val, 2)")),
            3 => self.object(&format!("lock({node}.l)")),
            4 => self.object(&format!("{node}.val = 0")),
            _ => self.object(&format!("assert {node}.val != 0")),
        }
    }
}
