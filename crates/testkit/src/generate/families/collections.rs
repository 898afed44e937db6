//! Stacks, queues, sets, bags and one-slot buffers; lists on the heap with all kinds of memory.

use super::Family;

pub(super) const FAMILIES: &[Family] = &[STACK, QUEUE, BITSET, BAG, SLOT, LIST_SET];

const STACK: Family = Family {
    types: "data V\nnode Node { val: V, next: Node }\n",
    objects: &[
        "\
object Obj {
  memory gc
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
      let after = t.next
      if cas(top, t, after) {
        return t.val
      }
    }
  }
}
",
        // Gives records back: wrong under manual memory, and a victim of ABA under stable memory.
        "\
object Obj {
  memory manual
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
      let after = t.next
      if cas(top, t, after) {
        let v = t.val
        free(t)
        return v
      }
    }
  }
}
",
        "\
struct Anchor { ptr: Node, count: 0..=15 }
object Obj {
  memory stable
  var top: Anchor
  op push(v: V) {
    let n = new Node { val: v }
    loop {
      let t = top
      n.next = t.ptr
      if cas(top, t, Anchor(n, (t.count + 1) % 16)) {
        return
      }
    }
  }
  op pop() -> V? {
    loop {
      let t = top
      if t.ptr == null {
        return empty
      }
      let after = t.ptr.next
      let v = t.ptr.val
      if cas(top, t, Anchor(after, (t.count + 1) % 16)) {
        free(t.ptr)
        return v
      }
    }
  }
}
",
        "\
object Obj {
  memory manual
  var top: Node
  var l: lock
  op push(v: V) {
    lock(l)
    let n = new Node { val: v, next: top }
    top = n
    unlock(l)
  }
  op pop() -> V? {
    lock(l)
    let t = top
    if t == null {
      unlock(l)
      return empty
    }
    top = t.next
    let v = t.val
    free(t)
    unlock(l)
    return v
  }
}
",
        "\
object Obj {
  memory stable
  var top: Node
  op push(v: V) {
    let n = new Node { val: v }
    loop {
      n.next = ll(top)
      if sc(top, n) {
        return
      }
    }
  }
  op pop() -> V? {
    loop {
      let t = ll(top)
      if t == null {
        return empty
      }
      let after = t.next
      let v = t.val
      if sc(top, after) {
        free(t)
        return v
      }
    }
  }
}
",
        "\
object Obj {
  var items: [V?; 4]
  var n: 0..=4
  op push(v: V) {
    atomic {
      items[n] = v
      n = n + 1
    }
  }
  op pop() -> V? {
    atomic {
      if n == 0 {
        return empty
      }
      n = n - 1
      return items[n]
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

const QUEUE: Family = Family {
    types: "data V\nnode Node { val: V, next: Node }\n",
    objects: &[
        "\
object Obj {
  var head: Node
  var tail: Node
  init {
    let n = new Node
    head = n
    tail = n
  }
  op enq(v: V) {
    let n = new Node { val: v }
    loop {
      let t = tail
      let next = t.next
      if next == null {
        if cas(t.next, null, n) {
          cas(tail, t, n)
          return
        }
      } else {
        cas(tail, t, next)
      }
    }
  }
  op deq() -> V? {
    loop {
      let h = head
      let t = tail
      let next = h.next
      if next == null {
        return empty
      }
      if h == t {
        cas(tail, t, next)
      } else {
        let v = next.val
        if cas(head, h, next) {
          return v
        }
      }
    }
  }
}
",
        "\
object Obj {
  var head: Node
  var tail: Node
  var front: lock
  var back: lock
  init {
    let n = new Node
    head = n
    tail = n
  }
  op enq(v: V) {
    let n = new Node { val: v }
    lock(back)
    tail.next = n
    tail = n
    unlock(back)
  }
  op deq() -> V? {
    lock(front)
    let next = head.next
    if next == null {
      unlock(front)
      return empty
    }
    let v = next.val
    head = next
    unlock(front)
    return v
  }
}
",
        "\
object Obj {
  var ring: [V; 4]
  var first: 0..=9
  var last: 0..=9
  var l: lock
  op enq(v: V) {
    lock(l)
    ring[last % 4] = v
    last = last + 1
    unlock(l)
  }
  op deq() -> V? {
    lock(l)
    if first == last {
      unlock(l)
      return empty
    }
    let v = ring[first % 4]
    first = first + 1
    unlock(l)
    return v
  }
}
",
        // Slots are claimed by counting, then filled; an early dequeue sees a hole.
        "\
object Obj {
  var slots: [V?; 4]
  var back: 0..=4
  op enq(v: V) {
    let i = fetch_add(back, 1)
    slots[i] = v
  }
  op deq() -> V? {
    let n = back
    for i in 0..n {
      let v = swap(slots[i], empty)
      if v != empty {
        return v
      }
    }
    return empty
  }
}
",
    ],
    spec: "\
spec Abs {
  var items: seq<V>
  op enq(v: V) { items.push_back(v) }
  op deq() -> V? {
    if items.len() == 0 { return empty }
    return items.pop_front()
  }
}
",
    settings: &[],
    heavy: true,
};

const BITSET: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var has: [bool; 2]
  op add(k: 0..=1) -> bool {
    return cas(has[k], false, true)
  }
  op remove(k: 0..=1) -> bool {
    return swap(has[k], false)
  }
  op contains(k: 0..=1) -> bool {
    return has[k]
  }
}
",
        "\
object Obj {
  var has: [bool; 2]
  var l: [lock; 2]
  fn change(k: 0..=1, to: bool) -> bool {
    lock(l[k])
    let before = has[k]
    has[k] = to
    unlock(l[k])
    return before
  }
  op add(k: 0..=1) -> bool {
    return !change(k, true)
  }
  op remove(k: 0..=1) -> bool {
    return change(k, false)
  }
  op contains(k: 0..=1) -> bool {
    return has[k]
  }
}
",
        "\
object Obj {
  var has: [bool; 2]
  op add(k: 0..=1) -> bool {
    if has[k] {
      return false
    }
    return cas(has[k], false, true)
  }
  op remove(k: 0..=1) -> bool {
    if !has[k] {
      return false
    }
    atomic {
      let before = has[k]
      has[k] = false
      return before
    }
  }
  op contains(k: 0..=1) -> bool {
    return has[k]
  }
}
",
    ],
    spec: "\
spec Abs {
  var keys: set<0..=1>
  op add(k: 0..=1) -> bool { return keys.insert(k) }
  op remove(k: 0..=1) -> bool { return keys.remove(k) }
  op contains(k: 0..=1) -> bool { return keys.contains(k) }
}
",
    settings: &["values contains.k: {0}"],
    heavy: false,
};

const BAG: Family = Family {
    types: "data V\n",
    objects: &[
        "\
object Obj {
  var slot: [V?; 2]
  op put(v: V) -> bool {
    for i in 0..2 {
      if cas(slot[i], empty, v) {
        return true
      }
    }
    return false
  }
  op take() -> V? {
    for i in 0..2 {
      let v = swap(slot[i], empty)
      if v != empty {
        return v
      }
    }
    return empty
  }
}
",
        "\
object Obj {
  var slot: [V?; 2]
  op put(v: V) -> bool {
    let i = choose(0..=1)
    atomic {
      if slot[i] != empty {
        i = 1 - i
      }
      if slot[i] != empty {
        return false
      }
      slot[i] = v
    }
    return true
  }
  op take() -> V? {
    atomic {
      let i = choose(0, 1)
      if slot[i] == empty {
        i = 1 - i
      }
      let v = slot[i]
      slot[i] = empty
      return v
    }
  }
}
",
    ],
    spec: "\
spec Abs {
  var items: bag<V>
  op put(v: V) -> bool {
    if items.len() == 2 { return false }
    items.insert(v)
    return true
  }
  op take() -> V? {
    if items.is_empty() { return empty }
    let v = choose(items)
    items.remove(v)
    return v
  }
}
",
    settings: &[],
    heavy: false,
};

const SLOT: Family = Family {
    types: "data V\n",
    objects: &[
        "\
object Obj {
  var slot: V?
  op offer(v: V) -> bool {
    return cas(slot, empty, v)
  }
  op poll() -> V? {
    return swap(slot, empty)
  }
}
",
        "\
object Obj {
  var slot: V?
  op offer(v: V) -> bool {
    if slot == empty {
      return cas(slot, empty, v)
    }
    return false
  }
  op poll() -> V? {
    loop {
      let v = slot
      if v == empty {
        return empty
      }
      if cas(slot, v, empty) {
        return v
      }
    }
  }
}
",
        "\
object Obj {
  var full: bool
  var value: V
  var busy: lock
  op offer(v: V) -> bool {
    lock(busy)
    if full {
      unlock(busy)
      return false
    }
    value = v
    full = true
    unlock(busy)
    return true
  }
  op poll() -> V? {
    lock(busy)
    if !full {
      unlock(busy)
      return empty
    }
    full = false
    let v = value
    unlock(busy)
    return v
  }
}
",
    ],
    spec: "\
spec Abs {
  var slot: V?
  op offer(v: V) -> bool {
    if slot != empty { return false }
    slot = v
    return true
  }
  op poll() -> V? {
    let v = slot
    slot = empty
    return v
  }
}
",
    settings: &[],
    heavy: false,
};

/// A sorted list with a lock or one `cas` for everything; too long for more than one operation each.
const LIST_SET: Family = Family {
    types: "node Node { key: 0..=1, next: Node }\n",
    objects: &[
        "\
object Obj {
  var head: Node
  op add(k: 0..=1) -> bool {
    loop {
      let h = head
      let p = h
      while p != null {
        if p.key == k {
          return false
        }
        p = p.next
      }
      if cas(head, h, new Node { key: k, next: h }) {
        return true
      }
    }
  }
  op contains(k: 0..=1) -> bool {
    let p = head
    while p != null {
      if p.key == k {
        return true
      }
      p = p.next
    }
    return false
  }
}
",
        "\
object Obj {
  var head: Node
  op add(k: 0..=1) -> bool {
    let p = head
    while p != null {
      if p.key == k {
        return false
      }
      p = p.next
    }
    atomic {
      let n = new Node { key: k, next: head }
      head = n
    }
    return true
  }
  op contains(k: 0..=1) -> bool {
    let p = head
    while p != null {
      if p.key == k {
        return true
      }
      p = p.next
    }
    return false
  }
}
",
    ],
    spec: "\
spec Abs {
  var keys: set<0..=1>
  op add(k: 0..=1) -> bool { return keys.insert(k) }
  op contains(k: 0..=1) -> bool { return keys.contains(k) }
}
",
    settings: &["values contains.k: {0}"],
    heavy: true,
};
