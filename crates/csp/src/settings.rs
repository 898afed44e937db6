//! Other values for constants: `--set NAME=VALUE` instead of `#define NAME ...;`.

use linchpin_text::{Diagnostic, Sink, Span, did_you_mean};

use crate::ast::{Body, Define, Expr, ExprKind, Model, Unary};
use crate::codes;
use crate::value::MAX;

/// Can it be set: does it stand for a value, and has it no parameters?
pub(crate) fn can_be_set(define: &Define) -> bool {
    define.parameters.is_empty() && matches!(define.body, Body::Expr(_))
}

/// Replaces the values of constants in a tree.
pub(crate) fn apply(tree: &mut Model, set: &[(String, String)], sink: &mut Sink) {
    for (name, text) in set {
        let error = |span: Span, message: String| Diagnostic::error(codes::SETTING, span, message);
        let Some(define) = tree.defines.iter_mut().find(|d| d.name.text == *name) else {
            let known: Vec<&str> = tree
                .defines
                .iter()
                .filter(|d| can_be_set(d))
                .map(|d| d.name.text.as_str())
                .collect();
            let message = format!("there is no `#define {name}` that could be set");
            let mut d = error(Span::default(), message).note(match known.as_slice() {
                [] => "the model has no constants".to_string(),
                some => format!("the constants are {}", some.join(", ")),
            });
            if let Some(near) = did_you_mean(name, known) {
                d = d.help(format!("did you mean `{near}`?"));
            }
            sink.push(d);
            continue;
        };
        let span = define.name.span;
        if !can_be_set(define) {
            let message =
                format!("`{name}` has parameters or stands for statements, and cannot be set");
            sink.push(error(span, message));
            continue;
        }
        let Some(kind) = value(text, span) else {
            let message = format!(
                "`{name}={text}` is no value: a number from -{MAX} to {MAX}, `true` or `false`"
            );
            sink.push(error(span, message).label("the constant that is set"));
            continue;
        };
        define.body = Body::Expr(Expr { kind, span });
        define.set = true;
    }
}

fn value(text: &str, span: Span) -> Option<ExprKind> {
    match text {
        "true" | "false" => return Some(ExprKind::Bool(text == "true")),
        _ => {}
    }
    let n: i64 = text.parse().ok().filter(|n: &i64| n.abs() <= i64::from(MAX))?;
    let number = ExprKind::Int(n.abs());
    Some(match n < 0 {
        true => ExprKind::Unary(Unary::Minus, Box::new(Expr { kind: number, span })),
        false => number,
    })
}
