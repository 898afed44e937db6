//! May events be taken for invocations and responses of operations?
//!
//! Then the order of a response and what other processes do right after it need not be explored both
//! ways, nor that of an invocation and what others do right before it: the specification allows the one
//! if it allows the other, because the one makes fewer operations follow each other. That is how
//! linearizability is defined, but a specification is any process here, so it is checked first:
//!
//! * it is a network of processes that each alternate invocations and responses and do nothing else
//!   that can be seen;
//! * an invocation, a response and whatever is silent outside of operations neither changes nor depends
//!   on anything that the other processes do, now or later ([`crate::futures`]);
//! * no process of it has events of two processes of the implementation, so that events of different
//!   processes there are events of different processes here.
//!
//! So in every execution of the specification a response, with what is silent after it, can be moved
//! behind the next event of another process, and an invocation, with what is silent before it, to
//! before the last one: its traces are closed under both. Control is followed without the values of
//! variables, so some specifications are refused that would do. How it is used is in
//! [`crate::Reduced`].

use std::collections::{BTreeMap, VecDeque};

use linchpin_lts::{Label, LabelledSystem, TAU};

use crate::footprint::{Event, Footprint};
use crate::futures::Futures;
use crate::network::Fate;
use crate::program::NodeKind;
use crate::steps::{Action, Halt, Spec, Target, steps};
use crate::system::System;
use crate::term::TermId;
use crate::touch::Steps;

/// Names of events, without what follows the first dot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// They begin an operation.
    pub invocations: Vec<String>,
    /// They end one.
    pub responses: Vec<String>,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Invocation,
    Response,
    /// Named otherwise, by a formula.
    Seen,
    Other,
}

impl Operations {
    /// What the event of a label is.
    pub(crate) fn role(&self, label: &str) -> Role {
        let name = label.split('.').next().unwrap_or(label);
        match () {
            () if self.invocations.iter().any(|n| n == name) => Role::Invocation,
            () if self.responses.iter().any(|n| n == name) => Role::Response,
            () => Role::Other,
        }
    }
}

/// The most terms of a process of the specification that are looked at.
const MAX_TERMS: usize = 20_000;

/// May they be taken for operations? If not, a sentence says why.
pub(crate) fn may(
    implementation: &System,
    specification: &System,
    operations: &Operations,
) -> Result<(), String> {
    for name in operations.invocations.iter().chain(&operations.responses) {
        if !specification.program.names.contains(name) {
            return Err(format!("there is no event `{name}`"));
        }
    }
    if let Some(name) = operations.invocations.iter().find(|n| operations.responses.contains(n)) {
        return Err(format!("`{name}` is both an invocation and a response"));
    }
    if implementation.atomic || specification.atomic {
        return Err("something is atomic, which goes before other processes".into());
    }
    let theirs = events(implementation, operations)?;
    let ours = events(specification, operations)?;
    for (i, own) in ours.iter().enumerate() {
        let common = |other: &&Vec<Event>| own.iter().any(|e| other.iter().any(|o| e.meets(o)));
        if theirs.iter().filter(common).count() > 1 {
            return Err(format!(
                "process {} of the specification has events of several processes",
                i + 1
            ));
        }
    }
    let initial = start(specification)?;
    for component in 0..specification.components(&initial).len() {
        Process::new(specification, &initial, component, operations).alternates()?;
    }
    Ok(())
}

fn start(system: &System) -> Result<Vec<u32>, String> {
    system.initial(&mut system.scratch()).map_err(|trouble| trouble.message)
}

/// The invocations and responses that each component may have.
fn events(system: &System, operations: &Operations) -> Result<Vec<Vec<Event>>, String> {
    let initial = start(system)?;
    let mut futures = Futures::new(&system.program);
    let named = |e: &&Event| operations.role(&system.program.names[e.name as usize]) != Role::Other;
    let of = |&term: &TermId| {
        let future = futures.term(system, term);
        future.events.iter().filter(named).cloned().collect()
    };
    Ok(system.components(&initial).iter().map(of).collect())
}

/// Is a process inside of an operation?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Outside,
    Inside,
}

/// A component of the specification.
struct Process<'s> {
    system: &'s System,
    initial: &'s [u32],
    component: usize,
    operations: &'s Operations,
    futures: Futures,
    /// What the others may touch.
    others: Footprint,
}

impl<'s> Process<'s> {
    fn new(
        system: &'s System,
        initial: &'s [u32],
        component: usize,
        operations: &'s Operations,
    ) -> Self {
        let mut futures = Futures::new(&system.program);
        let mut others = Footprint::default();
        for (i, &term) in system.components(initial).iter().enumerate() {
            if i != component {
                others.union(&futures.term(system, term));
            }
        }
        Process { system, initial, component, operations, futures, others }
    }

    /// Does it alternate invocations and responses, and keep to itself outside of operations?
    fn alternates(&mut self) -> Result<(), String> {
        let first = self.system.components(self.initial)[self.component];
        let mut phases = BTreeMap::from([(first, Phase::Outside)]);
        let mut todo = VecDeque::from([first]);
        while let Some(term) = todo.pop_front() {
            self.system.terms.ask().map_err(|trouble| trouble.message)?;
            for (target, phase) in self.after(term, phases[&term])? {
                match phases.get(&target) {
                    None => {
                        phases.insert(target, phase);
                        todo.push_back(target);
                    }
                    Some(known) if *known == phase => {}
                    Some(_) => {
                        return self.refuse("is somewhere both inside and outside of an operation");
                    }
                }
            }
            if phases.len() > MAX_TERMS {
                return self.refuse("has too many control states to look at");
            }
        }
        Ok(())
    }

    fn refuse<T>(&self, why: &str) -> Result<T, String> {
        Err(format!("process {} of the specification {why}", self.component + 1))
    }

    /// Where the steps of a term lead, possible or not.
    fn after(&mut self, term: TermId, phase: Phase) -> Result<Vec<(TermId, Phase)>, String> {
        let terms = &self.system.terms;
        if terms.is_structure(term) {
            return self.refuse("starts other processes");
        }
        let list = match steps(&self.system.program, terms, term, &[]) {
            Ok(list) => list,
            Err(Halt::Need(..)) => return self.refuse("is called with values of variables"),
            Err(Halt::Trouble(trouble)) => return Err(trouble.message),
        };
        let mut targets = Vec::new();
        for step in &list {
            let role = match &step.action {
                Action::Tick | Action::Fault(_) => continue,
                Action::Send(..) | Action::Receive(..) | Action::Communicate(..) => {
                    return self.refuse("uses channels");
                }
                Action::Tau => None,
                Action::Event(spec, code) => self.role(spec, code.is_some())?,
            };
            let next = match (phase, role) {
                (_, None) => phase,
                (Phase::Outside, Some(Role::Invocation)) => Phase::Inside,
                (Phase::Inside, Some(Role::Response)) => Phase::Outside,
                (Phase::Outside, _) => return self.refuse("has a response without invocation"),
                (Phase::Inside, _) => {
                    return self.refuse("has an invocation inside of an operation");
                }
            };
            if role.is_some() || phase == Phase::Outside {
                let step = std::slice::from_ref(step);
                let touched = Steps::of(&self.system.program, &self.futures.layout, step).touched;
                if touched.conflicts(&self.others) {
                    return self.refuse(
                        "shares variables with others in an invocation, a response or outside of \
                         operations",
                    );
                }
            }
            match &step.target {
                Target::Term(target) => targets.push((*target, next)),
                Target::Broken(trouble) => return Err(trouble.message.clone()),
                Target::Bound(_) => return self.refuse("uses channels"),
            }
        }
        Ok(targets)
    }

    /// What an event is; nothing if it cannot be seen.
    fn role(&self, spec: &Spec, program: bool) -> Result<Option<Role>, String> {
        let name = match spec {
            Spec::Fixed(TAU) => return Ok(None),
            Spec::Fixed(label) => match self.seen(*label, program) {
                None => return self.refuse("shares events with others"),
                Some(TAU) => return Ok(None),
                Some(seen) => self.system.label(seen),
            },
            Spec::Event(node, _) | Spec::Communication(node, _) => {
                let NodeKind::Prefix(event, ..) = &self.system.program.nodes[*node as usize].kind
                else {
                    return self.refuse("uses channels");
                };
                let name = &self.system.program.names[event.name as usize];
                if self.system.mentions(self.initial[0], name) {
                    return self.refuse("hides or shares events whose values are not known");
                }
                name.clone()
            }
        };
        match self.operations.role(&name) {
            Role::Other => {
                Err(format!("`{name}` in the specification is neither invocation nor response"))
            }
            role => Ok(Some(role)),
        }
    }

    fn seen(&self, label: Label, program: bool) -> Option<Label> {
        let network = self.system.network(self.initial[0]);
        match network.fate(self.component, label) {
            _ if program => Some(network.seen(self.component, label)),
            Fate::Alone(seen) => Some(seen),
            Fate::Together => None,
        }
    }
}
