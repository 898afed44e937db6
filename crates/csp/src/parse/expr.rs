//! Expressions and programs.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::codes;
use crate::lexer::Kind;

/// Operators from the loosest to the tightest level; those of a level associate to the left.
const LEVELS: &[&[(&str, Binary)]] = &[
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("xor", Binary::Xor)],
    &[("&", Binary::BitAnd), ("|", Binary::BitOr), ("^", Binary::BitXor)],
    &[("==", Binary::Equal), ("!=", Binary::Unequal)],
    &[("<", Binary::Less), (">", Binary::Greater), ("<=", Binary::AtMost), (">=", Binary::AtLeast)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Modulo)],
];

const ADDITIVE: usize = 6;

impl Parser<'_> {
    /// An expression, assignments included.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|p| {
            let start = p.span();
            let left = p.level(0)?;
            if !p.eat("=") {
                return Ok(left);
            }
            let height = p.height;
            let right = p.expr()?;
            p.high(height.max(p.height) + 1)?;
            let kind = ExprKind::Assign(Box::new(left), Box::new(right));
            Ok(Expr { kind, span: p.since(start) })
        })
    }

    /// A condition: everything but assignments.
    pub(super) fn condition(&mut self) -> Parsed<Expr> {
        self.level(0)
    }

    /// Sums and what is tighter: the parts of events.
    pub(super) fn additive(&mut self) -> Parsed<Expr> {
        self.level(ADDITIVE)
    }

    fn operator(&self, level: usize) -> Option<Binary> {
        let text = match self.peek() {
            Kind::Sign(sign) => sign,
            Kind::Word => self.word_at(0)?,
            _ => return None,
        };
        LEVELS[level].iter().find(|(sign, _)| *sign == text).map(|(_, op)| *op)
    }

    fn level(&mut self, level: usize) -> Parsed<Expr> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let start = self.span();
        if level < 3
            && let Some(op) = self.operator(level)
        {
            // `&& i:{0..2} @ b`
            self.advance();
            let over = self.ranges()?;
            self.expect("@")?;
            let body = self.expr()?;
            self.high(self.height + 1)?;
            let kind = ExprKind::Quantified(op, over, Box::new(body));
            return Ok(Expr { kind, span: self.since(start) });
        }
        let mut left = self.level(level + 1)?;
        while let Some(op) = self.operator(level) {
            self.advance();
            let height = self.height;
            let right = self.level(level + 1)?;
            self.high(height.max(self.height) + 1)?;
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr { kind, span: self.since(start) };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.deeper(|p| {
            let start = p.span();
            if p.eat("+") {
                return p.unary();
            }
            for (sign, op) in [("-", Unary::Minus), ("!", Unary::Not)] {
                if p.eat(sign) {
                    let kind = ExprKind::Unary(op, Box::new(p.unary()?));
                    p.high(p.height + 1)?;
                    return Ok(Expr { kind, span: p.since(start) });
                }
            }
            let operand = p.primary()?;
            for (sign, op) in [("++", Binary::Add), ("--", Binary::Subtract)] {
                if p.eat(sign) {
                    let span = p.since(start);
                    let one = Box::new(Expr { kind: ExprKind::Int(1), span });
                    let next = ExprKind::Binary(op, Box::new(operand.clone()), one);
                    let next = Box::new(Expr { kind: next, span });
                    return Ok(Expr { kind: ExprKind::Assign(Box::new(operand), next), span });
                }
            }
            Ok(operand)
        })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.height = 1;
        let kind = match self.peek() {
            Kind::Number => {
                let Ok(n) = self.text[start.range()].parse() else {
                    return self.error(codes::RANGE, start, "this number is too large");
                };
                self.advance();
                ExprKind::Int(n)
            }
            Kind::Sign("(") => {
                self.advance();
                let inner = self.expr()?;
                self.expect(")")?;
                return Ok(Expr { kind: inner.kind, span: self.since(start) });
            }
            Kind::Sign("#") => {
                self.advance();
                let name = self.name("the name of a process")?;
                if self.eat("(") {
                    self.expect(")")?;
                }
                self.model.counted.push(name.clone());
                return Ok(Expr { kind: ExprKind::Count(name), span: self.since(start) });
            }
            Kind::Word => match self.word_at(0) {
                Some("true") => {
                    self.advance();
                    ExprKind::Bool(true)
                }
                Some("false") => {
                    self.advance();
                    ExprKind::Bool(false)
                }
                Some("call") if self.is_sign(1, "(") => return self.call(),
                Some("new") => {
                    self.advance();
                    let name = self.name("the name of a type")?;
                    self.expect("(")?;
                    let kind = ExprKind::New(name, self.arguments()?);
                    return Ok(Expr { kind, span: self.since(start) });
                }
                _ => return self.variable_or_element(),
            },
            Kind::Sign("[") if !self.is_sign(1, "]") => {
                let kind = ExprKind::Array(self.elements()?);
                return Ok(Expr { kind, span: self.since(start) });
            }
            _ => return self.expected("an expression"),
        };
        Ok(Expr { kind, span: start })
    }

    fn variable_or_element(&mut self) -> Parsed<Expr> {
        let name = self.name("an expression")?;
        let start = name.span;
        let mut indices = Vec::new();
        let mut highest = 0;
        while self.eat("[") {
            indices.push(self.condition()?);
            highest = highest.max(self.height);
            self.expect("]")?;
        }
        self.high(highest + 1)?;
        if self.is_sign(0, "$") && indices.is_empty() {
            self.advance();
            let mut field = self.name("a field")?;
            // A field is asked for like a method of that name.
            field.text.insert(0, '$');
            let kind = ExprKind::Method(name, field, Vec::new());
            return Ok(Expr { kind, span: self.since(start) });
        }
        if self.is_sign(0, ".") && self.word_at(1).is_some() && self.is_sign(2, "(") {
            if !indices.is_empty() {
                let span = start.to(self.token(1).span);
                let why = "there are no arrays of objects; use a variable for each";
                return self.unsupported(span, "a method of an element", why);
            }
            self.advance();
            let method = self.name("a method")?;
            self.expect("(")?;
            let kind = ExprKind::Method(name, method, self.arguments()?);
            return Ok(Expr { kind, span: self.since(start) });
        }
        let kind = match indices.is_empty() {
            true => ExprKind::Name(name.text),
            false => ExprKind::Index(name, indices),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn call(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        self.expect("(")?;
        let function = self.name("the name of a function or macro")?;
        let mut arguments = Vec::new();
        let mut highest = 0;
        while self.eat(",") {
            arguments.push(self.condition()?);
            highest = highest.max(self.height);
        }
        self.expect(")")?;
        self.high(highest + 1)?;
        Ok(Expr { kind: ExprKind::Call(function, arguments), span: self.since(start) })
    }

    /// `1, x)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        let mut highest = 0;
        if self.eat(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expr()?);
            highest = highest.max(self.height);
            if !self.eat(",") {
                self.expect(")")?;
                self.high(highest + 1)?;
                return Ok(arguments);
            }
        }
    }

    /// `x:{0..2}; y:{1, 3}`
    pub(super) fn ranges(&mut self) -> Parsed<Vec<Range>> {
        let mut ranges = Vec::new();
        loop {
            let name = self.name("the name of an index")?;
            self.expect(":")?;
            self.expect("{")?;
            let first = self.additive()?;
            let values = if self.eat("..") {
                Values::Between(first, self.additive()?)
            } else {
                let mut list = vec![first];
                while self.eat(",") {
                    list.push(self.additive()?);
                }
                Values::List(list)
            };
            self.expect("}")?;
            ranges.push(Range { name, values });
            if !self.eat(";") {
                return Ok(ranges);
            }
        }
    }

    /// `{ statements }`; the last semicolon may be left out.
    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.eat("}") {
            if !self.eat(";") {
                statements.push(self.statement()?);
            }
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        self.deeper(|p| {
            if p.is_sign(0, "{") {
                return Ok(Stmt::Block(p.block()?));
            }
            match p.word_at(0) {
                Some("var") => {
                    p.advance();
                    if p.is_sign(0, "<") {
                        let span = p.span().to(p.token(2).span);
                        let why = "declare it outside of the program";
                        return p.unsupported(span, "a local variable of such a type", why);
                    }
                    let name = p.name("the name of a variable")?;
                    let mut sizes = Vec::new();
                    while p.eat("[") {
                        sizes.push(p.expr()?);
                        p.expect("]")?;
                    }
                    let initial = if p.eat("=") { Some(p.initial()?) } else { None };
                    p.end_of_statement()?;
                    Ok(Stmt::Local(name, sizes, initial))
                }
                Some("if") => {
                    p.advance();
                    p.expect("(")?;
                    let condition = p.expr()?;
                    p.expect(")")?;
                    let then = p.statement_or_nothing()?;
                    let other =
                        if p.eat_word("else") { Some(p.statement_or_nothing()?) } else { None };
                    Ok(Stmt::If(condition, Box::new(then), other.map(Box::new)))
                }
                Some("while") => {
                    p.advance();
                    p.expect("(")?;
                    let condition = p.expr()?;
                    p.expect(")")?;
                    Ok(Stmt::While(condition, Box::new(p.statement_or_nothing()?)))
                }
                _ => {
                    let expr = p.expr()?;
                    p.end_of_statement()?;
                    Ok(Stmt::Expr(expr))
                }
            }
        })
    }

    fn statement_or_nothing(&mut self) -> Parsed<Stmt> {
        if self.eat(";") { Ok(Stmt::Block(Vec::new())) } else { self.statement() }
    }

    fn end_of_statement(&mut self) -> Parsed<()> {
        if self.is_sign(0, "}") { Ok(()) } else { self.expect(";") }
    }
}
