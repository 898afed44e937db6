//! Process expressions, with mCRL2's precedences:
//!
//! `+` 1, `sum` 2, `||` 3, `||_` 4, `c -> p <> q` 5, `<<` 8, `.` 9, `@` 10, `|` 11.
//!
//! What begins like a condition is one if `->` follows it, which is found by skipping brackets.

use super::Parser;
use crate::ast::{Name, Process, ProcessKind};
use crate::lexer::Kind;
use crate::report::Checked;

impl Parser<'_> {
    /// A process whose infix operators bind at least as strongly as `least`.
    pub(super) fn process(&mut self, least: u8) -> Checked<Process> {
        self.nested(|p| {
            let start = p.span();
            let mut left = p.process_prefix()?;
            loop {
                let Kind::Symbol(symbol) = p.kind() else { return Ok(left) };
                let (precedence, right) = match symbol {
                    "+" => (1, false),
                    "||" => (3, true),
                    "||_" => (4, true),
                    "<<" => (8, false),
                    "." => (9, true),
                    "@" => (10, false),
                    "|" => (11, false),
                    _ => return Ok(left),
                };
                if precedence < least {
                    return Ok(left);
                }
                let operator = p.advance();
                match symbol {
                    "@" => {
                        let why = "Linchpin has no time";
                        return Err(p.unsupported(operator, "the time operator `@`", why));
                    }
                    "<<" => {
                        let why =
                            "`<<` (bounded initialisation) compares times, and Linchpin has none";
                        return Err(p.unsupported(operator, "the time operator `<<`", why));
                    }
                    "||_" => {
                        let why = "mCRL2's own tools do not linearise the left merge either; \
                                   write the first step in front of `||`";
                        return Err(p.unsupported(operator, "the left merge `||_`", why));
                    }
                    _ => {}
                }
                let operand =
                    Box::new(p.process(if right { precedence } else { precedence + 1 })?);
                p.higher(1)?;
                let first = Box::new(left);
                let kind = match symbol {
                    "+" => ProcessKind::Choice(first, operand),
                    "||" => ProcessKind::Parallel(first, operand),
                    "." => ProcessKind::Sequence(first, operand),
                    _ => ProcessKind::Together(first, operand),
                };
                left = Process { kind, span: start.to(p.previous()) };
            }
        })
    }

    fn process_prefix(&mut self) -> Checked<Process> {
        let start = self.span();
        if self.at_condition() {
            let condition = self.unit()?;
            self.expect("->", "after the condition")?;
            let then = Box::new(self.process(5)?);
            let otherwise = if self.eat("<>") { Some(Box::new(self.process(5)?)) } else { None };
            let kind = ProcessKind::Condition(condition, then, otherwise);
            return Ok(Process { kind, span: start.to(self.previous()) });
        }
        let kind = match self.kind() {
            Kind::Symbol("(") => {
                self.advance();
                let inner = self.process(0)?;
                self.expect(")", "to close the bracket")?;
                return Ok(inner);
            }
            Kind::Word("delta") => {
                self.advance();
                ProcessKind::Delta
            }
            Kind::Word("tau") => {
                self.advance();
                ProcessKind::Tau
            }
            Kind::Word("sum") => {
                self.advance();
                let variables = self.variables()?;
                self.expect(".", "after the variables")?;
                ProcessKind::Sum(variables, Box::new(self.process(2)?))
            }
            Kind::Word("dist") => {
                let why = "Linchpin has no probabilities";
                return Err(self.unsupported(start, "the operator `dist`", why));
            }
            Kind::Word("hide" | "block" | "allow" | "rename" | "comm") => self.operator()?,
            Kind::Id => self.instance()?,
            _ => return Err(self.unexpected("a process")),
        };
        Ok(Process { kind, span: start.to(self.previous()) })
    }

    /// Is this the condition of `c -> p`?
    fn at_condition(&self) -> bool {
        let mut at = self.at;
        let kind = |at: usize| self.tokens[at.min(self.tokens.len() - 1)].kind;
        while matches!(kind(at), Kind::Symbol("!" | "-" | "#")) {
            at += 1;
        }
        match kind(at) {
            Kind::Id | Kind::Number | Kind::Word("true" | "false") => at += 1,
            Kind::Symbol("(") => {}
            _ => return false,
        }
        while kind(at) == Kind::Symbol("(") {
            let mut depth = 0;
            loop {
                match kind(at) {
                    Kind::Symbol("(" | "[" | "{") => depth += 1,
                    Kind::Symbol(")" | "]" | "}") => depth -= 1,
                    Kind::End => return false,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        kind(at) == Kind::Symbol("->")
    }

    /// `a`, `a(e, f)`, `P(x = e)`, `P()`.
    fn instance(&mut self) -> Checked<ProcessKind> {
        let name = self.name("a process")?;
        if !self.eat("(") {
            return Ok(ProcessKind::Instance(name, Vec::new()));
        }
        if self.eat(")") {
            return Ok(ProcessKind::Assigned(name, Vec::new()));
        }
        if self.kind() == Kind::Id && self.peek(1) == Kind::Symbol("=") {
            let mut assignments = Vec::new();
            loop {
                let parameter = self.name("the name of a parameter")?;
                self.expect("=", "and the value of the parameter")?;
                assignments.push((parameter, self.expr(0)?));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")", "after the assignments")?;
            return Ok(ProcessKind::Assigned(name, assignments));
        }
        Ok(ProcessKind::Instance(name, self.expressions(")")?))
    }

    /// `hide({a}, p)` and the like.
    fn operator(&mut self) -> Checked<ProcessKind> {
        let Kind::Word(word) = self.kind() else { return Err(self.unexpected("an operator")) };
        self.advance();
        self.expect("(", "and a set of actions")?;
        self.expect("{", "to open the set of actions")?;
        let mut names = Vec::new();
        let mut multisets = Vec::new();
        let mut pairs = Vec::new();
        let mut rules = Vec::new();
        while !self.is("}") {
            match word {
                "hide" | "block" => names.push(self.name("the name of an action")?),
                "allow" => multisets.push(self.multiset()?),
                "rename" => {
                    let from = self.name("the name of an action")?;
                    self.expect("->", "and the new name")?;
                    pairs.push((from, self.name("the new name of the action")?));
                }
                _ => {
                    let left = self.multiset()?;
                    if left.len() < 2 {
                        return Err(self.unexpected("`|` and the action to communicate with"));
                    }
                    self.expect("->", "and the name of the communication")?;
                    rules.push((left, self.name("the name of the communication")?));
                }
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}", "to close the set of actions")?;
        self.expect(",", "and the process")?;
        let process = Box::new(self.process(0)?);
        self.expect(")", "after the process")?;
        Ok(match word {
            "hide" => ProcessKind::Hide(names, process),
            "block" => ProcessKind::Block(names, process),
            "allow" => ProcessKind::Allow(multisets, process),
            "rename" => ProcessKind::Rename(pairs, process),
            _ => ProcessKind::Comm(rules, process),
        })
    }

    /// `a | b | c`.
    fn multiset(&mut self) -> Checked<Vec<Name>> {
        let mut names = vec![self.name("the name of an action")?];
        while self.eat("|") {
            names.push(self.name("the name of an action")?);
        }
        Ok(names)
    }
}
