//! All tests of this crate are one program, which is linked once.

mod editors;
#[path = "protocol/main.rs"]
mod protocol;
