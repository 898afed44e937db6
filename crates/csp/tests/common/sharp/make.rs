//! Random functions as trees.

use super::super::random::Random;
use super::{E, F, Program, S, Ty};

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
