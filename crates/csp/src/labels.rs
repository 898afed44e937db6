//! Labels of steps and sets of them.
//!
//! A label is a text, numbered; the first is that of silent steps, the second that of termination.

use linchpin_lts::{Content, Interned, Label, TAU};

/// The number of a set of labels.
pub(crate) type SetId = u32;

/// The label of termination.
pub(crate) const TICK: Label = 1;

/// The text of the label of termination.
pub const TICK_TEXT: &str = "terminate";

/// All labels and sets of labels.
pub(crate) struct Labels {
    texts: Interned<Box<str>>,
    /// The labels of each set, by number.
    sets: Interned<Box<[Label]>>,
}

impl Labels {
    pub(crate) fn new() -> Self {
        let labels = Labels { texts: Interned::default(), sets: Interned::default() };
        let tau = labels.label("tau");
        let tick = labels.label(TICK_TEXT);
        debug_assert_eq!((tau, tick), (TAU, TICK));
        labels
    }

    /// The label of a text.
    pub(crate) fn label(&self, text: &str) -> Label {
        self.find(text).unwrap_or_else(|| self.texts.intern(Content::of(text), text.into()))
    }

    /// The label of a text that some step may have.
    pub(crate) fn find(&self, text: &str) -> Option<Label> {
        self.texts.find(Content::of(text), |known| **known == *text)
    }

    pub(crate) fn text(&self, label: Label) -> &str {
        self.texts.get(label)
    }

    /// The number of a set.
    pub(crate) fn set(&self, mut labels: Vec<Label>) -> SetId {
        labels.sort_unstable();
        labels.dedup();
        // Whatever the numbers and with them the order.
        let sum = labels.iter().fold(0_u64, |sum, &l| sum.wrapping_add(self.texts.hash(l)));
        self.sets.intern(Content::of(sum), labels.into())
    }

    /// All texts and all sets, in the order of their numbers.
    pub(crate) fn all(
        &self,
    ) -> (impl ExactSizeIterator<Item = &Box<str>>, impl ExactSizeIterator<Item = &Box<[Label]>>)
    {
        (self.texts.iter(), self.sets.iter())
    }

    /// The content hash of a set.
    pub(crate) fn set_hash(&self, set: SetId) -> u64 {
        self.sets.hash(set)
    }

    /// The labels of a set.
    pub(crate) fn members(&self, set: SetId) -> &[Label] {
        self.sets.get(set)
    }

    /// Puts labels in the order of their texts, which is the same in every run.
    pub(crate) fn sort(&self, labels: &mut [Label]) {
        labels.sort_by(|&a, &b| self.text(a).cmp(self.text(b)));
    }

    pub(crate) fn contains(&self, set: SetId, label: Label) -> bool {
        self.members(set).binary_search(&label).is_ok()
    }
}
