//! An editor for tests: speaks the protocol with a server on a thread of its own.

use std::collections::VecDeque;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use linchpin_lsp::{Connection, Settings, serve};
use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value as Json, json};

/// Nothing here takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const URI: &str = "file:///model.lin";

/// What a request came to: the result, or code and message of the error.
pub(crate) type Answer = Result<Json, (i64, String)>;

pub(crate) struct Client {
    connection: Connection,
    server: Option<JoinHandle<Result<(), String>>>,
    next: i32,
    version: i32,
    /// Notifications that nobody has asked for yet.
    seen: VecDeque<Notification>,
    answers: VecDeque<Response>,
    /// Requests of the server.
    pub(crate) asked: Vec<String>,
    /// The address of the text.
    uri: String,
}

impl Client {
    /// A client with a server that was initialised.
    pub(crate) fn new() -> Client {
        Client::with(json!({}), Settings::default())
    }

    pub(crate) fn with(options: Json, settings: Settings) -> Client {
        let (connection, other) = Connection::memory();
        let server = std::thread::spawn(move || serve(&other, settings));
        let mut client = Client {
            connection,
            server: Some(server),
            next: 0,
            version: 0,
            seen: VecDeque::new(),
            answers: VecDeque::new(),
            asked: Vec::new(),
            uri: URI.to_string(),
        };
        let capabilities = json!({
            "workspace": { "codeLens": { "refreshSupport": true } },
            "window": { "workDoneProgress": true },
        });
        let params = json!({ "capabilities": capabilities, "initializationOptions": options });
        let result = client.request("initialize", params).expect("a server");
        assert_eq!(result["serverInfo"]["name"], "linchpin");
        client.notify("initialized", json!({}));
        client
    }

    /// A client that has opened a text.
    pub(crate) fn open(text: &str) -> Client {
        let mut client = Client::new();
        client.open_text(text);
        client
    }

    /// The same with a text of another name.
    pub(crate) fn open_as(uri: &str, text: &str, settings: Settings) -> Client {
        let mut client = Client::with(json!({}), settings);
        client.uri = uri.to_string();
        client.open_text(text);
        client
    }

    pub(crate) fn open_text(&mut self, text: &str) {
        let document =
            json!({ "uri": self.uri, "languageId": "linchpin", "version": 1, "text": text });
        self.version = 1;
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the whole text.
    pub(crate) fn change(&mut self, text: &str) {
        self.changes(json!([{ "text": text }]));
    }

    pub(crate) fn changes(&mut self, changes: Json) {
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    pub(crate) fn notify(&self, method: &str, params: Json) {
        let n = Notification { method: method.to_string(), params };
        self.connection.sender.send(n.into()).expect("a server that listens");
    }

    /// Sends a request and does not wait.
    pub(crate) fn send(&mut self, method: &str, params: Json) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        let request = Request { id: id.clone(), method: method.to_string(), params };
        self.connection.sender.send(request.into()).expect("a server that listens");
        id
    }

    /// Sends a request and waits for the answer.
    pub(crate) fn request(&mut self, method: &str, params: Json) -> Answer {
        let id = self.send(method, params);
        self.answer(&id)
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: &RequestId) -> Answer {
        let start = Instant::now();
        loop {
            if let Some(i) = self.answers.iter().position(|a| a.id == *id) {
                let answer = self.answers.remove(i).expect("an answer");
                return answer.response_result.map_err(|e| (i64::from(e.code), e.message));
            }
            self.receive(start);
        }
    }

    /// A question about a position of the open text.
    pub(crate) fn at(&mut self, method: &str, position: (u32, u32), more: Json) -> Answer {
        let (line, character) = position;
        let mut params = json!({
            "textDocument": { "uri": self.uri },
            "position": { "line": line, "character": character },
        });
        if let (Json::Object(all), Json::Object(more)) = (&mut params, more) {
            all.extend(more);
        }
        self.request(method, params)
    }

    /// A question about the open text.
    pub(crate) fn about(&mut self, method: &str) -> Json {
        self.request(method, json!({ "textDocument": { "uri": self.uri } })).expect("an answer")
    }

    /// The next notification of a kind.
    pub(crate) fn notification(&mut self, method: &str) -> Json {
        let start = Instant::now();
        loop {
            if let Some(i) = self.seen.iter().position(|n| n.method == method) {
                return self.seen.remove(i).expect("a notification").params;
            }
            self.receive(start);
        }
    }

    /// What is wrong with the text in its present version, in the end.
    pub(crate) fn diagnostics(&mut self) -> Vec<Json> {
        loop {
            let said = self.notification("textDocument/publishDiagnostics");
            if said["version"] == json!(self.version) {
                return said["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    /// The titles of the lenses.
    pub(crate) fn lenses(&mut self) -> Vec<String> {
        let lenses = self.about("textDocument/codeLens");
        let title = |lens: &Json| lens["command"]["title"].as_str().expect("a title").to_string();
        lenses.as_array().expect("a list").iter().map(title).collect()
    }

    pub(crate) fn command(&mut self, command: &str, name: Option<&str>) -> RequestId {
        let arguments = json!([{ "uri": self.uri, "name": name }]);
        let params = json!({ "command": command, "arguments": arguments });
        self.send("workspace/executeCommand", params)
    }

    fn receive(&mut self, start: Instant) {
        let left = PATIENCE.checked_sub(start.elapsed()).expect("an answer in time");
        match self.connection.receiver.recv_timeout(left).expect("a message in time") {
            Message::Notification(n) => self.seen.push_back(n),
            Message::Response(r) => self.answers.push_back(r),
            Message::Request(r) => {
                self.asked.push(r.method);
                let answer = Response { id: r.id, response_result: Ok(Json::Null) };
                self.connection.sender.send(answer.into()).expect("a server that listens");
            }
        }
    }

    /// Says goodbye; gives how the server ended.
    pub(crate) fn close(mut self) -> Result<(), String> {
        self.request("shutdown", Json::Null).expect("a polite end");
        self.notify("exit", Json::Null);
        self.server.take().expect("a server").join().expect("a server that did not panic")
    }

    /// Leaves without a word.
    pub(crate) fn vanish(mut self) -> Result<(), String> {
        let server = self.server.take().expect("a server");
        drop(self);
        server.join().expect("a server that did not panic")
    }
}

/// Line and character of the n-th occurrence of a piece of a text; only for ASCII.
pub(crate) fn place(text: &str, piece: &str, n: usize) -> (u32, u32) {
    let at = text.match_indices(piece).nth(n).unwrap_or_else(|| panic!("no `{piece}`")).0;
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    (line as u32, (at - start) as u32)
}

/// `line:from-to`
pub(crate) fn range(json: &Json) -> String {
    let (start, end) = (&json["start"], &json["end"]);
    assert_eq!(start["line"], end["line"], "{json}");
    format!("{}:{}-{}", start["line"], start["character"], end["character"])
}
