//! Processes that search together: how they find each other, whom they trust, and how they hand things over.
//!
//! * `hosts`: where the processes are;
//! * `secret`: what they have to know to belong together;
//! * `meeting`: every two of them connect, and each shows that it knows the secret and asks the same question;
//! * `wire`: a connection on which nothing is believed that was not sent by the other one;
//! * `link`: what everybody has for everybody, by timely dataflow.
//!
//! What arrives is numbers, states and descriptions of things, read as `linchpin_lts::numbers` reads them: nothing that was
//! received is ever executed. It is not encrypted: whoever can listen on the network can read it.

mod hosts;
mod link;
mod meeting;
mod secret;
mod wire;

pub use hosts::Hosts;
pub use link::Link;
pub use meeting::{Introduction, meet};
pub use secret::Secret;
pub use wire::{Trouble, Wire};
