//! `linchpin check --classify`: which of all conditions does an object satisfy?
//!
//! Every check of a file stands for its object, specification and bounds; whatever condition it asks
//! for, all are decided: quiescent and sequential consistency, linearizability, strong linearizability,
//! and what else the check names. As always a violation counts only if it has been confirmed. Some
//! conditions imply others; if the answers do not agree with that, it is a defect of Linchpin and
//! reported as such.

use linchpin_check::Counterexample;
use linchpin_lin::program::{Check, Condition};
use linchpin_lts::Verdict;

use crate::exit::Exit;
use crate::input::Source;
use crate::names::base;
use crate::outcome::{Decided, Kind, Problem};

/// An object and all answers about it.
pub(crate) struct Classified<'a> {
    /// The file.
    pub(crate) source: &'a Source,
    /// The name of the check, without a condition.
    pub(crate) name: String,
    /// A check of it, with the bounds that were used.
    pub(crate) check: &'a Check,
    /// The answers, weakest condition first.
    pub(crate) answers: Vec<Answer<'a>>,
    /// The command that shows it again.
    pub(crate) again: String,
}

/// The answer for one condition.
pub(crate) struct Answer<'a> {
    /// The condition.
    pub(crate) condition: &'a Condition,
    /// The verdict, or why the condition does not apply.
    pub(crate) decided: Result<Decided<'a>, String>,
}

impl Answer<'_> {
    fn verdict(&self) -> Option<&Verdict<Counterexample>> {
        self.decided.as_ref().ok().map(|d| &d.report.verdict)
    }

    /// Is it satisfied?
    pub(crate) fn holds(&self) -> bool {
        matches!(self.verdict(), Some(Verdict::Holds))
    }

    /// Is it violated?
    pub(crate) fn is_violated(&self) -> bool {
        matches!(self.verdict(), Some(Verdict::Violated(_)))
    }
}

impl Classified<'_> {
    /// 0 if everything was decided, whatever the answers are.
    pub(crate) fn exit(&self) -> Exit {
        let unknown = |a: &Answer<'_>| matches!(a.verdict(), Some(Verdict::Unknown(_)));
        if self.answers.iter().any(unknown) { Exit::Unknown } else { Exit::Holds }
    }
}

/// The checks of a file that differ in nothing but the condition, as one: the name, and one check for
/// every condition that is to be decided, weakest first.
pub(crate) fn groups(checks: &[&Check]) -> Vec<(String, Vec<Check>)> {
    let mut groups: Vec<(String, Vec<Check>)> = Vec::new();
    for check in checks {
        let name = base(&check.name).to_string();
        let mut check = (*check).clone();
        // Progress is neither stronger nor weaker than what is asked of histories.
        if check.condition.ignores_specification() {
            (check.condition, check.expect) = (Condition::Linearizable, None);
        }
        match groups.iter_mut().find(|(_, group)| group[0].span == check.span) {
            Some((_, group)) if group.iter().any(|c| c.condition == check.condition) => {}
            Some((_, group)) => group.push(check),
            None => groups.push((name, vec![check])),
        }
    }
    for (name, group) in &mut groups {
        let plain = Check { name: name.clone(), expect: None, ..group[0].clone() };
        for condition in [
            Condition::Quiescent,
            Condition::Sequential,
            Condition::Linearizable,
            Condition::Strong,
        ] {
            if group.iter().all(|c| c.condition != condition) {
                group.push(Check { condition, ..plain.clone() });
            }
        }
        group.sort_by_key(|c| strength(&c.condition));
    }
    groups
}

/// Weaker conditions first; quiescent and sequential consistency do not imply each other.
fn strength(condition: &Condition) -> u32 {
    match condition {
        Condition::Quiescent => 0,
        Condition::Sequential => 1,
        Condition::Quasi(_) => 2,
        Condition::IntervalLinearizable => 3,
        Condition::SetLinearizable => 4,
        Condition::Linearizable => 5,
        Condition::Points => 6,
        Condition::Strong => 7,
        Condition::LockFree
        | Condition::WaitFree
        | Condition::ObstructionFree
        | Condition::LeakFree
        | Condition::Ltl(_) => 8,
    }
}

/// Does an object that satisfies the first condition satisfy the second?
fn implies(first: &Condition, second: &Condition) -> bool {
    let as_strong = matches!(first, Condition::Strong | Condition::Points);
    match second {
        Condition::Linearizable => as_strong,
        Condition::Quiescent | Condition::Sequential | Condition::Quasi(_) => {
            as_strong || *first == Condition::Linearizable
        }
        Condition::SetLinearizable => as_strong || *first == Condition::Linearizable,
        Condition::IntervalLinearizable => {
            as_strong || matches!(first, Condition::Linearizable | Condition::SetLinearizable)
        }
        Condition::Points | Condition::Strong => false,
        Condition::LockFree
        | Condition::WaitFree
        | Condition::ObstructionFree
        | Condition::LeakFree
        | Condition::Ltl(_) => false,
    }
}

/// Puts the answers together.
///
/// # Errors
/// If something other than the condition keeps an object from being classified, or if the answers
/// contradict each other.
pub(crate) fn classify<'a>(
    source: &'a Source,
    name: String,
    again: String,
    checks: &'a [Check],
    decide: &mut dyn FnMut(&'a Check) -> Result<Decided<'a>, Problem>,
) -> Result<Classified<'a>, Problem> {
    let mut answers = Vec::new();
    for check in checks {
        let decided = match decide(check) {
            Ok(decided) => Ok(decided),
            Err(problem) if problem.kind == Kind::Unsupported => Err(problem.message),
            Err(problem) => return Err(problem),
        };
        answers.push(Answer { condition: &check.condition, decided });
    }
    for strong in answers.iter().filter(|a| a.holds()) {
        for weak in answers.iter().filter(|a| a.is_violated()) {
            if implies(strong.condition, weak.condition) {
                let (strong, weak) = (strong.condition.adjective(), weak.condition.adjective());
                let message = format!("{strong}, but not {weak}");
                return Err(Problem::of_check(Kind::Internal, source, &checks[0], message));
            }
        }
    }
    Ok(Classified { source, name, check: &checks[0], answers, again })
}
