//! All states of a process, or enough of them, with a way to what is looked for.

use linchpin_engine::{
    Budget, Ending, Figures, Finding, Limit, States, Step, Stepper, Stop, Taken,
};
use linchpin_lts::{Label, LabelledSystem, Trouble, Verdict};

use super::orders::{Ended, Search, search_in, shorter};
use super::{Answer, Failure, Report, Witness, WitnessStep};
use crate::multiset::Lift;
use crate::reduced::Reduced;
use crate::system::System;

/// Why exploration ended.
pub(super) enum End<T> {
    /// Everything was seen.
    All,
    /// This was looked for.
    Found(T),
    /// A limit.
    Limit(Limit),
    /// The model goes wrong.
    Trouble(Trouble),
}

/// What came of an exploration.
pub(super) struct Explored<'s, T> {
    reduced: &'s Reduced<'s>,
    pub(super) end: End<T>,
    /// The states that lead to what was found, or to where the model goes wrong.
    pub(super) path: Vec<Vec<u32>>,
    pub(super) statistics: Figures,
    /// May there be a shorter path?
    deep: bool,
    /// States that other searches have looked at.
    others: u64,
}

/// Goes over the states until `look` finds something in one. It is shown every state with its steps.
pub(super) fn explore<'s, T: Clone + Send + Sync>(
    reduced: &'s Reduced<'s>,
    order: Search,
    budget: &Budget<'_>,
    look: impl Fn(&[u32], &Stepper<'s, Reduced<'s>>) -> Result<Option<T>, Trouble> + Sync,
) -> Explored<'s, T> {
    let states = States::new(reduced, look);
    let Ended { ending, figures, deep, others } = search_in(&states, order, budget);
    let mut explored = Explored { others, ..Explored::new(reduced, ending, figures) };
    if deep && matches!(explored.end, End::Found(_)) {
        let (path, looked) = shorter(reduced, explored.path, budget);
        explored = Explored { path, deep, others: others + looked, ..explored };
    }
    explored
}

impl<'s, T> Explored<'s, T> {
    /// How a search over the states ended.
    pub(super) fn new(
        reduced: &'s Reduced<'s>,
        ending: Ending<Finding<T>>,
        statistics: Figures,
    ) -> Self {
        let (end, path) = match ending {
            Ending::Exhausted | Ending::Enough => (End::All, Vec::new()),
            Ending::Stopped(limit) => (End::Limit(limit), Vec::new()),
            Ending::Violation { path, violation } => {
                let end = match violation {
                    Finding::Violation(found) => End::Found(found),
                    Finding::Stop(Stop::Limit(limit)) => End::Limit(limit),
                    Finding::Stop(Stop::Trouble(trouble)) => End::Trouble(trouble),
                };
                (end, path)
            }
        };
        let path = path.into_iter().map(|(state, _)| state).collect();
        Explored { reduced, end, path, statistics, deep: false, others: 0 }
    }

    /// The same, but a limit was reached afterwards.
    pub(super) fn stopped(self, limit: Limit) -> Self {
        Explored { end: End::Limit(limit), ..self }
    }

    /// The report of an exploration that found nothing of what was looked for.
    pub(super) fn report(self, all: Answer) -> Report {
        let (verdict, witness) = match self.end {
            End::Trouble(trouble) => {
                let sentence = "the model goes wrong after these steps";
                let way = retrace(self.reduced, &self.path);
                let witness = way.ok().map(|way| shown(self.reduced.system, sentence, &way));
                (Err(Failure::Trouble(trouble)), witness)
            }
            End::Limit(limit) => (Ok(Verdict::Unknown(limit)), None),
            End::All | End::Found(_) => (all, None),
        };
        let (statistics, others) = (self.statistics, self.others);
        Report { verdict, witness, value: None, notes: Vec::new(), deep: false, statistics, others }
    }

    /// The report of an exploration that found a state.
    pub(super) fn found(self, verdict: Answer, sentence: impl Into<String>) -> Report {
        let way = retrace(self.reduced, &self.path);
        let report = confirmed(self.reduced, verdict, sentence, way, None, self.statistics);
        Report { deep: self.deep, others: self.others, ..report }
    }

    /// Has the state that was found no step in the whole process?
    pub(super) fn is_end(&self) -> bool {
        let Some(state) = self.path.last() else { return false };
        let mut stepper = Stepper::new(self.reduced.system);
        stepper.look_at(state).is_ok() && stepper.steps().len() == 0
    }
}

/// The steps of the whole process along a path of the one that was searched.
fn retrace(reduced: &Reduced<'_>, path: &[Vec<u32>]) -> Result<Vec<Taken>, Trouble> {
    let mut lift = Lift::new(reduced)?;
    if !reduced.joined {
        return lift.path(path, |_, _| true);
    }
    let mut scratch = reduced.scratch();
    let mut way = Vec::new();
    for to in path.iter().skip(1) {
        way.extend(lift.joined(reduced, &mut scratch, to)?);
    }
    Ok(way)
}

/// The report of a finding, after its execution has been replayed in the whole process, step by step.
pub(super) fn confirmed(
    reduced: &Reduced<'_>,
    verdict: Answer,
    sentence: impl Into<String>,
    way: Result<Vec<Taken>, Trouble>,
    repeats: Option<usize>,
    statistics: Figures,
) -> Report {
    let system = reduced.system;
    let replayed = way.map_err(|trouble| trouble.message).and_then(|way| {
        replay(system, &way)?;
        Ok(Witness { repeats, ..shown(system, sentence, &way) })
    });
    let (verdict, witness) = match replayed {
        Ok(witness) => (verdict, Some(witness)),
        Err(why) => (Err(Failure::Defect(why)), None),
    };
    Report { verdict, witness, value: None, notes: Vec::new(), deep: false, statistics, others: 0 }
}

fn replay(system: &System, way: &[Taken]) -> Result<(), String> {
    let mut stepper = Stepper::new(system);
    let (mut at, _) = stepper.initial().map_err(|t| t.message)?;
    for (i, taken) in way.iter().enumerate() {
        stepper.look_at(&at).map_err(|trouble| trouble.message)?;
        let same = |step: Step<'_>| step.label == taken.label && *step.state == taken.state;
        if !stepper.steps().any(same) {
            return Err(format!("step {} of the execution is not possible", i + 1));
        }
        at.clone_from(&taken.state);
    }
    Ok(())
}

/// An execution from the beginning as it is shown.
pub(super) fn shown(system: &System, sentence: impl Into<String>, way: &[Taken]) -> Witness {
    let mut scratch = system.scratch();
    // A process that began has an initial state.
    let initial = system.initial(&mut scratch).unwrap_or_default();
    let path: Vec<Vec<u32>> =
        [initial].into_iter().chain(way.iter().map(|taken| taken.state.clone())).collect();
    let steps = way.iter().map(|taken| (taken.label, taken.by.clone()));
    let (steps, variables) = followed(system, &path, steps);
    Witness { sentence: sentence.into(), steps, repeats: None, variables, refused: None }
}

/// The steps along a path as they are shown, and the variables and channels at its end.
pub(super) fn followed(
    system: &System,
    path: &[Vec<u32>],
    steps: impl Iterator<Item = (Label, Vec<u32>)>,
) -> (Vec<WitnessStep>, Vec<(String, String)>) {
    let mut scratch = system.scratch();
    let mut at = path[0].clone();
    let steps = steps.zip(&path[1..]).map(|((label, by), to)| {
        let (places, next) = system.follow(&mut scratch, &at, label, to);
        let changes = system.changes(&at, &next);
        at = next;
        WitnessStep { label: system.label(label), places, by, changes }
    });
    let steps = steps.collect();
    (steps, system.contents(&at))
}
