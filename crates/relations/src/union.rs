//! Two systems beside each other, with one alphabet.

use linchpin_engine::{Limit, Meter};
use linchpin_lts::{Edge, Explicit, Rows, TAU};

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
    let mut rows = Rows::with_room(states as usize, first.steps() + second.steps());
    for (lts, shift) in [(first, 0), (second, shift)] {
        let mut side = Side::default();
        for state in 0..lts.states() {
            meter.tick(1)?;
            rows.push(lts.edges(state).iter().map(|edge| {
                let text = || lts.labels()[edge.label as usize].to_string();
                let label = side.common(&alphabet, edge.label, text);
                Edge { label, target: edge.target + shift }
            }));
        }
    }
    debug_assert_eq!(alphabet.text(TAU), "tau");
    let labels = alphabet.texts().into_iter().map(String::into_boxed_str).collect();
    let both = Explicit::of(first.initial(), labels, rows);
    Ok((both, shift + second.initial()))
}
