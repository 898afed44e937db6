//! draft
#![allow(dead_code)]
pub mod boxed;
pub mod cell;
mod brute;
mod client;
mod explore;
pub mod hint;
mod judge;
mod runtime;
mod spec;
pub mod sync;
pub mod thread;
#[cfg(test)]
mod tests;
