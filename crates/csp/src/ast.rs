//! The tree of a CSP model, with names as they are written.

use linchpin_text::Span;

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// A model: its declarations by kind, each in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// `#define`, and `enum` as one constant each.
    pub defines: Vec<Define>,
    /// `var` and `hvar`.
    pub variables: Vec<Variable>,
    /// `channel`.
    pub channels: Vec<Channel>,
    /// Processes.
    pub processes: Vec<Definition>,
    /// `#alphabet`.
    pub alphabets: Vec<Alphabet>,
    /// `#assert`.
    pub assertions: Vec<Assertion>,
    /// `#import` of libraries.
    pub imports: Vec<Name>,
    /// Processes that are counted, `#P()`.
    pub counted: Vec<Name>,
}

/// A macro: a name for an expression or for statements.
#[derive(Clone, Debug)]
pub struct Define {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// What it stands for.
    pub body: Body,
    /// Does it have this value because somebody asked for it?
    pub set: bool,
}

/// What a macro stands for.
#[derive(Clone, Debug)]
pub enum Body {
    /// A value.
    Expr(Expr),
    /// Statements.
    Block(Vec<Stmt>),
}

/// Smallest and greatest value, as far as given.
pub type Bounds = (Option<Expr>, Option<Expr>);

/// A variable or an array.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Is it declared with `hvar`: does its value not belong to the state?
    pub hidden: bool,
    /// The collection it is, `var<List> x`.
    pub collection: Option<Name>,
    /// Sizes, outermost first; none for a single variable (unless the initial value is an array).
    pub sizes: Vec<Expr>,
    /// Smallest and greatest value.
    pub range: Option<Bounds>,
    /// Initial value.
    pub initial: Option<Initial>,
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum Initial {
    /// Of a variable.
    Value(Expr),
    /// Of an array.
    Array(Vec<Element>, Span),
    /// `*`: any value of the range.
    Any(Span),
}

/// A part of an initial array.
#[derive(Clone, Debug)]
pub enum Element {
    /// A value, so many times.
    Times(Expr, Option<Expr>),
    /// From, to; downwards if the second is smaller.
    Range(Expr, Expr),
}

/// A channel or an array of channels.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub name: Name,
    /// How many there are, if it is an array.
    pub count: Option<Expr>,
    /// How many messages it holds; none: communication is synchronous.
    pub size: Expr,
}

/// `P(x, y) = ...;`
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: Name,
    /// Its parameters, with their ranges.
    pub parameters: Vec<(Name, Option<Bounds>)>,
    /// What it does.
    pub body: Process,
}

/// `#alphabet P {...};`
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// The process.
    pub process: Name,
    /// Its events.
    pub events: Vec<EventSet>,
}

/// An event, for all values of some names.
#[derive(Clone, Debug)]
pub struct EventSet {
    /// The names and their values.
    pub over: Vec<Range>,
    /// The event.
    pub event: Event,
}

/// `x:{0..3}` or `x:{1, 5}`.
#[derive(Clone, Debug)]
pub struct Range {
    /// The name.
    pub name: Name,
    /// Its values.
    pub values: Values,
}

/// The values of an index.
#[derive(Clone, Debug)]
pub enum Values {
    /// From, to.
    Between(Expr, Expr),
    /// One by one.
    List(Vec<Expr>),
}

/// An event with its parts, `e.i.(x+1)`.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name; `tau` is silent.
    pub name: Name,
    /// What follows, separated by dots.
    pub parts: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// A process and its place.
#[derive(Clone, Debug)]
pub struct Process {
    /// What it is.
    pub kind: ProcessKind,
    /// Where it is written.
    pub span: Span,
}

/// Operators with any number of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `|||`
    Interleave,
    /// `||`
    Parallel,
    /// `[]`: decided by any step.
    General,
    /// `<>`: decided silently.
    Internal,
    /// `[*]`: decided by a visible step.
    External,
}

/// The three conditionals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum If {
    /// `if`: a silent step of its own.
    Own,
    /// `ifa`: tested together with the first step.
    Atomic,
    /// `ifb`: waits until the condition is true.
    Blocking,
}

/// A channel at a prefix.
#[derive(Clone, Debug)]
pub struct Port {
    /// The channel.
    pub name: Name,
    /// Which one of an array.
    pub index: Option<Expr>,
}

/// What a process is.
#[derive(Clone, Debug)]
pub enum ProcessKind {
    /// `Stop`
    Stop,
    /// `Skip`
    Skip,
    /// `assert(b)`
    Assert(Expr),
    /// `P(x, y)`
    Call(Name, Vec<Expr>),
    /// `e{program} -> P`
    Prefix(Event, Option<Vec<Stmt>>, Box<Process>),
    /// `|||{..} @ P`: as many as one likes.
    Many(Box<Process>),
    /// `(e, f) -> P`: one of several events.
    Either(Vec<Event>, Box<Process>),
    /// `c!x.y{program} -> P`
    Send(Port, Vec<Expr>, Option<Vec<Stmt>>, Box<Process>),
    /// `c?[guard]x.y{program} -> P`
    Receive(Port, Option<Expr>, Vec<Expr>, Option<Vec<Stmt>>, Box<Process>),
    /// `[b] P`
    Guard(Expr, Box<Process>),
    /// `if (b) {P} else {Q}`
    If(If, Expr, Box<Process>, Option<Box<Process>>),
    /// `case {b: P ... default: Q}`
    Case(Vec<(Option<Expr>, Process)>),
    /// `atomic {P}`
    Atomic(Box<Process>),
    /// `P; Q`
    Sequence(Box<Process>, Box<Process>),
    /// `P op Q op R`
    Nary(Op, Vec<Process>),
    /// `op x:{0..3}; y:{1,2} @ P`
    Indexed(Op, Vec<Range>, Box<Process>),
    /// `|||{n}@P`
    Replicated(Expr, Box<Process>),
    /// `P interrupt Q`
    Interrupt(Box<Process>, Box<Process>),
    /// `P \ {a, b}`
    Hide(Box<Process>, Vec<EventSet>),
}

/// An expression and its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `!`
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `xor`
    Xor,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// `true` or `false`.
    Bool(bool),
    /// A variable, parameter or macro.
    Name(String),
    /// `a[i][j]`
    Index(Name, Vec<Expr>),
    /// With one operand.
    Unary(Unary, Box<Expr>),
    /// With two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `x = e`
    Assign(Box<Expr>, Box<Expr>),
    /// `call(f, x, y)`
    Call(Name, Vec<Expr>),
    /// `&& i:{0..2} @ b`: with `&&`, `||` or `xor`.
    Quantified(Binary, Vec<Range>, Box<Expr>),
    /// `[1, x, 0(3)]`
    Array(Vec<Element>),
    /// `new List()`
    New(Name, Vec<Expr>),
    /// `list.Add(x)`
    Method(Name, Name, Vec<Expr>),
    /// `#P()`: how many there are.
    Count(Name),
}

/// A statement of a program.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `{ ... }`
    Block(Vec<Stmt>),
    /// `var x = e;`, `var a[3];`
    Local(Name, Vec<Expr>, Option<Initial>),
    /// `if (b) s else t`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while (b) s`
    While(Expr, Box<Stmt>),
    /// `x = e;`
    Expr(Expr),
}

/// `#assert P() ...;`
#[derive(Clone, Debug)]
pub struct Assertion {
    /// The process.
    pub process: Name,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// What is asserted.
    pub claim: Claim,
    /// All of it, from the process to the semicolon.
    pub span: Span,
}

/// A way to compare processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Traces.
    Traces,
    /// Failures.
    Failures,
    /// Failures and divergences.
    FailuresDivergences,
}

/// What is asserted.
#[derive(Clone, Debug)]
pub enum Claim {
    /// `deadlockfree`
    DeadlockFree,
    /// `divergencefree`
    DivergenceFree,
    /// `deterministic`
    Deterministic,
    /// `nonterminating`
    NonTerminating,
    /// `reaches b`, with what is to be smallest or greatest.
    Reaches(Expr, Option<(Extreme, Expr)>),
    /// `refines Q()`
    Refines(Comparison, Name, Vec<Expr>),
    /// `|= formula`: its text and place. It is read by the crate that decides it.
    Ltl(String, Span),
}

/// `with min(e)` or `with max(e)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The smallest value.
    Min,
    /// The greatest value.
    Max,
}
