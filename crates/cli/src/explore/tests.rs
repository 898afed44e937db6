//! Questions of the page on models of the corpus.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::api::Api;
use super::http::{Reply, Request};
use crate::args::{BoundOptions, LimitOptions};
use crate::render::verdict::Limits;

/// A model of the corpus, and somebody who answers questions about it.
struct Asked {
    api: Api,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Asked {
    fn corpus(name: &str) -> Self {
        let path = root().join("corpus/lin").join(name);
        Asked::at(&path, &std::fs::read_to_string(&path).unwrap())
    }

    fn about(text: &str) -> Self {
        Asked::at(Path::new("x.lin"), text)
    }

    fn at(path: &Path, text: &str) -> Self {
        let limits = LimitOptions { max_states: Some(1_000_000), ..LimitOptions::default() };
        let page = linchpin_page::explore(&json!({ "file": "x.lin", "text": text }));
        let api = Api::new(path, BoundOptions::default(), Limits::new(&limits), page);
        Asked { api, text: text.to_string() }
    }

    fn raw(&self, name: &str, body: &[u8]) -> Reply {
        self.api.answer(Request::Ask(name.to_string(), body.to_vec()))
    }

    /// The answer to a question about the text.
    fn ask(&self, name: &str, mut question: Json) -> Json {
        if question.get("source").is_none() {
            question["source"] = json!(self.text);
        }
        let reply = self.raw(name, question.to_string().as_bytes());
        assert_eq!(reply.status, 200, "{}", reply.body);
        serde_json::from_str(&reply.body).unwrap()
    }
}

const COUNTER: &str = "
object Racy {
  var n: int
  fn twice(x: int) -> int { return x + x }
  fn bump() -> int { n = n + 1; return n }
  op add() -> int {
    let old = n
    n = old + 1
    return old
  }
}
spec Count {
  var total: int
  op add() -> int { total = total + 1; return total - 1 }
}
check Racy against Count { threads 2, ops 1 }
";

#[test]
fn a_text_has_checks_or_errors_with_places() {
    let asked = Asked::about(COUNTER);
    let answer = asked.ask("load", json!({}));
    assert_eq!(answer["checks"][0]["name"], "Racy");
    assert!(answer["checks"][0]["bounds"].as_str().unwrap().contains("2 threads"), "{answer}");
    let wrong = COUNTER.replace("let old = n", "let old = m");
    let answer = asked.ask("load", json!({ "source": wrong }));
    let d = &answer["problem"]["diagnostics"][0];
    assert_eq!(d["at"]["line"], 7, "{answer}");
    assert_eq!(d["message"], "`m` is not declared");
    for name in ["check", "film", "end"] {
        let answer = asked.ask(name, json!({ "source": wrong, "check": "Racy" }));
        assert_eq!(answer["problem"]["kind"], "diagnostics", "{name}");
        let answer = asked.ask(name, json!({ "check": "Other" }));
        assert_eq!(answer["problem"]["kind"], "no_such_check", "{name}");
    }
}

#[test]
fn a_violation_is_steps_that_can_be_taken_and_left() {
    let asked = Asked::about(COUNTER);
    let answer = asked.ask("check", json!({ "check": "Racy" }));
    assert_eq!(answer["check"]["verdict"], "violated", "{answer}");
    let path = answer["violation"]["path"].clone();
    let film = asked.ask("film", json!({ "check": "Racy", "path": path }));
    assert_eq!(film["path"], path);
    assert_eq!(film["stopped"], Json::Null);
    // The same execution as in the report.
    for part in ["operations", "frames", "steps", "nodes"] {
        assert_eq!(film["witness"][part], answer["check"]["witness"][part], "{part}");
    }
    let explained = film["explained"].as_array().unwrap();
    assert_eq!(explained.last().unwrap(), 0, "{explained:?}");
    assert!(explained[..explained.len() - 1].iter().all(|n| n.as_u64() > Some(0)), "{explained:?}");
    // After the first step each thread has a step; the other one leads elsewhere.
    let first = path[0].as_u64().unwrap();
    let end = asked.ask("end", json!({ "check": "Racy", "path": [first] }));
    let threads: Vec<_> =
        end["steps"].as_array().unwrap().iter().map(|s| s["thread"].clone()).collect();
    assert_eq!(threads, [1, 2], "{end}");
    for other in [0, 1] {
        let film = asked.ask("film", json!({ "check": "Racy", "path": [first, other] }));
        assert_eq!(film["witness"]["steps"][1]["thread"], other + 1, "{film}");
    }
    // What is not possible ends the execution with a word about it.
    let film = asked.ask("film", json!({ "check": "Racy", "path": [first, 7, 0] }));
    assert_eq!((&film["path"], film["stopped"].is_string()), (&json!([first]), true), "{film}");
}

#[test]
fn configurations_are_the_orders_that_explain_what_happened() {
    let asked = Asked::about(COUNTER);
    let end = asked.ask("end", json!({ "check": "Racy", "path": [] }));
    assert_eq!(end["configurations"]["shown"][0]["state"], "total = 0");
    // Both have called: neither has taken effect, one of them, or both in either order.
    let end = asked.ask("end", json!({ "check": "Racy", "path": [0, 1] }));
    assert_eq!(end["configurations"]["count"], 5, "{end}");
    let states = end["configurations"]["shown"].as_array().unwrap().iter();
    let states: Vec<_> = states.map(|c| c["state"].as_str().unwrap()).collect();
    assert_eq!(states.iter().filter(|s| **s == "total = 2").count(), 2, "{states:?}");
}

/// The values of expressions at every step of the violation.
fn watched(asked: &Asked, check: &str, expressions: &[&str]) -> Vec<Vec<Json>> {
    let path = asked.ask("check", json!({ "check": check }))["violation"]["path"].clone();
    let question = json!({ "check": check, "path": path, "watches": expressions });
    let film = asked.ask("film", question);
    let moments = film["watches"].as_array().unwrap().iter();
    let moments: Vec<_> = moments.map(|m| m.as_array().unwrap().clone()).collect();
    assert_eq!(moments.len(), film["witness"]["frames"].as_array().unwrap().len());
    (0..expressions.len()).map(|i| moments.iter().map(|m| m[i].clone()).collect()).collect()
}

#[test]
fn expressions_are_watched_over_object_locals_and_specification() {
    let asked = Asked::about(COUNTER);
    let expressions =
        ["n", "T1.old", "twice(n) + 1", "total", "Count.total - n", "T1 == T2", "n == T2.old"];
    let seen = watched(&asked, "Racy", &expressions);
    assert_eq!(seen[0].first().unwrap()["value"], "0");
    assert_eq!(seen[0].last().unwrap()["value"], "1");
    assert!(seen[1][0]["not"].as_str().unwrap().contains("has no variable `old` now"), "{seen:?}");
    assert!(seen[1].iter().any(|v| v["value"] == "0"), "{seen:?}");
    assert_eq!(seen[2].last().unwrap()["value"], "3");
    assert_eq!(seen[3][0]["each"], json!([{ "value": "0" }]));
    assert!(seen[3].iter().any(|v| v["each"].as_array().unwrap().len() > 2), "{seen:?}");
    assert_eq!(seen[4][0]["each"], json!([{ "value": "0" }]));
    assert_eq!(seen[4].last().unwrap()["each"], json!([]));
    assert!(seen[5].iter().all(|v| v["value"] == "false"));
    assert!(seen[6].iter().any(|v| v["value"] == "true"), "{seen:?}");
}

#[test]
fn expressions_that_are_wrong_or_do_more_than_read_say_so_and_the_others_go_on() {
    let asked = Asked::about(COUNTER);
    let expressions = [
        "n +",
        "m",
        "n && true",
        "cas(n, 0, 1)",
        "bump()",
        "choose(1, 2)",
        "self",
        "1 / (n - n)",
        "n",
        "T9.x",
        "",
        "add()",
        "T1.nonsense",
    ];
    let seen = watched(&asked, "Racy", &expressions);
    for (i, what) in [
        (0, "expected"),
        (1, "`m` is not declared"),
        (2, "expected `bool`"),
        (3, "does more"),
        (4, "does more"),
        (5, "does more"),
        (6, "no `self` here"),
        (9, "`T9` is not declared"),
        (10, "expected"),
        (11, "is an operation"),
    ] {
        let wrong = seen[i][0]["wrong"].as_str().unwrap_or_else(|| panic!("{i}: {:?}", seen[i][0]));
        assert!(wrong.contains(what), "{}: {wrong}", expressions[i]);
    }
    assert_eq!(seen[7][0]["not"], "division by zero");
    assert_eq!(seen[8][0]["value"], "0");
    assert!(seen[12][0]["not"].is_string(), "{:?}", seen[12][0]);
}

#[test]
fn nodes_are_read_as_the_object_would_read_them() {
    let asked = Asked::corpus("treiber_stack/aba.lin");
    let seen = watched(&asked, "TreiberStack", &["Top", "Top.next", "Top == null", "items.len()"]);
    assert_eq!(seen[1][0]["not"], "`null` has no fields");
    assert_eq!(seen[2][0]["value"], "true");
    // Wherever there is a top, its field is what the memory shows.
    let path = asked.ask("check", json!({ "check": "TreiberStack" }))["violation"]["path"].clone();
    let film = asked.ask("film", json!({ "check": "TreiberStack", "path": path }));
    let mut compared = 0;
    for (i, frame) in film["witness"]["frames"].as_array().unwrap().iter().enumerate() {
        let top = &frame["variables"][0]["value"];
        assert_eq!(seen[0][i]["value"], *top);
        let nodes = frame["nodes"].as_array().unwrap();
        if let Some(node) = nodes.iter().find(|n| n["name"] == *top) {
            let next = node["fields"].as_array().unwrap().iter().find(|f| f["name"] == "next");
            assert_eq!(seen[1][i]["value"], next.unwrap()["value"]);
            compared += 1;
        }
    }
    assert!(compared > 3, "{compared}");
    assert!(seen[3].iter().any(|v| v["each"][0]["value"].is_string()), "{:?}", seen[3]);
}

#[test]
fn violations_of_many_kinds_can_be_walked_through() {
    let mut walked = 0;
    for model in [
        "treiber_stack/aba.lin",
        "two_lock_queue/forgotten_unlock.lin",
        "regress/coin_in_atomic.lin",
        "regress/coin_before_wait.lin",
    ] {
        let asked = Asked::corpus(model);
        let checks = asked.ask("load", json!({}))["checks"].clone();
        for check in checks.as_array().unwrap() {
            let name = &check["name"];
            let answer = asked.ask("check", json!({ "check": name }));
            let Some(violation) = answer.get("violation").filter(|v| !v.is_null()) else {
                continue;
            };
            let (initial, path) = (&violation["initial"], &violation["path"]);
            let question = json!({ "check": name, "initial": initial, "path": path });
            let film = asked.ask("film", question.clone());
            assert_eq!((&film["path"], &film["stopped"]), (path, &Json::Null), "{model} {name}");
            let frames = &film["witness"]["frames"];
            assert_eq!(*frames, answer["check"]["witness"]["frames"], "{model} {name}");
            assert!(asked.ask("end", question)["steps"].is_array(), "{model} {name}");
            walked += 1;
        }
    }
    assert!(walked >= 3, "{walked}");
}

#[test]
fn long_executions_are_quick_and_longer_ones_are_refused() {
    let asked = Asked::about(&COUNTER.replace("ops 1", "ops unbounded"));
    let mut path = Vec::new();
    while path.len() < 400 {
        path.push(path.len() % 2);
    }
    let start = std::time::Instant::now();
    let question = json!({ "check": "Racy", "path": path, "watches": ["n", "T1.old", "n + 1"] });
    let film = asked.ask("film", question);
    assert_eq!(film["witness"]["frames"].as_array().unwrap().len(), 401, "{}", film["stopped"]);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    let film = asked.ask("film", json!({ "check": "Racy", "path": vec![0; 5000] }));
    assert!(film["problem"]["message"].as_str().unwrap().contains("at most 2000 steps"), "{film}");
    let film = asked.ask("film", json!({ "check": "Racy", "watches": vec!["n"; 41] }));
    assert!(film["problem"]["message"].as_str().unwrap().contains("at most 40 expressions"));
}

#[test]
fn of_very_many_steps_some_are_shown_and_the_others_are_counted() {
    let many = COUNTER.replace("let old = n", "let old = choose(0..=999)");
    let asked = Asked::about(&many);
    let mut path = vec![0];
    let end = loop {
        let end = asked.ask("end", json!({ "check": "Racy", "path": path }));
        if end["more"] != 0 || path.len() > 3 {
            break end;
        }
        path.push(0);
    };
    assert_eq!(end["steps"].as_array().unwrap().len(), 200, "{}", end["more"]);
    assert!(end["more"].as_u64() > Some(700), "{}", end["more"]);
}

#[test]
fn a_model_of_several_files_is_explored_and_errors_name_the_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let (main, other) = (folder.path().join("main.lin"), folder.path().join("other.lin"));
    let (object, check) = COUNTER.split_at(COUNTER.find("check").unwrap());
    std::fs::write(&other, object).unwrap();
    let asked = Asked::at(&main, &format!("use \"other.lin\"\n{check}"));
    let seen = watched(&asked, "Racy", &["n", "T1.old", "total"]);
    assert_eq!(seen[0].last().unwrap()["value"], "1");
    assert_eq!(seen[2][0]["each"], json!([{ "value": "0" }]));
    let film = asked.ask("film", json!({ "check": "Racy", "path": [0, 0] }));
    assert_eq!(film["sources"][0]["text"], object);
    assert_eq!(film["witness"]["steps"][1]["file"], film["sources"][0]["file"], "{film}");
    std::fs::write(&other, object.replace("let old = n", "let old = m")).unwrap();
    let problem = asked.ask("load", json!({}))["problem"].clone();
    assert!(problem["file"].as_str().unwrap().ends_with("other.lin"), "{problem}");
    assert_eq!(problem["diagnostics"][0]["at"]["line"], 7, "{problem}");
}

#[test]
fn what_is_no_question_is_refused() {
    let asked = Asked::about(COUNTER);
    for body in ["", "{", "[]x", "{\"path\": -1}", "{\"path\": [1e99]}", "{\"more\": 1}", "\u{0}"] {
        assert_eq!(asked.raw("film", body.as_bytes()).status, 400, "{body}");
    }
    assert_eq!(asked.raw("film", b"\xff\xfe").status, 400);
    assert_eq!(asked.raw("other", b"{}").status, 404);
    assert_eq!(asked.raw("../film", b"{}").status, 404);
    assert_eq!(asked.raw("stop", b"{}").status, 200);
}

#[test]
fn text_of_a_model_cannot_leave_its_place_in_the_page() {
    let evil = "// </script><script>alert(1)</script> \u{202e} <img src=x onerror=alert(1)>";
    let asked = Asked::about(evil);
    let page = asked.api.answer(Request::Page);
    assert_eq!(page.body.matches("<script").count(), 2, "the data and the script");
    assert!(!page.body.contains("<img"));
    assert!(
        page.policy.contains("default-src 'none'") && page.policy.contains("script-src 'sha256-")
    );
    assert!(page.policy.contains("connect-src 'self'") && !page.policy.contains("unsafe-eval"));
    assert!(!page.policy.replace("style-src 'unsafe-inline'", "").contains("unsafe"));
}
