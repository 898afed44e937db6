//! A process of a model as a labelled system.
//!
//! A state is the number of its parallel structure, a slot for each component (its term), the
//! variables, the buffers of the channels. When components start others, the structure and with it the
//! number of slots changes. Terms and structures are interned in the system; the steps of a term are
//! compiled once per worker, so that a step costs the evaluation of its guards, its program and a copy
//! of the state.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linchpin_lts::{Label, LabelledSystem, Move, Trouble};
use linchpin_model::Span;

use crate::eval::{Evaluated, Reader};
use crate::expand::Expander;
use crate::footprint::{Footprint, Known as Looking, Layout};
use crate::network::{Network, shape};
use crate::program::{DefId, Expr, NodeId, NodeKind, Program};
use crate::steps::{BROKEN, Halt, Step, steps, too_large};
use crate::term::{DONE, Env, Term, TermId, Terms};
use crate::value::{self, Value, to_slot};
use crate::worker::{Work, Worker};

/// Slots of a state.
type Slots = Box<[u32]>;

/// A process as a labelled system.
pub struct System {
    pub(crate) program: Arc<Program>,
    terms: Mutex<Terms>,
    networks: Mutex<Networks>,
    initial: Vec<u32>,
    /// Slots of variables and channels.
    width: usize,
    /// Are there steps that go before others?
    pub(crate) atomic: bool,
    /// The values that variables declared with `hvar` had when a state was first reached; by the rest
    /// of the state. As in PAT they do not make two states of one.
    hidden: Mutex<HashMap<Slots, Slots>>,
}

/// Structures seen so far.
#[derive(Default)]
struct Networks {
    list: Vec<Arc<Network>>,
    map: HashMap<Vec<u32>, u32>,
    /// The most components that a structure may have.
    most: usize,
}

/// A step that was found.
pub(crate) struct Found<'a> {
    pub(crate) label: Label,
    pub(crate) by: &'a [u32],
    pub(crate) state: &'a [u32],
    /// Where it is written.
    pub(crate) nodes: &'a [NodeId],
}

/// What is known about a term.
#[derive(Clone, Debug)]
enum Known {
    Nothing,
    /// The number of its list of steps.
    Steps(u32),
    /// The next call whose arguments depend on variables.
    Call(NodeId, Arc<Env>),
}

/// Memory of one worker.
pub struct Scratch {
    /// By term.
    known: Vec<Known>,
    /// By term and the arguments of calls so far.
    staged: HashMap<(TermId, Box<[Value]>), Known>,
    compiled: Vec<Box<[Step]>>,
    networks: Vec<Arc<Network>>,
    work: Work,
}

impl Scratch {
    /// The steps that a component may have in the state that was looked at last, whether or not they
    /// were possible, and the number of their list.
    pub(crate) fn steps(&self, component: usize) -> (u32, &[Step]) {
        let list = self.work.lists[component];
        (list, &self.compiled[list as usize])
    }

    /// The structure of a state that was looked at.
    pub(crate) fn network(&self, number: u32) -> &Network {
        &self.networks[number as usize]
    }
}

/// The most components that processes may start.
const MAX_COMPONENTS: usize = 256;

/// The most rounds of calls that call others at once.
const MAX_STAGES: usize = 64;

impl System {
    /// The system of a process with arguments.
    pub(crate) fn new(
        program: Arc<Program>,
        definition: DefId,
        arguments: &[Value],
    ) -> Result<System, Trouble> {
        let mut terms = Terms::new();
        let mut data: Vec<u32> = program.initial.iter().map(|&v| to_slot(v)).collect();
        for channel in program.channels.iter().filter(|c| c.size > 0) {
            data.resize(data.len() + 1 + (channel.size * channel.width) as usize, 0);
        }
        let span = program.definitions[definition as usize].span;
        let mut root = Expander::new(&program, &mut terms)
            .call(definition, arguments, span)
            .map_err(|t| *t)?;
        // Nothing can change the variables before the first step.
        for _ in 0..MAX_STAGES {
            let Term::Leaf(node, env) = terms.get(root).clone() else { break };
            let NodeKind::Call(definition, arguments, true) = &program.nodes[node as usize].kind
            else {
                break;
            };
            let reader = Reader { program: &program, data: &data, env: &env };
            let values = arguments.iter().map(|e| reader.value(e)).collect::<Result<Vec<_>, _>>();
            let values = values.map_err(|t| *t)?;
            root = Expander::new(&program, &mut terms)
                .call(*definition, &values, program.nodes[node as usize].span)
                .map_err(|t| *t)?;
        }
        let atomic = program.nodes.iter().any(|n| matches!(n.kind, NodeKind::Atomic(_)));
        let mut system = System {
            program,
            terms: Mutex::new(terms),
            networks: Mutex::new(Networks { most: usize::MAX, ..Networks::default() }),
            initial: Vec::new(),
            width: data.len(),
            atomic,
            hidden: Mutex::new(HashMap::new()),
        };
        let mut initial = Vec::new();
        system.place(root, &mut initial).map_err(|t| *t)?;
        system.networks().most = MAX_COMPONENTS.max(initial.len());
        initial.extend(data);
        system.settle(&mut initial);
        system.initial = initial;
        Ok(system)
    }

    fn networks(&self) -> MutexGuard<'_, Networks> {
        self.networks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends the structure of a term and its components.
    fn place(&self, root: TermId, state: &mut Vec<u32>) -> Evaluated<()> {
        let terms = self.terms();
        let mut networks = self.networks();
        let (mut key, mut components) = (Vec::new(), Vec::new());
        shape(&terms, root, &mut key, &mut components);
        if components.len() > networks.most {
            return Err(Box::new(too_large()));
        }
        let number = match networks.map.get(&key) {
            Some(number) => *number,
            None => {
                let network = Network::new(&terms, root)?;
                networks.list.push(Arc::new(network));
                let number = networks.list.len() as u32 - 1;
                networks.map.insert(key, number);
                number
            }
        };
        state.push(number);
        state.extend(components);
        Ok(())
    }

    /// Gives a state the structure that its components have now.
    pub(crate) fn restructure(&self, network: &Network, state: &mut Vec<u32>) -> Evaluated<()> {
        let n = network.len();
        let root = network.term(&mut self.terms(), &state[1..=n]);
        let mut new = Vec::new();
        self.place(root, &mut new)?;
        new.extend_from_slice(&state[1 + n..]);
        *state = new;
        Ok(())
    }

    pub(crate) fn terms(&self) -> MutexGuard<'_, Terms> {
        self.terms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The variables and channels of a state.
    pub(crate) fn data<'s>(&self, state: &'s [u32]) -> &'s [u32] {
        &state[state.len() - self.width..]
    }

    /// The slots of variables and channels that expressions may read.
    pub(crate) fn slots<'e>(&self, read: impl IntoIterator<Item = &'e Expr>) -> Vec<u32> {
        let layout = Layout::new(&self.program);
        let known = Looking { program: &self.program, layout: &layout, env: &[] };
        let mut touched = Footprint::default();
        read.into_iter().for_each(|e| known.expr(e, &mut touched));
        let variables = 0..self.program.initial.len() as u32;
        let mut slots: Vec<u32> =
            variables.filter(|&slot| touched.reads.contains(layout.cell(slot))).collect();
        for (number, channel) in self.program.channels.iter().enumerate() {
            if channel.size > 0 && touched.looks.contains(number as u32) {
                slots.extend(channel.base..=channel.base + channel.size * channel.width);
            }
        }
        slots
    }

    /// The terms of the components of a state.
    pub(crate) fn components<'s>(&self, state: &'s [u32]) -> &'s [u32] {
        &state[1..state.len() - self.width]
    }

    /// The program it is a process of.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// How many control states have been seen.
    pub fn terms_seen(&self) -> usize {
        self.terms().len()
    }

    /// Has everything terminated, and is not just stuck?
    pub fn is_terminated(&self, state: &[u32]) -> bool {
        self.components(state).iter().all(|&t| t == DONE)
    }

    /// The structure of a number.
    pub(crate) fn network(&self, number: u32) -> Arc<Network> {
        self.networks().list[number as usize].clone()
    }

    /// Does a structure hide or share events of this name?
    pub(crate) fn mentions(&self, number: u32, name: &str) -> bool {
        let terms = self.terms();
        let is = |label: &Label| terms.labels.text(*label).split('.').next() == Some(name);
        self.network(number).labels().any(|label| is(&label))
    }

    /// Gives a state the form in which equal processes side by side are in order.
    pub(crate) fn sort_equal(&self, state: &mut [u32]) {
        let network = self.network(state[0]);
        let end = state.len() - self.width;
        network.sort_equal(&mut state[1..end]);
    }

    /// The label of a text, if a step may have it.
    pub fn label_of(&self, text: &str) -> Option<Label> {
        self.terms().labels.find(text)
    }

    /// Where the step from one state to another with a label is written.
    pub fn places(
        &self,
        scratch: &mut Scratch,
        from: &[u32],
        label: Label,
        to: &[u32],
    ) -> Result<Vec<Span>, Trouble> {
        let mut spans = Vec::new();
        self.each(scratch, from, &mut |found| {
            if spans.is_empty() && found.label == label && found.state == to {
                spans = found.nodes.iter().map(|&n| self.written(n)).collect();
            }
        })
        .map_err(|t| *t)?;
        Ok(spans)
    }

    /// Where a node is written: of a prefix, its event.
    pub(crate) fn written(&self, node: NodeId) -> Span {
        let node = &self.program.nodes[node as usize];
        match &node.kind {
            NodeKind::Prefix(event, ..) => event.span,
            NodeKind::Send(port, ..) | NodeKind::Receive(port, ..) => port.span,
            _ => node.span,
        }
    }

    /// The number of the list of steps of a component's term.
    fn list(&self, scratch: &mut Scratch, term: TermId, data: &[u32]) -> Evaluated<u32> {
        if term as usize >= scratch.known.len() {
            scratch.known.resize(term as usize + 1, Known::Nothing);
        }
        match scratch.known[term as usize] {
            Known::Steps(list) => return Ok(list),
            Known::Nothing => {
                scratch.known[term as usize] = self.compile(scratch, term, &[])?;
                return self.list(scratch, term, data);
            }
            Known::Call(..) => {}
        }
        let mut known = scratch.known[term as usize].clone();
        let mut key: Vec<Value> = Vec::new();
        for _ in 0..MAX_STAGES {
            match known {
                Known::Steps(list) => return Ok(list),
                Known::Call(node, env) => self.arguments(node, &env, data, &mut key),
                Known::Nothing => break,
            }
            known = match scratch.staged.get(&(term, key.as_slice().into())) {
                Some(known) => known.clone(),
                None => {
                    let known = self.compile(scratch, term, &key)?;
                    scratch.staged.insert((term, key.as_slice().into()), known.clone());
                    known
                }
            };
        }
        let message = "processes call each other without end".to_string();
        Err(Box::new(Trouble { message, at: None }))
    }

    /// Do the steps of a component's term depend on variables themselves?
    pub(crate) fn asks(&self, scratch: &Scratch, term: TermId) -> bool {
        matches!(scratch.known.get(term as usize), Some(Known::Call(..)))
    }

    /// The calls and conditions of a component's term on whose values its steps depend now.
    pub(crate) fn asked(
        &self,
        scratch: &Scratch,
        term: TermId,
        data: &[u32],
        look: &mut dyn FnMut(NodeId, &[Value]),
    ) {
        let mut key: Vec<Value> = Vec::new();
        let mut known = scratch.known.get(term as usize);
        while let Some(Known::Call(node, env)) = known {
            look(*node, env);
            self.arguments(*node, env, data, &mut key);
            known = scratch.staged.get(&(term, key.as_slice().into()));
        }
    }

    /// Adds the arguments of a call, or the value of a condition, to a key.
    fn arguments(&self, node: NodeId, env: &[Value], data: &[u32], key: &mut Vec<Value>) {
        let reader = Reader { program: &self.program, data, env };
        let start = key.len();
        let mut add = |value: Evaluated<Value>| match value {
            Ok(v) => {
                key.push(v);
                true
            }
            Err(trouble) => {
                key.truncate(start);
                key.extend([BROKEN, self.terms().trouble(*trouble)]);
                false
            }
        };
        let node = &self.program.nodes[node as usize];
        match &node.kind {
            NodeKind::Call(_, arguments, _) => {
                arguments.iter().all(|e| add(reader.value(e)));
            }
            NodeKind::Guard(e, _) | NodeKind::IfAtomic(e, ..) => {
                add(reader.holds(e, node.span).map(value::bool));
            }
            _ => {}
        }
    }

    fn compile(&self, scratch: &mut Scratch, term: TermId, key: &[Value]) -> Evaluated<Known> {
        let mut terms = self.terms();
        match steps(&self.program, &mut terms, term, key) {
            Ok(steps) => {
                let sets = &mut scratch.work.sets;
                for set in sets.len()..terms.labels.sets() {
                    sets.push(terms.labels.members(set as u32).into());
                }
                scratch.compiled.push(steps.into());
                Ok(Known::Steps(scratch.compiled.len() as u32 - 1))
            }
            Err(Halt::Need(node, env)) => Ok(Known::Call(node, Arc::new(env))),
            Err(Halt::Trouble(trouble)) => Err(trouble),
        }
    }

    /// Gives variables that do not belong to the state the values they had when it was first reached.
    fn settle(&self, state: &mut [u32]) {
        let slots = &self.program.hidden;
        if slots.is_empty() {
            return;
        }
        let data = state.len() - self.width;
        let values: Slots = slots.iter().map(|&s| state[data + s as usize]).collect();
        slots.iter().for_each(|&s| state[data + s as usize] = 0);
        let mut hidden = self.hidden.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match hidden.get(&*state) {
            Some(known) => known,
            None => hidden.entry(state.into()).or_insert(values),
        };
        for (&s, &v) in slots.iter().zip(known) {
            state[data + s as usize] = v;
        }
    }

    /// Finds every step of a state.
    pub(crate) fn each(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Found<'_>),
    ) -> Evaluated<()> {
        if self.program.hidden.is_empty() {
            return self.each_unsettled(scratch, state, emit);
        }
        self.each_unsettled(scratch, state, &mut |found| {
            let mut state = found.state.to_vec();
            self.settle(&mut state);
            emit(Found { state: &state, ..found });
        })
    }

    fn each_unsettled(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Found<'_>),
    ) -> Evaluated<()> {
        let data = self.data(state);
        while scratch.networks.len() <= state[0] as usize {
            let known = scratch.networks.len();
            scratch.networks.extend_from_slice(&self.networks().list[known..]);
        }
        scratch.work.lists.clear();
        for &term in self.components(state) {
            let list = self.list(scratch, term, data)?;
            scratch.work.lists.push(list);
        }
        let Scratch { compiled, work, networks, .. } = scratch;
        work.clear();
        let network = &*networks[state[0] as usize];
        Worker { system: self, network, compiled, work, state, data, emit }.all()
    }
}

impl LabelledSystem for System {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch {
            known: Vec::new(),
            staged: HashMap::new(),
            compiled: Vec::new(),
            networks: Vec::new(),
            work: Work::default(),
        }
    }

    fn width(&self) -> usize {
        self.initial.len()
    }

    fn initial(&self, _: &mut Scratch) -> Result<Vec<u32>, Trouble> {
        Ok(self.initial.clone())
    }

    fn successors(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        self.each(scratch, state, &mut |found| {
            emit(Move { label: found.label, by: found.by, state: found.state });
        })
        .map_err(|t| *t)
    }

    fn label(&self, label: Label) -> String {
        self.terms().labels.text(label).to_string()
    }
}
