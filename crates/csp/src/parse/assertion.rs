//! Assertions. Formulas are left as text.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::lexer::Kind;

/// What can be asserted.
const CLAIMS: &str = "what is asserted: `deadlockfree`, `divergencefree`, `deterministic`, \
                      `nonterminating`, `reaches`, `refines` or `|=`";

impl Parser<'_> {
    pub(super) fn assertion(&mut self) -> Parsed<()> {
        self.advance();
        let start = self.span();
        let (process, arguments) = self.reference()?;
        let claim = if self.eat("|=") {
            self.formula()?
        } else {
            match self.word_at(0).map(str::to_string).as_deref() {
                Some("deadlockfree") => self.simple(Claim::DeadlockFree),
                Some("divergencefree") => self.simple(Claim::DivergenceFree),
                Some("deterministic") => self.simple(Claim::Deterministic),
                Some("nonterminating") => self.simple(Claim::NonTerminating),
                Some("reaches") => self.reaches()?,
                Some("refines") => self.refines()?,
                _ => return self.expected(CLAIMS),
            }
        };
        if self.is_word("with") {
            let span = self.span();
            let why = "`with` belongs to `reaches`; probabilities belong to other modules of PAT";
            return self.unsupported(span, "`with` here", why);
        }
        let span = self.since(start);
        self.expect(";")?;
        self.model.assertions.push(Assertion { process, arguments, claim, span });
        Ok(())
    }

    fn simple(&mut self, claim: Claim) -> Claim {
        self.advance();
        claim
    }

    fn reference(&mut self) -> Parsed<(Name, Vec<Expr>)> {
        let name = self.name("a process")?;
        let arguments = if self.eat("(") { self.arguments()? } else { Vec::new() };
        Ok((name, arguments))
    }

    fn reaches(&mut self) -> Parsed<Claim> {
        self.advance();
        let goal = self.condition()?;
        let mut extreme = None;
        if self.eat_word("with") {
            let which = match self.word_at(0) {
                Some("min") => Extreme::Min,
                Some("max") => Extreme::Max,
                _ => return self.expected("`min` or `max`"),
            };
            self.advance();
            self.expect("(")?;
            let value = self.expr()?;
            self.expect(")")?;
            extreme = Some((which, value));
        }
        Ok(Claim::Reaches(goal, extreme))
    }

    fn refines(&mut self) -> Parsed<Claim> {
        self.advance();
        let mut comparison = Comparison::Traces;
        if self.eat("<") {
            comparison = match self.word_at(0) {
                Some("F") => Comparison::Failures,
                Some("FD") => Comparison::FailuresDivergences,
                Some("T") => {
                    let span = self.span();
                    let why = "it belongs to PAT's real-time modules";
                    return self.unsupported(span, "timed refinement", why);
                }
                _ => return self.expected("`F` or `FD`"),
            };
            self.advance();
            self.expect(">")?;
        }
        let (name, arguments) = self.reference()?;
        Ok(Claim::Refines(comparison, name, arguments))
    }

    /// Everything up to the semicolon.
    fn formula(&mut self) -> Parsed<Claim> {
        let start = self.span();
        while !self.is_sign(0, ";") {
            if self.peek() == Kind::End {
                return self.expected("`;`");
            }
            self.advance();
        }
        let span = self.since(start);
        Ok(Claim::Ltl(self.text[span.range()].to_string(), span))
    }
}
