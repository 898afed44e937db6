//! Arrays without a stated end: who reserves a cell, and who looks for something in them.

use super::Family;

/// The families.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        types: "data V\n",
        objects: &[
            "object Obj {
  var items: [V?; ..]
  var back: int
  op put(v: V) {
    let i = fetch_add(back, 1)
    items[i] = v
  }
  op take() -> V? {
    let i = back
    while i > 0 {
      i = i - 1
      let x = swap(items[i], empty)
      if x != empty { return x }
    }
    return empty
  }
}
",
            "object Obj {
  var items: [V?; ..]
  var back: int
  op put(v: V) {
    atomic {
      items[back] = v
      back = back + 1
    }
  }
  op take() -> V? {
    atomic {
      let i = back
      while i > 0 {
        i = i - 1
        let x = items[i]
        items[i] = empty
        if x != empty { return x }
      }
      return empty
    }
  }
}
",
        ],
        spec: "spec Abs {
  var s: seq<V>
  op put(v: V) { s.push_back(v) }
  op take() -> V? {
    if s.is_empty() { return empty }
    return s.pop_back()
  }
}
",
        settings: &[],
        heavy: false,
    },
    Family {
        types: "",
        objects: &[
            "object Obj {
  var used: [(bool, 0..=3); ..]
  var next: int
  op take() -> int {
    let i = next
    while !cas(used[i].0, false, true) {
      i = i + 1
    }
    used[i].1 = 1
    return i
  }
  op last() -> int {
    let i = 0
    while used[i].0 {
      i = i + 1
    }
    return i
  }
}
",
            "object Obj {
  var l: [lock; ..]
  var next: int
  op take() -> int {
    let i = 0
    lock(l[i])
    i = next
    next = i + 1
    unlock(l[0])
    return i
  }
  op last() -> int {
    return next
  }
}
",
        ],
        spec: "spec Abs {
  var n: int
  op take() -> int {
    n = n + 1
    return n - 1
  }
  op last() -> int { return n }
}
",
        settings: &[],
        heavy: false,
    },
];
