//! Loops over threads in any order keep the symmetry of threads: the reduction is used, agrees with its absence, and pays.

use std::sync::Arc;

use linchpin_check::{Options, Reductions, check};
use linchpin_lin::program::Program;
use linchpin_lin::syntax;
use linchpin_lin::{Granularity, Model};
use linchpin_lts::TransitionSystem;

/// A counter that adds up a cell of every thread, and a client of so many threads.
fn counter(order: &str, down: bool, threads: u32) -> Arc<Program> {
    let down = if down { "  op decrement() { cell[self] -= 1 }\n" } else { "" };
    let text = format!(
        "object Counter {{\n  var cell: [int; threads]\n  op increment() {{ cell[self] += 1 }}\n{down}  \
         op read() -> int {{\n    let sum = 0\n    for t in threads{order} {{ sum += cell[t] }}\n    return sum\n  }}\n}}\n\
         spec S {{\n  var n: int\n  op increment() {{ n += 1 }}\n  op decrement() {{ n -= 1 }}\n  \
         op read() -> int {{ return n }}\n}}\ncheck Counter against S {{ threads {threads}, ops 1 }}\n"
    );
    Arc::new(syntax::load(&text, &[]).expect("a model").program)
}

const ANY: &str = " in any order";

/// States, and whether the check holds.
fn decided(program: &Arc<Program>, threads: bool) -> (u64, bool) {
    let reductions = Reductions { threads, ..Reductions::ALL };
    let options = Options { reductions, check_facts: true, ..Options::default() };
    let report = check(program, &program.checks[0], &options).expect("a verdict");
    assert!(!report.reductions.threads || threads);
    (report.statistics.states, report.verdict.holds())
}

#[test]
fn threads_are_not_told_apart() {
    let symmetric = |order| {
        let program = counter(order, false, 3);
        let model = Model::new(program.clone(), &program.checks[0], Granularity::REDUCED);
        model.expect("a model").layout().thread_symmetric
    };
    assert!(symmetric(ANY) && !symmetric(""));
}

#[test]
fn the_symmetry_of_threads_is_used_and_changes_no_verdict() {
    for (down, holds) in [(false, true), (true, false)] {
        let program = counter(ANY, down, 3);
        let ((few, with), (many, without)) = (decided(&program, true), decided(&program, false));
        assert_eq!((with, without), (holds, holds));
        assert!(!holds || few * 3 < many, "{few} of {many} states");
    }
}
