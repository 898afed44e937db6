//! Where code ends: missing `return`s and statements that are never reached.

use crate::program::{Block, ExprKind, LoopId, Stmt, StmtKind, Type};
use crate::{Span, Value};

use super::body::Body;
use super::codes;
use super::types::{fits, show};
use super::units::Sig;
use linchpin_text::Diagnostic;

impl<'a> Body<'_, 'a> {
    /// Reports paths that end without the value that is due, and code after the end.
    pub(super) fn check_flow(&mut self, body: &Block, result: &Type, sig: &Sig<'a>, close: Span) {
        let mut dead = Vec::new();
        let falls = block_falls(body, &mut dead);
        for span in dead {
            let d = Diagnostic::warning(codes::UNREACHABLE, span, "this is never reached");
            self.cx.sink.push(d);
        }
        if falls && *result != Type::Unit {
            let shown = show(result, &self.cx.program);
            let text = format!("not every path through `{}` returns a value", sig.name.text);
            let mut d = Diagnostic::error(codes::MISSING_RETURN, close, text)
                .label("the end is reached without `return`")
                .also(sig.span, format!("returns `{shown}`"));
            if let Some(Stmt { kind: StmtKind::Expr(e), span }) = body.last()
                && fits(&e.ty, result)
            {
                let start = Span { end: span.start, ..*span };
                d = d.help("is this the result? then `return` it").edit(start, "return ");
            } else {
                d = d.help("end it with `return ...`");
            }
            self.cx.sink.push(d);
        }
    }
}

/// Can the end of the block be reached? Collects where unreachable code begins.
fn block_falls(block: &Block, dead: &mut Vec<Span>) -> bool {
    let mut end: Option<&Stmt> = None;
    for stmt in block {
        if let Some(end) = end {
            // After `assert false` and the like, code is there for form's sake.
            use StmtKind::{Assert, Assume, Await};
            if !matches!(end.kind, Assert(_) | Assume(_) | Await(_)) {
                dead.push(stmt.span);
            }
            return false;
        }
        if !stmt_falls(stmt, dead) {
            end = Some(stmt);
        }
    }
    end.is_none()
}

fn stmt_falls(stmt: &Stmt, dead: &mut Vec<Span>) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_) => false,
        StmtKind::Assert(e) | StmtKind::Assume(e) | StmtKind::Await(e) => {
            !matches!(e.kind, ExprKind::Const(Value::Bool(false)))
        }
        StmtKind::If { then, els, .. } => {
            let (a, b) = (block_falls(then, dead), block_falls(els, dead));
            a || b
        }
        StmtKind::Loop { id, cond, body, .. } => {
            block_falls(body, dead);
            cond.is_some() || breaks(body, *id)
        }
        StmtKind::Atomic(block) => block_falls(block, dead),
        StmtKind::Either(blocks) => {
            blocks.iter().map(|b| block_falls(b, dead)).fold(false, |a, b| a | b)
        }
        _ => true,
    }
}

/// Is there a `break` out of this loop?
fn breaks(block: &Block, id: LoopId) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Break(to) => *to == id,
        StmtKind::If { then, els, .. } => breaks(then, id) || breaks(els, id),
        StmtKind::Loop { body, .. } | StmtKind::Atomic(body) => breaks(body, id),
        StmtKind::Either(blocks) => blocks.iter().any(|b| breaks(b, id)),
        _ => false,
    })
}
