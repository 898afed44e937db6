//! Expressions and programs of events.

use linchpin_model::Span;
use linchpin_syntax::Diagnostic;

use super::{Failed, Resolved, Resolver, Scope};
use crate::ast::{self, Binary, ExprKind, Initial, Name, Unary};
use crate::codes;
use crate::program::{Base, Code, Expr, NO_VARIABLE, Query, Stmt};
use crate::value::{self, FALSE, MAX, TRUE};

/// The deepest nesting of macros.
const MAX_MACROS: usize = 64;

/// The most values of the indices of a quantifier.
const MAX_QUANTIFIED: usize = 1 << 12;

/// What a name stands for.
enum Meaning {
    Value(Expr),
    /// Base, length, sizes, variable.
    Array(Base, u32, Vec<u32>, u32),
}

impl<'m> Resolver<'m> {
    /// A condition or value that changes nothing.
    pub(super) fn expr(&mut self, e: &ast::Expr) -> Resolved<Expr> {
        let span = e.span;
        match &e.kind {
            ExprKind::Int(n) if *n <= i64::from(MAX) => Ok(Expr::Const(*n as i32)),
            ExprKind::Int(_) => self.error(codes::RANGE, span, "this number is too large"),
            ExprKind::Bool(b) => Ok(Expr::Const(value::bool(*b))),
            ExprKind::Name(name) => match self.meaning(name, span)? {
                Meaning::Value(e) => Ok(e),
                Meaning::Array(..) => {
                    let message = format!("`{name}` is an array: which element is meant?");
                    self.error(codes::MISUSE, span, message)
                }
            },
            ExprKind::Index(name, indices) => {
                let (base, length, _, index) = self.element(name, indices)?;
                Ok(Expr::Element(base, length, Box::new(index), span))
            }
            ExprKind::Unary(Unary::Minus, inner) => {
                Ok(Expr::Minus(Box::new(self.expr(inner)?), span))
            }
            ExprKind::Unary(Unary::Not, inner) => Ok(Expr::Not(Box::new(self.expr(inner)?), span)),
            ExprKind::Binary(op, a, b) => {
                let a = Box::new(self.expr(a)?);
                Ok(Expr::Binary(*op, a, Box::new(self.expr(b)?), span))
            }
            ExprKind::Assign(place, e) => self.assignment(place, e, span),
            ExprKind::Call(name, arguments) => self.call(name, arguments, span),
            ExprKind::Quantified(op, over, body) => self.quantified(*op, over, body, span),
        }
    }

    fn meaning(&mut self, name: &str, span: Span) -> Resolved<Meaning> {
        if let Some(e) = self.scope.arguments.as_ref().and_then(|a| a.get(name)) {
            return Ok(Meaning::Value(e.clone()));
        }
        if let Some((_, place, sizes)) = self.scope.locals.iter().rev().find(|l| l.0 == name) {
            return Ok(match sizes.is_empty() {
                true => Meaning::Value(Expr::Frame(*place)),
                false => {
                    let length = sizes.iter().product();
                    Meaning::Array(Base::Frame(*place), length, sizes.clone(), NO_VARIABLE)
                }
            });
        }
        if let Some(place) = self.scope.places.iter().rposition(|p| p == name) {
            return Ok(Meaning::Value(Expr::Param(place as u32)));
        }
        if let Some(&id) = self.variables.get(name) {
            let v = &self.program.variables[id as usize];
            return Ok(match v.sizes.is_empty() {
                true => Meaning::Value(Expr::Global(v.base)),
                false => Meaning::Array(Base::Global(v.base), v.length, v.sizes.clone(), id),
            });
        }
        if self.macros.contains_key(name) {
            return Ok(Meaning::Value(self.expand(name, &[], span)?));
        }
        self.unknown(name, span, "variable, parameter or constant")
    }

    pub(super) fn unknown<T>(&mut self, name: &str, span: Span, what: &str) -> Resolved<T> {
        let message = format!("there is no {what} `{name}`");
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN, span, message);
        let mut known = (self.scope.places.iter().map(String::as_str))
            .chain(self.model.variables.iter().map(|v| v.name.text.as_str()))
            .chain(self.model.defines.iter().map(|d| d.name.text.as_str()))
            .chain(self.model.channels.iter().map(|c| c.name.text.as_str()))
            .chain(self.model.processes.iter().map(|p| p.name.text.as_str()));
        if let Some(near) = known.find(|k| k.eq_ignore_ascii_case(name) || near(k, name)) {
            diagnostic = diagnostic.help(format!("is `{near}` meant?"));
        }
        self.sink.push(diagnostic);
        Err(Failed)
    }

    /// The body of a macro with its arguments.
    fn expand(&mut self, name: &str, arguments: &[Expr], span: Span) -> Resolved<Expr> {
        let define = self.macros[name];
        let ast::Body::Expr(body) = &define.body else {
            let message = format!("`{name}` stands for statements, not for a value");
            return self.error(codes::MISUSE, span, message);
        };
        self.in_macro(define, arguments, span, |r| r.expr(body))
    }

    /// Resolves the body of a macro, which sees its parameters and what is global.
    fn in_macro<T>(
        &mut self,
        define: &ast::Define,
        arguments: &[Expr],
        span: Span,
        f: impl FnOnce(&mut Self) -> Resolved<T>,
    ) -> Resolved<T> {
        if define.parameters.len() != arguments.len() {
            let (n, m) = (define.parameters.len(), arguments.len());
            let message = format!("`{}` has {n} parameters, but {m} arguments", define.name.text);
            return self.error(codes::ARGUMENTS, span, message);
        }
        if self.depth == MAX_MACROS {
            let message = format!("`{}` is defined by itself", define.name.text);
            return self.error(codes::CYCLE, span, message);
        }
        let names = define.parameters.iter().map(|p| p.text.clone());
        let arguments = names.zip(arguments.iter().cloned()).collect();
        let inner = Scope {
            arguments: Some(arguments),
            in_program: self.scope.in_program,
            frame: self.scope.frame,
            deepest: self.scope.deepest,
            ..Scope::default()
        };
        let outer = std::mem::replace(&mut self.scope, inner);
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        let inner = std::mem::replace(&mut self.scope, outer);
        self.scope.deepest = self.scope.deepest.max(inner.deepest);
        result
    }

    /// Base, length, variable and index of an element.
    fn element(&mut self, name: &Name, indices: &[ast::Expr]) -> Resolved<(Base, u32, u32, Expr)> {
        let Meaning::Array(base, length, sizes, variable) = self.meaning(&name.text, name.span)?
        else {
            let message = format!("`{}` is not an array", name.text);
            return self.error(codes::MISUSE, name.span, message);
        };
        if indices.len() != sizes.len() {
            let (n, m) = (sizes.len(), indices.len());
            let message = format!("`{}` has {n} dimensions, but {m} indices", name.text);
            return self.error(codes::ARGUMENTS, name.span, message);
        }
        // As PAT does, several indices become one; only that one has to be inside the array.
        let mut index = None;
        for (e, &size) in indices.iter().zip(&sizes) {
            let next = self.expr(e)?;
            index = Some(match index {
                None => next,
                Some(before) => {
                    let size = Box::new(Expr::Const(size as i32));
                    let row = Expr::Binary(Binary::Multiply, Box::new(before), size, e.span);
                    Expr::Binary(Binary::Add, Box::new(row), Box::new(next), e.span)
                }
            });
        }
        Ok((base, length, variable, index.unwrap_or(Expr::Const(0))))
    }

    fn assignment(&mut self, place: &ast::Expr, e: &ast::Expr, span: Span) -> Resolved<Expr> {
        if !self.scope.in_program {
            let message = "an assignment is possible only in the program of an event";
            let help = "is `==` meant?";
            self.sink.push(Diagnostic::error(codes::MISUSE, span, message).help(help));
            return Err(Failed);
        }
        let value = Box::new(self.expr(e)?);
        match &place.kind {
            ExprKind::Name(name) => match self.meaning(name, place.span)? {
                Meaning::Value(Expr::Global(slot)) => {
                    let variable = self.variables[name.as_str()];
                    Ok(Expr::Assign(Base::Global(slot), variable, value, span))
                }
                Meaning::Value(Expr::Frame(place)) => {
                    Ok(Expr::Assign(Base::Frame(place), NO_VARIABLE, value, span))
                }
                Meaning::Value(_) => {
                    let message = format!("`{name}` cannot be assigned: it is not a variable");
                    self.error(codes::MISUSE, place.span, message)
                }
                Meaning::Array(..) => {
                    let message = format!("`{name}` is an array: its elements are assigned");
                    self.error(codes::MISUSE, place.span, message)
                }
            },
            ExprKind::Index(name, indices) => {
                let (base, length, variable, index) = self.element(name, indices)?;
                Ok(Expr::AssignElement(base, length, variable, Box::new(index), value, span))
            }
            _ => self.error(codes::MISUSE, place.span, "only variables can be assigned"),
        }
    }

    /// `call(f, ...)`: macros and what PAT offers for channels.
    fn call(&mut self, name: &Name, arguments: &[ast::Expr], span: Span) -> Resolved<Expr> {
        if self.macros.contains_key(name.text.as_str()) {
            let arguments = arguments.iter().map(|a| self.expr(a)).collect::<Resolved<Vec<_>>>()?;
            return self.expand(&name.text, &arguments, span);
        }
        let query = match name.text.as_str() {
            "cfull" => Query::Full,
            "cempty" => Query::Empty,
            "ccount" => Query::Count,
            "csize" => Query::Size,
            "cpeek" => Query::Peek,
            _ => {
                let message = format!("the function `{}` is not supported", name.text);
                let note = "of the functions that PAT knows or imports from C# code, Linchpin \
                            knows cfull, cempty, ccount, csize and cpeek";
                self.sink
                    .push(Diagnostic::error(codes::UNSUPPORTED, name.span, message).note(note));
                return Err(Failed);
            }
        };
        let (channel, index) = match arguments {
            [ast::Expr { kind: ExprKind::Name(c), .. }] => (c, None),
            [ast::Expr { kind: ExprKind::Index(c, i), .. }] if i.len() == 1 => {
                (&c.text, Some(Box::new(self.expr(&i[0])?)))
            }
            _ => {
                let message = format!("`{}` needs the name of a channel", name.text);
                return self.error(codes::ARGUMENTS, span, message);
            }
        };
        match self.channels.get(channel.as_str()) {
            Some(&(first, count, array)) if array == index.is_some() => {
                Ok(Expr::Channel(query, first, count, index, span))
            }
            Some(_) => self.error(codes::ARGUMENTS, span, "an index is missing, or too many"),
            None => {
                let channel = channel.clone();
                self.unknown(&channel, span, "channel")
            }
        }
    }

    /// `&& i:{0..2} @ b` is written out.
    fn quantified(
        &mut self,
        op: Binary,
        over: &[ast::Range],
        body: &ast::Expr,
        span: Span,
    ) -> Resolved<Expr> {
        let outer = self.scope.arguments.take();
        let mut rows = vec![outer.clone().unwrap_or_default()];
        for range in over {
            let mut next = Vec::new();
            for row in rows {
                self.scope.arguments = Some(row.clone());
                for v in self.constants(&range.values)? {
                    let mut row = row.clone();
                    row.insert(range.name.text.clone(), Expr::Const(v));
                    next.push(row);
                    if next.len() > MAX_QUANTIFIED {
                        return self.error(codes::RANGE, span, "there are too many indices");
                    }
                }
            }
            rows = next;
        }
        let mut all: Option<Expr> = None;
        for row in rows {
            self.scope.arguments = Some(row);
            let next = self.expr(body)?;
            all = Some(match all {
                None => next,
                Some(before) => Expr::Binary(op, Box::new(before), Box::new(next), span),
            });
        }
        self.scope.arguments = outer;
        let nothing = if op == Binary::And { TRUE } else { FALSE };
        Ok(all.unwrap_or(Expr::Const(nothing)))
    }

    /// Constant values of an index.
    fn constants(&mut self, values: &ast::Values) -> Resolved<Vec<i32>> {
        match values {
            ast::Values::List(list) => list.iter().map(|e| self.constant(e)).collect(),
            ast::Values::Between(a, b) => {
                let (low, high) = (self.constant(a)?, self.constant(b)?);
                if i64::from(high) - i64::from(low) > MAX_QUANTIFIED as i64 {
                    return self.error(codes::RANGE, a.span, "there are too many indices");
                }
                Ok((low..=high).collect())
            }
        }
    }

    /// The program of an event.
    pub(super) fn code(&mut self, statements: &[ast::Stmt]) -> Resolved<Code> {
        self.scope.in_program = true;
        (self.scope.frame, self.scope.deepest) = (0, 0);
        let result = self.statements(statements);
        self.scope.in_program = false;
        self.scope.locals.clear();
        Ok(Code { statements: result?, frame: self.scope.deepest })
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
                None => out.push(Stmt::Do(self.expr(e)?)),
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
        let arguments = arguments.iter().map(|a| self.expr(a)).collect::<Resolved<Vec<_>>>()?;
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
            Some(Initial::Value(e)) => vec![self.expr(e)?],
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

/// Do two names differ by one letter at most?
fn near(a: &str, b: &str) -> bool {
    if a.len().abs_diff(b.len()) > 1 || a.len() < 3 {
        return false;
    }
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a.as_bytes()[same..], &b.as_bytes()[same..]);
    a.get(1..).unwrap_or_default() == b.get(1..).unwrap_or_default()
        || a.get(1..) == Some(b)
        || b.get(1..) == Some(a)
}
