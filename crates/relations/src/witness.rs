//! What shows that an implementation does something its specification does not allow.

use linchpin_lts::Label;

/// One step of the implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessStep {
    /// The label, as the implementation numbers it.
    pub label: Label,
    /// Its text.
    pub text: String,
    /// The components that move.
    pub by: Vec<u32>,
    /// The slots of the state it leads to.
    pub state: Vec<u32>,
    /// How the state it leads to was renamed to get that, where states stand for others; 0 if it was not.
    pub renaming: u32,
}

/// A path of the implementation, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The slots of the initial state.
    pub initial: Vec<u32>,
    /// The steps, silent ones as well.
    pub steps: Vec<WitnessStep>,
    /// What is wrong.
    pub reason: Reason,
}

/// What the specification does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The last step: after what comes before it, the specification can only do what is `allowed`
    /// (sorted; nothing, if it is empty).
    Event {
        /// The texts of the labels the specification can go on with.
        allowed: Vec<String>,
    },
    /// The state in which the path ends: it does nothing by itself and offers too little.
    Refusal {
        /// The texts of all labels the implementation offers in its last state, sorted.
        offered: Vec<String>,
        /// What the specification insists on: when it has come to rest after this trace, it offers
        /// everything in one of these sets. Without any, it never comes to rest.
        accepted: Vec<Vec<String>>,
    },
    /// The end of the path, which can be repeated forever; the specification always comes to rest
    /// after what is visible of it.
    Divergence {
        /// Where the repeated part begins: the index of its first step.
        cycle: usize,
    },
}

impl Witness {
    /// The visible labels of the path, in order.
    pub fn trace(&self) -> impl Iterator<Item = &str> {
        let visible = self.steps.iter().filter(|s| s.label != linchpin_lts::TAU);
        visible.map(|s| s.text.as_str())
    }
}
