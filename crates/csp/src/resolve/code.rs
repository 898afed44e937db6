//! Programs of events.

use linchpin_text::Diagnostic;
use linchpin_text::Span;

use super::{Failed, Resolved, Resolver};
use crate::ast::{self, ExprKind, Initial, Name};
use crate::codes;
use crate::program::{Base, Code, Expr, NO_VARIABLE, Stmt};

impl<'m> Resolver<'m> {
    /// The program of an event.
    pub(super) fn code(&mut self, statements: &[ast::Stmt]) -> Resolved<Code> {
        self.scope.in_program = true;
        (self.scope.frame, self.scope.deepest) = (0, 0);
        let result = self.statements(statements);
        self.scope.in_program = false;
        self.scope.locals.clear();
        let code = Code { statements: result?, frame: self.scope.deepest };
        if let Some(span) = sharing(&code.statements, &mut Vec::new()) {
            let message =
                "changing one of two arrays or collections that are the same is not supported";
            let note = "in PAT, after `a = b` both are one until the program ends: what changes `a` \
                        changes `b`";
            self.sink.push(Diagnostic::error(codes::UNSUPPORTED, span, message).note(note));
            return Err(Failed);
        }
        Ok(code)
    }

    fn statements(&mut self, list: &[ast::Stmt]) -> Resolved<Vec<Stmt>> {
        let (locals, frame) = (self.scope.locals.len(), self.scope.frame);
        let mut out = Vec::new();
        for statement in list {
            self.statement(statement, &mut out)?;
        }
        self.scope.locals.truncate(locals);
        self.scope.frame = frame;
        Ok(out)
    }

    fn statement(&mut self, statement: &ast::Stmt, out: &mut Vec<Stmt>) -> Resolved<()> {
        match statement {
            ast::Stmt::Block(list) => out.extend(self.statements(list)?),
            ast::Stmt::If(condition, then, other) => {
                let span = condition.span;
                let condition = self.expr(condition)?;
                let then = self.statements(std::slice::from_ref(&**then))?;
                let other = match other {
                    Some(other) => self.statements(std::slice::from_ref(&**other))?,
                    None => Vec::new(),
                };
                out.push(Stmt::If(condition, then, other, span));
            }
            ast::Stmt::While(condition, body) => {
                let span = condition.span;
                let condition = self.expr(condition)?;
                let body = self.statements(std::slice::from_ref(&**body))?;
                out.push(Stmt::While(condition, body, span));
            }
            ast::Stmt::Local(name, sizes, initial) => self.local(name, sizes, initial, out)?,
            ast::Stmt::Expr(e) => match self.block_macro(e)? {
                Some(block) => out.extend(block),
                None => {
                    self.scope.statement =
                        matches!(e.kind, ExprKind::Method(..) | ExprKind::Call(..));
                    let e = self.expr(e);
                    self.scope.statement = false;
                    out.push(Stmt::Do(e?));
                }
            },
        }
        Ok(())
    }

    /// The statements of a macro that stands for some.
    fn block_macro(&mut self, e: &ast::Expr) -> Resolved<Option<Vec<Stmt>>> {
        let (name, arguments): (&str, &[ast::Expr]) = match &e.kind {
            ExprKind::Name(name) => (name, &[]),
            ExprKind::Call(name, arguments) => (&name.text, arguments),
            _ => return Ok(None),
        };
        let Some(&define) = self.macros.get(name) else { return Ok(None) };
        let ast::Body::Block(block) = &define.body else { return Ok(None) };
        let arguments = arguments.iter().map(|a| self.whole(a)).collect::<Resolved<Vec<_>>>()?;
        let statements = self.in_macro(define, &arguments, e.span, |r| r.statements(block))?;
        Ok(Some(statements))
    }

    fn local(
        &mut self,
        name: &Name,
        sizes: &[ast::Expr],
        initial: &Option<Initial>,
        out: &mut Vec<Stmt>,
    ) -> Resolved<()> {
        let mut shape = Vec::new();
        let mut length = 1u64;
        for size in sizes {
            let size = self.count(size, 1 << 12, "the size of an array")?;
            length *= u64::from(size);
            shape.push(size);
        }
        let values: Vec<Expr> = match initial {
            None => vec![Expr::Const(0); length.min(1 << 12) as usize],
            Some(Initial::Value(e)) => vec![self.whole(e)?],
            Some(Initial::Array(elements, _)) => {
                let values = self.elements(elements)?;
                if shape.is_empty() {
                    shape.push(values.len() as u32);
                    length = values.len() as u64;
                }
                values.into_iter().map(Expr::Const).collect()
            }
        };
        if values.len() as u64 != length {
            let message = format!("`{}` has {length} elements, other than given", name.text);
            return self.error(codes::ARGUMENTS, name.span, message);
        }
        let place = self.scope.frame;
        self.scope.frame += length as u32;
        self.scope.deepest = self.scope.deepest.max(self.scope.frame);
        self.scope.locals.push((name.text.clone(), place, shape));
        for (i, value) in values.into_iter().enumerate() {
            let base = Base::Frame(place + i as u32);
            out.push(Stmt::Do(Expr::Assign(base, NO_VARIABLE, Box::new(value), name.span)));
        }
        Ok(())
    }
}

/// Looks for a change of an array or collection after it was assigned to another variable, or got from
/// one. In PAT both variables then share it until the program ends, unlike here. `pairs` are those that
/// share.
fn sharing(statements: &[Stmt], pairs: &mut Vec<Base>) -> Option<Span> {
    for statement in statements {
        let found = match statement {
            Stmt::Do(e) => changes_shared(e, pairs),
            Stmt::If(e, then, other, _) => changes_shared(e, pairs)
                .or_else(|| sharing(then, pairs))
                .or_else(|| sharing(other, pairs)),
            // Twice: what comes first in the next round comes after the end of this one.
            Stmt::While(e, body, _) => {
                (0..2).find_map(|_| changes_shared(e, pairs).or_else(|| sharing(body, pairs)))
            }
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn changes_shared(e: &Expr, pairs: &mut Vec<Base>) -> Option<Span> {
    let inside = e.parts().find_map(|part| changes_shared(part, pairs));
    if inside.is_some() {
        return inside;
    }
    match e {
        Expr::AssignElement(base, _, _, _, _, span) | Expr::AssignAt(base, _, _, _, span) => {
            pairs.contains(base).then_some(*span)
        }
        Expr::Method(slot, _, method, _, span) => {
            (method.changes() && pairs.contains(&Base::Global(*slot))).then_some(*span)
        }
        Expr::Sharp(_, Some(slot), _, span) => {
            pairs.contains(&Base::Global(*slot)).then_some(*span)
        }
        Expr::Assign(to, _, value, _) | Expr::AssignWhole(to, _, _, value, _) => {
            let from = match **value {
                Expr::Whole(base, ..) => Some(base),
                Expr::Global(slot) => Some(Base::Global(slot)),
                Expr::Frame(place) => Some(Base::Frame(place)),
                _ => None,
            };
            if let Some(from) = from
                && from != *to
            {
                pairs.extend([from, *to]);
            }
            None
        }
        _ => None,
    }
}
