//! `|=`: decided by `linchpin_ltl` and confirmed from the definitions, on the whole process.

use linchpin_engine::{Budget, Taken};
use linchpin_ltl::{Fairness, Formula, Lasso, Tail, Texts, check as decide, confirm};
use linchpin_lts::{Trouble, Verdict};
use linchpin_text::Span;

use super::explore::shown;
use super::{Failure, Report, Witness};
use crate::multiset::Lift;
use crate::program::Expr;
use crate::reduced::Reduced;
use crate::system::System;

/// Does every execution satisfy a formula, of those that are fair?
pub(super) fn check(
    reduced: &Reduced<'_>,
    formula: &Formula,
    conditions: &[Expr],
    fairness: Fairness,
    deep: bool,
    budget: &Budget<'_>,
) -> Report {
    let system = reduced.system;
    let condition = |number: u32, state: &[u32]| -> Result<bool, Trouble> {
        let condition = &conditions[number as usize];
        system.reader(state).holds(condition, Span::default()).map_err(|t| *t)
    };
    let atoms = Texts::new(system, condition);
    let answer = match decide(reduced, &atoms, formula, fairness, deep, budget) {
        Ok(answer) => answer,
        Err(trouble) => return Report::trouble(trouble),
    };
    let (verdict, witness) = match answer.verdict {
        Verdict::Holds => (Ok(Verdict::Holds), None),
        Verdict::Unknown(limit) => (Ok(Verdict::Unknown(limit)), None),
        Verdict::Violated(lasso) => {
            let lasso = match lifted(reduced, &lasso) {
                Ok(Some(lasso)) => lasso,
                // Processes change places for longer than anybody would read.
                Ok(None) => {
                    let reduced = &reduced.unsorted();
                    return check(reduced, formula, conditions, fairness, deep, budget);
                }
                Err(trouble) => return Report::trouble(trouble),
            };
            match confirm(system, &atoms, formula, fairness, &lasso) {
                Ok(Ok(())) => (Ok(Verdict::Violated(())), Some(witness(system, &lasso))),
                Ok(Err(why)) => (Err(Failure::Defect(why)), None),
                Err(trouble) => return Report::trouble(trouble),
            }
        }
    };
    let (notes, statistics, others) = (Vec::new(), answer.statistics, answer.others);
    Report { verdict, witness, value: None, notes, deep: answer.deep, statistics, others }
}

/// The same execution of the whole process; none if it does not close a cycle.
fn lifted(reduced: &Reduced<'_>, lasso: &Lasso) -> Result<Option<Lasso>, Trouble> {
    if !reduced.sorted {
        return Ok(Some(lasso.clone()));
    }
    let mut lift = Lift::new(reduced)?;
    let initial = lift.at.clone();
    let states = lasso.stem.iter().map(|taken| taken.state.clone());
    let path: Vec<Vec<u32>> = [initial.clone()].into_iter().chain(states).collect();
    let mut stem = lift.path(&path, |i, step| step.label == lasso.stem[i].label)?;
    let tail = match &lasso.tail {
        Tail::Cycle(cycle) => {
            let cycle: Vec<_> = cycle.iter().map(|t| (t.label, &t.state[..])).collect();
            let Some((before, cycle)) = lift.cycle(&cycle)? else { return Ok(None) };
            stem.extend(before);
            Tail::Cycle(cycle)
        }
        tail => tail.clone(),
    };
    Ok(Some(Lasso { initial, stem, tail }))
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
