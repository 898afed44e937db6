//! Clients: the roles of a check and their scripts.

use std::collections::{BTreeSet, HashMap};

use crate::Span;
use crate::program::{Behaviour, OpId, Proc, Role, Type};

use super::body::{self, Body};
use super::checks::{MAX_THREADS, Settings};
use super::units::Sigs;
use super::{Elab, codes};
use crate::syntax::ast;
use linchpin_text::Diagnostic;

/// The most operations a thread can be given (without `unbounded`).
const MAX_OPS: i32 = 1 << 20;

impl<'a> Elab<'a> {
    /// The roles, and the parameters (operation, position) whose values have to be known.
    pub(super) fn roles(
        &mut self,
        check: &'a ast::Check<'a>,
        settings: &Settings<'a>,
        object: &Sigs<'a>,
    ) -> (Vec<Role>, BTreeSet<(usize, usize)>) {
        let mut needed = BTreeSet::new();
        let count = match settings.ops {
            None => Some(2),
            Some(None) => None,
            Some(Some(e)) => Some(self.number_in(e, 0, MAX_OPS, "`ops`").unwrap_or(0)),
        };
        if settings.roles.is_empty() {
            let threads = match settings.threads {
                None => 2,
                Some(e) => {
                    self.number_in(e, 1, MAX_THREADS as i32, "the number of threads").unwrap_or(1)
                }
            };
            let all: Vec<usize> = (0..object.procs.len()).filter(|&p| object.procs[p].op).collect();
            let ops = ops_of(&all, object, &mut needed);
            let behaviour = Behaviour::General { ops, count };
            return (vec![Role { name: "thread".into(), threads, behaviour }], needed);
        }
        if let Some(span) = settings.threads_span {
            let text = "`threads` and `role` exclude each other: the roles say how many there are";
            let role = settings.roles[0].name.span;
            self.sink.push(Diagnostic::error(codes::SETTING, span, text).also(role, "a role"));
        }
        let mut roles = Vec::new();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut total = 0;
        for role in &settings.roles {
            if let Some(span) = seen.insert(role.name.text, role.name.span) {
                self.duplicate(role.name, "role", span);
            }
            let threads = self
                .number_in(&role.threads, 1, MAX_THREADS as i32, "the number of threads")
                .unwrap_or(1);
            total += threads;
            let behaviour = match &role.behaviour {
                ast::Behaviour::General { ops, count: own } => {
                    let count = match own {
                        None => count,
                        Some(None) => None,
                        Some(Some(e)) => Some(self.number_in(e, 0, MAX_OPS, "`ops`").unwrap_or(0)),
                    };
                    let ops = self.role_ops(role, ops, object, &mut needed);
                    Behaviour::General { ops, count }
                }
                ast::Behaviour::Script(block) => {
                    Behaviour::Script(self.script(role.name, block, object, &mut needed))
                }
            };
            roles.push(Role { name: role.name.text.into(), threads, behaviour });
        }
        if total > MAX_THREADS {
            let text = format!(
                "the roles have {total} threads together; at most {MAX_THREADS} are possible"
            );
            self.error(codes::SETTING, check.span, text);
        }
        (roles, needed)
    }

    fn role_ops(
        &mut self,
        role: &ast::Role<'a>,
        ops: &[ast::Name<'a>],
        object: &Sigs<'a>,
        needed: &mut BTreeSet<(usize, usize)>,
    ) -> Vec<OpId> {
        let mut procs = Vec::new();
        for op in ops {
            match self.op_named(*op, object) {
                Some(p) if procs.contains(&p) => {
                    let text = format!("the operation `{}` is given twice", op.text);
                    self.error(codes::DUPLICATE, op.span, text);
                }
                Some(p) => procs.push(p),
                None => {}
            }
        }
        if ops.is_empty() {
            let text = format!("the role `{}` has no operations", role.name.text);
            self.error(codes::SETTING, role.name.span, text);
        }
        ops_of(&procs, object, needed)
    }

    fn script(
        &mut self,
        name: ast::Name<'a>,
        block: &'a ast::Block<'a>,
        object: &Sigs<'a>,
        needed: &mut BTreeSet<(usize, usize)>,
    ) -> Proc {
        let mut body = Body::new(self, object.scope, body::Role::Script, object);
        body.result = Some(Type::Unit);
        let code = body.block(block);
        body.warn_unused();
        needed.extend(body.any.iter().map(|a| (a.0.index(), a.1)));
        let locals = body.take_locals();
        let result = Type::Unit;
        Proc {
            name: name.text.into(),
            params: 0,
            locals,
            result,
            body: code,
            meet: None,
            span: name.span,
        }
    }
}

/// The operations of procedures; all their parameters need values.
fn ops_of(procs: &[usize], object: &Sigs<'_>, needed: &mut BTreeSet<(usize, usize)>) -> Vec<OpId> {
    let mut ops = Vec::new();
    for &p in procs {
        needed.extend((0..object.procs[p].params.len()).map(|i| (p, i)));
        ops.push(object.procs[p].op_id);
    }
    ops
}
