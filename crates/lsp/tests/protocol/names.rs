//! Hover, definition, references, rename, completion.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::STACK;
use super::client::{Client, URI, place, range};

fn hover(client: &mut Client, piece: &str, n: usize) -> String {
    let hover = client.at("textDocument/hover", place(STACK, piece, n), json!({})).unwrap();
    hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("{piece}: {hover}")).to_string()
}

#[test]
fn hovering_tells_the_type_and_who_can_see_it() {
    let mut client = Client::open(STACK);
    let expected = [
        ("top, old, n", 0, "var top: Node", "**shared** variable of `Stack`"),
        ("top, old, n", 0, "var top: Node", "the newest"),
        ("old, n)", 0, "let old: Node", "**local** variable of `push`"),
        ("v }", 0, "v: Value", "**local**: parameter of `push`"),
        ("next = old", 0, "Node.next: Node", "**field** of `Node`: **shared**"),
        ("count = N", 0, "Pair.count: 0..=3", "part of `Pair`"),
        ("N; return", 0, "const N: int = 2", "constant"),
        ("Red }", 0, "Color.Red", "value of `Color`"),
        ("items.is_empty", 0, "var items: seq<Value>", "abstract state of `Seq`"),
        ("push(_)", 0, "op push(v: Value)", "operation of `Stack`: called by clients"),
        ("Value? {", 0, "data Value", "What is stored."),
        ("is_empty", 0, "is_empty() -> bool", "Are there none?"),
        ("cas(top, old, n", 0, "cas(place, old, new) -> bool", "One access"),
        ("loop", 0, "loop { }", "until `break`"),
        ("expect", 0, "expect violated", "compared with the verdict"),
        ("lossy", 0, "check lossy: Stack against Seq", "check"),
        ("one(1)", 0, "role one script", "role of `lossy`"),
        ("got != ", 0, "let got: Value?", "**local** variable of `one`"),
    ];
    for (piece, n, declaration, about) in expected {
        let text = hover(&mut client, piece, n);
        assert!(text.contains(declaration), "{piece}: {text}");
        assert!(text.contains(about), "{piece}: {text}");
    }
    let nothing = client.at("textDocument/hover", place(STACK, "{ items", 0), json!({})).unwrap();
    assert_eq!(nothing, Json::Null);
}

#[test]
fn hovering_in_a_broken_text_remembers_the_last_one_that_was_whole() {
    let mut client = Client::open(STACK);
    client.diagnostics();
    let broken = STACK.replace("if cas(top, old, n) { return }", "if cas(top, old, n { return");
    client.change(&broken);
    assert!(!client.diagnostics().is_empty());
    let text =
        client.at("textDocument/hover", place(&broken, "top, old, n {", 0), json!({})).unwrap();
    assert!(text["contents"]["value"].as_str().unwrap().contains("var top: Node"), "{text}");
}

#[test]
fn a_name_leads_to_its_declaration() {
    let mut client = Client::open(STACK);
    let mut goes = |piece: &str, n: usize| -> String {
        let at = place(STACK, piece, n);
        let found = client.at("textDocument/definition", at, json!({})).unwrap();
        assert_eq!(found["uri"], URI);
        range(&found["range"])
    };
    assert_eq!(goes("old, n)", 0), "14:10-13");
    assert_eq!(goes("old.next", 0), "22:10-13");
    assert_eq!(goes("next)", 0), "2:24-28");
    assert_eq!(goes("Seq {", 1), "31:5-8");
    assert_eq!(goes("pop();", 0), "20:5-8");
}

#[test]
fn references_are_all_uses_of_a_declaration_and_of_no_other() {
    let mut client = Client::open(STACK);
    let mut uses = |piece: &str, declaration: bool| -> Vec<String> {
        let more = json!({ "context": { "includeDeclaration": declaration } });
        let found = client.at("textDocument/references", place(STACK, piece, 0), more).unwrap();
        found.as_array().unwrap().iter().map(|l| range(&l["range"])).collect()
    };
    assert_eq!(uses("top: Node", true), ["8:6-9", "14:16-19", "16:13-16", "22:16-19", "24:13-16"]);
    assert_eq!(uses("top: Node", false).len(), 4);
    // The `old` of `push` only.
    assert_eq!(uses("old = top", true), ["14:10-13", "15:15-18", "16:18-21"]);
    let marks = client
        .at("textDocument/documentHighlight", place(STACK, "top: Node", 0), json!({}))
        .unwrap();
    assert_eq!(marks.as_array().unwrap().len(), 5);
}

/// A text after edits.
fn edited(text: &str, answer: &Json) -> String {
    let mut edits: Vec<Json> = answer["changes"][URI].as_array().expect("edits").clone();
    edits.sort_by_key(|e| {
        let start = &e["range"]["start"];
        std::cmp::Reverse((start["line"].as_u64(), start["character"].as_u64()))
    });
    let mut lines: Vec<Vec<u16>> = text.split('\n').map(|l| l.encode_utf16().collect()).collect();
    for e in edits {
        let at = |p: &str| e["range"][p]["character"].as_u64().unwrap() as usize;
        let line = &mut lines[e["range"]["start"]["line"].as_u64().unwrap() as usize];
        let new: Vec<u16> = e["newText"].as_str().unwrap().encode_utf16().collect();
        line.splice(at("start")..at("end"), new);
    }
    lines.iter().map(|l| String::from_utf16(l).unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn renaming_an_operation_renames_it_in_the_specification_and_in_scripts() {
    let mut client = Client::open(STACK);
    let at = place(STACK, "push(v: Value) {\n", 0);
    let prepared = client.at("textDocument/prepareRename", at, json!({})).unwrap();
    assert_eq!(
        (prepared["placeholder"].as_str(), range(&prepared["range"])),
        (Some("push"), "11:5-9".into())
    );
    let answer = client.at("textDocument/rename", at, json!({ "newName": "put" })).unwrap();
    let text = edited(STACK, &answer);
    assert!(!text.contains(" push(") && text.contains("push_back"), "{text}");
    assert_eq!(text.matches("put(").count(), 3);
    client.change(&text);
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
}

#[test]
fn renaming_is_refused_by_name_where_it_would_break_or_change_something() {
    let mut client = Client::open(STACK);
    client.diagnostics();
    let mut refused = |piece: &str, name: &str| -> String {
        let at = place(STACK, piece, 0);
        let (code, why) =
            client.at("textDocument/rename", at, json!({ "newName": name })).expect_err(name);
        assert_eq!(code, -32803, "{why}");
        why
    };
    assert_eq!(refused("top: Node", "loop"), "`loop` is a keyword");
    assert!(refused("top: Node", "2x").contains("is not a name"));
    assert!(refused("top: Node", "_").contains("is not a name"));
    assert!(refused("top: Node", "").contains("is not a name"));
    assert_eq!(refused("top: Node", "pair"), "there is a variable `pair` already");
    assert_eq!(refused("val: Value", "next"), "there is a field `next` already");
    assert_eq!(refused("push(v: Value) {\n", "pop"), "there is an operation `pop` already");
    // The uses of `top` in `push` would mean the local variable.
    assert_eq!(refused("top: Node", "old"), "there is a variable `old` already");
    assert_eq!(refused("old = top", "n"), "there is a variable `n` already");
    assert!(refused("loop", "again").contains("keyword and cannot be renamed"));
    assert!(refused("cas(", "again").contains("part of the language"));
    client.change(&STACK.replace("return old.val", "return nothing"));
    let at = place(STACK, "top: Node", 0);
    let (_, why) = client.at("textDocument/rename", at, json!({ "newName": "x" })).expect_err("x");
    assert!(why.contains("the text has errors"), "{why}");
}

#[test]
fn every_declaration_of_some_models_can_be_renamed_and_the_text_stays_right() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/lin");
    let models = [
        "michael_scott_queue/counted.lin",
        "treiber_stack/hazard.lin",
        "elimination_stack/correct.lin",
        "segment_queue/correct.lin",
    ];
    let mut renamed = 0;
    let there: Vec<_> = models.iter().map(|m| corpus.join(m)).filter(|p| p.exists()).collect();
    assert!(there.len() >= 2, "models have moved");
    for path in there {
        let text = fs::read_to_string(&path).unwrap();
        let index = linchpin_lin::syntax::analyse(&text).index;
        let mut client = Client::open(&text);
        for symbol in index.symbols() {
            if text.get(symbol.span.range()) != Some(symbol.name.as_str()) {
                continue;
            }
            let before = &text[..symbol.span.start as usize];
            let line = before.matches('\n').count() as u32;
            let column = before.rsplit('\n').next().unwrap().encode_utf16().count() as u32;
            let more = json!({ "newName": "renamed_𝒳" });
            let answer = client.at("textDocument/rename", (line, column), more);
            let answer = answer.unwrap_or_else(|e| panic!("{}: {symbol:?}: {e:?}", path.display()));
            let text = edited(&text, &answer);
            let said = linchpin_lin::syntax::load(&text, &[]);
            assert!(said.is_ok(), "{}: {symbol:?}: {:?}", path.display(), said.err());
            renamed += 1;
        }
    }
    assert!(renamed > 40, "only {renamed}");
}

/// The labels that are offered at the end of `typed`, which replaces a piece of the stack.
fn offered(piece: &str, typed: &str) -> Vec<String> {
    let text = STACK.replacen(piece, typed, 1);
    assert_ne!(text, STACK);
    let mut client = Client::open(STACK);
    client.change(&text);
    let (line, column) = place(STACK, piece, 0);
    let lines = typed.matches('\n').count() as u32;
    let last = typed.rsplit('\n').next().unwrap().len() as u32;
    let column = if lines == 0 { column + last } else { last };
    let items = client.at("textDocument/completion", (line + lines, column), json!({})).unwrap();
    items.as_array().unwrap().iter().map(|i| i["label"].as_str().unwrap().to_string()).collect()
}

#[track_caller]
fn has(offered: &[String], with: &[&str], without: &[&str]) {
    for name in with {
        assert!(offered.iter().any(|o| o == name), "no `{name}` in {offered:?}");
    }
    for name in without {
        assert!(!offered.iter().any(|o| o == name), "`{name}` in {offered:?}");
    }
}

#[test]
fn after_a_dot_the_members_are_offered_and_nothing_else() {
    assert_eq!(offered("n.next = old", "n."), ["val", "next"]);
    assert_eq!(offered("n.next = old", "n.ne"), ["val", "next"]);
    assert_eq!(offered("n.next = old", "cas(n."), ["val", "next"]);
    assert_eq!(offered("n.next = old", "n.next.next."), ["val", "next"]);
    assert_eq!(offered("pair.count = N;", "pair."), ["left", "count"]);
    assert_eq!(offered("return Red", "return Color."), ["Red", "Green"]);
    has(
        &offered("items.push_back(v)", "items."),
        &["push_back", "len"],
        &["insert", "min", "loop"],
    );
    assert_eq!(offered("const N = 2", "const N = 2 // n."), Vec::<String>::new());
}

#[test]
fn in_code_variables_that_can_be_seen_and_keywords_are_offered() {
    let names = offered("n.next = old", "n.next = o");
    has(
        &names,
        &["old", "n", "v", "top", "pair", "N", "Red", "cas", "while", "_unused"],
        &["items", "got", "push", "object"],
    );
    let names = offered("return items.pop_back()", "return i");
    has(&names, &["items", "empty", "if"], &["top", "cas", "await", "old"]);
    let names = offered("new Node { val: v }", "new ");
    assert_eq!(names, ["Node"]);
}

#[test]
fn elsewhere_what_makes_sense_there_is_offered() {
    has(&offered("const N = 2", "con"), &["const", "object", "check"], &["while", "top"]);
    has(
        &offered("  var pair: Pair\n", "  var pair: P"),
        &["Pair", "Node", "int", "op"],
        &["while", "top"],
    );
    has(&offered("threads 2, ops 2,", "th"), &["threads", "heap", "role"], &["while", "top"]);
    has(
        &offered("push(_); let", "p"),
        &["push", "pop", "repeat", "assume"],
        &["await", "top", "_unused"],
    );
    assert_eq!(offered("check Stack against Seq {", "check Stack against "), ["Seq", "itself"]);
    let heads = offered("check Stack against Seq {", "check ");
    has(&heads, &["Stack", "against", "linearizable"], &["Seq", "top", "while", "threads"]);
    has(&offered("expect holds", "expect "), &["violated", "deadlock"], &["threads"]);
    has(
        &offered("check Stack against Seq {", "check Stack against Seq qu"),
        &["quiescent", "quasi"],
        &["while"],
    );
}

#[test]
fn in_a_broken_text_names_of_the_last_whole_one_are_offered() {
    // Without its closing brace the object is understood only in part.
    let names = offered(
        "      n.next = old\n      if cas(top, old, n) { return }\n    }\n  }\n",
        "      if (t",
    );
    has(&names, &["top", "pair", "cas"], &["items"]);
}
