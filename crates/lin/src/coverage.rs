//! What a search has seen of a model: statements that were run, results that were returned, whether the bound on the
//! heap cut executions short.
//!
//! A condition on histories says nothing about code that never ran: an object whose `push` waits for ever is
//! linearizable. So the interpreter notes what it executes, for all workers of a search together, and a verdict
//! can say what it covered.
//!
//! What has been seen only grows, and it is a function of the states that were expanded, not of who expanded them. It is
//! part of what a search has learned, so it is written into checkpoints and told to other processes. Replays, which
//! run one execution for a reader, note nothing.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use linchpin_lts::{Loading, Saving, SlotKind};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::code::{Code, Instr};
use crate::display::display_value;
use crate::flatten::slot_kinds;
use crate::program::{Object, OpId, Program, Stmt, StmtKind, Unit};
use crate::value::Value;
use crate::walk;
use linchpin_text::Span;

/// More results than this of one operation are not told apart.
const MOST_RESULTS: usize = 64;

/// One thing that was seen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Seen {
    /// An instruction was reached.
    Reached(u32),
    /// An operation returned this. Opaque values and threads are all alike.
    Returned(u32, Vec<u32>),
    /// A statement of the specification was reached (where its text begins and ends).
    Specified(u32, u32),
    /// The bound on the heap excluded a step.
    HeapFull,
}

/// What has been seen, in the order of its discovery, and the same sorted.
#[derive(Debug, Default)]
struct Log {
    order: Vec<Seen>,
    sorted: BTreeSet<Seen>,
}

/// What all workers of a search have seen.
#[derive(Debug)]
pub(crate) struct Coverage {
    /// By instruction.
    reached: Box<[AtomicBool]>,
    heap_full: AtomicBool,
    /// Of every operation: which slots of its result are names.
    names: Vec<Vec<bool>>,
    log: Mutex<Log>,
}

/// The results that one worker has seen of every operation, so that it need not ask the others again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Familiar(Vec<HashSet<SmallVec<[u32; 4]>>>);

impl Coverage {
    /// Nothing has been seen.
    pub(crate) fn new(program: &Program, object: &Object, code: &Code) -> Coverage {
        let names = |op: u32| {
            let mut kinds = Vec::new();
            slot_kinds(&object.unit.op(OpId(op)).result, program, &mut kinds);
            kinds.into_iter().map(|kind| kind != SlotKind::Scalar).collect()
        };
        Coverage {
            reached: code.instrs.iter().map(|_| AtomicBool::new(false)).collect(),
            heap_full: AtomicBool::new(false),
            names: (0..object.unit.ops.len() as u32).map(names).collect(),
            log: Mutex::default(),
        }
    }

    /// An instruction is reached.
    #[inline]
    pub(crate) fn reach(&self, pc: usize) {
        if !self.reached[pc].load(Ordering::Relaxed) {
            self.reached[pc].store(true, Ordering::Relaxed);
            self.add(Seen::Reached(pc as u32));
        }
    }

    /// A step is excluded by the bound on the heap.
    pub(crate) fn heap_is_full(&self) {
        if !self.heap_full.swap(true, Ordering::Relaxed) {
            self.add(Seen::HeapFull);
        }
    }

    /// An operation returns.
    pub(crate) fn returned(&self, known: &mut Familiar, op: u32, values: &[u32]) {
        let names = &self.names[op as usize];
        let alike = |(value, is_name): (&u32, &bool)| if *is_name { 0 } else { *value };
        let kind: SmallVec<[u32; 4]> = values.iter().zip(names).map(alike).collect();
        known.0.resize_with(self.names.len(), HashSet::new);
        let known = &mut known.0[op as usize];
        if known.len() <= MOST_RESULTS && !known.contains(&kind) {
            self.add(Seen::Returned(op, kind.to_vec()));
            known.insert(kind);
        }
    }

    /// A statement of the specification is reached.
    pub(crate) fn specify(&self, span: Span) {
        self.add(Seen::Specified(span.start, span.end));
    }

    fn log(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    fn add(&self, seen: Seen) {
        let mut log = self.log();
        if !log.sorted.contains(&seen) {
            log.order.push(seen.clone());
            log.sorted.insert(seen);
        }
    }

    /// Writes what has been seen.
    pub(crate) fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        out.things(self.log().order.iter())
    }

    /// What others have seen counts as seen.
    pub(crate) fn load(&self, from: &mut Loading<'_>) -> io::Result<()> {
        let unknown = || linchpin_lts::damaged("what was seen is not of this model");
        from.things(|seen: Seen, _| {
            match &seen {
                Seen::Reached(pc) => {
                    let reached = self.reached.get(*pc as usize).ok_or_else(unknown)?;
                    reached.store(true, Ordering::Relaxed);
                }
                Seen::Returned(op, values) => {
                    let names = self.names.get(*op as usize).ok_or_else(unknown)?;
                    if names.len() != values.len() {
                        return Err(unknown());
                    }
                }
                Seen::HeapFull => self.heap_full.store(true, Ordering::Relaxed),
                Seen::Specified(..) => {}
            }
            self.add(seen);
            Ok(0)
        })
        .map(drop)
    }

    /// What it comes to.
    pub(crate) fn covered(
        &self,
        program: &Program,
        object: &Object,
        code: &Code,
        spec: Option<&Unit>,
    ) -> Covered {
        let log = self.log();
        let was_reached = |pc: usize| log.sorted.contains(&Seen::Reached(pc as u32));
        let mut calls = vec![None; object.unit.ops.len()];
        let (mut statements, mut reached) = (BTreeSet::new(), BTreeSet::new());
        for (pc, instr) in code.instrs.iter().enumerate() {
            if let Instr::Call { op, .. } = instr {
                *calls[*op as usize].get_or_insert(false) |= was_reached(pc);
            }
            let span = code.debug[pc].stmt;
            statements.insert(span);
            if was_reached(pc) {
                reached.insert(span);
            }
        }
        // A statement that has no code (a `point` that nobody asked for) is none.
        let has_code = |span: Span| statements.contains(&span);
        let (mut own, mut unreached) = (BTreeSet::new(), BTreeSet::new());
        for proc in object.unit.procs.iter().chain(&object.unit.init) {
            walk::visit(&proc.body, &mut |_| {}, &mut |stmt| {
                if has_code(stmt.span) {
                    own.insert(stmt.span);
                }
            });
            never(
                &proc.body,
                &|stmt| !has_code(stmt.span) || reached.contains(&stmt.span),
                &mut unreached,
            );
        }
        let is_specified =
            |s: &Stmt| log.sorted.contains(&Seen::Specified(s.span.start, s.span.end));
        let mut unused = BTreeSet::new();
        for proc in spec.iter().flat_map(|unit| &unit.procs) {
            never(&proc.body, &is_specified, &mut unused);
        }
        let operation = |(op, called): (usize, Option<bool>)| {
            let (op, called) = (op as u32, called?);
            let proc = object.unit.op(OpId(op));
            let from = Seen::Returned(op, Vec::new());
            let of_it = log.sorted.range(from..).map_while(|seen| match seen {
                Seen::Returned(of, values) if *of == op => Some(values),
                _ => None,
            });
            let show = |values: &Vec<u32>| {
                let value = Value::unflatten(&proc.result, program, &mut values.iter().copied());
                display_value(&value, &proc.result, program)
            };
            let kinds: Vec<String> = of_it.take(MOST_RESULTS + 1).map(show).collect();
            let results = match kinds.len() {
                0 => Results::None,
                1..=MOST_RESULTS => Results::Kinds(kinds),
                _ => Results::Many,
            };
            let has_names = self.names[op as usize].contains(&true);
            Some(Returned { name: proc.name.clone(), called, results, has_names })
        };
        Covered {
            operations: calls.into_iter().enumerate().filter_map(operation).collect(),
            statements: own.len(),
            unreached: unreached.into_iter().collect(),
            unused: unused.into_iter().collect(),
            heap_full: self.heap_full.load(Ordering::Relaxed),
            all_end: false,
        }
    }
}

/// Collects the statements of a block that were never reached, and says whether one was. Whoever reaches a part of a
/// statement has reached the statement: the head of a `loop` has no code but the way back.
fn never(block: &[Stmt], was_reached: &dyn Fn(&Stmt) -> bool, out: &mut BTreeSet<Span>) -> bool {
    let mut any = false;
    for stmt in block {
        let parts: Vec<&[Stmt]> = match &stmt.kind {
            StmtKind::If { then, els, .. } => vec![then, els],
            StmtKind::Loop { body, step, .. } => vec![body, step],
            StmtKind::Atomic(body) => vec![body],
            StmtKind::Either(blocks) => blocks.iter().map(Vec::as_slice).collect(),
            _ => Vec::new(),
        };
        let inside = parts.iter().fold(false, |any, part| never(part, was_reached, out) | any);
        match was_reached(stmt) || inside {
            true => any = true,
            false => {
                out.insert(stmt.span);
            }
        }
    }
    any
}

/// What a verdict covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// The operations that clients call.
    pub operations: Vec<Returned>,
    /// How many statements of the object there are.
    pub statements: usize,
    /// Those that were never reached.
    pub unreached: Vec<Span>,
    /// Statements of the specification that were never reached.
    pub unused: Vec<Span>,
    /// Were executions cut short because they need more nodes than the bound on the heap allows?
    pub heap_full: bool,
    /// Does that bound end every execution, although clients would call for ever? (Known where cycles are looked for
    /// only.)
    pub all_end: bool,
}

impl Covered {
    /// The operations that never return, although clients are to call them.
    pub fn never_return(&self) -> impl Iterator<Item = &Returned> {
        self.operations.iter().filter(|op| op.results == Results::None)
    }
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// Its name.
    pub name: String,
    /// Was it ever called?
    pub called: bool,
    /// What it returned.
    pub results: Results,
    /// Are opaque values or threads in its results? They are all alike here.
    pub has_names: bool,
}

/// The results of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Results {
    /// It never returned.
    None,
    /// It returned these, as text; without a result, `()`.
    Kinds(Vec<String>),
    /// It returned more than are told apart.
    Many,
}
