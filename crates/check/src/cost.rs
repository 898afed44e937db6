//! What a witness costs its reader: operations first, then switches of threads, then steps.

use std::ops::Add;

/// What a witness costs its reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Operations that are called.
    pub calls: u32,
    /// How often another thread goes on.
    pub switches: u32,
    /// Steps.
    pub steps: u32,
}

/// Nobody has moved yet.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Bits for steps and for switches in a packed cost. The rest is for calls.
const BITS: u32 = 24;

impl Cost {
    /// Executions up to so many steps have costs that can be packed.
    pub(crate) const MOST_STEPS: u64 = (1 << BITS) - 1;

    /// The cost of one step by `thread` after one by `last`.
    pub(crate) fn of_step(calls: u32, thread: u32, last: u32) -> Cost {
        Cost { calls, switches: u32::from(last != NOBODY && last != thread), steps: 1 }
    }

    /// A number with the same order and the same sums, up to [`Cost::MOST_STEPS`]; the greatest of all
    /// if there are too many calls.
    pub(crate) fn packed(self) -> u64 {
        let calls = u64::from(self.calls).saturating_mul(1 << (2 * BITS));
        calls.saturating_add(u64::from(self.switches) << BITS | u64::from(self.steps))
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            calls: self.calls + other.calls,
            switches: self.switches + other.switches,
            steps: self.steps + other.steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_costs_have_the_order_and_the_sums_of_costs() {
        let most = Cost::MOST_STEPS as u32;
        let counts = [0, 1, 2, most - 1];
        let mut costs = Vec::new();
        for calls in [0, 1, 7, 1 << 15] {
            for switches in counts {
                costs.extend(counts.map(|steps| Cost { calls, switches, steps }));
            }
        }
        let one = Cost { calls: 1, switches: 1, steps: 1 };
        for &a in &costs {
            assert_eq!((a + one).packed(), a.packed() + one.packed());
            for &b in &costs {
                assert_eq!(a.cmp(&b), a.packed().cmp(&b.packed()), "{a:?} {b:?}");
            }
        }
        assert_eq!(Cost { calls: u32::MAX, ..one }.packed(), u64::MAX);
    }
}
