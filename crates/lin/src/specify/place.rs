//! Places: where a value can be stored. An address is evaluated first and used later, after the
//! operands that stand to its right.

use super::SpecFault;
use super::exec::{Run, Stop};
use crate::program::{Expr, ExprKind, FaultKind, Type};
use crate::value::Value;
use linchpin_text::Span;

/// The variable a place is in.
#[derive(Clone, Copy, Debug)]
enum Root {
    Local(usize),
    Global(usize),
}

/// From a value to a part of it.
#[derive(Clone, Debug)]
enum Step {
    /// Component of a tuple or struct.
    Part(usize),
    /// Element of an array or `seq` at an index or of a per-thread array at a thread; value of a
    /// `map` at a key.
    At(Value),
}

/// An evaluated address.
#[derive(Clone, Debug)]
pub(super) struct Place {
    root: Root,
    /// Each with the text it comes from.
    steps: Vec<(Step, Span)>,
}

/// Is it one of the expressions that denote a place?
pub(super) fn is_place(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Local(_) | ExprKind::Global(_) => true,
        ExprKind::Part(base, _) | ExprKind::Index(base, _) => is_place(base),
        _ => false,
    }
}

impl Run<'_> {
    /// Evaluates the address of a place.
    pub(super) fn place(&mut self, e: &Expr) -> Result<Place, Stop> {
        let (base, step) = match &e.kind {
            ExprKind::Local(id) => {
                return Ok(Place { root: Root::Local(id.index()), steps: Vec::new() });
            }
            ExprKind::Global(id) => {
                return Ok(Place { root: Root::Global(id.index()), steps: Vec::new() });
            }
            ExprKind::Part(base, part) => (self.place(base)?, Step::Part(*part as usize)),
            ExprKind::Index(base, index) => {
                let base = self.place(base)?;
                (base, Step::At(self.eval(index)?))
            }
            _ => return Err(SpecFault::ill_formed(e.span, "this is not a place").into()),
        };
        let Place { root, mut steps } = base;
        steps.push((step, e.span));
        Ok(Place { root, steps })
    }

    /// What is stored there.
    pub(super) fn load(&self, place: &Place) -> Result<&Value, SpecFault> {
        let root = match place.root {
            Root::Local(i) => &self.frame[i],
            Root::Global(i) => &self.state[i],
        };
        place.steps.iter().try_fold(root, |value, (step, span)| inside(value, step, *span))
    }

    /// What is stored there, to be changed.
    pub(super) fn load_mut(&mut self, place: &Place) -> Result<&mut Value, SpecFault> {
        self.reach(place.root, &place.steps)
    }

    fn reach(&mut self, root: Root, steps: &[(Step, Span)]) -> Result<&mut Value, SpecFault> {
        let root = match root {
            Root::Local(i) => &mut self.frame[i],
            Root::Global(i) => &mut self.state[i],
        };
        steps.iter().try_fold(root, |value, (step, span)| inside_mut(value, step, *span))
    }

    /// Stores a value, after checking that it is in the range of the place. Storing at a missing
    /// key of a `map` adds it.
    pub(super) fn store(
        &mut self,
        place: &Place,
        value: Value,
        ty: &Type,
        span: Span,
    ) -> Result<(), SpecFault> {
        self.fits(&value, ty, span)?;
        if let Some(((Step::At(key), _), outer)) = place.steps.split_last()
            && let Value::Map(entries) = self.reach(place.root, outer)?
        {
            entries.insert(key.clone(), value);
            return Ok(());
        }
        *self.load_mut(place)? = value;
        Ok(())
    }

    /// Component of a value that is not a place.
    pub(super) fn part_of(base: &Value, part: u32, span: Span) -> Result<Value, SpecFault> {
        inside(base, &Step::Part(part as usize), span).cloned()
    }

    /// Element of a value that is not a place.
    pub(super) fn element_of(base: &Value, index: Value, span: Span) -> Result<Value, SpecFault> {
        inside(base, &Step::At(index), span).cloned()
    }
}

fn inside<'v>(value: &'v Value, step: &Step, span: Span) -> Result<&'v Value, SpecFault> {
    match (value, step) {
        (Value::Tuple(parts), Step::Part(i)) => parts.get(*i).ok_or_else(|| no_part(span)),
        (Value::Tuple(parts) | Value::Seq(parts), Step::At(index)) => {
            Ok(&parts[position(index, parts.len(), span)?])
        }
        (Value::Map(entries), Step::At(key)) => entries.get(key).ok_or_else(|| no_key(span)),
        _ => Err(no_part(span)),
    }
}

fn inside_mut<'v>(
    value: &'v mut Value,
    step: &Step,
    span: Span,
) -> Result<&'v mut Value, SpecFault> {
    match (value, step) {
        (Value::Tuple(parts), Step::Part(i)) => parts.get_mut(*i).ok_or_else(|| no_part(span)),
        (Value::Tuple(parts) | Value::Seq(parts), Step::At(index)) => {
            let i = position(index, parts.len(), span)?;
            Ok(&mut parts[i])
        }
        (Value::Map(entries), Step::At(key)) => entries.get_mut(key).ok_or_else(|| no_key(span)),
        _ => Err(no_part(span)),
    }
}

/// An index as a position among `len` elements.
pub(super) fn position(index: &Value, len: usize, span: Span) -> Result<usize, SpecFault> {
    let (position, shown) = match index {
        Value::Int(i) => (usize::try_from(*i).ok(), i.to_string()),
        Value::Thread(t) => ((*t as usize).checked_sub(1), format!("of thread {t}")),
        _ => return Err(SpecFault::ill_formed(span, "this cannot be an index")),
    };
    position.filter(|i| *i < len).ok_or_else(|| {
        SpecFault::new(
            FaultKind::IndexOutOfRange,
            span,
            format!("index {shown} where there are {len} elements"),
        )
    })
}

fn no_key(span: Span) -> SpecFault {
    SpecFault::new(FaultKind::IndexOutOfRange, span, "the map does not have this key")
}

fn no_part(span: Span) -> SpecFault {
    SpecFault::ill_formed(span, "the value has no such part")
}
