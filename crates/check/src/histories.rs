//! Histories by number, with the set of configurations each leads to.
//!
//! Histories share their beginnings, so they are a tree: a history is its parent and one more event.
//! Equal histories have equal numbers.
//!
//! Whether a history is linearizable is asked when its last event arrives and not at the end of the
//! execution: a history whose beginning has no linearization has none, and an execution that spins for
//! ever has no end.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(test)]
use linchpin_lts::EventKind;
use linchpin_lts::{Event, Events};
use linchpin_model::specify::SpecFault;
use rapidhash::quality::RandomState;
use smallvec::SmallVec;

use crate::configurations::{EMPTY, Memory, SetId};
use crate::product::Product;

/// A history, by number.
pub(crate) type HistoryId = u32;

/// The history without events.
pub(crate) const NOTHING: HistoryId = 0;

/// [`Event::head`], then arguments or result.
type Words = SmallVec<[u32; 8]>;

/// All histories met.
pub(crate) struct Histories {
    table: Mutex<Table>,
}

struct Table {
    children: HashMap<(HistoryId, Words), HistoryId, RandomState>,
    sets: Vec<SetId>,
    bytes: usize,
}

impl Histories {
    /// The empty history only, which leads to this set.
    pub(crate) fn new(initial: SetId) -> Self {
        let children = HashMap::with_hasher(RandomState::new());
        Histories { table: Mutex::new(Table { children, sets: vec![initial], bytes: 0 }) }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The set of configurations after a history; [`EMPTY`] if it is not linearizable.
    pub(crate) fn set(&self, history: HistoryId) -> SetId {
        self.lock().sets[history as usize]
    }

    /// The history with the events of a step; `None` if it is not linearizable.
    pub(crate) fn after(
        &self,
        product: &Product<'_>,
        memory: &mut Memory,
        mut history: HistoryId,
        events: &Events,
    ) -> Result<Option<HistoryId>, SpecFault> {
        for event in events.iter() {
            let set = product.configurations.after(memory, self.set(history), event)?;
            if set == EMPTY {
                return Ok(None);
            }
            history = self.lock().extend(history, words(event), set);
        }
        Ok(Some(history))
    }

    /// Estimate of the bytes used.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// The events of a history: return?, thread (from 0), operation, arguments or result.
    #[cfg(test)]
    pub(crate) fn events(&self, history: HistoryId) -> Vec<(bool, u32, u32, Vec<u32>)> {
        let table = self.lock();
        let mut events = Vec::new();
        let mut at = history;
        while let Some(((parent, words), _)) = table.children.iter().find(|(_, id)| **id == at) {
            let returns = words[0] & 3 == EventKind::Return as u32;
            events.push((returns, words[0] >> 2, words[1], words[2..].to_vec()));
            at = *parent;
        }
        events.reverse();
        events
    }
}

impl Table {
    fn extend(&mut self, history: HistoryId, event: Words, set: SetId) -> HistoryId {
        let next = self.sets.len() as HistoryId;
        let id = *self.children.entry((history, event)).or_insert(next);
        if id == next {
            self.sets.push(set);
            self.bytes += 72;
        }
        id
    }
}

fn words(event: Event<'_>) -> Words {
    let mut words = Words::from_slice(&event.head());
    words.extend_from_slice(event.values);
    words
}
