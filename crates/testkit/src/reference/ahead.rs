//! Which local variables a stopped thread certainly still needs.
//!
//! On its way out from the point where it stops, the tree walk comes past everything that is to be
//! executed after that point: the rest of every block, the next round of every loop. The first
//! statement that mentions a variable decides: if it only reads it, the variable is needed; if it
//! (also) writes it, that is left open. Behind a statement that nothing follows (`return`,
//! `break` ...) all is left open. So what is found is needed by any definition of "needed" that goes
//! by the text; there may be more.

use std::collections::BTreeMap;

use linchpin_lin::Value;
use linchpin_lin::program::{Expr, ExprKind, LoopId, Stmt, StmtKind};
use linchpin_lin::walk;

/// What has been found out on the way out.
#[derive(Clone, Debug, Default)]
pub(super) struct Ahead {
    /// Is anybody interested?
    pub(super) wanted: bool,
    /// Variables of the current procedure: needed, or left open.
    decided: BTreeMap<usize, bool>,
    /// Nothing more is certain about the current procedure.
    cut: bool,
    /// Values of needed variables and operands.
    pub(super) values: Vec<Value>,
}

impl Ahead {
    /// Nothing yet.
    pub(super) fn new(wanted: bool) -> Self {
        Ahead { wanted, ..Ahead::default() }
    }

    /// These statements come next.
    pub(super) fn comes(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if !self.wanted || self.cut {
                return;
            }
            let written = written(stmt);
            for x in mentioned(stmt) {
                self.decided.entry(x).or_insert(!written.contains(&x));
            }
            self.cut = !falls_through(stmt);
        }
    }

    /// This expression comes next.
    pub(super) fn reads(&mut self, e: &Expr) {
        if self.wanted && !self.cut {
            walk::visit_expr(e, &mut |e| {
                local(e).map(|x| self.decided.entry(x).or_insert(true));
            });
        }
    }

    /// This statement has been executed in part; what of it is still to come is not known.
    pub(super) fn passes(&mut self, stmt: &Stmt) {
        if !self.wanted || self.cut {
            return;
        }
        for x in written(stmt) {
            self.decided.entry(x).or_insert(false);
        }
        self.cut = !falls_through(stmt);
    }

    /// The current procedure has these variables, and its caller comes next.
    pub(super) fn leaves(&mut self, frame: &[Value]) {
        if self.wanted {
            let needed = self.decided.iter().filter(|(_, needed)| **needed);
            self.values.extend(needed.filter_map(|(x, _)| frame.get(*x).cloned()));
            self.decided.clear();
            self.cut = false;
        }
    }
}

fn mentioned(stmt: &Stmt) -> Vec<usize> {
    let mut found = Vec::new();
    walk::visit_block(std::slice::from_ref(stmt), &mut |e| found.extend(local(e)));
    found
}

fn written(stmt: &Stmt) -> Vec<usize> {
    let mut found = Vec::new();
    walk::visit(std::slice::from_ref(stmt), &mut |_| {}, &mut |stmt| {
        if let StmtKind::Assign { place, .. } = &stmt.kind {
            found.extend(root(place));
        }
    });
    found
}

fn local(e: &Expr) -> Option<usize> {
    match &e.kind {
        ExprKind::Local(id) => Some(id.index()),
        _ => None,
    }
}

/// The local variable a place is part of.
fn root(place: &Expr) -> Option<usize> {
    match &place.kind {
        ExprKind::Part(whole, _) | ExprKind::Index(whole, _) => root(whole),
        _ => local(place),
    }
}

/// Can the next statement be reached?
fn falls_through(stmt: &Stmt) -> bool {
    let all = |block: &[Stmt]| block.iter().all(falls_through);
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_) => false,
        StmtKind::Assert(e) | StmtKind::Assume(e) => {
            !matches!(e.kind, ExprKind::Const(Value::Bool(false)))
        }
        StmtKind::If { then, els, .. } => all(then) || all(els),
        StmtKind::Loop { id, cond, body, .. } => cond.is_some() || breaks(*id, body),
        StmtKind::Atomic(block) => all(block),
        StmtKind::Either(blocks) => blocks.iter().any(|b| all(b)),
        _ => true,
    }
}

fn breaks(id: LoopId, body: &[Stmt]) -> bool {
    let mut found = false;
    walk::visit(body, &mut |_| {}, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Break(target) if target == id);
    });
    found
}
