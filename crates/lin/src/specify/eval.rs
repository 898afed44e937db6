//! Expressions.

use std::collections::{BTreeMap, BTreeSet};

use super::SpecFault;
use super::exec::{Run, Stop};
use super::place::{is_place, position};
use crate::program::{BinOp, Expr, ExprKind, FaultKind, Primitive, Type, UnOp};
use crate::value::Value;
use linchpin_text::Span;

impl Run<'_> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, e: &Expr) -> Result<Value, Stop> {
        self.script.enter(e.span, &self.spec.watch)?;
        let value = self.expression(e)?;
        self.script.leave();
        Ok(value)
    }

    /// The values of expressions, left to right.
    pub(super) fn eval_all(&mut self, es: &[Expr]) -> Result<Vec<Value>, Stop> {
        es.iter().map(|e| self.eval(e)).collect()
    }

    fn expression(&mut self, e: &Expr) -> Result<Value, Stop> {
        let span = e.span;
        Ok(match &e.kind {
            ExprKind::Const(value) => match e.ty {
                Type::PerThread(_) => self.spec.per_thread(value.clone()),
                _ => value.clone(),
            },
            ExprKind::Local(id) => self.frame[id.index()].clone(),
            ExprKind::Global(id) => self.state[id.index()].clone(),
            ExprKind::Part(..) | ExprKind::Index(..) if is_place(e) => {
                let place = self.place(e)?;
                self.load(&place)?.clone()
            }
            ExprKind::Part(base, part) => {
                let base = self.eval(base)?;
                Self::part_of(&base, *part, span)?
            }
            ExprKind::Index(base, index) => {
                let base = self.eval(base)?;
                let index = self.eval(index)?;
                Self::element_of(&base, index, span)?
            }
            ExprKind::SelfThread => Value::Thread(self.thread),
            ExprKind::Unary(UnOp::Not, a) => Value::Bool(!self.condition(a)?),
            ExprKind::Unary(UnOp::Neg, a) => in_32_bits(self.number(a)?.checked_neg(), span)?,
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, span)?,
            ExprKind::Select(cond, a, b) => {
                let taken = if self.condition(cond)? { a } else { b };
                self.eval(taken)?
            }
            ExprKind::Aggregate(parts) => {
                let parts = self.eval_all(parts)?;
                self.aggregate(parts, &e.ty, span)?
            }
            ExprKind::Some(inner) => Value::Option(Some(Box::new(self.eval(inner)?))),
            ExprKind::Unwrap(inner) => match self.eval(inner)? {
                Value::Option(Some(value)) => *value,
                _ => {
                    let message = "`unwrap()` of `empty`";
                    return Err(SpecFault::new(FaultKind::EmptyUnwrap, span, message).into());
                }
            },
            ExprKind::Atomic(primitive, place, operands) => {
                self.primitive(*primitive, place, operands, span)?
            }
            ExprKind::Dcas { places, old, new } => {
                let targets = [self.place(&places[0])?, self.place(&places[1])?];
                let old = self.eval_all(&old[..])?;
                let new = self.eval_all(&new[..])?;
                let equal =
                    self.load(&targets[0])? == &old[0] && self.load(&targets[1])? == &old[1];
                if equal {
                    for ((target, value), place) in targets.iter().zip(new).zip(places.iter()) {
                        self.store(target, value, &place.ty, span)?;
                    }
                }
                Value::Bool(equal)
            }
            ExprKind::Call(proc, args) => {
                let args = self.eval_all(args)?;
                let proc = &self.unit.procs[proc.index()];
                self.call(proc, args, span)?
            }
            ExprKind::Choose(alternatives) => {
                let mut values = self.eval_all(alternatives)?;
                let taken = self.script.choose(values.len() as u64)?;
                values.swap_remove(taken as usize)
            }
            ExprKind::ChooseRange(lo, hi) => {
                let lo = i64::from(self.number(lo)?);
                let hi = i64::from(self.number(hi)?);
                let taken = self.script.choose(u64::try_from(hi - lo + 1).unwrap_or(0))?;
                in_32_bits(i32::try_from(lo + taken as i64).ok(), span)?
            }
            ExprKind::ChooseFrom(collection) => {
                let elements: Vec<Value> = match self.eval(collection)? {
                    Value::Seq(xs) => xs.into_iter().collect::<BTreeSet<_>>().into_iter().collect(),
                    Value::Set(xs) => xs.into_iter().collect(),
                    Value::Bag(xs) => xs.into_keys().collect(),
                    _ => return Err(SpecFault::ill_formed(span, "not a collection").into()),
                };
                let taken = self.script.choose(elements.len() as u64)?;
                elements.into_iter().nth(taken as usize).ok_or(Stop::Blocked)?
            }
            ExprKind::Method(method, receiver, args) => {
                self.method(*method, receiver, args, span)?
            }
            ExprKind::ThreadIndex(thread) => {
                let thread = self.eval(thread)?;
                int(position(&thread, self.spec.threads() as usize, span)?, span)?
            }
            ExprKind::ThreadAt(index) => {
                let index = self.eval(index)?;
                Value::Thread(1 + position(&index, self.spec.threads() as usize, span)? as u32)
            }
            ExprKind::ThreadCount => int(self.spec.threads() as usize, span)?,
            ExprKind::Field(node, field) if !self.heap.is_empty() => {
                let Value::Ref(n) = self.eval(node)? else {
                    return Err(SpecFault::ill_formed(span, "this is not a node").into());
                };
                let fields = n.checked_sub(1).and_then(|n| self.heap.get(n as usize));
                match fields.and_then(|fields| fields.get(*field as usize)) {
                    Some(value) => value.clone(),
                    None => {
                        let message = "`null` has no fields";
                        return Err(
                            SpecFault::new(FaultKind::NullDereference, span, message).into()
                        );
                    }
                }
            }
            ExprKind::AnyThread => {
                let taken = self.script.choose(u64::from(self.spec.threads()))?;
                Value::Thread(taken as u32 + 1)
            }
            ExprKind::OtherThread(set) => {
                let Value::Set(set) = self.eval(set)? else {
                    return Err(SpecFault::ill_formed(span, "not a set").into());
                };
                let mut others =
                    (1..=self.spec.threads()).map(Value::Thread).filter(|t| !set.contains(t));
                let taken = self.script.choose(others.clone().count() as u64)?;
                others.nth(taken as usize).ok_or(Stop::Blocked)?
            }
            ExprKind::Field(..) | ExprKind::New(..) => {
                return Err(SpecFault::ill_formed(span, "it has no heap").into());
            }
            ExprKind::Invoke(..) => {
                return Err(SpecFault::ill_formed(span, "only scripts call operations").into());
            }
        })
    }

    /// The value of an integer expression.
    fn number(&mut self, e: &Expr) -> Result<i32, Stop> {
        match self.eval(e)? {
            Value::Int(n) => Ok(n),
            _ => Err(SpecFault::ill_formed(e.span, "an operand is not a number").into()),
        }
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, span: Span) -> Result<Value, Stop> {
        match op {
            BinOp::And => return Ok(Value::Bool(self.condition(a)? && self.condition(b)?)),
            BinOp::Or => return Ok(Value::Bool(self.condition(a)? || self.condition(b)?)),
            BinOp::Eq => return Ok(Value::Bool(self.eval(a)? == self.eval(b)?)),
            BinOp::Ne => return Ok(Value::Bool(self.eval(a)? != self.eval(b)?)),
            _ => {}
        }
        let a = self.number(a)?;
        let b = self.number(b)?;
        match op {
            BinOp::Lt => Ok(Value::Bool(a < b)),
            BinOp::Le => Ok(Value::Bool(a <= b)),
            BinOp::Gt => Ok(Value::Bool(a > b)),
            BinOp::Ge => Ok(Value::Bool(a >= b)),
            _ => match op.arithmetic(a, b) {
                Err(FaultKind::DivisionByZero) => {
                    let message = "division by zero";
                    Err(SpecFault::new(FaultKind::DivisionByZero, span, message).into())
                }
                number => Ok(in_32_bits(number.ok(), span)?),
            },
        }
    }

    /// A literal of the given type.
    fn aggregate(&self, mut parts: Vec<Value>, ty: &Type, span: Span) -> Result<Value, SpecFault> {
        Ok(match ty {
            Type::PerThread(_) if parts.len() == 1 => self.spec.per_thread(parts.remove(0)),
            Type::Tuple(_) | Type::Struct(_) | Type::Array(..) | Type::PerThread(_) => {
                Value::Tuple(parts)
            }
            Type::Seq(_) => Value::Seq(parts),
            Type::Set(_) => Value::Set(parts.into_iter().collect()),
            Type::Bag(_) => {
                let mut bag = BTreeMap::new();
                for part in parts {
                    *bag.entry(part).or_insert(0) += 1;
                }
                Value::Bag(bag)
            }
            Type::Map(..) if parts.is_empty() => Value::Map(BTreeMap::new()),
            _ => return Err(SpecFault::ill_formed(span, "a literal of this type")),
        })
    }

    /// The atomic primitives; in a specification everything is atomic anyway.
    fn primitive(
        &mut self,
        primitive: Primitive,
        place: &Expr,
        operands: &[Expr],
        span: Span,
    ) -> Result<Value, Stop> {
        let target = self.place(place)?;
        let operands = self.eval_all(operands)?;
        let old = self.load(&target)?.clone();
        match (primitive, operands.as_slice()) {
            (Primitive::Cas, [expected, new]) => {
                let equal = old == *expected;
                if equal {
                    self.store(&target, new.clone(), &place.ty, span)?;
                }
                Ok(Value::Bool(equal))
            }
            (Primitive::Swap, [new]) => {
                self.store(&target, new.clone(), &place.ty, span)?;
                Ok(old)
            }
            (Primitive::CasValue, [expected, new]) => {
                if old == *expected {
                    self.store(&target, new.clone(), &place.ty, span)?;
                }
                Ok(old)
            }
            (Primitive::Fetch(op), [Value::Int(n)]) => {
                let Value::Int(number) = old else {
                    return Err(SpecFault::ill_formed(span, "`fetch_add` needs a number").into());
                };
                let sum = in_32_bits(op.arithmetic(number, *n).ok(), span)?;
                self.store(&target, sum, &place.ty, span)?;
                Ok(old)
            }
            _ => Err(SpecFault::ill_formed(span, "it has no locks and no linked loads").into()),
        }
    }
}

fn in_32_bits(number: Option<i32>, span: Span) -> Result<Value, SpecFault> {
    number.map(Value::Int).ok_or_else(|| {
        let message = "the number does not fit into 32 bits";
        SpecFault::new(FaultKind::IntegerOutOfRange, span, message)
    })
}

/// A count as a value.
pub(super) fn int(n: usize, span: Span) -> Result<Value, SpecFault> {
    in_32_bits(i32::try_from(n).ok(), span)
}
