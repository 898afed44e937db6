//! `cargo xtask bench lts`: relations between transition systems, on systems of known shape.
//!
//! Treiber's stack with silent steps for every access, and the same with atomic operations: the pair
//! that is compared to decide linearizability by bisimulation. Sizes are asserted by their being the
//! same every time; seconds are recorded.

use std::fmt::Write;
use std::time::Instant;

use linchpin_engine::Budget;
use linchpin_lts::{
    Dialect, Explicit, Label, LabelledSystem, Move, TAU, Trouble, Verdict, read_aut, write_aut,
};
use linchpin_relations::{
    Comparison, Equivalence, Generated, RefinementOptions, Semantics, compare, generate, quotient,
    refines, weak_trace_normal_form,
};

/// A stack used by some threads for some operations each: a push of the thread's number or a pop.
struct Stack {
    threads: u32,
    ops: u32,
    atomic: bool,
}

// What a thread is doing.
const IDLE: u32 = 0;
const PUSH_READ: u32 = 1;
const PUSH_LINK: u32 = 2;
const PUSH_CAS: u32 = 3;
const PUSHED: u32 = 4;
const POP_READ: u32 = 5;
const POP_NEXT: u32 = 6;
const POP_CAS: u32 = 7;
const POPPED: u32 = 8;

/// Slots of a thread: what it is doing, operations done, two local variables.
const FRAME: usize = 4;
/// Slots before those of the threads: the top of the stack.
const GLOBALS: usize = 1;

impl Stack {
    fn nodes(&self) -> usize {
        GLOBALS + self.threads as usize * FRAME
    }

    /// Labels: silent, then per thread push, pop, returned, and the results of pop.
    fn label_of(&self, thread: u32, what: u32) -> Label {
        1 + thread * (4 + self.threads) + what
    }

    /// The step that a thread takes next, if it is not at rest.
    fn step(&self, s: &mut [u32], thread: usize) -> Label {
        let at = GLOBALS + thread * FRAME;
        let node = |n: u32, field: usize| self.nodes() + (n as usize - 1) * 2 + field;
        let (a, b) = (s[at + 2], s[at + 3]);
        let visible = |what| self.label_of(thread as u32, what);
        match s[at] {
            PUSH_READ => {
                (s[at + 3], s[at]) = (s[0], PUSH_LINK);
                if self.atomic {
                    s[node(a, 1)] = s[0];
                    (s[0], s[at], s[at + 2], s[at + 3]) = (a, PUSHED, 0, 0);
                }
            }
            PUSH_LINK => (s[node(a, 1)], s[at]) = (b, PUSH_CAS),
            PUSH_CAS if s[0] == b => (s[0], s[at], s[at + 2], s[at + 3]) = (a, PUSHED, 0, 0),
            PUSH_CAS => (s[at], s[at + 3]) = (PUSH_READ, 0),
            PUSHED => {
                s[at] = IDLE;
                return visible(2);
            }
            POP_READ if s[0] == 0 => (s[at], s[at + 2]) = (POPPED, 0),
            POP_READ if self.atomic => {
                let top = s[0];
                (s[0], s[at], s[at + 2]) = (s[node(top, 1)], POPPED, s[node(top, 0)]);
            }
            POP_READ => (s[at], s[at + 2]) = (POP_NEXT, s[0]),
            POP_NEXT => (s[at], s[at + 3]) = (POP_CAS, s[node(a, 1)]),
            POP_CAS if s[0] == a => {
                (s[0], s[at], s[at + 2], s[at + 3]) = (b, POPPED, s[node(a, 0)], 0);
            }
            POP_CAS => (s[at], s[at + 2], s[at + 3]) = (POP_READ, 0, 0),
            _ => {
                (s[at], s[at + 2]) = (IDLE, 0);
                return visible(3 + a);
            }
        }
        TAU
    }
}

impl LabelledSystem for Stack {
    type Scratch = ();

    fn scratch(&self) {}

    fn width(&self) -> usize {
        self.nodes() + (self.threads * self.ops) as usize * 2
    }

    fn initial(&self, (): &mut ()) -> Result<Vec<u32>, Trouble> {
        Ok(vec![0; self.width()])
    }

    fn successors(
        &self,
        (): &mut (),
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        for thread in 0..self.threads as usize {
            let at = GLOBALS + thread * FRAME;
            if state[at] != IDLE {
                let mut next = state.to_vec();
                let label = self.step(&mut next, thread);
                emit(Move { label, by: &[thread as u32], state: &next });
            } else if state[at + 1] < self.ops {
                let mut next = state.to_vec();
                // Every operation has a node of its own.
                let node = thread as u32 * self.ops + state[at + 1] + 1;
                next[self.nodes() + (node as usize - 1) * 2] = thread as u32 + 1;
                (next[at], next[at + 1], next[at + 2]) = (PUSH_READ, state[at + 1] + 1, node);
                let label = self.label_of(thread as u32, 0);
                emit(Move { label, by: &[thread as u32], state: &next });
                let mut next = state.to_vec();
                (next[at], next[at + 1]) = (POP_READ, state[at + 1] + 1);
                let label = self.label_of(thread as u32, 1);
                emit(Move { label, by: &[thread as u32], state: &next });
            }
        }
        Ok(())
    }

    fn label(&self, label: Label) -> String {
        let Some(number) = label.checked_sub(1) else { return "tau".to_string() };
        let (thread, what) = (number / (4 + self.threads) + 1, number % (4 + self.threads));
        match what {
            0 => format!("call({thread}, push)"),
            1 => format!("call({thread}, pop)"),
            2 => format!("return({thread})"),
            n => format!("return({thread}, {})", n - 3),
        }
    }
}

/// Measures, prints the table and writes it to `record/lts.md`.
pub(crate) fn run() -> Result<(), String> {
    let mut text = "# Relations between transition systems\n\n\
        Treiber's stack and the same stack with atomic operations; see `crates/xtask/src/bench/systems.rs`.\n\
        Seconds of processor time on one core of the machine it was run on, the mean of three or more.\n\n\
        | threads x operations | what | states, steps | result | seconds |\n|---|---|---|---|---|\n"
        .to_string();
    for (threads, ops) in [(2, 3), (3, 2)] {
        row(&mut text, threads, ops)?;
    }
    crate::record("lts.md", &text)
}

/// Does something until it has taken a while, at least three times, and gives the mean time: of the
/// processor where the system tells it, so that it does not matter what else the machine does.
fn timed<T>(work: impl Fn() -> Result<T, String>) -> Result<(T, f64), String> {
    let start = Instant::now();
    let now = || super::one::cpu().unwrap_or_else(|| start.elapsed().as_secs_f64());
    let begin = now();
    let mut result = work()?;
    let mut times = 1;
    while times < 3 || (now() - begin < 0.5 && times < 50) {
        result = work()?;
        times += 1;
    }
    Ok((result, (now() - begin) / f64::from(times)))
}

fn whole(stack: &Stack) -> Result<Explicit, String> {
    match generate(stack, &Budget::UNLIMITED) {
        Ok(Generated::Whole(lts)) => Ok(lts),
        Ok(Generated::Stopped { .. }) => Err("a limit was reached".to_string()),
        Err(trouble) => Err(trouble.message),
    }
}

fn row(text: &mut String, threads: u32, ops: u32) -> Result<(), String> {
    let bounds = format!("{threads} x {ops}");
    let size = |lts: &Explicit| format!("{}, {}", lts.states(), lts.steps());
    let mut add = |what: &str, size: String, result: String, seconds: f64| {
        let line = format!("| {bounds} | {what} | {size} | {result} | {seconds:.3} |");
        println!("{line}");
        let _ = writeln!(text, "{line}");
    };
    let reached = |limit| format!("a limit was reached: {limit:?}");
    let (concrete, seconds) = timed(|| whole(&Stack { threads, ops, atomic: false }))?;
    add("generate", size(&concrete), String::new(), seconds);
    let (atomic, seconds) = timed(|| whole(&Stack { threads, ops, atomic: true }))?;
    add("generate, atomic", size(&atomic), String::new(), seconds);
    let mut file = Vec::new();
    write_aut(&concrete, Dialect::Mcrl2, &mut file).map_err(|e| e.to_string())?;
    let (_, seconds) = timed(|| read_aut(&file[..]).map_err(|e| e.to_string()))?;
    add("read .aut", size(&concrete), format!("{} MB", file.len() / 1_000_000), seconds);
    for (name, equivalence) in [
        ("strong", Equivalence::Strong),
        ("branching", Equivalence::Branching),
        ("divergence-branching", Equivalence::DivergenceBranching),
    ] {
        let reduce = || quotient(&concrete, equivalence, &Budget::UNLIMITED).map_err(reached);
        let (small, seconds) = timed(reduce)?;
        add(&format!("reduce, {name}"), size(&concrete), size(&small), seconds);
    }
    let normal = || weak_trace_normal_form(&concrete, &Budget::UNLIMITED).map_err(reached);
    let (small, seconds) = timed(normal)?;
    add("reduce, weak-trace", size(&concrete), size(&small), seconds);
    let both = format!("{} and {} states", concrete.states(), atomic.states());
    for (name, equivalence) in
        [("strong", Equivalence::Strong), ("branching", Equivalence::Branching)]
    {
        let work = || compare(&concrete, &atomic, equivalence, &Budget::UNLIMITED).map_err(reached);
        let (result, seconds) = timed(work)?;
        let result = match result {
            Comparison::Equivalent { blocks } => format!("equivalent, {blocks} classes"),
            Comparison::Different(_) => "different".to_string(),
        };
        add(&format!("compare, {name}"), both.clone(), result, seconds);
    }
    for (name, semantics) in
        [("weak-trace", Semantics::WeakTrace), ("failures", Semantics::Failures)]
    {
        let options = RefinementOptions::default();
        let refine = || {
            let (a, b) = (&concrete, &atomic);
            refines(a, b, semantics, options, &Budget::UNLIMITED).map_err(|t| t.message)
        };
        let (result, seconds) = timed(refine)?;
        let verdict = match result.verdict {
            Verdict::Holds => "refines",
            Verdict::Violated(_) => "does not refine",
            Verdict::Unknown(_) => "unknown",
        };
        let figures = format!("{verdict}, {} pairs", result.figures.pairs);
        add(&format!("refinement, {name}"), both.clone(), figures, seconds);
    }
    Ok(())
}
