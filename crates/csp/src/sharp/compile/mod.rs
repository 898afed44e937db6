//! The tree of C# files to code: names get their meaning, types are compared.
//!
//! A constant is a function without parameters. A constructor is two functions: one that creates an object, and one
//! that the first calls, and that other constructors may call, to fill it.

mod expr;
mod statement;

use linchpin_text::{Code, Diagnostic, Sink, Span};

use super::code::{CONSTRUCTOR, Class, Function, Instr, Library, Member, Type};
use super::tree::{self, Role, Storage, TypeName};
use crate::ast::Name;
use crate::codes;

/// Something that cannot be compiled; it has been reported.
pub(super) struct Failed;

pub(super) type Compiled<T> = Result<T, Failed>;

/// The most instructions of a library.
const MAX_CODE: usize = 1 << 20;

/// The library of all classes.
pub(super) fn compile(text: &str, classes: &[tree::Class], sink: &mut Sink) -> Library {
    let library = Library::default();
    let mut compiler = Compiler { text, classes, library, size: 0, sink };
    compiler.declare();
    compiler.bodies();
    compiler.library
}

struct Compiler<'t> {
    text: &'t str,
    classes: &'t [tree::Class],
    library: Library,
    /// Instructions so far.
    size: usize,
    sink: &'t mut Sink,
}

impl<'t> Compiler<'t> {
    fn error<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Compiled<T> {
        self.sink.push(Diagnostic::error(code, span, message));
        Err(Failed)
    }

    fn type_of(&mut self, ty: &TypeName) -> Compiled<Type> {
        Ok(match ty {
            TypeName::Void => Type::Void,
            TypeName::Int => Type::Int,
            TypeName::Bool => Type::Bool,
            TypeName::Ints => Type::Ints,
            TypeName::List => Type::List,
            TypeName::Var => {
                return self.error(codes::MISUSE, Span::default(), "`var` needs a value");
            }
            TypeName::Class(name) => match self.library.value_class(&name.text) {
                Some(class) => Type::Class(class),
                None => {
                    let message = format!("the type `{}` is not supported in C# code", name.text);
                    let note = "Linchpin knows int, bool, int[], List<int>, and classes of these files that are \
                                derived from ExpressionValue";
                    let d = Diagnostic::error(codes::UNSUPPORTED, name.span, message).note(note);
                    self.sink.push(d);
                    return Err(Failed);
                }
            },
        })
    }

    /// Classes, fields and the heads of methods.
    fn declare(&mut self) {
        for class in self.classes {
            if self.library.classes.iter().any(|c| c.name == class.name.text) {
                let message = format!("the class `{}` is declared twice", class.name.text);
                self.sink.push(Diagnostic::error(codes::DUPLICATE, class.name.span, message));
            }
            let (name, value) = (class.name.text.clone(), class.value);
            self.library.classes.push(Class { name, value, fields: Vec::new() });
        }
        for (c, class) in self.classes.iter().enumerate() {
            for field in &class.fields {
                let _ = self.declare_field(c, class, field);
            }
            if class.value && !class.methods.iter().any(|m| m.role == Role::Constructor) {
                self.constructor(c, class, Vec::new(), class.name.span);
            }
            for method in &class.methods {
                let _ = self.declare_method(c, class, method);
            }
        }
    }

    fn add(
        &mut self,
        class: usize,
        name: &str,
        is_static: bool,
        parameters: Vec<Type>,
        result: Type,
        span: Span,
    ) -> u32 {
        let function = self.library.functions.len() as u32;
        let class_name = &self.classes[class].name.text;
        self.library.members.push(Member {
            class: class as u32,
            name: name.to_string(),
            parameters: parameters.len(),
            function,
            is_static,
        });
        self.library.functions.push(Function {
            name: match name {
                CONSTRUCTOR => format!("new {class_name}"),
                _ => format!("{class_name}.{name}"),
            },
            this: (!is_static).then_some(class as u32),
            parameters,
            result,
            locals: 0,
            code: Vec::new(),
            spans: Vec::new(),
            texts: Vec::new(),
            names: Vec::new(),
            span,
        });
        function
    }

    fn member(&self, class: u32, name: &str, parameters: usize) -> Option<&Member> {
        let mut members = self.library.members.iter();
        members.find(|m| m.class == class && m.name == name && m.parameters == parameters)
    }

    fn declare_field(
        &mut self,
        c: usize,
        class: &'t tree::Class,
        field: &'t tree::Field,
    ) -> Compiled<()> {
        let ty = self.type_of(&field.ty)?;
        let Name { text, span } = &field.name;
        let twice = class.fields.iter().filter(|f| f.name.text == *text).count() > 1
            || class.methods.iter().any(|m| m.name.text == *text);
        if twice {
            return self.error(codes::DUPLICATE, *span, format!("`{text}` is declared twice"));
        }
        if field.storage == Storage::Constant {
            if !matches!(ty, Type::Int | Type::Bool) {
                let name = self.library.type_name(ty).to_string();
                let message = format!("a constant of type `{name}` is not supported in C# code");
                return self.error(codes::UNSUPPORTED, *span, message);
            }
            self.add(c, text, true, Vec::new(), ty, *span);
            return Ok(());
        }
        if !class.value {
            let message =
                format!("the field `{text}` belongs to a class that is no ExpressionValue");
            return self.error(codes::UNSUPPORTED, *span, message);
        }
        if !matches!(ty, Type::Int | Type::Bool | Type::Ints | Type::List) {
            let name = self.library.type_name(ty).to_string();
            let message = format!("a field of type `{name}` is not supported in C# code");
            return self.error(codes::UNSUPPORTED, *span, message);
        }
        self.library.classes[c].fields.push((text.clone(), ty));
        // What PAT leaves out of states, Linchpin keeps.
        if let Some(identity) = class.identity {
            let mut words =
                self.text[identity.range()].split(|c: char| !c.is_alphanumeric() && c != '_');
            if !words.any(|w| w == text) {
                let message = format!("`ExpressionID` does not mention the field `{text}`");
                let note = "in PAT, objects that differ only in this field are the same; here they are not";
                self.sink.push(Diagnostic::warning(codes::UNUSUAL, *span, message).note(note));
            }
        }
        // `x$field` of the model.
        let getter = self.add(c, &format!("${text}"), false, Vec::new(), ty, *span);
        let index = self.library.classes[c].fields.len() as u32 - 1;
        let function = &mut self.library.functions[getter as usize];
        function.code = vec![Instr::Load(0), Instr::Field(index), Instr::Return];
        function.spans = vec![*span; 3];
        function.names = vec!["this".to_string()];
        function.locals = 1;
        Ok(())
    }

    fn declare_method(
        &mut self,
        c: usize,
        class: &'t tree::Class,
        method: &'t tree::Method,
    ) -> Compiled<()> {
        let mut parameters = Vec::new();
        for (name, ty) in &method.parameters {
            let ty = self.type_of(ty)?;
            if ty == Type::Void {
                return self.error(codes::MISUSE, name.span, "a parameter cannot be `void`");
            }
            parameters.push(ty);
        }
        let result = self.type_of(&method.result)?;
        let Name { text, span } = &method.name;
        let name = if method.role == Role::Constructor { CONSTRUCTOR } else { text.as_str() };
        if self.member(c as u32, name, parameters.len()).is_some() {
            let message = format!(
                "two methods `{text}` with the same number of parameters are not supported in C# code"
            );
            return self.error(codes::UNSUPPORTED, *span, message);
        }
        if method.role != Role::Static && !class.value {
            let message = format!(
                "`{text}` is not static, and belongs to a class that is no ExpressionValue"
            );
            return self.error(codes::UNSUPPORTED, *span, message);
        }
        match method.role {
            Role::Static => drop(self.add(c, text, true, parameters, result, *span)),
            Role::Method => drop(self.add(c, text, false, parameters, result, *span)),
            Role::Constructor => self.constructor(c, class, parameters, *span),
        }
        Ok(())
    }

    /// The function that creates an object, and the one that fills it, which is the next one.
    fn constructor(&mut self, c: usize, class: &tree::Class, parameters: Vec<Type>, span: Span) {
        let n = parameters.len() as u32;
        let result = Type::Class(c as u32);
        let new = self.add(c, CONSTRUCTOR, true, parameters.clone(), result, span);
        let fill = self.add(c, &format!(".{CONSTRUCTOR}"), false, parameters, Type::Void, span);
        self.library.functions[fill as usize].name = format!("new {}", class.name.text);
        let mut code = vec![Instr::NewObject(c as u32), Instr::Store(n), Instr::Load(n)];
        code.extend((0..n).map(Instr::Load));
        code.extend([Instr::Call(fill), Instr::Pop, Instr::Load(n), Instr::Return]);
        let function = &mut self.library.functions[new as usize];
        function.spans = vec![span; code.len()];
        function.code = code;
        function.locals = n + 1;
        function.names = vec!["argument".to_string(); n as usize + 1];
    }

    fn bodies(&mut self) {
        for (c, class) in self.classes.iter().enumerate() {
            for field in class.fields.iter().filter(|f| f.storage == Storage::Constant) {
                let _ = self.constant(c, field);
            }
            if class.value && !class.methods.iter().any(|m| m.role == Role::Constructor) {
                let _ = self.method(c, class, None);
            }
            for method in &class.methods {
                let _ = self.method(c, class, Some(method));
            }
        }
    }

    fn constant(&mut self, c: usize, field: &'t tree::Field) -> Compiled<()> {
        let Some(function) = self.member(c as u32, &field.name.text, 0).map(|m| m.function) else {
            return Ok(());
        };
        let result = self.library.functions[function as usize].result;
        let Some(initial) = &field.initial else {
            let message = format!("the constant `{}` has no value", field.name.text);
            return self.error(codes::CONSTANT, field.name.span, message);
        };
        let mut body = Body::new(self, c as u32, true, result);
        body.value_for(initial, result)?;
        body.emit(Instr::Return, initial.span);
        body.finish(function)
    }

    /// A method, or a constructor that is not written.
    fn method(
        &mut self,
        c: usize,
        class: &'t tree::Class,
        method: Option<&'t tree::Method>,
    ) -> Compiled<()> {
        let constructor = method.is_none_or(|m| m.role == Role::Constructor);
        let name = match method {
            Some(m) if !constructor => m.name.text.clone(),
            _ => format!(".{CONSTRUCTOR}"),
        };
        let count = method.map_or(0, |m| m.parameters.len());
        let Some(function) = self.member(c as u32, &name, count).map(|m| m.function) else {
            return Ok(());
        };
        let head = &self.library.functions[function as usize];
        let (result, types) = (head.result, head.parameters.clone());
        let is_static = head.this.is_none();
        let span = method.map_or(class.name.span, |m| m.end);
        let mut body = Body::new(self, c as u32, is_static, result);
        for ((name, _), ty) in method.iter().flat_map(|m| &m.parameters).zip(types) {
            body.declare(name, ty)?;
        }
        let first = method.and_then(|m| m.first.as_ref());
        if let Some((arguments, span)) = first {
            body.emit(Instr::Load(0), *span);
            body.invoke(c as u32, &name, arguments, *span)?;
            body.emit(Instr::Pop, *span);
        } else if constructor {
            for field in class.fields.iter().filter(|f| f.storage == Storage::Object) {
                if let Some(initial) = &field.initial {
                    body.initial_field(&field.name, initial)?;
                }
            }
        }
        if let Some(method) = method {
            body.statements(&method.body)?;
        }
        match result {
            Type::Void => {
                body.emit(Instr::Push(0), span);
                body.emit(Instr::Return, span);
            }
            _ => body.emit(Instr::NoResult, span),
        }
        body.finish(function)
    }
}

/// The body of a function that is compiled.
struct Body<'c, 't> {
    compiler: &'c mut Compiler<'t>,
    class: u32,
    /// Is there no `this`?
    is_static: bool,
    result: Type,
    code: Vec<Instr>,
    spans: Vec<Span>,
    texts: Vec<String>,
    /// Names of places, whether they can be seen or not.
    names: Vec<String>,
    /// Variables that can be seen: name, place, type.
    scope: Vec<(String, u32, Type)>,
    /// Jumps out of loops, and to their next rounds, whose ends are not known yet.
    loops: Vec<(Vec<usize>, Vec<usize>)>,
}

impl<'c, 't> Body<'c, 't> {
    fn new(compiler: &'c mut Compiler<'t>, class: u32, is_static: bool, result: Type) -> Self {
        let names = if is_static { Vec::new() } else { vec!["this".to_string()] };
        Body {
            compiler,
            class,
            is_static,
            result,
            code: Vec::new(),
            spans: Vec::new(),
            texts: Vec::new(),
            names,
            scope: Vec::new(),
            loops: Vec::new(),
        }
    }

    fn finish(self, function: u32) -> Compiled<()> {
        self.compiler.size += self.code.len();
        if self.compiler.size > MAX_CODE {
            let span = self.compiler.library.functions[function as usize].span;
            return self.compiler.error(codes::RANGE, span, "the C# code is too long");
        }
        let target = &mut self.compiler.library.functions[function as usize];
        target.code = self.code;
        target.spans = self.spans;
        target.texts = self.texts;
        target.locals = self.names.len() as u32;
        target.names = self.names;
        Ok(())
    }

    fn error<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Compiled<T> {
        self.compiler.error(code, span, message)
    }

    fn type_name(&self, ty: Type) -> String {
        self.compiler.library.type_name(ty).to_string()
    }

    fn emit(&mut self, instr: Instr, span: Span) {
        self.code.push(instr);
        self.spans.push(span);
    }

    /// A jump to a place that is not known yet.
    fn jump(&mut self, instr: Instr, span: Span) -> usize {
        self.emit(instr, span);
        self.code.len() - 1
    }

    fn here(&self) -> u32 {
        self.code.len() as u32
    }

    /// The jump leads here.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        self.aim(jump, here);
    }

    fn aim(&mut self, jump: usize, to: u32) {
        match &mut self.code[jump] {
            Instr::Jump(target) | Instr::JumpIf(_, target) => *target = to,
            _ => {}
        }
    }

    /// A place that nobody else uses.
    fn temporary(&mut self) -> u32 {
        self.names.push("a value".to_string());
        self.names.len() as u32 - 1
    }

    /// A new variable.
    fn declare(&mut self, name: &Name, ty: Type) -> Compiled<u32> {
        if self.scope.iter().any(|v| v.0 == name.text) {
            let message = format!("`{}` is declared twice", name.text);
            return self.error(codes::DUPLICATE, name.span, message);
        }
        let place = self.names.len() as u32;
        self.names.push(name.text.clone());
        self.scope.push((name.text.clone(), place, ty));
        Ok(place)
    }
}
