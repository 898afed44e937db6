//! The steps of a term, computed once: what must hold, what happens, where it leads.
//!
//! The rules are PAT's operational semantics (Sun, Liu, Dong and Chen, "Integrating specification and
//! programs for system modeling and verification", TASE 2009), with the values of parameters known
//! and the values of variables not: a step has *guards* that are looked at in a state. Where PAT's
//! rules depend on the name of an event (hiding, synchronisation) and the name depends on variables,
//! there is a step for each case, guarded by the case.

mod parallel;

use std::sync::Arc;

use linchpin_lts::{Label, TAU, Trouble};

use crate::ast::Op;
use crate::eval::{Evaluated, Reader, truth};
use crate::expand::{Expander, event_text};
use crate::labels::{SetId, TICK};
use crate::network::Map;
use crate::program::{Code, DefId, Expr, NodeId, NodeKind, Program, TAU_NAME};
use crate::special::{special, special_code};
use crate::term::{DONE, Env, SKIP, STOP, Term, TermId, Terms};
use crate::value::{self, TRUE, Value};

/// An environment shared by the parts of a step.
pub(crate) type Shared = Arc<[i32]>;

/// The name of a visible step.
#[derive(Clone, Debug)]
pub(crate) enum Spec {
    /// Known.
    Fixed(Label),
    /// The event of a prefix, whose parts depend on variables.
    Event(NodeId, Shared),
    /// The synchronous communication of this output.
    Communication(NodeId, Shared),
}

/// What must hold for a step.
#[derive(Clone, Debug)]
pub(crate) enum Guard {
    /// A condition of a node (the first, the second) has this value. Last what it is with the values of parameters.
    Condition(NodeId, u32, Shared, bool, Arc<Expr>),
    /// The name is in a set, or is not.
    Named(Spec, SetId, bool),
    /// The name is this one.
    Is(Spec, Label),
}

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// A silent step.
    Tau,
    /// Termination.
    Tick,
    /// An event. With a node: its program is executed.
    Event(Spec, Option<(NodeId, Shared)>),
    /// An output; on a synchronous channel an offer to those in parallel.
    Send(NodeId, Shared),
    /// An input; on a synchronous channel an offer to those in parallel.
    Receive(NodeId, Shared),
    /// A synchronous communication: the output, the input, the name.
    Communicate(NodeId, Shared, NodeId, Shared, Spec),
    /// An error of the model.
    Fault(Arc<Trouble>),
}

/// Where a step leads.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Term(TermId),
    /// To what follows an input, with the values that come in, inside of operators.
    Bound(Arc<Bound>),
    /// To a process that cannot be unfolded.
    Broken(Arc<Trouble>),
}

/// What follows an input.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) node: NodeId,
    pub(crate) env: Shared,
    /// Operators around it, innermost first.
    pub(crate) wraps: Vec<Wrap>,
}

/// An operator with a hole.
#[derive(Clone, Debug)]
pub(crate) enum Wrap {
    Sequence(NodeId, Env),
    External(Box<[TermId]>, usize),
    Interleave(Box<[TermId]>, usize),
    Parallel(u32, Box<[TermId]>, usize),
    InterruptLeft(TermId),
    InterruptRight(TermId),
    Hide(SetId),
    Atomic,
}

/// A step.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) guards: Vec<Guard>,
    pub(crate) action: Action,
    pub(crate) target: Target,
    /// The program of an event, with the values of parameters.
    pub(crate) code: Option<Arc<Code>>,
    /// Is it inside of `atomic`?
    pub(crate) atomic: bool,
    /// Where it is written: the nodes that move.
    pub(crate) nodes: Vec<NodeId>,
}

/// The most steps of a term.
const MAX_STEPS: usize = 1 << 16;

/// Why there are no steps.
pub(crate) enum Halt {
    /// The arguments of this call, or this condition, are needed first: they depend on variables.
    Need(NodeId, Env),
    /// They cannot be computed.
    Trouble(Box<Trouble>),
}

impl From<Box<Trouble>> for Halt {
    fn from(trouble: Box<Trouble>) -> Halt {
        Halt::Trouble(trouble)
    }
}

/// Says that a process never stops growing.
pub(crate) fn too_large() -> Trouble {
    let message = "a process grows without bound: it starts more and more processes in parallel or in \
                   sequence";
    Trouble::new(message)
}

type Computed<T> = Result<T, Halt>;

/// Stands before the number of a trouble where the arguments of a call are given.
pub(crate) const BROKEN: i32 = i32::MAX;

/// Computes steps.
pub(crate) struct Stepper<'a> {
    program: &'a Program,
    terms: &'a Terms,
    /// Arguments of calls that depend on variables, and conditions above recursion, in the order in
    /// which they are met.
    arguments: &'a [i32],
    /// What was called with which arguments: many steps lead to the same process.
    called: Map<(DefId, Vec<Value>), TermId>,
}

/// The steps of a term. `arguments` are those of the calls that depend on variables: values, or
/// [`BROKEN`] and a trouble. PAT evaluates them when the called process moves, and only for that step.
pub(crate) fn steps(
    program: &Program,
    terms: &Terms,
    id: TermId,
    arguments: &[i32],
) -> Computed<Vec<Step>> {
    let steps = Stepper { program, terms, arguments, called: Map::default() }.steps(id)?;
    if steps.len() > MAX_STEPS {
        let message = format!("a process has more than {MAX_STEPS} possible steps at a time");
        return Err(Halt::Trouble(Box::new(Trouble::new(message))));
    }
    Ok(steps)
}

/// The condition of a node.
pub(crate) fn condition(program: &Program, node: NodeId, which: u32) -> &Expr {
    match &program.nodes[node as usize].kind {
        NodeKind::Guard(e, _)
        | NodeKind::If(e, ..)
        | NodeKind::IfAtomic(e, ..)
        | NodeKind::IfBlocking(e, _)
        | NodeKind::Assert(e) => e,
        NodeKind::Case(cases) => &cases[which as usize].0,
        other => unreachable!("a condition of {other:?}"),
    }
}

/// A term inside of an operator.
pub(crate) fn wrap(
    program: &Program,
    terms: &Terms,
    wrap: &Wrap,
    hole: TermId,
) -> Evaluated<TermId> {
    let fill = |parts: &[TermId], i: usize| {
        let mut parts = parts.to_vec();
        parts[i] = hole;
        parts
    };
    Ok(match wrap {
        Wrap::Sequence(node, env) => Expander::new(program, terms).sequence(hole, *node, env)?,
        Wrap::External(parts, i) => terms.external(fill(parts, *i)),
        Wrap::Interleave(parts, i) => terms.interleave(fill(parts, *i)),
        Wrap::Parallel(alphabets, parts, i) => terms.parallel(*alphabets, fill(parts, *i)),
        Wrap::InterruptLeft(right) => terms.intern(Term::Interrupt(hole, *right)),
        Wrap::InterruptRight(left) => terms.intern(Term::Interrupt(*left, hole)),
        Wrap::Hide(set) => terms.hide(hole, *set),
        Wrap::Atomic => terms.atomic(hole),
    })
}

impl Step {
    fn new(action: Action, target: Target, node: NodeId) -> Step {
        Step { guards: Vec::new(), action, target, code: None, atomic: false, nodes: vec![node] }
    }

    fn is_tick(&self) -> bool {
        matches!(self.action, Action::Tick)
    }

    fn is_tau(&self) -> bool {
        matches!(self.action, Action::Tau) || matches!(self.spec(), Some(Spec::Fixed(TAU)))
    }

    /// Its name, if others can see it.
    fn spec(&self) -> Option<&Spec> {
        match &self.action {
            Action::Event(spec, _) | Action::Communicate(_, _, _, _, spec) => Some(spec),
            _ => None,
        }
    }

    /// Does it take part in the synchronisation of `||`?
    fn synchronises(&self) -> bool {
        matches!(&self.action, Action::Event(_, None) | Action::Communicate(..)) && !self.is_tau()
    }
}

impl Stepper<'_> {
    fn steps(&mut self, id: TermId) -> Computed<Vec<Step>> {
        if self.terms.is_too_large(id) {
            return Err(Halt::Trouble(Box::new(too_large())));
        }
        let term = self.terms.get(id).clone();
        Ok(match term {
            Term::Stop | Term::Done => Vec::new(),
            Term::Skip | Term::NamedSkip => {
                vec![Step { nodes: Vec::new(), ..Step::new(Action::Tick, Target::Term(DONE), 0) }]
            }
            Term::Fault(number, node) => {
                let trouble = Arc::new(self.terms.trouble_of(number).clone());
                vec![Step::new(Action::Fault(trouble), Target::Term(DONE), node)]
            }
            Term::Leaf(node, env) => self.leaf(node, env.into())?,
            Term::Guard(node, env, inner) => {
                let mut steps = self.steps(inner)?;
                self.guard(&mut steps, node, 0, &env.into(), true);
                steps
            }
            Term::IfAtomic(node, env, then, other) => {
                let env = env.into();
                let mut steps = self.steps(then)?;
                self.guard(&mut steps, node, 0, &env, true);
                let mut others = self.steps(other)?;
                self.guard(&mut others, node, 0, &env, false);
                steps.extend(others);
                steps
            }
            Term::Choice(parts) => {
                let mut steps = Vec::new();
                for &part in &parts {
                    steps.extend(self.steps(part)?);
                }
                steps
            }
            Term::External(parts) => {
                let mut steps = Vec::new();
                for (i, &part) in parts.iter().enumerate() {
                    for mut step in self.steps(part)? {
                        if step.is_tau() {
                            self.wrap(&mut step, Wrap::External(parts.clone(), i));
                        }
                        steps.push(step);
                    }
                }
                steps
            }
            Term::Interrupt(left, right) => {
                let mut steps = self.steps(left)?;
                for step in steps.iter_mut().filter(|s| !s.is_tick()) {
                    self.wrap(step, Wrap::InterruptLeft(right));
                }
                for mut step in self.steps(right)? {
                    if step.is_tau() {
                        self.wrap(&mut step, Wrap::InterruptRight(left));
                    }
                    steps.push(step);
                }
                steps
            }
            Term::Atomic(inner) => {
                let mut steps = self.steps(inner)?;
                for step in &mut steps {
                    step.atomic = true;
                    self.wrap(step, Wrap::Atomic);
                }
                steps
            }
            Term::Sequence(first, second, env) => {
                let mut steps = self.steps(first)?;
                for step in &mut steps {
                    if step.is_tick() {
                        step.action = Action::Tau;
                        step.target = self.target(second, &env);
                        step.nodes.push(second);
                    } else {
                        self.wrap(step, Wrap::Sequence(second, env.clone()));
                    }
                }
                steps
            }
            Term::Hide(inner, set) => self.hide(inner, set)?,
            Term::Interleave(parts) => self.interleave(&parts)?,
            Term::Many(inner) => self.many(id, inner)?,
            Term::Parallel(alphabets, parts) => self.parallel(alphabets, &parts)?,
        })
    }

    /// The term of a closure, or why there is none.
    fn target(&mut self, node: NodeId, env: &[i32]) -> Target {
        let mut expander = Expander::new(self.program, self.terms);
        let called = match &self.program.nodes[node as usize].kind {
            NodeKind::Call(definition, arguments, false) => {
                expander.values(arguments, env).ok().map(|values| (*definition, values))
            }
            _ => None,
        };
        if let Some(known) = called.as_ref().and_then(|called| self.called.get(called)) {
            return Target::Term(*known);
        }
        match expander.term(node, env) {
            Ok(term) => {
                self.called.extend(called.map(|called| (called, term)));
                Target::Term(term)
            }
            Err(trouble) => Target::Broken(trouble.into()),
        }
    }

    fn wrap(&mut self, step: &mut Step, w: Wrap) {
        step.target = match std::mem::replace(&mut step.target, Target::Term(DONE)) {
            Target::Term(hole) => match wrap(self.program, self.terms, &w, hole) {
                Ok(term) => Target::Term(term),
                Err(trouble) => Target::Broken(trouble.into()),
            },
            Target::Bound(bound) => {
                let mut wraps = bound.wraps.clone();
                wraps.push(w);
                let env = bound.env.clone();
                Target::Bound(Arc::new(Bound { node: bound.node, env, wraps }))
            }
            broken => broken,
        };
    }

    /// Adds a condition to steps; one that is known is decided now.
    fn guard(&self, steps: &mut Vec<Step>, node: NodeId, which: u32, env: &Shared, want: bool) {
        let e = condition(self.program, node, which);
        if !e.reads_state() {
            let span = self.program.nodes[node as usize].span;
            let reader = Reader { program: self.program, data: &[], env };
            match reader.value(e).and_then(|v| truth(v, span)) {
                Ok(value) if value == want => return,
                Ok(_) => return steps.clear(),
                // The error belongs to the state in which the condition is looked at.
                Err(trouble) => {
                    let action = Action::Fault(trouble.into());
                    *steps = vec![Step::new(action, Target::Term(DONE), node)];
                    return;
                }
            }
        }
        let e = Arc::new(special(e, env));
        match *e {
            Expr::Const(v) if v == value::bool(want) => return,
            Expr::Const(v) if v == value::bool(!want) => return steps.clear(),
            _ => {}
        }
        for step in steps {
            let guard = Guard::Condition(node, which, env.clone(), want, e.clone());
            step.guards.insert(0, guard);
        }
    }

    fn leaf(&mut self, node: NodeId, env: Shared) -> Computed<Vec<Step>> {
        let program = self.program;
        let n = &program.nodes[node as usize];
        Ok(match &n.kind {
            NodeKind::Prefix(event, code, next) => {
                let spec = if event.name == TAU_NAME {
                    Spec::Fixed(TAU)
                } else if event.parts.iter().any(Expr::reads_state) {
                    Spec::Event(node, env.clone())
                } else {
                    let reader = Reader { program, data: &[], env: &env };
                    let parts =
                        event.parts.iter().map(|e| reader.value(e)).collect::<Result<Vec<_>, _>>();
                    match parts {
                        Ok(parts) => {
                            let text = event_text(program, event.name, &parts);
                            Spec::Fixed(self.terms.labels.label(&text))
                        }
                        Err(trouble) => {
                            let action = Action::Fault(trouble.into());
                            return Ok(vec![Step::new(action, Target::Term(DONE), node)]);
                        }
                    }
                };
                let known = code.as_ref().map(|code| Arc::new(special_code(code, &env)));
                let code = code.is_some().then(|| (node, env.clone()));
                let target = self.target(*next, &env);
                vec![Step { code: known, ..Step::new(Action::Event(spec, code), target, node) }]
            }
            NodeKind::Send(_, _, _, next) => {
                let target = self.target(*next, &env);
                vec![Step::new(Action::Send(node, env), target, node)]
            }
            NodeKind::Receive(..) => {
                let bound = Bound { node, env: env.clone(), wraps: Vec::new() };
                let target = Target::Bound(Arc::new(bound));
                vec![Step::new(Action::Receive(node, env), target, node)]
            }
            NodeKind::If(_, then, other) => {
                let mut steps = vec![Step::new(Action::Tau, self.target(*then, &env), node)];
                self.guard(&mut steps, node, 0, &env, true);
                if !matches!(steps.as_slice(), [Step { action: Action::Fault(_), .. }]) {
                    let mut others = vec![Step::new(Action::Tau, self.target(*other, &env), node)];
                    self.guard(&mut others, node, 0, &env, false);
                    steps.extend(others);
                }
                steps
            }
            NodeKind::IfBlocking(_, then) => {
                let mut steps = vec![Step::new(Action::Tau, self.target(*then, &env), node)];
                self.guard(&mut steps, node, 0, &env, true);
                steps
            }
            NodeKind::Case(cases) => {
                let mut steps = Vec::new();
                for i in 0..=cases.len() {
                    let target = match cases.get(i) {
                        Some((_, p)) => self.target(*p, &env),
                        None => Target::Term(SKIP),
                    };
                    let mut one = vec![Step::new(Action::Tau, target, node)];
                    if i < cases.len() {
                        self.guard(&mut one, node, i as u32, &env, true);
                    }
                    for before in (0..i).rev() {
                        self.guard(&mut one, node, before as u32, &env, false);
                    }
                    steps.extend(one);
                }
                steps
            }
            NodeKind::Assert(_) => {
                let mut steps = vec![Step::new(Action::Tick, Target::Term(DONE), node)];
                self.guard(&mut steps, node, 0, &env, true);
                let trouble = Trouble::at("the assertion is false", n.span.start, n.span.end);
                let fault = Action::Fault(Arc::new(trouble));
                let mut others = vec![Step::new(fault, Target::Term(DONE), node)];
                self.guard(&mut others, node, 0, &env, false);
                steps.extend(others);
                steps
            }
            NodeKind::Nary(Op::Internal, _) | NodeKind::Indexed(Op::Internal, ..) => {
                let (_, parts) = Expander::new(program, self.terms).operands(node, &env)?;
                let mut steps = Vec::new();
                for (part, env) in parts {
                    steps.push(Step::new(Action::Tau, self.target(part, &env), node));
                }
                steps
            }
            NodeKind::Call(..) | NodeKind::Guard(..) | NodeKind::IfAtomic(..) => {
                if self.arguments.is_empty() {
                    return Err(Halt::Need(node, env.to_vec().into()));
                }
                if let [BROKEN, number, rest @ ..] = self.arguments {
                    self.arguments = rest;
                    let trouble = Arc::new(self.terms.trouble_of(*number as u32).clone());
                    let action = Action::Fault(trouble);
                    return Ok(vec![Step::new(action, Target::Term(DONE), node)]);
                }
                let count = match &n.kind {
                    NodeKind::Call(_, arguments, _) => arguments.len(),
                    _ => 1,
                };
                let (these, rest) = self.arguments.split_at(count);
                self.arguments = rest;
                let mut expander = Expander::new(program, self.terms);
                let term = match &n.kind {
                    NodeKind::Call(definition, ..) => expander.call(*definition, these, n.span)?,
                    NodeKind::Guard(_, inner) if these == [TRUE] => expander.term(*inner, &env)?,
                    NodeKind::IfAtomic(_, then, _) if these == [TRUE] => {
                        expander.term(*then, &env)?
                    }
                    NodeKind::IfAtomic(_, _, other) => expander.term(*other, &env)?,
                    _ => STOP,
                };
                self.steps(term)?
            }
            _ => Vec::new(),
        })
    }

    fn hide(&mut self, inner: TermId, set: SetId) -> Computed<Vec<Step>> {
        let mut steps = Vec::new();
        for mut step in self.steps(inner)? {
            self.wrap(&mut step, Wrap::Hide(set));
            match step.spec().cloned() {
                Some(Spec::Fixed(label)) if self.terms.labels.contains(set, label) => {
                    step.rename(TAU);
                }
                None | Some(Spec::Fixed(_)) => {}
                Some(spec) => {
                    let mut hidden = step.clone();
                    hidden.guards.push(Guard::Named(spec.clone(), set, true));
                    hidden.rename(TAU);
                    steps.push(hidden);
                    step.guards.push(Guard::Named(spec, set, false));
                }
            }
            steps.push(step);
        }
        Ok(steps)
    }
}

impl Step {
    /// Gives the step a name that is known.
    fn rename(&mut self, label: Label) {
        match &mut self.action {
            Action::Event(spec, _) | Action::Communicate(_, _, _, _, spec) => {
                *spec = Spec::Fixed(label);
            }
            _ => {}
        }
    }
}

/// Do the labels of all silent and terminating steps have their numbers?
const _: () = assert!(TAU == 0 && TICK == 1);
