//! Frames: where a component is. Each is stored once, so that a component is one slot of a state.
//!
//! A frame has a place in a process body, the values of the variables that matter there, and the
//! frame to go on with when the place terminates. Calls are unfolded and their arguments evaluated
//! when a frame is entered, so that `a . P(1 + 1)` and `b . P(2)` lead to the same frame; so are the
//! arguments of an action; and a condition directly after an action is decided together with the
//! action. mCRL2's lineariser does all three, and so our states are its states.

use std::hash::Hasher;
use std::io;

use linchpin_lts::{Content, Interned, Loading, NewNumbers, Saving};
use serde::{Deserialize, Serialize};

use crate::code::{TermId, TermKind};
use crate::data::{FALSE, Machine, Stop, Store, TRUE, UNBOUND, Value, renumbered};

/// The number of a frame.
pub(crate) type FrameId = u32;

/// The component has terminated.
pub(crate) const DONE: FrameId = 0;
/// The whole network has terminated, and said so.
pub(crate) const STOPPED: FrameId = 1;

/// How many calls may be unfolded without an action in between.
const MAX_CALLS: u32 = 500;

/// Where a component is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Frame {
    pub(crate) term: TermId,
    /// The values of the free variables of the term, in order.
    pub(crate) values: Box<[Value]>,
    pub(crate) next: FrameId,
}

/// How a place is entered.
#[derive(Clone, Copy)]
struct Way {
    /// Calls on the way.
    calls: u32,
    /// Directly after an action?
    acted: bool,
}

/// All frames.
#[derive(Debug)]
pub(crate) struct Frames(Interned<Frame>);

impl Default for Frames {
    fn default() -> Self {
        let frames = Frames(Interned::default());
        for id in [DONE, STOPPED] {
            let nowhere = Frame { term: TermId::MAX, values: [].into(), next: id };
            let known = frames.0.intern(id.into(), nowhere);
            debug_assert_eq!(known, id);
        }
        frames
    }
}

impl Frames {
    pub(crate) fn get(&self, frame: FrameId) -> &Frame {
        self.0.get(frame)
    }

    /// The content hash of a frame.
    #[inline]
    pub(crate) fn hash(&self, frame: FrameId) -> u64 {
        self.0.hash(frame)
    }

    fn intern(&self, machine: &Machine, frame: Frame) -> FrameId {
        self.number(&machine.store, frame)
    }

    fn number(&self, store: &Store, frame: Frame) -> FrameId {
        let mut content = Content::default();
        content.add(frame.term.into());
        frame.values.iter().for_each(|&v| content.add(store.hash(v)));
        content.add(self.hash(frame.next));
        self.0.intern(content.finish(), frame)
    }

    /// Writes all frames down, for another run.
    pub(crate) fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        out.things(self.0.iter())
    }

    /// Reads the frames of another run; says what they are called here. `values` are what values are called here.
    pub(crate) fn load(
        &self,
        store: &Store,
        values: &NewNumbers,
        from: &mut Loading<'_>,
    ) -> io::Result<NewNumbers> {
        from.things(|mut frame: Frame, new| {
            // The first two are nowhere.
            if let id @ (DONE | STOPPED) = new.0.len() as FrameId {
                return Ok(id);
            }
            for value in &mut frame.values {
                *value = renumbered(*value, values)?;
            }
            frame.next = new.get(frame.next)?;
            Ok(self.number(store, frame))
        })
    }

    /// The frame at the beginning of a term. If an action has just been done, conditions are
    /// decided at once.
    pub(crate) fn enter(
        &self,
        machine: &mut Machine,
        term: TermId,
        env: &mut [Value],
        next: FrameId,
        acted: bool,
    ) -> Result<FrameId, Stop> {
        self.unfold(machine, term, env, next, Way { calls: 0, acted })
    }

    fn unfold(
        &self,
        machine: &mut Machine,
        term: TermId,
        env: &mut [Value],
        next: FrameId,
        way: Way,
    ) -> Result<FrameId, Stop> {
        let spec = std::sync::Arc::clone(&machine.spec);
        let t = &spec.terms[term as usize];
        match &t.kind {
            TermKind::Sequence(a, b) => {
                let next = self.unfold(machine, *b, env, next, Way { acted: false, ..way })?;
                self.unfold(machine, *a, env, next, way)
            }
            TermKind::Call(process, arguments) => {
                if way.calls >= MAX_CALLS {
                    return Err(unguarded(machine, term));
                }
                let mut inner = vec![UNBOUND; spec.size(*process)];
                for (slot, argument) in inner.iter_mut().zip(arguments) {
                    *slot = machine.eval(argument, env)?;
                }
                let body = spec.processes[*process as usize].body;
                let kind = &spec.terms[body as usize].kind;
                match kind {
                    // A sequence is entered when it is reached: it may end with the same call.
                    TermKind::Sequence(..) => Ok(self.here(machine, body, &inner, next)),
                    _ => {
                        let way = Way { calls: way.calls + 1, acted: false };
                        self.unfold(machine, body, &mut inner, next, way)
                    }
                }
            }
            TermKind::Condition(code, then, otherwise) if way.acted => {
                match (machine.eval(code, env)?, otherwise) {
                    (TRUE, _) => self.unfold(machine, *then, env, next, way),
                    (FALSE, Some(otherwise)) => self.unfold(machine, *otherwise, env, next, way),
                    _ => Ok(self.here(machine, term, env, next)),
                }
            }
            TermKind::Delta => {
                Ok(self.intern(machine, Frame { term, values: [].into(), next: DONE }))
            }
            TermKind::Act(list, plain) => {
                let mut values = Vec::new();
                for argument in list.iter().flat_map(|p| &p.arguments) {
                    values.push(machine.eval(argument, env)?);
                }
                Ok(self.intern(machine, Frame { term: *plain, values: values.into(), next }))
            }
            _ => Ok(self.here(machine, term, env, next)),
        }
    }

    fn here(&self, machine: &Machine, term: TermId, env: &[Value], next: FrameId) -> FrameId {
        let free = &machine.spec.terms[term as usize].free;
        let values = free.iter().map(|slot| env[*slot as usize]).collect();
        self.intern(machine, Frame { term, values, next })
    }
}

/// A process that calls itself without doing anything.
pub(super) fn unguarded(machine: &Machine, term: TermId) -> Stop {
    let span = machine.spec.terms[term as usize].span;
    let message = format!("more than {MAX_CALLS} calls of processes without an action in between");
    Machine::trouble(Some(span), message)
}

pub(super) const CALLS: u32 = MAX_CALLS;
