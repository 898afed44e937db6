//! Variables that begin with any value of their ranges: `var x:{0..3} = *;`.
//!
//! PAT leaves such a variable open in its symbolic analysis, so that every value of the range is a way to begin. Here the
//! ways are numbered: the first is that with the least values, and the last variable changes first. An array
//! has a value for each of its elements.

use crate::program::{Base, Expr, Program, Variable};
use crate::value::Value;

/// The most ways to begin.
pub(crate) const MOST: u64 = 1 << 16;

fn open(program: &Program) -> impl DoubleEndedIterator<Item = &Variable> {
    program.any.iter().map(|&id| &program.variables[id as usize])
}

/// How many values a variable has.
fn width(variable: &Variable) -> u64 {
    variable.range.map_or(1, |(low, high)| (i64::from(high) - i64::from(low) + 1).max(1) as u64)
}

/// How many ways to begin there are, if not more than [`MOST`].
pub(crate) fn count(program: &Program) -> Option<u64> {
    let mut all = open(program).flat_map(|v| std::iter::repeat_n(width(v), v.length as usize));
    all.try_fold(1u64, |n, width| n.checked_mul(width).filter(|&n| n <= MOST))
}

/// The values of all variables in one of the ways.
pub(crate) fn values(program: &Program, mut number: u64) -> impl Iterator<Item = Value> {
    let mut values = program.initial.clone();
    for variable in open(program).rev() {
        let width = width(variable);
        for slot in (variable.base..variable.base + variable.length).rev() {
            values[slot as usize] += (number % width) as Value;
            number /= width;
        }
    }
    values.into_iter()
}

/// What the variables begin with in one of the ways, as a sentence.
pub(crate) fn sentence(program: &Program, number: u64) -> String {
    let values: Vec<Value> = values(program, number).collect();
    let each = open(program).map(|v| {
        let own = &values[v.base as usize..(v.base + v.length) as usize];
        let own: Vec<String> = own.iter().map(|&v| program.objects.show(v)).collect();
        match v.sizes.is_empty() {
            true => format!("`{}` begins with {}", v.name, own.join(", ")),
            false => format!("`{}` begins with [{}]", v.name, own.join(", ")),
        }
    });
    each.collect::<Vec<_>>().join(", ")
}

/// A variable that begins with any value and that an expression reads.
pub(crate) fn reads_any<'p>(program: &'p Program, e: &Expr) -> Option<&'p str> {
    let slot = match e {
        Expr::Global(slot)
        | Expr::Element(Base::Global(slot), ..)
        | Expr::Whole(Base::Global(slot), ..) => Some(*slot),
        _ => None,
    };
    let read =
        |v: &&Variable| slot.is_some_and(|slot| (v.base..v.base + v.length.max(1)).contains(&slot));
    let own = open(program).find(read).map(|v| v.name.as_str());
    own.or_else(|| e.parts().find_map(|part| reads_any(program, part)))
}
