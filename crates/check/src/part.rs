//! Parts of configurations: what is known about one operation, or about one thread.
//!
//! Parts are interned, so that a configuration is a short vector of numbers. Everything that has to
//! be known about them is here: which names occur in them, how they are renamed, how they are ordered
//! whatever their numbers are.

use std::hash::{Hash, Hasher};

use linchpin_lin::Value;
use linchpin_lin::program::{DataId, OpId};
use linchpin_lin::specify::Specification;
use serde::{Deserialize, Serialize};

/// A part. The order has no meaning beyond being total and not depending on numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Part {
    /// A thread outside of any operation.
    Idle,
    /// An operation that has been called and has not taken effect.
    Pending {
        /// The operation of the object.
        op: u32,
        /// Its arguments.
        args: Vec<Value>,
    },
    /// An operation that has taken effect and will return, or has returned, this result.
    Done {
        /// The operation of the object.
        op: u32,
        /// Its result.
        result: Value,
    },
    /// An operation that has no place in the order yet, with what a condition notes about it.
    Loose {
        /// The operation and its arguments: [`Part::Pending`]. `None`: whatever has that outcome.
        call: Option<Box<Part>>,
        /// Its result, if that is known: [`Part::Done`].
        done: Option<Box<Part>>,
        /// The thread (from 1) that waits for it, or 0.
        thread: u32,
        /// A number with a meaning for the condition.
        note: u32,
    },
    /// Several, in an order that matters.
    List(Vec<Part>),
}

/// Says what parts are made of.
pub(crate) struct Anatomy<'a> {
    pub(crate) spec: &'a Specification,
    /// Specification operation of every operation of the object.
    pub(crate) ops: &'a [OpId],
}

impl Anatomy<'_> {
    /// Calls `note` for every opaque value in a part.
    pub(crate) fn visit(&self, part: &Part, note: &mut dyn FnMut(DataId, u32)) {
        let program = self.spec.program();
        match part {
            Part::Idle => {}
            Part::Pending { op, args } => {
                let proc = self.spec.unit().op(self.ops[*op as usize]);
                for (value, p) in args.iter().zip(&proc.locals) {
                    value.visit_data(&p.ty, program, note);
                }
            }
            Part::Done { op, result } => {
                let proc = self.spec.unit().op(self.ops[*op as usize]);
                result.visit_data(&proc.result, program, note);
            }
            Part::Loose { call, done, .. } => {
                call.iter().chain(done).for_each(|p| self.visit(p, note));
            }
            Part::List(parts) => parts.iter().for_each(|p| self.visit(p, note)),
        }
    }

    /// A part with its opaque values and threads renamed.
    pub(crate) fn rename(
        &self,
        part: &Part,
        data: &mut dyn FnMut(DataId, u32) -> u32,
        thread: &mut dyn FnMut(u32) -> u32,
    ) -> Part {
        let program = self.spec.program();
        match part {
            Part::Idle => Part::Idle,
            Part::Pending { op, args } => {
                let proc = self.spec.unit().op(self.ops[*op as usize]);
                let args = args.iter().zip(&proc.locals);
                let args = args.map(|(v, p)| v.map(&p.ty, program, data, thread)).collect();
                Part::Pending { op: *op, args }
            }
            Part::Done { op, result } => {
                let proc = self.spec.unit().op(self.ops[*op as usize]);
                Part::Done { op: *op, result: result.map(&proc.result, program, data, thread) }
            }
            Part::Loose { call, done, thread: whose, note } => {
                let call = call.as_ref().map(|p| Box::new(self.rename(p, data, thread)));
                let done = done.as_ref().map(|p| Box::new(self.rename(p, data, thread)));
                let whose = if *whose == 0 { 0 } else { thread(*whose) };
                Part::Loose { call, done, thread: whose, note: *note }
            }
            Part::List(parts) => {
                Part::List(parts.iter().map(|p| self.rename(p, data, thread)).collect())
            }
        }
    }

    /// A number that is the same for parts that differ in names only.
    pub(crate) fn form(&self, part: &Part) -> u32 {
        let blank = self.rename(part, &mut |_, _| 1, &mut |_| 1);
        let mut hasher = plain_hasher();
        blank.hash(&mut hasher);
        hasher.finish() as u32
    }
}

/// A hasher that gives the same numbers in every run.
pub(crate) fn plain_hasher() -> rapidhash::fast::RapidHasher<'static> {
    rapidhash::fast::RapidHasher::default_const()
}
