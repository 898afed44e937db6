//! Names to numbers, sorts of everything: from the syntax tree to a [`Spec`].

mod declare;
mod equations;
mod expr;
mod processes;
mod resolve;

use std::collections::HashMap;

use linchpin_text::{Diagnostic, Sink, Span};

use crate::ast;
use crate::code::{Action, INIT, Lambda, Op, ProcessDef, ProcessId, Rule, Term, TermId};
use crate::report::Checked;
use crate::sorts::{OpId, SortId, Sorts};

/// A checked specification.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) sorts: Sorts,
    pub(crate) ops: Vec<Op>,
    /// The equations of every function, in the order of the text.
    pub(crate) rules: Vec<Vec<Rule>>,
    pub(crate) lambdas: Vec<Lambda>,
    pub(crate) actions: Vec<Action>,
    pub(crate) processes: Vec<ProcessDef>,
    pub(crate) terms: Vec<Term>,
    pub(crate) init: TermId,
    /// How many slots the initial process uses.
    pub(crate) init_size: u32,
}

impl Spec {
    /// How many slots the terms of a process use.
    pub(crate) fn size(&self, owner: ProcessId) -> usize {
        match owner {
            INIT => self.init_size as usize,
            process => self.processes[process as usize].size as usize,
        }
    }
}

/// Checks a specification. Everything that is wrong is reported, one thing per declaration.
pub(crate) fn check(text: &str, tree: &ast::Specification) -> Result<Spec, Vec<Diagnostic>> {
    let mut checker = Checker::new(text);
    checker.declarations(tree);
    if checker.problems.errors() == 0 {
        checker.equations(tree);
        checker.processes(tree);
    }
    if checker.problems.errors() > 0 {
        return Err(checker.problems.finish());
    }
    Ok(checker.spec)
}

/// A variable in scope.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    sort: SortId,
    slot: u32,
}

/// The variables of a process body, an equation or a lambda.
#[derive(Clone, Debug, Default)]
struct Layout {
    variables: Vec<Variable>,
    size: u32,
    /// Slots of the layout around this one, and where their values are here. Only of a lambda.
    captured: Vec<(u32, u32)>,
}

struct Checker<'a> {
    text: &'a str,
    spec: Spec,
    problems: Sink,
    sort_names: HashMap<String, SortId>,
    op_names: HashMap<String, Vec<OpId>>,
    /// Global variables: their values.
    globals: HashMap<String, (SortId, crate::code::Code)>,
    /// Where names of actions and processes are declared.
    action_names: HashMap<String, Vec<u32>>,
    process_names: HashMap<String, Vec<u32>>,
    layouts: Vec<Layout>,
    /// The process whose body is being checked.
    owner: u32,
    /// Multi-actions with variables for arguments.
    plain: HashMap<Vec<u32>, TermId>,
    /// The sorts an expression may have, by its number.
    known: HashMap<u32, Vec<SortId>>,
}

impl<'a> Checker<'a> {
    fn new(text: &'a str) -> Self {
        let spec = Spec {
            sorts: Sorts::default(),
            ops: Vec::new(),
            rules: Vec::new(),
            lambdas: Vec::new(),
            actions: Vec::new(),
            processes: Vec::new(),
            terms: Vec::new(),
            init: 0,
            init_size: 0,
        };
        Checker {
            text,
            spec,
            problems: Sink::default(),
            sort_names: HashMap::new(),
            op_names: HashMap::new(),
            globals: HashMap::new(),
            action_names: HashMap::new(),
            process_names: HashMap::new(),
            layouts: vec![Layout::default()],
            owner: crate::code::INIT,
            plain: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Keeps the problem, if there is one.
    fn keep<T>(&mut self, result: Checked<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problem) => {
                self.problems.push(*problem);
                None
            }
        }
    }

    fn source(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    fn layout(&mut self) -> &mut Layout {
        self.layouts.last_mut().expect("there is always a layout")
    }

    /// A new variable, in scope until it is popped.
    fn push(&mut self, name: &str, sort: SortId) -> u32 {
        let layout = self.layout();
        let slot = layout.size;
        layout.size += 1;
        layout.variables.push(Variable { name: name.into(), sort, slot });
        slot
    }

    fn pop(&mut self, count: usize) {
        let layout = self.layout();
        let rest = layout.variables.len() - count;
        layout.variables.truncate(rest);
    }

    /// The sort of the variable with this name, if there is one.
    fn variable_sort(&self, name: &str) -> Option<SortId> {
        let find = |l: &Layout| l.variables.iter().rev().find(|v| v.name == name).map(|v| v.sort);
        self.layouts.iter().rev().find_map(find)
    }

    /// The slot of the variable with this name; a lambda gets it from outside.
    fn variable(&mut self, name: &str) -> Option<(u32, SortId)> {
        self.variable_in(name, self.layouts.len() - 1)
    }

    fn variable_in(&mut self, name: &str, level: usize) -> Option<(u32, SortId)> {
        if let Some(v) = self.layouts[level].variables.iter().rev().find(|v| v.name == name) {
            return Some((v.slot, v.sort));
        }
        let (outer, sort) = self.variable_in(name, level.checked_sub(1)?)?;
        let layout = &mut self.layouts[level];
        let slot = layout.size;
        layout.size += 1;
        layout.captured.push((outer, slot));
        layout.variables.insert(0, Variable { name: name.into(), sort, slot });
        Some((slot, sort))
    }
}
