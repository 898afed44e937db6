//! Two systems beside each other, with one alphabet.

use linchpin_engine::{Limit, Meter};
use linchpin_lts::{Edge, Explicit, TAU};

use crate::alphabet::{Alphabet, Side};

/// Both systems as one, with the states of the second after those of the first, and the initial
/// state of the second. The initial state of the whole is that of the first.
///
/// # Panics
/// If there are more states than 32 bits can number.
pub fn union(
    first: &Explicit,
    second: &Explicit,
    meter: &mut Meter<'_, '_>,
) -> Result<(Explicit, u32), Limit> {
    let shift = first.states();
    let states = shift.checked_add(second.states()).expect("fewer states than numbers");
    let alphabet = Alphabet::new();
    meter.room::<Edge>(first.steps() + second.steps())?;
    meter.room::<usize>(states as usize)?;
    let mut offsets = Vec::with_capacity(states as usize + 1);
    let mut edges = Vec::with_capacity(first.steps() + second.steps());
    offsets.push(0);
    for (lts, shift) in [(first, 0), (second, shift)] {
        let mut side = Side::default();
        for state in 0..lts.states() {
            meter.tick(1)?;
            for edge in lts.edges(state) {
                let text = || lts.labels()[edge.label as usize].to_string();
                let label = side.common(&alphabet, edge.label, text);
                edges.push(Edge { label, target: edge.target + shift });
            }
            offsets.push(edges.len());
        }
    }
    debug_assert_eq!(alphabet.text(TAU), "tau");
    let labels = alphabet.texts().into_iter().map(String::into_boxed_str).collect();
    let both = Explicit::of_sorted(first.initial(), labels, offsets, edges);
    Ok((both, shift + second.initial()))
}
