//! Conditions and programs with the values of parameters put in, once per step of a term.
//!
//! What does not depend on variables is computed: `board[p + d]` becomes a variable, a condition on parameters alone becomes
//! true or false and with it often the whole, so that the step is not there. What would go wrong is left as it is
//! and goes wrong where it did. The result means the same in every state as the original with the same
//! parameters, which may still be looked up: objects and calls of functions are not looked into.

use crate::ast::Binary;
use crate::eval::{Evaluated, binary, not};
use crate::program::{Base, Code, Expr, Stmt};
use crate::value::{FALSE, TRUE, Value};

/// An expression for known values of parameters.
pub(crate) fn special(e: &Expr, env: &[Value]) -> Expr {
    let inner = |e: &Expr| special(e, env);
    match e {
        Expr::Param(place) => match env.get(*place as usize) {
            Some(v) => Expr::Const(*v),
            None => e.clone(),
        },
        Expr::Element(base, length, index, span) => match inner(index) {
            Expr::Const(i) if (0..i64::from(*length)).contains(&i64::from(i)) => {
                match place(*base, i) {
                    Base::Global(slot) => Expr::Global(slot),
                    Base::Frame(place) => Expr::Frame(place),
                }
            }
            index => Expr::Element(*base, *length, index.into(), *span),
        },
        Expr::Not(a, span) => {
            let a = inner(a);
            known(&[&a], |v| not(v[0], *span)).unwrap_or_else(|| Expr::Not(a.into(), *span))
        }
        Expr::Minus(a, span) => {
            let a = inner(a);
            let minus = |v: &[Value]| binary(Binary::Subtract, 0, v[0], *span);
            known(&[&a], minus).unwrap_or_else(|| Expr::Minus(a.into(), *span))
        }
        Expr::Binary(op, a, b, span) => {
            let (a, b) = (inner(a), inner(b));
            match (op, &a, &b) {
                (Binary::And, Expr::Const(FALSE), _) => Expr::Const(FALSE),
                (Binary::Or, Expr::Const(TRUE), _) => Expr::Const(TRUE),
                (Binary::And, Expr::Const(TRUE), _) | (Binary::Or, Expr::Const(FALSE), _)
                    if is_truth(&b) =>
                {
                    b
                }
                _ => known(&[&a, &b], |v| binary(*op, v[0], v[1], *span))
                    .unwrap_or_else(|| Expr::Binary(*op, a.into(), b.into(), *span)),
            }
        }
        Expr::Assign(base, variable, e, span) => {
            Expr::Assign(*base, *variable, inner(e).into(), *span)
        }
        Expr::AssignElement(base, length, variable, index, e, span) => match inner(index) {
            Expr::Const(i) if (0..i64::from(*length)).contains(&i64::from(i)) => {
                Expr::Assign(place(*base, i), *variable, inner(e).into(), *span)
            }
            index => {
                let (index, e) = (index.into(), inner(e).into());
                Expr::AssignElement(*base, *length, *variable, index, e, *span)
            }
        },
        _ => e.clone(),
    }
}

/// What comes of values that are all known, if that is a value.
fn known(parts: &[&Expr], compute: impl Fn(&[Value]) -> Evaluated<Value>) -> Option<Expr> {
    let value = |e: &&Expr| match e {
        Expr::Const(v) => Some(*v),
        _ => None,
    };
    let values: Option<Vec<Value>> = parts.iter().map(value).collect();
    compute(&values?).ok().map(Expr::Const)
}

/// A program for known values of parameters.
pub(crate) fn special_code(code: &Code, env: &[Value]) -> Code {
    Code { statements: all(&code.statements, env), frame: code.frame }
}

fn all(list: &[Stmt], env: &[Value]) -> Vec<Stmt> {
    let one = |statement: &Stmt| match statement {
        Stmt::Do(e) => Stmt::Do(special(e, env)),
        Stmt::If(e, a, b, span) => Stmt::If(special(e, env), all(a, env), all(b, env), *span),
        Stmt::While(e, body, span) => Stmt::While(special(e, env), all(body, env), *span),
    };
    list.iter().map(one).collect()
}

/// An element of an array that begins there.
fn place(base: Base, index: Value) -> Base {
    match base {
        Base::Global(base) => Base::Global(base + index as u32),
        Base::Frame(base) => Base::Frame(base + index as u32),
    }
}

/// Is it a truth value whenever it has a value?
fn is_truth(e: &Expr) -> bool {
    match e {
        Expr::Const(v) => matches!(*v, TRUE | FALSE),
        Expr::Not(..) => true,
        Expr::Binary(op, ..) => matches!(
            op,
            Binary::And
                | Binary::Or
                | Binary::Xor
                | Binary::Equal
                | Binary::Unequal
                | Binary::Less
                | Binary::AtMost
                | Binary::Greater
                | Binary::AtLeast
        ),
        _ => false,
    }
}
