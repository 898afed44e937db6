//! Objects of one word: registers, counters, flags.

use super::Family;

pub(super) const FAMILIES: &[Family] =
    &[REGISTER, DATA_REGISTER, COUNTER, TEST_AND_SET, MAX_REGISTER];

const REGISTER: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var x: 0..=2
  op write(v: 0..=2) {
    x = v
  }
  op read() -> 0..=2 {
    return x
  }
  op change(a: 0..=2, b: 0..=2) -> bool {
    return cas(x, a, b)
  }
}
",
        // A copy in front: readers may see the old value after the new one.
        "\
object Obj {
  var x: 0..=2
  var copy: 0..=2
  op write(v: 0..=2) {
    x = v
    copy = v
  }
  op read() -> 0..=2 {
    return copy
  }
  op change(a: 0..=2, b: 0..=2) -> bool {
    if cas(x, a, b) {
      copy = b
      return true
    }
    return false
  }
}
",
        "\
struct Cell { value: 0..=2, count: 0..=15 }
object Obj {
  var c: Cell
  op write(v: 0..=2) {
    loop {
      let old = c
      let fresh = Cell(v, (old.count + 1) % 16)
      if cas(c, old, fresh) {
        return
      }
    }
  }
  op read() -> 0..=2 {
    let now = c
    return now.value
  }
  op change(a: 0..=2, b: 0..=2) -> bool {
    loop {
      let old = c
      if old.value != a {
        return false
      }
      if cas(c, old, Cell(b, (old.count + 1) % 16)) {
        return true
      }
    }
  }
}
",
    ],
    spec: "\
spec Abs {
  var x: 0..=2
  op write(v: 0..=2) { x = v }
  op read() -> 0..=2 { return x }
  op change(a: 0..=2, b: 0..=2) -> bool {
    if x != a { return false }
    x = b
    return true
  }
}
",
    settings: &["values write.v: {1, 2}", "values change.a: {1}", "values change.b: {0, 2}"],
    heavy: false,
};

const DATA_REGISTER: Family = Family {
    types: "data V\n",
    objects: &[
        "\
object Obj {
  var x: V?
  op put(v: V) -> V? {
    return swap(x, v)
  }
  op get() -> V? {
    return x
  }
}
",
        "\
object Obj {
  var x: V?
  op put(v: V) -> V? {
    loop {
      let old = x
      if cas(x, old, v) {
        return old
      }
    }
  }
  op get() -> V? {
    return x
  }
}
",
        "\
object Obj {
  var x: V?
  op put(v: V) -> V? {
    loop {
      let old = ll(x)
      if sc(x, v) {
        return old
      }
    }
  }
  op get() -> V? {
    return x
  }
}
",
    ],
    spec: "\
spec Abs {
  var x: V?
  op put(v: V) -> V? {
    let old = x
    x = v
    return old
  }
  op get() -> V? { return x }
}
",
    settings: &[],
    heavy: false,
};

const COUNTER: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var c: 0..=20
  op inc() -> 0..=20 {
    return fetch_add(c, 1)
  }
  op get() -> 0..=20 {
    return c
  }
}
",
        "\
object Obj {
  var c: 0..=20
  op inc() -> 0..=20 {
    loop {
      let t = c
      if cas(c, t, t + 1) {
        return t
      }
    }
  }
  op get() -> 0..=20 {
    return c
  }
}
",
        "\
object Obj {
  var c: 0..=20
  op inc() -> 0..=20 {
    loop {
      let t = ll(c)
      if sc(c, t + 1) {
        return t
      }
    }
  }
  op get() -> 0..=20 {
    let t = c
    return t
  }
}
",
        "\
object Obj {
  var c: 0..=20
  var l: lock
  op inc() -> 0..=20 {
    lock(l)
    let t = c
    c = t + 1
    unlock(l)
    return t
  }
  op get() -> 0..=20 {
    lock(l)
    let t = c
    unlock(l)
    return t
  }
}
",
        "\
object Obj {
  var c: 0..=20
  fn bump(by: 0..=1) -> 0..=20 {
    atomic {
      let t = c
      c = t + by
      return t
    }
  }
  op inc() -> 0..=20 {
    let r = bump(1)
    return r
  }
  op get() -> 0..=20 {
    return bump(0)
  }
}
",
        // One part per thread: `inc` cannot know the total, `get` adds up while others go on.
        "\
object Obj {
  var part: [0..=9; threads]
  op inc() -> 0..=20 {
    let sum: int = 0
    for t in threads {
      sum = sum + part[t]
    }
    part[self] = part[self] + 1
    return sum
  }
  op get() -> 0..=20 {
    let sum: int = 0
    for t in threads {
      sum = sum + part[t]
    }
    return sum
  }
}
",
    ],
    spec: "\
spec Abs {
  var c: 0..=20
  op inc() -> 0..=20 {
    c += 1
    return c - 1
  }
  op get() -> 0..=20 { return c }
}
",
    settings: &[],
    heavy: false,
};

const TEST_AND_SET: Family = Family {
    types: "enum Level { Low, High }\n",
    objects: &[
        "\
object Obj {
  var on: bool
  op set() -> bool {
    return swap(on, true)
  }
  op reset() {
    on = false
  }
  op level() -> Level {
    return on ? High : Low
  }
}
",
        "\
object Obj {
  var at: Level
  op set() -> bool {
    if cas(at, Low, High) {
      return false
    }
    return true
  }
  op reset() {
    at = Low
  }
  op level() -> Level {
    return at
  }
}
",
        "\
object Obj {
  var on: bool
  op set() -> bool {
    if on {
      return true
    }
    return swap(on, true)
  }
  op reset() {
    on = false
  }
  op level() -> Level {
    if on {
      return High
    }
    return Low
  }
}
",
    ],
    spec: "\
spec Abs {
  var at: Level
  op set() -> bool {
    let before = at == High
    at = High
    return before
  }
  op reset() { at = Low }
  op level() -> Level { return at }
}
",
    settings: &[],
    heavy: false,
};

const MAX_REGISTER: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var m: 0..=3
  op raise(v: 0..=3) {
    loop {
      let t = m
      if t >= v {
        return
      }
      if cas(m, t, v) {
        return
      }
    }
  }
  op get() -> 0..=3 {
    return m
  }
}
",
        "\
object Obj {
  var m: 0..=3
  op raise(v: 0..=3) {
    atomic {
      if m < v {
        m = v
      }
    }
  }
  op get() -> 0..=3 {
    return m
  }
}
",
        // One flag per value; the scan goes up.
        "\
object Obj {
  var flag: [bool; 4]
  op raise(v: 0..=3) {
    flag[v] = true
  }
  op get() -> 0..=3 {
    let best: int = 0
    for i in 1..4 {
      if flag[i] {
        best = i
      }
    }
    return best
  }
}
",
    ],
    spec: "\
spec Abs {
  var m: 0..=3
  op raise(v: 0..=3) {
    if v > m { m = v }
  }
  op get() -> 0..=3 { return m }
}
",
    settings: &["values raise.v: 1..=3"],
    heavy: false,
};
