//! What the front end says about wrong models, and where.
//!
//! A case is a text with its mistakes marked: `«E021|name»` stands for `name`, at which E021 is
//! reported. All diagnostics of a case have to be marked, and nothing else may be reported: a
//! mistake has one message. Beside the text stand the messages, each with its help after ` => `.

mod checks;
mod code;
mod conditions;
mod declarations;
mod expressions;
mod objects;
mod sums;
mod syntax;

use std::collections::BTreeSet;

use linchpin_lin::syntax::{CODES, load};
use linchpin_lin::{Diagnostic, line_column};

/// A marked text and the messages in the order of the text.
pub(crate) type Case = (&'static str, &'static [&'static str]);

/// Code of an operation of an object with a few variables.
pub(crate) fn in_op(code: &str) -> String {
    let head = "const K = 2\ndata Value\nenum Color { Red, Green }\nstruct Pair { a: int, b: bool }\n\
        node Node { val: Value, next: Node, pair: Pair, l: lock, bits: [bool; 2] }\nobject O {\n";
    let vars = "var top: Node\nvar num: 0..=7\nvar flag: bool\nvar arr: [int; 3]\nvar val: Value\n\
        var pair: Pair\nvar per: [int; threads]\nvar guard: lock\nvar opt: int?\nvar color: Color\n";
    let help = "fn helper(x: int) -> bool { return x > 0 }\nop other() { helper(1) }\n";
    let spec = "spec S {\nop f() { }\nop other() { }\n}\ncheck O against S\n";
    format!("{head}{vars}{help}op f() {{\n{code}\n}}\n}}\n{spec}")
}

/// Code of an operation of a specification.
pub(crate) fn in_spec(code: &str) -> String {
    let head = "data Value\nenum Color { Red, Green }\nnode Node { next: Node }\nobject O { op f() { } }\n";
    let vars = "var s: seq<int>\nvar vals: seq<Value>\nvar set: set<int>\nvar bag: bag<Color>\n\
        var m: map<Color, int>\nvar n: int\n";
    format!("{head}spec S {{\n{vars}op f() {{\n{code}\n}}\n}}\ncheck O against S\n")
}

/// Takes the marks out: the text, and per mark its code and range.
fn unmark(marked: &str) -> (String, Vec<(String, usize, usize)>) {
    let mut text = String::new();
    let mut marks = Vec::new();
    let mut open = Vec::new();
    let mut rest = marked;
    while let Some(i) = rest.find(['«', '»']) {
        text.push_str(&rest[..i]);
        if rest[i..].starts_with('«') {
            let (code, tail) =
                rest[i + '«'.len_utf8()..].split_once('|').expect("a mark has a code");
            open.push((marks.len(), text.len()));
            marks.push((code.to_string(), text.len(), text.len()));
            rest = tail;
        } else {
            let (mark, _) = open.pop().expect("marks are closed");
            marks[mark].2 = text.len();
            rest = &rest[i + '»'.len_utf8()..];
        }
    }
    text.push_str(rest);
    assert!(open.is_empty(), "a mark is not closed in {marked}");
    (text, marks)
}

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    match load(text, &[]) {
        Ok(loaded) => loaded.warnings,
        Err(diagnostics) => diagnostics,
    }
}

fn describe(text: &str, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let (line, column) = line_column(text, d.primary.span.start);
        let at = text.get(d.primary.span.range()).unwrap_or("?");
        out += &format!("  {line}:{column} {} at `{at}`: {}\n", d.code, d.message);
        if let Some(help) = &d.help {
            out += &format!("      => {help}\n");
        }
    }
    out
}

/// Why the case is not as it should be.
fn verdict(marked: &str, messages: &[&str]) -> Option<String> {
    let (text, marks) = unmark(marked);
    let found = diagnostics(&text);
    let places: Vec<_> = found
        .iter()
        .map(|d| (d.code.to_string(), d.primary.span.start as usize, d.primary.span.end as usize))
        .collect();
    let says = |d: &Diagnostic, expected: &&str| match expected.split_once(" => ") {
        Some((message, help)) => d.message == message && d.help.as_deref() == Some(help),
        None => d.message == *expected,
    };
    let agree =
        found.len() == messages.len() && found.iter().zip(messages).all(|(d, m)| says(d, m));
    if places == marks && agree {
        return None;
    }
    Some(format!(
        "{marked}\nfound:\n{}expected: {marks:?}\n{messages:#?}\n",
        describe(&text, &found)
    ))
}

fn all_cases() -> Vec<(String, &'static [&'static str])> {
    let plain = |cases: &[Case]| cases.iter().map(|c| (c.0.to_string(), c.1)).collect::<Vec<_>>();
    let inside = |cases: &[Case], wrap: fn(&str) -> String| {
        cases.iter().map(|c| (wrap(c.0), c.1)).collect::<Vec<_>>()
    };
    [
        plain(syntax::FILES),
        inside(syntax::CODE, in_op),
        plain(declarations::FILES),
        inside(expressions::OBJECT, in_op),
        inside(expressions::SPEC, in_spec),
        inside(code::OBJECT, in_op),
        inside(code::SPEC, in_spec),
        plain(objects::FILES),
        inside(objects::CODE, in_op),
        plain(checks::FILES),
        plain(conditions::FILES),
        inside(conditions::CODE, in_op),
        inside(conditions::SPEC, in_spec),
        plain(sums::FILES),
        inside(sums::CODE, sums::with_words),
    ]
    .concat()
}

#[test]
fn every_mistake_is_reported_once_at_its_place() {
    let wrong: Vec<String> = all_cases().iter().filter_map(|(m, t)| verdict(m, t)).collect();
    assert!(wrong.is_empty(), "{} cases are wrong:\n\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_code_has_a_case() {
    // Those about whole files, limits and watched expressions have tests of their own.
    let elsewhere = ["E000", "E001", "E002", "E015", "E067", "E080", "E081", "W000"];
    let cases = all_cases();
    let shown: BTreeSet<String> =
        cases.iter().flat_map(|(m, _)| unmark(m).1).map(|(code, ..)| code).collect();
    let missing: Vec<_> =
        CODES.iter().filter(|c| !shown.contains(c.id) && !elsewhere.contains(&c.id)).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn watched_expressions_are_understood_as_code_of_the_object_that_only_reads() {
    let text = "data V
node N { next: N }
object O {
  var top: N
  var all: [int; threads]
  var l: lock
  fn deep(n: N) -> bool { return n.next == null }
  fn cut() -> bool { top = null; return true }
  fn through() -> bool { return cut() }
  op f() -> bool { let x = deep(top) && through(); return x }
}
spec S { var n: int; op f() -> bool { return true } }
check O against S { threads 2, ops 1 }";
    let linchpin_lin::syntax::Loaded { program, files, .. } = load(text, &[]).unwrap();
    let thread = linchpin_lin::program::Type::Thread;
    let given =
        vec![("T1".to_string(), thread), ("T1.x".to_string(), linchpin_lin::program::Type::Bool)];
    let code = |expression: &str| {
        let scopes = std::slice::from_ref(&given);
        let expressions = [expression.to_string()];
        let check = &program.checks[0];
        let mut found =
            linchpin_lin::syntax::watches(&files, &[], &program, check, scopes, &expressions);
        found.remove(0).remove(0).map_or_else(|d| d.code, |_| "")
    };
    for expression in [
        "top",
        "deep(top)",
        "top.next == null",
        "T1.x || !T1.x",
        "all[T1] + 1",
        "all",
        "l",
        "threads",
    ] {
        assert_eq!(code(expression), "", "{expression}");
    }
    for expression in [
        "cut()",
        "through()",
        "new N { }",
        "choose(1, 2)",
        "self",
        "swap(top, null)",
        "try_lock(l)",
        "all[self]",
    ] {
        assert_eq!(code(expression), "E080", "{expression}");
    }
    for (expression, wrong) in [
        ("T1.y", "E081"),
        ("y", "E021"),
        ("top.y", "E024"),
        ("top +", "E012"),
        ("", "E012"),
        ("top == 1", "E030"),
        ("f()", "E023"),
        ("T1.x.y", "E024"),
        ("top top", "E012"),
        ("\u{0}", "E010"),
    ] {
        assert_eq!(code(expression), wrong, "{expression}");
    }
}

#[test]
fn the_frames_of_the_cases_are_right() {
    for text in [in_op(""), in_spec("")] {
        let found = diagnostics(&text);
        assert!(found.is_empty(), "{text}\n{}", describe(&text, &found));
    }
}

#[test]
fn edits_can_be_applied() {
    // The suggested edits of these texts lead to a text without that mistake.
    let cases = [
        in_op("let x = tpo\nif x == null { }"),
        in_op("if num = 1 { flag = true }"),
        in_op("let n = opt\nnum = n"),
        in_op("top.nxt = null"),
        "object O { op f() -> int { 1 } }\nspec S { op f() -> int { return 1 } }".into(),
        in_spec("await n > 0"),
        in_spec("s.push(3)"),
        in_op("let loop = 3\nnum = loop_"),
    ];
    for text in cases {
        let before = diagnostics(&text);
        let first = before.iter().find(|d| !d.edits.is_empty()).expect("an edit");
        let mut fixed = text.clone();
        for edit in first.edits.iter().rev() {
            fixed.replace_range(edit.span.range(), &edit.replacement);
        }
        let after = diagnostics(&fixed);
        assert!(
            after.iter().all(|d| d.code != first.code),
            "{text}\n{}\n{fixed}\n{}",
            describe(&text, &before),
            describe(&fixed, &after)
        );
    }
}
