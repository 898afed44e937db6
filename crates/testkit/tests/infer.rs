//! Inferred points are compared with all sets of candidates: each is checked, in small random programs.
//!
//! `LINCHPIN_SEED`, `LINCHPIN_FROM` and `LINCHPIN_COUNT` choose the seeds.

use std::sync::Arc;

use linchpin_check::{Inferred, Options, check, infer};
use linchpin_lin::Span;
use linchpin_lin::Value;
use linchpin_lin::program::{Block, Expr, ExprKind, Program, StmtKind, Type};
use linchpin_lts::Verdict;
use linchpin_testkit::{generate, parallel};

/// More candidates have too many sets.
const MOST: usize = 6;

/// Calls `f` for every point.
fn visit(block: &mut Block, f: &mut dyn FnMut(&mut StmtKind, &mut Span)) {
    for stmt in block {
        if let StmtKind::Point(_) = stmt.kind {
            f(&mut stmt.kind, &mut stmt.span);
        }
        match &mut stmt.kind {
            StmtKind::If { then, els, .. } => {
                visit(then, f);
                visit(els, f);
            }
            StmtKind::Loop { body, step, .. } => {
                visit(body, f);
                visit(step, f);
            }
            StmtKind::Atomic(body) => visit(body, f),
            StmtKind::Either(blocks) => blocks.iter_mut().for_each(|b| visit(b, f)),
            _ => {}
        }
    }
}

fn points(program: &mut Program, f: &mut dyn FnMut(&mut StmtKind, &mut Span)) {
    for object in &mut program.objects {
        object.unit.procs.iter_mut().for_each(|proc| visit(&mut proc.body, f));
    }
}

/// The program with these of its points.
fn only(program: &Program, set: u32) -> Program {
    let mut program = program.clone();
    points(&mut program, &mut |kind, span| {
        if set >> span.start & 1 == 0 {
            let truth = ExprKind::Const(Value::Bool(true));
            *kind = StmtKind::Assert(Expr { kind: truth, ty: Type::Bool, span: *span });
        }
    });
    program
}

/// The size of the smallest set of points with which the first check holds.
fn smallest(program: &Program, candidates: usize) -> Option<u32> {
    let holds = |set: &u32| {
        let program = Arc::new(only(program, *set));
        let report = check(&program, &program.checks[0], &Options::default()).ok();
        report.is_some_and(|r| r.verdict == Verdict::Holds)
    };
    (0..1u32 << candidates).filter(holds).map(u32::count_ones).min()
}

/// Compares for a program; `None` if it is not suitable, otherwise whether there are points.
fn compare(seed: u64) -> Option<bool> {
    let text = generate::program(seed);
    let mut program = linchpin_lin::syntax::load(&text, &[]).ok()?.program;
    generate::points(&mut program, seed);
    let mut candidates = Vec::new();
    points(&mut program, &mut |kind, span| {
        // A point for another thread takes more instructions than nothing.
        if let StmtKind::Point(whose) = kind {
            *whose = None;
        }
        let n = candidates.len() as u32;
        *span = Span { start: n, end: n + 1 };
        candidates.push(*span);
    });
    if candidates.is_empty() || candidates.len() > MOST {
        return None;
    }
    let all = Arc::new(program.clone());
    let options = Options::default();
    let inferred = infer(&all, &all.checks[0], &candidates, &options, 100_000).ok()?.inferred;
    let found = match inferred {
        Inferred::Points { chosen, without } if without.is_empty() => Some(chosen.len() as u32),
        Inferred::Points { .. } | Inferred::NoPoints(_) => None,
        Inferred::Wrong | Inferred::Unknown(_) => return None,
    };
    assert_eq!(found, smallest(&program, candidates.len()), "seed {seed}\n{text}");
    Some(found.is_some())
}

#[test]
fn inferred_points_are_a_smallest_set_and_exist_if_any_do() {
    let seeds = generate::seeds(1, 100, 400);
    let results = parallel::map(&seeds, parallel::cores(), |&seed| compare(seed));
    let with = results.iter().filter(|r| **r == Some(true)).count();
    let without = results.iter().filter(|r| **r == Some(false)).count();
    println!("{with} with points, {without} without");
    if results.len() >= 100 {
        assert!(with * 20 > results.len() && without * 20 > results.len(), "{with}, {without}");
    }
}
