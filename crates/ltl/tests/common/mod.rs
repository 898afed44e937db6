//! What the random tests share: numbers, formulas, systems.

use linchpin_ltl::Formula;
use linchpin_lts::{Label, LabelledSystem, Move, Trouble};

/// A stream of numbers that depends on the seed only (xorshift).
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

/// A formula with about so many operators, over the atoms that `atom` makes.
pub(crate) fn formula(rng: &mut Rng, size: usize, atom: &dyn Fn(&mut Rng) -> Formula) -> Formula {
    if size == 0 {
        return match rng.below(20) {
            0 => Formula::True,
            1 => Formula::False,
            _ => atom(rng),
        };
    }
    let left = rng.below(size);
    let one = |rng: &mut Rng| formula(rng, size - 1, atom);
    match rng.below(12) {
        0 => one(rng).not(),
        1 => one(rng).next(),
        2 => one(rng).eventually(),
        3 => one(rng).always(),
        4 => one(rng).eventually().always(),
        operator => {
            let a = formula(rng, left, atom);
            let b = formula(rng, size - 1 - left, atom);
            match operator {
                5 => a.and(b),
                6 => a.or(b),
                7 => a.implies(b),
                8 => a.equals(b),
                9 => a.until(b),
                10 => a.release(b),
                _ => a.weak_until(b),
            }
        }
    }
}

/// An atom of a system: an event or one of two conditions.
pub(crate) fn atom(rng: &mut Rng) -> Formula {
    match rng.below(9) {
        0..3 => Formula::event("a"),
        3..5 => Formula::event("b"),
        5..7 => Formula::condition(0),
        7 => Formula::condition(1),
        _ => Formula::event("init"),
    }
}

/// A small system: steps by state (label, components, target). State `s` satisfies condition `c`
/// if bit `c` of `held[s]` is set.
#[derive(Debug)]
pub(crate) struct Small {
    pub(crate) steps: Vec<Vec<(Label, Vec<u32>, u32)>>,
    pub(crate) held: Vec<u32>,
}

impl Small {
    pub(crate) fn random(rng: &mut Rng, states: usize) -> Small {
        let sparse = rng.below(3);
        let steps = (0..states).map(|_| {
            let count = match sparse {
                0 => rng.below(3),
                1 => 1 + rng.below(2),
                _ => rng.below(5),
            };
            let step = |rng: &mut Rng| {
                let by = match rng.below(5) {
                    0..2 => vec![0],
                    2..4 => vec![1],
                    _ => vec![0, 1],
                };
                (rng.below(3) as Label, by, rng.below(states) as u32)
            };
            (0..count).map(|_| step(rng)).collect()
        });
        let steps = steps.collect();
        let held = (0..states).map(|_| rng.below(4) as u32).collect();
        Small { steps, held }
    }

    pub(crate) fn holds(&self, condition: u32, slots: &[u32]) -> Result<bool, Trouble> {
        Ok(self.held[slots[0] as usize] >> condition & 1 == 1)
    }
}

impl LabelledSystem for Small {
    type Scratch = ();

    fn scratch(&self) {}

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, (): &mut ()) -> Result<Vec<u32>, Trouble> {
        Ok(vec![0])
    }

    fn successors(
        &self,
        (): &mut (),
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        for (label, by, target) in &self.steps[state[0] as usize] {
            emit(Move { label: *label, by, state: &[*target] });
        }
        Ok(())
    }

    fn label(&self, label: Label) -> String {
        ["tau", "a", "b"][label as usize].into()
    }
}
