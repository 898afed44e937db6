//! What a process may touch from now on, whatever the values of variables.
//!
//! Definitions are looked at with the values of their parameters, as far as these do not depend on
//! variables, and branches whose conditions are false for these values are left out. A parameter that
//! has very many different values is unknown from then on, which covers them all. So the answer is
//! there in finite time, and it is never too small. Each question is answered from the beginning, so that
//! the answer does not depend on what was asked before; answers are kept.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::expand::rows;
use crate::footprint::{Event, Footprint, Known, Layout};
use crate::program::{DefId, NodeId, NodeKind, Program};
use crate::steps::condition;
use crate::system::System;
use crate::term::{Term, TermId, Terms};
use crate::value::{FALSE, TRUE, Value};

/// Values of parameters, as far as they are known.
type Partial = Vec<Option<Value>>;

/// The most values of a parameter that are told apart.
const MAX_VALUES: usize = 16;

/// The most combinations of values with which a definition is looked at.
const MAX_INSTANCES: usize = 1024;

/// The most values of an index that are looked at one by one.
const MAX_ROWS: usize = 64;

/// What processes may touch, as far as it was asked for.
pub(crate) struct Futures {
    pub(crate) layout: Arc<Layout>,
    terms: Vec<Option<Arc<Footprint>>>,
    /// Of definitions with values, with everything that is called.
    called: HashMap<(DefId, Partial), Arc<Footprint>>,
}

/// What is found out about one definition with values.
#[derive(Default)]
struct Calls {
    /// Definitions with values, in the order in which they are found.
    instances: Vec<(DefId, Partial)>,
    known: HashSet<(DefId, Partial)>,
    /// How many there are of each definition.
    counts: HashMap<DefId, usize>,
    /// Values of each parameter.
    values: HashMap<(DefId, usize), HashSet<Value>>,
}

impl Futures {
    pub(crate) fn new(program: &Program) -> Futures {
        Futures {
            layout: Arc::new(Layout::new(program)),
            terms: Vec::new(),
            called: HashMap::new(),
        }
    }

    /// What a term may touch from now on.
    pub(crate) fn term(&mut self, system: &System, id: TermId) -> Arc<Footprint> {
        match self.terms.get(id as usize) {
            Some(Some(known)) => known.clone(),
            _ => self.new_term(&system.program, &system.terms, id),
        }
    }

    fn new_term(&mut self, program: &Program, terms: &Terms, id: TermId) -> Arc<Footprint> {
        if let Some(Some(known)) = self.terms.get(id as usize) {
            return known.clone();
        }
        let mut all = Footprint::default();
        match terms.get(id) {
            Term::Stop | Term::Skip | Term::NamedSkip | Term::Done | Term::Fault(..) => {}
            Term::Leaf(node, env) => self.closure(program, *node, env, &mut all),
            Term::Guard(node, env, inner) => {
                self.condition(program, *node, env, &mut all);
                all.union(&self.new_term(program, terms, *inner));
            }
            Term::IfAtomic(node, env, then, other) => {
                self.condition(program, *node, env, &mut all);
                all.union(&self.new_term(program, terms, *then));
                all.union(&self.new_term(program, terms, *other));
            }
            Term::Choice(parts)
            | Term::External(parts)
            | Term::Interleave(parts)
            | Term::Parallel(_, parts) => {
                for part in parts {
                    all.union(&self.new_term(program, terms, *part));
                }
            }
            Term::Interrupt(a, b) => {
                all.union(&self.new_term(program, terms, *a));
                all.union(&self.new_term(program, terms, *b));
            }
            Term::Hide(inner, _) | Term::Atomic(inner) | Term::Many(inner) => {
                all.union(&self.new_term(program, terms, *inner));
            }
            Term::Sequence(first, second, env) => {
                all.union(&self.new_term(program, terms, *first));
                self.closure(program, *second, env, &mut all);
            }
        }
        if self.terms.len() <= id as usize {
            self.terms.resize(id as usize + 1, None);
        }
        let all = Arc::new(all);
        self.terms[id as usize] = Some(all.clone());
        all
    }

    fn condition(&self, program: &Program, node: NodeId, env: &[Value], to: &mut Footprint) {
        let env: Partial = env.iter().map(|v| Some(*v)).collect();
        let known = Known { program, layout: &self.layout, env: &env };
        known.expr(condition(program, node, 0), to);
    }

    /// What a node with values may touch, with everything it calls.
    fn closure(&mut self, program: &Program, node: NodeId, env: &[Value], to: &mut Footprint) {
        let env: Partial = env.iter().map(|v| Some(*v)).collect();
        let mut calls = Vec::new();
        self.node(program, node, &env, to, &mut calls);
        for call in calls {
            to.union(&self.called(program, call));
        }
    }

    /// What a definition with values may touch, with everything it calls.
    fn called(&mut self, program: &Program, call: (DefId, Partial)) -> Arc<Footprint> {
        if let Some(known) = self.called.get(&call) {
            return known.clone();
        }
        let (mut all, mut calls, mut found) = (Footprint::default(), Calls::default(), Vec::new());
        calls.add(call.0, call.1.clone());
        let mut looked = 0;
        while let Some((definition, env)) = calls.instances.get(looked).cloned() {
            looked += 1;
            let body = program.definitions[definition as usize].body;
            self.node(program, body, &env, &mut all, &mut found);
            found.drain(..).for_each(|(definition, env)| calls.add(definition, env));
        }
        let all = Arc::new(all);
        self.called.insert(call, all.clone());
        all
    }

    /// What a node touches itself; what it calls is appended to `calls`.
    fn node(
        &self,
        program: &Program,
        id: NodeId,
        env: &[Option<Value>],
        to: &mut Footprint,
        calls: &mut Vec<(DefId, Partial)>,
    ) {
        let node = &program.nodes[id as usize];
        let known = Known { program, layout: &self.layout, env };
        match &node.kind {
            NodeKind::Stop | NodeKind::Skip => {}
            NodeKind::Assert(e) => known.expr(e, to),
            NodeKind::Call(definition, arguments, _) => {
                for e in arguments {
                    known.expr(e, to);
                }
                let values = arguments.iter().map(|e| known.value(e)).collect();
                calls.push((*definition, values));
            }
            NodeKind::Prefix(event, code, next) => {
                for e in &event.parts {
                    known.expr(e, to);
                }
                let parts = event.parts.iter().map(|e| known.value(e)).collect();
                to.events.insert(Event { name: event.name, parts });
                if let Some(code) = code {
                    known.code(code, to);
                }
                self.node(program, *next, env, to, calls);
            }
            NodeKind::Send(port, values, code, next) => {
                known.send(port, values, code.as_ref(), to);
                self.node(program, *next, env, to, calls);
            }
            NodeKind::Receive(.., next) => {
                let mut wide = Vec::new();
                known.receive(&node.kind, to, |env| wide = env.to_vec());
                self.node(program, *next, &wide, to, calls);
            }
            NodeKind::Guard(e, inner) | NodeKind::IfBlocking(e, inner) => {
                known.expr(e, to);
                if known.value(e) != Some(FALSE) {
                    self.node(program, *inner, env, to, calls);
                }
            }
            NodeKind::If(e, then, other) | NodeKind::IfAtomic(e, then, other) => {
                known.expr(e, to);
                let value = known.value(e);
                if value != Some(FALSE) {
                    self.node(program, *then, env, to, calls);
                }
                if value != Some(TRUE) {
                    self.node(program, *other, env, to, calls);
                }
            }
            NodeKind::Case(cases) => {
                for (e, _) in cases {
                    known.expr(e, to);
                }
                for (_, p) in cases {
                    self.node(program, *p, env, to, calls);
                }
            }
            NodeKind::Atomic(inner)
            | NodeKind::Hide(inner, _)
            | NodeKind::Many(inner)
            | NodeKind::Replicated(_, inner) => {
                self.node(program, *inner, env, to, calls);
            }
            NodeKind::Sequence(a, b) | NodeKind::Interrupt(a, b) => {
                self.node(program, *a, env, to, calls);
                self.node(program, *b, env, to, calls);
            }
            NodeKind::Nary(_, parts) => {
                for part in parts {
                    self.node(program, *part, env, to, calls);
                }
            }
            NodeKind::Indexed(_, over, body) => {
                let all: Option<Vec<Value>> = env.iter().copied().collect();
                let rows = all.and_then(|env| rows(program, over, &env, node.span).ok());
                match rows {
                    Some(rows) if rows.len() <= MAX_ROWS => {
                        for row in rows {
                            let row: Partial = row.iter().map(|v| Some(*v)).collect();
                            self.node(program, *body, &row, to, calls);
                        }
                    }
                    _ => {
                        let mut wide = env.to_vec();
                        wide.resize(program.nodes[*body as usize].scope as usize, None);
                        over.iter().for_each(|(place, _)| wide[*place as usize] = None);
                        self.node(program, *body, &wide, to, calls);
                    }
                }
            }
        }
    }
}

impl Calls {
    fn add(&mut self, definition: DefId, mut env: Partial) {
        for (i, value) in env.iter_mut().enumerate() {
            if let Some(v) = *value {
                let values = self.values.entry((definition, i)).or_default();
                if values.len() < MAX_VALUES {
                    values.insert(v);
                }
                if !values.contains(&v) {
                    *value = None;
                }
            }
        }
        if self.known.contains(&(definition, env.clone())) {
            return;
        }
        let count = self.counts.entry(definition).or_default();
        *count += 1;
        if *count > MAX_INSTANCES && env.iter().any(Option::is_some) {
            return self.add(definition, vec![None; env.len()]);
        }
        self.known.insert((definition, env.clone()));
        self.instances.push((definition, env));
    }
}
