//! As much of HTTP/1.1 (RFC 9112) as one page on this machine needs, and nothing that others could use.
//!
//! Whoever wants an answer must know the token, which is in the address of the page. The server hears this machine
//! only; `Host` must be its own address, so that a name that somebody else has pointed at this machine does not work
//! (DNS rebinding); what is sent must come from the page itself (`Origin`) as JSON, which no other page may send without
//! asking first. One request per connection, one thread per connection, a bound on both; a bound on the size and the time of
//! a request. What is not a request is answered with 400.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use linchpin_cluster::Secret;
use linchpin_lin::MAX_BYTES;

/// A head has at most so many bytes.
const MAX_HEAD: usize = 16 << 10;
/// A body: a model in JSON, in which a character may take six bytes, and what else there is to say.
const MAX_BODY: usize = 6 * MAX_BYTES + (1 << 20);
/// A request must be here after this time.
const PATIENCE: Duration = Duration::from_secs(10);
/// At most so many requests at once.
const MOST: usize = 16;

/// What is answered.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    /// What a page may do.
    pub(super) policy: String,
    pub(super) body: String,
}

impl Reply {
    /// Nothing but a number and a sentence.
    pub(super) fn plain(status: u16, text: &str) -> Self {
        let policy = "default-src 'none'".to_string();
        Reply { status, kind: "text/plain; charset=utf-8", policy, body: format!("{text}\n") }
    }
}

/// A request from the page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// The page itself.
    Page,
    /// A question of that name.
    Ask(String, Vec<u8>),
}

/// Why a request is not answered: a status and a sentence.
type Refusal = (u16, &'static str);

/// A server for one page.
pub(super) struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
}

impl Server {
    /// Begins to listen, on this machine only; port 0: any that is free.
    ///
    /// # Errors
    /// In words.
    pub(super) fn new(port: u16) -> Result<Self, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listener = listener.map_err(|e| format!("cannot listen on port {port}: {e}"))?;
        let port = listener.local_addr().map_err(|e| e.to_string())?.port();
        Ok(Server { listener, port, token: Secret::random_text()? })
    }

    /// Where the page is.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Answers until the program ends.
    pub(super) fn run(&self, answer: &(dyn Fn(Request) -> Reply + Sync)) {
        let open = AtomicUsize::new(0);
        thread::scope(|scope| {
            for stream in self.listener.incoming() {
                // A connection that is gone already, or no room for one: others may come.
                let Ok(stream) = stream else { continue };
                let open = &open;
                if open.fetch_add(1, Ordering::Relaxed) >= MOST {
                    open.fetch_sub(1, Ordering::Relaxed);
                    let _ = send(&stream, &Reply::plain(503, "too many requests at once"));
                    continue;
                }
                let serve = move || {
                    // A defect in one answer is not the end of the others.
                    let done = catch_unwind(AssertUnwindSafe(|| self.serve(&stream, answer)));
                    if done.is_err() {
                        let _ = send(&stream, &Reply::plain(500, "the program panicked"));
                    }
                    open.fetch_sub(1, Ordering::Relaxed);
                };
                if thread::Builder::new().spawn_scoped(scope, serve).is_err() {
                    open.fetch_sub(1, Ordering::Relaxed);
                }
            }
        });
    }

    fn serve(&self, stream: &TcpStream, answer: &(dyn Fn(Request) -> Reply + Sync)) {
        let reply = match self.read(stream, Instant::now() + PATIENCE) {
            Ok(request) => answer(request),
            Err((status, why)) => Reply::plain(status, why),
        };
        // Who does not wait for the answer does not get it.
        let _ = send(stream, &reply);
    }

    /// Reads a request and decides whether it may be made.
    fn read(&self, mut stream: &TcpStream, until: Instant) -> Result<Request, Refusal> {
        let mut more = |into: &mut Vec<u8>| {
            let left = until.saturating_duration_since(Instant::now());
            let late = (408, "the request did not come in time");
            if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
                return Err(late);
            }
            let mut buffer = [0; 8 << 10];
            match stream.read(&mut buffer) {
                Ok(0) => Err((400, "the request ends too early")),
                Ok(n) => {
                    into.extend_from_slice(&buffer[..n]);
                    Ok(())
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(()),
                Err(_) => Err(late),
            }
        };
        let mut bytes = Vec::new();
        let end = loop {
            match bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                Some(end) if end <= MAX_HEAD => break end,
                None if bytes.len() <= MAX_HEAD => more(&mut bytes)?,
                _ => return Err((431, "the head of the request is too long")),
            }
        };
        let mut body = bytes.split_off(end + 4);
        let head = Head::parse(&bytes[..end])?;
        let name = self.admit(&head)?;
        if head.method == "GET" {
            return match name {
                "" => Ok(Request::Page),
                _ => Err((404, "there is nothing here")),
            };
        }
        let length = head.length.ok_or((411, "the request does not say how long it is"))?;
        if length > MAX_BODY {
            return Err((413, "the request is too long"));
        }
        while body.len() < length {
            more(&mut body)?;
        }
        body.truncate(length);
        Ok(Request::Ask(name.to_string(), body))
    }

    /// What is asked for, if it may be.
    fn admit<'h>(&self, head: &Head<'h>) -> Result<&'h str, Refusal> {
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let host = head.host.filter(|host| hosts.iter().any(|h| h == host));
        let host = host.ok_or((403, "this is not the name of this server"))?;
        if head.origin.is_some_and(|origin| origin.strip_prefix("http://") != Some(host)) {
            return Err((403, "only the page itself may ask"));
        }
        let rest = head.path.strip_prefix('/').and_then(|path| path.split_once('/'));
        let (token, name) = rest.unwrap_or_default();
        if !same(token, &self.token) {
            return Err((404, "there is nothing here"));
        }
        match head.method {
            "GET" => Ok(name),
            "POST" if head.json => Ok(name),
            "POST" => Err((415, "questions are asked in JSON")),
            _ => Err((405, "there is nothing but GET and POST")),
        }
    }
}

/// Are these equal? Takes the same time wherever they differ.
fn same(a: &str, b: &str) -> bool {
    let differ = a.bytes().zip(b.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    a.len() == b.len() && differ == 0
}

/// The head of a request, as far as it matters here.
#[derive(Default)]
struct Head<'h> {
    method: &'h str,
    path: &'h str,
    host: Option<&'h str>,
    origin: Option<&'h str>,
    length: Option<usize>,
    json: bool,
}

impl<'h> Head<'h> {
    fn parse(bytes: &'h [u8]) -> Result<Self, Refusal> {
        const BAD: Refusal = (400, "this is not a request of HTTP/1.1");
        let text = std::str::from_utf8(bytes).map_err(|_| BAD)?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(path), Some("HTTP/1.1" | "HTTP/1.0"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(BAD);
        };
        let graphic = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        if !graphic(method) || !graphic(path) {
            return Err(BAD);
        }
        let mut head = Head { method, path, ..Head::default() };
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(BAD)?;
            let value = value.trim_matches([' ', '\t']);
            // Neither a name with blanks nor a line that goes on in the next, which some would read otherwise.
            if !graphic(name) || value.bytes().any(|b| b.is_ascii_control() && b != b'\t') {
                return Err(BAD);
            }
            let once = |place: &mut Option<&'h str>| match place.replace(value) {
                None => Ok(()),
                Some(_) => Err(BAD),
            };
            match name.to_ascii_lowercase().as_str() {
                "host" => once(&mut head.host)?,
                "origin" => once(&mut head.origin)?,
                "content-length" => {
                    let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
                    let length = value.parse().ok().filter(|_| digits).ok_or(BAD)?;
                    if head.length.replace(length).is_some() {
                        return Err(BAD);
                    }
                }
                "content-type" => {
                    let kind = value.split(';').next().unwrap_or_default().trim();
                    head.json = kind.eq_ignore_ascii_case("application/json");
                }
                "transfer-encoding" => return Err((501, "the length of a request must be known")),
                _ => {}
            }
        }
        Ok(head)
    }
}

/// Sends an answer and ends the connection.
fn send(mut stream: &TcpStream, reply: &Reply) -> io::Result<()> {
    let reason = if reply.status == 200 { "OK" } else { "Refused" };
    let head = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Content-Security-Policy: {}\r\n\r\n",
        reply.status,
        reply.kind,
        reply.body.len(),
        reply.policy,
    );
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(head.as_bytes())?;
    stream.write_all(reply.body.as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    // If something that was sent is not read, the other side may lose the answer.
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    let mut rest = [0; 8 << 10];
    for _ in 0..16 {
        if stream.read(&mut rest)? == 0 {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends bytes to a server whose answers repeat the question; gives the status and the rest.
    fn ask(of: impl Fn(&Server) -> String) -> (u16, String) {
        let server: &'static Server = Box::leak(Box::new(Server::new(0).unwrap()));
        thread::spawn(|| {
            server.run(&|request| match request {
                Request::Page => Reply::plain(200, "the page"),
                Request::Ask(name, _) if name == "panic" => panic!("on purpose"),
                Request::Ask(name, body) => {
                    Reply::plain(200, &format!("{name}: {}", String::from_utf8_lossy(&body)))
                }
            });
        });
        talk(server, of(server).as_bytes())
    }

    fn talk(server: &Server, bytes: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let status = answer.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
        (status, answer)
    }

    fn get(server: &Server, path: &str, more: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{more}\r\n", server.port)
    }

    fn post(server: &Server, name: &str, more: &str, body: &str) -> String {
        format!(
            "POST /{}/{name} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n{more}\r\n{body}",
            server.token,
            server.port,
            body.len()
        )
    }

    const JSON: &str = "Content-Type: application/json; charset=utf-8\r\n";

    #[test]
    fn who_knows_the_token_gets_the_page_and_answers() {
        let (status, answer) = ask(|s| get(s, &format!("/{}/", s.token), ""));
        assert_eq!(status, 200, "{answer}");
        assert!(answer.ends_with("the page\n") && answer.contains("nosniff"), "{answer}");
        let (status, answer) = ask(|s| post(s, "step", JSON, "{\"a\":1}"));
        assert_eq!(status, 200, "{answer}");
        assert!(answer.ends_with("step: {\"a\":1}\n"), "{answer}");
        let own = |s: &Server| format!("{JSON}Origin: http://localhost:{}\r\n", s.port);
        assert_eq!(ask(|s| post(s, "step", &own(s), "")).0, 200);
    }

    #[test]
    fn who_does_not_know_the_token_gets_nothing() {
        for path in ["/", "/favicon.ico", "/0000/", "*", "http://127.0.0.1/"] {
            assert_eq!(ask(|s| get(s, path, "")).0, 404, "{path}");
        }
        assert_eq!(ask(|s| get(s, &format!("/{}/", &s.token[1..]), "")).0, 404);
        assert_eq!(ask(|s| get(s, &format!("/{}0/", s.token), "")).0, 404);
        assert_eq!(ask(|s| get(s, &format!("/{}/step", s.token), "")).0, 404);
        let mut tokens: Vec<_> = (0..4).map(|_| Server::new(0).unwrap().token).collect();
        tokens.sort();
        tokens.dedup();
        assert!(tokens.len() == 4 && tokens.iter().all(|t| t.len() == 64), "{tokens:?}");
    }

    #[test]
    fn other_names_and_other_pages_are_refused() {
        let page =
            |s: &Server, host: &str| format!("GET /{}/ HTTP/1.1\r\nHost: {host}\r\n\r\n", s.token);
        for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", ""] {
            assert_eq!(ask(|s| page(s, host)).0, 403, "{host}");
        }
        assert_eq!(ask(|s| page(s, &format!("evil.example:{}", s.port))).0, 403);
        assert_eq!(ask(|s| format!("GET /{}/ HTTP/1.1\r\n\r\n", s.token)).0, 403);
        for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"] {
            let more = format!("{JSON}Origin: {origin}\r\n");
            assert_eq!(ask(|s| post(s, "step", &more, "{}")).0, 403, "{origin}");
        }
        // What a form of another page can send.
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            let more = format!("Content-Type: {kind}\r\n");
            assert_eq!(ask(|s| post(s, "step", &more, "{}")).0, 415, "{kind}");
        }
    }

    #[test]
    fn what_is_not_a_request_is_refused() {
        let garbage = [
            "",
            "\r\n\r\n",
            "GET\r\n\r\n",
            "GET /\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "GET  / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1 \r\n\r\n",
            "\u{0}\u{1}\u{2}\r\n\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\n folded: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\u{7}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
            "GET /\u{e9} HTTP/1.1\r\n\r\n",
        ];
        for bytes in garbage {
            let (status, answer) = ask(|_| bytes.to_string());
            assert_eq!(status, 400, "{bytes:?}: {answer}");
        }
    }

    #[test]
    fn sizes_are_bounded_and_lengths_are_needed() {
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(MAX_HEAD));
        assert_eq!(ask(|_| long.clone()).0, 431);
        let head = |s: &Server, more: &str| {
            let (token, port) = (&s.token, s.port);
            format!("POST /{token}/step HTTP/1.1\r\nHost: localhost:{port}\r\n{JSON}{more}\r\n")
        };
        assert_eq!(ask(|s| head(s, &format!("Content-Length: {}\r\n", MAX_BODY + 1))).0, 413);
        assert_eq!(ask(|s| head(s, "Content-Length: 5\r\n") + "four").0, 400);
        assert_eq!(ask(|s| head(s, "")).0, 411);
        assert_eq!(ask(|s| head(s, "Transfer-Encoding: chunked\r\n")).0, 501);
        assert_eq!(ask(|s| head(s, "").replacen("POST", "PUT", 1)).0, 405);
    }

    #[test]
    fn a_defect_in_one_answer_is_not_the_end() {
        let server: &'static Server = Box::leak(Box::new(Server::new(0).unwrap()));
        thread::spawn(|| {
            server.run(&|request| match request {
                Request::Page => Reply::plain(200, "still here"),
                Request::Ask(..) => panic!("on purpose"),
            });
        });
        for _ in 0..2 * MOST {
            let (status, _) = talk(server, post(server, "x", JSON, "{}").as_bytes());
            assert_eq!(status, 500);
        }
        let (status, _) = talk(server, get(server, &format!("/{}/", server.token), "").as_bytes());
        assert_eq!(status, 200);
    }
}
