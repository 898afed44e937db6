//! Random bodies, specified by themselves: the specification of an operation is the same code
//! without locks and atomic blocks, as one atomic action.
//!
//! Object and specification are written side by side, statement by statement; where they differ
//! (`cas` is a primitive there and a test with an assignment here, `await` becomes `assume`), both
//! versions are given. A variable of the specification may be *boxed* in the object: there it is a
//! reference to a node that holds the value ([`super::boxed`]).

use super::Model;
use super::boxed;
use super::rng::Rng;

/// What a place or local variable holds.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Numbers below this one.
    Below(usize),
    Bool,
    /// Values of the opaque type `V`.
    Data,
    Thread,
}

impl Kind {
    fn text(self) -> String {
        match self {
            Kind::Below(n) => format!("0..={}", n - 1),
            Kind::Bool => "bool".to_owned(),
            Kind::Data => "V".to_owned(),
            Kind::Thread => "thread".to_owned(),
        }
    }
}

/// A shared place.
#[derive(Clone)]
pub(super) struct Place {
    /// What it is called in the object (of a boxed one: where its reference is).
    pub(super) object: String,
    /// What it is called in the specification.
    pub(super) spec: String,
    pub(super) kind: Kind,
    pub(super) boxed: bool,
}

impl Place {
    /// The object's expression for its value.
    pub(super) fn value(&self) -> String {
        match self.boxed {
            true => format!("{}.val", self.object),
            false => self.object.clone(),
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
pub(super) struct Writer<'r> {
    pub(super) rng: &'r mut Rng,
    object: String,
    spec: String,
    depth: usize,
    /// Shared places.
    places: Vec<Place>,
    /// Local variables in scope.
    pub(super) locals: Vec<(String, Kind)>,
    /// There are boxes, and `free` gives them back.
    pub(super) frees: bool,
    /// For names.
    pub(super) count: usize,
    helper: bool,
    lock: bool,
    waits: bool,
    /// Memory is given back, and looked at again ([`super::probes`]).
    pub(super) probing: bool,
    /// Local variables of the object that refer to nodes.
    pub(super) nodes: Vec<String>,
    /// Nodes to whose value there may be a link, and the value read.
    pub(super) linked: Vec<(String, String)>,
}

/// A random object with the specification that follows from it.
pub(super) fn random(rng: &mut Rng) -> Model {
    let probing = rng.percent(50);
    let lock = !probing && rng.percent(25);
    let waits = rng.percent(12);
    let mut w = Writer {
        rng,
        object: "object Obj {\n".to_owned(),
        spec: "spec Abs {\n".to_owned(),
        depth: 1,
        places: Vec::new(),
        locals: Vec::new(),
        frees: false,
        count: 0,
        helper: false,
        lock,
        waits,
        probing,
        nodes: Vec::new(),
        linked: Vec::new(),
    };
    let types = w.variables();
    if w.rng.percent(25) {
        w.helper();
    }
    let operations = [1, 2, 2, 2, 3][w.rng.below(5)];
    for name in ["f", "g", "h"].into_iter().take(operations) {
        w.operation(name);
    }
    let (mut types, mut object, spec) = (types, w.object + "}\n", w.spec + "}\n");
    let origin = match probing {
        true if rng.percent(30) => {
            (types, object) = boxed::in_arrays(&types, &object, rng);
            "random bodies on arrays in nodes"
        }
        true => "random bodies on nodes",
        false => "random bodies",
    };
    Model { origin: origin.to_owned(), types, object, spec, settings: Vec::new(), heavy: false }
}

impl Writer<'_> {
    pub(super) fn object(&mut self, text: &str) {
        self.object += &format!("{:width$}{text}\n", "", width = 2 * self.depth);
    }

    pub(super) fn spec(&mut self, text: &str) {
        self.spec += &format!("{:width$}{text}\n", "", width = 2 * self.depth);
    }

    fn both(&mut self, text: &str) {
        self.object(text);
        self.spec(text);
    }

    pub(super) fn name(&mut self, letter: char) -> String {
        self.count += 1;
        format!("{letter}{}", self.count)
    }

    /// Declares one to three variables; gives the types they need.
    fn variables(&mut self) -> String {
        let mut types: Vec<&str> = Vec::new();
        let mut boxes = Vec::new();
        for name in ["x", "y", "z"].into_iter().take(1 + self.rng.below(3)) {
            if self.probing && name == "x" {
                boxes.push(name);
                continue;
            }
            // The first one is a word that all threads share.
            let kinds = if name == "x" { 6 } else { 10 };
            match self.rng.below(kinds) {
                0 | 1 => self.variable(name, "0..=2", &[("", Kind::Below(3))]),
                2 => self.variable(name, "0..=1 = 1", &[("", Kind::Below(2))]),
                3 => self.variable(name, "bool", &[("", Kind::Bool)]),
                4 | 6 => boxes.push(name),
                5 => {
                    types.push("data V\n");
                    self.variable(name, "V", &[("", Kind::Data)]);
                }
                7 => {
                    let parts = [("[0]", Kind::Below(2)), ("[1]", Kind::Below(2))];
                    self.variable(name, "[0..=1; 2]", &parts);
                }
                8 if self.rng.percent(50) => self.variable(name, "thread", &[("", Kind::Thread)]),
                8 => self.variable(name, "[bool; threads]", &[("[self]", Kind::Bool)]),
                _ => {
                    types.push("struct Two { a: 0..=2, b: bool }\n");
                    self.variable(name, "Two", &[(".a", Kind::Below(3)), (".b", Kind::Bool)]);
                }
            }
        }
        if !boxes.is_empty() {
            types.push(match self.probing {
                true => "node Box { val: 0..=2, next: Box, l: lock }\n",
                false => "node Box { val: 0..=2 }\n",
            });
            self.boxed_variables(&boxes);
        }
        if self.lock {
            self.object("var l: lock");
        }
        types.sort_unstable();
        types.dedup();
        types.concat()
    }

    /// One variable with its places.
    fn variable(&mut self, name: &str, ty: &str, parts: &[(&str, Kind)]) {
        self.both(&format!("var {name}: {ty}"));
        for (suffix, kind) in parts {
            let place = format!("{name}{suffix}");
            self.places.push(Place {
                object: place.clone(),
                spec: place,
                kind: *kind,
                boxed: false,
            });
        }
    }

    /// Variables that are references in the object.
    fn boxed_variables(&mut self, names: &[&str]) {
        let memory = match self.probing {
            true => ["manual", "stable", "stable"][self.rng.below(3)],
            false => ["gc", "manual", "stable"][self.rng.below(3)],
        };
        self.frees = memory != "gc" && self.rng.percent(70);
        self.object(&format!("memory {memory}"));
        for name in names {
            self.object(&format!("var {name}: Box"));
            self.spec(&format!("var {name}: 0..=2"));
            let (object, spec) = ((*name).to_owned(), (*name).to_owned());
            self.places.push(Place { object, spec, kind: Kind::Below(3), boxed: true });
        }
        self.object("init {");
        for name in names {
            self.object(&format!("  {name} = new Box"));
        }
        self.object("}");
    }

    fn helper(&mut self) {
        self.both("fn help(v: 0..=2) -> 0..=2 {");
        self.depth += 1;
        self.forget_nodes();
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
        self.forget_nodes();
        let mut params = String::new();
        let opaque = self.places.iter().any(|p| p.kind == Kind::Data);
        if self.rng.percent(if opaque { 70 } else { 35 }) {
            let kind = if opaque { Kind::Data } else { Kind::Below(2) };
            params = format!("p: {}", kind.text());
            self.locals.push(("p".to_owned(), kind));
        }
        let result = match self.rng.below(6) {
            0 => None,
            1 | 2 => Some(Kind::Bool),
            3 if opaque => Some(Kind::Data),
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
            let (object, spec) = self.condition();
            let value = result.map_or(String::new(), |kind| format!(" {}", self.value(kind)));
            self.object(&format!("if {object} {{"));
            self.spec(&format!("if {spec} {{"));
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
        let scope = self.scope();
        self.depth += 1;
        self.statements(n);
        self.depth -= 1;
        self.leave(scope);
    }

    fn scope(&self) -> [usize; 3] {
        [self.locals.len(), self.nodes.len(), self.linked.len()]
    }

    fn leave(&mut self, [locals, nodes, linked]: [usize; 3]) {
        self.locals.truncate(locals);
        self.nodes.truncate(nodes);
        self.linked.truncate(linked);
    }

    fn forget_nodes(&mut self) {
        self.nodes.clear();
        self.linked.clear();
    }

    /// Variables of the object that refer to nodes.
    pub(super) fn boxes(&self) -> Vec<String> {
        self.places.iter().filter(|p| p.boxed).map(|p| p.object.clone()).collect()
    }

    fn statement(&mut self) {
        if self.probing && self.rng.percent(50) {
            self.probe();
            return self.probe();
        }
        let place = self.place();
        let kind = place.kind;
        match self.rng.below(22) {
            0..3 => self.look(),
            3..9 => self.write(&place),
            9 | 10 => {
                let (old, new) = (self.value(kind), self.value(kind));
                let t = self.name('b');
                self.cas(&place, &t, &old, &new);
                self.spec(&format!("let {t} = {} == {old}", place.spec));
                self.spec(&format!("if {t} {{ {} = {new} }}", place.spec));
                self.locals.push((t, Kind::Bool));
            }
            11 | 12 => {
                let new = self.value(kind);
                let t = self.name('t');
                self.spec(&format!("let {t} = {}", place.spec));
                if kind == Kind::Below(2) && !place.boxed && self.count % 2 == 1 {
                    self.object(&format!("let {t} = fetch_xor({}, 1)", place.object));
                    self.spec(&format!("{} = {} ^ 1", place.spec, place.spec));
                } else {
                    self.swap(&place, &t, &new);
                    self.spec(&format!("{} = {new}", place.spec));
                }
                self.locals.push((t, kind));
            }
            13 => self.retry(&place),
            14 | 15 if self.depth < 4 => {
                let (object, spec) = self.condition();
                self.object(&format!("if {object} {{"));
                self.spec(&format!("if {spec} {{"));
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
                self.object(&format!("await {} == {value}", place.value()));
                self.spec(&format!("assume {} == {value}", place.spec));
            }
            20 => {
                let same: Vec<_> =
                    self.locals.iter().filter(|(_, k)| *k == kind).cloned().collect();
                match self.rng.pick(&same) {
                    Some((t, _)) => self.object(&format!("assert {} == {t}", place.value())),
                    None => self.look(),
                }
            }
            _ => self.object_atomic(),
        }
    }

    fn write(&mut self, place: &Place) {
        let value = self.value(place.kind);
        self.assign(place, &value);
        self.spec(&format!("{} = {value}", place.spec));
    }

    /// Two statements that the object executes together.
    fn object_atomic(&mut self) {
        let scope = self.scope();
        self.open_in_object("atomic {");
        for _ in 0..2 {
            if self.rng.percent(50) {
                self.look();
            } else {
                let place = self.place();
                self.write(&place);
            }
        }
        self.close_in_object();
        self.leave(scope);
    }

    /// A loop that reads, computes and tries to write.
    fn retry(&mut self, place: &Place) {
        let t = self.name('t');
        let scope = self.locals.len();
        self.locals.push((t.clone(), place.kind));
        let new = self.value(place.kind);
        self.locals.truncate(scope);
        self.retry_in_object(place, &t, &new);
        self.spec(&format!("let {t} = {}", place.spec));
        self.spec(&format!("{} = {new}", place.spec));
    }

    fn place(&mut self) -> Place {
        self.places[self.rng.below(self.places.len())].clone()
    }

    /// An expression of that kind without shared accesses.
    pub(super) fn value(&mut self, kind: Kind) -> String {
        let locals = self.locals.clone();
        match kind {
            Kind::Data | Kind::Thread => {
                let same: Vec<_> = locals.iter().filter(|(_, k)| *k == kind).collect();
                match self.rng.pick(&same) {
                    Some((t, _)) => t.clone(),
                    None if kind == Kind::Thread => "self".to_owned(),
                    None => self.any_data(),
                }
            }
            Kind::Bool => match (self.rng.pick(&locals).cloned(), self.rng.below(4)) {
                (Some((t, Kind::Bool)), 0..2) => t,
                (Some((t, Kind::Bool)), 2) => format!("!{t}"),
                (Some((t, Kind::Below(_))), 0..3) => format!("({t} == {})", self.rng.below(2)),
                (Some((t, Kind::Thread)), 0..3) => format!("({t} == self)"),
                (Some((t, Kind::Data)), 0..3) => {
                    let other = self.value(Kind::Data);
                    format!("({t} == {other})")
                }
                _ => ["true", "false"][self.rng.below(2)].to_owned(),
            },
            Kind::Below(n) => match (self.rng.pick(&locals).cloned(), self.rng.below(4)) {
                (Some((t, Kind::Below(m))), 0) if m <= n => t,
                (Some((t, Kind::Below(_))), 0..3) => match self.count % 5 {
                    0 => format!("({t} ^ 1) % {n}"),
                    1 => format!("({t} << 1 | 1) % {n}"),
                    2 => format!("({t} + 5 >> 1 & 3) % {n}"),
                    _ => format!("({t} + 1) % {n}"),
                },
                (Some((t, Kind::Bool)), 0..3) => format!("({t} ? 1 : 0)"),
                _ => self.rng.below(n).to_string(),
            },
        }
    }

    /// A local variable with an opaque value, read for the purpose: there are no literals.
    fn any_data(&mut self) -> String {
        let place = self.places.iter().find(|p| p.kind == Kind::Data).cloned();
        let Some(place) = place else { return "p".to_owned() };
        let t = self.name('d');
        self.object(&format!("let {t} = {}", place.object));
        self.spec(&format!("let {t} = {}", place.spec));
        t
    }

    /// Reads a place.
    pub(super) fn look(&mut self) {
        let place = self.place();
        let t = self.name('t');
        self.object(&format!("let {t} = {}", place.value()));
        self.spec(&format!("let {t} = {}", place.spec));
        self.locals.push((t, place.kind));
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
            (Kind::Data, [(t, Kind::Data), ..] | [_, (t, Kind::Data)]) => t.clone(),
            _ => self.value(kind),
        }
    }

    /// A condition, sometimes with a shared access, for the object and for the specification.
    fn condition(&mut self) -> (String, String) {
        let place = self.place();
        let test = match (self.rng.percent(50), place.kind) {
            (true, Kind::Bool) => String::new(),
            (true, Kind::Below(n)) => format!(" == {}", self.rng.below(n)),
            (true, Kind::Thread) => " == self".to_owned(),
            (true, Kind::Data) => format!(" == {}", self.value(Kind::Data)),
            (false, _) => {
                let value = self.value(Kind::Bool);
                return (value.clone(), value);
            }
        };
        (format!("{}{test}", place.value()), format!("{}{test}", place.spec))
    }
}
