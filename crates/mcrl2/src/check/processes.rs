//! Processes: what is an action and what a process, arguments by position and by name, sums and
//! conditions, and the operators around parallel processes.

use linchpin_text::Span;

use super::{Checker, Layout};
use crate::ast::{self, Expr, Name, Process, ProcessKind};
use crate::code::{Code, INIT, Operator, Performed, ProcessDef, Term, TermId, TermKind};
use crate::report::{
    ACTIONS, AMBIGUOUS, Checked, SHAPE, SORT, TWICE, UNKNOWN as UNKNOWN_NAME, error, nearest,
};
use crate::sorts::{BOOL, SortId};

/// What a name with arguments is in a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    Process(u32),
    Action(u32),
}

impl Checker<'_> {
    pub(super) fn processes(&mut self, tree: &ast::Specification) {
        for (i, declaration) in tree.processes.iter().enumerate() {
            // Nobody would see what is wrong with the rest.
            if self.problems.is_full() {
                return;
            }
            self.layouts = vec![Layout::default()];
            for (name, sort) in self.spec.processes[i].parameters.clone() {
                self.push(&name, sort);
            }
            self.owner = i as u32;
            let result = self.process(&declaration.body);
            if let Some(body) = self.keep(result) {
                self.spec.processes[i].body = body;
                self.spec.processes[i].size = self.layouts[0].size;
            }
        }
        if let Some(init) = &tree.init {
            self.layouts = vec![Layout::default()];
            self.owner = INIT;
            let result = self.process(init);
            if let Some(init) = self.keep(result) {
                self.spec.init = init;
                self.spec.init_size = self.layouts[0].size;
            }
        }
    }

    fn term(&mut self, kind: TermKind, span: Span) -> TermId {
        let mut free = Vec::new();
        let of = |t: &TermId| self.spec.terms[*t as usize].free.iter().copied();
        match &kind {
            TermKind::Delta => {}
            TermKind::Act(list, _) => {
                for argument in list.iter().flat_map(|p| &p.arguments) {
                    argument.free(&mut Vec::new(), &mut free);
                }
            }
            TermKind::Choice(a, b) | TermKind::Sequence(a, b) | TermKind::Parallel(a, b) => {
                free.extend(of(a));
                free.extend(of(b));
            }
            TermKind::Sum(slots, body) => {
                free.extend(of(body).filter(|slot| !slots.iter().any(|(s, _)| s == slot)));
            }
            TermKind::Condition(condition, then, otherwise) => {
                condition.free(&mut Vec::new(), &mut free);
                free.extend(of(then));
                free.extend(otherwise.iter().flat_map(of));
            }
            TermKind::Call(_, arguments) => {
                arguments.iter().for_each(|a| a.free(&mut Vec::new(), &mut free));
            }
            TermKind::Around(_, body) => free.extend(of(body)),
        }
        free.sort_unstable();
        free.dedup();
        let owner = self.owner;
        self.spec.terms.push(Term { kind, free: free.into(), owner, span });
        self.spec.terms.len() as TermId - 1
    }

    fn process(&mut self, p: &Process) -> Checked<TermId> {
        let kind = match &p.kind {
            ProcessKind::Delta => TermKind::Delta,
            ProcessKind::Tau => self.act(Vec::new(), p.span),
            ProcessKind::Instance(name, arguments) => self.instance(p.span, name, arguments)?,
            ProcessKind::Assigned(name, assignments) => self.assigned(name, assignments)?,
            ProcessKind::Choice(a, b) => TermKind::Choice(self.process(a)?, self.process(b)?),
            ProcessKind::Sequence(a, b) => TermKind::Sequence(self.process(a)?, self.process(b)?),
            ProcessKind::Parallel(a, b) => TermKind::Parallel(self.process(a)?, self.process(b)?),
            ProcessKind::Together(a, b) => {
                let mut list = self.multi_action(a)?;
                list.extend(self.multi_action(b)?);
                self.act(list, p.span)
            }
            ProcessKind::Sum(variables, body) => {
                let mut slots = Vec::new();
                for variable in variables {
                    let sort = self.sort(&variable.sort)?;
                    slots.push((self.push(&variable.name.text, sort), sort));
                }
                let body = self.process(body);
                self.pop(variables.len());
                TermKind::Sum(slots.into(), body?)
            }
            ProcessKind::Condition(condition, then, otherwise) => {
                let condition = Box::new(self.expr(condition, BOOL)?);
                let then = self.process(then)?;
                let otherwise = match otherwise {
                    Some(otherwise) => Some(self.process(otherwise)?),
                    None => None,
                };
                TermKind::Condition(condition, then, otherwise)
            }
            ProcessKind::Hide(names, body) => {
                let operator = Operator::Hide(self.action_set(names)?);
                TermKind::Around(Box::new(operator), self.process(body)?)
            }
            ProcessKind::Block(names, body) => {
                let operator = Operator::Block(self.action_set(names)?);
                TermKind::Around(Box::new(operator), self.process(body)?)
            }
            ProcessKind::Allow(sets, body) => {
                let mut list = Vec::new();
                for set in sets {
                    let mut names = self.action_set(set)?;
                    names.sort();
                    list.push(names);
                }
                TermKind::Around(Box::new(Operator::Allow(list)), self.process(body)?)
            }
            ProcessKind::Rename(pairs, body) => {
                let operator = self.renaming(pairs)?;
                TermKind::Around(Box::new(operator), self.process(body)?)
            }
            ProcessKind::Comm(rules, body) => {
                let operator = self.communication(rules)?;
                TermKind::Around(Box::new(operator), self.process(body)?)
            }
        };
        Ok(self.term(kind, p.span))
    }

    /// A multi-action, in the order of its actions.
    fn act(&mut self, mut list: Vec<Performed>, span: Span) -> TermKind {
        list.sort_by_key(|p| p.action);
        let actions: Vec<u32> = list.iter().map(|p| p.action).collect();
        let plain = self.plain(actions, span);
        TermKind::Act(list.into(), plain)
    }

    /// The multi-action with variables for arguments, in a process of its own.
    fn plain(&mut self, actions: Vec<u32>, span: Span) -> TermId {
        if let Some(term) = self.plain.get(&actions) {
            return *term;
        }
        let mut parameters: Vec<(String, SortId)> = Vec::new();
        let mut list = Vec::new();
        for action in &actions {
            let sorts = self.spec.actions[*action as usize].sorts.clone();
            let from = parameters.len() as u32;
            let arguments = (from..from + sorts.len() as u32).map(Code::Slot).collect();
            parameters.extend(sorts.iter().map(|s| (String::new(), *s)));
            list.push(Performed { action: *action, arguments });
        }
        let term = self.spec.terms.len() as TermId;
        let (size, owner) = (parameters.len() as u32, self.spec.processes.len() as u32);
        let kind = TermKind::Act(list.into(), term);
        self.spec.terms.push(Term { kind, free: (0..size).collect(), owner, span });
        let definition = ProcessDef { name: String::new(), parameters, body: term, size, span };
        self.spec.processes.push(definition);
        self.plain.insert(actions, term);
        term
    }

    /// The actions on one side of `|`.
    fn multi_action(&mut self, p: &Process) -> Checked<Vec<Performed>> {
        match &p.kind {
            ProcessKind::Tau => Ok(Vec::new()),
            ProcessKind::Together(a, b) => {
                let mut list = self.multi_action(a)?;
                list.extend(self.multi_action(b)?);
                Ok(list)
            }
            ProcessKind::Instance(name, arguments) => {
                match self.instance(p.span, name, arguments)? {
                    TermKind::Act(list, _) => Ok(list.into_vec()),
                    _ => Err(not_an_action(p.span)),
                }
            }
            _ => Err(not_an_action(p.span)),
        }
    }

    fn instance(&mut self, span: Span, name: &Name, list: &[Expr]) -> Checked<TermKind> {
        let mut given = Vec::new();
        for argument in list {
            given.push(self.sorts_of(argument)?);
        }
        let actions = self.action_names.get(&name.text).cloned().unwrap_or_default();
        let processes = self.process_names.get(&name.text).cloned().unwrap_or_default();
        if actions.is_empty() && processes.is_empty() {
            let message = format!("there is no action or process `{}`", name.text);
            let mut problem = error(UNKNOWN_NAME, name.span, message).label("not declared");
            let known = self.action_names.keys().chain(self.process_names.keys());
            if let Some(near) = nearest(&name.text, known.map(String::as_str)) {
                problem = problem.help(format!("is `{near}` meant?"));
            }
            return Err(Box::new(problem));
        }
        let mut found: Vec<(u32, Meaning, Vec<SortId>)> = Vec::new();
        let meanings = actions.iter().map(|a| Meaning::Action(*a));
        let meanings: Vec<Meaning> =
            meanings.chain(processes.iter().map(|p| Meaning::Process(*p))).collect();
        for meaning in &meanings {
            let sorts = self.sorts_of_meaning(*meaning);
            let fits = |(given, want): (&Vec<SortId>, &SortId)| {
                given.iter().filter_map(|g| self.spec.sorts.fits(*g, *want)).min()
            };
            if sorts.len() == given.len()
                && let Some(cost) = given.iter().zip(&sorts).map(fits).sum::<Option<u32>>()
            {
                found.push((cost, *meaning, sorts));
            }
        }
        found.sort();
        let Some((cost, meaning, sorts)) = found.first().cloned() else {
            return Err(self.wrong_arguments(span, name, list, &given, &meanings));
        };
        if found.get(1).is_some_and(|second| second.0 == cost) {
            let message = format!("`{}` may mean several things here", name.text);
            return Err(Box::new(error(AMBIGUOUS, span, message)));
        }
        let mut arguments = Vec::new();
        for (argument, sort) in list.iter().zip(&sorts) {
            arguments.push(self.expr(argument, *sort)?);
        }
        let arguments = arguments.into();
        Ok(match meaning {
            Meaning::Action(action) => self.act(vec![Performed { action, arguments }], span),
            Meaning::Process(process) => TermKind::Call(process, arguments),
        })
    }

    fn sorts_of_meaning(&self, meaning: Meaning) -> Vec<SortId> {
        match meaning {
            Meaning::Action(a) => self.spec.actions[a as usize].sorts.to_vec(),
            Meaning::Process(p) => {
                self.spec.processes[p as usize].parameters.iter().map(|(_, s)| *s).collect()
            }
        }
    }

    fn wrong_arguments(
        &mut self,
        span: Span,
        name: &Name,
        list: &[Expr],
        given: &[Vec<SortId>],
        meanings: &[Meaning],
    ) -> Box<linchpin_text::Diagnostic> {
        let declared = |meaning: &Meaning| match meaning {
            Meaning::Action(a) => self.spec.actions[*a as usize].span,
            Meaning::Process(p) => self.spec.processes[*p as usize].span,
        };
        if let [one] = meanings {
            let sorts = self.sorts_of_meaning(*one);
            if sorts.len() == given.len() {
                for ((e, given), want) in list.iter().zip(given).zip(&sorts) {
                    if given.iter().all(|g| self.spec.sorts.fits(*g, *want).is_none()) {
                        let (found, wanted) =
                            (self.spec.sorts.show(given[0]), self.spec.sorts.show(*want));
                        let wrong = self.wrong_sort(e.span, &found, &wanted, given[0], *want);
                        return Box::new(wrong.also(declared(one), "declared here"));
                    }
                }
            }
            let message =
                format!("`{}` has {} arguments, not {}", name.text, sorts.len(), given.len());
            return Box::new(error(SORT, span, message).also(declared(one), "declared here"));
        }
        let message = format!("no `{}` has arguments of these sorts", name.text);
        let mut problem = error(SORT, span, message);
        for meaning in meanings {
            problem = problem.also(declared(meaning), "one is declared here");
        }
        Box::new(problem)
    }

    /// `P(x = e)`: the other parameters are what the variables of the same names are here.
    fn assigned(&mut self, name: &Name, assignments: &[(Name, Expr)]) -> Checked<TermKind> {
        let Some(list) = self.process_names.get(&name.text).cloned() else {
            let message = format!("there is no process `{}`", name.text);
            let mut problem = error(UNKNOWN_NAME, name.span, message).label("not declared");
            if let Some(near) = nearest(&name.text, self.process_names.keys().map(String::as_str)) {
                problem = problem.help(format!("is `{near}` meant?"));
            }
            return Err(Box::new(problem));
        };
        let fitting: Vec<u32> = list
            .iter()
            .copied()
            .filter(|p| {
                let parameters = &self.spec.processes[*p as usize].parameters;
                assignments.iter().all(|(n, _)| parameters.iter().any(|(m, _)| *m == n.text))
            })
            .collect();
        let process = fitting.first().copied().unwrap_or(list[0]);
        let parameters = self.spec.processes[process as usize].parameters.clone();
        let mut values: Vec<Option<Code>> = vec![None; parameters.len()];
        for (parameter, value) in assignments {
            let Some(i) = parameters.iter().position(|(n, _)| *n == parameter.text) else {
                let message = format!("`{}` has no parameter `{}`", name.text, parameter.text);
                let mut problem = error(UNKNOWN_NAME, parameter.span, message);
                let names = parameters.iter().map(|(n, _)| n.as_str());
                if let Some(near) = nearest(&parameter.text, names) {
                    problem = problem.help(format!("is `{near}` meant?"));
                }
                return Err(Box::new(problem));
            };
            if values[i].is_some() {
                let message = format!("`{}` is set twice", parameter.text);
                return Err(Box::new(error(TWICE, parameter.span, message)));
            }
            values[i] = Some(self.expr(value, parameters[i].1)?);
        }
        let mut arguments = Vec::new();
        for ((parameter, sort), value) in parameters.iter().zip(values) {
            arguments.push(match (value, self.variable(parameter)) {
                (Some(value), _) => value,
                (None, Some((slot, own))) if self.spec.sorts.fits(own, *sort).is_some() => {
                    Code::Slot(slot)
                }
                _ => {
                    let message = format!("the parameter `{parameter}` gets no value");
                    let problem = error(UNKNOWN_NAME, name.span, message);
                    let note = "a parameter that is not named keeps the value of the variable of \
                                the same name, and there is none here";
                    return Err(Box::new(problem.note(note)));
                }
            });
        }
        Ok(TermKind::Call(process, arguments.into()))
    }

    fn action_name(&self, name: &Name) -> Checked<String> {
        if self.action_names.contains_key(&name.text) {
            return Ok(name.text.clone());
        }
        let message = format!("there is no action `{}`", name.text);
        let mut problem = error(UNKNOWN_NAME, name.span, message).label("not declared");
        if let Some(near) = nearest(&name.text, self.action_names.keys().map(String::as_str)) {
            problem = problem.help(format!("is `{near}` meant?"));
        }
        Err(Box::new(problem))
    }

    fn action_set(&self, names: &[Name]) -> Checked<Vec<String>> {
        names.iter().map(|name| self.action_name(name)).collect()
    }

    fn renaming(&self, pairs: &[(Name, Name)]) -> Checked<Operator> {
        let mut list: Vec<(String, String)> = Vec::new();
        for (from, to) in pairs {
            let pair = (self.action_name(from)?, self.action_name(to)?);
            if list.iter().any(|(name, _)| *name == pair.0) {
                let message = format!("`{}` is renamed twice", from.text);
                return Err(Box::new(error(ACTIONS, from.span, message)));
            }
            self.same_sorts(from, to)?;
            list.push(pair);
        }
        Ok(Operator::Rename(list))
    }

    /// Is there an action `to` for each of the sorts of `from`?
    fn same_sorts(&self, from: &Name, to: &Name) -> Checked<()> {
        let sorts = |name: &Name| -> Vec<&[SortId]> {
            let list = self.action_names.get(&name.text).into_iter().flatten();
            list.map(|a| &*self.spec.actions[*a as usize].sorts).collect()
        };
        let there = sorts(to);
        if sorts(from).iter().any(|s| there.contains(s)) {
            return Ok(());
        }
        let message = format!("`{}` and `{}` have different arguments", from.text, to.text);
        Err(Box::new(error(ACTIONS, from.span.to(to.span), message)))
    }

    /// mCRL2 wants every action on at most one left-hand side, and no result on one.
    fn communication(&self, rules: &[(Vec<Name>, Name)]) -> Checked<Operator> {
        let mut list: Vec<(Vec<String>, String)> = Vec::new();
        let mut seen: Vec<&Name> = Vec::new();
        for (left, result) in rules {
            let mut names = self.action_set(left)?;
            names.sort();
            for name in left {
                self.same_sorts(name, result)?;
                if let Some(first) = seen.iter().find(|n| n.text == name.text) {
                    let message = format!("`{}` takes part in two communications", name.text);
                    let problem = error(ACTIONS, name.span, message);
                    return Err(Box::new(problem.also(first.span, "the first is here")));
                }
            }
            seen.extend(left);
            list.push((names, self.action_name(result)?));
        }
        for (_, result) in rules {
            if let Some(left) = seen.iter().find(|n| n.text == result.text) {
                let message = format!(
                    "`{}` is the result of a communication and takes part in one",
                    result.text
                );
                let problem = error(ACTIONS, result.span, message);
                return Err(Box::new(problem.also(left.span, "it takes part here")));
            }
        }
        Ok(Operator::Comm(list))
    }
}

fn not_an_action(span: Span) -> Box<linchpin_text::Diagnostic> {
    let problem = error(SHAPE, span, "only actions can be put together with `|`");
    Box::new(problem.note("mCRL2's tools do not linearise `|` between processes either"))
}
