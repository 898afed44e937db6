//! Lenses, and checks that are run from them.

use std::time::Duration;

use linchpin_lsp::{CANCEL, CHECK, Settings};
use serde_json::{Value as Json, json};

use super::client::{Client, URI, range};
use super::{COUNTER, STACK};

/// Takes far longer than any test.
fn endless() -> String {
    STACK.replace("threads 2, ops 2, expect holds", "threads 4, ops 8")
}

#[test]
fn every_check_has_a_lens_and_a_verdict_replaces_it() {
    let mut client = Client::open(STACK);
    client.diagnostics();
    assert_eq!(client.lenses(), ["▶ check Stack", "▶ check lossy"]);
    let id = client.command(CHECK, Some("Stack"));
    let results = client.answer(&id).expect("a verdict");
    assert_eq!(results[0]["verdict"], "holds");
    let states = results[0]["states"].as_u64().expect("a number");
    assert!(states > 100, "{states}");
    let lenses = client.lenses();
    let title = results[0]["title"].as_str().unwrap();
    assert_eq!(lenses, [format!("✓ Stack {title}"), "▶ check lossy".to_string()]);
    assert!(title.starts_with("holds · ") && title.ends_with(" states"), "{title}");
    assert!(client.asked.contains(&"workspace/codeLens/refresh".to_string()));
    // What is known vanishes with the text it is known about.
    client.change(&STACK.replace("ops 2,", "ops 1,"));
    assert_eq!(client.lenses(), ["▶ check Stack", "▶ check lossy"]);
    assert_eq!(client.close(), Ok(()));
}

#[test]
fn a_violation_is_shown_at_the_line_to_blame_with_the_schedule() {
    let mut client = Client::open(COUNTER);
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    let id = client.command(CHECK, Some("Counter"));
    let results = client.answer(&id).expect("a verdict");
    assert_eq!(results[0]["verdict"], "violated");
    let lens = &client.lenses()[0];
    assert!(lens.starts_with("✗ Counter violated: not linearizable · "), "{lens}");
    let said = loop {
        let said = client.diagnostics();
        if !said.is_empty() {
            break said;
        }
    };
    assert_eq!(said.len(), 1, "{said:?}");
    let violation = &said[0];
    assert_eq!((&violation["severity"], &violation["code"]), (&json!(1), &json!("violated")));
    // The write of the lost update, or the read that came too early: the last access.
    assert_eq!(range(&violation["range"]), "4:4-15");
    let message = violation["message"].as_str().unwrap();
    assert!(message.contains("no order of the operations explains that"), "{message}");
    let steps = violation["relatedInformation"].as_array().expect("a schedule");
    let text: Vec<_> = steps.iter().map(|s| s["message"].as_str().unwrap()).collect();
    assert!(text.contains(&"T1: call inc()"), "{text:?}");
    assert!(text.iter().any(|t| t.contains("c = old + 1") && t.contains("c: 0 → 1")), "{text:?}");
    assert!(steps.iter().all(|s| s["location"]["uri"] == URI));
    client.change(&COUNTER.replace("op inc", "op  inc"));
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
}

#[test]
fn what_a_verdict_does_not_cover_is_grey_and_an_operation_that_never_returns_is_a_warning() {
    let stuck = COUNTER.replacen("    let old", "    while c != 4 { }\n    let old", 1);
    let mut client = Client::open(&stuck);
    assert_eq!(client.diagnostics(), Vec::<Json>::new());
    let id = client.command(CHECK, Some("Counter"));
    let results = client.answer(&id).expect("a verdict");
    assert_eq!(results[0]["verdict"], "holds");
    let said = loop {
        let said = client.diagnostics();
        if !said.is_empty() {
            break said;
        }
    };
    let of = |code: &str| said.iter().filter(|d| d["code"] == code).count();
    assert_eq!(of("never-returns"), 1, "{said:?}");
    assert!(of("never-reached") > 0, "{said:?}");
    assert!(said.iter().all(|d| d["code"] != "never-reached" || d["tags"] == json!([1])));
}

#[test]
fn what_the_text_expects_is_no_error_and_what_it_does_not_is_a_warning() {
    let mut client = Client::open(COUNTER);
    let id = client.command(CHECK, None);
    let results = client.answer(&id).expect("verdicts");
    let all: Vec<_> =
        results.as_array().unwrap().iter().map(|r| (&r["check"], &r["expected"])).collect();
    let expected = [("Counter", false), ("Known", true), ("Wrong", false)];
    assert_eq!(all.len(), expected.len());
    for ((check, is), (name, should)) in all.into_iter().zip(expected) {
        assert_eq!((check, is), (&json!(name), &json!(should)));
    }
    let said = loop {
        let said = client.diagnostics();
        if said.len() == 3 {
            break said;
        }
    };
    let severities: Vec<_> = said.iter().map(|d| d["severity"].as_u64().unwrap()).collect();
    assert_eq!(severities, [1, 3, 2], "{said:?}");
    let lenses = client.lenses();
    assert!(
        lenses[1].starts_with("✓ Known violated: not linearizable (as expected)"),
        "{lenses:?}"
    );
    assert!(lenses[2].starts_with("✗ Wrong holds"), "{lenses:?}");
}

#[test]
fn a_fault_and_a_deadlock_are_shown_where_they_happen() {
    let text = "\
object Faulty {
  var l: lock
  op f() {
    lock(l)
  }
  op g() {
    assert false
  }
}
spec S { op f() { } op g() { } }
check Stuck: Faulty against S { role r(2) { f } }
check Wrong: Faulty against S { role r(1) { g } }
";
    let mut client = Client::open(text);
    let id = client.command(CHECK, None);
    let results = client.answer(&id).expect("verdicts");
    assert_eq!(
        (&results[0]["verdict"], &results[1]["verdict"]),
        (&json!("deadlock"), &json!("fault"))
    );
    let said = loop {
        let said = client.diagnostics();
        if said.len() == 2 {
            break said;
        }
    };
    assert_eq!(
        (range(&said[0]["range"]), range(&said[1]["range"])),
        ("3:4-11".into(), "6:4-16".into())
    );
}

#[test]
fn a_check_that_cannot_be_decided_says_why() {
    let text = COUNTER
        .replace("threads 2, ops 2 }", "threads 2, ops unbounded }")
        .replace("check Counter against Counting {", "check Counter against Counting sequential {");
    let mut client = Client::open(&text);
    let id = client.command(CHECK, Some("Counter"));
    let results = client.answer(&id).expect("an answer");
    assert_eq!(results[0]["verdict"], "error");
    assert!(
        client.lenses()[0]
            .starts_with("! Counter cannot be decided: `sequential` needs bounded clients")
    );
}

#[test]
fn a_running_check_can_be_cancelled_as_a_request_by_command_and_by_its_progress() {
    let mut client = Client::open(&endless());
    client.diagnostics();
    for way in 0..3 {
        let id = client.command(CHECK, Some("Stack"));
        // Wait until it runs.
        let token = loop {
            let progress = client.notification("$/progress");
            if progress["value"]["kind"] == "report" {
                break progress["token"].clone();
            }
        };
        assert!(client.lenses()[0].starts_with("◌ "), "{:?}", client.lenses());
        match way {
            0 => client.notify("$/cancelRequest", json!({ "id": id })),
            1 => {
                let stop = client.command(CANCEL, Some("Stack"));
                assert_eq!(client.answer(&stop), Ok(Json::Null));
            }
            _ => client.notify("window/workDoneProgress/cancel", json!({ "token": token })),
        }
        let (code, message) = client.answer(&id).expect_err("cancelled");
        assert_eq!((code, message.as_str()), (-32800, "stopped"));
        assert_eq!(client.lenses()[0], "▶ check Stack");
    }
    assert_eq!(client.close(), Ok(()));
}

#[test]
fn a_check_waits_for_the_one_before_and_can_be_cancelled_while_it_waits() {
    let mut client = Client::open(&endless());
    let first = client.command(CHECK, Some("Stack"));
    let second = client.command(CHECK, Some("lossy"));
    assert!(client.lenses()[1].starts_with("◌ checking lossy"), "{:?}", client.lenses());
    client.notify("$/cancelRequest", json!({ "id": second }));
    assert_eq!(client.answer(&second).expect_err("cancelled").0, -32800);
    let third = client.command(CHECK, Some("lossy"));
    client.notify("$/cancelRequest", json!({ "id": first }));
    assert_eq!(client.answer(&first).expect_err("cancelled").0, -32800);
    assert_eq!(client.answer(&third).expect("a verdict")[0]["verdict"], "holds");
}

#[test]
fn a_change_of_the_text_ends_a_check_of_the_old_one() {
    let mut client = Client::open(&endless());
    let id = client.command(CHECK, Some("Stack"));
    client.change(STACK);
    let (code, _) = client.answer(&id).expect_err("out of date");
    assert_eq!(code, -32801);
    assert_eq!(client.lenses(), ["▶ check Stack", "▶ check lossy"]);
}

#[test]
fn a_check_that_takes_too_long_is_unknown() {
    let mut client = Client::with(json!({ "checkSeconds": 0.3 }), Settings::default());
    client.open_text(&endless());
    let id = client.command(CHECK, Some("Stack"));
    let results = client.answer(&id).expect("an answer");
    assert_eq!(results[0]["verdict"], "unknown");
    assert!(
        client.lenses()[0].starts_with("? Stack unknown: out of time"),
        "{:?}",
        client.lenses()
    );
    let settings = Settings { time: Duration::from_millis(300), ..Settings::default() };
    let mut client = Client::with(json!({ "checkSeconds": -1 }), settings);
    client.open_text(&endless());
    let id = client.command(CHECK, Some("Stack"));
    assert_eq!(client.answer(&id).expect("an answer")[0]["verdict"], "unknown");
}

#[test]
fn a_server_that_is_told_to_end_does_not_wait_for_a_check() {
    let mut client = Client::open(&endless());
    let id = client.command(CHECK, None);
    client.lenses();
    assert_eq!(client.request("shutdown", Json::Null), Ok(Json::Null));
    assert_eq!(client.answer(&id).expect_err("cancelled").0, -32800);
    let late = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(late.expect_err("too late").0, -32600);
    assert_eq!(client.close(), Ok(()));
}

#[test]
fn commands_that_make_no_sense_are_refused() {
    let mut client = Client::open(STACK);
    let mut refused = |command: &str, arguments: Json| {
        let params = json!({ "command": command, "arguments": arguments });
        client.request("workspace/executeCommand", params).expect_err(command)
    };
    assert_eq!(refused("linchpin.nonsense", json!([{ "uri": URI }])).0, -32602);
    assert_eq!(refused(CHECK, json!([])).0, -32602);
    assert_eq!(refused(CHECK, json!([{ "uri": "file:///other.lin" }])).0, -32602);
    let (code, why) = refused(CHECK, json!([{ "uri": URI, "name": "none" }]));
    assert_eq!((code, why.as_str()), (-32803, "there is no check `none`"));
    client.change("object");
    let id = client.command(CHECK, None);
    let (_, why) = client.answer(&id).expect_err("errors");
    assert!(why.contains("the text has errors"), "{why}");
    assert_eq!(client.lenses(), Vec::<String>::new());
}
