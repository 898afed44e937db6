//! Texts in the languages of other checkers.

use linchpin_csp::{Found, Wanted};
use linchpin_lsp::{CHECK, Settings};
use serde_json::{Value as Json, json};

use super::client::{Client, place, range};

const CSP: &str = "\
// How many there are.
#define N 2;
var x = 0; // shared
channel c 1;
P(i) = [x < N] up.i{x = x + i;} -> c!i -> P(i);
Q() = c?y -> down.y{x = 0;} -> Q();
System() = (||| i:{0..N-1} @ P(i)) ||| Q();
#define full x == N;
#assert System() deadlockfree;
#assert System() reaches full;
";

const URI: &str = "file:///models/m.csp";

fn open(text: &str) -> Client {
    Client::open_as(URI, text, Settings::default())
}

fn text(json: &Json) -> String {
    json["contents"]["value"].as_str().unwrap_or_else(|| panic!("{json}")).to_string()
}

#[test]
fn names_of_csp_models_are_known() {
    let mut client = open(CSP);
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    for (piece, n, kind, about) in [
        ("N] up", 0, "constant", "How many there are."),
        ("x + i", 0, "variable", "shared"),
        ("P(i)) |||", 0, "process", "P(i) = [x < N]"),
        ("c?y", 0, "channel", "c 1;"),
        ("i -> P", 0, "parameter", "i"),
        ("y{x", 0, "received value", "y"),
        ("i)) |||", 0, "index", "i"),
    ] {
        let hover = client.at("textDocument/hover", place(CSP, piece, n), json!({})).unwrap();
        let text = text(&hover);
        assert!(text.contains(kind) && text.contains(about), "{piece}: {text}");
    }
    let at = place(CSP, "x < N", 0);
    let declared = client.at("textDocument/definition", at, json!({})).unwrap();
    assert_eq!(range(&declared["range"]), "2:4-5");
    let more = json!({ "context": { "includeDeclaration": false } });
    let uses = client.at("textDocument/references", at, more).unwrap();
    assert_eq!(uses.as_array().unwrap().len(), 5);
    let outline = client.about("textDocument/documentSymbol");
    let names: Vec<_> =
        outline.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["N", "full", "x", "c", "P", "Q", "System"]);
    let refused = client.at("textDocument/rename", at, json!({ "newName": "z" })).unwrap_err();
    assert!(refused.1.contains("`.lin` texts only"), "{refused:?}");
}

#[test]
fn assertions_are_run_from_the_text() {
    let mut client = open(CSP);
    client.diagnostics();
    let lenses = ["▶ check System() deadlockfree", "▶ check System() reaches full"];
    assert_eq!(client.lenses(), lenses);
    let id = client.command(CHECK, None);
    let results = client.answer(&id).expect("verdicts");
    assert_eq!(
        (&results[0]["verdict"], &results[1]["verdict"]),
        (&json!("holds"), &json!("holds"))
    );
    let lens = &client.lenses()[0];
    assert!(lens.starts_with("✓ System() deadlockfree is valid · "), "{lens}");
    // Now it stops.
    client.change(&CSP.replace("-> Q();", "-> Stop;"));
    client.diagnostics();
    let id = client.command(CHECK, Some("System() deadlockfree"));
    assert_eq!(client.answer(&id).expect("a verdict")[0]["verdict"], "violated");
    let said = loop {
        let said = client.diagnostics();
        if !said.is_empty() {
            break said;
        }
    };
    assert_eq!(said[0]["code"], "violated");
    assert_eq!(said[0]["range"]["start"]["line"], 8);
    let steps = said[0]["relatedInformation"].as_array().expect("steps");
    assert!(steps[0]["message"].as_str().unwrap().starts_with("up."), "{steps:?}");
}

#[test]
fn errors_are_said_and_names_are_known_beside_them() {
    let broken = CSP.replace("x + i", "z + i");
    let mut client = open(&broken);
    let said = client.diagnostics();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(range(&said[0]["range"]), "4:24-25");
    assert_eq!(client.lenses(), Vec::<String>::new());
    let declared = client.at("textDocument/definition", place(&broken, "P(i)) |||", 0), json!({}));
    assert_eq!(range(&declared.unwrap()["range"]), "4:0-1");
    let id = client.command(CHECK, None);
    assert!(client.answer(&id).unwrap_err().1.contains("the text has errors"));
}

/// A file beside the text.
fn shelf(uri: &str, wanted: Wanted<'_>, _: &str) -> Result<Option<Found>, String> {
    assert_eq!(uri, URI);
    let text = match wanted {
        Wanted::Include("n.csp") => "#define N 3;\n",
        Wanted::Library("PAT.Lib.Bad") => "class Bad {\n  static string f() { }\n}",
        _ => return Ok(None),
    };
    let name = "other".to_string();
    Ok(Some(Found { key: name.clone(), name, text: text.to_string() }))
}

#[test]
fn other_files_are_asked_for() {
    let settings = Settings { shelf, ..Settings::default() };
    let model = "#include \"n.csp\";\nvar x = N;\nP = a -> Skip;\n#assert P deadlockfree;\n";
    let mut client = Client::open_as(URI, model, settings);
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    let hover = client.at("textDocument/hover", place(model, "N", 0), json!({})).unwrap();
    assert_eq!(text(&hover), "constant `N`, declared in another file");
    client.change("#import \"PAT.Lib.Bad\";\nP = a -> Skip;\n#assert P deadlockfree;\n");
    let said = client.diagnostics();
    let message = said[0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("error in other:2:10: the type `string` is not supported"),
        "{message}"
    );
}

const MCRL2: &str = "\
% What is stored.
sort D = struct one | two;
act put, get: D;
proc Buffer(d: D) = get(d) . sum e: D . put(e) . Buffer(e);
init Buffer(one);
";

#[test]
fn names_of_mcrl2_specifications_are_known() {
    let mut client = Client::open_as("file:///b.mcrl2", MCRL2, Settings::default());
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    let hover = client.at("textDocument/hover", place(MCRL2, "D) =", 0), json!({})).unwrap();
    assert!(text(&hover).contains("sort") && text(&hover).contains("What is stored."), "{hover}");
    let declared = client.at("textDocument/definition", place(MCRL2, "Buffer(one)", 0), json!({}));
    assert_eq!(range(&declared.unwrap()["range"]), "3:5-11");
    let declared = client.at("textDocument/definition", place(MCRL2, "d) .", 0), json!({}));
    assert_eq!(range(&declared.unwrap()["range"]), "3:12-13");
    let outline = client.about("textDocument/documentSymbol");
    let names: Vec<_> =
        outline.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["D", "one", "two", "put", "get", "Buffer"]);
    client.change(&MCRL2.replace("init Buffer(one)", "init Buffer(three)"));
    assert_eq!(client.diagnostics().len(), 1);
}
