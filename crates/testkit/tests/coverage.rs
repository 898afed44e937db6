//! What verdicts cover: of every model that holds, every operation returns, but for those that are about operations that do not.

use linchpin_check::{CheckError, Growing, Options, check, growing};
use linchpin_engine::Budget;
use linchpin_lin::program::Program;
use linchpin_lin::syntax;
use linchpin_lin::{Covered, Results};
use linchpin_lts::Verdict;
use linchpin_testkit::corpus;
use linchpin_testkit::parallel;
use linchpin_testkit::sample::size;
use std::sync::Arc;

/// Models of operations that never return, because nothing lets them or the bound on the heap excludes it.
const ABOUT_IT: [&str; 3] =
    ["regress/bounded_reuse.lin", "regress/coin_in_atomic.lin", "regress/private_loop.lin"];

#[test]
fn every_operation_of_every_model_that_holds_returns() {
    let corpus = corpus::load(&corpus::root()).expect("the corpus");
    let cases: Vec<_> = corpus.cases.iter().collect();
    let found = parallel::map(&cases, parallel::cores(), |case| {
        let mut found = (0, Vec::new());
        for c in &case.program.checks {
            let budget = Budget { max_states: Some(size(3_000, 60_000)), ..Budget::UNLIMITED };
            let options = Options { budget, ..Options::default() };
            let Ok(report) = check(&case.program, c, &options) else { continue };
            if report.verdict.holds() {
                found.0 += 1;
                let stuck = report.covered.never_return().map(|op| op.name.clone());
                found.1.extend(stuck.map(|op| format!("{}: {} {op}", case.path, c.name)));
            }
        }
        found
    });
    let held: u32 = found.iter().map(|f| f.0).sum();
    let wrong: Vec<&String> = found
        .iter()
        .flat_map(|f| &f.1)
        .filter(|text| !ABOUT_IT.iter().any(|path| text.contains(path)))
        .collect();
    assert_eq!(wrong, Vec::<&String>::new());
    assert!(held > 150, "only {held} checks hold");
    let about = found.iter().flat_map(|f| &f.1).count();
    assert!(about >= ABOUT_IT.len(), "{about} operations that never return");
}

/// Where the bound on the heap ends every execution, conditions of progress hold for want of them.
#[test]
fn clients_that_call_for_ever_and_cannot_are_noticed() {
    let text = |pop: &str| {
        format!(
            "node Node {{ next: Node }}\nobject O {{\n  var top: Node\n  op push() {{\n    let n = new Node\n    \
             atomic {{ n.next = top; top = n }}\n  }}\n{pop}}}\n\
             check O against itself wait_free {{ threads 2, ops unbounded, heap 2 }}\n"
        )
    };
    let (verdict, grows, _) = covered(&text(""));
    assert!(verdict.holds() && grows.heap_full && grows.all_end);
    let pop = "  op pop() { atomic { if top != null { top = top.next } } }\n";
    let (verdict, both, _) = covered(&text(pop));
    assert!(verdict.holds() && both.heap_full && !both.all_end);
}

/// An array without a stated end has as many cells as the check has room for; whether they were too few is known.
#[test]
fn cells_that_are_missing_are_noticed() {
    let text = |settings: &str| {
        format!(
            "object O {{\n  var used: [bool; ..]\n  var next: int\n  op take() {{\n    \
             let i = fetch_add(next, 1)\n    used[i] = true\n  }}\n}}\n\
             spec S {{ op take() {{ }} }}\ncheck O against S {{ {settings} }}\n"
        )
    };
    let full = |settings: &str| {
        let (verdict, covered, _) = covered(&text(settings));
        assert!(verdict.holds(), "{settings}");
        covered.heap_full
    };
    assert!(!full("threads 2, ops 2"));
    assert!(!full("threads 2, ops 2, heap 4"));
    assert!(full("threads 2, ops 2, heap 3"));
    assert!(full("threads 2, ops unbounded, heap 2"));
    assert!(full("threads 2, ops 2, heap 0"), "there is one cell at least");
}

/// An object that needs more cells when it runs alone neither explains a history nor excludes it.
#[test]
fn a_specification_that_lacks_cells_goes_wrong() {
    // Two threads that count at the same time both see 1. One after the other they do not, and the second wants a cell.
    let text = "object O {\n  var n: int\n  var used: [bool; ..]\n  op f() -> bool {\n    let m = n\n    n = m + 1\n    \
                if n == 1 { return true }\n    used[5] = true\n    return false\n  }\n}\n\
                check O against itself { threads 2, ops 1, heap 3 }\n";
    let program = Arc::new(syntax::load(text, &[]).expect("a model").program);
    let few = check(&program, &program.checks[0], &Options::default());
    assert!(matches!(few, Err(CheckError::Specification(_))));
    let (verdict, seen, _) = covered(&text.replace("heap 3", "heap 6"));
    assert!(verdict.is_violated() && !seen.heap_full);
}

fn covered(text: &str) -> (Verdict<()>, Covered, Arc<Program>) {
    let program = Arc::new(syntax::load(text, &[]).expect("a model").program);
    let budget = Budget { max_states: Some(2_000), ..Budget::UNLIMITED };
    let options = Options { budget, ..Options::default() };
    let report = check(&program, &program.checks[0], &options).expect("a verdict");
    (report.verdict.map(drop), report.covered, program)
}

fn object(body: &str) -> String {
    format!(
        "object O {{\n  var x: int\n  op put(v: 0..=1) {{ {body} }}\n  op get() -> int? {{\n    \
         if x == 0 {{ return empty }}\n    return x\n  }}\n}}\nspec S {{\n  var x: int\n  op put(v: 0..=1) {{ x = v }}\n  \
         op get() -> int? {{\n    if x == 0 {{ return empty }}\n    return x\n  }}\n}}\ncheck O against S {{ threads 2, ops 1 }}\n"
    )
}

#[test]
fn results_statements_and_branches_of_the_specification_are_told() {
    let (verdict, all, _) = covered(&object("x = v"));
    assert_eq!(verdict, Verdict::Holds);
    let results = |c: &Covered, op: usize| c.operations[op].results.clone();
    assert_eq!(results(&all, 0), Results::Kinds(vec!["()".to_string()]));
    assert_eq!(results(&all, 1), Results::Kinds(vec!["empty".to_string(), "1".to_string()]));
    assert_eq!((all.statements, all.unreached.len(), all.unused.len()), (4, 0, 0));

    for stuck in ["while x != 7 { }; x = v", "assume x == 7; x = v"] {
        let (verdict, part, _) = covered(&object(stuck));
        assert_eq!(verdict, Verdict::Holds, "{stuck}");
        assert_eq!(results(&part, 0), Results::None, "{stuck}");
        assert!(part.operations[0].called, "{stuck}");
        // The assignment, and the result that is a number.
        assert_eq!(part.unreached.len(), 2, "{stuck}: {part:?}");
    }
}

#[test]
fn more_results_than_are_told_apart_are_many() {
    let text = "object O { var x: int\nop f() -> int { return fetch_add(x, 1) } }\n\
        spec S { var x: int\nop f() -> int { x += 1; return x - 1 } }\n\
        check O against S { threads 1, ops 80 }\n";
    let (verdict, covered, _) = covered(text);
    assert_eq!((verdict, &covered.operations[0].results), (Verdict::Holds, &Results::Many));
}

#[test]
fn what_grows_is_named() {
    let (verdict, _, program) = covered(
        "node Node { n: int, next: Node }\nobject O { var size: int\nvar top: Node\nvar still: int\n\
         op f() { size += 2; still = 1 - still; top = new Node { n: size, next: top } } }\n\
         spec S { op f() { } }\ncheck O against S { threads 1, ops unbounded }\n",
    );
    assert!(matches!(verdict, Verdict::Unknown(_)));
    let (found, _) = growing(&program, &program.checks[0]);
    let names: Vec<&str> = found
        .iter()
        .map(|growing| match growing {
            Growing::Number(name, _) => name.as_str(),
            Growing::Nodes(_) => "nodes",
        })
        .collect();
    assert_eq!(names, ["size", "Node.n", "nodes"]);
}
