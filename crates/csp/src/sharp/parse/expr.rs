//! Expressions.

use super::super::tree::*;
use super::{Parsed, Parser};
use crate::codes;
use crate::lexer::Kind;

/// Operators from the loosest to the tightest level; those of a level associate to the left.
const LEVELS: &[&[(&str, Binary)]] = &[
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Equal), ("!=", Binary::Unequal)],
    &[("<", Binary::Less), ("<=", Binary::AtMost), (">", Binary::Greater), (">=", Binary::AtLeast)],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Modulo)],
];

/// Assignments with an operator.
const COMPOUND: &[(&str, Binary)] = &[
    ("+=", Binary::Add),
    ("-=", Binary::Subtract),
    ("*=", Binary::Multiply),
    ("/=", Binary::Divide),
    ("%=", Binary::Modulo),
    ("&=", Binary::BitAnd),
    ("|=", Binary::BitOr),
    ("^=", Binary::BitXor),
    ("<<=", Binary::ShiftLeft),
];

impl Parser<'_> {
    /// An expression, assignments included.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|p| {
            let start = p.span();
            let left = p.choice()?;
            let op = if p.eat("=") {
                None
            } else if p.touching(">", ">=") {
                p.advance();
                p.advance();
                Some(Binary::ShiftRight)
            } else if let Some((_, op)) = COMPOUND.iter().find(|(sign, _)| p.is_sign(0, sign)) {
                p.advance();
                Some(*op)
            } else if let Kind::Sign(sign @ ("=>" | "??" | "??=" | "?.")) = p.peek() {
                let span = p.span();
                return p.unsupported(span, &format!("`{sign}`"));
            } else if let Some(word @ ("is" | "as" | "switch" | "with")) = p.word_at(0) {
                let span = p.span();
                return p.unsupported(span, &format!("`{word}`"));
            } else {
                return Ok(left);
            };
            let kind = ExprKind::Assign(Box::new(left), op, Box::new(p.expr()?));
            Ok(Expr { kind, span: p.since(start) })
        })
    }

    /// Do these two signs stand here with nothing between them?
    fn touching(&self, first: &str, second: &str) -> bool {
        self.is_sign(0, first)
            && self.is_sign(1, second)
            && self.token(0).span.end == self.token(1).span.start
    }

    fn choice(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let condition = self.level(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = Box::new(self.expr()?);
        self.expect(":")?;
        let other = Box::new(self.expr()?);
        let kind = ExprKind::Choice(Box::new(condition), then, other);
        Ok(Expr { kind, span: self.since(start) })
    }

    /// The operator of a level that stands here, and how many signs it has.
    fn operator(&self, level: usize) -> Option<(Binary, usize)> {
        let Kind::Sign(sign) = self.peek() else { return None };
        let found = |text: &str| LEVELS[level].iter().find(|(s, _)| *s == text).map(|(_, op)| *op);
        if self.touching(">", ">") {
            return found(">>").map(|op| (op, 2));
        }
        // `>>=` is an assignment.
        if self.touching(">", ">=") {
            return None;
        }
        found(sign).map(|op| (op, 1))
    }

    fn level(&mut self, level: usize) -> Parsed<Expr> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let start = self.span();
        let mut left = self.level(level + 1)?;
        let mut count = 0;
        while let Some((op, signs)) = self.operator(level) {
            (0..signs).for_each(|_| self.advance());
            let right = self.level(level + 1)?;
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr { kind, span: self.since(start) };
            count += 1;
            if count > super::MAX_DEPTH {
                return self.error(codes::TOO_DEEP, left.span, "this is nested too deeply");
            }
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.deeper(|p| {
            let start = p.span();
            if p.eat("+") {
                return p.unary();
            }
            for (sign, op) in [("-", Unary::Minus), ("!", Unary::Not), ("~", Unary::Complement)] {
                if p.eat(sign) {
                    let kind = ExprKind::Unary(op, Box::new(p.unary()?));
                    return Ok(Expr { kind, span: p.since(start) });
                }
            }
            for (sign, op) in [("++", Binary::Add), ("--", Binary::Subtract)] {
                if p.eat(sign) {
                    let kind = ExprKind::Step(Box::new(p.unary()?), op, false);
                    return Ok(Expr { kind, span: p.since(start) });
                }
            }
            if p.is_sign(0, "(") && p.is_sign(2, ")") {
                match p.word_at(1) {
                    Some("int" | "Int32") => {
                        (0..3).for_each(|_| p.advance());
                        let kind = ExprKind::ToInt(Box::new(p.unary()?));
                        return Ok(Expr { kind, span: p.since(start) });
                    }
                    Some(word)
                        if super::RESERVED.contains(&word)
                            && !matches!(word, "this" | "true" | "false" | "null") =>
                    {
                        let span = start.to(p.token(2).span);
                        return p.unsupported(span, &format!("a cast to `{word}`"));
                    }
                    // A name in parentheses, followed by what cannot follow a value.
                    Some(word) if matches!(p.token(3).kind, Kind::Word | Kind::Number) => {
                        let what = format!("a cast to `{word}`");
                        let span = start.to(p.token(2).span);
                        return p.unsupported(span, &what);
                    }
                    _ => {}
                }
            }
            p.postfix()
        })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut e = self.primary()?;
        let mut count = 0;
        loop {
            let kind = if self.eat(".") {
                ExprKind::Member(Box::new(e), self.name("the name of a member")?)
            } else if self.eat("[") {
                let index = self.expr()?;
                if self.is_sign(0, ",") {
                    let span = self.span();
                    return self.unsupported(span, "an array of several dimensions");
                }
                self.expect("]")?;
                ExprKind::Index(Box::new(e), Box::new(index))
            } else if self.eat("(") {
                ExprKind::Call(Box::new(e), self.arguments()?)
            } else if self.eat("++") {
                ExprKind::Step(Box::new(e), Binary::Add, true)
            } else if self.eat("--") {
                ExprKind::Step(Box::new(e), Binary::Subtract, true)
            } else {
                return Ok(e);
            };
            e = Expr { kind, span: self.since(start) };
            count += 1;
            if count > super::MAX_DEPTH {
                return self.error(codes::TOO_DEEP, e.span, "this is nested too deeply");
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.peek() {
            Kind::Number => self.number()?,
            Kind::Text => return self.unsupported(span, "a text"),
            Kind::Sign("(") => {
                self.advance();
                let inner = self.expr()?;
                self.expect(")")?;
                return Ok(Expr { kind: inner.kind, span: self.since(span) });
            }
            Kind::Sign(sign @ ("$" | "@" | "#")) => {
                return self.unsupported(span, &format!("`{sign}`"));
            }
            Kind::Word => match self.word_at(0).unwrap_or("") {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "null" => ExprKind::Null,
                "this" => ExprKind::This,
                "new" => return self.creation(),
                // `int.MaxValue`
                "int" if self.is_sign(1, ".") => ExprKind::Name("Int32".to_string()),
                word @ ("base" | "typeof" | "sizeof" | "checked" | "unchecked" | "default"
                | "delegate" | "stackalloc" | "ref" | "out" | "await") => {
                    return self.unsupported(span, &format!("`{word}`"));
                }
                _ => ExprKind::Name(self.name("an expression")?.text),
            },
            _ => return self.expected("an expression"),
        };
        // Names have been read.
        if self.span() == span {
            self.advance();
        }
        Ok(Expr { kind, span })
    }

    fn number(&mut self) -> Parsed<ExprKind> {
        let span = self.span();
        let text = self.text[span.range()].replace('_', "");
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let parsed = match hex {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None if text.bytes().all(|b| b.is_ascii_digit()) => {
                Some(text.parse().unwrap_or(i64::MAX))
            }
            None => None,
        };
        match parsed {
            // One more than the greatest: for the smallest, `-2147483648`.
            Some(n) if n <= 1 << 31 && hex.is_none() || n < 1 << 31 => Ok(ExprKind::Int(n)),
            Some(_) => self.error(codes::RANGE, span, "this number is too large for an `int`"),
            None => self.unsupported(span, "a number other than an `int`"),
        }
    }

    /// `1, x)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.eat(")") {
            return Ok(arguments);
        }
        loop {
            let span = self.span();
            if let Some(word @ ("ref" | "out" | "in")) = self.word_at(0) {
                return self.unsupported(span, &format!("an argument with `{word}`"));
            }
            if self.word_at(0).is_some() && self.is_sign(1, ":") {
                return self.unsupported(span, "an argument with a name");
            }
            arguments.push(self.expr()?);
            if !self.eat(",") {
                self.expect(")")?;
                return Ok(arguments);
            }
        }
    }

    /// `{1, 2}`
    pub(super) fn braces(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("{")?;
        let mut list = Vec::new();
        while !self.eat("}") {
            list.push(self.expr()?);
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(list)
    }

    fn creation(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        let kind = if self.is_sign(0, "[") && self.is_sign(1, "]") {
            self.advance();
            self.advance();
            New::Array(None, self.braces()?)
        } else {
            match self.ty()? {
                TypeName::Ints => New::Array(None, self.braces()?),
                TypeName::Int if self.eat("[") => {
                    let size = Box::new(self.expr()?);
                    if self.is_sign(0, ",") {
                        let span = self.span();
                        return self.unsupported(span, "an array of several dimensions");
                    }
                    self.expect("]")?;
                    match self.is_sign(0, "{") {
                        true => New::Array(Some(size), self.braces()?),
                        false if self.is_sign(0, "[") => {
                            let span = self.span();
                            return self.unsupported(span, "an array of arrays");
                        }
                        false => New::Sized(size),
                    }
                }
                TypeName::List => {
                    let from = if self.eat("(") { self.arguments()? } else { Vec::new() };
                    let list = if self.is_sign(0, "{") { self.braces()? } else { Vec::new() };
                    New::List(from, list)
                }
                TypeName::Class(name) => {
                    if self.is_sign(0, "[") {
                        return self.unsupported(name.span, "an array other than `int[]`");
                    }
                    self.expect("(")?;
                    let arguments = self.arguments()?;
                    if self.is_sign(0, "{") {
                        let span = self.span();
                        return self.unsupported(span, "an initialiser of an object");
                    }
                    New::Class(name, arguments)
                }
                _ => {
                    let span = self.since(start);
                    return self.unsupported(span, "this `new`");
                }
            }
        };
        Ok(Expr { kind: ExprKind::New(kind), span: self.since(start) })
    }
}
