//! Assertions.

use linchpin_ltl::{Formula, Precedence, parse};
use linchpin_text::Diagnostic;
use linchpin_text::Span;

use super::{Resolved, Resolver};
use crate::ast;
use crate::codes;
use crate::parse::event;
use crate::program::{Assertion, Claim, DefId, Expr};
use crate::value::{Value, show};

impl<'m> Resolver<'m> {
    pub(super) fn assertion(&mut self, assertion: &ast::Assertion) -> Resolved<()> {
        let process = self.instance(&assertion.process, &assertion.arguments)?;
        let claim = match &assertion.claim {
            ast::Claim::DeadlockFree => Claim::DeadlockFree,
            ast::Claim::DivergenceFree => Claim::DivergenceFree,
            ast::Claim::Deterministic => Claim::Deterministic,
            ast::Claim::NonTerminating => Claim::NonTerminating,
            ast::Claim::Reaches(goal, extreme) => {
                let goal = self.expr(goal)?;
                let extreme = match extreme {
                    Some((which, e)) => Some((*which, self.expr(e)?)),
                    None => None,
                };
                Claim::Reaches(goal, extreme)
            }
            ast::Claim::Refines(comparison, name, arguments) => {
                Claim::Refines(*comparison, self.instance(name, arguments)?)
            }
            ast::Claim::Ltl(text, span) => self.formula(text, *span)?,
        };
        self.program.assertions.push(Assertion { process, claim, span: assertion.span });
        Ok(())
    }

    /// A process with constant arguments.
    fn instance(
        &mut self,
        name: &ast::Name,
        arguments: &[ast::Expr],
    ) -> Resolved<(DefId, Vec<Value>)> {
        let id = self.process_named(name, arguments.len(), name.span)?;
        let values = arguments.iter().map(|e| self.constant(e)).collect::<Resolved<_>>()?;
        Ok((id, values))
    }

    /// A formula, read as PAT does; where that differs from how it is usually read, a warning.
    fn formula(&mut self, text: &str, span: Span) -> Resolved<Claim> {
        let mut conditions = Vec::new();
        let formula =
            parse(text, Precedence::Pat, &mut |name| self.atom(name, span, &mut conditions));
        let formula = match formula {
            Ok(formula) => formula,
            Err(error) => {
                let (from, to) = (error.at.0 as usize, error.at.1 as usize);
                let start = span.start as usize;
                let at = Span::new(start + from, start + to.max(from + 1));
                return self.error(codes::EXPECTED, at, error.message);
            }
        };
        let mut again = Vec::new();
        let usual = parse(text, Precedence::Usual, &mut |name| self.atom(name, span, &mut again));
        if usual.is_ok_and(|usual| usual != formula) {
            let message = "this formula is not read as it looks";
            let note = "as in PAT, `&&`, `||`, `->` and `<->` bind alike, from left to right";
            self.sink.push(
                Diagnostic::warning(codes::UNUSUAL, span, message)
                    .note(note)
                    .help("use parentheses"),
            );
        }
        Ok(Claim::Ltl(formula, conditions))
    }

    /// A name in a formula: a condition, or an event.
    fn atom(
        &mut self,
        name: &str,
        span: Span,
        conditions: &mut Vec<Expr>,
    ) -> Result<Formula, String> {
        match name {
            "true" => return Ok(Formula::True),
            "false" => return Ok(Formula::False),
            _ => {}
        }
        if self.macros.contains_key(name) {
            let kind = ast::ExprKind::Name(name.to_string());
            let Ok(e) = self.expr(&ast::Expr { kind, span }) else {
                return Err(format!("`{name}` is not a condition"));
            };
            conditions.push(e);
            return Ok(Formula::condition(conditions.len() as u32 - 1));
        }
        // The event that leads to the initial state.
        if name == "init" {
            return Ok(Formula::event(name));
        }
        let base = name.split(['.', '!', '?', '[']).next().unwrap_or(name);
        if self.variables.contains_key(name) && !self.names.contains_key(name) {
            let message = format!("in a formula, `{name}` is an event, not the variable");
            let help = format!("define a condition: `#define some_name {name} == ...;`");
            let warning = Diagnostic::warning(codes::UNUSUAL, span, message).help(help);
            self.sink.push(warning);
        } else if !self.names.contains_key(base) && !self.channels.contains_key(base) {
            let message = format!("there is no event or condition `{base}`");
            let warning = Diagnostic::warning(codes::NO_EVENT, span, message);
            self.sink.push(warning);
        }
        let Some(event) = event(name) else { return Ok(Formula::event(name)) };
        let mut text = event.name.text;
        for part in &event.parts {
            let Ok(value) = self.constant(part) else {
                return Err(format!("`{name}` is not an event"));
            };
            text += &format!(".{}", show(value));
        }
        Ok(Formula::event(text))
    }
}
