//! What the names of a model mean, for editors.
//!
//! Declarations are those of the main file and of those it includes; a place of a declaration may be in another file.
//! Parameters mean something inside of their definition, indices inside of their operator, and variables of programs
//! and of inputs inside of the definition that has them.

use linchpin_text::{Declared, Files, Names, Sink, Span};

use crate::ast::{Expr, ExprKind, Model, Name, Process, ProcessKind, Range, Stmt};
use crate::lexer::{Kind, tokens};

/// The names in the main file of a model.
pub fn names(tree: &Model, files: &Files) -> Names {
    let text = files.text();
    let mut found = Found { list: Vec::new() };
    // A declaration ends with its semicolon.
    let until = |from: Span| {
        let rest = &text[from.end as usize..];
        let end = from.end as usize + rest.find(';').map_or(0, |i| i + 1);
        Span { start: from.start, end: end as u32 }
    };
    for d in &tree.defines {
        found.add(&d.name, "constant", until(d.name.span), None);
        for parameter in &d.parameters {
            found.add(parameter, "parameter", parameter.span, Some(until(d.name.span)));
        }
    }
    for v in &tree.variables {
        found.add(&v.name, "variable", until(v.name.span), None);
    }
    for c in &tree.channels {
        found.add(&c.name, "channel", until(c.name.span), None);
    }
    for p in &tree.processes {
        let whole = p.name.span.to(p.body.span);
        found.add(&p.name, "process", whole, None);
        for (parameter, _) in &p.parameters {
            found.add(parameter, "parameter", parameter.span, Some(whole));
        }
        found.process(&p.body);
    }
    let main = Span::new(0, files.main().len());
    let words = tokens(text, main, &mut Sink::default());
    let words = words.iter().filter(|t| t.kind == Kind::Word).map(|t| t.span);
    Names::new(found.list, text, words)
}

struct Found {
    list: Vec<Declared>,
}

impl Found {
    fn add(&mut self, name: &Name, kind: &'static str, whole: Span, scope: Option<Span>) {
        self.list.push(Declared { name: name.text.clone(), kind, span: name.span, whole, scope });
    }

    fn ranges(&mut self, over: &[Range], scope: Span) {
        for range in over {
            self.add(&range.name, "index", range.name.span, Some(scope));
        }
    }

    fn process(&mut self, p: &Process) {
        match &p.kind {
            ProcessKind::Stop
            | ProcessKind::Skip
            | ProcessKind::Assert(_)
            | ProcessKind::Call(..) => {}
            ProcessKind::Prefix(_, code, next) | ProcessKind::Send(_, _, code, next) => {
                self.code(code.as_deref(), p.span);
                self.process(next);
            }
            ProcessKind::Receive(_, _, values, code, next) => {
                for value in values {
                    self.input(value, p.span);
                }
                self.code(code.as_deref(), p.span);
                self.process(next);
            }
            ProcessKind::Guard(_, next)
            | ProcessKind::Atomic(next)
            | ProcessKind::Many(next)
            | ProcessKind::Either(_, next) => self.process(next),
            ProcessKind::Replicated(_, next) | ProcessKind::Hide(next, _) => self.process(next),
            ProcessKind::If(_, _, then, other) => {
                self.process(then);
                other.iter().for_each(|p| self.process(p));
            }
            ProcessKind::Case(cases) => cases.iter().for_each(|(_, p)| self.process(p)),
            ProcessKind::Sequence(a, b) | ProcessKind::Interrupt(a, b) => {
                self.process(a);
                self.process(b);
            }
            ProcessKind::Nary(_, parts) => parts.iter().for_each(|p| self.process(p)),
            ProcessKind::Indexed(_, over, body) => {
                self.ranges(over, p.span);
                self.process(body);
            }
        }
    }

    /// A name that an input binds, unless it means something already.
    fn input(&mut self, value: &Expr, scope: Span) {
        let ExprKind::Name(text) = &value.kind else { return };
        let known = self.list.iter().any(|d| {
            d.name == *text
                && d.scope.is_none_or(|s| s.start <= value.span.start && value.span.end <= s.end)
        });
        if !known {
            let name = Name { text: text.clone(), span: value.span };
            self.add(&name, "received value", value.span, Some(scope));
        }
    }

    fn code(&mut self, code: Option<&[Stmt]>, scope: Span) {
        for statement in code.unwrap_or_default() {
            match statement {
                Stmt::Local(name, ..) => self.add(name, "local variable", name.span, Some(scope)),
                Stmt::Block(list) => self.code(Some(list), scope),
                Stmt::If(_, then, other) => {
                    self.code(Some(std::slice::from_ref(then)), scope);
                    if let Some(other) = other {
                        self.code(Some(std::slice::from_ref(other)), scope);
                    }
                }
                Stmt::While(_, body) => self.code(Some(std::slice::from_ref(body)), scope),
                Stmt::Expr(_) => {}
            }
        }
    }
}
