//! A process with some of its steps left out: partial order reduction. And with its states in order, where that makes
//! fewer ([`crate::multiset`]).
//!
//! In most states it is enough to let some of the components go on, because what the others can do does
//! not depend on it and can be done afterwards. P. Godefroid, *Partial-order methods for the
//! verification of concurrent systems*, LNCS 1032, 1996: the steps of a set of components are
//! *persistent* if nothing that the other components can do, for as long as these do not move, makes a
//! difference to them. Such a set is found by starting with one component and adding those whose
//! future ([`crate::futures`]) conflicts with a present step, possible or not, and those that would have
//! to take part in one (his Algorithm 2, with futures instead of processes as they are written).
//!
//! What is left out preserves ([`Preserve`]), with the conditions of D. Peled, *All from one, one for
//! all*, CAV 1993:
//!
//! * states without steps, with a shortest way to each (persistent and not empty);
//! * visible traces, what is refused after them, divergence (in addition every step of the set is
//!   silent: then a state that offers no silent step is reached only after all of them, and endless
//!   silence stays endless silence);
//! * whether a condition on variables can hold, formulas that silence does not matter to
//!   ([`linchpin_ltl::silence`]; in addition no step of the set is an event of the formula or changes
//!   what a condition reads);
//! * whether there is a trace that a specification does not allow, if it is one of operations
//!   ([`crate::operations`] says why). Then responses are not visible in this sense: what comes later
//!   is allowed if it is allowed sooner. And an invocation that has nothing to do with others is taken
//!   together with the next step of its process if that is silent and nothing can prevent it.
//!
//! **Proviso**, so that nothing is put off for ever: no step of the set leads a component back, that is, to
//! a term that is not further in a fixed order ([`crate::order`]), or changes the structure. On a cycle of
//! states every component that moves takes such a step, so everything is done at some state of the cycle.
//! It depends on the state only, so any order of search will do. It also sees to it that a model that goes
//! wrong does so here.
//!
//! Departures: where something is `atomic`, nothing is left out, because such steps go before others, nor where there are as many
//! processes as one likes, which have no places of their own, nor where processes are counted;
//! a component that could terminate needs all others; communication inside of a component is not looked
//! into. Where almost nothing is left out of the first states, nothing is left out at all; where no two of them are the
//! same in order, states are not put in order.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use linchpin_engine::{Budget, Ending, Limit, Plan, States, Stepper, search};
use linchpin_lts::{Label, LabelledSystem, Loading, Move, Renumber, Saving, TAU, Trouble};

use crate::footprint::{Footprint, Known};
use crate::futures::Futures;
use crate::joined::Joined;
use crate::labels::TICK;
use crate::network::{Fate, Map};
use crate::operations::{Operations, Role};
use crate::order::Order;
use crate::program::NodeKind;
use crate::steps::{Action, Spec, Step};
use crate::symmetry::{Renamer, Symmetry, Variants};
use crate::system::{Scratch, System};
use crate::touch::Steps;
use crate::value::Value;

/// After so many states it is known whether the reduction is worth its time: if one of so many steps is
/// left out.
const ENOUGH: u64 = 2_000;
const WORTH: usize = 50;

/// Local work is joined if there is some after one of so many steps: it is looked for after all of them.
const WORTH_JOINING: usize = 4;

/// What is worth its time.
struct Worth {
    order: bool,
    equal: bool,
    join: bool,
}

/// What must not be lost.
#[derive(Clone, Debug)]
pub enum Preserve {
    /// Everything: nothing is left out.
    Everything,
    /// States without steps.
    Ends,
    /// Visible traces, refusals, divergences.
    Traces,
    /// These events, and the values of these slots of variables and channels; `endless`: as long as no
    /// execution ends.
    Seen {
        /// Texts of labels.
        events: Vec<String>,
        /// Numbers of slots, from the first variable.
        slots: Vec<u32>,
        /// Are executions that end excepted?
        endless: bool,
    },
    /// Whether there is a visible trace that a specification does not allow for which these are
    /// operations ([`crate::Operations`]).
    Operations(Operations),
}

/// A process with some of its steps left out.
pub struct Reduced<'s> {
    pub(crate) system: &'s System,
    preserve: Preserve,
    /// Are states put in order?
    pub(crate) sorted: bool,
    /// Are processes that differ in an index told apart only by what belongs to them ([`crate::symmetry`])? For
    /// questions about states; pairs of a refinement are folded where they are made.
    pub(crate) folded: bool,
    /// That symmetry, if there is one and it may be used.
    pub(crate) symmetry: Option<Arc<Symmetry>>,
    /// Is local work taken together with the step before it ([`crate::joined`])?
    pub(crate) joined: bool,
    /// Where it begins, if not at the beginning.
    begin: Option<Vec<u32>>,
    order: Order,
    /// Was there a state without steps?
    ended: AtomicBool,
    /// Did processes start others?
    started: AtomicBool,
}

/// Steps of a state, kept until it is known which are left out.
#[derive(Default)]
struct Moves {
    /// Label, ends in the vectors below.
    list: Vec<(Label, usize, usize)>,
    by: Vec<u32>,
    states: Vec<u32>,
}

impl Moves {
    fn clear(&mut self) {
        self.list.clear();
        self.by.clear();
        self.states.clear();
    }

    fn push(&mut self, m: Move<'_>) {
        self.by.extend_from_slice(m.by);
        self.states.extend_from_slice(m.state);
        self.list.push((m.label, self.by.len(), self.states.len()));
    }

    fn get(&self, i: usize) -> Move<'_> {
        let (by, state) = if i == 0 { (0, 0) } else { (self.list[i - 1].1, self.list[i - 1].2) };
        let (label, by_end, state_end) = self.list[i];
        Move { label, by: &self.by[by..by_end], state: &self.states[state..state_end] }
    }
}

/// Memory of one worker.
pub struct ReducedScratch {
    pub(crate) inner: Scratch,
    futures: Futures,
    moves: Moves,
    /// By list.
    steps: Vec<Option<Arc<Steps>>>,
    /// What labels are, as far as it matters.
    seen: Map<Label, Role>,
    /// What each component may touch from now on.
    after: Vec<Arc<Footprint>>,
    /// Keys of terms, see [`Order`].
    keys: Vec<Option<Box<[u64]>>>,
    /// Which components have nothing to do with the others at the moment.
    separate: Vec<bool>,
    /// Which components can move, and which do what must not be left to others.
    moving: Vec<bool>,
    excluded: Vec<bool>,
    /// With whom the steps of a component have to do, if that was asked for.
    needs: Vec<Option<Vec<u32>>>,
    chosen: Vec<bool>,
    todo: Vec<usize>,
    best: Vec<bool>,
    /// A state in order, and what is known of renamed ones.
    form: Vec<u32>,
    variants: Variants,
    /// A state after local work, how many steps were given, and how many were joined with them.
    settled: Vec<u32>,
    given: usize,
    local: usize,
    /// Steps of states in which something could have been left out, and how many of them were.
    offered: usize,
    left_out: usize,
}

impl<'s> Reduced<'s> {
    /// The steps of a process that are enough, its states in order and local work joined if that is allowed. Whether they
    /// are worth it is found out now, within the limits.
    pub fn new(
        system: &'s System,
        preserve: Preserve,
        sorted: bool,
        joined: bool,
        budget: &Budget<'_>,
    ) -> Self {
        let preserve = match system.atomic || system.many || !system.counted.is_empty() {
            true => Preserve::Everything,
            false => preserve,
        };
        let order = Order::new(&system.program);
        let (ended, started) = (AtomicBool::new(false), AtomicBool::new(false));
        let begin = None;
        // What does not belong to the state is followed along an execution, step by step.
        let joined = joined
            && system.program.hidden.is_empty()
            && matches!(preserve, Preserve::Ends | Preserve::Seen { .. });
        let mut reduced = Reduced {
            system,
            preserve,
            sorted: false,
            folded: false,
            symmetry: None,
            joined,
            begin,
            order,
            ended,
            started,
        };
        if !matches!(reduced.preserve, Preserve::Everything) || sorted {
            let worth = reduced.is_worth_it(budget);
            reduced.sorted = sorted && worth.equal;
            reduced.joined = joined && worth.join;
            if !worth.order && !reduced.joined {
                reduced.preserve = Preserve::Everything;
            }
        }
        reduced
    }

    /// The same, but processes that differ in an index are not told apart, if there are any and none of these slots
    /// belongs to one of them: in states, or for whoever makes pairs of them.
    pub(crate) fn symmetric(mut self, slots: &[u32], in_states: bool) -> Self {
        if !self.sorted {
            let symmetry = Symmetry::of(self.system);
            self.symmetry = symmetry.filter(|s| s.is_common(slots)).map(Arc::new);
            self.folded = in_states && self.symmetry.is_some();
        }
        self
    }

    /// The same with all states told apart.
    pub(crate) fn unsorted(&self) -> Self {
        Reduced { sorted: false, folded: false, symmetry: None, ..self.beginning(None) }
    }

    /// Forgets the symmetry of two processes unless it is the same.
    pub(crate) fn only_with(&mut self, other: &mut Reduced<'_>) {
        let same = match (&self.symmetry, &other.symmetry) {
            (Some(one), Some(other)) => one.agrees(other),
            _ => false,
        };
        if !same {
            (self.symmetry, other.symmetry) = (None, None);
        }
    }

    /// The same, but it begins with another of its states.
    pub(crate) fn beginning_with(&self, state: Vec<u32>) -> Self {
        self.beginning(Some(state))
    }

    fn beginning(&self, begin: Option<Vec<u32>>) -> Self {
        let (ended, started) = (AtomicBool::new(false), AtomicBool::new(false));
        let (preserve, order) = (self.preserve.clone(), Order::new(&self.system.program));
        let Reduced { system, sorted, folded, joined, .. } = *self;
        let symmetry = self.symmetry.clone();
        Reduced { system, preserve, sorted, folded, symmetry, joined, begin, order, ended, started }
    }

    /// Is something left out of the first states, and are some of them the same in order? One worker looks at them, so
    /// it counts by itself.
    fn is_worth_it(&self, budget: &Budget<'_>) -> Worth {
        let (offered, left_out) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (given, local) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (forms, merged) = (Mutex::new(HashSet::new()), AtomicBool::new(false));
        let space = States::new(self, |state, stepper: &Stepper<'_, Self>| {
            offered.store(stepper.scratch().offered, Ordering::Relaxed);
            left_out.store(stepper.scratch().left_out, Ordering::Relaxed);
            given.store(stepper.scratch().given, Ordering::Relaxed);
            local.store(stepper.scratch().local, Ordering::Relaxed);
            if !merged.load(Ordering::Relaxed) {
                let mut form = state.to_vec();
                self.system.sort(&mut form).map_err(|trouble| *trouble)?;
                let new = forms.lock().unwrap_or_else(PoisonError::into_inner).insert(form);
                merged.store(!new, Ordering::Relaxed);
            }
            Ok(None::<()>)
        });
        let max_states = Some(budget.max_states.map_or(ENOUGH, |most| most.min(ENOUGH)));
        // Every process by itself: all come to the same.
        let few = Budget { workers: 1, max_states, keeper: None, peers: None, ..*budget };
        let order = match search(&space, Plan::default(), &few).0 {
            Ending::Stopped(Limit::States) => left_out.into_inner() * WORTH >= offered.into_inner(),
            // All was seen; or it is for the search to say what is in the way.
            _ => true,
        };
        let join = local.into_inner() * WORTH_JOINING >= given.into_inner();
        Worth { order, equal: merged.into_inner(), join }
    }

    /// Has something been lost, because executions end, or because there are other processes than at
    /// the beginning?
    pub(crate) fn is_spoilt(&self) -> bool {
        match &self.preserve {
            Preserve::Seen { endless, .. } => *endless && self.ended.load(Ordering::Relaxed),
            Preserve::Operations(_) => self.started.load(Ordering::Relaxed),
            _ => false,
        }
    }

    /// Is a step something that must not be lost?
    fn is_visible(&self, seen: &mut Map<Label, Role>, from: &[u32], step: Move<'_>) -> bool {
        match &self.preserve {
            Preserve::Everything => true,
            Preserve::Ends => false,
            Preserve::Traces => step.label != TAU,
            Preserve::Operations(operations) => {
                step.label != TAU && self.role(seen, operations, step.label) != Role::Response
            }
            Preserve::Seen { events, slots, .. } => {
                let event = step.label != TAU
                    && !events.is_empty()
                    && *seen.entry(step.label).or_insert_with(|| {
                        match events.contains(&self.system.label(step.label)) {
                            true => Role::Seen,
                            false => Role::Other,
                        }
                    }) != Role::Other;
                let (before, after) = (self.system.data(from), self.system.data(step.state));
                event || slots.iter().any(|&s| before[s as usize] != after[s as usize])
            }
        }
    }

    /// What a label is.
    fn role(&self, seen: &mut Map<Label, Role>, operations: &Operations, label: Label) -> Role {
        *seen.entry(label).or_insert_with(|| operations.role(&self.system.label(label)))
    }

    /// Does a step of a set of components count against the proviso?
    fn goes_back(&self, keys: &mut Vec<Option<Box<[u64]>>>, from: &[u32], step: Move<'_>) -> bool {
        let mut goes_back = |&c: &u32| {
            let [to, from] = [step.state, from].map(|state| state[1 + c as usize]);
            for term in [to, from] {
                if keys.len() <= term as usize {
                    keys.resize(term as usize + 1, None);
                }
                if keys[term as usize].is_none() {
                    keys[term as usize] = Some(self.order.key(&self.system.terms, term));
                }
            }
            keys[to as usize] <= keys[from as usize]
        };
        step.state[0] != from[0] || step.by.iter().any(&mut goes_back)
    }

    /// Finds out which components have nothing to do with the others at the moment, so that their
    /// invocations can be put off.
    fn find_separate(&self, scratch: &mut ReducedScratch, state: &[u32]) {
        self.look_ahead(scratch, state);
        scratch.separate.clear();
        for c in 0..scratch.after.len() {
            let steps = self.steps(scratch, c);
            let asks = self.system.asks(&scratch.inner, self.system.components(state)[c]);
            let mut others = scratch.after.iter().enumerate().filter(|(other, _)| *other != c);
            let separate = !steps.unclear
                && !asks
                && steps.puts.is_empty()
                && steps.takes.is_empty()
                && others.all(|(_, future)| !steps.touched.conflicts(future));
            scratch.separate.push(separate);
        }
    }

    /// Gives a step; an invocation together with what its process does next, if that is silent and
    /// nothing can prevent it.
    fn emit_with_next(
        &self,
        scratch: &mut ReducedScratch,
        operations: &Operations,
        from: &[u32],
        i: usize,
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        let ReducedScratch { inner, moves, seen, separate, .. } = scratch;
        let step = moves.get(i);
        let component = match *step.by {
            [c] if separate[c as usize] && step.state[0] == from[0] => c as usize,
            _ => {
                emit(step);
                return Ok(());
            }
        };
        if step.label == TAU || self.role(seen, operations, step.label) != Role::Invocation {
            emit(step);
            return Ok(());
        }
        let (mut next, mut ends) = (Vec::new(), vec![0]);
        self.system.successors(inner, step.state, &mut |m| {
            if m.by == step.by {
                next.extend_from_slice(m.state);
                ends.push(next.len());
            }
        })?;
        let free = |s: &Step| {
            let silent = matches!(&s.action, Action::Tau | Action::Event(Spec::Fixed(TAU), _));
            silent && s.guards.is_empty()
        };
        let (_, steps) = inner.steps(component);
        let asks = self.system.asks(inner, step.state[1 + component]);
        if asks || steps.is_empty() || !steps.iter().all(free) {
            emit(step);
            return Ok(());
        }
        for pair in ends.windows(2) {
            emit(Move { state: &next[pair[0]..pair[1]], ..step });
        }
        Ok(())
    }

    /// What each component may touch from now on.
    pub(crate) fn look_ahead(&self, scratch: &mut ReducedScratch, state: &[u32]) {
        scratch.after.clear();
        for &term in self.system.components(state) {
            let after = scratch.futures.term(self.system, term);
            scratch.after.push(after);
        }
    }

    /// Chooses components whose steps are enough, if there are any.
    fn choose(&self, scratch: &mut ReducedScratch, state: &[u32]) -> bool {
        let components = self.system.components(state);
        let count = scratch.moves.list.len();
        if components.len() < 2 || count < 2 {
            return false;
        }
        scratch.moving.clear();
        scratch.moving.resize(components.len(), false);
        scratch.excluded.clear();
        scratch.excluded.resize(components.len(), false);
        let ReducedScratch { moves, seen, keys, moving, excluded, .. } = scratch;
        for i in 0..count {
            let step = moves.get(i);
            let bad = self.is_visible(seen, state, step) || self.goes_back(keys, state, step);
            for &c in step.by {
                moving[c as usize] = true;
                excluded[c as usize] |= bad;
            }
        }
        let begins = |scratch: &ReducedScratch, c: usize| scratch.moving[c] && !scratch.excluded[c];
        if !(0..components.len()).any(|c| begins(scratch, c)) {
            return false;
        }
        self.look_ahead(scratch, state);
        scratch.needs.clear();
        scratch.needs.resize(components.len(), None);
        let mut fewest = count;
        for begin in 0..components.len() {
            if !begins(scratch, begin) || !self.grow(scratch, state, begin) {
                continue;
            }
            let count = scratch.chosen_moves();
            if count < fewest {
                fewest = count;
                scratch.best.clone_from(&scratch.chosen);
            }
            if count == 1 {
                break;
            }
        }
        scratch.offered += count;
        scratch.left_out += count - fewest;
        fewest < count
    }

    /// The components that must go on together with one; none if one of them is excluded, or if it is known
    /// that those that one of them needs are.
    fn grow(&self, scratch: &mut ReducedScratch, state: &[u32], begin: usize) -> bool {
        scratch.chosen.clear();
        scratch.chosen.resize(scratch.excluded.len(), false);
        scratch.join(begin);
        while let Some(component) = scratch.todo.pop() {
            if !scratch.excluded[component] && scratch.needs[component].is_none() {
                scratch.needs[component] = self.needs(scratch, state, component);
            }
            let needs = match scratch.needs[component].take() {
                Some(needs) if !scratch.excluded[component] => needs,
                _ => {
                    scratch.todo.clear();
                    scratch.excluded[component] = true;
                    scratch.excluded[begin] = true;
                    return false;
                }
            };
            needs.iter().for_each(|&c| scratch.join(c as usize));
            scratch.needs[component] = Some(needs);
        }
        true
    }

    /// The components that the steps of one have to do with, as far as that is known.
    pub(crate) fn needs(
        &self,
        scratch: &mut ReducedScratch,
        state: &[u32],
        component: usize,
    ) -> Option<Vec<u32>> {
        let steps = self.steps(scratch, component);
        if steps.unclear {
            return None;
        }
        let mut touched = steps.touched.clone();
        let data = self.system.data(state);
        let term = self.system.components(state)[component];
        if self.system.asks(&scratch.inner, term) {
            touched.union(&self.asked(scratch, term, data));
        }
        // Who waits at one end of a channel, or meets its partner there, has to do with both.
        let waits = |channel: &u32, put: bool| {
            let channel = &self.system.program.channels[*channel as usize];
            let full = if put { channel.size } else { 0 };
            channel.size == 0 || data[channel.base as usize] == full
        };
        let puts = steps.puts.iter().filter(|c| waits(c, true));
        let takes = steps.takes.iter().filter(|c| waits(c, false));
        puts.chain(takes).for_each(|channel| touched.both_ends(*channel));
        let conflicts = scratch.after.iter().enumerate().filter(|(_, f)| touched.conflicts(f));
        let mut needs: Vec<u32> = conflicts.map(|(c, _)| c as u32).collect();
        let network = self.system.network(state[0]);
        for &label in &steps.labels {
            if network.fate(component, label) == Fate::Together {
                needs.extend(network.partners(&self.system.terms, component, label));
            }
        }
        needs.sort_unstable();
        needs.dedup();
        Some(needs)
    }

    /// What is read to know which steps a component has.
    fn asked(&self, scratch: &mut ReducedScratch, term: u32, data: &[u32]) -> Footprint {
        let mut touched = Footprint::default();
        self.system.asked(&scratch.inner, term, data, &mut |node, env| {
            let env: Vec<Option<Value>> = env.iter().map(|v| Some(*v)).collect();
            let known =
                Known { program: &self.system.program, layout: &scratch.futures.layout, env: &env };
            match &self.system.program.nodes[node as usize].kind {
                NodeKind::Call(_, arguments, _) => {
                    arguments.iter().for_each(|e| known.expr(e, &mut touched));
                }
                NodeKind::Guard(e, _) | NodeKind::IfAtomic(e, ..) => known.expr(e, &mut touched),
                _ => {}
            }
        });
        touched
    }

    /// What is known about the steps of a component.
    fn steps(&self, scratch: &mut ReducedScratch, component: usize) -> Arc<Steps> {
        let (list, steps) = scratch.inner.steps(component);
        if let Some(Some(known)) = scratch.steps.get(list as usize) {
            return known.clone();
        }
        let all = Steps::of(&self.system.program, &scratch.futures.layout, steps);
        if scratch.steps.len() <= list as usize {
            scratch.steps.resize(list as usize + 1, None);
        }
        let all = Arc::new(all);
        scratch.steps[list as usize] = Some(all.clone());
        all
    }
}

impl ReducedScratch {
    /// How many steps the chosen components have.
    fn chosen_moves(&self) -> usize {
        let chosen = |&i: &usize| self.moves.get(i).by.iter().any(|&c| self.chosen[c as usize]);
        (0..self.moves.list.len()).filter(chosen).count()
    }

    /// Adds a component.
    fn join(&mut self, component: usize) {
        if !std::mem::replace(&mut self.chosen[component], true) {
            self.todo.push(component);
        }
    }
}

impl LabelledSystem for Reduced<'_> {
    type Scratch = ReducedScratch;

    fn scratch(&self) -> ReducedScratch {
        ReducedScratch {
            inner: self.system.scratch(),
            futures: Futures::new(&self.system.program),
            moves: Moves::default(),
            steps: Vec::new(),
            seen: Map::default(),
            after: Vec::new(),
            keys: Vec::new(),
            separate: Vec::new(),
            moving: Vec::new(),
            excluded: Vec::new(),
            needs: Vec::new(),
            chosen: Vec::new(),
            todo: Vec::new(),
            best: Vec::new(),
            form: Vec::new(),
            variants: Variants::default(),
            settled: Vec::new(),
            given: 0,
            local: 0,
            offered: 0,
            left_out: 0,
        }
    }

    fn width(&self) -> usize {
        self.system.width()
    }

    fn initial(&self, scratch: &mut ReducedScratch) -> Result<Vec<u32>, Trouble> {
        if let Some(state) = &self.begin {
            return Ok(state.clone());
        }
        let mut state = self.system.initial(&mut scratch.inner)?;
        if self.sorted {
            self.system.sort(&mut state).map_err(|trouble| *trouble)?;
        }
        Ok(state)
    }

    fn successors(
        &self,
        scratch: &mut ReducedScratch,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        let symmetry = self.symmetry.as_deref().filter(|_| self.folded);
        if !self.sorted && symmetry.is_none() {
            return self.settled(scratch, state, emit);
        }
        let mut form = std::mem::take(&mut scratch.form);
        let variants = std::mem::take(&mut scratch.variants);
        let mut renamer = symmetry.map(|s| Renamer::new(self.system, s, variants));
        let mut result = Ok(());
        let enough = self.settled(scratch, state, &mut |m| {
            form.clear();
            form.extend_from_slice(m.state);
            let standing = match &mut renamer {
                Some(renamer) => renamer.fold(&mut form).map(|_| ()),
                None => self.system.sort(&mut form),
            };
            match standing {
                Ok(()) => emit(Move { state: &form, ..m }),
                Err(trouble) => result = Err(*trouble),
            }
        });
        scratch.form = form;
        if let Some(renamer) = renamer {
            scratch.variants = renamer.variants;
        }
        enough.and(result)
    }

    fn hash(&self, scratch: &mut ReducedScratch, state: &[u32]) -> Option<u64> {
        self.system.hash(&mut scratch.inner, state)
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        for noticed in [&self.ended, &self.started] {
            out.number(u32::from(noticed.load(Ordering::Relaxed)))?;
        }
        self.system.save(out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        for noticed in [&self.ended, &self.started] {
            noticed.fetch_or(from.number::<u32>()? != 0, Ordering::Relaxed);
        }
        self.system.load(from)
    }

    fn label(&self, label: Label) -> String {
        self.system.label(label)
    }
}

impl Reduced<'_> {
    /// Is a step something that must not be lost, or does it lead back?
    pub(crate) fn must_be_seen(
        &self,
        scratch: &mut ReducedScratch,
        from: &[u32],
        (label, component, state): &Joined,
    ) -> bool {
        let step = Move { label: *label, by: std::slice::from_ref(component), state };
        self.is_visible(&mut scratch.seen, from, step)
            || self.goes_back(&mut scratch.keys, from, step)
    }

    /// Gives the steps that are enough, each with the local work after it.
    fn settled(
        &self,
        scratch: &mut ReducedScratch,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        if !self.joined {
            return self.enough(scratch, state, emit);
        }
        let mut given = Moves::default();
        self.enough(scratch, state, &mut |m| given.push(m))?;
        let mut settled = std::mem::take(&mut scratch.settled);
        for i in 0..given.list.len() {
            let step = given.get(i);
            scratch.given += 1;
            settled.clear();
            settled.extend_from_slice(step.state);
            if let [component] = *step.by
                && step.state[0] == state[0]
            {
                let mut local = 0;
                self.join(scratch, &mut settled, component, &mut |_| local += 1);
                scratch.local += local;
            }
            emit(Move { state: &settled, ..step });
        }
        scratch.settled = settled;
        Ok(())
    }

    /// Pushes the steps that are enough, to states that are not put in order.
    fn enough(
        &self,
        scratch: &mut ReducedScratch,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        if matches!(self.preserve, Preserve::Everything) {
            return self.system.successors(&mut scratch.inner, state, emit);
        }
        let operations = matches!(self.preserve, Preserve::Operations(_));
        if self.system.components(state).len() < 2 && !operations {
            // There is nothing to choose from.
            let mut some = false;
            self.system.successors(&mut scratch.inner, state, &mut |m| {
                some = true;
                if m.state[0] != state[0] && m.label != TICK {
                    self.started.store(true, Ordering::Relaxed);
                }
                emit(m);
            })?;
            if !some {
                self.ended.store(true, Ordering::Relaxed);
            }
            return Ok(());
        }
        let mut moves = std::mem::take(&mut scratch.moves);
        moves.clear();
        let result = self.system.successors(&mut scratch.inner, state, &mut |m| {
            if m.state[0] != state[0] && m.label != TICK {
                self.started.store(true, Ordering::Relaxed);
            }
            moves.push(m);
        });
        scratch.moves = moves;
        result?;
        if scratch.moves.list.is_empty() {
            self.ended.store(true, Ordering::Relaxed);
        }
        let some = self.choose(scratch, state);
        if matches!(self.preserve, Preserve::Operations(_)) {
            self.find_separate(scratch, state);
        }
        for i in 0..scratch.moves.list.len() {
            let step = scratch.moves.get(i);
            if !some || step.by.iter().any(|&c| scratch.best[c as usize]) {
                match &self.preserve {
                    Preserve::Operations(operations) => {
                        self.emit_with_next(scratch, operations, state, i, emit)?;
                    }
                    _ => emit(step),
                }
            }
        }
        Ok(())
    }
}
