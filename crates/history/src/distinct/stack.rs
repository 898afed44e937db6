//! Stacks with distinct values, and those of which removals were lost.
//!
//! *Lost removals.* A value that nobody has (it is *left*) stays until the end, or one of the removals that were lost took
//! it: any one that may have taken it after its call, and no two the same. Without any of them the history is decided as if
//! all values stayed. If that fails, it fails for some values by themselves, and of those one must have been taken
//! that stays so far (what is left of a linearizable history of a stack without some values is linearizable). So each of them is
//! tried in turn, with every removal that helps. If somebody found nothing, that is one that was called before they
//! returned; a value that was tried in vain then may still have been taken by a later one, because of something else. (It
//! was taken to stay for good once. The test has the seed.) Two things keep that short: the values are
//! made few, those that were certainly taken first; and of all removals that were called before the insertion returned
//! only the last need be tried. With any of these the value can come and go in one moment, and those that were called
//! earlier can do for others whatever that one can.
//!
//! In the worst case that is exponential in the number of lost removals. After [`WORK`] steps nothing is decided.

use linchpin_lts::Watch;

use super::{Cover, END, Gaps, Lifetime};

/// Most values to look at in all attempts together.
const WORK: usize = 30_000_000;

/// A stack. A value whose insertion and removal overlap is no obstacle to anybody: both happen at one moment. Of the others
/// each lies on one side of every free moment, so that the history can be cut there, and what is between two free
/// moments is decided by itself. There, some value must be at the bottom all the time: its insertion is the first operation
/// and its removal the last. If several can be, it does not matter which: the one that is at the bottom in some order can
/// change places with any other. Without it there may be free moments again.
///
/// If there is none: values that have none by themselves.
pub(super) fn stack(lives: &[Lifetime], count: u32) -> Result<(), Vec<usize>> {
    let mut numbers: Vec<usize> =
        (0..lives.len()).filter(|&i| lives[i].put.1 < lives[i].take.0).collect();
    numbers.sort_unstable_by_key(|&i| lives[i].put.1);
    let lives: Vec<&Lifetime> = numbers.iter().map(|&i| &lives[i]).collect();
    let mut cover = Cover::new(count + 1);
    for life in &lives {
        cover.add(life.put.1, life.take.0, 1);
    }
    // Values by the return of their insertions; those that are left, with the calls of their insertions.
    let mut left = Gaps::new(lives.len() as u32 + 1);
    let mut calls = Least::new(lives.iter().map(|l| l.put.0));
    let mut todo = vec![(0, count + 1)];
    while let Some((from, to)) = todo.pop() {
        let first = lives.partition_point(|l| l.put.1 < from) as u32;
        let first = left.next_free(first) as usize;
        let Some(begin) = lives.get(first).map(|l| l.put.1).filter(|&b| b < to) else { continue };
        // The values between two free moments: here their first return, there their last call.
        let end = cover.first_free(begin, to);
        if end < to {
            todo.push((end, to));
        }
        let last = lives.partition_point(|l| l.put.1 < end);
        let mut bottom: Option<usize> = None;
        calls.below(first, last, begin, &mut |i| {
            if bottom.is_none_or(|b| lives[b].take.1 < lives[i].take.1) {
                bottom = Some(i);
            }
        });
        let Some(bottom) = bottom.filter(|&b| lives[b].take.1 > end) else {
            let stuck = (first..last).filter(|&i| left.next_free(i as u32) == i as u32);
            return Err(stuck.map(|i| numbers[i]).collect());
        };
        cover.add(lives[bottom].put.1, lives[bottom].take.0, -1);
        left.cover(bottom as u32, bottom as u32 + 1);
        calls.forget(bottom);
        todo.push((begin, end));
    }
    Ok(())
}

/// Values of a stack, those that are left, and removals that were lost.
pub(super) struct Lost<'a> {
    /// Values that were taken, and then those that are left.
    lives: Vec<Lifetime>,
    taken: usize,
    /// The calls of lost removals in their order, and who has them.
    removals: Vec<u32>,
    used: Vec<bool>,
    /// No removal that was called before this has the value: it has one, or that was tried in vain.
    from: Vec<u32>,
    /// Whoever found nothing.
    nothing: &'a [(u32, u32)],
    count: u32,
    watch: &'a Watch,
    work: usize,
}

/// Values that have no order by themselves, and if that is because nothing was found, by when one must have left. Otherwise
/// there is one among them that stays and need not: of two, the one that came later changes nothing.
struct Conflict {
    values: Vec<usize>,
    by: u32,
}

impl<'a> Lost<'a> {
    pub(super) fn new(
        mut lives: Vec<Lifetime>,
        left: &[Lifetime],
        mut removals: Vec<u32>,
        nothing: &'a [(u32, u32)],
        (count, watch): (u32, &'a Watch),
    ) -> Self {
        let taken = lives.len();
        lives.extend_from_slice(left);
        removals.sort_unstable();
        let used = vec![false; removals.len()];
        let from = vec![0; lives.len()];
        Lost { lives, taken, removals, used, from, nothing, count, watch, work: 0 }
    }

    /// Is there an order? Nothing if that takes too long to find out.
    pub(super) fn solve(&mut self) -> Option<bool> {
        self.work += self.lives.len();
        if self.work > WORK || self.watch.over().is_some() {
            return None;
        }
        let Some(conflict) = self.conflict() else { return Some(true) };
        if self.work > WORK {
            return None;
        }
        let mut tried = Vec::new();
        let mut found = Some(false);
        let left = self.taken;
        'values: for &value in conflict.values.iter().filter(|&&v| v >= left) {
            let (before, from) = (self.lives[value], self.from[value]);
            let begin = self.removals.partition_point(|&call| call < from);
            let called = self.removals.partition_point(|&call| call < before.put.1);
            let end = self.removals.partition_point(|&call| call < conflict.by);
            let free = |i: &usize| !self.used[*i];
            let soon = (begin..called).rev().find(free);
            let later: Vec<usize> = (called.max(begin)..end).filter(free).collect();
            tried.push((value, from));
            self.from[value] = END;
            for removal in soon.into_iter().chain(later) {
                self.lives[value].take = (self.removals[removal], END);
                if conflict.by == END && self.is_stuck(&conflict.values) {
                    continue;
                }
                self.used[removal] = true;
                found = self.solve();
                self.used[removal] = false;
                if found != Some(false) {
                    break 'values;
                }
            }
            self.lives[value] = before;
            self.from[value] = from.max(conflict.by);
        }
        tried.into_iter().for_each(|(value, from)| self.from[value] = from);
        found
    }

    /// Values that have no order by themselves as things are, as few as can be found soon.
    fn conflict(&mut self) -> Option<Conflict> {
        if let Err(stuck) = stack(&self.lives, self.count) {
            return Some(Conflict { values: self.fewer(stuck), by: END });
        }
        let mut gaps = Gaps::new(self.count + 1);
        for life in self.lives.iter().filter(|l| l.put.1 < l.take.0) {
            gaps.cover(life.put.1, life.take.0);
        }
        let &(call, ret) = self.nothing.iter().find(|n| gaps.next_free(n.0) >= n.1)?;
        // Somebody is in at every moment.
        let is_in = |l: &Lifetime| l.put.1 < l.take.0.min(ret) && l.take.0 > call;
        let values = (0..self.lives.len()).filter(|&i| is_in(&self.lives[i])).collect();
        Some(Conflict { values, by: ret })
    }

    /// Do some values have no order by themselves?
    fn is_stuck(&mut self, values: &[usize]) -> bool {
        self.work += values.len();
        let lives: Vec<Lifetime> = values.iter().map(|&i| self.lives[i]).collect();
        let (lives, count) = renumbered(&lives, self.count);
        stack(&lives, count).is_err()
    }

    /// Fewer of them that are stuck, with few that are left: one after the other is found without which the ones before it
    /// are not.
    fn fewer(&mut self, mut values: Vec<usize>) -> Vec<usize> {
        values.sort_unstable();
        let mut kept: Vec<usize> = Vec::new();
        while !self.is_stuck(&kept) && self.work <= WORK {
            // With the first `high` they are stuck, with the first `low` they are not.
            let (mut low, mut high) = (0, values.len());
            while high - low > 1 {
                let middle = low.midpoint(high);
                let some = [&values[..middle], &kept[..]].concat();
                match self.is_stuck(&some) {
                    true => high = middle,
                    false => low = middle,
                }
            }
            if high == 0 {
                break;
            }
            kept.push(values[high - 1]);
            values.truncate(high - 1);
        }
        kept
    }
}

/// The same with places that have no holes.
fn renumbered(lives: &[Lifetime], count: u32) -> (Vec<Lifetime>, u32) {
    let mut places: Vec<u32> =
        lives.iter().flat_map(|l| [l.put.0, l.put.1, l.take.0, l.take.1]).chain([count]).collect();
    places.sort_unstable();
    places.dedup();
    let number = |place: u32| match place {
        END => END,
        _ => places.partition_point(|&p| p < place) as u32,
    };
    let pair = |(a, b): (u32, u32)| (number(a), number(b));
    let lives = lives.iter().map(|l| Lifetime { put: pair(l.put), take: pair(l.take) }).collect();
    (lives, number(count))
}

/// Numbers in a row, of which those below a bound are found quickly.
struct Least {
    size: usize,
    tree: Vec<u32>,
}

impl Least {
    fn new(numbers: impl ExactSizeIterator<Item = u32>) -> Self {
        let size = numbers.len().max(1).next_power_of_two();
        let mut tree = vec![END; 2 * size];
        for (place, number) in tree[size..].iter_mut().zip(numbers) {
            *place = number;
        }
        for node in (1..size).rev() {
            tree[node] = tree[2 * node].min(tree[2 * node + 1]);
        }
        Least { size, tree }
    }

    fn forget(&mut self, i: usize) {
        let mut node = self.size + i;
        self.tree[node] = END;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].min(self.tree[2 * node + 1]);
        }
    }

    /// All places from `from` up to `to` with a number below the bound.
    fn below(&self, from: usize, to: usize, bound: u32, found: &mut dyn FnMut(usize)) {
        self.visit(1, 0, self.size, (from, to), bound, found);
    }

    fn visit(
        &self,
        node: usize,
        low: usize,
        high: usize,
        range: (usize, usize),
        bound: u32,
        found: &mut dyn FnMut(usize),
    ) {
        if high <= range.0 || range.1 <= low || self.tree[node] >= bound {
            return;
        }
        if high - low == 1 {
            return found(low);
        }
        let middle = low.midpoint(high);
        self.visit(2 * node, low, middle, range, bound, found);
        self.visit(2 * node + 1, middle, high, range, bound, found);
    }
}
