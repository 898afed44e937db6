//! Programs as short texts, to compare with.

use linchpin_lin::Value;
use linchpin_lin::program::{
    BinOp, Block, Expr, ExprKind, Primitive, Proc, Stmt, StmtKind, UnOp, Unit,
};

/// The code of a procedure.
pub(crate) fn proc(p: &Proc, unit: &Unit) -> String {
    block(&p.body, p, unit)
}

/// Statements of a procedure.
pub(crate) fn block(block: &Block, p: &Proc, unit: &Unit) -> String {
    let all: Vec<_> = block.iter().map(|s| Printer { p, unit }.stmt(s)).collect();
    all.join("; ")
}

struct Printer<'a> {
    p: &'a Proc,
    unit: &'a Unit,
}

impl Printer<'_> {
    fn braces(&self, b: &Block) -> String {
        let text = block(b, self.p, self.unit);
        if text.is_empty() { "{ }".into() } else { format!("{{ {text} }}") }
    }

    fn stmt(&self, s: &Stmt) -> String {
        match &s.kind {
            StmtKind::Assign { place, value } => {
                format!("{} = {}", self.expr(place), self.expr(value))
            }
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::If { cond, then, els } => {
                let els = if els.is_empty() {
                    String::new()
                } else {
                    format!(" else {}", self.braces(els))
                };
                format!("if {} {}{els}", self.expr(cond), self.braces(then))
            }
            StmtKind::Loop { id, cond, body, step } => {
                let cond = cond.as_ref().map(|c| format!("{} ", self.expr(c))).unwrap_or_default();
                let step = if step.is_empty() {
                    String::new()
                } else {
                    format!(" step {}", self.braces(step))
                };
                format!("loop#{} {cond}{}{step}", id.0, self.braces(body))
            }
            StmtKind::Break(id) => format!("break#{}", id.0),
            StmtKind::Continue(id) => format!("continue#{}", id.0),
            StmtKind::Return(None) => "return".into(),
            StmtKind::Return(Some(e)) => format!("return {}", self.expr(e)),
            StmtKind::Assert(e) => format!("assert {}", self.expr(e)),
            StmtKind::Assume(e) => format!("assume {}", self.expr(e)),
            StmtKind::Await(e) => format!("await {}", self.expr(e)),
            StmtKind::Atomic(b) => format!("atomic {}", self.braces(b)),
            StmtKind::Either(bs) => {
                let blocks: Vec<_> = bs.iter().map(|b| self.braces(b)).collect();
                format!("either {}", blocks.join(" or "))
            }
            StmtKind::Free(e) => format!("free({})", self.expr(e)),
            StmtKind::Lock(e) => format!("lock({})", self.expr(e)),
            StmtKind::Point(None) => "point".to_string(),
            StmtKind::Point(Some(e)) => format!("point for {}", self.expr(e)),
            StmtKind::Unlock(e) => format!("unlock({})", self.expr(e)),
        }
    }

    fn list(&self, es: &[Expr]) -> String {
        es.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Const(v) => value(v),
            ExprKind::Local(id) => self.p.locals[id.index()].name.clone(),
            ExprKind::Global(id) => self.unit.vars[id.index()].name.clone(),
            // Names of fields are not at hand; those of the tests are known.
            ExprKind::Field(a, i) => {
                format!("{}.{}", self.expr(a), ["val", "next", "pair", "count"][*i as usize])
            }
            ExprKind::Part(a, i) => format!("{}.{}", self.expr(a), ["a", "b", "c"][*i as usize]),
            ExprKind::Index(a, i) => format!("{}[{}]", self.expr(a), self.expr(i)),
            ExprKind::SelfThread => "self".into(),
            ExprKind::Unary(UnOp::Neg, a) => format!("-{}", self.expr(a)),
            ExprKind::Unary(UnOp::Not, a) => format!("!{}", self.expr(a)),
            ExprKind::Binary(op, a, b) => {
                format!("({} {} {})", self.expr(a), op.sign(), self.expr(b))
            }
            ExprKind::Select(c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Aggregate(es) => format!("[{}]", self.list(es)),
            ExprKind::Some(a) => format!("Some({})", self.expr(a)),
            ExprKind::Unwrap(a) => format!("{}.unwrap()", self.expr(a)),
            ExprKind::New(_, fields) if fields.is_empty() => "new N".into(),
            ExprKind::New(_, fields) => {
                let all: Vec<_> =
                    fields.iter().map(|f| format!("{}: {}", f.0, self.expr(&f.1))).collect();
                format!("new {{{}}}", all.join(", "))
            }
            ExprKind::Atomic(p, place, es) => {
                let name = match p {
                    Primitive::Cas => "cas",
                    Primitive::Swap => "swap",
                    Primitive::CasValue => "cas_value",
                    Primitive::Fetch(BinOp::Add) => "fetch_add",
                    Primitive::Fetch(BinOp::BitAnd) => "fetch_and",
                    Primitive::Fetch(BinOp::BitOr) => "fetch_or",
                    Primitive::Fetch(_) => "fetch_xor",
                    Primitive::LoadLinked => "ll",
                    Primitive::StoreConditional => "sc",
                    Primitive::Validate => "vl",
                    Primitive::TryLock => "try_lock",
                };
                let all: Vec<_> = [&**place].into_iter().chain(es).map(|e| self.expr(e)).collect();
                format!("{name}({})", all.join(", "))
            }
            ExprKind::Dcas { places, old, new } => {
                format!(
                    "dcas({}, {}, {})",
                    self.list(&places[..]),
                    self.list(&old[..]),
                    self.list(&new[..])
                )
            }
            ExprKind::Call(id, es) => {
                format!("{}({})", self.unit.procs[id.index()].name, self.list(es))
            }
            ExprKind::Invoke(op, es) => {
                let all: Vec<_> =
                    es.iter().map(|e| e.as_ref().map_or("_".into(), |e| self.expr(e))).collect();
                format!("invoke {}({})", self.unit.op(*op).name, all.join(", "))
            }
            ExprKind::Choose(es) => format!("choose({})", self.list(es)),
            ExprKind::ChooseRange(a, b) => format!("choose({}..={})", self.expr(a), self.expr(b)),
            ExprKind::ChooseFrom(a) => format!("choose_from({})", self.expr(a)),
            ExprKind::Method(m, a, es) => format!("{}.{m:?}({})", self.expr(a), self.list(es)),
            ExprKind::ThreadIndex(a) => format!("{} as int", self.expr(a)),
            ExprKind::ThreadAt(a) => format!("threads[{}]", self.expr(a)),
            ExprKind::ThreadCount => "threads".into(),
            ExprKind::AnyThread => "any thread".into(),
            ExprKind::OtherThread(set) => format!("any thread but {}", self.expr(set)),
        }
    }
}

fn value(v: &Value) -> String {
    match v {
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Enum(n) => n.to_string(),
        Value::Ref(0) => "null".into(),
        Value::Option(None) => "empty".into(),
        Value::Tuple(parts) => {
            format!("({})", parts.iter().map(value).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}
