//! Random monitors: objects with a lock and condition variables, often damaged.
//!
//! Waiting gives the lock back in the middle of what it guards, which is what reductions about locks must not miss. The
//! damage is what programmers do: the wrong one is woken, nobody looks again, a signal is forgotten or comes from
//! outside of the lock.

use super::mutate::mutate;
use super::rng::Rng;

/// Objects of the same operations.
const OBJECTS: [&str; 3] = [
    "\
object Obj {
  var guard: lock
  var changed: condition
  var n: 0..=2
  op up() {
    lock(guard)
    while n == 1 {
      wait(changed, guard)
    }
    n = n + 1
    broadcast(changed)
    unlock(guard)
  }
  op down() {
    lock(guard)
    while n == 0 {
      wait(changed, guard)
    }
    n = n - 1
    broadcast(changed)
    unlock(guard)
  }
  op look() -> 0..=2 {
    lock(guard)
    let seen = n
    unlock(guard)
    return seen
  }
}
",
    "\
object Obj {
  var guard: lock
  var room: condition
  var some: condition
  var n: 0..=2
  op up() {
    lock(guard)
    while n == 1 {
      wait(room, guard)
    }
    n = n + 1
    signal(some)
    unlock(guard)
  }
  op down() {
    lock(guard)
    while n == 0 {
      wait(some, guard)
    }
    n = n - 1
    signal(room)
    unlock(guard)
  }
  op look() -> 0..=2 {
    return n
  }
}
",
    "\
object Obj {
  var guard: lock
  var changed: condition
  var n: 0..=2
  var m: 0..=2
  op up() {
    lock(guard)
    while n == 1 {
      wait(changed, guard)
    }
    m = n
    n = m + 1
    unlock(guard)
    signal(changed)
  }
  op down() {
    lock(guard)
    m = n
    while n == 0 {
      wait(changed, guard)
      m = n
    }
    n = m - 1
    broadcast(changed)
    unlock(guard)
  }
  op look() -> 0..=2 {
    return n
  }
}
",
];

const SPEC: &str = "\
spec Abs {
  var n: 0..=2
  op up() { assume n < 1; n += 1 }
  op down() { assume n > 0; n -= 1 }
  op look() -> 0..=2 { return n }
}
";

/// What is written instead of what.
const INSTEAD: [(&str, &str); 6] = [
    ("broadcast(", "signal("),
    ("signal(", "broadcast("),
    ("while n", "if n"),
    ("n == 0", "n < 0"),
    ("n == 1", "n == 2"),
    ("wait(room", "wait(some"),
];

/// The text for a seed.
pub fn monitors(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x3071);
    let mut lines: Vec<String> =
        OBJECTS[rng.below(OBJECTS.len())].lines().map(str::to_owned).collect();
    for _ in 0..rng.below(3) {
        if rng.percent(50) {
            mutate(&mut lines, &mut rng);
            continue;
        }
        let (what, instead) = INSTEAD[rng.below(INSTEAD.len())];
        let places: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].contains(what)).collect();
        if let Some(&i) = rng.pick(&places) {
            lines[i] = lines[i].replacen(what, instead, 1);
        }
    }
    let clients = [
        "role left(1) script { up() }\n  role right(1) script { down() }",
        "role left(1) script { up(); up() }\n  role right(2) script { down() }",
        "role left(2) script { up() }\n  role right(1) script { down(); down() }",
        "role left(1) script { up(); look() }\n  role right(1) script { down(); up() }",
        "role left(1) ops 2 { up }\n  role right(1) ops 2 { down }",
        "threads 2\n  ops 1",
    ];
    let client = clients[rng.below(clients.len())];
    let object = lines.join("\n");
    format!("// seed {seed}: a monitor\n{object}\n{SPEC}check Obj against Abs {{\n  {client}\n}}\n")
}
