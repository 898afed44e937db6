//! A model that was read, and its assertions.

use std::sync::Arc;

use linchpin_lts::{Trouble, Watch};
use linchpin_text::{Diagnostic, Span};

use crate::ast;
use crate::hidden::left_out;
use crate::parse::{explain, parse};
use crate::program::{DefId, Program};
use crate::resolve::resolve;
use crate::system::System;
use crate::value::Value;

/// A model.
#[derive(Debug)]
pub struct Model {
    pub(crate) program: Arc<Program>,
    assertions: Vec<Asserted>,
    tree: ast::Model,
}

/// A model and what is suspicious about it.
#[derive(Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// An assertion as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asserted {
    /// From the process on, without the semicolon, in one line.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// The model of a text, or what is wrong with the text.
pub fn load(text: &str) -> Result<Loaded, Vec<Diagnostic>> {
    let (tree, mut sink) = parse(text);
    // Of a text with holes nobody wants to hear which names are missing.
    if sink.errors() > 0 {
        let mut errors = sink.finish();
        explain(text, &mut errors);
        return Err(errors);
    }
    let mut program = resolve(&tree, &mut sink);
    if sink.errors() > 0 {
        return Err(sink.finish());
    }
    program.hidden = left_out(&program);
    let assertions = program.assertions.iter().map(|a| {
        let words: Vec<&str> = text[a.span.range()].split_whitespace().collect();
        Asserted { text: words.join(" "), span: a.span }
    });
    let assertions = assertions.collect();
    let model = Model { program: Arc::new(program), assertions, tree };
    Ok(Loaded { model, warnings: sink.finish() })
}

impl Model {
    /// Its assertions, in the order of the text.
    pub fn assertions(&self) -> &[Asserted] {
        &self.assertions
    }

    /// Its tree.
    pub fn tree(&self) -> &ast::Model {
        &self.tree
    }

    /// The system of a process without parameters, if there is one of this name.
    pub fn system(&self, process: &str) -> Option<Result<System, Trouble>> {
        self.system_until(process, &Watch::NEVER)
    }

    /// The same with somebody to ask, here and in all steps.
    pub fn system_until(&self, process: &str, watch: &Watch) -> Option<Result<System, Trouble>> {
        let mut definitions = self.program.definitions.iter();
        let id = definitions.position(|d| d.name == process && d.parameters.is_empty())?;
        Some(self.instance(id as DefId, &[], watch))
    }

    /// The system of the process that an assertion is about, if there is an assertion of that number.
    pub fn asserted_system(&self, assertion: usize) -> Option<Result<System, Trouble>> {
        self.asserted_system_until(assertion, &Watch::NEVER)
    }

    /// The same with somebody to ask, here and in all steps.
    pub fn asserted_system_until(
        &self,
        assertion: usize,
        watch: &Watch,
    ) -> Option<Result<System, Trouble>> {
        let (definition, arguments) = &self.program.assertions.get(assertion)?.process;
        Some(self.instance(*definition, arguments, watch))
    }

    /// The system of a process with arguments.
    pub(crate) fn instance(
        &self,
        id: DefId,
        arguments: &[Value],
        watch: &Watch,
    ) -> Result<System, Trouble> {
        System::new(self.program.clone(), id, arguments, watch)
    }
}
