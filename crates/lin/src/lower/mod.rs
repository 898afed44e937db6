//! From the typed tree to instructions.
//!
//! Everything is inlined: a role becomes one piece of code, its client with the operations it calls
//! and the helpers they call. Evaluation order is the one the language promises, left to right; an
//! expression with several accesses becomes several access instructions, and the machine decides
//! where a thread can be interrupted.
//!
//! Registers are *virtual* here: every variable and every intermediate value has its own. `allocate`
//! finds out which of them need a place in the state.

mod client;
mod expr;
mod place;
mod points;
mod stmt;

use std::collections::HashMap;

use linchpin_lts::SlotKind;

use crate::code::{Code, Debug, Instr, Link, Reg};
use crate::flatten::slot_kinds;
use crate::program::{Check, LoopId, Object, Proc, Program, Type, VarId};
use crate::value::Value;
use linchpin_text::Span;

/// More instructions than this and the program is refused.
const MAX_INSTRUCTIONS: usize = 200_000;

/// A program that cannot be compiled although the front end accepted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What is not supported.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// What a virtual register stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Set and used by instructions.
    Variable,
    /// Always this value.
    Constant(u32),
    /// The executing thread.
    SelfThread,
}

/// A group of consecutive virtual registers.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) first: Reg,
    pub(crate) kinds: Vec<SlotKind>,
    pub(crate) class: Class,
    /// Name and type of the variable of the source that it is.
    pub(crate) named: Option<(String, Type)>,
}

/// Where a variable of the object lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Home {
    /// From this global slot on.
    Global(u32),
    /// From this slot of the shared part of every thread's block on.
    PerThread(u32),
}

/// The result of lowering: one code for all roles, with the entry of each.
pub(crate) struct Lowered {
    pub(crate) code: Code,
    pub(crate) entries: Vec<u32>,
    pub(crate) init: u32,
    pub(crate) variables: Vec<Variable>,
    pub(crate) variable_of: Vec<u32>,
    pub(crate) links: Vec<Link>,
    pub(crate) asymmetric: bool,
}

/// The procedure being inlined.
struct Frame {
    locals: Vec<Reg>,
    result: Reg,
    returns: Vec<usize>,
    loops: HashMap<LoopId, LoopFrame>,
    atomic: u32,
}

struct LoopFrame {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    atomic: u32,
}

pub(crate) struct Lower<'p> {
    program: &'p Program,
    object: &'p Object,
    check: &'p Check,
    homes: Vec<Home>,
    code: Code,
    variables: Vec<Variable>,
    variable_of: Vec<u32>,
    constants: HashMap<u32, Reg>,
    self_thread: Option<Reg>,
    links: Vec<Link>,
    asymmetric: bool,
    threads: u32,
    /// Depth of `atomic`.
    atomic: u32,
    /// Inside an operation.
    running: bool,
    stmt: Span,
    expr: Span,
    /// The last instruction may be made to write its result elsewhere (nothing jumps past it).
    retarget: Option<(usize, Reg)>,
}

type Lowering<T> = Result<T, Unsupported>;

/// Lowers the initialisation of an object and the clients of a check.
pub(crate) fn lower<'p>(
    program: &'p Program,
    object: &'p Object,
    check: &'p Check,
    homes: Vec<Home>,
    threads: u32,
) -> Lowering<Lowered> {
    let mut lower = Lower {
        program,
        object,
        check,
        homes,
        code: Code::default(),
        variables: Vec::new(),
        variable_of: Vec::new(),
        constants: HashMap::new(),
        self_thread: None,
        links: Vec::new(),
        asymmetric: false,
        threads,
        atomic: 0,
        running: false,
        stmt: Span::default(),
        expr: Span::default(),
        retarget: None,
    };
    let init = lower.initialisation()?;
    let mut entries = Vec::new();
    for role in &check.roles {
        entries.push(lower.here());
        lower.role(role)?;
    }
    lower.watch_links();
    lower.mark_points();
    Ok(Lowered {
        code: lower.code,
        entries,
        init,
        variables: lower.variables,
        variable_of: lower.variable_of,
        links: lower.links,
        asymmetric: lower.asymmetric,
    })
}

impl<'p> Lower<'p> {
    fn here(&self) -> u32 {
        self.code.instrs.len() as u32
    }

    fn emit(&mut self, instr: Instr) -> Lowering<usize> {
        let at = self.code.instrs.len();
        if at >= MAX_INSTRUCTIONS {
            return Err(Unsupported {
                message: format!(
                    "the code of one client has more than {MAX_INSTRUCTIONS} instructions after \
                     inlining helper procedures"
                ),
                span: self.stmt,
            });
        }
        let (stop, outside) = (self.atomic == 0, !self.running);
        self.code.debug.push(Debug { stmt: self.stmt, expr: self.expr, stop, outside });
        self.code.instrs.push(instr);
        self.retarget = None;
        Ok(at)
    }

    /// Emits an instruction whose result is in `dst`, a new register that nothing else defines.
    fn emit_value(&mut self, instr: Instr, dst: Reg) -> Lowering<Reg> {
        let at = self.emit(instr)?;
        self.retarget = Some((at, dst));
        Ok(dst)
    }

    /// Makes a jump go here.
    fn patch(&mut self, at: usize) {
        let here = self.here();
        match &mut self.code.instrs[at] {
            Instr::Jump { to } | Instr::JumpIf { to, .. } | Instr::JumpIfNot { to, .. } => {
                *to = here;
            }
            other => unreachable!("not a jump: {other:?}"),
        }
        self.retarget = None;
    }

    fn patch_all(&mut self, jumps: Vec<usize>) {
        for at in jumps {
            self.patch(at);
        }
    }

    fn jump(&mut self) -> Lowering<usize> {
        self.emit(Instr::Jump { to: 0 })
    }

    fn new_variable(&mut self, kinds: Vec<SlotKind>, class: Class) -> Reg {
        let first = self.variable_of.len() as Reg;
        let id = self.variables.len() as u32;
        // Values without slots get a register all the same, so that every value has one.
        self.variable_of.extend(std::iter::repeat_n(id, kinds.len().max(1)));
        self.variables.push(Variable { first, kinds, class, named: None });
        first
    }

    fn temporary(&mut self, ty: &Type) -> Reg {
        let mut kinds = Vec::new();
        slot_kinds(ty, self.program, &mut kinds);
        self.new_variable(kinds, Class::Variable)
    }

    fn scalar(&mut self) -> Reg {
        self.new_variable(vec![SlotKind::Scalar], Class::Variable)
    }

    fn constant_slot(&mut self, value: u32) -> Reg {
        if let Some(&r) = self.constants.get(&value) {
            return r;
        }
        let r = self.new_variable(vec![SlotKind::Scalar], Class::Constant(value));
        self.constants.insert(value, r);
        r
    }

    /// A register (or several in a row) that holds a constant.
    fn constant(&mut self, value: &Value, ty: &Type) -> Lowering<Reg> {
        let mut slots = Vec::new();
        value.flatten(ty, self.program, &mut slots);
        match slots.as_slice() {
            [one] => Ok(self.constant_slot(*one)),
            _ => {
                let dst = self.temporary(ty);
                for (i, &slot) in slots.iter().enumerate() {
                    let src = self.constant_slot(slot);
                    self.emit(Instr::Move { dst: dst + i as u32, src, n: 1 })?;
                }
                Ok(dst)
            }
        }
    }

    fn self_thread(&mut self) -> Reg {
        if let Some(r) = self.self_thread {
            return r;
        }
        let r = self.new_variable(vec![SlotKind::Thread], Class::SelfThread);
        self.self_thread = Some(r);
        r
    }

    fn width(&self, ty: &Type) -> u32 {
        ty.slots(self.program) as u32
    }

    /// `dst = src`, by making the instruction that computed `src` write to `dst` where possible.
    fn assign(&mut self, dst: Reg, src: Reg, n: u32) -> Lowering<()> {
        if n == 0 || dst == src {
            return Ok(());
        }
        if let Some((at, result)) = self.retarget
            && result == src
            && at + 1 == self.code.instrs.len()
        {
            self.code.registers(at, &mut |r, _, how| {
                if how == crate::code::Use::Writes && *r == src {
                    *r = dst;
                }
            });
            self.retarget = None;
            return Ok(());
        }
        self.emit(Instr::Move { dst, src, n })?;
        Ok(())
    }

    fn home(&self, var: VarId) -> Home {
        self.homes[var.index()]
    }

    /// The frame of a procedure about to be inlined.
    fn frame(&mut self, proc: &Proc) -> Frame {
        let local = |v: &crate::program::Var| {
            let register = self.temporary(&v.ty);
            if let Some(variable) = self.variables.last_mut() {
                variable.named = Some((v.name.clone(), v.ty.clone()));
            }
            register
        };
        let locals = proc.locals.iter().map(local).collect();
        let result = self.temporary(&proc.result);
        Frame { locals, result, returns: Vec::new(), loops: HashMap::new(), atomic: self.atomic }
    }

    /// Inlines a procedure whose parameters have been set; its result is in the frame.
    fn inline(&mut self, proc: &'p Proc, mut frame: Frame) -> Lowering<Reg> {
        self.block(&proc.body, &mut frame)?;
        let returns = std::mem::take(&mut frame.returns);
        self.patch_all(returns);
        Ok(frame.result)
    }
}
