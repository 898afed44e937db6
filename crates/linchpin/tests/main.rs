//! All tests of this crate from outside are one program.
#![allow(unsafe_code, reason = "lock-free structures are what is tested")]

mod book;
mod failures;
mod page;
mod structures;
