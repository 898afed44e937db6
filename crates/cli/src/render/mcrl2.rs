//! The comparison of an mCRL2 specification with another system, in every form.

use std::fmt::Write;

use linchpin_lts::{Limit, Verdict};
use linchpin_relations::{Histories, Witness};
use linchpin_text::printable;
use serde_json::{Value as Json, json};

use super::numbers::{bytes, grouped, seconds};
use super::verdict::Limits;
use crate::answer::{Answer, Asked, View};
use crate::lts::report;
use crate::mcrl2::Compared;
use crate::names::shown;
use crate::screen::{Screen, Tone};

impl Answer for Compared<'_> {
    fn asked(&self) -> Asked<'_> {
        Asked {
            path: self.path,
            place: None,
            name: shown(self.path),
            command: &self.again,
            elapsed: self.elapsed,
        }
    }

    fn source(&self) -> &str {
        &self.text
    }

    fn sentence(&self, screen: &Screen, limits: &Limits) -> String {
        let limit = match &self.found {
            Ok((found, _)) => found.verdict().limit(),
            Err(limit) => Some(*limit),
        };
        if let Some(limit) = limit {
            let word = screen.paint(Tone::Doubtful, "unknown");
            return format!("{word}: {}", limits.words(limit));
        }
        let holds = self.found.as_ref().is_ok_and(|(found, _)| found.verdict().holds());
        let (tone, claim) = match (holds, self.against.is_some()) {
            (true, false) => (Tone::Good, "linearizable, with these clients"),
            (false, false) => (Tone::Bad, "NOT linearizable"),
            (true, true) => (Tone::Good, "every history is allowed"),
            (false, true) => (Tone::Bad, "has a history that is NOT allowed"),
        };
        screen.paint(tone, claim)
    }

    fn details(&self) -> Vec<String> {
        let mut out = self.history(false);
        if let Ok((found, _)) = &self.found {
            out += &self.bisimilarity(found);
        }
        out.lines().map(|line| line.trim().to_string()).collect()
    }

    fn figures(&self) -> Vec<(&'static str, String)> {
        let mut figures = Vec::new();
        if let Ok((_, [first, second])) = &self.found {
            figures.push(("size", first.words()));
            figures.push(("size of the other", second.words()));
        }
        figures.push(("time", seconds(self.elapsed)));
        figures.push(("memory", bytes(self.memory)));
        figures
    }

    fn witness(&self) -> Option<Json> {
        let (found, _) = self.found.as_ref().ok()?;
        let more = self.bisimilarity(found).trim().to_string();
        let names = [&self.asked().name, &self.other()];
        found.verdict().evidence().map(|witness| report::path_page(witness, names, &[more]))
    }

    fn text(&self, screen: &Screen, view: &View, limits: &Limits) -> String {
        let mut out = format!("{}: {}\n", self.asked().name, self.sentence(screen, limits));
        out += &self.history(view.verbose);
        if view.quiet {
            return out;
        }
        let mut line = seconds(self.elapsed);
        if let Ok((found, [first, second])) = &self.found {
            out += &self.bisimilarity(found);
            if found.bisimilar.is_none() {
                let _ = writeln!(out, "  weak traces: {}", self.traces(found, limits));
            }
            line = format!("{}, against {}, {line}", first.words(), second.words());
        }
        let _ = writeln!(out, "  {}", screen.paint(Tone::Quiet, line));
        out
    }

    fn json(&self) -> Json {
        let found = self.found.as_ref().ok().map(|(found, _)| found);
        let sizes = self.found.as_ref().ok().map(|(_, sizes)| sizes);
        let limit = match &self.found {
            Ok((found, _)) => found.verdict().limit(),
            Err(limit) => Some(*limit),
        };
        let trace = |of: usize| {
            let witness = found.and_then(|found| found.included[of].evidence());
            witness.map(|witness| witness.trace().collect::<Vec<_>>())
        };
        let same = found.and_then(|found| match &found.included {
            [Verdict::Unknown(_), _] | [_, Verdict::Unknown(_)] => None,
            [forth, back] => Some(forth.holds() && back.holds()),
        });
        json!({
            "schema": "linchpin-mcrl2/1",
            "file": self.path.display().to_string(),
            "check": null,
            "verdict": found.map_or("unknown", |found| found.verdict().name()),
            "limit": limit.map(Limit::name),
            "against": self.against.map(|path| path.display().to_string()),
            "holds": limit.is_none().then(|| found.is_some_and(|f| f.verdict().holds())),
            "branching_bisimilar": found.map(|found| found.bisimilar.is_some()),
            "weak_traces_equal": same,
            "trace": trace(0),
            "trace_of_other": trace(1),
            "counts": sizes.map(|[first, second]| json!({
                "states": first.states,
                "steps": first.steps,
                "states_of_other": second.states,
                "steps_of_other": second.steps,
            })),
            "seconds": self.elapsed.as_secs_f64(),
            "memory_bytes": self.memory,
            "command": self.again,
        })
    }
}

impl Compared<'_> {
    /// What the file is compared with.
    fn other(&self) -> String {
        match self.against {
            Some(against) => shown(against),
            None => "the same with atomic bodies".into(),
        }
    }

    /// The history that is not allowed.
    fn history(&self, verbose: bool) -> String {
        let mut out = String::new();
        if let Ok((found, _)) = &self.found
            && let Some(witness) = found.verdict().evidence()
        {
            report::path(&mut out, [&self.asked().name, &self.other()], witness, verbose);
        }
        // Labels may come from a file of another program.
        printable(&out).into_owned()
    }

    fn bisimilarity(&self, found: &Histories) -> String {
        let other = self.other();
        match found.bisimilar {
            Some(classes) => format!(
                "  branching bisimilar to {other}: yes ({} classes of states), so weak traces are \
                 the same\n",
                grouped(u64::from(classes))
            ),
            None => format!(
                "  branching bisimilar to {other}: no. That alone says nothing: bisimilarity is \
                 sufficient, not necessary.\n"
            ),
        }
    }

    fn traces(&self, found: &Histories, limits: &Limits) -> String {
        let other = self.other();
        match &found.included {
            [Verdict::Holds, Verdict::Holds] => "the same".into(),
            [Verdict::Holds, Verdict::Violated(witness)] => format!(
                "all those of the file are among those of {other}, which has more: {}",
                words(witness)
            ),
            [Verdict::Violated(witness), _] => {
                format!("the file has one that {other} does not have: {}", words(witness))
            }
            [Verdict::Unknown(limit), _] | [_, Verdict::Unknown(limit)] => {
                format!("not decided, {}", limits.words(*limit))
            }
        }
    }
}

/// A trace on one line.
fn words(witness: &Witness) -> String {
    printable(&witness.trace().collect::<Vec<_>>().join(" ")).into_owned()
}
