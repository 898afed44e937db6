//! Random bodies, specified by themselves: the specification of an operation is the same code
//! without locks and atomic blocks, as one atomic action.
//!
//! Object and specification are written side by side, statement by statement; where they differ
//! (`cas` is a primitive there and a test with an assignment here, `await` becomes `assume`), both
//! versions are given.

use super::Model;
use super::rng::Rng;

/// What a place or local variable holds.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Numbers below this one.
    Below(usize),
    Bool,
}

impl Kind {
    fn text(self) -> String {
        match self {
            Kind::Below(n) => format!("0..={}", n - 1),
            Kind::Bool => "bool".to_owned(),
        }
    }
}

/// How an operation guards itself.
#[derive(Clone, Copy, PartialEq)]
enum Guard {
    None,
    Atomic,
    Lock,
}

/// Both texts while they grow.
struct Writer<'r> {
    rng: &'r mut Rng,
    object: String,
    spec: String,
    depth: usize,
    /// Shared places.
    places: Vec<(String, Kind)>,
    /// Local variables in scope.
    locals: Vec<(String, Kind)>,
    /// For names.
    count: usize,
    helper: bool,
    lock: bool,
    waits: bool,
}

/// A random object with the specification that follows from it.
pub(super) fn random(rng: &mut Rng) -> Model {
    let lock = rng.percent(25);
    let waits = rng.percent(12);
    let mut w = Writer {
        rng,
        object: "object Obj {\n".to_owned(),
        spec: "spec Abs {\n".to_owned(),
        depth: 1,
        places: Vec::new(),
        locals: Vec::new(),
        count: 0,
        helper: false,
        lock,
        waits,
    };
    let types = w.variables();
    if w.rng.percent(25) {
        w.helper();
    }
    let operations = [1, 2, 2, 2, 3][w.rng.below(5)];
    for name in ["f", "g", "h"].into_iter().take(operations) {
        w.operation(name);
    }
    let (object, spec) = (w.object + "}\n", w.spec + "}\n");
    Model {
        origin: "random bodies".to_owned(),
        types: types.to_owned(),
        object,
        spec,
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

    /// Declares one to three variables; gives the types they need.
    fn variables(&mut self) -> &'static str {
        let mut types = "";
        for name in ["x", "y", "z"].into_iter().take(1 + self.rng.below(3)) {
            let place = |suffix: &str| format!("{name}{suffix}");
            // The first one is a word that all threads share.
            let kinds = if name == "x" { 4 } else { 7 };
            match self.rng.below(kinds) {
                0 | 1 => {
                    self.both(&format!("var {name}: 0..=2"));
                    self.places.push((place(""), Kind::Below(3)));
                }
                2 => {
                    self.both(&format!("var {name}: 0..=1 = 1"));
                    self.places.push((place(""), Kind::Below(2)));
                }
                3 => {
                    self.both(&format!("var {name}: bool"));
                    self.places.push((place(""), Kind::Bool));
                }
                4 => {
                    self.both(&format!("var {name}: [0..=1; 2]"));
                    self.places.push((place("[0]"), Kind::Below(2)));
                    self.places.push((place("[1]"), Kind::Below(2)));
                }
                5 => {
                    self.both(&format!("var {name}: [bool; threads]"));
                    self.places.push((place("[self]"), Kind::Bool));
                }
                _ => {
                    types = "struct Two { a: 0..=2, b: bool }\n";
                    self.both(&format!("var {name}: Two"));
                    self.places.push((place(".a"), Kind::Below(3)));
                    self.places.push((place(".b"), Kind::Bool));
                }
            }
        }
        if self.lock {
            self.object("var l: lock");
        }
        types
    }

    fn helper(&mut self) {
        self.both("fn help(v: 0..=2) -> 0..=2 {");
        self.depth += 1;
        self.locals = vec![("v".to_owned(), Kind::Below(3))];
        self.statements(1);
        let result = self.value(Kind::Below(3));
        self.both(&format!("return {result}"));
        self.depth -= 1;
        self.both("}");
        self.helper = true;
    }

    fn operation(&mut self, name: &str) {
        let guard = match self.rng.below(10) {
            0 => Guard::Atomic,
            1..7 if self.lock => Guard::Lock,
            _ => Guard::None,
        };
        self.locals.clear();
        let mut params = String::new();
        if self.rng.percent(35) {
            params = "p: 0..=1".to_owned();
            self.locals.push(("p".to_owned(), Kind::Below(2)));
        }
        let result = match self.rng.below(6) {
            0 => None,
            1 | 2 => Some(Kind::Bool),
            _ => Some(Kind::Below(3)),
        };
        let arrow = result.map_or(String::new(), |kind| format!(" -> {}", kind.text()));
        self.both(&format!("op {name}({params}){arrow} {{"));
        self.depth += 1;
        match guard {
            Guard::Atomic => self.open_in_object("atomic {"),
            Guard::Lock => self.object("lock(l)"),
            Guard::None => {}
        }
        let n = 1 + self.rng.below(3);
        if self.rng.percent(50) {
            self.look();
        }
        self.statements(n);
        if result.is_some() && self.rng.percent(60) {
            self.look();
        }
        if self.rng.percent(15) && guard != Guard::Lock {
            let cond = self.condition();
            let value = result.map_or(String::new(), |kind| format!(" {}", self.value(kind)));
            self.both(&format!("if {cond} {{"));
            self.both(&format!("  return{value}"));
            self.both("}");
        }
        if guard == Guard::Lock {
            self.object("unlock(l)");
        }
        if let Some(kind) = result {
            let value = self.telling(kind);
            self.both(&format!("return {value}"));
        }
        if guard == Guard::Atomic {
            self.close_in_object();
        }
        self.depth -= 1;
        self.both("}");
    }

    fn open_in_object(&mut self, text: &str) {
        self.object(text);
        self.depth += 1;
    }

    fn close_in_object(&mut self) {
        self.depth -= 1;
        self.object("}");
    }

    fn statements(&mut self, n: usize) {
        for _ in 0..n {
            self.statement();
        }
    }

    /// Statements in a block of their own.
    fn block(&mut self, n: usize) {
        let scope = self.locals.len();
        self.depth += 1;
        self.statements(n);
        self.depth -= 1;
        self.locals.truncate(scope);
    }

    fn statement(&mut self) {
        let (place, kind) = self.place();
        match self.rng.below(22) {
            0..5 => self.look(),
            5..9 => {
                let value = self.value(kind);
                self.both(&format!("{place} = {value}"));
            }
            9 | 10 => {
                let (old, new) = (self.value(kind), self.value(kind));
                let t = self.name('b');
                self.object(&format!("let {t} = cas({place}, {old}, {new})"));
                self.spec(&format!("let {t} = {place} == {old}"));
                self.spec(&format!("if {t} {{ {place} = {new} }}"));
                self.locals.push((t, Kind::Bool));
            }
            11 | 12 => {
                let new = self.value(kind);
                let t = self.name('t');
                self.object(&format!("let {t} = swap({place}, {new})"));
                self.spec(&format!("let {t} = {place}"));
                self.spec(&format!("{place} = {new}"));
                self.locals.push((t, kind));
            }
            13 => self.retry(&place, kind),
            14 | 15 if self.depth < 4 => {
                let cond = self.condition();
                self.both(&format!("if {cond} {{"));
                self.block(1);
                if self.rng.percent(40) {
                    self.both("} else {");
                    self.block(1);
                }
                self.both("}");
            }
            16 if self.depth < 3 => {
                let i = self.name('i');
                self.both(&format!("for {i} in 0..2 {{"));
                self.locals.push((i, Kind::Below(2)));
                self.block(1);
                self.locals.pop();
                self.both("}");
            }
            17 => {
                let t = self.name('t');
                let choice = if self.rng.percent(50) { "choose(0..=1)" } else { "choose(0, 1)" };
                self.both(&format!("let {t} = {choice}"));
                self.locals.push((t, Kind::Below(2)));
            }
            18 if self.helper => {
                let (t, value) = (self.name('t'), self.value(Kind::Below(3)));
                self.both(&format!("let {t} = help({value})"));
                self.locals.push((t, Kind::Below(3)));
            }
            19 if self.waits => {
                let value = self.value(kind);
                self.object(&format!("await {place} == {value}"));
                self.spec(&format!("assume {place} == {value}"));
            }
            20 => {
                let same: Vec<_> =
                    self.locals.iter().filter(|(_, k)| *k == kind).cloned().collect();
                match self.rng.pick(&same) {
                    Some((t, _)) => self.object(&format!("assert {place} == {t}")),
                    None => self.look(),
                }
            }
            _ => self.object_atomic(),
        }
    }

    /// Two statements that the object executes together.
    fn object_atomic(&mut self) {
        let scope = self.locals.len();
        self.open_in_object("atomic {");
        for _ in 0..2 {
            let (place, kind) = self.place();
            if self.rng.percent(50) {
                let t = self.name('t');
                self.both(&format!("let {t} = {place}"));
                self.locals.push((t, kind));
            } else {
                let value = self.value(kind);
                self.both(&format!("{place} = {value}"));
            }
        }
        self.close_in_object();
        self.locals.truncate(scope);
    }

    /// A loop that reads, computes and tries to write.
    fn retry(&mut self, place: &str, kind: Kind) {
        let t = self.name('t');
        let scope = self.locals.len();
        self.locals.push((t.clone(), kind));
        let new = self.value(kind);
        self.locals.truncate(scope);
        let linked = self.rng.percent(40);
        let (read, write) = match linked {
            true => (format!("ll({place})"), format!("sc({place}, {new})")),
            false => (place.to_owned(), format!("cas({place}, {t}, {new})")),
        };
        self.object("loop {");
        self.object(&format!("  let {t} = {read}"));
        self.object(&format!("  if {write} {{"));
        self.object("    break");
        self.object("  }");
        self.object("}");
        self.spec(&format!("let {t} = {place}"));
        self.spec(&format!("{place} = {new}"));
    }

    fn place(&mut self) -> (String, Kind) {
        self.places[self.rng.below(self.places.len())].clone()
    }

    /// An expression of that kind without shared accesses.
    fn value(&mut self, kind: Kind) -> String {
        let locals = self.locals.clone();
        match kind {
            Kind::Bool => match (self.rng.pick(&locals).cloned(), self.rng.below(4)) {
                (Some((t, Kind::Bool)), 0..2) => t,
                (Some((t, Kind::Bool)), 2) => format!("!{t}"),
                (Some((t, Kind::Below(_))), 0..3) => format!("({t} == {})", self.rng.below(2)),
                _ => ["true", "false"][self.rng.below(2)].to_owned(),
            },
            Kind::Below(n) => match (self.rng.pick(&locals).cloned(), self.rng.below(4)) {
                (Some((t, Kind::Below(m))), 0) if m <= n => t,
                (Some((t, Kind::Below(_))), 0..3) => format!("({t} + 1) % {n}"),
                (Some((t, Kind::Bool)), 0..3) => format!("({t} ? 1 : 0)"),
                _ => self.rng.below(n).to_string(),
            },
        }
    }

    /// Reads a place.
    fn look(&mut self) {
        let (place, kind) = self.place();
        let t = self.name('t');
        self.both(&format!("let {t} = {place}"));
        self.locals.push((t, kind));
    }

    /// A result that says something about what was read.
    fn telling(&mut self, kind: Kind) -> String {
        let read: Vec<_> =
            self.locals.iter().filter(|(t, _)| t != "p").rev().take(2).cloned().collect();
        match (kind, &read[..]) {
            (Kind::Bool, [(t, Kind::Bool), ..]) => t.clone(),
            (Kind::Bool, [(t, Kind::Below(n)), ..]) => format!("{t} == {}", self.rng.below(*n)),
            (Kind::Below(_), [(t, k), (u, l)]) if k == l && self.rng.percent(30) => {
                format!("({t} == {u} ? 1 : 0)")
            }
            (Kind::Below(n), [(t, Kind::Below(m)), ..]) if *m <= n => t.clone(),
            (Kind::Below(_), [(t, Kind::Bool), ..]) => format!("({t} ? 1 : 0)"),
            _ => self.value(kind),
        }
    }

    /// A condition, sometimes with a shared access.
    fn condition(&mut self) -> String {
        let (place, kind) = self.place();
        match (self.rng.percent(50), kind) {
            (true, Kind::Bool) => place,
            (true, Kind::Below(n)) => format!("{place} == {}", self.rng.below(n)),
            (false, _) => self.value(Kind::Bool),
        }
    }
}
