//! The intermediate program of Linchpin and the one interpreter of it.

pub mod display;
pub mod program;
mod span;
pub mod specify;
mod value;

pub use span::Span;
pub use value::Value;
