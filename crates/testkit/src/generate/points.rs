//! Random points in the operations of a program.
//!
//! Points at random are wrong nearly always, so most go where points usually are: before a return,
//! after an access, into the branch that a `cas` chose. Some are for other threads.

use linchpin_lin::program::{
    Block, Condition, Expr, ExprKind, LocalId, Program, Stmt, StmtKind, Type, UnOp, Var,
};
use linchpin_lin::{Span, Value};

use super::rng::Rng;

/// Puts points into the objects of a program and makes all its checks ask for points.
pub fn points(program: &mut Program, seed: u64) {
    let mut rng = Rng::new(seed ^ 0x5eed_0123);
    let (before_return, after_access, in_branch) = match rng.below(10) {
        0..5 => (100, 0, 0),
        5 => (100, 0, 30),
        6 => (60, 0, 80),
        7 => (0, 20, 80),
        8 => (0, 50, 0),
        _ => (90, 20, 30),
    };
    let for_others = [0, 0, 0, 0, 10][rng.below(5)];
    let mut style =
        Style { before_return, after_access, in_branch, for_others, threads: Vec::new() };
    for object in &mut program.objects {
        let operations: Vec<u32> = object.unit.ops.iter().map(|p| p.0).collect();
        for (i, proc) in object.unit.procs.iter_mut().enumerate() {
            let locals = proc.locals.iter().enumerate();
            style.threads = locals
                .filter(|(_, v)| v.ty == Type::Thread)
                .map(|(i, _)| ExprKind::Local(LocalId(i as u32)))
                .collect();
            let mut body = std::mem::take(&mut proc.body);
            block(&mut body, &mut proc.locals, &style, &mut rng);
            proc.body = body;
            let operation = operations.contains(&(i as u32));
            if operation && proc.result == Type::Unit && rng.percent(style.before_return) {
                proc.body.push(point(&style, &mut rng));
            }
        }
    }
    for check in &mut program.checks {
        check.condition = Condition::Points;
        // Where the heap is bounded, `new` is an access; the reference interpreter has it otherwise.
        check.heap = None;
    }
}

/// Where points go, in per cent.
struct Style {
    before_return: usize,
    after_access: usize,
    in_branch: usize,
    for_others: usize,
    /// Local variables that hold threads.
    threads: Vec<ExprKind>,
}

fn point(style: &Style, rng: &mut Rng) -> Stmt {
    let whose = rng.percent(style.for_others).then(|| {
        let kind = match rng.below(style.threads.len() + 2) {
            0 => ExprKind::SelfThread,
            1 => {
                let index = Value::Int(rng.below(2) as i32);
                let index =
                    Expr { kind: ExprKind::Const(index), ty: Type::INT, span: Span::default() };
                ExprKind::ThreadAt(Box::new(index))
            }
            i => style.threads[i - 2].clone(),
        };
        Expr { kind, ty: Type::Thread, span: Span::default() }
    });
    Stmt { kind: StmtKind::Point(whose), span: Span::default() }
}

/// Keeps the value of an expression in a new variable, which takes its place.
fn kept(value: &mut Expr, locals: &mut Vec<Var>) -> Stmt {
    let (ty, span) = (value.ty.clone(), value.span);
    let kind = ExprKind::Local(LocalId(locals.len() as u32));
    let place = Expr { kind, ty: ty.clone(), span };
    locals.push(Var { name: "result".into(), ty, init: Value::Unit, span });
    let value = std::mem::replace(value, place.clone());
    Stmt { kind: StmtKind::Assign { place, value }, span }
}

fn block(statements: &mut Block, locals: &mut Vec<Var>, style: &Style, rng: &mut Rng) {
    for mut stmt in std::mem::take(statements) {
        let (mut before, mut after) = (false, rng.percent(style.after_access));
        match &mut stmt.kind {
            StmtKind::If { cond, then, els } => {
                block(then, locals, style, rng);
                block(els, locals, style, rng);
                let negated = matches!(cond.kind, ExprKind::Unary(UnOp::Not, _));
                let chosen = if negated { els } else { then };
                if rng.percent(style.in_branch) {
                    chosen.insert(0, point(style, rng));
                }
                after = false;
            }
            StmtKind::Loop { body, .. } | StmtKind::Atomic(body) => {
                block(body, locals, style, rng);
                after = rng.percent(style.after_access / 4);
            }
            StmtKind::Either(blocks) => {
                blocks.iter_mut().for_each(|b| block(b, locals, style, rng));
            }
            StmtKind::Return(value) => {
                before = rng.percent(style.before_return);
                after = false;
                // The access of `return fetch_add(x, 1)` comes before the point.
                if let Some(value) = value
                    && before
                    && !matches!(value.kind, ExprKind::Const(_) | ExprKind::Local(_))
                {
                    statements.push(kept(value, locals));
                }
            }
            StmtKind::Break(_) | StmtKind::Continue(_) => after = false,
            _ => {}
        }
        if before {
            statements.push(point(style, rng));
        }
        statements.push(stmt);
        if after {
            statements.push(point(style, rng));
        }
    }
}
