//! Statements.

use linchpin_text::Span;

use super::super::code::{Instr, Type, UNSET};
use super::super::tree::{Binary, Expr, Stmt, StmtKind, TypeName};
use super::{Body, Compiled};
use crate::ast::Name;
use crate::codes;

impl Body<'_, '_> {
    /// A block: what it declares is forgotten at its end.
    pub(super) fn statements(&mut self, list: &[Stmt]) -> Compiled<()> {
        let seen = self.scope.len();
        for statement in list {
            self.statement(statement)?;
        }
        self.scope.truncate(seen);
        Ok(())
    }

    /// One that may be a declaration only inside of braces.
    fn inner(&mut self, statement: &Stmt) -> Compiled<()> {
        self.statements(std::slice::from_ref(statement))
    }

    fn statement(&mut self, statement: &Stmt) -> Compiled<()> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Block(list) => self.statements(list),
            StmtKind::Local(ty, names) => {
                for (name, initial) in names {
                    self.local(ty, name, initial.as_ref())?;
                }
                Ok(())
            }
            StmtKind::Expr(e) => {
                self.value(e)?;
                self.emit(Instr::Pop, span);
                Ok(())
            }
            StmtKind::If(condition, then, other) => {
                self.value_for(condition, Type::Bool)?;
                let no = self.jump(Instr::JumpIf(false, 0), condition.span);
                self.inner(then)?;
                if let Some(other) = other {
                    let end = self.jump(Instr::Jump(0), span);
                    self.land(no);
                    self.inner(other)?;
                    self.land(end);
                } else {
                    self.land(no);
                }
                Ok(())
            }
            StmtKind::While(condition, body) => self.rounds(Some(condition), &[], body, span),
            StmtKind::For(first, condition, next, body) => {
                let seen = self.scope.len();
                for statement in first {
                    self.statement(statement)?;
                }
                self.rounds(condition.as_ref(), next, body, span)?;
                self.scope.truncate(seen);
                Ok(())
            }
            StmtKind::Do(body, condition) => {
                let top = self.here();
                self.loops.push(Default::default());
                self.inner(body)?;
                let (breaks, continues) = self.loops.pop().unwrap_or_default();
                continues.into_iter().for_each(|jump| self.land(jump));
                self.value_for(condition, Type::Bool)?;
                self.emit(Instr::JumpIf(true, top), span);
                breaks.into_iter().for_each(|jump| self.land(jump));
                Ok(())
            }
            StmtKind::ForEach(ty, name, list, body) => self.for_each(ty, name, list, body, span),
            StmtKind::Return(value) => {
                match (value, self.result) {
                    (None, Type::Void) => self.emit(Instr::Push(0), span),
                    (Some(e), ty) if ty != Type::Void => self.value_for(e, ty)?,
                    (None, _) => {
                        let message = "a result is needed here";
                        return self.error(codes::MISUSE, span, message);
                    }
                    (Some(_), _) => {
                        let message = "this method is `void` and has no result";
                        return self.error(codes::MISUSE, span, message);
                    }
                }
                self.emit(Instr::Return, span);
                Ok(())
            }
            StmtKind::Break | StmtKind::Continue => {
                let jump = self.jump(Instr::Jump(0), span);
                let is_break = matches!(statement.kind, StmtKind::Break);
                match self.loops.last_mut() {
                    Some((breaks, _)) if is_break => breaks.push(jump),
                    Some((_, continues)) => continues.push(jump),
                    None => {
                        let message = "there is no loop around this";
                        return self.error(codes::MISUSE, span, message);
                    }
                }
                Ok(())
            }
            StmtKind::Throw(text) => {
                self.texts.push(text.clone());
                let number = self.texts.len() as u32 - 1;
                self.emit(Instr::Throw(number), span);
                Ok(())
            }
        }
    }

    fn local(&mut self, ty: &TypeName, name: &Name, initial: Option<&Expr>) -> Compiled<()> {
        let ty = match (ty, initial) {
            (TypeName::Var, Some(e)) => {
                let ty = self.value(e)?;
                if matches!(ty, Type::Void | Type::Null) {
                    let message = format!("`{}` has no type", name.text);
                    return self.error(codes::MISUSE, name.span, message);
                }
                ty
            }
            (TypeName::Var, None) => {
                let message = format!("`{}` has no type", name.text);
                return self.error(codes::MISUSE, name.span, message);
            }
            (ty, initial) => {
                let ty = self.compiler.type_of(ty)?;
                if ty == Type::Void {
                    return self.error(codes::MISUSE, name.span, "a variable cannot be `void`");
                }
                match initial {
                    Some(e) => self.value_for(e, ty)?,
                    // In every round of a loop anew.
                    None => self.emit(Instr::Push(UNSET), name.span),
                }
                ty
            }
        };
        let place = self.declare(name, ty)?;
        self.emit(Instr::Store(place), name.span);
        Ok(())
    }

    /// `while` and `for`.
    fn rounds(
        &mut self,
        condition: Option<&Expr>,
        next: &[Stmt],
        body: &Stmt,
        span: Span,
    ) -> Compiled<()> {
        let top = self.here();
        self.loops.push(Default::default());
        let mut out = None;
        if let Some(condition) = condition {
            self.value_for(condition, Type::Bool)?;
            out = Some(self.jump(Instr::JumpIf(false, 0), condition.span));
        }
        self.inner(body)?;
        let (breaks, continues) = self.loops.pop().unwrap_or_default();
        continues.into_iter().for_each(|jump| self.land(jump));
        for statement in next {
            self.statement(statement)?;
        }
        self.emit(Instr::Jump(top), span);
        breaks.into_iter().chain(out).for_each(|jump| self.land(jump));
        Ok(())
    }

    /// The elements of an array or list, one after the other. A list must not be changed meanwhile.
    fn for_each(
        &mut self,
        ty: &TypeName,
        name: &Name,
        list: &Expr,
        body: &Stmt,
        span: Span,
    ) -> Compiled<()> {
        let of = self.value(list)?;
        if !matches!(of, Type::Ints | Type::List) {
            let message =
                format!("`foreach` over `{}` is not supported in C# code", self.type_name(of));
            return self.error(codes::UNSUPPORTED, list.span, message);
        }
        if !matches!(ty, TypeName::Var | TypeName::Int) {
            return self.error(codes::MISUSE, name.span, "the elements are `int`");
        }
        let (items, index, version) = (self.temporary(), self.temporary(), self.temporary());
        self.emit(Instr::Store(items), span);
        for (instr, place) in [(Instr::Push(-1), index), (Instr::Push(0), version)] {
            self.emit(instr, span);
            self.emit(Instr::Store(place), span);
        }
        // Null is an error even if nothing follows.
        self.emit(Instr::Load(items), list.span);
        self.emit(Instr::Version, list.span);
        self.emit(Instr::Store(version), list.span);
        let seen = self.scope.len();
        let place = self.declare(name, Type::Int)?;
        let top = self.here();
        if of == Type::List {
            self.emit(Instr::Load(items), list.span);
            self.emit(Instr::Version, list.span);
            self.emit(Instr::Load(version), list.span);
            self.emit(Instr::Binary(Binary::Equal), list.span);
            let same = self.jump(Instr::JumpIf(true, 0), list.span);
            self.texts.push("the list was changed inside of `foreach`".to_string());
            let number = self.texts.len() as u32 - 1;
            self.emit(Instr::Throw(number), list.span);
            self.land(same);
        }
        for instr in [
            Instr::Load(index),
            Instr::Push(1),
            Instr::Binary(Binary::Add),
            Instr::Store(index),
            Instr::Load(index),
            Instr::Load(items),
            Instr::Length,
            Instr::Binary(Binary::Less),
        ] {
            self.emit(instr, list.span);
        }
        let out = self.jump(Instr::JumpIf(false, 0), list.span);
        for instr in [Instr::Load(items), Instr::Load(index), Instr::Element, Instr::Store(place)] {
            self.emit(instr, list.span);
        }
        self.loops.push(Default::default());
        self.inner(body)?;
        let (breaks, continues) = self.loops.pop().unwrap_or_default();
        continues.into_iter().for_each(|jump| self.aim(jump, top));
        self.emit(Instr::Jump(top), span);
        breaks.into_iter().chain([out]).for_each(|jump| self.land(jump));
        self.scope.truncate(seen);
        Ok(())
    }
}
