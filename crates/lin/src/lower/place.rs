//! Places: addresses, loads and stores.

use linchpin_lts::SlotKind;

use super::{Frame, Home, Lower, Lowering, Unsupported};
use crate::code::{Base, Instr, Link, NO_REG, Place, Reg};
use crate::flatten::{part_types, slot_kinds};
use crate::program::{Expr, ExprKind, Type};

/// A place during lowering.
pub(super) enum Target {
    /// Registers of the thread itself.
    Local {
        base: Reg,
        total: u32,
        /// Static distance from `base`.
        slot: u32,
        offset: Reg,
        ty: Type,
    },
    /// Shared memory; not yet in the table.
    Shared(Place),
}

impl<'p> Lower<'p> {
    /// Evaluates the address of a place.
    pub(super) fn place(&mut self, expr: &'p Expr, frame: &mut Frame) -> Lowering<Target> {
        let ty = expr.ty.clone();
        match &expr.kind {
            ExprKind::Local(id) => Ok(Target::Local {
                base: frame.locals[id.index()],
                total: self.width(&ty),
                slot: 0,
                offset: NO_REG,
                ty,
            }),
            ExprKind::Global(var) => match self.home(*var) {
                Home::Global(slot) => {
                    let name = self.object.unit.vars[var.index()].name.clone();
                    Ok(self.shared(Base::Global, slot, 0, name, ty))
                }
                Home::PerThread(_) => {
                    Err(self.refuse("a per-thread array can only be used with an index"))
                }
            },
            ExprKind::Field(reference, field) => {
                let Type::Ref(record) = reference.ty else {
                    return Err(self.refuse("a field of something that is not a reference"));
                };
                let base = self.expr(reference, frame)?;
                let fields = &self.program.records[record.index()].fields;
                let before: u32 = fields[..*field as usize].iter().map(|f| self.width(&f.ty)).sum();
                let name = format!(".{}", fields[*field as usize].name);
                Ok(self.shared(Base::Field(base), 1 + before, record.0, name, ty))
            }
            ExprKind::Part(whole, part) => {
                let parts = part_types(&whole.ty, self.program);
                let before: u32 = parts[..*part as usize].iter().map(|t| self.width(t)).sum();
                let label = match &whole.ty {
                    Type::Struct(id) => {
                        self.program.structs[id.index()].fields[*part as usize].name.clone()
                    }
                    _ => part.to_string(),
                };
                let mut target = self.place(whole, frame)?;
                match &mut target {
                    Target::Local { slot, ty: t, .. } => {
                        *slot += before;
                        *t = ty;
                    }
                    Target::Shared(p) => {
                        let name = format!("{}.{label}", p.name);
                        let (base, slot, record) = (p.base, p.slot + before, p.record);
                        let (offset, extent) = (p.offset, p.extent);
                        let indices = std::mem::take(&mut p.indices);
                        target = self.shared(base, slot, record, name, ty);
                        if let Target::Shared(p) = &mut target {
                            p.offset = offset;
                            p.extent = extent;
                            p.indices = indices;
                        }
                    }
                }
                Ok(target)
            }
            ExprKind::Index(whole, index) => {
                if let (ExprKind::Global(var), Type::PerThread(_)) = (&whole.kind, &whole.ty) {
                    let thread = self.expr(index, frame)?;
                    let Home::PerThread(slot) = self.home(*var) else {
                        return Err(self.refuse("a per-thread array that is not one"));
                    };
                    let name = self.object.unit.vars[var.index()].name.clone();
                    return Ok(self.shared(Base::PerThread(thread), slot, 0, name, ty));
                }
                let (Type::Array(_, len) | Type::Endless(_, len)) = whole.ty else {
                    return Err(self.refuse("an index into something that is not an array"));
                };
                let target = self.place(whole, frame)?;
                let stride = self.width(&ty);
                let index = self.expr(index, frame)?;
                if let Type::Endless(..) = whole.ty {
                    self.emit(Instr::Within { index, len })?;
                }
                self.element(target, index, len, stride, ty)
            }
            // A value that is not a place (the result of a call): its registers serve.
            _ => {
                let base = self.expr(expr, frame)?;
                let total = self.width(&ty);
                Ok(Target::Local { base, total, slot: 0, offset: NO_REG, ty })
            }
        }
    }

    fn element(
        &mut self,
        target: Target,
        index: Reg,
        len: u32,
        stride: u32,
        ty: Type,
    ) -> Lowering<Target> {
        let dst = self.scalar();
        let before = match &target {
            Target::Local { offset, .. } => *offset,
            Target::Shared(p) => p.offset,
        };
        self.emit(Instr::Offset { dst, before, index, len, stride })?;
        Ok(match target {
            Target::Local { base, total, slot, .. } => {
                Target::Local { base, total, slot, offset: dst, ty }
            }
            Target::Shared(p) => {
                let extent = p.extent + len.saturating_sub(1) * stride;
                let name = format!("{}[]", p.name);
                let mut indices = p.indices;
                indices.push((stride, len));
                let mut target = self.shared(p.base, p.slot, p.record, name, ty);
                if let Target::Shared(p) = &mut target {
                    p.offset = dst;
                    p.extent = extent;
                    p.indices = indices;
                }
                target
            }
        })
    }

    fn shared(&self, base: Base, slot: u32, record: u32, name: String, ty: Type) -> Target {
        let mut kinds = Vec::new();
        slot_kinds(&ty, self.program, &mut kinds);
        let refs =
            (0..kinds.len() as u32).filter(|&i| kinds[i as usize] == SlotKind::Ref).collect();
        Target::Shared(Place {
            base,
            slot,
            offset: NO_REG,
            extent: 0,
            width: kinds.len() as u32,
            record,
            link: NO_REG,
            breaks_links: false,
            marked: false,
            constant: false,
            mover: false,
            guards: Vec::new(),
            once: None,
            fresh: false,
            refs,
            name,
            indices: Vec::new(),
            ty,
        })
    }

    /// The address of a shared place, in the table.
    pub(super) fn shared_place(&mut self, expr: &'p Expr, frame: &mut Frame) -> Lowering<u32> {
        match self.place(expr, frame)? {
            Target::Shared(p) => Ok(self.register_place(p)),
            Target::Local { .. } => {
                Err(self.refuse("an atomic primitive on something that is not shared"))
            }
        }
    }

    fn register_place(&mut self, place: Place) -> u32 {
        self.code.places.push(place);
        self.code.places.len() as u32 - 1
    }

    pub(super) fn load(&mut self, target: Target) -> Lowering<Reg> {
        match target {
            Target::Local { base, slot, offset: NO_REG, .. } => Ok(base + slot),
            Target::Local { base, total, slot, offset, ty } => {
                let (dst, n) = (self.temporary(&ty), self.width(&ty));
                let offset = self.shifted(offset, slot)?;
                self.emit_value(Instr::Get { dst, base, offset, n, total }, dst)
            }
            Target::Shared(p) => {
                let dst = self.temporary(&p.ty);
                let place = self.register_place(p);
                self.emit_value(Instr::Read { dst, place }, dst)
            }
        }
    }

    pub(super) fn store(&mut self, target: Target, src: Reg) -> Lowering<()> {
        match target {
            Target::Local { base, slot, offset: NO_REG, ty, total } => {
                let n = self.width(&ty);
                if n == total {
                    return self.assign(base + slot, src, n);
                }
                // A part of a variable: the rest stays, so this is no definition of it.
                let offset = self.constant_slot(slot);
                self.emit(Instr::Set { base, offset, src, n, total }).map(drop)
            }
            Target::Local { base, total, slot, offset, ty } => {
                let n = self.width(&ty);
                let offset = self.shifted(offset, slot)?;
                self.emit(Instr::Set { base, offset, src, n, total }).map(drop)
            }
            Target::Shared(p) => {
                let place = self.register_place(p);
                self.emit(Instr::Write { place, src }).map(drop)
            }
        }
    }

    fn shifted(&mut self, offset: Reg, slot: u32) -> Lowering<Reg> {
        if slot == 0 {
            return Ok(offset);
        }
        let (dst, b) = (self.scalar(), self.constant_slot(slot));
        self.emit(Instr::Binary { op: crate::program::BinOp::Add, dst, a: offset, b })?;
        Ok(dst)
    }

    pub(super) fn refuse(&self, message: &str) -> Unsupported {
        Unsupported { message: message.into(), span: self.expr }
    }

    /// The link slot that `ll` of this place uses.
    pub(super) fn link(&mut self, place: u32) {
        let p = &self.code.places[place as usize];
        let known = self.links.iter().any(|l| watches(l, p));
        if !known {
            let (base, slot, width, extent, record) = (p.base, p.slot, p.width, p.extent, p.record);
            self.links.push(Link { base, slot, width, extent, record, at: 0 });
        }
    }

    /// Tells every place which link slot it uses and whether writing it can break a link.
    pub(super) fn watch_links(&mut self) {
        for p in &mut self.code.places {
            if let Some(i) = self.links.iter().position(|l| watches(l, p)) {
                p.link = i as u32;
            }
            p.breaks_links = self.links.iter().any(|l| {
                same_base(l.base, p.base)
                    && l.record == p.record
                    && l.slot < p.slot + p.extent + p.width
                    && p.slot < l.slot + l.extent + l.width
            });
        }
    }
}

fn same_base(a: Base, b: Base) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}

fn watches(l: &Link, p: &Place) -> bool {
    same_base(l.base, p.base)
        && (l.record, l.slot, l.width, l.extent) == (p.record, p.slot, p.width, p.extent)
}
