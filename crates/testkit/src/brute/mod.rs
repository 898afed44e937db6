//! The brute-force oracle: all executions, all histories, every history judged by the definition.
//!
//! The history is part of the state, so that two executions are merged only if their histories are
//! equal. That is hopeless for anything but tiny checks, and exact for those.

mod history;
mod linearize;
mod minimal;
mod points;
mod progress;
pub mod quasi;
mod strong;
#[cfg(test)]
mod tests;
mod together;

use std::collections::BTreeSet;
use std::hash::Hash;
use std::rc::Rc;

use linchpin_lin::Value;
use linchpin_lin::program::{Condition, FaultKind, Memory, OpId, Program};
use rapidhash::{RapidHashMap as HashMap, RapidHashSet as HashSet};

pub use history::Event;
use history::Histories;
use linearize::{Judge, Said};
pub use minimal::{Cheapest, Price, cheapest};
pub use progress::{Deed, Edge, Explored, Progress, explored, progress};
pub use strong::{Strength, strength};

use crate::reference::{Counting, Moves, Phase, Shared, Thread, World};

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Pairs of state and history.
    pub states: usize,
    /// Distinct histories.
    pub histories: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 200_000, histories: 50_000 }
    }
}

/// Everything the oracle has found out about a check.
#[derive(Clone, Debug, Default)]
pub struct BruteVerdict {
    /// All kinds of faults that some execution runs into.
    pub faults: BTreeSet<FaultKind>,
    /// Does some execution end in a deadlock?
    pub deadlock: bool,
    /// Does one do so wherever the bound on the heap is exactly? (A thread that waits for ever if it tosses a coin one
    /// way waits for ever if the bound excludes the other way.)
    pub sure_deadlock: bool,
    /// A shortest history that does not satisfy the condition of the check, if there is one.
    pub not_linearizable: Option<Vec<Event>>,
    /// A limit was reached: there may be more than was found.
    pub too_big: bool,
    /// The limit of the check on heap records left something out.
    pub heap_limit: bool,
    /// A false `assume` left something out.
    pub assumed: bool,
    /// The specification goes wrong on some history (which no other order explains), or at the start.
    pub bad_spec: bool,
    /// Pairs of state and history visited.
    pub states: usize,
    /// Distinct histories visited.
    pub histories: usize,
}

/// The verdict in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No violation of any kind.
    Holds,
    /// This history does not satisfy the condition.
    NotLinearizable(Vec<Event>),
    /// A run-time error.
    Fault(FaultKind),
    /// Threads wait for each other.
    Deadlock,
    /// Nothing found before the limit was reached.
    TooBig,
}

impl BruteVerdict {
    /// Is there a violation of any kind?
    pub fn is_violated(&self) -> bool {
        !self.faults.is_empty() || self.deadlock || self.not_linearizable.is_some()
    }

    /// Was every execution looked at? If not, more violations may exist than were found.
    pub fn is_complete(&self) -> bool {
        !self.too_big && !self.heap_limit
    }

    /// One word; where there are several violations, the first of: history, fault, deadlock.
    pub fn verdict(&self) -> Verdict {
        match (&self.not_linearizable, self.faults.first()) {
            (Some(history), _) => Verdict::NotLinearizable(history.clone()),
            (None, Some(kind)) => Verdict::Fault(*kind),
            (None, None) if self.deadlock => Verdict::Deadlock,
            (None, None) if self.too_big => Verdict::TooBig,
            (None, None) => Verdict::Holds,
        }
    }
}

/// Decides the check with that index by enumerating everything.
///
/// If the check bounds the heap, some executions that keep to the bound may be left out
/// ([`BruteVerdict::heap_limit`]): every violation found exists, but there may be more.
///
/// # Panics
/// If there is no such check.
pub fn decide(program: &Program, check: usize, limits: Limits) -> BruteVerdict {
    enumerate(program, check, limits, Counting::Most)
}

/// The same with, if the check bounds the heap, some executions that do not keep to the bound: every
/// violation that exists is found, but there may be less.
///
/// # Panics
/// If there is no such check.
pub fn suspect(program: &Program, check: usize, limits: Limits) -> BruteVerdict {
    enumerate(program, check, limits, Counting::Least)
}

fn enumerate(program: &Program, check: usize, limits: Limits, counting: Counting) -> BruteVerdict {
    explore(program, check, limits, counting, None).finish()
}

/// Visits everything; with a `graph`, notes what leads where.
fn explore(
    program: &Program,
    check: usize,
    limits: Limits,
    counting: Counting,
    graph: Option<Graph>,
) -> Search<'_> {
    let check = &program.checks[check];
    let looks_for_leaks = check.condition == Condition::LeakFree;
    let world = World::new(program, check, counting);
    let judge = Judge::new(program, check, world.threads());
    let mut search = Search {
        world,
        judge,
        limits,
        memories: Table::default(),
        threads: Table::default(),
        moves: HashMap::default(),
        histories: Histories::new(),
        bad: HashMap::from_iter([(Histories::EMPTY, false)]),
        seen: HashSet::default(),
        todo: Vec::new(),
        verdict: BruteVerdict::default(),
        shortest: None,
        graph,
        from: None,
        looks_for_leaks,
    };
    search.begin();
    while let Some(state) = search.todo.pop() {
        if search.seen.len() > limits.states || search.histories.count() > limits.histories {
            search.verdict.too_big = true;
            break;
        }
        if search.graph.is_some() {
            search.from = Some(state.clone());
        }
        search.expand(&state);
    }
    search
}

/// Does a history satisfy the condition of that check?
///
/// # Panics
/// If there is no such check.
pub fn satisfies(program: &Program, check: usize, history: &[Event]) -> bool {
    let check = &program.checks[check];
    let threads = check.roles.iter().map(|role| role.threads).sum();
    Judge::new(program, check, threads).judge(history) == Said::Right
}

/// Is a history refused: does it not satisfy the condition of that check, and does the specification not go
/// wrong on it?
///
/// # Panics
/// If there is no such check.
pub fn refuses(program: &Program, check: usize, history: &[Event]) -> bool {
    let check = &program.checks[check];
    let threads = check.roles.iter().map(|role| role.threads).sum();
    Judge::new(program, check, threads).judge(history) == Said::Refused
}

/// Numbers for equal things.
struct Table<T> {
    numbers: HashMap<Rc<T>, u32>,
    things: Vec<Rc<T>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { numbers: HashMap::default(), things: Vec::new() }
    }
}

impl<T: Eq + Hash> Table<T> {
    fn number(&mut self, thing: T) -> u32 {
        if let Some(number) = self.numbers.get(&thing) {
            return *number;
        }
        let number = self.things.len() as u32;
        let thing = Rc::new(thing);
        self.things.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }

    fn get(&self, number: u32) -> Rc<T> {
        self.things[number as usize].clone()
    }
}

/// A state together with the history that led to it, as numbers.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    memory: u32,
    threads: Box<[u32]>,
    history: u32,
}

/// Which move is asked for: in that memory, of that thread, and what it calls if idle.
type Question = (u32, u32, Option<(OpId, Vec<Value>)>);

/// Where it leads, as numbers of memories and threads.
struct Answer {
    /// With the threads of the points on the way.
    next: Vec<(u32, u32, Vec<u32>)>,
    stuck: bool,
    /// The rest of the answer; its `next` is empty.
    moves: Moves,
}

/// What leads where; who moves is a thread, from 0.
#[derive(Default)]
struct Graph {
    /// From where, who, whereto; initial states have no origin.
    edges: Vec<(Option<State>, usize, State)>,
    /// What goes wrong: from where, who, whether with a call, how. The initialisation has no origin.
    falls: Vec<(Option<State>, usize, bool, FaultKind)>,
    /// Deadlocks.
    halts: Vec<State>,
}

struct Search<'p> {
    world: World<'p>,
    judge: Judge<'p>,
    limits: Limits,
    memories: Table<Shared>,
    threads: Table<Thread>,
    /// Moves of threads that were computed before.
    moves: HashMap<Question, Rc<Answer>>,
    histories: Histories,
    /// Which histories do not satisfy the condition.
    bad: HashMap<u32, bool>,
    seen: HashSet<State>,
    todo: Vec<State>,
    verdict: BruteVerdict,
    shortest: Option<u32>,
    graph: Option<Graph>,
    /// What is being expanded, if there is a graph.
    from: Option<State>,
    looks_for_leaks: bool,
}

impl Search<'_> {
    fn begin(&mut self) {
        let memory = self.world.initial_memory();
        self.verdict.faults.extend(&memory.faults);
        if let Some(graph) = &mut self.graph {
            graph.falls.extend(memory.faults.iter().map(|kind| (None, 0, false, *kind)));
        }
        self.verdict.heap_limit |= memory.heap_limit;
        self.verdict.too_big |= memory.too_big;
        let threads: Box<[u32]> = (1..=self.world.threads())
            .map(|me| self.threads.number(self.world.initial_thread(me)))
            .collect();
        for outcome in memory.all {
            let memory = self.memories.number(outcome.shared);
            let memory = self.without_garbage(memory, &threads);
            let threads = threads.clone();
            self.push(0, State { memory, threads, history: Histories::EMPTY });
        }
    }

    fn expand(&mut self, state: &State) {
        let mut finished = true;
        let mut stuck = true;
        let mut at_the_bound = false;
        for i in 0..state.threads.len() {
            let me = i as u32 + 1;
            let thread = self.threads.get(state.threads[i]);
            let calls = match &thread.phase {
                Phase::Idle => self.world.calls(&thread),
                _ => Vec::new(),
            };
            finished &= thread.phase == Phase::Idle && calls.is_empty();
            stuck &= calls.is_empty();
            for (op, args) in calls {
                let (args, fresh) = self.with_fresh_values(args, state.history);
                let answer = self.ask(state, i, Some((op, args.clone())));
                self.follow(state, i, &answer, Some((Event::Call { thread: me, op, args }, fresh)));
            }
            match &thread.phase {
                Phase::Idle => {}
                Phase::Running { .. } | Phase::Deciding(_) => {
                    let answer = self.ask(state, i, None);
                    stuck &= answer.stuck;
                    at_the_bound |= answer.moves.heap_limit;
                    self.follow(state, i, &answer, None);
                }
                Phase::Returning(result) => {
                    stuck = false;
                    let answer = self.ask(state, i, None);
                    let event = Event::Return { thread: me, result: result.clone() };
                    self.follow(state, i, &answer, Some((event, 0)));
                }
                Phase::Doomed => stuck = false,
            }
        }
        let halts = stuck && !finished;
        self.verdict.deadlock |= halts;
        self.verdict.sure_deadlock |= halts && !at_the_bound;
        if let Some(graph) = &mut self.graph
            && halts
        {
            graph.halts.push(state.clone());
        }
    }

    /// Puts values never used before where they are wanted, and tells how many.
    fn with_fresh_values(&self, args: Vec<Option<Value>>, history: u32) -> (Vec<Value>, u32) {
        let used = self.histories.fresh(history);
        let mut fresh = 0;
        let mut make = || {
            fresh += 1;
            Value::Data(used + fresh)
        };
        let args = args.into_iter().map(|arg| arg.unwrap_or_else(&mut make)).collect();
        (args, fresh)
    }

    /// What one thread can do next.
    fn ask(&mut self, state: &State, i: usize, call: Option<(OpId, Vec<Value>)>) -> Rc<Answer> {
        let question = (state.memory, state.threads[i], call);
        if let Some(known) = self.moves.get(&question) {
            return known.clone();
        }
        let shared = self.memories.get(state.memory);
        let thread = self.threads.get(state.threads[i]);
        let mut moves = match &question.2 {
            Some((op, args)) => self.world.call(&thread, &shared, *op, args),
            None => self.world.step(&thread, &shared),
        };
        let stuck = moves.is_stuck();
        let next = std::mem::take(&mut moves.next)
            .into_iter()
            .map(|(shared, thread, points)| {
                (self.memories.number(shared), self.threads.number(thread), points)
            })
            .collect();
        let answer = Rc::new(Answer { next, stuck, moves });
        self.moves.insert(question, answer.clone());
        answer
    }

    /// Records what one thread did and where that leads.
    fn follow(&mut self, from: &State, i: usize, answer: &Answer, event: Option<(Event, u32)>) {
        self.note(&answer.moves);
        if let Some(graph) = &mut self.graph {
            let calls = matches!(event, Some((Event::Call { .. }, _)));
            let falls = answer.moves.faults.iter();
            graph.falls.extend(falls.map(|kind| (Some(from.clone()), i, calls, *kind)));
        }
        if answer.next.is_empty() {
            return;
        }
        let history = match event {
            None => from.history,
            Some((event, fresh)) => self.extend(from.history, event, fresh),
        };
        for &(memory, thread, ref points) in &answer.next {
            let history = points
                .iter()
                .fold(history, |history, &thread| self.extend(history, Event::Point { thread }, 0));
            if !points.is_empty() && self.histories.len(history) > points::LONGEST {
                self.verdict.too_big = true;
                continue;
            }
            let mut threads = from.threads.clone();
            threads[i] = thread;
            let memory = self.without_garbage(memory, &threads);
            self.push(i, State { memory, threads, history });
        }
    }

    /// The memory without what nobody can reach, and with what counts for the bound on the heap.
    fn without_garbage(&mut self, number: u32, threads: &[u32]) -> u32 {
        let shared = self.memories.get(number);
        let memory = self.world.object.memory;
        let collected = memory == Memory::Collected;
        let bounded = self.world.code.heap.is_some();
        if !(collected || bounded) || shared.heap.is_empty() {
            return number;
        }
        let all: Vec<Rc<Thread>> = threads.iter().map(|t| self.threads.get(*t)).collect();
        let mut kept = (*shared).clone();
        let reached = kept.reached(memory, all.iter().flat_map(|t| t.roots()));
        // What is lost stays, if somebody asks for it.
        if !self.looks_for_leaks {
            kept.keep(&reached, collected);
        }
        if bounded {
            let counting = match self.world.code.counting {
                Counting::Most => reached,
                Counting::Least => kept.reached(memory, all.iter().flat_map(|t| t.needed())),
            };
            kept.heap.iter_mut().for_each(|(id, cell)| cell.counts = counting.contains(id));
        }
        self.memories.number(kept)
    }

    /// Adds an event and judges the new history.
    fn extend(&mut self, history: u32, event: Event, fresh: u32) -> u32 {
        let judged = !matches!(event, Event::Call { .. });
        let (longer, is_new) = self.histories.extend(history, event, fresh);
        if is_new {
            // Bad beginnings make bad histories; a call alone changes nothing.
            let mut bad = self.bad[&history];
            let said = match judged && !bad {
                true => self.judge.judge(&self.histories.events(longer)),
                false => Said::Right,
            };
            self.verdict.bad_spec |= said == Said::GoesWrong;
            if said == Said::Refused {
                bad = true;
                self.refuse(longer);
            }
            self.bad.insert(longer, bad);
        }
        longer
    }

    fn note(&mut self, moves: &Moves) {
        self.verdict.faults.extend(&moves.faults);
        self.verdict.heap_limit |= moves.heap_limit;
        self.verdict.assumed |= moves.pruned && !moves.heap_limit;
        self.verdict.too_big |= moves.too_big;
    }

    fn push(&mut self, mover: usize, state: State) {
        if let Some(graph) = &mut self.graph {
            graph.edges.push((self.from.clone(), mover, state.clone()));
        }
        if self.seen.len() <= self.limits.states && self.seen.insert(state.clone()) {
            if self.looks_for_leaks && self.leaks(&state) {
                self.refuse(state.history);
            }
            self.todo.push(state);
        }
    }

    /// Has everything returned, and is a record that is not free out of reach from the variables?
    fn leaks(&self, state: &State) -> bool {
        let running = |event: &Event| match event {
            Event::Call { .. } => 1,
            Event::Return { .. } => -1,
            Event::Point { .. } => 0,
        };
        let shared = self.memories.get(state.memory);
        let reached = shared.reached(self.world.object.memory, std::iter::empty());
        shared.heap.iter().any(|(id, cell)| !cell.free && !reached.contains(id))
            && self.histories.events(state.history).iter().map(running).sum::<i32>() == 0
    }

    /// A history is refused; the shortest one is kept.
    fn refuse(&mut self, history: u32) {
        let len = self.histories.len(history);
        if self.shortest.is_none_or(|best| len < self.histories.len(best)) {
            self.shortest = Some(history);
        }
    }

    fn finish(mut self) -> BruteVerdict {
        // Where the specification allows more than was looked at, what was refused may be allowed.
        let refused = self.shortest.filter(|_| !self.judge.is_too_big());
        self.verdict.not_linearizable = refused.map(|history| self.histories.events(history));
        self.verdict.bad_spec |= self.judge.bad_start;
        self.verdict.too_big |= self.judge.is_too_big();
        self.verdict.states = self.seen.len();
        self.verdict.histories = self.histories.count();
        self.verdict
    }
}
