//! Local work: instructions that touch nothing but registers, and choices.

use linchpin_lts::FaultKind;

use super::{Flow, Step, Stop, fault};
use crate::code::{NO_REG, Reg};
use crate::program::BinOp;

impl<const TRACE: bool> Step<'_, '_, TRACE> {
    #[inline]
    pub(super) fn get(&self, r: Reg) -> u32 {
        self.s.frame[r as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, r: Reg, value: u32) -> Flow {
        self.s.frame[r as usize] = value;
        Ok(())
    }

    #[inline]
    pub(super) fn copy(&mut self, dst: Reg, src: Reg, n: u32) -> Flow {
        if n == 1 {
            return self.set(dst, self.get(src));
        }
        self.s.frame.copy_within(src as usize..(src + n) as usize, dst as usize);
        Ok(())
    }

    #[inline]
    pub(super) fn same(&mut self, dst: Reg, a: Reg, b: Reg, n: u32) -> Flow {
        let frame = &self.s.frame;
        let same = match n {
            1 => frame[a as usize] == frame[b as usize],
            _ => frame[a as usize..(a + n) as usize] == frame[b as usize..(b + n) as usize],
        };
        self.set(dst, u32::from(same))
    }

    #[inline]
    pub(super) fn binary(&mut self, op: BinOp, dst: Reg, a: Reg, b: Reg) -> Flow {
        let (a, b) = (self.get(a) as i32, self.get(b) as i32);
        let truth = match op {
            BinOp::Eq => a == b,
            BinOp::Ne => a != b,
            BinOp::Lt => a < b,
            BinOp::Le => a <= b,
            BinOp::Gt => a > b,
            BinOp::Ge => a >= b,
            BinOp::And => a != 0 && b != 0,
            BinOp::Or => a != 0 || b != 0,
            _ => {
                return match op.arithmetic(a, b) {
                    Ok(number) => self.set(dst, number as u32),
                    Err(kind) => fault(kind),
                };
            }
        };
        self.set(dst, truth.into())
    }

    pub(super) fn negate(&mut self, dst: Reg, a: Reg) -> Flow {
        let number = (self.get(a) as i32).checked_neg();
        self.number(dst, number)
    }

    #[inline]
    fn number(&mut self, dst: Reg, number: Option<i32>) -> Flow {
        match number {
            Some(number) => self.set(dst, number as u32),
            None => fault(FaultKind::IntegerOutOfRange),
        }
    }

    #[inline]
    pub(super) fn range(&self, src: Reg, lo: i32, hi: i32) -> Flow {
        match (lo..=hi).contains(&(self.get(src) as i32)) {
            true => Ok(()),
            false => fault(FaultKind::IntegerOutOfRange),
        }
    }

    #[inline]
    pub(super) fn must(&self, condition: Reg, otherwise: FaultKind) -> Flow {
        match self.get(condition) {
            0 => fault(otherwise),
            _ => Ok(()),
        }
    }

    #[inline]
    pub(super) fn offset(
        &mut self,
        dst: Reg,
        before: Reg,
        index: Reg,
        len: u32,
        stride: u32,
    ) -> Flow {
        let i = self.get(index);
        if i >= len {
            return fault(FaultKind::IndexOutOfRange);
        }
        let before = if before == NO_REG { 0 } else { self.get(before) };
        self.set(dst, before + i * stride)
    }

    /// An array without a stated end has no more cells than the check has room for: like a `new` for which there is
    /// no room, what needs more is not considered. (Less than 0 is a fault of [`Step::offset`].)
    pub(super) fn stays_within(&mut self, index: Reg, len: u32) -> Flow {
        match i64::from(self.get(index) as i32) < i64::from(len) {
            true => Ok(()),
            false => {
                self.s.beyond = true;
                if !TRACE {
                    self.m.coverage.heap_is_full();
                }
                Err(self.excluded())
            }
        }
    }

    pub(super) fn thread_at(&mut self, dst: Reg, index: Reg) -> Flow {
        match self.get(index) {
            i if (i as usize) < self.m.layout.threads => self.set(dst, i + 1),
            _ => fault(FaultKind::IndexOutOfRange),
        }
    }

    /// Any thread that is not in a set. Which one is decided together with what is done with it, and not before: a thread
    /// that rests here has not chosen yet, so there are fewer states.
    pub(super) fn pick_thread(&mut self, dst: Reg, set: Reg) -> Flow {
        if self.accessed && !self.atomic {
            return Err(Stop::Before);
        }
        let set = self.get(set);
        let mut others = (0..self.m.layout.threads as u32).filter(|t| set >> t & 1 == 0);
        let taken = self.s.choose(others.clone().count() as u32);
        match taken.and_then(|i| others.nth(i as usize)) {
            Some(t) => self.set(dst, t + 1),
            None => Err(self.excluded()),
        }
    }

    /// Adds a thread to a set.
    pub(super) fn visit(&mut self, dst: Reg, set: Reg, thread: Reg) -> Flow {
        match self.get(thread) {
            t @ 1..=u32::BITS => self.set(dst, self.get(set) | 1 << (t - 1)),
            _ => fault(FaultKind::IndexOutOfRange),
        }
    }

    #[inline]
    pub(super) fn jump(&mut self, jumps: bool, to: u32) -> Flow {
        if jumps {
            self.next = to as usize;
        }
        Ok(())
    }

    pub(super) fn branch(&mut self, table: u32) -> Flow {
        let targets = &self.m.code.tables[table as usize];
        let i = self.s.choose(targets.len() as u32).ok_or(Stop::Excluded)?;
        self.jump(true, targets[i as usize])
    }

    pub(super) fn pick(&mut self, dst: Reg, n: u32, table: u32) -> Flow {
        let values = &self.m.code.tables[table as usize];
        let i = self.s.choose(values.len() as u32 / n.max(1)).ok_or(Stop::Excluded)?;
        let from = (i * n) as usize;
        self.s.frame[dst as usize..(dst + n) as usize]
            .copy_from_slice(&values[from..from + n as usize]);
        Ok(())
    }

    pub(super) fn pick_range(&mut self, dst: Reg, lo: Reg, hi: Reg) -> Flow {
        let (lo, hi) = (self.get(lo) as i32, self.get(hi) as i32);
        // So many that the step is given up before the last one are as good as any number.
        let count = (i64::from(hi) - i64::from(lo) + 1).clamp(0, u32::MAX.into()) as u32;
        match self.s.choose(count) {
            Some(i) => self.set(dst, lo.wrapping_add(i as i32) as u32),
            None => Err(self.excluded()),
        }
    }

    pub(super) fn fresh(&mut self, dst: Reg, data: u32) -> Flow {
        let counter = self.m.layout.fresh[data as usize].ok_or(Stop::Excluded)?;
        self.s.work[counter] += 1;
        self.set(dst, self.s.work[counter])
    }
}
