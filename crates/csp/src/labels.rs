//! Labels of steps and sets of them.
//!
//! A label is a text, numbered; the first is that of silent steps, the second that of termination.

use std::collections::HashMap;

use linchpin_lts::{Label, TAU};

/// The number of a set of labels.
pub(crate) type SetId = u32;

/// The label of termination.
pub(crate) const TICK: Label = 1;

/// The text of the label of termination.
pub const TICK_TEXT: &str = "terminate";

/// All labels and sets of labels.
pub(crate) struct Labels {
    texts: Vec<Box<str>>,
    map: HashMap<Box<str>, Label>,
    sets: Vec<Box<[Label]>>,
    set_ids: HashMap<Box<[Label]>, SetId>,
}

impl Labels {
    pub(crate) fn new() -> Self {
        let mut labels = Labels {
            texts: Vec::new(),
            map: HashMap::new(),
            sets: Vec::new(),
            set_ids: HashMap::new(),
        };
        let tau = labels.label("tau");
        let tick = labels.label(TICK_TEXT);
        debug_assert_eq!((tau, tick), (TAU, TICK));
        labels
    }

    /// The label of a text.
    pub(crate) fn label(&mut self, text: &str) -> Label {
        if let Some(&label) = self.map.get(text) {
            return label;
        }
        let label = self.texts.len() as Label;
        self.texts.push(text.into());
        self.map.insert(text.into(), label);
        label
    }

    /// The label of a text that some step may have.
    pub(crate) fn find(&self, text: &str) -> Option<Label> {
        self.map.get(text).copied()
    }

    pub(crate) fn text(&self, label: Label) -> &str {
        &self.texts[label as usize]
    }

    /// The number of a set.
    pub(crate) fn set(&mut self, mut labels: Vec<Label>) -> SetId {
        labels.sort_unstable();
        labels.dedup();
        let labels = labels.into_boxed_slice();
        if let Some(&id) = self.set_ids.get(&labels) {
            return id;
        }
        let id = self.sets.len() as SetId;
        self.sets.push(labels.clone());
        self.set_ids.insert(labels, id);
        id
    }

    /// How many sets there are.
    pub(crate) fn sets(&self) -> usize {
        self.sets.len()
    }

    /// The labels of a set, in order.
    pub(crate) fn members(&self, set: SetId) -> &[Label] {
        &self.sets[set as usize]
    }

    pub(crate) fn contains(&self, set: SetId, label: Label) -> bool {
        self.members(set).binary_search(&label).is_ok()
    }
}
