//! `linchpin explore` from outside: its address, who is answered, and scripts that `linchpin simulate` follows.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value as Json, json};

use crate::run::{linchpin, models, run, simulate};

/// A running program, which ends with the test.
struct Served {
    child: Child,
    port: String,
    token: String,
    source: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn new(model: &str, more: &[&str]) -> Self {
        let mut command = linchpin();
        command.arg("explore").arg(model).args(more).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        out.read_line(&mut line).expect("an address");
        let rest = line.trim().strip_prefix("http://127.0.0.1:").expect("of this machine");
        let (port, token) = rest.split_once('/').expect("with a path");
        let source = std::fs::read_to_string(models().join(model)).expect("a model");
        let (port, token) = (port.to_string(), token.trim_end_matches('/').to_string());
        Served { child, port, token, source }
    }

    fn send(&self, request: &str) -> String {
        let mut stream =
            TcpStream::connect(format!("127.0.0.1:{}", self.port)).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    fn ask(&self, name: &str, mut question: Json) -> Json {
        question["source"] = json!(self.source);
        let body = question.to_string();
        let answer = self.send(&format!(
            "POST /{}/{name} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.token, self.port, body.len()
        ));
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        serde_json::from_str(body).expect("JSON")
    }
}

#[test]
fn the_page_is_for_who_knows_its_address() {
    let mut served = Served::new("counter.lin", &[]);
    let Served { port, token, .. } = &served;
    let page = served.send(&format!("GET /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"));
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("<main id=\"page\">"), "{page}");
    assert!(page.contains("frame-ancestors vscode-webview: vscode-file:"), "{page}");
    let without = served.send(&format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"));
    assert!(without.starts_with("HTTP/1.1 404 "), "{without}");
    let rebound = served.send(&format!("GET /{token}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"));
    assert!(rebound.starts_with("HTTP/1.1 403 "), "{rebound}");
    assert!(served.send("hello\r\n\r\n").starts_with("HTTP/1.1 400 "));
    // There is nothing on standard input, and the program goes on.
    assert!(served.child.try_wait().expect("it runs").is_none());
}

#[test]
fn only_models_of_the_language_are_explored() {
    for (arguments, why) in [
        ("explore lock.csp", ".lin"),
        ("explore broken.aut", ".lin"),
        ("explore missing.lin", "cannot read the file"),
    ] {
        let ran = run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments}");
        assert!(ran.err.contains(why), "{arguments}: {}", ran.err);
    }
}

/// Follows the script of an execution with `simulate` and compares memory and possible steps at its end.
fn shared(served: &Served, model: &str, check: &str, initial: &Json, path: &Json) {
    let question = json!({ "check": check, "initial": initial, "path": path });
    let film = served.ask("film", question.clone());
    let script = film["script"].as_str().expect("a script");
    assert!(script.starts_with(&format!("# linchpin simulate {model} --check ")), "{script}");
    let ran = simulate(&format!("{model} --check {check}"), script);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{script}");
    assert!(!ran.out.contains("there is no such step"), "{script}\n{}", ran.out);
    // Memory is printed whenever it changes; what was printed last is what there is.
    let frames = film["witness"]["frames"].as_array().expect("frames");
    for variable in frames.last().expect("a frame")["variables"].as_array().expect("variables") {
        let name = format!("{} = ", variable["name"].as_str().expect("a name"));
        let line = ran.out.lines().rfind(|l| l.starts_with("          ") && l.contains(&name));
        let is = format!("{name}{}", variable["value"].as_str().expect("a value"));
        assert!(line.is_some_and(|l| l.contains(&is)), "{is}: {line:?}");
    }
    // The last question offers the same steps.
    let end = served.ask("end", question);
    let steps = end["steps"].as_array().expect("steps");
    let (before, _) = ran.out.rsplit_once("b: back, q: quit").expect("a question");
    let offered: Vec<&str> = before.lines().rev().skip(1).take(steps.len()).collect();
    for (i, (line, step)) in offered.iter().rev().zip(steps).enumerate() {
        let begins = format!("  {:>2}  T{}", i + 1, step["thread"]);
        assert!(line.starts_with(&begins), "{line}: {step}");
    }
}

#[test]
fn a_script_leads_simulate_to_the_same_state() {
    let mut followed = 0;
    for model in ["counter.lin", "stack.lin", "locks.lin", "fault.lin", "roles.lin"] {
        let served = Served::new(model, &["--max-states", "200000"]);
        let checks = served.ask("load", json!({}))["checks"].clone();
        for check in checks.as_array().expect("checks") {
            let check = check["name"].as_str().expect("a name");
            let answer = served.ask("check", json!({ "check": check }));
            // The violation, if there is one, and an execution of our own.
            if let Some(violation) = answer.get("violation").filter(|v| !v.is_null()) {
                shared(&served, model, check, &violation["initial"], &violation["path"]);
                followed += 1;
            }
            let mut path: Vec<usize> = Vec::new();
            for i in 0..12 {
                let end = served.ask("end", json!({ "check": check, "path": path }));
                let possible = end["steps"].as_array().expect("steps").len();
                if possible == 0 {
                    break;
                }
                path.push(i * 7 % possible);
            }
            shared(&served, model, check, &json!(0), &json!(path));
        }
    }
    assert!(followed >= 3, "{followed}");
}
