//! draft
#![allow(dead_code)]
pub mod boxed;
pub mod cell;
mod explore;
pub mod hint;
mod runtime;
pub mod sync;
pub mod thread;
#[cfg(test)]
mod tests;
