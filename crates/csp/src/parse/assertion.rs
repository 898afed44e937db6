//! Assertions and formulas.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::lexer::Kind;

impl Parser<'_> {
    pub(super) fn assertion(&mut self) -> Parsed<()> {
        self.advance();
        let start = self.span();
        let (process, arguments) = self.reference()?;
        let claim = if self.eat("|=") {
            Claim::Ltl(self.formula()?)
        } else {
            match self.word_at(0).map(str::to_string).as_deref() {
                Some("deadlockfree") => self.simple(Claim::DeadlockFree),
                Some("divergencefree") => self.simple(Claim::DivergenceFree),
                Some("deterministic") => self.simple(Claim::Deterministic),
                Some("nonterminating") => self.simple(Claim::NonTerminating),
                Some("reaches") => self.reaches()?,
                Some("refines") => self.refines()?,
                _ => return self.expected("what is asserted, such as `deadlockfree` or `|=`"),
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
        let mut arguments = Vec::new();
        if self.eat("(") && !self.eat(")") {
            loop {
                arguments.push(self.condition()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
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

    /// `<->` is the loosest, then `->`, `||` and `xor`, `&&`, `U` and `R`, the unary operators.
    fn formula(&mut self) -> Parsed<Ltl> {
        self.deeper(|p| {
            let mut left = p.implication()?;
            while p.eat("<->") {
                left = Ltl::Iff(Box::new(left), Box::new(p.implication()?));
            }
            Ok(left)
        })
    }

    fn implication(&mut self) -> Parsed<Ltl> {
        self.deeper(|p| {
            let left = p.disjunction()?;
            if p.eat("->") || p.eat("=>") {
                return Ok(Ltl::Implies(Box::new(left), Box::new(p.implication()?)));
            }
            Ok(left)
        })
    }

    fn disjunction(&mut self) -> Parsed<Ltl> {
        let mut left = self.conjunction()?;
        loop {
            if self.eat("||") || self.eat("\\/") {
                left = Ltl::Or(Box::new(left), Box::new(self.conjunction()?));
            } else if self.eat_word("xor") {
                left = Ltl::Xor(Box::new(left), Box::new(self.conjunction()?));
            } else {
                return Ok(left);
            }
        }
    }

    fn conjunction(&mut self) -> Parsed<Ltl> {
        let mut left = self.until()?;
        while self.eat("&&") || self.eat("/\\") {
            left = Ltl::And(Box::new(left), Box::new(self.until()?));
        }
        Ok(left)
    }

    fn until(&mut self) -> Parsed<Ltl> {
        self.deeper(|p| {
            let left = Box::new(p.modal()?);
            match p.word_at(0) {
                Some("U") => {
                    p.advance();
                    Ok(Ltl::Until(left, Box::new(p.until()?)))
                }
                Some("R" | "V") => {
                    p.advance();
                    Ok(Ltl::Release(left, Box::new(p.until()?)))
                }
                _ => Ok(*left),
            }
        })
    }

    fn modal(&mut self) -> Parsed<Ltl> {
        self.deeper(|p| {
            if p.eat("!") {
                return Ok(Ltl::Not(Box::new(p.modal()?)));
            }
            if p.eat("[]") {
                return Ok(Ltl::Always(Box::new(p.modal()?)));
            }
            if p.eat("<>") {
                return Ok(Ltl::Eventually(Box::new(p.modal()?)));
            }
            if p.eat("(") {
                let inner = p.formula()?;
                p.expect(")")?;
                return Ok(inner);
            }
            if p.peek() == Kind::Text {
                let span = p.span();
                let text = p.text[span.range()].trim_matches('"').to_string();
                p.advance();
                return Ok(Ltl::Text(text, span));
            }
            match p.word_at(0).map(str::to_string).as_deref() {
                Some("true") => {
                    p.advance();
                    Ok(Ltl::Const(true))
                }
                Some("false") => {
                    p.advance();
                    Ok(Ltl::Const(false))
                }
                Some(word @ ("X" | "G" | "F")) if p.operand_ahead() => {
                    let wrap = match word {
                        "X" => Ltl::Next,
                        "G" => Ltl::Always,
                        _ => Ltl::Eventually,
                    };
                    p.advance();
                    Ok(wrap(Box::new(p.modal()?)))
                }
                Some(_) => p.atom(),
                None => p.expected("a formula"),
            }
        })
    }

    /// Does an operand follow the word here, so that the word is an operator?
    fn operand_ahead(&self) -> bool {
        match self.token(1).kind {
            Kind::Text | Kind::Number => true,
            Kind::Word => !matches!(self.word_at(1), Some("U" | "R" | "V" | "xor")),
            Kind::Sign(sign) => matches!(sign, "(" | "[]" | "<>" | "!"),
            Kind::End => false,
        }
    }

    /// A condition, an event, or a message `c!1.2`.
    fn atom(&mut self) -> Parsed<Ltl> {
        let event = self.event()?;
        if event.parts.is_empty() && (self.is_sign(0, "!") || self.is_sign(0, "?")) {
            self.advance();
            let mut end = self.span();
            loop {
                self.additive()?;
                end = self.since(end);
                if !self.eat(".") {
                    break;
                }
            }
            let span = event.span.to(end);
            let text = self.text[span.range()].split_whitespace().collect();
            return Ok(Ltl::Text(text, span));
        }
        Ok(Ltl::Atom(event))
    }
}
