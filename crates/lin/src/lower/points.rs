//! Which accesses and calls a point may belong to.
//!
//! A point is local work: in the unreduced model it happens in the step of the access before it, or
//! of the call if there is none. Two reductions would tear it off. Under interval tightening a call
//! happens together with the first access, and so would a point that follows the call. An access to
//! private memory is local work of the access before, and so would be a point that follows it. Moving
//! such a point changes what the specification does there, so what a point can follow is *marked*: a
//! marked access is a step whosever memory it touches, a marked call is a step even under tightening.
//! Then a point is in the same step as in the unreduced model, whatever the reductions.
//!
//! Everything else may still move. A call that is not marked can be delayed to the first access and a
//! return hurried to the last: they do nothing to the specification, unless another thread has marked
//! a point for the operation in between; then that point is outside of any operation afterwards, which
//! is a violation, and the same execution, with the call or return there, is one of the unreduced model.

use super::Lower;
use crate::code::{Code, Instr};

impl Lower<'_> {
    /// Marks accesses and calls that a point can follow before the next access.
    pub(super) fn mark_points(&mut self) {
        let code = &mut self.code;
        if !code.instrs.iter().any(|i| matches!(i, Instr::Point { .. })) {
            return;
        }
        let ahead = ahead(code);
        for pc in 0..code.instrs.len() {
            let mut marks = false;
            code.targets(pc, &mut |to| marks |= ahead[to]);
            if let Some(place) = place(&code.instrs[pc]) {
                code.places[place as usize].marked = marks;
            }
            if let Instr::Call { marked, .. } = &mut code.instrs[pc] {
                *marked = marks;
            }
        }
    }
}

/// Per instruction: can control go from there to a point without an access or call?
fn ahead(code: &Code) -> Vec<bool> {
    let n = code.instrs.len();
    let mut ahead = vec![false; n + 1];
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..n).rev().filter(|&pc| !stops(&code.instrs[pc])) {
            let mut here = matches!(code.instrs[pc], Instr::Point { .. });
            code.targets(pc, &mut |to| here |= ahead[to]);
            here |= ahead[pc];
            changed |= here != ahead[pc];
            ahead[pc] = here;
        }
    }
    ahead
}

/// Is this what a point after it belongs to? `new` is not always an access; what comes before it is
/// marked all the same.
fn stops(instr: &Instr) -> bool {
    let other = matches!(
        instr,
        Instr::Dcas { .. } | Instr::Free { .. } | Instr::AtomicBegin | Instr::Call { .. }
    );
    other || place(instr).is_some()
}

/// The place that an instruction accesses.
fn place(instr: &Instr) -> Option<u32> {
    match *instr {
        Instr::Read { place, .. }
        | Instr::Write { place, .. }
        | Instr::Cas { place, .. }
        | Instr::Swap { place, .. }
        | Instr::CasValue { place, .. }
        | Instr::Fetch { place, .. }
        | Instr::LoadLinked { place, .. }
        | Instr::StoreConditional { place, .. }
        | Instr::Validate { place, .. }
        | Instr::Lock { place }
        | Instr::Unlock { place }
        | Instr::TryLock { place, .. } => Some(place),
        _ => None,
    }
}
