//! Whatever the input, the front end answers, and soon: no panic, no overflow of the stack, no
//! time that grows faster than the text.

use linchpin_lin::{Granularity, Model};
use linchpin_lts::{FaultKind, Limit, Outcome, TransitionSystem, Watch};
use std::time::{Duration, Instant};

use linchpin_lin::{Diagnostic, decode, syntax};

use crate::contract;

/// Loads and formats the text on a thread with the stack of a test; the answer must come in time.
fn answers(text: &str) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let start = Instant::now();
    let loaded = syntax::load(text, &[]);
    let analysed = syntax::analyse(text);
    let formatted = syntax::format(text);
    let time = start.elapsed();
    assert!(time < Duration::from_secs(20), "{time:?} for {} bytes", text.len());
    if let Ok(once) = formatted {
        assert_eq!(syntax::format(&once).as_ref(), Ok(&once), "formatting again changes {text}");
    }
    let said = match &loaded {
        Ok(l) => &l.warnings,
        Err(errors) => errors,
    };
    assert_eq!(&analysed.diagnostics, said, "{text}");
    assert_eq!(analysed.program.is_some(), loaded.is_ok(), "{text}");
    for (span, symbol) in analysed.index.names() {
        let name = &analysed.index.symbols()[*symbol].name;
        assert_eq!(text.get(span.range()), Some(name.as_str()), "{text}");
    }
    loaded.map(|l| {
        let wrong = contract::violations(&l.program);
        assert!(wrong.is_empty(), "{text}\n{}", wrong.join("\n"));
        l.warnings
    })
}

/// The only error of a text.
fn only_error(text: &str) -> &'static str {
    let errors = answers(text).expect_err("an error");
    assert_eq!(errors.len(), 1, "{:?}", errors.iter().map(|d| &d.message).collect::<Vec<_>>());
    errors[0].code
}

fn in_op(code: &str) -> String {
    format!(
        "object O {{ var x: int\nvar b: bool\nop f() {{\n{code}\n}} }}\nspec S {{ op f() {{ }} }}\ncheck O against S"
    )
}

#[test]
fn nothing_is_a_program_without_checks() {
    for text in
        ["", " \n\t", "// only a comment", "/* */", "\u{feff}".trim_start_matches('\u{feff}')]
    {
        let program = syntax::load(text, &[]).expect("a program").program;
        assert!(program.checks.is_empty() && program.objects.is_empty());
    }
}

#[test]
fn binary_files_and_broken_text_are_refused() {
    assert!(decode(&[0xff, 0xfe, 0, 1]).is_err());
    assert!(decode(b"object \0").is_err());
    // Text that is no model is refused, too.
    for text in
        ["\u{1}\u{2}\u{3}", "\u{feff}object", "🦀🦀🦀", "{}", ")))", "}}}}", "\"", "'", "/*"]
    {
        assert!(answers(text).is_err(), "{text}");
    }
}

#[test]
fn large_texts_are_refused_by_size() {
    let text = "const A = 1\n".repeat(1_000_000);
    assert_eq!(only_error(&text), "E001");
}

#[test]
fn deep_nesting_is_one_error() {
    let n = 20_000;
    let deep = |open: &str, middle: &str, close: &str| {
        in_op(&format!("x = {}{middle}{}", open.repeat(n), close.repeat(n)))
    };
    let nested = |open: &str, close: &str| in_op(&format!("{}{}", open.repeat(n), close.repeat(n)));
    let texts = [
        deep("(", "1", ")"),
        deep("-", "1", ""),
        deep("b ? 1 : ", "1", ""),
        deep("[", "1", "]"),
        deep("a[", "1", "]"),
        deep("f(", "1", ")"),
        deep("1 + (", "1", ")"),
        deep("1 + ", "1", ""),
        deep("1 * 2 - ", "1", ""),
        deep("b && ", "b", ""),
        deep("", "x", ".y"),
        deep("", "x", "[0]"),
        deep("choose(1, ", "1", ")"),
        deep("{", "1", "}"),
        deep("new N { a: ", "1", " }"),
        nested("if b { ", " }"),
        nested("if b { } else ", "{ }"),
        nested("loop { ", " }"),
        nested("either { } or { ", " }"),
        nested("atomic { ", " }"),
        format!("type T = {}int{}", "seq<".repeat(n), ">".repeat(n)),
        format!("type T = {}int{}", "(".repeat(n), ")".repeat(n)),
        format!("type T = {}int{}", "[".repeat(n), "; 1]".repeat(n)),
        format!("type T = int{}", "?".repeat(n)),
        format!("const A = {}1", "!".repeat(n)),
    ];
    for text in texts {
        let errors = answers(&text).expect_err("too deep");
        let start: String = text.chars().skip(50).take(60).collect();
        assert!(errors.iter().any(|d| d.code == "E015"), "{start}: {errors:?}");
    }
}

#[test]
fn nesting_up_to_the_limit_is_no_error() {
    let n = 90;
    let texts = [
        in_op(&format!("x = {}1{}", "(1 + ".repeat(n), ")".repeat(n))),
        in_op(&format!("{}{}", "if b { ".repeat(n), " }".repeat(n))),
        in_op(&format!("{}{{ }}", "if x == 1 { x = 2 } else ".repeat(n))),
        in_op(&format!("x = {}1", "1 + ".repeat(n))),
    ];
    for text in texts {
        assert!(answers(&text).is_ok(), "{:?}", answers(&text));
    }
}

#[test]
fn long_chains_of_declarations_do_not_overflow_the_stack() {
    let n = 20_000;
    let chain = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>().join("\n");
    let texts = [
        chain(&|i| format!("const C{i} = C{} + 1", i + 1)),
        chain(&|i| format!("type T{i} = T{}?", i + 1)) + &format!("\ntype T{n} = int"),
        chain(&|i| format!("type T{i} = (T{0}, T{0})", i + 1)) + &format!("\ntype T{n} = int"),
        chain(&|i| format!("struct S{i} {{ a: S{} }}", i + 1))
            + &format!("\nstruct S{n} {{ a: int }}"),
        chain(&|i| format!("struct S{i} {{ a: S{0}, b: S{0} }}", (i + 1) % n)),
        format!(
            "object O {{ {}\nfn f{n}() {{ }}\nop f() {{ f0() }} }}\nspec S {{ op f() {{ }} }}\ncheck O against S",
            chain(&|i| format!("fn f{i}() {{ f{}() }}", i + 1))
        ),
    ];
    for text in texts {
        assert!(answers(&text).is_err());
    }
    // In this order nothing waits for anything else.
    let forward = chain(&|i| format!("const C{} = C{i} + 1", i + 1)) + "\nconst C0 = 0";
    assert!(answers(&forward).is_ok());
}

/// A value of a type that is described by a short text can be too large for any memory. It is
/// never written out: a test that does so is not slow, it does not end.
#[test]
fn types_that_grow_with_every_declaration_are_refused_where_they_become_too_large() {
    let chain = |f: &dyn Fn(usize) -> String| (1..=40).map(f).collect::<Vec<_>>().join("\n");
    let used = |declared: String, ty: &str| {
        format!(
            "{declared}\nobject O {{ var a: {ty}\nop f() {{ let b = a\nlet c: {ty}\natomic {{ a = c }} }} }}\n\
             spec S {{ var a: {ty}\nop f() {{ }} }}\ncheck O against S {{ threads 2, ops 1 }}"
        )
    };
    let s0 = "\nstruct S0 { a: bool }";
    let t0 = "\ntype T0 = bool";
    let texts = [
        used(chain(&|i| format!("struct S{i} {{ a: S{0}, b: S{0} }}", i - 1)) + s0, "S40"),
        used(chain(&|i| format!("struct S{i} {{ a: (S{0}?, S{0}) }}", i - 1)) + s0, "S40"),
        used(chain(&|i| format!("struct S{i} {{ a: [S{}; 2] }}", i - 1)) + s0, "S40"),
        used(chain(&|i| format!("struct S{i} {{ a: [S{}; 4096] }}", i - 1)) + s0, "[S40; 4096]"),
        used(
            chain(&|i| format!("struct S{i} {{ a: [S{}; 2] }}", i - 1)) + "\nstruct S0 { }",
            "S40",
        ),
        used(chain(&|i| format!("type T{i} = [T{}; 2]", i - 1)) + t0, "T40"),
        used(chain(&|i| format!("type T{i} = (T{0}, T{0})", i - 1)) + t0, "T40"),
        used("type T = [[[int; 4096]; 4096]; 4096]".into(), "T"),
        used("type T = [[[[int; 0]; 4096]; 4096]; 4096]".into(), "T"),
        used("node N { a: [int; 4096], b: [N; 4096] }".into(), "N"),
    ];
    for text in texts {
        let errors = answers(&text).expect_err("too large");
        assert!(errors.iter().any(|d| d.code == "E038"), "{text}\n{errors:?}");
        let large = errors.iter().filter(|d| d.code == "E038").count();
        assert!(large <= 2, "{text}\n{errors:?}");
    }
    // What is not there takes no room.
    let nothing = chain(&|i| format!("struct S{i} {{ a: [[S{}; 0]; 2] }}", i - 1)) + s0;
    assert!(answers(&used(nothing, "S40")).is_ok());
}

#[test]
fn the_structs_beyond_the_first_that_is_too_large_are_not_reported() {
    let structs = (1..=40).map(|i| format!("struct S{i} {{ a: S{0}, b: S{0} }}\n", i - 1));
    let text = structs.collect::<String>() + "struct S0 { a: bool }\n";
    let errors = answers(&text).expect_err("too large");
    let [error] = errors.as_slice() else { panic!("{errors:?}") };
    assert_eq!(&text[error.primary.span.range()], "S13");
    assert_eq!(error.notes, ["a value of this type has 8192 parts"]);
}

#[test]
fn many_large_variables_constants_and_literals_are_refused_together() {
    let many = |n: usize, f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<String>();
    let words = many(900, &|_| "int, ".into());
    let texts = [
        in_op(&many(20_000, &|i| format!("let v{i}: [int; 4096]\n"))),
        in_op(&many(20_000, &|i| format!("let v{i} = [0; 4096]\n"))),
        many(20_000, &|i| format!("const C{i} = [0; 4096]\n")),
        "const C = [0; 4096]\n".to_string() + &in_op(&many(50_000, &|_| "x = C[0]\n".into())),
        format!("object O {{ {} }}", many(20_000, &|i| format!("var v{i}: [int; 4096]\n"))),
        format!(
            "type T = ({words}int)\nobject O {{ var x: T\nop f() {{ {} }} }}",
            many(50_000, &|_| "x.0 = x.1\n".into())
        ),
    ];
    for text in texts {
        let errors = answers(&text).expect_err("too large");
        let start: String = text.chars().take(120).collect();
        assert!(errors.iter().any(|d| d.code == "E038"), "{start}\n{errors:?}");
    }
}

#[test]
fn many_of_everything_takes_linear_time() {
    let n = 15_000;
    let many = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<Vec<_>>().join("\n");
    let texts = [
        in_op(&many(&|i| format!("let v{i} = x"))),
        in_op(&many(&|i| format!("x = unknown{i}"))),
        in_op(&many(&|_| "x = ".into())),
        in_op(&many(&|_| "x = )".into())),
        in_op(&many(&|_| "if { }".into())),
        in_op(&format!("x = choose({}1)", "1, ".repeat(n))),
        many(&|i| format!("const C{i} = {i}")),
        many(&|i| format!("data T{i}")),
        many(&|_| "const A".into()),
        many(&|_| "#".into()),
        many(&|_| "object O {".into()),
        many(&|_| "op f() {".into()),
        many(&|i| format!("node N{i} {{ n: N{} }}", (i + 1) % n)),
        format!("enum E {{ {} }}", many(&|i| format!("V{i}"))),
        format!("struct E {{ {} }}", many(&|i| format!("v{i}: int"))),
        format!(
            "{}\nspec S {{ op f() {{ }} }}",
            many(&|i| format!("object O{i} {{ op f() {{ }} }}"))
        ),
        format!(
            "object O {{ {0} }}\nspec S {{ {0} }}\ncheck O against S",
            many(&|i| format!("op f{i}() {{ }}"))
        ),
        format!(
            "object O {{ op f() {{ }} }}\nspec S {{ op f() {{ }} }}\n{}",
            many(&|_| "check O against S".into())
        ),
        format!(
            "object O {{ op f() {{ }} }}\ncheck O against itself\n{}",
            many(&|i| format!("quasi {{ f: {} }}", i % 65))
        ),
        format!(
            "object O {{ op f() -> int {{ return 1 }} }}\ncheck O against itself quasi {{\n{}\n}}",
            many(&|i| format!("f -> {i}: 1"))
        ),
        in_op(&many(&|_| "point; point for self".into())),
        "/**/".repeat(n),
        "/*".repeat(n),
        "(".repeat(n),
        "{\n".repeat(n),
        "a: ".repeat(n),
    ];
    for text in texts {
        let _ = answers(&text);
    }
}

#[test]
fn a_flood_of_messages_is_cut() {
    let lines = |line: &str| in_op(&line.repeat(1000));
    let errors = answers(&lines("x = true\n")).expect_err("errors");
    assert_eq!(errors.len(), 51);
    assert_eq!(errors[50].code, "E000");
    let warnings = answers(&lines("if b { let y = 3 }\n")).expect("only warnings");
    assert_eq!(warnings.len(), 51);
    assert_eq!(warnings[50].code, "W000");
}

/// A small generator of pseudorandom numbers (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

const WORDS: &[&str] = &[
    "object",
    "spec",
    "check",
    "against",
    "op",
    "fn",
    "init",
    "var",
    "let",
    "const",
    "param",
    "type",
    "data",
    "enum",
    "struct",
    "node",
    "memory",
    "new",
    "if",
    "else",
    "while",
    "loop",
    "for",
    "in",
    "break",
    "continue",
    "return",
    "assert",
    "assume",
    "await",
    "atomic",
    "either",
    "or",
    "choose",
    "free",
    "true",
    "false",
    "null",
    "empty",
    "self",
    "threads",
    "as",
    "O",
    "S",
    "f",
    "x",
    "y",
    "N",
    "T",
    "_",
    "0",
    "1",
    "2",
    "99999999999",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ".",
    "..",
    "..=",
    "->",
    "=",
    "+=",
    "-=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "!",
    "&&",
    "||",
    "?",
    "\n",
    "\n",
    "\n",
    "// c\n",
    "/* c */",
    "#",
    "\"s\"",
    "int",
    "bool",
    "lock",
    "thread",
    "seq",
    "set",
    "bag",
    "map",
    "cas",
    "lock",
    "swap",
    "ll",
    "sc",
    "unwrap",
    "push_back",
    "ops",
    "values",
    "heap",
    "expect",
    "role",
    "script",
    "repeat",
    "unbounded",
    "gc",
    "manual",
    "itself",
    "linearizable",
    "points",
    "quasi",
    "sequential",
    "quiescent",
    "strong",
    "holds",
    "some",
    "point",
    "point for self",
    "meet",
    "set_linearizable",
    "interval_linearizable",
];

#[test]
fn a_soup_of_tokens_is_answered() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3000 {
        let n = random.below(120);
        let text: Vec<&str> = (0..n).map(|_| WORDS[random.below(WORDS.len())]).collect();
        let _ = answers(&text.join(" "));
    }
}

const MODEL: &str = include_str!("models/tour.lin");

#[test]
fn the_tour_of_the_language_keeps_the_contract() {
    assert!(answers(MODEL).is_ok());
}

#[test]
fn broken_variants_of_a_model_are_answered() {
    let mut random = Random(42);
    let pieces: Vec<&str> = MODEL.split_inclusive([' ', '\n']).collect();
    for _ in 0..3000 {
        let mut mutant = pieces.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(mutant.len());
            match random.below(4) {
                0 => drop(mutant.remove(at)),
                1 => mutant.insert(at, WORDS[random.below(WORDS.len())]),
                2 => mutant[at] = pieces[random.below(pieces.len())],
                _ => mutant.truncate(at.max(1)),
            }
        }
        let _ = answers(&mutant.concat());
    }
}

#[test]
fn a_step_can_be_stopped_between_any_two_of_its_choices() {
    let text = "object Coins {\n  var n: int\n  op toss() { let a = choose(0..=2); let b = choose(0..=2); n = a + b }\n}\n\
                spec Any {\n  op toss() { }\n}\ncheck Coins against Any { threads 2, ops 1 }\n";
    let program = std::sync::Arc::new(linchpin_lin::syntax::load(text, &[]).unwrap().program);
    let mut stopped = 0;
    for last in 1..20 {
        let over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let said = over.clone();
        let ordering = std::sync::atomic::Ordering::Relaxed;
        let watch = Watch::new(move |_| said.load(ordering).then_some(Limit::Time));
        let check = &program.checks[0];
        let model =
            Model::new(program.clone(), check, Granularity::REDUCED).unwrap().within(&watch);
        let mut scratch = model.scratch();
        let mut initial = Vec::new();
        model.initial(&mut scratch, &mut |outcome| {
            if let Outcome::Next { state, .. } = outcome {
                initial.push(state.to_vec());
            }
        });
        let mut seen = 0;
        model.successors(&mut scratch, &initial[0], &mut |step| {
            seen += 1;
            stopped += u32::from(matches!(step.outcome, Outcome::Fault(FaultKind::Stopped(_))));
            if seen == last {
                over.store(true, ordering);
                assert_eq!(watch.over(), Some(Limit::Time));
            }
        });
    }
    assert!(stopped >= 15, "{stopped}");
}
