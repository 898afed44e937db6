//! A process of a model as a labelled system.
//!
//! A state is the number of its parallel structure, a slot for each component (its term), the
//! variables, the buffers of the channels. When components start others, the structure and with it the
//! number of slots changes. Terms and structures are interned in the system; the steps of a term are
//! compiled once per worker, so that a step costs the evaluation of its guards, its program and a copy
//! of the state.
//!
//! Steps are a function of the state: nothing that can be seen of them, their order included, depends on
//! what was looked at before or by whom. Slots are numbers and do depend on it; [`LabelledSystem::hash`]
//! does not.

use std::hash::Hasher;
use std::io;
use std::sync::Arc;

use linchpin_lts::{
    Content, Interned, Label, LabelledSystem, Loading, Move, Renumber, Saving, Trouble, Watch,
};
use linchpin_text::Span;

use crate::counted::{Counted, counted};
use crate::eval::{Evaluated, Reader};
use crate::expand::Expander;
use crate::footprint::{Footprint, Known as Looking, Layout};
use crate::network::{Map, Network, Shape};
use crate::program::{DefId, Expr, NodeId, NodeKind, Program};
use crate::saved;
use crate::select::Select;
use crate::starts;
use crate::steps::{BROKEN, Halt, Step, steps, too_large};
use crate::term::{DONE, Env, Term, TermId, Terms};
use crate::value::{self, MAX_NUMBER_SLOT, Value, from_slot, to_slot};
use crate::worker::{Work, Worker};

/// A process as a labelled system.
pub struct System {
    pub(crate) program: Arc<Program>,
    pub(crate) terms: Terms,
    networks: Interned<Network>,
    /// The most components that a structure may have.
    most: usize,
    initial: Vec<u32>,
    /// Slots of variables and channels.
    width: usize,
    /// Are there steps that go before others?
    pub(crate) atomic: bool,
    /// Are there as many processes of a kind as one likes? Then one that has come back to its beginning is none.
    pub(crate) many: bool,
    /// Which processes are counted.
    pub(crate) counted: Counted,
    /// The definition of the process.
    pub(crate) root: DefId,
    /// The number of the way it begins.
    pub(crate) start: u64,
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

/// A list of steps.
pub(crate) struct Compiled {
    pub(crate) steps: Box<[Step]>,
    /// If there are many.
    pub(crate) select: Option<Select>,
}

/// Memory of one worker.
pub struct Scratch {
    /// By term.
    known: Vec<Known>,
    /// By term and the arguments of calls so far.
    staged: Map<Box<[Value]>, Known>,
    /// To ask that.
    key: Vec<Value>,
    compiled: Vec<Compiled>,
    work: Work,
}

impl Scratch {
    /// The steps that a component may have in the state that was looked at last, whether or not they
    /// were possible, and the number of their list.
    pub(crate) fn steps(&self, component: usize) -> (u32, &[Step]) {
        let list = self.work.lists[component];
        (list, &self.compiled[list as usize].steps)
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
        start: u64,
        watch: &Watch,
    ) -> Result<System, Trouble> {
        let terms = Terms::new(program.clone(), watch.clone());
        let mut data: Vec<u32> = starts::values(&program, start).map(to_slot).collect();
        for channel in program.channels.iter().filter(|c| c.size > 0) {
            data.resize(data.len() + 1 + (channel.size * channel.width) as usize, 0);
        }
        let span = program.definitions[definition as usize].span;
        let mut root =
            Expander::new(&program, &terms).call(definition, arguments, span).map_err(|t| *t)?;
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
            root = Expander::new(&program, &terms)
                .call(*definition, &values, program.nodes[node as usize].span)
                .map_err(|t| *t)?;
        }
        let atomic = program.nodes.iter().any(|n| matches!(n.kind, NodeKind::Atomic(_)));
        let many = program.nodes.iter().any(|n| matches!(n.kind, NodeKind::Many(_)));
        let counted = counted(&program, &terms)?;
        let mut system = System {
            program,
            terms,
            networks: Interned::default(),
            most: usize::MAX,
            initial: Vec::new(),
            width: data.len(),
            atomic,
            many,
            counted,
            root: definition,
            start,
        };
        let mut initial = Vec::new();
        system.place(root, &mut initial).map_err(|t| *t)?;
        system.most = MAX_COMPONENTS.max(initial.len());
        initial.extend(data);
        system.recount(&mut initial).map_err(|t| *t)?;
        system.initial = initial;
        Ok(system)
    }

    /// Appends the structure of a term and its components.
    pub(crate) fn place(&self, root: TermId, state: &mut Vec<u32>) -> Evaluated<()> {
        let shape = Shape::of(&self.terms, root);
        if shape.components.len() > self.most {
            return Err(Box::new(too_large()));
        }
        let hash = shape.hash();
        let number = match self.networks.find(hash, |network| network.key == shape.key) {
            Some(number) => number,
            None => {
                let network = Network::new(&self.terms, root, shape.key)?;
                self.networks.intern(hash, network)
            }
        };
        state.push(number);
        state.extend(shape.components);
        Ok(())
    }

    /// Gives a state the structure that its components have now.
    pub(crate) fn restructure(&self, network: &Network, state: &mut Vec<u32>) -> Evaluated<()> {
        let root = network.term(&self.terms, &state[1..=network.len()]);
        self.replace(network, root, state)
    }

    /// Gives a state another process, of as many components or not.
    pub(crate) fn replace(
        &self,
        network: &Network,
        root: TermId,
        state: &mut Vec<u32>,
    ) -> Evaluated<()> {
        let mut new = Vec::new();
        self.place(root, &mut new)?;
        new.extend_from_slice(&state[1 + network.len()..]);
        *state = new;
        Ok(())
    }

    /// What expressions about a state read.
    pub(crate) fn reader<'r>(&'r self, state: &'r [u32]) -> Reader<'r> {
        Reader { program: &self.program, data: self.data(state), env: &[] }
    }

    /// The keys of all structures, in the order of their numbers.
    pub(crate) fn shapes(&self) -> impl ExactSizeIterator<Item = &Vec<u32>> {
        self.networks.iter().map(|network| &network.key)
    }

    /// How many slots variables and channels take.
    pub(crate) fn data_width(&self) -> usize {
        self.width
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

    /// Has everything terminated, and is not just stuck?
    pub fn is_terminated(&self, state: &[u32]) -> bool {
        self.components(state).iter().all(|&t| t == DONE)
    }

    /// The structure of a number.
    pub(crate) fn network(&self, number: u32) -> &Network {
        self.networks.get(number)
    }

    /// Does a structure hide or share events of this name?
    pub(crate) fn mentions(&self, number: u32, name: &str) -> bool {
        let is = |label: &Label| self.terms.labels.text(*label).split('.').next() == Some(name);
        self.network(number).labels().any(|label| is(&label))
    }

    /// The label of a text, if a step may have it.
    pub fn label_of(&self, text: &str) -> Option<Label> {
        self.terms.labels.find(text)
    }

    /// Takes the step with a label from a state to another: where it is written, and the state with the
    /// values of hidden variables after it. From where on these have no values, because they have grown
    /// too large, they stay as they are.
    pub(crate) fn follow(
        &self,
        scratch: &mut Scratch,
        from: &[u32],
        label: Label,
        to: &[u32],
    ) -> (Vec<Span>, Vec<u32>) {
        let find = |scratch: &mut Scratch, from: &[u32]| {
            let mut followed = None;
            let mut forgotten = Vec::new();
            let result = self.each_followed(scratch, from, &mut |found| {
                forgotten.clear();
                forgotten.extend_from_slice(found.state);
                self.forget(&mut forgotten);
                if followed.is_none() && found.label == label && forgotten == to {
                    let places = found.nodes.iter().map(|&n| self.written(n)).collect();
                    followed = Some((places, found.state.to_vec()));
                }
            });
            result.ok().and(followed)
        };
        if let Some(followed) = find(scratch, from) {
            return followed;
        }
        let (mut forgotten, mut state) = (from.to_vec(), to.to_vec());
        self.forget(&mut forgotten);
        let places = find(scratch, &forgotten).map_or_else(Vec::new, |(places, _)| places);
        let data = state.len() - self.width;
        for &slot in &self.program.hidden {
            state[data + slot as usize] = self.data(from)[slot as usize];
        }
        (places, state)
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
        let mut key = std::mem::take(&mut scratch.key);
        key.clear();
        key.push(term as Value);
        for _ in 0..MAX_STAGES {
            match known {
                Known::Steps(list) => {
                    scratch.key = key;
                    return Ok(list);
                }
                Known::Call(node, env) => self.arguments(node, &env, data, &mut key),
                Known::Nothing => break,
            }
            known = match scratch.staged.get(key.as_slice()) {
                Some(known) => known.clone(),
                None => {
                    let known = self.compile(scratch, term, &key[1..])?;
                    scratch.staged.insert(key.as_slice().into(), known.clone());
                    known
                }
            };
        }
        let message = "processes call each other without end".to_string();
        Err(Box::new(Trouble::new(message)))
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
        let mut key = vec![term as Value];
        let mut known = scratch.known.get(term as usize);
        while let Some(Known::Call(node, env)) = known {
            look(*node, env);
            self.arguments(*node, env, data, &mut key);
            known = scratch.staged.get(key.as_slice());
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
                key.extend([BROKEN, self.terms.trouble(*trouble) as Value]);
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
        match steps(&self.program, &self.terms, term, key) {
            Ok(steps) => {
                let select = Select::of(&steps);
                scratch.compiled.push(Compiled { steps: steps.into(), select });
                Ok(Known::Steps(scratch.compiled.len() as u32 - 1))
            }
            Err(Halt::Need(node, env)) => Ok(Known::Call(node, Arc::new(env))),
            Err(Halt::Trouble(trouble)) => Err(trouble),
        }
    }

    /// Gives variables that do not belong to the state the values that they have in all states.
    pub(crate) fn forget(&self, state: &mut [u32]) {
        let data = state.len() - self.width;
        for &slot in &self.program.hidden {
            state[data + slot as usize] = to_slot(self.program.initial[slot as usize]);
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
            return self.each_followed(scratch, state, emit);
        }
        let mut forgotten = Vec::new();
        self.each_followed(scratch, state, &mut |found| {
            forgotten.clear();
            forgotten.extend_from_slice(found.state);
            self.forget(&mut forgotten);
            emit(Found { state: &forgotten, ..found });
        })
    }

    /// The same with the values of variables that do not belong to the state.
    pub(crate) fn each_followed(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        emit: &mut dyn FnMut(Found<'_>),
    ) -> Evaluated<()> {
        self.look(scratch, state, None, emit)
    }

    /// Finds the steps of one component, without those of several.
    pub(crate) fn each_of(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        component: u32,
        emit: &mut dyn FnMut(Found<'_>),
    ) -> Evaluated<()> {
        self.look(scratch, state, Some(component as usize), emit)
    }

    fn look(
        &self,
        scratch: &mut Scratch,
        state: &[u32],
        component: Option<usize>,
        emit: &mut dyn FnMut(Found<'_>),
    ) -> Evaluated<()> {
        let data = self.data(state);
        scratch.work.lists.clear();
        for &term in self.components(state) {
            let list = self.list(scratch, term, data)?;
            scratch.work.lists.push(list);
        }
        let Scratch { compiled, work, .. } = scratch;
        work.clear();
        let network = self.network(state[0]);
        let mut worker = Worker { system: self, network, compiled, work, state, data, emit };
        match component {
            Some(component) => worker.one(component),
            None => worker.all(),
        }
    }
}

impl LabelledSystem for System {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch {
            known: Vec::new(),
            staged: Map::default(),
            key: Vec::new(),
            compiled: Vec::new(),
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

    fn hash(&self, _: &mut Scratch, state: &[u32]) -> Option<u64> {
        Some(self.content(state))
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        saved::save(self, out)
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        saved::load(self, from)
    }

    fn label(&self, label: Label) -> String {
        self.terms.labels.text(label).to_string()
    }
}

impl System {
    /// The first state.
    pub(crate) fn first(&self) -> &[u32] {
        &self.initial
    }

    /// The content hash of a state.
    pub(crate) fn content(&self, state: &[u32]) -> u64 {
        let mut content = Content::default();
        content.add(self.networks.hash(state[0]));
        for &term in self.components(state) {
            content.add(self.terms.hash(term));
        }
        // Two at a time, and two sums at a time, so that one need not wait for the other.
        let value = |slot: u32| match slot {
            0..=MAX_NUMBER_SLOT => u64::from(slot),
            _ => self.program.objects.hash(from_slot(slot)),
        };
        let mut other = Content::default();
        for four in self.data(state).chunks(4) {
            let at = |i: usize| four.get(i).map_or(0, |&slot| value(slot));
            content.add(at(0) ^ at(1).rotate_left(32));
            other.add(at(2) ^ at(3).rotate_left(32));
        }
        content.add(other.finish());
        content.finish()
    }
}
