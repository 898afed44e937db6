//! What is known while the code of one procedure is elaborated: its local variables, its loops,
//! and what it is allowed to do.

use std::collections::HashMap;

use crate::program::{LocalId, LoopId, Proc, ProcId, Stmt, StmtKind, Type, Var};
use crate::{Span, Value, walk};

use super::types::Place;
use super::units::{Sig, Sigs};
use super::{Elab, ScopeRef, codes};
use crate::syntax::ast;
use linchpin_text::Diagnostic;

/// Whose code it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Constant,
    Object,
    ObjectInit,
    Spec,
    SpecInit,
    Script,
    /// No code of the text: an expression that somebody watches.
    Watch,
}

impl Role {
    pub(super) fn is_object(self) -> bool {
        matches!(self, Role::Object | Role::ObjectInit | Role::Watch)
    }

    pub(super) fn is_spec(self) -> bool {
        matches!(self, Role::Spec | Role::SpecInit)
    }

    pub(super) fn is_init(self) -> bool {
        matches!(self, Role::ObjectInit | Role::SpecInit)
    }
}

/// A local variable; the type is `None` if it is in doubt.
pub(super) struct Local<'a> {
    pub(super) name: &'a str,
    pub(super) ty: Option<Type>,
    pub(super) span: Span,
    pub(super) used: bool,
    hidden: bool,
}

/// A loop around the current statement.
pub(super) struct LoopInfo<'a> {
    pub(super) label: Option<ast::Name<'a>>,
    pub(super) id: LoopId,
    pub(super) used: bool,
}

/// Where an operation of a specification meets others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// It is no such operation.
    Never,
    /// Nowhere so far.
    May,
    /// After so many statements.
    There(u32),
}

/// The procedure being elaborated.
pub(super) struct Body<'e, 'a> {
    pub(super) cx: &'e mut Elab<'a>,
    pub(super) scope: ScopeRef,
    pub(super) role: Role,
    /// What can be referred to; in a script, the object whose operations are called.
    pub(super) sigs: &'e Sigs<'a>,
    /// `None` if it is in doubt.
    pub(super) result: Option<Type>,
    pub(super) locals: Vec<Local<'a>>,
    /// Local variables that can be seen, innermost last, and where each block begins.
    visible: Vec<&'a str>,
    blocks: Vec<usize>,
    /// What each name means, innermost last, and how many blocks there were when it was declared.
    names: HashMap<&'a str, Vec<(LocalId, usize)>>,
    pub(super) loops: Vec<LoopInfo<'a>>,
    next_loop: u32,
    pub(super) atomic: bool,
    pub(super) meet: Meeting,
    /// Who is called, and where.
    pub(super) calls: Vec<(ProcId, Span)>,
    /// Was a statement left out because something in it is in doubt?
    pub(super) doubtful: bool,
    /// Is what is elaborated now something that is locked, `l` of `l.lock()`?
    pub(super) locked: bool,
    /// The name of the procedure.
    pub(super) head: Span,
    /// Who is called instead of whom (see `unroll`).
    pub(super) renamed: HashMap<ProcId, ProcId>,
    /// In scripts: for which parameters of which operations any value is asked for.
    pub(super) any: Vec<(ProcId, usize, Span)>,
}

impl<'e, 'a> Body<'e, 'a> {
    pub(super) fn new(
        cx: &'e mut Elab<'a>,
        scope: ScopeRef,
        role: Role,
        sigs: &'e Sigs<'a>,
    ) -> Self {
        Body {
            cx,
            scope,
            role,
            sigs,
            result: None,
            locals: Vec::new(),
            visible: Vec::new(),
            blocks: Vec::new(),
            names: HashMap::new(),
            loops: Vec::new(),
            next_loop: 0,
            atomic: false,
            meet: Meeting::Never,
            calls: Vec::new(),
            doubtful: false,
            locked: false,
            head: Span::default(),
            renamed: HashMap::new(),
            any: Vec::new(),
        }
    }

    /// A whole procedure.
    pub(super) fn proc(&mut self, p: &'a ast::Proc<'a>, sig: &Sig<'a>) -> Proc {
        let errors = self.cx.sink.errors();
        self.result = sig.result.clone();
        if sig.op && self.role == Role::Spec {
            self.meet = Meeting::May;
        }
        self.head = sig.name.span;
        for (name, ty) in &sig.params {
            self.declare(*name, ty.clone());
        }
        let body = self.block(&p.body);
        self.end_names(0, p.body.close);
        let result = sig.result.clone().unwrap_or(Type::Unit);
        if self.cx.sink.errors() == errors && !self.doubtful {
            self.check_flow(&body, &result, sig, p.body.close);
        }
        self.warn_unused();
        let meet = match self.meet {
            Meeting::There(before) => Some(before),
            _ => None,
        };
        self.check_meet(&body[..meet.unwrap_or(0) as usize]);
        Proc {
            name: p.name.text.into(),
            params: sig.params.len() as u32,
            locals: self.take_locals(),
            result,
            body,
            meet,
            span: p.name.span,
        }
    }

    /// What comes before `meet` does not return: the operation would be over before it meets others.
    fn check_meet(&mut self, before: &[Stmt]) {
        let mut found = None;
        walk::visit(before, &mut |_| {}, &mut |stmt| {
            if let StmtKind::Return(_) = stmt.kind {
                found.get_or_insert(stmt.span);
            }
        });
        if let Some(span) = found {
            let text = "an operation cannot return before it meets others";
            let d = Diagnostic::error(codes::MEET, span, text);
            self.cx.sink.push(d.help("keep what to return in a variable, and return after `meet`"));
        }
    }

    /// How many blocks there are around the current statement.
    pub(super) fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// A new local variable that can be seen from now on.
    pub(super) fn declare(&mut self, name: ast::Name<'a>, ty: Option<Type>) -> LocalId {
        let depth = self.blocks.len();
        let old = self.names.get(name.text).and_then(|ids| ids.last());
        if let Some(&(id, at)) = old
            && at == depth
            && depth > 0
        {
            let text = format!("`{}` is declared twice in the same block", name.text);
            let d = Diagnostic::error(codes::DUPLICATE, name.span, text)
                .label("declared again")
                .also(self.locals[id.index()].span, "first declared here");
            self.cx.sink.push(d.help("assign to it without `let`, or choose another name"));
        }
        if let Some(id) = self.sigs.var_names.get(name.text)
            && self.role != Role::Script
        {
            let text = format!("`{}` hides the variable of the same name", name.text);
            let d = Diagnostic::warning(codes::SHADOWS, name.span, text)
                .also(self.sigs.vars[id.index()].0.span, "the shared variable");
            self.cx.sink.push(d);
        }
        self.cx.record.typed(name.span, ty.as_ref());
        self.add_local(name.text, ty, name.span)
    }

    /// The same without looking whether that is wise.
    pub(super) fn add_local(&mut self, name: &'a str, ty: Option<Type>, span: Span) -> LocalId {
        let id = self.local(name, ty, span, false);
        self.visible.push(name);
        self.names.entry(name).or_default().push((id, self.blocks.len()));
        id
    }

    /// Begins a block.
    pub(super) fn enter_block(&mut self) {
        self.blocks.push(self.visible.len());
    }

    /// Ends a block with its closing brace: its variables can no longer be seen.
    pub(super) fn leave_block(&mut self, close: Span) {
        let start = self.blocks.pop().unwrap_or(0);
        self.end_names(start, close);
        for name in self.visible.drain(start..) {
            if let Some(ids) = self.names.get_mut(name) {
                ids.pop();
            }
        }
    }

    /// Notes that variables which can be seen, from this one on, can be seen up to here.
    fn end_names(&mut self, from: usize, close: Span) {
        for name in &self.visible[from..] {
            let id = self.names.get(name).and_then(|ids| ids.last());
            let declared = id.map(|(id, _)| self.locals[id.index()].span);
            self.cx.record.locals.extend(declared.map(|d| (d, close.start)));
        }
    }

    /// The names of local variables that can be seen.
    pub(super) fn visible_names(&self) -> impl Iterator<Item = &'a str> {
        self.visible.iter().copied()
    }

    /// A new local variable that has no name in the text.
    pub(super) fn hidden(&mut self, name: &'static str, ty: Type, span: Span) -> LocalId {
        self.local(name, Some(ty), span, true)
    }

    fn local(&mut self, name: &'a str, ty: Option<Type>, span: Span, hidden: bool) -> LocalId {
        self.locals.push(Local { name, ty, span, used: false, hidden });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// The local variable of that name.
    pub(super) fn find_local(&self, name: &str) -> Option<LocalId> {
        self.names.get(name).and_then(|ids| ids.last()).map(|(id, _)| *id)
    }

    /// A new loop around what follows.
    pub(super) fn enter_loop(&mut self, label: Option<ast::Name<'a>>) -> LoopId {
        if let Some(label) = label
            && let Some(old) =
                self.loops.iter().filter_map(|l| l.label).find(|l| l.text == label.text)
        {
            self.cx.duplicate(label, "label", old.span);
        }
        self.cx.record.labels.extend(label.map(|l| l.span));
        let id = LoopId(self.next_loop);
        self.next_loop += 1;
        self.loops.push(LoopInfo { label, id, used: false });
        id
    }

    pub(super) fn leave_loop(&mut self) {
        if let Some(LoopInfo { label: Some(label), used: false, .. }) = self.loops.pop() {
            let text = format!("the label `{}` is never used", label.text);
            self.cx.sink.push(Diagnostic::warning(codes::UNUSED, label.span, text));
        }
    }

    /// How types are restricted here.
    pub(super) fn type_place(&self) -> Place {
        if self.role.is_spec() { Place::SpecLocal } else { Place::ObjectLocal }
    }

    /// Warns about local variables that nobody reads.
    pub(super) fn warn_unused(&mut self) {
        let params = self.visible.len();
        for (i, l) in self.locals.iter().enumerate() {
            // Parameters belong to the interface; they may be ignored.
            if i < params || l.used || l.hidden || l.name.starts_with('_') || l.ty.is_none() {
                continue;
            }
            let text = format!("the variable `{}` is never read", l.name);
            let d = Diagnostic::warning(codes::UNUSED, l.span, text);
            self.cx.sink.push(d.help(format!("call it `_{}` if that is meant", l.name)));
        }
    }

    /// All parameters and local variables, as the program has them.
    pub(super) fn take_locals(&mut self) -> Vec<Var> {
        let locals = std::mem::take(&mut self.locals);
        locals
            .into_iter()
            .map(|l| {
                let ty = l.ty.filter(|t| self.cx.afford(t, l.span));
                let init =
                    ty.as_ref().map_or(Value::Unit, |t| Value::default_of(t, &self.cx.program));
                Var { name: l.name.into(), ty: ty.unwrap_or(Type::Unit), init, span: l.span }
            })
            .collect()
    }
}
