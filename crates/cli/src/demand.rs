//! What a recorded history should satisfy, and whether it does: decided, made as small as it can be, and judged by other code.

use linchpin_history::{
    Decision, Factors, Judged, Means, Operation, Reason, Spec, Trouble, decide, decide_quasi,
    decide_sequential, explains, explains_quasi, judge, judge_quasi, judge_sequential, shrink,
    shrink_quasi, shrink_sequential,
};
use linchpin_lts::{Limit, Verdict};

use crate::orders;
use crate::watch::Watch;

/// A condition that makes sense for one history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Linearizable,
    Sequential,
    Quiescent,
    Quasi,
}

impl Condition {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Condition::Linearizable => "linearizable",
            Condition::Sequential => "sequential",
            Condition::Quiescent => "quiescent",
            Condition::Quasi => "quasi",
        }
    }

    pub(crate) fn adjective(self) -> &'static str {
        match self {
            Condition::Linearizable => "linearizable",
            Condition::Sequential => "sequentially consistent",
            Condition::Quiescent => "quiescently consistent",
            Condition::Quasi => "quasi linearizable",
        }
    }
}

/// A condition as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demand {
    pub(crate) condition: Condition,
    /// `{ dequeue: 2 }`, of `quasi`.
    factors: String,
}

impl Demand {
    /// The factors, for the operations of a specification; there are some if, and only if, the condition is `quasi`.
    pub(crate) fn factors(&self, spec: &Spec) -> Result<Option<Factors>, String> {
        match self.condition {
            Condition::Quasi => Factors::parse(&self.factors, spec).map(Some),
            _ => Ok(None),
        }
    }

    /// As it is written after `--condition`.
    pub(crate) fn text(&self) -> String {
        match self.condition {
            Condition::Quasi => format!("quasi {}", self.factors),
            other => other.word().to_string(),
        }
    }
}

/// A condition by its name in the language. Those that make no sense for one history say why.
pub(crate) fn demand(text: &str) -> Result<Demand, String> {
    let plain = |condition| Ok(Demand { condition, factors: String::new() });
    let text = text.trim();
    if let Some(factors) = text.strip_prefix("quasi").map(str::trim)
        && (factors.is_empty() || factors.starts_with('{'))
    {
        if !factors.ends_with('}') {
            let why = "which operations may be out of order, and by how many places? Say so: \
                       `--condition \"quasi { dequeue: 2 }\"`";
            return Err(why.to_string());
        }
        return Ok(Demand { condition: Condition::Quasi, factors: factors.to_string() });
    }
    let why = match text {
        "linearizable" => return plain(Condition::Linearizable),
        "sequential" => return plain(Condition::Sequential),
        "quiescent" => return plain(Condition::Quiescent),
        "strong" => {
            "strong linearizability is about all executions of an object, not about one history"
        }
        "set_linearizable" | "interval_linearizable" => {
            "operations that take effect together are for models; a log is compared in orders of single operations"
        }
        "points" => "a log does not have the points at which operations take effect",
        "lock_free" | "wait_free" | "obstruction_free" | "deadlock_free" => {
            "progress is about executions without end, and a log has one"
        }
        "leak_free" => "leaks are about the memory of an object, of which a log knows nothing",
        _ => "expected `linearizable`, `sequential`, `quiescent` or `quasi { ... }`",
    };
    Err(why.to_string())
}

/// A violation as it is shown.
pub(crate) struct Shown {
    /// What is left of the history.
    pub(crate) operations: Vec<Operation>,
    /// Their numbers in the whole history.
    pub(crate) numbers: Vec<u32>,
    /// Why it has no order.
    pub(crate) reason: Reason,
}

/// What came of it.
pub(crate) struct Decided {
    pub(crate) decision: Decision,
    /// Of `quasi`, in which order operations take effect; the order of the decision is that of places.
    pub(crate) effects: Option<Vec<u32>>,
    pub(crate) violation: Option<Shown>,
}

/// Why there is no answer.
pub(crate) enum Failed {
    /// Something is wrong with the log or the specification.
    Trouble(Trouble),
    /// Something is wrong with us.
    Internal(String),
}

/// Decides a history. What has no order is made small and judged, what has one is gone through again.
pub(crate) fn decided(
    spec: &Spec,
    (condition, factors): (Condition, Option<&Factors>),
    operations: &[Operation],
    means: &Means,
    watch: &Watch<'_>,
) -> Result<Decided, Failed> {
    let asked = watch.question();
    let none = |trouble: Trouble| {
        Failed::Internal(format!("the order that was found is none: {}", trouble.message))
    };
    let mut effects = None;
    let mut decision = match (condition, factors) {
        (Condition::Sequential, _) => decide_sequential(spec, operations, u64::MAX, asked),
        (Condition::Quasi, Some(factors)) => {
            decide_quasi(spec, operations, factors, u64::MAX, asked).map(|relaxed| {
                effects = Some(relaxed.effects);
                relaxed.decision
            })
        }
        _ => decide(spec, operations, means, asked),
    }
    .map_err(Failed::Trouble)?;
    if decision.verdict.holds()
        && let Some(order) = &decision.order
    {
        match (condition, factors, &effects) {
            (Condition::Sequential, ..) => {}
            (Condition::Quasi, Some(factors), Some(effects)) => {
                explains_quasi(spec, operations, factors, effects, order).map_err(none)?;
            }
            _ => explains(spec, operations, order).map_err(none)?,
        }
    }
    let mut violation = None;
    if let Verdict::Violated(refuted) = &decision.verdict {
        let within = watch.confirming();
        let (left, judged) = match (condition, factors) {
            (Condition::Sequential, _) => {
                let left = shrink_sequential(spec, operations, &within);
                let judged = judge_sequential(spec, &left, &within);
                (left, judged)
            }
            (Condition::Quasi, Some(factors)) => {
                let left = shrink_quasi(spec, operations, factors, refuted, &within);
                let judged = judge_quasi(spec, &left, factors, refuted.place, &within);
                (left, judged)
            }
            _ => {
                let left = shrink(spec, operations, refuted, &within);
                let judged = judge(spec, &left, &within);
                (left, judged)
            }
        };
        match judged {
            Judged::Confirmed(reason) => {
                let numbers = orders::numbers(operations, &left);
                violation = Some(Shown { operations: left, numbers, reason });
            }
            Judged::Explained => {
                let why = "the search found no order, but the judge did".to_string();
                return Err(Failed::Internal(why));
            }
            Judged::Undecided(_) => decision.verdict = Verdict::Unknown(Limit::Unconfirmed),
        }
    }
    Ok(Decided { decision, effects, violation })
}
