//! A second reading of C#: random functions as trees ([`make`]), their text ([`text`]), and what they mean, by walking the
//! tree ([`meaning`]).
//!
//! Nothing of it is shared with the crate: numbers are `i32` with wrapping operations, arrays and lists are shared cells, and
//! control flow is the control flow of Rust.

mod make;
mod meaning;
mod text;

use std::cell::RefCell;
use std::rc::Rc;

pub(crate) use make::program;
pub(crate) use meaning::Stop;

/// A number, a truth value, an array or a list.
#[derive(Clone, Debug)]
pub(crate) enum Datum {
    Int(i32),
    Bool(bool),
    Cells(Shared),
}

/// An array or list, and how often it was changed.
#[derive(Debug)]
pub(crate) struct Cells {
    pub(crate) items: Vec<i32>,
    changes: u32,
}

type Shared = Rc<RefCell<Cells>>;

/// A new array or list.
pub(crate) fn cells(items: Vec<i32>) -> Datum {
    Datum::Cells(Rc::new(RefCell::new(Cells { items, changes: 0 })))
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ty {
    Int,
    Bool,
    Ints,
    List,
}

impl Ty {
    fn name(self) -> &'static str {
        match self {
            Ty::Int => "int",
            Ty::Bool => "bool",
            Ty::Ints => "int[]",
            Ty::List => "List<int>",
        }
    }
}

#[derive(Debug)]
enum E {
    Int(i32),
    Bool(bool),
    Var(usize),
    Unary(&'static str, Box<E>),
    Binary(&'static str, Box<E>, Box<E>),
    Choice(Box<E>, Box<E>, Box<E>),
    Element(usize, Box<E>),
    Length(usize, bool),
    /// Variable, operator (empty: none), value.
    Assign(usize, &'static str, Box<E>),
    AssignElement(usize, Box<E>, &'static str, Box<E>),
    /// Variable, element, is it up, is it before.
    Step(usize, Option<Box<E>>, bool, bool),
    Math(&'static str, Vec<E>),
    Call(usize, Vec<E>),
    NewArray(Box<E>),
    NewArrayOf(Vec<E>),
    NewList(Vec<E>),
    ListFrom(usize),
    ToArray(usize),
    List(usize, &'static str, Vec<E>),
}

#[derive(Debug)]
enum S {
    Local(usize, E),
    Do(E),
    If(E, Vec<S>, Vec<S>),
    /// `for (int v = 0; v < n; v++)`
    For(usize, i32, Vec<S>),
    /// A counter, its limit, another condition.
    While(usize, i32, E, Vec<S>),
    DoWhile(usize, i32, E, Vec<S>),
    /// Variable, array or list, whether it is a list.
    ForEach(usize, usize, bool, Vec<S>),
    Break,
    Continue,
    Return(E),
}

/// A function: types of parameters, of all its variables, body.
#[derive(Debug)]
struct F {
    parameters: usize,
    types: Vec<Ty>,
    result: Ty,
    body: Vec<S>,
}

/// Some functions, each of which calls earlier ones.
#[derive(Debug)]
pub(crate) struct Program {
    functions: Vec<F>,
}
