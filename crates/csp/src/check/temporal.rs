//! `|=`: decided by `linchpin_ltl` and confirmed from the definitions, on the whole process.

use linchpin_engine::{Budget, Unfolded};
use linchpin_ltl::{Fairness, Formula, Graph, Lasso, Tail, Taken, Walk, check as decide, confirm};
use linchpin_lts::{LabelledSystem, Trouble, Verdict};
use linchpin_text::Span;

use super::explore::followed;
use super::{Failure, Report, Witness};
use crate::eval::Reader;
use crate::program::Expr;
use crate::reduced::Reduced;
use crate::system::System;

/// Does every execution satisfy a formula, of those that are fair?
pub(super) fn check(
    reduced: &Reduced<'_>,
    formula: &Formula,
    conditions: &[Expr],
    fairness: Fairness,
    budget: &Budget<'_>,
) -> Report {
    let system = reduced.system;
    let condition = |number: u32, state: &[u32]| -> Result<bool, Trouble> {
        let reader = Reader { program: system.program(), data: system.data(state), env: &[] };
        reader.holds(&conditions[number as usize], Span::default()).map_err(|t| *t)
    };
    let mut graph = Walk::new(reduced, condition);
    let answer = match decide(&mut graph, formula, fairness, budget) {
        Ok(answer) => answer,
        Err(trouble) => return Report::trouble(trouble),
    };
    let (verdict, witness) = match answer.verdict {
        Verdict::Holds => (Ok(Verdict::Holds), None),
        Verdict::Unknown(limit) => (Ok(Verdict::Unknown(limit)), None),
        Verdict::Violated(lasso) => {
            let mut whole = Walk::new(system, condition);
            let confirmed = lift(&graph, &lasso, &mut whole).and_then(|lasso| {
                let confirmed = confirm(&mut whole, formula, fairness, &lasso)?;
                Ok(confirmed.map(|()| lasso))
            });
            match confirmed {
                Ok(Ok(lasso)) => (Ok(Verdict::Violated(())), Some(witness(system, &whole, &lasso))),
                Ok(Err(why)) => (Err(Failure::Defect(why)), None),
                Err(trouble) => return Report::trouble(trouble),
            }
        }
    };
    Report { verdict, witness, value: None, notes: Vec::new(), statistics: answer.statistics }
}

/// An execution of a part of a system as one of the whole.
fn lift<S, T, C>(
    part: &Walk<'_, S, C>,
    lasso: &Lasso,
    whole: &mut Walk<'_, T, C>,
) -> Result<Lasso, Trouble>
where
    S: LabelledSystem,
    T: LabelledSystem,
    C: FnMut(u32, &[u32]) -> Result<bool, Trouble>,
{
    let initial = whole.initial()?;
    let (mut at, mut wanted, mut slots) = (initial, Vec::new(), Vec::new());
    let mut steps: Vec<Unfolded> = Vec::new();
    let mut take = |taken: &Taken| -> Result<Taken, Trouble> {
        steps.clear();
        whole.steps(at, &mut steps)?;
        part.unfolding().read(taken.state, &mut wanted);
        for (place, step) in steps.iter().enumerate() {
            whole.unfolding().read(step.target, &mut slots);
            if step.label == taken.label && slots == wanted {
                at = step.target;
                let (place, group) = (place as u32, step.group);
                return Ok(Taken { place, label: step.label, group, state: step.target });
            }
        }
        // The judge will say that there is no such step.
        Ok(Taken { place: u32::MAX, ..*taken })
    };
    let stem = lasso.stem.iter().map(&mut take).collect::<Result<_, _>>()?;
    let tail = match &lasso.tail {
        Tail::Cycle(cycle) => Tail::Cycle(cycle.iter().map(&mut take).collect::<Result<_, _>>()?),
        tail => tail.clone(),
    };
    Ok(Lasso { initial, stem, tail })
}

fn witness<S, C>(system: &System, graph: &Walk<'_, S, C>, lasso: &Lasso) -> Witness
where
    S: LabelledSystem,
    C: FnMut(u32, &[u32]) -> Result<bool, Trouble>,
{
    let mut taken: Vec<&Taken> = lasso.stem.iter().collect();
    let (repeats, sentence) = match &lasso.tail {
        Tail::Cycle(cycle) => {
            taken.extend(cycle);
            (Some(lasso.stem.len()), "an execution that violates the formula")
        }
        Tail::End => (None, "an execution that ends and violates the formula"),
        Tail::Open => (None, "however it goes on, this execution violates the formula"),
    };
    let slots = |state: u32| {
        let mut words = Vec::new();
        graph.unfolding().read(state, &mut words);
        words
    };
    let mut path = vec![slots(lasso.initial)];
    path.extend(taken.iter().map(|t| slots(t.state)));
    let steps = taken.iter().map(|t| (t.label, graph.group(t.group).to_vec()));
    let (steps, variables) = followed(system, &path, steps);
    Witness { sentence: sentence.to_string(), steps, repeats, variables }
}
