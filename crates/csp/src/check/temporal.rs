//! `|=`: decided by `linchpin_ltl` and confirmed from the definitions.

use linchpin_engine::Budget;
use linchpin_ltl::{
    Fairness, Formula, Graph, Lasso, Tail, Taken, Verdict as Answer, Walk, check as decide, confirm,
};
use linchpin_lts::{LabelledSystem, Trouble};
use linchpin_model::Span;

use super::explore::{shown, variables};
use super::{Report, Verdict, Witness};
use crate::eval::Reader;
use crate::program::Expr;
use crate::system::System;

/// Does every execution satisfy a formula, of those that are fair?
pub(super) fn check(
    system: &System,
    formula: &Formula,
    conditions: &[Expr],
    fairness: Fairness,
    budget: &Budget<'_>,
) -> Report {
    let condition = |number: u32, state: &[u32]| -> Result<bool, Trouble> {
        let reader = Reader { program: system.program(), data: system.data(state), env: &[] };
        reader.holds(&conditions[number as usize], Span::default()).map_err(|t| *t)
    };
    let mut graph = Walk::new(system, condition);
    let answer = match decide(&mut graph, formula, fairness, budget) {
        Ok(answer) => answer,
        Err(trouble) => return Report::trouble(trouble),
    };
    let (verdict, witness) = match answer.verdict {
        Answer::Holds => (Verdict::Holds, None),
        Answer::Unknown(limit) => (Verdict::Unknown(limit), None),
        Answer::Violated(lasso) => {
            let mut again = Walk::new(system, condition);
            match confirm(&mut again, formula, fairness, &lasso) {
                Ok(Ok(())) => (Verdict::Violated, Some(witness(system, &graph, &lasso))),
                Ok(Err(why)) => (Verdict::Defect(why), None),
                Err(trouble) => return Report::trouble(trouble),
            }
        }
    };
    Report { verdict, witness, value: None, statistics: answer.statistics }
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
    let steps = shown(system, &path, steps);
    let variables = variables(system, path.last().map_or(&[][..], |s| s));
    Witness { sentence: sentence.to_string(), steps, repeats, variables }
}
