//! The interpreter: runs one thread for one step.
//!
//! A step is at most one shared access (or one `atomic` block) and all the local work up to the
//! next one. Nondeterminism inside a step is explored by running it again with other choices; steps
//! are short, so this is cheaper than copying half-run steps. This is the only place that gives
//! instructions a meaning: search, replay and simulation all come here.
//!
//! [`Step::execute`] is the table of instructions; what they do is in `registers` (local work) and `access` (shared
//! memory, whose layout `memory` knows).

mod access;
mod memory;
mod registers;
mod scratch;
mod trace;

use std::sync::Arc;

use linchpin_lts::{Event, EventKind, FaultKind, Layout, Watch};

use crate::allocate::Frame;
use crate::code::{Code, Instr, Link, Reg};
use crate::coverage::Coverage;
use crate::model::Granularity;
use crate::ownership;
use crate::program::Memory;

pub use scratch::Scratch;
pub(crate) use trace::Effect;

/// After this many instructions of a step we look whether it comes back to where it was, and each time as
/// many more have been executed we ask whether to go on.
const LONG: u32 = 1 << 12;

/// A step is given up after this many instructions, those of all its choices together.
const MAX_WORK: u32 = 1 << 24;

/// A step that makes the state wider than this is given up, too.
const MAX_SLOTS: usize = 1 << 22;

/// After this many instructions of a step, private memory is treated like shared memory.
const MAX_PRIVATE: u32 = 1_000;

/// The thread that runs the initialisation.
const NOBODY: u32 = u32::MAX;

/// Everything the interpreter needs to know; immutable.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) code: Code,
    pub(crate) frame: Frame,
    pub(crate) layout: Layout,
    pub(crate) links: Vec<Link>,
    /// How many slots of a thread they take, its last ones.
    pub(crate) link_slots: usize,
    pub(crate) memory: Memory,
    pub(crate) heap_limit: Option<u32>,
    pub(crate) granularity: Granularity,
    /// The assumptions that are made, a bit for each (see `movers`).
    pub(crate) assumed: u64,
    /// Asked in the middle of long steps.
    pub(crate) watch: Watch,
    /// What its steps have reached.
    pub(crate) coverage: Arc<Coverage>,
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
        let block = self.layout.block(thread);
        let private = self.layout.private;
        let mut attempt = |halts: bool| {
            s.begin(source);
            if TRACE {
                s.trace.clear();
            }
            s.frame[..private].copy_from_slice(&source[block..block + private]);
            if let Some(r) = self.frame.self_thread {
                s.frame[r as usize] = thread as u32 + 1;
            }
            let next = s.frame[0] as usize;
            let step = Step::<TRACE>::new(self, s, source, thread as u32, next);
            (Step { halts, ..step }.run(), s.reached)
        };
        let run = match attempt(false) {
            // The access waits, but the private work before it, and the coins tossed there, do not. (With
            // interval tightening what is left out is a call: see `model::Waiting`.)
            (Run::Blocked, 1..) if !self.granularity.tighten => attempt(true).0,
            (run, _) => run,
        };
        if run == Run::Done {
            s.work[block..block + private].copy_from_slice(&s.frame[..private]);
            self.look_for_lost(s);
        }
        run
    }

    /// Notes that a node is lost, if anybody asks: where heaps are merged it is dropped from the state, and who
    /// looks when all operations have returned would not see it any more.
    fn look_for_lost(&self, s: &mut Scratch) {
        if let Some(lost) = self.layout.lost
            && s.work[lost] == 0
            && ownership::loses(&self.layout, self.link_slots, &s.work, true)
        {
            s.work[lost] = 1;
        }
    }

    /// Runs the initialisation on a state that holds the initial values.
    pub(crate) fn initialise(&self, s: &mut Scratch, source: &[u32], entry: u32) -> Run {
        s.begin(source);
        s.frame.copy_from_slice(&self.frame.template);
        let run = Step::<false>::new(self, s, source, NOBODY, entry as usize).run();
        if run == Run::Done {
            self.look_for_lost(s);
        }
        run
    }
}

/// A step that is being executed.
struct Step<'m, 's, const TRACE: bool> {
    m: &'m Machine,
    s: &'s mut Scratch,
    /// The state it began in.
    source: &'m [u32],
    thread: u32,
    /// The instruction after the current one, unless that jumps.
    next: usize,
    /// Has the access of this step been made?
    accessed: bool,
    atomic: bool,
    /// Does it end before its access?
    halts: bool,
    /// Was its access to take a lock, so that one more may come?
    opens: bool,
}

/// Why a step does not go on behind an instruction.
enum Stop {
    /// It is complete before this instruction.
    Before,
    Blocked,
    Excluded,
    Finished,
    Fault(FaultKind),
}

/// What an instruction comes to.
type Flow = Result<(), Stop>;

fn fault(kind: FaultKind) -> Flow {
    Err(Stop::Fault(kind))
}

impl<'m, 's, const TRACE: bool> Step<'m, 's, TRACE> {
    fn new(
        m: &'m Machine,
        s: &'s mut Scratch,
        source: &'m [u32],
        thread: u32,
        next: usize,
    ) -> Self {
        let (accessed, atomic, halts, opens) = (false, false, false, false);
        Step { m, s, source, thread, next, accessed, atomic, halts, opens }
    }

    #[inline]
    fn run(mut self) -> Run {
        loop {
            let pc = self.next;
            self.next = pc + 1;
            let flow = match self.s.length >= LONG {
                true => {
                    let end = self.s.loops(pc, &self.m.watch);
                    end.map_or(Ok(()), fault).and_then(|()| self.execute(pc))
                }
                false => self.execute(pc),
            };
            if !TRACE && !matches!(flow, Err(Stop::Before)) {
                self.m.coverage.reach(pc);
            }
            match flow {
                Ok(()) => self.s.length += 1,
                Err(Stop::Before) => return self.rest(pc),
                Err(Stop::Blocked) => return Run::Blocked,
                Err(Stop::Excluded) => return Run::Excluded,
                Err(Stop::Finished) => return Run::Finished,
                Err(Stop::Fault(kind)) => {
                    // The instruction that faults counts, or a replay would stop before it.
                    self.s.length += 1;
                    return Run::Fault(kind, pc as u32);
                }
            }
        }
    }

    /// The thread rests before an instruction.
    fn rest(self, pc: usize) -> Run {
        if self.m.granularity.dead {
            for &(from, to) in &self.m.frame.dead[pc] {
                self.s.frame[from as usize..to as usize].fill(0);
            }
        }
        self.s.frame[0] = pc as u32;
        Run::Done
    }

    #[inline]
    fn execute(&mut self, pc: usize) -> Flow {
        match self.m.code.instrs[pc] {
            Instr::Move { dst, src, n } => self.copy(dst, src, n),
            Instr::Binary { op, dst, a, b } => self.binary(op, dst, a, b),
            Instr::Same { dst, a, b, n } => self.same(dst, a, b, n),
            Instr::Not { dst, a } => self.set(dst, u32::from(self.get(a) == 0)),
            Instr::Negate { dst, a } => self.negate(dst, a),
            Instr::Range { src, lo, hi } => self.range(src, lo, hi),
            Instr::Offset { dst, before, index, len, stride } => {
                self.offset(dst, before, index, len, stride)
            }
            Instr::PickThread { dst, set } => self.pick_thread(dst, set),
            Instr::Visit { dst, set, thread } => self.visit(dst, set, thread),
            Instr::Within { index, len } => self.stays_within(index, len),
            Instr::Get { dst, base, offset, n, .. } => self.copy(dst, base + self.get(offset), n),
            Instr::Set { base, offset, src, n, .. } => self.copy(base + self.get(offset), src, n),
            Instr::Jump { to } => self.jump(true, to),
            Instr::JumpIf { cond, to } => self.jump(self.get(cond) != 0, to),
            Instr::JumpIfNot { cond, to } => self.jump(self.get(cond) == 0, to),
            Instr::Branch { table } => self.branch(table),
            Instr::Pick { dst, n, table } => self.pick(dst, n, table),
            Instr::PickRange { dst, lo, hi } => self.pick_range(dst, lo, hi),
            Instr::Fresh { dst, data } => self.fresh(dst, data),
            Instr::Present { tag } => self.must(tag, FaultKind::EmptyUnwrap),
            Instr::ThreadAt { dst, index } => self.thread_at(dst, index),
            Instr::Read { dst, place } => self.read(pc, dst, place),
            Instr::Write { place, src } => self.write(pc, place, src),
            Instr::Cas { dst, place, old, new } => self.cas(pc, dst, place, old, new),
            Instr::CasValue { dst, place, old, new } => self.cas_value(pc, dst, place, old, new),
            Instr::Dcas { dst, table } => self.dcas(pc, dst, table),
            Instr::Swap { dst, place, src } => self.swap(pc, dst, place, src),
            Instr::Fetch { op, dst, place, n, lo, hi } => {
                self.fetch(pc, (op, dst, place), n, (lo, hi))
            }
            Instr::LoadLinked { dst, place } => self.load_linked(pc, dst, place),
            Instr::StoreConditional { dst, place, src } => {
                self.store_conditional(pc, dst, place, src)
            }
            Instr::Validate { dst, place } => self.validate(pc, dst, place),
            Instr::Lock { place } => self.lock(pc, place),
            Instr::Unlock { place } => self.unlock(pc, place),
            Instr::TryLock { dst, place } => self.try_lock(pc, dst, place),
            Instr::New { dst, table } => self.make(pc, dst, table),
            Instr::Free { node } => self.free(pc, node),
            Instr::AtomicBegin => {
                self.access()?;
                self.atomic = true;
                Ok(())
            }
            Instr::AtomicEnd => {
                self.atomic = false;
                Ok(())
            }
            Instr::Assert { cond } => self.must(cond, FaultKind::AssertionFailed),
            Instr::Assume { cond } => match self.get(cond) {
                0 => Err(self.excluded()),
                _ => Ok(()),
            },
            Instr::Wait { cond } => match self.get(cond) {
                0 => Err(Stop::Blocked),
                _ => Ok(()),
            },
            Instr::Idle if self.accessed => Err(Stop::Before),
            Instr::Idle => Ok(()),
            Instr::Call { op, args, marked } => self.call(op, args, marked),
            Instr::Point { thread } => self.point(pc, thread),
            Instr::Return { op, src, n } => self.returns(op, src, n),
            Instr::Halt if self.s.length == 0 => Err(Stop::Finished),
            Instr::Halt => Err(Stop::Before),
        }
    }

    /// A shared access comes next. Ends the step before a second one.
    #[inline]
    fn access(&mut self) -> Flow {
        if self.atomic {
            return Ok(());
        }
        if self.accessed || self.halts {
            return Err(Stop::Before);
        }
        self.accessed = true;
        self.s.committed = self.s.taken;
        self.s.reached = self.s.length;
        Ok(())
    }

    /// The same for an access that may be made together with taking a lock before it.
    #[inline]
    fn access_after_lock(&mut self) -> Flow {
        if self.opens && !self.atomic {
            self.opens = false;
            return Ok(());
        }
        self.access()
    }

    /// The thread goes no further. What it did before counts all the same: others may go on
    /// from there, so the step ends here if it has done anything; inside `atomic` it is undone.
    fn excluded(&self) -> Stop {
        match self.atomic || !self.accessed && self.s.events.is_empty() {
            true => Stop::Excluded,
            false => Stop::Before,
        }
    }

    fn call(&mut self, op: u32, args: u32, marked: bool) -> Flow {
        let registers = &self.m.code.lists[args as usize];
        let values: smallvec::SmallVec<[u32; 8]> = registers.iter().map(|&r| self.get(r)).collect();
        let (kind, thread) = (EventKind::Call, self.thread);
        self.s.events.push(Event { kind, thread, op, values: &values });
        // Without interval tightening the call is a step of its own.
        self.accessed |= marked || !self.m.granularity.tighten;
        Ok(())
    }

    fn returns(&mut self, op: u32, src: Reg, n: u32) -> Flow {
        if self.accessed && !self.m.granularity.tighten {
            return Err(Stop::Before);
        }
        let values = match n {
            0 => &[][..],
            _ => &self.s.frame[src as usize..(src + n) as usize],
        };
        if !TRACE {
            self.m.coverage.returned(&mut self.s.familiar, op, values);
        }
        let (kind, thread) = (EventKind::Return, self.thread);
        self.s.events.push(Event { kind, thread, op, values });
        (self.accessed, self.opens) = (true, false);
        Ok(())
    }

    fn point(&mut self, pc: usize, whose: Reg) -> Flow {
        let thread = match self.get(whose) {
            0 => Event::NOBODY,
            t => t - 1,
        };
        self.s.events.push(Event { kind: EventKind::Point, thread, op: 0, values: &[] });
        self.note(pc, thread.wrapping_add(1), &[], &[]);
        Ok(())
    }
}
