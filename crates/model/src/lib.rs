//! The intermediate program of Linchpin and the one interpreter of it.

pub mod program;
mod span;
mod value;

pub use span::Span;
pub use value::Value;
