//! The sections of a specification: `sort`, `cons`, `map`, `var`/`eqn`, `glob`, `act`, `proc`,
//! `init`, in any order and any number (`init` once).

use linchpin_text::Sink;

use super::Parser;
use crate::ast::*;
use crate::lexer::Kind;
use crate::report::{Checked, SYNTAX, TWICE, error};

/// The words that begin a section.
const SECTIONS: &[&str] = &["sort", "cons", "map", "var", "eqn", "act", "proc", "init", "glob"];

impl Parser<'_> {
    pub(super) fn specification(&mut self, problems: &mut Sink) -> Specification {
        let mut specification = Specification::default();
        while self.kind() != Kind::End && !problems.is_full() {
            let before = self.at;
            if let Err(problem) = self.section(&mut specification) {
                problems.push(*problem);
                (self.depth, self.height) = (0, 0);
                self.at = self.at.max(before + 1).min(self.tokens.len() - 1);
                while self.kind() != Kind::End && !self.at_section() {
                    self.advance();
                }
            }
        }
        if specification.init.is_none() && problems.errors() == 0 {
            let problem = error(SYNTAX, self.span(), "there is no `init`");
            problems.push(problem.help("a specification ends with `init` and a process"));
        }
        specification
    }

    fn at_section(&self) -> bool {
        matches!(self.kind(), Kind::Word(w) if SECTIONS.contains(&w))
    }

    fn section(&mut self, to: &mut Specification) -> Checked<()> {
        let Kind::Word(word) = self.kind() else {
            return Err(self.unexpected("a section (`sort`, `act`, `proc`, `init`, ...)"));
        };
        match word {
            "sort" => self.entries(|p| p.sort_decl(&mut to.sorts)),
            "cons" => self.entries(|p| p.typed_names(&mut to.constructors)),
            "map" => self.entries(|p| p.typed_names(&mut to.mappings)),
            "glob" => self.entries(|p| {
                to.globals.extend(p.variables()?);
                Ok(())
            }),
            "var" | "eqn" => self.equations(to),
            "act" => self.entries(|p| p.action_decl(&mut to.actions)),
            "proc" => self.entries(|p| p.process_decl(&mut to.processes)),
            "init" => {
                let span = self.advance();
                let process = self.process(0)?;
                self.expect(";", "after the initial process")?;
                if let Some(first) = &to.init {
                    let problem = error(TWICE, span, "a second `init`");
                    return Err(Box::new(problem.also(first.span, "the first is here")));
                }
                to.init = Some(process);
                Ok(())
            }
            _ => Err(self.unexpected("a section (`sort`, `act`, `proc`, `init`, ...)")),
        }
    }

    /// The entries of a section, at least one, each ended by `;`.
    fn entries(&mut self, mut entry: impl FnMut(&mut Self) -> Checked<()>) -> Checked<()> {
        self.advance();
        loop {
            entry(self)?;
            self.expect(";", "at the end of the declaration")?;
            if self.kind() != Kind::Id {
                return Ok(());
            }
        }
    }

    fn sort_decl(&mut self, to: &mut Vec<SortDecl>) -> Checked<()> {
        let names = self.names("the name of a sort")?;
        let definition = if names.len() == 1 && self.eat("=") { Some(self.sort()?) } else { None };
        to.extend(names.into_iter().map(|name| SortDecl { name, definition: definition.clone() }));
        Ok(())
    }

    /// `f, g: A # B -> C`.
    fn typed_names(&mut self, to: &mut Vec<Typed>) -> Checked<()> {
        let names = self.names("a name")?;
        self.expect(":", "and a sort")?;
        let sort = self.sort()?;
        to.extend(names.into_iter().map(|name| Typed { name, sort: sort.clone() }));
        Ok(())
    }

    /// `x, y: A, z: B`.
    pub(super) fn variables(&mut self) -> Checked<Vec<Typed>> {
        let mut variables = Vec::new();
        loop {
            self.typed_names(&mut variables)?;
            if !self.eat(",") {
                return Ok(variables);
            }
        }
    }

    fn equations(&mut self, to: &mut Specification) -> Checked<()> {
        let mut variables = Vec::new();
        if self.is_word("var") {
            self.entries(|p| {
                variables.extend(p.variables()?);
                Ok(())
            })?;
        }
        if !self.is_word("eqn") {
            return Err(self.unexpected("`eqn` after `var`"));
        }
        self.advance();
        let mut equations = Vec::new();
        loop {
            let first = self.expr(0)?;
            let (condition, left) = match self.eat("->") {
                true => (Some(first), self.expr(0)?),
                false => (None, first),
            };
            self.expect("=", "and the right-hand side of the equation")?;
            let right = self.expr(0)?;
            self.expect(";", "at the end of the equation")?;
            equations.push(Equation { condition, left, right });
            if self.kind() == Kind::End || self.at_section() {
                break;
            }
        }
        to.equations.push(EquationSection { variables, equations });
        Ok(())
    }

    fn action_decl(&mut self, to: &mut Vec<ActionDecl>) -> Checked<()> {
        let names = self.names("the name of an action")?;
        let sorts = if self.eat(":") { self.product()? } else { Vec::new() };
        to.extend(names.into_iter().map(|name| ActionDecl { name, sorts: sorts.clone() }));
        Ok(())
    }

    fn process_decl(&mut self, to: &mut Vec<ProcessDecl>) -> Checked<()> {
        let name = self.name("the name of a process")?;
        let mut parameters = Vec::new();
        if self.eat("(") {
            parameters = self.variables()?;
            self.expect(")", "after the parameters")?;
        }
        self.expect("=", "and the body of the process")?;
        let body = self.process(0)?;
        to.push(ProcessDecl { name, parameters, body });
        Ok(())
    }
}
