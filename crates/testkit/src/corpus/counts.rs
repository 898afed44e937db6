//! Measured counts: how large every question of a corpus is, with all reductions on.
//!
//! `counts.toml` of a corpus is written by `cargo xtask bless` and read by the test of the corpus. A
//! change of a reduction changes counts, and the difference of this file shows to what extent; a
//! change of anything else must not touch them. One line per question, so that a difference can be
//! read.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use linchpin_check::{Counterexample, Violation};
use linchpin_lts::{Figures, Verdict};
use serde::Deserialize;

/// Figures of one question.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// As in an `expect` setting: `holds`, `violated`, `deadlock`, `fault KIND`; or `unknown`.
    pub verdict: String,
    /// Different states.
    pub states: u64,
    /// States with what else was kept with them, such as the sets of the specification.
    pub nodes: u64,
    /// Steps computed.
    pub transitions: u64,
    /// Levels completed.
    pub depth: u32,
    /// Steps of the witness, if there is one.
    pub witness: Option<usize>,
}

impl Counts {
    /// The figures of an answer.
    pub fn of(verdict: String, figures: &Figures, witness: Option<usize>) -> Counts {
        let Figures { states, nodes, transitions, depth, .. } = *figures;
        Counts { verdict, states, nodes, transitions, depth, witness }
    }
}

/// A verdict as in an `expect` setting.
pub fn verdict_name(verdict: &Verdict<Counterexample>) -> String {
    match verdict {
        Verdict::Holds => "holds".to_string(),
        Verdict::Unknown(_) => "unknown".to_string(),
        Verdict::Violated(Counterexample { violation, .. }) => match violation {
            Violation::History
            | Violation::Branching(_)
            | Violation::Endless { .. }
            | Violation::Temporal(_) => "violated".to_string(),
            Violation::Deadlock => "deadlock".to_string(),
            Violation::Fault(kind) => format!("fault {}", kind.name()),
        },
    }
}

/// The figures of all questions: by path of the file, then by name of the question.
pub type Table = BTreeMap<String, BTreeMap<String, Counts>>;

/// Reads `counts.toml`.
///
/// # Errors
/// If it is not of this form, in words.
pub fn parse(text: &str) -> Result<Table, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

/// Writes `counts.toml`.
pub fn print(table: &Table) -> String {
    let mut text =
        "# Written by `cargo xtask bless`; every difference is to be understood.\n".to_string();
    for (path, checks) in table {
        let _ = write!(text, "\n[{path:?}]\n");
        for (name, c) in checks {
            let Counts { verdict, states, nodes, transitions, depth, witness } = c;
            let _ = write!(
                text,
                "{name:?} = {{ verdict = {verdict:?}, states = {states}, nodes = {nodes}, \
                 transitions = {transitions}, depth = {depth}"
            );
            if let Some(turns) = witness {
                let _ = write!(text, ", witness = {turns}");
            }
            text.push_str(" }\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_was_written_is_read_back() {
        let held = Counts {
            verdict: "holds".to_string(),
            states: 1,
            nodes: 2,
            transitions: 3,
            depth: 4,
            witness: None,
        };
        let violated =
            Counts { verdict: "fault assertion".to_string(), witness: Some(5), ..held.clone() };
        let checks =
            BTreeMap::from([("A".to_string(), held), ("A#2".to_string(), violated.clone())]);
        let other = BTreeMap::from([("B".to_string(), violated)]);
        let table = Table::from([("x/a.lin".to_string(), checks), ("y/b.lin".to_string(), other)]);
        assert_eq!(parse(&print(&table)), Ok(table));
        assert!(parse("[\"x/a.lin\"]\nA = { verdict = \"holds\" }").is_err());
    }
}
