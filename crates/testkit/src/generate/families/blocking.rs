//! Objects whose operations wait: locks, semaphores, rendezvous, accounts with two locks.

use super::Family;

pub(super) const FAMILIES: &[Family] =
    &[ACCOUNTS, SEMAPHORE, BUFFER, SPIN_COUNTER, TRY_COUNTER, MUTEX];

const ACCOUNTS: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var a: 0..=4 = 2
  var b: 0..=4 = 2
  var la: lock
  var lb: lock
  op forth() -> bool {
    lock(la)
    lock(lb)
    let p = a
    if p == 0 {
      unlock(lb)
      unlock(la)
      return false
    }
    a = p - 1
    b = b + 1
    unlock(la)
    unlock(lb)
    return true
  }
  op back() -> bool {
    lock(la)
    lock(lb)
    let q = b
    if q == 0 {
      unlock(lb)
      unlock(la)
      return false
    }
    b = q - 1
    a = a + 1
    unlock(lb)
    unlock(la)
    return true
  }
}
",
        "\
object Obj {
  var a: 0..=4 = 2
  var b: 0..=4 = 2
  var la: lock
  var lb: lock
  op forth() -> bool {
    lock(la)
    let ok = a > 0
    if ok {
      a -= 1
    }
    unlock(la)
    if ok {
      lock(lb)
      b += 1
      unlock(lb)
    }
    return ok
  }
  op back() -> bool {
    lock(lb)
    let ok = b > 0
    if ok {
      b -= 1
    }
    unlock(lb)
    if ok {
      lock(la)
      a += 1
      unlock(la)
    }
    return ok
  }
}
",
    ],
    spec: "\
spec Abs {
  var a: 0..=4 = 2
  var b: 0..=4 = 2
  op forth() -> bool {
    if a == 0 { return false }
    a -= 1
    b += 1
    return true
  }
  op back() -> bool {
    if b == 0 { return false }
    b -= 1
    a += 1
    return true
  }
}
",
    settings: &[],
    heavy: true,
};

const SEMAPHORE: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var n: 0..=9 = 1
  op down() {
    atomic {
      await n > 0
      n = n - 1
    }
  }
  op up() {
    fetch_add(n, 1)
  }
}
",
        "\
object Obj {
  var n: 0..=9 = 1
  op down() {
    loop {
      await n > 0
      let t = n
      if t > 0 {
        if cas(n, t, t - 1) {
          return
        }
      }
    }
  }
  op up() {
    loop {
      let t = n
      if cas(n, t, t + 1) {
        return
      }
    }
  }
}
",
        "\
object Obj {
  var n: 0..=9 = 1
  op down() {
    await n > 0
    fetch_add(n, -1)
  }
  op up() {
    fetch_add(n, 1)
  }
}
",
    ],
    spec: "\
spec Abs {
  var n: 0..=9 = 1
  op down() {
    assume n > 0
    n -= 1
  }
  op up() { n += 1 }
}
",
    settings: &[],
    heavy: false,
};

const BUFFER: Family = Family {
    types: "data V\n",
    objects: &[
        "\
object Obj {
  var slot: V?
  op put(v: V) {
    atomic {
      await slot == empty
      slot = v
    }
  }
  op take() -> V {
    atomic {
      let v = slot
      await v != empty
      slot = empty
      return v.unwrap()
    }
  }
}
",
        "\
object Obj {
  var slot: V?
  op put(v: V) {
    loop {
      await slot == empty
      if cas(slot, empty, v) {
        return
      }
    }
  }
  op take() -> V {
    loop {
      let v = slot
      if v != empty {
        if cas(slot, v, empty) {
          return v.unwrap()
        }
      }
    }
  }
}
",
        "\
object Obj {
  var slot: V?
  var l: lock
  op put(v: V) {
    loop {
      lock(l)
      if slot == empty {
        slot = v
        unlock(l)
        return
      }
      unlock(l)
    }
  }
  op take() -> V {
    await slot != empty
    lock(l)
    let v = slot
    slot = empty
    unlock(l)
    return v.unwrap()
  }
}
",
    ],
    spec: "\
spec Abs {
  var slot: V?
  op put(v: V) {
    assume slot == empty
    slot = v
  }
  op take() -> V {
    assume slot != empty
    let v = slot.unwrap()
    slot = empty
    return v
  }
}
",
    settings: &[],
    heavy: false,
};

/// Home-made locks around a counter: a flag, a ticket, an owner.
const SPIN_COUNTER: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var busy: bool
  var c: 0..=9
  op inc() -> 0..=9 {
    while swap(busy, true) {
    }
    let t = c
    c = t + 1
    busy = false
    return t
  }
}
",
        "\
object Obj {
  var next: 0..=9
  var serving: 0..=9
  var c: 0..=9
  op inc() -> 0..=9 {
    let ticket = fetch_add(next, 1)
    await serving == ticket
    let t = c
    c = t + 1
    serving = ticket + 1
    return t
  }
}
",
        "\
object Obj {
  var owner: thread
  var taken: bool
  var c: 0..=9
  op inc() -> 0..=9 {
    loop {
      if cas(taken, false, true) {
        owner = self
        break
      }
    }
    let t = c
    c = t + 1
    assert owner == self
    taken = false
    return t
  }
}
",
    ],
    spec: "\
spec Abs {
  var c: 0..=9
  op inc() -> 0..=9 {
    c += 1
    return c - 1
  }
}
",
    settings: &[],
    heavy: false,
};

const TRY_COUNTER: Family = Family {
    types: "type N = 0..=9\n",
    objects: &[
        "\
object Obj {
  var l: lock
  var c: N
  op inc() -> N? {
    if try_lock(l) {
      let t = c
      c = t + 1
      unlock(l)
      return t
    }
    return empty
  }
  op get() -> N {
    return c
  }
}
",
        "\
object Obj {
  var c: N
  op inc() -> N? {
    let t = c
    either {
      if cas(c, t, t + 1) {
        return t
      }
    } or {
      t = t + 1
    }
    return empty
  }
  op get() -> N {
    return c
  }
}
",
    ],
    spec: "\
spec Abs {
  var c: N
  op inc() -> N? {
    if choose(true, false) { return empty }
    c += 1
    return c - 1
  }
  op get() -> N { return c }
}
",
    settings: &[],
    heavy: false,
};

/// A lock as the object: deadlocks are part of the game.
const MUTEX: Family = Family {
    types: "",
    objects: &[
        "\
object Obj {
  var held: bool
  op acquire() {
    loop {
      if cas(held, false, true) {
        return
      }
      await !held
    }
  }
  op release() -> bool {
    return swap(held, false)
  }
}
",
        "\
object Obj {
  var held: bool
  op acquire() {
    atomic {
      await !held
      held = true
    }
  }
  op release() -> bool {
    let before = held
    held = false
    return before
  }
}
",
    ],
    spec: "\
spec Abs {
  var held: bool
  op acquire() {
    assume !held
    held = true
  }
  op release() -> bool {
    let before = held
    held = false
    return before
  }
}
",
    settings: &[],
    heavy: false,
};
