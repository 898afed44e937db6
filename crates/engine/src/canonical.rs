//! One state for many that differ in names only: heap, threads, opaque data.
//!
//! * **Heap** (DESIGN 3.2): nodes are numbered in the order a traversal from the roots meets them
//!   (globals, then threads in order, fields in order); what is not reachable is dropped. References
//!   to freed nodes are references like others, so dangling ones stay visible. *Preserves:* all
//!   relations (the renaming is an isomorphism; a dropped node has no influence on any future).
//! * **Data** (3.4): values of an opaque type are numbered in the order of their first occurrence.
//!   *Preserves:* everything that is invariant under a permutation of the values, provided the tag
//!   is renamed alike.
//! * **Threads** (3.4): blocks of threads with the same role are sorted. *Preserves:* everything that
//!   is invariant under a permutation of the threads, provided the tag is renamed alike.
//!
//! Data and threads are renamed in the state *and* in the tag by the same [`Renaming`]. Sorting
//! threads is by a key that does not depend on names that are still to be given; threads with equal
//! keys are tried in every order and the least resulting state is taken. If several orders give the
//! same state, all are returned, and the caller takes the one that makes the tag least. The *state*
//! must not depend on the tag: the antichain compares tags at the same state, and two orders of one
//! state would hide from each other.
//!
//! Any renaming is sound; a poor choice only misses an opportunity to merge. So the number of orders
//! tried is bounded ([`MAX_ORDERS`]).

use linchpin_lts::{FREED, Layout, SlotKind, threads_in};
use smallvec::SmallVec;

/// At most this many orders of threads are tried.
const MAX_ORDERS: usize = 720;

/// Stands for a name that is not given yet.
const UNNAMED: u32 = u32::MAX;

/// Which names are made canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merging {
    /// Numbers of heap nodes.
    pub heap: bool,
    /// Identities of threads.
    pub threads: bool,
    /// Opaque values.
    pub data: bool,
}

/// How threads and data were renamed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Renaming {
    /// New index of every thread.
    pub threads: SmallVec<[u8; 8]>,
    /// Per data type: the old values in the order of their new numbers, from 1. A value that does
    /// not occur in the state is not listed; `None` if the data type keeps its values.
    pub data: SmallVec<[Option<SmallVec<[u32; 8]>>; 2]>,
}

/// Makes states canonical; with the memory it needs.
pub struct Canonical<'l> {
    layout: &'l Layout,
    merging: Merging,
    /// Some slot outside the thread blocks holds thread identities.
    threads_in_memory: bool,
    base: Naming,
    naming: Naming,
    keys: Vec<SmallVec<[u32; 24]>>,
    out: Vec<u32>,
    best: Vec<u32>,
    alternatives: Vec<Renaming>,
}

/// Names given so far.
#[derive(Clone, Debug, Default)]
struct Naming {
    /// New number of every node, 0 if none.
    node: Vec<u32>,
    /// Nodes in the order of their numbers.
    nodes: Vec<u32>,
    /// How many of them have been looked into.
    scanned: usize,
    /// Per data type: old values in the order of their numbers.
    data: SmallVec<[Option<SmallVec<[u32; 8]>>; 2]>,
}

impl Naming {
    fn name_node(&mut self, node: u32) {
        if self.node[node as usize] == 0 {
            self.nodes.push(node);
            self.node[node as usize] = self.nodes.len() as u32;
        }
    }

    fn name_data(&mut self, ty: usize, value: u32) {
        if let Some(values) = &mut self.data[ty]
            && !values.contains(&value)
        {
            values.push(value);
        }
    }

    fn data(&self, ty: usize, value: u32) -> u32 {
        match &self.data[ty] {
            None => value,
            Some(values) => {
                values.iter().position(|&v| v == value).map_or(UNNAMED, |i| i as u32 + 1)
            }
        }
    }

    fn clone_from(&mut self, other: &Naming) {
        self.node.clone_from(&other.node);
        self.nodes.clone_from(&other.nodes);
        self.scanned = other.scanned;
        self.data.clone_from(&other.data);
    }
}

impl<'l> Canonical<'l> {
    /// For states of this layout. Symmetries that the system does not have are left out.
    pub fn new(layout: &'l Layout, mut merging: Merging) -> Self {
        merging.threads &= layout.thread_symmetric && layout.threads <= u8::MAX as usize;
        let threads_in_memory = layout
            .globals
            .iter()
            .chain(&layout.thread)
            .chain(layout.records.iter().flatten())
            .any(|k| matches!(k, SlotKind::Thread | SlotKind::Threads));
        Canonical {
            layout,
            merging,
            threads_in_memory,
            base: Naming::default(),
            naming: Naming::default(),
            keys: Vec::new(),
            out: Vec::new(),
            best: Vec::new(),
            alternatives: Vec::new(),
        }
    }

    /// Is there anything to rename in a tag?
    pub fn renames_tags(&self) -> bool {
        self.merging.threads || self.merging.data
    }

    /// The canonical form of a state and the renamings that lead to it, at least one.
    ///
    /// `hint` gives, per thread, a number that is the same for threads the tag does not tell apart
    /// by its form (any function is sound); `twins(a, b)` says that exchanging two threads leaves
    /// the tag as it is.
    pub fn canonical(
        &mut self,
        state: &[u32],
        hint: &[u32],
        twins: &dyn Fn(usize, usize) -> bool,
    ) -> (&mut Vec<u32>, &[Renaming]) {
        let l = self.layout;
        self.start(state);
        let mut order: SmallVec<[u8; 8]> = (0..l.threads as u8).collect();
        self.alternatives.clear();
        if !self.merging.threads {
            self.finish(state, &order);
            std::mem::swap(&mut self.best, &mut self.out);
            self.alternatives.push(self.renaming(&order));
            return (&mut self.best, &self.alternatives);
        }
        self.make_keys(state);
        let keys = &self.keys;
        let rank = |t: u8| (l.roles[t as usize], &keys[t as usize]);
        order.sort_by(|&a, &b| rank(a).cmp(&rank(b)));
        // Ranges of `order` in which more than one arrangement makes a difference.
        let mut ties: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        let mut from = 0;
        while from < order.len() {
            let mut to = from + 1;
            while to < order.len() && rank(order[from]) == rank(order[to]) {
                to += 1;
            }
            if keys[order[from] as usize].contains(&UNNAMED) || self.threads_in_memory {
                // The order decides which names are given first.
                if to - from > 1 {
                    ties.push((from, to));
                }
            } else {
                // The order makes no difference to the state; it is free to suit the tag.
                let hint = |t: u8| hint.get(t as usize).copied().unwrap_or(0);
                order[from..to].sort_by_key(|&t| hint(t));
                let mut first = from;
                while first < to {
                    let mut last = first + 1;
                    while last < to && hint(order[first]) == hint(order[last]) {
                        last += 1;
                    }
                    let alike =
                        order[first..last].windows(2).all(|w| twins(w[0] as usize, w[1] as usize));
                    if last - first > 1 && !alike {
                        ties.push((first, last));
                    }
                    first = last;
                }
            }
            from = to;
        }
        let count: usize = ties.iter().map(|&(a, b)| (1..=b - a).product::<usize>()).product();
        if ties.is_empty() || count > MAX_ORDERS {
            self.finish(state, &order);
            std::mem::swap(&mut self.best, &mut self.out);
            self.alternatives.push(self.renaming(&order));
            return (&mut self.best, &self.alternatives);
        }
        let mut first = true;
        for number in 0..count {
            let arranged = arrangement(&order, &ties, number);
            self.finish(state, &arranged);
            let ordering = if first { std::cmp::Ordering::Less } else { self.out.cmp(&self.best) };
            if ordering.is_lt() {
                std::mem::swap(&mut self.best, &mut self.out);
                self.alternatives.clear();
            }
            if ordering.is_le() {
                self.alternatives.push(self.renaming(&arranged));
            }
            first = false;
        }
        (&mut self.best, &self.alternatives)
    }

    /// Names what the globals lead to.
    fn start(&mut self, state: &[u32]) {
        let l = self.layout;
        let n = l.nodes(state);
        let base = &mut self.base;
        base.node.clear();
        base.node.resize(n + 1, 0);
        base.nodes.clear();
        base.scanned = 0;
        base.data.clear();
        for symmetric in &l.data_symmetric {
            base.data.push((self.merging.data && *symmetric).then(SmallVec::new));
        }
        if !self.merging.heap {
            (1..=n as u32).for_each(|node| base.name_node(node));
        }
        scan_slots(&l.globals, &state[..l.globals.len()], base);
        scan_nodes(l, state, base);
    }

    /// What a thread looks like before the names it introduces are given.
    fn make_keys(&mut self, state: &[u32]) {
        let l = self.layout;
        self.keys.resize_with(l.threads, Default::default);
        for t in 0..l.threads {
            let me = t as u32 + 1;
            let key = &mut self.keys[t];
            key.clear();
            let at = l.block(t);
            for (kind, &slot) in l.thread.iter().zip(&state[at..at + l.thread.len()]) {
                key.push(key_slot(*kind, slot, me, &self.base));
            }
            if self.threads_in_memory {
                for (kind, &slot) in l.globals.iter().zip(state) {
                    if *kind == SlotKind::Thread {
                        key.push(u32::from(slot == me));
                    }
                }
                for &node in &self.base.nodes {
                    let at = l.node(node);
                    for (kind, &slot) in l.fields(state[at]).iter().zip(&state[at + 1..]) {
                        if *kind == SlotKind::Thread {
                            key.push(u32::from(slot == me));
                        }
                    }
                }
            }
        }
    }

    /// Gives the remaining names for this order of threads (old indices, new order) and writes the
    /// renamed state to `out`.
    fn finish(&mut self, state: &[u32], order: &[u8]) {
        let l = self.layout;
        self.naming.clone_from(&self.base);
        let naming = &mut self.naming;
        for &t in order {
            let at = l.block(t as usize);
            scan_slots(&l.thread, &state[at..at + l.thread.len()], naming);
            scan_nodes(l, state, naming);
        }
        let mut place: SmallVec<[u8; 8]> = SmallVec::from_elem(0, order.len());
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u8;
        }
        let out = &mut self.out;
        out.clear();
        let rename = |kind: SlotKind, slot: u32| match kind {
            SlotKind::Scalar => slot,
            _ if slot == 0 => 0,
            SlotKind::Ref => naming.node[slot as usize],
            SlotKind::Data(ty) => naming.data(ty as usize, slot),
            SlotKind::Thread => u32::from(place[slot as usize - 1]) + 1,
            SlotKind::Threads => threads_in(slot).map(|t| 1 << place[t as usize - 1]).sum(),
        };
        out.extend(l.globals.iter().zip(state).map(|(k, &s)| rename(*k, s)));
        for (ty, counter) in l.fresh.iter().enumerate() {
            if let (Some(counter), Some(values)) = (counter, &naming.data[ty]) {
                // The caller adds what occurs in the tag only.
                out[*counter] = values.len() as u32;
            }
        }
        for &t in order {
            let at = l.block(t as usize);
            out.extend(
                l.thread.iter().zip(&state[at..at + l.thread.len()]).map(|(k, &s)| rename(*k, s)),
            );
        }
        for &node in &naming.nodes {
            let at = l.node(node);
            let tag = state[at];
            let kinds = l.fields(tag);
            let end = out.len() + l.stride;
            out.push(tag);
            out.extend(kinds.iter().zip(&state[at + 1..]).map(|(k, &s)| rename(*k, s)));
            out.resize(end, 0);
        }
    }

    fn renaming(&self, order: &[u8]) -> Renaming {
        let mut threads: SmallVec<[u8; 8]> = SmallVec::from_elem(0, order.len());
        for (new, &old) in order.iter().enumerate() {
            threads[old as usize] = new as u8;
        }
        Renaming { threads, data: self.naming.data.clone() }
    }
}

fn key_slot(kind: SlotKind, slot: u32, me: u32, names: &Naming) -> u32 {
    match kind {
        SlotKind::Scalar => slot,
        _ if slot == 0 => 0,
        SlotKind::Ref => match names.node[slot as usize] {
            0 => UNNAMED,
            n => n,
        },
        SlotKind::Data(ty) => names.data(ty as usize, slot),
        SlotKind::Thread => 1 + u32::from(slot == me),
        SlotKind::Threads => slot.count_ones() << 1 | slot >> (me - 1) & 1,
    }
}

fn scan_slots(kinds: &[SlotKind], slots: &[u32], naming: &mut Naming) {
    for (kind, &slot) in kinds.iter().zip(slots) {
        match kind {
            SlotKind::Ref if slot != 0 => naming.name_node(slot),
            SlotKind::Data(ty) if slot != 0 => naming.name_data(*ty as usize, slot),
            _ => {}
        }
    }
}

fn scan_nodes(l: &Layout, state: &[u32], naming: &mut Naming) {
    while naming.scanned < naming.nodes.len() {
        let at = l.node(naming.nodes[naming.scanned]);
        naming.scanned += 1;
        if state[at] & FREED == 0 || l.stable {
            let kinds = l.fields(state[at]);
            scan_slots(kinds, &state[at + 1..at + 1 + kinds.len()], naming);
        }
    }
}

/// The `number`-th way to arrange the ties of an order.
fn arrangement(
    order: &SmallVec<[u8; 8]>,
    ties: &[(usize, usize)],
    mut number: usize,
) -> SmallVec<[u8; 8]> {
    let mut arranged = order.clone();
    for &(from, to) in ties {
        // Factorial number system, by rotations.
        for i in from..to {
            let left = to - i;
            let pick = number % left;
            number /= left;
            arranged[i..=i + pick].rotate_right(1);
        }
    }
    arranged
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small pseudo-random numbers.
    struct Random(u64);
    impl Random {
        fn below(&mut self, n: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((self.0 >> 33) % u64::from(n)) as u32
        }

        fn permutation(&mut self, n: usize) -> Vec<u32> {
            let mut p: Vec<u32> = (1..=n as u32).collect();
            for i in (1..n).rev() {
                p.swap(i, self.below(i as u32 + 1) as usize);
            }
            p
        }
    }

    fn layout() -> Layout {
        use SlotKind::{Data, Ref, Scalar, Thread, Threads};
        Layout {
            globals: vec![Ref, Data(0), Thread, Scalar],
            thread: vec![Scalar, Ref, Data(0), Thread, Threads, Ref],
            private: 5,
            threads: 3,
            roles: vec![0, 0, 0],
            records: vec![vec![Data(0), Ref, Ref]],
            stride: 4,
            fresh: vec![Some(3)],
            lost: None,
            stable: false,
            thread_symmetric: true,
            data_symmetric: vec![true],
        }
    }

    const NODES: usize = 4;
    const VALUES: usize = 3;

    fn random_state(l: &Layout, r: &mut Random) -> Vec<u32> {
        let slot = |kind: &SlotKind, r: &mut Random| match kind {
            SlotKind::Scalar => r.below(2),
            SlotKind::Ref => r.below(NODES as u32 + 1),
            SlotKind::Data(_) => r.below(VALUES as u32 + 1),
            SlotKind::Thread => r.below(l.threads as u32 + 1),
            SlotKind::Threads => r.below(1 << l.threads),
        };
        let mut state: Vec<u32> = l.globals.iter().map(|k| slot(k, r)).collect();
        for _ in 0..l.threads {
            state.extend(l.thread.iter().map(|k| slot(k, r)));
        }
        for _ in 0..NODES {
            state.push(1);
            state.extend(l.records[0].iter().map(|k| slot(k, r)));
        }
        state
    }

    /// The same state with other names.
    fn renamed(l: &Layout, state: &[u32], r: &mut Random) -> Vec<u32> {
        let threads = r.permutation(l.threads);
        let nodes = r.permutation(NODES);
        let values = r.permutation(VALUES);
        let name = |kind: &SlotKind, slot: u32| match kind {
            SlotKind::Scalar => slot,
            _ if slot == 0 => 0,
            SlotKind::Ref => nodes[slot as usize - 1],
            SlotKind::Data(_) => values[slot as usize - 1],
            SlotKind::Thread => threads[slot as usize - 1],
            SlotKind::Threads => (0..l.threads)
                .map(|t| (slot >> t & 1) << (threads[t] - 1))
                .fold(0, |set, t| set | t),
        };
        let mut out = state.to_vec();
        for (i, kind) in l.globals.iter().enumerate() {
            out[i] = name(kind, state[i]);
        }
        for t in 0..l.threads {
            let to = l.block(threads[t] as usize - 1);
            for (i, kind) in l.thread.iter().enumerate() {
                out[to + i] = name(kind, state[l.block(t) + i]);
            }
        }
        for n in 1..=NODES as u32 {
            let to = l.node(nodes[n as usize - 1]);
            for (i, kind) in l.records[0].iter().enumerate() {
                out[to + 1 + i] = name(kind, state[l.node(n) + 1 + i]);
            }
        }
        out
    }

    #[test]
    fn states_that_differ_in_names_only_have_one_canonical_form() {
        let l = layout();
        let mut canonical = Canonical::new(&l, Merging { heap: true, threads: true, data: true });
        let mut r = Random(7);
        let mut merged = std::collections::HashSet::new();
        for _ in 0..5_000 {
            let state = random_state(&l, &mut r);
            let hints = [r.below(2), r.below(2), r.below(2)];
            let form = canonical.canonical(&state, &hints, &|_, _| false).0.clone();
            let other = renamed(&l, &state, &mut r);
            let again = canonical.canonical(&other, &[], &|_, _| false).0.clone();
            assert_eq!(form, again, "of {state:?} and {other:?}");
            let twice = canonical.canonical(&form, &[], &|_, _| false).0.clone();
            assert_eq!(form, twice, "a canonical form is its own");
            merged.insert(form);
        }
        assert!(merged.len() > 1_000, "different states stay different");
    }

    #[test]
    fn nothing_is_renamed_unless_asked_for() {
        let l = layout();
        let mut canonical =
            Canonical::new(&l, Merging { heap: false, threads: false, data: false });
        let mut r = Random(11);
        for _ in 0..200 {
            let state = random_state(&l, &mut r);
            assert_eq!(*canonical.canonical(&state, &[], &|_, _| false).0, state);
        }
    }
}
