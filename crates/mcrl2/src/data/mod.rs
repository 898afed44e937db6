//! Data: values, each once, and the evaluation of expressions.

mod bounds;
mod equal;
mod eval;
mod natives;
mod show;
mod store;

pub(crate) use eval::{Machine, Stop};
pub(crate) use store::{FALSE, Node, Store, TRUE, UNBOUND, Value, renumbered};
