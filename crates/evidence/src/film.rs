//! An execution as a film: what memory looks like, and where every thread is, after each step.
//!
//! A state forgets a local variable as soon as nobody reads it again. Who watches wants to see it until its operation
//! returns, so the film remembers its last value and says that it is past.

use linchpin_lin::replay::Replay;
use linchpin_lin::{Files, Model};
use linchpin_lts::EventKind;

use crate::narrative::Location;
use crate::snapshot::{Cell, Snapshot, snapshot};

/// A moment of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Memory.
    pub snapshot: Snapshot,
    /// Per thread: the place it goes on from, unless it is outside of any operation.
    pub places: Vec<Option<Location>>,
}

/// The moment before the first step, then the moments after every step; nothing if the execution does
/// not come so far.
pub fn film(model: &Model, replay: &Replay, source: &Files) -> Vec<Frame> {
    // A fault in the initialisation: there is nothing to see.
    if replay.initial.is_empty() {
        return Vec::new();
    }
    let mut busy = vec![false; model.threads() as usize];
    let frame = |state: &[u32], busy: &[bool], known: &mut [Vec<Cell>]| {
        let places = (0..).zip(busy).map(|(thread, &busy)| {
            let (statement, expression) = model.position(state, thread).filter(|_| busy)?;
            Some(Location::of(source, statement, expression))
        });
        let mut snapshot = snapshot(model, state);
        for (locals, known) in snapshot.locals.iter_mut().zip(known) {
            remember(locals, known);
        }
        Frame { snapshot, places: places.collect() }
    };
    let mut known = vec![Vec::new(); busy.len()];
    let mut frames = vec![frame(&replay.initial, &busy, &mut known)];
    for step in &replay.steps {
        for event in &step.events {
            let thread = step.thread as usize;
            if event.kind != EventKind::Point && thread < busy.len() {
                busy[thread] = event.kind == EventKind::Call;
                known[thread].clear();
            }
        }
        frames.push(frame(&step.state, &busy, &mut known));
    }
    frames
}

/// Adds to the local variables of a thread those that it had before, in the order in which they came up.
fn remember(locals: &mut Vec<Cell>, known: &mut Vec<Cell>) {
    for cell in known.iter_mut() {
        match locals.iter().position(|l| l.name == cell.name) {
            Some(i) => *cell = locals.remove(i),
            None => cell.past = true,
        }
    }
    known.append(locals);
    locals.clone_from(known);
}
