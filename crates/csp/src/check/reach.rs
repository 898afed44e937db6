//! `reaches`: is there a state in which a condition holds, and with which smallest or greatest value?
//!
//! A smallest or greatest value is found by looking at all states when they are known, or when a value has been
//! reached beyond which there is none, by the ranges of the variables it is made of ([`crate::bounds`]). Then a state with that
//! value is looked for, so that what is shown is a nearest one.

use linchpin_engine::{Budget, Meter, Plan, States};
use linchpin_lts::{Trouble, Verdict};
use linchpin_text::Span;

use super::Report;
use super::explore::{End, Explored, explore};
use super::orders::Search;
use crate::ast::Extreme;
use crate::bounds::bounds;
use crate::program::Expr;
use crate::reduced::Reduced;
use crate::value::{Value, describe, is_number, show};

/// Looks for states in which a condition holds.
pub(super) fn check(
    reduced: &Reduced<'_>,
    goal: &Expr,
    extreme: Option<&(Extreme, Expr)>,
    order: Search,
    budget: &Budget<'_>,
) -> Report {
    let system = reduced.system;
    let is_goal = |state: &[u32]| system.reader(state).holds(goal, Span::default()).map_err(|t| *t);
    let Some((which, e)) = extreme else {
        let explored =
            explore(reduced, order, budget, |state, _| Ok(is_goal(state)?.then_some(())));
        return match explored.end {
            End::Found(()) => {
                explored.found(Ok(Verdict::Holds), "the condition holds after these steps")
            }
            _ => explored.report(Ok(Verdict::Violated(()))),
        };
    };
    let value = |state: &[u32]| -> Result<Option<Value>, Trouble> {
        if !is_goal(state)? {
            return Ok(None);
        }
        match system.reader(state).value(e).map_err(|t| *t)? {
            v if is_number(v) => Ok(Some(v)),
            v => Err(Trouble::new(format!("{}, but `with` needs a number", describe(v)))),
        }
    };
    let bound = bounds(&system.program, e).map(|(low, high)| match which {
        Extreme::Min => low,
        Extreme::Max => high,
    });
    let last = |v: Option<Value>| (v.is_some() && v.map(i64::from) == bound).then_some(());
    let states = States::new(reduced, |state, _| value(state).map(last));
    let (ending, statistics, seen) =
        linchpin_engine::explore(&states, Plan::default(), budget, &mut |_| false);
    let all = Explored::new(reduced, ending, statistics);
    let (mut best, mut meter) = (None, Meter::new(budget));
    for node in seen.nodes() {
        if let Err(limit) = meter.tick(1) {
            return all.stopped(limit).report(Ok(Verdict::Violated(())));
        }
        let Ok(Some(value)) = value(&seen.node(node).0) else { continue };
        let better = best.is_none_or(|best| match which {
            Extreme::Min => value < best,
            Extreme::Max => value > best,
        });
        best = if better { Some(value) } else { best };
    }
    let (End::All | End::Found(()), Some(best)) = (&all.end, best) else {
        return all.report(Ok(Verdict::Violated(())));
    };
    let statistics = all.statistics;
    let is_best = |state: &[u32]| Ok((value(state)? == Some(best)).then_some(()));
    let explored = explore(reduced, Search::Breadth, budget, |state, _| is_best(state));
    if !matches!(explored.end, End::Found(())) {
        return explored.report(Ok(Verdict::Violated(())));
    }
    let which = match which {
        Extreme::Min => "smallest",
        Extreme::Max => "greatest",
    };
    let sentence =
        format!("the condition holds after these steps, with the {which} value {}", show(best));
    let report = explored.found(Ok(Verdict::Holds), sentence);
    Report { value: Some(i64::from(best)), statistics, ..report }
}
