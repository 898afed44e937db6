//! Messages as bytes: a header with a length, an empty line, and JSON of that length.
//!
//! Whatever comes, the server goes on. A frame that is broken is skipped and answered as far as possible: with an error
//! if it has the number of a request, and else with a line in the editor's log. Reading goes on at the
//! next header. A length that no editor needs is refused before there is memory for it.

use std::io::{self, BufRead, Read, Write};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Sender, bounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, RequestId, Response};
use serde_json::{Value as Json, json};

/// The longest message that is read. A model has at most a megabyte, and is sent as a whole.
const MAX_FRAME: u64 = 1 << 24;

/// Longer ones are skipped up to this length; what claims to be longer still is no message.
const MAX_SKIPPED: u64 = 1 << 30;

/// The longest line of a header.
const MAX_LINE: u64 = 1 << 12;

/// The two threads that read and write.
pub struct Threads {
    reader: JoinHandle<()>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits until the client has said goodbye and everything is written.
    pub fn join(self) -> Result<(), String> {
        let gone = |_| "a thread of the connection panicked".to_string();
        self.reader.join().map_err(gone)?;
        self.writer.join().map_err(gone)?.map_err(|e| e.to_string())
    }
}

/// A connection over two streams.
pub fn connect(
    mut input: impl BufRead + Send + 'static,
    mut output: impl Write + Send + 'static,
) -> (Connection, Threads) {
    let (sender, to_write) = bounded::<Message>(0);
    let (read, receiver) = bounded::<Message>(0);
    let writer = thread::spawn(move || {
        to_write.into_iter().try_for_each(|message| message.write(&mut output))
    });
    let answers = sender.clone();
    let reader = thread::spawn(move || listen(&mut input, &read, &answers));
    (Connection { sender, receiver }, Threads { reader, writer })
}

/// Passes messages on until the client leaves.
fn listen(input: &mut impl BufRead, read: &Sender<Message>, answers: &Sender<Message>) {
    while let Ok(Some(frame)) = next(input) {
        let sent = match frame.and_then(|text| understand(&text)) {
            Ok(message) => {
                let exit = matches!(&message, Message::Notification(n) if n.method == "exit");
                if read.send(message).is_err() || exit {
                    return;
                }
                continue;
            }
            Err(broken) => answers.send(broken.answer()),
        };
        if sent.is_err() {
            return;
        }
    }
}

/// A frame that is not understood.
struct Broken {
    id: Option<RequestId>,
    code: ErrorCode,
    why: String,
}

impl Broken {
    fn new(why: impl Into<String>) -> Broken {
        Broken { id: None, code: ErrorCode::ParseError, why: why.into() }
    }

    fn answer(self) -> Message {
        match self.id {
            Some(id) => Response::new_err(id, self.code as i32, self.why).into(),
            None => {
                let text = format!("a message was skipped: {}", self.why);
                let params = json!({ "type": 1, "message": text });
                Notification::new("window/logMessage".to_string(), params).into()
            }
        }
    }
}

/// The text of the next frame, if there is one.
fn next(input: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, Broken>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if (&mut *input).take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        // What is no header is skipped: perhaps the rest of a frame whose length was wrong.
        match (line.trim().split_once(':'), length) {
            (Some((name, value)), _) if name.eq_ignore_ascii_case("Content-Length") => {
                length = value.trim().parse::<u64>().ok();
                if length.is_none_or(|length| length > MAX_SKIPPED) {
                    return Ok(Some(Err(Broken::new("it has an absurd length"))));
                }
            }
            (None, Some(length)) if line.trim().is_empty() => return body(input, length).map(Some),
            _ => {}
        }
    }
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Result<Vec<u8>, Broken>> {
    let mut input = input.take(length);
    if length > MAX_FRAME {
        io::copy(&mut input, &mut io::sink())?;
        return Ok(Err(Broken::new(format!("it has more than {MAX_FRAME} bytes"))));
    }
    // The memory grows with what comes, not with what was promised.
    let mut text = Vec::new();
    input.read_to_end(&mut text)?;
    match (text.len() as u64) < length {
        true => Err(io::ErrorKind::UnexpectedEof.into()),
        false => Ok(Ok(text)),
    }
}

fn understand(text: &[u8]) -> Result<Message, Broken> {
    let json: Json = serde_json::from_slice(text).map_err(|e| Broken::new(e.to_string()))?;
    let id = json.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    serde_json::from_value(json).map_err(|_| Broken {
        id,
        code: ErrorCode::InvalidRequest,
        why: "it is neither a request nor a response nor a notification".to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    /// What is read of a stream, and how many frames are broken.
    fn read(bytes: &[u8]) -> (Vec<String>, usize) {
        let (mut input, mut methods, mut broken) = (bytes, Vec::new(), 0);
        while let Ok(Some(frame)) = next(&mut input) {
            match frame.and_then(|text| understand(&text)) {
                Ok(Message::Notification(n)) => methods.push(n.method),
                Ok(_) => {}
                Err(_) => broken += 1,
            }
        }
        (methods, broken)
    }

    #[test]
    fn a_broken_frame_is_skipped_and_the_next_one_is_read() {
        let good = frame(r#"{"jsonrpc":"2.0","method":"good"}"#);
        let table = [
            (String::new(), 0),
            ("Content-Length: 99999999999999999999\r\n\r\n".into(), 1),
            ("Content-Length: 99999999999999\r\n\r\n".into(), 1),
            ("Content-Length: -1\r\n\r\n".into(), 1),
            ("Content-Length: many\r\n\r\n".into(), 1),
            ("Content-Length 7\r\n\r\n".into(), 0),
            ("\r\n\r\n{}\r\n".into(), 0),
            (format!("{}\r\n", "x".repeat(100_000)), 0),
            (frame("{"), 1),
            (frame("{}"), 1),
            (frame("[1]"), 1),
            (frame(&"[".repeat(100_000)), 1),
            (frame(r#"{"id":7,"params":3}"#), 1),
            (frame(&format!("\"{}\"", "x".repeat(MAX_FRAME as usize))), 1),
            ("X-Other: 1\r\ncontent-length:2\n\n{}".into(), 1),
        ];
        for (bad, broken) in table {
            let start: String = bad.chars().take(40).collect();
            let stream = format!("{good}{bad}{good}");
            let expected = (vec!["good".to_string(), "good".to_string()], broken);
            assert_eq!(read(stream.as_bytes()), expected, "{start}");
        }
        let broken = [good.as_bytes(), b"Content-Length: 2\r\n\r\n\xff\xff", good.as_bytes()];
        assert_eq!(read(&broken.concat()).1, 1);
    }

    #[test]
    fn a_request_that_is_not_understood_is_answered_by_its_number() {
        let Err(broken) = understand(br#"{"id":7,"params":3}"#) else { panic!("it is understood") };
        let Message::Response(response) = broken.answer() else { panic!("not an answer") };
        assert_eq!(response.id, RequestId::from(7));
    }

    #[test]
    fn a_frame_that_promises_more_than_comes_is_the_end() {
        assert!(read(b"Content-Length: 1000000\r\n\r\n{}").0.is_empty());
    }
}
