//! Texts that use other files.

use linchpin_csp::{Found, Wanted};
use linchpin_lsp::Settings;
use serde_json::{Value as Json, json};

use super::client::{Client, place, range};

const MAIN: &str = "\
use \"queue.lin\"
object O { var n: 0..=2
  op put(v: Value) { fetch_add(n, 1) } }
check O against Queue { threads 1, ops 1 }
";
const QUEUE: &str = "data Value\nspec Queue { var n: 0..=2\n  op put(v: Value) { n += 1 } }\n";

/// What is on the disk.
fn shelf(uri: &str, wanted: Wanted<'_>, _: &str) -> Result<Option<Found>, String> {
    assert_eq!(uri, "file:///d/main.lin");
    let Wanted::Include("queue.lin") = wanted else { return Ok(None) };
    let name = "/d/queue.lin".to_string();
    Ok(Some(Found { key: name.clone(), name, text: QUEUE.to_string() }))
}

fn open() -> Client {
    let settings = Settings { shelf, ..Settings::default() };
    Client::open_as("file:///d/main.lin", MAIN, settings)
}

#[test]
fn a_name_leads_to_the_file_that_declares_it() {
    let mut client = open();
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    let declared =
        client.at("textDocument/definition", place(MAIN, "Value", 0), json!({})).unwrap();
    assert_eq!(declared["uri"], "file:///d/queue.lin");
    assert_eq!(range(&declared["range"]), "0:5-10");
    let outline = client.about("textDocument/documentSymbol");
    let names: Vec<_> = outline.as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["O", "O"], "the object and its check, and nothing of the other file");
    let renamed = json!({ "newName": "Datum" });
    let refused = client.at("textDocument/rename", place(MAIN, "Value", 0), renamed).unwrap_err();
    assert!(refused.1.contains("also named in /d/queue.lin"), "{refused:?}");
}

#[test]
fn what_is_in_the_editor_comes_before_what_is_on_the_disk() {
    let mut client = open();
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    let text = QUEUE.replace("data Value", "data Datum").replace("v: Value", "v: Datum");
    let other = json!({
        "uri": "file:///d/queue.lin", "languageId": "linchpin", "version": 1, "text": text,
    });
    client.notify("textDocument/didOpen", json!({ "textDocument": other }));
    // That of the other file, then that of the one that uses it.
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    let said = client.diagnostics();
    assert!(said[0]["message"].as_str().unwrap().contains("`Value`"), "{said:?}");
    let closed = json!({ "textDocument": { "uri": "file:///d/queue.lin" } });
    client.notify("textDocument/didClose", closed);
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
}
