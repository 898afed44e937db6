//! Which of many steps may be possible in a state, without looking at their guards one by one.
//!
//! A puzzle on a board of 56 cells has hundreds of moves, and almost all of them fail at a comparison of a cell with a
//! number. So there is a row of bits for each variable that is compared and each of its values: the steps that
//! this value does not exclude. What is in the rows of all variables is left (a bitmap index, as databases have them:
//! P. O'Neil and D. Quass, *Improved query performance with variant indexes*, SIGMOD 1997).
//!
//! Only comparisons count that come first: `x == 1` in `[x == 1 && 6 / y > 2]`, and all in `[x == 1 && y != 2]`. They
//! always have a value, and what `&&` has behind them is not looked at where they are false. So nothing is left out that would have
//! gone wrong, and a model goes wrong where it would have.

use crate::ast::Binary;
use crate::program::Expr;
use crate::steps::{Guard, Step};
use crate::value::{Value, to_slot};

/// For fewer steps it is not worth it.
const FEW: usize = 6;
/// Slots of compared values are less than this; comparisons with others are left to evaluation.
const MAX_SLOT: u32 = 256;

/// A variable compared with a value: its slot, the value as a slot, are they to be equal?
type Test = (u32, u32, bool);

/// An index of the guards of a list of steps.
#[derive(Debug, Default)]
pub(crate) struct Select {
    /// Words of a row.
    words: usize,
    /// A slot, the number of its first row, how many values have one of their own; the row of all others follows.
    slots: Vec<(u32, u32, u32)>,
    rows: Vec<u64>,
    /// Steps without other guards: what is selected of them is possible.
    decided: Vec<u64>,
}

impl Select {
    /// Of these steps, if it is worth it.
    pub(crate) fn of(steps: &[Step]) -> Option<Select> {
        if steps.len() < FEW {
            return None;
        }
        let tests: Vec<(Vec<Test>, bool)> = steps.iter().map(tests).collect();
        let mut values: Vec<(u32, u32)> =
            tests.iter().flat_map(|(tests, _)| tests).map(|&(slot, v, _)| (slot, v)).collect();
        values.sort_unstable();
        let words = steps.len().div_ceil(64);
        let mut select = Select { words, decided: vec![0; words], ..Select::default() };
        for same in values.chunk_by(|a, b| a.0 == b.0) {
            let (slot, greatest) = same[same.len() - 1];
            let first = select.slots.last().map_or(0, |&(_, first, own)| first + own + 1);
            select.slots.push((slot, first, greatest + 1));
        }
        let rows = select.slots.last().map_or(0, |&(_, first, own)| (first + own + 1) as usize);
        // Looking at all rows must cost less than looking at all steps.
        if select.slots.is_empty() || select.slots.len() * words > 4 * steps.len() {
            return None;
        }
        select.rows = vec![u64::MAX; rows * words];
        for (i, (tests, all)) in tests.iter().enumerate() {
            for &(slot, v, equal) in tests {
                let at = select.slots.partition_point(|&(s, ..)| s < slot);
                let (_, first, own) = select.slots[at];
                for value in (0..=own).filter(|&value| (value == v) != equal) {
                    select.rows[(first + value) as usize * words + i / 64] &= !(1 << (i % 64));
                }
            }
            select.decided[i / 64] |= u64::from(*all) << (i % 64);
        }
        Some(select)
    }

    /// Gives the steps that may be possible, in order, and whether they surely are.
    pub(crate) fn each<T>(
        &self,
        data: &[u32],
        steps: usize,
        mut look: impl FnMut(usize, bool) -> Result<(), T>,
    ) -> Result<(), T> {
        for word in 0..self.words {
            let rest = steps - word * 64;
            let mut left = if rest < 64 { (1 << rest) - 1 } else { u64::MAX };
            for &(slot, first, own) in &self.slots {
                let row = (first + data[slot as usize].min(own)) as usize;
                left &= self.rows[row * self.words + word];
            }
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                look(word * 64 + bit, self.decided[word] >> bit & 1 == 1)?;
            }
        }
        Ok(())
    }
}

/// The comparisons that a step begins with, and whether there is nothing else.
fn tests(step: &Step) -> (Vec<Test>, bool) {
    let mut tests = Vec::new();
    let all = step.guards.iter().all(|guard| match guard {
        Guard::Condition(.., want, e) => conjuncts(e, *want, &mut tests),
        Guard::Named(..) | Guard::Is(..) => false,
    });
    (tests, all)
}

/// Adds the comparisons that a condition begins with. Are they all of it?
fn conjuncts(e: &Expr, want: bool, to: &mut Vec<Test>) -> bool {
    let mut test = |slot: u32, v: Value, equal: bool| {
        let known = to_slot(v) < MAX_SLOT;
        if known {
            to.push((slot, to_slot(v), equal));
        }
        known
    };
    let Expr::Binary(op, a, b, _) = e else { return false };
    match (op, &**a, &**b) {
        (Binary::And, a, b) if want => conjuncts(a, true, to) && conjuncts(b, true, to),
        (Binary::Equal, Expr::Global(slot), Expr::Const(v))
        | (Binary::Equal, Expr::Const(v), Expr::Global(slot)) => test(*slot, *v, want),
        (Binary::Unequal, Expr::Global(slot), Expr::Const(v))
        | (Binary::Unequal, Expr::Const(v), Expr::Global(slot)) => test(*slot, *v, !want),
        _ => false,
    }
}
