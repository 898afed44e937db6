//! The interpreter: runs one thread for one step.
//!
//! A step is at most one shared access (or one `atomic` block) and all the local work up to the
//! next one. Nondeterminism inside a step is explored by running it again with other choices; steps
//! are short, so this is cheaper than copying half-run steps. This is the only place that gives
//! instructions a meaning: search, replay and simulation all come here.

mod memory;
mod scratch;
mod trace;

use linchpin_lts::{Event, EventKind, FREED, FaultKind, Layout};

use crate::allocate::Frame;
use crate::code::{Code, Instr, Link, NO_REG};
use crate::model::Granularity;
use crate::program::{BinOp, Memory};

pub use scratch::Scratch;
pub(crate) use trace::Effect;
use trace::trace_before;

/// A step that executes more instructions than this is a fault: it never ends.
const MAX_STEP: u32 = 100_000;

/// After this many instructions of a step, private memory is treated like shared memory.
const MAX_PRIVATE: u32 = 1_000;

/// Everything the interpreter needs to know; immutable.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) code: Code,
    pub(crate) frame: Frame,
    pub(crate) layout: Layout,
    pub(crate) links: Vec<Link>,
    pub(crate) memory: Memory,
    pub(crate) heap_limit: Option<u32>,
    pub(crate) granularity: Granularity,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// It leads to the state in `work`.
    Done,
    /// It waits for another thread.
    Blocked,
    /// The model excludes it.
    Excluded,
    /// The thread has nothing left to do.
    Finished,
    /// Something went wrong at this instruction.
    Fault(FaultKind, u32),
}

impl Machine {
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch { frame: self.frame.template.clone(), ..Scratch::default() }
    }

    /// Runs a thread from `source` until its step ends.
    pub(crate) fn run<const TRACE: bool>(
        &self,
        s: &mut Scratch,
        source: &[u32],
        thread: usize,
    ) -> Run {
        s.work.clear();
        s.work.extend_from_slice(source);
        let block = self.layout.block(thread);
        let private = self.layout.private;
        s.frame[..private].copy_from_slice(&source[block..block + private]);
        if let Some(r) = self.frame.self_thread {
            s.frame[r as usize] = thread as u32 + 1;
        }
        s.events.clear();
        s.taken = 0;
        s.called = 0;
        s.length = 0;
        s.owners.restart();
        let run = self.execute::<TRACE>(s, source, thread as u32, s.frame[0]);
        if run == Run::Done {
            s.work[block..block + private].copy_from_slice(&s.frame[..private]);
        }
        run
    }

    /// Runs the initialisation on a state that holds the initial values.
    pub(crate) fn initialise(&self, s: &mut Scratch, source: &[u32], entry: u32) -> Run {
        s.work.clear();
        s.work.extend_from_slice(source);
        s.events.clear();
        s.taken = 0;
        s.called = 0;
        s.length = 0;
        s.owners.restart();
        s.frame.copy_from_slice(&self.frame.template);
        self.execute::<false>(s, source, u32::MAX, entry)
    }

    fn execute<const TRACE: bool>(
        &self,
        s: &mut Scratch,
        source: &[u32],
        thread: u32,
        entry: u32,
    ) -> Run {
        let g = self.granularity;
        let mut pc = entry as usize;
        let mut accessed = false;
        let mut atomic = false;
        // Whose place is being touched. Found out before the instruction is executed: its result
        // may go to the register that says so.
        let mut at_place = (0, 0);

        macro_rules! fault {
            ($kind:ident) => {{
                s.length += 1;
                return Run::Fault(FaultKind::$kind, pc as u32);
            }};
        }
        macro_rules! check {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(kind) => {
                        // The instruction that faults counts, or a replay would stop before it.
                        s.length += 1;
                        return Run::Fault(kind, pc as u32);
                    }
                }
            };
        }
        macro_rules! reg {
            ($r:expr) => {
                s.frame[$r as usize]
            };
        }
        // Ends the step before a second access.
        macro_rules! access {
            () => {
                if !atomic {
                    if accessed {
                        break;
                    }
                    accessed = true;
                }
            };
        }
        // The thread goes no further. What it did before counts all the same: others may go on
        // from there, so the step ends here if it has done anything; inside `atomic` it is undone.
        macro_rules! exclude {
            () => {{
                if atomic || !(accessed || !s.events.is_empty()) {
                    return Run::Excluded;
                }
                break;
            }};
        }
        // As above, unless nobody else can see the place. Gives the place and its address.
        macro_rules! touch {
            ($id:expr) => {{
                let place = &self.code.places[$id as usize];
                // Long private work ends the step now and then: a loop over private memory that
                // never ends is no divergence, with or without this reduction.
                let own = g.private
                    && !place.marked
                    && s.length < MAX_PRIVATE
                    && self.is_own(s, source, place, thread);
                if !own {
                    access!();
                }
                let at = check!(self.address(s, place));
                if TRACE {
                    at_place = self.whose(s, place);
                }
                (place, at, own)
            }};
        }
        macro_rules! effect {
            ($id:expr, $at:expr, $before:expr, $success:expr) => {
                if TRACE {
                    self.record(s, pc, ($id, at_place), $at, $before, $success);
                }
            };
        }

        loop {
            let instr = &self.code.instrs[pc];
            if s.length >= MAX_STEP {
                fault!(Divergence);
            }
            match *instr {
                Instr::Move { dst, src, n } => {
                    if n == 1 {
                        reg!(dst) = reg!(src);
                    } else {
                        s.frame.copy_within(src as usize..(src + n) as usize, dst as usize);
                    }
                }
                Instr::Binary { op, dst, a, b } => {
                    let (a, b) = (reg!(a) as i32, reg!(b) as i32);
                    reg!(dst) = check!(binary(op, a, b));
                }
                Instr::Same { dst, a, b, n } => {
                    let same = if n == 1 {
                        reg!(a) == reg!(b)
                    } else {
                        s.frame[a as usize..(a + n) as usize]
                            == s.frame[b as usize..(b + n) as usize]
                    };
                    reg!(dst) = u32::from(same);
                }
                Instr::Not { dst, a } => reg!(dst) = u32::from(reg!(a) == 0),
                Instr::Negate { dst, a } => match (reg!(a) as i32).checked_neg() {
                    Some(v) => reg!(dst) = v as u32,
                    None => fault!(IntegerOutOfRange),
                },
                Instr::Range { src, lo, hi } => {
                    let v = reg!(src) as i32;
                    if v < lo || v > hi {
                        fault!(IntegerOutOfRange);
                    }
                }
                Instr::Offset { dst, before, index, len, stride } => {
                    let i = reg!(index);
                    if i >= len {
                        fault!(IndexOutOfRange);
                    }
                    let before = if before == NO_REG { 0 } else { reg!(before) };
                    reg!(dst) = before + i * stride;
                }
                Instr::Get { dst, base, offset, n, .. } => {
                    let from = (base + reg!(offset)) as usize;
                    s.frame.copy_within(from..from + n as usize, dst as usize);
                }
                Instr::Set { base, offset, src, n, .. } => {
                    let to = (base + reg!(offset)) as usize;
                    s.frame.copy_within(src as usize..(src + n) as usize, to);
                }
                Instr::Jump { to } => {
                    s.length += 1;
                    pc = to as usize;
                    continue;
                }
                Instr::JumpIf { cond, to } => {
                    if reg!(cond) != 0 {
                        s.length += 1;
                        pc = to as usize;
                        continue;
                    }
                }
                Instr::JumpIfNot { cond, to } => {
                    if reg!(cond) == 0 {
                        s.length += 1;
                        pc = to as usize;
                        continue;
                    }
                }
                Instr::Branch { table } => {
                    let targets = &self.code.tables[table as usize];
                    match s.choose(targets.len() as u32) {
                        Some(i) => {
                            s.length += 1;
                            pc = targets[i as usize] as usize;
                            continue;
                        }
                        None => return Run::Excluded,
                    }
                }
                Instr::Pick { dst, n, table } => {
                    let values = &self.code.tables[table as usize];
                    let Some(i) = s.choose(values.len() as u32 / n.max(1)) else {
                        return Run::Excluded;
                    };
                    let from = (i * n) as usize;
                    s.frame[dst as usize..(dst + n) as usize]
                        .copy_from_slice(&values[from..from + n as usize]);
                }
                Instr::PickRange { dst, lo, hi } => {
                    let (lo, hi) = (reg!(lo) as i32, reg!(hi) as i32);
                    let count = (i64::from(hi) - i64::from(lo) + 1).clamp(0, 1 << 20) as u32;
                    let Some(i) = s.choose(count) else { exclude!() };
                    reg!(dst) = lo.wrapping_add(i as i32) as u32;
                }
                Instr::Fresh { dst, data } => {
                    let Some(counter) = self.layout.fresh[data as usize] else {
                        return Run::Excluded;
                    };
                    s.work[counter] += 1;
                    reg!(dst) = s.work[counter];
                }
                Instr::Present { tag } => {
                    if reg!(tag) == 0 {
                        fault!(EmptyUnwrap);
                    }
                }
                Instr::ThreadAt { dst, index } => {
                    let i = reg!(index);
                    if i as usize >= self.layout.threads {
                        fault!(IndexOutOfRange);
                    }
                    reg!(dst) = i + 1;
                }
                Instr::Read { dst, place: id } => {
                    let (place, at, _) = touch!(id);
                    let n = place.width as usize;
                    s.frame[dst as usize..dst as usize + n].copy_from_slice(&s.work[at..at + n]);
                    effect!(id, at, &[], None);
                }
                Instr::Write { place: id, src } => {
                    let (place, at, own) = touch!(id);
                    let before = trace_before::<TRACE>(s, place, at);
                    self.write(s, source, thread, place, at, src, own);
                    effect!(id, at, &before, None);
                }
                Instr::Cas { dst, place: id, old, new } => {
                    let (place, at, own) = touch!(id);
                    let n = place.width as usize;
                    let same = s.work[at..at + n] == s.frame[old as usize..old as usize + n];
                    let before = trace_before::<TRACE>(s, place, at);
                    if same {
                        self.write(s, source, thread, place, at, new, own);
                    }
                    reg!(dst) = u32::from(same);
                    effect!(id, at, &before, Some(same));
                }
                Instr::Dcas { dst, table } => {
                    access!();
                    let d = &self.code.dcas[table as usize];
                    let [p, q] = d.places.map(|id| &self.code.places[id as usize]);
                    let at = [check!(self.address(s, p)), check!(self.address(s, q))];
                    let same =
                        [(p, at[0], d.old[0]), (q, at[1], d.old[1])].iter().all(|&(p, at, old)| {
                            let n = p.width as usize;
                            s.work[at..at + n] == s.frame[old as usize..old as usize + n]
                        });
                    let before =
                        [trace_before::<TRACE>(s, p, at[0]), trace_before::<TRACE>(s, q, at[1])];
                    if same {
                        self.write(s, source, thread, p, at[0], d.new[0], false);
                        self.write(s, source, thread, q, at[1], d.new[1], false);
                    }
                    let whose = [self.whose(s, p), self.whose(s, q)];
                    reg!(dst) = u32::from(same);
                    at_place = whose[0];
                    effect!(d.places[0], at[0], &before[0], Some(same));
                    at_place = whose[1];
                    effect!(d.places[1], at[1], &before[1], Some(same));
                }
                Instr::Swap { dst, place: id, src } => {
                    let (place, at, own) = touch!(id);
                    let n = place.width as usize;
                    let old: Vec<u32> = s.work[at..at + n].to_vec();
                    self.write(s, source, thread, place, at, src, own);
                    s.frame[dst as usize..dst as usize + n].copy_from_slice(&old);
                    effect!(id, at, &old, None);
                }
                Instr::FetchAdd { dst, place: id, n, lo, hi } => {
                    let (place, at, _) = touch!(id);
                    let old = s.work[at];
                    let new = match (old as i32).checked_add(reg!(n) as i32) {
                        Some(v) if lo <= v && v <= hi => v,
                        _ => fault!(IntegerOutOfRange),
                    };
                    s.work[at] = new as u32;
                    self.break_links(s, place, at);
                    reg!(dst) = old;
                    effect!(id, at, &[old], None);
                }
                Instr::LoadLinked { dst, place: id } => {
                    let (place, at, _) = touch!(id);
                    let n = place.width as usize;
                    // The link first: the result may go to the register the place depends on.
                    let (slot, value) = self.link(s, place, thread);
                    s.work[slot] = value;
                    s.frame[dst as usize..dst as usize + n].copy_from_slice(&s.work[at..at + n]);
                    effect!(id, at, &[], None);
                }
                Instr::StoreConditional { dst, place: id, src } => {
                    let (place, at, own) = touch!(id);
                    let before = trace_before::<TRACE>(s, place, at);
                    let mut linked = false;
                    if place.link != NO_REG {
                        let (slot, value) = self.link(s, place, thread);
                        linked = s.work[slot] == value;
                        s.work[slot] = 0;
                    }
                    if linked {
                        self.write(s, source, thread, place, at, src, own);
                    }
                    reg!(dst) = u32::from(linked);
                    effect!(id, at, &before, Some(linked));
                }
                Instr::Validate { dst, place: id } => {
                    let (place, at, _) = touch!(id);
                    let linked = place.link != NO_REG && {
                        let (slot, value) = self.link(s, place, thread);
                        s.work[slot] == value
                    };
                    reg!(dst) = u32::from(linked);
                    effect!(id, at, &[], Some(linked));
                }
                Instr::Lock { place: id } => {
                    let (_, at, _) = touch!(id);
                    if s.work[at] != 0 {
                        return Run::Blocked;
                    }
                    s.work[at] = thread + 1;
                    effect!(id, at, &[0], None);
                }
                Instr::Unlock { place: id } => {
                    let (_, at, _) = touch!(id);
                    if s.work[at] != thread + 1 {
                        fault!(UnlockNotHeld);
                    }
                    s.work[at] = 0;
                    effect!(id, at, &[thread + 1], None);
                }
                Instr::TryLock { dst, place: id } => {
                    let (_, at, _) = touch!(id);
                    let before = s.work[at];
                    if before == 0 {
                        s.work[at] = thread + 1;
                    }
                    reg!(dst) = u32::from(before == 0);
                    effect!(id, at, &[before], Some(before == 0));
                }
                Instr::New { dst, table } => {
                    if self.memory != Memory::Collected || self.heap_limit.is_some() {
                        access!();
                    }
                    match self.allocate(s, source, thread, table) {
                        Some(node) => reg!(dst) = node,
                        None => return Run::Excluded,
                    }
                    if TRACE {
                        let after = vec![reg!(dst)];
                        s.trace.push(Effect {
                            pc: pc as u32,
                            place: NO_REG,
                            of: 0,
                            offset: 0,
                            before: Vec::new(),
                            after,
                            success: None,
                        });
                    }
                }
                Instr::Free { node } => {
                    access!();
                    let node = reg!(node);
                    if node == 0 {
                        fault!(NullDereference);
                    }
                    let at = self.layout.node(node);
                    if s.work[at] & FREED != 0 {
                        fault!(UseAfterFree);
                    }
                    s.work[at] |= FREED;
                    if self.memory == Memory::Manual {
                        // Nobody can look at them any more.
                        s.work[at + 1..at + self.layout.stride].fill(0);
                    }
                    if g.private {
                        self.ensure_owners(s, source);
                        s.owners.publish(&self.layout, &s.work, node);
                    }
                    if TRACE {
                        s.trace.push(Effect {
                            pc: pc as u32,
                            place: NO_REG,
                            of: node,
                            offset: 0,
                            before: vec![node],
                            after: Vec::new(),
                            success: None,
                        });
                    }
                }
                Instr::AtomicBegin => {
                    access!();
                    atomic = true;
                }
                Instr::AtomicEnd => atomic = false,
                Instr::Assert { cond } => {
                    if reg!(cond) == 0 {
                        fault!(AssertionFailed);
                    }
                }
                Instr::Assume { cond } => {
                    if reg!(cond) == 0 {
                        exclude!();
                    }
                }
                Instr::Wait { cond } => {
                    if reg!(cond) == 0 {
                        return Run::Blocked;
                    }
                }
                Instr::Idle => {
                    if accessed {
                        break;
                    }
                }
                Instr::Call { op, args, marked } => {
                    let registers = &self.code.lists[args as usize];
                    let values: smallvec::SmallVec<[u32; 8]> =
                        registers.iter().map(|&r| reg!(r)).collect();
                    s.events.push(Event { kind: EventKind::Call, thread, op, values: &values });
                    s.called = s.taken;
                    // Without interval tightening the call is a step of its own.
                    accessed |= marked || !g.tighten;
                }
                Instr::Point { thread: whose } => {
                    let whose = match reg!(whose) {
                        0 => Event::NOBODY,
                        t => t - 1,
                    };
                    let (kind, op) = (EventKind::Point, 0);
                    s.events.push(Event { kind, thread: whose, op, values: &[] });
                    if TRACE {
                        s.trace.push(Effect {
                            pc: pc as u32,
                            place: NO_REG,
                            of: whose.wrapping_add(1),
                            offset: 0,
                            before: Vec::new(),
                            after: Vec::new(),
                            success: None,
                        });
                    }
                }
                Instr::Return { op, src, n } => {
                    if accessed && !g.tighten {
                        break;
                    }
                    let values =
                        if n == 0 { &[][..] } else { &s.frame[src as usize..(src + n) as usize] };
                    s.events.push(Event { kind: EventKind::Return, thread, op, values });
                    accessed = true;
                }
                Instr::Halt => {
                    if s.length == 0 {
                        return Run::Finished;
                    }
                    break;
                }
            }
            s.length += 1;
            pc += 1;
        }
        if g.dead {
            for &(from, to) in &self.frame.dead[pc] {
                s.frame[from as usize..to as usize].fill(0);
            }
        }
        s.frame[0] = pc as u32;
        Run::Done
    }
}

fn binary(op: BinOp, a: i32, b: i32) -> Result<u32, FaultKind> {
    let number = |v: Option<i32>| v.map(|v| v as u32).ok_or(FaultKind::IntegerOutOfRange);
    Ok(match op {
        BinOp::Add => number(a.checked_add(b))?,
        BinOp::Sub => number(a.checked_sub(b))?,
        BinOp::Mul => number(a.checked_mul(b))?,
        BinOp::Div | BinOp::Rem if b == 0 => return Err(FaultKind::DivisionByZero),
        BinOp::Div => number(a.checked_div(b))?,
        BinOp::Rem => number(a.checked_rem(b))?,
        BinOp::Eq => u32::from(a == b),
        BinOp::Ne => u32::from(a != b),
        BinOp::Lt => u32::from(a < b),
        BinOp::Le => u32::from(a <= b),
        BinOp::Gt => u32::from(a > b),
        BinOp::Ge => u32::from(a >= b),
        BinOp::And => u32::from(a != 0 && b != 0),
        BinOp::Or => u32::from(a != 0 || b != 0),
    })
}
