//! Data expressions and processes after checking: names are numbers, variables are slots.

use linchpin_text::Span;

use crate::builtin::Builtin;
use crate::sorts::{OpId, SortId};

/// A data expression. Slots are those of the process body, equation or lambda it stands in.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Bool(bool),
    Int(i128),
    Slot(u32),
    /// A constructor, projection, recogniser or mapping.
    Call(OpId, Box<[Code]>),
    /// A built-in function that needs the values of all its arguments.
    Builtin(Builtin, Box<[Code]>),
    If(Box<[Code; 3]>),
    And(Box<[Code; 2]>),
    Or(Box<[Code; 2]>),
    Apply(Box<Code>, Box<[Code]>),
    /// A function of the list of lambdas, with the slots it uses from outside.
    Lambda(u32, Box<[u32]>),
    /// For all (or for some) values in these slots.
    Quantifier {
        all: bool,
        slots: Box<[(u32, SortId)]>,
        body: Box<Code>,
        span: Span,
    },
    /// The set (or bag) with this characteristic function, over this sort.
    Comprehension {
        bag: bool,
        sort: SortId,
        lambda: u32,
        captured: Box<[u32]>,
    },
    /// The value of the first in the slot, then the second.
    Let(u32, Box<[Code; 2]>),
}

/// A function `lambda x: D. e`.
#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    /// How many slots its body uses.
    pub(crate) size: u32,
    /// Where the captured values go.
    pub(crate) captured: Vec<u32>,
    /// Where the arguments go.
    pub(crate) parameters: Vec<u32>,
    pub(crate) body: Code,
    /// How it is written.
    pub(crate) text: String,
}

/// What a constructor, mapping, projection or recogniser does.
#[derive(Clone, Debug)]
pub(crate) enum OpKind {
    /// The number among the constructors of its sort.
    Constructor(u32),
    /// Which argument of which constructors.
    Projection(Vec<(OpId, u32)>),
    Recogniser(OpId),
    Mapping,
}

/// A constructor, mapping, projection or recogniser.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) name: String,
    pub(crate) parameters: Box<[SortId]>,
    pub(crate) result: SortId,
    pub(crate) kind: OpKind,
    pub(crate) span: Span,
}

/// The left-hand side of an equation, below its function.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// The first occurrence of a variable; a number must be at least this (a variable of sort
    /// `Nat` does not match -1, even if the function takes an `Int`).
    Bind(u32, Option<i128>),
    /// A later occurrence: the value must be the same.
    Same(u32),
    Bool(bool),
    Int(i128),
    Nil,
    Cons(Box<[Pattern; 2]>),
    Op(OpId, Box<[Pattern]>),
    /// A built-in function: there is no such value.
    Never,
}

/// An equation of a function, used from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) condition: Option<Code>,
    pub(crate) right: Code,
    /// How many slots it uses.
    pub(crate) size: u32,
}

/// The number of a process term.
pub(crate) type TermId = u32;

/// The number of an action: a name with the sorts of its arguments.
pub(crate) type ActionId = u32;

/// The number of a process.
pub(crate) type ProcessId = u32;

/// The owner of the terms of the initial process.
pub(crate) const INIT: ProcessId = u32::MAX;

/// A declared action.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) name: String,
    pub(crate) sorts: Box<[SortId]>,
    pub(crate) span: Span,
}

/// An action with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Performed {
    pub(crate) action: ActionId,
    pub(crate) arguments: Box<[Code]>,
}

/// An operator around a process that changes its actions.
#[derive(Clone, Debug)]
pub(crate) enum Operator {
    Hide(Vec<String>),
    Block(Vec<String>),
    /// Sorted names of the multi-actions.
    Allow(Vec<Vec<String>>),
    Rename(Vec<(String, String)>),
    Comm(Vec<(Vec<String>, String)>),
}

/// A process term.
#[derive(Clone, Debug)]
pub(crate) enum TermKind {
    Delta,
    /// A multi-action; the empty one is `tau`. The term is the same multi-action with a variable for
    /// every argument ([`crate::check::Spec::plain`]); it is its own if it is plain.
    Act(Box<[Performed]>, TermId),
    Choice(TermId, TermId),
    Sequence(TermId, TermId),
    Sum(Box<[(u32, SortId)]>, TermId),
    Condition(Box<Code>, TermId, Option<TermId>),
    Call(ProcessId, Box<[Code]>),
    Parallel(TermId, TermId),
    Around(Box<Operator>, TermId),
}

/// A process term with its position.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) kind: TermKind,
    /// The slots whose values matter, in order.
    pub(crate) free: Box<[u32]>,
    /// The process in whose body it stands; [`INIT`] for the initial process.
    pub(crate) owner: ProcessId,
    pub(crate) span: Span,
}

/// A declared process.
#[derive(Clone, Debug)]
pub(crate) struct ProcessDef {
    pub(crate) name: String,
    /// Names and sorts; the slots are 0, 1, ...
    pub(crate) parameters: Vec<(String, SortId)>,
    pub(crate) body: TermId,
    /// How many slots the body uses.
    pub(crate) size: u32,
    pub(crate) span: Span,
}

impl Code {
    /// Adds the slots this reads from outside; `bound` are those it sets itself.
    pub(crate) fn free(&self, bound: &mut Vec<u32>, to: &mut Vec<u32>) {
        let mut read = |slot: u32, bound: &[u32]| {
            if !bound.contains(&slot) {
                to.push(slot);
            }
        };
        match self {
            Code::Bool(_) | Code::Int(_) => {}
            Code::Slot(slot) => read(*slot, bound),
            Code::Call(_, list) | Code::Builtin(_, list) => {
                list.iter().for_each(|c| c.free(bound, to));
            }
            Code::If(list) => list.iter().for_each(|c| c.free(bound, to)),
            Code::And(list) | Code::Or(list) => list.iter().for_each(|c| c.free(bound, to)),
            Code::Apply(function, list) => {
                function.free(bound, to);
                list.iter().for_each(|c| c.free(bound, to));
            }
            Code::Lambda(_, captured) | Code::Comprehension { captured, .. } => {
                captured.iter().for_each(|slot| read(*slot, bound));
            }
            Code::Quantifier { slots, body, .. } => {
                let before = bound.len();
                bound.extend(slots.iter().map(|(slot, _)| *slot));
                body.free(bound, to);
                bound.truncate(before);
            }
            Code::Let(slot, parts) => {
                parts[0].free(bound, to);
                bound.push(*slot);
                parts[1].free(bound, to);
                bound.pop();
            }
        }
    }
}
