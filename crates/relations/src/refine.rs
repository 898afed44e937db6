//! Does everything an implementation does conform to a specification? On the fly.
//!
//! Pairs of a state of the implementation and the set of states in which the specification can be
//! after the same trace are explored breadth first. A pair is wrong if the set is empty, if the state
//! is stable and refuses what no stable member refuses, or if the state diverges and no member does
//! (which of these, the [`Semantics`] says).
//!
//! M. Laveaux, J. F. Groote, T. Willemse, *Correct and efficient antichain algorithms for refinement
//! checking*, LMCS 17(1), 2021, whose definitions 2.4 to 2.8 these are and whose correction we follow:
//! a pair is not explored if the antichain has one with the same state and a *smaller* set, and a pair
//! enters the antichain when it is discovered, not when it is explored. All tests are monotone in the
//! set, so a wrong pair stays wrong with a smaller set, as soon or sooner.
//!
//! Departures: breadth first, so that the path found is a shortest one in steps of the implementation.
//! Where refusals count, a step that is not allowed leads to a pair with the empty set, which is wrong
//! when its turn comes, not before pairs that are reached in fewer steps. Divergences are
//! strict: when the specification may diverge, it allows everything from then on. A divergence of the
//! implementation is a cycle of silent steps among the pairs, looked for each time the search has doubled:
//! the set stays the same along silent steps, and where a pair is stood for by one with a smaller set,
//! a cycle goes through equal sets all the same, as sets only get smaller on the way round. So a
//! refusal or an event may be found before a divergence that begins earlier; when something is wrong, what begins
//! earliest is looked for (`earliest`), and that is what is shown. The specification is
//! determinised only where the implementation goes.
//!
//! *Shortest* is, of a refusal, the number of steps to the state that refuses; of an event, the number of steps with
//! the event; of a divergence, the number of steps to the state from which silent steps can go on for ever.

use std::io;

use linchpin_engine::{
    Budget, Cover, Edge, Ending, Finding, Found, Meter, Plan, Space, Step, Stepper, Stop, explore,
};
use linchpin_lts::{LabelledSystem, Loading, NewNumbers, Renumber, Saving, TAU, Trouble, Verdict};

use crate::alphabet::{Alphabet, Side};
use crate::determined::{Determined, Known, NOTHING, included, sorted};
use crate::earliest::{First, earliest};
use crate::witness::{Reason, Witness, WitnessStep};

/// What of a system counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantics {
    /// Sequences of labels, with silent steps a label like others.
    Trace,
    /// Sequences of visible labels.
    WeakTrace,
    /// Sequences of visible labels, each with what can be refused after it in a stable state.
    Failures,
    /// The same without traces that lead only to divergence, and the sequences of visible labels
    /// after which there can be endless silent steps; after a divergence everything is possible.
    FailuresDivergences,
}

impl Semantics {
    /// Are silent steps invisible?
    pub fn weak(self) -> bool {
        self != Semantics::Trace
    }
}

/// How to go about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefinementOptions {
    /// Leave pairs out of which a smaller one is known (otherwise, only the same ones).
    pub antichain: bool,
}

impl Default for RefinementOptions {
    fn default() -> Self {
        RefinementOptions { antichain: true }
    }
}

/// Whether everything conforms, and if not, what shows it.
pub type Conforms = Verdict<Box<Witness>>;

/// An answer with figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refinement {
    /// The answer.
    pub verdict: Conforms,
    /// How much work it was.
    pub figures: Figures,
}

/// Figures of a refinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// States of the implementation that were seen.
    pub implementation: u64,
    /// States of the specification that were seen.
    pub specification: u64,
    /// Sets of them.
    pub sets: u64,
    /// Pairs explored or to be explored.
    pub pairs: u64,
    /// Steps of pairs.
    pub steps: u64,
    /// The longest path looked at.
    pub depth: u32,
    /// Bytes.
    pub memory: u64,
}

/// Renamings of states and labels under which the steps of both systems stay what they are. A pair is wrong if
/// and only if both of it renamed in the same way are, so one of them is looked at for all.
pub trait Symmetry: Sync {
    /// Memory of one worker.
    fn folder(&self) -> Box<dyn Folder + '_>;
}

/// Renames states.
pub trait Folder: Send {
    /// Gives a state of the implementation the form that stands for it, and says how it was renamed, if it was, with the
    /// hash of the form.
    fn fold(&mut self, state: &mut Vec<u32>) -> Result<Option<(u32, Option<u64>)>, Trouble>;

    /// Renames a state of the specification in the same way.
    fn rename(&mut self, renaming: u32, state: &mut Vec<u32>) -> Result<(), Trouble>;
}

/// Does everything the implementation does conform to the specification? Labels are the same if
/// their texts are.
pub fn refines<I: LabelledSystem, S: LabelledSystem>(
    implementation: &I,
    specification: &S,
    semantics: Semantics,
    options: RefinementOptions,
    budget: &Budget<'_>,
) -> Result<Refinement, Trouble> {
    refines_up_to(implementation, specification, semantics, options, None, budget)
}

/// The same with a symmetry of both, which is used for traces and failures. What is found is then a path of states
/// that stand for others: the label of a step is one of the state it begins in, its state the form of where it leads, and
/// its renaming says how it came to that form (two steps with the same label may come to it in different ways).
pub fn refines_up_to<I: LabelledSystem, S: LabelledSystem>(
    implementation: &I,
    specification: &S,
    semantics: Semantics,
    options: RefinementOptions,
    symmetry: Option<&dyn Symmetry>,
    budget: &Budget<'_>,
) -> Result<Refinement, Trouble> {
    let alphabet = Alphabet::new();
    let pairs = Pairs {
        implementation,
        specification: Determined::new(specification, semantics.weak(), &alphabet, budget),
        semantics,
        antichain: options.antichain,
        symmetry: symmetry.filter(|_| semantics != Semantics::FailuresDivergences),
    };
    let strict = semantics == Semantics::FailuresDivergences;
    let plan = Plan { edges: strict, ..Plan::default() };
    let mut cycle = Ok(None);
    let (ending, statistics, explored) = explore(&pairs, plan, budget, &mut |explored| {
        if strict {
            let silent = |_: u32, edge: &Edge| edge.label == SILENT;
            let (order, meter) = (explored.in_order(), &mut Meter::new(budget));
            let found = order.cycle(silent, |_, _| true, meter);
            let node = |(number, _): (u32, Edge)| order.nodes()[number as usize];
            cycle = found.map(|way| way.map(|way| way.into_iter().map(node).collect::<Vec<_>>()));
        }
        cycle != Ok(None)
    });
    let figures = Figures {
        implementation: statistics.states,
        specification: pairs.specification.states.len() as u64,
        sets: pairs.specification.sets.len() as u64,
        pairs: statistics.nodes,
        steps: statistics.transitions,
        depth: statistics.depth,
        memory: statistics.memory,
    };
    let verdict = match ending {
        Ending::Exhausted => Verdict::Holds,
        Ending::Stopped(limit) => Verdict::Unknown(limit),
        Ending::Violation { violation: Finding::Stop(Stop::Limit(limit)), .. } => {
            Verdict::Unknown(limit)
        }
        Ending::Violation { violation: Finding::Stop(Stop::Trouble(trouble)), .. } => {
            return Err(trouble);
        }
        Ending::Enough => match cycle {
            Ok(cycle) => {
                let cycle = cycle.unwrap_or_default();
                let mut nodes = explored.path(cycle[0]);
                let start = nodes.len() - 1;
                nodes.extend(&cycle[1..]);
                nodes.push(cycle[0]);
                let path = nodes.into_iter().map(|node| explored.node(node)).collect();
                pairs.earlier(First::Divergence(path, start), statistics.nodes, budget)?
            }
            Err(limit) => Verdict::Unknown(limit),
        },
        Ending::Violation { path, violation: Finding::Violation(wrong) } => {
            pairs.earlier(First::Wrong(path, wrong), statistics.nodes, budget)?
        }
    };
    Ok(Refinement { verdict, figures })
}

/// How a pair is wrong.
#[derive(Clone, Debug)]
pub(crate) enum Wrong {
    /// A step to this state with this label, by these components, is not allowed.
    Event {
        label: u32,
        by: Vec<u32>,
        state: Vec<u32>,
        renaming: u32,
    },
    /// The last step of the path is not allowed.
    LastEvent,
    Refusal,
}

/// States of the implementation, each with a set of states of the specification as its tag.
pub(crate) struct Pairs<'s, I, S> {
    implementation: &'s I,
    pub(crate) specification: Determined<'s, S>,
    semantics: Semantics,
    antichain: bool,
    symmetry: Option<&'s dyn Symmetry>,
}

/// A state of the implementation and a set of the specification, with the hash of the state where it is known.
type Hashed<'a> = (&'a [u32], u32, Option<u64>);

pub(crate) struct Worker<'s, I: LabelledSystem, S: LabelledSystem> {
    pub(crate) implementation: Stepper<'s, I>,
    side: Side,
    pub(crate) specification: Known<'s, S>,
    folder: Option<Box<dyn Folder + 's>>,
    /// A state that stands for others.
    form: Vec<u32>,
}

impl<I: LabelledSystem, S: LabelledSystem> Cover for Pairs<'_, I, S> {
    fn covers(&self, small: u32, large: u32) -> bool {
        self.antichain && self.specification.subset(small, large)
    }
}

/// The labels of edges: silent steps are told apart.
pub(crate) const VISIBLE: u32 = 0;
pub(crate) const SILENT: u32 = 1;

/// What numbers of another run are called. Labels of edges are always the same.
struct Renumbered<'a> {
    implementation: Box<dyn Renumber + 'a>,
    sets: NewNumbers,
}

impl Renumber for Renumbered<'_> {
    fn state(&self, state: &mut [u32]) -> io::Result<()> {
        self.implementation.state(state)
    }

    fn tag(&self, tag: u32) -> io::Result<u32> {
        self.sets.get(tag)
    }
}

impl<'s, I: LabelledSystem, S: LabelledSystem> Space for Pairs<'s, I, S> {
    type Worker = Worker<'s, I, S>;
    type Violation = Finding<Wrong>;

    fn worker(&self) -> Self::Worker {
        Worker {
            implementation: Stepper::new(self.implementation),
            side: Side::default(),
            specification: self.specification.known(),
            folder: self.symmetry.map(|symmetry| symmetry.folder()),
            form: Vec::new(),
        }
    }

    fn initial(&self, w: &mut Self::Worker, found: &mut dyn FnMut(Found<'_, Finding<Wrong>>)) {
        let state = w.implementation.initial().map_err(Stop::from);
        match state.and_then(|s| Ok((s, self.specification.initial(&mut w.specification)?))) {
            Ok(((state, hash), tag)) => {
                found(Found::Node { state: &state, tag, label: VISIBLE, cost: 1, hash });
            }
            Err(stop) => found(Found::Violation(stop.into())),
        }
    }

    fn expand(
        &self,
        w: &mut Self::Worker,
        state: &[u32],
        set: u32,
        found: &mut dyn FnMut(Found<'_, Finding<Wrong>>),
    ) {
        match self.pairs_after(w, state, set, found) {
            Ok(None) => {}
            Ok(Some(wrong)) => found(Found::Violation(Finding::Violation(wrong))),
            Err(stop) => found(Found::Violation(stop.into())),
        }
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.implementation.save(out)?;
        self.specification.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        let implementation = self.implementation.load(from)?;
        let [sets, _] = self.specification.load(from)?;
        Ok(Box::new(Renumbered { implementation, sets }))
    }
}

impl<'s, I: LabelledSystem, S: LabelledSystem> Pairs<'s, I, S> {
    fn refusals_count(&self) -> bool {
        matches!(self.semantics, Semantics::Failures | Semantics::FailuresDivergences)
    }

    /// Finds the pairs after a pair; how it is wrong, if it is.
    fn pairs_after(
        &self,
        w: &mut Worker<'s, I, S>,
        state: &[u32],
        set: u32,
        found: &mut dyn FnMut(Found<'_, Finding<Wrong>>),
    ) -> Result<Option<Wrong>, Stop> {
        if set == NOTHING {
            return Ok(Some(Wrong::LastEvent));
        }
        if self.semantics == Semantics::FailuresDivergences
            && self.specification.diverges(&mut w.specification, set)?
        {
            return Ok(None);
        }
        w.implementation.look_at(state)?;
        if self.refusals_count() && self.refuses(w, set)? {
            return Ok(Some(Wrong::Refusal));
        }
        let Worker { implementation, side, specification, folder, form } = w;
        for Step { label, by, state, hash } in implementation.steps() {
            let silent = label == TAU && self.semantics.weak();
            let after = match silent {
                true => set,
                false => {
                    let text = || self.implementation.label(label);
                    let common = side.common(self.specification.alphabet, label, text);
                    self.specification.after(specification, set, common)?
                }
            };
            let ((state, after, hash), renaming) =
                self.standing(specification, folder, form, (state, after, hash))?;
            if after == NOTHING && !self.refusals_count() {
                let (by, state) = (by.to_vec(), state.to_vec());
                return Ok(Some(Wrong::Event { label, by, state, renaming }));
            }
            let label = if silent { SILENT } else { VISIBLE };
            found(Found::Node { state, tag: after, label, cost: 1, hash });
        }
        Ok(None)
    }

    /// The pair that stands for one, and how it was renamed.
    fn standing<'a>(
        &self,
        specification: &mut Known<'s, S>,
        folder: &mut Option<Box<dyn Folder + 's>>,
        form: &'a mut Vec<u32>,
        (state, set, hash): Hashed<'a>,
    ) -> Result<(Hashed<'a>, u32), Stop> {
        let Some(folder) = folder else { return Ok(((state, set, hash), 0)) };
        form.clear();
        form.extend_from_slice(state);
        let Some((renaming, hash)) = folder.fold(form)? else { return Ok(((form, set, hash), 0)) };
        let set = self.specification.renamed(specification, set, renaming, &mut **folder)?;
        Ok(((form, set, hash), renaming))
    }

    /// Does the state that was looked at refuse what the set insists on?
    fn refuses(&self, w: &mut Worker<'s, I, S>, set: u32) -> Result<bool, Stop> {
        let Some(offered) = self.offered(w) else { return Ok(false) };
        let accepted = self.specification.acceptances(&mut w.specification, set)?;
        Ok(!accepted.iter().any(|least| included(least, &offered)))
    }

    /// What the state that was looked at offers; `None` if it is not stable.
    fn offered(&self, w: &mut Worker<'s, I, S>) -> Option<Vec<u32>> {
        let Worker { implementation, side, .. } = w;
        if implementation.steps().any(|step| step.label == TAU) {
            return None;
        }
        let common = |step: Step<'_>| {
            let text = || self.implementation.label(step.label);
            side.common(self.specification.alphabet, step.label, text)
        };
        Some(sorted(implementation.steps().map(common)))
    }

    /// What is wrong with a path of pairs.
    fn violation(&self, path: Vec<(Vec<u32>, u32)>, wrong: Wrong) -> Result<Conforms, Trouble> {
        let mut worker = self.worker();
        let (known, alphabet) = (&mut worker.specification, self.specification.alphabet);
        // How the specification can go on was found out before, so no limit is met again.
        let ended = |stop: Stop| match stop {
            Stop::Trouble(trouble) => Err(trouble),
            Stop::Limit(limit) => Ok(Verdict::Unknown(limit)),
        };
        let last = match wrong {
            Wrong::LastEvent => path.len().saturating_sub(2),
            _ => path.len() - 1,
        };
        let (state, set) = &path[last];
        let texts = |labels: &[u32]| {
            let mut texts: Vec<String> = labels.iter().map(|l| alphabet.text(*l)).collect();
            texts.sort_unstable();
            texts
        };
        let reason = match wrong {
            Wrong::Event { .. } | Wrong::LastEvent => {
                match self.specification.labels(known, *set) {
                    Ok(allowed) => Reason::Event { allowed: texts(&allowed) },
                    Err(stop) => return ended(stop),
                }
            }
            Wrong::Refusal => {
                let accepted = match self.specification.acceptances(known, *set) {
                    Ok(accepted) => accepted,
                    Err(stop) => return ended(stop),
                };
                worker.implementation.look_at(state)?;
                let offered = self.offered(&mut worker).unwrap_or_default();
                let mut accepted: Vec<_> = accepted.iter().map(|a| texts(a)).collect();
                accepted.sort_unstable();
                Reason::Refusal { offered: texts(&offered), accepted }
            }
        };
        let mut witness = match self.retrace(&path) {
            Ok(witness) => witness,
            Err(stop) => return ended(stop),
        };
        witness.reason = reason;
        if let Wrong::Event { label, by, state, renaming } = wrong {
            let text = self.implementation.label(label);
            witness.steps.push(WitnessStep { label, text, by, state, renaming });
        }
        Ok(Verdict::Violated(Box::new(witness)))
    }

    /// What was found, or what begins earlier.
    fn earlier(&self, known: First, seen: u64, budget: &Budget<'_>) -> Result<Conforms, Trouble> {
        let first = match self.semantics {
            Semantics::FailuresDivergences => earliest(self, seen, budget).unwrap_or(known),
            _ => known,
        };
        match first {
            First::Wrong(path, wrong) => self.violation(path, wrong),
            First::Divergence(path, start) => self.divergence(&path, start),
        }
    }

    /// A path to a cycle of silent steps, which begins at this index, and once around it.
    fn divergence(&self, path: &[(Vec<u32>, u32)], start: usize) -> Result<Conforms, Trouble> {
        match self.retrace(path) {
            Ok(mut witness) => {
                witness.reason = Reason::Divergence { cycle: start };
                Ok(Verdict::Violated(Box::new(witness)))
            }
            Err(Stop::Trouble(trouble)) => Err(trouble),
            Err(Stop::Limit(limit)) => Ok(Verdict::Unknown(limit)),
        }
    }

    /// The steps of the implementation along a path of pairs.
    fn retrace(&self, path: &[(Vec<u32>, u32)]) -> Result<Witness, Stop> {
        let mut w = self.worker();
        let mut steps: Vec<WitnessStep> = Vec::with_capacity(path.len());
        for pair in path.windows(2) {
            let ((state, set), (next, after)) = (&pair[0], &pair[1]);
            w.implementation.look_at(state)?;
            let mut taken = None;
            let Worker { implementation, side, specification, folder, form } = &mut w;
            for step in implementation.steps() {
                if folder.is_none() && step.state != next {
                    continue;
                }
                let to = match step.label == TAU && self.semantics.weak() {
                    true => *set,
                    false => {
                        let text = || self.implementation.label(step.label);
                        let common = side.common(self.specification.alphabet, step.label, text);
                        self.specification.after(specification, *set, common)?
                    }
                };
                let pair = (step.state, to, step.hash);
                let ((state, to, _), renaming) =
                    self.standing(specification, folder, form, pair)?;
                if state == next && to == *after {
                    taken = Some((step.label, step.by.to_vec(), renaming));
                    break;
                }
            }
            let Some((label, by, renaming)) = taken else {
                let message = "a step of the search is not one of the system".to_string();
                return Err(Trouble::new(message).into());
            };
            let text = self.implementation.label(label);
            steps.push(WitnessStep { label, text, by, state: next.clone(), renaming });
        }
        let initial = path[0].0.clone();
        Ok(Witness { initial, steps, reason: Reason::Event { allowed: Vec::new() } })
    }
}
