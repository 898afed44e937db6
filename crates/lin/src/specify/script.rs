//! Scripts of choices, and the budgets that keep an execution finite.
//!
//! Every run of an operation reads its choices from the script; where the script ends, the run
//! takes the first alternative and appends it. After the run, the last choice that has another
//! alternative is advanced and everything behind it is dropped, so that all combinations are met
//! once, in lexicographic order.

use linchpin_lts::Watch;

use super::SpecFault;
use super::exec::Stop;
use crate::program::FaultKind;
use linchpin_text::Span;

/// Evaluations in one run.
const STEPS_PER_RUN: u64 = 1_000_000;
/// Evaluations in all runs of one operation in one state.
const STEPS_IN_ALL: u64 = 20_000_000;
/// Runs of one operation in one state.
const RUNS: u64 = 200_000;
/// After so many evaluations of a run, or so many runs, we ask whether to go on.
const ASK: u64 = 1 << 12;
/// Nesting of evaluations, through all calls; more would threaten the stack of the host.
const DEPTH: u32 = 1_000;

/// One decision: which of how many alternatives.
#[derive(Clone, Copy, Debug)]
struct Choice {
    taken: u64,
    of: u64,
}

/// The choices of the current run, and what has been spent.
#[derive(Debug)]
pub(super) struct Script {
    choices: Vec<Choice>,
    position: usize,
    steps: u64,
    steps_in_all: u64,
    runs: u64,
    depth: u32,
}

impl Script {
    pub(super) fn new() -> Self {
        Script { choices: Vec::new(), position: 0, steps: 0, steps_in_all: 0, runs: 1, depth: 0 }
    }

    /// Goes on to the next combination of choices; false if there is none.
    pub(super) fn next(&mut self, span: Span, watch: &Watch) -> Result<bool, SpecFault> {
        self.position = 0;
        self.depth = 0;
        self.steps_in_all += self.steps;
        self.steps = 0;
        self.runs += 1;
        while let Some(last) = self.choices.last_mut() {
            last.taken += 1;
            if last.taken == last.of {
                self.choices.pop();
            } else if self.runs > RUNS || self.steps_in_all > STEPS_IN_ALL {
                return Err(endless(span, "it has too many combinations of choices"));
            } else {
                if self.runs.is_multiple_of(ASK) {
                    ask(span, watch)?;
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes one of `of` alternatives; without any, this execution is not considered.
    pub(super) fn choose(&mut self, of: u64) -> Result<u64, Stop> {
        match of {
            0 => Err(Stop::Blocked),
            1 => Ok(0),
            _ => {
                if self.position == self.choices.len() {
                    self.choices.push(Choice { taken: 0, of });
                }
                let choice = self.choices[self.position];
                self.position += 1;
                Ok(choice.taken)
            }
        }
    }

    /// Begins an evaluation.
    pub(super) fn enter(&mut self, span: Span, watch: &Watch) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(endless(span, "its code is nested too deeply").into());
        }
        self.steps += 1;
        if self.steps > STEPS_PER_RUN {
            return Err(endless(span, "it does not end").into());
        }
        if self.steps.is_multiple_of(ASK) {
            ask(span, watch)?;
        }
        Ok(())
    }

    /// Ends an evaluation begun with [`Script::enter`].
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// Shall we go on?
fn ask(span: Span, watch: &Watch) -> Result<(), SpecFault> {
    watch.ask().map_err(|limit| SpecFault::stopped(limit, span))
}

fn endless(span: Span, why: &str) -> SpecFault {
    SpecFault::new(
        FaultKind::Divergence,
        span,
        format!("the operation of the specification was given up: {why}"),
    )
}
