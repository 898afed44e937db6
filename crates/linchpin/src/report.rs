//! What is said in the end: that it holds, and for what; or the history, why it has no order, the schedule with lines of
//! the user's code, and how to run it again. Nothing is wider than 80 columns.

use std::fmt;

use serde_json::{Value as Json, json};

use crate::brute::{Done, Reason};
use crate::client::Choices;
use crate::draw::{Bar, clip, draw};
use crate::explore::{Tally, replay};
use crate::page::Drawn;
use crate::runtime::clock::MAX_THREADS;
use crate::runtime::failure::{Failure, Wrong};
use crate::runtime::scheduler::Execution;

/// What came of a test.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) name: String,
    threads: usize,
    ops: usize,
    pub(crate) tally: Tally,
    pub(crate) clients: u64,
    pub(crate) histories: u64,
    /// Clients that were not explored completely.
    pub(crate) left: u64,
    pub(crate) sampled: u64,
    pub(crate) seed: Option<u64>,
    pub(crate) replayed: bool,
    pub(crate) failed: Option<Failed>,
}

/// Something that is wrong, with the execution that shows it.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) what: What,
    /// The text about it.
    pub(crate) lines: Vec<String>,
    /// For `LINCHPIN_REPLAY`.
    pub(crate) replay: Option<String>,
    /// For `LINCHPIN_REPORT`.
    pub(crate) drawn: Option<Drawn>,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A history without an order.
    History(Reason),
    Failure(Failure),
}

/// `push(1)`
pub(crate) fn call(op: &impl fmt::Debug) -> String {
    let text = format!("{op:?}");
    if text.contains(['(', '{']) { text } else { format!("{text}()") }
}

/// `pop() -> Some(1)`
pub(crate) fn returned(call: &str, result: &impl fmt::Debug) -> String {
    match format!("{result:?}").as_str() {
        "()" => call.to_string(),
        result => format!("{call} -> {result}"),
    }
}

impl Failed {
    pub(crate) fn refused(why: String) -> Failed {
        Failed::refused_as(Failure::new(Wrong::Refused, [why]))
    }

    pub(crate) fn refused_as(failure: Failure) -> Failed {
        let lines = failure.lines.iter().map(|line| format!("  {line}")).collect();
        Failed { what: What::Failure(failure), lines, replay: None, drawn: None }
    }

    pub(crate) fn new<Op: fmt::Debug, Ret: fmt::Debug>(
        what: What,
        history: &[Done<Op, Ret>],
        calls: &[Vec<String>],
        execution: Execution,
        choices: &Choices,
        schedule: &[u8],
    ) -> Failed {
        let text = |d: &Done<Op, Ret>| returned(&call(&d.op), &d.result);
        let mut lines = Vec::new();
        match &what {
            What::Failure(failure) => lines.extend(failure.lines.iter().map(|l| format!("  {l}"))),
            What::History(reason) => {
                let bar = |d: &Done<Op, Ret>| Bar {
                    line: d.thread,
                    from: d.call,
                    to: d.ret,
                    text: text(d),
                };
                let bars: Vec<Bar> = history.iter().map(bar).collect();
                lines.extend(draw(&bars).into_iter().map(|line| format!("  {line}")));
                lines.push(String::new());
                lines.extend(why(reason, history, &text));
            }
        }
        lines.push(String::new());
        lines.push("The schedule, under sequential consistency:".into());
        lines.extend(steps(&execution, calls));
        let replay = format!("{}@{}", written(choices), replay::written(schedule));
        Failed { what, lines, replay: Some(replay), drawn: None }
    }
}

/// Why there is no order.
pub(crate) fn why<Op: fmt::Debug, Ret: fmt::Debug>(
    reason: &Reason,
    history: &[Done<Op, Ret>],
    text: &dyn Fn(&Done<Op, Ret>) -> String,
) -> Vec<String> {
    let wrong = &history[reason.operation];
    let mut lines = vec!["No order of these operations is one of the specification.".to_string()];
    let before: Vec<String> = reason
        .before
        .iter()
        .map(|&i| if history[i].ret < wrong.ret { text(&history[i]) } else { call(&history[i].op) })
        .collect();
    let (op, thread) = (call(&wrong.op), wrong.thread + 1);
    if before.is_empty() {
        lines
            .push(format!("  nothing had to take effect before {op} of thread {thread} returned,"));
    } else {
        lines.push(format!("  before {op} of thread {thread} returned, this was one:"));
        lines.push(format!("    {}", before.join(", ")));
    }
    let result = format!("{:?}", wrong.result);
    let could = match reason.allowed.as_slice() {
        [] => "nothing that it can return would be explained".to_string(),
        allowed => format!("it could have returned {}", allowed.join(" or ")),
    };
    lines.push(format!("  it returned {result}; {could}"));
    lines
}

/// The schedule, step by step.
fn steps(execution: &Execution, calls: &[Vec<String>]) -> Vec<String> {
    let mut lines = Vec::new();
    let name = |thread: u8, number: u32| {
        let thread = usize::from(thread).checked_sub(1)?;
        calls.get(thread)?.get(number as usize).cloned()
    };
    let mut last = None;
    let mut at = 0;
    let mut said = [false; MAX_THREADS];
    let places: Vec<String> =
        execution.lines.iter().map(|l| crate::runtime::world::shown(l.at)).collect();
    let short = |place: &str| match place.char_indices().nth_back(33) {
        Some((cut, _)) => format!("…{}", &place[cut..]),
        None => place.to_string(),
    };
    let wide = places.iter().map(|p| short(p).chars().count()).max().unwrap_or(0);
    let push = |lines: &mut Vec<String>, last: &mut Option<u8>, thread: u8, text: &str| {
        let head = match *last == Some(thread) {
            true => " ".repeat(9),
            false => format!("thread {thread:<2}"),
        };
        *last = Some(thread);
        lines.push(format!("  {head} {text}"));
    };
    for number in 0..=execution.events.len() as u32 {
        let event = number.checked_sub(1);
        let called = execution.operations.iter().find(|o| event.is_some() && o.call == event);
        if let Some(o) = called
            && let Some(call) = name(o.thread, o.number)
        {
            push(&mut lines, &mut last, o.thread, &format!("calls {call}"));
        }
        while let Some(line) = execution.lines.get(at).filter(|l| l.events == number) {
            // An operation that has not come to its first access.
            let begun = |&o: &u32| execution.operations[o as usize].call.is_none();
            if let Some(operation) = line.early.filter(begun)
                && !std::mem::replace(&mut said[usize::from(line.thread)], true)
                && let Some(call) =
                    name(line.thread, execution.operations[operation as usize].number)
            {
                push(&mut lines, &mut last, line.thread, &format!("calls {call}"));
            }
            let text = format!("  {:<wide$}  {}", short(&places[at]), line.text);
            // What the first thread does alone, before and after, is not part of it.
            if line.thread > 0 || calls.is_empty() {
                push(&mut lines, &mut last, line.thread, &text);
            }
            at += 1;
        }
        let returned = execution.operations.iter().find(|o| event.is_some() && o.ret == event);
        if let Some(o) = returned
            && let Some(call) = name(o.thread, o.number)
        {
            push(&mut lines, &mut last, o.thread, &format!("returns from {call}"));
        }
    }
    collapse(&mut lines);
    const MOST: usize = 70;
    if lines.len() > MOST {
        let left = lines.len() - MOST;
        lines.splice(60..60 + left, [format!("  … {left} lines …")]);
    }
    lines
}

/// What is repeated, up to a few lines at a time, is said once.
fn collapse(lines: &mut Vec<String>) {
    let all = std::mem::take(lines);
    let mut at = 0;
    while at < all.len() {
        let mut said = false;
        for period in 1..=6 {
            let Some(first) = all.get(at..at + period) else { break };
            let times = all[at..].chunks(period).take_while(|chunk| *chunk == first).count();
            if times > 2 {
                lines.extend_from_slice(first);
                let what = if period == 1 { "this" } else { "these" };
                let few = if period == 1 { "line".into() } else { format!("{period} lines") };
                lines.push(format!("{}… {what} {few} {times} times", " ".repeat(14)));
                at += period * times;
                said = true;
                break;
            }
        }
        if !said {
            lines.push(all[at].clone());
            at += 1;
        }
    }
}

/// `0.1,1.0`
fn written(choices: &Choices) -> String {
    let thread = |t: &Vec<usize>| t.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
    choices.iter().map(thread).collect::<Vec<_>>().join(",")
}

/// What `LINCHPIN_REPLAY` says: the client and the schedule.
pub(crate) fn read(text: &str) -> Option<(Choices, Vec<u8>)> {
    let (client, schedule) = text.split_once('@')?;
    let thread =
        |t: &str| t.split('.').map(|n| n.parse::<usize>().ok()).collect::<Option<Vec<_>>>();
    let choices = client.split(',').map(thread).collect::<Option<Choices>>()?;
    (choices.len() < MAX_THREADS).then_some(())?;
    Some((choices, replay::read(schedule)?))
}

impl Report {
    pub(crate) fn new(name: &str, threads: usize, ops: usize) -> Report {
        Report {
            name: name.to_string(),
            threads,
            ops,
            tally: Tally { complete: true, ..Tally::default() },
            clients: 0,
            histories: 0,
            left: 0,
            sampled: 0,
            seed: None,
            replayed: false,
            failed: None,
        }
    }

    /// Is nothing wrong, in all that was run?
    pub fn is_ok(&self) -> bool {
        self.failed.is_none()
    }

    /// Was every execution of every client within the bounds explored?
    pub fn is_complete(&self) -> bool {
        self.tally.complete && self.failed.is_none() && !self.replayed
    }

    /// What went wrong apart from the history; `None` if nothing did, or a history has no order.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.failed.as_ref()?.what {
            What::Failure(failure) => Some(failure),
            What::History(_) => None,
        }
    }

    /// Has a history no order that the specification explains?
    pub fn is_violated(&self) -> bool {
        matches!(&self.failed, Some(Failed { what: What::History(_), .. }))
    }

    /// The value of `LINCHPIN_REPLAY` for the execution that is shown.
    pub fn replay(&self) -> Option<&str> {
        self.failed.as_ref()?.replay.as_deref()
    }

    /// How many executions were run.
    pub fn executions(&self) -> u64 {
        self.tally.executions
    }

    /// How many different histories were judged, client by client.
    pub fn histories(&self) -> u64 {
        self.histories
    }

    /// The execution that is shown, if a page was wanted.
    pub(crate) fn drawn(&self) -> Option<&Drawn> {
        self.failed.as_ref()?.drawn.as_ref()
    }

    /// What a page says of it; `source` is the number of its file there.
    pub(crate) fn check(&self, source: usize) -> Json {
        let headline = match &self.failed {
            None if self.is_complete() => "no failure in any execution".to_string(),
            None => "no failure found".to_string(),
            Some(Failed { what: What::History(_), .. }) => "not linearizable".to_string(),
            Some(Failed { what: What::Failure(failure), .. }) => failure.wrong.to_string(),
        };
        let sentence = format!("{}: {headline}, under sequential consistency", self.name);
        let mut figures = vec![("executions", self.tally.executions.to_string())];
        if self.ops > 0 {
            figures.push(("clients", self.clients.to_string()));
            figures.push(("different histories", self.histories.to_string()));
        }
        figures.extend(self.seed.map(|seed| ("LINCHPIN_SEED", seed.to_string())));
        let because: &[String] = match &self.failed {
            Some(Failed { what: What::Failure(failure), .. }) => &failure.lines,
            _ => &[],
        };
        json!({
            "name": self.name,
            "source": source,
            "verdict": match (&self.failed, self.is_complete()) {
                (Some(_), _) => "violated",
                (None, true) => "holds",
                (None, false) => "unknown",
            },
            "headline": headline,
            "sentence": format!("{sentence}."),
            "bounds": format!("{}, sequential consistency", self.bounds()),
            "command": self.command().unwrap_or_default(),
            "figures": figures,
            "because": because,
            "reductions": [],
            "witness": null,
        })
    }

    /// How to run the execution that is shown once more.
    fn command(&self) -> Option<String> {
        let replay = self.replay()?;
        Some(format!("LINCHPIN_REPLAY={replay} cargo test {}", self.name))
    }

    fn bounds(&self) -> String {
        match (self.threads, self.ops) {
            (_, 0) => "one program".to_string(),
            (threads, ops) => format!("up to {threads} x {ops} operations"),
        }
    }
}

/// What it is about and what came of it, on two lines if one is too long.
fn headline(name: &str, rest: &str) -> String {
    let line = format!("linchpin: `{name}`{rest}");
    match line.chars().count() > 80 {
        true => format!("linchpin: `{name}`\n {}", rest.replacen(": ", " ", 1)),
        false => line,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, executions) = (&self.name, self.tally.executions);
        let Some(failed) = &self.failed else {
            let holds = match (self.replayed, self.ops) {
                (true, _) => "does not fail in this execution",
                (false, 0) => "does not fail",
                (false, _) => "is linearizable",
            };
            let rest = format!(" {holds} under sequential consistency");
            writeln!(f, "{}", headline(name, &rest))?;
            write!(f, "  {}: {executions} executions", self.bounds())?;
            if self.ops > 0 && !self.replayed {
                write!(f, " of {} clients,\n  {} histories", self.clients, self.histories)?;
            }
            match self.seed {
                Some(seed) => write!(
                    f,
                    "; NOT complete: {} clients are larger than\n  the budget; {} executions with \
                     few preemptions and at random, LINCHPIN_SEED={seed}",
                    self.left, self.sampled
                )?,
                None if self.tally.complete => f.write_str("; complete")?,
                None => f.write_str("; NOT complete")?,
            }
            if let Some(at) = self.tally.guessed {
                let place = clip(&format!("  {}", crate::runtime::world::shown(at)));
                write!(f, "\n{place}\n  waits without `spin_loop`: taken to wait for a change")?;
            }
            return Ok(());
        };
        match &failed.what {
            What::History(_) => writeln!(f, "{}", headline(name, " is not linearizable"))?,
            What::Failure(failure) => {
                writeln!(f, "{}", headline(name, &format!(": {}", failure.wrong)))?;
            }
        }
        writeln!(f)?;
        for line in &failed.lines {
            writeln!(f, "{}", clip(line))?;
        }
        writeln!(f)?;
        let how = if self.replayed { "replayed" } else { "found" };
        let plural = if executions == 1 { "" } else { "s" };
        writeln!(f, "{how} after {executions} execution{plural}, {}, under", self.bounds())?;
        let judged = match &failed.what {
            What::History(_) => "run once more and judged by other code",
            What::Failure(_) => "run once more",
        };
        writeln!(f, "sequential consistency; {judged}")?;
        if let Some(seed) = self.seed {
            writeln!(f, "found at random: LINCHPIN_SEED={seed}")?;
        }
        if let Some(command) = self.command() {
            match command.chars().count() > 80 {
                true => f.write_str(&command.replacen(" cargo", " \\\n  cargo", 1))?,
                false => f.write_str(&command)?,
            }
        }
        Ok(())
    }
}
