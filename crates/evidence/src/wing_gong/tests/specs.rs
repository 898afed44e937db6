//! Five small specifications, each twice: as a program for the search, built by hand, and as a
//! Rust function for the oracle.

use linchpin_lin::program::{
    Block, Expr, ExprKind, LocalId, Method, Proc, ProcId, Program, Spec, SpecId, Stmt, StmtKind,
    Type, UnOp, Unit, Var, VarId,
};
use linchpin_lin::specify::Specification;
use linchpin_lin::{Span, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `put(x)`, `take() -> int?`: first in, first out.
    Queue,
    /// `put(x)`, `take() -> int?`: last in, first out.
    Stack,
    /// `put(x)`, `take() -> int?`: any element; `empty` only if there is none.
    Pool,
    /// `write(x)`, `read() -> int`; begins with 0 or 9.
    Register,
    /// `acquire()`, `release()`: possible only when free, when held.
    Mutex,
}

impl Kind {
    pub(super) const ALL: [Kind; 5] =
        [Kind::Queue, Kind::Stack, Kind::Pool, Kind::Register, Kind::Mutex];

    /// The names of its operations.
    pub(super) fn names(self) -> [&'static str; 2] {
        match self {
            Kind::Queue | Kind::Stack | Kind::Pool => ["put", "take"],
            Kind::Register => ["write", "read"],
            Kind::Mutex => ["acquire", "release"],
        }
    }

    /// How many arguments an operation has.
    pub(super) fn arity(self, op: usize) -> usize {
        usize::from(self != Kind::Mutex && op == 0)
    }

    /// What an operation could return, with arguments up to 3.
    pub(super) fn results(self, op: usize) -> Vec<Value> {
        match (self, op) {
            (Kind::Mutex, _) | (_, 0) => vec![Value::Unit],
            (Kind::Register, _) => [0, 1, 2, 3, 9].into_iter().map(Value::Int).collect(),
            _ => std::iter::once(Value::Option(None))
                .chain((1..=3).map(|n| Value::Option(Some(Box::new(Value::Int(n))))))
                .collect(),
        }
    }

    /// The oracle's initial states.
    pub(super) fn initial(self) -> Vec<Vec<i32>> {
        match self {
            Kind::Register => vec![vec![0], vec![9]],
            _ => vec![vec![]],
        }
    }

    /// The oracle's semantics. The state is a list of numbers: elements, or the content of the
    /// register, or one number for a held mutex.
    pub(super) fn outcomes(self, state: &[i32], op: usize, arg: i32) -> Vec<(Vec<i32>, Value)> {
        let number = |n: i32| Value::Option(Some(Box::new(Value::Int(n))));
        let without = |i: usize| {
            let mut rest = state.to_vec();
            let taken = rest.remove(i);
            (rest, number(taken))
        };
        match (self, op) {
            (Kind::Queue | Kind::Stack | Kind::Pool, 0) => {
                vec![([state, &[arg]].concat(), Value::Unit)]
            }
            (Kind::Queue | Kind::Stack | Kind::Pool, _) if state.is_empty() => {
                vec![(vec![], Value::Option(None))]
            }
            (Kind::Queue, _) => vec![without(0)],
            (Kind::Stack, _) => vec![without(state.len() - 1)],
            (Kind::Pool, _) => (0..state.len()).map(without).collect(),
            (Kind::Register, 0) => vec![(vec![arg], Value::Unit)],
            (Kind::Register, _) => vec![(state.to_vec(), Value::Int(state[0]))],
            (Kind::Mutex, 0) if state.is_empty() => vec![(vec![1], Value::Unit)],
            (Kind::Mutex, 1) if !state.is_empty() => vec![(vec![], Value::Unit)],
            (Kind::Mutex, _) => vec![],
        }
    }

    /// The same for the search.
    pub(super) fn specification(self) -> Specification {
        let program = Program { specs: vec![Spec { unit: self.unit() }], ..Program::default() };
        Specification::new(&program, SpecId(0), 4).unwrap()
    }

    fn unit(self) -> Unit {
        let [first, second] = self.names();
        let option = Type::Option(Box::new(Type::INT));
        let (ty, init, procs) = match self {
            Kind::Queue | Kind::Stack => {
                let ty = Type::Seq(Box::new(Type::INT));
                let take = if self == Kind::Queue { Method::PopFront } else { Method::PopBack };
                let put = call(Method::PushBack, &ty, vec![param()], Type::Unit);
                let take =
                    vec![return_if_empty(&ty), give(some(call(take, &ty, vec![], Type::INT)))];
                (
                    ty,
                    None,
                    [proc(first, 1, Type::Unit, vec![effect(put)]), proc(second, 0, option, take)],
                )
            }
            Kind::Pool => {
                let ty = Type::Bag(Box::new(Type::INT));
                let put = call(Method::Insert, &ty, vec![param()], Type::Bool);
                let any = expr(ExprKind::ChooseFrom(Box::new(shared(&ty))), Type::INT);
                let take = vec![
                    return_if_empty(&ty),
                    assign(param(), any),
                    effect(call(Method::Remove, &ty, vec![param()], Type::Bool)),
                    give(some(param())),
                ];
                (
                    ty,
                    None,
                    [proc(first, 1, Type::Unit, vec![effect(put)]), proc(second, 0, option, take)],
                )
            }
            Kind::Register => {
                let ends = [0, 9].map(|n| expr(ExprKind::Const(Value::Int(n)), Type::INT));
                let either = expr(ExprKind::Choose(ends.to_vec()), Type::INT);
                let init = assign(shared(&Type::INT), either);
                (
                    Type::INT,
                    Some(proc("init", 0, Type::Unit, vec![init])),
                    [
                        proc(first, 1, Type::Unit, vec![assign(shared(&Type::INT), param())]),
                        proc(second, 0, Type::INT, vec![give(shared(&Type::INT))]),
                    ],
                )
            }
            Kind::Mutex => {
                let held = || shared(&Type::Bool);
                let free = || expr(ExprKind::Unary(UnOp::Not, Box::new(held())), Type::Bool);
                let turn = || assign(held(), free());
                (
                    Type::Bool,
                    None,
                    [
                        proc(first, 0, Type::Unit, vec![stmt(StmtKind::Assume(free())), turn()]),
                        proc(second, 0, Type::Unit, vec![stmt(StmtKind::Assume(held())), turn()]),
                    ],
                )
            }
        };
        Unit {
            name: format!("{self:?}"),
            vars: vec![var(ty)],
            procs: procs.into(),
            ops: vec![ProcId(0), ProcId(1)],
            init,
            span: Span::default(),
        }
    }
}

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Span::default() }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

/// The one variable.
fn shared(ty: &Type) -> Expr {
    expr(ExprKind::Global(VarId(0)), ty.clone())
}

/// The one parameter, or the one local where there is none.
fn param() -> Expr {
    expr(ExprKind::Local(LocalId(0)), Type::INT)
}

fn some(e: Expr) -> Expr {
    let ty = Type::Option(Box::new(e.ty.clone()));
    expr(ExprKind::Some(Box::new(e)), ty)
}

fn call(method: Method, ty: &Type, args: Vec<Expr>, result: Type) -> Expr {
    expr(ExprKind::Method(method, Box::new(shared(ty)), args), result)
}

fn assign(place: Expr, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { place, value })
}

fn effect(e: Expr) -> Stmt {
    stmt(StmtKind::Expr(e))
}

fn give(e: Expr) -> Stmt {
    stmt(StmtKind::Return(Some(e)))
}

fn return_if_empty(ty: &Type) -> Stmt {
    let empty = ExprKind::Const(Value::Option(None));
    let then = vec![give(expr(empty, Type::Option(Box::new(Type::INT))))];
    stmt(StmtKind::If { cond: call(Method::IsEmpty, ty, vec![], Type::Bool), then, els: vec![] })
}

fn var(ty: Type) -> Var {
    let init = Value::default_of(&ty, &Program::default());
    Var { name: "x".into(), ty, init, span: Span::default() }
}

fn proc(name: &str, params: u32, result: Type, body: Block) -> Proc {
    let locals = vec![var(Type::INT)];
    Proc { name: name.into(), params, locals, result, body, meet: None, span: Span::default() }
}
