//! Assertions.

use super::{Resolved, Resolver};
use crate::ast::{self, Ltl};
use crate::program::{Assertion, Atom, Claim, DefId};
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
            ast::Claim::Ltl(formula) => {
                let mut atoms = Vec::new();
                self.atoms(formula, &mut atoms)?;
                Claim::Ltl(formula.clone(), atoms)
            }
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

    /// The meanings of the atoms, from left to right.
    fn atoms(&mut self, formula: &Ltl, atoms: &mut Vec<Atom>) -> Resolved<()> {
        match formula {
            Ltl::Const(_) => {}
            Ltl::Text(text, _) => atoms.push(Atom::Event(text.clone())),
            Ltl::Atom(event) => {
                let name = event.name.text.as_str();
                if event.parts.is_empty() && self.names_a_condition(name) {
                    let kind = ast::ExprKind::Name(name.to_string());
                    let e = self.expr(&ast::Expr { kind, span: event.span })?;
                    atoms.push(Atom::State(e));
                } else {
                    let mut text = name.to_string();
                    for part in &event.parts {
                        text += &format!(".{}", show(self.constant(part)?));
                    }
                    atoms.push(Atom::Event(text));
                }
            }
            Ltl::Not(a) | Ltl::Next(a) | Ltl::Always(a) | Ltl::Eventually(a) => {
                self.atoms(a, atoms)?;
            }
            Ltl::And(a, b)
            | Ltl::Or(a, b)
            | Ltl::Xor(a, b)
            | Ltl::Implies(a, b)
            | Ltl::Iff(a, b)
            | Ltl::Until(a, b)
            | Ltl::Release(a, b) => {
                self.atoms(a, atoms)?;
                self.atoms(b, atoms)?;
            }
        }
        Ok(())
    }

    /// Is it a macro or a variable, and not an event?
    fn names_a_condition(&self, name: &str) -> bool {
        self.macros.contains_key(name) || self.variables.contains_key(name)
    }
}
