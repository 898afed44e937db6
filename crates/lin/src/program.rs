//! The typed program: what a front end produces and everything else consumes.
//!
//! A program is a *tree*: names are resolved to indices, every expression carries its type, calls
//! are still calls. It says what the text says and nothing about how it is executed; `compile`
//! turns the code of objects and clients into the flat form that the search interprets, `specify`
//! runs specifications straight from the tree (their moves are memoised, so they are never hot).
//!
//! # Contract of a front end
//! * Every index is in range, every expression has the type its context needs, up to the implicit
//!   widening of integer ranges (the destination's range is checked when a value is stored).
//! * The call graph of the procedures of one object or specification has no cycle.
//! * Operands are evaluated left to right; `&&` and `||` are lazy. A place that is an operand
//!   (`cas(a.next, old, new)`) has its *address* evaluated (reading `a` if `a` is shared), then the
//!   other operands, then the one atomic access.

use std::ops::Range;

use linchpin_formula::Formula;

use crate::value::Value;
use crate::walk;
use linchpin_text::Span;

pub use linchpin_lts::FaultKind;

macro_rules! index {
    ($(#[$doc:meta] $name:ident),* $(,)?) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into the vector it belongs to.
            pub fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

index! {
    /// Index into [`Program::enums`].
    EnumId,
    /// Index into [`Program::data`].
    DataId,
    /// Index into [`Program::structs`].
    StructId,
    /// Index into [`Program::records`].
    RecordId,
    /// Index into [`Program::objects`].
    ObjectId,
    /// Index into [`Program::specs`].
    SpecId,
    /// Index into [`Unit::vars`]: a shared variable of an object, or of a specification.
    VarId,
    /// Index into [`Unit::procs`].
    ProcId,
    /// Index into [`Unit::ops`]: an operation.
    OpId,
    /// Index into [`Proc::locals`].
    LocalId,
    /// Identifies a loop within one procedure; the target of `break` and `continue`.
    LoopId,
}

/// A whole source file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// Opaque data types.
    pub data: Vec<DataType>,
    /// Value records.
    pub structs: Vec<Struct>,
    /// Heap records.
    pub records: Vec<Record>,
    /// Concurrent objects.
    pub objects: Vec<Object>,
    /// Sequential specifications.
    pub specs: Vec<Spec>,
    /// What to check.
    pub checks: Vec<Check>,
    /// Parameters with the values in force, for display: name, value, whether overridden.
    pub params: Vec<(String, Value, bool)>,
}

/// `enum Color { Red, Green }`
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// The names of its values, in order.
    pub variants: Vec<String>,
}

/// `data Value`: values are copied and compared for equality, nothing else.
#[derive(Clone, Debug)]
pub struct DataType {
    /// Its name.
    pub name: String,
}

/// `struct Versioned { ptr: Node, count: 0..=3 }`: a value, copied as a whole, one atomic word.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Its fields in order.
    pub fields: Vec<Field>,
    /// If it stands for an enum whose values carry others.
    pub sum: Option<Sum>,
}

/// `enum Word { Value(int), Descriptor(Desc), Gone }`, written out as a struct. Its first field says which variant a value
/// is; behind it are what the variants carry, one after the other. What belongs to another variant than that of the value
/// has the initial value of its type, so two values are equal if all their fields are, and nobody who executes programs
/// has to know of variants.
#[derive(Clone, Debug)]
pub struct Sum {
    /// The type of the first field.
    pub tag: EnumId,
    /// Per variant: the fields that it carries.
    pub carried: Vec<Range<usize>>,
}

/// `node Node { val: Value, next: Node }`: lives on the heap, used through references.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Its fields in order; each is a shared place of its own.
    pub fields: Vec<Field>,
    /// Where it is declared.
    pub span: Span,
}

/// A field of a struct or record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// A type. `Seq`, `Set`, `Bag` and `Map` occur in specifications only (but a set of threads may be a hidden local variable
/// of an object); `Ref`, `Lock` and
/// `PerThread` in objects only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value: the result of an operation that returns nothing.
    Unit,
    /// `bool`
    Bool,
    /// `lo..=hi`; plain `int` is the full 32-bit range. Storing a value outside is a fault.
    Int {
        /// Least value.
        lo: i32,
        /// Greatest value.
        hi: i32,
    },
    /// An enumeration.
    Enum(EnumId),
    /// An opaque data type.
    Data(DataId),
    /// A reference to a heap record, or `null`.
    Ref(RecordId),
    /// `thread`: the identity of a thread (compared, stored, used as index of `PerThread`).
    Thread,
    /// `lock`: held by nobody or by a thread.
    Lock,
    /// `T?`: a value or `empty`.
    Option(Box<Type>),
    /// `(A, B)`
    Tuple(Vec<Type>),
    /// A value record.
    Struct(StructId),
    /// `[T; n]`
    Array(Box<Type>, u32),
    /// `[T; ..]`: an array without a stated end, with as many cells as a check has room for: none until a model is
    /// made of the check (see `endless`). Variables of objects only.
    Endless(Box<Type>, u32),
    /// `[T; threads]`: one element per thread, indexed by a `Thread`. Global variables only.
    PerThread(Box<Type>),
    /// `seq<T>`
    Seq(Box<Type>),
    /// `set<T>`
    Set(Box<Type>),
    /// `bag<T>`
    Bag(Box<Type>),
    /// `map<K, V>`
    Map(Box<Type>, Box<Type>),
}

impl Type {
    /// Plain `int`.
    pub const INT: Type = Type::Int { lo: i32::MIN, hi: i32::MAX };

    /// Do values of this type contain threads?
    pub fn mentions_threads(&self, program: &Program) -> bool {
        match self {
            Type::Thread | Type::PerThread(_) | Type::Lock => true,
            Type::Option(t) | Type::Array(t, _) | Type::Endless(t, _) => {
                t.mentions_threads(program)
            }
            Type::Seq(t) | Type::Set(t) | Type::Bag(t) => t.mentions_threads(program),
            Type::Map(k, v) => k.mentions_threads(program) || v.mentions_threads(program),
            Type::Tuple(parts) => parts.iter().any(|t| t.mentions_threads(program)),
            Type::Struct(id) => {
                let fields = &program.structs[id.index()].fields;
                fields.iter().any(|f| f.ty.mentions_threads(program))
            }
            _ => false,
        }
    }
}

impl Program {
    /// The sum that a type is, if it is one.
    pub fn sum(&self, ty: &Type) -> Option<&Sum> {
        match ty {
            Type::Struct(id) => self.structs.get(id.index())?.sum.as_ref(),
            _ => None,
        }
    }

    /// Of a value with these parts, if its type is a sum: the name of its variant, and which parts it carries.
    pub fn variant(&self, ty: &Type, parts: &[Value]) -> Option<(&str, Range<usize>)> {
        let sum = self.sum(ty)?;
        let Value::Enum(i) = parts.first()? else { return None };
        let name = self.enums.get(sum.tag.index())?.variants.get(*i as usize)?;
        Some((name, sum.carried.get(*i as usize)?.clone()))
    }
}

/// How memory on the heap is managed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// `memory gc` (default): unreachable records vanish; there is no `free`.
    #[default]
    Collected,
    /// `memory manual`: `free`d records can be handed out again by `new`; touching one that is
    /// free is a fault.
    Manual,
    /// `memory stable`: as manual, but touching a free record is allowed and sees its old fields
    /// (type-stable memory).
    Stable,
}

/// What objects and specifications have in common: variables and procedures.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Name of the object or specification.
    pub name: String,
    /// Its variables.
    pub vars: Vec<Var>,
    /// All procedures: operations and helpers.
    pub procs: Vec<Proc>,
    /// Which procedures are operations, in the order of declaration.
    pub ops: Vec<ProcId>,
    /// `init { ... }` and the initial values that are not constants: run once, before anything
    /// else. Takes no parameters, returns nothing, never blocks.
    pub init: Option<Proc>,
    /// Where it is declared.
    pub span: Span,
}

impl Unit {
    /// The procedure of an operation.
    pub fn op(&self, op: OpId) -> &Proc {
        &self.procs[self.ops[op.index()].index()]
    }

    /// The operation of that name.
    pub fn op_named(&self, name: &str) -> Option<OpId> {
        (0..self.ops.len() as u32).map(OpId).find(|&o| self.op(o).name == name)
    }
}

/// A concurrent object.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Variables (shared) and procedures.
    pub unit: Unit,
    /// How `new` and `free` behave.
    pub memory: Memory,
}

/// A sequential specification: every operation is one atomic action. An operation that meets a
/// false `assume` cannot happen in that state.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Variables (the abstract state) and procedures.
    pub unit: Unit,
}

/// A variable, parameter or local.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its initial value (for locals and parameters: the default of the type, never observed).
    pub init: Value,
    /// Where it is declared.
    pub span: Span,
}

/// An operation, a helper procedure, a script or an initialisation.
#[derive(Clone, Debug)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// The first `params` locals are the parameters.
    pub params: u32,
    /// Parameters and local variables; every `let` has one of its own.
    pub locals: Vec<Var>,
    /// The type of the result.
    pub result: Type,
    /// The code. Falling off the end returns `Unit`; for other results the front end guarantees
    /// that every path ends in `return` (or never ends).
    pub body: Block,
    /// `meet` of an operation of a specification: so many statements come before it. They do not return.
    pub meet: Option<u32>,
    /// Where the name is declared.
    pub span: Span,
}

impl Proc {
    /// What comes before `meet` and what comes after it, as procedures: the first returns the parameters and local
    /// variables that the second needs (all others as they are at first), which takes them.
    pub fn halves(&self) -> Option<[Proc; 2]> {
        let at = (self.meet? as usize).min(self.body.len());
        let (before, after) = self.body.split_at(at);
        let mut needed = vec![false; self.locals.len()];
        walk::visit_block(after, &mut |e| {
            if let ExprKind::Local(id) = e.kind {
                needed[id.index()] = true;
            }
        });
        let mut known: Vec<bool> = (0..needed.len()).map(|i| i < self.params as usize).collect();
        walk::visit_block(before, &mut |e| {
            if let ExprKind::Local(id) = e.kind {
                known[id.index()] = true;
            }
        });
        let span = self.span;
        let handed = self.locals.iter().enumerate().map(|(i, local)| {
            let kind = match needed[i] && known[i] {
                true => ExprKind::Local(LocalId(i as u32)),
                false => ExprKind::Const(local.init.clone()),
            };
            Expr { kind, ty: local.ty.clone(), span }
        });
        let result = Type::Tuple(self.locals.iter().map(|local| local.ty.clone()).collect());
        let all = Expr { kind: ExprKind::Aggregate(handed.collect()), ty: result.clone(), span };
        let hand_over = Stmt { kind: StmtKind::Return(Some(all)), span };
        let first = before.iter().cloned().chain([hand_over]).collect();
        let whole = Proc { meet: None, ..self.clone() };
        Some([
            Proc { result, body: first, ..whole.clone() },
            Proc { params: self.locals.len() as u32, body: after.to_vec(), ..whole },
        ])
    }
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement with its position.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Its text (of a compound statement: the head, such as `if x == null`).
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `let x = e` (a place that is a `Local`) and `place = e`.
    Assign {
        /// A place.
        place: Expr,
        /// The value.
        value: Expr,
    },
    /// An expression for its effect; the value is dropped.
    Expr(Expr),
    /// `if c { } else { }`
    If {
        /// The condition.
        cond: Expr,
        /// If true.
        then: Block,
        /// If false.
        els: Block,
    },
    /// `while c { }` and, without condition, `loop { }`.
    Loop {
        /// Target of `break` and `continue`.
        id: LoopId,
        /// Tested before every round; `None` is `true`.
        cond: Option<Expr>,
        /// The round.
        body: Block,
        /// Runs after every round, also after `continue` (the increment of a `for`).
        step: Block,
    },
    /// Leaves a loop.
    Break(LoopId),
    /// Begins the next round of a loop.
    Continue(LoopId),
    /// Leaves the procedure.
    Return(Option<Expr>),
    /// A fault if false.
    Assert(Expr),
    /// Executions where it is false are not considered.
    Assume(Expr),
    /// Waits until it is true: one atomic step that evaluates the condition and goes on only if
    /// it holds.
    Await(Expr),
    /// Executed without interruption. If it would block (a held lock, a false `await`), the whole
    /// block waits, undone, until it can run through.
    Atomic(Block),
    /// `either { } or { }`: local nondeterministic choice.
    Either(Vec<Block>),
    /// Gives a record back (manual and stable memory).
    Free(Expr),
    /// Blocks until the lock at this place is free, then takes it.
    Lock(Expr),
    /// Releases; a fault if this thread does not hold it.
    Unlock(Expr),
    /// `point`, `point for t`: the operation of this thread, or of thread `t`, takes effect here,
    /// together with the access before. Means nothing unless a check asks for
    /// [`Condition::Points`]. Objects only.
    Point(Option<Expr>),
}

/// An expression with its type and position.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The type of the value.
    pub ty: Type,
    /// Its text.
    pub span: Span,
}

/// What an expression computes. *Places* are `Local`, `Global`, `Field`, and `Part` and `Index` of
/// a place; reading a place rooted in `Global` or `Field` in the code of an object is one shared
/// access that copies the whole value.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant (`null`, `empty`, numbers, enum values, `[]` ...).
    Const(Value),
    /// A parameter or local variable.
    Local(LocalId),
    /// A variable of the object or specification.
    Global(VarId),
    /// Field of the record a reference points to; a fault if it is `null`.
    Field(Box<Expr>, u32),
    /// Component of a tuple or struct value or place.
    Part(Box<Expr>, u32),
    /// Element of an array, per-thread array, `seq` or `map` (whose missing key is a fault).
    Index(Box<Expr>, Box<Expr>),
    /// `self`: the executing thread.
    SelfThread,
    /// `-a`, `!a`
    Unary(UnOp, Box<Expr>),
    /// `a + b` ...
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `if c { a } else { b }` as a value: `c ? a : b`.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(a, b)`, `Pair(a, b)`, `[a, b]`: tuple, struct, array or `seq`/`set`/`bag` literal,
    /// according to the type.
    Aggregate(Vec<Expr>),
    /// A value as an option; inserted by the front end where `T` meets `T?`.
    Some(Box<Expr>),
    /// `x.unwrap()`; a fault if empty.
    Unwrap(Box<Expr>),
    /// `new Node { val: v }`: a record; fields not named have the default of their type.
    New(RecordId, Vec<(u32, Expr)>),
    /// An atomic primitive on a shared place.
    Atomic(Primitive, Box<Expr>, Vec<Expr>),
    /// `dcas(p, q, op, oq, np, nq)`: both places compared and both written, or none.
    Dcas {
        /// The two places.
        places: Box<[Expr; 2]>,
        /// Expected values.
        old: Box<[Expr; 2]>,
        /// New values.
        new: Box<[Expr; 2]>,
    },
    /// A helper procedure of the same unit.
    Call(ProcId, Vec<Expr>),
    /// In scripts only: calls an operation of the object. `None` stands for `_`, any value of the
    /// parameter's domain.
    Invoke(OpId, Vec<Option<Expr>>),
    /// `choose(a, b, c)`: all alternatives are evaluated, then one is chosen.
    Choose(Vec<Expr>),
    /// `choose(lo..=hi)`; an empty range is like a false `assume`.
    ChooseRange(Box<Expr>, Box<Expr>),
    /// `choose(xs)`: an element of a `seq`, `set` or `bag`; an empty one is like a false `assume`.
    ChooseFrom(Box<Expr>),
    /// A method of an abstract collection. A method that changes it has a place as receiver.
    Method(Method, Box<Expr>, Vec<Expr>),
    /// `thread as int`: breaks thread symmetry.
    ThreadIndex(Box<Expr>),
    /// `int as thread` (`threads[i]`): breaks thread symmetry; a fault if there is no such thread.
    ThreadAt(Box<Expr>),
    /// `threads` as a number.
    ThreadCount,
    /// Any of the threads. All are alike, so this keeps their symmetry.
    AnyThread,
    /// Any of the threads that are not in a set of them, which is a local variable; if all are, like a false `assume`.
    OtherThread(Box<Expr>),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// `-a`
    Neg,
    /// `!a`
    Not,
}

/// Infix operators. Overflow and division by zero are faults; `/` and `%` round to zero. Bits are those of 32-bit numbers
/// with a sign; a shift by less than 0 or more than 31 is a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    /// A fault if a bit that matters is lost.
    Shl,
    /// Keeps the sign.
    Shr,
    /// On any type.
    Eq,
    /// On any type.
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Lazy.
    And,
    /// Lazy.
    Or,
}

impl BinOp {
    /// The result of an operator on numbers that gives a number. (Others give no number: 0.)
    ///
    /// # Errors
    /// The fault.
    #[inline]
    pub fn arithmetic(self, a: i32, b: i32) -> Result<i32, FaultKind> {
        let shift = || u32::try_from(b).ok().filter(|b| *b < 32);
        let number = match self {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            BinOp::Mul => a.checked_mul(b),
            BinOp::Div | BinOp::Rem if b == 0 => return Err(FaultKind::DivisionByZero),
            BinOp::Div => a.checked_div(b),
            BinOp::Rem => a.checked_rem(b),
            BinOp::BitAnd => Some(a & b),
            BinOp::BitOr => Some(a | b),
            BinOp::BitXor => Some(a ^ b),
            BinOp::Shl => shift().and_then(|n| i32::try_from(i64::from(a) << n).ok()),
            BinOp::Shr => shift().map(|n| a >> n),
            _ => Some(0),
        };
        number.ok_or(FaultKind::IntegerOutOfRange)
    }

    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::BitAnd => "&",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::And => "&&",
            BinOp::Or => "||",
        }
    }
}

/// Atomic primitives on a shared place; the operands follow the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// `cas(place, old, new) -> bool`
    Cas,
    /// `swap(place, new) -> old`
    Swap,
    /// `cas_value(place, old, new)`: the same, gives the value that was found.
    CasValue,
    /// `fetch_add(place, n) -> old`, and `fetch_and`, `fetch_or`, `fetch_xor`
    Fetch(BinOp),
    /// `ll(place) -> value`: load linked.
    LoadLinked,
    /// `sc(place, new) -> bool`: succeeds iff nobody wrote the place since this thread's last
    /// `ll` of it.
    StoreConditional,
    /// `vl(place) -> bool`: would `sc` succeed?
    Validate,
    /// `try_lock(place) -> bool`
    TryLock,
}

/// Methods of collections. Those marked (changes) need a place as receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `seq.len()`, `set.len()`, `bag.len()`, `map.len()`: number of elements, as int
    Len,
    /// `.is_empty()`
    IsEmpty,
    /// `seq.push_back(x)` (changes)
    PushBack,
    /// `seq.push_front(x)` (changes)
    PushFront,
    /// `seq.pop_back() -> T` (changes); a fault if empty
    PopBack,
    /// `seq.pop_front() -> T` (changes); a fault if empty
    PopFront,
    /// `seq.first() -> T`; a fault if empty
    First,
    /// `seq.last() -> T`; a fault if empty
    Last,
    /// `seq.remove_at(i) -> T` (changes); a fault if out of range
    RemoveAt,
    /// `seq.insert_at(i, x)` (changes)
    InsertAt,
    /// `.contains(x) -> bool` on `seq`, `set`, `bag`; key of a `map`
    Contains,
    /// `set.insert(x) -> bool`: was it new? (changes); `bag.insert(x)` always true
    Insert,
    /// `set.remove(x) -> bool`: was it there? `bag.remove(x) -> bool`, one copy;
    /// `map.remove(k) -> bool` (changes)
    Remove,
    /// `bag.count(x) -> int`
    Count,
    /// `map.get(k) -> V?`
    Get,
    /// `map.put(k, v)` (changes)
    Put,
    /// `set.min()`, `bag.min()`, `seq.min()`: least element (of integers); a fault if empty
    Min,
    /// `.max()`
    Max,
    /// `.clear()` (changes)
    Clear,
}

/// `check NAME: Object against Spec CONDITION { ... }`. A check that asks for several conditions is
/// several of these.
#[derive(Clone, Debug)]
pub struct Check {
    /// Unique within the file.
    pub name: String,
    /// The object.
    pub object: ObjectId,
    /// What it is compared with.
    pub against: Against,
    /// How it is compared.
    pub condition: Condition,
    /// Who calls what.
    pub roles: Vec<Role>,
    /// Per operation of the object, per parameter: the values a client may pass.
    pub domains: Vec<Vec<Domain>>,
    /// Per opaque data type: what its values are.
    pub data: Vec<DataDomain>,
    /// At most this many live heap records; executions that would need more are not considered.
    pub heap: Option<u32>,
    /// The verdict the author expects.
    pub expect: Option<Expect>,
    /// Parameters that have other values here: names and values, as written.
    pub params: Vec<(String, String)>,
    /// Where it is.
    pub span: Span,
}

impl Check {
    /// What the object is compared with, in the words of the source.
    pub fn against_name<'p>(&self, program: &'p Program) -> &'p str {
        match self.against {
            Against::Spec(spec) => &program.specs[spec.index()].unit.name,
            Against::Itself => "itself",
        }
    }
}

/// What an object is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// A specification; it has every operation of the object with the same types.
    Spec(SpecId),
    /// `against itself`: the object with each operation executed without interruption.
    Itself,
}

/// What is asked of the histories of an object. The definitions are in the files of the same names
/// in the crate `check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `linearizable`, the default.
    Linearizable,
    /// `points`: linearizable with the points that the source marks (`point`).
    Points,
    /// `quasi { ... }`: linearizable with operations out of order by at most so many places.
    Quasi(Vec<QuasiGroup>),
    /// `sequential`: sequentially consistent.
    Sequential,
    /// `quiescent`: quiescently consistent.
    Quiescent,
    /// `strong`: strongly linearizable.
    Strong,
    /// `set_linearizable`: linearizable with sets of operations that take effect together.
    SetLinearizable,
    /// `interval_linearizable`: linearizable with operations that take effect in two moments.
    IntervalLinearizable,
    /// `lock_free`: some operation always returns, as long as threads take steps.
    LockFree,
    /// `wait_free`: every operation returns, as long as its thread takes steps.
    WaitFree,
    /// `obstruction_free`: every operation returns, as long as its thread takes steps and no other
    /// does.
    ObstructionFree,
    /// `leak_free`: whenever no operation is running, every record that is not free can be reached.
    LeakFree,
    /// `ltl "formula"`: every execution satisfies a formula about calls and returns.
    Ltl(Box<Temporal>),
}

impl Condition {
    /// The word for it in the source.
    pub fn name(&self) -> &'static str {
        match self {
            Condition::Linearizable => "linearizable",
            Condition::Points => "points",
            Condition::Quasi(_) => "quasi",
            Condition::Sequential => "sequential",
            Condition::Quiescent => "quiescent",
            Condition::Strong => "strong",
            Condition::SetLinearizable => "set_linearizable",
            Condition::IntervalLinearizable => "interval_linearizable",
            Condition::LockFree => "lock_free",
            Condition::WaitFree => "wait_free",
            Condition::ObstructionFree => "obstruction_free",
            Condition::LeakFree => "leak_free",
            Condition::Ltl(_) => "ltl",
        }
    }

    /// What an object is that satisfies it.
    pub fn adjective(&self) -> &'static str {
        match self {
            Condition::Linearizable => "linearizable",
            Condition::Points => "linearizable at its points",
            Condition::Quasi(_) => "quasi linearizable",
            Condition::Sequential => "sequentially consistent",
            Condition::Quiescent => "quiescently consistent",
            Condition::Strong => "strongly linearizable",
            Condition::SetLinearizable => "set linearizable",
            Condition::IntervalLinearizable => "interval linearizable",
            Condition::LockFree => "lock-free",
            Condition::WaitFree => "wait-free",
            Condition::ObstructionFree => "obstruction-free",
            Condition::LeakFree => "leak-free",
            Condition::Ltl(_) => "as its formula says",
        }
    }

    /// Is it about which operations return, whatever their results?
    pub fn is_progress(&self) -> bool {
        matches!(self, Condition::LockFree | Condition::WaitFree | Condition::ObstructionFree)
    }

    /// Do operations of the specification with `meet` take effect in two moments?
    pub fn has_halves(&self) -> bool {
        matches!(self, Condition::SetLinearizable | Condition::IntervalLinearizable)
    }

    /// Does it ignore what the specification says?
    pub fn ignores_specification(&self) -> bool {
        self.is_progress() || matches!(self, Condition::LeakFree | Condition::Ltl(_))
    }
}

/// What is asked of all executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Temporal {
    /// As it is written.
    pub text: String,
    /// What it means. Its events are `T1.call.push`, `T1.return.push`: thread, from 1, and operation.
    pub formula: Formula,
    /// Which executions are considered.
    pub fairness: ThreadFairness,
}

/// Which executions a formula is about. (Fairness of threads: one that can go on does so.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadFairness {
    /// All.
    None,
    /// Those in which a thread that can always go on, from some time on, does so.
    Weak,
    /// Those in which a thread that can go on infinitely often does so.
    Strong,
}

/// A group of operations whose mutual order is relaxed: `deq: 2`, `push + pop: 1`,
/// `deq -> empty: 1`. An operation with a result belongs to the first member that matches it, members
/// with a particular result before members with any; what belongs to no group has the factor 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuasiGroup {
    /// Operations of the object and which of their results.
    pub members: Vec<(OpId, QuasiResult)>,
    /// By how many places an operation may be out of order.
    pub factor: u32,
}

/// Which results a member of a group stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuasiResult {
    /// `deq`
    Any,
    /// `deq -> some`: an option that is not empty.
    Some,
    /// `deq -> empty`, `deq -> 3`, `deq -> true`
    Is(Value),
}

/// Values of an opaque data type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataDomain {
    /// Every use in a call is a value never used before.
    Fresh,
    /// There are exactly this many values.
    Finite(u32),
}

/// Values a client may pass for one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A parameter of opaque type: as its [`DataDomain`] says.
    Data(DataId),
    /// Any of these.
    OneOf(Vec<Value>),
}

/// Threads that behave alike.
#[derive(Clone, Debug)]
pub struct Role {
    /// Its name (`thread` for the default).
    pub name: String,
    /// How many threads.
    pub threads: u32,
    /// What they do.
    pub behaviour: Behaviour,
}

/// What the threads of a role do.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// Most general client: any of these operations with any arguments of their domains, in any
    /// order.
    General {
        /// The operations.
        ops: Vec<OpId>,
        /// How many per thread; `None` is any number.
        count: Option<u32>,
    },
    /// A script; the thread ends with it.
    Script(Proc),
}

impl Behaviour {
    /// Does a thread call any number of operations?
    pub fn is_endless(&self) -> bool {
        matches!(self, Behaviour::General { count: None, .. })
    }
}

/// An expected verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// `expect holds`
    Holds,
    /// `expect violated`: some history does not satisfy the condition.
    Violated,
    /// `expect fault KIND`
    Fault(FaultKind),
    /// `expect deadlock`
    Deadlock,
}
