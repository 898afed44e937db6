//! An assertion about a model that may begin in several ways ([`crate::starts`]).
//!
//! Each way is a model of its own. What is asserted of all executions has to hold for each of them; a condition is reached
//! if it is in one of them; a smallest or greatest value is that of all. A refinement compares both processes from the same
//! values. The ways are taken in order, and the first that decides it is shown; figures are sums.

use linchpin_engine::{Budget, Figures, Limit};
use linchpin_lts::{Trouble, Verdict};

use super::{Options, Report, check_from};
use crate::ast::Extreme;
use crate::model::Model;
use crate::program::Claim;
use crate::starts::{count, sentence};

pub(super) fn check(model: &Model, assertion: usize, options: &Options<'_>) -> Report {
    let claim = &model.program.assertions[assertion].claim;
    let (decides, extreme) = match claim {
        Claim::Reaches(_, None) => (Some(Verdict::Holds), None),
        Claim::Reaches(_, Some((which, _))) => (None, Some(*which)),
        _ => (Some(Verdict::Violated(())), None),
    };
    let (mut statistics, mut others) = (Figures::default(), 0);
    let mut best: Option<Report> = None;
    for start in 0..count(&model.program).unwrap_or(0) {
        let left = options.budget.max_states.map(|most| most.saturating_sub(statistics.nodes));
        // What is kept is kept for one way.
        let budget = Budget { max_states: left, keeper: None, peers: None, ..options.budget };
        let mut report = check_from(model, assertion, start, &Options { budget, ..*options });
        if left == Some(0) {
            report.verdict = Ok(Verdict::Unknown(Limit::States));
            report.witness = None;
        }
        statistics = sum(statistics, report.statistics);
        others += report.others;
        if report.witness.is_some() {
            report.notes.push(sentence(&model.program, start));
        }
        let done = match &report.verdict {
            Ok(verdict) => Some(verdict) == decides.as_ref() || verdict.limit().is_some(),
            Err(_) => true,
        };
        if done {
            return Report { statistics, others, ..report };
        }
        let better = match (extreme, &best) {
            (Some(Extreme::Min), Some(best)) => less(report.value, best.value),
            (Some(Extreme::Max), Some(best)) => report.value > best.value,
            _ => true,
        };
        if better {
            best = Some(report);
        }
    }
    let report = best.unwrap_or_else(|| Report::trouble(Trouble::new("no way to begin")));
    Report { statistics, others, ..report }
}

/// Is there a value, and is it less than the other one, if there is one?
fn less(a: Option<i64>, b: Option<i64>) -> bool {
    a.is_some_and(|a| b.is_none_or(|b| a < b))
}

fn sum(a: Figures, b: Figures) -> Figures {
    Figures {
        states: a.states + b.states,
        nodes: a.nodes + b.nodes,
        transitions: a.transitions + b.transitions,
        depth: a.depth.max(b.depth),
        widest: a.widest.max(b.widest),
        memory: a.memory.max(b.memory),
    }
}
