//! Alphabets: on which events the operands of `||` synchronise.
//!
//! As in PAT: the alphabet of a process is the one given by `#alphabet`, or else all events in its
//! text and in the text of what it calls, conditions notwithstanding. Events with a program and
//! communications do not belong to it. An event is shared if it is in the alphabets of two operands;
//! termination is shared by all. PAT refuses processes that call themselves with other arguments;
//! here all instances are visited, as long as there are not too many.

use std::collections::{HashMap, HashSet};

use linchpin_lts::Label;

use crate::eval::{Evaluated, Reader, trouble};
use crate::expand::{event_text, rows};
use crate::labels::SetId;
use crate::program::{DefId, Event, EventSet, Expr, NodeId, NodeKind, Program, TAU_NAME};
use crate::term::{Env, Terms};
use crate::value::Value;

/// The most instances of definitions that are visited for one alphabet.
const MAX_INSTANCES: usize = 20_000;

/// For each operand the events that it shares with others.
pub(crate) fn alphabets(
    program: &Program,
    terms: &Terms,
    parts: &[(NodeId, Env)],
) -> Evaluated<Vec<SetId>> {
    let mut all = Vec::new();
    for (node, env) in parts {
        let mut collector =
            Collector { program, terms, labels: HashSet::new(), seen: HashSet::new() };
        let env: Vec<Option<Value>> = env.iter().map(|&v| Some(v)).collect();
        collector.node(*node, &env)?;
        all.push(collector.labels);
    }
    let mut counts: HashMap<Label, u32> = HashMap::new();
    all.iter().flatten().for_each(|&label| *counts.entry(label).or_default() += 1);
    let shared = |label: &Label| counts[label] > 1;
    let sets: Vec<Vec<Label>> =
        all.iter().map(|labels| labels.iter().copied().filter(shared).collect()).collect();
    Ok(sets.into_iter().map(|labels| terms.labels.set(labels)).collect())
}

struct Collector<'a> {
    program: &'a Program,
    terms: &'a Terms,
    labels: HashSet<Label>,
    /// Instances that have been visited; unknown arguments are none.
    seen: HashSet<(DefId, Vec<Option<Value>>)>,
}

impl Collector<'_> {
    /// The value of an expression, if all it needs is known.
    fn value(&self, e: &Expr, env: &[Option<Value>]) -> Evaluated<Option<Value>> {
        let unknown = (0..env.len()).any(|i| e.free() >> i & 1 == 1 && env[i].is_none());
        if e.reads_state() || unknown {
            return Ok(None);
        }
        let env: Vec<Value> = env.iter().map(|v| v.unwrap_or(0)).collect();
        Reader { program: self.program, data: &[], env: &env }.value(e).map(Some)
    }

    fn event(&mut self, event: &Event, env: &[Option<Value>]) -> Evaluated<()> {
        if event.name == TAU_NAME {
            return Ok(());
        }
        let mut parts = Vec::new();
        for e in &event.parts {
            match self.value(e, env)? {
                Some(v) => parts.push(v),
                None => {
                    let text = "the alphabet of a process in `||` cannot be found out: this event \
                                depends on variables or received values (declare it with \
                                `#alphabet`)";
                    return trouble(event.span, text);
                }
            }
        }
        let text = event_text(self.program, event.name, &parts);
        self.labels.insert(self.terms.labels.label(&text));
        Ok(())
    }

    fn sets(&mut self, sets: &[EventSet], env: &[Option<Value>]) -> Evaluated<HashSet<Label>> {
        let outer = std::mem::take(&mut self.labels);
        for set in sets {
            let known: Vec<Value> = env.iter().map(|v| v.unwrap_or(0)).collect();
            for row in rows(self.program, &set.over, &known, set.event.span)? {
                let mut wide = env.to_vec();
                wide.truncate(row.len());
                wide.extend(row[wide.len()..].iter().map(|&v| Some(v)));
                self.event(&set.event, &wide)?;
            }
        }
        Ok(std::mem::replace(&mut self.labels, outer))
    }

    fn node(&mut self, start: NodeId, env: &[Option<Value>]) -> Evaluated<()> {
        let program = self.program;
        // Calls are visited one after the other, not inside each other.
        let mut todo: Vec<(NodeId, Vec<Option<Value>>)> = vec![(start, env.to_vec())];
        while let Some((id, env)) = todo.pop() {
            let node = &program.nodes[id as usize];
            match &node.kind {
                NodeKind::Stop | NodeKind::Skip | NodeKind::Assert(_) => {}
                NodeKind::Call(definition, arguments, _) => {
                    self.terms.ask()?;
                    let mut values = Vec::new();
                    for e in arguments {
                        values.push(self.value(e, &env)?);
                    }
                    let d = &program.definitions[*definition as usize];
                    if let Some(alphabet) = &d.alphabet {
                        let labels = self.sets(alphabet, &values)?;
                        self.labels.extend(labels);
                        continue;
                    }
                    // Arguments that make no difference are not distinguished.
                    let body = &program.nodes[d.body as usize];
                    for (i, v) in values.iter_mut().enumerate() {
                        if body.free >> i & 1 == 0 {
                            *v = Some(0);
                        }
                    }
                    if self.seen.insert((*definition, values.clone())) {
                        todo.push((d.body, values));
                    }
                    if self.seen.len() > MAX_INSTANCES {
                        let text = format!(
                            "the alphabet of `{}` cannot be found out: it is called with more \
                             than {MAX_INSTANCES} different arguments (declare it with \
                             `#alphabet`)",
                            d.name
                        );
                        return trouble(node.span, text);
                    }
                }
                NodeKind::Prefix(event, code, next) => {
                    if code.is_none() {
                        self.event(event, &env)?;
                    }
                    todo.push((*next, env));
                }
                NodeKind::Send(_, _, _, next) => todo.push((*next, env)),
                NodeKind::Receive(_, _, _, _, next) => {
                    let mut env = env;
                    env.resize(program.nodes[*next as usize].scope as usize, None);
                    todo.push((*next, env));
                }
                NodeKind::Guard(_, inner)
                | NodeKind::IfBlocking(_, inner)
                | NodeKind::Atomic(inner) => todo.push((*inner, env)),
                NodeKind::If(_, a, b)
                | NodeKind::IfAtomic(_, a, b)
                | NodeKind::Sequence(a, b)
                | NodeKind::Interrupt(a, b) => {
                    todo.push((*a, env.clone()));
                    todo.push((*b, env));
                }
                NodeKind::Case(cases) => {
                    todo.extend(cases.iter().map(|(_, p)| (*p, env.clone())));
                }
                NodeKind::Nary(_, parts) => todo.extend(parts.iter().map(|&p| (p, env.clone()))),
                NodeKind::Replicated(_, body) | NodeKind::Many(body) => todo.push((*body, env)),
                NodeKind::Indexed(_, over, body) => {
                    let known: Vec<Value> = env.iter().map(|v| v.unwrap_or(0)).collect();
                    for row in rows(program, over, &known, node.span)? {
                        let mut wide = env.clone();
                        wide.extend(row[env.len()..].iter().map(|&v| Some(v)));
                        todo.push((*body, wide));
                    }
                }
                NodeKind::Hide(inner, events) => {
                    let hidden = self.sets(events, &env)?;
                    // What is seen below the hiding may be seen again without it.
                    let seen = self.seen.clone();
                    let outer = std::mem::take(&mut self.labels);
                    self.node(*inner, &env)?;
                    self.labels.retain(|label| !hidden.contains(label));
                    self.labels.extend(outer);
                    self.seen = seen;
                }
            }
        }
        Ok(())
    }
}
