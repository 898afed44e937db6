//! What editors and the book know about the language is what the program knows: the words that are
//! coloured, the snippets, the files that belong together.
//!
//! `LINCHPIN_BLESS=1` writes `editors/words.json` anew. The colours themselves are tried by
//! `npm test` in `editors/vscode`, with those words.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use linchpin_lin::program::FaultKind;
use linchpin_lin::syntax::{self, words};
use serde_json::{Value as Json, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn parse(path: &str) -> Json {
    serde_json::from_str(&read(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The words of the language, for programs that are not written in Rust.
fn known() -> Json {
    json!({
        "keywords": words::KEYWORDS,
        "declaring": words::DECLARING,
        "memories": words::MEMORIES,
        "types": words::TYPES,
        "primitives": words::PRIMITIVE_CALLS,
        "methods": words::METHOD_NAMES,
        "conditions": words::CONDITION_NAMES,
        "settings": words::SETTING_NAMES,
        "checks": words::CHECK_WORDS,
        "faults": FaultKind::NAMES.map(|(_, name)| name),
    })
}

#[test]
fn the_list_of_words_is_that_of_the_lexer_and_parser() {
    let path = "editors/words.json";
    if std::env::var_os("LINCHPIN_BLESS").is_some_and(|v| v == "1") {
        let text = serde_json::to_string_pretty(&known()).expect("JSON") + "\n";
        fs::write(root().join(path), &text).expect("it can be written");
    }
    assert_eq!(parse(path), known(), "LINCHPIN_BLESS=1 writes {path} anew");
}

/// The words between the bars of `(?:a|b)` or `(a|b)` in all patterns of a rule.
fn alternatives(rule: &Json) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    match rule {
        Json::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Json::String(pattern) if key == "match" => {
                        for group in pattern.split(['(', ')']) {
                            let group = group.trim_start_matches("?:");
                            let is_word =
                                |w: &str| words::is_name(w) || words::KEYWORDS.contains(&w);
                            if group.split('|').all(is_word) {
                                found.extend(group.split('|').map(str::to_string));
                            }
                        }
                    }
                    value => found.extend(alternatives(value)),
                }
            }
        }
        Json::Array(rules) => found.extend(rules.iter().flat_map(alternatives)),
        _ => {}
    }
    found
}

fn set(lists: &[&[&str]]) -> BTreeSet<String> {
    lists.iter().flat_map(|l| l.iter()).map(ToString::to_string).collect()
}

#[test]
fn the_grammar_knows_exactly_the_words_of_the_language() {
    let rules = &parse("editors/vscode/syntaxes/lin.tmLanguage.json")["repository"];
    assert_eq!(alternatives(&rules["keywords"]), set(&[words::KEYWORDS]));
    assert_eq!(alternatives(&rules["primitives"]), set(&[words::PRIMITIVE_CALLS]));
    assert_eq!(alternatives(&rules["members"]), set(&[words::METHOD_NAMES]));
    assert_eq!(alternatives(&rules["conditions"]), set(&[words::CONDITION_NAMES]));
    assert_eq!(alternatives(&rules["types"]), set(&[words::TYPES]));
    let declares = alternatives(&rules["declarations"]);
    let elsewhere = ["check", "against"];
    let declaring: Vec<&str> =
        words::DECLARING.iter().copied().filter(|w| !elsewhere.contains(w)).collect();
    let members = ["op", "fn", "var", "let", "new"];
    assert_eq!(declares, set(&[&declaring, words::MEMORIES, &members]));
    let settings = alternatives(&rules["settings-block"]);
    assert!(settings.is_superset(&set(&[words::SETTING_NAMES])), "{settings:?}");
}

/// The words of a list in the script of the book: from `name =` to the semicolon.
fn listed(script: &str, name: &str) -> BTreeSet<String> {
    let start = script.find(&format!("const {name} =")).unwrap_or_else(|| panic!("no {name}"));
    let list = script[start..].split(';').next().unwrap_or_default();
    let quoted = list.split('"').skip(1).step_by(2);
    quoted.flat_map(str::split_whitespace).map(str::to_string).collect()
}

#[test]
fn the_book_colours_exactly_the_words_of_the_language() {
    let script = read("book/lin-highlight.js");
    let literals = ["true", "false", "null", "empty"];
    assert_eq!(listed(&script, "literal"), set(&[&literals]));
    let keywords: BTreeSet<String> =
        set(&[words::KEYWORDS, words::DECLARING]).difference(&set(&[&literals])).cloned().collect();
    assert_eq!(listed(&script, "keyword"), keywords);
    assert_eq!(listed(&script, "built_in"), set(&[words::TYPES, words::PRIMITIVE_CALLS]));
}

#[test]
fn the_book_loads_the_script_that_is_there() {
    let settings = read("book/book.toml");
    assert!(settings.contains("additional-js = [\"lin-highlight.js\"]"), "{settings}");
    assert!(root().join("book/lin-highlight.js").is_file());
    // The language of the listings is the one that the script colours.
    assert!(read("book/src/reference.md").contains("\n```lin\n"));
    assert!(read("book/lin-highlight.js").contains("code.language-lin"));
}

/// A snippet with its placeholders filled in.
fn filled(body: &Json) -> String {
    let lines: Vec<&str> =
        body.as_array().expect("lines").iter().filter_map(Json::as_str).collect();
    let mut text = lines.join("\n").replace("$0", "");
    while let Some(start) = text.find("${") {
        let end = start + text[start..].find('}').expect("an end of the placeholder");
        let inner = text[start + 2..end].trim_start_matches(|c: char| c.is_ascii_digit());
        let value = match inner.split_at(1.min(inner.len())) {
            (":", value) => value.to_string(),
            ("|", choices) => choices.split([',', '|']).next().unwrap_or_default().to_string(),
            _ => String::new(),
        };
        text.replace_range(start..=end, &value);
    }
    text
}

#[test]
fn what_a_snippet_inserts_is_right() {
    let snippets = parse("editors/vscode/snippets/lin.json");
    let with = |prefix: &str| -> String {
        let all = snippets.as_object().expect("snippets").values();
        let found = all.into_iter().find(|s| s["prefix"] == prefix).expect(prefix);
        filled(&found["body"])
    };
    let right = |text: &str| {
        let said = syntax::load(text, &[]);
        assert!(said.is_ok(), "{text}\n{:?}", said.err());
        let formatted = syntax::format(text).expect("a format");
        assert_eq!(formatted.trim_end(), text.trim_end(), "a snippet is laid out in the usual way");
    };
    right(&with("model"));
    let model = |member: &str| {
        format!(
            "{}\nobject Object {{\n  var top: Node\n  fn _code() {{\n    let new_value: Node = null\n{}\n  }}\n}}",
            with("node"),
            indented(member, 4)
        )
    };
    let said = syntax::load(&model(&with("casloop")), &[]);
    assert!(said.is_err_and(|e| e.iter().all(|d| d.message.contains("has no operations"))));
    let units = format!("{}\n{}", with("object"), with("spec").replace("spec Name", "spec Spec"));
    let units = units.replace("object Name", "object Object");
    let all = format!("{units}\n{}", with("check"));
    assert!(syntax::load(&all, &[]).is_ok(), "{all}");
    let role = with("role").replace("{  }", "{ name() }");
    let all = format!("{units}\ncheck Object against Spec {{ {role} }}");
    assert!(syntax::load(&all, &[]).is_ok(), "{all}");
}

fn indented(text: &str, by: usize) -> String {
    text.lines().map(|l| format!("{:by$}{l}\n", "")).collect()
}
