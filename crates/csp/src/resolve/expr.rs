//! Expressions.

use linchpin_text::Diagnostic;
use linchpin_text::Span;
use linchpin_text::did_you_mean;

use super::{Failed, Resolved, Resolver, Scope};
use crate::ast::{self, Binary, ExprKind, Name, Unary};
use crate::codes;
use crate::program::{Base, Expr, NO_VARIABLE};
use crate::value::{self, FALSE, MAX, TRUE};

/// The deepest nesting of macros.
const MAX_MACROS: usize = 64;

/// How often macros and quantifiers are written out at most.
const MAX_EXPANDED: usize = 1 << 17;

/// The most values of the indices of a quantifier.
const MAX_QUANTIFIED: usize = 1 << 12;

/// The longest array that is one value.
pub(super) const MAX_ARRAY: u64 = 1 << 12;

/// What a name stands for.
pub(super) enum Meaning {
    Value(Expr),
    /// Base, length, sizes, variable.
    Array(Base, u32, Vec<u32>, u32),
}

/// What an index leads to.
enum Place {
    /// Base, length, variable, index.
    Element(Base, u32, u32, Expr),
    /// An array that is one value, index.
    At(Expr, Expr),
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
            ExprKind::Index(name, indices) => match self.element(name, indices)? {
                Place::Element(base, length, _, index) => {
                    Ok(Expr::Element(base, length, Box::new(index), span))
                }
                Place::At(array, index) => Ok(Expr::At(Box::new(array), Box::new(index), span)),
            },
            ExprKind::Unary(Unary::Minus, inner) => {
                Ok(Expr::Minus(Box::new(self.expr(inner)?), span))
            }
            ExprKind::Unary(Unary::Not, inner) => Ok(Expr::Not(Box::new(self.expr(inner)?), span)),
            ExprKind::Binary(op @ (Binary::Equal | Binary::Unequal), a, b) => {
                let a = Box::new(self.whole(a)?);
                Ok(Expr::Binary(*op, a, Box::new(self.whole(b)?), span))
            }
            ExprKind::Binary(op, a, b) => {
                let a = Box::new(self.expr(a)?);
                Ok(Expr::Binary(*op, a, Box::new(self.expr(b)?), span))
            }
            ExprKind::Assign(place, e) => self.assignment(place, e, span),
            ExprKind::Call(name, arguments) => self.call(name, arguments, span),
            ExprKind::Quantified(op, over, body) => self.quantified(*op, over, body, span),
            ExprKind::Array(elements) => self.array(elements, span),
            ExprKind::New(name, arguments) => self.new_object(name, arguments, span),
            ExprKind::Method(on, method, arguments) => self.method(on, method, arguments, span),
            ExprKind::Count(name) => match self.counted.get(name.text.as_str()) {
                Some(&slot) => Ok(Expr::Global(slot)),
                None if self.definitions.is_empty() => {
                    let message = "processes are counted only where they run";
                    self.error(codes::MISUSE, span, message)
                }
                // It has been reported.
                None => Err(Failed),
            },
        }
    }

    /// A value that may be an array: one that is assigned, compared, sent or handed over.
    pub(super) fn whole(&mut self, e: &ast::Expr) -> Resolved<Expr> {
        if let ExprKind::Name(name) = &e.kind
            && let Meaning::Array(base, length, ..) = self.meaning(name, e.span)?
        {
            return Ok(Expr::Whole(base, length, e.span));
        }
        self.expr(e)
    }

    /// `[1, x, 0(3)]`
    fn array(&mut self, elements: &[ast::Element], span: Span) -> Resolved<Expr> {
        let mut list = Vec::new();
        for element in elements {
            match element {
                ast::Element::Times(e, None) => list.push(self.expr(e)?),
                ast::Element::Times(e, Some(times)) => {
                    let e = self.expr(e)?;
                    let times = self.count(times, MAX_ARRAY, "the number of repetitions")?;
                    list.extend(std::iter::repeat_n(e, times as usize));
                }
                ast::Element::Range(..) => {
                    let values = self.elements(std::slice::from_ref(element))?;
                    list.extend(values.into_iter().map(Expr::Const));
                }
            }
            if list.len() as u64 > MAX_ARRAY {
                return self.error(codes::RANGE, span, "this array is too long");
            }
        }
        Ok(Expr::Array(list, span))
    }

    pub(super) fn meaning(&mut self, name: &str, span: Span) -> Resolved<Meaning> {
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
        let known = (self.scope.places.iter().map(String::as_str))
            .chain(self.model.variables.iter().map(|v| v.name.text.as_str()))
            .chain(self.model.defines.iter().map(|d| d.name.text.as_str()))
            .chain(self.model.channels.iter().map(|c| c.name.text.as_str()))
            .chain(self.model.processes.iter().map(|p| p.name.text.as_str()));
        if let Some(near) = did_you_mean(name, known) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?")).edit(span, near);
        }
        self.sink.push(diagnostic);
        Err(Failed)
    }

    /// The body of a macro with its arguments.
    pub(super) fn expand(&mut self, name: &str, arguments: &[Expr], span: Span) -> Resolved<Expr> {
        let define = self.macros[name];
        let ast::Body::Expr(body) = &define.body else {
            let message = format!("`{name}` stands for statements, not for a value");
            return self.error(codes::MISUSE, span, message);
        };
        self.in_macro(define, arguments, span, |r| r.expr(body))
    }

    /// Counts what is written out.
    fn expanding(&mut self, span: Span) -> Resolved<()> {
        self.expanded += 1;
        if self.expanded > MAX_EXPANDED {
            return self.error(codes::RANGE, span, "macros and quantifiers stand for too much");
        }
        Ok(())
    }

    /// Resolves the body of a macro, which sees its parameters and what is global.
    pub(super) fn in_macro<T>(
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
        self.expanding(span)?;
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

    /// What an element is.
    fn element(&mut self, name: &Name, indices: &[ast::Expr]) -> Resolved<Place> {
        let (base, length, sizes, variable) = match self.meaning(&name.text, name.span)? {
            Meaning::Array(base, length, sizes, variable) => (base, length, sizes, variable),
            Meaning::Value(Expr::Whole(base, length, _)) => {
                (base, length, vec![length], NO_VARIABLE)
            }
            // It may be an array when the model runs.
            Meaning::Value(array) if !matches!(array, Expr::Const(_)) => {
                let [index] = indices else {
                    let message = format!(
                        "`{}` can only be an array of one dimension, but there are {} indices",
                        name.text,
                        indices.len()
                    );
                    return self.error(codes::ARGUMENTS, name.span, message);
                };
                return Ok(Place::At(array, self.expr(index)?));
            }
            Meaning::Value(_) => {
                let message = format!("`{}` is not an array", name.text);
                return self.error(codes::MISUSE, name.span, message);
            }
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
        Ok(Place::Element(base, length, variable, index.unwrap_or(Expr::Const(0))))
    }

    fn assignment(&mut self, place: &ast::Expr, e: &ast::Expr, span: Span) -> Resolved<Expr> {
        if !self.scope.in_program {
            let message = "an assignment is possible only in the program of an event";
            let help = "is `==` meant?";
            self.sink.push(Diagnostic::error(codes::MISUSE, span, message).help(help));
            return Err(Failed);
        }
        let value = Box::new(self.whole(e)?);
        match &place.kind {
            ExprKind::Name(name) => match self.meaning(name, place.span)? {
                Meaning::Value(Expr::Global(slot))
                    if self.variables.contains_key(name.as_str()) =>
                {
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
                Meaning::Array(base, length, _, variable) => {
                    Ok(Expr::AssignWhole(base, length, variable, value, span))
                }
            },
            ExprKind::Index(name, indices) => match self.element(name, indices)? {
                Place::Element(base, length, variable, index) => {
                    Ok(Expr::AssignElement(base, length, variable, Box::new(index), value, span))
                }
                Place::At(Expr::Global(slot), index) => {
                    let variable = self.variables[name.text.as_str()];
                    let base = Base::Global(slot);
                    Ok(Expr::AssignAt(base, variable, Box::new(index), value, span))
                }
                Place::At(Expr::Frame(place), index) => {
                    let base = Base::Frame(place);
                    Ok(Expr::AssignAt(base, NO_VARIABLE, Box::new(index), value, span))
                }
                Place::At(..) => {
                    let message =
                        format!("`{}` cannot be changed: it is not a variable", name.text);
                    self.error(codes::MISUSE, name.span, message)
                }
            },
            _ => self.error(codes::MISUSE, place.span, "only variables can be assigned"),
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
            self.expanding(span)?;
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
}
