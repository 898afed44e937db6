//! A classification in every form.

use linchpin_check::{Counterexample, Violation};
use linchpin_lts::{Limit, Verdict};
use serde_json::{Value as Json, json};

use super::columns::{pad, table, width, wrapped};
use super::numbers::counted;
use super::{json, violation};
use crate::answer::{Answer, Asked, View};
use crate::bounds;
use crate::classify::{Answer as Condition, Classified};
use crate::names::shown;
use crate::render::verdict::Limits;
use crate::screen::{Screen, Tone};

const SCHEMA: &str = "linchpin-classify/1";
/// Columns of the report.
const WIDTH: usize = 80;

impl Answer for Classified<'_> {
    fn asked(&self) -> Asked<'_> {
        let decided = self.answers.iter().filter_map(|a| a.decided.as_ref().ok());
        Asked {
            path: &self.source.path,
            place: Some((&self.source.text, self.check.span)),
            name: self.name.clone(),
            command: &self.again,
            elapsed: decided.map(|d| d.elapsed).sum(),
        }
    }

    fn sentence(&self, _: &Screen, _: &Limits) -> String {
        sentence(self).trim_end_matches('.').to_string()
    }

    fn headline(&self, _: &str) -> String {
        let holds = |a: &&Condition<'_>| a.decided.as_ref().is_ok_and(|d| d.report.verdict.holds());
        let all = self.answers.len();
        format!("{} of {all} conditions hold", self.answers.iter().filter(holds).count())
    }

    fn details(&self) -> Vec<String> {
        let line = |a: &Condition<'_>| match &a.decided {
            Err(why) => format!("{}: {why}", a.condition.adjective()),
            Ok(decided) => {
                format!("{}: {}", a.condition.adjective(), decided.report.verdict.name())
            }
        };
        self.answers.iter().map(line).collect()
    }

    fn text(&self, screen: &Screen, view: &View, limits: &Limits) -> String {
        text(view, screen, self, limits)
    }

    fn json(&self) -> Json {
        json(self)
    }
}

/// With `--verbose`, also how conditions are violated.
fn text(view: &View, screen: &Screen, classified: &Classified<'_>, limits: &Limits) -> String {
    let Classified { source, name, check, answers, .. } = classified;
    let mut out = String::new();
    if view.several {
        out += &format!("{}: ", shown(&source.path));
    }
    let against = check.against_name(&source.program);
    let bounds = bounds::words(&source.program, check);
    out += &format!("{}: against {against}, {bounds}\n", screen.paint(Tone::Heading, name));
    if !view.quiet {
        let widest = answers.iter().map(|a| width(a.condition.adjective())).max().unwrap_or(0);
        let rows: Vec<Vec<String>> = answers.iter().map(|a| row(a, limits)).collect();
        for (answer, cells) in answers.iter().zip(table(&rows)) {
            let tone = match () {
                () if answer.holds() => Tone::Good,
                () if answer.is_violated() => Tone::Bad,
                () => Tone::Doubtful,
            };
            let word = pad(answer.condition.adjective(), widest);
            // The first word is the verdict.
            let (verdict, rest) = cells.split_once(' ').unwrap_or((&cells, ""));
            out += format!("  {word}  {} {rest}", screen.paint(tone, verdict)).trim_end();
            out.push('\n');
        }
    }
    for line in wrapped(&sentence(classified), WIDTH - 2) {
        out += &format!("  {line}\n");
    }
    if view.verbose {
        for answer in answers {
            if let Ok(decided) = &answer.decided
                && let Some((_, explanation)) = &decided.violation
            {
                let condition = answer.condition.adjective();
                out += &format!("\n  not {condition}:\n");
                out += &violation::render(screen, decided, explanation, view);
            }
        }
    }
    out
}

/// Verdict and figures of a condition.
fn row(answer: &Condition<'_>, limits: &Limits) -> Vec<String> {
    match &answer.decided {
        Err(why) => vec!["-".to_string(), why.clone()],
        Ok(decided) => {
            let states = counted(decided.report.statistics.nodes, "state");
            let (word, more) = match &decided.report.verdict {
                Verdict::Holds => ("yes", None),
                Verdict::Violated(Counterexample { violation, .. }) => ("NO", reason(violation)),
                Verdict::Unknown(limit) => ("?", Some(limits.words(*limit))),
            };
            let more = more.map_or(String::new(), |more| format!(": {more}"));
            vec![word.to_string(), states + &more]
        }
    }
}

/// What is wrong, if it is not the condition alone.
fn reason(violation: &Violation) -> Option<String> {
    match violation {
        Violation::History
        | Violation::Branching(_)
        | Violation::Endless { .. }
        | Violation::Temporal(_) => None,
        Violation::Fault(kind) => Some(kind.name().replace('_', " ")),
        Violation::Deadlock => Some("deadlock".to_string()),
    }
}

/// What is violated, weakest first, and what is not.
fn sentence(classified: &Classified<'_>) -> String {
    let named = |chosen: &dyn Fn(&Condition<'_>) -> bool| -> Vec<&str> {
        let chosen = classified.answers.iter().filter(|a| chosen(a));
        chosen.map(|a| a.condition.adjective()).collect()
    };
    let violated = named(&|a| a.is_violated());
    let holds = named(&|a| a.holds());
    match (violated.is_empty(), holds.last()) {
        (true, None) => "Nothing could be decided.".to_string(),
        (true, Some(_)) => "No condition that was decided is violated.".to_string(),
        (false, None) => format!("Violated, weakest first: {}.", violated.join(", ")),
        (false, Some(_)) => {
            let (violated, holds) = (violated.join(", "), holds.join(", "));
            format!("Violated, weakest first: {violated}. Satisfied: {holds}.")
        }
    }
}

/// For programs.
fn json(classified: &Classified<'_>) -> Json {
    let Classified { source, name, check, answers, .. } = classified;
    let program = &source.program;
    let names = |chosen: &dyn Fn(&Condition<'_>) -> bool| -> Vec<&str> {
        answers.iter().filter(|a| chosen(a)).map(|a| a.condition.name()).collect()
    };
    json!({
        "schema": SCHEMA,
        "file": source.path.display().to_string(),
        "check": name,
        "verdict": classified.exit().word(),
        "object": program.objects[check.object.index()].unit.name,
        "specification": check.against_name(program),
        "bounds": json::bounds(program, check),
        "conditions": answers.iter().map(answer).collect::<Vec<_>>(),
        "violated": names(&|a| a.is_violated()),
        "holds": names(&|a| a.holds()),
        "seconds": classified.asked().elapsed.as_secs_f64(),
        "command": classified.again,
    })
}

fn answer(answer: &Condition<'_>) -> Json {
    let condition = answer.condition.name();
    let decided = match &answer.decided {
        Err(why) => {
            return json!({ "condition": condition, "verdict": "inapplicable", "why": why });
        }
        Ok(decided) => decided,
    };
    let verdict = &decided.report.verdict;
    let violation = verdict.evidence().map(|shown| json::violation(&shown.violation, decided));
    json!({
        "condition": condition,
        "verdict": verdict.name(),
        "violation": violation,
        "limit": verdict.limit().map(Limit::name),
        "states": decided.report.statistics.nodes,
        "seconds": decided.elapsed.as_secs_f64(),
        "as_expected": decided.check.expect.as_ref()
            .map(|e| decided.report.is_as_expected(e)),
        "witness": decided.violation.as_ref().map(|(s, e)| json::witness(s, e, decided.report.minimal.is_some())),
    })
}
