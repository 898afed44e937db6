//! A process with some of its steps left out: partial order reduction.
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
//!   ([`linchpin_ltl::silence`]; in addition no step of the set is an event of the formula or changes what a condition reads).
//!
//! **Proviso**, so that nothing is put off for ever: no step of the set leads a component to a term
//! with the same or a smaller number, or changes the structure. On a cycle of states every component
//! that moves takes such a step, so everything is done at some state of the cycle. That is R. Kurshan
//! and others, *Static partial order reduction*, TACAS 1998, with terms, numbered as they are found,
//! instead of the points of a program; it depends on the state only, so any order of search will do.
//! It also sees to it that a model that goes wrong does so here.
//!
//! Departures: where something is `atomic`, nothing is left out, because such steps go before others;
//! a component that could terminate needs all others; communication inside of a component is not looked
//! into.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linchpin_lts::{Label, LabelledSystem, Move, TAU, Trouble};

use crate::footprint::{Footprint, Known};
use crate::futures::Futures;
use crate::network::Fate;
use crate::program::{Expr, NodeId, NodeKind, Port};
use crate::steps::{Action, Guard, Spec, Step, condition};
use crate::system::{Scratch, System};
use crate::term::Env;
use crate::value::Value;

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
}

/// A process with some of its steps left out.
pub struct Reduced<'s> {
    pub(crate) system: &'s System,
    preserve: Preserve,
    /// Was there a state without steps?
    ended: AtomicBool,
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

    fn get(&self, i: usize) -> Move<'_> {
        let (by, state) = if i == 0 { (0, 0) } else { (self.list[i - 1].1, self.list[i - 1].2) };
        let (label, by_end, state_end) = self.list[i];
        Move { label, by: &self.by[by..by_end], state: &self.states[state..state_end] }
    }
}

/// Memory of one worker.
pub struct ReducedScratch {
    inner: Scratch,
    futures: Futures,
    moves: Moves,
    /// What steps touch, by list and step, if a state does not tell more.
    touched: HashMap<(u32, u32), Option<Arc<Footprint>>>,
    /// Which labels are events that must not be lost.
    seen: HashMap<Label, bool>,
    /// What each component may touch from now on.
    after: Vec<Arc<Footprint>>,
    asked: Vec<(NodeId, Arc<Env>)>,
    chosen: Vec<bool>,
    todo: Vec<usize>,
    best: Vec<bool>,
    env: Vec<Option<Value>>,
}

impl<'s> Reduced<'s> {
    /// The steps of a process that are enough.
    pub fn new(system: &'s System, preserve: Preserve) -> Self {
        let preserve = if system.atomic { Preserve::Everything } else { preserve };
        Reduced { system, preserve, ended: AtomicBool::new(false) }
    }

    /// Has something been lost, because executions end?
    pub(crate) fn is_spoilt(&self) -> bool {
        matches!(self.preserve, Preserve::Seen { endless: true, .. })
            && self.ended.load(Ordering::Relaxed)
    }

    /// Is a step something that must not be lost?
    fn is_visible(&self, seen: &mut HashMap<Label, bool>, from: &[u32], step: Move<'_>) -> bool {
        match &self.preserve {
            Preserve::Everything => true,
            Preserve::Ends => false,
            Preserve::Traces => step.label != TAU,
            Preserve::Seen { events, slots, .. } => {
                let event = step.label != TAU
                    && !events.is_empty()
                    && *seen
                        .entry(step.label)
                        .or_insert_with(|| events.contains(&self.system.label(step.label)));
                let (before, after) = (self.system.data(from), self.system.data(step.state));
                event || slots.iter().any(|&s| before[s as usize] != after[s as usize])
            }
        }
    }

    /// Does a step of a set of components count against the proviso?
    fn goes_back(&self, from: &[u32], step: Move<'_>) -> bool {
        let goes_back = |&c: &u32| step.state[1 + c as usize] <= from[1 + c as usize];
        step.state[0] != from[0] || step.by.iter().any(goes_back)
    }

    /// Chooses components whose steps are enough, if there are any.
    fn choose(&self, scratch: &mut ReducedScratch, state: &[u32]) -> bool {
        let components = self.system.components(state);
        if components.len() < 2 || scratch.moves.list.len() < 2 {
            return false;
        }
        // A component with a step that must not be left out of the others is no beginning.
        let mut begins = vec![false; components.len()];
        let mut excluded = vec![false; components.len()];
        for i in 0..scratch.moves.list.len() {
            let step = scratch.moves.get(i);
            let bad =
                self.is_visible(&mut scratch.seen, state, step) || self.goes_back(state, step);
            for &c in step.by {
                begins[c as usize] = true;
                excluded[c as usize] |= bad;
            }
        }
        if (0..components.len()).all(|c| excluded[c] || !begins[c]) {
            return false;
        }
        scratch.after.clear();
        {
            let terms = self.system.terms();
            for &term in components {
                let after = scratch.futures.term(&self.system.program, &terms, term);
                scratch.after.push(after);
            }
        }
        let mut fewest = scratch.moves.list.len();
        for begin in 0..components.len() {
            if !begins[begin] || excluded[begin] || !self.grow(scratch, state, begin, &excluded) {
                continue;
            }
            let count = scratch.chosen_moves().count();
            if count < fewest {
                fewest = count;
                scratch.best.clone_from(&scratch.chosen);
            }
            if count == 1 {
                break;
            }
        }
        fewest < scratch.moves.list.len()
    }

    /// The components that must go on together with one; none if one of them is excluded.
    fn grow(
        &self,
        scratch: &mut ReducedScratch,
        state: &[u32],
        begin: usize,
        excluded: &[bool],
    ) -> bool {
        scratch.chosen.clear();
        scratch.chosen.resize(excluded.len(), false);
        scratch.chosen[begin] = true;
        scratch.todo.clear();
        scratch.todo.push(begin);
        while let Some(component) = scratch.todo.pop() {
            if excluded[component] || !self.add(scratch, state, component) {
                return false;
            }
        }
        true
    }

    /// Adds the components that the steps of one have to do with.
    fn add(&self, scratch: &mut ReducedScratch, state: &[u32], component: usize) -> bool {
        let data = self.system.data(state);
        let term = self.system.components(state)[component];
        let mut asked = std::mem::take(&mut scratch.asked);
        self.system.asked(&scratch.inner, term, data, &mut asked);
        let mut touched = Footprint::default();
        for (node, env) in &asked {
            let exprs = self.asked_exprs(*node);
            let env: Vec<Option<Value>> = env.iter().map(|v| Some(*v)).collect();
            let known = self.known(&scratch.futures, &env, Some(data));
            exprs.iter().for_each(|e| {
                known.expr(e, None, &mut touched);
            });
        }
        scratch.asked = asked;
        scratch.need(&touched);
        let (list, steps) = scratch.inner.steps(component);
        for i in 0..steps.len() {
            let (_, steps) = scratch.inner.steps(component);
            let step = &steps[i];
            let network = scratch.inner.network(state[0]);
            match &step.action {
                Action::Tick | Action::Communicate(..) => return false,
                Action::Event(spec, None) if !network.is_free(component) => {
                    let Spec::Fixed(label) = spec else { return false };
                    if let Fate::Together(meeting) = network.fate(component, *label) {
                        let who = network.meeting(meeting).alternatives.iter();
                        let who: Vec<u32> = who
                            .filter(|(who, _)| who.contains(&(component as u32)))
                            .flat_map(|(who, _)| who.iter().copied())
                            .collect();
                        scratch.join(who);
                    }
                }
                _ => {}
            }
            let key = (list, i as u32);
            match scratch.touched.get(&key) {
                Some(Some(known)) => {
                    let known = known.clone();
                    scratch.need(&known);
                    continue;
                }
                Some(None) => {}
                None => {
                    let (_, steps) = scratch.inner.steps(component);
                    let mut to = Footprint::default();
                    let mut env = std::mem::take(&mut scratch.env);
                    let open = self.touched(&scratch.futures, &steps[i], None, &mut env, &mut to);
                    scratch.env = env;
                    scratch.touched.insert(key, (!open).then(|| Arc::new(to.clone())));
                    if !open {
                        scratch.need(&to);
                        continue;
                    }
                }
            }
            let (_, steps) = scratch.inner.steps(component);
            let mut to = Footprint::default();
            let mut env = std::mem::take(&mut scratch.env);
            self.touched(&scratch.futures, &steps[i], Some(data), &mut env, &mut to);
            scratch.env = env;
            scratch.need(&to);
        }
        true
    }

    fn asked_exprs(&self, node: NodeId) -> Vec<&Expr> {
        match &self.system.program.nodes[node as usize].kind {
            NodeKind::Call(_, arguments, _) => arguments.iter().collect(),
            NodeKind::Guard(e, _) | NodeKind::IfAtomic(e, ..) => vec![e],
            _ => Vec::new(),
        }
    }

    fn known<'a>(
        &'a self,
        futures: &'a Futures,
        env: &'a [Option<Value>],
        data: Option<&'a [u32]>,
    ) -> Known<'a> {
        Known { program: &self.system.program, layout: &futures.layout, env, data }
    }

    /// What a step touches, possible or not; whether a state would tell more.
    fn touched(
        &self,
        futures: &Futures,
        step: &Step,
        data: Option<&[u32]>,
        env: &mut Vec<Option<Value>>,
        to: &mut Footprint,
    ) -> bool {
        let program = &*self.system.program;
        let mut open = false;
        let mut with = |values: &[Value], look: &mut dyn FnMut(Known<'_>) -> bool| {
            env.clear();
            env.extend(values.iter().map(|v| Some(*v)));
            open |= look(self.known(futures, env, data));
        };
        for guard in &step.guards {
            match guard {
                Guard::Condition(node, which, env, _) => {
                    with(env, &mut |known| known.expr(condition(program, *node, *which), None, to))
                }
                Guard::Named(spec, ..) | Guard::Is(spec, _) => {
                    let (node, env) = match spec {
                        Spec::Fixed(_) => continue,
                        Spec::Event(node, env) | Spec::Communication(node, env) => (node, env),
                    };
                    with(env, &mut |known| name(known, *node, to));
                }
            }
        }
        match &step.action {
            Action::Tau | Action::Tick | Action::Fault(_) | Action::Communicate(..) => {}
            Action::Event(spec, code) => {
                if let Spec::Event(node, env) | Spec::Communication(node, env) = spec {
                    with(env, &mut |known| name(known, *node, to));
                }
                if let Some((node, env)) = code
                    && let NodeKind::Prefix(_, Some(code), _) = &program.nodes[*node as usize].kind
                {
                    with(env, &mut |known| known.code(code, to));
                }
            }
            Action::Send(node, env) => {
                let NodeKind::Send(port, values, code, _) = &program.nodes[*node as usize].kind
                else {
                    return true;
                };
                with(env, &mut |known| {
                    let mut open = known.index(port, to);
                    values.iter().for_each(|e| open |= known.expr(e, None, to));
                    if let Some(code) = code {
                        open |= known.code(code, to);
                    }
                    open |= known.port(port, &mut to.puts);
                    self.ends(port, data, |messages, size| messages == size, to);
                    open
                });
                open = true;
            }
            Action::Receive(node, env) => {
                let NodeKind::Receive(port, guard, patterns, code, next) =
                    &program.nodes[*node as usize].kind
                else {
                    return true;
                };
                // What comes in is not known.
                let scope = program.nodes[*next as usize].scope as usize;
                with(env, &mut |known| {
                    let mut open = known.index(port, to) | known.port(port, &mut to.takes);
                    let mut wide = known.env.to_vec();
                    wide.resize(scope.max(wide.len()), None);
                    for pattern in patterns {
                        if let crate::program::Pattern::Bind(place) = pattern {
                            wide[*place as usize] = None;
                        }
                    }
                    let wide = Known { env: &wide, ..known };
                    open |= wide.patterns(patterns, guard.as_ref(), to);
                    if let Some(code) = code {
                        open |= wide.code(code, to);
                    }
                    self.ends(port, data, |messages, _| messages == 0, to);
                    open
                });
                open = true;
            }
        }
        open
    }

    /// A step that waits at a channel, or meets its partner there, has to do with both ends of it.
    fn ends(
        &self,
        port: &Port,
        data: Option<&[u32]>,
        blocked: impl Fn(u32, u32) -> bool,
        to: &mut Footprint,
    ) {
        for number in port.first..port.first + port.count {
            let channel = &self.system.program.channels[number as usize];
            let both = match data {
                Some(data) if channel.size > 0 => {
                    blocked(data[channel.base as usize], channel.size)
                }
                _ => true,
            };
            if both && (to.puts.contains(number) || to.takes.contains(number)) {
                to.block(number);
            }
        }
    }
}

/// What the name of an event or of a communication touches.
fn name(known: Known<'_>, node: NodeId, to: &mut Footprint) -> bool {
    let mut open = false;
    match &known.program.nodes[node as usize].kind {
        NodeKind::Prefix(event, ..) => {
            event.parts.iter().for_each(|e| open |= known.expr(e, None, to));
        }
        NodeKind::Send(port, values, ..) => {
            open = known.index(port, to);
            values.iter().for_each(|e| open |= known.expr(e, None, to));
        }
        _ => {}
    }
    open
}

impl ReducedScratch {
    /// The steps of the chosen components.
    fn chosen_moves(&self) -> impl Iterator<Item = usize> {
        let chosen = |&i: &usize| self.moves.get(i).by.iter().any(|&c| self.chosen[c as usize]);
        (0..self.moves.list.len()).filter(chosen)
    }

    /// Adds the components whose future conflicts with this.
    fn need(&mut self, touched: &Footprint) {
        for c in 0..self.after.len() {
            if !self.chosen[c] && touched.conflicts(&self.after[c]) {
                self.chosen[c] = true;
                self.todo.push(c);
            }
        }
    }

    /// Adds components.
    fn join(&mut self, who: Vec<u32>) {
        for c in who {
            if !std::mem::replace(&mut self.chosen[c as usize], true) {
                self.todo.push(c as usize);
            }
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
            touched: HashMap::new(),
            seen: HashMap::new(),
            after: Vec::new(),
            asked: Vec::new(),
            chosen: Vec::new(),
            todo: Vec::new(),
            best: Vec::new(),
            env: Vec::new(),
        }
    }

    fn width(&self) -> usize {
        self.system.width()
    }

    fn initial(&self, scratch: &mut ReducedScratch) -> Result<Vec<u32>, Trouble> {
        self.system.initial(&mut scratch.inner)
    }

    fn successors(
        &self,
        scratch: &mut ReducedScratch,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        if matches!(self.preserve, Preserve::Everything) {
            return self.system.successors(&mut scratch.inner, state, emit);
        }
        let mut moves = std::mem::take(&mut scratch.moves);
        moves.clear();
        let result = self.system.successors(&mut scratch.inner, state, &mut |m| {
            moves.by.extend_from_slice(m.by);
            moves.states.extend_from_slice(m.state);
            moves.list.push((m.label, moves.by.len(), moves.states.len()));
        });
        scratch.moves = moves;
        result?;
        if scratch.moves.list.is_empty() {
            self.ended.store(true, Ordering::Relaxed);
        }
        let some = self.choose(scratch, state);
        for i in 0..scratch.moves.list.len() {
            let step = scratch.moves.get(i);
            if !some || step.by.iter().any(|&c| scratch.best[c as usize]) {
                emit(step);
            }
        }
        Ok(())
    }

    fn label(&self, label: Label) -> String {
        self.system.label(label)
    }
}
