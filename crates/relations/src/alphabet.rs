//! Labels of several systems with one number for each text.
//!
//! Numbers are given first come, by several workers; nothing that can be seen depends on them.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use linchpin_lts::{Label, TAU};

/// The texts seen so far; silent steps are number [`TAU`] whatever they are called.
#[derive(Debug)]
pub(crate) struct Alphabet {
    table: RwLock<Texts>,
}

#[derive(Debug)]
struct Texts {
    numbers: HashMap<String, Label>,
    texts: Vec<String>,
}

impl Alphabet {
    /// Only the silent label.
    pub(crate) fn new() -> Self {
        let texts = Texts { numbers: HashMap::new(), texts: vec!["tau".to_string()] };
        Alphabet { table: RwLock::new(texts) }
    }

    /// The number of a text that is not that of silent steps.
    pub(crate) fn number(&self, text: String) -> Label {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let Texts { numbers, texts } = &mut *table;
        *numbers.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            (texts.len() - 1) as Label
        })
    }

    /// All texts, in the order of their numbers.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).texts.clone()
    }

    /// The text of a number.
    pub(crate) fn text(&self, label: Label) -> String {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.texts[label as usize].clone()
    }
}

const UNKNOWN: Label = Label::MAX;

/// The labels of one system in the common alphabet, as one worker knows them.
#[derive(Debug, Default)]
pub(crate) struct Side {
    common: Vec<Label>,
}

impl Side {
    /// The common number of a label of this system.
    #[inline]
    pub(crate) fn common(
        &mut self,
        alphabet: &Alphabet,
        label: Label,
        text: impl FnOnce() -> String,
    ) -> Label {
        if label == TAU {
            return TAU;
        }
        let at = label as usize;
        if at >= self.common.len() {
            self.common.resize(at + 1, UNKNOWN);
        }
        if self.common[at] == UNKNOWN {
            self.common[at] = alphabet.number(text());
        }
        self.common[at]
    }
}
