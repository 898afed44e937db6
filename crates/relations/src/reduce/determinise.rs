//! The smallest deterministic system with the same weak traces.
//!
//! Branching bisimilar states have the same weak traces, so those are merged first; then sets of
//! states take the place of states (M. Rabin, D. Scott, *Finite automata and their decision
//! problems*, IBM Journal of Research and Development 3(2), 1959); then equal ones are merged again,
//! which for a deterministic system is minimisation. Every state of an LTS accepts, so there is no
//! sink, and the result is unique.

use linchpin_engine::{Budget, Limit, Stop};
use linchpin_lts::{Explicit, TAU};

use super::{Equivalence, quotient};
use crate::alphabet::Alphabet;
use crate::determined::{Determined, Subsets};
use crate::generate::explicit;

/// The smallest deterministic system with the same weak traces. It can have exponentially many
/// states, which is what the budget is for.
pub fn weak_trace_normal_form(lts: &Explicit, budget: &Budget<'_>) -> Result<Explicit, Limit> {
    let small = quotient(lts, Equivalence::Branching, budget)?;
    let deterministic = determinised(&small, budget)?;
    quotient(&deterministic, Equivalence::Strong, budget)
}

fn determinised(lts: &Explicit, budget: &Budget<'_>) -> Result<Explicit, Limit> {
    // All labels have their numbers before the search, so that these do not depend on workers.
    let alphabet = Alphabet::new();
    lts.labels().iter().skip(TAU as usize + 1).for_each(|text| {
        alphabet.number(text.to_string());
    });
    let sets = Subsets(Determined::new(lts, true, &alphabet, budget));
    explicit(&sets, |label| alphabet.text(label), budget).map_err(|(stop, _)| match stop {
        Stop::Limit(limit) => limit,
        Stop::Trouble(_) => Limit::Method,
    })
}
