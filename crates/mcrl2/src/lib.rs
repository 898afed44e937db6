//! The mCRL2 front end of Linchpin: text to a labelled system, or diagnostics.
//!
//! The way of a specification: `parse` (text to a tree), `check` (names and sorts), `net` (parallel
//! components and what they do together), `data` (values and their functions), `system` (the whole
//! as a [`linchpin_lts::LabelledSystem`]). The transition system is, up to strong bisimulation, that
//! of mCRL2's `lps2lts`.

mod ast;
mod atomic;
mod builtin;
mod check;
mod clients;
mod code;
mod data;
mod lexer;
mod names;
mod net;
mod parse;
mod report;
mod sorts;
mod system;

use std::sync::Arc;

use linchpin_lts::Watch;
use linchpin_text::Diagnostic;

pub use atomic::Events;
pub use clients::with_clients;
pub use names::names;
pub use system::{Scratch, System};

/// A specification that has been read and checked.
#[derive(Clone, Debug)]
pub struct Specification {
    spec: check::Spec,
}

impl Specification {
    /// Reads a specification.
    pub fn read(text: &str) -> Result<Specification, Vec<Diagnostic>> {
        let tree = parse::parse(text)?;
        Ok(Specification { spec: check::check(text, &tree)? })
    }

    /// The actions that are invocations and responses by their names: `Call...` and `Return...`.
    pub fn events(&self) -> Events {
        let named = |prefix: &str| {
            let names = self.spec.actions.iter().map(|a| a.name.clone());
            let mut names: Vec<String> = names.filter(|n| n.starts_with(prefix)).collect();
            names.dedup();
            names
        };
        Events { calls: named("Call"), returns: named("Return") }
    }

    /// The system it describes.
    pub fn system(&self) -> Result<System, Box<Diagnostic>> {
        self.system_until(&Watch::NEVER)
    }

    /// The same, with steps that may be stopped while they are computed.
    pub fn system_until(&self, watch: &Watch) -> Result<System, Box<Diagnostic>> {
        System::new(Arc::new(self.spec.clone()), None, watch)
    }

    /// The same with everything between an invocation and its response atomic.
    pub fn atomic(&self, events: &Events) -> Result<System, Box<Diagnostic>> {
        self.atomic_until(events, &Watch::NEVER)
    }

    /// The same, with steps that may be stopped while they are computed.
    pub fn atomic_until(&self, events: &Events, watch: &Watch) -> Result<System, Box<Diagnostic>> {
        let mut spec = self.spec.clone();
        let atomic = atomic::make_atomic(&mut spec, events)?;
        System::new(Arc::new(spec), Some(&atomic), watch)
    }
}

/// Reads a specification and gives the system it describes.
pub fn load(text: &str) -> Result<System, Vec<Diagnostic>> {
    Specification::read(text)?.system().map_err(|problem| vec![*problem])
}
