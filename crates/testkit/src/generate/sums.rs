//! Random programs with enums whose values carry others, in objects and in specifications.
//!
//! An operation is a few statements on two variables. The object executes them one by one, all at once, or by attempts to
//! swap; the specification does the same as one atomic action. Sometimes the object carries over what belongs to another
//! variant, or too large a number. One variable of the object may be in a slot that is a value, a node or an owner with a
//! value, and one of the specification an element of a sequence: what is carried is compared, swapped, packed and renamed
//! wherever values can be.

use super::Model;
use super::rng::Rng;

/// A statement, as lines of the object and of the specification.
type Statement = (Vec<String>, Vec<String>);

struct Writer<'r> {
    rng: &'r mut Rng,
    /// What `A` and `C` carry is opaque.
    opaque: bool,
    /// `y` of the object is in a slot.
    slot: bool,
    /// `y` of the specification is in a sequence.
    listed: bool,
    /// Numbers the local variables.
    count: usize,
}

/// A random program.
pub(super) fn random(rng: &mut Rng) -> Model {
    let opaque = rng.percent(35);
    let (slot, listed) = (rng.percent(45), rng.percent(30));
    let carried = if opaque { "V" } else { "0..=2" };
    let mut types = format!("enum W {{ Gone, A({carried}), B(bool, 0..=1), C({carried}) }}\n");
    if opaque {
        types = format!("data V\n{types}");
    }
    if slot {
        types +=
            "node Box { val: W }\nenum Slot { Unset, Plain(W), Boxed(Box), Mine(thread, W) }\n";
    }
    let mut writer = Writer { rng, opaque, slot, listed, count: 0 };
    let first = writer.constant();
    let mut object = format!("object Obj {{\n  var x: W = {first}\n{}", writer.second());
    let ys = if listed { "  var ys: seq<W> = [Gone]\n" } else { "  var y: W\n" };
    let mut spec = format!("spec Abs {{\n  var x: W = {first}\n{ys}");
    let mut settings = Vec::new();
    for op in 0..1 + writer.rng.below(2) {
        let param = match (opaque, writer.rng.percent(60)) {
            (true, _) => "v: V",
            (false, true) => "w: W",
            (false, false) => "v: 0..=2",
        };
        if param == "w: W" {
            settings.push(format!("values f{op}.w: {{{}, A(2)}}", writer.constant()));
        } else if !opaque {
            settings.push(format!("values f{op}.v: {{0, 2}}"));
        }
        let known = if param == "w: W" { "w" } else { "A(v)" };
        let (in_object, in_spec) = writer.operation(known);
        let head = format!("  op f{op}({param}) -> W {{\n    let k: W = {known}\n");
        object += &format!("{head}{in_object}    return k\n  }}\n");
        spec += &format!("{head}{in_spec}    return k\n  }}\n");
    }
    Model {
        origin: "values that carry others".to_owned(),
        types,
        object: object + "}\n",
        spec: spec + "}\n",
        settings,
        heavy: true,
    }
}

impl Writer<'_> {
    /// The second variable of the object, and what reads and writes it.
    fn second(&mut self) -> String {
        if !self.slot {
            return "  var y: W\n".to_owned();
        }
        let stored = match self.rng.below(4) {
            0 => "Plain(w)",
            1 => "Mine(self, w)",
            2 => "w == Gone ? Unset : Slot.Plain(w)",
            _ => "Slot::Boxed(new Box { val: w })",
        };
        // A stranger's value is as good as one's own.
        format!(
            "  var y: Slot\n  fn load() -> W {{\n    match y {{\n      Plain(w) => return w\n      \
             Slot.Boxed(b) => return b.val\n      Mine(_, w) => return w\n      Unset => return Gone\n    }}\n  }}\n  \
             fn store(w: W) {{\n    y = {stored}\n  }}\n"
        )
    }

    /// The statements of an operation.
    fn operation(&mut self, known: &str) -> (String, String) {
        let statements: Vec<Statement> =
            (0..2 + self.rng.below(3)).map(|_| self.statement(known)).collect();
        let lines = |indent: &str, all: Vec<&String>| {
            all.into_iter().map(|l| format!("{indent}{l}\n")).collect::<String>()
        };
        let object = statements.iter().flat_map(|s| &s.0).collect();
        let spec = lines("    ", statements.iter().flat_map(|s| &s.1).collect());
        match self.rng.percent(35) {
            true => (format!("    atomic {{\n{}    }}\n", lines("      ", object)), spec),
            false => (lines("    ", object), spec),
        }
    }

    /// How a variable is read: in the object and in the specification.
    fn read(&self, second: bool) -> (&'static str, &'static str) {
        match (second, self.slot, self.listed) {
            (false, ..) => ("x", "x"),
            (true, slot, listed) => {
                (if slot { "load()" } else { "y" }, if listed { "ys[0]" } else { "y" })
            }
        }
    }

    /// How it is written.
    fn write(&self, second: bool, object: &str, spec: &str) -> (String, String) {
        let (in_object, in_spec) = self.read(second);
        let spec = format!("{in_spec} = {spec}");
        match second && self.slot {
            true => (format!("store({object})"), spec),
            false => (format!("{in_object} = {object}"), spec),
        }
    }

    fn statement(&mut self, known: &str) -> Statement {
        self.count += 1;
        let t = format!("t{}", self.count);
        let second = self.rng.percent(40);
        let (here, there) = self.read(second);
        let (value, meant) = self.both(known);
        match self.rng.below(7) {
            0 => {
                let (object, spec) = self.write(second, &value, &meant);
                (vec![object], vec![spec])
            }
            1 => {
                let (object, spec) = self.write(!second, &value, &meant);
                let old = self.value(known);
                let lines = |read: &str, then: &str| {
                    vec![format!("if {read} == {old} {{"), format!("  {then}"), "}".to_owned()]
                };
                (lines(here, &object), lines(there, &spec))
            }
            2 => {
                let old = self.value(known);
                let spec = vec![
                    format!("let {t} = x == {old}"),
                    format!("if {t} {{"),
                    format!("  x = {meant}"),
                    "  k = Gone".to_owned(),
                    "}".to_owned(),
                ];
                let object = vec![
                    format!("let {t} = cas(x, {old}, {value})"),
                    format!("if {t} {{"),
                    "  k = Gone".to_owned(),
                    "}".to_owned(),
                ];
                (object, spec)
            }
            3 => {
                let object = vec![format!("k = swap(x, {value})")];
                (object, vec![format!("let {t} = x"), format!("x = {meant}"), format!("k = {t}")])
            }
            4 => self.retry(&t, &value, &meant),
            5 => (vec![format!("k = {here}")], vec![format!("k = {there}")]),
            _ => self.taken_apart(second, here, there),
        }
    }

    /// A loop that swaps until nobody else was faster.
    fn retry(&mut self, t: &str, value: &str, meant: &str) -> Statement {
        let (read, swap) = match self.rng.percent(30) {
            true => ("ll(x)", format!("sc(x, {value})")),
            false => ("x", format!("cas(x, {t}, {value})")),
        };
        let object = [
            "loop {".to_owned(),
            format!("  let {t} = {read}"),
            format!("  if {swap} {{"),
            format!("    k = {t}"),
            "    break".to_owned(),
            "  }".to_owned(),
            "}".to_owned(),
        ];
        let spec = [format!("let {t} = x"), format!("x = {meant}"), format!("k = {t}")];
        (object.into(), spec.into())
    }

    /// A `match`: what a variant carries goes to another, or elsewhere.
    fn taken_apart(&mut self, second: bool, here: &str, there: &str) -> Statement {
        let number = if self.opaque { "n" } else { "(n + 1) % 3" };
        let wrong = match (self.opaque, self.rng.percent(30)) {
            (false, true) => "n + 1",
            _ => number,
        };
        let other = self.constant();
        let arms = |first: &str, third: &str| {
            let rest = match other.as_str() {
                "Gone" => format!("  _ => k = {other}"),
                _ => format!("  Gone => k = {other}\n  C(_) => {{ }}"),
            };
            let guard = match self.opaque {
                true => "  B(true, _) => k = Gone".to_owned(),
                false => "  A(0) => k = W.B(true, 1)".to_owned(),
            };
            let arms = [guard, format!("  A(n) => {first}"), format!("  B(b, n) => {third}"), rest];
            arms.iter().flat_map(|a| a.lines()).map(str::to_owned).collect::<Vec<_>>()
        };
        let carried = self.rng.percent(20);
        let (object, spec) = self.write(!second, &format!("C({wrong})"), &format!("C({number})"));
        let meant = "k = W::B(!b, n)";
        let lines = |read: &str, arms: Vec<String>| {
            [format!("match {read} {{")].into_iter().chain(arms).chain(["}".to_owned()]).collect()
        };
        let third = if carried { "k = B(b, 0)" } else { meant };
        (lines(here, arms(&object, third)), lines(there, arms(&spec, meant)))
    }

    /// A value for the object and one for the specification; now and then they are not the same.
    fn both(&mut self, known: &str) -> (String, String) {
        let meant = self.value(known);
        match self.rng.percent(12) {
            true => (self.value(known), meant),
            false => (meant.clone(), meant),
        }
    }

    fn value(&mut self, known: &str) -> String {
        match self.rng.below(6) {
            0 | 1 => known.to_owned(),
            2 => "k".to_owned(),
            // What the parameter is, in another variant.
            3 if known != "w" => "C(v)".to_owned(),
            _ => self.constant(),
        }
    }

    fn constant(&mut self) -> String {
        let all: &[&str] = match self.opaque {
            true => &["Gone", "B(true, 0)", "W.B(true, 1)", "B(false, 0)"],
            false => &["Gone", "A(0)", "A(1)", "W::C(1)", "B(true, 1)", "W.B(false, 0)", "C(2)"],
        };
        all[self.rng.below(all.len())].to_owned()
    }
}
