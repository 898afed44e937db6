//! Statements.

use super::{Frame, LoopFrame, Lower, Lowering};
use crate::code::{Instr, Reg};
use crate::program::{Block, Condition, Expr, ExprKind, LoopId, Proc, Stmt, StmtKind, Type};

impl<'p> Lower<'p> {
    /// Code that runs `init` as one uninterrupted step and ends.
    pub(super) fn initialisation(&mut self) -> Lowering<u32> {
        let entry = self.here();
        self.atomic += 1;
        self.emit(Instr::AtomicBegin)?;
        if let Some(init) = &self.object.unit.init {
            let frame = self.frame(init);
            self.inline(init, frame)?;
        }
        self.emit(Instr::AtomicEnd)?;
        self.atomic -= 1;
        self.emit(Instr::Halt)?;
        // Telling threads apart makes an initial state that is not symmetric; what matters is that
        // the steps are.
        self.asymmetric = false;
        Ok(entry)
    }

    pub(super) fn block(&mut self, block: &'p Block, frame: &mut Frame) -> Lowering<()> {
        block.iter().try_for_each(|s| self.statement(s, frame))
    }

    fn statement(&mut self, stmt: &'p Stmt, frame: &mut Frame) -> Lowering<()> {
        let outer = (self.stmt, self.expr);
        self.stmt = stmt.span;
        self.expr = stmt.span;
        let done = self.statement_kind(stmt, frame);
        (self.stmt, self.expr) = outer;
        done
    }

    fn statement_kind(&mut self, stmt: &'p Stmt, frame: &mut Frame) -> Lowering<()> {
        match &stmt.kind {
            StmtKind::Assign { place, value } => self.assignment(place, value, frame),
            StmtKind::Expr(e) => self.expr(e, frame).map(drop),
            StmtKind::If { cond, then, els } => {
                let cond = self.expr(cond, frame)?;
                let no = self.emit(Instr::JumpIfNot { cond, to: 0 })?;
                self.block(then, frame)?;
                if els.is_empty() {
                    self.patch(no);
                } else {
                    let end = self.jump()?;
                    self.patch(no);
                    self.block(els, frame)?;
                    self.patch(end);
                }
                Ok(())
            }
            StmtKind::Loop { id, cond, body, step } => {
                let head = self.here();
                self.retarget = None;
                let atomic = self.atomic;
                frame
                    .loops
                    .insert(*id, LoopFrame { breaks: Vec::new(), continues: Vec::new(), atomic });
                if let Some(cond) = cond {
                    let cond = self.expr(cond, frame)?;
                    let out = self.emit(Instr::JumpIfNot { cond, to: 0 })?;
                    self.loop_frame(*id, frame)?.breaks.push(out);
                }
                self.block(body, frame)?;
                let continues = std::mem::take(&mut self.loop_frame(*id, frame)?.continues);
                self.patch_all(continues);
                self.block(step, frame)?;
                self.emit(Instr::Jump { to: head })?;
                let breaks = std::mem::take(&mut self.loop_frame(*id, frame)?.breaks);
                self.patch_all(breaks);
                Ok(())
            }
            StmtKind::Break(id) => {
                let depth = self.loop_frame(*id, frame)?.atomic;
                let at = self.leave(depth)?;
                self.loop_frame(*id, frame)?.breaks.push(at);
                Ok(())
            }
            StmtKind::Continue(id) => {
                let depth = self.loop_frame(*id, frame)?.atomic;
                let at = self.leave(depth)?;
                self.loop_frame(*id, frame)?.continues.push(at);
                Ok(())
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let src = self.expr(value, frame)?;
                    let n = self.width(&value.ty);
                    self.assign(frame.result, src, n)?;
                }
                let at = self.leave(frame.atomic)?;
                frame.returns.push(at);
                Ok(())
            }
            StmtKind::Assert(e) => {
                let cond = self.expr(e, frame)?;
                self.emit(Instr::Assert { cond }).map(drop)
            }
            StmtKind::Assume(e) => {
                let cond = self.expr(e, frame)?;
                self.emit(Instr::Assume { cond }).map(drop)
            }
            StmtKind::Await(e) => self.atomically(|this| {
                let cond = this.expr(e, frame)?;
                this.emit(Instr::Wait { cond }).map(drop)
            }),
            StmtKind::Atomic(body) => self.atomically(|this| this.block(body, frame)),
            StmtKind::Either(blocks) => {
                let table = self.code.tables.len() as u32;
                self.code.tables.push(Vec::new());
                self.emit(Instr::Branch { table })?;
                let mut ends = Vec::new();
                for block in blocks {
                    let here = self.here();
                    self.retarget = None;
                    self.code.tables[table as usize].push(here);
                    self.block(block, frame)?;
                    ends.push(self.jump()?);
                }
                self.patch_all(ends);
                Ok(())
            }
            StmtKind::Free(e) => {
                let node = self.expr(e, frame)?;
                self.emit(Instr::Free { node }).map(drop)
            }
            StmtKind::Lock(p) => {
                let place = self.shared_place(p, frame)?;
                self.emit(Instr::Lock { place }).map(drop)
            }
            StmtKind::Point(whose) => self.point(whose.as_ref(), frame),
            StmtKind::Unlock(p) => {
                let place = self.shared_place(p, frame)?;
                self.emit(Instr::Unlock { place }).map(drop)
            }
        }
    }

    /// Checks that do not ask for points have none.
    fn point(&mut self, whose: Option<&'p Expr>, frame: &mut Frame) -> Lowering<()> {
        if self.check.condition != Condition::Points {
            return Ok(());
        }
        let thread = match whose {
            None => self.self_thread(),
            Some(e) => self.expr(e, frame)?,
        };
        self.emit(Instr::Point { thread }).map(drop)
    }

    fn loop_frame<'f>(&self, id: LoopId, frame: &'f mut Frame) -> Lowering<&'f mut LoopFrame> {
        let span = self.stmt;
        frame.loops.get_mut(&id).ok_or_else(|| super::Unsupported {
            message: "`break` or `continue` outside its loop".into(),
            span,
        })
    }

    /// A jump to a point at this depth of `atomic`.
    fn leave(&mut self, depth: u32) -> Lowering<usize> {
        if self.atomic > 0 && depth == 0 {
            self.emit(Instr::AtomicEnd)?;
        }
        self.jump()
    }

    /// Only the outermost `atomic` leaves instructions behind.
    fn atomically(&mut self, f: impl FnOnce(&mut Self) -> Lowering<()>) -> Lowering<()> {
        if self.atomic == 0 {
            self.emit(Instr::AtomicBegin)?;
        }
        self.atomic += 1;
        f(self)?;
        if self.atomic == 1 {
            self.emit(Instr::AtomicEnd)?;
        }
        self.atomic -= 1;
        Ok(())
    }

    fn assignment(&mut self, place: &'p Expr, value: &'p Expr, frame: &mut Frame) -> Lowering<()> {
        if let ExprKind::Local(id) = place.kind {
            let src = self.checked(value, &place.ty, frame)?;
            let n = self.width(&place.ty);
            return self.assign(frame.locals[id.index()], src, n);
        }
        let target = self.place(place, frame)?;
        let src = self.checked(value, &place.ty, frame)?;
        self.expr = self.stmt;
        self.store(target, src)
    }

    /// A value about to be stored where only values of type `ty` may be.
    pub(super) fn checked(
        &mut self,
        value: &'p Expr,
        ty: &Type,
        frame: &mut Frame,
    ) -> Lowering<Reg> {
        let src = self.expr(value, frame)?;
        self.check_range(src, ty, value)?;
        Ok(src)
    }

    pub(super) fn parameters(
        &mut self,
        proc: &'p Proc,
        args: &'p [Expr],
        frame: &mut Frame,
    ) -> Lowering<Frame> {
        // All arguments first: an argument may contain a call of the same procedure.
        let mut values = Vec::new();
        for (arg, param) in args.iter().zip(&proc.locals) {
            values.push(self.checked(arg, &param.ty, frame)?);
        }
        let callee = self.frame(proc);
        for (i, (src, arg)) in values.into_iter().zip(args).enumerate() {
            let n = self.width(&arg.ty);
            self.assign(callee.locals[i], src, n)?;
        }
        Ok(callee)
    }
}
