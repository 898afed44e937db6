//! The steps of one state: guards are looked at, programs executed, components brought together.

use linchpin_lts::{Label, TAU, Trouble};
use linchpin_text::Span;

use crate::eval::{Evaluated, Reader, Writer, trouble};
use crate::expand::{Expander, event_text};
use crate::labels::TICK;
use crate::network::Map;
use crate::network::{Fate, Network};
use crate::program::{Code, NodeId, NodeKind, Pattern, Port};
use crate::steps::{Action, Guard, Spec, Step, Target, wrap};
use crate::system::{Compiled, Found, System};
use crate::term::{DONE, TermId};
use crate::value::{self, Value, from_slot, to_slot};

/// An enabled step that waits for others.
#[derive(Clone, Copy)]
struct Offer {
    component: u32,
    step: u32,
}

/// Memory for the steps of one state, and names and targets computed before.
#[derive(Default)]
pub(crate) struct Work {
    /// Labels that were computed: node, number of the kind, values.
    names: Map<Box<[Value]>, Label>,
    /// Targets of inputs: list of steps, step, values.
    targets: Map<Box<[Value]>, Result<TermId, Trouble>>,
    /// What is seen of communications: structure, components, label.
    communications: Map<(u32, u32, u32, Label), Option<Label>>,
    /// The list of steps of each component.
    pub(crate) lists: Vec<u32>,
    state: Vec<u32>,
    /// Does a component of the new state belong to the structure?
    restructure: bool,
    frame: Vec<Value>,
    values: Vec<Value>,
    env: Vec<Value>,
    key: Vec<Value>,
    by: Vec<u32>,
    nodes: Vec<NodeId>,
    ticks: Vec<Option<u32>>,
    /// Shared events, each with a step.
    meetings: Vec<(Label, Offer)>,
    /// Components that offer the same event.
    offering: Vec<u32>,
    choice: Vec<usize>,
    /// Channel, values (from, to in `messages`), output.
    outputs: Vec<(u32, usize, usize, Offer)>,
    inputs: Vec<Offer>,
    messages: Vec<Value>,
    /// Steps kept until it is known whether atomic ones go before them: label, is it atomic, then
    /// where `by`, `nodes` and the state end in the vectors below.
    kept: Vec<(Label, bool, usize, usize, usize)>,
    kept_by: Vec<u32>,
    kept_nodes: Vec<NodeId>,
    kept_states: Vec<u32>,
}

impl Work {
    /// Forgets the last state.
    pub(crate) fn clear(&mut self) {
        self.ticks.clear();
        self.meetings.clear();
        self.outputs.clear();
        self.inputs.clear();
        self.messages.clear();
        self.kept.clear();
        self.kept_by.clear();
        self.kept_nodes.clear();
        self.kept_states.clear();
    }
}

/// Kinds of computed names: what stands between the name and the values.
const EVENT: Value = 0;
const SEND: Value = 1;
const RECEIVE: Value = 2;
const COMMUNICATION: Value = 3;

/// Finds the steps of one state.
pub(crate) struct Worker<'a> {
    pub(crate) system: &'a System,
    pub(crate) network: &'a Network,
    pub(crate) compiled: &'a [Compiled],
    pub(crate) work: &'a mut Work,
    pub(crate) state: &'a [u32],
    pub(crate) data: &'a [u32],
    pub(crate) emit: &'a mut dyn FnMut(Found<'_>),
}

impl<'a> Worker<'a> {
    /// Finds all of them.
    pub(crate) fn all(&mut self) -> Evaluated<()> {
        for component in 0..self.work.lists.len() {
            self.possible(component)?;
        }
        if !self.work.meetings.is_empty() {
            self.meetings()?;
        }
        if !self.work.outputs.is_empty() && !self.work.inputs.is_empty() {
            self.communications()?;
        }
        self.termination()?;
        self.give_kept();
        Ok(())
    }

    /// Finds those that a component has alone.
    pub(crate) fn one(&mut self, component: usize) -> Evaluated<()> {
        self.work.ticks.resize(component, None);
        self.possible(component)?;
        self.give_kept();
        Ok(())
    }

    /// Gives the steps that a component has alone, and notes those that wait for others.
    fn possible(&mut self, component: usize) -> Evaluated<()> {
        let Compiled { steps, select } = &self.compiled[self.work.lists[component] as usize];
        self.work.ticks.push(None);
        let data = self.data;
        let mut look = |i: usize, decided: bool| match decided || self.enabled(&steps[i])? {
            true => self.step(component, i, &steps[i]),
            false => Ok(()),
        };
        match select {
            Some(select) => select.each(data, steps.len(), look),
            None => (0..steps.len()).try_for_each(|i| look(i, false)),
        }
    }

    fn reader<'r>(&'r self, env: &'r [Value]) -> Reader<'r> {
        Reader { program: &self.system.program, data: self.data, env }
    }

    fn enabled(&mut self, step: &'a Step) -> Evaluated<bool> {
        for guard in &step.guards {
            let holds = match guard {
                Guard::Condition(node, _, env, want, e) => {
                    let span = self.system.program.nodes[*node as usize].span;
                    self.reader(env).holds(e, span)? == *want
                }
                Guard::Is(spec, label) => self.name(spec)? == *label,
                Guard::Named(spec, set, want) => {
                    let label = self.name(spec)?;
                    self.system.terms.labels.contains(*set, label) == *want
                }
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn step(&mut self, component: usize, i: usize, step: &'a Step) -> Evaluated<()> {
        let offer = Offer { component: component as u32, step: i as u32 };
        let network = self.network;
        match &step.action {
            Action::Fault(trouble) => return Err(Box::new((**trouble).clone())),
            // Of several ways to terminate an atomic one goes before other steps.
            Action::Tick => {
                let known = self.work.ticks[component];
                if step.atomic || known.is_none() {
                    self.work.ticks[component] = Some(i as u32);
                }
            }
            Action::Tau => self.alone(offer, step, TAU, None)?,
            Action::Event(spec, Some((_, env))) => {
                let label = network.seen(component, self.name(spec)?);
                self.alone(offer, step, label, step.code.as_deref().map(|code| (code, &**env)))?;
            }
            Action::Event(spec, None) => {
                let label = self.name(spec)?;
                match network.fate(component, label) {
                    Fate::Alone(seen) => self.alone(offer, step, seen, None)?,
                    Fate::Together => self.work.meetings.push((label, offer)),
                }
            }
            Action::Send(node, env) => self.send(offer, step, *node, env)?,
            Action::Receive(node, env) => self.receive(offer, step, *node, env)?,
            Action::Communicate(from, from_env, to, to_env, spec) => {
                let channel = self.message(*from, from_env)?;
                if self.accepts(channel, *to, to_env)? {
                    let label = self.name(spec)?;
                    let Fate::Alone(seen) = network.fate(component, label) else {
                        return self.shared_communication(*from);
                    };
                    self.begin();
                    self.enter(offer, step)?;
                    self.run_send(*from, from_env)?;
                    self.run_receive(*to)?;
                    self.give_one(component, step, seen)?;
                }
            }
        }
        Ok(())
    }

    fn shared_communication(&self, node: NodeId) -> Evaluated<()> {
        let span = self.system.program.nodes[node as usize].span;
        let text = "the event of this communication is in the alphabet of a process in `||`, which \
                    is not supported";
        trouble(span, text)
    }

    /// Starts a new state: a copy.
    fn begin(&mut self) {
        self.work.restructure = false;
        self.work.state.clear();
        self.work.state.extend_from_slice(self.state);
    }

    /// Moves a component to where a step leads.
    fn enter(&mut self, offer: Offer, step: &Step) -> Evaluated<()> {
        let term = match &step.target {
            Target::Term(term) => *term,
            Target::Broken(trouble) => return Err(Box::new((**trouble).clone())),
            Target::Bound(bound) => {
                let work = &mut *self.work;
                work.key.clear();
                let list = work.lists[offer.component as usize];
                work.key.extend([list as Value, offer.step as Value]);
                work.key.extend_from_slice(&work.values);
                match work.targets.get(work.key.as_slice()) {
                    Some(known) => known.clone()?,
                    None => {
                        let terms = &self.system.terms;
                        let program = &*self.system.program;
                        let NodeKind::Receive(.., next) = &program.nodes[bound.node as usize].kind
                        else {
                            return Ok(());
                        };
                        let mut result = Expander::new(program, terms).term(*next, &work.env);
                        for w in &bound.wraps {
                            result = result.and_then(|hole| wrap(program, terms, w, hole));
                        }
                        let result = result.map_err(|t| *t);
                        work.targets.insert(work.key.as_slice().into(), result.clone());
                        result?
                    }
                }
            }
        };
        self.work.state[1 + offer.component as usize] = term;
        self.work.restructure |= self.system.many || self.system.terms.is_structure(term);
        Ok(())
    }

    /// Executes a program on the new state.
    fn run(&mut self, code: &Code, env: &[Value]) -> Evaluated<()> {
        let data = 1 + self.network.len();
        let work = &mut *self.work;
        let data = &mut work.state[data..];
        let (program, watch) = (&*self.system.program, &self.system.terms.watch);
        Writer { program, data, env, frame: &mut work.frame, watch }.run(code)
    }

    fn run_send(&mut self, node: NodeId, env: &[Value]) -> Evaluated<()> {
        match &self.system.program.nodes[node as usize].kind {
            NodeKind::Send(_, _, Some(code), _) => self.run(code, env),
            _ => Ok(()),
        }
    }

    /// Executes the program of an input, whose values are known.
    fn run_receive(&mut self, node: NodeId) -> Evaluated<()> {
        match &self.system.program.nodes[node as usize].kind {
            NodeKind::Receive(_, _, _, Some(code), _) => {
                let env = std::mem::take(&mut self.work.env);
                let result = self.run(code, &env);
                self.work.env = env;
                result
            }
            _ => Ok(()),
        }
    }

    /// A step of one component, with an event's program.
    fn alone(
        &mut self,
        offer: Offer,
        step: &Step,
        label: Label,
        code: Option<(&Code, &[Value])>,
    ) -> Evaluated<()> {
        self.begin();
        self.enter(offer, step)?;
        if let Some((code, env)) = code {
            self.run(code, env)?;
        }
        self.give_one(offer.component as usize, step, label)
    }

    /// The new state gets the structure that it has now, and the numbers of processes.
    fn finish(&mut self) -> Evaluated<()> {
        if self.work.restructure {
            self.system.restructure(self.network, &mut self.work.state)?;
        }
        if self.system.counted.is_empty() {
            return Ok(());
        }
        self.system.recount(&mut self.work.state)
    }

    /// The new state is reached by one component.
    fn give_one(&mut self, component: usize, step: &Step, label: Label) -> Evaluated<()> {
        self.finish()?;
        let by = &self.network.numbers[component..=component];
        if self.system.atomic {
            self.keep(label, step.atomic, by, &step.nodes);
        } else {
            (self.emit)(Found { label, by, state: &self.work.state, nodes: &step.nodes });
        }
        Ok(())
    }

    /// The new state is reached by those in `work.by`.
    fn give_several(&mut self, label: Label, atomic: bool) -> Evaluated<()> {
        self.finish()?;
        let by = std::mem::take(&mut self.work.by);
        let nodes = std::mem::take(&mut self.work.nodes);
        if self.system.atomic {
            self.keep(label, atomic, &by, &nodes);
        } else {
            (self.emit)(Found { label, by: &by, state: &self.work.state, nodes: &nodes });
        }
        (self.work.by, self.work.nodes) = (by, nodes);
        Ok(())
    }

    fn keep(&mut self, label: Label, atomic: bool, by: &[u32], nodes: &[NodeId]) {
        let work = &mut *self.work;
        work.kept_by.extend_from_slice(by);
        work.kept_nodes.extend_from_slice(nodes);
        work.kept_states.extend_from_slice(&work.state);
        let ends = (work.kept_by.len(), work.kept_nodes.len(), work.kept_states.len());
        work.kept.push((label, atomic, ends.0, ends.1, ends.2));
    }

    /// Gives the steps that were kept: only atomic ones if there are any.
    fn give_kept(&mut self) {
        let atomic = self.work.kept.iter().any(|k| k.1);
        let (mut by, mut nodes, mut state) = (0, 0, 0);
        for &(label, is_atomic, by_end, nodes_end, state_end) in &self.work.kept {
            if is_atomic || !atomic {
                (self.emit)(Found {
                    label,
                    by: &self.work.kept_by[by..by_end],
                    state: &self.work.kept_states[state..state_end],
                    nodes: &self.work.kept_nodes[nodes..nodes_end],
                });
            }
            (by, nodes, state) = (by_end, nodes_end, state_end);
        }
    }

    /// The name of a step; its values are left in `work.values` if they were computed.
    fn name(&mut self, spec: &Spec) -> Evaluated<Label> {
        match spec {
            Spec::Fixed(label) => Ok(*label),
            Spec::Event(node, env) => {
                let program = &*self.system.program;
                let NodeKind::Prefix(event, ..) = &program.nodes[*node as usize].kind else {
                    return Ok(TAU);
                };
                self.work.key.clear();
                self.work.key.extend([EVENT, event.name as Value]);
                for e in &event.parts {
                    let v = self.reader(env).value(e)?;
                    self.work.key.push(v);
                }
                Ok(self.computed_name())
            }
            Spec::Communication(node, env) => {
                let channel = self.message(*node, env)?;
                Ok(self.message_name(COMMUNICATION, channel))
            }
        }
    }

    /// The name of a message whose values are in `work.values`.
    fn message_name(&mut self, kind: Value, channel: u32) -> Label {
        let work = &mut *self.work;
        work.key.clear();
        work.key.extend([kind, channel as Value]);
        work.key.extend_from_slice(&work.values);
        self.computed_name()
    }

    /// The label of what is in `work.key`.
    fn computed_name(&mut self) -> Label {
        let work = &mut *self.work;
        if let Some(&label) = work.names.get(work.key.as_slice()) {
            return label;
        }
        let program = &*self.system.program;
        let [kind, name, values @ ..] = work.key.as_slice() else { return TAU };
        let mut text = match *kind {
            EVENT => event_text(program, *name as u32, values),
            _ => program.channels[*name as usize].name.clone(),
        };
        let sign = match *kind {
            SEND => "!",
            RECEIVE => "?",
            _ => ".",
        };
        if *kind != EVENT {
            for (i, &v) in values.iter().enumerate() {
                text += if i == 0 { sign } else { "." };
                text += &program.objects.show(v);
            }
        }
        let label = self.system.terms.labels.label(&text);
        work.names.insert(work.key.as_slice().into(), label);
        label
    }

    /// Which channel a port is.
    fn channel(&self, port: &Port, env: &[Value]) -> Evaluated<u32> {
        let Some(index) = &port.index else { return Ok(port.first) };
        let v = self.reader(env).value(index)?;
        if v >= 0 && (v as u32) < port.count {
            return Ok(port.first + v as u32);
        }
        let (v, n) = (value::show(v), port.count);
        trouble(port.span, format!("the index {v} is outside an array of {n} channels"))
    }

    /// The channel of an output; its values go to `work.values`.
    fn message(&mut self, node: NodeId, env: &[Value]) -> Evaluated<u32> {
        let program = &*self.system.program;
        let NodeKind::Send(port, values, ..) = &program.nodes[node as usize].kind else {
            return trouble(Span::default(), "not an output");
        };
        let channel = self.channel(port, env)?;
        self.work.values.clear();
        for e in values {
            let v = self.reader(env).value(e)?;
            self.work.values.push(v);
        }
        Ok(channel)
    }

    fn send(&mut self, offer: Offer, step: &Step, node: NodeId, env: &[Value]) -> Evaluated<()> {
        let number = self.message(node, env)?;
        let channel = &self.system.program.channels[number as usize];
        if channel.size == 0 {
            let work = &mut *self.work;
            let start = work.messages.len();
            work.messages.extend_from_slice(&work.values);
            work.outputs.push((number, start, work.messages.len(), offer));
            return Ok(());
        }
        let messages = self.data[channel.base as usize];
        if messages == channel.size {
            return Ok(());
        }
        let label = self.message_name(SEND, number);
        self.begin();
        self.enter(offer, step)?;
        let work = &mut *self.work;
        let base = 1 + self.network.len() + channel.base as usize;
        work.state[base] += 1;
        let place = base + 1 + (messages * channel.width) as usize;
        let mut slots = work.state[place..place + channel.width as usize].iter_mut();
        if channel.mixed
            && let Some(slot) = slots.next()
        {
            *slot = work.values.len() as u32;
        }
        for (slot, &v) in slots.zip(&work.values) {
            *slot = to_slot(v);
        }
        self.run_send(node, env)?;
        self.give_one(offer.component as usize, step, label)
    }

    fn receive(&mut self, offer: Offer, step: &Step, node: NodeId, env: &[Value]) -> Evaluated<()> {
        let program = &*self.system.program;
        let NodeKind::Receive(port, ..) = &program.nodes[node as usize].kind else {
            return Ok(());
        };
        let number = self.channel(port, env)?;
        let channel = &program.channels[number as usize];
        if channel.size == 0 {
            self.work.inputs.push(offer);
            return Ok(());
        }
        let base = channel.base as usize;
        let messages = self.data[base];
        if messages == 0 {
            return Ok(());
        }
        let width = channel.width as usize;
        let first = &self.data[base + 1..base + 1 + width];
        let values = match (channel.mixed, first) {
            (true, [count, values @ ..]) => &values[..*count as usize],
            _ => first,
        };
        self.work.values.clear();
        self.work.values.extend(values.iter().map(|&slot| from_slot(slot)));
        if !self.accepts(number, node, env)? {
            return Ok(());
        }
        let label = self.message_name(RECEIVE, number);
        self.begin();
        self.enter(offer, step)?;
        let base = 1 + self.network.len() + base;
        let all = base + 1..base + 1 + messages as usize * width;
        self.work.state[base] -= 1;
        self.work.state.copy_within(all.start + width..all.end, all.start);
        self.work.state[all.end - width..all.end].fill(0);
        self.run_receive(node)?;
        self.give_one(offer.component as usize, step, label)
    }

    /// Does an input on this channel accept `work.values`? Then its environment is in `work.env`.
    fn accepts(&mut self, channel: u32, node: NodeId, env: &[Value]) -> Evaluated<bool> {
        let program = &*self.system.program;
        let NodeKind::Receive(port, guard, patterns, _, next) = &program.nodes[node as usize].kind
        else {
            return Ok(false);
        };
        if patterns.len() != self.work.values.len() || self.channel(port, env)? != channel {
            return Ok(false);
        }
        let mut wide = std::mem::take(&mut self.work.env);
        wide.clear();
        wide.extend_from_slice(env);
        wide.resize(program.nodes[*next as usize].scope as usize, 0);
        let mut result = Ok(true);
        for (pattern, &v) in patterns.iter().zip(&self.work.values) {
            match pattern {
                Pattern::Bind(place) => wide[*place as usize] = v,
                Pattern::Match(e) => match self.reader(&wide).value(e) {
                    Ok(wanted) if wanted == v => {}
                    other => {
                        result = other.map(|_| false);
                        break;
                    }
                },
            }
        }
        if let (Ok(true), Some(guard)) = (&result, guard) {
            result = self.reader(&wide).holds(guard, port.span);
        }
        self.work.env = wide;
        result
    }

    /// Steps of several components with the same event.
    fn meetings(&mut self) -> Evaluated<()> {
        for first in 0..self.work.meetings.len() {
            let Work { meetings, offering, .. } = &mut *self.work;
            let (label, _) = meetings[first];
            if meetings[..first].iter().any(|m| m.0 == label) {
                continue;
            }
            offering.clear();
            let offers = meetings[first..].iter().filter(|m| m.0 == label);
            offering.extend(offers.map(|m| m.1.component));
            offering.dedup();
            if offering.len() < 2 {
                continue;
            }
            for (who, seen) in self.network.alternatives(&self.system.terms, label, offering)? {
                self.meeting(label, &who, seen)?;
            }
        }
        Ok(())
    }

    /// The next offer of a component for a meeting.
    fn next_offer(&self, label: Label, component: u32, from: usize) -> Option<usize> {
        let offers = self.work.meetings[from..].iter();
        offers
            .clone()
            .position(|(l, offer)| *l == label && offer.component == component)
            .map(|i| from + i)
    }

    fn meeting(&mut self, label: Label, who: &[u32], seen: Label) -> Evaluated<()> {
        self.work.choice.clear();
        for &component in who {
            match self.next_offer(label, component, 0) {
                Some(offer) => self.work.choice.push(offer),
                None => return Ok(()),
            }
        }
        for count in 1.. {
            if let Some(limit) = self.system.terms.watch.over_at(count) {
                return Err(Box::new(limit.into()));
            }
            self.begin();
            self.work.by.clear();
            self.work.nodes.clear();
            self.work.by.extend_from_slice(who);
            let mut atomic = false;
            for i in 0..who.len() {
                let (_, offer) = self.work.meetings[self.work.choice[i]];
                let step = self.offered(offer);
                atomic |= step.atomic;
                self.work.nodes.extend_from_slice(&step.nodes);
                self.enter(offer, step)?;
            }
            self.give_several(seen, atomic)?;
            // The next choice, counting like a clock.
            let mut i = who.len();
            loop {
                if i == 0 {
                    return Ok(());
                }
                i -= 1;
                if let Some(next) = self.next_offer(label, who[i], self.work.choice[i] + 1) {
                    self.work.choice[i] = next;
                    break;
                }
                self.work.choice[i] = self.next_offer(label, who[i], 0).unwrap_or(0);
            }
        }
        Ok(())
    }

    fn offered(&self, offer: Offer) -> &'a Step {
        let list = self.work.lists[offer.component as usize];
        &self.compiled[list as usize].steps[offer.step as usize]
    }

    /// Synchronous communication between components.
    fn communications(&mut self) -> Evaluated<()> {
        for output in 0..self.work.outputs.len() {
            let (channel, from, to, sender) = self.work.outputs[output];
            for input in 0..self.work.inputs.len() {
                let receiver = self.work.inputs[input];
                if sender.component == receiver.component {
                    continue;
                }
                let (out, into) = (self.offered(sender), self.offered(receiver));
                let (Action::Send(out_node, out_env), Action::Receive(in_node, in_env)) =
                    (&out.action, &into.action)
                else {
                    continue;
                };
                let work = &mut *self.work;
                work.values.clear();
                work.values.extend_from_slice(&work.messages[from..to]);
                if !self.accepts(channel, *in_node, in_env)? {
                    continue;
                }
                let label = self.message_name(COMMUNICATION, channel);
                let Some(seen) = self.seen(sender.component, receiver.component, label) else {
                    return self.shared_communication(*out_node);
                };
                self.begin();
                self.enter(sender, out)?;
                self.enter(receiver, into)?;
                self.run_send(*out_node, out_env)?;
                self.run_receive(*in_node)?;
                let work = &mut *self.work;
                work.by.clear();
                work.by.extend([sender.component, receiver.component]);
                work.by.sort_unstable();
                work.nodes.clear();
                work.nodes.extend_from_slice(&out.nodes);
                work.nodes.extend_from_slice(&into.nodes);
                self.give_several(seen, out.atomic || into.atomic)?;
            }
        }
        Ok(())
    }

    /// What is seen of a communication.
    fn seen(&mut self, a: u32, b: u32, label: Label) -> Option<Label> {
        let (system, network) = (self.system, self.network);
        *self
            .work
            .communications
            .entry((self.state[0], a, b, label))
            .or_insert_with(|| network.communication(&system.terms, a as usize, b as usize, label))
    }

    /// All components terminate at once.
    fn termination(&mut self) -> Evaluated<()> {
        if self.work.ticks.iter().any(Option::is_none) {
            return Ok(());
        }
        self.begin();
        let mut atomic = false;
        self.work.nodes.clear();
        self.work.by.clear();
        self.work.by.extend_from_slice(&self.network.numbers);
        for component in 0..self.work.ticks.len() {
            let step = self.work.ticks[component].unwrap_or(0);
            let step = self.offered(Offer { component: component as u32, step });
            atomic |= step.atomic;
            self.work.nodes.extend_from_slice(&step.nodes);
            self.work.state[1 + component] = DONE;
        }
        self.work.restructure = self.network.len() > 1;
        self.give_several(TICK, atomic)
    }
}
