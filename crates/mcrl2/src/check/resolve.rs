//! What an overloaded name means: the cheapest function that the arguments fit and whose result
//! fits what is wanted. Cost is the number of conversions `Pos -> Nat -> Int`, as in mCRL2.

use linchpin_text::Diagnostic;
use linchpin_text::Span;

use super::Checker;
use crate::ast::Expr;
use crate::builtin::{self, Builtin};
use crate::report::{AMBIGUOUS, Checked, SORT, UNKNOWN as UNKNOWN_NAME, error, nearest};
use crate::sorts::{OpId, SortId, UNKNOWN};

/// How many combinations of sorts of arguments are looked at.
const MAX_COMBINATIONS: usize = 256;

/// The function that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Function {
    Op(OpId),
    /// With swapped arguments?
    Builtin(Builtin, bool),
}

/// A function that fits, with its sorts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    cost: u32,
    pub(super) function: Function,
    pub(super) parameters: Vec<SortId>,
    pub(super) result: SortId,
}

impl Checker<'_> {
    /// All functions with this name that the arguments fit, the cheapest first.
    pub(super) fn fits(&mut self, name: &str, arguments: &[Expr]) -> Checked<Vec<Fit>> {
        let mut combinations: Vec<Vec<SortId>> = vec![Vec::new()];
        for argument in arguments {
            let sorts = self.sorts_of(argument)?;
            let extend = |c: &Vec<SortId>| {
                let c = c.clone();
                sorts.clone().into_iter().map(move |s| [&c[..], &[s]].concat())
            };
            combinations = combinations.iter().flat_map(extend).take(MAX_COMBINATIONS).collect();
        }
        let mut found: Vec<Fit> = Vec::new();
        let ops = self.op_names.get(name).cloned().unwrap_or_default();
        for given in &combinations {
            for op in &ops {
                let signature = &self.spec.ops[*op as usize];
                let parameters = signature.parameters.to_vec();
                let result = signature.result;
                if parameters.len() == given.len()
                    && let Some(cost) = self.cost(given, &parameters)
                {
                    found.push(Fit { cost, function: Function::Op(*op), parameters, result });
                }
            }
            for c in builtin::candidates(&mut self.spec.sorts, name, given) {
                if let Some(cost) = self.cost(given, &c.parameters) {
                    let function = Function::Builtin(c.builtin, c.swapped);
                    let (parameters, result) = (c.parameters, c.result);
                    found.push(Fit { cost, function, parameters, result });
                }
            }
        }
        found.sort();
        found.dedup_by(|a, b| a.function == b.function && a.parameters == b.parameters);
        Ok(found)
    }

    fn cost(&self, given: &[SortId], parameters: &[SortId]) -> Option<u32> {
        let fits = |(a, b): (&SortId, &SortId)| self.spec.sorts.fits(*a, *b);
        given.iter().zip(parameters).map(fits).sum()
    }

    /// The function that is meant by a name with arguments where this sort is wanted.
    pub(super) fn choose(
        &mut self,
        span: Span,
        name: &str,
        arguments: &[Expr],
        want: SortId,
    ) -> Checked<Fit> {
        let all = self.fits(name, arguments)?;
        let sorts = &self.spec.sorts;
        let total = |fit: &Fit| sorts.fits(fit.result, want).map(|c| c + fit.cost);
        let best = all.iter().filter_map(total).min();
        let Some(best) = best else {
            return Err(self.nothing_fits(span, name, arguments, want, &all));
        };
        let cheapest: Vec<&Fit> = all.iter().filter(|fit| total(fit) == Some(best)).collect();
        // A declared function hides a built-in one of the same price.
        let declared = |fit: &&Fit| matches!(fit.function, Function::Op(_));
        let declared: Vec<&Fit> = cheapest.iter().copied().filter(declared).collect();
        match (&declared[..], &cheapest[..]) {
            ([one], _) | ([], [one, ..]) => Ok((*one).clone()),
            _ => {
                let message = format!("`{name}` may mean several things here");
                let mut problem = error(AMBIGUOUS, span, message);
                for fit in cheapest.iter().take(4) {
                    problem = problem.note(format!("it may be `{}`", self.show_fit(name, fit)));
                }
                Err(Box::new(problem))
            }
        }
    }

    fn show_fit(&self, name: &str, fit: &Fit) -> String {
        let show = |s: &SortId| self.spec.sorts.show(*s);
        let parameters: Vec<String> = fit.parameters.iter().map(show).collect();
        let result = show(&fit.result);
        match parameters.is_empty() {
            true => format!("{name}: {result}"),
            false => format!("{name}: {} -> {result}", parameters.join(" # ")),
        }
    }

    fn nothing_fits(
        &mut self,
        span: Span,
        name: &str,
        arguments: &[Expr],
        want: SortId,
        all: &[Fit],
    ) -> Box<Diagnostic> {
        if let [fit, ..] = all {
            let (found, wanted) = (self.spec.sorts.show(fit.result), self.spec.sorts.show(want));
            return Box::new(self.wrong_sort(span, &found, &wanted, fit.result, want));
        }
        let known = self.op_names.contains_key(name) || builtin::NAMES.contains(&name);
        let operator = !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let infix_word = matches!(name, "div" | "mod" | "in");
        if !known && !operator && !infix_word {
            return Box::new(self.unknown_name(span, name));
        }
        let given: Vec<String> = arguments
            .iter()
            .map(|a| match self.sorts_of(a) {
                Ok(sorts) => self.spec.sorts.show(sorts.first().copied().unwrap_or(UNKNOWN)),
                Err(_) => "?".into(),
            })
            .collect();
        let message = match given.is_empty() {
            true => format!("`{name}` needs arguments"),
            false => format!("`{name}` cannot be applied to {}", given.join(" and ")),
        };
        let mut problem = error(SORT, span, message).label("no function of this name fits");
        for op in self.op_names.get(name).into_iter().flatten().take(4) {
            let op = &self.spec.ops[*op as usize];
            let show = |s: &SortId| self.spec.sorts.show(*s);
            let parameters: Vec<String> = op.parameters.iter().map(show).collect();
            let note = match parameters.is_empty() {
                true => format!("there is `{name}: {}`", show(&op.result)),
                false => {
                    format!("there is `{name}: {} -> {}`", parameters.join(" # "), show(&op.result))
                }
            };
            problem = problem.also(op.span, note);
        }
        if matches!(name, "div" | "mod") && given.len() == 2 {
            problem = problem.note("the divisor must be a `Pos`; `Nat2Pos` and `Int2Pos` convert");
        }
        Box::new(problem)
    }

    pub(super) fn unknown_name(&self, span: Span, name: &str) -> Diagnostic {
        let message = format!("nothing is called `{name}` here");
        let mut problem = error(UNKNOWN_NAME, span, message).label("not declared");
        let variables = self.layouts.iter().flat_map(|l| &l.variables).map(|v| &*v.name);
        let known = variables
            .chain(self.op_names.keys().map(String::as_str))
            .chain(builtin::NAMES.iter().copied());
        if let Some(near) = nearest(name, known) {
            problem = problem.help(format!("is `{near}` meant?"));
        }
        problem
    }

    pub(super) fn wrong_sort(
        &self,
        span: Span,
        found: &str,
        wanted: &str,
        from: SortId,
        to: SortId,
    ) -> Diagnostic {
        let message = format!("expected `{wanted}`, found `{found}`");
        let problem = error(SORT, span, message).label(format!("this is of sort `{found}`"));
        let sorts = &self.spec.sorts;
        match sorts.is_number(from) && sorts.is_number(to) {
            true => problem.help(format!("`{found}2{wanted}` converts it, if it is one")),
            false => problem,
        }
    }
}
