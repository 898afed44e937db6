//! `linchpin check`: decides checks and reports.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use linchpin_check::{CheckError, Options, Report, Verdict, Violation, check};
use linchpin_engine::Budget;
use linchpin_evidence::explain::{Explanation, explain};
use linchpin_evidence::{Claim, Disagreement, judge};
use linchpin_model::Span;
use linchpin_model::program::{Check, Expect};

use crate::args::{CheckOptions, Format};
use crate::exit::Exit;
use crate::input::{self, InputError, Source};
use crate::render::verdict::{self, Limits};
use crate::render::{diagnostics, violation};
use crate::screen::Screen;
use crate::watch::{self, Watch};
use crate::{bounds, memory};

/// The part of the available memory that is used unless told otherwise.
const MEMORY_SHARE: f64 = 0.75;

/// Decides the checks of all files.
pub(crate) fn run(options: &CheckOptions, screen: &Screen) -> Exit {
    watch::catch_interrupts();
    let mut worst = Exit::Holds;
    for path in &options.files {
        worst = worst.max(file(options, screen, path));
    }
    worst
}

fn file(options: &CheckOptions, screen: &Screen, path: &Path) -> Exit {
    let source = match input::load(path, &options.bounds.set) {
        Ok(source) => source,
        Err(error) => {
            bad_input(screen, path, &error);
            return Exit::BadInput;
        }
    };
    screen.error(&diagnostics::render(screen, path, &source.text, &source.warnings));
    let mut worst = Exit::Holds;
    let checks = &source.program.checks;
    let known = |name: &String| checks.iter().any(|c| c.name == *name);
    for name in options.names.iter().filter(|n| !known(n)) {
        let names: Vec<_> = checks.iter().map(|c| format!("`{}`", c.name)).collect();
        let has = if names.is_empty() { "none".to_string() } else { names.join(", ") };
        screen
            .complain(&format!("{}: there is no check `{name}` (there is {has})", path.display()));
        worst = worst.max(Exit::BadInput);
    }
    if checks.is_empty() {
        screen.complain(&format!("{}: the file has no checks", path.display()));
        worst = Exit::BadInput;
    }
    for check in checks {
        if options.names.is_empty() || options.names.contains(&check.name) {
            worst = worst.max(one(options, screen, &source, check));
        }
    }
    worst
}

fn bad_input(screen: &Screen, path: &Path, error: &InputError) {
    match error {
        InputError::Unreadable(reason) => {
            screen.complain(&format!("cannot read {}: {reason}", path.display()));
        }
        InputError::Undecodable(d) => {
            screen.complain(&format!("{}: {}", path.display(), d.message));
        }
        InputError::Wrong { text, diagnostics } => {
            screen.error(&diagnostics::render(screen, path, text, diagnostics));
        }
    }
}

/// Everything that is known about a check in the end.
pub(crate) enum Outcome {
    /// A verdict, and the explanation of a violation.
    Decided { report: Report, seconds: std::time::Duration, explanation: Option<Box<Explanation>> },
    /// No verdict, because of the input.
    Refused(String, Option<Span>),
    /// No verdict, because Linchpin contradicts itself.
    Defect(String),
}

/// Decides one check and shows the outcome.
fn one(options: &CheckOptions, screen: &Screen, source: &Source, check: &Check) -> Exit {
    let limits = Limits {
        states: options.max_states,
        memory: options
            .max_memory
            .or_else(|| memory::available().map(|bytes| (bytes as f64 * MEMORY_SHARE) as u64)),
        time: options.timeout,
    };
    let bounded = match bounds::apply(&source.program, check, &options.bounds) {
        Ok(bounded) => bounded,
        Err(message) => {
            screen.complain(&format!("{}: {message}", source.path.display()));
            return Exit::BadInput;
        }
    };
    let outcome = decide(options, screen, source, &bounded, &limits);
    let _ = Format::Json;
    show(options, screen, source, &bounded, &limits, &outcome)
}

fn decide(
    options: &CheckOptions,
    screen: &Screen,
    source: &Source,
    bounded: &Check,
    limits: &Limits,
) -> Outcome {
    let progress = std::io::stderr().is_terminal() && !options.quiet;
    let watch = Watch::new(screen, &bounded.name, limits.time, progress);
    let workers = options
        .workers
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let result = check(
        &source.program,
        bounded,
        &Options {
            reductions: options.reductions.reductions,
            workers,
            budget: Budget {
                max_states: limits.states,
                max_memory: limits.memory,
                watch: &|progress| watch.look(progress),
            },
        },
    );
    let seconds = watch.elapsed();
    watch.clear();
    match result {
        Ok(report) => match confirm(source, bounded, &report.verdict) {
            Ok(explanation) => Outcome::Decided { report, seconds, explanation },
            Err(disagreement) => Outcome::Defect(format!(
                "the violation that was found is not confirmed by replaying it: {disagreement}"
            )),
        },
        Err(CheckError::Unsupported(u)) => Outcome::Refused(u.message, Some(u.span)),
        Err(CheckError::Specification(fault)) => {
            Outcome::Refused(format!("the specification goes wrong: {fault}"), Some(fault.span))
        }
        Err(CheckError::Internal(what)) => Outcome::Defect(what.to_string()),
    }
}

/// Has a violation judged, and explains it.
fn confirm(
    source: &Source,
    bounded: &Check,
    verdict: &Verdict,
) -> Result<Option<Box<Explanation>>, Disagreement> {
    let Verdict::Violated { violation, schedule } = verdict else { return Ok(None) };
    let claim = match violation {
        Violation::NotLinearizable => Claim::NotLinearizable,
        Violation::Fault(kind) => Claim::Fault(*kind),
        Violation::Deadlock => Claim::Deadlock,
        // Reported as an error of the model before it comes here.
        Violation::Specification(fault) => Claim::Fault(fault.kind),
    };
    let judged = judge(&Arc::clone(&source.program), bounded, claim, schedule)?;
    Ok(Some(Box::new(explain(&judged, &source.text))))
}

fn show(
    options: &CheckOptions,
    screen: &Screen,
    source: &Source,
    bounded: &Check,
    limits: &Limits,
    outcome: &Outcome,
) -> Exit {
    let path = source.path.display();
    match outcome {
        Outcome::Decided { report, seconds, explanation } => {
            let sentence = verdict::sentence(screen, &source.program, bounded, report, limits);
            let mut text = match options.files.len() {
                1 => format!("{}: {sentence}\n", bounded.name),
                _ => format!("{path}: {}: {sentence}\n", bounded.name),
            };
            if !options.quiet {
                text += &format!("  {}\n", verdict::figures(report, *seconds));
                if let Some(explanation) = explanation {
                    let again = again(options, source, bounded);
                    text += &violation::render(screen, explanation, &again);
                    text.push('\n');
                }
            }
            screen.print(&text);
            let expected = bounded.expect.clone().unwrap_or(Expect::Holds);
            match &report.verdict {
                v if options.expect && verdict::is_expected(&expected, v) => Exit::Holds,
                _ if options.expect => Exit::Violated,
                Verdict::Holds => Exit::Holds,
                Verdict::Violated { .. } => Exit::Violated,
                Verdict::Unknown(_) => Exit::Unknown,
            }
        }
        Outcome::Refused(message, span) => {
            let at = span.map_or(String::new(), |span| {
                let (line, column) = linchpin_syntax::line_column(&source.text, span.start);
                format!(":{line}:{column}")
            });
            screen.complain(&format!("{path}{at}: {}: {message}", bounded.name));
            Exit::BadInput
        }
        Outcome::Defect(what) => {
            screen.complain(&format!(
                "INTERNAL ERROR in {path}, check {}: {what}\n\
                 This is a bug of Linchpin, not a verdict about the model. Please report it with \
                 the file and the command.",
                bounded.name
            ));
            Exit::Internal
        }
    }
}

/// The command that shows this check again.
fn again(options: &CheckOptions, source: &Source, check: &Check) -> String {
    let mut words = vec![
        "linchpin check".to_string(),
        quoted(&source.path.display().to_string()),
        "--check".to_string(),
        quoted(&check.name),
    ];
    let b = &options.bounds;
    for (role, n) in &b.threads {
        words.push(match role {
            Some(role) => format!("--threads {role}={n}"),
            None => format!("--threads {n}"),
        });
    }
    let or = |n: Option<u32>, word: &str| n.map_or(word.to_string(), |n| n.to_string());
    words.extend(b.ops.map(|o| format!("--ops {}", or(o.0, "unbounded"))));
    words.extend(b.heap.map(|h| format!("--heap {}", or(h.0, "unbounded"))));
    for (ty, n) in &b.values {
        let ty = ty.as_ref().map_or(String::new(), |t| format!("{t}="));
        words.push(format!("--values {ty}{}", or(n.0, "fresh")));
    }
    words.extend(b.set.iter().map(|(n, v)| format!("--set {}", quoted(&format!("{n}={v}")))));
    let all = linchpin_check::Reductions::ALL.names();
    let on = options.reductions.reductions.names();
    match on.is_empty() {
        true => words.push("--no-reductions".to_string()),
        false => words.extend(
            all.iter().filter(|name| !on.contains(name)).map(|name| format!("--no-{name}")),
        ),
    }
    words.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
