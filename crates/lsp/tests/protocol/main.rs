//! The server as an editor sees it, feature by feature.

mod checks;
mod client;
mod foreign;
mod names;
mod text;
mod uses;

/// A stack that works, with something of everything.
const STACK: &str = "\
// What is stored.
data Value
node Node { val: Value, next: Node }
struct Pair { left: Value, count: 0..=3 }
enum Color { Red, Green }
const N = 2

object Stack {
  var top: Node // the newest
  var pair: Pair

  op push(v: Value) {
    let n = new Node { val: v }
    loop {
      let old = top
      n.next = old
      if cas(top, old, n) { return }
    }
  }

  op pop() -> Value? {
    loop {
      let old = top
      if old == null { return empty }
      if cas(top, old, old.next) { return old.val }
    }
  }

  fn _unused() -> Color { pair.count = N; return Red }
}

spec Seq {
  var items: seq<Value>
  op push(v: Value) { items.push_back(v) }
  op pop() -> Value? {
    if items.is_empty() { return empty }
    return items.pop_back()
  }
}

check Stack against Seq { threads 2, ops 2, expect holds }
check lossy: Stack against Seq { role one(1) script { push(_); let got = pop(); assume got != empty } }
";

/// A counter that loses an update.
const COUNTER: &str = "\
object Counter {
  var c: 0..=4
  op inc() -> 0..=4 {
    let old = c
    c = old + 1
    return old
  }
}
spec Counting {
  var n: 0..=4
  op inc() -> 0..=4 { n += 1; return n - 1 }
}
check Counter against Counting { threads 2, ops 2 }
check Known: Counter against Counting { threads 2, ops 2, expect violated }
check Wrong: Counter against Counting { threads 1, ops 2, expect violated }
";
