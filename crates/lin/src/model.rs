//! An object under a client, as a transition system.

use std::io;
use std::sync::Arc;

use linchpin_lts::{
    Layout, Liveness, Loading, Outcome, Saving, SlotKind, Step, TransitionSystem, Watch,
};

use crate::allocate::allocate;
use crate::code::Code;
use crate::coverage::{Coverage, Covered};
use crate::endless;
use crate::flatten::slot_kinds;
use crate::lower::{Home, Unsupported, lower};
use crate::machine::{Machine, Run, Scratch};
use crate::movers;
use crate::ownership;
use crate::program::{Against, Check, Condition, DataDomain, Memory, Object, Program, Type};
use crate::specify::{SpecFault, Specification};

/// Which steps are fused or normalised while they are executed. All off is the unreduced model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granularity {
    /// Interval tightening (DESIGN 3.1): a call happens together with the first access of its
    /// operation, a return together with the last. Moving a call later or a return earlier only
    /// adds order between operations, so the tightened histories decide linearizability (and
    /// quasi linearizability) of all. *Preserves:* linearizability, faults, deadlock. Not traces.
    pub tighten: bool,
    /// Accesses to private memory are local work (see `ownership`). *Preserves:* traces, faults,
    /// deadlock.
    pub private: bool,
    /// Reads of what never changes are local work (see `movers`). *Preserves:* traces, faults, deadlock.
    pub constant: bool,
    /// Locks are taken together with the next access and released together with the one before, and
    /// what they guard is local work for who holds them (see `movers`). *Preserves:* traces, faults, deadlock.
    pub locks: bool,
    /// Reads of what is only ever set once are local work after that (see `movers`). *Preserves:* traces,
    /// faults, deadlock.
    pub once: bool,
    /// Records of manual memory are made together with the next access and given back together with the one
    /// before (see `movers`). *Preserves:* whether there is a violation, perhaps of another kind.
    pub reuse: bool,
    /// Variables that are not needed any more are reset (see `allocate`). *Preserves:* everything
    /// up to strong bisimulation.
    pub dead: bool,
}

impl Granularity {
    /// Every access, call and return is a step.
    pub const UNREDUCED: Granularity = Granularity {
        tighten: false,
        private: false,
        constant: false,
        locks: false,
        once: false,
        reuse: false,
        dead: false,
    };
    /// Everything on.
    pub const REDUCED: Granularity = Granularity {
        tighten: true,
        private: true,
        constant: true,
        locks: true,
        once: true,
        reuse: true,
        dead: true,
    };
}

/// The system of all executions of an object by the clients of a check.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) machine: Machine,
    pub(crate) program: Arc<Program>,
    pub(crate) check: Check,
    template: Vec<u32>,
    init: u32,
    /// Role of every thread.
    roles: Vec<u32>,
}

impl Model {
    /// Compiles an object with the clients of a check of the program (whose bounds may have been
    /// changed).
    pub fn new(
        program: Arc<Program>,
        check: &Check,
        granularity: Granularity,
    ) -> Result<Model, Unsupported> {
        let program = endless::sized(program, check);
        let object = &program.objects[check.object.index()];
        let roles: Vec<u32> = check
            .roles
            .iter()
            .enumerate()
            .flat_map(|(i, r)| std::iter::repeat_n(i as u32, r.threads as usize))
            .collect();
        let threads = roles.len();
        let (mut layout, homes) = shared_layout(&program, object, check);
        let mut lowered = lower(&program, object, check, homes, threads as u32)?;
        movers::mark(&mut lowered.code, &lowered.entries, object.memory);
        let frame = allocate(&mut lowered);

        // The shared part of the thread blocks comes after the private one, the links last.
        let shift = frame.private.len();
        for place in &mut lowered.code.places {
            if matches!(place.base, crate::code::Base::PerThread(_)) {
                place.slot += shift as u32;
            }
        }
        let mut thread = frame.private.clone();
        thread.append(&mut layout.thread);
        let before_links = thread.len();
        for link in &mut lowered.links {
            if matches!(link.base, crate::code::Base::PerThread(_)) {
                link.slot += shift as u32;
            }
            link.at = thread.len() as u32;
            thread.push(match link.base {
                crate::code::Base::Global => SlotKind::Scalar,
                crate::code::Base::Field(_) => SlotKind::Ref,
                crate::code::Base::PerThread(_) => SlotKind::Thread,
            });
            if link.has_element() {
                thread.push(SlotKind::Scalar);
            }
        }
        let link_slots = thread.len() - before_links;
        layout.thread = thread;
        layout.private = shift;
        layout.threads = threads;
        layout.roles = roles.clone();
        layout.thread_symmetric = !lowered.asymmetric;

        let template = template(&program, object, &layout, &lowered.entries, &roles, shift);
        let coverage = Arc::new(Coverage::new(&program, object, &lowered.code));
        let machine = Machine {
            code: lowered.code,
            frame,
            layout,
            links: lowered.links,
            link_slots,
            memory: object.memory,
            heap_limit: check.heap,
            granularity,
            assumed: 0,
            watch: Watch::NEVER,
            coverage,
        };
        Ok(Model { machine, init: lowered.init, check: check.clone(), template, roles, program })
    }

    /// The same with somebody to ask in the middle of steps that take long.
    #[must_use]
    pub fn within(mut self, watch: &Watch) -> Model {
        self.machine.watch = watch.clone();
        self
    }

    /// Whom it asks.
    pub fn watch(&self) -> &Watch {
        &self.machine.watch
    }

    /// The same executions divided into steps differently.
    pub fn with_granularity(&self, granularity: Granularity) -> Model {
        let mut model = self.clone();
        model.machine.granularity = granularity;
        model
    }

    /// Everything that can be assumed about which locks guard which memory, and what is set once, a bit for each.
    pub fn assumptions(&self) -> u64 {
        let Granularity { locks, once, .. } = self.machine.granularity;
        let Code { guards, once: set, .. } = &self.machine.code;
        let all = |some: bool, n: usize| if some { (1u64 << n) - 1 } else { 0 };
        all(locks, guards.len()) | all(once, set.len()) << movers::MOST_GUARDS
    }

    /// The same under some of these assumptions. A step that breaks one says so
    /// ([`Scratch::broken`]).
    #[must_use]
    pub fn assuming(&self, assumed: u64) -> Model {
        let mut model = self.clone();
        model.machine.assumed = assumed;
        model
    }

    /// The program it comes from.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// What the object is compared with; it asks whom the model asks.
    ///
    /// # Errors
    /// If the check names no specification of the program, or its object cannot be compiled.
    pub fn specification(&self) -> Result<Specification, SpecFault> {
        let specification = Specification::of(&self.program, &self.check, self.threads())?;
        Ok(specification.within(&self.machine.watch).noting(&self.machine.coverage))
    }

    /// What steps of this model, and of all that it was made into, have seen so far.
    pub fn covered(&self) -> Covered {
        let spec = match self.check.against {
            Against::Spec(spec) => Some(&self.program.specs[spec.index()].unit),
            Against::Itself => None,
        };
        let Machine { code, coverage, .. } = &self.machine;
        coverage.covered(&self.program, self.object(), code, spec)
    }

    /// Writes what has been seen, for another run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        self.machine.coverage.save(out)
    }

    /// Takes over what another run has seen.
    ///
    /// # Errors
    /// If it cannot be read, or is not of this model.
    pub fn load(&self, from: &mut Loading<'_>) -> io::Result<()> {
        self.machine.coverage.load(from)
    }

    /// The object.
    pub fn object(&self) -> &Object {
        &self.program.objects[self.check.object.index()]
    }

    /// The check whose clients run.
    pub fn check(&self) -> &Check {
        &self.check
    }

    /// The state before initialisation.
    pub(crate) fn template(&self) -> &[u32] {
        &self.template
    }

    /// Does a thread (from 0) wait in a state: it has not finished, and can do nothing before others
    /// do something? (With interval tightening: or can it make a call after which it waits?)
    pub fn waits(&self, s: &mut Scratch, state: &[u32], thread: u32) -> bool {
        let mut waiting = Waiting::default();
        s.owners.forget();
        waiting.next_thread();
        s.each_choice(
            &self.machine.watch,
            |s| self.machine.run::<false>(s, state, thread as usize),
            |s, run| waiting.note(run, &s.choices[..s.committed]),
        );
        waiting.close();
        waiting.stuck
    }

    /// Is it asked for, and is no operation running in a state in which a record that is not free is out of
    /// reach for the next one?
    pub fn leaks(&self, state: &[u32]) -> bool {
        let Machine { layout, link_slots, code, .. } = &self.machine;
        let Some(lost) = layout.lost else { return false };
        let rests = |thread: usize| code.debug[state[layout.block(thread)] as usize].outside;
        (0..layout.threads).all(rests)
            && (state[lost] != 0 || ownership::loses(layout, *link_slots, state, false))
    }

    /// Number of threads.
    pub fn threads(&self) -> u32 {
        self.roles.len() as u32
    }
}

/// Globals, records, and the shared part of the thread blocks (in `layout.thread` for now).
fn shared_layout(program: &Program, object: &Object, check: &Check) -> (Layout, Vec<Home>) {
    let mut layout = Layout::default();
    let mut homes = Vec::new();
    for var in &object.unit.vars {
        if let Type::PerThread(element) = &var.ty {
            homes.push(Home::PerThread(layout.thread.len() as u32));
            slot_kinds(element, program, &mut layout.thread);
        } else {
            homes.push(Home::Global(layout.globals.len() as u32));
            slot_kinds(&var.ty, program, &mut layout.globals);
        }
    }
    for domain in &check.data {
        layout.fresh.push((*domain == DataDomain::Fresh).then(|| {
            layout.globals.push(SlotKind::Scalar);
            layout.globals.len() - 1
        }));
        layout.data_symmetric.push(true);
    }
    if check.condition == Condition::LeakFree {
        layout.lost = Some(layout.globals.len());
        layout.globals.push(SlotKind::Scalar);
    }
    for record in &program.records {
        let mut kinds = Vec::new();
        record.fields.iter().for_each(|f| slot_kinds(&f.ty, program, &mut kinds));
        layout.records.push(kinds);
    }
    layout.stride = 1 + layout.records.iter().map(Vec::len).max().unwrap_or(0);
    layout.stable = object.memory == Memory::Stable;
    (layout, homes)
}

/// The state before initialisation: initial values, every thread at its entry.
fn template(
    program: &Program,
    object: &Object,
    layout: &Layout,
    entries: &[u32],
    roles: &[u32],
    private: usize,
) -> Vec<u32> {
    let mut globals = Vec::new();
    let mut shared = Vec::new();
    for var in &object.unit.vars {
        match &var.ty {
            Type::PerThread(element) => var.init.flatten(element, program, &mut shared),
            ty => var.init.flatten(ty, program, &mut globals),
        }
    }
    globals.resize(layout.globals.len(), 0);
    let mut state = globals;
    for &role in roles {
        let start = state.len();
        state.push(entries[role as usize]);
        state.resize(start + private, 0);
        state.extend_from_slice(&shared);
        state.resize(start + layout.thread.len(), 0);
    }
    state
}

impl TransitionSystem for Model {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        self.machine.scratch()
    }

    fn layout(&self) -> &Layout {
        &self.machine.layout
    }

    fn initial(&self, s: &mut Scratch, emit: &mut dyn FnMut(Outcome<'_>)) {
        s.owners.forget();
        s.each_choice(
            &self.machine.watch,
            |s| self.machine.initialise(s, &self.template, self.init),
            |s, run| {
                if let Some(outcome) = outcome(s, run) {
                    emit(outcome);
                }
            },
        );
        s.frame.copy_from_slice(&self.machine.frame.template);
    }

    fn successors(
        &self,
        s: &mut Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Step<'_>),
    ) -> Liveness {
        s.owners.forget();
        let mut waiting = Waiting::default();
        for thread in 0..self.roles.len() {
            waiting.next_thread();
            s.each_choice(
                &self.machine.watch,
                |s| self.machine.run::<false>(s, state, thread),
                |s, run| {
                    waiting.note(run, &s.choices[..s.committed]);
                    if let Some(outcome) = outcome(s, run) {
                        let (thread, length) = (thread as u32, s.length);
                        emit(Step { thread, choices: &s.choices[..s.taken], length, outcome });
                    }
                },
            );
        }
        waiting.liveness()
    }
}

/// Where a run leads, if it is a step.
fn outcome(s: &Scratch, run: Run) -> Option<Outcome<'_>> {
    match run {
        Run::Done => Some(Outcome::Next { state: &s.work, events: &s.events }),
        Run::Fault(kind, _) => Some(Outcome::Fault(kind)),
        Run::Blocked | Run::Excluded | Run::Finished => None,
    }
}

/// Finds deadlocks: every thread that has not finished is stuck, and there is one.
///
/// **What a step with choices means.** An access, or an `atomic` block, is tried with every choice inside
/// it. Choices that an `assume` discards are as if they were not there. If one of the others gets
/// through, the thread goes on; if there are others and all of them wait, the thread waits.
/// (Counting discarded ones as ways to go on hides threads that wait for ever:
/// `corpus/lin/regress/coin_in_atomic.lin`.)
///
/// **What reductions fuse.** Choices before the access (which operation, its arguments, coins that are
/// tossed on the way) are made for good: in the unreduced model they belong to the step before. With
/// interval tightening, or private memory, they are made in one step with the first shared access of
/// the operation. So the thread can *become* stuck if the access has to wait after *some* of these
/// choices. (Asking whether any step is possible misses these:
/// `corpus/lin/two_lock_queue/forgotten_unlock.lin`; asking about the call alone does, too:
/// `corpus/lin/regress/coin_before_wait.lin`.) Threads make these choices independently of each other, so
/// some choice for each is enough.
///
/// Faults need no such care, they are steps whatever the other choices lead to. Progress and temporal
/// formulas are decided without tightening; there, as in all replays, a thread that waits has made its
/// choices. A call that a point can follow is a step of its own (`lower::points`), with the coins after
/// it.
#[derive(Default)]
struct Waiting {
    threads: u32,
    /// Threads that are stuck or have finished.
    halted: u32,
    stuck: bool,
    /// Of the current thread: it is counted already.
    counted: bool,
    /// Of the current thread: choices before its first access.
    choices: smallvec::SmallVec<[u32; 8]>,
    /// With these choices, it waits with some of those inside the access.
    waits: bool,
    /// It gets through with some.
    moves: bool,
}

impl Waiting {
    fn next_thread(&mut self) {
        self.close();
        self.threads += 1;
        self.counted = false;
    }

    fn note(&mut self, run: Run, choices: &[u32]) {
        if self.choices[..] != *choices {
            self.close();
            self.choices.clear();
            self.choices.extend_from_slice(choices);
        }
        match run {
            Run::Blocked => self.waits = true,
            Run::Done | Run::Fault(..) => self.moves = true,
            Run::Excluded => {}
            Run::Finished => {
                self.halted += 1;
                self.counted = true;
            }
        }
    }

    /// The runs with the same choices before the access are complete.
    fn close(&mut self) {
        if self.waits && !self.moves && !self.counted {
            self.counted = true;
            self.stuck = true;
            self.halted += 1;
        }
        (self.waits, self.moves) = (false, false);
    }

    fn liveness(mut self) -> Liveness {
        self.close();
        match (self.halted == self.threads, self.stuck) {
            (false, _) => Liveness::Live,
            (true, true) => Liveness::Deadlock,
            (true, false) => Liveness::Finished,
        }
    }
}
