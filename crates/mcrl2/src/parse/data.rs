//! Data expressions, with mCRL2's precedences:
//!
//! `whr` 0, quantifiers and `lambda` 1, `=>` 2, `||` 3, `&&` 4, `== !=` 5, `< <= >= > in` 6, `|>` 7,
//! `<|` 8, `++` 9, `+ -` 10, `/ div mod` 11, `* .` 12, prefix `! - #` 12, application and update 13.

use super::Parser;
use crate::ast::{Expr, ExprKind, Typed};
use crate::lexer::Kind;
use crate::report::Checked;

/// The name, the precedence and the direction of an infix operator.
fn infix(kind: Kind) -> Option<(&'static str, u8, bool)> {
    let (Kind::Symbol(symbol) | Kind::Word(symbol)) = kind else { return None };
    let (precedence, right) = match symbol {
        "=>" => (2, true),
        "||" => (3, true),
        "&&" => (4, true),
        "==" | "!=" => (5, false),
        "<" | "<=" | ">=" | ">" | "in" => (6, false),
        "|>" => (7, true),
        "<|" => (8, false),
        "++" => (9, false),
        "+" | "-" => (10, false),
        "/" | "div" | "mod" => (11, false),
        "*" | "." => (12, false),
        _ => return None,
    };
    Some((symbol, precedence, right))
}

impl Parser<'_> {
    /// An expression whose infix operators bind at least as strongly as `least`.
    pub(super) fn expr(&mut self, least: u8) -> Checked<Expr> {
        self.nested(|p| {
            let start = p.span();
            let mut left = p.prefix()?;
            loop {
                if p.is_word("whr") && least == 0 {
                    p.advance();
                    let mut bindings = Vec::new();
                    loop {
                        let name = p.name("a name")?;
                        p.expect("=", "and its value")?;
                        bindings.push((name, p.expr(1)?));
                        if !p.eat(",") {
                            break;
                        }
                    }
                    if !p.eat_word("end") {
                        return Err(p.unexpected("`end` after the bindings of `whr`"));
                    }
                    p.higher(bindings.len())?;
                    left = p.node(start, ExprKind::Where(Box::new(left), bindings));
                    continue;
                }
                let Some((symbol, precedence, right)) = infix(p.kind()) else { return Ok(left) };
                if precedence < least {
                    return Ok(left);
                }
                let operator = p.advance();
                if symbol == "/" {
                    let why = "`/` gives a `Real`; use `div` for whole numbers";
                    return Err(p.unsupported(operator, "the operator `/`", why));
                }
                let operand = p.expr(if right { precedence } else { precedence + 1 })?;
                p.higher(1)?;
                left = p.node(start, ExprKind::Operator(symbol, vec![left, operand]));
            }
        })
    }

    fn node(&mut self, start: linchpin_text::Span, kind: ExprKind) -> Expr {
        Expr { kind, span: start.to(self.previous()), id: self.fresh() }
    }

    fn prefix(&mut self) -> Checked<Expr> {
        let start = self.span();
        match self.kind() {
            Kind::Symbol(symbol @ ("!" | "-" | "#")) => {
                self.advance();
                let operand = self.nested(Self::prefix)?;
                Ok(self.node(start, ExprKind::Operator(symbol, vec![operand])))
            }
            Kind::Word(word @ ("forall" | "exists" | "lambda")) => {
                self.advance();
                let variables = self.variables()?;
                self.expect(".", "after the variables")?;
                let body = Box::new(self.expr(1)?);
                let kind = match word {
                    "forall" => ExprKind::Forall(variables, body),
                    "exists" => ExprKind::Exists(variables, body),
                    _ => ExprKind::Lambda(variables, body),
                };
                Ok(self.node(start, kind))
            }
            _ => self.postfix(false),
        }
    }

    /// A primary expression with applications and updates; `unit` leaves updates out.
    fn postfix(&mut self, unit: bool) -> Checked<Expr> {
        let start = self.span();
        let mut left = self.primary()?;
        loop {
            if self.is("(") {
                self.advance();
                let arguments = self.expressions(")")?;
                self.higher(1)?;
                left = self.node(start, ExprKind::Apply(Box::new(left), arguments));
            } else if !unit && self.is("[") {
                self.advance();
                let key = Box::new(self.expr(1)?);
                self.expect("->", "in a function update `f[x -> y]`")?;
                let value = Box::new(self.expr(1)?);
                self.expect("]", "after the function update")?;
                self.higher(1)?;
                left = self.node(start, ExprKind::Update(Box::new(left), key, value));
            } else {
                return Ok(left);
            }
        }
    }

    /// The condition in front of `->` in a process.
    pub(super) fn unit(&mut self) -> Checked<Expr> {
        self.nested(|p| {
            let start = p.span();
            match p.kind() {
                Kind::Symbol(symbol @ ("!" | "-" | "#")) => {
                    p.advance();
                    let operand = p.unit()?;
                    Ok(p.node(start, ExprKind::Operator(symbol, vec![operand])))
                }
                _ => p.postfix(true),
            }
        })
    }

    /// Expressions up to a closing bracket, at least one.
    pub(super) fn expressions(&mut self, close: &str) -> Checked<Vec<Expr>> {
        let mut list = vec![self.expr(0)?];
        while self.eat(",") {
            list.push(self.expr(0)?);
        }
        self.expect(close, "after the expressions")?;
        self.higher(list.len())?;
        Ok(list)
    }

    fn primary(&mut self) -> Checked<Expr> {
        let start = self.span();
        match self.kind() {
            Kind::Id => {
                self.advance();
                let text = self.slice(start).into();
                Ok(self.node(start, ExprKind::Name(text)))
            }
            Kind::Word(word @ ("true" | "false")) => {
                self.advance();
                Ok(self.node(start, ExprKind::Name(word.into())))
            }
            Kind::Number => {
                self.advance();
                let text = self.slice(start).into();
                Ok(self.node(start, ExprKind::Number(text)))
            }
            Kind::Symbol("(") => {
                self.advance();
                let inner = self.expr(0)?;
                self.expect(")", "to close the bracket")?;
                Ok(inner)
            }
            Kind::Symbol("[") => {
                self.advance();
                let elements = if self.eat("]") { Vec::new() } else { self.expressions("]")? };
                Ok(self.node(start, ExprKind::List(elements)))
            }
            Kind::Symbol("{") => {
                self.advance();
                self.braces(start)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// A set, a bag or a comprehension, after its opening brace.
    fn braces(&mut self, start: linchpin_text::Span) -> Checked<Expr> {
        if self.eat("}") {
            return Ok(self.node(start, ExprKind::Set(Vec::new())));
        }
        if self.eat(":") {
            self.expect("}", "to close the empty bag")?;
            return Ok(self.node(start, ExprKind::Bag(Vec::new())));
        }
        if self.kind() == Kind::Id && self.peek(1) == Kind::Symbol(":") {
            // `{x: D | e}` or a bag `{x: 2}`: only the first has a `|` after what follows.
            let (at, ids) = (self.at, self.ids);
            if let Ok(name) = self.name("a name")
                && self.eat(":")
                && let Ok(sort) = self.sort()
                && self.eat("|")
            {
                let body = Box::new(self.expr(0)?);
                self.expect("}", "to close the comprehension")?;
                let variable = Box::new(Typed { name, sort });
                return Ok(self.node(start, ExprKind::Comprehension(variable, body)));
            }
            (self.at, self.ids) = (at, ids);
        }
        let first = self.expr(0)?;
        if self.eat(":") {
            let mut elements = vec![(first, self.expr(0)?)];
            while self.eat(",") {
                let element = self.expr(0)?;
                self.expect(":", "and how often the element is in the bag")?;
                elements.push((element, self.expr(0)?));
            }
            self.expect("}", "to close the bag")?;
            self.higher(elements.len())?;
            return Ok(self.node(start, ExprKind::Bag(elements)));
        }
        let mut elements = vec![first];
        while self.eat(",") {
            elements.push(self.expr(0)?);
        }
        self.expect("}", "to close the set")?;
        self.higher(elements.len())?;
        Ok(self.node(start, ExprKind::Set(elements)))
    }
}
