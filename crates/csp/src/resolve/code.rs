//! Programs of events.

use linchpin_text::Diagnostic;

use super::sharing::write_out;
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
        match write_out(result?, &self.program.variables) {
            Ok(statements) => Ok(Code { statements, frame: self.scope.deepest }),
            Err(span) => {
                let message = "changing one of two arrays or collections that may be the same is not \
                     supported here";
                let note = "in PAT, after `a = b` both are one until the program ends: what changes \
                            `a` changes `b`. Here that must not depend on a condition or a loop, and the \
                            change must be a statement of its own";
                self.sink.push(Diagnostic::error(codes::UNSUPPORTED, span, message).note(note));
                Err(Failed)
            }
        }
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
            Some(Initial::Any(span)) => {
                let message = "an arbitrary initial value of a local variable is not supported";
                return self.error(codes::UNSUPPORTED, *span, message);
            }
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
