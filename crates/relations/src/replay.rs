//! Decides again, slowly and from the definitions, whether a witness shows what it claims.
//!
//! Shares no code with the search: states are vectors of slots in ordered sets, successors are asked
//! of the systems each time. Labels are compared as texts.

use std::collections::{BTreeMap, BTreeSet};

use linchpin_lts::{LabelledSystem, TAU, Watch};

use crate::refine::Semantics;
use crate::witness::{Reason, Witness};

/// Visible labels (silent ones are `None`) and where they lead.
type Steps = Vec<(Option<String>, Vec<u32>)>;

/// A system, and whom to ask whether to go on.
struct Asked<'s, S>(&'s S, &'s Watch);

fn steps<S: LabelledSystem>(
    Asked(system, watch): &Asked<'_, S>,
    state: &[u32],
) -> Result<Steps, String> {
    watch.ask().map_err(|limit| limit.name().to_string())?;
    let mut found = Vec::new();
    let mut emit = |m: linchpin_lts::Move<'_>| found.push((m.label, m.state.to_vec()));
    let result = system.successors(&mut system.scratch(), state, &mut emit);
    result.map_err(|trouble| trouble.message)?;
    let text = |label| (label != TAU).then(|| system.label(label));
    Ok(found.into_iter().map(|(label, state)| (text(label), state)).collect())
}

/// Everything that can be reached silently.
fn closed<S: LabelledSystem>(
    system: &Asked<'_, S>,
    states: BTreeSet<Vec<u32>>,
) -> Result<BTreeSet<Vec<u32>>, String> {
    let mut all = states.clone();
    let mut todo: Vec<Vec<u32>> = states.into_iter().collect();
    while let Some(state) = todo.pop() {
        for (label, next) in steps(system, &state)? {
            if label.is_none() && all.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    Ok(all)
}

/// Is there a silent cycle among these states, which are closed under silent steps?
fn diverges<S: LabelledSystem>(
    system: &Asked<'_, S>,
    states: &BTreeSet<Vec<u32>>,
) -> Result<bool, String> {
    // Takes away states without silent steps to what is left, as long as there are any.
    let mut sources: BTreeMap<Vec<u32>, Vec<&Vec<u32>>> = BTreeMap::new();
    let mut left: BTreeMap<&Vec<u32>, usize> = BTreeMap::new();
    for state in states {
        let silent = steps(system, state)?.into_iter().filter(|(label, _)| label.is_none());
        let mut count = 0;
        for (_, next) in silent {
            sources.entry(next).or_default().push(state);
            count += 1;
        }
        left.insert(state, count);
    }
    let mut todo: Vec<&Vec<u32>> =
        left.iter().filter(|(_, count)| **count == 0).map(|(state, _)| *state).collect();
    let mut gone = 0;
    while let Some(state) = todo.pop() {
        gone += 1;
        for source in sources.get(state).into_iter().flatten() {
            if let Some(count) = left.get_mut(source) {
                *count -= 1;
                if *count == 0 {
                    todo.push(source);
                }
            }
        }
    }
    Ok(gone < states.len())
}

/// Whether a witness shows that the implementation does not conform to the specification; if not,
/// why not. It may also end because somebody wants to stop.
pub fn confirm<I: LabelledSystem, S: LabelledSystem>(
    implementation: &I,
    specification: &S,
    semantics: Semantics,
    witness: &Witness,
    watch: &Watch,
) -> Result<(), String> {
    let weak = semantics != Semantics::Trace;
    let initial = implementation.initial(&mut implementation.scratch());
    let mut state = initial.map_err(|trouble| trouble.message)?;
    if state != witness.initial {
        return Err("the path does not begin where the implementation begins".to_string());
    }
    let initial = specification.initial(&mut specification.scratch());
    let mut after = BTreeSet::from([initial.map_err(|trouble| trouble.message)?]);
    let (implementation, specification) =
        (&Asked(implementation, watch), &Asked(specification, watch));
    if weak {
        after = closed(specification, after)?;
    }
    let strict = semantics == Semantics::FailuresDivergences;
    let last = witness.steps.len();
    for (i, step) in witness.steps.iter().enumerate() {
        if strict && diverges(specification, &after)? {
            return Err(format!("the specification can diverge before step {}", i + 1));
        }
        let text = (step.label != TAU).then(|| step.text.clone());
        let possible = steps(implementation, &state)?;
        if !possible.contains(&(text.clone(), step.state.clone())) {
            return Err(format!("the implementation cannot do step {}", i + 1));
        }
        state = step.state.clone();
        if weak && text.is_none() {
            continue;
        }
        let before = after;
        after = BTreeSet::new();
        let mut allowed = BTreeSet::new();
        for state in &before {
            for (label, next) in steps(specification, state)? {
                if label == text {
                    after.insert(next);
                }
                if !weak || label.is_some() {
                    allowed.insert(label.unwrap_or_else(|| "tau".to_string()));
                }
            }
        }
        if weak {
            after = closed(specification, after)?;
        }
        if after.is_empty() {
            return match &witness.reason {
                Reason::Event { allowed: claimed } if i + 1 == last => {
                    let same = claimed.iter().eq(allowed.iter());
                    same.then_some(())
                        .ok_or_else(|| format!("the specification allows {allowed:?}"))
                }
                _ => Err(format!("the specification does not allow step {}", i + 1)),
            };
        }
    }
    if strict && diverges(specification, &after)? {
        return Err("the specification can diverge as well".to_string());
    }
    match &witness.reason {
        Reason::Event { .. } => Err("the specification allows every step".to_string()),
        Reason::Divergence { cycle } => {
            let silent = witness.steps.get(*cycle..).unwrap_or(&[]);
            let start = match cycle.checked_sub(1) {
                None => Some(&witness.initial),
                Some(before) => witness.steps.get(before).map(|s| &s.state),
            };
            let round = !silent.is_empty()
                && silent.iter().all(|s| s.label == TAU)
                && silent.last().map(|s| &s.state) == start;
            match strict && round {
                true => Ok(()),
                false => Err("the path does not end in a silent cycle".to_string()),
            }
        }
        Reason::Refusal { offered, .. } if strict || semantics == Semantics::Failures => {
            let here = offer(implementation, &state)?.ok_or("the last state is not stable")?;
            if !here.iter().eq(offered.iter()) {
                return Err(format!("the implementation offers {here:?}"));
            }
            for state in &after {
                if let Some(there) = offer(specification, state)?
                    && there.is_subset(&here)
                {
                    return Err(format!("the specification can offer only {there:?}"));
                }
            }
            Ok(())
        }
        Reason::Refusal { .. } => Err("refusals do not count here".to_string()),
    }
}

/// The labels of a state without silent steps; `None` if it has any.
fn offer<S: LabelledSystem>(
    system: &Asked<'_, S>,
    state: &[u32],
) -> Result<Option<BTreeSet<String>>, String> {
    Ok(steps(system, state)?.into_iter().map(|(label, _)| label).collect())
}
