//! More ways to use references: in arrays, per thread, in nodes with locks of their own.

use super::Family;

pub(super) const FAMILIES: &[Family] = &[KEY_VALUE, HAZARD, COUPLED_LIST];

const KEY_VALUE: Family = Family {
    types: "data V\ntype K = 0..=1\nnode Entry { val: V? }\n",
    objects: &[
        "\
object Obj {
  memory gc
  var at: [Entry; 2]
  op put(k: K, v: V) {
    at[k] = new Entry { val: v }
  }
  op get(k: K) -> V? {
    let e = at[k]
    if e == null {
      return empty
    }
    return e.val
  }
  op remove(k: K) -> bool {
    return swap(at[k], null) != null
  }
}
",
        "\
object Obj {
  var at: [V?; 2]
  op put(k: K, v: V) {
    at[k] = v
  }
  op get(k: K) -> V? {
    return at[k]
  }
  op remove(k: K) -> bool {
    loop {
      let old = at[k]
      if old == empty {
        return false
      }
      if cas(at[k], old, empty) {
        return true
      }
    }
  }
}
",
        // Entries stay and are changed in place.
        "\
object Obj {
  memory gc
  var at: [Entry; 2]
  init {
    at[0] = new Entry
    at[1] = new Entry
  }
  op put(k: K, v: V) {
    let e = at[k]
    e.val = v
  }
  op get(k: K) -> V? {
    return at[k].val
  }
  op remove(k: K) -> bool {
    let e = at[k]
    let old = swap(e.val, empty)
    return old != empty
  }
}
",
    ],
    spec: "\
spec Abs {
  var entries: map<K, V>
  op put(k: K, v: V) { entries[k] = v }
  op get(k: K) -> V? { return entries.get(k) }
  op remove(k: K) -> bool {
    if !entries.contains(k) { return false }
    entries.remove(k)
    return true
  }
}
",
    settings: &["values put.k: {0, 1}", "values get.k: {0}", "values remove.k: {0}"],
    heavy: false,
};

/// A register whose nodes are given back: readers announce what they look at (M. M. Michael,
/// *Hazard pointers*, IEEE TPDS 15(6), 2004).
const HAZARD: Family = Family {
    types: "data V\nnode Box { val: V }\n",
    objects: &[
        "\
object Obj {
  memory manual
  var x: Box
  var hazard: [Box; threads]
  init {
    x = new Box
  }
  op read() -> V {
    retry: loop {
      let b = x
      hazard[self] = b
      if x != b {
        continue retry
      }
      let v = b.val
      hazard[self] = null
      return v
    }
  }
  op write(v: V) {
    let n = new Box { val: v }
    let old = swap(x, n)
    for t in threads {
      if hazard[t] == old {
        return
      }
    }
    free(old)
  }
}
",
        "\
object Obj {
  memory manual
  var x: Box
  var readers: 0..=9
  init {
    x = new Box
  }
  op read() -> V {
    fetch_add(readers, 1)
    let v = x.val
    fetch_add(readers, -1)
    return v
  }
  op write(v: V) {
    let old = swap(x, new Box { val: v })
    if readers == 0 {
      free(old)
    }
  }
}
",
    ],
    spec: "\
spec Abs {
  var x: V
  op read() -> V { return x }
  op write(v: V) { x = v }
}
",
    settings: &[],
    heavy: true,
};

/// A sorted list with a lock in every node, locked hand over hand.
const COUPLED_LIST: Family = Family {
    types: "node Node { key: 0..=3, next: Node, l: lock }\n",
    objects: &["\
object Obj {
  memory gc
  var head: Node
  init {
    let last = new Node { key: 3 }
    head = new Node { next: last }
  }
  op add(k: 1..=2) -> bool {
    let p = head
    lock(p.l)
    let c = p.next
    lock(c.l)
    while c.key < k {
      unlock(p.l)
      p = c
      c = c.next
      lock(c.l)
    }
    let ok = c.key != k
    if ok {
      p.next = new Node { key: k, next: c }
    }
    unlock(p.l)
    unlock(c.l)
    return ok
  }
  op remove(k: 1..=2) -> bool {
    let p = head
    lock(p.l)
    let c = p.next
    lock(c.l)
    while c.key < k {
      unlock(p.l)
      p = c
      c = c.next
      lock(c.l)
    }
    let ok = c.key == k
    if ok {
      p.next = c.next
    }
    unlock(c.l)
    unlock(p.l)
    return ok
  }
}
"],
    spec: "\
spec Abs {
  var keys: set<1..=2>
  op add(k: 1..=2) -> bool { return keys.insert(k) }
  op remove(k: 1..=2) -> bool { return keys.remove(k) }
}
",
    settings: &["values remove.k: {1}"],
    heavy: true,
};
