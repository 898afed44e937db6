//! `refines`, `refines<F>`, `refines<FD>`: decided by `linchpin_relations` and confirmed from the
//! definitions, on the whole processes.

use linchpin_engine::{Budget, Figures};
use linchpin_lts::{LabelledSystem, TAU, Verdict};
use linchpin_relations::{
    Reason, RefinementOptions, Semantics, Witness as Found, WitnessStep, confirm, refines,
};

use super::explore::followed;
use super::{Failure, Report, Witness};
use crate::ast::Comparison;
use crate::reduced::Reduced;
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
    let refinement = match refines(system, specification, semantics, options, budget) {
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
        Verdict::Violated(found) => match split(whole, *found).and_then(|found| {
            confirm(whole, specified, semantics, &found, budget.within).map(|()| found)
        }) {
            Ok(found) => (Ok(Verdict::Violated(())), Some(witness(whole, &found))),
            Err(why) => (Err(Failure::Defect(why)), None),
        },
    };
    Report { verdict, witness, value: None, notes: Vec::new(), statistics }
}

/// Steps that were taken together with the next silent one of the same process become two.
fn split(system: &System, mut found: Found) -> Result<Found, String> {
    let mut scratch = system.scratch();
    let mut steps = |from: &[u32]| {
        let mut list = Vec::new();
        let result = system.successors(&mut scratch, from, &mut |m| {
            list.push((m.label, m.by.to_vec(), m.state.to_vec()));
        });
        result.map(|()| list).map_err(|trouble| trouble.message)
    };
    let mut whole = Vec::with_capacity(found.steps.len());
    let mut at = found.initial.clone();
    let count = found.steps.len();
    for (i, step) in found.steps.into_iter().enumerate() {
        let next = steps(&at)?;
        if !next.iter().any(|(label, _, state)| *label == step.label && *state == step.state) {
            let first =
                next.into_iter().filter(|(label, by, _)| *label == step.label && *by == step.by);
            for (label, by, state) in first {
                let silent = |(l, b, s): &(u32, Vec<u32>, Vec<u32>)| {
                    *l == TAU && *b == by && *s == step.state
                };
                if steps(&state)?.iter().any(silent) {
                    whole.push(WitnessStep { label, text: step.text.clone(), by, state });
                    break;
                }
            }
            // The last one is what is not allowed.
            if i + 1 == count {
                break;
            }
            let text = system.label(TAU);
            whole.push(WitnessStep { label: TAU, text, by: step.by, state: step.state });
        } else {
            whole.push(step);
        }
        at.clone_from(&whole[whole.len() - 1].state);
    }
    found.steps = whole;
    Ok(found)
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
    Witness { sentence, steps, repeats, variables }
}
