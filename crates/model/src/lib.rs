//! The intermediate program of Linchpin and the one interpreter of it.

mod allocate;
mod code;
pub mod display;
mod facts;
mod flatten;
mod lower;
mod machine;
mod model;
mod ownership;
pub mod program;
pub mod replay;
pub mod specify;
mod value;
pub mod walk;

pub use facts::BrokenFact;
pub use linchpin_text::Span;
pub use lower::Unsupported;
pub use machine::Scratch;
pub use model::{Granularity, Model};
pub use value::Value;
