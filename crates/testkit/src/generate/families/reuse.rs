//! Objects whose nodes are given back and come again, with links to fields and locks of nodes.

use super::Family;

pub(super) const FAMILIES: &[Family] = &[LINKED_STACK, CELL_COUNTER];

/// Stacks below a node that stays, so that the top is a field.
const LINKED_STACK: Family = Family {
    types: "data V\nnode Node { val: V, next: Node, l: lock }\n",
    objects: &[
        "\
object Obj {
  memory stable
  var head: Node
  init {
    head = new Node
  }
  op push(v: V) {
    let n = new Node { val: v }
    let h = head
    loop {
      let t = ll(h.next)
      n.next = t
      if sc(h.next, n) {
        return
      }
    }
  }
  op pop() -> V? {
    let h = head
    loop {
      let t = ll(h.next)
      if t == null {
        return empty
      }
      let after = t.next
      let v = t.val
      if sc(h.next, after) {
        free(t)
        return v
      }
    }
  }
}
",
        // Every link is to the field of the node in question; the link to the first is given up.
        "\
object Obj {
  memory stable
  var top: Node
  op push(v: V) {
    let n = new Node { val: v }
    loop {
      let t = top
      n.next = t
      if cas(top, t, n) {
        return
      }
    }
  }
  op pop() -> V? {
    loop {
      let t = top
      if t == null {
        return empty
      }
      let after = ll(t.next)
      let v = t.val
      atomic {
        if top == t && vl(t.next) {
          top = after
          free(t)
          return v
        }
      }
    }
  }
}
",
        "\
object Obj {
  memory manual
  var head: Node
  init {
    head = new Node
  }
  op push(v: V) {
    let h = head
    let n = new Node { val: v }
    lock(h.l)
    n.next = h.next
    h.next = n
    unlock(h.l)
  }
  op pop() -> V? {
    let h = head
    lock(h.l)
    let t = h.next
    if t == null {
      unlock(h.l)
      return empty
    }
    lock(t.l)
    h.next = t.next
    unlock(h.l)
    let v = t.val
    unlock(t.l)
    free(t)
    return v
  }
}
",
        // A pool of its own instead of `free`.
        "\
object Obj {
  memory manual
  var head: Node
  var pool: Node
  init {
    head = new Node
    pool = new Node
  }
  op push(v: V) {
    let n: Node = null
    atomic {
      n = pool.next
      if n != null {
        pool.next = n.next
      }
    }
    if n == null {
      n = new Node
    }
    n.val = v
    loop {
      n.next = ll(head.next)
      if sc(head.next, n) {
        return
      }
    }
  }
  op pop() -> V? {
    loop {
      let t = ll(head.next)
      if t == null {
        return empty
      }
      let after = t.next
      if sc(head.next, after) {
        let v = t.val
        atomic {
          t.next = pool.next
          pool.next = t
        }
        return v
      }
    }
  }
}
",
    ],
    spec: "\
spec Abs {
  var items: seq<V>
  op push(v: V) { items.push_back(v) }
  op pop() -> V? {
    if items.is_empty() { return empty }
    return items.pop_back()
  }
}
",
    settings: &[],
    heavy: true,
};

/// A number in a node that is replaced by another node, or changed by link.
const CELL_COUNTER: Family = Family {
    types: "node Cell { val: 0..=9, l: lock }\nnode Root { cell: Cell }\n",
    objects: &[
        "\
object Obj {
  memory stable
  var root: Root
  init {
    let c = new Cell
    root = new Root { cell: c }
  }
  op add() -> 0..=9 {
    let r = root
    loop {
      let old = ll(r.cell)
      let v = old.val
      let n = new Cell { val: v + 1 }
      if sc(r.cell, n) {
        free(old)
        return v
      }
      free(n)
    }
  }
  op read() -> 0..=9 {
    let r = root
    loop {
      let c = ll(r.cell)
      let v = c.val
      if vl(r.cell) {
        return v
      }
    }
  }
}
",
        "\
object Obj {
  memory manual
  var cell: Cell
  init {
    cell = new Cell
  }
  op add() -> 0..=9 {
    let c = cell
    loop {
      let v = ll(c.val)
      if sc(c.val, v + 1) {
        return v
      }
    }
  }
  op read() -> 0..=9 {
    return cell.val
  }
}
",
        "\
object Obj {
  memory manual
  var root: Root
  init {
    let c = new Cell
    root = new Root { cell: c }
  }
  op add() -> 0..=9 {
    let n = new Cell
    let r = root
    atomic {
      let old = r.cell
      let v = old.val
      n.val = v + 1
      r.cell = n
      free(old)
      return v
    }
  }
  op read() -> 0..=9 {
    atomic {
      return root.cell.val
    }
  }
}
",
        "\
object Obj {
  memory stable
  var cell: Cell
  init {
    cell = new Cell
  }
  op add() -> 0..=9 {
    let c = cell
    lock(c.l)
    let v = c.val
    c.val = v + 1
    unlock(c.l)
    return v
  }
  op read() -> 0..=9 {
    let c = cell
    if try_lock(c.l) {
      let v = c.val
      unlock(c.l)
      return v
    }
    return c.val
  }
}
",
    ],
    spec: "\
spec Abs {
  var n: 0..=9
  op add() -> 0..=9 {
    n = n + 1
    return n - 1
  }
  op read() -> 0..=9 { return n }
}
",
    settings: &[],
    heavy: true,
};
