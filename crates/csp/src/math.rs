//! `#import "PAT.Math"`: the functions of .NET's `System.Math` on numbers.
//!
//! PAT finds a function by its name and the number of its arguments, and takes the first that gives a
//! 32-bit number or a floating point number; the latter is rounded to the nearest number, halves to
//! the even one.

use crate::value::{self, MAX, Value, is_number};

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Abs,
    Max,
    Min,
    Pow,
    Sqrt,
    Exp,
    Log,
    Log10,
    /// `Floor`, `Ceiling`, `Round`, `Truncate`: nothing, as the argument is a number without fraction.
    Same,
}

/// All names, with the number of arguments.
const ALL: &[(&str, usize, Function)] = &[
    ("Abs", 1, Function::Abs),
    ("Max", 2, Function::Max),
    ("Min", 2, Function::Min),
    ("Pow", 2, Function::Pow),
    ("Sqrt", 1, Function::Sqrt),
    ("Exp", 1, Function::Exp),
    ("Log", 1, Function::Log),
    ("Log", 2, Function::Log),
    ("Log10", 1, Function::Log10),
    ("Floor", 1, Function::Same),
    ("Ceiling", 1, Function::Same),
    ("Round", 1, Function::Same),
    ("Truncate", 1, Function::Same),
];

/// Is there a function of this name?
pub(crate) fn is_name(name: &str) -> bool {
    ALL.iter().any(|(n, ..)| *n == name)
}

/// The function of this name with so many arguments.
pub(crate) fn find(name: &str, arguments: usize) -> Option<Function> {
    ALL.iter().find(|(n, count, _)| *n == name && *count == arguments).map(|f| f.2)
}

/// The value of a function, or why there is none.
pub(crate) fn apply(function: Function, arguments: &[Value]) -> Result<Value, String> {
    if let Some(&v) = arguments.iter().find(|&&v| !is_number(v)) {
        return Err(format!("{}, but a number is needed", value::describe(v)));
    }
    let real = match (function, arguments) {
        (Function::Abs, [a]) => return Ok(a.abs()),
        (Function::Same, [a]) => return Ok(*a),
        (Function::Max, [a, b]) => return Ok(*a.max(b)),
        (Function::Min, [a, b]) => return Ok(*a.min(b)),
        (Function::Pow, [a, b]) => f64::from(*a).powf(f64::from(*b)),
        (Function::Sqrt, [a]) => f64::from(*a).sqrt(),
        (Function::Exp, [a]) => f64::from(*a).exp(),
        (Function::Log, [a]) => f64::from(*a).ln(),
        (Function::Log, [a, base]) => f64::from(*a).ln() / f64::from(*base).ln(),
        (Function::Log10, [a]) => f64::from(*a).log10(),
        _ => return Err("this function has other arguments".into()),
    };
    let rounded = real.round_ties_even();
    if !(-f64::from(MAX)..=f64::from(MAX)).contains(&rounded) {
        return Err(format!("{rounded} is not a number from -{MAX} to {MAX}"));
    }
    Ok(rounded as Value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_rounded_to_the_nearest_number() {
        assert_eq!(apply(Function::Pow, &[2, 10]), Ok(1024));
        assert_eq!(apply(Function::Pow, &[2, -1]), Ok(0));
        assert_eq!(apply(Function::Sqrt, &[8]), Ok(3));
        assert_eq!(apply(Function::Log, &[8, 2]), Ok(3));
        assert!(apply(Function::Sqrt, &[-1]).is_err());
        assert!(apply(Function::Pow, &[10, 20]).is_err());
        assert!(apply(Function::Abs, &[value::TRUE]).is_err());
    }
}
