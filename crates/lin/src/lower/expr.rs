//! Expressions.

use super::{Frame, Lower, Lowering};
use crate::code::{Allocation, Dcas, Instr, NO_REG, Reg};
use crate::flatten::part_types;
use crate::program::{BinOp, Expr, ExprKind, Method, Primitive, Type, UnOp};
use crate::value::Value;

impl<'p> Lower<'p> {
    /// Evaluates an expression; its value is in consecutive registers from the result on.
    pub(super) fn expr(&mut self, expr: &'p Expr, frame: &mut Frame) -> Lowering<Reg> {
        let outer = self.expr;
        self.expr = expr.span;
        let value = self.expr_kind(expr, frame);
        self.expr = outer;
        value
    }

    fn expr_kind(&mut self, expr: &'p Expr, frame: &mut Frame) -> Lowering<Reg> {
        match &expr.kind {
            ExprKind::Const(value) => {
                if expr.ty == Type::Thread && *value != Value::Thread(0) {
                    self.asymmetric = true;
                }
                self.constant(value, &expr.ty)
            }
            ExprKind::Local(id) => Ok(frame.locals[id.index()]),
            ExprKind::Global(_)
            | ExprKind::Field(..)
            | ExprKind::Part(..)
            | ExprKind::Index(..) => {
                let target = self.place(expr, frame)?;
                self.expr = expr.span;
                self.load(target)
            }
            ExprKind::SelfThread => Ok(self.self_thread()),
            ExprKind::Unary(op, a) => {
                let a = self.expr(a, frame)?;
                let dst = self.scalar();
                match op {
                    UnOp::Neg => self.emit_value(Instr::Negate { dst, a }, dst),
                    UnOp::Not => self.emit_value(Instr::Not { dst, a }, dst),
                }
            }
            ExprKind::Binary(BinOp::And, a, b) => self.lazy(a, b, true, frame),
            ExprKind::Binary(BinOp::Or, a, b) => self.lazy(a, b, false, frame),
            ExprKind::Binary(op, a, b) => {
                let width = self.width(&a.ty);
                let a = self.expr(a, frame)?;
                let b = self.expr(b, frame)?;
                let dst = self.scalar();
                match op {
                    BinOp::Eq => self.emit_value(Instr::Same { dst, a, b, n: width }, dst),
                    BinOp::Ne => {
                        let same = self.scalar();
                        self.emit(Instr::Same { dst: same, a, b, n: width })?;
                        self.emit_value(Instr::Not { dst, a: same }, dst)
                    }
                    _ => self.emit_value(Instr::Binary { op: *op, dst, a, b }, dst),
                }
            }
            ExprKind::Select(cond, yes, no) => {
                let dst = self.temporary(&expr.ty);
                let n = self.width(&expr.ty);
                let cond = self.expr(cond, frame)?;
                let other = self.emit(Instr::JumpIfNot { cond, to: 0 })?;
                let src = self.expr(yes, frame)?;
                self.assign(dst, src, n)?;
                let end = self.jump()?;
                self.patch(other);
                let src = self.expr(no, frame)?;
                self.assign(dst, src, n)?;
                self.patch(end);
                Ok(dst)
            }
            ExprKind::Aggregate(parts) => {
                let types = part_types(&expr.ty, self.program);
                let mut values = Vec::new();
                for (part, ty) in parts.iter().zip(&types) {
                    values.push((self.checked(part, ty, frame)?, self.width(ty)));
                }
                let dst = self.temporary(&expr.ty);
                let mut at = dst;
                for (src, n) in values {
                    if n > 0 {
                        self.emit(Instr::Move { dst: at, src, n })?;
                    }
                    at += n;
                }
                Ok(dst)
            }
            ExprKind::Some(inner) => {
                let src = self.expr(inner, frame)?;
                if let Type::Option(ty) = &expr.ty {
                    self.check_range(src, ty, inner)?;
                }
                let dst = self.temporary(&expr.ty);
                let one = self.constant_slot(1);
                self.emit(Instr::Move { dst, src: one, n: 1 })?;
                let n = self.width(&inner.ty);
                if n > 0 {
                    self.emit(Instr::Move { dst: dst + 1, src, n })?;
                }
                Ok(dst)
            }
            ExprKind::Unwrap(inner) => {
                let tag = self.expr(inner, frame)?;
                self.emit(Instr::Present { tag })?;
                Ok(tag + 1)
            }
            ExprKind::New(record, fields) => {
                let declared = &self.program.records[record.index()].fields;
                let mut given = Vec::new();
                for (field, value) in fields {
                    let ty = &declared[*field as usize].ty;
                    let src = self.checked(value, ty, frame)?;
                    let before: u32 =
                        declared[..*field as usize].iter().map(|f| self.width(&f.ty)).sum();
                    given.extend((0..self.width(ty)).map(|i| (before + i, src + i)));
                }
                let mut defaults = Vec::new();
                for f in declared {
                    Value::default_of(&f.ty, self.program).flatten(
                        &f.ty,
                        self.program,
                        &mut defaults,
                    );
                }
                let table = self.code.allocations.len() as u32;
                self.code.allocations.push(Allocation {
                    record: record.0,
                    given,
                    defaults,
                    live: Vec::new(),
                });
                let dst = self.temporary(&expr.ty);
                self.emit_value(Instr::New { dst, table }, dst)
            }
            ExprKind::Atomic(primitive, place, operands) => {
                self.primitive(*primitive, place, operands, &expr.ty, frame)
            }
            ExprKind::Dcas { places, old, new } => {
                let p =
                    [self.shared_place(&places[0], frame)?, self.shared_place(&places[1], frame)?];
                let old = [self.expr(&old[0], frame)?, self.expr(&old[1], frame)?];
                let new = [
                    self.checked(&new[0], &places[0].ty, frame)?,
                    self.checked(&new[1], &places[1].ty, frame)?,
                ];
                let table = self.code.dcas.len() as u32;
                self.code.dcas.push(Dcas { places: p, old, new });
                let dst = self.scalar();
                self.emit_value(Instr::Dcas { dst, table }, dst)
            }
            ExprKind::Call(proc, args) => {
                let proc = &self.object.unit.procs[proc.index()];
                let callee = self.parameters(proc, args, frame)?;
                let result = self.inline(proc, callee)?;
                self.check_stored(result, &proc.result)?;
                Ok(result)
            }
            ExprKind::Invoke(op, args) => self.invoke(*op, args, frame),
            ExprKind::Choose(options) => {
                let n = self.width(&expr.ty);
                let mut values = Vec::new();
                for e in options {
                    values.push(self.expr(e, frame)?);
                }
                let dst = self.temporary(&expr.ty);
                let table = self.code.tables.len() as u32;
                self.code.tables.push(Vec::new());
                self.emit(Instr::Branch { table })?;
                let mut ends = Vec::new();
                for src in values {
                    let here = self.here();
                    self.code.tables[table as usize].push(here);
                    if n > 0 {
                        self.emit(Instr::Move { dst, src, n })?;
                    }
                    ends.push(self.jump()?);
                }
                self.patch_all(ends);
                Ok(dst)
            }
            ExprKind::ChooseRange(lo, hi) => {
                let lo = self.expr(lo, frame)?;
                let hi = self.expr(hi, frame)?;
                let dst = self.scalar();
                self.emit_value(Instr::PickRange { dst, lo, hi }, dst)
            }
            ExprKind::ThreadIndex(t) => {
                self.asymmetric = true;
                let a = self.expr(t, frame)?;
                let (index, dst) = (self.scalar(), self.scalar());
                let b = self.constant_slot(1);
                self.emit(Instr::Binary { op: BinOp::Sub, dst: index, a, b })?;
                // No thread has no number.
                let (before, len) = (NO_REG, self.threads);
                self.emit_value(Instr::Offset { dst, before, index, len, stride: 1 }, dst)
            }
            ExprKind::ThreadAt(index) => {
                self.asymmetric = true;
                let index = self.expr(index, frame)?;
                let dst = self.temporary(&Type::Thread);
                self.emit_value(Instr::ThreadAt { dst, index }, dst)
            }
            ExprKind::ThreadCount => Ok(self.constant_slot(self.threads)),
            ExprKind::AnyThread => {
                let (lo, hi) = (self.constant_slot(1), self.constant_slot(self.threads));
                let dst = self.temporary(&Type::Thread);
                self.emit_value(Instr::PickRange { dst, lo, hi }, dst)
            }
            ExprKind::OtherThread(set) => {
                let set = self.expr(set, frame)?;
                let dst = self.temporary(&Type::Thread);
                self.emit_value(Instr::PickThread { dst, set }, dst)
            }
            ExprKind::Method(Method::Insert, set, args) if self.width(&set.ty) == 1 => {
                let [thread] = &args[..] else {
                    return Err(self.refuse("one thread is visited at a time"));
                };
                let (set, thread) = (self.expr(set, frame)?, self.expr(thread, frame)?);
                self.emit_value(Instr::Visit { dst: set, set, thread }, set)
            }
            ExprKind::ChooseFrom(_) | ExprKind::Method(..) => {
                Err(self.refuse("abstract collections in the code of an object"))
            }
        }
    }

    fn lazy(&mut self, a: &'p Expr, b: &'p Expr, and: bool, frame: &mut Frame) -> Lowering<Reg> {
        let dst = self.scalar();
        let src = self.expr(a, frame)?;
        self.assign(dst, src, 1)?;
        let end = self.emit(if and {
            Instr::JumpIfNot { cond: dst, to: 0 }
        } else {
            Instr::JumpIf { cond: dst, to: 0 }
        })?;
        let src = self.expr(b, frame)?;
        self.assign(dst, src, 1)?;
        self.patch(end);
        Ok(dst)
    }

    fn primitive(
        &mut self,
        primitive: Primitive,
        at: &'p Expr,
        operands: &'p [Expr],
        result: &Type,
        frame: &mut Frame,
    ) -> Lowering<Reg> {
        let place = self.shared_place(at, frame)?;
        let value = |this: &mut Self, i: usize, frame: &mut Frame| match operands.get(i) {
            Some(e) => this.checked(e, &at.ty, frame),
            None => Err(this.refuse("a primitive with too few operands")),
        };
        match primitive {
            Primitive::Cas | Primitive::CasValue => {
                let Some(old) = operands.first() else {
                    return Err(self.refuse("a primitive with too few operands"));
                };
                let old = self.expr(old, frame)?;
                let new = value(self, 1, frame)?;
                if primitive == Primitive::CasValue {
                    let dst = self.temporary(result);
                    return self.emit_value(Instr::CasValue { dst, place, old, new }, dst);
                }
                let dst = self.scalar();
                self.emit_value(Instr::Cas { dst, place, old, new }, dst)
            }
            Primitive::Swap => {
                let src = value(self, 0, frame)?;
                let dst = self.temporary(result);
                self.emit_value(Instr::Swap { dst, place, src }, dst)
            }
            Primitive::Fetch(op) => {
                let Some(n) = operands.first() else {
                    return Err(self.refuse("a primitive with too few operands"));
                };
                let n = self.expr(n, frame)?;
                let Type::Int { lo, hi } = at.ty else {
                    return Err(self.refuse("`fetch_add` of something that is not a number"));
                };
                let dst = self.scalar();
                self.emit_value(Instr::Fetch { op, dst, place, n, lo, hi }, dst)
            }
            Primitive::LoadLinked => {
                self.link(place);
                let dst = self.temporary(result);
                self.emit_value(Instr::LoadLinked { dst, place }, dst)
            }
            Primitive::StoreConditional => {
                let src = value(self, 0, frame)?;
                let dst = self.scalar();
                self.emit_value(Instr::StoreConditional { dst, place, src }, dst)
            }
            Primitive::Validate => {
                let dst = self.scalar();
                self.emit_value(Instr::Validate { dst, place }, dst)
            }
            Primitive::TryLock => {
                let dst = self.scalar();
                self.emit_value(Instr::TryLock { dst, place }, dst)
            }
        }
    }

    /// Range checks for a value of expression `value` stored as a `ty`.
    pub(super) fn check_range(&mut self, src: Reg, ty: &Type, value: &Expr) -> Lowering<()> {
        if value.ty == *ty && !matches!(value.ty, Type::Int { .. }) {
            return Ok(());
        }
        match (&value.kind, &value.ty, ty) {
            (ExprKind::Const(Value::Int(n)), _, Type::Int { lo, hi }) if lo <= n && n <= hi => {
                Ok(())
            }
            // What was stored with this range, or a narrower one, is within it.
            (
                ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Field(..)
                | ExprKind::Part(..)
                | ExprKind::Index(..),
                Type::Int { lo: l, hi: h },
                Type::Int { lo, hi },
            ) if lo <= l && h <= hi => Ok(()),
            _ => self.check_stored(src, ty),
        }
    }

    /// Range checks for registers, by type alone.
    pub(super) fn check_stored(&mut self, src: Reg, ty: &Type) -> Lowering<()> {
        match ty {
            Type::Int { lo, hi } if (*lo, *hi) != (i32::MIN, i32::MAX) => {
                self.emit(Instr::Range { src, lo: *lo, hi: *hi }).map(drop)
            }
            // Behind `empty` there is nothing to check.
            Type::Option(inner) if inner.has_range(self.program) => {
                let empty = self.emit(Instr::JumpIfNot { cond: src, to: 0 })?;
                self.check_stored(src + 1, inner)?;
                self.patch(empty);
                Ok(())
            }
            Type::Tuple(_) | Type::Struct(_) | Type::Array(..) | Type::Endless(..) => {
                let mut at = src;
                for part in part_types(ty, self.program) {
                    self.check_stored(at, &part)?;
                    at += self.width(&part);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
