//! Registers, compare-and-set registers and keys of a map, whatever values occur: a search that knows what a register is.
//!
//! To decide them is NP-complete (Gibbons and Korach, "Testing shared memories", SIAM J. Comput. 1997, theorem 3.1), and what
//! makes the general search (`breadth`) slow is to choose which of many open writes have taken effect already. Here that is
//! not asked. All that happens to a register is a row of *changes*, each the effect of some open write or successful
//! compare-and-set; every other write takes effect just before one of them, where nobody sees it. So a history is linearizable
//! if there are changes, each at some moment, such that
//!
//! * whoever wrote makes a change once at most, and at a moment between its call and its return;
//! * every compare-and-set that succeeded makes a change, from its old value to its new one;
//! * every write that returned has a change between its call and its return, its own or another's;
//! * every read (and every compare-and-set that failed) has a moment in which the register has (or has not) its value.
//!
//! Changes happen just before a return that needs one, as in `breadth`, or before that of a write which makes the last of
//! them: later it cannot. A configuration is a value, the time of the last
//! change, who of the open ones has made a change, and who has read. Of two with the same value and the same
//! compare-and-sets done, one is at least as good if it has used fewer writes, satisfied more reads, and its last change
//! came later (no fewer writes are hidden): whatever the other does next, it can do too. Of several open writes of a value
//! the one that returns first makes the change: the others can do so for longer, and are hidden by it; those that never
//! return come last. And a write that is not what the return waits for, that nobody reads and that no compare-and-set goes on
//! from, need not be a change: the next change overwrites it at the same moment.

use std::collections::HashMap;

use linchpin_lts::Watch;
use rapidhash::fast::RandomState;

use crate::bits::Bits;
use crate::builtin::Code;
use crate::datum::Datum;
use crate::depth::End;
use crate::distinct;
use crate::history::Operation;
use crate::spec::Spec;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Reads this value.
    Is(u32),
    /// Does not find this value.
    IsNot(u32),
    /// Reads something.
    Any,
    Write(u32),
    /// Finds one value and writes another.
    Swap(u32, u32),
}

impl Kind {
    fn reads(self, value: u32) -> bool {
        match self {
            Kind::Is(wanted) => value == wanted,
            Kind::IsNot(other) => value != other,
            Kind::Any => true,
            Kind::Write(_) | Kind::Swap(..) => false,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Op {
    index: u32,
    kind: Kind,
    call: u32,
    ret: u32,
    /// Its place among the open ones; of one that never returns, its number among those.
    slot: u32,
    returns: bool,
}

#[derive(Clone, Debug)]
struct Configuration {
    value: u32,
    /// When the last change was; writes that were called before are hidden.
    changed: u32,
    /// Open reads that are satisfied.
    reads: Bits,
    /// Open writes that have made a change.
    used: Bits,
    /// Open compare-and-sets that have.
    swaps: Bits,
    /// Those that never return and have.
    never: Bits,
    node: u32,
}

impl Configuration {
    fn is_as_good_as(&self, other: &Configuration) -> bool {
        self.changed >= other.changed
            && self.used.is_subset(&other.used)
            && self.never.is_subset(&other.never)
            && other.reads.is_subset(&self.reads)
    }
}

const START: u32 = u32::MAX;

/// The search, event by event.
#[derive(Debug)]
pub(crate) struct Registers {
    ops: Vec<Op>,
    /// Calls and returns: their places, whose, and which of the two.
    events: Vec<(u32, u32, bool)>,
    next: usize,
    frontier: Vec<Configuration>,
    open: Vec<u32>,
    lost: Vec<u32>,
    /// The changes and reads so far, if an order is wanted: what was before, who, when.
    nodes: Option<Vec<(u32, u32, u32)>>,
    /// The return that nothing explains.
    pub(crate) dead: Option<u32>,
    /// Configurations made so far.
    pub(crate) made: u64,
}

impl Registers {
    /// The search, if the operations are those of one register.
    pub(crate) fn new(
        spec: &Spec,
        history: &[Operation],
        numbers: &[u32],
        orders: bool,
    ) -> Option<Self> {
        let operations: Vec<&Operation> = numbers.iter().map(|&i| &history[i as usize]).collect();
        let beginning = distinct::beginning(spec, &operations)?;
        let mut values: HashMap<&Datum, u32, RandomState> = HashMap::default();
        let mut number = |datum| {
            let next = values.len() as u32;
            *values.entry(datum).or_insert(next)
        };
        let value = number(beginning);
        let mut ops = Vec::with_capacity(operations.len());
        for (&index, operation) in numbers.iter().zip(&operations) {
            let (args, result) = (&operation.args, operation.result.as_ref());
            let kind = match (spec.code(operation.op)?, result) {
                (Code::Read | Code::Get, Some(result)) => Kind::Is(number(result)),
                (Code::Read | Code::Get, None) => Kind::Any,
                (Code::Write, _) => Kind::Write(number(&args[0])),
                (Code::Put, _) => Kind::Write(number(&args[1])),
                (Code::Delete, _) => Kind::Write(number(&Datum::Nil)),
                (code @ (Code::Cas | Code::CasKey), result) => {
                    let at = usize::from(code == Code::CasKey);
                    let (old, new) = (number(&args[at]), number(&args[at + 1]));
                    match result {
                        Some(Datum::Bool(false)) => Kind::IsNot(old),
                        // Whether it did is known in the state only.
                        None if operation.returns() => return None,
                        Some(Datum::Bool(true)) | None if old == new => Kind::Is(old),
                        Some(Datum::Bool(true)) | None => Kind::Swap(old, new),
                        Some(_) => return None,
                    }
                }
                _ => return None,
            };
            let returns = operation.returns();
            if !returns && !matches!(kind, Kind::Write(_) | Kind::Swap(..)) {
                continue;
            }
            let (call, ret) = (operation.call, operation.ret);
            ops.push(Op { index, kind, call, ret, slot: 0, returns });
        }
        let mut events: Vec<(u32, u32, bool)> = Vec::with_capacity(2 * ops.len());
        for (i, op) in ops.iter().enumerate() {
            events.push((op.call, i as u32, false));
            if op.returns {
                events.push((op.ret, i as u32, true));
            }
        }
        events.sort_unstable();
        let (mut free, mut slots, mut never) = (Vec::new(), 0, 0);
        for &(_, i, is_return) in &events {
            let op = &mut ops[i as usize];
            let count = if op.returns { &mut slots } else { &mut never };
            match is_return {
                true => free.push(op.slot),
                false => {
                    let again = if op.returns { free.pop() } else { None };
                    op.slot = again.unwrap_or_else(|| {
                        *count += 1;
                        *count - 1
                    });
                }
            }
        }
        let none = Bits::default;
        let (reads, used, swaps, never) = (none(), none(), none(), none());
        let start = Configuration { value, changed: 0, reads, used, swaps, never, node: START };
        Some(Registers {
            ops,
            events,
            next: 0,
            frontier: vec![start],
            open: Vec::new(),
            lost: Vec::new(),
            nodes: orders.then(Vec::new),
            dead: None,
            made: 0,
        })
    }

    /// Tries so many configurations more.
    pub(crate) fn run(&mut self, budget: u64, watch: &Watch) -> End {
        let end = self.made + budget;
        while let Some(&(place, i, is_return)) = self.events.get(self.next) {
            if is_return {
                let before = self.nodes.as_ref().map(Vec::len);
                if let Some(stopped) = self.ret(i, place, end, watch) {
                    // The same return is tried again.
                    if let (Some(nodes), Some(before)) = (&mut self.nodes, before) {
                        nodes.truncate(before);
                    }
                    return stopped;
                }
                if self.frontier.is_empty() {
                    self.dead = Some(place);
                    return End::Refuted;
                }
            } else {
                self.call(i, place);
            }
            self.next += 1;
            if let Some(limit) = watch.over_at(self.next) {
                return End::Stopped(limit);
            }
        }
        End::Explained
    }

    fn call(&mut self, i: u32, place: u32) {
        let op = self.ops[i as usize];
        match op.returns {
            true => self.open.push(i),
            false => self.lost.push(i),
        }
        for configuration in &mut self.frontier {
            if op.kind.reads(configuration.value) {
                configuration.reads.insert(op.slot);
                configuration.node = note(&mut self.nodes, configuration.node, i, place);
            }
        }
    }

    fn ret(&mut self, i: u32, place: u32, most: u64, watch: &Watch) -> Option<End> {
        let awaited = self.ops[i as usize];
        let (mut seen, mut finished) = (Best::default(), Best::default());
        let mut todo = Vec::new();
        // A write that nobody has seen has its last chance now, even if it need not be seen.
        let writes = matches!(awaited.kind, Kind::Write(_));
        for configuration in self.frontier.clone() {
            let done = is_done(&awaited, &configuration);
            if done {
                finished.insert(configuration.clone());
            }
            let goes_on = !done || writes && !configuration.used.has(awaited.slot);
            if goes_on && seen.insert(configuration.clone()) {
                todo.push(configuration);
            }
        }
        while let Some(from) = todo.pop() {
            if !seen.has(&from) {
                continue;
            }
            for by in self.changes(&from, &awaited) {
                let reached = self.changed(&from, by, place);
                self.made += 1;
                if self.made > most {
                    return Some(End::Later);
                }
                if let Some(limit) = watch.over_at(self.made as usize) {
                    return Some(End::Stopped(limit));
                }
                let ends = match writes {
                    // Whatever else hides it can wait if something did before.
                    true => by == i || !is_done(&awaited, &from),
                    false => is_done(&awaited, &reached),
                };
                if ends {
                    finished.insert(reached.clone());
                }
                if ends && !(writes && by != i) {
                    continue;
                }
                if self.is_useful(&from, &reached) && seen.insert(reached.clone()) {
                    todo.push(reached);
                }
            }
        }
        self.open.retain(|&o| o != i);
        let writes = self.open.iter().map(|&o| &self.ops[o as usize]);
        let mut calls: Vec<u32> =
            writes.filter(|o| matches!(o.kind, Kind::Write(_))).map(|o| o.call).collect();
        calls.sort_unstable();
        let mut kept = Best::default();
        for mut configuration in finished.all() {
            configuration.reads.remove(awaited.slot);
            configuration.used.remove(awaited.slot);
            configuration.swaps.remove(awaited.slot);
            // Only which open writes are hidden matters.
            let hidden = calls.partition_point(|&call| call < configuration.changed);
            configuration.changed = hidden.checked_sub(1).map_or(0, |last| calls[last] + 1);
            kept.insert(configuration);
        }
        self.frontier = kept.all();
        None
    }

    /// Who may make the next change.
    fn changes(&self, from: &Configuration, awaited: &Op) -> Vec<u32> {
        let mut by: Vec<u32> = Vec::new();
        let mut first: HashMap<u32, u32, RandomState> = HashMap::default();
        let op = |i: u32| &self.ops[i as usize];
        for &i in &self.open {
            match op(i).kind {
                Kind::Write(value) if !from.used.has(op(i).slot) => {
                    let best = first.entry(value).or_insert(i);
                    if op(i).ret < op(*best).ret {
                        *best = i;
                    }
                }
                Kind::Swap(old, _) if old == from.value && !from.swaps.has(op(i).slot) => {
                    by.push(i);
                }
                _ => {}
            }
        }
        let mut swaps: Vec<Kind> = Vec::new();
        for &i in self.lost.iter().filter(|&&i| !from.never.has(op(i).slot)) {
            match op(i).kind {
                Kind::Write(value) => {
                    first.entry(value).or_insert(i);
                }
                Kind::Swap(old, _) if old == from.value && !swaps.contains(&op(i).kind) => {
                    swaps.push(op(i).kind);
                    by.push(i);
                }
                _ => {}
            }
        }
        // The same value again only hides writes.
        let hides = matches!(awaited.kind, Kind::Write(_));
        by.extend(
            first.into_iter().filter(|(value, _)| hides || *value != from.value).map(|f| f.1),
        );
        by.sort_unstable();
        by
    }

    fn changed(&mut self, from: &Configuration, by: u32, place: u32) -> Configuration {
        let mut to = from.clone();
        let op = self.ops[by as usize];
        to.changed = place;
        match (op.kind, op.returns) {
            (_, false) => to.never.insert(op.slot),
            (Kind::Swap(..), true) => to.swaps.insert(op.slot),
            _ => to.used.insert(op.slot),
        }
        if let Kind::Write(value) | Kind::Swap(_, value) = op.kind {
            to.value = value;
        }
        to.node = note(&mut self.nodes, to.node, by, place);
        for &i in &self.open {
            let read = &self.ops[i as usize];
            if read.kind.reads(to.value) && !to.reads.has(read.slot) {
                to.reads.insert(read.slot);
                to.node = note(&mut self.nodes, to.node, i, place);
            }
        }
        to
    }

    /// Is a change good for anything before the next one: a read, a compare-and-set, or was it one?
    fn is_useful(&self, from: &Configuration, to: &Configuration) -> bool {
        let goes_on = |i: &&u32| {
            let op = &self.ops[**i as usize];
            let done = if op.returns { &to.swaps } else { &to.never };
            matches!(op.kind, Kind::Swap(old, _) if old == to.value) && !done.has(op.slot)
        };
        to.reads != from.reads
            || to.swaps != from.swaps
            || self.open.iter().chain(&self.lost).any(|i| goes_on(&i))
            || self.lost.iter().any(|&i| {
                let op = &self.ops[i as usize];
                matches!(op.kind, Kind::Swap(..))
                    && to.never.has(op.slot) != from.never.has(op.slot)
            })
    }

    /// The order that was found: operations with their points of time.
    pub(crate) fn order(&self) -> Option<Vec<(u32, u32)>> {
        let nodes = self.nodes.as_ref()?;
        let (mut order, mut node) = (Vec::new(), self.frontier.first()?.node);
        while let Some(&(before, op, place)) = nodes.get(node as usize) {
            order.push((op, place));
            node = before;
        }
        order.reverse();
        let mut placed = vec![false; self.ops.len()];
        order.iter().for_each(|&(op, _)| placed[op as usize] = true);
        // Writes that nobody sees come just before the first change after their calls.
        let is_change =
            |op: u32| matches!(self.ops[op as usize].kind, Kind::Write(_) | Kind::Swap(..));
        let mut hidden = (0..self.ops.len() as u32)
            .filter(|&i| !placed[i as usize] && self.ops[i as usize].returns)
            .collect::<Vec<_>>();
        hidden.sort_unstable_by_key(|&i| self.ops[i as usize].call);
        let mut hidden = hidden.into_iter().peekable();
        let mut all = Vec::with_capacity(order.len());
        for (op, place) in order {
            if is_change(op) {
                while let Some(i) = hidden.next_if(|&i| self.ops[i as usize].call < place) {
                    all.push((self.ops[i as usize].index, place));
                }
            }
            all.push((self.ops[op as usize].index, place));
        }
        Some(all)
    }
}

/// Has an operation all that it needs to return?
fn is_done(op: &Op, configuration: &Configuration) -> bool {
    match op.kind {
        Kind::Write(_) => op.call < configuration.changed,
        Kind::Swap(..) => configuration.swaps.has(op.slot),
        _ => configuration.reads.has(op.slot),
    }
}

fn note(nodes: &mut Option<Vec<(u32, u32, u32)>>, before: u32, op: u32, place: u32) -> u32 {
    let Some(nodes) = nodes else { return START };
    nodes.push((before, op, place));
    (nodes.len() - 1) as u32
}

/// Configurations than which no other is better, by value and compare-and-sets.
#[derive(Default)]
struct Best(HashMap<(u32, Bits), Vec<Configuration>, RandomState>);

impl Best {
    fn insert(&mut self, new: Configuration) -> bool {
        let own = self.0.entry((new.value, new.swaps.clone())).or_default();
        if own.iter().any(|known| known.is_as_good_as(&new)) {
            return false;
        }
        own.retain(|known| !new.is_as_good_as(known));
        own.push(new);
        true
    }

    /// Is it still there?
    fn has(&self, one: &Configuration) -> bool {
        let own = self.0.get(&(one.value, one.swaps.clone()));
        own.is_some_and(|own| {
            own.iter().any(|known| known.is_as_good_as(one) && one.is_as_good_as(known))
        })
    }

    fn all(self) -> Vec<Configuration> {
        self.0.into_values().flatten().collect()
    }
}
