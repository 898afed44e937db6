//! Random objects that put decisions off: linearizable ones often are not strongly so.
//!
//! A few small objects in which the order of operations depends on what happens after they have returned,
//! with random damage and random clients. Random bodies hardly ever are like that.

use super::mutate;
use super::rng::Rng;

/// An object and specification, and the operations that are interesting together.
struct Template {
    text: &'static str,
    spec: &'static str,
    roles: &'static [&'static [&'static str]],
}

/// An array with reservations (Herlihy and Wing), in which a scan may give up; and its specification.
const ARRAY: &str = "object Obj {
  var items: [(1..=2)?; 3]
  var back: 0..=3
  op enq(v: 1..=2) {
    let i = fetch_add(back, 1)
    items[i] = v
  }
  op deq() -> (1..=2)? {
    let range = back
    for i in 0..range {
      let x = swap(items[i], empty)
      if x != empty { return x }
    }
    return empty
  }
}
";
const LOSSY_QUEUE: &str = "spec Spec {
  var s: seq<1..=2>
  op enq(v: 1..=2) { s.push_back(v) }
  op deq() -> (1..=2)? {
    either { return empty } or { assume !s.is_empty() }
    return s.pop_front()
  }
}
";

/// Two numbers, read twice until they are the same.
const SNAPSHOT: &str = "object Obj {
  var a: 0..=2
  var b: 0..=2
  op up() { a = 1 }
  op down() { b = 1 }
  op scan() -> (0..=2, 0..=2) {
    loop {
      let a1 = a
      let b1 = b
      let a2 = a
      let b2 = b
      if a1 == a2 && b1 == b2 { return (a1, b1) }
    }
  }
}
";
const PAIR: &str = "spec Spec {
  var a: 0..=2
  var b: 0..=2
  op up() { a = 1 }
  op down() { b = 1 }
  op scan() -> (0..=2, 0..=2) { return (a, b) }
}
";

/// A register made of two, with a stamp each.
const REGISTER: &str = "object Obj {
  var x: (0..=3, 0..=2)
  var y: (0..=3, 0..=2)
  op left() {
    let other = y.0
    let mine = x.0
    if other > mine { mine = other }
    x = (mine + 1, 1)
  }
  op right() {
    let other = x.0
    let mine = y.0
    if other > mine { mine = other }
    y = (mine + 1, 2)
  }
  op read() -> 0..=2 {
    let u = x
    let w = y
    if u.0 > w.0 { return u.1 }
    return w.1
  }
}
";
const LAST: &str = "spec Spec {
  var last: 0..=2
  op left() { last = 1 }
  op right() { last = 2 }
  op read() -> 0..=2 { return last }
}
";

/// A coin that is tossed when somebody looks, and a specification that has tossed it before.
const COIN: &str = "object Obj {
  var coin: 0..=2
  var looked: bool
  op touch() { looked = true }
  op look() -> 0..=2 {
    let seen = coin
    if seen == 0 {
      let side = choose(1, 2)
      cas(coin, 0, side)
    }
    return coin
  }
}
";
const TOSSED: &str = "spec Spec {
  var coin: 0..=2
  init { coin = choose(1, 2) }
  op touch() { }
  op look() -> 0..=2 { return coin }
}
";

const TEMPLATES: [Template; 4] = [
    Template { text: ARRAY, spec: LOSSY_QUEUE, roles: &[&["enq"], &["deq"], &["enq", "deq"]] },
    Template { text: SNAPSHOT, spec: PAIR, roles: &[&["up"], &["down"], &["scan"]] },
    Template { text: REGISTER, spec: LAST, roles: &[&["left"], &["right"], &["read"]] },
    Template { text: COIN, spec: TOSSED, roles: &[&["touch"], &["look"]] },
];

/// The text for a seed.
pub fn deferring(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let Template { text, spec, roles } = &TEMPLATES[rng.below(TEMPLATES.len())];
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let damage = [0, 0, 1, 1, 2][rng.below(5)];
    let done: Vec<&str> =
        (0..damage).filter_map(|_| mutate::mutate(&mut lines, &mut rng)).collect();
    let mut client = String::new();
    for (i, ops) in roles.iter().enumerate() {
        let first = i < 2;
        if first || rng.percent(70) {
            let threads = 1 + usize::from(roles.len() == 2 && rng.percent(50));
            let count = 1 + rng.below(2);
            client += &format!("  role r{i}({threads}) ops {count} {{ {} }}\n", ops.join(", "));
        }
    }
    let object = lines.join("\n");
    format!("// seed {seed}: {done:?}\n{object}\n{spec}check Obj against Spec {{\n{client}}}\n")
}
