//! Processes.

use linchpin_text::Diagnostic;
use linchpin_text::Span;

use super::{Failed, Resolved, Resolver, Scope};
use crate::ast::{self, ExprKind, If, Op, Process, ProcessKind};
use crate::codes;
use crate::program::{
    Event, EventSet, Expr, MAX_SCOPE, Node, NodeId, NodeKind, Pattern, Port, Values,
};
use crate::value::TRUE;

/// Tells every output of a process: its channel and the number of values.
pub(super) fn each_send<'a>(p: &'a Process, f: &mut impl FnMut(&'a str, usize)) {
    match &p.kind {
        ProcessKind::Stop | ProcessKind::Skip | ProcessKind::Assert(_) | ProcessKind::Call(..) => {}
        ProcessKind::Send(port, values, _, next) => {
            f(&port.name.text, values.len());
            each_send(next, f);
        }
        ProcessKind::Prefix(_, _, next)
        | ProcessKind::Many(next)
        | ProcessKind::Either(_, next)
        | ProcessKind::Receive(_, _, _, _, next)
        | ProcessKind::Guard(_, next)
        | ProcessKind::Atomic(next)
        | ProcessKind::Indexed(_, _, next)
        | ProcessKind::Replicated(_, next)
        | ProcessKind::Hide(next, _) => each_send(next, f),
        ProcessKind::If(_, _, then, other) => {
            each_send(then, f);
            if let Some(other) = other {
                each_send(other, f);
            }
        }
        ProcessKind::Case(cases) => cases.iter().for_each(|(_, p)| each_send(p, f)),
        ProcessKind::Sequence(a, b) | ProcessKind::Interrupt(a, b) => {
            each_send(a, f);
            each_send(b, f);
        }
        ProcessKind::Nary(_, parts) => parts.iter().for_each(|p| each_send(p, f)),
    }
}

fn all(free: impl IntoIterator<Item = u64>) -> u64 {
    free.into_iter().fold(0, |a, b| a | b)
}

impl<'m> Resolver<'m> {
    /// Parameters of a definition, so that calls can be compared with them.
    pub(super) fn parameters(&mut self, i: usize, d: &'m ast::Definition) -> Resolved<()> {
        let mut parameters = Vec::new();
        for (name, range) in &d.parameters {
            parameters.push((name.text.clone(), self.range(range)?));
        }
        self.program.definitions[i].parameters = parameters;
        Ok(())
    }

    pub(super) fn definition(&mut self, i: usize, d: &'m ast::Definition) -> Resolved<()> {
        self.scope = Scope::default();
        for (name, _) in &d.parameters {
            self.place(&name.text, name.span)?;
        }
        self.program.definitions[i].body = self.process(&d.body)?;
        self.scope = Scope::default();
        Ok(())
    }

    pub(super) fn alphabet(&mut self, alphabet: &ast::Alphabet) -> Resolved<()> {
        let name = &alphabet.process;
        let Some(&id) = self.definitions.get(name.text.as_str()) else {
            return self.unknown(&name.text, name.span, "process");
        };
        self.scope = Scope::default();
        let parameters = &self.program.definitions[id as usize].parameters;
        self.scope.places = parameters.iter().map(|(name, _)| name.clone()).collect();
        let events = self.event_sets(&alphabet.events)?;
        self.scope = Scope::default();
        for set in &events {
            if set.event.parts.iter().any(Expr::reads_state) {
                let message = "an alphabet cannot depend on variables";
                return self.error(codes::CONSTANT, set.event.span, message);
            }
        }
        let definition = &mut self.program.definitions[id as usize];
        definition.alphabet.get_or_insert_with(Vec::new).extend(events);
        Ok(())
    }

    /// A new place of the environment.
    fn place(&mut self, name: &str, span: Span) -> Resolved<u32> {
        let place = self.scope.places.len() as u32;
        if place == MAX_SCOPE {
            let message = format!("more than {MAX_SCOPE} parameters and bound variables");
            return self.error(codes::RANGE, span, message);
        }
        self.scope.places.push(name.to_string());
        Ok(place)
    }

    /// Keeps a node. `free` are the places that its parts need.
    fn node(&mut self, kind: NodeKind, span: Span, free: u64) -> NodeId {
        let scope = self.scope.places.len() as u32;
        let mask = if scope >= 64 { u64::MAX } else { (1 << scope) - 1 };
        self.program.nodes.push(Node { kind, span, scope, free: free & mask, lazy: false });
        (self.program.nodes.len() - 1) as NodeId
    }

    fn free(&self, node: NodeId) -> u64 {
        self.program.nodes[node as usize].free
    }

    fn process(&mut self, p: &Process) -> Resolved<NodeId> {
        let span = p.span;
        let (kind, free) = match &p.kind {
            ProcessKind::Stop => (NodeKind::Stop, 0),
            ProcessKind::Skip => (NodeKind::Skip, 0),
            ProcessKind::Assert(e) => {
                let e = self.expr(e)?;
                let free = e.free();
                (NodeKind::Assert(e), free)
            }
            ProcessKind::Call(name, arguments) => self.call_of_process(name, arguments, span)?,
            ProcessKind::Prefix(event, program, next) => {
                let event = self.event(event)?;
                let program = program.as_ref().map(|p| self.code(p)).transpose()?;
                let next = self.process(next)?;
                let free = all(event.parts.iter().map(Expr::free))
                    | all(program.iter().flat_map(|c| c.statements.iter().map(|s| s.free())))
                    | self.free(next);
                (NodeKind::Prefix(event, program, next), free)
            }
            ProcessKind::Either(events, next) => {
                let events = events.iter().map(|e| self.event(e)).collect::<Resolved<Vec<_>>>()?;
                let next = self.process(next)?;
                let mut parts = Vec::with_capacity(events.len());
                for event in events {
                    let free = all(event.parts.iter().map(Expr::free)) | self.free(next);
                    parts.push(self.node(NodeKind::Prefix(event, None, next), span, free));
                }
                let free = all(parts.iter().map(|&p| self.free(p)));
                (NodeKind::Nary(Op::General, parts), free)
            }
            ProcessKind::Send(port, values, program, next) => {
                let port = self.port(port)?;
                let values = values.iter().map(|v| self.whole(v)).collect::<Resolved<Vec<_>>>()?;
                let program = program.as_ref().map(|p| self.code(p)).transpose()?;
                let next = self.process(next)?;
                let free = all(values.iter().map(Expr::free))
                    | port.index.as_ref().map_or(0, Expr::free)
                    | all(program.iter().flat_map(|c| c.statements.iter().map(|s| s.free())))
                    | self.free(next);
                (NodeKind::Send(port, values, program, next), free)
            }
            ProcessKind::Receive(port, guard, patterns, program, next) => {
                return self.receive(port, guard, patterns, program, next, span);
            }
            ProcessKind::Guard(e, inner) => {
                let (e, inner) = (self.expr(e)?, self.process(inner)?);
                let free = e.free() | self.free(inner);
                (NodeKind::Guard(e, inner), free)
            }
            ProcessKind::If(kind, e, then, other) => {
                let (e, then) = (self.expr(e)?, self.process(then)?);
                let other = match (other, kind) {
                    (Some(other), _) => self.process(other)?,
                    (None, If::Blocking) => then,
                    (None, _) => self.node(NodeKind::Skip, span, 0),
                };
                let free = e.free() | self.free(then) | self.free(other);
                let kind = match kind {
                    If::Own => NodeKind::If(e, then, other),
                    If::Atomic => NodeKind::IfAtomic(e, then, other),
                    If::Blocking => NodeKind::IfBlocking(e, then),
                };
                (kind, free)
            }
            ProcessKind::Case(cases) => {
                let mut resolved = Vec::new();
                let mut free = 0;
                for (condition, p) in cases {
                    let condition = match condition {
                        Some(e) => self.expr(e)?,
                        None => Expr::Const(TRUE),
                    };
                    let p = self.process(p)?;
                    free |= condition.free() | self.free(p);
                    resolved.push((condition, p));
                }
                (NodeKind::Case(resolved), free)
            }
            ProcessKind::Atomic(inner) => {
                let inner = self.process(inner)?;
                (NodeKind::Atomic(inner), self.free(inner))
            }
            ProcessKind::Sequence(a, b) => {
                let (a, b) = (self.process(a)?, self.process(b)?);
                (NodeKind::Sequence(a, b), self.free(a) | self.free(b))
            }
            ProcessKind::Interrupt(a, b) => {
                let (a, b) = (self.process(a)?, self.process(b)?);
                (NodeKind::Interrupt(a, b), self.free(a) | self.free(b))
            }
            ProcessKind::Nary(op, parts) => {
                let parts = parts.iter().map(|p| self.process(p)).collect::<Resolved<Vec<_>>>()?;
                let free = all(parts.iter().map(|&p| self.free(p)));
                (NodeKind::Nary(*op, parts), free)
            }
            ProcessKind::Indexed(op, over, body) => {
                let outer = self.scope.places.len();
                let over = self.indices(over)?;
                let body = self.process(body)?;
                self.scope.places.truncate(outer);
                let free = over.iter().fold(self.free(body), |f, (_, v)| f | values_free(v));
                (NodeKind::Indexed(*op, over, body), free)
            }
            ProcessKind::Many(body) => {
                let body = self.process(body)?;
                (NodeKind::Many(body), self.free(body))
            }
            ProcessKind::Replicated(count, body) => {
                let e = self.expr(count)?;
                self.not_of_variables(&e, count.span)?;
                let body = self.process(body)?;
                let free = e.free() | self.free(body);
                (NodeKind::Replicated(e, body), free)
            }
            ProcessKind::Hide(inner, events) => {
                let inner = self.process(inner)?;
                let events = self.event_sets(events)?;
                let mut free = self.free(inner);
                for set in &events {
                    free |= all(set.event.parts.iter().map(Expr::free));
                    free |= all(set.over.iter().map(|(_, v)| values_free(v)));
                    if let Some(e) = set.event.parts.iter().find(|e| e.reads_state()) {
                        let _ = e;
                        let message = "events to be hidden cannot depend on variables";
                        return self.error(codes::CONSTANT, set.event.span, message);
                    }
                }
                (NodeKind::Hide(inner, events), free)
            }
        };
        Ok(self.node(kind, span, free))
    }

    fn call_of_process(
        &mut self,
        name: &ast::Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Resolved<(NodeKind, u64)> {
        let id = self.process_named(name, arguments.len(), span)?;
        let arguments = arguments.iter().map(|a| self.whole(a)).collect::<Resolved<Vec<_>>>()?;
        let free = all(arguments.iter().map(Expr::free));
        let lazy = arguments.iter().any(Expr::reads_state);
        Ok((NodeKind::Call(id, arguments, lazy), free))
    }

    /// The definition of this name with so many parameters.
    pub(super) fn process_named(
        &mut self,
        name: &ast::Name,
        arguments: usize,
        span: Span,
    ) -> Resolved<u32> {
        let Some(&id) = self.definitions.get(name.text.as_str()) else {
            return self.unknown(&name.text, name.span, "process");
        };
        let definition = &self.program.definitions[id as usize];
        let parameters = definition.parameters.len();
        if parameters != arguments {
            let message =
                format!("`{}` has {parameters} parameters, but {arguments} arguments", name.text);
            let declared = definition.span;
            self.sink.push(
                Diagnostic::error(codes::ARGUMENTS, span, message).also(declared, "defined here"),
            );
            return Err(Failed);
        }
        Ok(id)
    }

    fn port(&mut self, port: &ast::Port) -> Resolved<Port> {
        let name = &port.name;
        let Some(&(first, count, array)) = self.channels.get(name.text.as_str()) else {
            return self.unknown(&name.text, name.span, "channel");
        };
        if array != port.index.is_some() {
            let message = match array {
                true => format!("`{}` is an array of channels: which one is meant?", name.text),
                false => format!("`{}` is one channel, not an array", name.text),
            };
            return self.error(codes::ARGUMENTS, name.span, message);
        }
        let index = port.index.as_ref().map(|e| self.expr(e)).transpose()?;
        Ok(Port { first, count, index, span: name.span })
    }

    fn receive(
        &mut self,
        port: &ast::Port,
        guard: &Option<ast::Expr>,
        patterns: &[ast::Expr],
        program: &Option<Vec<ast::Stmt>>,
        next: &Process,
        span: Span,
    ) -> Resolved<NodeId> {
        let port = self.port(port)?;
        let outer = self.scope.places.len();
        let mut resolved = Vec::new();
        let mut free = port.index.as_ref().map_or(0, Expr::free);
        for e in patterns {
            if let ExprKind::Name(name) = &e.kind {
                if self.variables.contains_key(name.as_str()) && !self.scope.places.contains(name) {
                    let message = format!("`{name}` is a variable, which an input cannot bind");
                    let help = "bind another name and assign it: `c?y{x = y;} -> ...`";
                    let d = Diagnostic::error(codes::MISUSE, e.span, message).help(help);
                    self.sink.push(d);
                    return Err(Failed);
                }
                if self.scope.places[outer..].contains(name) {
                    let message = format!("`{name}` is bound twice by this input");
                    return self.error(codes::DUPLICATE, e.span, message);
                }
                if !self.scope.places.contains(name) && !self.macros.contains_key(name.as_str()) {
                    resolved.push(Pattern::Bind(self.place(name, e.span)?));
                    continue;
                }
            }
            let pattern = self.expr(e)?;
            self.not_of_variables(&pattern, e.span)?;
            free |= pattern.free();
            resolved.push(Pattern::Match(pattern));
        }
        let guard = guard.as_ref().map(|g| self.expr(g)).transpose()?;
        let program = program.as_ref().map(|p| self.code(p)).transpose()?;
        let next = self.process(next)?;
        free |= guard.as_ref().map_or(0, Expr::free)
            | all(program.iter().flat_map(|c| c.statements.iter().map(|s| s.free())))
            | self.free(next);
        self.scope.places.truncate(outer);
        Ok(self.node(NodeKind::Receive(port, guard, resolved, program, next), span, free))
    }

    fn not_of_variables(&mut self, e: &Expr, span: Span) -> Resolved<()> {
        if e.reads_state() {
            return self.error(codes::CONSTANT, span, "this cannot depend on variables");
        }
        Ok(())
    }

    fn event(&mut self, event: &ast::Event) -> Resolved<Event> {
        let name = self.event_name(&event.name.text);
        let parts = event.parts.iter().map(|e| self.expr(e)).collect::<Resolved<Vec<_>>>()?;
        Ok(Event { name, parts, span: event.span })
    }

    /// Indices and their places, which stay in the scope.
    fn indices(&mut self, over: &[ast::Range]) -> Resolved<Vec<(u32, Values)>> {
        let mut resolved = Vec::new();
        for range in over {
            let value = |r: &mut Self, e: &ast::Expr| {
                let resolved = r.expr(e)?;
                r.not_of_variables(&resolved, e.span)?;
                Ok(resolved)
            };
            let values = match &range.values {
                ast::Values::Between(a, b) => Values::Between(value(self, a)?, value(self, b)?),
                ast::Values::List(list) => {
                    Values::List(list.iter().map(|e| value(self, e)).collect::<Resolved<_>>()?)
                }
            };
            resolved.push((self.place(&range.name.text, range.name.span)?, values));
        }
        Ok(resolved)
    }

    fn event_sets(&mut self, sets: &[ast::EventSet]) -> Resolved<Vec<EventSet>> {
        let mut resolved = Vec::new();
        for set in sets {
            let outer = self.scope.places.len();
            let over = self.indices(&set.over)?;
            let event = self.event(&set.event)?;
            self.scope.places.truncate(outer);
            resolved.push(EventSet { over, event });
        }
        Ok(resolved)
    }
}

fn values_free(values: &Values) -> u64 {
    match values {
        Values::Between(a, b) => a.free() | b.free(),
        Values::List(list) => all(list.iter().map(Expr::free)),
    }
}
