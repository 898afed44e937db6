//! Answers to assertions of CSP models, in every form.

mod events;
mod history;
mod json;
mod page;
mod text;

use linchpin_csp::{Failure, Witness};
use linchpin_engine::Figures;
use linchpin_evidence::narrative::Narrative;
use linchpin_lts::Verdict;
use serde_json::Value as Json;

use events::trace;
pub(crate) use events::{contents, steps};

use super::numbers::counted;
use super::verdict::Limits;
use crate::answer::{Answer, Asked, View};
use crate::csp::Decided;
use crate::exit::Exit;
use crate::screen::{Screen, Tone};

impl Answer for Decided<'_> {
    fn asked(&self) -> Asked<'_> {
        Asked {
            path: self.source.place(self.asserted.span).0,
            place: {
                let (_, text, span) = self.source.place(self.asserted.span);
                Some((text, span))
            },
            name: self.asserted.text.clone(),
            command: &self.again,
            elapsed: self.elapsed,
        }
    }

    fn sentence(&self, screen: &Screen, limits: &Limits) -> String {
        verdict(screen, self, limits)
    }

    fn details(&self) -> Vec<String> {
        let mut details = sentences(self);
        details.extend(self.report.witness.as_ref().map(trace));
        details
    }

    fn searched(&self) -> u64 {
        statistics(self).nodes
    }

    fn text(&self, screen: &Screen, view: &View, limits: &Limits) -> String {
        text::text(view, screen, self, limits)
    }

    fn json(&self) -> Json {
        json::json(self)
    }

    fn page(&self, limits: &Limits, _: Exit, file: usize) -> Json {
        page::check(self, limits, file)
    }
}

/// `NOT valid for executions that are weakly fair to every process`
fn verdict(screen: &Screen, decided: &Decided<'_>, limits: &Limits) -> String {
    let text = match &decided.report.verdict {
        Ok(Verdict::Holds) => screen.paint(Tone::Good, "valid"),
        Ok(Verdict::Violated(())) => screen.paint(Tone::Bad, "NOT valid"),
        Ok(Verdict::Unknown(limit)) => {
            let (word, why) = (screen.paint(Tone::Doubtful, "unknown"), limits.words(*limit));
            format!("{word}: {why} after {}", counted(statistics(decided).nodes, "state"))
        }
        Err(Failure::Trouble(_)) => screen.paint(Tone::Bad, "the model goes wrong"),
        Err(Failure::Defect(why)) => format!("INTERNAL ERROR: {why}"),
    };
    match decided.fairness {
        Some(fair) => format!("{text} for executions that are {}", fair.adjective()),
        None => text,
    }
}

/// The figures; `nodes` is what is called states: of refinement, pairs of them.
fn statistics(decided: &Decided<'_>) -> Figures {
    let s = decided.report.statistics;
    Figures { nodes: s.states.max(s.nodes), ..s }
}

/// What there is to say beside the verdict, in sentences.
fn sentences(decided: &Decided<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Err(Failure::Trouble(trouble)) = &decided.report.verdict {
        let place = trouble
            .at
            .map(|(start, _)| format!(" (at {})", decided.source.model.files().position(start)));
        sentences.push(sentence(&format!("{}{}", trouble.message, place.unwrap_or_default())));
    }
    if let Err(Failure::Defect(_)) = &decided.report.verdict {
        sentences.push("This is a bug of Linchpin and not a verdict about the model.".to_string());
    }
    sentences.extend(shown(decided));
    sentences.extend(decided.report.notes.iter().map(|note| sentence(note)));
    sentences
}

/// What the execution shows.
fn shown(decided: &Decided<'_>) -> Vec<String> {
    let Some(witness) = &decided.report.witness else { return Vec::new() };
    let history = history(decided);
    let because =
        history.and_then(|(narrative, failing)| Some(history::because(&narrative, failing?)));
    because.into_iter().chain([sentence(&witness.sentence)]).chain(repetition(witness)).collect()
}

/// The history that is not one of the specification, if the assertion is about operations.
fn history(decided: &Decided<'_>) -> Option<(Narrative, Option<usize>)> {
    let violated = matches!(decided.report.verdict, Ok(Verdict::Violated(())));
    let operations = decided.operations.as_ref().filter(|_| violated)?;
    history::history(decided.report.witness.as_ref()?, operations)
}

/// Where the part begins that can go on for ever.
fn repetition(witness: &Witness) -> Option<String> {
    let from = witness.repeats.filter(|&from| from < witness.steps.len())?;
    let steps = match witness.steps.len() - from {
        1 => format!("Step {} can be", from + 1),
        _ => format!("Steps {} to {} can be", from + 1, witness.steps.len()),
    };
    Some(format!("{steps} repeated for ever."))
}

/// With a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let stop = if text.ends_with(['.', ':']) { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}
