//! Registers, queues, stacks and priority queues whose values are all different, decided without a search in time that
//! is log-linear in the length of the history (times the number of open operations, for stacks).
//!
//! That this is possible is shown by Gibbons and Korach, "Testing shared memories" (SIAM J. Comput. 1997) for registers, by
//! Henzinger, Sezgin and Vafeiadis, "Aspect-oriented linearizability proofs" (CONCUR 2013) for queues, and for all of them by
//! Lee and Mathur, "Efficient decrease-and-conquer linearizability monitoring" (OOPSLA 2025). The algorithms here are simpler
//! than theirs; why they are right is said where they are. (Published proofs of such algorithms have been wrong; see
//! "Efficient linearizability monitoring", PLDI 2025. So the oracle of the tests has the last word.)
//!
//! They apply if no value is put in twice, every removal that was called has returned a result that is known, and there are
//! no other operations. An insertion that never returns is left out if nobody has its value, and otherwise returns at
//! the end of time. Of a queue or stack, removals may also be lost: each may have taken a value that nobody has, or none.
//!
//! Moments are the *gaps* between events: gap `i` is just after event `i`. A value *must be in* from the return of its
//! insertion to the call of its removal. A moment is *free* if no value must be in there.

mod stack;

use std::collections::HashMap;

use linchpin_lts::Watch;
use rapidhash::fast::RandomState;

use crate::builtin::Code;
use crate::datum::Datum;
use crate::history::{NEVER, Operation};
use crate::spec::{Source, Spec};

/// The end of time, and what comes after it.
const END: u32 = NEVER;

/// A value: when it is put in and when it is taken out.
#[derive(Clone, Copy, Debug)]
struct Lifetime {
    put: (u32, u32),
    take: (u32, u32),
}

/// Is the history of these operations linearizable? Nothing if this does not apply.
pub(crate) fn decide(spec: &Spec, operations: &[&Operation], watch: &Watch) -> Option<bool> {
    let Source::Builtin(of) = &spec.source else { return None };
    match of.name {
        "register" | "cas-register" | "map" => register(spec, operations),
        "queue" | "stack" | "priority-queue" => container(spec, of.name, operations, watch),
        _ => None,
    }
}

/// Gaps, of which some are not free.
struct Gaps {
    /// The next free one, from each on, or a step on the way there.
    next: Vec<u32>,
}

impl Gaps {
    fn new(count: u32) -> Self {
        Gaps { next: (0..=count).collect() }
    }

    fn next_free(&mut self, from: u32) -> u32 {
        let mut at = from as usize;
        while self.next[at] as usize != at {
            self.next[at] = self.next[self.next[at] as usize];
            at = self.next[at] as usize;
        }
        at as u32
    }

    /// Takes the gaps from `from` up to `to`, which stays.
    fn cover(&mut self, from: u32, to: u32) {
        let mut at = self.next_free(from);
        while at < to {
            self.next[at as usize] = at + 1;
            at = self.next_free(at + 1);
        }
    }
}

/// Containers: what they share is who puts in and who takes out.
fn container(spec: &Spec, name: &str, operations: &[&Operation], watch: &Watch) -> Option<bool> {
    if spec.init.as_ref().and_then(Datum::elements).is_some_and(|e| !e.is_empty()) {
        return None;
    }
    let (places, count) = places(operations);
    let mut lives: Vec<(&Datum, Lifetime)> = Vec::new();
    let mut numbers: HashMap<&Datum, usize, RandomState> = HashMap::default();
    let (mut nothing, mut lost) = (Vec::new(), Vec::new());
    for (operation, &place) in operations.iter().zip(&places) {
        if matches!(spec.code(operation.op)?, Code::Enqueue | Code::Push | Code::Insert) {
            if numbers.insert(&operation.args[0], lives.len()).is_some() {
                return None;
            }
            lives.push((&operation.args[0], Lifetime { put: place, take: (count, END) }));
        }
    }
    let mut taken = vec![false; lives.len()];
    for (operation, &place) in operations.iter().zip(&places) {
        match spec.code(operation.op)? {
            Code::Enqueue | Code::Push | Code::Insert => {}
            Code::Dequeue | Code::Pop | Code::Poll => match &operation.result {
                _ if !operation.returns() && name != "priority-queue" => lost.push(place.0),
                _ if !operation.returns() => return None,
                None => return None,
                Some(Datum::Nil) => nothing.push(place),
                Some(value) => {
                    // Nobody has put it in, somebody else has it, or it is taken out before it is put in.
                    let Some(&number) = numbers.get(value) else { return Some(false) };
                    let life = &mut lives[number].1;
                    if std::mem::replace(&mut taken[number], true) || place.1 < life.put.0 {
                        return Some(false);
                    }
                    life.take = place;
                }
            },
            _ => return None,
        }
    }
    let mut index = 0;
    lives.retain(|(_, life)| {
        index += 1;
        taken[index - 1] || life.put.1 != END
    });
    if name == "priority-queue" {
        lives.sort_by_key(|(value, _)| match value {
            Datum::Int(n) => *n,
            _ => 0,
        });
    }
    let lives: Vec<Lifetime> = lives.into_iter().map(|(_, life)| life).collect();
    let mut gaps = Gaps::new(count + 1);
    let (lives, left): (Vec<Lifetime>, Vec<Lifetime>) = match lost.is_empty() {
        true => (lives, Vec::new()),
        false => lives.into_iter().partition(|life| life.take.1 != END),
    };
    if name == "stack" && !left.is_empty() {
        return stack::Lost::new(lives, &left, lost, &nothing, (count, watch)).solve();
    }
    let fits = match name {
        "queue" => queue(&lives) && left_over(&lives, &left, &lost, &mut gaps, count),
        "stack" => stack::stack(&lives, count).is_ok(),
        _ => priorities(&lives, &mut gaps, count),
    };
    for life in &lives {
        if life.put.1 < life.take.0 {
            gaps.cover(life.put.1, life.take.0);
        }
    }
    // Whoever found nothing did so at a free moment.
    Some(fits && nothing.iter().all(|&(call, ret)| gaps.next_free(call) < ret))
}

/// Places of calls and returns without holes, and how many there are. What never returns does so at [`END`].
fn places(operations: &[&Operation]) -> (Vec<(u32, u32)>, u32) {
    let mut events: Vec<(u32, bool, u32)> = Vec::with_capacity(2 * operations.len());
    for (i, operation) in operations.iter().enumerate() {
        events.push((operation.call, false, i as u32));
        if operation.returns() {
            events.push((operation.ret, true, i as u32));
        }
    }
    events.sort_unstable();
    let mut places = vec![(0, END); operations.len()];
    for (place, &(_, is_return, i)) in events.iter().enumerate() {
        let of = &mut places[i as usize];
        *(if is_return { &mut of.1 } else { &mut of.0 }) = place as u32;
    }
    (places, events.len() as u32)
}

/// A queue: no two values overtake each other. If `a` is put in before `b` is, `b` must not be taken out before `a` is.
/// With free moments for those who found nothing this is all that can be wrong (Henzinger and others, theorem 1).
fn queue(lives: &[Lifetime]) -> bool {
    let mut by_return: Vec<&Lifetime> = lives.iter().filter(|l| l.put.1 != END).collect();
    by_return.sort_unstable_by_key(|l| l.put.1);
    let mut by_call: Vec<&Lifetime> = lives.iter().collect();
    by_call.sort_unstable_by_key(|l| l.put.0);
    let (mut before, mut latest) = (0, 0);
    for b in by_call {
        while before < by_return.len() && by_return[before].put.1 < b.put.0 {
            latest = latest.max(by_return[before].take.0);
            before += 1;
        }
        if b.take.1 < latest {
            return false;
        }
    }
    true
}

/// Values of a queue that nobody has, and the calls of removals that were lost. Such a removal takes such a value, or has
/// no effect; it returns at the end of time. So a value that must be out at some moment needs one that was called before that
/// moment: before the return of a removal of a value that was put in later, and, if somebody found nothing at a free moment
/// after it was put in, before that. Removals that were called early will do for every later moment: all values can have one
/// of their own if before every moment there were as many calls as values that must be out by then. Moments that are free
/// only if too many must be out are covered. (Of several such moments the last one before any moment asks for the most values,
/// so each can be looked at by itself.)
fn left_over(
    lives: &[Lifetime],
    left: &[Lifetime],
    lost: &[u32],
    gaps: &mut Gaps,
    count: u32,
) -> bool {
    if left.is_empty() {
        return true;
    }
    // Values by the calls of their insertions, with the first return of a removal of one that comes so late or later.
    let mut later: Vec<(u32, u32)> = lives.iter().map(|l| (l.put.0, l.take.1)).collect();
    later.sort_unstable();
    let mut first = END;
    for (_, ret) in later.iter_mut().rev() {
        first = first.min(*ret);
        *ret = first;
    }
    let end = count + 2;
    // By when each must be out, if ever.
    let mut due: Vec<(u32, u32)> = left
        .iter()
        .map(|value| {
            let after = later.partition_point(|l| l.0 < value.put.1);
            (value.put.1, later.get(after).map_or(end, |l| l.1))
        })
        .collect();
    due.sort_unstable();
    // How many more removals were called before each moment than values must be out by then.
    let mut spare = Cover::new(end);
    lost.iter().for_each(|&call| spare.add(call + 1, end, 1));
    due.iter().for_each(|&(_, by)| spare.add(by.min(end), end, -1));
    if spare.least() < 0 {
        return false;
    }
    let mut put = due.iter().peekable();
    for gap in 0..=count {
        while let Some((_, by)) = put.next_if(|value| value.0 <= gap) {
            spare.add(gap + 1, *by, -1);
        }
        // What must be out by now is not asked about any more.
        spare.add(gap, gap + 1, i32::MAX / 4);
        if spare.least() < 0 {
            gaps.cover(gap, gap + 1);
        }
    }
    true
}

/// A priority queue, values in the order in which they should leave. A value can be taken out at a moment at which no
/// smaller one is in. So from the smallest on: each is taken out at the first moment at which it can be, and is in from the
/// return of its insertion until then, whatever the order; and for all moments that are left free there is one order in
/// which the queue is empty of these values at all of them. (By induction: the history is cut at these moments and at the
/// one at which the new value leaves; every smaller value lies on one side of each; the new value enters as late as it
/// can.)
fn priorities(lives: &[Lifetime], gaps: &mut Gaps, count: u32) -> bool {
    for life in lives {
        let earliest = life.take.0.max(life.put.0).min(count);
        let leaves = match life.take.1 {
            END => count + 1,
            _ => gaps.next_free(earliest),
        };
        if leaves >= life.take.1 {
            return false;
        }
        if life.put.1 < leaves {
            gaps.cover(life.put.1, leaves);
        }
    }
    true
}

/// How many values must be in at each moment: a tree of sums with the least below each node.
struct Cover {
    size: usize,
    least: Vec<i32>,
    added: Vec<i32>,
}

impl Cover {
    fn new(count: u32) -> Self {
        let size = (count as usize).next_power_of_two();
        Cover { size, least: vec![0; 2 * size], added: vec![0; 2 * size] }
    }

    /// From `from` up to `to`, which is left out.
    fn add(&mut self, from: u32, to: u32, how_many: i32) {
        self.add_below(1, 0, self.size, from as usize, to as usize, how_many);
    }

    fn add_below(&mut self, node: usize, low: usize, high: usize, from: usize, to: usize, n: i32) {
        if from >= high || to <= low {
            return;
        }
        if from <= low && high <= to {
            self.least[node] += n;
            self.added[node] += n;
            return;
        }
        let middle = low.midpoint(high);
        self.add_below(2 * node, low, middle, from, to, n);
        self.add_below(2 * node + 1, middle, high, from, to, n);
        self.least[node] = self.least[2 * node].min(self.least[2 * node + 1]) + self.added[node];
    }

    /// The least of all.
    fn least(&self) -> i32 {
        self.least[1]
    }

    /// The first free moment from `from` on, at most `to`.
    fn first_free(&self, from: u32, to: u32) -> u32 {
        let found = self.first_below(1, 0, self.size, from as usize, 0);
        found.map_or(to, |found| (found as u32).min(to))
    }

    fn first_below(
        &self,
        node: usize,
        low: usize,
        high: usize,
        from: usize,
        above: i32,
    ) -> Option<usize> {
        if high <= from || self.least[node] + above > 0 {
            return None;
        }
        if high - low == 1 {
            return Some(low);
        }
        let (middle, above) = (low.midpoint(high), above + self.added[node]);
        let left = self.first_below(2 * node, low, middle, from, above);
        left.or_else(|| self.first_below(2 * node + 1, middle, high, from, above))
    }
}

/// What a register begins with, if the operations are those of one register or of one key of a map.
pub(crate) fn beginning<'a>(spec: &'a Spec, operations: &[&'a Operation]) -> Option<&'a Datum> {
    let Source::Builtin(of) = &spec.source else { return None };
    let key = match of.name {
        "register" | "cas-register" => None,
        "map" => Some(&operations.first()?.args[0]),
        _ => return None,
    };
    if key.is_some_and(|key| operations.iter().any(|o| o.args[0] != *key)) {
        return None;
    }
    Some(match (&spec.init, key) {
        (Some(Datum::Map(entries)), Some(key)) => {
            entries.iter().find(|e| e.0 == *key).map_or(&Datum::Nil, |e| &e.1)
        }
        (Some(init), None) => init,
        _ => &Datum::Nil,
    })
}

/// A register. A write with the reads of its value is a *cluster*. If some operation of it returns before another is called,
/// the register has this value between (a *forward* zone); otherwise all of it can happen at one moment of a *backward* zone.
/// The history is linearizable if no read returns before its write is called, no two forward zones overlap and no
/// backward zone lies in a forward one (Gibbons and Korach, theorem 4.3).
fn register(spec: &Spec, operations: &[&Operation]) -> Option<bool> {
    let (places, _) = places(operations);
    let beginning = beginning(spec, operations)?;
    // The call of the write, the first return, the last call; one place later, so that there is one before all.
    let mut clusters: HashMap<&Datum, (u32, u32, u32, bool), RandomState> = HashMap::default();
    clusters.insert(beginning, (0, 0, 0, false));
    for (operation, &(call, ret)) in operations.iter().zip(&places) {
        let written = match spec.code(operation.op)? {
            Code::Write => &operation.args[0],
            Code::Put => &operation.args[1],
            Code::Read | Code::Get => continue,
            _ => return None,
        };
        let ret = ret.saturating_add(1);
        if clusters.insert(written, (call + 1, ret, call + 1, false)).is_some() {
            return None;
        }
    }
    for (operation, &(call, ret)) in operations.iter().zip(&places) {
        if !matches!(spec.code(operation.op)?, Code::Read | Code::Get) || !operation.returns() {
            continue;
        }
        let Some(result) = &operation.result else { continue };
        let Some(cluster) = clusters.get_mut(result) else { return Some(false) };
        if ret + 1 < cluster.0 {
            return Some(false);
        }
        cluster.1 = cluster.1.min(ret + 1);
        cluster.2 = cluster.2.max(call + 1);
        cluster.3 = true;
    }
    let zones = clusters.values().filter(|c| c.3 || c.1 != END && c.0 != 0);
    let (mut forward, mut backward) = (Vec::new(), Vec::new());
    for &(_, first_return, last_call, _) in zones {
        if first_return < last_call {
            forward.push((first_return, last_call));
        } else {
            backward.push((last_call, first_return));
        }
    }
    forward.sort_unstable();
    let apart = forward.windows(2).all(|pair| pair[0].1 < pair[1].0);
    let inside = |zone: &(u32, u32)| {
        let before = forward.partition_point(|f| f.0 < zone.0);
        before.checked_sub(1).is_some_and(|i| zone.1 < forward[i].1)
    };
    Some(apart && !backward.iter().any(inside))
}
