//! The specification that is derived from an object: what one operation does alone.

use std::sync::Arc;

use linchpin_lin::Value;
use linchpin_lin::program::{Against, FaultKind, OpId};
use linchpin_lin::specify::{AbstractState, Specification};

fn derived(text: &str, threads: u32) -> Specification {
    let text = format!("{text}\ncheck Obj against itself {{ threads {threads}, ops 1 }}");
    let loaded = linchpin_lin::syntax::load(&text, &[]).unwrap_or_else(|e| panic!("{e:#?}"));
    let program = Arc::new(loaded.program);
    assert_eq!(program.checks[0].against, Against::Itself);
    Specification::of(&program, &program.checks[0], threads).unwrap()
}

fn only<T: std::fmt::Debug>(mut all: Vec<T>) -> T {
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// The state after operations (index, argument, thread) with one outcome each.
fn after(spec: &Specification, calls: &[(u32, Option<u32>, u32)]) -> AbstractState {
    let mut state = only(spec.initial().unwrap());
    for &(op, arg, thread) in calls {
        let args: Vec<Value> = arg.map(Value::Data).into_iter().collect();
        state = only(spec.execute(&state, OpId(op), &args, thread).unwrap()).0;
    }
    state
}

const STACK: &str = "
data V
node Node { val: V, next: Node }
object Obj {
  var top: Node
  op push(v: V) {
    let n = new Node { val: v }
    loop {
      let t = top
      n.next = t
      if cas(top, t, n) { return }
    }
  }
  op pop() -> V? {
    loop {
      let t = top
      if t == null { return empty }
      let next = t.next
      if cas(top, t, next) { return t.val }
    }
  }
}";

#[test]
fn a_stack_alone_is_a_stack_and_garbage_does_not_count() {
    let spec = derived(STACK, 2);
    let ab = after(&spec, &[(0, Some(1), 1), (0, Some(2), 2)]);
    assert_eq!(
        spec.describe(&ab),
        ["top = n1", "n1 = Node { val: b, next: n2 }", "n2 = Node { val: a, next: null }"]
    );
    let longer = [(0, Some(1), 1), (0, Some(3), 1), (1, None, 2), (0, Some(2), 1)];
    assert_eq!(after(&spec, &longer), ab);
    let (rest, popped) = only(spec.execute(&ab, OpId(1), &[], 1).unwrap());
    assert_eq!(popped, Value::Option(Some(Box::new(Value::Data(2)))));
    assert_eq!(rest, after(&spec, &[(0, Some(1), 1)]));
    assert!(!spec.names_threads() && !spec.uses_caller() && !spec.tells_threads_apart());
}

#[test]
fn renaming_changes_the_names_and_nothing_else() {
    let spec = derived(STACK, 2);
    let ab = after(&spec, &[(0, Some(1), 1), (0, Some(2), 2)]);
    let renamed = spec.rename(&ab, &mut |_, v| v + 5, &mut |t| 3 - t);
    assert_eq!(renamed, after(&spec, &[(0, Some(6), 1), (0, Some(7), 1)]));
    let mut seen = Vec::new();
    spec.visit_data(&renamed, &mut |_, v| seen.push(v));
    assert_eq!(seen, [7, 6]);
}

#[test]
fn what_belongs_to_a_thread_moves_with_it() {
    let spec = derived(
        "node Node { owner: thread }
object Obj {
  var mine: [Node; threads]
  op claim() { mine[self] = new Node { owner: self } }
}",
        2,
    );
    assert!(spec.names_threads() && spec.uses_caller() && !spec.tells_threads_apart());
    let first = after(&spec, &[(0, None, 1)]);
    assert_eq!(spec.describe(&first), ["mine = [n1, null]", "n1 = Node { owner: T1 }"]);
    let second = spec.rename(&first, &mut |_, v| v, &mut |t| 3 - t);
    assert_eq!(second, after(&spec, &[(0, None, 2)]));
    // Numbered by the traversal, whoever came first.
    let both = after(&spec, &[(0, None, 2), (0, None, 1)]);
    assert_eq!(both, after(&spec, &[(0, None, 1), (0, None, 2)]));
    assert_eq!(spec.rename(&both, &mut |_, v| v, &mut |t| 3 - t), both);
}

#[test]
fn a_body_that_cannot_finish_alone_has_no_outcome() {
    for wait in ["await full", "while !full { }", "assume full", "lock(l); lock(l)"] {
        let spec = derived(
            &format!(
                "object Obj {{
  var full: bool
  var l: lock
  op get() {{
    {wait}
    full = false
  }}
  op put() {{ full = true }}
}}"
            ),
            2,
        );
        let start = only(spec.initial().unwrap());
        assert!(spec.execute(&start, OpId(0), &[], 1).unwrap().is_empty(), "{wait}");
        let full = after(&spec, &[(1, None, 1)]);
        let outcomes = spec.execute(&full, OpId(0), &[], 2).unwrap();
        assert_eq!(outcomes.len(), usize::from(!wait.starts_with("lock")), "{wait}");
    }
}

#[test]
fn all_choices_are_followed() {
    let spec = derived(
        "object Obj {
  var x: 0..=9
  op any() -> 0..=9 {
    let y = choose(1..=3)
    either { x = y } or { x = 0 }
    return y
  }
}",
        1,
    );
    let start = only(spec.initial().unwrap());
    assert_eq!(spec.execute(&start, OpId(0), &[], 1).unwrap().len(), 6);
}

#[test]
fn a_freed_record_matters_as_long_as_something_refers_to_it() {
    let spec = derived(
        "node Node { val: int }
object Obj {
  memory manual
  var kept: Node
  op keep() { kept = new Node; free(kept) }
  op drop() { free(new Node) }
  op again() -> bool { return new Node == kept }
}",
        1,
    );
    let start = only(spec.initial().unwrap());
    assert_eq!(after(&spec, &[(1, None, 1)]), start);
    let kept = after(&spec, &[(0, None, 1)]);
    assert_eq!(spec.describe(&kept), ["kept = n1", "n1 = Node { val: 0 } (freed)"]);
    let again = spec.execute(&kept, OpId(2), &[], 1).unwrap();
    let mut results: Vec<_> = again.into_iter().map(|(_, result)| result).collect();
    results.sort();
    assert_eq!(results, [Value::Bool(false), Value::Bool(true)]);
}

#[test]
fn a_fault_alone_is_reported_with_its_place() {
    let text = "node Node { val: int }
object Obj {
  var top: Node
  op peek() -> int { return top.val }
}";
    let spec = derived(text, 1);
    let start = only(spec.initial().unwrap());
    let fault = spec.execute(&start, OpId(0), &[], 1).unwrap_err();
    assert_eq!(fault.kind, FaultKind::NullDereference);
    assert_eq!(&text[fault.span.start as usize..fault.span.end as usize], "top.val");
    assert_eq!(fault.to_string(), "null_dereference: in `peek`, executed alone");
}

#[test]
fn a_body_that_grows_for_ever_is_reported() {
    let spec = derived("object Obj { var x: int\n op up() { loop { fetch_add(x, 1) } } }", 1);
    let start = only(spec.initial().unwrap());
    let fault = spec.execute(&start, OpId(0), &[], 1).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Divergence);
}
