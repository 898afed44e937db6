//! Registers, compare-and-set registers and keys of a map, whatever values occur: a search that knows what a register is.
//!
//! To decide them is NP-complete (Gibbons and Korach, "Testing shared memories", SIAM J. Comput. 1997, theorem 3.1), and what
//! makes the general search (`breadth`) slow is to choose which of many open writes have taken effect already. Here that is
//! not asked. All that happens to a register is a row of *changes*, each the effect of some open write or successful
//! compare-and-set; every other write takes effect where nobody sees it, just before a change by another write or while the
//! register has its value anyway. So a history is linearizable if there are changes, each at some moment, such that
//!
//! * whoever wrote makes a change once at most, and at a moment between its call and its return;
//! * every compare-and-set that succeeded makes a change, from its old value to its new one;
//! * every write that returned makes a change, or has between its call and its return one by another write, or a moment in
//!   which the register has its value: it is *hidden*;
//! * every read (and every compare-and-set that failed) has a moment in which the register has (or has not) its value.
//!
//! Changes happen just before a return that needs one, as in `breadth`, or before that of a write which makes the last of
//! them: later it cannot. A configuration is a value, who of the open ones
//! has made a change, who has read and who is hidden. Of two with the same value and the same compare-and-sets done, one
//! is at least as good if it has used fewer writes, satisfied more reads and hidden more writes: whatever the other does
//! next, it can do too. (Who has made a change is hidden as well.) Of several open writes of a value
//! the one that returns first makes the change: the others can do so for longer, and are hidden by it; those that never
//! return come last. And a write that is not what the return waits for, that nobody reads and that no compare-and-set goes on
//! from, need not be a change: the next change is by a write, overwrites it at the same moment, and hides whom it hid.

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
    /// Is an operation that changes nothing, or a write that need not, done in a moment with this value?
    fn fits(self, value: u32) -> bool {
        match self {
            Kind::Is(wanted) | Kind::Write(wanted) => value == wanted,
            Kind::IsNot(other) => value != other,
            Kind::Any => true,
            Kind::Swap(..) => false,
        }
    }

    fn writes(self) -> bool {
        matches!(self, Kind::Write(_))
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
    /// Open reads that are satisfied, and writes that are hidden.
    fits: Bits,
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
        self.used.is_subset(&other.used)
            && self.never.is_subset(&other.never)
            && other.fits.is_subset(&self.fits)
    }
}

/// An operation that made a change, or that need not (it may still make one later), after what was before.
#[derive(Clone, Copy, Debug)]
struct Node {
    before: u32,
    op: u32,
    place: u32,
    change: bool,
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
    /// What happened so far, if an order is wanted.
    nodes: Option<Vec<Node>>,
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
        let (fits, used, swaps, never) = (none(), none(), none(), none());
        let start = Configuration { value, fits, used, swaps, never, node: START };
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
            if op.returns && op.kind.fits(configuration.value) {
                configuration.fits.insert(op.slot);
                note(&mut self.nodes, &mut configuration.node, i, place, false);
            }
        }
    }

    fn ret(&mut self, i: u32, place: u32, most: u64, watch: &Watch) -> Option<End> {
        let awaited = self.ops[i as usize];
        let (mut seen, mut finished) = (Best::default(), Best::default());
        let mut todo = Vec::new();
        // A write that nobody has seen has its last chance now, even if it need not be seen.
        let writes = awaited.kind.writes();
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
            for by in self.changes(&from) {
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
                    true => by == i || !is_done(&awaited, &from) && is_done(&awaited, &reached),
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
        let mut kept = Best::default();
        for mut configuration in finished.all() {
            configuration.fits.remove(awaited.slot);
            configuration.used.remove(awaited.slot);
            configuration.swaps.remove(awaited.slot);
            kept.insert(configuration);
        }
        self.frontier = kept.all();
        None
    }

    /// Who may make the next change.
    fn changes(&self, from: &Configuration) -> Vec<u32> {
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
        // One that leaves the value as it is hides others.
        by.extend(first.into_values());
        by.sort_unstable();
        by
    }

    fn changed(&mut self, from: &Configuration, by: u32, place: u32) -> Configuration {
        let mut to = from.clone();
        let op = self.ops[by as usize];
        // Whoever writes hides all others.
        for &i in self.open.iter().filter(|_| op.kind.writes()) {
            let other = &self.ops[i as usize];
            if other.kind.writes() && !to.fits.has(other.slot) {
                to.fits.insert(other.slot);
                if i != by {
                    note(&mut self.nodes, &mut to.node, i, place, false);
                }
            }
        }
        match (op.kind, op.returns) {
            (_, false) => to.never.insert(op.slot),
            (Kind::Swap(..), true) => to.swaps.insert(op.slot),
            _ => to.used.insert(op.slot),
        }
        if let Kind::Write(value) | Kind::Swap(_, value) = op.kind {
            to.value = value;
        }
        note(&mut self.nodes, &mut to.node, by, place, true);
        for &i in &self.open {
            let other = &self.ops[i as usize];
            if other.kind.fits(to.value) && !to.fits.has(other.slot) {
                to.fits.insert(other.slot);
                note(&mut self.nodes, &mut to.node, i, place, false);
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
        let reads = |i: &u32| {
            let op = &self.ops[*i as usize];
            !op.kind.writes() && to.fits.has(op.slot) && !from.fits.has(op.slot)
        };
        self.open.iter().any(reads)
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
        while let Some(one) = nodes.get(node as usize) {
            order.push(*one);
            node = one.before;
        }
        // Whoever made a change in the end was not hidden before.
        let mut makes_change = vec![false; self.ops.len()];
        order.iter().filter(|n| n.change).for_each(|n| makes_change[n.op as usize] = true);
        let order = order.iter().rev().filter(|n| n.change || !makes_change[n.op as usize]);
        Some(order.map(|n| (self.ops[n.op as usize].index, n.place)).collect())
    }
}

/// Has an operation all that it needs to return?
fn is_done(op: &Op, configuration: &Configuration) -> bool {
    match op.kind {
        Kind::Swap(..) => configuration.swaps.has(op.slot),
        _ => configuration.fits.has(op.slot),
    }
}

fn note(nodes: &mut Option<Vec<Node>>, node: &mut u32, op: u32, place: u32, change: bool) {
    let Some(nodes) = nodes else { return };
    nodes.push(Node { before: *node, op, place, change });
    *node = (nodes.len() - 1) as u32;
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
