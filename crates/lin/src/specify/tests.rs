//! Specifications built by hand: what the tree means, without any front end.

mod choices;
mod code;
mod collections;
mod expressions;
mod threads;

use super::*;
use crate::program::{
    BinOp, Block, DataId, Expr, ExprKind, Field, LocalId, LoopId, Method, ProcId, Spec, Stmt,
    StmtKind, Struct, StructId, UnOp, Var, VarId,
};

const SMALL: Type = Type::Int { lo: 0, hi: 3 };

fn seq(ty: Type) -> Type {
    Type::Seq(Box::new(ty))
}

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Span::new(7, 9) }
}

fn int(n: i32) -> Expr {
    expr(ExprKind::Const(Value::Int(n)), Type::INT)
}

fn boolean(b: bool) -> Expr {
    expr(ExprKind::Const(Value::Bool(b)), Type::Bool)
}

fn local(i: u32, ty: Type) -> Expr {
    expr(ExprKind::Local(LocalId(i)), ty)
}

fn global(i: u32, ty: Type) -> Expr {
    expr(ExprKind::Global(VarId(i)), ty)
}

fn index(base: Expr, i: Expr, ty: Type) -> Expr {
    expr(ExprKind::Index(Box::new(base), Box::new(i)), ty)
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    let ty = match op {
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Div
        | BinOp::Rem
        | BinOp::BitAnd
        | BinOp::BitOr
        | BinOp::BitXor
        | BinOp::Shl
        | BinOp::Shr => Type::INT,
        _ => Type::Bool,
    };
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
}

fn method(m: Method, receiver: Expr, args: Vec<Expr>, ty: Type) -> Expr {
    expr(ExprKind::Method(m, Box::new(receiver), args), ty)
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::new(20, 30) }
}

fn assign(place: Expr, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { place, value })
}

fn ret(e: Expr) -> Stmt {
    stmt(StmtKind::Return(Some(e)))
}

fn when(cond: Expr, then: Block, els: Block) -> Stmt {
    stmt(StmtKind::If { cond, then, els })
}

fn var(ty: Type) -> Var {
    let init = Value::default_of(&ty, &structs());
    Var { name: "v".into(), ty, init, span: Span::default() }
}

fn proc(params: Vec<Type>, locals: Vec<Type>, result: Type, body: Block) -> Proc {
    Proc {
        name: "op".into(),
        params: params.len() as u32,
        locals: params.into_iter().chain(locals).map(var).collect(),
        result,
        body,
        meet: None,
        span: Span::default(),
    }
}

/// A program with one struct, `(0..=3, int)`, and nothing else.
fn structs() -> Program {
    let field = |ty| Field { name: "f".into(), ty };
    let pair =
        Struct { name: "Pair".into(), fields: vec![field(SMALL), field(Type::INT)], sum: None };
    Program { structs: vec![pair], ..Program::default() }
}

/// A specification whose first procedure is its operation, for two threads.
fn spec_of(vars: Vec<Type>, procs: Vec<Proc>, init: Option<Proc>) -> Specification {
    let unit = Unit {
        vars: vars.into_iter().map(var).collect(),
        procs,
        ops: vec![ProcId(0)],
        init,
        ..Unit::default()
    };
    let program = Program { specs: vec![Spec { unit }], ..structs() };
    Specification::new(&program, SpecId(0), 2).unwrap()
}

/// Runs the operation of a specification with one procedure in its only initial state.
fn run(vars: Vec<Type>, proc: Proc, args: &[Value]) -> Result<Vec<Outcome>, SpecFault> {
    let spec = spec_of(vars, vec![proc], None);
    let initial = spec.initial().unwrap();
    assert_eq!(initial.len(), 1);
    spec.execute(&initial[0], OpId(0), args, 2)
}

/// The results of an operation without variables.
fn results(locals: Vec<Type>, result: Type, body: Block) -> Vec<Value> {
    let outcomes = run(vec![], proc(vec![], locals, result, body), &[]).unwrap();
    outcomes.into_iter().map(|(_, result)| result).collect()
}

/// The value of an expression without variables.
fn value_of(e: Expr) -> Result<Value, FaultKind> {
    let ty = e.ty.clone();
    match run(vec![], proc(vec![], vec![], ty, vec![ret(e)]), &[]) {
        Ok(mut outcomes) => {
            assert_eq!(outcomes.len(), 1);
            Ok(outcomes.remove(0).1)
        }
        Err(fault) => Err(fault.kind),
    }
}

fn ints<const N: usize>(ns: [i32; N]) -> Vec<Value> {
    ns.into_iter().map(Value::Int).collect()
}
