//! Labels of several systems with one number for each text.

use std::collections::HashMap;

use linchpin_lts::{Label, TAU};

/// The texts seen so far; silent steps are number [`TAU`] whatever they are called.
#[derive(Debug)]
pub(crate) struct Alphabet {
    numbers: HashMap<String, Label>,
    texts: Vec<String>,
}

impl Alphabet {
    /// Only the silent label.
    pub(crate) fn new() -> Self {
        Alphabet { numbers: HashMap::new(), texts: vec!["tau".to_string()] }
    }

    /// The number of a text that is not that of silent steps.
    pub(crate) fn number(&mut self, text: String) -> Label {
        let texts = &mut self.texts;
        *self.numbers.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            (texts.len() - 1) as Label
        })
    }

    /// All texts, in the order of their numbers.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// The text of a number.
    pub(crate) fn text(&self, label: Label) -> &str {
        &self.texts[label as usize]
    }
}

const UNKNOWN: Label = Label::MAX;

/// The labels of one system in the common alphabet.
#[derive(Debug, Default)]
pub(crate) struct Side {
    common: Vec<Label>,
}

impl Side {
    /// The common number of a label of this system.
    #[inline]
    pub(crate) fn common(
        &mut self,
        alphabet: &mut Alphabet,
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
