//! The oracle on handmade texts whose verdicts are known. Each text states its verdict in `expect`.

use linchpin_lin::Value;
use linchpin_lin::program::{Expect, FaultKind, OpId, Program};
use linchpin_testkit::brute::{self, BruteVerdict, Event, Limits, Verdict};

fn load(text: &str) -> Program {
    match linchpin_lin::syntax::load(text, &[]) {
        Ok(loaded) => loaded.program,
        Err(diagnostics) => panic!("{text}\n{diagnostics:#?}"),
    }
}

/// Decides the first check and compares with what the text expects.
fn agrees(text: &str) -> BruteVerdict {
    let program = load(text);
    let verdict = brute::decide(&program, 0, Limits::default());
    assert!(!verdict.too_big && !verdict.bad_spec, "{text}\n{verdict:?}");
    match program.checks[0].expect.as_ref().expect("every text here states its verdict") {
        Expect::Holds => assert_eq!(verdict.verdict(), Verdict::Holds, "{text}"),
        Expect::Violated => assert!(verdict.not_linearizable.is_some(), "{text}\n{verdict:?}"),
        Expect::Fault(kind) => assert!(verdict.faults.contains(kind), "{text}\n{verdict:?}"),
        Expect::Deadlock => assert!(verdict.deadlock, "{text}\n{verdict:?}"),
    }
    verdict
}

const COUNTER: &str = "
spec Counter {
  var c: 0..=9
  op inc() -> 0..=9 {
    c += 1
    return c - 1
  }
}
";

fn counter(body: &str, check: &str) -> BruteVerdict {
    agrees(&format!(
        "{COUNTER}
object Obj {{
  var c: 0..=9
  var l: lock
  op inc() -> 0..=9 {{
{body}
  }}
}}
check Obj against Counter {{ {check} }}
"
    ))
}

#[test]
fn a_counter_with_read_and_write_loses_updates() {
    let verdict = counter("let t = c\n c = t + 1\n return t", "threads 2, ops 1, expect violated");
    // Both calls, both returns.
    assert_eq!(verdict.not_linearizable.map(|h| h.len()), Some(4));
    assert!(verdict.faults.is_empty() && !verdict.deadlock);
}

#[test]
fn one_thread_alone_cannot_lose_updates() {
    counter("let t = c\n c = t + 1\n return t", "threads 1, ops 3, expect holds");
}

#[test]
fn counters_with_one_atomic_update_hold() {
    for body in [
        "return fetch_add(c, 1)",
        "atomic { let t = c; c = t + 1; return t }",
        "lock(l)\n let t = c\n c = t + 1\n unlock(l)\n return t",
        "loop { let t = c; if cas(c, t, t + 1) { return t } }",
        "loop { let t = ll(c); if sc(c, t + 1) { return t } }",
    ] {
        counter(body, "threads 2, ops 2, expect holds");
        counter(body, "threads 3, ops 1, expect holds");
    }
}

#[test]
fn splitting_an_expression_is_found() {
    counter("c = c + 1\n return c - 1", "threads 2, ops 1, expect violated");
}

#[test]
fn a_plain_read_makes_no_reservation() {
    // `sc` never succeeds, so nothing ever returns: true, and no deadlock either.
    counter("loop { let t = c; if sc(c, t + 1) { return t } }", "threads 2, ops 1, expect holds");
}

#[test]
fn a_reservation_ends_with_any_write_to_the_place_even_of_the_same_value() {
    counter(
        "let t = ll(c)\n c = t\n assert sc(c, t + 1)\n return t",
        "threads 1, ops 1, expect fault assertion",
    );
    counter(
        "let t = ll(c)\n assert vl(c)\n sc(c, t + 1)\n return t",
        "threads 1, ops 2, expect holds",
    );
}

#[test]
fn forgetting_to_unlock_is_a_deadlock_and_unlocking_twice_a_fault() {
    counter("lock(l)\n return fetch_add(c, 1)", "threads 2, ops 1, expect deadlock");
    counter(
        "lock(l)\n let t = fetch_add(c, 1)\n unlock(l)\n unlock(l)\n return t",
        "threads 2, ops 1, expect fault unlock_not_held",
    );
}

#[test]
fn try_lock_does_not_wait() {
    let verdict = counter(
        "if try_lock(l) { let t = c; c = t + 1; unlock(l); return t }\n return 9",
        "threads 2, ops 1, expect violated",
    );
    assert!(!verdict.deadlock);
}

#[test]
fn endless_local_loops_diverge_and_endless_shared_loops_do_not() {
    counter("while true { }\n return 0", "threads 2, ops 1, expect fault divergence");
    counter("while c == 0 { }\n return fetch_add(c, 1)", "threads 2, ops 1, expect holds");
    counter(
        "atomic { while c == 0 { } }\n return fetch_add(c, 1)",
        "threads 2, ops 1, expect fault divergence",
    );
}

#[test]
fn arithmetic_faults_are_told_apart() {
    counter("c = c - 1\n return 0", "threads 1, ops 1, expect fault integer_out_of_range");
    counter("return 1 / c", "threads 1, ops 1, expect fault division_by_zero");
    counter(
        "let x = 2147483647\n let y = x + c + 1\n return 0",
        "threads 1, ops 1, expect fault integer_out_of_range",
    );
    counter("return 0 - 1", "threads 1, ops 1, expect fault integer_out_of_range");
}

#[test]
fn a_failing_assumption_takes_the_execution_away() {
    let verdict = counter(
        "let t = c\n c = t + 1\n assume t == c - 1\n return t",
        "threads 2, ops 1, expect violated",
    );
    assert!(verdict.assumed);
    let verdict = counter("let t = c\n assume false\n return 5", "threads 2, ops 2, expect holds");
    assert!(verdict.assumed && verdict.histories > 1);
}

#[test]
fn awaiting_is_one_step_that_can_wait_for_ever() {
    counter("await c == 0\n return fetch_add(c, 1)", "threads 2, ops 1, expect deadlock");
    let holds = counter(
        "let t = fetch_add(c, 1)\n await c > t\n return t",
        "threads 2, ops 2, expect holds",
    );
    assert!(!holds.deadlock);
    // The whole block waits, with nothing done.
    counter(
        "atomic { let t = c; c = t + 1; await c != 1 || t == 0; return t }",
        "threads 2, ops 1, expect holds",
    );
}

#[test]
fn the_order_of_two_locks_decides_about_deadlock() {
    let text = |first: &str, second: &str, expect: &str| {
        format!(
            "
spec Nothing {{ op f() {{ }} op g() {{ }} }}
object Locks {{
  var a: lock
  var b: lock
  op f() {{ lock(a); lock(b); unlock(b); unlock(a) }}
  op g() {{ lock({first}); lock({second}); unlock({second}); unlock({first}) }}
}}
check Locks against Nothing {{ threads 2, ops 1, expect {expect} }}
"
        )
    };
    agrees(&text("a", "b", "holds"));
    agrees(&text("b", "a", "deadlock"));
}

const STACK: &str = "
data V
node Node { val: V, next: Node }
spec Stack {
  var items: seq<V>
  op push(v: V) { items.push_back(v) }
  op pop() -> V? {
    if items.is_empty() { return empty }
    return items.pop_back()
  }
}
";

fn treiber(memory: &str, free: &str, check: &str) -> BruteVerdict {
    agrees(&format!(
        "{STACK}
object Treiber {{
  memory {memory}
  var top: Node
  op push(v: V) {{
    let n = new Node {{ val: v }}
    loop {{
      let t = top
      n.next = t
      if cas(top, t, n) {{ return }}
    }}
  }}
  op pop() -> V? {{
    loop {{
      let t = top
      if t == null {{ return empty }}
      let after = t.next
      let v = t.val
      if cas(top, t, after) {{ {free}; return v }}
    }}
  }}
}}
check Treiber against Stack {{ {check} }}
"
    ))
}

#[test]
fn treibers_stack_holds_with_a_garbage_collector() {
    let verdict = treiber("gc", "", "threads 2, ops 2, expect holds");
    assert!(verdict.histories > 1000, "{verdict:?}");
    treiber("gc", "", "threads 3, ops 1, values V: 1, expect holds");
}

#[test]
fn treibers_stack_with_free_touches_freed_memory() {
    treiber(
        "manual",
        "free(t)",
        "role a(1) script { push(_); pop() }, role b(1) script { pop() }, expect fault use_after_free",
    );
}

#[test]
fn treibers_stack_with_reuse_falls_to_aba() {
    let check = "
  role slow(1) script { pop() }
  role fast(1) script { push(_); push(_); pop(); pop(); push(_) }
  expect violated";
    treiber("stable", "free(t)", check);
    // Without reuse the same client finds nothing.
    treiber("stable", "", &check.replace("violated", "holds"));
    treiber("gc", "", &check.replace("violated", "holds"));
}

#[test]
fn freeing_twice_and_following_null_are_faults() {
    treiber("manual", "free(t); free(t)", "threads 1, ops 2, expect fault use_after_free");
    treiber("gc", "assert t.next.val == v", "threads 1, ops 2, expect fault null_dereference");
}

#[test]
fn the_heap_limit_leaves_executions_out_without_deadlock() {
    let verdict = treiber("gc", "", "threads 2, ops 2, heap 1, expect holds");
    assert!(verdict.heap_limit && !verdict.deadlock);
    let verdict = treiber("manual", "", "threads 1, ops 3, heap 2, expect holds");
    assert!(verdict.heap_limit);
}

/// One thread makes nodes, one after the other, and fails if it gets that far.
fn nodes(memory: &str, heap: u32, body: &str) -> [BruteVerdict; 2] {
    let program = load(&format!(
        "
node Box {{ next: Box }}
object Obj {{
  memory {memory}
  var top: Box
  op f() {{
{body}
    assert false
  }}
}}
spec Abs {{ op f() {{}} }}
check Obj against Abs {{ threads 1, ops 1, heap {heap} }}
"
    ));
    [brute::decide, brute::suspect].map(|decide| decide(&program, 0, Limits::default()))
}

#[test]
fn the_bound_on_the_heap_counts_what_is_needed_and_maybe_what_is_not() {
    let faults = |memory, heap, body| nodes(memory, heap, body).map(|v| v.is_violated());
    for memory in ["gc", "manual", "stable"] {
        // Needed by any account: both nodes.
        let both = "let a = new Box\n let b = new Box\n a.next = b";
        assert_eq!(faults(memory, 1, both), [false, false]);
        assert_eq!(faults(memory, 2, both), [true, true]);
        // The first node is still in a variable, but for nothing.
        assert_eq!(faults(memory, 1, "let a = new Box\n let b = new Box"), [false, true]);
        // Published and forgotten again.
        let published = "top = new Box\n top = null\n top = new Box";
        assert_eq!(faults(memory, 1, published), [true, true]);
        // Needed in the next round.
        let round = "let a = new Box\n for i in 0..2 {\n a.next = null\n top = new Box\n }";
        assert_eq!(faults(memory, 1, round), [false, false]);
    }
    for memory in ["manual", "stable"] {
        // A freed record counts while it is referred to, but can always be handed out again.
        let freed = "let a = new Box\n free(a)\n let b = new Box\n assume b != a";
        assert_eq!(faults(memory, 1, freed), [false, false]);
        let again = "let a = new Box\n free(a)\n let b = new Box\n assume b == a";
        assert_eq!(faults(memory, 1, again), [true, true]);
    }
    // Nobody can go through a freed record that must not be read.
    let behind = "let a = new Box\n a.next = new Box\n free(a)\n top = new Box\n assume a != top";
    assert_eq!(faults("manual", 2, behind), [true, true]);
    assert_eq!(faults("stable", 2, behind), [false, false]);
}

#[test]
fn a_thread_has_one_link_for_a_field_of_all_nodes() {
    let text = |claim: &str, expect: &str| {
        format!(
            "
node Box {{ val: 0..=1, next: Box }}
object Obj {{
  var x: Box
  var y: Box
  var a: [0..=1; 2]
  init {{ x = new Box; y = new Box }}
  op f() {{
    assert {claim}
  }}
  fn link(b: Box) -> bool {{ let v = ll(b.val); return true }}
  fn other(b: Box) -> bool {{ let v = ll(b.next); return true }}
  fn element(i: 0..=1) -> bool {{ let v = ll(a[i]); return true }}
}}
spec Abs {{ op f() {{}} }}
check Obj against Abs {{ threads 1, ops 1, expect {expect} }}
"
        )
    };
    agrees(&text("link(x) && vl(x.val) && sc(x.val, 1) && !vl(x.val)", "holds"));
    agrees(&text("link(x) && link(y) && !vl(x.val) && vl(y.val)", "holds"));
    agrees(&text("link(x) && other(y) && vl(x.val) && vl(y.next)", "holds"));
    agrees(&text("link(x) && !sc(y.val, 1) && !vl(x.val)", "holds"));
    agrees(&text("element(0) && element(1) && vl(a[0])", "fault assertion"));
    agrees(&text("link(x) && vl(y.val)", "fault assertion"));
}

#[test]
fn new_values_of_primitives_are_checked_even_if_nothing_is_written() {
    let fault = "threads 1, ops 1, expect fault integer_out_of_range";
    counter("cas(c, 7, 10)\n return 0", fault);
    counter("sc(c, 10)\n return 0", fault);
    counter("dcas(c, c, 7, 7, 1, 10)\n return 0", fault);
}

#[test]
fn indices_options_and_threads_have_faults_of_their_own() {
    let text = |body: &str, kind: &str| {
        format!(
            "
spec Any {{ op f(i: 0..=2) -> int {{ return choose(0..=9) }} }}
object Obj {{
  var a: [0..=9; 2]
  var o: (0..=9)?
  var who: thread
  var mine: [0..=9; threads]
  op f(i: 0..=2) -> int {{ {body} }}
}}
check Obj against Any {{ threads 2, ops 1, expect {kind} }}
"
        )
    };
    agrees(&text("return a[i]", "fault index_out_of_range"));
    agrees(&text("return o.unwrap()", "fault empty_unwrap"));
    agrees(&text("return mine[who]", "fault index_out_of_range"));
    agrees(&text("return mine[threads[i]]", "fault index_out_of_range"));
    agrees(&text("mine[self] = 3; who = self; return mine[who]", "holds"));
}

#[test]
fn nondeterministic_specifications_allow_all_their_results() {
    let text = |result: &str, expect: &str| {
        format!(
            "
spec Dice {{
  var seen: set<0..=3>
  op roll() -> 0..=3 {{
    let n = choose(1..=2)
    assume !seen.contains(n)
    seen.insert(n)
    return n
  }}
}}
object Obj {{
  var n: 0..=3
  op roll() -> 0..=3 {{ {result} }}
}}
check Obj against Dice {{ threads 2, ops 1, expect {expect} }}
"
        )
    };
    agrees(&text("return fetch_add(n, 1) + 1", "holds"));
    agrees(&text("return 2 - fetch_add(n, 1)", "holds"));
    agrees(&text("return choose(1, 2)", "violated"));
    agrees(&text("return fetch_add(n, 1)", "violated"));
}

#[test]
fn double_compare_and_swap_changes_both_or_none() {
    let text = |body: &str, expect: &str| {
        format!(
            "
spec Pair {{
  var a: 0..=3
  op both() -> bool {{ either {{ return false }} or {{ a += 1; return true }} }}
  op get() -> bool {{ return true }}
}}
object Obj {{
  var a: 0..=3
  var b: 0..=3
  op both() -> bool {{
    let x = a
    let y = b
    {body}
  }}
  op get() -> bool {{ atomic {{ return a == b }} }}
}}
check Obj against Pair {{ threads 2, ops 1, expect {expect} }}
"
        )
    };
    agrees(&text("return dcas(a, b, x, y, x + 1, y + 1)", "holds"));
    agrees(&text("if cas(a, x, x + 1) { return cas(b, y, y + 1) }; return false", "violated"));
}

#[test]
fn scripts_restrict_what_is_called() {
    let reader = |script: &str, expect: &str| {
        agrees(&format!(
            "
spec Reg {{
  var x: 0..=2
  op write(v: 0..=2) {{ x = v }}
  op early() -> 0..=2 {{ return x }}
  op late() -> 0..=2 {{ return x }}
}}
object Copies {{
  var x: 0..=2
  var y: 0..=2
  op write(v: 0..=2) {{ x = v; y = v }}
  op early() -> 0..=2 {{ return x }}
  op late() -> 0..=2 {{ return y }}
}}
check Copies against Reg {{
  values write.v: {{1, 2}}
  role writer(1) script {{ write(_) }}
  role reader(1) script {{ {script} }}
  expect {expect}
}}
"
        ))
    };
    reader("late(); early()", "holds");
    reader("early(); late()", "violated");
    reader("if early() == 2 { late() }", "violated");
    reader("if early() == 0 { late() }", "holds");
    reader("repeat 2 { either { late() } or { early() } }", "violated");
    reader("repeat 3 { late() }", "holds");
    let verdict = reader("let r = early(); assume r == 0; late()", "holds");
    assert!(verdict.assumed);
}

#[test]
fn an_assume_of_the_client_does_not_take_back_the_return_before_it() {
    let once = |script: &str, expect: &str| {
        agrees(&format!(
            "
spec Always {{ op take() -> bool {{ return true }} }}
object Once {{ var taken: bool; op take() -> bool {{ return cas(taken, false, true) }} }}
check Once against Always {{
  role left(1) script {{ {script} }}
  role right(1) script {{ {script} }}
  expect {expect}
}}
"
        ))
    };
    let verdict = once("let r = take(); assume r", "violated");
    // A thread that may not go on is not waiting.
    assert!(verdict.assumed && !verdict.deadlock);
    once("assume false; take()", "holds");
}

#[test]
fn scripts_at_the_same_position_are_not_mixed_up() {
    // Both threads can be in front of the second statement of their scripts, which once made one
    // of them continue with the script of the other, for ever.
    let verdict = agrees(
        "
spec Same { var x: bool; op get() -> bool { return x } }
object Obj { var x: bool; op get() -> bool { return x } }
check Obj against Same {
  role left(1) script { either { get() } or { get() }; get() }
  role right(1) script { if choose(true, false) { get() }; get() }
  expect holds
}
",
    );
    assert!(verdict.histories < 300, "{verdict:?}");
}

#[test]
fn a_fault_does_not_hide_what_others_could_see_before_it() {
    let verdict = agrees(
        "
spec Reg {
  var x: 0..=1
  op set() { x = 0 }
  op get() -> 0..=1 { return x }
}
object Obj {
  var x: 0..=1
  op set() { x = 1; assert false }
  op get() -> 0..=1 { return x }
}
check Obj against Reg { threads 2, ops 1, expect violated }
",
    );
    assert!(verdict.faults.contains(&FaultKind::AssertionFailed));
}

#[test]
fn histories_are_judged_by_real_time_order() {
    let program = load(&format!(
        "{COUNTER}object Obj {{ var c: 0..=9; op inc() -> 0..=9 {{ return fetch_add(c, 1) }} }}\ncheck Obj against Counter {{ threads 2 }}"
    ));
    let call = |thread| Event::Call { thread, op: OpId(0), args: vec![] };
    let ret = |thread, n| Event::Return { thread, result: Value::Int(n) };
    let judge = |history: &[Event]| brute::satisfies(&program, 0, history);
    assert!(judge(&[]));
    assert!(judge(&[call(1), call(2), ret(2, 1), ret(1, 0)]));
    assert!(!judge(&[call(1), ret(1, 1), call(2), ret(2, 0)]));
    // A pending operation may have taken effect, or not.
    assert!(judge(&[call(1), call(2), ret(2, 1)]));
    assert!(judge(&[call(1), call(2), ret(2, 0)]));
    assert!(!judge(&[call(1), call(2), ret(2, 2)]));
}
