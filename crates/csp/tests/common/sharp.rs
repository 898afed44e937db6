//! A second reading of C#: random functions as trees, their text, and what they mean, by walking the tree.
//!
//! Nothing of it is shared with the crate: numbers are `i32` with wrapping operations, arrays and lists are shared cells, and
//! control flow is the control flow of Rust.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;

use super::random::Random;

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

// ---------------------------------------------------------------------------------------------- random functions

struct Maker<'r> {
    random: &'r mut Random,
    functions: Vec<F>,
    types: Vec<Ty>,
    seen: Vec<usize>,
    result: Ty,
    loops: usize,
    depth: usize,
}

const NUMBERS: &[i32] =
    &[0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 7, -1, -1, -2, -9, 31, 32, 33, 100, 65_536, i32::MAX, i32::MIN];

pub(crate) fn program(random: &mut Random) -> Program {
    let count = 1 + random.below(3);
    let mut functions = Vec::new();
    for i in 0..count {
        let last = i + 1 == count;
        let n = 1 + random.below(3);
        let types: Vec<Ty> = (0..n)
            .map(|_| match random.below(if last { 4 } else { 5 }) {
                0 | 1 => Ty::Int,
                2 => Ty::Bool,
                3 => Ty::Ints,
                _ => Ty::List,
            })
            .collect();
        let result = match random.below(3) {
            0 if last => Ty::Bool,
            0 => Ty::Ints,
            _ => Ty::Int,
        };
        let seen = (0..n).collect();
        let mut maker = Maker { random, functions, types, seen, result, loops: 0, depth: 0 };
        let mut body = maker.block(5);
        let value = maker.expr(result);
        body.push(S::Return(value));
        let types = maker.types;
        functions = maker.functions;
        functions.push(F { parameters: n, types, result, body });
    }
    Program { functions }
}

impl Maker<'_> {
    fn fresh(&mut self, ty: Ty) -> usize {
        self.types.push(ty);
        self.types.len() - 1
    }

    fn variable(&mut self, ty: Ty) -> Option<usize> {
        let fit: Vec<usize> = self.seen.iter().copied().filter(|&v| self.types[v] == ty).collect();
        (!fit.is_empty()).then(|| fit[self.random.below(fit.len())])
    }

    fn cells(&mut self) -> Option<usize> {
        let ty = if self.random.below(2) == 0 { Ty::Ints } else { Ty::List };
        self.variable(ty)
    }

    fn block(&mut self, most: usize) -> Vec<S> {
        let seen = self.seen.len();
        let count = 1 + self.random.below(most);
        let mut list: Vec<S> = Vec::new();
        for _ in 0..count {
            let statement = self.statement();
            let leaves = matches!(statement, S::Break | S::Continue | S::Return(_));
            list.push(statement);
            if leaves {
                break;
            }
        }
        self.seen.truncate(seen);
        list
    }

    fn inner(&mut self) -> Vec<S> {
        self.depth += 1;
        let block = self.block(3);
        self.depth -= 1;
        block
    }

    fn statement(&mut self) -> S {
        let deep = self.depth >= 3;
        match self.random.below(16) {
            0..=2 => {
                let ty = [Ty::Int, Ty::Bool, Ty::Ints, Ty::List][self.random.below(4)];
                let value = self.expr(ty);
                let v = self.fresh(ty);
                self.seen.push(v);
                S::Local(v, value)
            }
            3 | 4 if !deep => {
                let condition = self.expr(Ty::Bool);
                let then = self.inner();
                let other = if self.random.below(2) == 0 { self.inner() } else { Vec::new() };
                S::If(condition, then, other)
            }
            5 if !deep => {
                let v = self.fresh(Ty::Int);
                self.seen.push(v);
                self.loops += 1;
                let body = self.inner();
                self.loops -= 1;
                self.seen.pop();
                S::For(v, self.random.below(5) as i32, body)
            }
            6 | 7 if !deep => {
                let condition = self.expr(Ty::Bool);
                let v = self.fresh(Ty::Int);
                self.loops += 1;
                let body = self.inner();
                self.loops -= 1;
                let limit = self.random.below(5) as i32;
                match self.random.below(2) {
                    0 => S::While(v, limit, condition, body),
                    _ => S::DoWhile(v, limit, condition, body),
                }
            }
            8 if !deep => match self.cells() {
                Some(list) => {
                    let v = self.fresh(Ty::Int);
                    self.seen.push(v);
                    self.loops += 1;
                    let body = self.inner();
                    self.loops -= 1;
                    self.seen.pop();
                    S::ForEach(v, list, self.types[list] == Ty::List, body)
                }
                None => S::Do(self.action()),
            },
            9 if self.loops > 0 => S::Break,
            10 if self.loops > 0 => S::Continue,
            11 if self.depth > 0 => S::Return(self.expr(self.result)),
            _ => S::Do(self.action()),
        }
    }

    /// An expression that is done for its effect.
    fn action(&mut self) -> E {
        let element = self.cells();
        match (self.random.below(6), element) {
            (0 | 1, Some(a)) => {
                let op =
                    self.random.pick(&["", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]);
                let index = Box::new(self.index(a));
                E::AssignElement(a, index, op, Box::new(self.expr(Ty::Int)))
            }
            (2, Some(a)) => {
                let index = Some(Box::new(self.index(a)));
                E::Step(a, index, self.random.below(2) == 0, self.random.below(2) == 0)
            }
            (3, _) => match self.variable(Ty::List) {
                Some(list) => self.list_action(list),
                None => self.assignment(),
            },
            (4, _) => match self.variable(Ty::Int) {
                Some(v) => E::Step(v, None, self.random.below(2) == 0, self.random.below(2) == 0),
                None => self.assignment(),
            },
            _ => self.assignment(),
        }
    }

    fn list_action(&mut self, list: usize) -> E {
        match self.random.below(7) {
            0 | 1 => E::List(list, "Add", vec![self.expr(Ty::Int)]),
            2 => E::List(list, "Remove", vec![self.expr(Ty::Int)]),
            3 => E::List(list, "Insert", vec![self.index(list), self.expr(Ty::Int)]),
            4 => E::List(list, "RemoveAt", vec![self.index(list)]),
            5 => E::List(list, "Reverse", Vec::new()),
            _ => E::List(list, "Sort", Vec::new()),
        }
    }

    fn assignment(&mut self) -> E {
        let ty = [Ty::Int, Ty::Int, Ty::Bool, Ty::Ints, Ty::List][self.random.below(5)];
        let Some(v) = self.variable(ty) else { return E::Assign(0, "", Box::new(E::Var(0))) };
        let op = match ty {
            Ty::Int => {
                self.random.pick(&["", "", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])
            }
            Ty::Bool => self.random.pick(&["", "&", "|", "^"]),
            _ => "",
        };
        E::Assign(v, op, Box::new(self.expr(ty)))
    }

    /// An index that is often inside.
    fn index(&mut self, of: usize) -> E {
        match self.random.below(12) {
            0 => self.expr(Ty::Int),
            1 => E::Int(self.random.below(3) as i32),
            _ => {
                let length = E::Length(of, self.types[of] == Ty::List);
                let some = Box::new(E::Math("Max", vec![E::Int(1), length]));
                E::Binary("%", Box::new(E::Int(self.random.below(9) as i32)), some)
            }
        }
    }

    fn expr(&mut self, ty: Ty) -> E {
        self.depth += 1;
        let e = if self.depth > 6 { self.leaf(ty) } else { self.deep(ty) };
        self.depth -= 1;
        e
    }

    fn leaf(&mut self, ty: Ty) -> E {
        match self.variable(ty) {
            Some(v) if self.random.below(3) > 0 => E::Var(v),
            _ => match ty {
                Ty::Int => E::Int(NUMBERS[self.random.below(NUMBERS.len())]),
                Ty::Bool => E::Bool(self.random.below(2) == 0),
                Ty::Ints => E::NewArrayOf(vec![E::Int(3), E::Int(1), E::Int(2)]),
                Ty::List => E::NewList(vec![E::Int(4), E::Int(4)]),
            },
        }
    }

    fn deep(&mut self, ty: Ty) -> E {
        let two = |m: &mut Self, t: Ty| (Box::new(m.expr(t)), Box::new(m.expr(t)));
        if self.random.below(12) == 0 {
            let condition = Box::new(self.expr(Ty::Bool));
            let (a, b) = two(self, ty);
            return E::Choice(condition, a, b);
        }
        if self.random.below(8) == 0
            && let Some(f) = (0..self.functions.len()).find(|&f| self.functions[f].result == ty)
        {
            let types: Vec<Ty> = self.functions[f].types[..self.functions[f].parameters].to_vec();
            return E::Call(f, types.into_iter().map(|t| self.expr(t)).collect());
        }
        match ty {
            Ty::Int => match self.random.below(12) {
                0..=3 => {
                    let op =
                        self.random.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]);
                    let (a, b) = two(self, Ty::Int);
                    E::Binary(op, a, b)
                }
                4 => {
                    let op = self.random.pick(&["-", "~"]);
                    E::Unary(op, Box::new(self.expr(Ty::Int)))
                }
                5 => match self.random.below(6) {
                    0 => E::Math("Abs", vec![self.expr(Ty::Int)]),
                    1 => E::Math("Sign", vec![self.expr(Ty::Int)]),
                    2 => E::Math("Sqrt", vec![self.expr(Ty::Int)]),
                    3 => E::Math("Pow", vec![self.expr(Ty::Int), self.expr(Ty::Int)]),
                    4 => E::Math("Max", vec![self.expr(Ty::Int), self.expr(Ty::Int)]),
                    _ => E::Math("Min", vec![self.expr(Ty::Int), self.expr(Ty::Int)]),
                },
                6 | 7 => match self.cells() {
                    Some(a) => E::Element(a, Box::new(self.index(a))),
                    None => self.leaf(ty),
                },
                8 => match self.cells() {
                    Some(a) => E::Length(a, self.types[a] == Ty::List),
                    None => self.leaf(ty),
                },
                9 => match self.variable(Ty::Int) {
                    Some(v) => {
                        E::Step(v, None, self.random.below(2) == 0, self.random.below(2) == 0)
                    }
                    None => self.leaf(ty),
                },
                10 => match self.variable(Ty::List) {
                    Some(l) => E::List(l, "IndexOf", vec![self.expr(Ty::Int)]),
                    None => self.leaf(ty),
                },
                _ => self.leaf(ty),
            },
            Ty::Bool => match self.random.below(8) {
                0..=2 => {
                    let op = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                    let (a, b) = two(self, Ty::Int);
                    E::Binary(op, a, b)
                }
                3 | 4 => {
                    let op = self.random.pick(&["&&", "||", "&", "|", "^", "==", "!="]);
                    let (a, b) = two(self, Ty::Bool);
                    E::Binary(op, a, b)
                }
                5 => E::Unary("!", Box::new(self.expr(Ty::Bool))),
                6 => match self.variable(Ty::List) {
                    Some(l) => E::List(l, "Contains", vec![self.expr(Ty::Int)]),
                    None => self.leaf(ty),
                },
                _ => self.leaf(ty),
            },
            Ty::Ints => match (self.random.below(4), self.variable(Ty::List)) {
                (0, _) => E::NewArray(Box::new(E::Int(self.random.below(4) as i32))),
                (1, Some(l)) => E::ToArray(l),
                (2, _) => {
                    let n = self.random.below(3);
                    E::NewArrayOf((0..n).map(|_| self.expr(Ty::Int)).collect())
                }
                _ => self.leaf(ty),
            },
            Ty::List => match (self.random.below(4), self.cells()) {
                (0, Some(a)) => E::ListFrom(a),
                (1 | 2, _) => {
                    let n = self.random.below(3);
                    E::NewList((0..n).map(|_| self.expr(Ty::Int)).collect())
                }
                _ => self.leaf(ty),
            },
        }
    }
}

// ---------------------------------------------------------------------------------------------- text

impl Program {
    /// The C# file.
    pub(crate) fn text(&self) -> String {
        let mut out = String::from(
            "using System;\nusing System.Collections.Generic;\nnamespace PAT.Lib {\npublic class Random {\n",
        );
        for (i, f) in self.functions.iter().enumerate() {
            let parameters: Vec<String> =
                (0..f.parameters).map(|v| format!("{} v{v}", f.types[v].name())).collect();
            let _ = writeln!(
                out,
                "  public static {} f{i}({}) {{",
                f.result.name(),
                parameters.join(", ")
            );
            statements(&mut out, f, &f.body);
            out += "  }\n";
        }
        out + "}\n}\n"
    }

    /// The types of the parameters of the last function.
    pub(crate) fn parameters(&self) -> &[Ty] {
        let f = &self.functions[self.functions.len() - 1];
        &f.types[..f.parameters]
    }

    pub(crate) fn last(&self) -> String {
        format!("f{}", self.functions.len() - 1)
    }
}

fn block(out: &mut String, f: &F, list: &[S]) {
    *out += " {\n";
    statements(out, f, list);
    *out += "}\n";
}

fn statements(out: &mut String, f: &F, list: &[S]) {
    for s in list {
        let _ = match s {
            S::Local(v, e) => writeln!(out, "{} v{v} = {};", f.types[*v].name(), show(e)),
            S::Do(e) => writeln!(out, "{};", outermost(e)),
            S::If(c, a, b) => {
                let _ = write!(out, "if ({})", show(c));
                block(out, f, a);
                if !b.is_empty() {
                    *out += "else";
                    block(out, f, b);
                }
                Ok(())
            }
            S::For(v, n, body) => {
                let _ = write!(out, "for (int v{v} = 0; v{v} < {n}; v{v}++)");
                block(out, f, body);
                Ok(())
            }
            S::While(v, n, c, body) => {
                let _ = write!(out, "int v{v} = 0; while (v{v}++ < {n} && {})", show(c));
                block(out, f, body);
                Ok(())
            }
            S::DoWhile(v, n, c, body) => {
                let _ = write!(out, "int v{v} = 0; do");
                block(out, f, body);
                writeln!(out, "while (++v{v} < {n} && {});", show(c))
            }
            S::ForEach(v, of, _, body) => {
                let _ = write!(out, "foreach (int v{v} in v{of})");
                block(out, f, body);
                Ok(())
            }
            S::Break => writeln!(out, "break;"),
            S::Continue => writeln!(out, "continue;"),
            S::Return(e) => writeln!(out, "return {};", show(e)),
        };
    }
}

fn all(list: &[E]) -> String {
    list.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// A statement has no parentheses around it.
fn outermost(e: &E) -> String {
    let text = show(e);
    match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        Some(inner) if !matches!(e, E::List(..) | E::Call(..)) => inner.to_string(),
        _ => text,
    }
}

fn show(e: &E) -> String {
    match e {
        E::Int(n) => n.to_string(),
        E::Bool(b) => b.to_string(),
        E::Var(v) => format!("v{v}"),
        E::Unary(op, e) => format!("{op}({})", show(e)),
        E::Binary(op, a, b) => format!("({} {op} {})", show(a), show(b)),
        E::Choice(c, a, b) => format!("({} ? {} : {})", show(c), show(a), show(b)),
        E::Element(v, i) => format!("v{v}[{}]", show(i)),
        E::Length(v, list) => format!("v{v}.{}", if *list { "Count" } else { "Length" }),
        E::Assign(v, op, e) => format!("(v{v} {op}= {})", show(e)),
        E::AssignElement(v, i, op, e) => format!("(v{v}[{}] {op}= {})", show(i), show(e)),
        E::Step(v, i, up, before) => {
            let place = i.as_ref().map_or(format!("v{v}"), |i| format!("v{v}[{}]", show(i)));
            let op = if *up { "++" } else { "--" };
            if *before { format!("({place}{op})") } else { format!("({op}{place})") }
        }
        E::Math(f @ ("Sqrt" | "Pow"), list) => format!("(int)Math.{f}({})", all(list)),
        E::Math(f, list) => format!("System.Math.{f}({})", all(list)),
        E::Call(f, list) => format!("f{f}({})", all(list)),
        E::NewArray(n) => format!("new int[{}]", show(n)),
        E::NewArrayOf(list) => format!("new int[] {{ {} }}", all(list)),
        E::NewList(list) => format!("new List<int>() {{ {} }}", all(list)),
        E::ListFrom(v) => format!("new List<int>(v{v})"),
        E::ToArray(v) => format!("v{v}.ToArray()"),
        E::List(v, name, list) => format!("v{v}.{name}({})", all(list)),
    }
}

// ---------------------------------------------------------------------------------------------- meaning

/// Why there is no value.
#[derive(Debug, PartialEq)]
pub(crate) enum Stop {
    /// An exception.
    Fault,
    /// It takes too long for a comparison.
    Long,
}

enum Flow {
    Next,
    Break,
    Continue,
    Return(Datum),
}

struct Frame {
    vars: Vec<Option<Datum>>,
}

impl Program {
    /// What the last function gives.
    pub(crate) fn call(&self, arguments: Vec<Datum>) -> Result<Datum, Stop> {
        self.invoke(self.functions.len() - 1, arguments, &mut 20_000)
    }

    fn invoke(&self, f: usize, arguments: Vec<Datum>, fuel: &mut u32) -> Result<Datum, Stop> {
        let function = &self.functions[f];
        let mut vars: Vec<Option<Datum>> = arguments.into_iter().map(Some).collect();
        vars.resize(function.types.len(), None);
        match self.run(&function.body, &mut Frame { vars }, fuel)? {
            Flow::Return(v) => Ok(v),
            _ => Err(Stop::Fault),
        }
    }

    fn run(&self, list: &[S], frame: &mut Frame, fuel: &mut u32) -> Result<Flow, Stop> {
        for s in list {
            *fuel = fuel.checked_sub(1).ok_or(Stop::Long)?;
            match s {
                S::Local(v, e) => frame.vars[*v] = Some(self.eval(e, frame, fuel)?),
                S::Do(e) => drop(self.eval(e, frame, fuel)?),
                S::If(c, a, b) => {
                    let branch = if self.truth(c, frame, fuel)? { a } else { b };
                    match self.run(branch, frame, fuel)? {
                        Flow::Next => {}
                        other => return Ok(other),
                    }
                }
                S::For(v, n, body) => {
                    frame.vars[*v] = Some(Datum::Int(0));
                    while self.int(&E::Var(*v), frame, fuel)? < *n {
                        match self.run(body, frame, fuel)? {
                            Flow::Next | Flow::Continue => {}
                            Flow::Break => break,
                            back => return Ok(back),
                        }
                        let i = self.int(&E::Var(*v), frame, fuel)?;
                        frame.vars[*v] = Some(Datum::Int(i.wrapping_add(1)));
                    }
                }
                S::While(v, n, c, body) => {
                    let mut i = 0;
                    loop {
                        *fuel = fuel.checked_sub(1).ok_or(Stop::Long)?;
                        frame.vars[*v] = Some(Datum::Int(i + 1));
                        if i >= *n || !self.truth(c, frame, fuel)? {
                            break;
                        }
                        i += 1;
                        match self.run(body, frame, fuel)? {
                            Flow::Next | Flow::Continue => {}
                            Flow::Break => break,
                            back => return Ok(back),
                        }
                    }
                }
                S::DoWhile(v, n, c, body) => {
                    let mut i = 0;
                    loop {
                        frame.vars[*v] = Some(Datum::Int(i));
                        match self.run(body, frame, fuel)? {
                            Flow::Next | Flow::Continue => {}
                            Flow::Break => break,
                            back => return Ok(back),
                        }
                        i += 1;
                        if i >= *n || !self.truth(c, frame, fuel)? {
                            break;
                        }
                    }
                }
                S::ForEach(v, of, is_list, body) => {
                    let list = self.cells(*of, frame)?;
                    let before = list.borrow().changes;
                    let mut i = 0;
                    loop {
                        // A list that has been changed in any way is an exception, an array is not.
                        if *is_list && list.borrow().changes != before {
                            return Err(Stop::Fault);
                        }
                        let Some(item) = list.borrow().items.get(i).copied() else { break };
                        frame.vars[*v] = Some(Datum::Int(item));
                        i += 1;
                        match self.run(body, frame, fuel)? {
                            Flow::Next | Flow::Continue => {}
                            Flow::Break => break,
                            back => return Ok(back),
                        }
                    }
                }
                S::Break => return Ok(Flow::Break),
                S::Continue => return Ok(Flow::Continue),
                S::Return(e) => return Ok(Flow::Return(self.eval(e, frame, fuel)?)),
            }
        }
        Ok(Flow::Next)
    }

    fn cells(&self, v: usize, frame: &Frame) -> Result<Shared, Stop> {
        match &frame.vars[v] {
            Some(Datum::Cells(list)) => Ok(list.clone()),
            other => unreachable!("no array or list: {other:?}"),
        }
    }

    fn int(&self, e: &E, frame: &mut Frame, fuel: &mut u32) -> Result<i32, Stop> {
        match self.eval(e, frame, fuel)? {
            Datum::Int(n) => Ok(n),
            other => unreachable!("no number: {other:?}"),
        }
    }

    fn truth(&self, e: &E, frame: &mut Frame, fuel: &mut u32) -> Result<bool, Stop> {
        match self.eval(e, frame, fuel)? {
            Datum::Bool(b) => Ok(b),
            other => unreachable!("no truth value: {other:?}"),
        }
    }

    fn place(&self, i: i32, n: usize) -> Result<usize, Stop> {
        if i < 0 || i as usize >= n { Err(Stop::Fault) } else { Ok(i as usize) }
    }

    fn eval(&self, e: &E, frame: &mut Frame, fuel: &mut u32) -> Result<Datum, Stop> {
        *fuel = fuel.checked_sub(1).ok_or(Stop::Long)?;
        let fresh = |items: Vec<i32>| Ok(cells(items));
        match e {
            E::Int(n) => Ok(Datum::Int(*n)),
            E::Bool(b) => Ok(Datum::Bool(*b)),
            E::Var(v) => Ok(frame.vars[*v].clone().expect("it has a value")),
            E::Unary("!", e) => Ok(Datum::Bool(!self.truth(e, frame, fuel)?)),
            E::Unary("-", e) => Ok(Datum::Int(self.int(e, frame, fuel)?.wrapping_neg())),
            E::Unary(_, e) => Ok(Datum::Int(!self.int(e, frame, fuel)?)),
            E::Binary("&&", a, b) => {
                Ok(Datum::Bool(self.truth(a, frame, fuel)? && self.truth(b, frame, fuel)?))
            }
            E::Binary("||", a, b) => {
                Ok(Datum::Bool(self.truth(a, frame, fuel)? || self.truth(b, frame, fuel)?))
            }
            E::Binary(op, a, b) => {
                let a = self.eval(a, frame, fuel)?;
                let b = self.eval(b, frame, fuel)?;
                operate(op, a, b)
            }
            E::Choice(c, a, b) => {
                if self.truth(c, frame, fuel)? {
                    self.eval(a, frame, fuel)
                } else {
                    self.eval(b, frame, fuel)
                }
            }
            E::Element(v, i) => {
                let list = self.cells(*v, frame)?;
                let i = self.int(i, frame, fuel)?;
                let items = &list.borrow().items;
                Ok(Datum::Int(items[self.place(i, items.len())?]))
            }
            E::Length(v, _) => Ok(Datum::Int(self.cells(*v, frame)?.borrow().items.len() as i32)),
            E::Assign(v, "", e) => {
                let value = self.eval(e, frame, fuel)?;
                frame.vars[*v] = Some(value.clone());
                Ok(value)
            }
            E::Assign(v, op, e) => {
                let old = frame.vars[*v].clone().expect("it has a value");
                let value = operate(op, old, self.eval(e, frame, fuel)?)?;
                frame.vars[*v] = Some(value.clone());
                Ok(value)
            }
            E::AssignElement(v, i, op, e) => {
                let list = self.cells(*v, frame)?;
                let i = self.int(i, frame, fuel)?;
                let value = if op.is_empty() {
                    self.int(e, frame, fuel)?
                } else {
                    let n = list.borrow().items.len();
                    let old = list.borrow().items[self.place(i, n)?];
                    let value = self.int(e, frame, fuel)?;
                    match operate(op, Datum::Int(old), Datum::Int(value))? {
                        Datum::Int(n) => n,
                        other => unreachable!("no number: {other:?}"),
                    }
                };
                let n = list.borrow().items.len();
                let at = self.place(i, n)?;
                set(&list, at, value);
                Ok(Datum::Int(value))
            }
            E::Step(v, None, up, before) => {
                let old = self.int(&E::Var(*v), frame, fuel)?;
                let new = if *up { old.wrapping_add(1) } else { old.wrapping_sub(1) };
                frame.vars[*v] = Some(Datum::Int(new));
                Ok(Datum::Int(if *before { old } else { new }))
            }
            E::Step(v, Some(i), up, before) => {
                let list = self.cells(*v, frame)?;
                let i = self.int(i, frame, fuel)?;
                let n = list.borrow().items.len();
                let at = self.place(i, n)?;
                let old = list.borrow().items[at];
                let new = if *up { old.wrapping_add(1) } else { old.wrapping_sub(1) };
                set(&list, at, new);
                Ok(Datum::Int(if *before { old } else { new }))
            }
            E::Math(name, list) => {
                let a = self.int(&list[0], frame, fuel)?;
                let b = match list.get(1) {
                    Some(e) => self.int(e, frame, fuel)?,
                    None => 0,
                };
                let real = |x: f64| {
                    let fits = x.trunc() >= -2_147_483_648.0 && x.trunc() <= 2_147_483_647.0;
                    if fits { Ok(x as i32) } else { Err(Stop::Fault) }
                };
                Ok(Datum::Int(match *name {
                    "Abs" => a.checked_abs().ok_or(Stop::Fault)?,
                    "Sign" => a.signum(),
                    "Max" => a.max(b),
                    "Min" => a.min(b),
                    "Sqrt" => real(f64::from(a).sqrt())?,
                    _ => real(f64::from(a).powf(f64::from(b)))?,
                }))
            }
            E::Call(f, list) => {
                let mut arguments = Vec::new();
                for e in list {
                    arguments.push(self.eval(e, frame, fuel)?);
                }
                self.invoke(*f, arguments, fuel)
            }
            E::NewArray(n) => {
                let n = self.int(n, frame, fuel)?;
                fresh(vec![0; usize::try_from(n).map_err(|_| Stop::Fault)?])
            }
            E::NewArrayOf(list) | E::NewList(list) => {
                let mut items = Vec::new();
                for e in list {
                    items.push(self.int(e, frame, fuel)?);
                }
                fresh(items)
            }
            E::ListFrom(v) | E::ToArray(v) => {
                let items = self.cells(*v, frame)?.borrow().items.clone();
                fresh(items)
            }
            E::List(v, name, list) => {
                let cells = self.cells(*v, frame)?;
                let mut values = Vec::new();
                for e in list {
                    values.push(self.int(e, frame, fuel)?);
                }
                self.list(name, &cells, &values)
            }
        }
    }

    fn list(&self, name: &str, cells: &Shared, v: &[i32]) -> Result<Datum, Stop> {
        let cells = &mut *cells.borrow_mut();
        let items = &mut cells.items;
        let n = items.len();
        let found = v.first().and_then(|v| items.iter().position(|w| w == v));
        let mut change = true;
        let result = match name {
            "Add" => {
                items.push(v[0]);
                Datum::Bool(true)
            }
            "Remove" => {
                change = found.is_some();
                found.map(|i| items.remove(i));
                Datum::Bool(found.is_some())
            }
            "Insert" => {
                items.insert(self.place(v[0], n + 1)?, v[1]);
                Datum::Bool(true)
            }
            "RemoveAt" => {
                let at = self.place(v[0], n)?;
                items.remove(at);
                Datum::Bool(true)
            }
            "Reverse" => {
                items.reverse();
                Datum::Bool(true)
            }
            "Sort" => {
                items.sort();
                Datum::Bool(true)
            }
            "IndexOf" => {
                change = false;
                Datum::Int(found.map_or(-1, |i| i as i32))
            }
            _ => {
                change = false;
                Datum::Bool(found.is_some())
            }
        };
        cells.changes += u32::from(change);
        Ok(result)
    }
}

fn operate(op: &str, a: Datum, b: Datum) -> Result<Datum, Stop> {
    Ok(match (a, b) {
        (Datum::Bool(a), Datum::Bool(b)) => Datum::Bool(match op {
            "&" => a & b,
            "|" => a | b,
            "^" | "!=" => a != b,
            _ => a == b,
        }),
        (Datum::Int(a), Datum::Int(b)) => match op {
            "==" => Datum::Bool(a == b),
            "!=" => Datum::Bool(a != b),
            "<" => Datum::Bool(a < b),
            "<=" => Datum::Bool(a <= b),
            ">" => Datum::Bool(a > b),
            ">=" => Datum::Bool(a >= b),
            "+" => Datum::Int(a.wrapping_add(b)),
            "-" => Datum::Int(a.wrapping_sub(b)),
            "*" => Datum::Int(a.wrapping_mul(b)),
            "/" => Datum::Int(a.checked_div(b).ok_or(Stop::Fault)?),
            "%" => Datum::Int(a.checked_rem(b).ok_or(Stop::Fault)?),
            "&" => Datum::Int(a & b),
            "|" => Datum::Int(a | b),
            "^" => Datum::Int(a ^ b),
            "<<" => Datum::Int(a.wrapping_shl(b as u32)),
            _ => Datum::Int(a.wrapping_shr(b as u32)),
        },
        other => unreachable!("operands {other:?}"),
    })
}

fn set(list: &Shared, at: usize, value: i32) {
    let cells = &mut *list.borrow_mut();
    cells.items[at] = value;
    cells.changes += 1;
}
