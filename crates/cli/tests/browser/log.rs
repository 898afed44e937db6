//! The page of a recorded history.
//!
//! How fast it is depends on the machine; how much it draws does not. While one zooms in twenty thousand operations, frames
//! were 17 ms apart (the median; 95 of 100 within 23 ms; software rendering on two cores), and 32 to 42 ms where four builds
//! ran beside it; what is asserted are numbers of shapes and elements.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{browser, chromium, visit, visit_at};

const LOST: &str = "book/src/models/lost_write.jsonl";
const OVERTAKEN: &str = "corpus/history/queue_overtaken.jsonl";

/// The page of a log.
fn page(log: &str, spec: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_linchpin"));
    command.current_dir(root).args(["history", log, "--spec", spec, "--format", "html"]);
    let output = command.output().expect("linchpin runs");
    String::from_utf8(output.stdout).expect("a page is text")
}

/// The page of a log that is written for this.
fn page_of(text: &str, spec: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("log");
    std::fs::write(&file, text).expect("the log is written");
    page(&file.display().to_string(), spec)
}

/// Sixteen clients with a key each: 20 000 operations, one of which may read what was overwritten long ago; one is lost.
fn long(stale: bool) -> String {
    let mut log = String::new();
    let (mut values, mut old) = ([0u32; 16], [0u32; 16]);
    for round in 0..1250u32 {
        let who = |c: u32| if c == 5 && round > 600 { 105 } else { c };
        let reads = |c: u32| (round + c).is_multiple_of(3);
        for c in 0..16 {
            let (process, value) = (who(c), round * 16 + c + 1);
            let _ = match reads(c) {
                true => writeln!(
                    log,
                    r#"{{"process":{process},"type":"invoke","op":"get","args":["k{c}"]}}"#
                ),
                false => writeln!(
                    log,
                    r#"{{"process":{process},"type":"invoke","op":"put","args":["k{c}",{value}]}}"#
                ),
            };
        }
        for c in (0..16).rev() {
            let process = who(c);
            let k = c as usize;
            if c == 5 && round == 600 {
                // Nobody saw it; it may never happen.
                let _ = writeln!(log, r#"{{"process":{process},"type":"info","op":"put"}}"#);
            } else if reads(c) {
                let seen = if stale && c == 3 && round == 750 { old[k] } else { values[k] };
                let seen = if seen == 0 { "null".to_string() } else { seen.to_string() };
                let _ = writeln!(
                    log,
                    r#"{{"process":{process},"type":"ok","op":"get","result":{seen}}}"#
                );
            } else {
                (old[k], values[k]) = (values[k], round * 16 + c + 1);
                let _ = writeln!(log, r#"{{"process":{process},"type":"ok","op":"put"}}"#);
            }
        }
    }
    log
}

/// What every script begins with: draws at once, says what is seen.
const BEGIN: &str = "const paint = () => { asked = false; paintNow(); return Number(pane.canvas.dataset.shapes); };
    const button = text => all('button').find(b => b.textContent.startsWith(text));
    const part = () => `${scene.view.from.toFixed(1)} ${scene.view.to.toFixed(1)}`;
    const press = name => one('canvas.picture').dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
    paint();\n";

#[test]
fn a_log_opens_at_the_violation_with_what_matters() {
    let script = BEGIN.to_string()
        + r#"say(one('h1').textContent); say(scene.layout.shown.length, pane.count.textContent);
        say(scene.focus === scene.data.log.failing, pane.now.textContent);
        say(all('.orders button').map(b => b.textContent).join());
        say(all('.attempt li').map(e => e.textContent).join('|'));
        button('Whole history').click(); paint();
        say(scene.layout.shown.length, location.hash.includes('view=whole'));
        const x = pane.picture.x(scene.layout.to[scene.data.log.failing]);
        say(x > pane.picture.gutter && x < pane.picture.width);
        say(all('.orders button').map(b => b.textContent).join());
        button('What matters').click(); say(scene.layout.shown.length);"#;
    let Some(lines) = visit("log", &page(LOST, "map"), "", &script) else { return };
    assert!(lines[0].ends_with("NOT linearizable against map"), "{lines:?}");
    assert_eq!(lines[1], "3 3 operations of 3 processes; the log has 12.");
    assert!(lines[2].starts_with("true get(\"cart\") = 1process web-4, line 15"), "{lines:?}");
    assert!(lines[2].ends_with("would return 2, but returned 1"), "{lines:?}");
    assert_eq!(lines[3], "Longest order,No order");
    let steps = "web-1: put(\"cart\", 1) entries = {\"cart\" 1}|web-3: put(\"cart\", 2) entries = {\"cart\" 2}|\
                 web-4: get(\"cart\") = 1 would return 2, but returned 1";
    assert_eq!(lines[4], steps);
    assert_eq!(lines[5..], ["12 true", "true", "Longest order,Everything before,No order", "3"]);
}

#[test]
fn a_click_switches_between_the_longest_orders() {
    let script = BEGIN.to_string()
        + r"const drawn = () => scene.points.map(p => scene.data.call(p[0])).join(' ') + ' fails at ' + scene.data.words(scene.order.fails);
        say(drawn()); button('Longest order 2').click(); say(drawn()); say(location.hash.includes('order=1'));
        press('o'); say(drawn()); press('n'); press('n'); say(scene.data.words(scene.focus));
        button('No order').click(); say(scene.points.length, scene.order);";
    let Some(lines) = visit("orders", &page(OVERTAKEN, "queue"), "", &script) else { return };
    let fails = "fails at dequeue() = \"b\"";
    assert_eq!(lines[0], format!("enqueue(\"a\") {fails}"));
    assert_eq!(lines[1], format!("enqueue(\"a\") enqueue(\"b\") {fails}"));
    assert_eq!(lines[2], "true");
    assert_eq!(lines[3], lines[0]);
    assert_eq!(lines[4..], ["dequeue() = \"b\"", "0 "]);
}

#[test]
fn twenty_thousand_operations_are_few_shapes_at_every_distance() {
    let script = BEGIN.to_string()
        + r#"say(scene.layout.shown.length); button('Whole history').click();
        const first = paint(); let most = first, least = Infinity;
        say(scene.layout.shown.length, first > 20);
        showAll(); say(scene.view.to - scene.view.from > 39000);
        for (let i = 0; i < 60; i++) { const n = paint(); most = Math.max(most, n); least = Math.min(least, n); zoom(0.8, 20000); }
        say(most < 5000, least > 5, scene.view.to - scene.view.from); say(document.querySelectorAll('*').length < 1500);
        press('v'); paint(); say(part() !== '', scene.focus === scene.data.log.failing);
        const field = one('input.search'); field.value = 'put("k3", 4'; field.dispatchEvent(new Event('input'));
        say(scene.hits.length, pane.hits.textContent); showAll(); say(paint() < 5000);
        const keys = one('select[aria-label=Key]'); keys.value = '3'; keys.dispatchEvent(new Event('change'));
        say(scene.layout.shown.length, scene.layout.processes.length);
        const open = all('select[aria-label=Process]')[0]; open.value = '3'; open.dispatchEvent(new Event('change'));
        say(scene.layout.shown.length); keys.value = ''; keys.dispatchEvent(new Event('change'));
        open.value = ''; open.dispatchEvent(new Event('change')); say(scene.layout.shown.length);
        const lost = scene.layout.shown.filter(i => scene.layout.open(i)); say(lost.length, scene.data.words(lost[0]));"#;
    let Some(lines) = visit("long", &page_of(&long(true), "map"), "", &script) else { return };
    assert_eq!(lines[..3], ["3", "20000 true", "true"]);
    assert_eq!(lines[3], "true true 2");
    assert_eq!(lines[4..6], ["true", "true true"]);
    let found = lines[6].split(' ').next().unwrap_or_default().to_string();
    assert_ne!(found, "0");
    assert_eq!(lines[6], format!("{found} {found} found"));
    assert_eq!(lines[7..10], ["true", "1250 1", "1250"]);
    assert_eq!(lines[10], "20000");
    assert_eq!(lines[11], "1 put(\"k5\", 9606) (never returned)");
}

#[test]
fn every_point_of_an_order_is_in_its_bar_and_after_the_one_before() {
    let script = BEGIN.to_string()
        + "const { from, to } = scene.layout; let inside = 0, after = 0;
        scene.points.forEach(([i, at], k) => { inside += at > from[i] && at < to[i]; after += k === 0 || at > scene.points[k - 1][1]; });
        say(scene.points.length, inside, after); say(all('.orders button').map(b => b.textContent).join());
        say(one('h1').textContent.endsWith(' linearizable against map'), all('.attempt li').length);";
    let Some(lines) = visit("order", &page_of(&long(false), "map"), "", &script) else { return };
    let counts: Vec<&str> = lines[0].split(' ').collect();
    assert!(counts[0].parse::<u32>().is_ok_and(|n| n >= 19_999), "{lines:?}");
    assert!(counts[1] == counts[0] && counts[2] == counts[0], "{lines:?}");
    assert_eq!(lines[1..], ["Order,No order", "true 200"]);
}

#[test]
fn wheel_keys_and_pointer_move_and_tell() {
    let script = BEGIN.to_string()
        + r"showAll(); const whole = part(); const canvas = one('canvas.picture'), box = canvas.getBoundingClientRect();
        const at = (kind, x, y, more) => canvas.dispatchEvent(new (kind === 'wheel' ? WheelEvent : PointerEvent)(kind, { clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true, pointerId: 1, ...more }));
        canvas.setPointerCapture = () => {};
        at('wheel', 400, 60, { deltaY: -300 }); say(part() !== whole, scene.view.to - scene.view.from < scene.layout.span);
        const zoomed = part(); at('wheel', 400, 60, { deltaX: 80 }); say(part() !== zoomed);
        press('0'); say(part() === whole); press('+'); say(part() !== whole); press('-'); press('-'); say(part() === whole);
        say(at('wheel', 400, 60, { deltaY: 300 }));
        press('+'); press('+'); const before = scene.view.from; press('ArrowRight'); say(scene.view.from > before);
        press('0'); const i = scene.data.log.failing; const bar = pane.picture.bar(i);
        at('pointermove', (bar.left + bar.right) / 2, bar.y); say(pane.tip.hidden, pane.tip.textContent);
        at('pointermove', bar.left - 40, bar.y); say(pane.tip.hidden);
        press('Escape'); say(scene.focus); press('n'); press('n'); say(pane.now.textContent);
        at('pointerdown', bar.left + 5, bar.y); at('pointerup', bar.left + 5, bar.y); say(scene.focus === i);
        const strip = one('canvas.map'); strip.setPointerCapture = () => {}; press('+'); press('+'); press('+'); const from = scene.view.from;
        strip.dispatchEvent(new PointerEvent('pointerdown', { clientX: strip.getBoundingClientRect().left + 2, buttons: 1 })); say(scene.view.from < from);
        press('/'); say(document.activeElement === one('input.search'));";
    let Some(lines) = visit("moving", &page(LOST, "map"), "", &script) else { return };
    assert_eq!(lines[..5], ["true true", "true", "true", "true", "true"]);
    // Where there is nothing more to see, the page scrolls.
    assert_eq!(lines[5..7], ["true", "true"]);
    assert!(lines[7].starts_with("false get(\"cart\") = 1process web-4"), "{lines:?}");
    assert_eq!(lines[8..10], ["true", ""]);
    assert!(lines[10].contains("number 2 of the order, then entries = {\"cart\" 2}"), "{lines:?}");
    assert_eq!(lines[11..], ["true", "true", "true"]);
}

#[test]
fn hostile_texts_are_shown_and_run_nothing() {
    let evil = r#"</script></noscript></pre><script>document.title = 'hostile'</script><img src=x onerror=hostile()>"#;
    let value = "v".repeat(10_000);
    let log = format!(
        "{{\"process\":\"{evil}\",\"op\":\"put\",\"args\":[\"{evil}\",\"{value}\\u0007\\u202e\"],\"call\":1,\"return\":2}}\n\
         {{\"process\":1,\"op\":\"get\",\"args\":[\"{evil}\"],\"result\":\"{evil}{value}\",\"call\":3,\"return\":4}}\n"
    );
    let page = page_of(&log, "map");
    assert!(!page.contains("<img") && !page.contains("</pre><script>"));
    assert!(!page.contains('\u{202e}') && !page.contains('\u{7}'));
    let script = BEGIN.to_string()
        + "say(document.title.includes('hostile'), all('img').length, all('script').length);
        button('Whole history').click(); paint(); say(pane.now.textContent.includes('onerror'));
        say(document.documentElement.scrollWidth <= innerWidth, scene.data.words(0).length < 1500);
        say(all('.attempt li').some(e => e.textContent.includes('characters)')));";
    let Some(lines) = visit_at("390,1500", "hostile-log", &page, "", &script) else { return };
    assert_eq!(lines, ["false 0 3", "true", "true true", "true"]);
}

#[test]
fn small_histories_have_pages_and_narrow_windows_are_wide_enough() {
    let fits = BEGIN.to_string()
        + "say(document.documentElement.scrollWidth <= innerWidth, scene.layout.shown.length, pane.count.textContent);";
    let one = r#"{"process":0,"op":"get","args":["x"],"result":7,"call":1,"return":2}"#;
    let narrow = |name: &str, page: &str| visit_at("390,1500", name, page, "", &fits);
    let Some(lines) = narrow("one", &page_of(one, "map")) else { return };
    assert_eq!(lines, ["true 1 1 operation of 1 process."]);
    let lines = narrow("nothing", &page_of("[]", "map")).expect("a browser");
    assert_eq!(lines, ["true 0 0 operations of 0 processes."]);
    let lines = narrow("narrow", &page(LOST, "map")).expect("a browser");
    assert!(lines[0].starts_with("true 3"), "{lines:?}");
    let long = narrow("narrow-long", &page_of(&long(true), "map")).expect("a browser");
    assert!(long[0].starts_with("true 3"), "{long:?}");
}

#[test]
fn the_address_shows_the_same_operation_order_and_view() {
    let script = BEGIN.to_string() + "say(scene.whole, scene.focus, scene.order);";
    let hash = format!("#check={}&view=whole&order=none&op=4", LOST.replace('/', "%2F"));
    let Some(lines) = visit("address", &page(LOST, "map"), &hash, &script) else { return };
    assert_eq!(lines, ["true 4 "]);
}

#[test]
fn on_paper_everything_that_matters_is_there() {
    let Some(browser) = browser() else { return };
    let reads = Command::new("pdftotext").arg("-v").stderr(Stdio::null()).status();
    if !reads.is_ok_and(|s| s.success()) {
        eprintln!("skipped: no pdftotext");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (file, pdf) = (folder.path().join("page.html"), folder.path().join("page.pdf"));
    std::fs::write(&file, page(OVERTAKEN, "queue")).expect("written");
    let print = format!("--print-to-pdf={}", pdf.display());
    let address = format!("file://{}", file.display());
    chromium(&browser, &folder.path().join("profile"), &[&print], &address);
    let text = Command::new("pdftotext")
        .args(["-layout".as_ref(), pdf.as_os_str(), "-".as_ref()])
        .output();
    let text = String::from_utf8_lossy(&text.expect("pdftotext runs").stdout).into_owned();
    for words in [
        "NOT linearizable against queue",
        "Longest order 2",
        "enqueue(\"b\") (never returned)",
        "would return \"a\", but returned \"b\"",
        "never returned    1",
        "linchpin history",
    ] {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat(&text).contains(&flat(words)), "{words}: {text}");
    }
    assert!(!text.contains("Wheel"), "{text}");
}
