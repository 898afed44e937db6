//! Reports in a real browser: Chromium opens them, a script steps through them, what is drawn is read
//! from the page.
//!
//! A browser is driven without a driver: the report is written with one more script at its end, which
//! presses keys and clicks and writes what it saw into the page, and Chromium prints the page. Without
//! Chromium (`CHROMIUM`, or `chromium` or `google-chrome` on the path) the tests say so and pass. With
//! `LINCHPIN_SCREENSHOTS=DIR` every page is photographed, light and dark.

#[path = "browser/explore.rs"]
mod explore;
#[path = "browser/log.rs"]
mod log;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The browser, if there is one.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = ["chromium", "google-chrome", "chromium-browser"].map(PathBuf::from);
    let works = |program: &PathBuf| {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    let found = named.into_iter().chain(usual).find(works);
    if found.is_none() {
        eprintln!("skipped: no Chromium (set CHROMIUM, or install `chromium`)");
    }
    found
}

fn chromium(browser: &Path, profile: &Path, more: &[&str], address: &str) -> Output {
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--hide-scrollbars", "--virtual-time-budget=5000", "--window-size=1280,1600"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(more)
        .arg(address);
    command.output().expect("Chromium runs")
}

/// The report of a model as a page.
fn report(model: &str, more: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_linchpin"));
    command.current_dir(root).args(["check", model, "--format", "html"]).args(more);
    let output = command.output().expect("linchpin runs");
    String::from_utf8(output.stdout).expect("a page is text")
}

/// Opens a page at an address within it, runs a script in it, and gives what the script logged, one
/// line for every call of `say`.
fn visit(name: &str, page: &str, hash: &str, script: &str) -> Option<Vec<String>> {
    visit_at("1280,1600", name, page, hash, script)
}

/// The same in a window of this size.
fn visit_at(size: &str, name: &str, page: &str, hash: &str, script: &str) -> Option<Vec<String>> {
    let browser = browser()?;
    let size = &format!("--window-size={size}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.html");
    let profile = folder.path().join("profile");
    // What is put into the page may run, too.
    let page = &page.replacen("script-src '", "script-src 'nonce-test' '", 1);
    let script = format!(
        "<script nonce=\"test\">\
         const log = document.createElement('pre'); log.id = 'log';\
         const say = (...words) => log.append(words.join(' ') + '\\n');\
         const key = name => document.body.dispatchEvent(\
           new KeyboardEvent('keydown', {{ key: name, bubbles: true }}));\
         const all = query => [...document.querySelectorAll(query)];\
         const one = query => document.querySelector(query);\
         addEventListener('error', e => say('ERROR', e.message));\
         try {{ {script} }} catch (e) {{ say('ERROR', e) }}\
         document.body.append(log);</script></body>"
    );
    std::fs::write(&file, page.replacen("</body>", &script, 1)).expect("the page is written");
    let address = format!("file://{}{hash}", file.display());
    if let Some(shots) = std::env::var_os("LINCHPIN_SCREENSHOTS") {
        std::fs::write(&file, page).expect("the page is written");
        for (theme, flag) in [
            ("light", "--blink-settings=preferredColorScheme=1"),
            ("dark", "--blink-settings=preferredColorScheme=0"),
        ] {
            let shot = Path::new(&shots).join(format!("{name}-{theme}.png"));
            let shot = format!("--screenshot={}", shot.display());
            chromium(&browser, &profile, &[&shot, flag, size], &address);
        }
        std::fs::write(&file, page.replacen("</body>", &script, 1)).expect("the page is written");
    }
    let output = chromium(&browser, &profile, &["--dump-dom", size], &address);
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let log = dom.rsplit_once("<pre id=\"log\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let Some((log, _)) = log else { panic!("the script did not run: {dom}") };
    let lines: Vec<String> = log.lines().map(str::to_string).collect();
    assert!(!lines.iter().any(|l| l.starts_with("ERROR")), "{lines:?}");
    Some(lines)
}

const COUNT: &str = "say(one('.controls .mono').textContent);";

#[test]
fn a_report_is_one_file_of_modest_size_that_loads_nothing() {
    let page = report("corpus/lin/treiber_stack/aba.lin", &[]);
    assert!(page.len() < 300_000, "{} bytes", page.len());
    for word in ["src=", "href=", "@import", "url(http", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(word), "the page contains `{word}`");
    }
}

#[test]
fn keys_buttons_and_the_slider_go_through_the_steps() {
    let page = report("corpus/lin/treiber_stack/aba.lin", &[]);
    let script = format!(
        "{COUNT} key('Home'); {COUNT} key('ArrowRight'); key('ArrowRight'); {COUNT}
         key('ArrowLeft'); {COUNT} all('.controls button')[1].click(); {COUNT} key('End'); {COUNT}
         const slider = one('.controls input'); slider.value = 5;
         slider.dispatchEvent(new Event('input')); {COUNT} say(location.hash);
         all('ol.steps button')[0].click(); {COUNT}"
    );
    let Some(lines) = visit("aba", &page, "", &script) else { return };
    let last = lines[0].split('/').next_back().unwrap_or_default().trim().to_string();
    let at = |n: &str| format!("{n} / {last}");
    let expected = [at(&last), at("0"), at("2"), at("1"), at("2"), at(&last), at("5")];
    assert_eq!(lines[..7], expected);
    assert!(lines[7].contains("step=5"), "{}", lines[7]);
    assert_eq!(lines[8], at("1"));
}

#[test]
fn the_address_shows_the_same_moment() {
    let page = report("corpus/lin/treiber_stack/aba.lin", &[]);
    let Some(lines) = visit("moment", &page, "#check=TreiberStack&step=3", COUNT) else { return };
    assert!(lines[0].starts_with("3 / "), "{lines:?}");
}

#[test]
fn history_heap_source_and_reason_are_drawn() {
    let page = report("corpus/lin/treiber_stack/aba.lin", &[]);
    let script = "say(all('svg rect.bar').length); say(all('svg rect.failing').length);
        say(one('svg rect.failing title').textContent);
        say(all('.columns .panel')[0].textContent.includes('would return a, but returned empty'));
        let freed = 0, nodes = 0, tags = 0, here = 0;
        key('Home');
        for (let i = 0; i < 60; i++) {
          nodes = Math.max(nodes, all('svg rect.box').length);
          freed = Math.max(freed, all('svg rect.freed').length);
          tags = Math.max(tags, all('.source .tag').length);
          here += all('.source tr.here').length;
          key('ArrowRight');
        }
        say(nodes, freed, tags); say(here > 20);";
    let Some(lines) = visit("drawn", &page, "", script) else { return };
    assert_eq!(lines[..2], ["6", "1"]);
    assert_eq!(lines[2], "T1: pop() → empty");
    assert_eq!(lines[3..], ["true", "2 1 2", "true"]);
}

#[test]
fn the_longest_order_goes_through_the_bars_to_where_it_fails() {
    let page = report("corpus/lin/treiber_stack/aba.lin", &[]);
    let script = "say(all('svg .point').length, all('svg .cross').length);
        say(all('svg .point title')[4].textContent); say(one('svg .cross title').textContent);
        const xs = all('svg .point').map(p => Number(p.getAttribute('cx')));
        say(xs.every((x, i) => i === 0 || x >= xs[i - 1]));
        const failing = all('svg text').find(t => t.textContent === 'pop() → empty'); say(failing !== undefined);
        all('.orders button')[1].click(); say(all('svg .point').length, all('svg .cross').length);
        all('.orders button')[0].click(); say(all('svg .point').length);";
    let Some(lines) = visit("through", &page, "", script) else { return };
    assert_eq!(lines[0], "5 1");
    assert_eq!(lines[1], "5. T1: pop() → c: items = [a, c] becomes items = [a]");
    assert_eq!(lines[2], "T1: pop() → empty: would return a, but returned empty (items = [a])");
    assert_eq!(lines[3..], ["true", "true", "0 0", "5"]);
}

#[test]
fn pointing_at_an_operation_says_what_must_come_before_and_after() {
    let page = report("corpus/lin/treiber_stack/aba.lin", &[]);
    let script = "const groups = all('svg > g');
        groups[3].dispatchEvent(new MouseEvent('mouseenter'));
        say(all('svg .relation').map(e => e.textContent).join('|'));
        groups[3].dispatchEvent(new MouseEvent('mouseleave'));
        say(all('svg .relation').length);";
    let Some(lines) = visit("hover", &page, "", script) else { return };
    assert!(lines[0].contains("before it") && lines[0].contains("either way"), "{lines:?}");
    assert_eq!(lines[1], "0");
}

#[test]
fn faults_deadlocks_and_what_holds_have_reports_too() {
    let fault = report("corpus/lin/faults/use_after_free.lin", &[]);
    let script = "say(one('h1').textContent); say(all('ol.steps .bad').length);";
    if let Some(lines) = visit("fault", &fault, "", script) {
        assert!(lines[0].contains("use after free"), "{lines:?}");
        assert_ne!(lines[1], "0");
    }
    let deadlock = report("corpus/lin/faults/deadlock.lin", &[]);
    if let Some(lines) = visit("deadlock", &deadlock, "", script) {
        assert!(lines[0].contains("deadlock"), "{lines:?}");
    }
    let init = report("crates/cli/tests/models/fault_init.lin", &[]);
    if let Some(lines) = visit("init", &init, "", "say(one('h1').textContent);") {
        assert!(lines[0].contains("index out of range"), "{lines:?}");
    }
    let holds = report("corpus/lin/treiber_stack/gc.lin", &["--check", "TreiberStack"]);
    let script = "say(one('h1').textContent); say(all('table.plain tr').length > 5);
        say(all('li code').map(e => e.textContent).join('|'));";
    if let Some(lines) = visit("holds", &holds, "", script) {
        assert!(lines[0].contains("linearizable"), "{lines:?}");
        assert_eq!(lines[1], "true");
        assert!(lines[2].contains("op pop() -&gt; Value?"), "{lines:?}");
    }
}

#[test]
fn a_hostile_comment_does_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("<img src=x onerror=hostile()>.lin");
    let model = "// </script><script>document.title = 'hostile'</script><!-- /*DATA*/ /*SCRIPT*/\n\
        object X { var n: int\n op get() -> int { n = n + 1; return n } }\n\
        spec Y { op get() -> int { return 0 } }\n\
        check X against Y { threads 1, ops 1 }\n";
    std::fs::write(&file, model).expect("the model is written");
    let page = report(&file.display().to_string(), &[]);
    assert!(!page.contains("</script><script>document.title"));
    let script = "say(document.title); say(all('.source td').some(e => \
        e.textContent.includes('document.title')));";
    let Some(lines) = visit("hostile", &page, "", script) else { return };
    assert_eq!(lines, ["X: violated", "true"]);
}

#[test]
fn steps_that_nobody_notices_are_hidden_until_they_are_wanted() {
    let page = report("corpus/lin/michael_scott_queue/lost_link.lin", &[]);
    let script = "
        const all = [...document.querySelectorAll('ol.steps li')];
        const alone = all.filter(li => li.classList.contains('alone'));
        const shown = () => alone.filter(li => li.offsetParent !== null).length;
        say('alone', alone.length > 0, 'some are not', alone.length < all.length);
        say('hidden', shown() <= 1);
        document.querySelector('h2 button').click();
        say('all', shown() === alone.length);
        say('size', document.body.textContent.includes('no execution with fewer shows this'));";
    let Some(seen) = visit("folded", &page, "", script) else { return };
    assert_eq!(seen, ["alone true some are not true", "hidden true", "all true", "size true"]);
}

#[test]
fn ways_to_go_on_are_shown_where_an_object_is_not_strongly_linearizable() {
    let page = report("corpus/lin/herlihy_wing_queue/not_strong.lin", &[]);
    let script = "
        const ways = all('.tree .branch');
        say('ways', ways.length >= 2, 'steps', ways.every(w => w.querySelectorAll('ol li').length > 0));
        say('leaves', all('.tree .leaf').length === 2, one('.tree .leaf').textContent.includes('is possible only after'));
        say(one('.jump').textContent);";
    let Some(seen) = visit("branching", &page, "", script) else { return };
    assert_eq!(seen, ["ways true steps true", "leaves true true", "Ways to go on ↓"]);
}

#[test]
fn arrays_are_rows_of_cells_and_what_changes_is_marked() {
    let page = report("corpus/lin/mpmc_ring/vyukov.lin", &["--check", "falsely_empty"]);
    let script = "
        const cells = () => all('.memory svg .cell').length, marked = () => all('.memory svg .cell.changed').length;
        say(cells(), all('.memory .index').map(t => t.textContent).join(''));
        let most = 0; key('Home');
        for (let i = 0; i < 30; i++) { key('ArrowRight'); most = Math.max(most, marked()); }
        say(most);
        key('Home'); for (let i = 0; i < 4; i++) key('ArrowRight');
        say(all('.locals').length, all('.local').map(l => l.textContent).join('|'));
        say(all('.memory text').every(t => t.getBoundingClientRect().right <= one('.memory').getBoundingClientRect().right + 1));";
    let Some(lines) = visit("cells", &page, "", script) else { return };
    assert_eq!(lines[0], "6 0101");
    assert_eq!(lines[1], "1");
    assert!(lines[2].starts_with("1 ") && lines[2].contains("t = 0"), "{lines:?}");
    assert_eq!(lines[3], "true");
}

#[test]
fn nodes_stand_right_of_what_points_at_them_and_inside_the_panel() {
    let page = report("corpus/lin/snark/published.lin", &["--check", "wrongly_empty"]);
    let script = "
        const box = one('.memory').getBoundingClientRect();
        const inside = () => all('.memory .box').every(b => { const r = b.getBoundingClientRect();
          return r.left >= box.left && r.right <= box.right + 1; });
        let always = true, past = 0, arrows = 0; key('Home');
        for (let i = 0; i < 40; i++) {
          always &&= inside(); past = Math.max(past, all('.local.past').length);
          arrows = Math.max(arrows, all('.memory .edge').length); key('ArrowRight');
        }
        say(always, past > 0, arrows > 5, all('.memory .box').length);";
    for size in ["390,1400", "1280,900", "1920,1080"] {
        let Some(lines) = visit_at(size, "nodes", &page, "", script) else { return };
        assert_eq!(lines, ["true true true 3"], "{size}");
    }
}

#[test]
fn a_deadlock_says_who_waits_for_whom_and_a_fault_is_red() {
    let page = report("corpus/lin/faults/deadlock.lin", &[]);
    let script = "say(all('svg .waits title').map(t => t.textContent).join('|')); say(one('header').textContent.includes('T2 holds B'));";
    let Some(lines) = visit("waits", &page, "", script) else { return };
    assert_eq!(lines[0], "T1 waits for B, which T2 holds|T2 waits for A, which T1 holds");
    assert_eq!(lines[1], "true");
    let page = report("corpus/lin/faults/use_after_free.lin", &[]);
    let script = "say(all('svg .cross.fault').length, all('.source tr.wrong').length, all('svg rect.failing').length);";
    let Some(lines) = visit("red", &page, "", script) else { return };
    assert_eq!(lines, ["1 1 1"]);
}

#[test]
fn distances_are_drawn_and_the_bound_that_breaks_is_named() {
    let page = report("corpus/lin/quasi_stack/segments.lin", &["--check", "SegmentStack/quasi"]);
    let script = "say(all('svg .far').length, all('svg .near').length);
        say(all('.with-why .waits-text').map(t => t.textContent).join('|')); say(one('header').textContent.includes('With 2 instead of 1'));";
    let Some(lines) = visit("distances", &page, "", script) else { return };
    assert_eq!(lines, ["1 9", "2 away, at most 1", "true"]);
}

#[test]
fn a_refinement_shows_what_is_refused_and_what_is_offered() {
    let page = report("corpus/csp/register_clears_first.csp", &["--check", "2"]);
    let script = "say(all('.event.refused').map(e => e.textContent).join(), '|', all('.event.allowed').map(e => e.textContent).join());
        say(all('.trace button.bad').length, one('.lead code').textContent);";
    let Some(lines) = visit("refused", &page, "", script) else { return };
    assert_eq!(lines, ["read_res.3 | read_res.0,read_res.1,write_res", "1 read_res.3"]);
    let page = report("corpus/mcrl2/coarse_set_early_unlock.mcrl2", &["--atomic"]);
    let script = "say(all('.event.refused').length, all('.event.allowed').length > 0, all('.source tr').length > 10);";
    let Some(lines) = visit("mcrl2", &page, "", script) else { return };
    assert_eq!(lines, ["1 true true"]);
}

#[test]
fn several_checks_have_a_summary_and_the_first_unexpected_one_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("counters.lin");
    let check = |name: &str, expect: &str| {
        format!("check {name}: X against Y {{ threads 2, ops 1{expect} }}\n")
    };
    let model = "object X { var n: int\n op add() -> int { let m = n\n n = m + 1\n return m } }\n\
        spec Y { var n: int\n op add() -> int { n = n + 1\n return n - 1 } }\n";
    let model = model.to_string()
        + &check("meant", ", expect violated")
        + &check("hoped", ", expect holds")
        + &check("open", "");
    std::fs::write(&file, model).expect("the model is written");
    let page = report(&file.display().to_string(), &[]);
    let script = "say(one('.summary p').textContent.split(' · ')[0]); say(one('h1').textContent);
        say(all('nav.checks button').map(b => b.textContent[0]).join(''));
        all('nav.checks button')[0].click(); say(one('h1 .chip').textContent, all('h1 .bad').length);";
    let Some(lines) = visit("summary", &page, "", script) else { return };
    assert_eq!(lines[0], "3 checks: 1 as expected, 2 unexpected, 0 unknown");
    assert!(
        lines[1].starts_with("hoped NOT linearizable") && lines[1].contains("not as expected"),
        "{lines:?}"
    );
    assert_eq!(lines[2..], ["✓✗✗", "as expected 0"]);
}

#[test]
fn nothing_is_wider_than_a_telephone_and_source_and_schedule_are_on_the_first_screen() {
    for (model, more) in [
        ("corpus/lin/quasi_stack/segments.lin", &["--check", "SegmentStack/quasi"][..]),
        ("corpus/lin/herlihy_wing_queue/not_strong.lin", &[]),
        ("corpus/lin/treiber_stack/aba.lin", &[]),
        ("corpus/csp/register_clears_first.csp", &["--check", "2"]),
    ] {
        let page = report(model, more);
        let wide = "say(document.documentElement.scrollWidth <= innerWidth);
            say(getComputedStyle(one('svg.names') ?? one('.trace')).position);";
        let Some(lines) = visit_at("390,844", "telephone", &page, "", wide) else { return };
        assert_eq!(lines[0], "true", "{model}");
        assert!(["sticky", "relative"].contains(&&*lines[1]), "{model}: {lines:?}");
        let script = "const seen = q => one(q).getBoundingClientRect().top + 80 < innerHeight; say(seen('.source'), seen('ol.steps'));
            say(all('.source .c-keyword').length > 3);
            const list = one('ol.steps').getBoundingClientRect(), now = one('ol.steps [aria-current=true]').getBoundingClientRect();
            say(list.top <= now.top, now.bottom <= list.bottom + 2, list.bottom <= innerHeight + 20);";
        // The window has a frame; what is inside is 900 high.
        let Some(lines) = visit_at("1280,1043", "first", &page, "", script) else { return };
        assert_eq!(lines, ["true true", "true", "true true true"], "{model}");
    }
}

#[test]
fn a_report_that_is_printed_has_everything() {
    let Some(browser) = browser() else { return };
    let page = report("corpus/lin/snark/published.lin", &["--check", "wrongly_empty"]);
    let folder = tempfile::tempdir().expect("a folder");
    let (file, pdf) = (folder.path().join("report.html"), folder.path().join("report.pdf"));
    std::fs::write(&file, &page).expect("the page is written");
    let address = format!("file://{}", file.display());
    let print = format!("--print-to-pdf={}", pdf.display());
    chromium(&browser, &folder.path().join("profile"), &[&print], &address);
    let text =
        Command::new("pdftotext").args(["-layout", &pdf.display().to_string(), "-"]).output();
    let Ok(text) = text else { return eprintln!("skipped: there is no pdftotext") };
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    for part in [
        "pop_right()",
        "empty",
        "push_right(b)",
        "pop_left()",
        "Schedule",
        "would return b, but returned empty",
        "expect violated",
    ] {
        assert!(text.to_lowercase().contains(&part.to_lowercase()), "{part}: {text}");
    }
}

const LOCK: &str = "crates/cli/tests/models/lock.csp";

#[test]
fn a_trace_leads_to_its_steps_with_source_and_variables() {
    let page = report(LOCK, &["--check", "3"]);
    let script = r"say(one('.trace').textContent.replace(/\s+/g, ' ').trim());
        say(all('.trace button')[2].getAttribute('aria-current'), one('.controls .mono').textContent);
        const seen = () => say(all('.source tr.here').map(r => r.id).join(), all('.source mark').map(m =>
          m.textContent).join(), '|', all('tr.changed').map(r => r.textContent).join());
        seen();
        all('.trace button')[1].click(); seen();
        all('.trace button')[0].click(); seen();
        all('ol.steps button')[1].click(); seen();
        say(one('h1').textContent); say(document.body.textContent.includes('no step is possible'));
        say(all('.decided table.plain tr').length);";
    let Some(lines) = visit("trace", &page, "", script) else { return };
    assert_eq!(lines[0], "init -&gt; ask -&gt; c!7");
    assert_eq!(lines[1], "true 2 / 2");
    assert_eq!(lines[2], "line-9 c | c[7]was []");
    assert_eq!(lines[3], "line-9 ask | ");
    assert_eq!(lines[4].trim(), "|");
    assert_eq!(lines[5], lines[2]);
    assert_eq!(lines[6..9], ["Stuck() deadlockfree NOT valid", "true", "5"]);
}

#[test]
fn an_endless_trace_says_where_it_repeats_and_turns_there() {
    let page = report(LOCK, &["--check", "4"]);
    let script = r"say(one('.trace').textContent.replace(/\s+/g, ' ').trim());
        say(all('.trace .loop button').length, one('li.turn').nextElementSibling.textContent);
        say(one('.now').textContent);
        key('Home'); key('ArrowRight'); key('ArrowRight'); say(one('.controls .mono').textContent);
        key('ArrowRight'); say(one('.controls .mono').textContent);
        all('.controls button')[1].click(); say(one('.controls .mono').textContent);";
    let Some(lines) = visit("endless", &page, "", script) else { return };
    assert_eq!(lines[0], "init -&gt; ready -&gt; (tau)* ↻");
    assert!(lines[1].starts_with("1 ") && lines[1].contains("tau"), "{lines:?}");
    assert!(lines[2].contains("then again from step 2 on, for ever"), "{lines:?}");
    assert_eq!(lines[3..], ["2 / 2", "2 / 2", "2 / 2"]);
}

#[test]
fn an_event_of_two_processes_is_marked_twice_and_assertions_have_buttons() {
    let page = report(LOCK, &[]);
    let hash = "#check=Meet()+nonterminating&step=1";
    let script = "say(all('.source mark').map(m => m.textContent).join());
        say(all('nav.checks button').map(b => b.textContent[0]).join(''));
        all('nav.checks button')[5].click(); say(one('h1').textContent);
        say(all('h2').map(h => h.textContent).join());
        all('nav.checks button')[8].click(); say(one('h1').textContent); say(all('.trace').length);";
    let Some(lines) = visit("meet", &page, hash, script) else { return };
    assert_eq!(lines[0], "meet,meet");
    assert_eq!(lines[1], "✓✗✗✗✗✓✗✗✗");
    assert!(lines[2].ends_with(" valid") && !lines[2].contains("NOT"), "{lines:?}");
    assert!(lines[3].contains("Trace,Source,Variables,Events"), "{lines:?}");
    assert_eq!(lines[4..], ["Idle() reaches both NOT valid", "0"]);
}

#[test]
fn the_part_of_a_history_that_repeats_is_marked() {
    let page = report("corpus/lin/progress/treiber.lin", &["--check", "TreiberStack/wait_free"]);
    let script = "say(all('svg rect.loop').length, one('svg .loop-text').textContent);
        say(all('li.turn').length, one('li.turn').textContent);
        const last = one('.controls .mono').textContent; key('ArrowRight');
        const from = one('.controls .mono').textContent; say(last !== from);
        for (let i = 0; i < 100 && one('.controls .mono').textContent !== last; i++) key('ArrowRight');
        say(one('.controls .mono').textContent === last, all('.controls button')[1].textContent);";
    let Some(lines) = visit("repeats", &page, "", script) else { return };
    assert_eq!(lines[0], "1 ↻ again and again");
    assert_eq!(lines[1], "1 ↻ from here on again and again:");
    assert_eq!(lines[2..], ["true", "true ↻ again"]);
}
