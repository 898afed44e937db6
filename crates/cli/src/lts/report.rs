//! What came of a comparison, in every form.

use std::borrow::Cow;
use std::fmt::Write;

use linchpin_lts::{Limit, TAU, Verdict};
use linchpin_relations::{Evidence, Formula, Reason, Related, Witness, WitnessStep};
use linchpin_text::{printable, printable_name};
use serde_json::{Value as Json, json};

use super::compare::Compared;
use super::options::Relation;
use crate::answer::{Answer, Asked, View};
use crate::names::shown;
use crate::render::numbers::{counted, grouped, seconds};
use crate::render::verdict::Limits;
use crate::screen::{Screen, Tone};

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

impl Answer for Compared<'_> {
    fn asked(&self) -> Asked<'_> {
        let [a, b] = self.names();
        Asked {
            path: &self.options.first,
            place: None,
            name: format!("{a} and {b}"),
            command: &self.again,
            elapsed: self.elapsed,
        }
    }

    fn sentence(&self, screen: &Screen, limits: &Limits) -> String {
        let verdict = &self.related.verdict;
        let tone = match verdict {
            Verdict::Holds => Tone::Good,
            Verdict::Violated(_) => Tone::Bad,
            Verdict::Unknown(limit) => {
                let word = screen.paint(Tone::Doubtful, "unknown");
                return format!("{word}: {}", limits.words(*limit));
            }
        };
        let relation = self.options.relation;
        match (self.options.refines, verdict.holds()) {
            (true, true) => {
                format!("{} ({})", screen.paint(tone, "refines"), relation.name())
            }
            (true, false) => {
                format!("{} ({})", screen.paint(tone, "does NOT refine"), relation.name())
            }
            (false, true) => screen.paint(tone, adjective(relation)),
            (false, false) => screen.paint(tone, format!("NOT {}", adjective(relation))),
        }
    }

    fn details(&self) -> Vec<String> {
        self.shown(false).lines().map(|line| line.trim().to_string()).collect()
    }

    fn figures(&self) -> Vec<(&'static str, String)> {
        let figures = self.sizes();
        let sizes = (!figures.is_empty()).then_some(("size", figures));
        sizes.into_iter().chain([("time", seconds(self.elapsed))]).collect()
    }

    fn witness(&self) -> Option<Json> {
        match self.related.verdict.evidence() {
            Some(Evidence::Path { of, witness }) => {
                let names = self.names();
                Some(path_page(witness, [&names[*of], &names[1 - *of]], &[]))
            }
            _ => None,
        }
    }

    fn text(&self, screen: &Screen, view: &View, limits: &Limits) -> String {
        let [a, b] = self.names();
        let sentence = self.sentence(screen, limits);
        let known = self.related.verdict.limit().is_none();
        let mut out = match sentence.rsplit_once(" (") {
            Some((verb, relation)) if self.options.refines && known => {
                format!("{a} {verb} {b} ({relation}\n")
            }
            _ => format!("{a} and {b}: {sentence}\n"),
        };
        out += &self.shown(view.verbose);
        if !view.quiet {
            let figures = self.sizes();
            let gap = if figures.is_empty() { "" } else { ", " };
            let line = format!("{figures}{gap}{}", seconds(self.elapsed));
            let _ = writeln!(out, "{}", screen.paint(Tone::Quiet, line));
        }
        out
    }

    fn json(&self) -> Json {
        let (options, verdict) = (self.options, &self.related.verdict);
        let evidence = match verdict.evidence() {
            Some(Evidence::Path { of, witness }) => path_json(*of, witness),
            Some(Evidence::Formula(Some(formula))) => json!({ "formula": formula.lines() }),
            Some(Evidence::Formula(None)) | None => json!(null),
        };
        json!({
            "schema": "linchpin-compare/1",
            "file": options.first.display().to_string(),
            "check": null,
            "verdict": verdict.name(),
            "limit": verdict.limit().map(Limit::name),
            "first": options.first.display().to_string(),
            "second": options.second.display().to_string(),
            "relation": options.relation.name(),
            "refines": options.refines,
            "related": verdict.limit().is_none().then(|| verdict.holds()),
            "evidence": evidence,
            "seconds": self.elapsed.as_secs_f64(),
            "command": self.again,
        })
    }
}

impl Compared<'_> {
    fn names(&self) -> [String; 2] {
        [&self.options.first, &self.options.second].map(|p| shown(p))
    }

    /// What tells the systems apart.
    fn shown(&self, verbose: bool) -> String {
        let (mut out, names) = (String::new(), self.names());
        match self.related.verdict.evidence() {
            Some(Evidence::Path { of, witness }) => {
                path(&mut out, [&names[*of], &names[1 - *of]], witness, verbose);
            }
            Some(Evidence::Formula(formula)) => formula_text(&mut out, &names, formula.as_ref()),
            None => {}
        }
        // Labels come from files of other programs.
        printable(&out).into_owned()
    }

    fn sizes(&self) -> String {
        match &self.related {
            Related { blocks: Some(blocks), .. } => {
                format!("{} classes of states", grouped(u64::from(*blocks)))
            }
            Related { figures: Some(f), .. } => format!(
                "{} against {}, {}, {}",
                counted(f.implementation, "state"),
                grouped(f.specification),
                counted(f.pairs, "pair"),
                counted(f.sets, "set")
            ),
            Related { .. } => String::new(),
        }
    }
}

/// A path of a system that another does not have, for a browser, and what else there is to say.
pub(crate) fn path_page(witness: &Witness, [who, other]: [&String; 2], more: &[String]) -> Json {
    let what = match &witness.reason {
        Reason::Event { .. } => {
            let last = witness.steps.last().map_or("", |s| &s.text);
            format!("After what comes before it, {who} can do `{last}`, and {other} cannot.")
        }
        Reason::Refusal { .. } => {
            format!("After these steps, {who} can refuse what {other} always offers.")
        }
        Reason::Divergence { .. } => {
            format!("{who} can go on silently for ever, and {other} always comes to rest.")
        }
    };
    let because: Vec<Cow<'_, str>> =
        [what].iter().chain(more).map(|line| Cow::Owned(printable(line).into_owned())).collect();
    let last = witness.steps.len();
    let (repeats, bad) = match &witness.reason {
        Reason::Event { .. } => (None, last.checked_sub(1)),
        Reason::Refusal { .. } => (None, None),
        Reason::Divergence { cycle } => (Some(*cycle).filter(|from| *from < last), None),
    };
    let refused = match &witness.reason {
        Reason::Event { allowed } => {
            let event = witness.steps.last().map(|s| printable_name(&s.text));
            json!({ "event": event, "allowed": allowed })
        }
        Reason::Refusal { offered, accepted } => {
            json!({ "offered": offered, "accepted": accepted })
        }
        Reason::Divergence { .. } => json!({ "divergence": true }),
    };
    let step = |(i, step): (usize, &WitnessStep)| {
        json!({
            "index": i,
            "step": i,
            "by": step.by.iter().map(|n| n + 1).collect::<Vec<_>>(),
            "line": 0,
            "at": "",
            "places": [],
            "event": printable_name(&step.text),
            "text": printable_name(&step.text),
            "effect": "",
            "alone": false,
            "bad": bad == Some(i),
        })
    };
    let steps: Vec<Json> = witness.steps.iter().enumerate().map(step).collect();
    json!({
        "trace": true,
        "holds": false,
        "because": because,
        "repeats": repeats,
        "refused": refused,
        "entries": steps,
        "steps": steps,
        "frames": vec![json!({ "variables": [] }); last + 1],
    })
}

/// A path for programs.
fn path_json(of: usize, witness: &Witness) -> Json {
    let reason = match &witness.reason {
        Reason::Event { allowed } => json!({ "kind": "event", "allowed": allowed }),
        Reason::Refusal { offered, accepted } => {
            json!({ "kind": "refusal", "offered": offered, "accepted": accepted })
        }
        Reason::Divergence { cycle } => json!({ "kind": "divergence", "cycle": cycle }),
    };
    let steps: Vec<_> = witness.steps.iter().map(|s| &s.text).collect();
    let of = ["first", "second"][of];
    json!({ "of": of, "steps": steps, "reason": reason })
}

/// A path of one system that the other does not have.
pub(crate) fn path(out: &mut String, [who, other]: [&String; 2], witness: &Witness, verbose: bool) {
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
