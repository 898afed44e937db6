//! Are two states the same up to names: numbers of heap nodes, opaque values?
//!
//! Both are walked through from the variables and threads on, side by side; a name of the one goes with
//! one name of the other, and back. Nodes that nobody can reach do not count. Threads are not renamed.

use std::collections::HashMap;

use linchpin_lts::{Layout, SlotKind};

/// Pairs of names.
#[derive(Default)]
struct Pairs {
    there: HashMap<u32, u32>,
    back: HashMap<u32, u32>,
    /// In the order of their discovery.
    all: Vec<(u32, u32)>,
}

impl Pairs {
    /// Do these two go together? 0 goes with 0 only.
    fn agree(&mut self, a: u32, b: u32) -> bool {
        if a == 0 || b == 0 {
            return a == b;
        }
        match (self.there.get(&a), self.back.get(&b)) {
            (None, None) => {
                self.there.insert(a, b);
                self.back.insert(b, a);
                self.all.push((a, b));
                true
            }
            (other, one) => other == Some(&b) && one == Some(&a),
        }
    }
}

/// Does the second state differ from the first in names only?
pub(crate) fn same_up_to_names(layout: &Layout, a: &[u32], b: &[u32]) -> bool {
    let mut nodes = Pairs::default();
    let mut data: HashMap<u32, Pairs> = HashMap::new();
    let mut agree = |kind: SlotKind, a: u32, b: u32, nodes: &mut Pairs| match kind {
        SlotKind::Scalar | SlotKind::Thread | SlotKind::Threads => a == b,
        SlotKind::Ref => nodes.agree(a, b),
        SlotKind::Data(ty) if layout.data_symmetric.get(ty as usize) == Some(&true) => {
            data.entry(ty).or_default().agree(a, b)
        }
        SlotKind::Data(_) => a == b,
    };
    let is_counter = |slot: usize| layout.fresh.contains(&Some(slot));
    let globals = (0..).zip(&layout.globals).filter(|(slot, _)| !is_counter(*slot));
    let blocks = (0..layout.threads).flat_map(|t| (layout.block(t)..).zip(&layout.thread));
    for (slot, kind) in globals.chain(blocks) {
        if !agree(*kind, a[slot], b[slot], &mut nodes) {
            return false;
        }
    }
    let mut next = 0;
    while let Some(&(one, other)) = nodes.all.get(next) {
        next += 1;
        let (from, to) = (layout.node(one), layout.node(other));
        if a[from] != b[to] {
            return false;
        }
        for (i, kind) in layout.fields(a[from]).iter().enumerate() {
            if !agree(*kind, a[from + 1 + i], b[to + 1 + i], &mut nodes) {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A global reference, a global value, one thread with a reference; nodes with a value and a link.
    fn layout() -> Layout {
        Layout {
            globals: vec![SlotKind::Ref, SlotKind::Data(0), SlotKind::Scalar],
            thread: vec![SlotKind::Ref],
            threads: 1,
            records: vec![vec![SlotKind::Data(0), SlotKind::Ref]],
            stride: 3,
            fresh: vec![Some(2)],
            data_symmetric: vec![true],
            ..Layout::default()
        }
    }

    #[test]
    fn names_do_not_matter_and_everything_else_does() {
        // globals: ref, value, counter; thread; node 1: tag, value, next; node 2.
        let a = [1, 5, 9, 2, 1, 5, 2, 1, 6, 0];
        let renamed = [2, 7, 3, 1, 1, 8, 0, 1, 7, 1];
        assert!(same_up_to_names(&layout(), &a, &a));
        assert!(same_up_to_names(&layout(), &a, &renamed));
        let other_value = [2, 8, 3, 1, 1, 8, 0, 1, 7, 1];
        assert!(!same_up_to_names(&layout(), &a, &other_value));
        let other_link = [1, 5, 9, 2, 1, 5, 0, 1, 6, 0];
        assert!(!same_up_to_names(&layout(), &a, &other_link));
        let other_root = [1, 5, 9, 1, 1, 5, 2, 1, 6, 0];
        assert!(!same_up_to_names(&layout(), &a, &other_root));
    }
}
