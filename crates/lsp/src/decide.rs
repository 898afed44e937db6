//! Deciding a check: search, confirmation, and what is to be shown of it.
//!
//! As on the command line, no violation is shown that the judge has not confirmed, and a defect of
//! Linchpin is called one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use linchpin_check::{CheckError, Counterexample, Options, Reductions, Report, Violation, check};
use linchpin_engine::{Budget, Limit};
use linchpin_evidence::explain::{Explanation, Failure, explain};
use linchpin_evidence::narrative::{Deed, Location};
use linchpin_evidence::words::{call_or_return, effect, grouped, sentences};
use linchpin_evidence::{Claim, Disagreement, judge_until};
use linchpin_lin::program::{Check, Condition, Expect, Program};
use linchpin_lin::{Files, Span};
use linchpin_lts::{Verdict, Watch};

/// So many states are looked at for a violation that is easy to read, as on the command line.
const MINIMISE: u64 = 300_000;

/// What came out of a check.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// `holds`, `violated`, `fault`, `deadlock`, `unknown`, `error`
    pub(crate) verdict: &'static str,
    /// `holds · 4 799 states`
    pub(crate) title: String,
    /// Is it what the text expects (without a word about it: that it holds)?
    pub(crate) expected: bool,
    /// States that were stored.
    pub(crate) states: u64,
    /// What is to be shown in the text.
    pub(crate) finding: Option<Finding>,
    /// What the verdict does not cover.
    pub(crate) uncovered: Vec<Finding>,
    /// Was it ended from outside?
    pub(crate) interrupted: bool,
}

impl Outcome {
    /// A sign to begin a line with.
    pub(crate) fn sign(&self) -> &'static str {
        match self.verdict {
            "unknown" => "?",
            "error" => "!",
            _ if self.expected => "✓",
            _ => "✗",
        }
    }
}

/// Something to be shown at a place of the text.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) weight: Weight,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// The line, from 1; otherwise the span.
    pub(crate) line: Option<usize>,
    pub(crate) span: Span,
    /// What happened before: place and words.
    pub(crate) steps: Vec<(Location, String)>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Error,
    Warning,
    /// It is wrong, but the text says that it is.
    Expected,
    /// Nothing is wrong with it, but nothing is known about it either.
    Unreached,
}

/// Decides a check of a program; `files` are what it was written in. A panic of the search is a defect
/// like any other.
pub(crate) fn decide(
    program: &Arc<Program>,
    asked: &Check,
    files: &Files,
    budget: Budget<'_>,
) -> Outcome {
    let options =
        Options { reductions: Reductions::ALL, budget, minimise: MINIMISE, ..Options::default() };
    let decided = catch_unwind(AssertUnwindSafe(|| match check(program, asked, &options) {
        Ok(report) => judged(program, asked, files, &report, budget.within),
        Err(error) => refused(asked, error),
    }));
    let mut outcome = decided.unwrap_or_else(|_| defect(asked, "the search panicked"));
    // What is not in the text of the check is said at the check, or not at all.
    let here = |finding: &Finding| files.place(finding.span).number == 0;
    outcome.uncovered.retain(here);
    if let Some(finding) = outcome.finding.as_mut().filter(|finding| !here(finding)) {
        finding.message += &format!(" ({})", files.position(finding.span.start));
        finding.span = asked.span;
    }
    outcome
}

fn judged(
    program: &Arc<Program>,
    asked: &Check,
    files: &Files,
    report: &Report,
    watch: &Watch,
) -> Outcome {
    let states = report.statistics.nodes;
    let expect = asked.expect.as_ref().unwrap_or(&Expect::Holds);
    let expected = report.is_as_expected(expect);
    let counted = format!("{} states", grouped(states));
    let mut outcome = Outcome {
        verdict: "holds",
        title: format!("holds · {counted}"),
        expected,
        states,
        finding: None,
        uncovered: Vec::new(),
        interrupted: false,
    };
    if report.verdict.holds() {
        outcome.uncovered = uncovered(asked, report);
    }
    match &report.verdict {
        Verdict::Holds if !expected => {
            outcome.title += " (not as expected)";
            let message = format!("`{}` holds, which is not what it expects", asked.name);
            outcome.finding = Some(Finding {
                weight: Weight::Warning,
                code: "unexpected",
                message,
                line: None,
                span: asked.span,
                steps: Vec::new(),
            });
        }
        Verdict::Holds => {}
        Verdict::Unknown(limit) => return unknown(outcome, *limit, &counted),
        Verdict::Violated(Counterexample { violation, schedule }) => {
            let claim = match violation {
                Violation::History => Claim::History,
                Violation::Branching(branches) => Claim::Branching(branches),
                Violation::Fault(kind) => Claim::Fault(*kind),
                Violation::Deadlock => Claim::Deadlock,
                Violation::Endless { cycle, thread } => Claim::Endless(cycle, *thread),
                Violation::Temporal(tail) => Claim::Temporal(tail.as_deref()),
            };
            let explanation = match judge_until(program, asked, claim, schedule, watch) {
                Ok(judged) => explain(&judged, files),
                Err(Disagreement::Undecided) => {
                    return unknown(outcome, Limit::Unconfirmed, &counted);
                }
                Err(disagreement) => {
                    let what = format!("the violation is not confirmed by replay: {disagreement}");
                    return defect(asked, &what);
                }
            };
            let name = violation_name(asked, violation, &explanation);
            outcome.verdict = match violation {
                Violation::Fault(_) => "fault",
                Violation::Deadlock => "deadlock",
                Violation::History
                | Violation::Branching(_)
                | Violation::Endless { .. }
                | Violation::Temporal(_) => "violated",
            };
            let as_expected = if expected { " (as expected)" } else { "" };
            outcome.title = format!("violated: {name}{as_expected} · {counted}");
            let weight = if expected { Weight::Expected } else { Weight::Error };
            outcome.finding = Some(finding(asked, &explanation, &name, weight, outcome.verdict));
        }
    }
    outcome
}

/// Operations that never return, and statements that were never reached.
fn uncovered(asked: &Check, report: &Report) -> Vec<Finding> {
    let finding = |weight, code, message, span| Finding {
        weight,
        code,
        message,
        line: None,
        span,
        steps: Vec::new(),
    };
    let name = &asked.name;
    let stuck = report.covered.never_return().map(|op| {
        let message = format!("`{name}` holds, but `{}` never returns", op.name);
        finding(Weight::Warning, "never-returns", message, asked.span)
    });
    let unreached = report.covered.unreached.iter().map(|span| {
        let message = format!("never reached by the check `{name}`");
        finding(Weight::Unreached, "never-reached", message, *span)
    });
    let ends = report.covered.all_end.then(|| {
        let message = format!("`{name}` holds, but the bound on the heap ends every execution");
        finding(Weight::Warning, "every-execution-ends", message, asked.span)
    });
    stuck.chain(ends).chain(unreached).collect()
}

fn unknown(outcome: Outcome, limit: Limit, counted: &str) -> Outcome {
    Outcome {
        verdict: "unknown",
        interrupted: limit == Limit::Interrupted,
        title: format!("unknown: {} · {counted}", limit_words(limit)),
        ..outcome
    }
}

fn limit_words(limit: Limit) -> &'static str {
    match limit {
        Limit::States => "too many states",
        Limit::Memory => "out of memory",
        Limit::Time => "out of time",
        Limit::Step => "a step that is too long",
        Limit::Interrupted => "stopped",
        Limit::Method => "nothing found",
        Limit::Unconfirmed => "a violation that could not be confirmed",
        Limit::Continuations => "a history whose continuations are too many",
        Limit::Lost => "a process that was lost",
    }
}

/// `not linearizable`, `null dereference`, `deadlock`
fn violation_name(asked: &Check, violation: &Violation, explanation: &Explanation) -> String {
    let object = matches!(explanation.failure, Failure::Response { .. });
    match violation {
        Violation::History if asked.condition == Condition::Strong => {
            format!("not even {}", Condition::Linearizable.adjective())
        }
        Violation::History if object => format!("not {}", Condition::Linearizable.adjective()),
        Violation::History
        | Violation::Branching(_)
        | Violation::Endless { .. }
        | Violation::Temporal(_) => {
            format!("not {}", asked.condition.adjective())
        }
        Violation::Fault(kind) => kind.name().replace('_', " "),
        Violation::Deadlock => "deadlock".to_string(),
    }
}

/// A violation in the text: at the line that is to blame, with the schedule.
fn finding(
    asked: &Check,
    explanation: &Explanation,
    name: &str,
    weight: Weight,
    code: &'static str,
) -> Finding {
    let mut message = format!("check `{}`: {name}", asked.name);
    for sentence in sentences(explanation, &|_, word| word.to_string()) {
        message += &format!("\n{sentence}");
    }
    let narrative = &explanation.narrative;
    let step = |entry: &linchpin_evidence::narrative::Entry| {
        let who = match entry.thread {
            0 => "init".to_string(),
            t => format!("T{t}"),
        };
        let what = match entry.deed {
            Deed::Call(_) | Deed::Return(_) => call_or_return(entry, &narrative.operations),
            _ => match effect(entry, "→") {
                effect if effect.is_empty() => entry.at.text.clone(),
                effect => format!("{}   {effect}", entry.at.text),
            },
        };
        (entry.at.clone(), format!("{who}: {what}"))
    };
    Finding {
        weight,
        code,
        message,
        line: blamed(explanation),
        span: asked.span,
        steps: narrative.entries.iter().map(step).collect(),
    }
}

/// The line to blame: where the fault is, where a thread waits, or the last access of the operation
/// whose return cannot be explained (the operation itself, if it has none). None if it is in another file.
fn blamed(explanation: &Explanation) -> Option<usize> {
    let here = |at: &Location| at.file.is_none().then_some(at.line);
    let narrative = &explanation.narrative;
    let last = narrative.entries.last().map_or(Some(1), |e| here(&e.at));
    let operation = match &explanation.failure {
        Failure::Fault { at, .. } => return here(at),
        Failure::Deadlock { waiting, .. } => {
            return waiting.first().map_or(last, |(_, at)| here(at));
        }
        Failure::Response { operation, .. } => Some(*operation),
        Failure::Points { operation, .. }
        | Failure::Refused { operation, .. }
        | Failure::Endless { operation, .. } => *operation,
        Failure::Branching { .. } => None,
    };
    let Some(operation) = operation else { return last };
    let is = |deed: &Deed, call: bool| match deed {
        Deed::Call(i) => call && *i == operation,
        Deed::Return(i) => !call && *i == operation,
        _ => false,
    };
    let entries = &narrative.entries;
    let begin = entries.iter().position(|e| is(&e.deed, true)).unwrap_or(0);
    let end = entries.iter().position(|e| is(&e.deed, false)).unwrap_or(entries.len());
    let thread = narrative.operations.get(operation).map_or(0, |o| o.thread);
    let mut during = entries.get(begin..end).unwrap_or(entries).iter().rev();
    let access = during.find(|e| e.thread == thread && matches!(e.deed, Deed::Access(_)));
    access.or(entries.get(begin)).map_or(last, |e| here(&e.at))
}

/// Why there is no verdict.
fn refused(asked: &Check, error: CheckError) -> Outcome {
    let (message, span) = match error {
        CheckError::Unsupported(u) => (u.message, u.span),
        CheckError::Specification(fault) => {
            (format!("the specification goes wrong: {fault}"), fault.span)
        }
        CheckError::Internal(what) => return defect(asked, what),
        CheckError::BrokenFact(claim) => {
            return defect(asked, &format!("the model is not what it claims to be: {claim}"));
        }
    };
    failed(asked, message, span)
}

fn defect(asked: &Check, what: &str) -> Outcome {
    failed(asked, format!("{what}; this is a defect of Linchpin, not a verdict"), asked.span)
}

fn failed(asked: &Check, message: String, span: Span) -> Outcome {
    Outcome {
        verdict: "error",
        title: format!("cannot be decided: {message}"),
        expected: false,
        states: 0,
        finding: Some(Finding {
            weight: Weight::Error,
            code: "error",
            message: format!("check `{}`: {message}", asked.name),
            line: None,
            span,
            steps: Vec::new(),
        }),
        uncovered: Vec::new(),
        interrupted: false,
    }
}
