//! What the judge is asked about a violation that the checker reports.

use linchpin_check::Violation;
use linchpin_evidence::Claim;

/// The claim that a violation is.
pub fn claim(violation: &Violation) -> Claim<'_> {
    match violation {
        Violation::History => Claim::History,
        Violation::Branching(branches) => Claim::Branching(branches),
        Violation::Fault(kind) => Claim::Fault(*kind),
        Violation::Deadlock => Claim::Deadlock,
        Violation::Endless { cycle, thread } => Claim::Endless(cycle, *thread),
        Violation::Temporal(tail) => Claim::Temporal(tail.as_deref()),
    }
}
