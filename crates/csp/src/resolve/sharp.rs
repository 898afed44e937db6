//! Functions, methods and constructors of imported C# code.

use linchpin_text::{Diagnostic, Span, did_you_mean};

use super::{Failed, Resolved, Resolver};
use crate::ast::{self, Name};
use crate::codes;
use crate::eval::Reader;
use crate::gather::is_built_in;
use crate::objects::Kind;
use crate::program::Expr;
use crate::sharp::{self, CONSTRUCTOR, Type};
use crate::value::Value;

/// Says where the source of a library is looked for.
pub(super) fn no_source(library: &str) -> String {
    let name = library.rsplit('.').next().unwrap_or(library);
    format!(
        "the source of `{library}` was not found: it is looked for as `{library}.cs` and `{name}.cs` beside the model, in \
         `Lib` beside it, and where `--lib` says"
    )
}

impl<'m> Resolver<'m> {
    /// An imported library that nothing is known about.
    pub(super) fn without_source(&self) -> Option<String> {
        let unknown = |i: &&Name| !is_built_in(&i.text);
        let none = self.program.sharp.classes.is_empty();
        self.model.imports.iter().find(unknown).filter(|_| none).map(|i| i.text.clone())
    }

    /// Is there a static method of this name?
    pub(super) fn is_sharp(&self, name: &str) -> bool {
        self.program
            .sharp
            .members
            .iter()
            .any(|m| m.is_static && m.name == name && name != CONSTRUCTOR)
    }

    /// `call(f, x)`
    pub(super) fn sharp_function(
        &mut self,
        name: &Name,
        arguments: &[ast::Expr],
        span: Span,
        statement: bool,
    ) -> Resolved<Expr> {
        let members = self.program.sharp.members.iter();
        let named = members.filter(|m| m.is_static && m.name == name.text);
        let found: Vec<u32> =
            named.filter(|m| m.parameters == arguments.len()).map(|m| m.function).collect();
        match found.as_slice() {
            [] => {
                let message =
                    format!("`{}` has another number of parameters in the C# code", name.text);
                self.error(codes::ARGUMENTS, span, message)
            }
            [function] => self.sharp_call(*function, None, arguments, span, statement),
            [first, second, ..] => {
                let functions = &self.program.sharp.functions;
                let (a, b) = (&functions[*first as usize], &functions[*second as usize]);
                let message = format!("`{}` may be `{}` or `{}`", name.text, a.name, b.name);
                let d = Diagnostic::error(codes::DUPLICATE, name.span, message);
                self.sink.push(d.also(a.span, "one is here").also(b.span, "another is here"));
                Err(Failed)
            }
        }
    }

    /// `new C(1, 2)`
    pub(super) fn sharp_new(
        &mut self,
        class: u32,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Resolved<Expr> {
        match self.sharp_member(class, CONSTRUCTOR, arguments.len()) {
            Some(function) => self.sharp_call(function, None, arguments, span, false),
            None => {
                let name = &self.program.sharp.classes[class as usize].name;
                let n = arguments.len();
                let message = format!("`{name}` has no constructor with {n} parameters");
                self.error(codes::ARGUMENTS, span, message)
            }
        }
    }

    fn sharp_member(&self, class: u32, name: &str, count: usize) -> Option<u32> {
        let mut members = self.program.sharp.members.iter();
        let same = |m: &&sharp::Member| m.class == class && m.name == name && m.parameters == count;
        members.find(same).map(|m| m.function)
    }

    /// `x.f(1)`, and `x$y` as a method that is called `$y`.
    pub(super) fn sharp_method(
        &mut self,
        class: u32,
        variable: u32,
        method: &Name,
        arguments: &[ast::Expr],
        span: Span,
        statement: bool,
    ) -> Resolved<Expr> {
        let function = self.sharp_member(class, &method.text, arguments.len());
        let is_static = |f: u32| self.program.sharp.functions[f as usize].this.is_none();
        let Some(function) = function.filter(|&f| !is_static(f)) else {
            let library = &self.program.sharp;
            let of = &library.classes[class as usize].name;
            let n = arguments.len();
            let message = match method.text.strip_prefix('$') {
                Some(field) => format!("`{of}` has no field `{field}`"),
                None => format!("`{of}` has no method `{}` with {n} parameters", method.text),
            };
            let mut d = Diagnostic::error(codes::UNKNOWN, method.span, message);
            let names = library.members.iter().filter(|m| m.class == class);
            if let Some(near) = did_you_mean(&method.text, names.map(|m| m.name.as_str())) {
                d = d.help(format!("did you mean `{}`?", near.trim_start_matches('$')));
            }
            self.sink.push(d);
            return Err(Failed);
        };
        let slot = self.program.variables[variable as usize].base;
        self.sharp_call(function, Some(slot), arguments, span, statement)
    }

    fn sharp_call(
        &mut self,
        number: u32,
        slot: Option<u32>,
        arguments: &[ast::Expr],
        span: Span,
        statement: bool,
    ) -> Resolved<Expr> {
        let function = &self.program.sharp.functions[number as usize];
        let (parameters, result) = (function.parameters.clone(), function.result);
        let (name, at) = (function.name.clone(), function.span);
        let strange = parameters.iter().copied().find(|ty| !sharp::crosses(*ty));
        let strange =
            strange.or((result != Type::Void && !sharp::crosses(result)).then_some(result));
        if let Some(ty) = strange {
            let ty = self.program.sharp.type_name(ty);
            let message = format!("a model cannot give or take a `{ty}`, as `{name}` does");
            let d = Diagnostic::error(codes::UNSUPPORTED, span, message);
            self.sink.push(d.also(at, "here it is"));
            return Err(Failed);
        }
        if result == Type::Void && !statement {
            let message = format!("`{name}` has no result");
            return self.error(codes::MISUSE, span, message);
        }
        let mut values = Vec::new();
        for (e, ty) in arguments.iter().zip(parameters) {
            values.push(match ty {
                Type::Ints => self.whole(e)?,
                _ => self.expr(e)?,
            });
        }
        Ok(Expr::Sharp(number, slot, values, span))
    }

    /// The value of a variable with a type and without an initial value.
    pub(super) fn new_value(&mut self, kind: Kind, variable: &ast::Variable) -> Resolved<Value> {
        let span = variable.name.span;
        let value = match kind {
            Kind::Class(class) => {
                let new = self.sharp_new(class, &[], span)?;
                let reader = Reader { program: &self.program, data: &[], env: &[] };
                reader.value(&new).map_err(|trouble| *trouble)
            }
            _ => self.program.objects.new_of(kind, &[]).map_err(linchpin_lts::Trouble::new),
        };
        value.or_else(|trouble| {
            let at = trouble.at.map_or(span, |(from, to)| Span::new(from as usize, to as usize));
            self.error(codes::CONSTANT, at, trouble.message)
        })
    }
}
