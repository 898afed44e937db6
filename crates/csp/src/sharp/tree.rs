//! The tree of a C# file, with names as they are written.

use linchpin_text::Span;

use crate::ast::Name;

/// A type as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TypeName {
    Void,
    Int,
    Bool,
    /// `int[]`
    Ints,
    /// `List<int>`
    List,
    /// That of the initial value.
    Var,
    /// One of the classes of the libraries.
    Class(Name),
}

/// A class.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) name: Name,
    /// Is it derived from `ExpressionValue`?
    pub(super) value: bool,
    pub(super) fields: Vec<Field>,
    pub(super) methods: Vec<Method>,
    /// Where `ExpressionID` is, which says what tells objects apart.
    pub(super) identity: Option<Span>,
}

/// A field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: Name,
    pub(super) ty: TypeName,
    pub(super) initial: Option<Expr>,
    pub(super) storage: Storage,
}

/// Where a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// In every object.
    Object,
    /// `const` or `static readonly`: it has one value for ever.
    Constant,
}

/// What a method is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Static,
    Method,
    Constructor,
}

/// A method or constructor.
#[derive(Debug)]
pub(super) struct Method {
    pub(super) name: Name,
    pub(super) role: Role,
    pub(super) parameters: Vec<(Name, TypeName)>,
    pub(super) result: TypeName,
    /// Of a constructor: the arguments of the one that goes first, `: this(...)`.
    pub(super) first: Option<(Vec<Expr>, Span)>,
    pub(super) body: Vec<Stmt>,
    /// Where it ends.
    pub(super) end: Span,
}

/// A statement and its place.
#[derive(Debug)]
pub(super) struct Stmt {
    pub(super) kind: StmtKind,
    pub(super) span: Span,
}

/// What a statement is.
#[derive(Debug)]
pub(super) enum StmtKind {
    Block(Vec<Stmt>),
    Local(TypeName, Vec<(Name, Option<Expr>)>),
    Expr(Expr),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    Do(Box<Stmt>, Expr),
    For(Vec<Stmt>, Option<Expr>, Vec<Stmt>, Box<Stmt>),
    ForEach(TypeName, Name, Expr, Box<Stmt>),
    Return(Option<Expr>),
    Break,
    Continue,
    /// What is thrown, as it is written.
    Throw(String),
}

/// An expression and its place.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Minus,
    Not,
    Complement,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// What is created.
#[derive(Clone, Debug)]
pub(super) enum New {
    /// `new int[n]`
    Sized(Box<Expr>),
    /// `new int[] {1, 2}`, `new int[2] {1, 2}`, or `{1, 2}` alone.
    Array(Option<Box<Expr>>, Vec<Expr>),
    /// `new List<int>(from) {1, 2}`
    List(Vec<Expr>, Vec<Expr>),
    /// `new C(1, 2)`
    Class(Name, Vec<Expr>),
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    /// A number without sign; one more than the greatest `int` is for `-2147483648` alone.
    Int(i64),
    Bool(bool),
    Null,
    This,
    Name(String),
    /// `a.b`
    Member(Box<Expr>, Name),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `f(x)`, `a.f(x)`
    Call(Box<Expr>, Vec<Expr>),
    New(New),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `x = e`, or `x += e` with an operator.
    Assign(Box<Expr>, Option<Binary>, Box<Expr>),
    /// `x++`, `--x`: the operator, and whether the value is that before.
    Step(Box<Expr>, Binary, bool),
    /// `(int) e`
    ToInt(Box<Expr>),
}
