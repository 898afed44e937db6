//! Imported C# code: against a second evaluator, and what is refused where.

use crate::common::random::Random;
use crate::common::sharp::{Datum, Stop, Ty, cells, program};
use crate::sample::count;
use linchpin_csp::{Failure, Found, Loaded, Options, Unread, Wanted, check, load_files};
use linchpin_lts::Verdict;

/// The model with a library of this text.
fn load(model: &str, library: &str) -> Result<Loaded, Unread> {
    let mut find = |wanted: Wanted<'_>, _: &str| {
        let Wanted::Library(name) = wanted else { return Ok(None) };
        let (name, text) = (format!("{name}.cs"), library.to_string());
        Ok(Some(Found { key: name.clone(), name, text }))
    };
    load_files(model, &[], &mut find)
}

#[track_caller]
fn loaded(model: &str, library: &str) -> Loaded {
    load(model, library).unwrap_or_else(|u| panic!("{library}\n{:#?}", u.diagnostics))
}

/// What is wrong, with its place: `file:line:column: message`.
#[track_caller]
fn wrong(model: &str, library: &str) -> Vec<String> {
    let Err(Unread { files, diagnostics, .. }) = load(model, library) else {
        panic!("it is accepted")
    };
    let place = |d: &linchpin_text::Diagnostic| files.position(d.primary.span.start);
    diagnostics.iter().map(|d| format!("{}: {}", place(d), d.message)).collect()
}

fn class(body: &str) -> String {
    format!("namespace PAT.Lib {{ public class Example {{\n{body}\n}} }}")
}

const IMPORT: &str = "#import \"PAT.Lib.Example\";\n";

#[test]
fn random_functions_give_what_the_second_evaluator_gives() {
    let (mut values, mut faults, mut long) = (0, 0, 0);
    let cases = count(3_000, 20_000);
    for seed in 0..cases {
        let random = &mut Random::new(seed + 1);
        let code = program(random);
        let mut model = "#import \"PAT.Lib.Random\";\n".to_string();
        let mut expected = Vec::new();
        for call in 0..4 {
            let (mut written, mut given) = (Vec::new(), Vec::new());
            for ty in code.parameters() {
                let n = random.below(9) as i32 - 3;
                match ty {
                    Ty::Int => {
                        written.push(n.to_string());
                        given.push(Datum::Int(n));
                    }
                    Ty::Bool => {
                        written.push((n > 0).to_string());
                        given.push(Datum::Bool(n > 0));
                    }
                    _ => {
                        let items: Vec<i32> = (0..n.max(1)).map(|i| (i * n) % 5).collect();
                        written.push(format!("{items:?}"));
                        given.push(cells(items));
                    }
                }
            }
            model += &format!("#define R{call} call({}, {});\n", code.last(), written.join(", "));
            expected.push(code.call(given));
        }
        model += "P = Skip; #assert P deadlockfree;";
        let text = code.text();
        let loaded = loaded(&model, &text).model;
        for (define, expected) in loaded.tree().defines.iter().zip(expected) {
            let found = loaded.constant(define);
            let wanted = match expected {
                Err(Stop::Long) => {
                    long += 1;
                    continue;
                }
                Err(Stop::Fault) => None,
                // A model has numbers of 31 bits.
                Ok(Datum::Int(n)) => (i64::from(n).abs() <= 1 << 30).then(|| n.to_string()),
                Ok(Datum::Bool(b)) => Some(b.to_string()),
                Ok(Datum::Cells(_)) => unreachable!("the last function gives no array"),
            };
            match &wanted {
                Some(_) => values += 1,
                None => faults += 1,
            }
            assert_eq!(found, wanted, "seed {seed}\n{model}\n{text}");
        }
    }
    // Otherwise little is compared.
    assert!(
        values > 2 * cases && faults > cases / 10,
        "{values} values, {faults} faults, {long} long"
    );
}

/// The verdict of the only assertion.
#[track_caller]
fn verdict(model: &str, library: &str) -> Result<Verdict<()>, String> {
    let model = loaded(model, library).model;
    match check(&model, 0, &Options::DEFAULT).verdict {
        Ok(verdict) => Ok(verdict),
        Err(Failure::Trouble(trouble)) => {
            let at = trouble.at.map(|(start, _)| model.files().position(start));
            Err(format!("{}: {}", at.unwrap_or_default(), trouble.message))
        }
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn functions_take_numbers_truth_values_and_arrays_and_give_them_back() {
    let library = class(
        "public static bool dominate(int a, int b) { return a > b; }
         public static int[] sorted(int[] a) { for (int i = 0; i < a.Length; i++) for (int j = 0; j + 1 < a.Length; \
         j++) if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } return a; }",
    );
    let model = |goal: &str| {
        format!(
            "{IMPORT}var a = [3, 1, 2]; var b[3]; P = go{{b = call(sorted, a);}} -> [call(dominate, b[2], b[0])] \
             done -> Skip; #define goal {goal}; #assert P reaches goal;"
        )
    };
    // The argument stays as it is.
    assert_eq!(verdict(&model("b == [1, 2, 3] && a == [3, 1, 2]"), &library), Ok(Verdict::Holds));
    assert_eq!(verdict(&model("a[0] == 1"), &library), Ok(Verdict::Violated(())));
}

const COUNTER: &str = "using PAT.Common.Classes.Expressions.ExpressionClass;
namespace PAT.Lib { public class Counter : ExpressionValue {
    public int n; List<int> log = new List<int>(); bool odd;
    public Counter() {}
    public Counter(int n) : this() { this.n = n; odd = n % 2 == 1; }
    public void Up(int by) { n += by; odd = n % 2 == 1; log.Add(by); if (log.Count > 2) { log.RemoveAt(0); } }
    public bool IsOdd() { return odd; }
    public int Last() { return log[log.Count - 1]; }
    public bool Same(Counter other) { return n == other.n; }
    public void Steal(Counter other) { n += other.n; other.n = 0; }
    public override ExpressionValue GetClone() { return new Counter(n); }
    public override string ExpressionID { get { return n + \"|\" + odd + log.ToString(); } }
    public override string ToString() { return \"[\" + ExpressionID + \"]\"; }
} }";

#[test]
fn objects_are_values_whose_methods_change_the_variable() {
    let model = |goal: &str| {
        format!(
            "#import \"PAT.Lib.Counter\";\nvar<Counter> a = new Counter(3); var<Counter> b;
             P = up{{a.Up(2); b = a; b.Up(1);}} -> [a.IsOdd() && b.Last() == 1] done -> Skip;
             #define goal {goal}; #assert P reaches goal;"
        )
    };
    // Both are one until the program ends.
    assert_eq!(verdict(&model("a$n == 6 && b$n == 6"), COUNTER), Ok(Verdict::Holds));
    assert_eq!(verdict(&model("a$n == 5 || b$n == 5"), COUNTER), Ok(Verdict::Violated(())));
    let model = |goal: &str| {
        format!(
            "#import \"PAT.Lib.Counter\";\nvar<Counter> a = new Counter(3); var<Counter> b;
             P = up{{a.Up(2); b = a;}} -> up{{b.Up(1);}} -> [a.IsOdd() && b.Last() == 1] done -> Q; Q = end -> Skip;
             #define goal {goal}; #assert P reaches goal;"
        )
    };
    assert_eq!(verdict(&model("a$n == 5 && b$n == 6 && !a.Same(b)"), COUNTER), Ok(Verdict::Holds));
    assert_eq!(verdict(&model("a == b && b$n == 5"), COUNTER), Ok(Verdict::Holds));
    assert_eq!(verdict(&model("b$n == 7"), COUNTER), Ok(Verdict::Violated(())));
}

#[test]
fn states_with_equal_objects_are_one() {
    let model = "#import \"PAT.Lib.Counter\";\nvar<Counter> a; P = up{a.Up(0);} -> P; #assert P deadlockfree;";
    let model = loaded(model, COUNTER).model;
    // At most two entries of the log.
    assert_eq!(check(&model, 0, &Options::DEFAULT).statistics.states, 3);
}

#[test]
fn what_changes_where_nothing_may_change_is_an_error() {
    let guard = "#import \"PAT.Lib.Counter\";\nvar<Counter> a; P = [call(bump, a)] x -> P; #assert P deadlockfree;";
    assert!(wrong(guard, COUNTER)[0].contains("the function `bump` is not supported"));
    let steal = "#import \"PAT.Lib.Counter\";\nvar<Counter> a; var<Counter> b = new Counter(1);
                 P = x{a.Steal(b);} -> P; #assert P deadlockfree;";
    let message = verdict(steal, COUNTER).unwrap_err();
    assert!(
        message.contains("`Counter.Steal` changes an object that is its argument"),
        "{message}"
    );
}

#[test]
fn a_field_that_the_identity_leaves_out_is_reported() {
    let library = COUNTER.replace("+ odd + ", "+ ");
    let model = "#import \"PAT.Lib.Counter\";\nvar<Counter> a; P = Skip; #assert P deadlockfree;";
    let warnings = loaded(model, &library).warnings;
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].message, "`ExpressionID` does not mention the field `odd`");
}

#[test]
fn exceptions_are_errors_at_their_places_in_the_file() {
    let run = |body: &str, call: &str| {
        let model =
            format!("{IMPORT}var x = 0; P = a{{x = call({call});}} -> P; #assert P deadlockfree;");
        verdict(&model, &class(body)).unwrap_err()
    };
    let at = "PAT.Lib.Example.cs:2:";
    assert_eq!(
        run("public static int f(int a) { return 1 / a; }", "f, 0"),
        format!("{at}37: division by zero")
    );
    assert_eq!(
        run("public static int f(int[] a) { return a[3]; }", "f, [1, 2]"),
        format!("{at}39: the index 3 is outside of 2 elements")
    );
    assert_eq!(
        run("public static int f(int a) { while (true) a++; }", "f, 0"),
        format!("{at}43: `Example.f` has not ended after 10000000 steps")
    );
    assert_eq!(
        run("public static int f(int a) { return f(a + 1); }", "f, 0"),
        format!("{at}37: `Example.f` is called inside of 1000 other calls (called by `Example.f`)")
    );
    assert_eq!(
        run("public static int f(int a) { int b; if (a > 0) b = 1; return b; }", "f, 0"),
        format!("{at}62: `b` is used before it gets a value")
    );
    assert_eq!(
        run("public static int f(int a) { if (a > 0) return 1; }", "f, 0"),
        format!("{at}51: `Example.f` ends without a result")
    );
    assert_eq!(
        run("public static int f(int n) { int[] a = new int[n]; return 1; }", "f, 99999999"),
        format!("{at}40: 99999999 elements are more than the 10000000 steps allow")
    );
    assert_eq!(
        run("public static int f(int n) { throw new System.Exception(\"no\"); }", "f, 1"),
        format!("{at}30: the C# code throws: new System.Exception(\"no\")")
    );
    let large = run("public static int f(int n) { return n * n; }", "f, 40000");
    assert!(large.ends_with(
        "1600000000 is too large for Linchpin (at most 1073741824): a value of `Example.f`"
    ));
    let kind = run("public static int f(int n) { return n; }", "f, true");
    assert!(
        kind.ends_with("true is a truth value, but a number is needed by `Example.f`"),
        "{kind}"
    );
}

#[test]
fn an_int_wraps_around_as_in_unchecked_code() {
    let library = class(
        "public static bool f(int n) { int big = int.MaxValue; big++; int h = 17; for (int i = 0; i < 9; i++) \
         h = h * 31 + n; return big == int.MinValue && big == -2147483648 && h == unit(n); }
         static int unit(int n) { int h = 17; int i = 0; do { h = (h << 5) - h + n; i += 1; } while (i < 9); return h; }",
    );
    let model = format!("{IMPORT}P = [call(f, 1234567)] a -> Skip; #assert P deadlockfree;");
    assert_eq!(verdict(&model, &library), Ok(Verdict::Holds));
}

#[test]
fn what_is_not_supported_is_refused_by_name_where_it_stands() {
    let model = format!("{IMPORT}P = Skip; #assert P deadlockfree;");
    for (body, column, name) in [
        ("public static string f() { return null; }", 15, "the type `string`"),
        ("public static double f(int a) { return a; }", 15, "the type `double`"),
        ("public static int f(ref int a) { return a; }", 21, "a parameter with `ref`"),
        ("public static int f(int a) { try { } finally { } return 1; }", 30, "`try`"),
        (
            "public static int f(int a) { System.IO.File.Delete(a); return 1; }",
            30,
            "`System.IO.File.Delete`",
        ),
        ("public static int f(int a) { return a.GetType(); }", 39, "`GetType` of `int`"),
        ("public static int f(int a) { var s = \"x\"; return 1; }", 38, "a text"),
        (
            "public static int n; public static int f() { return n; }",
            19,
            "a static field that can change",
        ),
        ("public static int f(int[,] a) { return 1; }", 21, "an array other than `int[]`"),
        ("public static int f(List<bool> a) { return 1; }", 21, "a list of anything but `int`"),
        ("public static int f(Dictionary<int, int> a) { return 1; }", 21, "the type `Dictionary`"),
        ("public static int f(Thing a) { return 1; }", 21, "the type `Thing`"),
        ("public int P { get { return 1; } }", 12, "a property"),
        ("public static int f(int a) { return (int)Math.Sin(a); }", 47, "`Math.Sin`"),
        ("public static int f(int a) { switch (a) { default: return 1; } }", 30, "`switch`"),
        ("public static int f(int a) { return checked(a + 1); }", 37, "`checked`"),
        ("public static T f<T>(int a) { return 1; }", 18, "a generic method"),
        ("[Obsolete] public static int f(int a) { return 1; }", 1, "an attribute"),
        ("public static int f(int a) { goto end; }", 30, "`goto`"),
        ("public static int f(int a) { return (int)1.5; }", 42, "a number other than an `int`"),
    ] {
        let message = format!("PAT.Lib.Example.cs:2:{column}: {name} is not supported in C# code");
        assert_eq!(wrong(&model, &class(body))[0], message, "{body}");
    }
}

#[test]
fn types_and_names_are_looked_at() {
    let model = format!("{IMPORT}P = Skip; #assert P deadlockfree;");
    for (body, message) in [
        ("static int f(int a) { return b; }", "there is no variable, field or constant `b`"),
        ("static int f(int a) { return a > 1; }", "this is of type `bool`, but `int` is needed"),
        (
            "static int f(int a) { if (a) return 1; return 2; }",
            "this is of type `int`, but `bool` is needed",
        ),
        ("static int f(int a) { int a = 1; return a; }", "`a` is declared twice"),
        ("static void f(int a) { return 1; }", "this method is `void` and has no result"),
        (
            "static int f(int a) { return g(a, 1); }",
            "`Example` has no method `g` with 2 parameters",
        ),
        ("static int f(int a) { break; }", "there is no loop around this"),
        ("static int f(int a) { a + 1; return a; }", "a value alone is no statement"),
        ("static int f(int a) { return 3000000000; }", "this number is too large for an `int`"),
        (
            "static int f(int a) { return 1; } static int f(int b) { return 2; }",
            "two methods `f` with the same number of parameters are not supported in C# code",
        ),
        ("static int f(int a) { return 1 + ; }", "expected an expression, but there is `;`"),
    ] {
        let found = wrong(&model, &class(body));
        assert!(found[0].ends_with(message), "{body}: {found:?}");
    }
}

#[test]
fn a_function_without_source_says_where_it_was_looked_for() {
    let model = format!("{IMPORT}P = [call(f, 1)] a -> Skip; #assert P deadlockfree;");
    let Err(errors) = linchpin_csp::load(&model) else { panic!("it is accepted") };
    assert!(errors[0].message.contains("the function `f` is not supported"));
    assert!(errors[0].notes[0].contains("`PAT.Lib.Example.cs` and `Example.cs` beside the model"));
}

/// The C# code of the corpus, and what uses it.
fn corpus() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/csp/");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}{name}")).expect("a text");
    [("mailbox_call.csp", "PAT.Lib.Mailbox.cs"), ("letterbox.csp", "PAT.Lib.Letterbox.cs")]
        .map(|(model, code)| (read(model), read(code)))
        .into()
}

#[test]
fn damaged_code_is_refused_or_runs_within_bounds() {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        ";",
        "[",
        "]",
        "<",
        ">",
        "=",
        "+",
        "-",
        "++",
        ">>=",
        ",",
        ".",
        "\"",
        "'",
        "/*",
        "#",
        "int",
        "bool",
        "new",
        "this",
        "static",
        "class",
        "return",
        "while (true)",
        "for (;;)",
        "List<int>",
        "99999999999",
        "-",
        "null",
        "\u{e9}",
        "override",
        "const",
        "void",
        "x",
        "(int)",
        "?",
        ":",
        "foreach (int i in messages)",
        "0x",
        "1.5",
    ];
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..count(1_500, 40_000) {
        let random = &mut Random::new(seed + 1);
        let all = corpus();
        let (model, code) = &all[random.below(all.len())];
        let mut text = code.clone();
        for _ in 0..1 + random.below(2) {
            let mut at = random.below(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let mut end = (at + random.below(8)).min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let piece = if random.below(3) == 0 { "" } else { random.pick(PIECES) };
            text.replace_range(at..end.max(at), piece);
        }
        match load(model, &text) {
            Err(unread) => {
                refused += 1;
                assert!(!unread.diagnostics.is_empty());
                unread
                    .diagnostics
                    .iter()
                    .for_each(|d| drop(unread.files.position(d.primary.span.end)));
            }
            Ok(loaded) => {
                accepted += 1;
                let budget = linchpin_engine::Budget {
                    max_states: Some(50),
                    ..linchpin_engine::Budget::UNLIMITED
                };
                let report = check(&loaded.model, 0, &Options { budget, ..Options::DEFAULT });
                assert!(!matches!(report.verdict, Err(Failure::Defect(_))), "{text}");
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}
