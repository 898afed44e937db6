//! `refines`, `refines<F>`, `refines<FD>`: decided by `linchpin_relations` and confirmed from the
//! definitions, on the whole processes.

use linchpin_engine::{Budget, Figures, Taken};
use linchpin_lts::{LabelledSystem, Trouble, Verdict};
use linchpin_relations::{
    Reason, RefinementOptions, Semantics, Symmetry, Witness as Found, WitnessStep, confirm,
    refines_up_to,
};

use super::explore::followed;
use super::{Failure, Refused, Report, Witness};
use crate::ast::Comparison;
use crate::multiset::{Lift, Place};
use crate::reduced::Reduced;
use crate::symmetry::Both;
use crate::system::System;

/// Does everything the first process does conform to the second?
pub(super) fn check(
    system: &Reduced<'_>,
    specification: &Reduced<'_>,
    comparison: Comparison,
    antichain: bool,
    budget: &Budget<'_>,
) -> Report {
    let semantics = match comparison {
        Comparison::Traces => Semantics::WeakTrace,
        Comparison::Failures => Semantics::Failures,
        Comparison::FailuresDivergences => Semantics::FailuresDivergences,
    };
    let options = RefinementOptions { antichain };
    let (whole, specified) = (system.system, specification.system);
    let both = match (&system.symmetry, &specification.symmetry) {
        (Some(one), Some(other)) => {
            Some(Both { implementation: (whole, one), specification: (specified, other) })
        }
        _ => None,
    };
    let both = both.as_ref().map(|both| both as &dyn Symmetry);
    let refinement = match refines_up_to(system, specification, semantics, options, both, budget) {
        Ok(refinement) => refinement,
        Err(trouble) => return Report::trouble(trouble),
    };
    let figures = refinement.figures;
    let statistics = Figures {
        states: figures.implementation,
        nodes: figures.pairs,
        transitions: figures.steps,
        depth: figures.depth,
        memory: figures.memory,
        ..Figures::default()
    };
    let (verdict, witness) = match refinement.verdict {
        Verdict::Holds => (Ok(Verdict::Holds), None),
        Verdict::Unknown(limit) => (Ok(Verdict::Unknown(limit)), None),
        Verdict::Violated(found) => {
            let found = match lifted(system, specification, *found) {
                Ok(Some(found)) => Ok(found),
                // Processes change places for longer than anybody would read.
                Ok(None) => {
                    let system = &system.unsorted();
                    return check(system, specification, comparison, antichain, budget);
                }
                Err(trouble) => Err(trouble.message),
            };
            let confirmed = found.and_then(|found| {
                confirm(whole, specified, semantics, &found, budget.within).map(|()| found)
            });
            match confirmed {
                Ok(found) => (Ok(Verdict::Violated(())), Some(witness(whole, &found))),
                Err(why) => (Err(Failure::Defect(why)), None),
            }
        }
    };
    Report { verdict, witness, value: None, notes: Vec::new(), deep: false, statistics, others: 0 }
}

/// The same execution of the whole process. Steps that were taken together with the next silent one of the same process
/// become two. None if a cycle does not close.
fn lifted(
    system: &Reduced<'_>,
    specification: &Reduced<'_>,
    found: Found,
) -> Result<Option<Found>, Trouble> {
    let whole = system.system;
    let mut lift = Lift::new(system)?;
    let step = |Taken { label, by, state }| WitnessStep {
        label,
        text: whole.label(label),
        by,
        state,
        renaming: 0,
    };
    let initial = lift.at.clone();
    let mut steps = Vec::with_capacity(found.steps.len());
    let count = found.steps.len();
    let mut reason = found.reason;
    for (i, next) in found.steps.iter().enumerate() {
        // What is allowed instead of the last step is called as it is before it.
        if let Reason::Event { allowed } = &mut reason
            && i + 1 == count
        {
            called(specification, &lift, allowed);
        }
        if let Reason::Divergence { cycle } = &mut reason
            && *cycle == i
        {
            let round: Vec<_> = found.steps[i..].iter().map(|s| (s.label, &s.state[..])).collect();
            let Some((before, round)) = lift.cycle(&round)? else { return Ok(None) };
            *cycle = steps.len() + before.len();
            steps.extend(before.into_iter().chain(round).map(step));
            break;
        }
        let to = Place { state: &next.state, renaming: Some(next.renaming) };
        if let Some(taken) = lift.step(to, &[], |own| own.label == next.label)? {
            steps.push(step(taken));
            continue;
        }
        let (first, silent) = lift.two_steps(to, next.label)?;
        steps.push(step(first));
        // The last one is what is not allowed.
        if i + 1 < count {
            steps.push(step(silent));
        }
    }
    if let Reason::Refusal { offered, accepted } = &mut reason {
        called(system, &lift, offered);
        accepted.iter_mut().for_each(|set| called(specification, &lift, set));
        accepted.sort_unstable();
    }
    Ok(Some(Found { initial, steps, reason }))
}

/// Gives events of one of the processes the texts that they have where we are in the whole process.
fn called(of: &Reduced<'_>, lift: &Lift<'_>, texts: &mut [String]) {
    let (Some(symmetry), Some(renaming)) = (&of.symmetry, lift.renaming()) else { return };
    texts.iter_mut().for_each(|text| *text = symmetry.original(renaming, text));
    texts.sort_unstable();
}

fn witness(system: &System, found: &Found) -> Witness {
    let list = |texts: &[String]| match texts {
        [] => "nothing".to_string(),
        _ => texts.iter().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(", "),
    };
    let mut repeats = None;
    let sentence = match &found.reason {
        Reason::Event { allowed } => {
            let last = found.steps.last().map_or("", |s| s.text.as_str());
            let allowed = list(allowed);
            format!(
                "the specification does not allow `{last}` after what is before it, but {allowed}"
            )
        }
        Reason::Refusal { offered, accepted } => {
            let accepted = match accepted.as_slice() {
                [] => "never comes to rest there".to_string(),
                sets => {
                    let sets: Vec<String> = sets.iter().map(|s| list(s)).collect();
                    format!("offers at least {} when it comes to rest", sets.join(", or "))
                }
            };
            format!("the process offers only {}; the specification {accepted}", list(offered))
        }
        Reason::Divergence { cycle } => {
            repeats = Some(*cycle);
            "silent steps can go on for ever, which the specification does not allow".to_string()
        }
    };
    let mut path = vec![found.initial.clone()];
    path.extend(found.steps.iter().map(|s| s.state.clone()));
    let steps = found.steps.iter().map(|s| (s.label, s.by.clone()));
    let (steps, variables) = followed(system, &path, steps);
    let refused = Some(match &found.reason {
        Reason::Event { allowed } => Refused::Event(allowed.clone()),
        Reason::Refusal { offered, accepted } => Refused::Offers(offered.clone(), accepted.clone()),
        Reason::Divergence { .. } => Refused::Divergence,
    });
    Witness { sentence, steps, repeats, variables, refused }
}
