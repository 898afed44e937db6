//! Equations: the function at the head of the left-hand side, patterns for its arguments, code for
//! the condition and the right-hand side.

use super::Checker;
use crate::ast::{self, Equation, Expr, ExprKind};
use crate::builtin::Builtin;
use crate::check::expr::least;
use crate::code::{Code, Pattern, Rule};
use crate::report::{Checked, EQUATION, error};
use crate::sorts::{BOOL, INT, NAT, OpId, POS, Sort, SortId, UNKNOWN};

impl Checker<'_> {
    pub(super) fn equations(&mut self, tree: &ast::Specification) {
        for section in &tree.equations {
            // Nobody would see what is wrong with the rest.
            if self.problems.is_full() {
                return;
            }
            for equation in &section.equations {
                self.layouts = vec![super::Layout::default()];
                let result = self.equation(&section.variables, equation);
                if let Some((op, rule)) = self.keep(result) {
                    self.spec.rules[op as usize].push(rule);
                }
            }
        }
        self.layouts = vec![super::Layout::default()];
    }

    fn equation(&mut self, variables: &[ast::Typed], e: &Equation) -> Checked<(OpId, Rule)> {
        for variable in variables {
            let sort = self.sort(&variable.sort)?;
            self.push(&variable.name.text, sort);
        }
        let own = self.sorts_of(&e.left)?;
        let right = self.sorts_of(&e.right)?;
        // The sort of the equation: one of the left-hand side that the right-hand side fits.
        let fits = |s: &&SortId| right.iter().any(|r| self.spec.sorts.fits(*r, **s).is_some());
        let Some(&sort) = own.iter().find(fits) else {
            let (l, r) = (self.spec.sorts.show(own[0]), self.spec.sorts.show(right[0]));
            let wrong = self.wrong_sort(e.right.span, &r, &l, right[0], own[0]);
            return Err(Box::new(wrong.also(e.left.span, format!("this is of sort `{l}`"))));
        };
        let left = self.expr(&e.left, sort)?;
        let condition = match &e.condition {
            Some(condition) => Some(self.expr(condition, BOOL)?),
            None => None,
        };
        let right = self.expr(&e.right, sort)?;
        let Code::Call(op, arguments) = left else {
            return Err(self.no_head(&e.left));
        };
        let sorts: Vec<SortId> = self.layouts[0].variables.iter().map(|v| v.sort).collect();
        let mut bound = Vec::new();
        let mut patterns = Vec::new();
        let parameters = self.spec.ops[op as usize].parameters.clone();
        for (i, argument) in arguments.iter().enumerate() {
            let at = parameters.get(i).copied().unwrap_or(UNKNOWN);
            patterns.push(self.pattern(argument, at, &sorts, &mut bound));
        }
        let mut used = Vec::new();
        right.free(&mut Vec::new(), &mut used);
        if let Some(condition) = &condition {
            condition.free(&mut Vec::new(), &mut used);
        }
        if let Some(slot) = used.iter().find(|slot| !bound.contains(slot)) {
            let name = &self.layouts[0].variables[*slot as usize].name;
            let message = format!("`{name}` is not on the left-hand side");
            let problem = error(EQUATION, e.right.span, message);
            let note = "equations are used from left to right, so its value would not be known";
            return Err(Box::new(problem.also(e.left.span, "the left-hand side").note(note)));
        }
        let size = self.layouts[0].size;
        Ok((op, Rule { patterns, condition, right, size }))
    }

    fn no_head(&self, left: &Expr) -> Box<linchpin_text::Diagnostic> {
        let what = match &left.kind {
            ExprKind::Operator(symbol, _) => format!("the built-in operator `{symbol}`"),
            _ => "this".into(),
        };
        let message = format!("an equation cannot define {what}");
        let problem = error(EQUATION, left.span, message);
        Box::new(problem.note("the left-hand side is a declared function with arguments"))
    }

    /// The pattern of an argument of this sort.
    fn pattern(&self, code: &Code, at: SortId, sorts: &[SortId], bound: &mut Vec<u32>) -> Pattern {
        match code {
            Code::Slot(slot) if bound.contains(slot) => Pattern::Same(*slot),
            Code::Slot(slot) => {
                bound.push(*slot);
                let own = sorts[*slot as usize];
                let narrower = matches!((own, at), (POS, NAT | INT) | (NAT, INT));
                Pattern::Bind(*slot, if narrower { least(own) } else { None })
            }
            Code::Bool(b) => Pattern::Bool(*b),
            Code::Int(n) => Pattern::Int(*n),
            Code::Builtin(Builtin::Nil, _) => Pattern::Nil,
            Code::Builtin(Builtin::Cons, parts) => {
                let element = match self.spec.sorts.get(at) {
                    Sort::List(e) => *e,
                    _ => UNKNOWN,
                };
                let head = self.pattern(&parts[0], element, sorts, bound);
                let tail = self.pattern(&parts[1], at, sorts, bound);
                Pattern::Cons(Box::new([head, tail]))
            }
            Code::Call(op, list) => {
                let parameters = &self.spec.ops[*op as usize].parameters;
                let parts = list.iter().enumerate().map(|(i, part)| {
                    let at = parameters.get(i).copied().unwrap_or(UNKNOWN);
                    self.pattern(part, at, sorts, bound)
                });
                Pattern::Op(*op, parts.collect())
            }
            other => {
                // Its variables count as bound: the equation is legal, it just never applies.
                other.free(&mut Vec::new(), bound);
                Pattern::Never
            }
        }
    }
}
