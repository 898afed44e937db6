//! Declarations: sorts with their aliases, constructors, projections, recognisers, mappings, global
//! variables, actions, and the heads of processes.

use std::collections::{HashMap, HashSet};

use linchpin_text::Span;

use super::Checker;
use crate::ast::{self, ConstructorDecl, Name, SortExpr, SortKind, Typed};
use crate::code::{Action, Code, Op, OpKind, ProcessDef};
use crate::report::{Checked, TWICE, UNKNOWN as UNKNOWN_NAME, UNSUPPORTED, error, nearest};
use crate::sorts::{BOOL, INT, NAT, OpId, POS, Sort, SortId};

/// How many aliases may stand for each other in a row.
const MAX_ALIASES: usize = 300;

impl Checker<'_> {
    pub(super) fn declarations(&mut self, tree: &ast::Specification) {
        self.sort_declarations(tree);
        for typed in &tree.constructors {
            let result = self.constructor(typed);
            self.keep(result);
        }
        for typed in &tree.mappings {
            let result = self.mapping(typed);
            self.keep(result);
        }
        if self.problems.errors() > 0 {
            return;
        }
        for typed in &tree.globals {
            let result = self.global(typed);
            self.keep(result);
        }
        for action in &tree.actions {
            let result = self.action(action);
            self.keep(result);
        }
        for process in &tree.processes {
            let result = self.process_head(process);
            self.keep(result);
        }
    }

    /// Sorts may be used before they are declared, and structured sorts may be recursive, so names
    /// come first, then aliases, then constructors.
    fn sort_declarations(&mut self, tree: &ast::Specification) {
        let mut declared: HashMap<&str, &ast::SortDecl> = HashMap::new();
        for declaration in &tree.sorts {
            let name = &declaration.name;
            if let Some(first) = declared.insert(&name.text, declaration) {
                let problem = error(TWICE, name.span, format!("a second sort `{}`", name.text));
                self.problems.push(problem.also(first.name.span, "the first is here"));
            }
            let opaque = match &declaration.definition {
                None => true,
                Some(sort) => matches!(sort.kind, SortKind::Struct(_)),
            };
            if opaque {
                let id = self.spec.sorts.new_named(&name.text);
                self.sort_names.insert(name.text.clone(), id);
            }
        }
        let mut failed = HashSet::new();
        for declaration in &tree.sorts {
            let mut visiting = Vec::new();
            let result = self.alias(&declaration.name.text, &declared, &mut visiting, &mut failed);
            if self.keep(result).is_none() {
                failed.extend(visiting);
            }
        }
        for declaration in &tree.sorts {
            if let Some(SortExpr { kind: SortKind::Struct(list), .. }) = &declaration.definition {
                let sort = self.sort_names[&declaration.name.text];
                let result = self.structured(sort, list);
                self.keep(result);
            }
        }
    }

    /// Finds what an alias stands for, after the aliases it uses. What is wrong with an alias is said once,
    /// and nothing about those that use it.
    fn alias<'t>(
        &mut self,
        name: &'t str,
        declared: &HashMap<&'t str, &'t ast::SortDecl>,
        visiting: &mut Vec<&'t str>,
        failed: &mut HashSet<&'t str>,
    ) -> Checked<()> {
        if self.sort_names.contains_key(name) || failed.contains(name) {
            return Ok(());
        }
        let Some(declaration) = declared.get(name) else { return Ok(()) };
        let Some(definition) = &declaration.definition else { return Ok(()) };
        if visiting.contains(&name) {
            let message = format!("the sort `{name}` is an alias of itself");
            let problem = error(UNSUPPORTED, declaration.name.span, message);
            return Err(Box::new(problem.note("recursion has to go through a structured sort")));
        }
        visiting.push(name);
        if visiting.len() > MAX_ALIASES {
            let message = format!("a chain of more than {MAX_ALIASES} aliases of sorts");
            return Err(Box::new(error(UNSUPPORTED, declaration.name.span, message)));
        }
        let mut used = Vec::new();
        names_in(definition, &mut used);
        for name in &used {
            self.alias(name, declared, visiting, failed)?;
        }
        visiting.pop();
        if used.iter().any(|name| failed.contains(name)) {
            failed.insert(name);
            return Ok(());
        }
        let sort = self.sort(definition)?;
        self.sort_names.insert(name.into(), sort);
        Ok(())
    }

    /// The number of a sort expression.
    pub(super) fn sort(&mut self, sort: &SortExpr) -> Checked<SortId> {
        let made = match &sort.kind {
            SortKind::Bool => return Ok(BOOL),
            SortKind::Pos => return Ok(POS),
            SortKind::Nat => return Ok(NAT),
            SortKind::Int => return Ok(INT),
            SortKind::List(e) => Sort::List(self.sort(e)?),
            SortKind::Set(e) => Sort::Set(self.sort(e)?),
            SortKind::FSet(e) => Sort::FSet(self.sort(e)?),
            SortKind::Bag(e) => Sort::Bag(self.sort(e)?),
            SortKind::FBag(e) => Sort::FBag(self.sort(e)?),
            SortKind::Named(name) => {
                if let Some(id) = self.sort_names.get(name) {
                    return Ok(*id);
                }
                let message = format!("there is no sort `{name}`");
                let mut problem = error(UNKNOWN_NAME, sort.span, message).label("not declared");
                if let Some(near) = nearest(name, self.sort_names.keys().map(String::as_str)) {
                    problem = problem.help(format!("is `{near}` meant?"));
                }
                return Err(Box::new(problem));
            }
            SortKind::Struct(list) => {
                // A structured sort without a name of its own: named by its text.
                let name = self.source(sort.span).to_string();
                if let Some(id) = self.sort_names.get(&name) {
                    return Ok(*id);
                }
                let id = self.spec.sorts.new_named(&name);
                self.sort_names.insert(name, id);
                self.structured(id, list)?;
                return Ok(id);
            }
            SortKind::Function(from, to) => {
                let from: Box<[SortId]> =
                    from.iter().map(|s| self.sort(s)).collect::<Checked<_>>()?;
                Sort::Function(from, self.sort(to)?)
            }
        };
        Ok(self.spec.sorts.intern(made))
    }

    fn structured(&mut self, sort: SortId, list: &[ConstructorDecl]) -> Checked<()> {
        let mut projections: Vec<Projection<'_>> = Vec::new();
        for constructor in list {
            let sorts: Vec<SortId> = constructor
                .fields
                .iter()
                .map(|(_, field)| self.sort(field))
                .collect::<Checked<_>>()?;
            let op = self.new_constructor(&constructor.name, sorts.clone(), sort)?;
            for (position, (name, _)) in constructor.fields.iter().enumerate() {
                let Some(name) = name else { continue };
                let field = (op, position as u32);
                let same =
                    |(n, s, _): &&mut Projection<'_>| n.text == name.text && *s == sorts[position];
                match projections.iter_mut().find(same) {
                    Some((.., fields)) => fields.push(field),
                    None => projections.push((name, sorts[position], vec![field])),
                }
            }
            if let Some(name) = &constructor.recogniser {
                self.new_op(name, vec![sort], BOOL, OpKind::Recogniser(op))?;
            }
        }
        for (name, result, fields) in projections {
            self.new_op(name, vec![sort], result, OpKind::Projection(fields))?;
        }
        Ok(())
    }

    fn new_constructor(
        &mut self,
        name: &Name,
        parameters: Vec<SortId>,
        sort: SortId,
    ) -> Checked<OpId> {
        let Sort::Named(named) = *self.spec.sorts.get(sort) else {
            let message =
                format!("`{}` cannot get another constructor", self.spec.sorts.show(sort));
            return Err(Box::new(error(UNSUPPORTED, name.span, message)));
        };
        let index = self.spec.sorts.named[named as usize].constructors.len() as u32;
        let op = self.new_op(name, parameters, sort, OpKind::Constructor(index))?;
        self.spec.sorts.named[named as usize].constructors.push(op);
        Ok(op)
    }

    fn new_op(
        &mut self,
        name: &Name,
        parameters: Vec<SortId>,
        result: SortId,
        kind: OpKind,
    ) -> Checked<OpId> {
        let list = self.op_names.entry(name.text.clone()).or_default();
        let ops = &mut self.spec.ops;
        let same = |o: &&OpId| {
            let other = &ops[**o as usize];
            *other.parameters == *parameters && other.result == result
        };
        if let Some(first) = list.iter().find(same) {
            let message = format!("a second `{}` of the same sort", name.text);
            let first = ops[*first as usize].span;
            return Err(Box::new(
                error(TWICE, name.span, message).also(first, "the first is here"),
            ));
        }
        let op = ops.len() as OpId;
        let parameters = parameters.into();
        ops.push(Op { name: name.text.clone(), parameters, result, kind, span: name.span });
        self.spec.rules.push(Vec::new());
        list.push(op);
        Ok(op)
    }

    /// Arguments and result of a function declared with this sort.
    fn split(&self, sort: SortId) -> (Vec<SortId>, SortId) {
        match self.spec.sorts.get(sort) {
            Sort::Function(from, to) => (from.to_vec(), *to),
            _ => (Vec::new(), sort),
        }
    }

    fn constructor(&mut self, typed: &Typed) -> Checked<()> {
        let sort = self.sort(&typed.sort)?;
        let (parameters, result) = self.split(sort);
        self.new_constructor(&typed.name, parameters, result)?;
        Ok(())
    }

    fn mapping(&mut self, typed: &Typed) -> Checked<()> {
        let sort = self.sort(&typed.sort)?;
        let (parameters, result) = self.split(sort);
        self.new_op(&typed.name, parameters, result, OpKind::Mapping)?;
        Ok(())
    }

    /// A global variable stands for any value; here for the simplest one of its sort.
    fn global(&mut self, typed: &Typed) -> Checked<()> {
        let sort = self.sort(&typed.sort)?;
        let Some(code) = self.simplest(sort, &mut Vec::new()) else {
            let message = format!("a global variable of sort `{}`", self.spec.sorts.show(sort));
            let problem =
                error(UNSUPPORTED, typed.name.span, format!("{message} is not supported"));
            return Err(Box::new(problem.note("no value of this sort is found to stand for it")));
        };
        self.globals.insert(typed.name.text.clone(), (sort, code));
        Ok(())
    }

    /// A small value of a sort.
    fn simplest(&self, sort: SortId, visiting: &mut Vec<u32>) -> Option<Code> {
        use crate::builtin::Builtin;
        Some(match self.spec.sorts.get(sort) {
            Sort::Bool => Code::Bool(false),
            Sort::Pos => Code::Int(1),
            Sort::Nat | Sort::Int => Code::Int(0),
            Sort::List(_) => Code::Builtin(Builtin::Nil, [].into()),
            Sort::Set(_) | Sort::FSet(_) => Code::Builtin(Builtin::EmptySet, [].into()),
            Sort::Bag(_) | Sort::FBag(_) => Code::Builtin(Builtin::EmptyBag, [].into()),
            Sort::Function(..) | Sort::Unknown => return None,
            Sort::Named(named) => {
                if visiting.contains(named) {
                    return None;
                }
                visiting.push(*named);
                let found =
                    self.spec.sorts.named[*named as usize].constructors.iter().find_map(|op| {
                        let parameters = self.spec.ops[*op as usize].parameters.iter();
                        let arguments = parameters.map(|s| self.simplest(*s, visiting));
                        Some(Code::Call(*op, arguments.collect::<Option<_>>()?))
                    });
                visiting.pop();
                found?
            }
        })
    }

    fn action(&mut self, declaration: &ast::ActionDecl) -> Checked<()> {
        let sorts: Box<[SortId]> =
            declaration.sorts.iter().map(|s| self.sort(s)).collect::<Checked<_>>()?;
        let name = &declaration.name;
        let list = self.action_names.entry(name.text.clone()).or_default();
        let actions = &mut self.spec.actions;
        if let Some(first) = list.iter().find(|a| actions[**a as usize].sorts == sorts) {
            let first = actions[*first as usize].span;
            return Err(twice("action", name, first));
        }
        list.push(actions.len() as u32);
        actions.push(Action { name: name.text.clone(), sorts, span: name.span });
        Ok(())
    }

    fn process_head(&mut self, declaration: &ast::ProcessDecl) -> Checked<()> {
        let mut parameters: Vec<(String, SortId)> = Vec::new();
        for typed in &declaration.parameters {
            if parameters.iter().any(|(name, _)| *name == typed.name.text) {
                let message = format!("a second parameter `{}`", typed.name.text);
                return Err(Box::new(error(TWICE, typed.name.span, message)));
            }
            parameters.push((typed.name.text.clone(), self.sort(&typed.sort)?));
        }
        let name = &declaration.name;
        let list = self.process_names.entry(name.text.clone()).or_default();
        let processes = &mut self.spec.processes;
        let sorts = |p: &[(String, SortId)]| p.iter().map(|(_, s)| *s).collect::<Vec<_>>();
        let same = |p: &&u32| sorts(&processes[**p as usize].parameters) == sorts(&parameters);
        if let Some(first) = list.iter().find(same) {
            let first = processes[*first as usize].span;
            return Err(twice("process", name, first));
        }
        if let Some(actions) = self.action_names.get(&name.text) {
            let action = &self.spec.actions[actions[0] as usize];
            if *action.sorts == *sorts(&parameters) {
                let message = format!("`{}` is an action and a process", name.text);
                let problem = error(TWICE, name.span, message);
                return Err(Box::new(problem.also(action.span, "the action is declared here")));
            }
        }
        list.push(processes.len() as u32);
        let (name, span) = (name.text.clone(), name.span);
        processes.push(ProcessDef { name, parameters, body: 0, size: 0, span });
        Ok(())
    }
}

/// A projection: its name, its result, and the arguments of constructors it gives.
type Projection<'t> = (&'t Name, SortId, Vec<(OpId, u32)>);

fn twice(what: &str, name: &Name, first: Span) -> Box<linchpin_text::Diagnostic> {
    let message = format!("a second {what} `{}` of the same sort", name.text);
    Box::new(error(TWICE, name.span, message).also(first, "the first is here"))
}

/// The declared sorts that a sort expression names.
fn names_in<'t>(sort: &'t SortExpr, to: &mut Vec<&'t str>) {
    match &sort.kind {
        SortKind::Bool | SortKind::Pos | SortKind::Nat | SortKind::Int => {}
        SortKind::Named(name) => to.push(name),
        SortKind::List(e)
        | SortKind::Set(e)
        | SortKind::FSet(e)
        | SortKind::Bag(e)
        | SortKind::FBag(e) => names_in(e, to),
        SortKind::Struct(list) => {
            let fields = list.iter().flat_map(|c| &c.fields);
            fields.for_each(|(_, sort)| names_in(sort, to));
        }
        SortKind::Function(from, result) => {
            from.iter().for_each(|s| names_in(s, to));
            names_in(result, to);
        }
    }
}
