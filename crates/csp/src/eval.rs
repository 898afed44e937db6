//! What expressions and programs mean.
//!
//! As in PAT: `&&` and `||` look at the second operand only if they need it; a remainder is not
//! negative for a positive divisor; an assignment has the value that was assigned; two values of
//! different kinds are different. Whatever PAT ends with an exception is a [`Trouble`] with its
//! place.

use linchpin_lts::Trouble;
use linchpin_model::Span;

use crate::ast::Binary;
use crate::program::{Base, Code, Expr, NO_VARIABLE, Program, Query, Stmt};
use crate::value::{self, FALSE, MAX, TRUE, Value, from_slot, is_number, to_slot};

/// Boxed, because almost everything goes well.
pub(crate) type Evaluated<T> = Result<T, Box<Trouble>>;

/// The most rounds of a loop of a program.
const MAX_ROUNDS: u32 = 1_000_000;

/// A trouble at a place.
#[cold]
pub(crate) fn trouble<T>(span: Span, message: impl Into<String>) -> Evaluated<T> {
    Err(Box::new(Trouble { message: message.into(), at: Some((span.start, span.end)) }))
}

/// Where values are: the variables and channels of a state, and an environment.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) program: &'a Program,
    pub(crate) data: &'a [u32],
    pub(crate) env: &'a [Value],
}

impl Reader<'_> {
    /// The value of an expression that changes nothing.
    pub(crate) fn value(&self, e: &Expr) -> Evaluated<Value> {
        Ok(match e {
            Expr::Const(v) => *v,
            Expr::Global(slot) => from_slot(self.data[*slot as usize]),
            Expr::Param(place) => self.env[*place as usize],
            Expr::Element(Base::Global(base), length, index, span) => {
                let index = inside(self.value(index)?, *length, *span)?;
                from_slot(self.data[*base as usize + index])
            }
            Expr::Not(e, span) => not(self.value(e)?, *span)?,
            Expr::Minus(e, span) => binary(Binary::Subtract, 0, self.value(e)?, *span)?,
            Expr::Binary(Binary::And, a, b, span) => match truth(self.value(a)?, *span)? {
                true => value::bool(truth(self.value(b)?, *span)?),
                false => FALSE,
            },
            Expr::Binary(Binary::Or, a, b, span) => match truth(self.value(a)?, *span)? {
                true => TRUE,
                false => value::bool(truth(self.value(b)?, *span)?),
            },
            Expr::Binary(op, a, b, span) => binary(*op, self.value(a)?, self.value(b)?, *span)?,
            Expr::Channel(query, first, count, index, span) => {
                let index = match index {
                    Some(index) => Some(self.value(index)?),
                    None => None,
                };
                ask(self.program, self.data, *query, *first, *count, index, *span)?
            }
            Expr::Frame(_)
            | Expr::Element(Base::Frame(_), ..)
            | Expr::Assign(..)
            | Expr::AssignElement(..) => {
                // Refused where names are resolved.
                return trouble(Span::default(), "a value changes something where it must not");
            }
        })
    }

    /// The value of a condition.
    pub(crate) fn holds(&self, e: &Expr, span: Span) -> Evaluated<bool> {
        truth(self.value(e)?, span)
    }
}

/// Executes a program.
pub(crate) struct Writer<'a> {
    pub(crate) program: &'a Program,
    pub(crate) data: &'a mut [u32],
    pub(crate) env: &'a [Value],
    pub(crate) frame: &'a mut Vec<Value>,
}

impl Writer<'_> {
    /// Executes a whole program.
    pub(crate) fn run(&mut self, code: &Code) -> Evaluated<()> {
        self.frame.clear();
        self.frame.resize(code.frame as usize, 0);
        self.statements(&code.statements)
    }

    fn statements(&mut self, list: &[Stmt]) -> Evaluated<()> {
        for statement in list {
            match statement {
                Stmt::Do(e) => {
                    self.value(e)?;
                }
                Stmt::If(condition, then, other, span) => {
                    let v = self.value(condition)?;
                    let branch = if truth(v, *span)? { then } else { other };
                    self.statements(branch)?;
                }
                Stmt::While(condition, body, span) => {
                    let mut rounds = 0;
                    loop {
                        let v = self.value(condition)?;
                        if !truth(v, *span)? {
                            break;
                        }
                        rounds += 1;
                        if rounds > MAX_ROUNDS {
                            let text = format!("the loop has not ended after {MAX_ROUNDS} rounds");
                            return trouble(*span, text);
                        }
                        self.statements(body)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, e: &Expr) -> Evaluated<Value> {
        Ok(match e {
            Expr::Const(v) => *v,
            Expr::Global(slot) => from_slot(self.data[*slot as usize]),
            Expr::Frame(place) => self.frame[*place as usize],
            Expr::Param(place) => self.env[*place as usize],
            Expr::Element(base, length, index, span) => {
                let index = inside(self.value(index)?, *length, *span)?;
                match *base {
                    Base::Global(base) => from_slot(self.data[base as usize + index]),
                    Base::Frame(base) => self.frame[base as usize + index],
                }
            }
            Expr::Not(e, span) => not(self.value(e)?, *span)?,
            Expr::Minus(e, span) => binary(Binary::Subtract, 0, self.value(e)?, *span)?,
            Expr::Binary(Binary::And, a, b, span) => match truth(self.value(a)?, *span)? {
                true => value::bool(truth(self.value(b)?, *span)?),
                false => FALSE,
            },
            Expr::Binary(Binary::Or, a, b, span) => match truth(self.value(a)?, *span)? {
                true => TRUE,
                false => value::bool(truth(self.value(b)?, *span)?),
            },
            Expr::Binary(op, a, b, span) => {
                let a = self.value(a)?;
                binary(*op, a, self.value(b)?, *span)?
            }
            Expr::Assign(base, variable, e, span) => {
                let v = self.value(e)?;
                self.store(*base, 0, *variable, v, *span)?
            }
            Expr::AssignElement(base, length, variable, index, e, span) => {
                let index = inside(self.value(index)?, *length, *span)?;
                let v = self.value(e)?;
                self.store(*base, index, *variable, v, *span)?
            }
            Expr::Channel(query, first, count, index, span) => {
                let index = match index {
                    Some(index) => Some(self.value(index)?),
                    None => None,
                };
                ask(self.program, self.data, *query, *first, *count, index, *span)?
            }
        })
    }

    fn store(
        &mut self,
        base: Base,
        index: usize,
        variable: u32,
        v: Value,
        span: Span,
    ) -> Evaluated<Value> {
        match base {
            Base::Frame(base) => self.frame[base as usize + index] = v,
            Base::Global(base) => {
                if variable != NO_VARIABLE {
                    in_range(self.program, variable, v, span)?;
                }
                self.data[base as usize + index] = to_slot(v);
            }
        }
        Ok(v)
    }
}

/// Refuses a value outside the range of its variable.
pub(crate) fn in_range(program: &Program, variable: u32, v: Value, span: Span) -> Evaluated<()> {
    let variable = &program.variables[variable as usize];
    match variable.range {
        Some((low, high)) if is_number(v) && !(low..=high).contains(&v) => {
            let name = &variable.name;
            trouble(span, format!("`{name}` becomes {v}, which is outside {low}..{high}"))
        }
        _ => Ok(()),
    }
}

/// An index that is inside an array.
#[inline]
fn inside(index: Value, length: u32, span: Span) -> Evaluated<usize> {
    if index >= 0 && (index as u32) < length {
        return Ok(index as usize);
    }
    let index = value::show(index);
    trouble(span, format!("the index {index} is outside an array of {length} elements"))
}

/// A truth value.
#[inline]
pub(crate) fn truth(v: Value, span: Span) -> Evaluated<bool> {
    match v {
        TRUE => Ok(true),
        FALSE => Ok(false),
        _ => trouble(span, format!("{v} is a number, but a truth value is needed")),
    }
}

fn not(v: Value, span: Span) -> Evaluated<Value> {
    Ok(value::bool(!truth(v, span)?))
}

#[inline]
pub(crate) fn binary(op: Binary, a: Value, b: Value, span: Span) -> Evaluated<Value> {
    match op {
        Binary::Equal => return Ok(value::bool(a == b)),
        Binary::Unequal => return Ok(value::bool(a != b)),
        Binary::Or => return Ok(value::bool(truth(a, span)? || truth(b, span)?)),
        Binary::And => return Ok(value::bool(truth(a, span)? && truth(b, span)?)),
        Binary::Xor => return Ok(value::bool(truth(a, span)? != truth(b, span)?)),
        _ => {}
    }
    if !is_number(a) || !is_number(b) {
        let v = value::show(if is_number(a) { b } else { a });
        return trouble(span, format!("{v} is a truth value, but a number is needed"));
    }
    let (x, y) = (i64::from(a), i64::from(b));
    let n = match op {
        Binary::Less => return Ok(value::bool(a < b)),
        Binary::AtMost => return Ok(value::bool(a <= b)),
        Binary::Greater => return Ok(value::bool(a > b)),
        Binary::AtLeast => return Ok(value::bool(a >= b)),
        Binary::BitAnd => x & y,
        Binary::BitOr => x | y,
        Binary::BitXor => x ^ y,
        Binary::Add => x + y,
        Binary::Subtract => x - y,
        Binary::Multiply => x * y,
        Binary::Divide | Binary::Modulo if y == 0 => return trouble(span, "division by zero"),
        Binary::Divide => x / y,
        Binary::Modulo => {
            let rest = x % y;
            if rest >= 0 { rest } else { rest + y }
        }
        _ => x,
    };
    if n.abs() > i64::from(MAX) {
        return trouble(span, format!("{n} is too large for Linchpin (at most {MAX})"));
    }
    Ok(n as Value)
}

/// A question about a channel.
fn ask(
    program: &Program,
    data: &[u32],
    query: Query,
    first: u32,
    count: u32,
    index: Option<Value>,
    span: Span,
) -> Evaluated<Value> {
    let index = inside(index.unwrap_or(0), count, span)?;
    let channel = &program.channels[first as usize + index];
    let base = channel.base as usize;
    let messages = if channel.size == 0 { 0 } else { data[base] };
    Ok(match query {
        Query::Full => value::bool(messages == channel.size),
        Query::Empty => value::bool(messages == 0),
        Query::Count => messages as Value,
        Query::Size => channel.size as Value,
        Query::Peek if messages == 0 => {
            return trouble(span, format!("the channel `{}` is empty", channel.name));
        }
        Query::Peek => from_slot(data[base + 1 + usize::from(channel.mixed)]),
    })
}
