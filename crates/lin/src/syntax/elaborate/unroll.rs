//! Procedures that call themselves, to a stated depth: `fn help(d: Node) depth 3 { ... }`.
//!
//! Such a procedure is unrolled: there is a copy of it, and of every procedure through which it comes back to itself, for each
//! call that can be open. A call in the last copy is a failed assertion. So nobody who executes programs has to know
//! about recursion, and a bound that is too small is seen.

use std::collections::{BTreeSet, HashMap};

use crate::program::{Expr, ExprKind, Proc, ProcId, Stmt, StmtKind, Type, Unit};
use crate::{Span, Value};

use super::body::{Body, Role};
use super::units::Sigs;
use super::{Elab, codes};
use crate::syntax::ast;
use linchpin_text::Diagnostic;

/// The greatest depth.
pub(super) const MAX_RECURSION: i32 = 16;

/// So many copies of procedures, at most.
const MAX_COPIES: u32 = 64;

impl<'a> Elab<'a> {
    /// Unrolls the procedures that say how deep they may call themselves.
    pub(super) fn unroll(
        &mut self,
        unit: &'a ast::Unit<'a>,
        sigs: &Sigs<'a>,
        calls: &[Vec<(ProcId, Span)>],
        out: &mut Unit,
    ) {
        let reach = reachable(calls);
        for (p, sig) in sigs.procs.iter().enumerate() {
            let Some((depth, span)) = sig.depth else { continue };
            if !reach[p].contains(&p) {
                let text = format!("`{}` never calls itself", sig.name.text);
                self.sink.push(Diagnostic::warning(codes::UNUSED, span, text));
                continue;
            }
            let group: Vec<usize> =
                reach[p].iter().copied().filter(|q| reach[*q].contains(&p)).collect();
            let mut others = group.iter().filter(|q| **q != p);
            if let Some(other) = others.find_map(|q| sigs.procs[*q].depth) {
                let text = "of procedures that call each other, one says how deep";
                self.sink.push(
                    Diagnostic::error(codes::RECURSION, span, text).also(other.1, "so does this"),
                );
                return;
            }
            if depth * group.len() as u32 > MAX_COPIES {
                let text = format!("this makes more than {MAX_COPIES} copies of procedures");
                self.error(codes::TOO_DEEP, span, text);
                return;
            }
            self.copies(unit, sigs, &Group { entry: p, members: &group, depth, span }, out);
        }
    }

    fn copies(
        &mut self,
        unit: &'a ast::Unit<'a>,
        sigs: &Sigs<'a>,
        group: &Group<'_>,
        out: &mut Unit,
    ) {
        let first = out.procs.len();
        // What is wrong with the text was said already, and what its names mean.
        let sink = std::mem::take(&mut self.sink);
        let record = std::mem::take(&mut self.record);
        for level in 0..=group.depth {
            for &member in group.members {
                if member == group.entry && level == 0 {
                    continue;
                }
                let role = if unit.spec { Role::Spec } else { Role::Object };
                let mut body = Body::new(self, sigs.scope, role, sigs);
                body.renamed = group.renamed(level, first);
                let proc = body.proc(&unit.procs[member], &sigs.procs[member]);
                match group.id(member, level, first) {
                    id if id.index() < out.procs.len() => out.procs[id.index()] = proc,
                    _ => out.procs.push(proc),
                }
            }
        }
        (self.sink, self.record) = (sink, record);
        out.procs.push(too_deep(&out.procs[group.entry], group.span));
    }
}

/// Procedures that call each other.
struct Group<'g> {
    /// The one that says how deep.
    entry: usize,
    members: &'g [usize],
    depth: u32,
    /// `depth n`
    span: Span,
}

impl Group<'_> {
    /// The number of a copy. The first is the procedure itself: of the entry that of level 1, of others that of level 0.
    fn id(&self, member: usize, level: u32, first: usize) -> ProcId {
        let lowest = u32::from(member == self.entry);
        if level == lowest {
            return ProcId(member as u32);
        }
        let (per_level, place) =
            (self.members.len(), self.members.iter().position(|m| *m == member));
        let others = per_level - 1;
        // Level 1 has copies of the others only.
        let before = match level {
            1 => 0,
            level => others + (level as usize - 2) * per_level,
        };
        let place = match (level, place.unwrap_or(0)) {
            (1, place) => {
                let entry = self.members.iter().position(|m| *m == self.entry).unwrap_or(0);
                place - usize::from(place > entry)
            }
            (_, place) => place,
        };
        ProcId((first + before + place) as u32)
    }

    /// Whom calls in a copy go to.
    fn renamed(&self, level: u32, first: usize) -> HashMap<ProcId, ProcId> {
        let target = |&member: &usize| {
            let id = match member == self.entry {
                true if level == self.depth => {
                    // Behind all copies.
                    let copies =
                        (self.members.len() - 1) + (self.depth as usize - 1) * self.members.len();
                    ProcId((first + copies) as u32)
                }
                true => self.id(member, level + 1, first),
                false => self.id(member, level, first),
            };
            (ProcId(member as u32), id)
        };
        self.members.iter().map(target).collect()
    }
}

/// What is called instead of one more copy.
fn too_deep(proc: &Proc, span: Span) -> Proc {
    let kind = ExprKind::Const(Value::Bool(false));
    let never = Expr { kind, ty: Type::Bool, span };
    Proc { body: vec![Stmt { kind: StmtKind::Assert(never), span }], ..proc.clone() }
}

/// Whom each procedure calls, directly or through others.
fn reachable(calls: &[Vec<(ProcId, Span)>]) -> Vec<BTreeSet<usize>> {
    let from = |start: usize| {
        let mut seen = BTreeSet::new();
        let mut todo = vec![start];
        while let Some(p) = todo.pop() {
            for (to, _) in &calls[p] {
                if seen.insert(to.index()) {
                    todo.push(to.index());
                }
            }
        }
        seen
    };
    (0..calls.len()).map(from).collect()
}
