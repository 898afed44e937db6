//! Two systems beside each other, with one alphabet.

use linchpin_lts::{Explicit, TAU};

use crate::alphabet::{Alphabet, Side};

/// Both systems as one, with the states of the second after those of the first, and the initial
/// state of the second. The initial state of the whole is that of the first.
///
/// # Panics
/// If there are more states than 32 bits can number.
pub fn union(first: &Explicit, second: &Explicit) -> (Explicit, u32) {
    let shift = first.states();
    let states = shift.checked_add(second.states()).expect("fewer states than numbers");
    let alphabet = Alphabet::new();
    let mut steps = Vec::with_capacity(first.steps() + second.steps());
    for (lts, shift) in [(first, 0), (second, shift)] {
        let mut side = Side::default();
        for state in 0..lts.states() {
            for edge in lts.edges(state) {
                let text = || lts.labels()[edge.label as usize].to_string();
                let label = side.common(&alphabet, edge.label, text);
                steps.push((state + shift, label, edge.target + shift));
            }
        }
    }
    debug_assert_eq!(alphabet.text(TAU), "tau");
    let labels = alphabet.texts().into_iter().map(String::into_boxed_str).collect();
    (Explicit::new(first.initial(), states, labels, &steps), shift + second.initial())
}
