//! The explorer against all schedules: random programs, executed by other code that knows no coroutines, no clocks and no
//! reduction, must have the same histories and fail in the same ways. (What can happen in a program that panics is found up
//! to its first panic.)

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use crate::explore;
use crate::explore::random::Random;
use crate::runtime::failure::Wrong;
use crate::runtime::scheduler::{Execution, Limits, Program, join_all};
use crate::runtime::{self, world::World};
use crate::sync::atomic::{AtomicI64, Ordering};
use crate::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

const CELLS: usize = 3;
const LOCKS: usize = 2;

/// What a thread can do. What it gets is in its accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instruction {
    Load(usize),
    Store(usize, i64),
    Add(usize, i64),
    /// Takes the accumulator as what is expected.
    Exchange(usize, i64),
    Write(usize),
    Read(usize),
    TryWrite(usize),
    TryRead(usize),
    Unlock(usize),
    /// Skips the next one if the accumulator is 0.
    Unless,
    /// Until the cell has this value.
    Spin(usize, i64),
    /// If the accumulator is this.
    PanicIf(i64),
}

type Operations = Vec<Vec<Instruction>>;

/// What can be seen of an operation: its result, and how many operations of every thread had returned before it was called.
type Seen = (u8, u32, Option<i64>, Vec<u32>);
type Outcome = (Option<Wrong>, Vec<Seen>);

fn random(random: &mut Random) -> Vec<Operations> {
    let threads = 2 + random.below(2);
    let style = random.below(4);
    (0..threads)
        .map(|_| {
            let operations = 1 + random.below(if threads == 2 { 3 } else { 2 });
            (0..operations).map(|_| operation(random, style)).collect()
        })
        .collect()
}

fn operation(random: &mut Random, style: u64) -> Vec<Instruction> {
    use Instruction::*;
    let mut code = Vec::new();
    let mut held = Vec::new();
    for _ in 0..random.below(4) {
        let cell = random.below(CELLS as u64) as usize;
        let lock = random.below(LOCKS as u64) as usize;
        let value = random.below(3) as i64;
        let kind = random.below(if style == 0 { 5 } else { 14 });
        match kind {
            0 | 1 => code.push(Load(cell)),
            2 => code.push(Store(cell, value)),
            3 => code.push(Add(cell, 1)),
            4 => code.push(Exchange(cell, value)),
            5 => code.push(Unless),
            6 if style == 1 => code.push(Spin(cell, value)),
            7 if style == 2 && random.below(4) == 0 => code.push(PanicIf(value)),
            8..=11 if style >= 2 && !held.contains(&lock) => {
                code.push(
                    [Write(lock), Read(lock), TryWrite(lock), TryRead(lock)][kind as usize - 8],
                );
                held.push(lock);
            }
            _ => code.push(Load(cell)),
        }
    }
    // In any order.
    while !held.is_empty() {
        let lock = held.swap_remove(random.below(held.len() as u64) as usize);
        code.push(Unlock(lock));
        if random.below(3) == 0 {
            code.push(Load(random.below(CELLS as u64) as usize));
        }
    }
    code
}

/// The program for the explorer.
fn program(threads: &[Operations]) -> (Program, Rc<std::cell::RefCell<Vec<Vec<i64>>>>) {
    let results = Rc::new(std::cell::RefCell::new(Vec::new()));
    let (to, threads) = (results.clone(), threads.to_vec());
    let program = Rc::new(move || {
        *to.borrow_mut() = vec![Vec::new(); threads.len()];
        let cells: Arc<Vec<AtomicI64>> = Arc::new((0..CELLS).map(|_| AtomicI64::new(0)).collect());
        let locks: Arc<Vec<RwLock<()>>> = Arc::new((0..LOCKS).map(|_| RwLock::new(())).collect());
        for (thread, operations) in threads.clone().into_iter().enumerate() {
            let (cells, locks, to) = (cells.clone(), locks.clone(), to.clone());
            runtime::spawn(Box::new(move || {
                for (number, code) in operations.into_iter().enumerate() {
                    runtime::with(|world: &mut World| world.call(number as u32));
                    let result = execute(&code, &cells, &locks);
                    crate::client::returns();
                    to.borrow_mut()[thread].push(result);
                }
            }));
        }
        join_all();
    });
    (program, results)
}

fn execute(code: &[Instruction], cells: &[AtomicI64], locks: &[RwLock<()>]) -> i64 {
    use Ordering::SeqCst;
    let mut accumulator = 0;
    let mut writes: Vec<Option<RwLockWriteGuard<'_, ()>>> = locks.iter().map(|_| None).collect();
    let mut reads: Vec<Option<RwLockReadGuard<'_, ()>>> = locks.iter().map(|_| None).collect();
    let mut skip = false;
    for &instruction in code {
        // What is unlocked is unlocked in any case.
        if std::mem::take(&mut skip) && !matches!(instruction, Instruction::Unlock(_)) {
            continue;
        }
        match instruction {
            Instruction::Load(cell) => accumulator = cells[cell].load(SeqCst),
            Instruction::Store(cell, value) => cells[cell].store(value, SeqCst),
            Instruction::Add(cell, value) => accumulator = cells[cell].fetch_add(value, SeqCst),
            Instruction::Exchange(cell, value) => {
                let done = cells[cell].compare_exchange(accumulator, value, SeqCst, SeqCst);
                accumulator = i64::from(done.is_ok());
            }
            Instruction::Write(lock) => writes[lock] = locks[lock].write().ok(),
            Instruction::Read(lock) => reads[lock] = locks[lock].read().ok(),
            Instruction::TryWrite(lock) => {
                writes[lock] = locks[lock].try_write().ok();
                accumulator = i64::from(writes[lock].is_some());
            }
            Instruction::TryRead(lock) => {
                reads[lock] = locks[lock].try_read().ok();
                accumulator = i64::from(reads[lock].is_some());
            }
            Instruction::Unlock(lock) => {
                writes[lock] = None;
                reads[lock] = None;
            }
            Instruction::Unless => skip = accumulator == 0,
            Instruction::Spin(cell, value) => {
                while cells[cell].load(SeqCst) != value {
                    crate::hint::spin_loop();
                }
            }
            Instruction::PanicIf(value) => assert_ne!(accumulator, value),
        }
    }
    accumulator
}

/// The outcome of an execution.
fn outcome(execution: &Execution, results: &[Vec<i64>]) -> Outcome {
    let wrong = execution.failure.as_ref().map(|f| f.wrong);
    let mut seen: Vec<Seen> = Vec::new();
    for one in execution.operations.iter().filter(|o| o.call.is_some()) {
        let thread = one.thread - 1;
        let result = results[usize::from(thread)].get(one.number as usize).copied();
        let mut before = vec![0; results.len()];
        for other in execution.operations.iter().filter(|o| o.ret < one.call && o.ret.is_some()) {
            before[usize::from(other.thread) - 1] += 1;
        }
        seen.push((thread, one.number, result, before));
    }
    seen.sort();
    summary(wrong, seen)
}

/// Of an execution that a panic ends it matters that there is one: what others have done by then is not the same in all
/// executions that are alike.
fn summary(wrong: Option<Wrong>, seen: Vec<Seen>) -> Outcome {
    if wrong == Some(Wrong::Panic) { (wrong, Vec::new()) } else { (wrong, seen) }
}

/// A thread of the oracle.
#[derive(Clone, Default)]
struct Thread {
    operation: usize,
    at: usize,
    accumulator: i64,
    /// When the operation was called.
    called: Option<usize>,
    /// Looks at a cell again when this is not its version any more.
    waits: Option<(usize, u32)>,
    holds: [u8; LOCKS],
}

#[derive(Clone, Default)]
struct State {
    threads: Vec<Thread>,
    cells: [(i64, u32); CELLS],
    /// Who writes, how many read.
    locks: [(bool, u32); LOCKS],
    /// Thread, number, result, call, return.
    history: Vec<(usize, usize, i64, usize, usize)>,
    time: usize,
    panicked: bool,
}

impl State {
    /// Goes on with what nobody else sees, to the next access or the end of the operation.
    fn settle(&mut self, programs: &[Operations], thread: usize) {
        let t = &mut self.threads[thread];
        let code = &programs[thread][t.operation];
        while let Some(&instruction) = code.get(t.at) {
            match instruction {
                Instruction::Unless => {
                    t.at += 1;
                    let unlocks = matches!(code.get(t.at), Some(Instruction::Unlock(_)));
                    if t.accumulator == 0 && !unlocks {
                        t.at += 1;
                    }
                }
                Instruction::PanicIf(value) if t.accumulator == value => {
                    self.panicked = true;
                    return;
                }
                Instruction::PanicIf(_) => t.at += 1,
                Instruction::Unlock(lock) if t.holds[lock] == 0 => t.at += 1,
                _ => return,
            }
        }
        // An operation that has done nothing yet takes place at a time of its own.
        if let Some(called) = t.called.take() {
            self.history.push((thread, t.operation, t.accumulator, called, self.time));
            *t = Thread { operation: t.operation + 1, ..Thread::default() };
            if t.operation < programs[thread].len() {
                self.settle(programs, thread);
            }
        }
    }

    fn enabled(&self, programs: &[Operations], thread: usize) -> bool {
        let t = &self.threads[thread];
        if t.operation == programs[thread].len() {
            return false;
        }
        if t.waits.is_some_and(|(cell, version)| self.cells[cell].1 == version) {
            return false;
        }
        match programs[thread][t.operation].get(t.at) {
            Some(&Instruction::Write(lock)) => self.locks[lock] == (false, 0),
            Some(&Instruction::Read(lock)) => !self.locks[lock].0,
            _ => true,
        }
    }

    fn step(&mut self, programs: &[Operations], thread: usize) {
        let time = self.time;
        self.time += 1;
        let t = &mut self.threads[thread];
        t.called.get_or_insert(time);
        t.waits = None;
        let code = &programs[thread][t.operation];
        let set = |cell: &mut (i64, u32), value: i64| {
            cell.1 += u32::from(cell.0 != value);
            cell.0 = value;
        };
        if let Some(&instruction) = code.get(t.at) {
            t.at += 1;
            match instruction {
                Instruction::Load(cell) => t.accumulator = self.cells[cell].0,
                Instruction::Store(cell, value) => set(&mut self.cells[cell], value),
                Instruction::Add(cell, value) => {
                    t.accumulator = self.cells[cell].0;
                    set(&mut self.cells[cell], t.accumulator + value);
                }
                Instruction::Exchange(cell, value) => {
                    let fits = self.cells[cell].0 == t.accumulator;
                    if fits {
                        set(&mut self.cells[cell], value);
                    }
                    t.accumulator = i64::from(fits);
                }
                Instruction::Write(lock) => {
                    self.locks[lock].0 = true;
                    t.holds[lock] = 2;
                }
                Instruction::Read(lock) => {
                    self.locks[lock].1 += 1;
                    t.holds[lock] = 1;
                }
                Instruction::TryWrite(lock) => {
                    let free = self.locks[lock] == (false, 0);
                    if free {
                        self.locks[lock].0 = true;
                        t.holds[lock] = 2;
                    }
                    t.accumulator = i64::from(free);
                }
                Instruction::TryRead(lock) => {
                    let free = !self.locks[lock].0;
                    if free {
                        self.locks[lock].1 += 1;
                        t.holds[lock] = 1;
                    }
                    t.accumulator = i64::from(free);
                }
                Instruction::Unlock(lock) => {
                    match std::mem::take(&mut t.holds[lock]) {
                        2 => self.locks[lock].0 = false,
                        _ => self.locks[lock].1 -= 1,
                    };
                }
                Instruction::Spin(cell, value) => {
                    if self.cells[cell].0 != value {
                        t.at -= 1;
                        t.waits = Some((cell, self.cells[cell].1));
                    }
                }
                Instruction::Unless | Instruction::PanicIf(_) => unreachable!("settled"),
            }
        }
        self.settle(programs, thread);
    }

    fn outcome(&self, wrong: Option<Wrong>) -> Outcome {
        let pending = self.threads.iter().enumerate().filter_map(|(thread, t)| {
            t.called.map(|called| (thread, t.operation, None, called, usize::MAX))
        });
        let done = self.history.iter().map(|&(t, o, result, c, r)| (t, o, Some(result), c, r));
        let mut seen: Vec<Seen> = done
            .chain(pending)
            .map(|(thread, operation, result, call, _)| {
                let mut before = vec![0; self.threads.len()];
                // The event at which one returns is the last before this time.
                for other in self.history.iter().filter(|h| h.4 <= call) {
                    before[other.0] += 1;
                }
                (thread as u8, operation as u32, result, before)
            })
            .collect();
        seen.sort();
        summary(wrong, seen)
    }
}

/// All outcomes; `None` if there are too many executions.
fn all(programs: &[Operations], most: &mut u64) -> Option<BTreeSet<Outcome>> {
    fn go(
        programs: &[Operations],
        state: &State,
        most: &mut u64,
        to: &mut BTreeSet<Outcome>,
    ) -> Option<()> {
        if state.panicked {
            to.insert(state.outcome(Some(Wrong::Panic)));
            return Some(());
        }
        let threads = 0..programs.len();
        let enabled: Vec<usize> = threads.clone().filter(|&t| state.enabled(programs, t)).collect();
        if enabled.is_empty() {
            *most = most.checked_sub(1)?;
            let done = |t: usize| state.threads[t].operation == programs[t].len();
            let wrong = match threads.clone().all(done) {
                true => None,
                // Nobody goes on by looking again.
                false if threads.clone().any(|t| state.threads[t].waits.is_some()) => {
                    Some(Wrong::Livelock)
                }
                false => Some(Wrong::Deadlock),
            };
            to.insert(state.outcome(wrong));
        }
        for thread in enabled {
            let mut next = state.clone();
            next.step(programs, thread);
            go(programs, &next, most, to)?;
        }
        Some(())
    }
    let mut state = State { threads: vec![Thread::default(); programs.len()], ..State::default() };
    for thread in 0..programs.len() {
        state.settle(programs, thread);
    }
    let mut outcomes = BTreeSet::new();
    go(programs, &state, most, &mut outcomes).map(|()| outcomes)
}

const LIMITS: Limits = Limits { accesses: 2000, nudges: 3, tracing: false };

fn explored(
    programs: &[Operations],
    most: u64,
    failing: &mut u64,
) -> (BTreeSet<Outcome>, explore::Tally) {
    let (program, results) = program(programs);
    let mut outcomes = BTreeSet::new();
    let tally = explore::all(&program, LIMITS, most, &mut |execution| {
        *failing += u64::from(execution.failure.is_some());
        outcomes.insert(outcome(execution, &results.borrow()));
        ControlFlow::Continue(())
    });
    (outcomes, tally)
}

#[test]
fn the_explorer_sees_the_histories_of_all_schedules() {
    let seed: Option<u64> = std::env::var("LINCHPIN_SEED").ok().and_then(|s| s.parse().ok());
    let count = super::sample::count(if seed.is_some() { 1 } else { 1500 }, 60_000);
    const MOST: u64 = 5000;
    // Seeds in which something was missing once.
    const REGRESS: [u64; 1] = [22134];
    let seeds: Vec<u64> = match seed {
        Some(seed) => (seed..seed + count).collect(),
        None => (0..count).chain(REGRESS).collect(),
    };
    let (mut compared, mut failing, mut executions, mut schedules, mut redundant) = (0, 0, 0, 0, 0);
    let mut left = 0u64;
    for seed in seeds {
        let programs = random(&mut Random(seed));
        let mut most = MOST;
        let Some(expected) = all(&programs, &mut most) else { continue };
        let fails = expected.iter().filter(|o| o.0.is_some()).count() as u64;
        // Threads that cannot end are left behind, with their stacks.
        if left > 4000 && fails > 0 {
            continue;
        }
        let (found, tally) = explored(&programs, 100_000, &mut left);
        assert!(tally.complete, "seed {seed}: more executions than schedules");
        // A panic ends an execution before everything in it can be compared with everything else, and the search with it.
        // So after one only that it is found, and that nothing is invented, can be asked for.
        let panics =
            |outcomes: &BTreeSet<Outcome>| outcomes.iter().any(|o| o.0 == Some(Wrong::Panic));
        let agrees = match panics(&expected) {
            true => panics(&found) && found.is_subset(&expected),
            false => found == expected,
        };
        if !agrees {
            let missing: Vec<_> = expected.difference(&found).collect();
            let invented: Vec<_> = found.difference(&expected).collect();
            panic!(
                "seed {seed}: {programs:#?}\nmissing {missing:#?}\ninvented {invented:#?}\n\
                 {} of {}, {tally:?}",
                found.len(),
                expected.len()
            );
        }
        compared += 1;
        failing += u64::from(fails > 0);
        executions += tally.executions;
        redundant += tally.redundant;
        schedules += MOST - most;
    }
    println!(
        "{compared} programs, {failing} fail in some execution; {executions} executions \
         ({redundant} redundant) for {schedules} schedules"
    );
    assert!(seed.is_some() || compared > count / 3, "only {compared}");
    assert!(seed.is_some() || failing > 50, "only {failing} fail");
}
