//! Between which values an expression lies, by the ranges of the variables in it.
//!
//! Every assignment to a variable with a range is checked when it happens, so its values are never outside. Intervals
//! are computed as in R. E. Moore, *Interval analysis*, 1966: the result is perhaps wider than it need be, never narrower.

use crate::ast::Binary;
use crate::program::{Base, Expr, Program};
use crate::value::is_number;

/// The least and the greatest value, if that is known.
pub(crate) fn bounds(program: &Program, e: &Expr) -> Option<(i64, i64)> {
    let range = |slot: u32| {
        let own = program.variables.iter().find(|v| (v.base..v.base + v.length).contains(&slot))?;
        own.range.map(|(low, high)| (i64::from(low), i64::from(high)))
    };
    match e {
        Expr::Const(v) if is_number(*v) => Some((i64::from(*v), i64::from(*v))),
        Expr::Global(slot) | Expr::Element(Base::Global(slot), ..) => range(*slot),
        Expr::Minus(e, _) => bounds(program, e).map(|(low, high)| (-high, -low)),
        Expr::Binary(op, a, b, _) => {
            let (a, b) = (bounds(program, a)?, bounds(program, b)?);
            let ends = match op {
                Binary::Add => vec![a.0.checked_add(b.0), a.1.checked_add(b.1)],
                Binary::Subtract => vec![a.0.checked_sub(b.1), a.1.checked_sub(b.0)],
                Binary::Multiply => {
                    let pairs = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
                    pairs.into_iter().map(|(a, b)| a.checked_mul(b)).collect()
                }
                _ => return None,
            };
            let ends: Vec<i64> = ends.into_iter().collect::<Option<_>>()?;
            Some((ends.iter().copied().min()?, ends.iter().copied().max()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Variable;
    use linchpin_text::Span;

    #[test]
    fn ends_are_values_of_the_ends() {
        let variable = |base, length, range| Variable {
            name: String::new(),
            base,
            sizes: Vec::new(),
            length,
            range,
        };
        let variables =
            vec![variable(0, 1, Some((-2, 3))), variable(1, 4, Some((1, 5))), variable(5, 1, None)];
        let program = Program { variables, ..Program::default() };
        let binary = |op, a: &Expr, b: &Expr| {
            Expr::Binary(op, a.clone().into(), b.clone().into(), Span::default())
        };
        let (x, y, free) = (Expr::Global(0), Expr::Global(4), Expr::Global(5));
        assert_eq!(bounds(&program, &binary(Binary::Add, &x, &y)), Some((-1, 8)));
        assert_eq!(bounds(&program, &binary(Binary::Subtract, &x, &y)), Some((-7, 2)));
        assert_eq!(bounds(&program, &binary(Binary::Multiply, &x, &y)), Some((-10, 15)));
        assert_eq!(
            bounds(&program, &Expr::Minus(x.clone().into(), Span::default())),
            Some((-3, 2))
        );
        assert_eq!(bounds(&program, &binary(Binary::Add, &x, &free)), None);
        assert_eq!(bounds(&program, &binary(Binary::Divide, &x, &y)), None);
        // Numbers that no machine has: not known, and no overflow.
        let large = (0..4).fold(Expr::Const(1 << 30), |e, _| binary(Binary::Multiply, &e, &e));
        assert_eq!(bounds(&program, &large), None);
    }
}
