//! A model with resolved names: what the semantics works on.
//!
//! Variables and arrays are slots of the state, parameters of processes and variables bound by
//! inputs and indices are places of an *environment*, local variables of programs are places of a
//! *frame*. Macros and constants are gone. Channel arrays are single channels that lie together.

use linchpin_ltl::Formula;
use linchpin_text::Span;

use crate::ast::{Binary, Comparison, Extreme, Op};
use crate::math::Function;
use crate::objects::{Kind, Method, Objects};
use crate::sharp::Library;
use crate::value::Value;

/// The number of a process node.
pub(crate) type NodeId = u32;
/// The number of a definition.
pub(crate) type DefId = u32;
/// The number of an event's name.
pub(crate) type NameId = u32;

/// The name of the silent event.
pub(crate) const TAU_NAME: NameId = 0;

/// A model.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) variables: Vec<Variable>,
    /// The initial values of all slots of variables.
    pub(crate) initial: Vec<Value>,
    /// Variables that begin with any value of their ranges ([`crate::starts`]).
    pub(crate) any: Vec<u32>,
    /// The slots of variables whose values do not belong to the state.
    pub(crate) hidden: Vec<u32>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) definitions: Vec<Definition>,
    /// Processes that are counted ([`crate::counted`]), and the slots of their numbers.
    pub(crate) counted: Vec<(DefId, u32)>,
    pub(crate) nodes: Vec<Node>,
    /// Names of events.
    pub(crate) names: Vec<String>,
    pub(crate) assertions: Vec<Assertion>,
    /// Arrays and collections that are values.
    pub(crate) objects: Objects,
    /// The values of `#define`, those that have one whatever the state.
    pub(crate) constants: Vec<Option<Value>>,
    /// Imported C# code.
    pub(crate) sharp: Library,
}

impl Program {
    /// Is it `Skip` as it is written? PAT leaves `Stop` out of choices.
    pub(crate) fn is_written_skip(&self, id: NodeId) -> bool {
        match &self.nodes[id as usize].kind {
            NodeKind::Skip => true,
            NodeKind::Atomic(inner) => self.is_written_skip(*inner),
            NodeKind::Sequence(a, b) => self.is_written_skip(*a) && self.is_written_skip(*b),
            NodeKind::Nary(Op::General | Op::External, parts) => {
                let mut rest = parts.iter().filter(|&&p| !self.is_written_stop(p));
                rest.all(|&p| self.is_written_skip(p))
            }
            NodeKind::Nary(Op::Interleave, parts) => parts.iter().all(|&p| self.is_written_skip(p)),
            NodeKind::Indexed(Op::General | Op::External | Op::Interleave, _, body)
            | NodeKind::Replicated(_, body) => self.is_written_skip(*body),
            _ => false,
        }
    }

    /// Is it `Stop` as it is written?
    pub(crate) fn is_written_stop(&self, id: NodeId) -> bool {
        match &self.nodes[id as usize].kind {
            NodeKind::Stop => true,
            NodeKind::Nary(Op::General | Op::External, parts) => {
                parts.iter().all(|&p| self.is_written_stop(p))
            }
            _ => false,
        }
    }
}

/// A variable or an array: consecutive slots.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) base: u32,
    /// Sizes of an array, outermost first; empty for a single variable.
    pub(crate) sizes: Vec<u32>,
    pub(crate) length: u32,
    pub(crate) range: Option<(Value, Value)>,
}

/// A channel.
#[derive(Debug)]
pub(crate) struct Channel {
    /// With its index, if it is one of an array.
    pub(crate) name: String,
    /// How many messages it holds; none: synchronous.
    pub(crate) size: u32,
    /// Slots of a message: its values, and before them their number if that differs.
    pub(crate) width: u32,
    /// Do messages have different numbers of values?
    pub(crate) mixed: bool,
    /// The first slot of the buffer, after those of the variables: the number of messages.
    pub(crate) base: u32,
}

/// A definition of a process.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Ranges of the parameters.
    pub(crate) parameters: Vec<(String, Option<(Value, Value)>)>,
    pub(crate) body: NodeId,
    pub(crate) alphabet: Option<Vec<EventSet>>,
}

/// A part of a process.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) span: Span,
    /// How many places its environment has.
    pub(crate) scope: u32,
    /// Which of them matter.
    pub(crate) free: u64,
    /// Of a condition: is what is below it unfolded only where it holds?
    pub(crate) lazy: bool,
}

/// The most places of an environment.
pub(crate) const MAX_SCOPE: u32 = 64;

/// One channel, or one of those that lie together.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) index: Option<Expr>,
    pub(crate) span: Span,
}

/// What an input does with a value.
#[derive(Debug)]
pub(crate) enum Pattern {
    /// Puts it at this place of the environment.
    Bind(u32),
    /// Demands that it is this one.
    Match(Expr),
}

/// An event: its name and what follows.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: NameId,
    pub(crate) parts: Vec<Expr>,
    pub(crate) span: Span,
}

/// Events for all values of some places of the environment.
#[derive(Debug)]
pub(crate) struct EventSet {
    pub(crate) over: Vec<(u32, Values)>,
    pub(crate) event: Event,
}

/// The values of an index.
#[derive(Debug)]
pub(crate) enum Values {
    Between(Expr, Expr),
    List(Vec<Expr>),
}

/// What a part of a process is.
#[derive(Debug)]
pub(crate) enum NodeKind {
    Stop,
    Skip,
    Assert(Expr),
    /// With the arguments; the flag says that they depend on variables.
    Call(DefId, Vec<Expr>, bool),
    Prefix(Event, Option<Code>, NodeId),
    Send(Port, Vec<Expr>, Option<Code>, NodeId),
    Receive(Port, Option<Expr>, Vec<Pattern>, Option<Code>, NodeId),
    Guard(Expr, NodeId),
    If(Expr, NodeId, NodeId),
    IfAtomic(Expr, NodeId, NodeId),
    IfBlocking(Expr, NodeId),
    /// The first whose condition is true; `Skip` if there is none.
    Case(Vec<(Expr, NodeId)>),
    Atomic(NodeId),
    Sequence(NodeId, NodeId),
    Nary(Op, Vec<NodeId>),
    Indexed(Op, Vec<(u32, Values)>, NodeId),
    Replicated(Expr, NodeId),
    /// As many as one likes.
    Many(NodeId),
    Interrupt(NodeId, NodeId),
    Hide(NodeId, Vec<EventSet>),
}

impl NodeKind {
    /// The nodes it is made of, as they are written.
    pub(crate) fn below(&self) -> Vec<NodeId> {
        match self {
            NodeKind::Stop | NodeKind::Skip | NodeKind::Assert(_) | NodeKind::Call(..) => {
                Vec::new()
            }
            NodeKind::Prefix(_, _, next)
            | NodeKind::Send(_, _, _, next)
            | NodeKind::Receive(.., next)
            | NodeKind::Guard(_, next)
            | NodeKind::IfBlocking(_, next)
            | NodeKind::Atomic(next)
            | NodeKind::Indexed(_, _, next)
            | NodeKind::Replicated(_, next)
            | NodeKind::Many(next)
            | NodeKind::Hide(next, _) => vec![*next],
            NodeKind::If(_, a, b)
            | NodeKind::IfAtomic(_, a, b)
            | NodeKind::Sequence(a, b)
            | NodeKind::Interrupt(a, b) => vec![*a, *b],
            NodeKind::Case(cases) => cases.iter().map(|(_, p)| *p).collect(),
            NodeKind::Nary(_, parts) => parts.clone(),
        }
    }
}

/// A program of an event.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) statements: Vec<Stmt>,
    /// Places of the frame.
    pub(crate) frame: u32,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    Do(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>, Span),
    While(Expr, Vec<Stmt>, Span),
}

/// Consecutive places of one kind: a variable or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Base {
    /// Slots of the state.
    Global(u32),
    /// Places of the frame.
    Frame(u32),
}

/// What is asked about a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    Full,
    Empty,
    Count,
    Size,
    Peek,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Const(Value),
    Global(u32),
    Frame(u32),
    /// A place of the environment.
    Param(u32),
    /// An element of an array of this length.
    Element(Base, u32, Box<Expr>, Span),
    Not(Box<Expr>, Span),
    Minus(Box<Expr>, Span),
    Binary(Binary, Box<Expr>, Box<Expr>, Span),
    /// Place, variable (for its name and range) if it is a global one, value.
    Assign(Base, u32, Box<Expr>, Span),
    /// The same of an element: array, its length, variable, index, value.
    AssignElement(Base, u32, u32, Box<Expr>, Box<Expr>, Span),
    /// First channel, how many there are, which one.
    Channel(Query, u32, u32, Option<Box<Expr>>, Span),
    /// All elements of an array of this length, as one value.
    Whole(Base, u32, Span),
    /// These elements, as one value.
    Array(Vec<Expr>, Span),
    /// An element of an array that is one value.
    At(Box<Expr>, Box<Expr>, Span),
    /// All elements of an array get others: array, its length, variable, value.
    AssignWhole(Base, u32, u32, Box<Expr>, Span),
    /// An element of an array that is the value of a variable: place, variable, index, value.
    AssignAt(Base, u32, Box<Expr>, Box<Expr>, Span),
    /// A new collection.
    New(Kind, Vec<Expr>, Span),
    /// A method of a collection: the slot of the variable, arguments.
    Method(u32, Kind, Method, Vec<Expr>, Span),
    /// A function.
    Math(Function, Vec<Expr>, Span),
    /// A function of C# code: its number, the slot of the variable whose method it is, arguments.
    Sharp(u32, Option<u32>, Vec<Expr>, Span),
}

/// What [`Expr::Assign`] says of local variables.
pub(crate) const NO_VARIABLE: u32 = u32::MAX;

impl Expr {
    /// Its parts.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Expr> {
        let (one, two, list): (Option<&Expr>, Option<&Expr>, &[Expr]) = match self {
            Expr::Const(_)
            | Expr::Global(_)
            | Expr::Frame(_)
            | Expr::Param(_)
            | Expr::Whole(..)
            | Expr::Channel(_, _, _, None, _) => (None, None, &[]),
            Expr::Element(_, _, e, _)
            | Expr::Not(e, _)
            | Expr::Minus(e, _)
            | Expr::Assign(_, _, e, _)
            | Expr::AssignWhole(_, _, _, e, _)
            | Expr::Channel(_, _, _, Some(e), _) => (Some(e), None, &[]),
            Expr::Binary(_, a, b, _)
            | Expr::AssignElement(_, _, _, a, b, _)
            | Expr::AssignAt(_, _, a, b, _)
            | Expr::At(a, b, _) => (Some(a), Some(b), &[]),
            Expr::Array(list, _)
            | Expr::New(_, list, _)
            | Expr::Method(_, _, _, list, _)
            | Expr::Math(_, list, _)
            | Expr::Sharp(_, _, list, _) => (None, None, list),
        };
        one.into_iter().chain(two).chain(list)
    }

    /// Does it depend on the state?
    pub(crate) fn reads_state(&self) -> bool {
        match self {
            Expr::Global(_)
            | Expr::Channel(..)
            | Expr::Element(Base::Global(_), ..)
            | Expr::Whole(Base::Global(_), ..)
            | Expr::AssignAt(Base::Global(_), ..)
            | Expr::Method(..)
            | Expr::Sharp(_, Some(_), ..) => true,
            _ => self.parts().any(Expr::reads_state),
        }
    }

    /// Does it need local variables of a program?
    pub(crate) fn uses_frame(&self) -> bool {
        match self {
            Expr::Frame(_)
            | Expr::Element(Base::Frame(_), ..)
            | Expr::Whole(Base::Frame(_), ..)
            | Expr::AssignAt(Base::Frame(_), ..) => true,
            _ => self.parts().any(Expr::uses_frame),
        }
    }

    /// The places of the environment it needs.
    pub(crate) fn free(&self) -> u64 {
        match self {
            Expr::Param(p) => 1 << p,
            _ => self.parts().fold(0, |free, e| free | e.free()),
        }
    }
}

impl Stmt {
    /// The places of the environment it needs.
    pub(crate) fn free(&self) -> u64 {
        let all = |list: &[Stmt]| list.iter().fold(0, |free, s| free | s.free());
        match self {
            Stmt::Do(e) => e.free(),
            Stmt::If(e, a, b, _) => e.free() | all(a) | all(b),
            Stmt::While(e, a, _) => e.free() | all(a),
        }
    }
}

/// An assertion.
#[derive(Debug)]
pub(crate) struct Assertion {
    pub(crate) process: (DefId, Vec<Value>),
    pub(crate) claim: Claim,
    pub(crate) span: Span,
}

/// What is asserted.
#[derive(Debug)]
pub(crate) enum Claim {
    DeadlockFree,
    DivergenceFree,
    Deterministic,
    NonTerminating,
    Reaches(Expr, Option<(Extreme, Expr)>),
    Refines(Comparison, (DefId, Vec<Value>)),
    /// A formula; its conditions.
    Ltl(Formula, Vec<Expr>),
}
