//! `LINCHPIN_REPORT=folder`: what came of a test as a page, the same that the program makes of a model: the history with
//! an order through its bars, why that cannot go on, and the schedule beside the lines of the user's code.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use linchpin_page::Page;
use serde_json::{Value as Json, json};

use crate::brute::{Attempt, Done};
use crate::report::{Report, call};
use crate::runtime::scheduler::Execution;

/// Where pages go, if anywhere.
pub(crate) fn folder() -> Option<PathBuf> {
    std::env::var_os("LINCHPIN_REPORT").filter(|f| !f.is_empty()).map(PathBuf::from)
}

/// An operation as a page has it: thread from 1, the events of its call and return.
struct Bar {
    thread: usize,
    call: String,
    result: Option<String>,
    from: u32,
    to: Option<u32>,
}

/// An execution for a page, with the files it goes through.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    files: Vec<(String, String)>,
    witness: Json,
}

/// Draws an execution. `calls` are those of every thread of a client; without a client the first thread is one like
/// others.
pub(crate) fn drawn<Op: fmt::Debug, Ret: fmt::Debug>(
    history: &[Done<Op, Ret>],
    calls: &[Vec<String>],
    execution: &Execution,
    (failing, because, attempts): (Option<usize>, Vec<String>, &[Attempt]),
) -> Drawn {
    let client = !calls.is_empty();
    // On the page threads are numbered from 1.
    let thread = |t: u8| usize::from(t) + usize::from(!client);
    let mut bars: Vec<Bar> = Vec::new();
    for d in history {
        let (from, to) = (d.call / 2, Some(d.ret / 2));
        let result = Some(format!("{:?}", d.result));
        bars.push(Bar { thread: d.thread + 1, call: call(&d.op), result, from, to });
    }
    for o in execution.operations.iter().filter(|o| o.ret.is_none()) {
        let (Some(from), Some(t)) = (o.call, usize::from(o.thread).checked_sub(1)) else {
            continue;
        };
        let named = calls.get(t).and_then(|ops| ops.get(o.number as usize));
        let call = named.cloned().unwrap_or_default();
        bars.push(Bar { thread: t + 1, call, result: None, from, to: None });
    }
    let mut files = Files::default();
    let mut entries = Vec::new();
    let mut steps = Vec::new();
    let mut at = 0;
    for number in 0..=execution.events.len() as u32 {
        let first = entries.len();
        let step = i64::from(number) - 1;
        let event = number.checked_sub(1).map(|n| &execution.events[n as usize]);
        let deed = |bar: &Bar, text: String, line: u32| {
            let (alone, effect, bad) = (false, "", false);
            json!({ "thread": bar.thread, "step": step, "line": line, "text": text,
                "alone": alone, "effect": effect, "bad": bad })
        };
        let line = event.map_or(0, |e| e.at.line());
        let here = |n: u32| Some(n) == number.checked_sub(1);
        for bar in bars.iter().filter(|b| here(b.from)) {
            entries.push(deed(bar, format!("call {}", bar.call), line));
        }
        while let Some(noted) = execution.lines.get(at).filter(|l| l.events == number) {
            at += 1;
            // What the first thread does alone, before and after, is not part of it.
            if noted.thread > 0 || !client {
                let text = files.line(noted.at.file(), noted.at.line());
                let (text, effect) = match text {
                    Some(text) => (text, noted.text.as_str()),
                    None => (noted.text.clone(), ""),
                };
                entries.push(json!({ "thread": thread(noted.thread), "step": step,
                    "line": noted.at.line(), "text": text, "alone": false, "effect": effect,
                    "bad": false }));
            }
        }
        for bar in bars.iter().filter(|b| b.to.is_some_and(here)) {
            let text = match bar.result.as_deref() {
                None | Some("()") => "return".to_string(),
                Some(result) => format!("return {result}"),
            };
            entries.push(deed(bar, text, line));
        }
        if let Some(event) = event {
            let said = |e: &Json| {
                let effect = e["effect"].as_str().filter(|t| !t.is_empty());
                let text = e["text"].as_str().unwrap_or_default();
                effect.map_or(text.to_string(), |effect| format!("{text}: {effect}"))
            };
            let own = |e: &&Json| e["thread"] == json!(thread(event.thread));
            let texts: Vec<String> = entries[first..].iter().filter(own).map(said).collect();
            steps.push(json!({ "index": step, "thread": thread(event.thread), "line": line,
                "text": texts.join("; "), "source": files.number(event.at.file()) }));
        }
    }
    let most = execution.events.iter().map(|e| thread(e.thread)).max().unwrap_or(1);
    let threads = most.max(calls.len());
    let names: Vec<String> = (0..=threads)
        .map(|t| if client { format!("T{t}") } else { format!("T{}", t.saturating_sub(1)) })
        .collect();
    let bar = |b: &Bar| {
        json!({ "thread": b.thread, "call": b.call, "result": b.result, "begin": 2 * b.from,
            "end": b.to.map(|t| 2 * t + 1), "from": b.from + 1, "to": b.to.map(|t| t + 1) })
    };
    let frames = frames(execution, &steps, threads, &thread);
    let witness = json!({
        "threads": vec!["thread"; threads],
        "names": names,
        "operations": bars.iter().map(bar).collect::<Vec<_>>(),
        "failing": failing,
        "because": because,
        "size": null,
        "continuations": [],
        "attempts": attempts.iter().map(attempt).collect::<Vec<_>>(),
        "entries": entries,
        "steps": steps,
        "nodes": [],
        "frames": frames,
        "repeats": null,
    });
    Drawn { files: files.0, witness }
}

/// Where every thread is after every step, in the file of the step.
fn frames(
    execution: &Execution,
    steps: &[Json],
    threads: usize,
    thread: &dyn Fn(u8) -> usize,
) -> Vec<Json> {
    let mut places: Vec<Option<(&str, u32)>> = vec![None; threads];
    let frame =
        |lines: Vec<u32>| json!({ "variables": [], "nodes": [], "locals": [], "lines": lines });
    let mut frames = vec![frame(vec![0; threads])];
    for (event, _) in execution.events.iter().zip(steps) {
        let file = event.at.file();
        if let Some(place) = thread(event.thread).checked_sub(1).and_then(|t| places.get_mut(t)) {
            *place = Some((file, event.at.line()));
        }
        let line = |p: &Option<(&str, u32)>| p.filter(|p| p.0 == file).map_or(0, |p| p.1);
        frames.push(frame(places.iter().map(line).collect()));
    }
    frames
}

fn attempt(attempt: &Attempt) -> Json {
    let step = |s: &(usize, String, Option<String>)| json!({ "operation": s.0, "result": s.1, "state": s.2.clone().unwrap_or_default() });
    json!({
        "order": {
            "initial": attempt.initial.clone().unwrap_or_default(),
            "steps": attempt.steps.iter().map(step).collect::<Vec<_>>(),
        },
        "stuck": attempt.stuck,
    })
}

/// Files of the user's code with their texts, as far as they can be found.
#[derive(Default)]
struct Files(Vec<(String, String)>);

impl Files {
    /// The number of a file. Paths are those of the compiler, which begin in the folder of the workspace.
    fn number(&mut self, file: &str) -> usize {
        if let Some(number) = self.0.iter().position(|f| f.0 == file) {
            return number;
        }
        let here = std::env::current_dir().unwrap_or_default();
        let text = here.ancestors().find_map(|folder| fs::read_to_string(folder.join(file)).ok());
        self.0.push((file.to_string(), text.unwrap_or_default()));
        self.0.len() - 1
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        let number = self.number(file);
        let text = self.0[number].1.lines().nth(line.checked_sub(1)? as usize)?;
        Some(text.trim().trim_end_matches(';').to_string())
    }
}

/// Writes the page of a test, if that is wanted.
pub(crate) fn write(report: &Report) {
    let Some(folder) = folder() else { return };
    // The test harness names its threads; that tells tests of different modules apart.
    let thread = std::thread::current();
    let name = thread.name().filter(|name| *name != "main").unwrap_or(&report.name);
    let name = name.replace("::", ".");
    let mut page = Page::default();
    let files = report.drawn().map_or(&[][..], |d| &d.files);
    let mut first = 0;
    for (i, (file, text)) in files.iter().enumerate() {
        let number = page.source(file, text);
        first = if i == 0 { number } else { first };
    }
    if files.is_empty() {
        first = page.source(&report.name, "");
    }
    let mut check = report.check(first);
    check["witness"] = report.drawn().map_or(Json::Null, |d| d.witness.clone());
    page.add(check, &report.to_string());
    let file = folder.join(format!("{name}.html"));
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, page.render("", "")));
    match written {
        Ok(()) => eprintln!("linchpin: {}", file.display()),
        Err(error) => eprintln!("linchpin: {}: {error}", file.display()),
    }
}
