//! `call(f, ...)`, `new T()` and methods: macros, what PAT knows about channels, functions of its
//! mathematical library, collections of its other libraries. Everything else is C# code.

use linchpin_text::Diagnostic;
use linchpin_text::Span;

use super::sharp::no_source;
use super::{Failed, Resolved, Resolver};
use crate::ast::{self, ExprKind, Name};
use crate::codes;
use crate::math;
use crate::objects::Kind;
use crate::program::{Expr, Query};

impl<'m> Resolver<'m> {
    /// `call(f, ...)`: macros and what PAT offers for channels.
    pub(super) fn call(
        &mut self,
        name: &Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Resolved<Expr> {
        if self.macros.contains_key(name.text.as_str()) {
            let arguments =
                arguments.iter().map(|a| self.whole(a)).collect::<Resolved<Vec<_>>>()?;
            return self.expand(&name.text, &arguments, span);
        }
        let query = match name.text.as_str() {
            "cfull" => Query::Full,
            "cempty" => Query::Empty,
            "ccount" => Query::Count,
            "csize" => Query::Size,
            "cpeek" => Query::Peek,
            _ => return self.function(name, arguments, span),
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

    /// A function of imported C# code, or of `PAT.Math`.
    fn function(&mut self, name: &Name, arguments: &[ast::Expr], span: Span) -> Resolved<Expr> {
        let statement = std::mem::take(&mut self.scope.statement);
        if self.is_sharp(&name.text) {
            return self.sharp_function(name, arguments, span, statement);
        }
        let known = math::is_name(&name.text);
        let imported = self.model.imports.iter().any(|i| i.text == "PAT.Math");
        if let Some(function) = math::find(&name.text, arguments.len())
            && imported
        {
            let arguments = arguments.iter().map(|a| self.expr(a)).collect::<Resolved<Vec<_>>>()?;
            return Ok(Expr::Math(function, arguments, span));
        }
        if known && imported {
            let message = format!("`{}` has another number of arguments", name.text);
            return self.error(codes::ARGUMENTS, span, message);
        }
        let mut diagnostic = Diagnostic::error(
            codes::UNSUPPORTED,
            name.span,
            format!("the function `{}` is not supported", name.text),
        );
        diagnostic = match known {
            true => diagnostic.help("it needs `#import \"PAT.Math\";`"),
            false => match self.without_source() {
                Some(library) => diagnostic.note(no_source(&library)),
                None => diagnostic.note(
                    "there are cfull, cempty, ccount, csize, cpeek, those of PAT.Math on whole numbers, and those of \
                     imported C# code whose source is there",
                ),
            },
        };
        self.sink.push(diagnostic);
        Err(Failed)
    }

    /// The collection of this name, if its library is imported.
    pub(super) fn kind(&mut self, name: &Name) -> Resolved<Kind> {
        if let Some(class) = self.program.sharp.value_class(&name.text) {
            return Ok(Kind::Class(class));
        }
        let kind = Kind::named(&name.text);
        let library = format!("PAT.Lib.{}", name.text);
        let imported = self.model.imports.iter().any(|i| i.text == library);
        if let (Some(kind), true) = (kind, imported) {
            return Ok(kind);
        }
        let message = format!("the type `{}` is not supported", name.text);
        let diagnostic = Diagnostic::error(codes::UNSUPPORTED, name.span, message);
        self.sink.push(match kind {
            Some(_) => diagnostic.help(format!("it needs `#import \"{library}\";`")),
            None => match self.without_source() {
                Some(library) => diagnostic.note(no_source(&library)),
                None => diagnostic.note(
                    "there are List, Queue, Stack, Set and HashTable of PAT's own libraries, and classes derived from \
                     ExpressionValue of imported C# code whose source is there",
                ),
            },
        });
        Err(Failed)
    }

    /// `new List()`, `new List([1, 2])`
    pub(super) fn new_object(
        &mut self,
        name: &Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Resolved<Expr> {
        let kind = self.kind(name)?;
        if let Kind::Class(class) = kind {
            return self.sharp_new(class, arguments, span);
        }
        if arguments.len() > usize::from(kind == Kind::List) {
            let message = format!("a new {} with these arguments is not supported", kind.name());
            return self.error(codes::UNSUPPORTED, span, message);
        }
        let arguments = arguments.iter().map(|a| self.whole(a)).collect::<Resolved<Vec<_>>>()?;
        Ok(Expr::New(kind, arguments, span))
    }

    /// `list.Add(x)`
    pub(super) fn method(
        &mut self,
        on: &Name,
        method: &Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Resolved<Expr> {
        let statement = std::mem::take(&mut self.scope.statement);
        let shadowed = self.scope.places.contains(&on.text)
            || self.scope.locals.iter().any(|l| l.0 == on.text)
            || self.scope.arguments.as_ref().is_some_and(|a| a.contains_key(&on.text));
        let known = self.variables.get(on.text.as_str()).copied().filter(|_| !shadowed);
        let kind = known.and_then(|id| self.collections.get(&id).copied());
        let (Some(id), Some(kind)) = (known, kind) else {
            let message = format!("a method of `{}` is not supported", on.text);
            let note = "methods are those of variables declared with a type, such as `var<List> x`";
            let d = Diagnostic::error(codes::UNSUPPORTED, on.span, message).note(note);
            self.sink.push(d);
            return Err(Failed);
        };
        if let Kind::Class(class) = kind {
            return self.sharp_method(class, id, method, arguments, span, statement);
        }
        let Some(info) = kind.methods().iter().find(|m| m.name == method.text) else {
            let names: Vec<&str> = kind.methods().iter().map(|m| m.name).collect();
            let message =
                format!("the method `{}` of {} is not supported", method.text, kind.name());
            let note = format!("there are {}", names.join(", "));
            let d = Diagnostic::error(codes::UNSUPPORTED, method.span, message).note(note);
            self.sink.push(d);
            return Err(Failed);
        };
        if info.parameters != arguments.len() {
            let message = format!(
                "`{}` has {} parameters, but {} arguments",
                info.name,
                info.parameters,
                arguments.len()
            );
            return self.error(codes::ARGUMENTS, span, message);
        }
        if info.method.changes() && !self.scope.in_program {
            let message = format!(
                "`{}` changes the {}, which is possible only in the program of an event",
                info.name,
                kind.name()
            );
            return self.error(codes::MISUSE, span, message);
        }
        if !info.result && !statement {
            let message = format!("`{}` of {} has no result", info.name, kind.name());
            return self.error(codes::MISUSE, span, message);
        }
        let arguments = arguments.iter().map(|a| self.expr(a)).collect::<Resolved<Vec<_>>>()?;
        let slot = self.program.variables[id as usize].base;
        Ok(Expr::Method(slot, kind, info.method, arguments, span))
    }
}
