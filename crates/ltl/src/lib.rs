//! Linear temporal logic: formulas over events and conditions, and whether the executions of a
//! system satisfy them.
//!
//! Suggested reading order: [`Formula`] (what can be said), [`parse`](parse()) (how it is written),
//! [`holds_on_lasso`] (what it means), [`translate`](translate()) (from formulas to automata),
//! [`Atoms`] (what is checked), [`Fairness`] (which executions count), [`check`](check()) (the
//! answer), [`Lasso`] (a violation), [`confirm`](confirm()) (its judge).
//!
//! **What PAT does.** Formulas over events and conditions are read as PAT reads them: position 0 is
//! the initial state, reached by the event `init`; a position is a state and the event that led to
//! it; silent steps are positions without event. Where an execution ends, terminated or deadlocked,
//! PAT looks at the state of the automaton after the last position; for formulas without `X` this is
//! the same as repeating the last position, event included, which is what happens here. Silent
//! events need not be treated fairly.

mod accepting;
mod atoms;
mod automaton;
mod check;
mod component;
mod confirm;
mod fairness;
mod lasso;
mod product;
mod silence;
mod translate;

pub use atoms::{Atoms, Texts};
pub use automaton::{Automaton, Letter, Transition};
pub use check::{Answer, check, is_safety};
pub use confirm::confirm;
pub use fairness::Fairness;
pub use lasso::{Lasso, Tail};
pub use linchpin_formula::{
    Atom, Formula, ParseError, Precedence, Resolve, holds_on_lasso, normal_form, parse,
    violated_by_prefix,
};
pub use silence::{Silence, silence};
pub use translate::{TooLarge, translate};
