//! Diagnostics, formatting, quick fixes, outline; and text that is no text.

use serde_json::{Value as Json, json};

use super::STACK;
use super::client::{Client, URI, place, range};

#[test]
fn a_text_without_mistakes_has_no_diagnostics() {
    let mut client = Client::open(STACK);
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    assert_eq!(client.close(), Ok(()));
}

#[test]
fn a_mistake_is_shown_with_code_notes_and_related_places_and_vanishes_when_mended() {
    let mut client = Client::open(STACK);
    client.diagnostics();
    client.change(&STACK.replace("op push(v: Value) { items", "op push(v: bool) { items"));
    let said = client.diagnostics();
    let codes: Vec<_> = said.iter().map(|d| d["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["E062", "E030"], "{said:?}");
    let disagree = &said[0];
    assert_eq!(disagree["severity"], 1);
    assert_eq!(disagree["source"], "linchpin");
    let related = disagree["relatedInformation"].as_array().expect("other places");
    assert_eq!(related[0]["location"]["uri"], URI);
    assert_eq!(related[0]["message"], "here it is `(bool)`");
    client.change(STACK);
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
}

#[test]
fn warnings_are_warnings_and_what_is_unused_is_marked() {
    let text = STACK.replace("fn _unused", "fn unused");
    let said = Client::open(&text).diagnostics();
    assert_eq!(said.len(), 1);
    assert_eq!((&said[0]["code"], &said[0]["severity"]), (&json!("W002"), &json!(2)));
    assert_eq!(said[0]["tags"], json!([1]));
}

#[test]
fn columns_count_utf16_units() {
    // The musical sign has two units, the umlauts one each; in bytes they are longer.
    let text = "/* 𝄞ü */ const Größe = nichts // 𝄞\n";
    let mut client = Client::open(text);
    let said = client.diagnostics();
    assert_eq!(range(&said[0]["range"]), "0:24-30");
    let hover = client.at("textDocument/hover", (0, 17), json!({})).unwrap();
    assert_eq!(range(&hover["range"]), "0:16-21", "{hover}");
    // Replaces `nichts`, by units.
    let change = json!([{
        "range": { "start": { "line": 0, "character": 24 }, "end": { "line": 0, "character": 30 } },
        "text": "1",
    }]);
    client.changes(change);
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    let hover = client.at("textDocument/hover", (0, 17), json!({})).unwrap();
    assert!(
        hover["contents"]["value"].as_str().unwrap().contains("const Größe: int = 1"),
        "{hover}"
    );
}

#[test]
fn changes_by_range_are_carried_out_in_order() {
    let mut client = Client::open("const A = 1\nconst B = 2\n");
    client.diagnostics();
    let at = |l: u32, a: u32, b: u32| json!({ "start": { "line": l, "character": a }, "end": { "line": l, "character": b } });
    client.changes(json!([
        { "range": at(1, 10, 11), "text": "A + C" },
        { "range": at(0, 0, 0), "text": "const C = 7\n" },
    ]));
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    let hover = client.at("textDocument/hover", (2, 6), json!({})).unwrap();
    assert!(hover["contents"]["value"].as_str().unwrap().contains("= 8"), "{hover}");
}

#[test]
fn ranges_that_do_not_exist_do_no_harm() {
    let mut client = Client::open("const A = 1\n");
    client.diagnostics();
    let at = |a: u32, b: u32| json!({ "start": { "line": a, "character": 9999 }, "end": { "line": b, "character": 0 } });
    client.changes(json!([{ "range": at(70, 900), "text": "const B = 2\n" }]));
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    client.changes(json!([{ "range": at(1, 0), "text": "" }]));
    // From the beginning to the end of the second line.
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    assert_eq!(client.about("textDocument/documentSymbol"), json!([]));
    assert_eq!(client.close(), Ok(()));
}

#[test]
fn broken_text_of_every_length_is_answered() {
    let mut client = Client::open("");
    for end in (0..STACK.len()).step_by(23) {
        client.change(&STACK[..end]);
        client.diagnostics();
        let line = STACK[..end].matches('\n').count() as u32;
        for method in ["hover", "definition", "completion", "documentHighlight"] {
            let answer = client.at(&format!("textDocument/{method}"), (line, 5), json!({}));
            assert!(answer.is_ok(), "{method} at {end}: {answer:?}");
        }
        client.about("textDocument/documentSymbol");
        client.about("textDocument/codeLens");
    }
    for nonsense in ["}}}}", "{{{{", "\u{0}\u{1}", "🦀", "object 🦀 {", "check check check", "/*"]
    {
        client.change(nonsense);
        assert!(!client.diagnostics().is_empty(), "{nonsense}");
        client.at("textDocument/completion", (0, 3), json!({})).expect("an answer");
    }
    assert_eq!(client.close(), Ok(()));
}

#[test]
fn a_text_that_is_too_large_is_refused_with_its_code() {
    let mut client = Client::open(&"// nothing\n".repeat(100_000));
    assert_eq!(client.diagnostics()[0]["code"], "E001");
}

#[test]
fn formatting_changes_the_lines_that_need_it() {
    let mut client = Client::open("const A = 1\nconst   B=2\nconst C = 3\n");
    let params = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = client.request("textDocument/formatting", params.clone()).unwrap();
    assert_eq!(edits.as_array().unwrap().len(), 1);
    assert_eq!(edits[0]["newText"], "const B = 2\n");
    assert_eq!(edits[0]["range"]["start"], json!({ "line": 1, "character": 0 }));
    assert_eq!(edits[0]["range"]["end"], json!({ "line": 2, "character": 0 }));
    client.change("const A = 1\nconst B = 2\n");
    assert_eq!(client.request("textDocument/formatting", params.clone()).unwrap(), json!([]));
    client.change("const A = (");
    assert_eq!(client.request("textDocument/formatting", params).unwrap(), json!([]));
}

#[test]
fn a_mistake_that_can_be_mended_has_a_quick_fix() {
    let text = STACK.replace("let old = top\n      n", "let old = topp\n      n");
    let mut client = Client::open(&text);
    client.diagnostics();
    let (line, character) = place(&text, "topp", 0);
    let at = json!({ "line": line, "character": character });
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [] },
    });
    let actions = client.request("textDocument/codeAction", params).unwrap();
    assert_eq!(actions[0]["title"], "Change to `top`");
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(
        (edit["newText"].as_str(), range(&edit["range"])),
        (Some("top"), "14:16-20".to_string())
    );
}

#[test]
fn the_outline_nests_declarations() {
    let symbols = Client::open(STACK).about("textDocument/documentSymbol");
    let names = |list: &Json| -> Vec<String> {
        list.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(
        names(&symbols),
        ["Value", "Node", "Pair", "Color", "N", "Stack", "Seq", "Stack", "lossy"]
    );
    assert_eq!(names(&symbols[1]["children"]), ["val", "next"]);
    assert_eq!(names(&symbols[5]["children"]), ["top", "pair", "push", "pop", "_unused"]);
    assert_eq!(symbols[5]["children"][3]["detail"], "() -> Value?");
    assert_eq!(symbols[5]["range"]["end"]["line"], 29);
}

#[test]
fn requests_that_make_no_sense_are_refused_and_the_server_goes_on() {
    let mut client = Client::open(STACK);
    let code = |answer: super::client::Answer| answer.expect_err("an error").0;
    assert_eq!(code(client.request("textDocument/nonsense", json!({}))), -32601);
    assert_eq!(code(client.request("textDocument/hover", json!({ "textDocument": 3 }))), -32602);
    let params = json!({ "textDocument": { "uri": "file:///other.lin" } });
    assert_eq!(code(client.request("textDocument/codeLens", params)), -32602);
    assert_eq!(
        code(client.request("textDocument/hover", json!({ "textDocument": { "uri": URI } }))),
        -32602
    );
    client.notify("textDocument/didChange", json!({ "wrong": true }));
    client.notify("$/setTrace", json!({ "value": "off" }));
    let logged = client.notification("window/logMessage");
    assert!(logged["message"].as_str().unwrap().contains("didChange"), "{logged}");
    assert_eq!(client.lenses().len(), 2);
    assert_eq!(client.close(), Ok(()));
}

#[test]
fn closing_a_text_takes_its_diagnostics_away() {
    let mut client = Client::open("nonsense");
    assert_eq!(client.diagnostics().len(), 1);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    let said = client.notification("textDocument/publishDiagnostics");
    assert_eq!(said["diagnostics"], json!([]));
}

#[test]
fn a_client_that_leaves_without_a_word_ends_the_server() {
    assert!(Client::open(STACK).vanish().is_err());
    let client = Client::open(STACK);
    client.notify("exit", Json::Null);
    assert!(client.vanish().is_err());
}
