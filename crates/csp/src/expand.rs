//! Closures to terms: calls are replaced by what they call, indices by their values.

use linchpin_text::Span;

use crate::alphabet::alphabets;
use crate::ast::Op;
use crate::eval::{Evaluated, Reader, trouble};
use crate::labels::SetId;
use crate::program::{DefId, EventSet, Expr, NodeId, NodeKind, Program, Values};
use crate::term::{Env, SKIP, STOP, Term, TermId, Terms};
use crate::value::{self, Value, is_number};

/// The deepest chain of calls without a step between them.
const MAX_CALLS: u32 = 400;

/// The most operands of an indexed operator.
const MAX_PARTS: usize = 1 << 12;

/// The most operands of all operators of a process.
const MAX_OPERANDS: u64 = 1 << 16;

/// Unfolds processes.
pub(crate) struct Expander<'a> {
    pub(crate) program: &'a Program,
    pub(crate) terms: &'a Terms,
    depth: u32,
}

/// An environment with everything that does not matter for a node set to zero.
pub(crate) fn trimmed(program: &Program, node: NodeId, env: &[Value]) -> Env {
    let node = &program.nodes[node as usize];
    let place = |i: u32| if node.free >> i & 1 == 1 { env[i as usize] } else { 0 };
    (0..node.scope).map(place).collect()
}

impl<'a> Expander<'a> {
    pub(crate) fn new(program: &'a Program, terms: &'a Terms) -> Self {
        Expander { program, terms, depth: 0 }
    }

    /// The term of a process with arguments.
    pub(crate) fn call(
        &mut self,
        definition: DefId,
        arguments: &[Value],
        span: Span,
    ) -> Evaluated<TermId> {
        let d = &self.program.definitions[definition as usize];
        for ((name, range), &v) in d.parameters.iter().zip(arguments) {
            if let Some((low, high)) = *range
                && is_number(v)
                && !(low..=high).contains(&v)
            {
                let text = format!("`{name}` of `{}` is {v}, outside {low}..{high}", d.name);
                return trouble(span, text);
            }
        }
        let body = self.deeper(span, |e| e.term(d.body, arguments))?;
        // In a sequence, a call is followed by a silent step even if it does nothing.
        Ok(self.terms.called(body))
    }

    fn deeper<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Evaluated<T>) -> Evaluated<T> {
        if self.depth == MAX_CALLS {
            let text = "the process unfolds without end: it calls itself before any event";
            return trouble(span, text);
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// The term of a closure.
    pub(crate) fn term(&mut self, id: NodeId, env: &[Value]) -> Evaluated<TermId> {
        let term = self.unfold(id, env)?;
        // What only turns out to be `Skip` is followed by a silent step in a sequence.
        if self.terms.is_skip(term) && !self.program.is_written_skip(id) {
            return Ok(self.terms.called(term));
        }
        Ok(term)
    }

    fn unfold(&mut self, id: NodeId, env: &[Value]) -> Evaluated<TermId> {
        let program = self.program;
        let node = &program.nodes[id as usize];
        Ok(match &node.kind {
            NodeKind::Stop => STOP,
            NodeKind::Skip => SKIP,
            NodeKind::Prefix(..)
            | NodeKind::Send(..)
            | NodeKind::Receive(..)
            | NodeKind::If(..)
            | NodeKind::IfBlocking(..)
            | NodeKind::Case(..)
            | NodeKind::Assert(_)
            | NodeKind::Nary(Op::Internal, _)
            | NodeKind::Indexed(Op::Internal, ..)
            | NodeKind::Call(_, _, true) => {
                self.terms.intern(Term::Leaf(id, trimmed(program, id, env)))
            }
            NodeKind::Guard(..) | NodeKind::IfAtomic(..) if node.lazy => {
                self.terms.intern(Term::Leaf(id, trimmed(program, id, env)))
            }
            NodeKind::Call(definition, arguments, false) => {
                let values = self.values(arguments, env)?;
                self.call(*definition, &values, node.span)?
            }
            NodeKind::Guard(e, inner) => {
                let inner = match self.known(e, env, node.span) {
                    // Nothing is unfolded that cannot happen.
                    Some(Ok(false)) => return Ok(STOP),
                    Some(Ok(true)) => return self.deeper(node.span, |e| e.term(*inner, env)),
                    Some(Err(_)) => STOP,
                    None => self.below(*inner, env, node.span),
                };
                self.terms.intern(Term::Guard(id, trimmed(program, id, env), inner))
            }
            NodeKind::IfAtomic(e, then, other) => {
                let (then, other) = match self.known(e, env, node.span) {
                    Some(Ok(true)) => return self.deeper(node.span, |e| e.term(*then, env)),
                    Some(Ok(false)) => return self.deeper(node.span, |e| e.term(*other, env)),
                    Some(Err(_)) => (STOP, STOP),
                    None => (self.below(*then, env, node.span), self.below(*other, env, node.span)),
                };
                self.terms.intern(Term::IfAtomic(id, trimmed(program, id, env), then, other))
            }
            NodeKind::Atomic(inner) => {
                let inner = self.deeper(node.span, |e| e.term(*inner, env))?;
                self.terms.atomic(inner)
            }
            NodeKind::Many(inner) => {
                let inner = self.deeper(node.span, |e| e.term(*inner, env))?;
                self.terms.many(inner)
            }
            NodeKind::Sequence(first, second) => {
                let first = self.deeper(node.span, |e| e.term(*first, env))?;
                self.sequence(first, *second, env)?
            }
            NodeKind::Interrupt(a, b) => {
                let a = self.deeper(node.span, |e| e.term(*a, env))?;
                let b = self.deeper(node.span, |e| e.term(*b, env))?;
                self.terms.intern(Term::Interrupt(a, b))
            }
            NodeKind::Hide(inner, events) => {
                let inner = self.deeper(node.span, |e| e.term(*inner, env))?;
                let set = self.event_set(events, env)?;
                self.terms.hide(inner, set)
            }
            NodeKind::Nary(..) | NodeKind::Indexed(..) | NodeKind::Replicated(..) => {
                let (op, parts) = self.operands(id, env)?;
                self.compose(op, &parts, node.span)?
            }
        })
    }

    /// The term of what is below a condition that depends on variables: if it cannot be unfolded,
    /// that matters only where the condition holds.
    fn below(&mut self, id: NodeId, env: &[Value], span: Span) -> TermId {
        match self.deeper(span, |e| e.term(id, env)) {
            Ok(term) => term,
            Err(trouble) => {
                let number = self.terms.trouble(*trouble);
                self.terms.intern(Term::Fault(number, id))
            }
        }
    }

    /// The value of a condition that does not depend on variables.
    fn known(&self, e: &Expr, env: &[Value], span: Span) -> Option<Evaluated<bool>> {
        let reader = Reader { program: self.program, data: &[], env };
        (!e.reads_state()).then(|| reader.holds(e, span))
    }

    /// The operands of an operator as closures.
    pub(crate) fn operands(
        &self,
        id: NodeId,
        env: &[Value],
    ) -> Evaluated<(Op, Vec<(NodeId, Env)>)> {
        let node = &self.program.nodes[id as usize];
        match &node.kind {
            NodeKind::Nary(op, parts) => {
                Ok((*op, parts.iter().map(|&p| (p, Env::from(env))).collect()))
            }
            NodeKind::Indexed(op, over, body) => {
                let rows = rows(self.program, over, env, node.span)?;
                Ok((*op, rows.into_iter().map(|row| (*body, row)).collect()))
            }
            NodeKind::Replicated(count, body) => {
                let n = Reader { program: self.program, data: &[], env }.value(count)?;
                if !is_number(n) || n < 0 || n as usize > MAX_PARTS {
                    let n = value::show(n);
                    return trouble(node.span, format!("there cannot be {n} processes"));
                }
                Ok((Op::Interleave, vec![(*body, Env::from(env)); n as usize]))
            }
            _ => trouble(node.span, "not an operator"),
        }
    }

    fn compose(&mut self, op: Op, parts: &[(NodeId, Env)], span: Span) -> Evaluated<TermId> {
        if parts.is_empty() {
            let parallel = matches!(op, Op::Interleave | Op::Parallel);
            return Ok(if parallel { SKIP } else { STOP });
        }
        let mut terms = Vec::with_capacity(parts.len());
        let mut operands = 0;
        for (node, env) in parts {
            self.terms.ask()?;
            let term = self.deeper(span, |e| e.term(*node, env))?;
            operands += self.terms.operands(term);
            if operands > MAX_OPERANDS {
                return trouble(span, format!("more than {MAX_OPERANDS} processes at a time"));
            }
            terms.push(term);
        }
        Ok(match op {
            Op::General => self.terms.choice(terms),
            Op::External => {
                let written = |i: &usize| !self.program.is_written_stop(parts[*i].0);
                let rest = (0..terms.len()).filter(written).map(|i| terms[i]).collect();
                self.terms.external(rest)
            }
            Op::Interleave => self.terms.interleave(terms),
            Op::Parallel => {
                let sets = alphabets(self.program, self.terms, parts)?;
                let alphabets = self.terms.alphabets(sets);
                self.terms.parallel(alphabets, terms)
            }
            Op::Internal => return trouble(span, "an internal choice waits"),
        })
    }

    /// `first; second`
    pub(crate) fn sequence(
        &mut self,
        first: TermId,
        second: NodeId,
        env: &[Value],
    ) -> Evaluated<TermId> {
        if self.terms.is_skip(first) {
            let span = self.program.nodes[second as usize].span;
            return self.deeper(span, |e| e.term(second, env));
        }
        if first == STOP {
            return Ok(STOP);
        }
        let env = trimmed(self.program, second, env);
        Ok(self.terms.intern(Term::Sequence(first, second, env)))
    }

    pub(crate) fn values(&self, list: &[Expr], env: &[Value]) -> Evaluated<Vec<Value>> {
        let reader = Reader { program: self.program, data: &[], env };
        list.iter().map(|e| reader.value(e)).collect()
    }

    fn event_set(&mut self, sets: &[EventSet], env: &[Value]) -> Evaluated<SetId> {
        let mut labels = Vec::new();
        for set in sets {
            for row in rows(self.program, &set.over, env, set.event.span)? {
                let parts = self.values(&set.event.parts, &row)?;
                let text = event_text(self.program, set.event.name, &parts);
                labels.push(self.terms.labels.label(&text));
            }
        }
        Ok(self.terms.labels.set(labels))
    }
}

/// An event as it is written.
pub(crate) fn event_text(program: &Program, name: u32, parts: &[Value]) -> String {
    let mut text = program.names[name as usize].clone();
    for &part in parts {
        text.push('.');
        text += &program.objects.show(part);
    }
    text
}

/// All environments that extend one by the values of indices.
pub(crate) fn rows(
    program: &Program,
    over: &[(u32, Values)],
    env: &[Value],
    span: Span,
) -> Evaluated<Vec<Env>> {
    let mut rows = vec![env.to_vec()];
    for (place, values) in over {
        let mut next = Vec::new();
        for row in &rows {
            let reader = Reader { program, data: &[], env: row };
            let list: Vec<Value> = match values {
                Values::List(list) => {
                    list.iter().map(|e| reader.value(e)).collect::<Evaluated<_>>()?
                }
                Values::Between(a, b) => {
                    let (a, b) = (reader.value(a)?, reader.value(b)?);
                    if !is_number(a) || !is_number(b) {
                        return trouble(span, "an index has numbers as values");
                    }
                    if i64::from(b) - i64::from(a) > MAX_PARTS as i64 {
                        return trouble(span, format!("more than {MAX_PARTS} operands"));
                    }
                    (a..=b).collect()
                }
            };
            for v in list {
                let mut row = row.clone();
                row.truncate(*place as usize);
                row.push(v);
                next.push(row);
            }
            if next.len() > MAX_PARTS {
                return trouble(span, format!("more than {MAX_PARTS} operands"));
            }
        }
        rows = next;
    }
    Ok(rows.into_iter().map(Vec::into_boxed_slice).collect())
}
