//! The page of `linchpin explore` in a real browser.
//!
//! The page runs no script but its own, and the server answers nobody else. So the test stands between the two: it hands
//! on what the browser asks, and adds a script to the page and the permission to run it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::{browser, chromium};

/// A running program, which ends with the test.
struct Served {
    child: Child,
    port: u16,
    path: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(model: &Path) -> Served {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linchpin"));
    // Nobody says anything on standard input: the program must not end because of that.
    command.args(["explore", "--timeout", "20s"]).arg(model).stdin(Stdio::null());
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("linchpin runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
    let rest = line.trim().strip_prefix("http://127.0.0.1:").expect("an address of this machine");
    let (port, path) = rest.split_once('/').expect("a path");
    Served { child, port: port.parse().expect("a port"), path: format!("/{path}") }
}

/// A corpus model.
fn corpus(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/lin").join(name)
}

/// Reads a message of HTTP: its head and its body.
fn message(stream: &mut impl Read) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let mut body = bytes.split_off(end + 4);
            let head = String::from_utf8(bytes).ok()?;
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            let length: usize = length.unwrap_or(0);
            while body.len() < length {
                let n = stream.read(&mut buffer).ok().filter(|n| *n > 0)?;
                body.extend_from_slice(&buffer[..n]);
            }
            return Some((head, body));
        }
        let n = stream.read(&mut buffer).ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&buffer[..n]);
    }
}

/// Hands a request on, with the name of the server in it, and the answer back, with a script in a page.
fn pass_on(mut stream: TcpStream, own: u16, port: u16, script: &str) -> Option<()> {
    let (head, body) = message(&mut stream)?;
    let head = head.replace(&format!("127.0.0.1:{own}"), &format!("127.0.0.1:{port}"));
    let mut server = TcpStream::connect(("127.0.0.1", port)).ok()?;
    server.write_all(head.as_bytes()).ok()?;
    server.write_all(&body).ok()?;
    let (head, body) = message(&mut server)?;
    let (mut head, mut body) = (head, String::from_utf8(body).ok()?);
    if head.contains("text/html") {
        let allow = |text: &str| text.replacen("script-src '", "script-src 'nonce-test' '", 1);
        let length = format!("Content-Length: {}", body.len());
        body = allow(&body).replacen("</body>", script, 1);
        head = allow(&head).replacen(&length, &format!("Content-Length: {}", body.len()), 1);
    }
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()
}

/// Opens the page of a model, runs a script in it, and gives what the script said.
fn visit(name: &str, model: &Path, size: &str, script: &str) -> Option<Vec<String>> {
    let browser = browser()?;
    let served = serve(model);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let own = listener.local_addr().expect("an address").port();
    let script = format!(
        "<script nonce=\"test\">
         const log = document.createElement('pre'); log.id = 'log'; log.hidden = true;
         const say = (...words) => log.append(words.join(' ') + '\\n');
         const all = query => [...document.querySelectorAll(query)];
         const one = query => document.querySelector(query);
         const key = name => document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: name, bubbles: true }}));
         const until = async (what, text) => {{
           for (let i = 0; i < 300; i++) {{ if (what()) return; await new Promise(r => setTimeout(r, 20)); }}
           say('ERROR waited in vain:', text ?? what);
         }};
         const button = text => all('button').find(b => b.textContent === text);
         const type = (element, text) => {{ element.value = text; element.dispatchEvent(new Event('input', {{ bubbles: true }})); }};
         addEventListener('error', e => say('ERROR', e.message));
         addEventListener('unhandledrejection', e => say('ERROR', e.reason));
         addEventListener('securitypolicyviolation', e => say('ERROR', e.violatedDirective));
         document.body.append(log);
         (async () => {{ try {{ {script} }} catch (e) {{ say('ERROR', e) }} say('END'); }})();
         </script></body>"
    );
    let port = served.port;
    let kept = script.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let script = kept.clone();
            std::thread::spawn(move || pass_on(stream, own, port, &script));
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let profile = folder.path().join("profile");
    let address = format!("http://127.0.0.1:{own}{}", served.path);
    let (size, time) = (&format!("--window-size={size}"), "--virtual-time-budget=30000");
    if let Some(shots) = std::env::var_os("LINCHPIN_SCREENSHOTS") {
        for (theme, flag) in [
            ("light", "--blink-settings=preferredColorScheme=1"),
            ("dark", "--blink-settings=preferredColorScheme=0"),
        ] {
            let shot = Path::new(&shots).join(format!("{name}-{theme}.png"));
            let shot = format!("--screenshot={}", shot.display());
            chromium(&browser, &profile, &[&shot, flag, size, time], &address);
        }
    }
    let output = chromium(&browser, &profile, &["--dump-dom", size, time], &address);
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let log = dom.rsplit_once("<pre id=\"log\"").and_then(|(_, rest)| rest.split_once("</pre>"));
    let Some((log, _)) = log else { panic!("the script did not run: {dom}") };
    let lines: Vec<String> = log.lines().map(str::to_string).collect();
    let lines = match lines.split_first() {
        Some((first, rest)) => {
            let first = first.split_once('>').map_or("", |(_, text)| text).to_string();
            std::iter::once(first).chain(rest.iter().cloned()).collect::<Vec<_>>()
        }
        None => lines,
    };
    assert!(!lines.iter().any(|l| l.starts_with("ERROR")), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("END"), "{lines:?}");
    Some(lines)
}

/// Waits for the page, checks the model, and waits for the violation.
const VIOLATION: &str = "
    await until(() => all('.choices button').length > 0, 'the first steps');
    say('start', one('.controls .mono').textContent, all('.choices button').length);
    button('Check').click();
    await until(() => one('.verdict .bad'), 'a verdict');
    await until(() => state.film.path.length > 0 && one('.with-configurations .bad'), 'the violation');
    ";

#[test]
fn a_violation_is_found_left_and_come_back_to() {
    let script = format!(
        "{VIOLATION}
         const count = () => one('.controls .mono').textContent;
         say(one('.verdict').textContent.includes('NOT linearizable'));
         const end = count(); say(end.split(' / ')[0] === end.split(' / ')[1]);
         say(one('.with-configurations').textContent.includes('No order'));
         say(all('svg rect.bar.failing').length);
         // Back to the middle, and on with the other thread.
         parts.slider.value = 4; parts.slider.dispatchEvent(new Event('input'));
         await until(() => count().startsWith('4 / ') && state.moment && all('.choices button[aria-current=true]').length === 1, 'step 4');
         say(all('.choices button').length > 1);
         const other = all('.choices button').find(b => b.getAttribute('aria-current') !== 'true');
         other.click();
         await until(() => count() === '5 / 5', 'the other step');
         say(count());
         button('Bookmark').click();
         say(one('.bookmarks').textContent.startsWith('5: '));
         button('Undo').click();
         await until(() => count() === '4 / ' + end.split(' / ')[1], 'undone');
         say(count() === '4 / ' + end.split(' / ')[1]);
         one('.bookmarks button').click();
         await until(() => count() === '5 / 5', 'the bookmark');
         key('ArrowLeft'); await until(() => count() === '4 / 5', 'back'); say(count());
         key('u'); await until(() => count().startsWith('4 / ') && count() !== '4 / 5', 'undone again'); say(count() === '4 / ' + end.split(' / ')[1]);
         key('End'); await until(() => count() === end && one('.with-configurations .bad'), 'the end');
         all('.with-configurations .jump').length === 0 || say('ERROR there are configurations');
         key('Home'); await until(() => all('.with-configurations .jump').length > 0, 'configurations');
         all('.with-configurations .jump')[0].click();
         await until(() => all('.with-configurations .jump[aria-pressed=true]').length === 1, 'a configuration');
         say(all('.orders button').length > 0);"
    );
    let model = corpus("treiber_stack/aba.lin");
    let Some(lines) = visit("explore", &model, "1280,900", &script) else { return };
    assert!(lines[0].starts_with("start 0 / 0 "), "{lines:?}");
    let expected = [
        "true", "true", "true", "1", "true", "5 / 5", "true", "true", "4 / 5", "true", "true",
        "END",
    ];
    assert_eq!(lines[1..], expected);
}

#[test]
fn expressions_are_watched_at_every_step() {
    let script = format!(
        "{VIOLATION}
         const watch = async (text, n) => {{
           parts.expression.value = text; one('form').requestSubmit();
           await until(() => all('.watching tr').length === n && all('.watching tr')[n - 1].children[1].textContent !== '', text);
         }};
         await watch('Top', 1); await watch('Top == null', 2); await watch('items.len()', 3); await watch('Top +', 4);
         await watch('<img src=x onerror=say(1)>', 5);
         const values = () => all('.watching tr').map(r => r.children[1].textContent);
         key('Home'); await until(() => one('.controls .mono').textContent.startsWith('0 / '), 'home');
         say(values().slice(0, 3).join(' | '));
         say(values()[3].includes('expected'));
         say(all('.watching .bad').length, all('img').length);
         for (let i = 1; i <= 7; i++) {{ key('ArrowRight'); await until(() => one('.controls .mono').textContent.startsWith(i + ' / '), i); }}
         say(values()[0].startsWith('n') || values()[0] === 'null');
         all('.watching .jump')[0].click();
         await until(() => all('.watching tr').length === 4, 'one less');
         say(all('.watching td:first-child code').map(c => c.textContent).join(', '));"
    );
    let model = corpus("treiber_stack/aba.lin");
    let Some(lines) = visit("explore-watch", &model, "1920,1080", &script) else { return };
    assert_eq!(lines[1], "null | true | 0");
    assert_eq!(lines[2..5], ["true", "2 0", "true"]);
    assert_eq!(lines[5], "Top == null, items.len(), Top +, &lt;img src=x onerror=say(1)&gt;");
}

#[test]
fn a_model_is_edited_and_its_errors_have_places() {
    let script = "
        await until(() => all('.choices button').length > 0, 'the first steps');
        button('Edit').click();
        const right = parts.editor.value;
        type(parts.editor, right.replace('let t = Top', 'let t = Topp'));
        await until(() => all('.errors li').length > 0, 'an error');
        say(one('.errors li').textContent); say(button('Check').disabled);
        one('.errors button').click();
        say(parts.editor.value.slice(parts.editor.selectionStart, parts.editor.selectionEnd));
        type(parts.editor, right);
        await until(() => parts.errors.hidden, 'no error');
        say(button('Check').disabled);
        // A text that wants to be more than text.
        type(parts.editor, '// <script>say(\"ran\")<\\/script><img src=x onerror=\"say(1)\">\\n' + right);
        await until(() => state.source.startsWith('// <script>'), 'the text');
        button('Source').click();
        say(one('.source tr').textContent.includes('<script>'), all('img').length);";
    let Some(lines) = visit("explore-edit", &corpus("treiber_stack/aba.lin"), "390,844", script)
    else {
        return;
    };
    assert!(lines[0].starts_with("line 20 Topp is not declared"), "{lines:?}");
    assert_eq!(lines[1..], ["true", "Topp", "false", "true 0", "END"]);
}

#[test]
fn nothing_is_wider_than_the_page() {
    for size in ["1280,900", "1920,1080", "390,844"] {
        let script = format!(
            "{VIOLATION} say(document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollWidth, innerWidth);"
        );
        let name = format!("explore-{}", size.split(',').next().unwrap_or_default());
        let model = corpus("treiber_stack/aba.lin");
        let Some(lines) = visit(&name, &model, size, &script) else { return };
        assert!(lines[1].starts_with("true"), "{size}: {lines:?}");
    }
}

#[test]
fn a_search_without_end_is_stopped_from_the_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("endless.lin");
    let text = "object Big {
  var n: int
  op add() -> int { return fetch_add(n, 1) }
}
spec Count {
  var n: int
  op add() -> int { n = n + 1; return n - 1 }
}
check Big against Count { threads 3, ops unbounded }
";
    std::fs::write(&model, text).expect("a model");
    let script = "
        await until(() => all('.choices button').length > 0, 'the first steps');
        button('Check').click();
        say(button('Stop').disabled);
        while (state.checking) await ask('stop', {});
        await until(() => one('.verdict .doubtful'), 'a verdict');
        say(one('.verdict').textContent.includes('interrupted'));";
    let Some(lines) = visit("explore-stop", &model, "1280,900", script) else { return };
    assert_eq!(lines, ["false", "true", "END"]);
}
