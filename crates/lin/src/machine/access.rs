//! Shared accesses: the primitives that read and write places, and what makes and frees nodes.

use linchpin_lts::{FREED, FaultKind};

use super::trace::Whose;
use super::{Flow, MAX_PRIVATE, MAX_SLOTS, NOBODY, Step, Stop, fault};
use crate::code::{Base, Place, Reg};
use crate::model::Granularity;
use crate::movers::Guard;
use crate::program::{BinOp, Memory};

/// A place that is being accessed.
pub(super) struct Touched<'m> {
    pub(super) id: u32,
    pub(super) place: &'m Place,
    /// Its first slot.
    pub(super) at: usize,
    /// Can only this thread reach it?
    pub(super) own: bool,
    /// Found out before the access: its result may go to the register that says so.
    pub(super) whose: Whose,
}

impl Touched<'_> {
    pub(super) fn slots(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.place.width as usize
    }
}

impl<'m, const TRACE: bool> Step<'m, '_, TRACE> {
    /// An access that reads, or may write, a place. Ends the step if it is the second, unless nobody else takes notice.
    #[inline]
    fn touch(&mut self, id: u32, writes: bool) -> Result<Touched<'m>, Stop> {
        let place = &self.m.code.places[id as usize];
        let own = self.is_private(place);
        if !own && !self.commutes(place, writes) {
            self.access_after_lock()?;
        }
        if !place.guards.is_empty() {
            self.watch_guards(place, writes);
        }
        self.reach(id, own)
    }

    /// An access that writes a place if it holds what is in these registers.
    #[inline]
    fn touch_to_swap(&mut self, id: u32, old: Reg) -> Result<Touched<'m>, Stop> {
        let place = &self.m.code.places[id as usize];
        // It will never hold anything else.
        let fails = self.m.assumed != 0
            && self.thread != NOBODY
            && self.may_be_local(place)
            && self.is_settled(place)
            && self.address(place).is_ok_and(|at| {
                let (n, old) = (place.width as usize, old as usize);
                self.s.work[at..at + n] != self.s.frame[old..old + n]
            });
        if !fails {
            return self.touch(id, true);
        }
        let own = self.is_private(place);
        if !place.guards.is_empty() {
            self.watch_guards(place, true);
        }
        self.reach(id, own)
    }

    /// Taking a lock, which may have to wait.
    #[inline]
    fn touch_lock(&mut self, id: u32) -> Result<Touched<'m>, Stop> {
        let own = self.is_private(&self.m.code.places[id as usize]);
        if !own {
            self.access()?;
        }
        self.reach(id, own)
    }

    /// Is it local work because only this thread can reach it?
    #[inline]
    fn is_private(&mut self, place: &Place) -> bool {
        self.m.granularity.private && self.may_be_local(place) && self.is_own(place)
    }

    /// Long local work ends the step now and then: a loop over private memory that never ends is no
    /// divergence, with or without these reductions.
    #[inline]
    fn may_be_local(&self, place: &Place) -> bool {
        !place.marked && self.s.length < MAX_PRIVATE
    }

    /// Does an access commute with whatever others do (see `movers`)?
    #[inline]
    fn commutes(&self, place: &Place, writes: bool) -> bool {
        let Granularity { constant, locks, .. } = self.m.granularity;
        if !(constant && place.constant || self.m.assumed != 0) {
            return false;
        }
        // Initialisation comes before everything. What is nowhere is a fault, which is not local work.
        let somewhere = !matches!(place.base, Base::Field(r) if self.get(r) == 0);
        somewhere
            && self.thread != NOBODY
            && self.may_be_local(place)
            && (constant && place.constant && !writes
                || !writes && self.is_settled(place)
                || locks
                    && place.guards.iter().any(|&number| {
                        let guard = &self.m.code.guards[number as usize];
                        self.m.assumed >> number & 1 == 1
                            && (guard.exclusive || !writes)
                            && self.holds_lock(guard, place)
                    }))
    }

    /// Is a place set already, if it is assumed to be set only once?
    #[inline]
    fn is_settled(&self, place: &Place) -> bool {
        let Some(number) = place.once else { return false };
        self.m.granularity.once
            && self.m.assumed >> number & 1 == 1
            && self.address(place).is_ok_and(|at| {
                self.s.work[at..at + place.width as usize].iter().all(|&slot| slot != 0)
            })
    }

    /// Does the thread hold the lock that guards a place, as is assumed?
    #[inline]
    fn holds_lock(&self, guard: &Guard, place: &Place) -> bool {
        let at = match place.base {
            _ if guard.global => guard.lock as usize,
            Base::Field(r) if self.get(r) != 0 => {
                self.m.layout.node(self.get(r)) + guard.lock as usize
            }
            _ => return false,
        };
        self.s.work[at] == self.thread + 1
    }

    /// Notes the assumptions that an access breaks.
    fn watch_guards(&mut self, place: &Place, writes: bool) {
        if self.m.assumed == 0 || self.thread == NOBODY {
            return;
        }
        for &number in &place.guards {
            let guard = &self.m.code.guards[number as usize];
            if self.m.assumed >> number & 1 == 1
                && (writes || guard.exclusive)
                && !self.holds_lock(guard, place)
            {
                self.s.broken |= 1 << number;
            }
        }
    }

    #[inline]
    fn reach(&self, id: u32, own: bool) -> Result<Touched<'m>, Stop> {
        let place = &self.m.code.places[id as usize];
        let at = self.address(place)?;
        let whose = if TRACE { self.whose(place) } else { Whose::default() };
        Ok(Touched { id, place, at, own, whose })
    }

    /// Does a place hold what is in these registers?
    #[inline]
    fn holds(&self, touched: &Touched<'_>, value: Reg) -> bool {
        let n = touched.place.width as usize;
        self.s.work[touched.slots()] == self.s.frame[value as usize..value as usize + n]
    }

    #[inline]
    fn load(&mut self, touched: &Touched<'_>, dst: Reg) {
        let n = touched.place.width as usize;
        self.s.frame[dst as usize..dst as usize + n].copy_from_slice(&self.s.work[touched.slots()]);
    }

    #[inline]
    pub(super) fn read(&mut self, pc: usize, dst: Reg, id: u32) -> Flow {
        let touched = self.touch(id, false)?;
        self.load(&touched, dst);
        self.record(pc, &touched, &[], None);
        Ok(())
    }

    #[inline]
    pub(super) fn write(&mut self, pc: usize, id: u32, src: Reg) -> Flow {
        let touched = self.touch(id, true)?;
        let before = self.before(&touched);
        self.store(&touched, src);
        self.record(pc, &touched, &before, None);
        Ok(())
    }

    #[inline]
    pub(super) fn cas(&mut self, pc: usize, dst: Reg, id: u32, old: Reg, new: Reg) -> Flow {
        let touched = self.touch_to_swap(id, old)?;
        let same = self.holds(&touched, old);
        let before = self.before(&touched);
        if same {
            self.store(&touched, new);
        }
        self.record(pc, &touched, &before, Some(same));
        self.set(dst, u32::from(same))
    }

    /// The same, giving the value that was found.
    pub(super) fn cas_value(&mut self, pc: usize, dst: Reg, id: u32, old: Reg, new: Reg) -> Flow {
        let touched = self.touch_to_swap(id, old)?;
        let same = self.holds(&touched, old);
        let found: smallvec::SmallVec<[u32; 8]> = self.s.work[touched.slots()].into();
        if same {
            self.store(&touched, new);
        }
        self.record(pc, &touched, &found, Some(same));
        self.s.frame[dst as usize..dst as usize + found.len()].copy_from_slice(&found);
        Ok(())
    }

    pub(super) fn dcas(&mut self, pc: usize, dst: Reg, table: u32) -> Flow {
        self.access_after_lock()?;
        let dcas = &self.m.code.dcas[table as usize];
        dcas.places.iter().for_each(|p| self.watch_guards(&self.m.code.places[*p as usize], true));
        let both = [self.reach(dcas.places[0], false)?, self.reach(dcas.places[1], false)?];
        let same = (0..2).all(|i| self.holds(&both[i], dcas.old[i]));
        let before = [self.before(&both[0]), self.before(&both[1])];
        if same {
            (0..2).for_each(|i| self.store(&both[i], dcas.new[i]));
        }
        for (touched, before) in both.iter().zip(&before) {
            self.record(pc, touched, before, Some(same));
        }
        self.set(dst, u32::from(same))
    }

    pub(super) fn swap(&mut self, pc: usize, dst: Reg, id: u32, src: Reg) -> Flow {
        let touched = self.touch(id, true)?;
        let old: smallvec::SmallVec<[u32; 8]> = self.s.work[touched.slots()].into();
        self.store(&touched, src);
        self.s.frame[dst as usize..dst as usize + old.len()].copy_from_slice(&old);
        self.record(pc, &touched, &old, None);
        Ok(())
    }

    pub(super) fn fetch(
        &mut self,
        pc: usize,
        (op, dst, id): (BinOp, Reg, u32),
        n: Reg,
        (lo, hi): (i32, i32),
    ) -> Flow {
        let touched = self.touch(id, true)?;
        let old = self.s.work[touched.at];
        let new = match op.arithmetic(old as i32, self.get(n) as i32) {
            Ok(new) if lo <= new && new <= hi => new,
            _ => return fault(FaultKind::IntegerOutOfRange),
        };
        self.watch_once(touched.place, old, new as u32);
        self.s.work[touched.at] = new as u32;
        self.break_links(touched.place, touched.at);
        self.record(pc, &touched, &[old], None);
        self.set(dst, old)
    }

    pub(super) fn load_linked(&mut self, pc: usize, dst: Reg, id: u32) -> Flow {
        let touched = self.touch(id, false)?;
        // The link first: the result may go to the register the place depends on.
        self.make_link(touched.place);
        self.load(&touched, dst);
        self.record(pc, &touched, &[], None);
        Ok(())
    }

    pub(super) fn store_conditional(&mut self, pc: usize, dst: Reg, id: u32, src: Reg) -> Flow {
        let touched = self.touch(id, true)?;
        let before = self.before(&touched);
        let linked = self.linked(touched.place, true);
        if linked {
            self.store(&touched, src);
        }
        self.record(pc, &touched, &before, Some(linked));
        self.set(dst, u32::from(linked))
    }

    pub(super) fn validate(&mut self, pc: usize, dst: Reg, id: u32) -> Flow {
        let touched = self.touch(id, false)?;
        let linked = self.linked(touched.place, false);
        self.record(pc, &touched, &[], Some(linked));
        self.set(dst, u32::from(linked))
    }

    pub(super) fn lock(&mut self, pc: usize, id: u32) -> Flow {
        let touched = self.touch_lock(id)?;
        if self.s.work[touched.at] != 0 {
            // Nobody else sees the lock of a private node, but what was done before.
            if touched.own {
                self.access()?;
            }
            // Nothing happens, but whoever asks is told what it waits for.
            let holder = self.s.work[touched.at];
            self.record(pc, &touched, &[holder], Some(false));
            return Err(Stop::Blocked);
        }
        self.s.work[touched.at] = self.thread + 1;
        let Place { mover, marked, .. } = *touched.place;
        self.opens = self.m.granularity.locks && mover && !marked && !touched.own && !self.atomic;
        self.record(pc, &touched, &[0], None);
        Ok(())
    }

    pub(super) fn unlock(&mut self, pc: usize, id: u32) -> Flow {
        let me = self.thread + 1;
        let place = &self.m.code.places[id as usize];
        let own = self.is_private(place);
        let early = self.m.granularity.locks
            && place.mover
            && self.accessed
            && self.may_be_local(place)
            && self.address(place).is_ok_and(|at| self.s.work[at] == me);
        if !own && !early {
            self.access()?;
        }
        // What comes after a release is not joined to what came before.
        self.opens = false;
        let touched = self.reach(id, own)?;
        if self.s.work[touched.at] != me {
            return fault(FaultKind::UnlockNotHeld);
        }
        self.s.work[touched.at] = 0;
        self.record(pc, &touched, &[me], None);
        Ok(())
    }

    pub(super) fn try_lock(&mut self, pc: usize, dst: Reg, id: u32) -> Flow {
        let touched = self.touch_lock(id)?;
        let before = self.s.work[touched.at];
        if before == 0 {
            self.s.work[touched.at] = self.thread + 1;
        }
        self.record(pc, &touched, &[before], Some(before == 0));
        self.set(dst, u32::from(before == 0))
    }

    /// Are records made and given back together with other accesses (see `movers`)?
    fn recycles(&self) -> bool {
        self.m.granularity.reuse
            && self.m.memory == Memory::Manual
            && self.m.heap_limit.is_none()
            && self.thread != NOBODY
            && self.s.length < MAX_PRIVATE
    }

    pub(super) fn make(&mut self, pc: usize, dst: Reg, table: u32) -> Flow {
        // Nobody misses a record before it is shown to them.
        let late = self.recycles() && !self.accessed;
        if (self.m.memory != Memory::Collected || self.m.heap_limit.is_some()) && !late {
            self.access()?;
        }
        let node = self.allocate(table).ok_or(Stop::Excluded)?;
        if self.s.work.len() > MAX_SLOTS {
            return fault(FaultKind::TooLong);
        }
        self.note(pc, 0, &[], &[node]);
        self.set(dst, node)
    }

    pub(super) fn free(&mut self, pc: usize, node: Reg) -> Flow {
        let node = self.get(node);
        let early = self.accessed && self.recycles() && self.is_forgotten(node);
        if !early {
            self.access()?;
        }
        self.opens &= !early;
        if node == 0 {
            return fault(FaultKind::NullDereference);
        }
        let at = self.m.layout.node(node);
        if self.s.work[at] & FREED != 0 {
            return fault(FaultKind::UseAfterFree);
        }
        self.s.work[at] |= FREED;
        if self.m.memory == Memory::Manual {
            // Nobody can look at them any more.
            self.s.work[at + 1..at + self.m.layout.stride].fill(0);
        }
        if self.m.granularity.private {
            self.publish(node);
        }
        self.note(pc, node, &[node], &[]);
        Ok(())
    }
}
