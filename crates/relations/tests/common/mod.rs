//! Random labelled transition systems.

use linchpin_lts::Explicit;

/// Random numbers that are the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (self.next() >> 33) as u32 % n
    }
}

/// The labels of random systems, in one of two orders: labels are matched by text.
pub(crate) fn alphabet(visible: u32, turned: bool) -> Vec<Box<str>> {
    let mut names: Vec<String> = (0..visible).map(|i| format!("a{i}")).collect();
    if turned {
        names.reverse();
    }
    std::iter::once("tau".to_string()).chain(names).map(String::into_boxed_str).collect()
}

/// A random system; `silent` of ten steps are silent.
pub(crate) fn system(
    random: &mut Random,
    states: u32,
    steps: u32,
    visible: u32,
    silent: u32,
) -> Explicit {
    let turned = random.below(2) == 1;
    let label = |random: &mut Random| match random.below(10) < silent {
        true => 0,
        false => 1 + random.below(visible),
    };
    let steps: Vec<(u32, u32, u32)> =
        (0..steps).map(|_| (random.below(states), label(random), random.below(states))).collect();
    Explicit::new(0, states, alphabet(visible, turned), &steps)
}

/// The same system with few changes, so that pairs are often related.
pub(crate) fn changed(random: &mut Random, lts: &Explicit, changes: u32) -> Explicit {
    let mut steps: Vec<(u32, u32, u32)> = Vec::new();
    for s in 0..lts.states() {
        steps.extend(lts.edges(s).iter().map(|e| (s, e.label, e.target)));
    }
    for _ in 0..changes {
        let label = random.below(lts.labels().len() as u32);
        let new = (random.below(lts.states()), label, random.below(lts.states()));
        match random.below(3) {
            0 => steps.push(new),
            _ if steps.is_empty() => {}
            1 => drop(steps.swap_remove(random.below(steps.len() as u32) as usize)),
            _ => {
                let at = random.below(steps.len() as u32) as usize;
                steps[at] = new;
            }
        }
    }
    Explicit::new(lts.initial(), lts.states(), lts.labels().to_vec(), &steps)
}
