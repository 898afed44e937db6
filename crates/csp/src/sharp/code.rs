//! C# code as instructions of a machine with a stack.
//!
//! Flat, so that the machine needs no recursion of its own, whatever the code does, and can count its steps.

use linchpin_text::Span;

use super::tree::Binary;

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Void,
    Int,
    Bool,
    /// `int[]`
    Ints,
    /// `List<int>`
    List,
    /// That of `null`, which every reference may be.
    Null,
    Class(u32),
}

impl Type {
    /// Is a value of this type a number of the heap?
    pub(super) fn is_reference(self) -> bool {
        matches!(self, Type::Ints | Type::List | Type::Class(_) | Type::Null)
    }
}

/// What a machine word means: a number, a truth value (0 or 1), or a place of the heap plus one, 0 being `null`.
pub(super) type Word = i64;

/// A variable that has not got a value yet.
pub(super) const UNSET: Word = Word::MIN;

/// Methods of lists. Results, if any, are numbers or truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListMethod {
    Add,
    AddRange,
    Clear,
    Contains,
    IndexOf,
    Insert,
    Remove,
    RemoveAt,
    Reverse,
    Sort,
    ToArray,
}

/// Functions of `System.Math` whose results are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Math {
    Abs,
    Max,
    Min,
    Sign,
    /// `(int) Math.Pow(a, b)`, and so on: the result is cut off.
    Pow,
    Sqrt,
}

/// An instruction. Operands are on the stack, the last one on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Instr {
    Push(Word),
    /// A local variable.
    Load(u32),
    Store(u32),
    /// So many words from the top, once more.
    Dup(u32),
    Pop,
    Jump(u32),
    /// If the truth value on top is this one.
    JumpIf(bool, u32),
    Binary(Binary),
    Negate,
    Not,
    Complement,
    Math(Math),
    Call(u32),
    Return,
    /// The end of a method that has a result.
    NoResult,
    /// What is thrown; one of the texts of the function.
    Throw(u32),
    /// Length, content 0.
    NewArray,
    /// So many elements.
    NewArrayOf(u32),
    NewList,
    /// A copy of an array or list.
    NewListFrom,
    /// An object of a class, with the initial values of its fields.
    NewObject(u32),
    /// Elements of an array or list.
    Length,
    Element,
    /// Array, index, value; the value stays.
    SetElement,
    Field(u32),
    /// Object, value; the value stays.
    SetField(u32),
    List(ListMethod),
    /// How often a list has been changed.
    Version,
}

/// A method, a constructor with the creation of its object, or a field that is asked for.
#[derive(Debug)]
pub(crate) struct Function {
    /// As it is called in messages.
    pub(crate) name: String,
    /// The class whose objects it is called on, which then are the first word.
    pub(crate) this: Option<u32>,
    pub(crate) parameters: Vec<Type>,
    pub(crate) result: Type,
    /// Words of parameters and local variables.
    pub(super) locals: u32,
    pub(super) code: Vec<Instr>,
    /// Places of the instructions.
    pub(super) spans: Vec<Span>,
    pub(super) texts: Vec<String>,
    /// Names of local variables, for messages.
    pub(super) names: Vec<String>,
    /// Where it is.
    pub(crate) span: Span,
}

/// A class derived from `ExpressionValue`, or one with static methods only.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    /// Can there be objects of it?
    pub(crate) value: bool,
    pub(crate) fields: Vec<(String, Type)>,
}

/// All that the imported files define.
#[derive(Debug, Default)]
pub(crate) struct Library {
    pub(crate) classes: Vec<Class>,
    pub(crate) functions: Vec<Function>,
    /// Static methods, methods, and constructors: class, name, number of parameters, function. A constructor is called
    /// `new`.
    pub(crate) members: Vec<Member>,
}

/// How a function is found.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) class: u32,
    pub(crate) name: String,
    pub(crate) parameters: usize,
    pub(crate) function: u32,
    /// Is it called without an object?
    pub(crate) is_static: bool,
}

/// The name of constructors among the members.
pub(crate) const CONSTRUCTOR: &str = "new";

impl Library {
    /// The name of a type in C#.
    pub(crate) fn type_name(&self, ty: Type) -> &str {
        match ty {
            Type::Void => "void",
            Type::Int => "int",
            Type::Bool => "bool",
            Type::Ints => "int[]",
            Type::List => "List<int>",
            Type::Null => "null",
            Type::Class(c) => &self.classes[c as usize].name,
        }
    }

    /// The class of this name whose objects can be values.
    pub(crate) fn value_class(&self, name: &str) -> Option<u32> {
        self.classes.iter().position(|c| c.value && c.name == name).map(|c| c as u32)
    }
}
