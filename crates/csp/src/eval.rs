//! What expressions and programs mean.
//!
//! As in PAT: `&&` and `||` look at the second operand only if they need it; a remainder is not
//! negative for a positive divisor; an assignment has the value that was assigned; two values of
//! different kinds are different. Whatever PAT ends with an exception is a [`Trouble`] with its
//! place.

use linchpin_lts::{Trouble, Watch};
use linchpin_text::Span;

use crate::ast::Binary;
use crate::math;
use crate::program::{Base, Code, Expr, NO_VARIABLE, Program, Query, Stmt};
use crate::sharp;
use crate::value::{self, FALSE, MAX, TRUE, Value, from_slot, is_number, to_slot};

/// Boxed, because almost everything goes well.
pub(crate) type Evaluated<T> = Result<T, Box<Trouble>>;

/// The most rounds of all loops of a program.
const MAX_ROUNDS: u32 = 1_000_000;

/// A trouble at a place.
#[cold]
pub(crate) fn trouble<T>(span: Span, message: impl Into<String>) -> Evaluated<T> {
    Err(Box::new(Trouble::at(message, span.start, span.end)))
}

/// Where values are found, and changed if that is possible.
trait Memory<'p> {
    fn program(&self) -> &'p Program;
    /// The slots of variables and channels.
    fn data(&self) -> &[u32];
    /// Places of the environment.
    fn env(&self) -> &[Value];
    /// Places of the frame; there is none where nothing can be changed.
    fn frame(&self) -> &[Value];
    /// Asked where something may take long.
    fn watch(&self) -> &Watch {
        &Watch::NEVER
    }
    /// Changes places from here on, if that is possible.
    fn store(&mut self, base: Base, index: usize, values: &[Value], span: Span) -> Evaluated<()>;
}

/// Where values are: the variables and channels of a state, and an environment.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) program: &'a Program,
    pub(crate) data: &'a [u32],
    pub(crate) env: &'a [Value],
}

impl<'a> Memory<'a> for Reader<'a> {
    fn program(&self) -> &'a Program {
        self.program
    }

    fn data(&self) -> &[u32] {
        self.data
    }

    fn env(&self) -> &[Value] {
        self.env
    }

    fn frame(&self) -> &[Value] {
        &[]
    }

    fn store(&mut self, _: Base, _: usize, _: &[Value], span: Span) -> Evaluated<()> {
        // Refused where names are resolved.
        trouble(span, "a value changes something where it must not")
    }
}

impl Reader<'_> {
    /// The value of an expression that changes nothing.
    pub(crate) fn value(&self, e: &Expr) -> Evaluated<Value> {
        let mut reader = *self;
        value_in(&mut reader, e)
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
    /// Asked in loops.
    pub(crate) watch: &'a Watch,
}

impl<'a> Memory<'a> for Writer<'a> {
    fn program(&self) -> &'a Program {
        self.program
    }

    fn data(&self) -> &[u32] {
        self.data
    }

    fn env(&self) -> &[Value] {
        self.env
    }

    fn frame(&self) -> &[Value] {
        self.frame
    }

    fn watch(&self) -> &Watch {
        self.watch
    }

    fn store(&mut self, base: Base, index: usize, values: &[Value], _: Span) -> Evaluated<()> {
        match base {
            Base::Frame(base) => {
                let base = base as usize + index;
                self.frame[base..base + values.len()].copy_from_slice(values);
            }
            Base::Global(base) => {
                for (slot, &v) in self.data[base as usize + index..].iter_mut().zip(values) {
                    *slot = to_slot(v);
                }
            }
        }
        Ok(())
    }
}

impl Writer<'_> {
    /// Executes a whole program.
    pub(crate) fn run(&mut self, code: &Code) -> Evaluated<()> {
        self.frame.clear();
        self.frame.resize(code.frame as usize, 0);
        self.statements(&code.statements, &mut 0)
    }

    fn statements(&mut self, list: &[Stmt], rounds: &mut u32) -> Evaluated<()> {
        for statement in list {
            match statement {
                Stmt::Do(e) => {
                    value_in(self, e)?;
                }
                Stmt::If(condition, then, other, span) => {
                    let v = value_in(self, condition)?;
                    let branch = if truth(v, *span)? { then } else { other };
                    self.statements(branch, rounds)?;
                }
                Stmt::While(condition, body, span) => loop {
                    let v = value_in(self, condition)?;
                    if !truth(v, *span)? {
                        break;
                    }
                    *rounds += 1;
                    if *rounds > MAX_ROUNDS {
                        let text = format!("the loop has not ended after {MAX_ROUNDS} rounds");
                        return trouble(*span, text);
                    }
                    if let Some(limit) = self.watch.over_at(*rounds as usize) {
                        return Err(Box::new(limit.into()));
                    }
                    self.statements(body, rounds)?;
                },
            }
        }
        Ok(())
    }
}

/// The value of an expression.
fn value_in<'p, M: Memory<'p>>(m: &mut M, e: &Expr) -> Evaluated<Value> {
    Ok(match e {
        Expr::Const(v) => *v,
        Expr::Global(slot) => from_slot(m.data()[*slot as usize]),
        Expr::Frame(place) => element(m, Base::Frame(*place), 0),
        Expr::Param(place) => m.env()[*place as usize],
        Expr::Element(base, length, index, span) => {
            let index = inside(value_in(m, index)?, *length, *span)?;
            element(m, *base, index)
        }
        Expr::Not(e, span) => not(value_in(m, e)?, *span)?,
        Expr::Minus(e, span) => binary(Binary::Subtract, 0, value_in(m, e)?, *span)?,
        Expr::Binary(Binary::And, a, b, span) => match truth(value_in(m, a)?, *span)? {
            true => value::bool(truth(value_in(m, b)?, *span)?),
            false => FALSE,
        },
        Expr::Binary(Binary::Or, a, b, span) => match truth(value_in(m, a)?, *span)? {
            true => TRUE,
            false => value::bool(truth(value_in(m, b)?, *span)?),
        },
        Expr::Binary(op, a, b, span) => {
            let a = value_in(m, a)?;
            binary(*op, a, value_in(m, b)?, *span)?
        }
        Expr::Assign(base, variable, e, span) => {
            let v = value_in(m, e)?;
            assign(m, *base, 0, *variable, v, *span)?
        }
        Expr::AssignElement(base, length, variable, index, e, span) => {
            let index = inside(value_in(m, index)?, *length, *span)?;
            let v = value_in(m, e)?;
            assign(m, *base, index, *variable, v, *span)?
        }
        Expr::Channel(query, first, count, index, span) => {
            let index = match index {
                Some(index) => Some(value_in(m, index)?),
                None => None,
            };
            ask(m.program(), m.data(), *query, *first, *count, index, *span)?
        }
        _ => value_of_object(m, e)?,
    })
}

/// The value of an expression with arrays or collections.
fn value_of_object<'p, M: Memory<'p>>(m: &mut M, e: &Expr) -> Evaluated<Value> {
    let all = |m: &mut M, list: &[Expr]| -> Evaluated<Vec<Value>> {
        list.iter().map(|e| value_in(m, e)).collect()
    };
    Ok(match e {
        Expr::Whole(base, length, span) => {
            let items = (0..*length as usize).map(|i| element(m, *base, i)).collect();
            at(*span, m.program().objects.array(items))?
        }
        Expr::Array(list, span) => {
            let items = all(m, list)?;
            at(*span, m.program().objects.array(items))?
        }
        Expr::At(array, index, span) => {
            let array = value_in(m, array)?;
            let array = at(*span, m.program().objects.elements(array))?;
            let index = value_in(m, index)?;
            array.items[inside(index, array.items.len() as u32, *span)?]
        }
        Expr::AssignWhole(base, length, variable, e, span) => {
            let v = value_in(m, e)?;
            let array = at(*span, m.program().objects.elements(v))?;
            let n = array.items.len();
            if n != *length as usize {
                let text = format!(
                    "an array of {length} elements gets {n} elements, which is not supported"
                );
                return trouble(*span, text);
            }
            if *variable != NO_VARIABLE {
                for &v in &array.items {
                    in_range(m.program(), *variable, v, *span)?;
                }
            }
            m.store(*base, 0, &array.items, *span)?;
            v
        }
        Expr::AssignAt(base, variable, index, e, span) => {
            let array = at(*span, m.program().objects.elements(element(m, *base, 0)))?;
            let index = inside(value_in(m, index)?, array.items.len() as u32, *span)?;
            let v = value_in(m, e)?;
            let mut items = array.items.clone();
            items[index] = v;
            let array = at(*span, m.program().objects.array(items))?;
            assign(m, *base, 0, *variable, array, *span)?;
            v
        }
        Expr::New(kind, arguments, span) => {
            let arguments = all(m, arguments)?;
            at(*span, m.program().objects.new_of(*kind, &arguments))?
        }
        Expr::Method(slot, kind, method, arguments, span) => {
            let arguments = all(m, arguments)?;
            let on = from_slot(m.data()[*slot as usize]);
            let (result, after) =
                at(*span, m.program().objects.call(*kind, on, *method, &arguments))?;
            if after != on {
                m.store(Base::Global(*slot), 0, &[after], *span)?;
            }
            result
        }
        Expr::Math(function, arguments, span) => {
            let arguments = all(m, arguments)?;
            at(*span, math::apply(*function, &arguments))?
        }
        Expr::Sharp(function, slot, arguments, span) => {
            let arguments = all(m, arguments)?;
            let on = slot.map(|slot| from_slot(m.data()[slot as usize]));
            let Program { sharp, objects, .. } = m.program();
            let called = sharp::call(sharp, objects, *function, on, &arguments, *span, m.watch())?;
            if let (Some(slot), Some(after)) = (slot, called.this)
                && called.this != on
            {
                m.store(Base::Global(*slot), 0, &[after], *span)?;
            }
            called.result
        }
        _ => return trouble(Span::default(), "not an expression with objects"),
    })
}

/// A place, or an element of an array that begins there.
#[inline]
fn element<'p, M: Memory<'p>>(m: &M, base: Base, index: usize) -> Value {
    match base {
        Base::Global(base) => from_slot(m.data()[base as usize + index]),
        Base::Frame(base) => m.frame().get(base as usize + index).copied().unwrap_or(0),
    }
}

/// Gives a variable or element a value.
fn assign<'p, M: Memory<'p>>(
    m: &mut M,
    base: Base,
    index: usize,
    variable: u32,
    v: Value,
    span: Span,
) -> Evaluated<Value> {
    if variable != NO_VARIABLE {
        in_range(m.program(), variable, v, span)?;
    }
    m.store(base, index, &[v], span)?;
    Ok(v)
}

/// Says where something went wrong.
fn at<T>(span: Span, result: Result<T, String>) -> Evaluated<T> {
    result.or_else(|message| trouble(span, message))
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
        _ => trouble(span, format!("{}, but a truth value is needed", value::describe(v))),
    }
}

pub(crate) fn not(v: Value, span: Span) -> Evaluated<Value> {
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
        let v = value::describe(if is_number(a) { b } else { a });
        return trouble(span, format!("{v}, but a number is needed"));
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
