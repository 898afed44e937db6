//! Arrays without a stated end, `var items: [T; ..]`: how many cells they have in a check.
//!
//! A search needs states of a known width. So such an array has as many cells as the check has room for, all of them from
//! the beginning. What needs one more is treated like a `new` for which there is no room: that execution is not followed
//! any further, and the coverage says so, since nothing is known about it. The number is that of `heap`. Where a check does
//! not bound its heap, it is the number of operations that are called in all: queues and stacks that hand out a cell to
//! each operation never need more.
//!
//! A program is sized when a model is made of it, because the bounds of a check can be changed after it was read.

use std::sync::Arc;

use crate::program::{Behaviour, Check, Object, Program, Type};
use crate::value::Value;
use crate::walk;

/// As many cells as that, if nobody knows how many operations are called.
const USUAL: u32 = 16;

/// No array has more plain values than this.
const MOST: u32 = 4096;

impl Check {
    /// How many cells an array without a stated end has, at least one.
    pub fn cells(&self) -> u32 {
        let called = || {
            let of_role = |role: &crate::program::Role| match &role.behaviour {
                Behaviour::General { count, .. } => count.and_then(|n| n.checked_mul(role.threads)),
                Behaviour::Script(_) => None,
            };
            let sum = |sum: u32, n: Option<u32>| sum.checked_add(n?);
            self.roles.iter().map(of_role).try_fold(0, sum).unwrap_or(USUAL)
        };
        self.heap.unwrap_or_else(called).clamp(1, MOST)
    }
}

impl Object {
    /// Has it an array without a stated end?
    pub fn is_endless(&self) -> bool {
        self.unit.vars.iter().any(|var| matches!(var.ty, Type::Endless(..)))
    }
}

/// The program in which the arrays of the object of a check have their cells.
pub(crate) fn sized(mut program: Arc<Program>, check: &Check) -> Arc<Program> {
    let waits = |ty: &Type| matches!(ty, Type::Endless(_, 0));
    let object = &program.objects[check.object.index()];
    if !object.unit.vars.iter().any(|var| waits(&var.ty)) {
        return program;
    }
    let types = program.clone();
    let size = |ty: &mut Type| {
        if let Type::Endless(element, n @ 0) = ty {
            let width = element.slots(&types).clamp(1, MOST as usize) as u32;
            *n = check.cells().min(MOST / width);
        }
    };
    let unit = &mut Arc::make_mut(&mut program).objects[check.object.index()].unit;
    for var in unit.vars.iter_mut().filter(|var| waits(&var.ty)) {
        size(&mut var.ty);
        var.init = Value::default_of(&var.ty, &types);
    }
    for proc in unit.procs.iter_mut().chain(&mut unit.init) {
        walk::change(&mut proc.body, &mut |e| size(&mut e.ty));
    }
    program
}
