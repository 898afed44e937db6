//! The language server over standard input and output, as an editor starts it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value as Json, json};

use crate::run::{ended, linchpin, run};

struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Editor {
    fn start() -> Editor {
        let mut child = linchpin()
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let to = child.stdin.take().expect("an input");
        let from = BufReader::new(child.stdout.take().expect("an output"));
        Editor { child, to, from }
    }

    fn send(&mut self, message: Json) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        self.to.flush().expect("it listens");
    }

    /// The next message that has this property.
    fn receive(&mut self, wanted: impl Fn(&Json) -> bool) -> Json {
        loop {
            let mut length = 0;
            let mut line = String::new();
            while self.from.read_line(&mut line).expect("a line") > 2 {
                if let Some(n) = line.trim().strip_prefix("Content-Length: ") {
                    length = n.parse().expect("a number");
                }
                line.clear();
            }
            assert!(length > 0, "the server ended");
            let mut text = vec![0; length];
            self.from.read_exact(&mut text).expect("a message");
            let message: Json = serde_json::from_slice(&text).expect("JSON");
            if wanted(&message) {
                return message;
            }
        }
    }

    fn ask(&mut self, id: u32, method: &str, params: Json) -> Json {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.receive(|m| m["id"] == id)["result"].take()
    }

    fn tell(&mut self, method: &str, params: Json) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
}

const TEXT: &str = "\
object Flag {
  var up: bool
  op raise() { up = true }
}
spec Flags { var on: bool; op raise() { on = true } }
check Flag against Flags { threads 2, ops 1 }
";

#[test]
fn an_editor_can_start_it_ask_and_say_goodbye() {
    let mut editor = Editor::start();
    let result = editor.ask(1, "initialize", json!({ "capabilities": {} }));
    assert_eq!(result["serverInfo"]["name"], "linchpin");
    editor.tell("initialized", json!({}));
    let uri = "file:///flag.lin";
    let document = json!({ "uri": uri, "languageId": "linchpin", "version": 1, "text": TEXT });
    editor.tell("textDocument/didOpen", json!({ "textDocument": document }));
    let said = editor.receive(|m| m["method"] == "textDocument/publishDiagnostics");
    assert_eq!(said["params"]["diagnostics"], json!([]));
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 2, "character": 16 } });
    let hover = editor.ask(2, "textDocument/hover", at);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("var up: bool"), "{hover}");
    let check = json!({ "command": "linchpin.check", "arguments": [{ "uri": uri }] });
    let verdicts = editor.ask(3, "workspace/executeCommand", check);
    assert_eq!(verdicts[0]["verdict"], "holds");
    assert_eq!(editor.ask(4, "shutdown", Json::Null), Json::Null);
    editor.tell("exit", Json::Null);
    let Editor { child, to, from } = editor;
    let ran = ended(child.wait_with_output().expect("it ends"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    drop((to, from));
}

#[test]
fn input_that_is_not_the_protocol_ends_it_with_a_message() {
    let mut editor = Editor::start();
    writeln!(editor.to, "GET / HTTP/1.1\r\n\r").expect("it listens");
    let Editor { child, to, .. } = editor;
    drop(to);
    let ran = ended(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("the language server ended"), "{}", ran.err);
    // So does no input at all.
    assert_eq!(run("lsp").code, Some(2));
}

#[test]
fn its_help_says_who_starts_it() {
    let ran = run("help lsp");
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("Editors start this command by themselves"), "{}", ran.out);
}

#[test]
fn a_malformed_frame_is_not_the_end() {
    let mut editor = Editor::start();
    editor.ask(1, "initialize", json!({ "capabilities": {} }));
    editor.tell("initialized", json!({}));
    for bad in [
        "Content-Length: 99999999999999\r\n\r\n",
        "garbage\r\n\r\n",
        "Content-Length: 1\r\n\r\n{",
        "Content-Length: 2\r\n\r\n[]",
    ] {
        editor.to.write_all(bad.as_bytes()).expect("it listens");
    }
    editor.send(json!({ "jsonrpc": "2.0", "id": 7, "params": [] }));
    let answer = editor.receive(|m| m["id"] == 7);
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert_eq!(editor.ask(8, "shutdown", Json::Null), Json::Null);
    editor.tell("exit", Json::Null);
    assert!(editor.child.wait().expect("it ends").success());
}
