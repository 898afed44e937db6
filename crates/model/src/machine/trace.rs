//! What steps did to shared memory, recorded for reports.

use super::{Machine, Scratch};
use crate::code::{Base, NO_REG, Place};

/// What one instruction did to shared memory, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) pc: u32,
    /// The place, or [`NO_REG`] if none.
    pub(crate) place: u32,
    /// Node or thread the place belongs to, if any.
    pub(crate) of: u32,
    /// Dynamic distance within the place.
    pub(crate) offset: u32,
    pub(crate) before: Vec<u32>,
    pub(crate) after: Vec<u32>,
    /// Result of a conditional primitive.
    pub(crate) success: Option<bool>,
}

impl Machine {
    /// The node or thread a place belongs to, and the dynamic distance within it.
    pub(super) fn whose(&self, s: &Scratch, place: &Place) -> (u32, u32) {
        let of = match place.base {
            Base::Global => 0,
            Base::Field(r) | Base::PerThread(r) => s.frame[r as usize],
        };
        let offset = match place.offset {
            NO_REG => 0,
            r => s.frame[r as usize],
        };
        (of, offset)
    }

    pub(super) fn record(
        &self,
        s: &mut Scratch,
        pc: usize,
        (id, (of, offset)): (u32, (u32, u32)),
        at: usize,
        before: &[u32],
        success: Option<bool>,
    ) {
        let width = self.code.places[id as usize].width as usize;
        s.trace.push(Effect {
            pc: pc as u32,
            place: id,
            of,
            offset,
            before: before.to_vec(),
            after: s.work[at..at + width].to_vec(),
            success,
        });
    }
}

/// The value of a place before it changes, if anybody wants to know.
pub(super) fn trace_before<const TRACE: bool>(s: &Scratch, place: &Place, at: usize) -> Vec<u32> {
    if TRACE { s.work[at..at + place.width as usize].to_vec() } else { Vec::new() }
}
