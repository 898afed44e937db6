//! The smallest part of a history that shows why it has no order.
//!
//! Only that is left out without which the rest must have an order if the whole has one; so what is left is a reason for
//! the whole, and whoever judges it has judged the whole. This may go:
//!
//! * what comes after the first return that nothing explains (linearizability is closed under prefixes);
//! * an operation that changes nothing: take it out of an order of the whole, and what is left is an order;
//! * of a register, a max-register or a key of a map: all writes of a value with everything that saw it. In an order of
//!   the whole, whoever comes after such a write and before the next one saw that value or looked for another one in vain
//!   (a `cas` that failed). As long as there is none of the latter, what is left is an order. A `cas` that succeeded sees
//!   one value and writes another: the two go together;
//! * of a queue, stack, priority queue or set: all operations with a value. What is left of an order keeps its order, and a
//!   container that was empty still is; it must not have been full, nor read as a whole;
//! * of a register or a key of a map: everything that had ended when a write was called, with whoever looked while it was
//!   going on. Of what is left only other writes, which need no explanation, and operations that never returned, which
//!   need not have happened, can come before that write in an order of the whole; and whoever comes after it saw the
//!   same. While it was going on no `cas` may have succeeded. Where a value came from is then not shown, so this
//!   is for what would be long otherwise.
//!
//! What may go is tried in halves, quarters and so on, down to single ones.

use std::collections::HashMap;

use linchpin_lts::Watch;

use crate::builtin::Code;
use crate::datum::Datum;
use crate::decide::{Means, Refuted, Split, decide};
use crate::history::{NEVER, Operation};
use crate::machine::Machine;
use crate::spec::Spec;

/// Most configurations for one attempt.
const ATTEMPT: u64 = 300_000;

/// Most operations for which the first return that nothing explains is looked for.
const CUTTABLE: usize = 20_000;

/// So many operations can be read as they are.
const FEW: usize = 8;

/// Operations of the part that was refuted, in the order of their calls: as few as can be.
pub fn shrink(
    spec: &Spec,
    operations: &[Operation],
    refuted: &Refuted,
    watch: &Watch,
) -> Vec<Operation> {
    let wrong = |operations: &[Operation]| refutes(spec, operations, watch);
    let mut left: Vec<Operation> =
        refuted.operations.iter().map(|&i| operations[i as usize].clone()).collect();
    let mut place = refuted.place;
    // What was decided without a search is decided so as long as it is whole: what a beginning leaves open would have to
    // be searched for.
    if place.is_none() {
        left = without(spec, left, watch, &wrong);
    }
    for _ in 0..4 {
        let before = left.len();
        if place.is_some() || left.len() <= CUTTABLE {
            left = shortest(&left, place.take().unwrap_or(0), watch, &wrong);
        }
        left = without(spec, left, watch, &wrong);
        if left.len() == before || watch.over().is_some() {
            break;
        }
    }
    match left.len() > FEW {
        true => since(spec, left, watch, &wrong),
        false => left,
    }
}

/// The shortest beginning that is wrong. The search knows what operations will return when they are called, and so may
/// fail at an earlier return than the first that nothing explains, but at no later one.
fn shortest(
    operations: &[Operation],
    place: u32,
    watch: &Watch,
    wrong: &dyn Fn(&[Operation]) -> bool,
) -> Vec<Operation> {
    let mut returns: Vec<u32> =
        operations.iter().map(|o| o.ret).filter(|&r| r != NEVER && r >= place).collect();
    returns.sort_unstable();
    // Everything before `low` has an order, or is not known to have none; everything up to `high` has none.
    let (mut low, mut high, mut stride) = (0, returns.len(), 1);
    while low + stride <= high && low < high && watch.over().is_none() {
        let middle = low + stride - 1;
        if wrong(&cut(operations, returns[middle])) {
            high = middle;
            break;
        }
        low = middle + 1;
        stride *= 2;
    }
    while low < high && watch.over().is_none() {
        let middle = low.midpoint(high);
        match wrong(&cut(operations, returns[middle])) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    match returns.get(high) {
        Some(&place) => cut(operations, place),
        None => operations.to_vec(),
    }
}

/// What is wrong since a write, as late a one as can be. Of later ones less is left, so that is looked for in halves.
fn since(
    spec: &Spec,
    operations: Vec<Operation>,
    watch: &Watch,
    wrong: &dyn Fn(&[Operation]) -> bool,
) -> Vec<Operation> {
    let Some(writes) = writes(spec, &operations) else { return operations };
    let left = |write: &Operation| left_since(spec, &operations, write);
    // From `low` on nothing is known to be wrong; since the one before it something is.
    let (mut low, mut high) = (0, writes.len());
    while low < high && watch.over().is_none() {
        let middle = low.midpoint(high);
        match wrong(&left(writes[middle])) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    let Some(write) = low.checked_sub(1).map(|last| writes[last]) else { return operations };
    let left = left(write);
    let left = fewer(left.clone(), silent(spec, &left), watch, wrong);
    // Without the write itself it would look as if nobody had ever written what was read.
    let mut groups = values(spec, &left).unwrap_or_default();
    groups.retain(|group| group.iter().all(|&i| left[i].call != write.call));
    fewer(left, groups, watch, wrong)
}

/// What is left since a write.
fn left_since(spec: &Spec, operations: &[Operation], write: &Operation) -> Vec<Operation> {
    let stays = |o: &&Operation| {
        o.ret > write.call && (o.call > write.ret || !o.returns() || is_write(spec, o))
    };
    operations.iter().filter(stays).cloned().collect()
}

fn is_write(spec: &Spec, o: &Operation) -> bool {
    matches!(spec.code(o.op), Some(Code::Write | Code::Put | Code::Delete))
}

/// Writes during which no `cas` has succeeded, by their calls; nothing if this is no register.
fn writes<'o>(spec: &Spec, operations: &'o [Operation]) -> Option<Vec<&'o Operation>> {
    let key = |o: &'o Operation| match spec.code(o.op) {
        Some(Code::Get | Code::Put | Code::Delete | Code::CasKey) => Some(Some(&o.args[0])),
        Some(Code::Read | Code::Write | Code::Cas) => Some(None),
        _ => None,
    };
    let one = key(operations.first()?)?;
    let (mut writes, mut calls, mut returns) = (Vec::new(), Vec::new(), Vec::new());
    for o in operations {
        if key(o)? != one {
            return None;
        }
        if is_write(spec, o) && o.returns() {
            writes.push(o);
        }
        let is_cas = matches!(spec.code(o.op), Some(Code::Cas | Code::CasKey));
        if is_cas && o.returns() && o.result != Some(Datum::Bool(false)) {
            calls.push(o.call);
            returns.push(o.ret);
        }
    }
    calls.sort_unstable();
    returns.sort_unstable();
    let begun = |w: &Operation| calls.partition_point(|&c| c < w.ret);
    let ended = |w: &Operation| returns.partition_point(|&r| r < w.call);
    writes.retain(|w| begun(w) == ended(w));
    writes.sort_unstable_by_key(|w| w.call);
    Some(writes)
}

/// The same with another way to know that something is wrong.
pub(crate) fn without(
    spec: &Spec,
    mut left: Vec<Operation>,
    watch: &Watch,
    wrong: &dyn Fn(&[Operation]) -> bool,
) -> Vec<Operation> {
    let silent = silent(spec, &left);
    left = fewer(left, silent, watch, wrong);
    if let Some(groups) = values(spec, &left) {
        left = fewer(left, groups, watch, wrong);
    }
    let silent = self::silent(spec, &left);
    fewer(left, silent, watch, wrong)
}

/// Has a history certainly no order?
fn refutes(spec: &Spec, operations: &[Operation], watch: &Watch) -> bool {
    let means = Means { most: ATTEMPT, split: Split::None, ..Means::default() };
    decide(spec, operations, &means, watch).is_ok_and(|d| d.verdict.is_violated())
}

/// The history up to a place.
fn cut(operations: &[Operation], place: u32) -> Vec<Operation> {
    let called = operations.iter().filter(|o| o.call <= place);
    let until = |o: &Operation| match o.ret > place {
        true => Operation { ret: NEVER, result: None, ..o.clone() },
        false => o.clone(),
    };
    called.map(until).collect()
}

/// Groups of operations that change nothing: every one by itself.
pub(crate) fn silent(spec: &Spec, operations: &[Operation]) -> Vec<Vec<usize>> {
    let Ok((machine, calls)) = Machine::new(spec, operations, &Watch::NEVER) else {
        return Vec::new();
    };
    let silent = calls.iter().enumerate().filter(|(_, call)| machine.changes_nothing(**call));
    silent.map(|(i, _)| vec![i]).collect()
}

/// Groups of operations by their values, if they may go.
fn values(spec: &Spec, operations: &[Operation]) -> Option<Vec<Vec<usize>>> {
    let mut groups = Groups::default();
    let mut of: Vec<Option<usize>> = Vec::with_capacity(operations.len());
    let no = Some(Datum::Bool(false));
    for o in operations {
        let own = |value: &Datum, key: &Datum| (key.clone(), value.clone());
        of.push(match spec.code(o.op)? {
            Code::Write | Code::Raise => Some(groups.number(own(&o.args[0], &Datum::Nil))),
            Code::Read if spec.name() != "counter" => {
                o.result.as_ref().map(|r| groups.number(own(r, &Datum::Nil)))
            }
            Code::Get => o.result.as_ref().map(|r| groups.number(own(r, &o.args[0]))),
            Code::Put => Some(groups.number(own(&o.args[1], &o.args[0]))),
            Code::Delete => Some(groups.number(own(&Datum::Nil, &o.args[0]))),
            Code::Cas if o.result != no => {
                Some(groups.join(own(&o.args[0], &Datum::Nil), own(&o.args[1], &Datum::Nil)))
            }
            Code::CasKey if o.result != no => {
                Some(groups.join(own(&o.args[1], &o.args[0]), own(&o.args[2], &o.args[0])))
            }
            Code::Enqueue if o.result == no => return None,
            Code::Enqueue | Code::Push | Code::Insert => {
                Some(groups.number(own(&o.args[0], &Datum::Nil)))
            }
            Code::SetAdd | Code::SetRemove | Code::SetContains => {
                Some(groups.number(own(&o.args[0], &Datum::Nil)))
            }
            Code::Dequeue | Code::Pop | Code::Poll | Code::First | Code::Last => match &o.result {
                // Whatever it took or found: it may stay.
                None | Some(Datum::Nil) => None,
                Some(value) => Some(groups.number(own(value, &Datum::Nil))),
            },
            _ => return None,
        });
    }
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (i, group) in of.into_iter().enumerate() {
        let Some(group) = group else { continue };
        let group = groups.root(group);
        let place = *places.entry(group).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[place].push(i);
    }
    Some(members)
}

/// Values, some of which go together.
#[derive(Default)]
struct Groups {
    numbers: HashMap<(Datum, Datum), usize>,
    parents: Vec<usize>,
}

impl Groups {
    fn number(&mut self, value: (Datum, Datum)) -> usize {
        let next = self.parents.len();
        let number = *self.numbers.entry(value).or_insert(next);
        if number == next {
            self.parents.push(next);
        }
        number
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, a: (Datum, Datum), b: (Datum, Datum)) -> usize {
        let (a, b) = (self.number(a), self.number(b));
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a] = b;
        b
    }
}

/// Leaves out groups while the rest stays wrong.
pub(crate) fn fewer(
    operations: Vec<Operation>,
    mut groups: Vec<Vec<usize>>,
    watch: &Watch,
    wrong: &dyn Fn(&[Operation]) -> bool,
) -> Vec<Operation> {
    let mut kept = vec![true; operations.len()];
    let rest = |kept: &[bool]| -> Vec<Operation> {
        operations.iter().zip(kept).filter(|(_, k)| **k).map(|(o, _)| o.clone()).collect()
    };
    let mut size = groups.len();
    while size > 0 && !groups.is_empty() {
        let mut next = Vec::new();
        let mut changed = false;
        for chunk in groups.chunks(size) {
            if watch.over().is_some() {
                return rest(&kept);
            }
            let all = || chunk.iter().flatten();
            all().for_each(|&i| kept[i] = false);
            if wrong(&rest(&kept)) {
                changed = true;
            } else {
                all().for_each(|&i| kept[i] = true);
                next.extend_from_slice(chunk);
            }
        }
        groups = next;
        // Single ones again, as long as that helps and they are few.
        size = match size {
            1 if changed && groups.len() <= 64 => 1,
            1 => 0,
            size => size.div_ceil(2).min(groups.len().max(1)),
        };
    }
    rest(&kept)
}

#[cfg(test)]
mod tests {
    use linchpin_lts::Watch;

    use super::{left_since, writes};
    use crate::decide::{Means, decide};
    use crate::random::{Plan, Random, generate};
    use crate::spec::Spec;

    #[test]
    fn what_is_left_since_a_write_has_an_order_if_the_whole_has() {
        let (mut tried, mut shorter) = (0, 0);
        for seed in 0..3_000 {
            let mut random = Random::new(seed ^ 0x51);
            let name = ["register", "cas-register", "map"][random.below(3)];
            let spec = Spec::builtin(name).expect("a specification");
            let plan = Plan {
                spec: name,
                clients: 2 + random.below(4),
                operations: 4 + random.below(16),
                lost: [0, 100, 300][random.below(3)],
                keys: 2 + random.below(2),
                distinct: false,
                seed,
            };
            let mut operations = generate(&spec, &plan).operations;
            if name == "map" {
                let key = operations[0].args[0].clone();
                operations.retain(|o| o.args[0] == key);
            }
            for write in writes(&spec, &operations).unwrap_or_default() {
                let left = left_since(&spec, &operations, write);
                let means = Means { distinct: false, register: false, ..Means::default() };
                let decision = decide(&spec, &left, &means, &Watch::NEVER).expect("a verdict");
                assert!(decision.verdict.holds(), "seed {seed}: {operations:?}\n{left:?}");
                tried += 1;
                shorter += usize::from(left.len() < operations.len());
            }
        }
        assert!(tried > 1_000 && shorter > 1_000, "{tried} {shorter}");
    }
}
