//! The checker against the oracle.
//!
//! A random program is decided by brute force and by the checker with many subsets of its
//! reductions. The checker must say `holds` exactly when no violation exists, must name a kind of
//! violation that exists, and its witness must be an execution of the unreduced model that shows
//! what it claims.

use std::fmt;
use std::sync::Arc;

use linchpin_check::{CheckError, Counterexample, Method, Options, Reductions, Violation, check};
use linchpin_engine::{Budget, Limit};
use linchpin_lin::program::{Against, Behaviour, Condition, FaultKind, Program};
use linchpin_lin::{Covered, Granularity, Model};
use linchpin_lts::{EventKind, Liveness, Schedule, TransitionSystem, Verdict};

use crate::brute::{self, BruteVerdict, Event, Limits};
use crate::claim::claim;

/// What a comparison came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both say that it holds.
    Holds,
    /// Both say that it is violated; by a history.
    Violated,
    /// The same; by a fault, and by no history.
    Fault,
    /// The same; by a deadlock, and by nothing else.
    Deadlock,
    /// The oracle could not decide.
    TooBig,
    /// The oracle does not know which executions keep to the bound on the heap, and it depends on
    /// that; the checker was only compared where it does not.
    Open,
    /// Both say that the specification goes wrong.
    BadSpecification,
}

/// All reductions, as a number for [`Reductions::subset`].
pub const ALL: u32 = (1 << Reductions::TABLE.len()) - 1;

/// Subsets of the reductions for a seed: all on, all off, all but one, and a few others.
pub fn subsets(seed: u64) -> Vec<u32> {
    let mut mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut subsets = vec![ALL, ALL, 0];
    subsets.push(ALL & !(1 << (seed % Reductions::TABLE.len() as u64)));
    for _ in 0..3 {
        mixed = mixed.rotate_left(23).wrapping_mul(0xd134_2543_de82_ef95);
        subsets.push((mixed >> 40) as u32 & ALL);
    }
    subsets
}

/// A difference between checker and oracle.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Which reductions were on.
    pub reductions: Vec<&'static str>,
    /// Number of workers.
    pub workers: usize,
    /// What differs.
    pub what: String,
}

impl Disagreement {
    /// So begins what differs if the text is none.
    pub const NOT_LOADED: &str = "the text does not load";
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Disagreement { reductions, workers, what } = self;
        write!(f, "{what} ({workers} workers, {})", reductions.join(" "))
    }
}

/// Compares all checks of a text. The subsets are numbers for [`Reductions::subset`].
pub fn compare(
    text: &str,
    subsets: &[u32],
    limits: Limits,
) -> Result<Vec<Agreement>, Disagreement> {
    compare_program(&Arc::new(load(text)?), subsets, limits)
}

/// Compares all checks of a text with every method of the checker. The subset is a number for
/// [`Reductions::subset`].
pub fn compare_methods(
    text: &str,
    subset: u32,
    limits: Limits,
) -> Result<Vec<Agreement>, Disagreement> {
    let reductions = Reductions::subset(subset);
    let ways = Method::ALL.map(|method| Way { reductions, workers: 1, method, facts: false });
    compare_ways(&Arc::new(load(text)?), &ways, limits)
}

/// Compares all checks of a text, each with its object as its own specification.
pub fn compare_itself(
    text: &str,
    subsets: &[u32],
    limits: Limits,
) -> Result<Vec<Agreement>, Disagreement> {
    let mut program = load(text)?;
    program.checks.iter_mut().for_each(|check| check.against = Against::Itself);
    compare_program(&Arc::new(program), subsets, limits)
}

/// How the checker goes about it.
#[derive(Clone, Copy)]
struct Way {
    reductions: Reductions,
    workers: usize,
    method: Method,
    /// Are the claims of the model about itself tested?
    facts: bool,
}

impl Way {
    fn options(self) -> Options<'static> {
        let Way { reductions, workers, method, facts } = self;
        // Where heaps are not merged, a loop that makes nodes has no end.
        let max_states = Some(if reductions.heap { 3_000_000 } else { 300_000 });
        let budget = Budget { workers, max_states, ..Budget::UNLIMITED };
        Options { reductions, budget, method, check_facts: facts, ..Options::default() }
    }
}

fn ways(subsets: &[u32]) -> Vec<Way> {
    let way = |(i, &subset)| Way {
        reductions: Reductions::subset(subset),
        workers: 1 + i % 2,
        method: Method::Refinement,
        facts: i == 1,
    };
    subsets.iter().enumerate().map(way).collect()
}

/// As [`compare`], with another condition for all checks, and clients bounded that are not.
pub fn compare_by(
    text: &str,
    condition: &Condition,
    subsets: &[u32],
    limits: Limits,
) -> Result<Vec<Agreement>, Disagreement> {
    let mut program = load(text)?;
    for check in &mut program.checks {
        check.condition = condition.clone();
        for role in &mut check.roles {
            if let Behaviour::General { count, .. } = &mut role.behaviour {
                *count = count.or(Some(2));
            }
        }
    }
    compare_program(&Arc::new(program), subsets, limits)
}

fn load(text: &str) -> Result<Program, Disagreement> {
    let loaded = linchpin_lin::syntax::load(text, &[]).map_err(|errors| {
        let first = errors.first().map_or(String::new(), |d| d.message.clone());
        let what = format!("{}: {first}", Disagreement::NOT_LOADED);
        Disagreement { reductions: Vec::new(), workers: 0, what }
    })?;
    Ok(loaded.program)
}

/// As [`compare`], for a program.
pub fn compare_program(
    program: &Arc<Program>,
    subsets: &[u32],
    limits: Limits,
) -> Result<Vec<Agreement>, Disagreement> {
    compare_ways(program, &ways(subsets), limits)
}

fn compare_ways(
    program: &Arc<Program>,
    ways: &[Way],
    limits: Limits,
) -> Result<Vec<Agreement>, Disagreement> {
    (0..program.checks.len())
        .map(|index| {
            let mut truth = brute::decide(program, index, limits);
            let disagreement = |way: Way, what: String| Disagreement {
                reductions: way.reductions.names(),
                workers: way.workers,
                what: format!("{}: {what}", way.method.name()),
            };
            // Where the bound on the heap leaves something out, the truth is in between.
            let mut most = match truth.heap_limit {
                true => brute::suspect(program, index, limits),
                false => truth.clone(),
            };
            most.deadlock |= truth.deadlock;
            truth.deadlock = truth.sure_deadlock;
            if most.too_big && !truth.is_violated() {
                return Ok(Agreement::TooBig);
            }
            // An endless step with choices is endless in more ways than anybody can try.
            if most.too_big && truth.faults.contains(&FaultKind::Divergence) {
                return Ok(Agreement::TooBig);
            }
            let truth = Truth { least: truth, most };
            let mut seen: Option<Covered> = None;
            for &way in ways {
                let covered = compare_one(program, index, &truth, way)
                    .map_err(|what| disagreement(way, what))?;
                // What a search has seen of an object does not depend on reductions either.
                let Some(covered) = covered else { continue };
                let before = seen.get_or_insert_with(|| covered.clone());
                if (&before.operations, &before.unreached)
                    != (&covered.operations, &covered.unreached)
                {
                    let what = format!("it saw {covered:?}\nbut otherwise {before:?}");
                    return Err(disagreement(way, what));
                }
            }
            Ok(match truth.least.verdict() {
                brute::Verdict::NotLinearizable(_) => Agreement::Violated,
                brute::Verdict::Fault(_) => Agreement::Fault,
                brute::Verdict::Deadlock => Agreement::Deadlock,
                _ if truth.most.is_violated() => Agreement::Open,
                _ if truth.least.bad_spec => Agreement::BadSpecification,
                _ if truth.most.bad_spec => Agreement::Open,
                _ => Agreement::Holds,
            })
        })
        .collect()
}

/// What the oracle knows.
struct Truth {
    /// Violations that exist.
    least: BruteVerdict,
    /// Violations that may exist; there are no others if it is not too big.
    most: BruteVerdict,
}

fn compare_one(
    program: &Arc<Program>,
    index: usize,
    truth: &Truth,
    way: Way,
) -> Result<Option<Covered>, String> {
    let c = &program.checks[index];
    let Way { reductions, method, .. } = way;
    if method == Method::Recordings && c.roles.iter().any(|r| r.behaviour.is_endless()) {
        return Ok(None);
    }
    let report = match check(program, c, &way.options()) {
        // A violation counts more, wherever the specification goes wrong. Where heaps are not merged, the search
        // for one may end at its limit, as below.
        Err(CheckError::Specification(_))
            if truth.most.bad_spec && !(truth.least.is_violated() && reductions.heap) =>
        {
            return Ok(None);
        }
        report => report.map_err(|e| format!("{e:?}, but the oracle says {:?}", truth.least))?,
    };
    let (violation, schedule) = match report.verdict {
        Verdict::Holds if truth.least.is_violated() => {
            return Err(format!("holds, but the oracle found {:?}", truth.least.verdict()));
        }
        Verdict::Holds if truth.least.bad_spec => {
            return Err("holds, but the specification goes wrong".into());
        }
        Verdict::Holds => {
            let whole = method == Method::Refinement && !report.covered.heap_full;
            return Ok(whole.then_some(report.covered));
        }
        Verdict::Unknown(_) if !reductions.heap => return Ok(None),
        // The method finds what it finds.
        Verdict::Unknown(Limit::Method) if method == Method::External => return Ok(None),
        Verdict::Unknown(limit) => return Err(format!("unknown: {limit:?}")),
        Verdict::Violated(Counterexample { violation, schedule }) => (violation, schedule),
    };
    // Where the oracle gave up early, other kinds of violation may exist.
    let truth = &truth.most;
    let exists = truth.too_big
        || match &violation {
            Violation::History | Violation::Branching(_) => truth.not_linearizable.is_some(),
            Violation::Fault(kind) => truth.faults.contains(kind),
            Violation::Deadlock => truth.deadlock,
            // Compared elsewhere.
            Violation::Endless { .. } | Violation::Temporal(_) => true,
        };
    if !exists {
        return Err(format!("{violation:?}, but the oracle says {:?}", truth.verdict()));
    }
    confirm(program, index, &violation, &schedule).map(|()| None)
}

/// Replays a witness in the unreduced model and judges it by the definition.
fn confirm(
    program: &Arc<Program>,
    index: usize,
    violation: &Violation,
    schedule: &Schedule,
) -> Result<(), String> {
    let check = &program.checks[index];
    if check.condition == Condition::LeakFree && *violation == Violation::History {
        let judged = linchpin_evidence::judge(program, check, claim(violation), schedule);
        return judged.map(drop).map_err(|e| format!("the witness shows no leak: {e}"));
    }
    let model =
        Model::new(program.clone(), check, Granularity::UNREDUCED).map_err(|e| e.message)?;
    let replay = model.replay(schedule).map_err(|e| format!("the witness does not run: {e:?}"))?;
    match violation {
        Violation::Fault(kind) => match replay.fault {
            Some(fault) if fault.kind == *kind => Ok(()),
            other => Err(format!("the witness ends in {other:?} instead of {kind:?}")),
        },
        // Judged elsewhere.
        Violation::Branching(_) | Violation::Endless { .. } | Violation::Temporal(_) => Ok(()),
        Violation::History => {
            let history: Vec<Event> = replay
                .steps
                .iter()
                .flat_map(|s| s.events.iter().map(move |e| (s.thread, e)))
                .map(|(thread, e)| match e.kind {
                    EventKind::Call => {
                        Event::Call { thread: thread + 1, op: e.op, args: e.values.clone() }
                    }
                    EventKind::Return => {
                        Event::Return { thread: thread + 1, result: e.values[0].clone() }
                    }
                    EventKind::Point => Event::Point { thread: e.thread.wrapping_add(1) },
                })
                .collect();
            if !brute::refuses(program, index, &history) {
                return Err(format!("the history of the witness is not refused: {history:?}"));
            }
            Ok(())
        }
        Violation::Deadlock => {
            let state = replay.steps.last().map_or(&replay.initial, |s| &s.state).clone();
            if deadlocks(&model, state) {
                Ok(())
            } else {
                Err("the witness does not lead to a deadlock".into())
            }
        }
    }
}

/// Is a deadlock reachable from here?
fn deadlocks(model: &Model, state: Vec<u32>) -> bool {
    let mut scratch = model.scratch();
    let mut seen = std::collections::HashSet::from([state.clone()]);
    let mut todo = vec![state];
    while let Some(state) = todo.pop() {
        let mut next = Vec::new();
        let liveness = model.successors(&mut scratch, &state, &mut |step| {
            if let linchpin_lts::Outcome::Next { state, .. } = step.outcome {
                next.push(state.to_vec());
            }
        });
        if liveness == Liveness::Deadlock {
            return true;
        }
        if seen.len() < 10_000 {
            todo.extend(next.into_iter().filter(|s| seen.insert(s.clone())));
        }
    }
    false
}
