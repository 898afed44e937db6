//! A model that was read, and its assertions.

use std::sync::Arc;

use linchpin_lts::{Trouble, Watch};
use linchpin_text::{Diagnostic, Files, Find, Names, Sink, Span, include};

use crate::ast;
use crate::gather::{INCLUDE, import};
use crate::hidden::left_out;
use crate::names::names;
use crate::parse::{explain, parse};
use crate::program::{DefId, Program};
use crate::resolve::resolve;
use crate::settings;
use crate::sharp;
use crate::system::System;
use crate::value::Value;

/// A model.
#[derive(Debug)]
pub struct Model {
    pub(crate) program: Arc<Program>,
    assertions: Vec<Asserted>,
    tree: ast::Model,
    files: Files,
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

/// What is wrong with the files of a model.
#[derive(Debug)]
pub struct Unread {
    /// The files.
    pub files: Files,
    /// The tree, as far as it was understood.
    pub tree: Box<ast::Model>,
    /// What is wrong; places are in all files together.
    pub diagnostics: Vec<Diagnostic>,
}

/// The model of a text that needs no other files, or what is wrong with the text.
pub fn load(text: &str) -> Result<Loaded, Vec<Diagnostic>> {
    load_files(text, &[], &mut |_, _| Ok(None)).map_err(|unread| unread.diagnostics)
}

/// The model of a text and of the files that it needs, with other values for some constants.
pub fn load_files(
    text: &str,
    set: &[(String, String)],
    find: &mut Find<'_>,
) -> Result<Loaded, Unread> {
    let mut files = Files::new(text);
    let mut sink = Sink::default();
    let main = Span::new(0, text.len());
    let included = include(&mut files, &INCLUDE, find, &mut sink);
    let mut tree = Box::<ast::Model>::default();
    parse(files.text(), main, &included, &mut tree, &mut sink);
    // Of a text with holes nobody wants to hear which names are missing.
    if sink.errors() > 0 {
        let mut diagnostics = sink.finish();
        explain(text, &mut diagnostics);
        return Err(Unread { files, tree, diagnostics });
    }
    settings::apply(&mut tree, set, &mut sink);
    let imported = import(&mut files, &tree.imports, find, &mut sink);
    let library = sharp::load(files.text(), &imported, &mut sink);
    if sink.errors() > 0 {
        return Err(Unread { files, tree, diagnostics: sink.finish() });
    }
    let mut program = resolve(&tree, library, &mut sink);
    if sink.errors() > 0 {
        return Err(Unread { files, tree, diagnostics: sink.finish() });
    }
    program.hidden = left_out(&program);
    let assertions = program.assertions.iter().map(|a| {
        let words: Vec<&str> = files.text()[a.span.range()].split_whitespace().collect();
        Asserted { text: words.join(" "), span: a.span }
    });
    let assertions = assertions.collect();
    let model = Model { program: Arc::new(program), assertions, tree: *tree, files };
    Ok(Loaded { model, warnings: sink.finish() })
}

impl Model {
    /// Its assertions, in the order of the text.
    pub fn assertions(&self) -> &[Asserted] {
        &self.assertions
    }

    /// Its files. All places are in them.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The value of a constant, as it is written, if it has one whatever the state.
    pub fn constant(&self, define: &ast::Define) -> Option<String> {
        let i = self.tree.defines.iter().position(|d| d.name.text == define.name.text)?;
        let value = *self.program.constants.get(i)?;
        value.map(|v| self.program.objects.show(v))
    }

    /// What the names in its main file mean.
    pub fn names(&self) -> Names {
        names(&self.tree, &self.files)
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
        Some(self.only_instance(id as DefId, &[], watch))
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
        Some(self.only_instance(*definition, arguments, watch))
    }

    /// The system of a process with arguments, if there is one way to begin.
    fn only_instance(
        &self,
        id: DefId,
        arguments: &[Value],
        watch: &Watch,
    ) -> Result<System, Trouble> {
        let several = |v: &&ast::Variable| matches!(v.initial, Some(ast::Initial::Any(_)));
        if let Some(variable) = self.tree.variables.iter().find(several) {
            let ast::Name { text, span } = &variable.name;
            let message = format!(
                "`{text}` begins with any value of its range, which is supported for assertions only"
            );
            return Err(Trouble::at(message, span.start, span.end));
        }
        self.instance(id, arguments, 0, watch)
    }

    /// The system of a process with arguments that begins in the way of this number ([`starts`]).
    pub(crate) fn instance(
        &self,
        id: DefId,
        arguments: &[Value],
        start: u64,
        watch: &Watch,
    ) -> Result<System, Trouble> {
        System::new(self.program.clone(), id, arguments, start, watch)
    }
}
