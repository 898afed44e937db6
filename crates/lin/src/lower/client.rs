//! Clients: who calls what.
//!
//! An operation is inlined between a `Call` and a `Return`. `Idle` marks where a thread rests
//! between two operations, before it has decided what to call next: resting after the decision
//! would split states for no reason.

use linchpin_lts::SlotKind;

use super::{Class, Frame, Lower, Lowering};
use crate::code::{Instr, NO_REG, Reg};
use crate::program::{Behaviour, BinOp, DataDomain, Domain, Expr, OpId, Role};

impl<'p> Lower<'p> {
    pub(super) fn role(&mut self, role: &'p Role) -> Lowering<()> {
        match &role.behaviour {
            Behaviour::General { ops, count } => self.general(ops, *count)?,
            Behaviour::Script(script) => {
                let frame = self.frame(script);
                self.inline(script, frame)?;
            }
        }
        self.emit(Instr::Halt).map(drop)
    }

    /// The most general client.
    fn general(&mut self, ops: &[OpId], count: Option<u32>) -> Lowering<()> {
        if ops.is_empty() {
            return Ok(());
        }
        let left = self.new_variable(vec![SlotKind::Scalar], Class::Variable);
        if let Some(count) = count {
            let src = self.constant_slot(count);
            self.emit(Instr::Move { dst: left, src, n: 1 })?;
        }
        let head = self.here();
        let end = match count {
            Some(_) => Some(self.emit(Instr::JumpIfNot { cond: left, to: 0 })?),
            None => None,
        };
        self.emit(Instr::Idle)?;
        if count.is_some() {
            let b = self.constant_slot(1);
            self.emit(Instr::Binary { op: BinOp::Sub, dst: left, a: left, b })?;
        }
        let table = self.code.tables.len() as u32;
        self.code.tables.push(Vec::new());
        self.emit(Instr::Branch { table })?;
        for &op in ops {
            let here = self.here();
            self.code.tables[table as usize].push(here);
            let mut args = Vec::new();
            for i in 0..self.object.unit.op(op).params as usize {
                args.push(self.any_argument(op, i)?);
            }
            self.operation(op, &args)?;
            self.emit(Instr::Jump { to: head })?;
        }
        if let Some(end) = end {
            self.patch(end);
        }
        Ok(())
    }

    /// A call of an operation in a script.
    pub(super) fn invoke(
        &mut self,
        op: OpId,
        args: &'p [Option<Expr>],
        frame: &mut Frame,
    ) -> Lowering<Reg> {
        self.emit(Instr::Idle)?;
        let proc = self.object.unit.op(op);
        let mut values = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            values.push(match arg {
                Some(e) => self.checked(e, &proc.locals[i].ty, frame)?,
                None => self.any_argument(op, i)?,
            });
        }
        self.operation(op, &values)
    }

    /// Any value of the domain of a parameter.
    fn any_argument(&mut self, op: OpId, param: usize) -> Lowering<Reg> {
        let ty = &self.object.unit.op(op).locals[param].ty;
        let dst = self.temporary(ty);
        match &self.check.domains[op.index()][param] {
            Domain::Data(id) => match self.check.data[id.index()] {
                DataDomain::Fresh => self.emit(Instr::Fresh { dst, data: id.0 })?,
                DataDomain::Finite(n) => self.pick(dst, 1, (1..=n).collect())?,
            },
            Domain::OneOf(values) => {
                let mut table = Vec::new();
                for v in values {
                    v.flatten(ty, self.program, &mut table);
                }
                let n = self.width(ty);
                self.pick(dst, n, table)?
            }
        };
        Ok(dst)
    }

    fn pick(&mut self, dst: Reg, n: u32, values: Vec<u32>) -> Lowering<usize> {
        let table = self.code.tables.len() as u32;
        self.code.tables.push(values);
        self.emit(Instr::Pick { dst, n, table })
    }

    /// Call, body, return.
    fn operation(&mut self, op: OpId, args: &[Reg]) -> Lowering<Reg> {
        let proc = self.object.unit.op(op);
        let callee = self.frame(proc);
        let mut list = Vec::new();
        for (i, &src) in args.iter().enumerate() {
            let n = self.width(&proc.locals[i].ty);
            self.assign(callee.locals[i], src, n)?;
            list.extend(callee.locals[i]..callee.locals[i] + n);
        }
        let outer = (self.stmt, self.expr);
        self.stmt = proc.span;
        self.expr = proc.span;
        let args = self.code.lists.len() as u32;
        self.code.lists.push(list);
        self.emit(Instr::Call { op: op.0, args, marked: false })?;
        self.running = true;
        let result = self.inline(proc, callee)?;
        self.stmt = proc.span;
        self.expr = proc.span;
        self.check_stored(result, &proc.result)?;
        let n = self.width(&proc.result);
        let src = if n == 0 { NO_REG } else { result };
        self.emit(Instr::Return { op: op.0, src, n })?;
        self.running = false;
        (self.stmt, self.expr) = outer;
        Ok(result)
    }
}
