//! Objects of a few words: agreement, snapshots, pairs, a flag per thread.

use super::Family;

pub(super) const FAMILIES: &[Family] = &[STICKY, SNAPSHOT, PAIR, FLAGS, UPDOWN];

const STICKY: Family = Family {
    types: "type N = 0..=2\n",
    objects: &[
        "\
object Obj {
  var first: N?
  op propose(v: N) -> N {
    cas(first, empty, v)
    let won = first
    return won.unwrap()
  }
  op peek() -> N? {
    return first
  }
}
",
        "\
object Obj {
  var first: N?
  var announced: [N?; threads]
  op propose(v: N) -> N {
    announced[self] = v
    let mine = announced[self]
    if cas(first, empty, mine) {
      return v
    }
    assert first != empty
    return first.unwrap()
  }
  op peek() -> N? {
    return first
  }
}
",
    ],
    spec: "\
spec Abs {
  var first: N?
  op propose(v: N) -> N {
    if first == empty { first = v }
    return first.unwrap()
  }
  op peek() -> N? { return first }
}
",
    settings: &["values propose.v: {0, 2}"],
    heavy: false,
};

const SNAPSHOT: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var a: 0..=1
  var b: 0..=1
  op left(v: 0..=1) {
    atomic {
      a = v
    }
  }
  op right(v: 0..=1) {
    b = v
  }
  op scan() -> (0..=1, 0..=1) {
    atomic {
      return (a, b)
    }
  }
}
",
        "\
struct Part { value: 0..=1, count: 0..=15 }
object Obj {
  var a: Part
  var b: Part
  op left(v: 0..=1) {
    let old = a
    let fresh = Part(v, (old.count + 1) % 16)
    a = fresh
  }
  op right(v: 0..=1) {
    let old = b
    let fresh = Part(v, (old.count + 1) % 16)
    b = fresh
  }
  op scan() -> (0..=1, 0..=1) {
    loop {
      let p = a
      let q = b
      if p == a {
        return (p.value, q.value)
      }
    }
  }
}
",
        "\
object Obj {
  var both: (0..=1, 0..=1)
  op left(v: 0..=1) {
    loop {
      let old = both
      if cas(both, old, (v, old.1)) {
        return
      }
    }
  }
  op right(v: 0..=1) {
    loop {
      let old = both
      if cas(both, old, (old.0, v)) {
        return
      }
    }
  }
  op scan() -> (0..=1, 0..=1) {
    return both
  }
}
",
    ],
    spec: "\
spec Abs {
  var a: 0..=1
  var b: 0..=1
  op left(v: 0..=1) { a = v }
  op right(v: 0..=1) { b = v }
  op scan() -> (0..=1, 0..=1) { return (a, b) }
}
",
    settings: &["values right.v: {1}"],
    heavy: false,
};

const PAIR: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var a: 0..=2 = 1
  var b: 0..=2
  op flip() -> bool {
    let p = a
    let q = b
    return dcas(a, b, p, q, q, p)
  }
  op first() -> 0..=2 {
    return a
  }
  op sum() -> 0..=4 {
    atomic {
      return a + b
    }
  }
}
",
        "\
object Obj {
  var a: 0..=2 = 1
  var b: 0..=2
  var l: lock
  op flip() -> bool {
    if !try_lock(l) {
      return false
    }
    let p = a
    let q = b
    a = q
    b = p
    unlock(l)
    return true
  }
  op first() -> 0..=2 {
    lock(l)
    let p = a
    unlock(l)
    return p
  }
  op sum() -> 0..=4 {
    lock(l)
    let s = a + b
    unlock(l)
    return s
  }
}
",
    ],
    spec: "\
spec Abs {
  var a: 0..=2 = 1
  var b: 0..=2
  op flip() -> bool {
    either {
      let t = a
      a = b
      b = t
      return true
    } or {
      return false
    }
  }
  op first() -> 0..=2 { return a }
  op sum() -> 0..=4 { return a + b }
}
",
    settings: &[],
    heavy: false,
};

const FLAGS: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var up: [bool; threads]
  op raise() -> bool {
    return swap(up[self], true)
  }
  op lower() {
    up[self] = false
  }
  op any() -> bool {
    for t in threads {
      if up[t] {
        return true
      }
    }
    return false
  }
}
",
        "\
object Obj {
  var up: [bool; threads]
  var n: 0..=9
  op raise() -> bool {
    if up[self] {
      return true
    }
    up[self] = true
    fetch_add(n, 1)
    return false
  }
  op lower() {
    if up[self] {
      up[self] = false
      fetch_add(n, -1)
    }
  }
  op any() -> bool {
    return n > 0
  }
}
",
        "\
object Obj {
  var n: 0..=9
  var up: [bool; threads]
  op raise() -> bool {
    atomic {
      let before = up[self]
      if !before {
        n = n + 1
      }
      up[self] = true
      return before
    }
  }
  op lower() {
    atomic {
      if up[self] {
        n = n - 1
      }
      up[self] = false
    }
  }
  op any() -> bool {
    return n > 0
  }
}
",
        // Counts on the indices of threads.
        "\
object Obj {
  var up: [bool; threads]
  op raise() -> bool {
    let before = up[self]
    up[self] = true
    return before
  }
  op lower() {
    let i = self as int
    up[threads[i]] = false
  }
  op any() -> bool {
    let i: int = 0
    while i < threads {
      if up[threads[i]] {
        return true
      }
      i += 1
    }
    return false
  }
}
",
    ],
    spec: "\
spec Abs {
  var up: set<thread>
  op raise() -> bool { return !up.insert(self) }
  op lower() { up.remove(self) }
  op any() -> bool { return !up.is_empty() }
}
",
    settings: &[],
    heavy: false,
};

/// Decrement only when positive, with the old value as an option.
const UPDOWN: Family = Family {
    types: "type N = 0..=9\n",
    objects: &[
        "\
object Obj {
  var c: N
  op up() {
    fetch_add(c, 1)
  }
  op down() -> N? {
    loop {
      let t = c
      if t == 0 {
        return empty
      }
      if cas(c, t, t - 1) {
        return t
      }
    }
  }
}
",
        "\
object Obj {
  var c: N
  op up() {
    atomic {
      c = c + 1
    }
  }
  op down() -> N? {
    if c > 0 {
      let t = fetch_add(c, -1)
      return t
    }
    return empty
  }
}
",
        "\
object Obj {
  var c: N
  var l: lock
  op up() {
    lock(l)
    c += 1
    unlock(l)
  }
  op down() -> N? {
    lock(l)
    let t = c
    if t == 0 {
      unlock(l)
      return empty
    }
    c = t - 1
    unlock(l)
    return t
  }
}
",
    ],
    spec: "\
spec Abs {
  var c: N
  op up() { c += 1 }
  op down() -> N? {
    if c == 0 { return empty }
    c -= 1
    return c + 1
  }
}
",
    settings: &[],
    heavy: false,
};
