//! The syntax tree of an mCRL2 specification, with positions.

use linchpin_text::Span;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A sort expression.
#[derive(Clone, Debug)]
pub(crate) struct SortExpr {
    pub(crate) kind: SortKind,
    pub(crate) span: Span,
}

/// The kinds of sort expressions.
#[derive(Clone, Debug)]
pub(crate) enum SortKind {
    Bool,
    Pos,
    Nat,
    Int,
    List(Box<SortExpr>),
    Set(Box<SortExpr>),
    FSet(Box<SortExpr>),
    Bag(Box<SortExpr>),
    FBag(Box<SortExpr>),
    /// A declared sort.
    Named(String),
    Struct(Vec<ConstructorDecl>),
    Function(Vec<SortExpr>, Box<SortExpr>),
}

/// A constructor of a structured sort.
#[derive(Clone, Debug)]
pub(crate) struct ConstructorDecl {
    pub(crate) name: Name,
    pub(crate) fields: Vec<(Option<Name>, SortExpr)>,
    pub(crate) recogniser: Option<Name>,
}

/// `sort D;` or `sort D = ...;`
#[derive(Clone, Debug)]
pub(crate) struct SortDecl {
    pub(crate) name: Name,
    pub(crate) definition: Option<SortExpr>,
}

/// A name with a sort: a variable, a parameter, a mapping, a constructor.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) name: Name,
    pub(crate) sort: SortExpr,
}

/// `c -> l = r`, with the variables of its `var` section.
#[derive(Clone, Debug)]
pub(crate) struct Equation {
    pub(crate) condition: Option<Expr>,
    pub(crate) left: Expr,
    pub(crate) right: Expr,
}

/// Equations with their variables.
#[derive(Clone, Debug)]
pub(crate) struct EquationSection {
    pub(crate) variables: Vec<Typed>,
    pub(crate) equations: Vec<Equation>,
}

/// A declared action.
#[derive(Clone, Debug)]
pub(crate) struct ActionDecl {
    pub(crate) name: Name,
    pub(crate) sorts: Vec<SortExpr>,
}

/// `proc P(x: D) = ...;`
#[derive(Clone, Debug)]
pub(crate) struct ProcessDecl {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Typed>,
    pub(crate) body: Process,
}

/// A whole specification.
#[derive(Clone, Debug, Default)]
pub(crate) struct Specification {
    pub(crate) sorts: Vec<SortDecl>,
    pub(crate) constructors: Vec<Typed>,
    pub(crate) mappings: Vec<Typed>,
    pub(crate) equations: Vec<EquationSection>,
    pub(crate) globals: Vec<Typed>,
    pub(crate) actions: Vec<ActionDecl>,
    pub(crate) processes: Vec<ProcessDecl>,
    pub(crate) init: Option<Process>,
}

/// A data expression. Its number is unique in the specification.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    pub(crate) id: u32,
}

/// The kinds of data expressions. Operators are applications of their symbols.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Name(String),
    Number(String),
    /// `f(x, y)`; the function is an expression.
    Apply(Box<Expr>, Vec<Expr>),
    /// `x + y`, `!x`, `#l`: the symbol and its operands.
    Operator(&'static str, Vec<Expr>),
    List(Vec<Expr>),
    Set(Vec<Expr>),
    Bag(Vec<(Expr, Expr)>),
    /// `{ x: D | e }`, a set or a bag by the sort of `e`.
    Comprehension(Box<Typed>, Box<Expr>),
    Update(Box<Expr>, Box<Expr>, Box<Expr>),
    Lambda(Vec<Typed>, Box<Expr>),
    Forall(Vec<Typed>, Box<Expr>),
    Exists(Vec<Typed>, Box<Expr>),
    Where(Box<Expr>, Vec<(Name, Expr)>),
}

/// A process expression.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) kind: ProcessKind,
    pub(crate) span: Span,
}

/// The kinds of process expressions.
#[derive(Clone, Debug)]
pub(crate) enum ProcessKind {
    /// An action or a process with arguments by position.
    Instance(Name, Vec<Expr>),
    /// A process with arguments by name.
    Assigned(Name, Vec<(Name, Expr)>),
    Delta,
    Tau,
    Choice(Box<Process>, Box<Process>),
    Sequence(Box<Process>, Box<Process>),
    Parallel(Box<Process>, Box<Process>),
    /// `a | b`.
    Together(Box<Process>, Box<Process>),
    Sum(Vec<Typed>, Box<Process>),
    Condition(Expr, Box<Process>, Option<Box<Process>>),
    Hide(Vec<Name>, Box<Process>),
    Block(Vec<Name>, Box<Process>),
    Allow(Vec<Vec<Name>>, Box<Process>),
    Rename(Vec<(Name, Name)>, Box<Process>),
    Comm(Vec<(Vec<Name>, Name)>, Box<Process>),
}
