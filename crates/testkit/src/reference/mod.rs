//! The reference interpreter: the semantics of the language, executed as literally as possible.
//!
//! It works on the typed tree and on tree values and shares nothing with the interpreter of the
//! checker. Every shared access is a step of its own, also to memory that nobody else can reach;
//! calls and returns are steps; nothing is renumbered, merged or reduced. Its decisions where the
//! language leaves room:
//!
//! * Local work follows the access (or call) before it, up to the next access. A false `assume`
//!   in it therefore takes back that access or call. (In a script it comes after the return, which
//!   is not taken back.)
//! * A fault in local work is also seen "later": the other threads can go on with the effect of the
//!   access before it.
//! * A range is checked when a value is stored in a variable, field or parameter and when it is
//!   returned, and when it is the new value of a primitive, before the access; not while it is only
//!   an operand.
//! * Which variables a thread still needs, and so which records count for the bound on the heap, is
//!   known only from both sides: see [`Counting`].
//! * `new` of a reused record counts as a write to all its fields for `sc`.
//! * A point happens with the access or call that its local work follows.
//! * A thread has one link for each shape of place, and `sc` ends it even if it is to another place.
//! * An access or atomic block is tried with every choice inside it, and happens if one of them gets
//!   through. What `assume` or the heap limit forbids is not one of them; if some are left and all of
//!   them wait, the thread is stuck. If none is left, it is not: that is no deadlock.
//! * Local work, or an atomic block, that comes back to where it was goes on for ever: a fault.

mod ahead;
mod alone;
mod collection;
mod expression;
mod memory;
mod run;
mod thread;

use linchpin_lin::Value;
use linchpin_lin::program::{FaultKind, OpId, Proc};

pub(crate) use memory::Shared;
pub(crate) use run::{Code, Counting, Run};
pub(crate) use thread::{Moves, Phase, Plan, Thread, World, initial_memory};

use run::Stop;

/// What execution of a procedure led to, for one sequence of choices.
pub(crate) struct Outcome {
    pub(crate) shared: Shared,
    pub(crate) log: Vec<Value>,
    pub(crate) trail: Vec<Value>,
    /// What it certainly needs from there on; only if that matters.
    pub(crate) needed: Vec<Value>,
    pub(crate) allocated: u32,
    /// The threads of its points, from 1; 0 is none.
    pub(crate) points: Vec<u32>,
    pub(crate) end: End,
}

/// Where execution ended.
pub(crate) enum End {
    /// Before the next access.
    Access,
    /// In a script, before the call of an operation.
    Invoke(OpId, Vec<Option<Value>>),
    /// At the end, with this result.
    Return(Value),
    /// In a fault or a false `assume` that comes after an effect others can see.
    NoFurther,
}

/// Everything that execution of a procedure can lead to.
#[derive(Default)]
pub(crate) struct Outcomes {
    pub(crate) all: Vec<Outcome>,
    pub(crate) faults: Vec<FaultKind>,
    pub(crate) assumed: bool,
    /// Some way waits.
    pub(crate) waits: bool,
    pub(crate) heap_limit: bool,
    pub(crate) too_big: bool,
}

/// Ways to make the choices of one step beyond which the program is too big for this oracle.
const MOST_WAYS: usize = 5_000;
/// Observations of one operation beyond which it is too long for this oracle, which goes through
/// all of them again for every step. Loops that come back to a state do not get there.
const LONGEST_LOG: usize = 400;

/// Executes with all possible choices.
pub(crate) fn outcomes(start: &Run<'_, '_>, proc: &Proc, args: &[Value]) -> Outcomes {
    let mut found = Outcomes::default();
    let mut todo: Vec<Vec<usize>> = vec![Vec::new()];
    let mut ways = 0;
    while let Some(choices) = todo.pop() {
        ways += 1;
        if ways > MOST_WAYS {
            found.too_big = true;
            break;
        }
        let mut run = start.clone().choosing(&choices);
        let ended = run.procedure(proc, args.to_vec());
        found.heap_limit |= run.left_out;
        let end = match ended {
            Ok(value) => {
                run.trail.clear();
                End::Return(value)
            }
            Err(Stop::Access) => End::Access,
            Err(Stop::Invoke(op, args)) => End::Invoke(op, args),
            Err(Stop::Blocked) => {
                found.waits = true;
                continue;
            }
            Err(Stop::TooLong) => {
                found.too_big = true;
                continue;
            }
            Err(Stop::Assumed) => {
                found.assumed = true;
                if !run.effect_is_visible() {
                    continue;
                }
                run.trail.clear();
                End::NoFurther
            }
            Err(Stop::HeapLimit) => continue,
            Err(Stop::Choice(alternatives)) => {
                todo.extend((0..alternatives).map(|i| [&choices[..], &[i]].concat()));
                continue;
            }
            Err(Stop::Fault(kind)) => {
                found.faults.push(kind);
                if !run.effect_is_visible() {
                    continue;
                }
                run.trail.clear();
                End::NoFurther
            }
        };
        let Run { shared, log, trail, allocated, points, .. } = run;
        let needed = run.ahead.values;
        if log.len() > LONGEST_LOG && matches!(end, End::Access) {
            found.too_big = true;
            continue;
        }
        found.all.push(Outcome { shared, log, trail, needed, allocated, points, end });
    }
    found
}
