//! Absurd files: an error, a verdict or a limit, and never a panic or an endless wait.

use linchpin_csp::{CODES, Failure, Options, check, load};
use linchpin_engine::Budget;
use linchpin_text::Severity;

/// Loads a text and decides what it asserts, within narrow limits.
fn attempt(text: &str, states: u64) -> bool {
    let loaded = match load(text) {
        Ok(loaded) => loaded,
        Err(errors) => {
            assert!(errors.iter().any(|d| d.severity == Severity::Error), "{text}");
            for d in &errors {
                assert!(CODES.iter().any(|c| c.id == d.code), "{d:?}");
                let span = d.primary.span.range();
                assert!(span.end <= text.len() && text.get(span).is_some(), "{d:?}\n{text}");
            }
            return false;
        }
    };
    for i in 0..loaded.model.assertions().len() {
        let budget = Budget { max_states: Some(states), ..Budget::UNLIMITED };
        let report = check(&loaded.model, i, &Options { budget, ..Options::DEFAULT });
        assert!(!matches!(report.verdict, Err(Failure::Defect(_))), "{:?}\n{text}", report.verdict);
    }
    true
}

/// With the stack of a main thread.
fn on_a_large_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(f).expect("a thread");
    thread.join().expect("no panic");
}

#[test]
fn deep_nesting_is_refused_and_moderate_nesting_is_not() {
    on_a_large_stack(|| {
        let nested = |n: usize| {
            [
                format!("P = {}a -> Stop{};", "(".repeat(n), ")".repeat(n)),
                format!("P = [{}1{} == 1] a -> Stop;", "(".repeat(n), ")".repeat(n)),
                format!("P = {}Stop;", "a -> ".repeat(n)),
                format!("P = {};", vec!["(a -> Skip)"; n].join("; ")),
                format!("#define N {}; P = [N > 1] a -> Stop;", vec!["1"; n].join(" + ")),
                format!("P = [{}true] a -> Stop;", "!".repeat(n)),
                format!("P = a{{{}{}}} -> Stop;", "if (true) {".repeat(n), "}".repeat(n)),
                format!("P = (a -> Skip){};", " interrupt (a -> Skip)".repeat(n)),
                format!("P = (a -> Skip){};", " \\ {a}".repeat(n)),
                format!("P = {}a -> Skip{};", "(b -> Skip; ".repeat(n), ")".repeat(n)),
                format!("var x[2]; P = e.{}0{} -> Stop;", "x[".repeat(n), "]".repeat(n)),
                format!("P = {}Stop;", "[true] ".repeat(n)),
                format!("P = {}{{Stop}};", "if (true) {Stop} else ".repeat(n)),
                format!("P = {}Stop{};", "atomic{".repeat(n), "}".repeat(n)),
            ]
        };
        for text in nested(60) {
            assert!(load(&text).is_ok(), "{text}");
            attempt(&format!("{text} #assert P deadlockfree;"), 1000);
        }
        for n in [500, 5_000, 50_000] {
            for text in nested(n) {
                let _ = load(&text);
            }
        }
    });
}

#[test]
fn absurd_sizes_end_with_an_error_or_a_limit() {
    let models = [
        "var a[1000000000]; P = Stop;",
        "var a[99999][99999]; P = Stop;",
        "var a[60000]; var b[60000]; P = Stop;",
        "var a = [0(100000000)]; P = Stop;",
        "var a = [0..100000000]; P = Stop;",
        "channel c 1000000; P = c!1 -> P;",
        "channel c[1000000] 1; P = c[0]!1 -> P;",
        "P = |||x:{0..100000000}@ (a.x -> Skip);",
        "P = |||{100000000}@ (a -> Skip);",
        "P = |||x:{0..500}@ (a.x -> Skip);",
        "P = ||x:{0..300}@ (a -> b.x -> Skip);",
        "P = P;",
        "P = Q; Q = P [] a -> Stop;",
        "P(i) = a -> P(i+1);  S = P(0);",
        "P = a -> (P ||| P);",
        "P = a -> P; b -> Skip;",
        "var x = 0; Q(i) = [x >= 0] Q(i+1); P = Q(0);",
        "P = [&& i:{0..3000};j:{0..3000} @ (i == j)] a -> P;",
        "P = [&& i:{0..3000}@ (|| j:{0..3000} @ (i == j))] a -> P;",
        "P = a -> P \\ {x:{0..10000000} @ a.x};",
        "P = a{while (true) {}} -> P;",
        "var x = 0; P = a{while (x < 900000) {x = x + 1; var y = 0; while (y < 900000) {y++;}}} -> P;",
        "#define A B; #define B A; P = [A == 1] a -> P;",
        "P = case { };",
        "var x = 1; P = a{x = x * 1000;} -> P;",
        "#import \"PAT.Lib.List\"; var<List> l; P = a{l.Add(1);} -> P;",
    ];
    for text in models {
        attempt(&format!("{text} #assert P deadlockfree;"), 2_000);
    }
    let mut macros: String = (0..60).map(|i| format!("#define A{i} A{0} + A{0};", i + 1)).collect();
    macros += "#define A60 1; P = [A0 == 1] a -> P;";
    assert!(load(&macros).is_err());
}

/// The time and the memory for messages nobody reads grew with the square of the text: 35 seconds for 50 000
/// `#`, 1.35 GB for 20 000 accents.
#[test]
fn a_flood_of_messages_is_cut() {
    let many = |piece: &str, n: usize| piece.repeat(n);
    let texts = [
        many("#", 50_000),
        many("\u{301}", 50_000),
        many("\u{301}\n", 50_000),
        many("P = ;\n", 50_000),
        many("\"", 50_001),
        many("; a (", 50_000),
        many("#assert Q deadlockfree;\n", 20_000),
        (0..20_000).map(|i| format!("P{i} = Q{i};\n")).collect(),
        // Who calls whom is found out once.
        (0..30_000).map(|i| format!("P{i} = P{};\n", i + 1)).collect::<String>() + "P30000 = 1;",
        many("var x;", 50_000),
    ];
    for text in texts {
        let errors = load(&text).expect_err("errors");
        assert!(errors.len() <= 51, "{} messages about {}...", errors.len(), &text[..20]);
        assert!(errors.len() < 51 || errors[50].code == "E000", "{:?}", errors[50]);
    }
}
