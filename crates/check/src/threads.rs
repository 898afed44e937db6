//! An object under its clients as a labelled system: what calls, returns and waiting look like.
//!
//! Properties of infinite executions (progress, temporal logic) are decided on graphs of labelled
//! steps; this makes such a graph of a model. The label of a step is the call or return in it, if
//! there is one, with its thread and operation; all other steps are silent. Every step is `by` its
//! thread.
//!
//! **Reductions.** States are merged up to the names of heap nodes and of opaque values, which
//! is a strong bisimulation: an infinite path of merged states is an infinite execution, and a cycle
//! of them one that repeats itself up to names. Variables that are not needed any more are reset (the
//! same). Work on private memory, and reading what never changes, is part of the step before it: a thread does the same, in the same
//! order, in an equivalent execution, so whether it goes on for ever, and whether it returns, is the
//! same; long private work ends a step, so that an endless loop over private memory is a cycle. **Not
//! used:** interval tightening, which hides a thread that waits at the first access of its
//! operation; merging of threads, because a cycle must be about the same threads all the time; the
//! antichain, as there are no sets.

use std::io;

use linchpin_engine::Canonical;
use linchpin_lin::program::OpId;
use linchpin_lin::{Model, Scratch};
use linchpin_lts::{
    EventKind, Label, LabelledSystem, Liveness, Loading, Move, Outcome, Renumber, Same, Saving,
    TAU, TransitionSystem, Trouble,
};

use crate::reductions::Reductions;

/// What a label stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// Nothing that a client sees.
    Silent,
    /// A thread, from 0, calls an operation.
    Call(u32, OpId),
    /// Its operation returns.
    Return(u32, OpId),
    /// A thread waits: it tries again, in vain.
    Wait(u32),
    /// The model excludes what would come next.
    Excluded,
    /// The object goes wrong; the last state of an execution says how.
    Fault,
}

/// The first slot of a state says what it is.
const BEGIN: u32 = 0;
const STATE: u32 = 1;
const WRONG: u32 = 2;

/// The system of a model.
pub(crate) struct Threads<'m> {
    pub(crate) model: &'m Model,
    pub(crate) reductions: Reductions,
    mode: Mode,
    ops: u32,
}

/// What happens where nothing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A thread that waits tries again and again.
    Spin,
    /// A thread that waits does nothing. When all threads have finished or wait, silence goes on
    /// for ever.
    Rest,
}

/// What a worker needs.
pub(crate) struct Worker<'m> {
    scratch: Scratch,
    canonical: Canonical<'m>,
    slots: Vec<u32>,
    moved: Vec<bool>,
}

impl<'m> Threads<'m> {
    pub(crate) fn new(model: &'m Model, reductions: Reductions, mode: Mode) -> Self {
        let ops = model.object().unit.ops.len() as u32;
        Threads { model, reductions, mode, ops }
    }

    /// The reductions that keep what this is for.
    pub(crate) fn kept(reductions: Reductions) -> Reductions {
        Reductions {
            tighten: false,
            locks: false,
            once: false,
            reuse: false,
            threads: false,
            antichain: false,
            ..reductions
        }
    }

    fn number(&self, happening: Happening) -> Label {
        let threads = self.model.threads();
        match happening {
            Happening::Silent => TAU,
            Happening::Fault => 1,
            Happening::Excluded => 2,
            Happening::Wait(thread) => 3 + thread,
            Happening::Call(thread, op) => 3 + threads + thread * self.ops + op.0,
            Happening::Return(thread, op) => {
                3 + threads + threads * self.ops + thread * self.ops + op.0
            }
        }
    }

    /// What a label stands for.
    pub(crate) fn happening(&self, label: Label) -> Happening {
        let threads = self.model.threads();
        match label {
            TAU => Happening::Silent,
            1 => Happening::Fault,
            2 => Happening::Excluded,
            l if l < 3 + threads => Happening::Wait(l - 3),
            l => {
                let l = l - 3 - threads;
                let (thread, op) = (l / self.ops % threads, OpId(l % self.ops));
                match l < threads * self.ops {
                    true => Happening::Call(thread, op),
                    false => Happening::Return(thread, op),
                }
            }
        }
    }

    /// The state of the model, canonical; `None` at the beginning and after a fault.
    pub(crate) fn state(slots: &[u32]) -> Option<&[u32]> {
        match slots {
            [STATE, state @ ..] => Some(state),
            _ => None,
        }
    }

    /// The canonical form of a state of the model.
    pub(crate) fn canonical(&self, worker: &mut Worker<'m>, state: &[u32]) -> Vec<u32> {
        let mut slots = Vec::new();
        self.place(&mut worker.canonical, state, &mut slots);
        slots
    }

    fn place(&self, canonical: &mut Canonical<'m>, state: &[u32], slots: &mut Vec<u32>) {
        slots.clear();
        slots.push(STATE);
        match self.reductions.heap || self.reductions.data {
            false => slots.extend_from_slice(state),
            true => {
                slots.extend_from_slice(canonical.canonical(state, &[], &|_, _| true).0);
            }
        }
    }

    /// What a client sees of a step.
    pub(crate) fn seen(events: &linchpin_lts::Events) -> Happening {
        let seen = events.iter().find_map(|event| match event.kind {
            EventKind::Call => Some(Happening::Call(event.thread, OpId(event.op))),
            EventKind::Return => Some(Happening::Return(event.thread, OpId(event.op))),
            EventKind::Point => None,
        });
        seen.unwrap_or(Happening::Silent)
    }
}

impl<'m> LabelledSystem for Threads<'m> {
    type Scratch = Worker<'m>;

    fn scratch(&self) -> Worker<'m> {
        let merging = self.reductions.merging();
        Worker {
            scratch: self.model.scratch(),
            canonical: Canonical::new(self.model.layout(), merging),
            slots: Vec::new(),
            moved: Vec::new(),
        }
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, _: &mut Worker<'m>) -> Result<Vec<u32>, Trouble> {
        Ok(vec![BEGIN])
    }

    fn successors(
        &self,
        worker: &mut Worker<'m>,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        let Worker { scratch, canonical, slots, moved } = worker;
        let mut emit = |happening: Happening, by: &[u32], state: &[u32]| {
            emit(Move { label: self.number(happening), by, state });
        };
        let Some(current) = Self::state(state) else {
            if state[0] == BEGIN {
                self.model.initial(scratch, &mut |outcome| match outcome {
                    Outcome::Fault(kind) => emit(Happening::Fault, &[], &[WRONG, kind.number()]),
                    Outcome::Next { state, .. } => {
                        self.place(canonical, state, slots);
                        emit(Happening::Silent, &[], slots);
                    }
                });
            }
            return Ok(());
        };
        moved.clear();
        moved.resize(self.model.threads() as usize, false);
        let liveness = self.model.successors(scratch, current, &mut |step| {
            moved[step.thread as usize] = true;
            match step.outcome {
                Outcome::Fault(kind) => {
                    emit(Happening::Fault, &[step.thread], &[WRONG, kind.number()]);
                }
                Outcome::Next { state, events } => {
                    self.place(canonical, state, slots);
                    emit(Self::seen(events), &[step.thread], slots);
                }
            }
        });
        if self.mode == Mode::Rest {
            if !moved.contains(&true) {
                let happening = match liveness {
                    Liveness::Live => Happening::Excluded,
                    Liveness::Finished | Liveness::Deadlock => Happening::Silent,
                };
                emit(happening, &[], state);
            }
        } else {
            for thread in 0..self.model.threads() {
                if !moved[thread as usize] && self.model.waits(scratch, current, thread) {
                    emit(Happening::Wait(thread), &[thread], state);
                }
            }
        }
        Ok(())
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.model.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        self.model.load(from)?;
        Ok(Box::new(Same))
    }

    fn label(&self, label: Label) -> String {
        let name = |op: OpId| self.model.object().unit.op(op).name.clone();
        match self.happening(label) {
            Happening::Silent => "tau".into(),
            Happening::Fault => "fault".into(),
            Happening::Excluded => "excluded".into(),
            Happening::Wait(thread) => format!("T{}.wait", thread + 1),
            Happening::Call(thread, op) => format!("T{}.call.{}", thread + 1, name(op)),
            Happening::Return(thread, op) => format!("T{}.return.{}", thread + 1, name(op)),
        }
    }
}
