//! The judge against all orders: random histories of a stack and of a register that leaves a choice.

use crate::brute::{self, Done};
use crate::explore::random::Random;
use crate::judge::{Judge, Judgement};
use crate::lin::{Call, Lin};
use crate::spec::{Operation, Spec};
use linchpin_history::Datum;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Stack(Vec<u32>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Op {
    Push(u32),
    Pop,
}

impl Spec for Stack {
    type Op = Op;
    type Ret = Option<u32>;

    fn apply(&mut self, op: &Op) -> Option<u32> {
        match op {
            Op::Push(value) => {
                self.0.push(*value);
                None
            }
            Op::Pop => self.0.pop(),
        }
    }
}

/// A bag: whichever is there may be taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Bag(Vec<u32>);

impl Spec for Bag {
    type Op = Op;
    type Ret = Option<u32>;

    fn apply(&mut self, op: &Op) -> Option<u32> {
        self.outcomes(op).swap_remove(0).1
    }

    fn outcomes(&self, op: &Op) -> Vec<(Self, Option<u32>)> {
        match op {
            Op::Push(value) => {
                let mut after = self.0.clone();
                after.push(*value);
                after.sort_unstable();
                vec![(Bag(after), None)]
            }
            Op::Pop if self.0.is_empty() => vec![(self.clone(), None)],
            Op::Pop => (0..self.0.len())
                .map(|i| {
                    let mut after = self.0.clone();
                    let value = after.remove(i);
                    (Bag(after), Some(value))
                })
                .collect(),
        }
    }
}

/// Operations of up to three threads at random times.
fn random(random: &mut Random) -> Vec<Done<Op, Option<u32>>> {
    let threads = 2 + random.below(2) as usize;
    let counts: Vec<u64> = (0..threads).map(|_| 1 + random.below(3)).collect();
    // Who goes on next, by a call or a return.
    let mut left: Vec<u64> = counts.iter().map(|c| 2 * c).collect();
    let mut events: Vec<Vec<u32>> = vec![Vec::new(); threads];
    let mut time = 0;
    while left.iter().any(|&l| l > 0) {
        let thread = random.below(threads as u64) as usize;
        if left[thread] > 0 {
            left[thread] -= 1;
            events[thread].push(time);
            time += 1;
        }
    }
    let mut history = Vec::new();
    for (thread, times) in events.iter().enumerate() {
        for pair in times.chunks(2) {
            let value = 1 + random.below(3) as u32;
            let (op, result) = match random.below(2) {
                0 => (Op::Push(value), None),
                _ => (Op::Pop, (random.below(3) > 0).then_some(value)),
            };
            history.push(Done { thread, op, call: pair[0], ret: pair[1], result });
        }
    }
    history
}

fn compare<S: Spec<Op = Op, Ret = Option<u32>>>(spec: &S) -> (u32, u32) {
    let (mut explained, mut unexplained) = (0, 0);
    for seed in 0..super::sample::count(3000, 100_000) {
        let history = random(&mut Random(seed));
        let expected = brute::explained(spec, &history, u32::MAX).is_some();
        let mut judge = Judge::new(spec, history.iter().map(|d| d.op.clone()).collect());
        for _ in 0..2 {
            let judged = judge.judge(history.clone()) == Judgement::Explained;
            assert_eq!(judged, expected, "seed {seed}: {history:#?}");
        }
        assert_eq!(judge.histories(), 1);
        assert_eq!(brute::reason(spec, &history).is_none(), expected, "seed {seed}");
        *(if expected { &mut explained } else { &mut unexplained }) += 1;
    }
    (explained, unexplained)
}

#[test]
fn the_judge_agrees_with_all_orders() {
    for (explained, unexplained) in [compare(&Stack(vec![])), compare(&Bag(vec![]))] {
        assert!(explained > 100 && unexplained > 100, "{explained} {unexplained}");
    }
}

impl Operation for Op {
    fn all(place: u32) -> Vec<Op> {
        vec![Op::Push(place), Op::Pop]
    }
}

impl Call for Op {
    fn name(&self) -> &str {
        match self {
            Op::Push(_) => "push",
            Op::Pop => "pop",
        }
    }

    fn args(&self) -> Vec<Datum> {
        match self {
            Op::Push(value) => vec![(*value).into()],
            Op::Pop => Vec::new(),
        }
    }
}

const WRITTEN: &str = "
data Value
spec Stack {
  var items: seq<Value>
  op push(v: Value) { items.push_back(v) }
  op pop() -> Value? {
    if items.is_empty() { return empty }
    return items.pop_back()
  }
}
spec Bag {
  var items: bag<int>
  op push(n: int) { items.insert(n) }
  op pop() -> int? {
    if items.is_empty() { return empty }
    let n = choose(items)
    items.remove(n)
    return n
  }
}
";

/// How many histories were explained, and how many not, by a specification in Rust and the same one written down.
fn compare_written<S: Spec<Op = Op, Ret = Option<u32>>>(spec: &S, name: &str) -> (u32, u32) {
    let written = Lin::<Op>::read(WRITTEN.as_bytes(), name).expect("it can be read");
    let (mut explained, mut unexplained) = (0, 0);
    for seed in 0..super::sample::count(3000, 100_000) {
        let history = random(&mut Random(seed));
        let expected = brute::explained(spec, &history, u32::MAX).is_some();
        let given = |d: &Done<Op, Option<u32>>| {
            let result = match d.op {
                Op::Push(_) => written.given(&d.op, ()),
                Op::Pop => written.given(&d.op, d.result),
            };
            Done { thread: d.thread, op: d.op.clone(), call: d.call, ret: d.ret, result }
        };
        let given: Vec<_> = history.iter().map(given).collect();
        let mut judge = Judge::new(&written, given.iter().map(|d| d.op.clone()).collect());
        let judged = judge.judge(given.clone()) == Judgement::Explained;
        assert_eq!(judged, expected, "seed {seed}: {history:#?}");
        assert_eq!(brute::reason(&written, &given).is_none(), expected, "seed {seed}");
        *(if expected { &mut explained } else { &mut unexplained }) += 1;
    }
    (explained, unexplained)
}

#[test]
fn a_specification_of_a_file_says_the_same_as_one_in_rust() {
    let stack = compare_written(&Stack(vec![]), "Stack");
    let bag = compare_written(&Bag(vec![]), "Bag");
    println!("explained and not: stack {stack:?}, bag {bag:?}");
    for (explained, unexplained) in [stack, bag] {
        assert!(explained > 100 && unexplained > 100, "{explained} {unexplained}");
    }
}

#[test]
fn a_specification_of_a_file_that_does_not_fit_is_refused() {
    let why = |text: &str, name: &str| Lin::<Op>::read(text.as_bytes(), name).err();
    assert!(why("spec Stack {", "Stack").is_some_and(|w| w.starts_with("1:")));
    let asks = "spec S {
      var last: thread
      op push(n: int) { last = self }
      op pop() -> int? { return empty }
    }";
    let said = why(asks, "S").expect("it is refused");
    assert!(said.contains("asks who calls"), "{said}");
    let narrow = "spec S {
      op push(n: bool) { return }
      op pop() -> int? { return empty }
    }";
    assert_eq!(why(narrow, "S").as_deref(), Some("1 stands where true or false is wanted"));
}

#[test]
fn the_reason_says_what_could_have_been_returned() {
    let done = |thread, op, call, ret, result| Done { thread, op, call, ret, result };
    let history = [
        done(0, Op::Push(1), 0, 1, None),
        done(0, Op::Pop, 3, 6, None),
        done(1, Op::Push(2), 2, 5, None),
    ];
    let reason = brute::reason(&Stack(vec![]), &history).expect("no order");
    assert_eq!((reason.operation, reason.allowed), (1, vec!["Some(1)".into(), "Some(2)".into()]));
}
