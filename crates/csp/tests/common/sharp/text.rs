//! Trees as C#.

use std::fmt::Write as _;

use super::{E, F, Program, S, Ty};

impl Program {
    /// The C# file.
    pub(crate) fn text(&self) -> String {
        let mut out = String::from(
            "using System;\nusing System.Collections.Generic;\nnamespace PAT.Lib {\npublic class Random {\n",
        );
        for (i, f) in self.functions.iter().enumerate() {
            let parameters: Vec<String> =
                (0..f.parameters).map(|v| format!("{} v{v}", f.types[v].name())).collect();
            let _ = writeln!(
                out,
                "  public static {} f{i}({}) {{",
                f.result.name(),
                parameters.join(", ")
            );
            statements(&mut out, f, &f.body);
            out += "  }\n";
        }
        out + "}\n}\n"
    }

    /// The types of the parameters of the last function.
    pub(crate) fn parameters(&self) -> &[Ty] {
        let f = &self.functions[self.functions.len() - 1];
        &f.types[..f.parameters]
    }

    pub(crate) fn last(&self) -> String {
        format!("f{}", self.functions.len() - 1)
    }
}

fn block(out: &mut String, f: &F, list: &[S]) {
    *out += " {\n";
    statements(out, f, list);
    *out += "}\n";
}

fn statements(out: &mut String, f: &F, list: &[S]) {
    for s in list {
        let _ = match s {
            S::Local(v, e) => writeln!(out, "{} v{v} = {};", f.types[*v].name(), show(e)),
            S::Do(e) => writeln!(out, "{};", outermost(e)),
            S::If(c, a, b) => {
                let _ = write!(out, "if ({})", show(c));
                block(out, f, a);
                if !b.is_empty() {
                    *out += "else";
                    block(out, f, b);
                }
                Ok(())
            }
            S::For(v, n, body) => {
                let _ = write!(out, "for (int v{v} = 0; v{v} < {n}; v{v}++)");
                block(out, f, body);
                Ok(())
            }
            S::While(v, n, c, body) => {
                let _ = write!(out, "int v{v} = 0; while (v{v}++ < {n} && {})", show(c));
                block(out, f, body);
                Ok(())
            }
            S::DoWhile(v, n, c, body) => {
                let _ = write!(out, "int v{v} = 0; do");
                block(out, f, body);
                writeln!(out, "while (++v{v} < {n} && {});", show(c))
            }
            S::ForEach(v, of, _, body) => {
                let _ = write!(out, "foreach (int v{v} in v{of})");
                block(out, f, body);
                Ok(())
            }
            S::Break => writeln!(out, "break;"),
            S::Continue => writeln!(out, "continue;"),
            S::Return(e) => writeln!(out, "return {};", show(e)),
        };
    }
}

fn all(list: &[E]) -> String {
    list.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// A statement has no parentheses around it.
fn outermost(e: &E) -> String {
    let text = show(e);
    match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        Some(inner) if !matches!(e, E::List(..) | E::Call(..)) => inner.to_string(),
        _ => text,
    }
}

fn show(e: &E) -> String {
    match e {
        E::Int(n) => n.to_string(),
        E::Bool(b) => b.to_string(),
        E::Var(v) => format!("v{v}"),
        E::Unary(op, e) => format!("{op}({})", show(e)),
        E::Binary(op, a, b) => format!("({} {op} {})", show(a), show(b)),
        E::Choice(c, a, b) => format!("({} ? {} : {})", show(c), show(a), show(b)),
        E::Element(v, i) => format!("v{v}[{}]", show(i)),
        E::Length(v, list) => format!("v{v}.{}", if *list { "Count" } else { "Length" }),
        E::Assign(v, op, e) => format!("(v{v} {op}= {})", show(e)),
        E::AssignElement(v, i, op, e) => format!("(v{v}[{}] {op}= {})", show(i), show(e)),
        E::Step(v, i, up, before) => {
            let place = i.as_ref().map_or(format!("v{v}"), |i| format!("v{v}[{}]", show(i)));
            let op = if *up { "++" } else { "--" };
            if *before { format!("({place}{op})") } else { format!("({op}{place})") }
        }
        E::Math(f @ ("Sqrt" | "Pow"), list) => format!("(int)Math.{f}({})", all(list)),
        E::Math(f, list) => format!("System.Math.{f}({})", all(list)),
        E::Call(f, list) => format!("f{f}({})", all(list)),
        E::NewArray(n) => format!("new int[{}]", show(n)),
        E::NewArrayOf(list) => format!("new int[] {{ {} }}", all(list)),
        E::NewList(list) => format!("new List<int>() {{ {} }}", all(list)),
        E::ListFrom(v) => format!("new List<int>(v{v})"),
        E::ToArray(v) => format!("v{v}.ToArray()"),
        E::List(v, name, list) => format!("v{v}.{name}({})", all(list)),
    }
}
