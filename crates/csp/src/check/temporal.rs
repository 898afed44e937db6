//! `|=`: decided by `linchpin_ltl` and confirmed from the definitions, on the whole process.

use linchpin_engine::{Budget, Taken};
use linchpin_ltl::{Fairness, Formula, Lasso, Tail, Texts, check as decide, confirm};
use linchpin_lts::{Trouble, Verdict};
use linchpin_text::Span;

use super::explore::shown;
use super::{Failure, Report, Witness};
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
        let condition = &conditions[number as usize];
        system.reader(state).holds(condition, Span::default()).map_err(|t| *t)
    };
    let atoms = Texts::new(system, condition);
    let answer = match decide(reduced, &atoms, formula, fairness, budget) {
        Ok(answer) => answer,
        Err(trouble) => return Report::trouble(trouble),
    };
    let (verdict, witness) = match answer.verdict {
        Verdict::Holds => (Ok(Verdict::Holds), None),
        Verdict::Unknown(limit) => (Ok(Verdict::Unknown(limit)), None),
        Verdict::Violated(lasso) => match confirm(system, &atoms, formula, fairness, &lasso) {
            Ok(Ok(())) => (Ok(Verdict::Violated(())), Some(witness(system, &lasso))),
            Ok(Err(why)) => (Err(Failure::Defect(why)), None),
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
    let way: Vec<Taken> = taken.cloned().collect();
    Witness { repeats, ..shown(system, sentence, &way) }
}
