//! An execution as a film: what memory looks like, and where every thread is, after each step.

use linchpin_lin::Model;
use linchpin_lin::replay::Replay;
use linchpin_lts::EventKind;

use crate::narrative::Location;
use crate::snapshot::{Snapshot, snapshot};

/// A moment of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Memory.
    pub snapshot: Snapshot,
    /// Per thread: the line it goes on from, unless it is outside of any operation.
    pub lines: Vec<Option<usize>>,
}

/// The moment before the first step, then the moments after every step; nothing if the execution does
/// not come so far.
pub fn film(model: &Model, replay: &Replay, source: &str) -> Vec<Frame> {
    // A fault in the initialisation: there is nothing to see.
    if replay.initial.is_empty() {
        return Vec::new();
    }
    let mut busy = vec![false; model.threads() as usize];
    let frame = |state: &[u32], busy: &[bool]| {
        let lines = (0..).zip(busy).map(|(thread, &busy)| {
            let (statement, expression) = model.position(state, thread).filter(|_| busy)?;
            Some(Location::of(source, statement, expression).line)
        });
        Frame { snapshot: snapshot(model, state), lines: lines.collect() }
    };
    let mut frames = vec![frame(&replay.initial, &busy)];
    for step in &replay.steps {
        for event in &step.events {
            if let Some(busy) = busy.get_mut(step.thread as usize) {
                *busy = event.kind == EventKind::Call;
            }
        }
        frames.push(frame(&step.state, &busy));
    }
    frames
}
