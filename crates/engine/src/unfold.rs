//! A labelled system unfolded on demand: states become numbers, steps are computed once.
//!
//! What walks over a system in an order of its own (refinement, accepting cycles, generation of the
//! whole system) walks over this. States are kept packed one after the other and found by an
//! open-addressing table of their numbers; the steps of a state lie together.

use linchpin_lts::{Label, LabelledSystem, Trouble};

use crate::pack::{pack, unpack};
use crate::store::hash;

/// A step of an unfolded system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfolded {
    /// What an observer sees.
    pub label: Label,
    /// The components that move: a number for [`Unfolding::group`].
    pub group: u32,
    /// Where it leads.
    pub target: u32,
}

const EMPTY: u32 = u32::MAX;

/// A system and the part of it that has been looked at.
pub struct Unfolding<'s, S: LabelledSystem> {
    system: &'s S,
    scratch: S::Scratch,
    /// Packed states; those of state `i` from `starts[i]` to `starts[i + 1]`.
    bytes: Vec<u8>,
    starts: Vec<usize>,
    /// Numbers of states, by their hashes.
    table: Vec<u32>,
    /// Where the steps of a state begin and how many there are, if they are known.
    known: Vec<(usize, u32)>,
    steps: Vec<Unfolded>,
    groups: Vec<Box<[u32]>>,
    words: Vec<u32>,
    key: Vec<u8>,
}

const UNKNOWN: (usize, u32) = (usize::MAX, 0);

impl<'s, S: LabelledSystem> Unfolding<'s, S> {
    /// Nothing of the system yet.
    pub fn new(system: &'s S) -> Self {
        Unfolding {
            system,
            scratch: system.scratch(),
            bytes: Vec::new(),
            starts: vec![0],
            table: vec![EMPTY; 1 << 10],
            known: Vec::new(),
            steps: Vec::new(),
            groups: Vec::new(),
            words: Vec::new(),
            key: Vec::new(),
        }
    }

    /// The system.
    pub fn system(&self) -> &'s S {
        self.system
    }

    /// The number of the initial state.
    pub fn initial(&mut self) -> Result<u32, Trouble> {
        let state = self.system.initial(&mut self.scratch)?;
        let Self { bytes, starts, table, known, key, .. } = self;
        Ok(enter(bytes, starts, table, known, key, &state))
    }

    /// The steps of a state, in the order of the system.
    pub fn steps(&mut self, state: u32) -> Result<&[Unfolded], Trouble> {
        if self.known[state as usize] == UNKNOWN {
            let from = self.steps.len();
            let mut words = std::mem::take(&mut self.words);
            self.read(state, &mut words);
            let Self { system, scratch, bytes, starts, table, known, steps, groups, key, .. } =
                self;
            let result = system.successors(scratch, &words, &mut |m| {
                let target = enter(bytes, starts, table, known, key, m.state);
                let group = match groups.iter().rposition(|g| **g == *m.by) {
                    Some(group) => group,
                    None => {
                        groups.push(m.by.into());
                        groups.len() - 1
                    }
                };
                steps.push(Unfolded { label: m.label, group: group as u32, target });
            });
            self.words = words;
            if let Err(trouble) = result {
                self.steps.truncate(from);
                return Err(trouble);
            }
            self.known[state as usize] = (from, (self.steps.len() - from) as u32);
        }
        let (from, count) = self.known[state as usize];
        Ok(&self.steps[from..from + count as usize])
    }

    /// The components that move together in a step.
    pub fn group(&self, group: u32) -> &[u32] {
        &self.groups[group as usize]
    }

    /// How many states have been seen.
    pub fn states(&self) -> u32 {
        self.known.len() as u32
    }

    /// How many steps have been computed.
    pub fn transitions(&self) -> usize {
        self.steps.len()
    }

    /// The slots of a state.
    pub fn read(&self, state: u32, words: &mut Vec<u32>) {
        let state = state as usize;
        unpack(&self.bytes[self.starts[state]..self.starts[state + 1]], words);
    }

    /// Bytes allocated.
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
            + self.starts.capacity() * 8
            + self.table.capacity() * 4
            + self.known.capacity() * 16
            + self.steps.capacity() * size_of::<Unfolded>()
    }
}

/// The number of a state, a new one if it is new.
fn enter(
    bytes: &mut Vec<u8>,
    starts: &mut Vec<usize>,
    table: &mut Vec<u32>,
    known: &mut Vec<(usize, u32)>,
    key: &mut Vec<u8>,
    state: &[u32],
) -> u32 {
    key.clear();
    pack(state, key);
    if known.len() * 2 >= table.len() {
        let mut wider = vec![EMPTY; table.len() * 2];
        for i in 0..known.len() {
            let place = find(&wider, hash(&bytes[starts[i]..starts[i + 1]]), |_| false);
            wider[place] = i as u32;
        }
        *table = wider;
    }
    let same = |i: u32| bytes[starts[i as usize]..starts[i as usize + 1]] == **key;
    let place = find(table, hash(key), same);
    if table[place] == EMPTY {
        table[place] = u32::try_from(known.len()).expect("fewer states than numbers");
        bytes.extend_from_slice(key);
        starts.push(bytes.len());
        known.push(UNKNOWN);
    }
    table[place]
}

/// The place of the entry with this hash that is the same, or the free one where it belongs.
fn find(table: &[u32], hash: u64, same: impl Fn(u32) -> bool) -> usize {
    let mask = table.len() - 1;
    let mut place = hash as usize & mask;
    while table[place] != EMPTY && !same(table[place]) {
        place = (place + 1) & mask;
    }
    place
}

#[cfg(test)]
mod tests {
    use linchpin_lts::{Move, TAU};

    use super::*;

    /// Two counters that go round; the second moves with a label.
    struct Counters(u32);

    impl LabelledSystem for Counters {
        type Scratch = ();

        fn scratch(&self) {}

        fn width(&self) -> usize {
            2
        }

        fn initial(&self, (): &mut ()) -> Result<Vec<u32>, Trouble> {
            Ok(vec![0, 0])
        }

        fn successors(
            &self,
            (): &mut (),
            state: &[u32],
            emit: &mut dyn FnMut(Move<'_>),
        ) -> Result<(), Trouble> {
            if state[0] == 70_000 {
                return Err(Trouble { message: "too far".into(), at: None });
            }
            let next = |i: usize| {
                let mut state = [state[0], state[1]];
                state[i] = (state[i] + 1) % self.0;
                state
            };
            emit(Move { label: TAU, by: &[0], state: &next(0) });
            emit(Move { label: 1 + state[1] % 2, by: &[1], state: &next(1) });
            Ok(())
        }

        fn label(&self, label: Label) -> String {
            ["tau", "even", "odd"][label as usize].into()
        }
    }

    #[test]
    fn every_state_gets_one_number() {
        let system = Counters(60);
        let mut graph = Unfolding::new(&system);
        let mut next = graph.initial().unwrap();
        while next < graph.states() {
            let steps = graph.steps(next).unwrap().to_vec();
            assert_eq!(steps.len(), 2);
            let mut words = Vec::new();
            graph.read(next, &mut words);
            assert_eq!(steps[1].label, 1 + words[1] % 2);
            assert_eq!(graph.group(steps[1].group), [1]);
            let mut after = Vec::new();
            graph.read(steps[0].target, &mut after);
            assert_eq!(after, [(words[0] + 1) % 60, words[1]]);
            next += 1;
        }
        assert_eq!((graph.states(), graph.transitions()), (3_600, 7_200));
    }

    #[test]
    fn trouble_is_passed_on_and_leaves_nothing_half_done() {
        let system = Counters(u32::MAX);
        let mut graph = Unfolding::new(&system);
        let mut state = graph.initial().unwrap();
        let trouble = loop {
            match graph.steps(state) {
                Ok(steps) => state = steps[0].target,
                Err(trouble) => break trouble,
            }
        };
        assert_eq!(trouble.message, "too far");
        let before = graph.transitions();
        assert!(graph.steps(state).is_err());
        assert_eq!(graph.transitions(), before);
    }
}
