//! `|=`: decided by `linchpin_ltl` and confirmed from the definitions, on the whole process.

use linchpin_engine::{Budget, Taken};
use linchpin_ltl::{
    Fairness, Formula, Lasso, Tail, Texts, Verdict as Answer, check as decide, confirm,
};
use linchpin_lts::Trouble;
use linchpin_model::Span;

use super::explore::{shown, variables};
use super::{Report, Verdict, Witness};
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
    workers: usize,
    budget: &Budget<'_>,
) -> Report {
    let system = reduced.system;
    let condition = |number: u32, state: &[u32]| -> Result<bool, Trouble> {
        let reader = Reader { program: system.program(), data: system.data(state), env: &[] };
        reader.holds(&conditions[number as usize], Span::default()).map_err(|t| *t)
    };
    let atoms = Texts::new(system, condition);
    let answer = match decide(reduced, &atoms, formula, fairness, workers, budget) {
        Ok(answer) => answer,
        Err(trouble) => return Report::trouble(trouble),
    };
    let (verdict, witness) = match answer.verdict {
        Answer::Holds => (Verdict::Holds, None),
        Answer::Unknown(limit) => (Verdict::Unknown(limit), None),
        Answer::Violated(lasso) => match confirm(system, &atoms, formula, fairness, &lasso) {
            Ok(Ok(())) => (Verdict::Violated, Some(witness(system, &lasso))),
            Ok(Err(why)) => (Verdict::Defect(why), None),
            Err(trouble) => return Report::trouble(trouble),
        },
    };
    Report { verdict, witness, value: None, notes: Vec::new(), statistics: answer.statistics }
}

fn witness(system: &System, lasso: &Lasso) -> Witness {
    let sentence = match &lasso.tail {
        Tail::Cycle(_) => "an execution that violates the formula",
        Tail::End => "an execution that ends and violates the formula",
        Tail::Open => "however it goes on, this execution violates the formula",
    };
    let (taken, repeats) = lasso.steps();
    let mut path = vec![lasso.initial.clone()];
    path.extend(taken.clone().map(|step| step.state.clone()));
    let steps = taken.map(|Taken { label, by, .. }| (*label, by.clone()));
    let steps = shown(system, &path, steps);
    let variables = variables(system, path.last().map_or(&[][..], |s| s));
    Witness { sentence: sentence.to_string(), steps, repeats, variables }
}
