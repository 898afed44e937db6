//! What came of a comparison, as text and as JSON.

use std::fmt::Write;
use std::time::Duration;

use linchpin_lts::{TAU, Verdict};
use linchpin_relations::{Figures, Formula, Reason, Witness, WitnessStep};
use serde_json::json;

use super::compare::Evidence;
use super::options::{CompareOptions, Relation};
use crate::render::numbers::{grouped, seconds};
use crate::render::verdict::Limits;
use crate::screen::{Screen, Tone};

/// The answer to a question about two systems.
pub(super) struct Answer {
    /// Yes, no, or not known.
    pub(super) verdict: Verdict<Evidence>,
    /// Of a refinement.
    pub(super) figures: Option<Figures>,
    /// Classes of states of both systems, of a bisimulation.
    pub(super) blocks: Option<u32>,
}

/// Longer formulas are not shown.
const MOST_LINES: usize = 60;
const MOST_COLUMNS: usize = 2_000;

/// `strongly bisimilar`
fn adjective(relation: Relation) -> &'static str {
    match relation {
        Relation::Strong => "strongly bisimilar",
        Relation::Branching => "branching bisimilar",
        Relation::DivergenceBranching => "branching bisimilar with divergences",
        Relation::Trace => "trace equivalent",
        Relation::WeakTrace => "weak trace equivalent",
        Relation::Failures => "failures equivalent",
        Relation::FailuresDivergences => "failures-divergences equivalent",
    }
}

/// The answer for people.
pub(super) fn text(
    screen: &Screen,
    options: &CompareOptions,
    limits: &Limits,
    answer: &Answer,
    elapsed: Duration,
) -> String {
    let names = [&options.first, &options.second].map(|p| p.display().to_string());
    let [a, b] = &names;
    let claim = match options.refines {
        true => {
            let verb = screen.paint(tone(answer), verb(answer));
            format!("{a} {verb} {b} ({})", options.relation.name())
        }
        false => {
            let not = if answer.verdict.is_violated() { "NOT " } else { "" };
            let word = screen.paint(tone(answer), format!("{not}{}", adjective(options.relation)));
            format!("{a} and {b}: {word}")
        }
    };
    let mut out = match &answer.verdict {
        Verdict::Unknown(limit) => {
            let word = screen.paint(Tone::Doubtful, "unknown");
            format!("{a} and {b}: {word}: {}\n", limits.words(*limit))
        }
        _ => format!("{claim}\n"),
    };
    if let Verdict::Violated(evidence) = &answer.verdict {
        match evidence {
            Evidence::Path { of, witness } => {
                path(&mut out, [&names[*of], &names[1 - *of]], witness, options.verbose);
            }
            Evidence::Formula(formula) => formula_text(&mut out, &names, formula.as_ref()),
        }
    }
    if !options.common.quiet {
        let figures = figures(answer);
        let gap = if figures.is_empty() { "" } else { ", " };
        let line = format!("{figures}{gap}{}", seconds(elapsed));
        let _ = writeln!(out, "{}", screen.paint(Tone::Quiet, line));
    }
    out
}

fn tone(answer: &Answer) -> Tone {
    match answer.verdict {
        Verdict::Holds => Tone::Good,
        Verdict::Violated(_) => Tone::Bad,
        Verdict::Unknown(_) => Tone::Doubtful,
    }
}

fn verb(answer: &Answer) -> &'static str {
    if answer.verdict.is_violated() { "does NOT refine" } else { "refines" }
}

fn figures(answer: &Answer) -> String {
    match answer {
        Answer { blocks: Some(blocks), .. } => {
            format!("{} classes of states", grouped(u64::from(*blocks)))
        }
        Answer { figures: Some(f), .. } => format!(
            "{} states against {}, {} pairs, {} sets",
            grouped(f.implementation),
            grouped(f.specification),
            grouped(f.pairs),
            grouped(f.sets)
        ),
        _ => String::new(),
    }
}

/// A path of one system that the other does not have.
pub(super) fn path(out: &mut String, [who, other]: [&String; 2], witness: &Witness, verbose: bool) {
    let steps = &witness.steps;
    let split = match &witness.reason {
        Reason::Event { .. } => steps.len().saturating_sub(1),
        Reason::Refusal { .. } => steps.len(),
        Reason::Divergence { cycle } => *cycle,
    };
    let (before, after) = steps.split_at(split);
    if before.is_empty() {
        let _ = writeln!(out, "  At the beginning {who} can");
    } else {
        let _ = writeln!(out, "  After the steps");
        list(out, before, 1, verbose);
        let _ = writeln!(out, "  {who} can");
    }
    match &witness.reason {
        Reason::Event { allowed } => {
            list(out, after, split + 1, true);
            let _ = match &allowed[..] {
                [] => writeln!(out, "  and {other} can do nothing any more."),
                _ => writeln!(out, "  and {other} can only do {}.", allowed.join(", ")),
            };
        }
        Reason::Refusal { offered, accepted } => {
            let _ = match &offered[..] {
                [] => writeln!(out, "    stop"),
                _ => writeln!(out, "    offer nothing but {}", offered.join(", ")),
            };
            let sets: Vec<String> = accepted.iter().map(|s| s.join(", ")).collect();
            let _ = match &sets[..] {
                [] => writeln!(out, "  and {other} never comes to rest."),
                [one] => writeln!(out, "  and {other} always offers {one}."),
                _ => writeln!(out, "  and {other} always offers {}.", sets.join("; or ")),
            };
        }
        Reason::Divergence { .. } => {
            let _ = writeln!(out, "    go on silently forever");
            if verbose {
                list(out, after, split + 1, true);
            }
            let _ = writeln!(out, "  and {other} always comes to rest.");
        }
    }
}

/// Steps with their numbers; silent ones together, unless all are wanted.
fn list(out: &mut String, steps: &[WitnessStep], first: usize, all: bool) {
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        let silent = steps[at..].iter().take_while(|s| s.label == TAU).count();
        let number = first + at;
        if silent > 1 && !all {
            let _ = writeln!(out, "    {number:>4}  ({silent} silent steps)");
            at += silent;
        } else {
            let text = if step.label == TAU { "(silent)" } else { &step.text };
            let _ = writeln!(out, "    {number:>4}  {text}");
            at += 1;
        }
    }
}

/// Can a person read this?
pub(super) fn can_be_shown(formula: &Formula) -> bool {
    let lines = formula.lines();
    lines.len() <= MOST_LINES && lines.iter().map(String::len).sum::<usize>() <= MOST_COLUMNS
}

fn formula_text(out: &mut String, [a, b]: &[String; 2], formula: Option<&Formula>) {
    let Some(formula) = formula.filter(|f| can_be_shown(f)) else {
        let _ = writeln!(
            out,
            "  They have the same traces, and the formula that tells them apart is too large to be \
             shown (see --format json)."
        );
        return;
    };
    let _ = writeln!(out, "  This holds in {a} and not in {b}:");
    for line in formula.lines() {
        let _ = writeln!(out, "    {line}");
    }
}

/// The answer for programs, on one line.
pub(super) fn json(options: &CompareOptions, answer: &Answer) -> String {
    let related = match &answer.verdict {
        Verdict::Unknown(_) => None,
        verdict => Some(verdict.holds()),
    };
    let evidence = match answer.verdict.evidence() {
        Some(Evidence::Path { of, witness }) => {
            let steps: Vec<_> = witness.steps.iter().map(|s| &s.text).collect();
            let of = ["first", "second"][*of];
            let mut value = json!({ "of": of, "steps": steps });
            let reason = match &witness.reason {
                Reason::Event { allowed } => json!({ "kind": "event", "allowed": allowed }),
                Reason::Refusal { offered, accepted } => {
                    json!({ "kind": "refusal", "offered": offered, "accepted": accepted })
                }
                Reason::Divergence { cycle } => json!({ "kind": "divergence", "cycle": cycle }),
            };
            value["reason"] = reason;
            value
        }
        Some(Evidence::Formula(Some(formula))) => {
            json!({ "formula": formula.lines() })
        }
        _ => json!(null),
    };
    let value = json!({
        "schema": "linchpin-compare/1",
        "first": options.first.display().to_string(),
        "second": options.second.display().to_string(),
        "relation": options.relation.name(),
        "refines": options.refines,
        "related": related,
        "evidence": evidence,
    });
    format!("{value}\n")
}
