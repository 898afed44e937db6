//! The language server of Linchpin: what an editor wants to know about a model while it is written.
//!
//! [`serve`] speaks the protocol over a connection that somebody else made; nothing here reads files
//! or prints. One file per question; all of them read the same `document`s. Checks run on a thread of
//! their own (`runner`), so that typing never waits for a search.

mod actions;
mod assertion;
mod capabilities;
mod complete;
mod context;
mod decide;
mod diagnostics;
mod document;
mod format;
mod frames;
mod hover;
mod jobs;
mod language;
mod lens;
mod navigate;
mod position;
mod rename;
mod runner;
mod server;
mod symbols;
mod vocabulary;

use std::time::Duration;

pub use capabilities::{CANCEL, CHECK};
pub use frames::{Threads, connect};
pub use language::{Shelf, path_of};
pub use lsp_server::Connection;
pub use server::serve;

/// How checks that are asked for in the editor are run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// A check is given up after this time, unless the client asks for another one.
    pub time: Duration,
    /// A check is given up when so many bytes are in use.
    pub memory: Option<u64>,
    /// The bytes in use.
    pub used: fn() -> u64,
    /// Threads of the search.
    pub workers: usize,
    /// Finds what texts include and import.
    pub shelf: Shelf,
}

impl Default for Settings {
    /// A minute and one thread.
    fn default() -> Self {
        Settings {
            time: Duration::from_secs(60),
            memory: None,
            used: || 0,
            workers: 1,
            shelf: |_, _, _| Ok(None),
        }
    }
}
