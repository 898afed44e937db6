//! What trees mean.

use super::{Datum, E, Program, S, Shared, cells};

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
