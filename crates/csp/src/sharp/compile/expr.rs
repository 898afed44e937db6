//! Expressions. Each leaves one word on the stack, calls of `void` methods included.

use linchpin_text::{Diagnostic, Span, did_you_mean};

use super::super::code::{CONSTRUCTOR, Instr, ListMethod, Math, Type};
use super::super::tree::{Binary, Expr, ExprKind, New, Unary};
use super::{Body, Compiled, Failed};
use crate::ast::Name;
use crate::codes;

/// What can be assigned; objects and indices are on the stack.
enum Place {
    Local(u32, Type),
    Field(u32, Type),
    Element,
}

impl Place {
    fn ty(&self) -> Type {
        match self {
            Place::Local(_, ty) | Place::Field(_, ty) => *ty,
            Place::Element => Type::Int,
        }
    }

    /// How many words are on the stack.
    fn words(&self) -> u32 {
        match self {
            Place::Local(..) => 0,
            Place::Field(..) => 1,
            Place::Element => 2,
        }
    }
}

/// Methods of lists: name, types of arguments, method, result.
const LISTS: &[(&str, &[Type], ListMethod, Type)] = &[
    ("Add", &[Type::Int], ListMethod::Add, Type::Void),
    ("AddRange", &[Type::Null], ListMethod::AddRange, Type::Void),
    ("Clear", &[], ListMethod::Clear, Type::Void),
    ("Contains", &[Type::Int], ListMethod::Contains, Type::Bool),
    ("IndexOf", &[Type::Int], ListMethod::IndexOf, Type::Int),
    ("Insert", &[Type::Int, Type::Int], ListMethod::Insert, Type::Void),
    ("Remove", &[Type::Int], ListMethod::Remove, Type::Bool),
    ("RemoveAt", &[Type::Int], ListMethod::RemoveAt, Type::Void),
    ("Reverse", &[], ListMethod::Reverse, Type::Void),
    ("Sort", &[], ListMethod::Sort, Type::Void),
    ("ToArray", &[], ListMethod::ToArray, Type::Ints),
];

/// Functions of `System.Math`: name, number of arguments, function, whether the result is cut off by `(int)`.
const MATH: &[(&str, usize, Math, bool)] = &[
    ("Abs", 1, Math::Abs, false),
    ("Max", 2, Math::Max, false),
    ("Min", 2, Math::Min, false),
    ("Sign", 1, Math::Sign, false),
    ("Pow", 2, Math::Pow, true),
    ("Sqrt", 1, Math::Sqrt, true),
];

impl Body<'_, '_> {
    /// A value of this type.
    pub(super) fn value_for(&mut self, e: &Expr, wanted: Type) -> Compiled<()> {
        let found = self.value(e)?;
        if found == wanted || found == Type::Null && wanted.is_reference() {
            return Ok(());
        }
        let (found, wanted) = (self.type_name(found), self.type_name(wanted));
        let message = format!("this is of type `{found}`, but `{wanted}` is needed");
        self.error(codes::MISUSE, e.span, message)
    }

    pub(super) fn value(&mut self, e: &Expr) -> Compiled<Type> {
        let span = e.span;
        match &e.kind {
            ExprKind::Int(n) => {
                if *n > i64::from(i32::MAX) {
                    let message = "this number is too large for an `int`";
                    return self.error(codes::RANGE, span, message);
                }
                self.emit(Instr::Push(*n), span);
                Ok(Type::Int)
            }
            ExprKind::Bool(b) => {
                self.emit(Instr::Push(i64::from(*b)), span);
                Ok(Type::Bool)
            }
            ExprKind::Null => {
                self.emit(Instr::Push(0), span);
                Ok(Type::Null)
            }
            ExprKind::This => self.this(span),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Member(of, name) => self.field(of, name, span),
            ExprKind::Index(..) => {
                self.place(e)?;
                self.emit(Instr::Element, span);
                Ok(Type::Int)
            }
            ExprKind::Call(callee, arguments) => self.call(callee, arguments, span),
            ExprKind::New(new) => self.creation(new, span),
            ExprKind::Unary(op, inner) => self.unary(*op, inner, span),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, span),
            ExprKind::Choice(condition, a, b) => {
                self.value_for(condition, Type::Bool)?;
                let no = self.jump(Instr::JumpIf(false, 0), condition.span);
                let ty = self.value(a)?;
                let end = self.jump(Instr::Jump(0), span);
                self.land(no);
                let other = self.value(b)?;
                self.land(end);
                match (ty, other) {
                    _ if ty == other => Ok(ty),
                    (Type::Null, other) if other.is_reference() => Ok(other),
                    (ty, Type::Null) if ty.is_reference() => Ok(ty),
                    _ => {
                        let (a, b) = (self.type_name(ty), self.type_name(other));
                        let message = format!("one of these is of type `{a}`, the other `{b}`");
                        self.error(codes::MISUSE, span, message)
                    }
                }
            }
            ExprKind::Assign(to, None, e) => {
                let place = self.place(to)?;
                self.value_for(e, place.ty())?;
                self.set(&place, span);
                Ok(place.ty())
            }
            ExprKind::Assign(to, Some(op), e) => {
                let place = self.place(to)?;
                self.emit(Instr::Dup(place.words()), span);
                self.get(&place, to.span);
                let ty = self.value(e)?;
                let result = self.typed(*op, place.ty(), ty, span)?;
                if result != place.ty() {
                    let message = "the result of this operator has another type";
                    return self.error(codes::MISUSE, span, message);
                }
                self.emit(Instr::Binary(*op), span);
                self.set(&place, span);
                Ok(result)
            }
            ExprKind::Step(to, op, before) => self.increment(to, *op, *before, span),
            ExprKind::ToInt(e) => {
                if let ExprKind::Call(callee, arguments) = &e.kind
                    && let Some(name) = self.math_name(callee)
                {
                    return self.math(&name, arguments, true, span);
                }
                self.value_for(e, Type::Int)?;
                Ok(Type::Int)
            }
        }
    }

    fn this(&mut self, span: Span) -> Compiled<Type> {
        if self.is_static {
            return self.error(codes::MISUSE, span, "there is no object in a static method");
        }
        self.emit(Instr::Load(0), span);
        Ok(Type::Class(self.class))
    }

    /// The place and type of a field of a class.
    fn field_of(&self, class: u32, name: &str) -> Option<(u32, Type)> {
        let fields = &self.compiler.library.classes[class as usize].fields;
        let i = fields.iter().position(|f| f.0 == name)?;
        Some((i as u32, fields[i].1))
    }

    fn constant_of(&self, class: u32, name: &str) -> Option<(u32, Type)> {
        let constant = self.compiler.classes[class as usize]
            .fields
            .iter()
            .any(|f| f.name.text == name && f.storage == super::super::tree::Storage::Constant);
        let member = self.compiler.member(class, name, 0).filter(|_| constant)?;
        Some((member.function, self.compiler.library.functions[member.function as usize].result))
    }

    fn local_of(&self, name: &str) -> Option<(u32, Type)> {
        self.scope.iter().find(|v| v.0 == name).map(|v| (v.1, v.2))
    }

    fn name(&mut self, name: &str, span: Span) -> Compiled<Type> {
        if let Some((place, ty)) = self.local_of(name) {
            self.emit(Instr::Load(place), span);
            return Ok(ty);
        }
        if let Some((field, ty)) = self.field_of(self.class, name) {
            self.this(span)?;
            self.emit(Instr::Field(field), span);
            return Ok(ty);
        }
        if let Some((function, ty)) = self.constant_of(self.class, name) {
            self.emit(Instr::Call(function), span);
            return Ok(ty);
        }
        self.unknown(name, span)
    }

    fn unknown<T>(&mut self, name: &str, span: Span) -> Compiled<T> {
        let message = format!("there is no variable, field or constant `{name}`");
        let fields = &self.compiler.classes[self.class as usize].fields;
        let known = (self.scope.iter().map(|v| v.0.as_str()))
            .chain(fields.iter().map(|f| f.name.text.as_str()));
        let mut d = Diagnostic::error(codes::UNKNOWN, span, message);
        if let Some(near) = did_you_mean(name, known) {
            d = d.help(format!("did you mean `{near}`?")).edit(span, near);
        }
        self.compiler.sink.push(d);
        Err(Failed)
    }

    /// The last name of what is no value but `Math`, `System.Math`, `PAT.Lib.Example`.
    fn outside(&self, e: &Expr) -> Option<String> {
        match &e.kind {
            ExprKind::Name(name) => {
                let value = self.local_of(name).is_some()
                    || self.field_of(self.class, name).is_some()
                    || self.constant_of(self.class, name).is_some();
                (!value).then(|| name.clone())
            }
            ExprKind::Member(of, name) => self.outside(of).map(|_| name.text.clone()),
            _ => None,
        }
    }

    fn class_named(&self, name: &str) -> Option<u32> {
        let classes = &self.compiler.library.classes;
        classes.iter().position(|c| c.name == name).map(|c| c as u32)
    }

    /// `Sqrt`, if this is `Math.Sqrt`.
    fn math_name(&self, callee: &Expr) -> Option<Name> {
        match &callee.kind {
            ExprKind::Member(of, name) if self.outside(of).as_deref() == Some("Math") => {
                self.class_named("Math").is_none().then(|| name.clone())
            }
            _ => None,
        }
    }

    fn field(&mut self, of: &Expr, name: &Name, span: Span) -> Compiled<Type> {
        if let Some(outside) = self.outside(of) {
            let limit = match (outside.as_str(), name.text.as_str()) {
                ("Int32", "MaxValue") => Some(i32::MAX),
                ("Int32", "MinValue") => Some(i32::MIN),
                _ => None,
            };
            if let Some(limit) = limit {
                self.emit(Instr::Push(i64::from(limit)), span);
                return Ok(Type::Int);
            }
            let constant = self.class_named(&outside).and_then(|c| self.constant_of(c, &name.text));
            let Some((function, ty)) = constant else {
                return match (&of.kind, self.class_named(&outside)) {
                    (ExprKind::Name(text), None) if outside != "Math" => {
                        self.unknown(text, of.span)
                    }
                    _ => {
                        let message =
                            format!("`{outside}.{}` is not supported in C# code", name.text);
                        self.error(codes::UNSUPPORTED, span, message)
                    }
                };
            };
            self.emit(Instr::Call(function), span);
            return Ok(ty);
        }
        let ty = self.value(of)?;
        match (ty, name.text.as_str()) {
            (Type::Ints, "Length") | (Type::List, "Count") => {
                self.emit(Instr::Length, span);
                Ok(Type::Int)
            }
            (Type::Class(class), field) if self.field_of(class, field).is_some() => {
                let (field, ty) = self.field_of(class, field).unwrap_or((0, Type::Int));
                self.emit(Instr::Field(field), span);
                Ok(ty)
            }
            _ => {
                let message = format!(
                    "`{}` of `{}` is not supported in C# code",
                    name.text,
                    self.type_name(ty)
                );
                self.error(codes::UNSUPPORTED, name.span, message)
            }
        }
    }

    fn place(&mut self, e: &Expr) -> Compiled<Place> {
        match &e.kind {
            ExprKind::Name(name) => {
                if let Some((place, ty)) = self.local_of(name) {
                    return Ok(Place::Local(place, ty));
                }
                if let Some((field, ty)) = self.field_of(self.class, name) {
                    self.this(e.span)?;
                    return Ok(Place::Field(field, ty));
                }
                match self.constant_of(self.class, name) {
                    Some(_) => {
                        let message = format!("`{name}` is a constant");
                        self.error(codes::MISUSE, e.span, message)
                    }
                    None => self.unknown(name, e.span),
                }
            }
            ExprKind::Member(of, name) if self.outside(of).is_none() => match self.value(of)? {
                Type::Class(class) if self.field_of(class, &name.text).is_some() => {
                    let (field, ty) = self.field_of(class, &name.text).unwrap_or((0, Type::Int));
                    Ok(Place::Field(field, ty))
                }
                _ => self.error(codes::MISUSE, e.span, "this cannot be assigned"),
            },
            ExprKind::Index(of, index) => {
                let ty = self.value(of)?;
                if !matches!(ty, Type::Ints | Type::List) {
                    let message = format!("`{}` has no elements", self.type_name(ty));
                    return self.error(codes::MISUSE, of.span, message);
                }
                self.value_for(index, Type::Int)?;
                Ok(Place::Element)
            }
            _ => self.error(codes::MISUSE, e.span, "this cannot be assigned"),
        }
    }

    fn get(&mut self, place: &Place, span: Span) {
        self.emit(
            match place {
                Place::Local(place, _) => Instr::Load(*place),
                Place::Field(field, _) => Instr::Field(*field),
                Place::Element => Instr::Element,
            },
            span,
        );
    }

    /// The value is on top, and stays there.
    fn set(&mut self, place: &Place, span: Span) {
        match place {
            Place::Local(place, _) => {
                self.emit(Instr::Dup(1), span);
                self.emit(Instr::Store(*place), span);
            }
            Place::Field(field, _) => self.emit(Instr::SetField(*field), span),
            Place::Element => self.emit(Instr::SetElement, span),
        }
    }

    /// `x++` and `++x`
    fn increment(&mut self, to: &Expr, op: Binary, before: bool, span: Span) -> Compiled<Type> {
        let place = self.place(to)?;
        if place.ty() != Type::Int {
            return self.error(codes::MISUSE, span, "only an `int` can be counted");
        }
        let old = self.temporary();
        self.emit(Instr::Dup(place.words()), span);
        self.get(&place, to.span);
        self.emit(Instr::Dup(1), span);
        self.emit(Instr::Store(old), span);
        self.emit(Instr::Push(1), span);
        self.emit(Instr::Binary(op), span);
        self.set(&place, span);
        if before {
            self.emit(Instr::Pop, span);
            self.emit(Instr::Load(old), span);
        }
        Ok(Type::Int)
    }

    fn unary(&mut self, op: Unary, inner: &Expr, span: Span) -> Compiled<Type> {
        if let (Unary::Minus, ExprKind::Int(n)) = (op, &inner.kind) {
            self.emit(Instr::Push(-n), span);
            return Ok(Type::Int);
        }
        let (ty, instr) = match op {
            Unary::Minus => (Type::Int, Instr::Negate),
            Unary::Not => (Type::Bool, Instr::Not),
            Unary::Complement => (Type::Int, Instr::Complement),
        };
        self.value_for(inner, ty)?;
        self.emit(instr, span);
        Ok(ty)
    }

    fn binary(&mut self, op: Binary, a: &Expr, b: &Expr, span: Span) -> Compiled<Type> {
        if let Binary::And | Binary::Or = op {
            self.value_for(a, Type::Bool)?;
            self.emit(Instr::Dup(1), span);
            let end = self.jump(Instr::JumpIf(op == Binary::Or, 0), span);
            self.emit(Instr::Pop, span);
            self.value_for(b, Type::Bool)?;
            self.land(end);
            return Ok(Type::Bool);
        }
        let left = self.value(a)?;
        let right = self.value(b)?;
        let ty = self.typed(op, left, right, span)?;
        self.emit(Instr::Binary(op), span);
        Ok(ty)
    }

    /// The type of what an operator gives.
    fn typed(&mut self, op: Binary, a: Type, b: Type, span: Span) -> Compiled<Type> {
        let same = a == b && a != Type::Void
            || a == Type::Null && b.is_reference()
            || b == Type::Null && a.is_reference();
        match op {
            Binary::Equal | Binary::Unequal if same => return Ok(Type::Bool),
            Binary::BitOr | Binary::BitAnd | Binary::BitXor
                if (a, b) == (Type::Bool, Type::Bool) =>
            {
                return Ok(Type::Bool);
            }
            Binary::Equal | Binary::Unequal | Binary::Or | Binary::And => {}
            _ if (a, b) == (Type::Int, Type::Int) => {
                let compares =
                    matches!(op, Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast);
                return Ok(if compares { Type::Bool } else { Type::Int });
            }
            _ => {}
        }
        let (a, b) = (self.type_name(a), self.type_name(b));
        let message = format!("this operator has no meaning for `{a}` and `{b}`");
        self.error(codes::MISUSE, span, message)
    }

    fn creation(&mut self, new: &New, span: Span) -> Compiled<Type> {
        match new {
            New::Sized(size) => {
                self.value_for(size, Type::Int)?;
                self.emit(Instr::NewArray, span);
                Ok(Type::Ints)
            }
            New::Array(size, list) => {
                if let Some(size) = size
                    && !matches!(size.kind, ExprKind::Int(n) if n == list.len() as i64)
                {
                    let message = "the size and the number of elements differ";
                    return self.error(codes::ARGUMENTS, size.span, message);
                }
                for e in list {
                    self.value_for(e, Type::Int)?;
                }
                self.emit(Instr::NewArrayOf(list.len() as u32), span);
                Ok(Type::Ints)
            }
            New::List(from, list) => {
                match from.as_slice() {
                    [] => self.emit(Instr::NewList, span),
                    [from] => match self.value(from)? {
                        Type::Ints | Type::List => self.emit(Instr::NewListFrom, span),
                        // The capacity, which nobody sees.
                        Type::Int => {
                            self.emit(Instr::Pop, span);
                            self.emit(Instr::NewList, span);
                        }
                        _ => {
                            let message = "a list can be made from an array or a list";
                            return self.error(codes::MISUSE, from.span, message);
                        }
                    },
                    _ => {
                        let message = "a new list has one argument at most";
                        return self.error(codes::ARGUMENTS, span, message);
                    }
                }
                for e in list {
                    self.emit(Instr::Dup(1), e.span);
                    self.value_for(e, Type::Int)?;
                    self.emit(Instr::List(ListMethod::Add), e.span);
                    self.emit(Instr::Pop, e.span);
                }
                Ok(Type::List)
            }
            New::Class(name, arguments) => {
                let Some(class) = self.compiler.library.value_class(&name.text) else {
                    let message = format!("`new {}` is not supported in C# code", name.text);
                    return self.error(codes::UNSUPPORTED, name.span, message);
                };
                self.invoke(class, CONSTRUCTOR, arguments, span)
            }
        }
    }

    /// Calls a member; the object it is called on, if any, is on the stack.
    pub(super) fn invoke(
        &mut self,
        class: u32,
        name: &str,
        arguments: &[Expr],
        span: Span,
    ) -> Compiled<Type> {
        let Some(function) = self.compiler.member(class, name, arguments.len()).map(|m| m.function)
        else {
            let of = self.compiler.library.classes[class as usize].name.clone();
            let n = arguments.len();
            let message = match name.trim_start_matches('.') {
                CONSTRUCTOR => format!("`{of}` has no constructor with {n} parameters"),
                _ => format!("`{of}` has no method `{name}` with {n} parameters"),
            };
            return self.error(codes::UNKNOWN, span, message);
        };
        let head = &self.compiler.library.functions[function as usize];
        let (types, result) = (head.parameters.clone(), head.result);
        for (e, ty) in arguments.iter().zip(types) {
            self.value_for(e, ty)?;
        }
        self.emit(Instr::Call(function), span);
        Ok(result)
    }

    fn is_static_member(&self, class: u32, name: &str, count: usize) -> Option<bool> {
        self.compiler.member(class, name, count).map(|m| m.is_static)
    }

    fn call(&mut self, callee: &Expr, arguments: &[Expr], span: Span) -> Compiled<Type> {
        if let Some(name) = self.math_name(callee) {
            return self.math(&name, arguments, false, span);
        }
        let n = arguments.len();
        match &callee.kind {
            ExprKind::Name(name) => {
                if self.is_static_member(self.class, name, n) == Some(false) {
                    self.this(callee.span)?;
                }
                self.invoke(self.class, name, arguments, span)
            }
            ExprKind::Member(of, name) => {
                if let Some(outside) = self.outside(of) {
                    let Some(class) = self.class_named(&outside) else {
                        let text = &self.compiler.text[callee.span.range()];
                        let message = format!("`{text}` is not supported in C# code");
                        return self.error(codes::UNSUPPORTED, callee.span, message);
                    };
                    if self.is_static_member(class, &name.text, n) == Some(false) {
                        let message = format!("`{}` needs an object", name.text);
                        return self.error(codes::MISUSE, callee.span, message);
                    }
                    return self.invoke(class, &name.text, arguments, span);
                }
                match self.value(of)? {
                    Type::Class(class) => {
                        if self.is_static_member(class, &name.text, n) == Some(true) {
                            let message = format!("`{}` is called without an object", name.text);
                            return self.error(codes::MISUSE, callee.span, message);
                        }
                        self.invoke(class, &name.text, arguments, span)
                    }
                    Type::List => self.list_method(name, arguments, span),
                    ty => {
                        let message = format!(
                            "`{}` of `{}` is not supported in C# code",
                            name.text,
                            self.type_name(ty)
                        );
                        self.error(codes::UNSUPPORTED, name.span, message)
                    }
                }
            }
            _ => self.error(codes::MISUSE, callee.span, "this cannot be called"),
        }
    }

    fn list_method(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Compiled<Type> {
        let found = LISTS.iter().find(|m| m.0 == name.text && m.1.len() == arguments.len());
        let Some((_, types, method, result)) = found else {
            let message = format!(
                "`{}` of `List<int>` with {} arguments is not supported in C# code",
                name.text,
                arguments.len()
            );
            let names: Vec<&str> = LISTS.iter().map(|m| m.0).collect();
            let note = format!("there are {}", names.join(", "));
            self.compiler
                .sink
                .push(Diagnostic::error(codes::UNSUPPORTED, name.span, message).note(note));
            return Err(Failed);
        };
        for (e, ty) in arguments.iter().zip(*types) {
            // An array or a list.
            if *ty == Type::Null {
                let found = self.value(e)?;
                if !matches!(found, Type::Ints | Type::List) {
                    return self.error(codes::MISUSE, e.span, "an array or a list is needed");
                }
                continue;
            }
            self.value_for(e, *ty)?;
        }
        self.emit(Instr::List(*method), span);
        Ok(*result)
    }

    fn math(&mut self, name: &Name, arguments: &[Expr], cut: bool, span: Span) -> Compiled<Type> {
        let found = MATH.iter().find(|f| f.0 == name.text && f.1 == arguments.len());
        match found {
            Some((_, _, function, real)) if !real || cut => {
                for e in arguments {
                    self.value_for(e, Type::Int)?;
                }
                self.emit(Instr::Math(*function), span);
                Ok(Type::Int)
            }
            Some(_) => {
                let message = format!(
                    "`Math.{0}` gives a `double`, which is supported only as `(int)Math.{0}(...)`",
                    name.text
                );
                self.error(codes::UNSUPPORTED, span, message)
            }
            None => {
                let message = format!("`Math.{}` is not supported in C# code", name.text);
                let note =
                    "there are Abs, Max, Min, Sign, and Pow and Sqrt with `(int)` before them";
                let d = Diagnostic::error(codes::UNSUPPORTED, name.span, message).note(note);
                self.compiler.sink.push(d);
                Err(Failed)
            }
        }
    }

    /// The initial value of a field of `this`.
    pub(super) fn initial_field(&mut self, name: &Name, initial: &Expr) -> Compiled<()> {
        let Some((field, ty)) = self.field_of(self.class, &name.text) else { return Ok(()) };
        self.emit(Instr::Load(0), name.span);
        self.value_for(initial, ty)?;
        self.emit(Instr::SetField(field), name.span);
        self.emit(Instr::Pop, name.span);
        Ok(())
    }
}
