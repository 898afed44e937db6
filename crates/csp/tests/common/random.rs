//! Random models, as text.

/// A generator of numbers (xorshift), the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n as u64) as usize
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// Names that an expression may use.
struct Scope {
    names: Vec<String>,
    bound: usize,
}

struct Writer<'r> {
    random: &'r mut Random,
    definitions: usize,
    channels: bool,
    atomic: bool,
    /// Are there arrays and collections?
    objects: bool,
}

impl Writer<'_> {
    /// A number from 0 to 2.
    fn value(&mut self, scope: &Scope, variables: bool) -> String {
        let mut names: Vec<String> = scope.names.clone();
        if variables {
            names.extend(["x".to_string(), "y".to_string()]);
            if self.objects {
                names.extend(["r[x % 2]".to_string(), "t[1]".to_string()]);
            }
        }
        let name = |r: &mut Random| names.get(r.below(names.len().max(1))).cloned();
        match (self.random.below(3), name(self.random)) {
            (0, Some(name)) => name,
            (1, Some(name)) => format!("(({name} + {}) % 3)", self.random.below(3)),
            _ => self.random.below(3).to_string(),
        }
    }

    fn condition(&mut self, scope: &Scope) -> String {
        let a = self.value(scope, true);
        let b = self.value(scope, true);
        let op = self.random.pick(&["==", "!=", "<", "<=", ">"]);
        if self.objects && self.random.below(3) == 0 {
            return match self.random.below(4) {
                0 => "r == t".to_string(),
                1 => format!("s.Contains({a})"),
                2 => format!("q.Count() > 0 && q.First() {op} {a}"),
                _ => format!("r == [{a}, {b}]"),
            };
        }
        match self.random.below(5) {
            0 => format!("!({a} {op} {b})"),
            1 => format!("{a} {op} {b} && x == {}", self.random.below(3)),
            _ => format!("{a} {op} {b}"),
        }
    }

    fn program(&mut self, scope: &Scope) -> String {
        let v = self.random.pick(&["x", "y"]);
        let e = self.value(scope, true);
        if self.objects && self.random.below(2) == 0 {
            return match self.random.below(12) {
                // Two that are one until the program ends.
                7 => format!("{{ r = t; r[y % 2] = {e}; x = t[1]; }}"),
                8 => format!("{{ r = t; t[x % 2] = {e}; t = [{v}, {e}]; t[0] = y; }}"),
                9 => {
                    let c = self.condition(scope);
                    format!(
                        "{{ if ({c}) {{ t = r; t[0] = {e}; }} else {{ r = t; t = r; }} \
                         r[1] = {v}; }}"
                    )
                }
                10 => format!(
                    "{{ p = q; if (p.Count() < 2) {{ p.Enqueue({e}); }} else {{ q.Dequeue(); }} \
                     {v} = p.Count(); }}"
                ),
                11 => format!("{{ u = r; r = t; r[0] = {e}; u[1] = {v}; t = u; u[0] = {e}; }}"),
                0 => format!("{{ r[y % 2] = {e}; }}"),
                1 => "{ r = t; }".to_string(),
                2 => format!("{{ t = [{e}, {v}]; }}"),
                3 => format!(
                    "{{ if (q.Count() < 2) {{ q.Enqueue({e}); }} else {{ q.Dequeue(); }} }}"
                ),
                4 => format!("{{ s.Add({e}); {v} = s.Count() % 3; }}"),
                5 => format!("{{ s.Remove({e}); }}"),
                _ => format!("{{ if (q.Count() > 0) {{ {v} = q.First(); q.Dequeue() }} }}"),
            };
        }
        match self.random.below(4) {
            0 => {
                let c = self.condition(scope);
                format!("{{ if ({c}) {{ {v} = {e}; }} else {{ y = x; }} }}")
            }
            1 => format!("{{ {v} = {e}; x = y }}"),
            _ => format!("{{ {v} = {e} }}"),
        }
    }

    fn event(&mut self, scope: &Scope) -> String {
        match self.random.below(7) {
            0..3 => self.random.pick(&["a", "b"]).to_string(),
            3 => {
                let e = self.value(scope, true);
                format!("e.{e}")
            }
            4 => {
                let e = self.value(scope, false);
                format!("e.{e}")
            }
            5 => "tau".to_string(),
            _ => "f".to_string(),
        }
    }

    /// A call; arguments may depend on variables.
    fn call(&mut self, scope: &Scope) -> String {
        let k = self.random.below(self.definitions);
        let lazily = self.random.below(3) == 0;
        let e = self.value(scope, lazily);
        format!("P{k}({e})")
    }

    /// An operand of `[*]`. Calls come after a visible event: of equal operands PAT keeps one, and
    /// when operands are equal depends on when calls are unfolded.
    fn alternative(&mut self, depth: usize, scope: &Scope, tail: bool) -> String {
        match self.random.below(2) {
            0 => format!("b -> ({})", self.process(depth, scope, tail)),
            _ => self.process(depth, scope, false),
        }
    }

    fn process(&mut self, depth: usize, scope: &Scope, tail: bool) -> String {
        if depth == 0 {
            return match self.random.below(6) {
                0 => "Stop".into(),
                1 | 2 => "Skip".into(),
                _ if tail => self.call(scope),
                _ => "Skip".into(),
            };
        }
        let d = depth - 1;
        match self.random.below(28) {
            0..6 => {
                let e = self.event(scope);
                let next = self.process(d, scope, tail);
                let program = match self.random.below(6) {
                    0 | 1 => self.program(scope),
                    2 => return format!("({e}, {}) -> ({next})", self.event(scope)),
                    _ => String::new(),
                };
                format!("{e}{program} -> ({next})")
            }
            6 | 7 if self.channels => {
                let c = self.random.pick(&["c", "d"]);
                let v = self.value(scope, true);
                let next = self.process(d, scope, tail);
                let program =
                    if self.random.below(4) == 0 { self.program(scope) } else { String::new() };
                format!("{c}!{v}{program} -> ({next})")
            }
            8 | 9 if self.channels => {
                let c = self.random.pick(&["c", "d"]);
                let name = format!("v{}", scope.bound);
                let inner = Scope {
                    names: scope.names.iter().cloned().chain([name.clone()]).collect(),
                    bound: scope.bound + 1,
                };
                if self.random.below(5) == 0 {
                    let v = self.value(scope, false);
                    let next = self.process(d, scope, tail);
                    return format!("{c}?({v} + 0) -> ({next})");
                }
                let guard = match self.random.below(3) {
                    0 => format!("[{}]", self.condition(&inner)),
                    _ => String::new(),
                };
                let next = self.process(d, &inner, tail);
                format!("{c}?{guard}{name} -> ({next})")
            }
            10 => {
                let c = self.condition(scope);
                format!("[{c}] ({})", self.process(d, scope, tail))
            }
            11 | 12 => {
                let kind = self.random.pick(&["if", "ifa"]);
                let c = self.condition(scope);
                let then = self.process(d, scope, tail);
                match self.random.below(3) {
                    0 => format!("{kind} ({c}) {{ {then} }}"),
                    _ => {
                        let other = self.process(d, scope, tail);
                        format!("{kind} ({c}) {{ {then} }} else {{ {other} }}")
                    }
                }
            }
            13 => {
                let c = self.condition(scope);
                format!("ifb ({c}) {{ {} }}", self.process(d, scope, tail))
            }
            14 => {
                let (c1, c2) = (self.condition(scope), self.condition(scope));
                let (p, q) = (self.process(d, scope, tail), self.process(d, scope, tail));
                format!("case {{ {c1}: ({p}) {c2}: ({q}) }}")
            }
            15..18 => {
                let op = self.random.pick(&["[]", "<>", "[*]"]);
                if op == "[*]" {
                    let (p, q) =
                        (self.alternative(d, scope, tail), self.alternative(d, scope, tail));
                    return format!("(({p}) {op} ({q}))");
                }
                let (p, q) = (self.process(d, scope, tail), self.process(d, scope, tail));
                format!("(({p}) {op} ({q}))")
            }
            18 | 19 => {
                let op = self.random.pick(&["|||", "||"]);
                let (p, q) = (self.process(d, scope, false), self.process(d, scope, false));
                format!("(({p}) {op} ({q}))")
            }
            20 | 21 => {
                let p = self.process(d, scope, false);
                let q = self.process(d, scope, tail);
                format!("(({p}); ({q}))")
            }
            22 => {
                let (p, q) = (self.process(d, scope, false), self.process(d, scope, tail));
                format!("(({p}) interrupt ({q}))")
            }
            23 => {
                let p = self.process(d, scope, tail);
                let set = self.random.pick(&["{a}", "{e.1, b}", "{f, e.0, e.2}", "{c.1, a}"]);
                format!("(({p}) \\ {set})")
            }
            // Many steps at a time, most of which are not possible.
            25 | 26 => {
                let first = self.random.pick(&["x", "y", "r[1]"]);
                let (a, b) =
                    (self.random.pick(&["==", "==", "!="]), self.random.pick(&["==", "!=", "<"]));
                let mut one = |i: usize, j: usize| {
                    let more = match self.random.below(4) {
                        0 => format!(" && {}", self.condition(scope)),
                        _ => String::new(),
                    };
                    let (e, program) = (self.event(scope), self.program(scope));
                    let next = self.process(0, scope, tail);
                    format!("[{first} {a} {i} && {j} {b} y{more}] {e}{program} -> ({next})")
                };
                let all: Vec<String> = (0..9).map(|n| one(n / 3, n % 3)).collect();
                format!("({})", all.join(" [] "))
            }
            24 if self.atomic => format!("atomic {{ {} }}", self.process(d, scope, tail)),
            _ if tail => {
                let e = self.event(scope);
                format!("{e} -> {}", self.call(scope))
            }
            _ => {
                let e = self.event(scope);
                format!("{e} -> Skip")
            }
        }
    }
}

/// A model with a process `S`, and a condition `goal`.
pub(crate) fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let definitions = 1 + random.below(3);
    let channels = random.below(2) == 0;
    let atomic = random.below(4) == 0;
    let objects = random.below(3) == 0;
    let mut text = "var x = 0; var y = 1;\nchannel c 0; channel d 1;\n".to_string();
    text += "#import \"PAT.Lib.Queue\"; #import \"PAT.Lib.Set\";\n";
    text += "var r[2]; var t[2] = [1, 2]; var u[2]; var<Queue> p; var<Queue> q; var<Set> s = new Set();\n";
    let goal = (random.below(3), random.below(3));
    text += &format!("#define goal x == {} && y == {};\n", goal.0, goal.1);
    let mut writer = Writer { random: &mut random, definitions, channels, atomic, objects };
    for k in 0..definitions {
        let depth = 2 + writer.random.below(3);
        let scope = Scope { names: vec!["i".into()], bound: 0 };
        let body = writer.process(depth, &scope, true);
        text += &format!("P{k}(i) = {body};\n");
        if writer.random.below(3) == 0 {
            let set = writer.random.pick(&["a, b", "a, e.i", "e.0, e.1, e.2", "f, a, e.((i+1)%3)"]);
            text += &format!("#alphabet P{k} {{{set}}};\n");
        }
    }
    let scope = Scope { names: Vec::new(), bound: 0 };
    let parts: Vec<String> = (0..2 + writer.random.below(2)).map(|_| writer.call(&scope)).collect();
    let op = writer.random.pick(&[" ||| ", " || ", " ||| ", " || ", " [] ", "; "]);
    let mut system = parts.join(op);
    match writer.random.below(6) {
        0 => system = format!("({system}) \\ {{a, e.1}}"),
        1 => system = format!("begin -> ({system})"),
        2 => system = format!("({system}); a -> Stop"),
        3 => system = format!("({system}) ||| b -> Skip"),
        _ => {}
    }
    text += &format!("S() = {system};\n");
    text
}
