//! The flat form of a program: instructions over registers, executed by `machine`.
//!
//! All threads of a role run the same code: the client with every operation and helper inlined. A
//! *register* is an index into the frame of the executing thread:
//!
//! ```text
//! | private part of the thread's block (0: pc, then variables) | temporaries | constants |
//! ```
//!
//! Only the first part is in the state. A variable is there only if it is live at a point where
//! the thread can be interrupted (see `allocate`); everything else costs no slot.
//!
//! Shared memory is touched by the instructions that name a [`Place`], by `Dcas`, and (except under
//! garbage collection) by `New` and `Free`: these are the *accesses*, at most one per step.

use crate::movers::{Guard, Slots};
use crate::program::{BinOp, Type};
use linchpin_text::Span;

/// A register.
pub(crate) type Reg = u32;

/// No register.
pub(crate) const NO_REG: Reg = u32::MAX;

/// Where a place begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// A global slot.
    Global,
    /// A field of the node that this register refers to.
    Field(Reg),
    /// A slot of the block of the thread in this register.
    PerThread(Reg),
}

/// A shared place: `base + slot + offset`, `width` slots wide.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) base: Base,
    /// Static distance from the base. For a field: 1 is the first field (0 is the tag).
    pub(crate) slot: u32,
    /// Dynamic distance (array elements), or [`NO_REG`].
    pub(crate) offset: Reg,
    /// Greatest value of the dynamic distance.
    pub(crate) extent: u32,
    pub(crate) width: u32,
    /// Record type, where the base is a field.
    pub(crate) record: u32,
    /// Which load-link slot watches this place ([`NO_REG`]: none).
    pub(crate) link: u32,
    /// May a write here break somebody's link?
    pub(crate) breaks_links: bool,
    /// Can a point follow before the next access (see `points`)?
    pub(crate) marked: bool,
    /// Does no operation write it (see `movers`)?
    pub(crate) constant: bool,
    /// Is it in a node that nobody but the thread that made it has ever seen (see `fresh`)?
    pub(crate) fresh: bool,
    /// Is it a lock that nobody looks at without taking it?
    pub(crate) mover: bool,
    /// The assumptions about it, by number.
    pub(crate) guards: Vec<u8>,
    /// The assumption that it is set once, by number.
    pub(crate) once: Option<u8>,
    /// Slots of the place that are references (relative), for publishing.
    pub(crate) refs: Vec<u32>,
    /// How reports call it: `top`, `.next`, `slot[]`.
    pub(crate) name: String,
    /// Stride and length of every array index in the name, to name elements in reports.
    pub(crate) indices: Vec<(u32, u32)>,
    pub(crate) ty: Type,
}

/// A load-link slot of every thread.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// The place, without its dynamic part.
    pub(crate) base: Base,
    pub(crate) slot: u32,
    pub(crate) width: u32,
    pub(crate) extent: u32,
    pub(crate) record: u32,
    /// Offset of the link within a thread's block.
    pub(crate) at: u32,
}

impl Link {
    /// Does a second slot say which element it is? (An element of a variable is known by the first alone.)
    pub(crate) fn has_element(&self) -> bool {
        self.extent > 0 && self.base != Base::Global
    }
}

/// `new`: which record, what goes into it.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub(crate) record: u32,
    /// Slots of the record that are given: (slot within the fields, register).
    pub(crate) given: Vec<(u32, Reg)>,
    /// All field slots of a new record.
    pub(crate) defaults: Vec<u32>,
    /// Registers that hold references that are still needed, for the bound on the heap.
    pub(crate) live: Vec<Reg>,
}

/// `dcas`.
#[derive(Clone, Debug)]
pub(crate) struct Dcas {
    pub(crate) places: [u32; 2],
    pub(crate) old: [Reg; 2],
    pub(crate) new: [Reg; 2],
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) enum Instr {
    Move {
        dst: Reg,
        src: Reg,
        n: u32,
    },
    Binary {
        op: BinOp,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Are `n` slots equal?
    Same {
        dst: Reg,
        a: Reg,
        b: Reg,
        n: u32,
    },
    Not {
        dst: Reg,
        a: Reg,
    },
    Negate {
        dst: Reg,
        a: Reg,
    },
    /// A fault unless `lo <= src <= hi`.
    Range {
        src: Reg,
        lo: i32,
        hi: i32,
    },
    /// `dst = before + index * stride`; a fault unless `0 <= index < len`.
    Offset {
        dst: Reg,
        before: Reg,
        index: Reg,
        len: u32,
        stride: u32,
    },
    /// Not considered unless `index < len`: an array without a stated end has no more cells (see `endless`).
    Within {
        index: Reg,
        len: u32,
    },
    /// `dst` = any thread that is not in `set`.
    PickThread {
        dst: Reg,
        set: Reg,
    },
    /// `dst` = `set` with `thread`.
    Visit {
        dst: Reg,
        set: Reg,
        thread: Reg,
    },
    /// `dst = base[offset ..]`, in an array that is a local variable of `total` slots.
    Get {
        dst: Reg,
        base: Reg,
        offset: Reg,
        n: u32,
        total: u32,
    },
    /// `base[offset ..] = src`
    Set {
        base: Reg,
        offset: Reg,
        src: Reg,
        n: u32,
        total: u32,
    },
    Jump {
        to: u32,
    },
    JumpIf {
        cond: Reg,
        to: u32,
    },
    JumpIfNot {
        cond: Reg,
        to: u32,
    },
    /// Nondeterministic jump: `tables[table]` lists the targets.
    Branch {
        table: u32,
    },
    /// Any of the values of `tables[table]`, each `n` slots.
    Pick {
        dst: Reg,
        n: u32,
        table: u32,
    },
    /// Any number from `lo` to `hi`.
    PickRange {
        dst: Reg,
        lo: Reg,
        hi: Reg,
    },
    /// A value of an opaque data type that was never used before.
    Fresh {
        dst: Reg,
        data: u32,
    },
    /// A fault if the option is empty.
    Present {
        tag: Reg,
    },
    /// The thread with this index; a fault if there is none.
    ThreadAt {
        dst: Reg,
        index: Reg,
    },
    Read {
        dst: Reg,
        place: u32,
    },
    Write {
        place: u32,
        src: Reg,
    },
    Cas {
        dst: Reg,
        place: u32,
        old: Reg,
        new: Reg,
    },
    /// The same; `dst` is the value that was found.
    CasValue {
        dst: Reg,
        place: u32,
        old: Reg,
        new: Reg,
    },
    Dcas {
        dst: Reg,
        table: u32,
    },
    Swap {
        dst: Reg,
        place: u32,
        src: Reg,
    },
    Fetch {
        op: BinOp,
        dst: Reg,
        place: u32,
        n: Reg,
        lo: i32,
        hi: i32,
    },
    LoadLinked {
        dst: Reg,
        place: u32,
    },
    StoreConditional {
        dst: Reg,
        place: u32,
        src: Reg,
    },
    Validate {
        dst: Reg,
        place: u32,
    },
    Lock {
        place: u32,
    },
    Unlock {
        place: u32,
    },
    TryLock {
        dst: Reg,
        place: u32,
    },
    New {
        dst: Reg,
        table: u32,
    },
    Free {
        node: Reg,
    },
    AtomicBegin,
    AtomicEnd,
    Assert {
        cond: Reg,
    },
    Assume {
        cond: Reg,
    },
    /// The step is possible only if this holds.
    Wait {
        cond: Reg,
    },
    /// Between operations: the thread can rest here.
    Idle,
    /// `lists[args]` are the registers of the arguments. `marked`: a point can follow before the
    /// first access (see `points`).
    Call {
        op: u32,
        args: u32,
        marked: bool,
    },
    /// The operation of the thread in this register takes effect.
    Point {
        thread: Reg,
    },
    Return {
        op: u32,
        src: Reg,
        n: u32,
    },
    Halt,
}

impl Instr {
    /// Can a thread be interrupted before an instruction of this kind?
    pub(crate) fn rests(&self) -> bool {
        matches!(
            self,
            Instr::Read { .. }
                | Instr::Write { .. }
                | Instr::Cas { .. }
                | Instr::Dcas { .. }
                | Instr::Swap { .. }
                | Instr::CasValue { .. }
                | Instr::Fetch { .. }
                | Instr::LoadLinked { .. }
                | Instr::StoreConditional { .. }
                | Instr::Validate { .. }
                | Instr::Lock { .. }
                | Instr::Unlock { .. }
                | Instr::TryLock { .. }
                | Instr::New { .. }
                | Instr::Free { .. }
                | Instr::AtomicBegin
                | Instr::Assume { .. }
                | Instr::PickRange { .. }
                | Instr::PickThread { .. }
                | Instr::Within { .. }
                | Instr::Idle
                | Instr::Return { .. }
                | Instr::Halt
        )
    }
}

/// How an instruction uses a range of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Reads,
    Writes,
    /// Writes only part of the variable.
    Touches,
}

/// Code with its tables; all tables are indexed by numbers inside the instructions, one entry per
/// instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) instrs: Vec<Instr>,
    pub(crate) debug: Vec<Debug>,
    pub(crate) places: Vec<Place>,
    pub(crate) allocations: Vec<Allocation>,
    pub(crate) dcas: Vec<Dcas>,
    pub(crate) tables: Vec<Vec<u32>>,
    pub(crate) lists: Vec<Vec<Reg>>,
    /// What can be assumed about places.
    pub(crate) guards: Vec<Guard>,
    /// What can be assumed to be set once.
    pub(crate) once: Vec<Slots>,
}

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Debug {
    /// The statement.
    pub(crate) stmt: Span,
    /// The expression.
    pub(crate) expr: Span,
    /// Can the thread be interrupted before it?
    pub(crate) stop: bool,
    /// Is it outside of all operations?
    pub(crate) outside: bool,
}

impl Code {
    /// Calls `f` with every register range of an instruction: first register, width, how. Reads
    /// come before writes. The registers can be replaced.
    pub(crate) fn registers(&mut self, pc: usize, f: &mut dyn FnMut(&mut Reg, u32, Use)) {
        let place = |places: &mut Vec<Place>, id: u32, f: &mut dyn FnMut(&mut Reg, u32, Use)| {
            let p = &mut places[id as usize];
            match &mut p.base {
                Base::Field(r) | Base::PerThread(r) => f(r, 1, Use::Reads),
                Base::Global => {}
            }
            if p.offset != NO_REG {
                f(&mut p.offset, 1, Use::Reads);
            }
            p.width
        };
        use Use::{Reads, Touches, Writes};
        match &mut self.instrs[pc] {
            Instr::Move { dst, src, n } => {
                f(src, *n, Reads);
                f(dst, *n, Writes);
            }
            Instr::Binary { dst, a, b, .. } => {
                f(a, 1, Reads);
                f(b, 1, Reads);
                f(dst, 1, Writes);
            }
            Instr::Same { dst, a, b, n } => {
                f(a, *n, Reads);
                f(b, *n, Reads);
                f(dst, 1, Writes);
            }
            Instr::Not { dst, a } | Instr::Negate { dst, a } => {
                f(a, 1, Reads);
                f(dst, 1, Writes);
            }
            Instr::Range { src, .. } => f(src, 1, Reads),
            Instr::Within { index, .. } => f(index, 1, Reads),
            Instr::PickThread { dst, set } => {
                f(set, 1, Reads);
                f(dst, 1, Writes);
            }
            Instr::Visit { dst, set, thread } => {
                f(set, 1, Reads);
                f(thread, 1, Reads);
                f(dst, 1, Writes);
            }
            Instr::Offset { dst, before, index, .. } => {
                if *before != NO_REG {
                    f(before, 1, Reads);
                }
                f(index, 1, Reads);
                f(dst, 1, Writes);
            }
            Instr::Get { dst, base, offset, n, total } => {
                f(base, *total, Reads);
                f(offset, 1, Reads);
                f(dst, *n, Writes);
            }
            Instr::Set { base, offset, src, n, total } => {
                f(offset, 1, Reads);
                f(src, *n, Reads);
                f(base, *total, Touches);
            }
            Instr::JumpIf { cond, .. }
            | Instr::JumpIfNot { cond, .. }
            | Instr::Assert { cond }
            | Instr::Assume { cond }
            | Instr::Wait { cond } => f(cond, 1, Reads),
            Instr::Pick { dst, n, .. } => f(dst, *n, Writes),
            Instr::PickRange { dst, lo, hi } => {
                f(lo, 1, Reads);
                f(hi, 1, Reads);
                f(dst, 1, Writes);
            }
            Instr::Fresh { dst, .. } => f(dst, 1, Writes),
            Instr::Present { tag } => f(tag, 1, Reads),
            Instr::ThreadAt { dst, index } => {
                f(index, 1, Reads);
                f(dst, 1, Writes);
            }
            Instr::Read { dst, place: p } | Instr::LoadLinked { dst, place: p } => {
                let w = place(&mut self.places, *p, f);
                f(dst, w, Writes);
            }
            Instr::Validate { dst, place: p } | Instr::TryLock { dst, place: p } => {
                place(&mut self.places, *p, f);
                f(dst, 1, Writes);
            }
            Instr::Write { place: p, src } => {
                let w = place(&mut self.places, *p, f);
                f(src, w, Reads);
            }
            Instr::Cas { dst, place: p, old, new } => {
                let w = place(&mut self.places, *p, f);
                f(old, w, Reads);
                f(new, w, Reads);
                f(dst, 1, Writes);
            }
            Instr::Dcas { dst, table } => {
                let d = &mut self.dcas[*table as usize];
                for i in 0..2 {
                    let w = place(&mut self.places, d.places[i], f);
                    f(&mut d.old[i], w, Reads);
                    f(&mut d.new[i], w, Reads);
                }
                f(dst, 1, Writes);
            }
            Instr::CasValue { dst, place: p, old, new } => {
                let w = place(&mut self.places, *p, f);
                f(old, w, Reads);
                f(new, w, Reads);
                f(dst, w, Writes);
            }
            Instr::Swap { dst, place: p, src } => {
                let w = place(&mut self.places, *p, f);
                f(src, w, Reads);
                f(dst, w, Writes);
            }
            Instr::StoreConditional { dst, place: p, src } => {
                let w = place(&mut self.places, *p, f);
                f(src, w, Reads);
                f(dst, 1, Writes);
            }
            Instr::Fetch { dst, place: p, n, .. } => {
                place(&mut self.places, *p, f);
                f(n, 1, Reads);
                f(dst, 1, Writes);
            }
            Instr::Lock { place: p } | Instr::Unlock { place: p } => {
                place(&mut self.places, *p, f);
            }
            Instr::New { dst, table } => {
                for (_, r) in &mut self.allocations[*table as usize].given {
                    f(r, 1, Reads);
                }
                f(dst, 1, Writes);
            }
            Instr::Free { node } => f(node, 1, Reads),
            Instr::Point { thread } => f(thread, 1, Reads),
            Instr::Call { args, .. } => {
                for r in &mut self.lists[*args as usize] {
                    f(r, 1, Reads);
                }
            }
            Instr::Return { src, n, .. } => {
                if *n > 0 {
                    f(src, *n, Reads);
                }
            }
            Instr::Jump { .. }
            | Instr::Branch { .. }
            | Instr::AtomicBegin
            | Instr::AtomicEnd
            | Instr::Idle
            | Instr::Halt => {}
        }
    }

    /// Where control can go after an instruction.
    pub(crate) fn targets(&self, pc: usize, f: &mut dyn FnMut(usize)) {
        match &self.instrs[pc] {
            Instr::Jump { to } => f(*to as usize),
            Instr::JumpIf { to, .. } | Instr::JumpIfNot { to, .. } => {
                f(*to as usize);
                f(pc + 1);
            }
            Instr::Branch { table } => {
                for &t in &self.tables[*table as usize] {
                    f(t as usize);
                }
            }
            Instr::Halt => {}
            _ => f(pc + 1),
        }
    }
}
