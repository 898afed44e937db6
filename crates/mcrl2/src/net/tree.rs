//! The initial process as a tree: operators above, sequential processes below.
//!
//! As in mCRL2, parallel composition and the operators on actions stand above sequential processes:
//! `(p || q) . r` and `p + hide(...)` are refused, and so is parallelism inside recursion, whose
//! state space would not be finite.

use linchpin_lts::Trouble;
use linchpin_text::Diagnostic;
use linchpin_text::Span;

use crate::check::Spec;
use crate::code::{Operator, TermId, TermKind};
use crate::data::{Machine, Stop, UNBOUND, Value};
use crate::report::{Checked, SHAPE, error};

/// The most sequential components, and the most processes that are unfolded to find one. Thirty processes that
/// are each the previous one twice would be a billion components.
const MAX_LEAVES: usize = 1 << 12;
const MAX_INSIDE: usize = 500;

/// A sequential component.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) term: TermId,
    /// The values of the slots it starts with.
    pub(crate) values: Vec<Value>,
}

/// The tree; leaves are numbers of components.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Leaf(u32),
    Parallel(Vec<Tree>),
    Around(Operator, Box<Tree>),
}

/// The tree of the initial process, and its components.
pub(crate) fn build(machine: &mut Machine) -> Checked<(Tree, Vec<Leaf>)> {
    let spec = std::sync::Arc::clone(&machine.spec);
    let mut builder = Builder {
        parallel: parallel(&spec),
        spec: &spec,
        machine,
        leaves: Vec::new(),
        inside: Vec::new(),
    };
    let mut env = vec![UNBOUND; spec.init_size as usize];
    let tree = builder.walk(spec.init, &mut env)?;
    Ok((tree, builder.leaves))
}

struct Builder<'a> {
    spec: &'a Spec,
    machine: &'a mut Machine,
    /// Which processes have parallel composition or operators in them, or call one that has.
    parallel: Vec<bool>,
    leaves: Vec<Leaf>,
    /// The processes that are being unfolded.
    inside: Vec<u32>,
}

impl Builder<'_> {
    fn walk(&mut self, term: TermId, env: &mut [Value]) -> Checked<Tree> {
        let t = &self.spec.terms[term as usize];
        if !contains(self.spec, &self.parallel, term) {
            if self.leaves.len() >= MAX_LEAVES {
                let message = format!("there are more than {MAX_LEAVES} parallel processes");
                return Err(Box::new(error(SHAPE, t.span, message).label("one more")));
            }
            self.leaves.push(Leaf { term, values: env.to_vec() });
            return Ok(Tree::Leaf(self.leaves.len() as u32 - 1));
        }
        match &t.kind {
            TermKind::Parallel(a, b) => {
                let mut list = Vec::new();
                for side in [a, b] {
                    match self.walk(*side, env)? {
                        Tree::Parallel(inner) => list.extend(inner),
                        other => list.push(other),
                    }
                }
                Ok(Tree::Parallel(list))
            }
            TermKind::Around(operator, body) => {
                let body = self.walk(*body, env)?;
                Ok(Tree::Around((**operator).clone(), Box::new(body)))
            }
            TermKind::Call(process, arguments) => {
                let definition = &self.spec.processes[*process as usize];
                if self.inside.contains(process) {
                    let message = format!("`{}` puts itself in parallel", definition.name);
                    let problem = error(SHAPE, t.span, message).label("again here");
                    let note = "the number of parallel processes has to be known from the start";
                    return Err(Box::new(
                        problem.also(definition.span, "declared here").note(note),
                    ));
                }
                if self.inside.len() >= MAX_INSIDE {
                    let message = format!(
                        "parallel processes that are called through more than {MAX_INSIDE} others"
                    );
                    return Err(Box::new(error(SHAPE, t.span, message)));
                }
                let mut inner = vec![UNBOUND; definition.size as usize];
                for (slot, argument) in inner.iter_mut().zip(arguments) {
                    *slot = match self.machine.eval(argument, env) {
                        Ok(value) => value,
                        Err(Stop::Trouble(trouble)) => return Err(as_diagnostic(*trouble, t.span)),
                        Err(Stop::Unbound) => {
                            let message = "the argument of a parallel process is not known";
                            return Err(Box::new(error(SHAPE, t.span, message)));
                        }
                    };
                }
                self.inside.push(*process);
                let result = self.walk(definition.body, &mut inner);
                self.inside.pop();
                result
            }
            kind => {
                let what = match kind {
                    TermKind::Sequence(..) => "`.`",
                    TermKind::Choice(..) => "`+`",
                    TermKind::Sum(..) => "`sum`",
                    _ => "a condition",
                };
                let message = format!("parallel processes or operators on actions under {what}");
                let problem = error(SHAPE, t.span, message);
                let note = "as in mCRL2's own tools, `||`, `hide`, `allow`, `block`, `comm` and \
                            `rename` stand above sequential processes";
                Err(Box::new(problem.note(note)))
            }
        }
    }
}

fn as_diagnostic(trouble: Trouble, span: Span) -> Box<Diagnostic> {
    Box::new(error(SHAPE, span, trouble.message))
}

/// Which processes are not sequential: those with parallelism in them, and whoever calls one.
fn parallel(spec: &Spec) -> Vec<bool> {
    let n = spec.processes.len();
    let mut found = vec![false; n];
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (i, process) in spec.processes.iter().enumerate() {
        calls(spec, process.body, &mut |called| callers[called as usize].push(i as u32));
    }
    let own = |i: &usize| contains(spec, &[], spec.processes[*i].body);
    let mut list: Vec<usize> = (0..n).filter(own).collect();
    while let Some(i) = list.pop() {
        if !std::mem::replace(&mut found[i], true) {
            list.extend(callers[i].iter().map(|&caller| caller as usize));
        }
    }
    found
}

/// The processes that a term calls.
fn calls(spec: &Spec, term: TermId, found: &mut impl FnMut(u32)) {
    match &spec.terms[term as usize].kind {
        TermKind::Delta | TermKind::Act(..) => {}
        TermKind::Choice(a, b) | TermKind::Sequence(a, b) | TermKind::Parallel(a, b) => {
            calls(spec, *a, found);
            calls(spec, *b, found);
        }
        TermKind::Sum(_, body) | TermKind::Around(_, body) => calls(spec, *body, found),
        TermKind::Condition(_, a, b) => {
            calls(spec, *a, found);
            if let Some(b) = b {
                calls(spec, *b, found);
            }
        }
        TermKind::Call(process, _) => found(*process),
    }
}

/// Is there parallel composition or an operator on actions in a term?
fn contains(spec: &Spec, parallel: &[bool], term: TermId) -> bool {
    match &spec.terms[term as usize].kind {
        TermKind::Parallel(..) | TermKind::Around(..) => true,
        TermKind::Delta | TermKind::Act(..) => false,
        TermKind::Choice(a, b) | TermKind::Sequence(a, b) => {
            contains(spec, parallel, *a) || contains(spec, parallel, *b)
        }
        TermKind::Sum(_, body) => contains(spec, parallel, *body),
        TermKind::Condition(_, a, b) => {
            contains(spec, parallel, *a) || b.is_some_and(|b| contains(spec, parallel, b))
        }
        TermKind::Call(process, _) => parallel.get(*process as usize) == Some(&true),
    }
}
