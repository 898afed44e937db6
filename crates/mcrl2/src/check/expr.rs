//! Data expressions. First the sorts that an expression may have by itself, from the leaves up;
//! then, from the root down, code of the sort that is wanted.

use super::{Checker, Layout};
use crate::ast::{Expr, ExprKind, Name, Typed};
use crate::builtin::Builtin;
use crate::check::resolve::Function;
use crate::code::{Code, Lambda};
use crate::report::{Checked, SORT, UNSUPPORTED, error};
use crate::sorts::{BOOL, INT, NAT, POS, Sort, SortId, UNKNOWN};

impl Checker<'_> {
    /// The sorts that an expression may have by itself; not empty.
    pub(super) fn sorts_of(&mut self, e: &Expr) -> Checked<Vec<SortId>> {
        if let Some(known) = self.known.get(&e.id) {
            return Ok(known.clone());
        }
        let sorts = self.find_sorts(e)?;
        self.known.insert(e.id, sorts.clone());
        Ok(sorts)
    }

    fn first_sort(&mut self, e: &Expr) -> Checked<SortId> {
        Ok(self.sorts_of(e)?.first().copied().unwrap_or(UNKNOWN))
    }

    fn find_sorts(&mut self, e: &Expr) -> Checked<Vec<SortId>> {
        Ok(match &e.kind {
            ExprKind::Number(text) => vec![if is_zero(text) { NAT } else { POS }],
            ExprKind::Name(name) => return self.name_sorts(e, name),
            ExprKind::Operator(name, arguments) => match (*name, &arguments[..]) {
                ("&&" | "||" | "=>", [..]) => vec![BOOL],
                _ => return self.application_sorts(e, name, arguments),
            },
            ExprKind::Apply(function, arguments) => match &function.kind {
                ExprKind::Name(name) if self.variable_sort(name).is_none() => {
                    if name == "if" && arguments.len() == 3 {
                        let (a, b) = (self.sorts_of(&arguments[1])?, self.sorts_of(&arguments[2])?);
                        return self.joined(e, &a, &b, "the two cases of `if`");
                    }
                    return self.application_sorts(e, name, arguments);
                }
                _ => self.applied(function, arguments)?.into_iter().map(|(_, r)| r).collect(),
            },
            ExprKind::List(elements) => {
                let element = self.common_sort(elements)?;
                vec![self.spec.sorts.intern(Sort::List(element))]
            }
            ExprKind::Set(elements) => {
                let element = self.common_sort(elements)?;
                vec![self.spec.sorts.intern(Sort::FSet(element))]
            }
            ExprKind::Bag(elements) => {
                let mut common = UNKNOWN;
                for (element, _) in elements {
                    let sort = self.first_sort(element)?;
                    common = self.join_or(element, common, sort)?;
                }
                vec![self.spec.sorts.intern(Sort::FBag(common))]
            }
            ExprKind::Comprehension(variable, body) => {
                let sort = self.sort(&variable.sort)?;
                self.push(&variable.name.text, sort);
                let inner = self.first_sort(body);
                self.pop(1);
                match inner? {
                    BOOL => vec![self.spec.sorts.intern(Sort::Set(sort))],
                    _ => vec![self.spec.sorts.intern(Sort::Bag(sort))],
                }
            }
            ExprKind::Update(function, ..) => self.sorts_of(function)?,
            ExprKind::Lambda(variables, body) => {
                let sorts = self.bind(variables)?;
                let result = self.sorts_of(body);
                self.pop(variables.len());
                let from: Box<[SortId]> = sorts.into();
                let make = |r: SortId| Sort::Function(from.clone(), r);
                result?.into_iter().map(|r| self.spec.sorts.intern(make(r))).collect()
            }
            ExprKind::Forall(..) | ExprKind::Exists(..) => vec![BOOL],
            ExprKind::Where(body, bindings) => {
                for sort in self.binding_sorts(bindings)?.into_iter().zip(bindings) {
                    self.push(&sort.1.0.text, sort.0);
                }
                let result = self.sorts_of(body);
                self.pop(bindings.len());
                result?
            }
        })
    }

    fn binding_sorts(&mut self, bindings: &[(Name, Expr)]) -> Checked<Vec<SortId>> {
        bindings.iter().map(|(_, value)| self.first_sort(value)).collect()
    }

    /// Brings variables into scope.
    fn bind(&mut self, variables: &[Typed]) -> Checked<Vec<SortId>> {
        let sorts: Vec<SortId> =
            variables.iter().map(|v| self.sort(&v.sort)).collect::<Checked<_>>()?;
        for (variable, sort) in variables.iter().zip(&sorts) {
            self.push(&variable.name.text, *sort);
        }
        Ok(sorts)
    }

    fn name_sorts(&mut self, e: &Expr, name: &str) -> Checked<Vec<SortId>> {
        if let Some(sort) = self.variable_sort(name) {
            return Ok(vec![sort]);
        }
        if matches!(name, "true" | "false") {
            return Ok(vec![BOOL]);
        }
        if let Some((sort, _)) = self.globals.get(name) {
            return Ok(vec![*sort]);
        }
        let mut sorts = Vec::new();
        for op in self.op_names.get(name).cloned().unwrap_or_default() {
            let op = &self.spec.ops[op as usize];
            let sort = match op.parameters.is_empty() {
                true => op.result,
                false => {
                    let sort = Sort::Function(op.parameters.clone(), op.result);
                    self.spec.sorts.intern(sort)
                }
            };
            sorts.push(sort);
        }
        match sorts.is_empty() {
            true => Err(Box::new(self.unknown_name(e.span, name))),
            false => Ok(sorts),
        }
    }

    /// The sorts of `f(x)` where `f` is a declared or built-in function.
    fn application_sorts(&mut self, e: &Expr, name: &str, list: &[Expr]) -> Checked<Vec<SortId>> {
        let mut fits = self.fits(name, list)?;
        if fits.is_empty() {
            // A constant that is a function, such as `map f: A; sort A = Nat -> Nat`.
            if let ExprKind::Apply(function, _) = &e.kind
                && self.op_names.contains_key(name)
                && let Ok(applied) = self.applied(function, list)
            {
                return Ok(applied.into_iter().map(|(_, result)| result).collect());
            }
            self.choose(e.span, name, list, UNKNOWN)?;
        }
        let least = fits.iter().map(|f| self.price(f, list)).min();
        fits.retain(|f| Some(self.price(f, list)) == least);
        let mut sorts: Vec<SortId> = fits.iter().map(|f| f.result).collect();
        sorts.dedup();
        Ok(sorts)
    }

    /// What it costs to convert the arguments.
    fn price(&self, fit: &super::resolve::Fit, arguments: &[Expr]) -> u32 {
        let each = arguments.iter().zip(&fit.parameters).map(|(argument, parameter)| {
            let sorts = self.known.get(&argument.id).map_or(&[][..], |s| s);
            sorts.iter().filter_map(|s| self.spec.sorts.fits(*s, *parameter)).min().unwrap_or(0)
        });
        each.sum()
    }

    /// The function sorts of an expression that takes these arguments, with its results.
    fn applied(
        &mut self,
        function: &Expr,
        arguments: &[Expr],
    ) -> Checked<Vec<(Box<[SortId]>, SortId)>> {
        let sorts = self.sorts_of(function)?;
        let given: Vec<SortId> =
            arguments.iter().map(|a| self.first_sort(a)).collect::<Checked<_>>()?;
        let mut found = Vec::new();
        for sort in &sorts {
            if let Sort::Function(from, to) = self.spec.sorts.get(*sort)
                && from.len() == given.len()
                && from.iter().zip(&given).all(|(p, g)| self.spec.sorts.fits(*g, *p).is_some())
            {
                found.push((from.clone(), *to));
            }
        }
        if found.is_empty() {
            let show = |s: &SortId| self.spec.sorts.show(*s);
            let given: Vec<String> = given.iter().map(show).collect();
            let message = format!(
                "a value of sort `{}` cannot be applied to {}",
                show(&sorts[0]),
                given.join(" and ")
            );
            return Err(Box::new(error(SORT, function.span, message)));
        }
        Ok(found)
    }

    fn join_or(&mut self, e: &Expr, a: SortId, b: SortId) -> Checked<SortId> {
        if let Some(sort) = self.spec.sorts.join(a, b) {
            return Ok(sort);
        }
        let (a, b) = (self.spec.sorts.show(a), self.spec.sorts.show(b));
        let message = format!("elements of sorts `{a}` and `{b}` together");
        Err(Box::new(error(SORT, e.span, message).label(format!("this is of sort `{b}`"))))
    }

    fn common_sort(&mut self, elements: &[Expr]) -> Checked<SortId> {
        let mut common = UNKNOWN;
        for element in elements {
            let sort = self.first_sort(element)?;
            common = self.join_or(element, common, sort)?;
        }
        Ok(common)
    }

    fn joined(&mut self, e: &Expr, a: &[SortId], b: &[SortId], what: &str) -> Checked<Vec<SortId>> {
        let mut found = Vec::new();
        for x in a {
            for y in b {
                found.extend(self.spec.sorts.join(*x, *y));
            }
        }
        if found.is_empty() {
            let (a, b) = (self.spec.sorts.show(a[0]), self.spec.sorts.show(b[0]));
            let message = format!("{what} are of sorts `{a}` and `{b}`");
            return Err(Box::new(error(SORT, e.span, message)));
        }
        found.dedup();
        Ok(found)
    }

    /// Code for an expression of the sort that is wanted.
    pub(super) fn expr(&mut self, e: &Expr, want: SortId) -> Checked<Code> {
        let sorts = self.sorts_of(e)?;
        if !sorts.iter().any(|s| self.spec.sorts.fits(*s, want).is_some()) {
            let (found, wanted) = (self.spec.sorts.show(sorts[0]), self.spec.sorts.show(want));
            return Err(Box::new(self.wrong_sort(e.span, &found, &wanted, sorts[0], want)));
        }
        match &e.kind {
            ExprKind::Number(text) => match text.parse() {
                Ok(number) => Ok(Code::Int(number)),
                Err(_) => {
                    let problem = error(UNSUPPORTED, e.span, "this number is too large");
                    Err(Box::new(problem.note("numbers have at most 127 bits")))
                }
            },
            ExprKind::Name(name) => self.named(e, name, want),
            ExprKind::Operator(name, list) => match (*name, &list[..]) {
                ("&&", [a, b]) => {
                    Ok(Code::And(Box::new([self.expr(a, BOOL)?, self.expr(b, BOOL)?])))
                }
                ("||", [a, b]) => {
                    Ok(Code::Or(Box::new([self.expr(a, BOOL)?, self.expr(b, BOOL)?])))
                }
                ("=>", [a, b]) => {
                    let a = Code::Builtin(Builtin::Not, [self.expr(a, BOOL)?].into());
                    Ok(Code::Or(Box::new([a, self.expr(b, BOOL)?])))
                }
                _ => self.application(e, name, list, want),
            },
            ExprKind::Apply(function, list) => match &function.kind {
                ExprKind::Name(name) if self.variable_sort(name).is_none() => {
                    if name == "if" && list.len() == 3 {
                        let branch = if want == UNKNOWN { sorts[0] } else { want };
                        let condition = self.expr(&list[0], BOOL)?;
                        let (a, b) = (self.expr(&list[1], branch)?, self.expr(&list[2], branch)?);
                        return Ok(Code::If(Box::new([condition, a, b])));
                    }
                    if self.fits(name, list)?.is_empty() {
                        return self.apply(function, list, want);
                    }
                    self.application(e, name, list, want)
                }
                _ => self.apply(function, list, want),
            },
            ExprKind::List(list) => {
                let element = self.element(sorts[0], want);
                let mut code = Code::Builtin(Builtin::Nil, [].into());
                for e in list.iter().rev() {
                    code = Code::Builtin(Builtin::Cons, [self.expr(e, element)?, code].into());
                }
                Ok(code)
            }
            ExprKind::Set(list) => {
                let element = self.element(sorts[0], want);
                let mut code = Code::Builtin(Builtin::EmptySet, [].into());
                for e in list {
                    code = Code::Builtin(Builtin::Insert, [self.expr(e, element)?, code].into());
                }
                Ok(code)
            }
            ExprKind::Bag(list) => {
                let element = self.element(sorts[0], want);
                let mut code = Code::Builtin(Builtin::EmptyBag, [].into());
                for (e, n) in list {
                    let (e, n) = (self.expr(e, element)?, self.expr(n, NAT)?);
                    code = Code::Builtin(Builtin::Put, [e, n, code].into());
                }
                Ok(code)
            }
            ExprKind::Comprehension(variable, body) => {
                let sort = self.sort(&variable.sort)?;
                let bag = matches!(self.spec.sorts.get(sorts[0]), Sort::Bag(_));
                let result = if bag { NAT } else { BOOL };
                let list = std::slice::from_ref(&**variable);
                let (lambda, captured) = self.lambda(e, list, body, result)?;
                Ok(Code::Comprehension { bag, sort, lambda, captured })
            }
            ExprKind::Update(function, key, value) => {
                let Sort::Function(from, to) = self.spec.sorts.get(sorts[0]).clone() else {
                    let message = "only functions can be updated";
                    return Err(Box::new(error(SORT, function.span, message)));
                };
                if from.len() != 1 {
                    let message = "only functions of one argument can be updated";
                    return Err(Box::new(error(SORT, function.span, message)));
                }
                // What is wanted may take more than the function that is updated does.
                let (key_sort, value_sort) = match self.spec.sorts.get(want) {
                    Sort::Function(f, r) if f.len() == 1 => (f[0], *r),
                    _ => (from[0], to),
                };
                let key_sort = self.spec.sorts.join(key_sort, from[0]).unwrap_or(key_sort);
                let parts = [
                    self.expr(function, want)?,
                    self.expr(key, key_sort)?,
                    self.expr(value, value_sort)?,
                ];
                Ok(Code::Builtin(Builtin::Update, parts.into()))
            }
            ExprKind::Lambda(variables, body) => {
                let result = match self.spec.sorts.get(want) {
                    Sort::Function(_, result) => *result,
                    _ => UNKNOWN,
                };
                let (lambda, captured) = self.lambda(e, variables, body, result)?;
                Ok(Code::Lambda(lambda, captured))
            }
            ExprKind::Forall(variables, body) => self.quantifier(e, true, variables, body),
            ExprKind::Exists(variables, body) => self.quantifier(e, false, variables, body),
            ExprKind::Where(body, bindings) => {
                let sorts = self.binding_sorts(bindings)?;
                let mut values = Vec::new();
                for ((_, value), sort) in bindings.iter().zip(&sorts) {
                    values.push(self.expr(value, *sort)?);
                }
                let slots: Vec<u32> =
                    bindings.iter().zip(&sorts).map(|(b, s)| self.push(&b.0.text, *s)).collect();
                let body = self.expr(body, want);
                self.pop(bindings.len());
                let mut code = body?;
                for (slot, value) in slots.into_iter().zip(values).rev() {
                    code = Code::Let(slot, Box::new([value, code]));
                }
                Ok(code)
            }
        }
    }

    /// The sort of the elements: what is wanted, or else what they are.
    fn element(&self, own: SortId, want: SortId) -> SortId {
        let inside = |sort| match self.spec.sorts.get(sort) {
            Sort::List(e) | Sort::Set(e) | Sort::FSet(e) | Sort::Bag(e) | Sort::FBag(e) => *e,
            _ => UNKNOWN,
        };
        if inside(want) == UNKNOWN { inside(own) } else { inside(want) }
    }

    fn named(&mut self, e: &Expr, name: &str, want: SortId) -> Checked<Code> {
        if let Some((slot, _)) = self.variable(name) {
            return Ok(Code::Slot(slot));
        }
        match name {
            "true" => return Ok(Code::Bool(true)),
            "false" => return Ok(Code::Bool(false)),
            _ => {}
        }
        if let Some((_, code)) = self.globals.get(name) {
            return Ok(code.clone());
        }
        let mut found = Vec::new();
        for op in self.op_names.get(name).cloned().unwrap_or_default() {
            let (parameters, result) = {
                let op = &self.spec.ops[op as usize];
                (op.parameters.clone(), op.result)
            };
            let sort = match parameters.is_empty() {
                true => result,
                false => self.spec.sorts.intern(Sort::Function(parameters, result)),
            };
            found.extend(self.spec.sorts.fits(sort, want).map(|cost| (cost, op)));
        }
        found.sort();
        match found[..] {
            [(cost, _), (second, _), ..] if cost == second => {
                // Let the general rule say what it may be.
                self.choose(e.span, name, &[], want)?;
                Ok(Code::Call(found[0].1, [].into()))
            }
            [(_, op), ..] => Ok(Code::Call(op, [].into())),
            [] => Err(Box::new(self.unknown_name(e.span, name))),
        }
    }

    fn application(&mut self, e: &Expr, name: &str, list: &[Expr], want: SortId) -> Checked<Code> {
        let fit = self.choose(e.span, name, list, want)?;
        let mut arguments: Vec<Code> = Vec::new();
        for (argument, sort) in list.iter().zip(&fit.parameters) {
            arguments.push(self.expr(argument, *sort)?);
        }
        match fit.function {
            Function::Op(op) => Ok(Code::Call(op, arguments.into())),
            Function::Builtin(Builtin::Identity, _) => {
                Ok(arguments.pop().expect("a conversion has one argument"))
            }
            Function::Builtin(Builtin::Negate, _) if matches!(arguments[..], [Code::Int(_)]) => {
                match arguments[0] {
                    Code::Int(n) => Ok(Code::Int(-n)),
                    _ => Ok(Code::Builtin(Builtin::Negate, arguments.into())),
                }
            }
            Function::Builtin(builtin, swapped) => {
                if swapped {
                    arguments.reverse();
                }
                Ok(Code::Builtin(builtin, arguments.into()))
            }
        }
    }

    /// Code for the application of a function that is a value.
    fn apply(&mut self, function: &Expr, list: &[Expr], want: SortId) -> Checked<Code> {
        let candidates = self.applied(function, list)?;
        let best = candidates
            .into_iter()
            .filter_map(|(from, to)| Some((self.spec.sorts.fits(to, want)?, from, to)))
            .min();
        let Some((_, from, to)) = best else {
            let message = "the result of this application has the wrong sort";
            return Err(Box::new(error(SORT, function.span, message)));
        };
        let sort = self.spec.sorts.intern(Sort::Function(from.clone(), to));
        let code = self.expr(function, sort)?;
        let mut arguments = Vec::new();
        for (argument, sort) in list.iter().zip(&from) {
            arguments.push(self.expr(argument, *sort)?);
        }
        // Functions with a result that is a function get all their arguments at once.
        Ok(match code {
            Code::Call(op, first) => Code::Call(op, [&first[..], &arguments].concat().into()),
            code => Code::Apply(Box::new(code), arguments.into()),
        })
    }

    fn lambda(
        &mut self,
        e: &Expr,
        variables: &[Typed],
        body: &Expr,
        want: SortId,
    ) -> Checked<(u32, Box<[u32]>)> {
        self.layouts.push(Layout::default());
        let bound = self.bind(variables);
        let body = bound.and_then(|_| {
            let want = match (want, self.sorts_of(body)?.as_slice()) {
                // What is wanted may be known only in part.
                (UNKNOWN, [own, ..]) => *own,
                _ => want,
            };
            self.expr(body, want)
        });
        let layout = self.layouts.pop().expect("pushed above");
        let parameters = (0..variables.len() as u32).collect();
        let (outer, captured): (Vec<u32>, Vec<u32>) = layout.captured.into_iter().unzip();
        let text = self.source(e.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let size = layout.size;
        self.spec.lambdas.push(Lambda { size, captured, parameters, body: body?, text });
        Ok((self.spec.lambdas.len() as u32 - 1, outer.into()))
    }

    fn quantifier(
        &mut self,
        e: &Expr,
        all: bool,
        variables: &[Typed],
        body: &Expr,
    ) -> Checked<Code> {
        let mut slots = Vec::new();
        for variable in variables {
            let sort = self.sort(&variable.sort)?;
            slots.push((self.push(&variable.name.text, sort), sort));
        }
        let body = self.expr(body, BOOL);
        self.pop(variables.len());
        let (slots, body) = (slots.into(), Box::new(body?));
        Ok(Code::Quantifier { all, slots, body, span: e.span })
    }
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|b| b == b'0')
}

/// The sorts of numbers, for messages elsewhere.
pub(super) fn least(sort: SortId) -> Option<i128> {
    match sort {
        POS => Some(1),
        NAT => Some(0),
        INT => None,
        _ => None,
    }
}
