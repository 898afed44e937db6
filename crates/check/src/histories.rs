//! Histories by number, with the set of configurations each leads to.
//!
//! Histories share their beginnings, so they are a tree: a history is its parent and one more event.
//! Equal histories have equal numbers.
//!
//! Whether a history is linearizable is asked when its last event arrives and not at the end of the
//! execution: a history whose beginning has no linearization has none, and an execution that spins for
//! ever has no end.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;

use linchpin_engine::Arena;
#[cfg(test)]
use linchpin_lts::EventKind;
use linchpin_lts::{Events, Loading, NewNumbers, Saving, damaged};
use smallvec::SmallVec;

use crate::configurations::{EMPTY, Memory, SetId, words};
use crate::product::Product;

/// A history, by number.
pub(crate) type HistoryId = u32;

/// The history without events.
pub(crate) const NOTHING: HistoryId = 0;

/// All histories met.
pub(crate) struct Histories {
    /// Where the empty history leads to.
    initial: SetId,
    /// The set a history leads to, its parent, and the words of its last event.
    all: Arena,
}

impl Histories {
    /// The empty history only, which leads to this set.
    pub(crate) fn new(initial: SetId) -> Self {
        Histories { initial, all: Arena::new() }
    }

    fn get(&self, history: HistoryId) -> Vec<u32> {
        let mut words = Vec::new();
        self.all.read(history, &mut words);
        words
    }

    /// Writes all histories down, for another run.
    pub(crate) fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.all.save(out)
    }

    /// Reads that; says what the histories are called here. `sets` are what sets are called here.
    pub(crate) fn load(&self, sets: &NewNumbers, from: &mut Loading<'_>) -> io::Result<NewNumbers> {
        // The parent of a history may come after it.
        type Written = (Vec<HistoryId>, HashMap<HistoryId, Vec<u32>>);
        let written: RefCell<Written> = RefCell::default();
        let read = |number, words: Vec<u32>| match words.len() < 2 {
            true => Err(damaged("a history without an event")),
            false => {
                let mut written = written.borrow_mut();
                written.0.push(number);
                written.1.insert(number, words);
                Ok(NOTHING)
            }
        };
        Arena::load_and_settle(from, read, |new| {
            let (order, mut written) = written.take();
            let mut way = Vec::new();
            for history in order {
                let mut at = history;
                while let Some(words) = written.get(&at) {
                    if way.len() > written.len() {
                        return Err(damaged("a history before itself"));
                    }
                    way.push(at);
                    at = words[1];
                }
                while let Some(next) = way.pop() {
                    let mut words = written.remove(&next).unwrap_or_default();
                    (words[0], words[1]) = (sets.get(words[0])?, new.get(words[1])?);
                    new.0[next as usize] = self.all.intern(&words);
                }
            }
            Ok(())
        })
    }

    /// The set of configurations after a history; [`EMPTY`] if it is not linearizable.
    pub(crate) fn set(&self, history: HistoryId) -> SetId {
        self.get(history).first().copied().unwrap_or(self.initial)
    }

    /// The history with the events of a step, and whether the specification goes wrong on it; `None` if it is
    /// not linearizable.
    pub(crate) fn after(
        &self,
        product: &Product<'_>,
        memory: &mut Memory,
        mut history: HistoryId,
        events: &Events,
    ) -> Option<(HistoryId, bool)> {
        let mut wrong = false;
        for event in events.iter() {
            let (set, goes_wrong) = product.configurations.after(memory, self.set(history), event);
            if set == EMPTY {
                return None;
            }
            wrong |= goes_wrong;
            let mut entry: SmallVec<[u32; 16]> = SmallVec::from_slice(&[set, history]);
            entry.extend(words(event));
            history = self.all.intern(&entry);
        }
        Some((history, wrong))
    }

    /// The events of a history: return?, thread (from 0), operation, arguments or result.
    #[cfg(test)]
    pub(crate) fn events(&self, history: HistoryId) -> Vec<(bool, u32, u32, Vec<u32>)> {
        let mut events = Vec::new();
        let mut at = history;
        while let [_, parent, head, op, values @ ..] = &self.get(at)[..] {
            let returns = head & 3 == EventKind::Return as u32;
            events.push((returns, head >> 2, *op, values.to_vec()));
            at = *parent;
        }
        events.reverse();
        events
    }
}
