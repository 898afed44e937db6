//! The syntax tree: what the text says, before names and types are looked at.
//!
//! Trees are never deeper than [`MAX_DEPTH`], so code may walk (and drop) them recursively.

use crate::Span;
use crate::program::{BinOp, Memory, UnOp};

/// Expressions, types and blocks nest at most this deep.
pub(super) const MAX_DEPTH: u32 = 200;

/// A name where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct File<'a> {
    pub(super) decls: Vec<Decl<'a>>,
    pub(super) units: Vec<Unit<'a>>,
    /// So many units are of this file, the others of files that it uses.
    pub(super) own: usize,
    pub(super) checks: Vec<Check<'a>>,
}

/// A declaration of a type or constant.
#[derive(Debug)]
pub(super) struct Decl<'a> {
    pub(super) name: Name<'a>,
    pub(super) kind: DeclKind<'a>,
    /// All of it, from its first word to its last sign; so for whatever else has it.
    pub(super) whole: Span,
}

#[derive(Debug)]
pub(super) enum DeclKind<'a> {
    /// `const N = e`, `param N = e`
    Const { value: Expr<'a>, param: bool },
    /// `type T = ...`
    Alias(TypeExpr<'a>),
    /// `data T`
    Data,
    /// `enum T { A, B(U) }`
    Enum(Vec<Variant<'a>>),
    /// `struct T { f: A }`
    Struct(Vec<Field<'a>>),
    /// `node T { f: A }`
    Node(Vec<Field<'a>>),
}

/// `A`, `B(U)`: a value of an enum, and the types of what it carries.
#[derive(Debug)]
pub(super) struct Variant<'a> {
    pub(super) name: Name<'a>,
    pub(super) carries: Vec<TypeExpr<'a>>,
    pub(super) whole: Span,
}

/// `f: T`: a field or parameter.
#[derive(Debug)]
pub(super) struct Field<'a> {
    pub(super) name: Name<'a>,
    pub(super) ty: TypeExpr<'a>,
}

/// An object or specification.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    pub(super) spec: bool,
    pub(super) name: Name<'a>,
    pub(super) memory: Option<(Memory, Span)>,
    pub(super) decls: Vec<Decl<'a>>,
    pub(super) vars: Vec<VarDecl<'a>>,
    pub(super) init: Option<(Block<'a>, Span)>,
    pub(super) procs: Vec<Proc<'a>>,
    pub(super) whole: Span,
}

/// `var x: T = e`
#[derive(Debug)]
pub(super) struct VarDecl<'a> {
    pub(super) name: Name<'a>,
    pub(super) ty: TypeExpr<'a>,
    pub(super) init: Option<Expr<'a>>,
    pub(super) whole: Span,
}

/// `op f(a: A) -> R { }`, `fn ...`
#[derive(Debug)]
pub(super) struct Proc<'a> {
    pub(super) op: bool,
    pub(super) name: Name<'a>,
    pub(super) params: Vec<Field<'a>>,
    /// The bracket after the parameters.
    pub(super) closed: Span,
    pub(super) result: Option<TypeExpr<'a>>,
    /// `depth n`, with its place: so many calls of it may be open.
    pub(super) depth: Option<(Expr<'a>, Span)>,
    pub(super) body: Block<'a>,
    pub(super) whole: Span,
}

/// `check name: Object against Spec conditions { ... }`
#[derive(Debug)]
pub(super) struct Check<'a> {
    pub(super) name: Option<Name<'a>>,
    pub(super) object: Name<'a>,
    /// `(size = 3)`: parameters that have other values for this check.
    pub(super) params: Vec<Given<'a>>,
    /// The name of a specification, or `itself`.
    pub(super) spec: Name<'a>,
    /// None at all stands for `linearizable`.
    pub(super) conditions: Vec<Condition<'a>>,
    pub(super) settings: Vec<Setting<'a>>,
    /// `check name: Object against Spec`
    pub(super) span: Span,
    pub(super) whole: Span,
}

/// `name = value`: a parameter and its value as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    pub(super) name: Name<'a>,
    pub(super) value: &'a str,
}

/// `quiescent expect holds`
#[derive(Debug)]
pub(super) struct Condition<'a> {
    pub(super) word: Name<'a>,
    pub(super) kind: ConditionKind<'a>,
    pub(super) expect: Option<Expectation<'a>>,
}

#[derive(Debug)]
pub(super) enum ConditionKind<'a> {
    Linearizable,
    Points,
    Quasi(Vec<Group<'a>>),
    Sequential,
    Quiescent,
    Strong,
    SetLinearizable,
    IntervalLinearizable,
    LockFree,
    WaitFree,
    ObstructionFree,
    LeakFree,
    /// `ltl weak "formula"`; the text has its quotation marks.
    Ltl {
        fairness: Option<Name<'a>>,
        formula: Name<'a>,
    },
}

/// A group of `quasi`: `push + pop -> some: 2`
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) members: Vec<Member<'a>>,
    pub(super) factor: Expr<'a>,
}

/// An operation, and which of its results are meant.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) op: Name<'a>,
    pub(super) result: MemberResult<'a>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum MemberResult<'a> {
    /// Nothing is said.
    Any,
    /// `-> some`
    Some,
    /// `-> e`
    Is(Expr<'a>),
}

/// `expect word [kind]`
#[derive(Clone, Copy, Debug)]
pub(super) struct Expectation<'a> {
    pub(super) what: Name<'a>,
    pub(super) kind: Option<Name<'a>>,
}

/// A setting of a check, with the place of its first word.
#[derive(Debug)]
pub(super) struct Setting<'a> {
    pub(super) word: Name<'a>,
    pub(super) kind: SettingKind<'a>,
}

#[derive(Debug)]
pub(super) enum SettingKind<'a> {
    Threads(Expr<'a>),
    /// `None` is `unbounded`.
    Ops(Option<Expr<'a>>),
    /// `values T: ...`
    Data(Name<'a>, Option<Expr<'a>>),
    /// `values op.param: ...`
    Values(Name<'a>, Name<'a>, Values<'a>),
    Heap(Expr<'a>),
    Expect(Expectation<'a>),
    Role(Role<'a>),
}

/// The values tried for a parameter.
#[derive(Debug)]
pub(super) enum Values<'a> {
    List(Vec<Expr<'a>>),
    Range(Range<'a>),
}

/// `lo..hi` or `lo..=hi`
#[derive(Debug)]
pub(super) struct Range<'a> {
    pub(super) lo: Box<Expr<'a>>,
    pub(super) hi: Box<Expr<'a>>,
    pub(super) inclusive: bool,
}

/// `role name(n) ...`
#[derive(Debug)]
pub(super) struct Role<'a> {
    pub(super) name: Name<'a>,
    pub(super) threads: Expr<'a>,
    pub(super) behaviour: Behaviour<'a>,
    pub(super) whole: Span,
}

#[derive(Debug)]
pub(super) enum Behaviour<'a> {
    /// The outer `None`: as the check says; the inner one: unbounded.
    General {
        ops: Vec<Name<'a>>,
        count: Option<Option<Expr<'a>>>,
    },
    Script(Block<'a>),
}

/// A type as written.
#[derive(Debug)]
pub(super) struct TypeExpr<'a> {
    pub(super) kind: TypeKind<'a>,
    pub(super) span: Span,
    pub(super) height: u32,
}

#[derive(Debug)]
pub(super) enum TypeKind<'a> {
    Name(Name<'a>),
    Range(Range<'a>),
    Option(Box<TypeExpr<'a>>),
    Tuple(Vec<TypeExpr<'a>>),
    Array(Box<TypeExpr<'a>>, Box<Expr<'a>>),
    /// `[T; ..]`
    Endless(Box<TypeExpr<'a>>),
    /// `seq<T>` and others
    Generic(Name<'a>, Vec<TypeExpr<'a>>),
}

/// Statements and where the block ends (its closing brace).
#[derive(Debug, Default)]
pub(super) struct Block<'a> {
    pub(super) stmts: Vec<Stmt<'a>>,
    pub(super) close: Span,
}

/// A statement. The span of a compound statement is its head.
#[derive(Debug)]
pub(super) struct Stmt<'a> {
    pub(super) kind: StmtKind<'a>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum StmtKind<'a> {
    /// Without a value: the initial value of the type.
    Let(Name<'a>, Option<TypeExpr<'a>>, Option<Expr<'a>>),
    Assign(Expr<'a>, Expr<'a>),
    /// `+=`, `-=`, `*=` ...
    Update(Expr<'a>, BinOp, Expr<'a>),
    Expr(Expr<'a>),
    /// Arms in order, then the `else` block. Each arm has the span of its head.
    If(Vec<(Expr<'a>, Block<'a>, Span)>, Option<Block<'a>>),
    While(Option<Name<'a>>, Expr<'a>, Block<'a>),
    Loop(Option<Name<'a>>, Block<'a>),
    For(Option<Name<'a>>, Name<'a>, ForIn<'a>, Block<'a>),
    Repeat(Expr<'a>, Block<'a>),
    /// `match e { p => s }`
    Match(Expr<'a>, Vec<Arm<'a>>),
    Break(Option<Name<'a>>),
    Continue(Option<Name<'a>>),
    Return(Option<Expr<'a>>),
    Assert(Expr<'a>),
    Assume(Expr<'a>),
    Await(Expr<'a>),
    Atomic(Block<'a>),
    Either(Vec<Block<'a>>),
    Free(Expr<'a>),
    /// `point`, `point for t`
    Point(Option<Expr<'a>>),
    /// `meet`
    Meet,
    /// Could not be parsed (reported).
    Error,
}

/// `pattern => statement` or `pattern => { ... }`
#[derive(Debug)]
pub(super) struct Arm<'a> {
    pub(super) pattern: Pattern<'a>,
    pub(super) span: Span,
    pub(super) body: Block<'a>,
}

/// What an arm of `match` is for.
#[derive(Debug)]
pub(super) enum Pattern<'a> {
    /// `_`
    Rest,
    /// A name: of a constant, of a value of an enum, or new. (`empty`, `None`, `null` and numbers are values.)
    Name(Name<'a>),
    /// `Some(x)`, `Value(_)`, `Word.Value(3)`: a value that carries others, perhaps after the name of its enum.
    Variant(Option<Name<'a>>, Name<'a>, Vec<Pattern<'a>>),
    /// A value.
    Value(Expr<'a>),
}

/// What a `for` runs over.
#[derive(Debug)]
pub(super) enum ForIn<'a> {
    Range(Range<'a>),
    /// `threads`
    Threads,
    /// `threads in any order`
    AnyOrder,
}

/// An expression.
#[derive(Debug)]
pub(super) struct Expr<'a> {
    pub(super) kind: ExprKind<'a>,
    pub(super) span: Span,
    /// Of the tree below; at most [`MAX_DEPTH`].
    pub(super) height: u32,
}

#[derive(Debug)]
pub(super) enum ExprKind<'a> {
    Int(i64),
    Bool(bool),
    Null,
    Empty,
    SelfThread,
    Threads,
    /// With the place of the name alone: brackets may be around it.
    Name(Name<'a>),
    /// `_`
    Any,
    Unary(UnOp, Box<Expr<'a>>),
    Binary(BinOp, Box<Expr<'a>>, Box<Expr<'a>>),
    Select(Box<Expr<'a>>, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `x.f`
    Member(Box<Expr<'a>>, Name<'a>),
    /// `x.0`, with the place of the number
    Part(Box<Expr<'a>>, u32, Span),
    Index(Box<Expr<'a>>, Box<Expr<'a>>),
    Call(Name<'a>, Vec<Expr<'a>>),
    Method(Box<Expr<'a>>, Name<'a>, Vec<Expr<'a>>),
    New(Name<'a>, Vec<(Name<'a>, Expr<'a>)>),
    /// `Pair { a: x, b: y }`: a struct.
    Fields(Name<'a>, Vec<(Name<'a>, Expr<'a>)>),
    /// `new Node(a, b)`, which is wrong: fields have names.
    NewCall(Name<'a>, Vec<Expr<'a>>),
    Tuple(Vec<Expr<'a>>),
    List(Vec<Expr<'a>>),
    /// `[x; n]`
    Repeat(Box<Expr<'a>>, Box<Expr<'a>>),
    Braces(Vec<Expr<'a>>),
    Choose(Vec<Expr<'a>>),
    ChooseRange(Range<'a>),
    /// `e as T`
    As(Box<Expr<'a>>, Name<'a>),
    /// Could not be parsed (reported).
    Error,
}
