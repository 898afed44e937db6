//! What steps did to shared memory, recorded for reports.

use super::Step;
use super::access::Touched;
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

/// The node or thread a place belongs to, and the dynamic distance within it.
#[derive(Clone, Copy, Default)]
pub(super) struct Whose {
    of: u32,
    offset: u32,
}

/// All of this does nothing unless somebody wants to know.
impl<const TRACE: bool> Step<'_, '_, TRACE> {
    pub(super) fn whose(&self, place: &Place) -> Whose {
        let of = match place.base {
            Base::Global => 0,
            Base::Field(r) | Base::PerThread(r) => self.get(r),
        };
        let offset = match place.offset {
            NO_REG => 0,
            r => self.get(r),
        };
        Whose { of, offset }
    }

    /// The value of a place before it changes.
    #[inline]
    pub(super) fn before(&self, touched: &Touched<'_>) -> Vec<u32> {
        if TRACE { self.s.work[touched.slots()].to_vec() } else { Vec::new() }
    }

    /// An access to a place.
    #[inline]
    pub(super) fn record(
        &mut self,
        pc: usize,
        touched: &Touched<'_>,
        before: &[u32],
        success: Option<bool>,
    ) {
        if TRACE {
            let Whose { of, offset } = touched.whose;
            let after = self.s.work[touched.slots()].to_vec();
            let (pc, place, before) = (pc as u32, touched.id, before.to_vec());
            self.s.trace.push(Effect { pc, place, of, offset, before, after, success });
        }
    }

    /// Something else that is told.
    #[inline]
    pub(super) fn note(&mut self, pc: usize, of: u32, before: &[u32], after: &[u32]) {
        if TRACE {
            let (pc, before, after) = (pc as u32, before.to_vec(), after.to_vec());
            let (place, offset, success) = (NO_REG, 0, None);
            self.s.trace.push(Effect { pc, place, of, offset, before, after, success });
        }
    }
}
