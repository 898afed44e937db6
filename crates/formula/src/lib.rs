//! Formulas of linear temporal logic: what can be said about executions, how it is written, and what
//! it means.
//!
//! Suggested reading order: [`Formula`] (what can be said), [`parse`](parse()) (how it is written),
//! [`holds_on_lasso`] (what it means). Nothing here knows automata or searches, so that whoever judges
//! what they find can use it.

mod formula;
mod parse;
mod simplify;
mod word;

pub use formula::{Atom, Formula};
pub use parse::{ParseError, Precedence, Resolve, parse};
pub use simplify::{is_guarantee, normal_form};
pub use word::{holds_on_lasso, violated_by_prefix};
