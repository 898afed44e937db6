//! `reaches`: is there a state in which a condition holds, and with which smallest or greatest value?

use linchpin_engine::Budget;
use linchpin_lts::{Trouble, Verdict};
use linchpin_model::Span;

use super::Report;
use super::explore::{End, Explorer};
use crate::ast::Extreme;
use crate::eval::Reader;
use crate::program::Expr;
use crate::reduced::Reduced;
use crate::value::{Value, is_number, show};

/// What a state is worth.
enum Seen {
    Goal(u32),
    Trouble(u32, Trouble),
}

/// Looks for states in which a condition holds.
pub(super) fn check(
    reduced: &Reduced<'_>,
    goal: &Expr,
    extreme: Option<&(Extreme, Expr)>,
    budget: &Budget<'_>,
) -> Report {
    let system = reduced.system;
    let mut explorer = match Explorer::new(reduced) {
        Ok(explorer) => explorer,
        Err(trouble) => return Report::trouble(trouble),
    };
    let mut words = Vec::new();
    let mut best: Option<(Value, u32)> = None;
    let end = explorer.run(budget, |graph, state, _| {
        graph.read(state, &mut words);
        let reader = Reader { program: system.program(), data: system.data(&words), env: &[] };
        match reader.holds(goal, Span::default()) {
            Ok(false) => return None,
            Ok(true) => {}
            Err(trouble) => return Some(Seen::Trouble(state, *trouble)),
        }
        let Some((which, e)) = extreme else { return Some(Seen::Goal(state)) };
        let v = match reader.value(e) {
            Ok(v) => v,
            Err(trouble) => return Some(Seen::Trouble(state, *trouble)),
        };
        let better = match (which, best) {
            (_, None) => true,
            (Extreme::Min, Some((b, _))) => v < b,
            (Extreme::Max, Some((b, _))) => v > b,
        };
        if better {
            best = Some((v, state));
        }
        None
    });
    match (end, best) {
        (End::Found(Seen::Trouble(state, trouble)), _) => {
            explorer.report(End::<()>::Trouble(state, trouble), Ok(Verdict::Violated(())))
        }
        (End::Found(Seen::Goal(state)), _) => {
            explorer.found(state, Ok(Verdict::Holds), "the condition holds after these steps")
        }
        (End::All, Some((v, state))) => {
            let which = match extreme {
                Some((Extreme::Min, _)) => "smallest",
                _ => "greatest",
            };
            let sentence = format!(
                "the condition holds after these steps, with the {which} value {}",
                show(v)
            );
            let mut report = explorer.found(state, Ok(Verdict::Holds), sentence);
            report.value = is_number(v).then_some(i64::from(v));
            report
        }
        (end, _) => explorer.report(end, Ok(Verdict::Violated(()))),
    }
}
