//! What names mean: every name of every model is known, and means what it should.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use linchpin_lin::syntax::index::{Index, Kind};
use linchpin_lin::syntax::{self, words};
use linchpin_lin::{Found, Wanted};

/// The texts of all models below a folder of the repository.
fn models(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut todo = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == "lin") {
                let text = fs::read_to_string(&path).expect("a text");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// The words of a text with their places; comments and numbers left out.
fn words_of(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut comment = 0;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let mut length = c.len_utf8();
        if rest.starts_with("/*") {
            comment += 1;
            length = 2;
        } else if comment > 0 && rest.starts_with("*/") {
            comment -= 1;
            length = 2;
        } else if comment == 0 && rest.starts_with("//") {
            length = rest.find('\n').unwrap_or(rest.len());
        } else if comment == 0 && c == '"' {
            // The formula of an `ltl` condition has names of its own.
            length = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
        } else if comment == 0 && (c.is_alphanumeric() || c == '_') {
            let end = |d: char| !d.is_alphanumeric() && d != '_';
            length = rest.find(end).unwrap_or(rest.len());
            if !c.is_ascii_digit() {
                found.push((at, &rest[..length]));
            }
        }
        rest = &rest[length..];
    }
    found
}

/// Words that mean something without being declared.
fn is_builtin(word: &str) -> bool {
    let lists = [
        words::KEYWORDS,
        words::DECLARING,
        words::MEMORIES,
        words::TYPES,
        words::PRIMITIVE_CALLS,
        words::METHOD_NAMES,
        words::CONDITION_NAMES,
        words::SETTING_NAMES,
        words::CHECK_WORDS,
        words::UNLESS_DECLARED,
        &[words::POINT, words::MEET, "_"],
    ];
    lists.iter().any(|list| list.contains(&word))
        || linchpin_lin::program::FaultKind::NAMES.iter().any(|(_, name)| *name == word)
}

/// What the model at a path uses.
fn beside(main: &Path, wanted: Wanted<'_>, from: &str) -> Result<Option<Found>, String> {
    let Wanted::Include(name) = wanted else { return Ok(None) };
    let path = if from.is_empty() { main } else { Path::new(from) }.with_file_name(name);
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let name = path.display().to_string();
    Ok(Some(Found { key: name.clone(), name, text }))
}

#[test]
fn every_name_of_every_model_is_known_unless_it_is_a_word_of_the_language() {
    let mut names = 0;
    for (path, text) in models("corpus").into_iter().chain(models("book/src/models")) {
        let index = syntax::analyse_files(&text, &mut |w, from| beside(&path, w, from)).index;
        let known: BTreeMap<usize, usize> =
            index.names().iter().map(|(span, s)| (span.start as usize, *s)).collect();
        for (at, word) in words_of(&text) {
            match known.get(&at) {
                Some(&symbol) => assert_eq!(index.symbols()[symbol].name, word),
                None => assert!(is_builtin(word), "{}: `{word}` at {at}", path.display()),
            }
            names += usize::from(known.contains_key(&at));
        }
    }
    assert!(names > 10_000, "only {names} names");
}

#[test]
fn every_declaration_is_a_part_of_what_is_around_it() {
    for (path, text) in models("corpus") {
        let index = syntax::analyse_files(&text, &mut |w, from| beside(&path, w, from)).index;
        for symbol in index.symbols() {
            let covers =
                symbol.whole.start <= symbol.span.start && symbol.span.end <= symbol.whole.end;
            assert!(covers, "{}: {symbol:?}", path.display());
            let Some(within) = symbol.within else { continue };
            let outer = &index.symbols()[within];
            let inside =
                outer.whole.start <= symbol.whole.start && symbol.whole.end <= outer.whole.end;
            assert!(inside, "{}: {symbol:?} in {outer:?}", path.display());
        }
    }
}

const STACK: &str = "\
data Value
enum Color { Red, Green }
struct Pair { left: Value, count: 0..=3 }
node Node { val: Value, next: Node }
const N = 2
object Stack {
  var top: Node
  var last: Pair
  op push(v: Value) {
    let n = new Node { val: v, next: top }
    retry: loop {
      let t = n.next
      if cas(top, t, n) { break retry }
      if true { let v = N; last.count = v }
    }
  }
  fn help() -> bool { return Red == Color.Green }
  op pop() -> bool { return help() }
}
spec Seq { op push(v: Value) { } op pop() -> bool { return true } }
check named: Stack against Seq { role one(1) script { push(_); let got = pop(); assume got } }
";

fn stack() -> Index {
    syntax::analyse(STACK).index
}

/// Offset of the n-th occurrence of a piece of text.
fn nth(text: &str, piece: &str, n: usize) -> u32 {
    text.match_indices(piece).nth(n).expect("an occurrence").0 as u32
}

/// Kind and line of the declaration that a name means.
fn meaning(index: &Index, text: &str, offset: u32) -> (Kind, usize) {
    let (_, symbol) = index.at(offset).expect("a name");
    let symbol = &index.symbols()[symbol];
    (symbol.kind, text[..symbol.span.start as usize].matches('\n').count() + 1)
}

#[test]
fn names_mean_the_declaration_of_their_space_and_block() {
    let index = stack();
    let means = |piece: &str, n: usize| meaning(&index, STACK, nth(STACK, piece, n));
    assert_eq!(means("v, next", 0), (Kind::Parameter, 9));
    assert_eq!(means("v }", 0), (Kind::Local, 14));
    assert_eq!(means("count = v", 0), (Kind::Field, 3));
    assert_eq!(means("next\n", 0), (Kind::Field, 4));
    assert_eq!(means("retry }", 0), (Kind::Label, 11));
    assert_eq!(means("Green }\n  op", 0), (Kind::Variant, 2));
    assert_eq!(means("Color.", 0), (Kind::Enum, 2));
    assert_eq!(means("help() }", 0), (Kind::Procedure, 17));
    assert_eq!(means("N;", 0), (Kind::Constant, 5));
    assert_eq!(means("Seq {", 1), (Kind::Spec, 20));
    assert_eq!(means("push(_", 0), (Kind::Operation, 9));
    assert_eq!(means("named", 0), (Kind::Check, 21));
}

#[test]
fn values_that_carry_others_are_known_where_they_are_made_and_taken_apart() {
    let text = "\
enum Word { Value(int), Gone }
object O {
  var w: Word = Word.Value(1)
  op f() -> bool {
    match w {
      Word::Value(v) => { if w == Value(v) { return true } }
      Gone => { w.xyz = 1 }
    }
    return w == Word.G
  }
}
";
    let index = syntax::analyse(text).index;
    let means = |piece: &str, n: usize| meaning(&index, text, nth(text, piece, n));
    for n in 0..4 {
        assert_eq!(means("Value", n), (Kind::Variant, 1), "{n}");
    }
    assert_eq!(means("Word::", 0), (Kind::Enum, 1));
    assert_eq!(means("Gone =>", 0), (Kind::Variant, 1));
    assert_eq!(means("v) {", 0), (Kind::Local, 6));
    let (_, value) = index.at(nth(text, "Value", 0)).expect("a name");
    assert_eq!(index.symbols()[value].signature, "(int)");
    let members = |piece: &str| index.members_at(nth(text, piece, 0)).expect("members");
    let shown: Vec<_> =
        members("G\n").iter().map(|m| format!("{}{}", m.name, m.signature)).collect();
    assert_eq!(shown, ["Value(int): Word", "Gone: Word"]);
    assert_eq!(members("xyz"), [], "what is carried has no names");
}

#[test]
fn operations_of_an_object_and_its_specification_belong_together() {
    let index = stack();
    let op = |n: usize| {
        let all = index.symbols().iter().enumerate();
        all.filter(|(_, s)| s.name == "push").map(|(i, _)| i).nth(n).expect("an operation")
    };
    assert_eq!(index.family(op(0)), vec![op(0), op(1)]);
    assert_eq!(index.family(op(1)), vec![op(0), op(1)]);
    let (_, top) = index.at(nth(STACK, "top", 0)).expect("a name");
    assert_eq!(index.family(top), vec![top]);
}

#[test]
fn what_can_be_seen_is_what_the_blocks_say() {
    let index = stack();
    let seen = |piece: &str, n: usize| -> Vec<(Kind, String)> {
        let at = nth(STACK, piece, n);
        index
            .visible(at)
            .iter()
            .map(|&i| &index.symbols()[i])
            .map(|s| (s.kind, s.name.clone()))
            .collect()
    };
    let inner = seen("last.count", 0);
    assert!(inner.contains(&(Kind::Local, "v".into())), "{inner:?}");
    assert!(!inner.contains(&(Kind::Parameter, "v".into())), "{inner:?}");
    assert!(inner.contains(&(Kind::Variable, "top".into())), "{inner:?}");
    let outer = seen("let t =", 0);
    assert!(outer.contains(&(Kind::Parameter, "v".into())), "{outer:?}");
    assert!(!outer.contains(&(Kind::Local, "t".into())), "{outer:?}");
    let other = seen("return help", 0);
    assert!(other.iter().all(|(kind, _)| *kind != Kind::Local), "{other:?}");
}

#[test]
fn members_are_known_where_a_field_is_asked_for_even_if_there_is_none() {
    let text = STACK.replace("if true { let v = N; last.count = v }", "n.nonsense = 1");
    let index = syntax::analyse(&text).index;
    let members = index.members_at(nth(&text, "nonsense", 0) + 3).expect("members");
    let names: Vec<_> = members.iter().map(|m| format!("{}{}", m.name, m.signature)).collect();
    assert_eq!(names, ["val: Value", "next: Node"]);
    assert!(index.members_at(nth(&text, "loop", 0)).is_none());
}

#[test]
fn a_text_with_errors_of_syntax_still_has_names() {
    let text = STACK.replace("const N = 2", "const = 2");
    let analysis = syntax::analyse(&text);
    assert!(analysis.incomplete && analysis.program.is_none());
    assert_eq!(analysis.diagnostics.len(), 1, "{:?}", analysis.diagnostics);
    assert_eq!(meaning(&analysis.index, &text, nth(&text, "t, n", 0)), (Kind::Local, 12));
}
