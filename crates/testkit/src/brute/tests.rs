//! The oracle on a program built by hand, so that it can be trusted before any front end is.

use linchpin_lin::program::{
    Against, Behaviour, BinOp, Check, Condition, Domain, Expr, ExprKind, LocalId, Object, ObjectId,
    OpId, Primitive, Proc, ProcId, Role, Spec, SpecId, Stmt, StmtKind, Type, Unit, Var, VarId,
};
use linchpin_lin::{Span, Value};

use super::*;

const SMALL: Type = Type::Int { lo: 0, hi: 9 };

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, ty: SMALL, span: Span::default() }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

fn counter() -> Expr {
    expr(ExprKind::Global(VarId(0)))
}

fn local() -> Expr {
    expr(ExprKind::Local(LocalId(0)))
}

fn plus_one(e: Expr) -> Expr {
    let one = expr(ExprKind::Const(Value::Int(1)));
    expr(ExprKind::Binary(BinOp::Add, Box::new(e), Box::new(one)))
}

/// `let t = c; c = t + 1; return t`
fn read_then_write() -> Vec<Stmt> {
    vec![
        stmt(StmtKind::Assign { place: local(), value: counter() }),
        stmt(StmtKind::Assign { place: counter(), value: plus_one(local()) }),
        stmt(StmtKind::Return(Some(local()))),
    ]
}

/// `return fetch_add(c, 1)`
fn fetch_add() -> Vec<Stmt> {
    let one = expr(ExprKind::Const(Value::Int(1)));
    let add = expr(ExprKind::Atomic(Primitive::Fetch(BinOp::Add), Box::new(counter()), vec![one]));
    vec![stmt(StmtKind::Return(Some(add)))]
}

fn unit(body: Vec<Stmt>) -> Unit {
    let var = |name: &str| Var {
        name: name.into(),
        ty: SMALL,
        init: Value::Int(0),
        span: Span::default(),
    };
    let inc = Proc {
        name: "inc".into(),
        params: 0,
        locals: vec![var("t")],
        result: SMALL,
        body,
        meet: None,
        span: Span::default(),
    };
    Unit {
        name: "Counter".into(),
        vars: vec![var("c")],
        procs: vec![inc],
        ops: vec![ProcId(0)],
        ..Unit::default()
    }
}

fn program(body: Vec<Stmt>, threads: u32, count: u32) -> Program {
    let behaviour = Behaviour::General { ops: vec![OpId(0)], count: Some(count) };
    Program {
        objects: vec![Object { unit: unit(body), ..Object::default() }],
        specs: vec![Spec { unit: unit(read_then_write()) }],
        checks: vec![Check {
            name: "Counter".into(),
            object: ObjectId(0),
            against: Against::Spec(SpecId(0)),
            condition: Condition::Linearizable,
            roles: vec![Role { name: "thread".into(), threads, behaviour }],
            domains: vec![Vec::<Domain>::new()],
            data: vec![],
            heap: None,
            expect: None,
            params: Vec::new(),
            span: Span::default(),
        }],
        ..Program::default()
    }
}

#[test]
fn reading_and_writing_in_two_steps_loses_an_update() {
    let verdict = decide(&program(read_then_write(), 2, 1), 0, Limits::default());
    let Verdict::NotLinearizable(history) = verdict.verdict() else { panic!("{verdict:?}") };
    assert_eq!(history.len(), 4);
    let zero = |e: &&Event| matches!(e, Event::Return { result: Value::Int(0), .. });
    assert_eq!(history.iter().filter(zero).count(), 2);
}

#[test]
fn adding_in_one_step_does_not() {
    for (threads, count) in [(1, 3), (2, 2), (3, 1)] {
        let verdict = decide(&program(fetch_add(), threads, count), 0, Limits::default());
        assert_eq!(verdict.verdict(), Verdict::Holds);
    }
}

#[test]
fn states_are_counted_as_by_hand() {
    // One thread, one call: idle, before the access, before the return, finished.
    let verdict = decide(&program(fetch_add(), 1, 1), 0, Limits::default());
    assert_eq!((verdict.states, verdict.histories), (4, 3));
    // Two threads: 4 x 4 combinations of positions. Histories: the orders of c1 r1 c2 r2 give
    // 1 + 2 + 4 + 6 + 6 prefixes, and where the calls overlap, who was first shows in the results:
    // after c c: 2 orders x (2 results of the first return), each followed by one other return.
    let verdict = decide(&program(fetch_add(), 2, 1), 0, Limits::default());
    assert_eq!(verdict.verdict(), Verdict::Holds);
    assert_eq!(verdict.histories, 1 + 2 + (2 + 2) + (2 + 2 * 2 * 2) + (2 + 2 * 2 * 2));
}

#[test]
fn limits_are_reported() {
    let limits = Limits { states: 10, ..Limits::default() };
    let verdict = decide(&program(fetch_add(), 2, 2), 0, limits);
    assert_eq!(verdict.verdict(), Verdict::TooBig);
}
