//! Expressions: precedence climbing over infix operators, loops for prefix and postfix ones.

use crate::Span;
use crate::program::{BinOp, UnOp};

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{Expr, ExprKind, Name};
use crate::syntax::codes;
use crate::syntax::token::{Meaning, Tok};
use linchpin_text::Diagnostic;

const COMPARISON: u8 = 3;
const SHIFT: u8 = 7;
const SUM: u8 = 8;
const PRODUCT: u8 = 9;

/// The infix operator and how tightly it binds.
fn infix(tok: Tok) -> Option<(BinOp, u8)> {
    Some(match tok {
        Tok::OrOr => (BinOp::Or, 1),
        Tok::AndAnd => (BinOp::And, 2),
        Tok::EqEq => (BinOp::Eq, COMPARISON),
        Tok::NotEq => (BinOp::Ne, COMPARISON),
        Tok::Less => (BinOp::Lt, COMPARISON),
        Tok::LessEq => (BinOp::Le, COMPARISON),
        Tok::Greater => (BinOp::Gt, COMPARISON),
        Tok::GreaterEq => (BinOp::Ge, COMPARISON),
        Tok::Pipe => (BinOp::BitOr, 4),
        Tok::Caret => (BinOp::BitXor, 5),
        Tok::Amp => (BinOp::BitAnd, 6),
        Tok::ShiftLeft => (BinOp::Shl, SHIFT),
        Tok::Plus => (BinOp::Add, SUM),
        Tok::Minus => (BinOp::Sub, SUM),
        Tok::Star => (BinOp::Mul, PRODUCT),
        Tok::Slash => (BinOp::Div, PRODUCT),
        Tok::Percent => (BinOp::Rem, PRODUCT),
        _ => return None,
    })
}

/// Does the token stand between two operands?
pub(super) fn is_infix(tok: Tok) -> bool {
    infix(tok).is_some()
}

impl<'a> Parser<'a, '_> {
    /// Any expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr<'a>> {
        self.enter(|p| {
            let cond = p.binary(1)?;
            if p.peek() != Tok::Question {
                return Ok(cond);
            }
            p.means(Meaning::Select);
            p.bump();
            let then = p.expr()?;
            p.means(Meaning::Select);
            p.expect(Tok::Colon)?;
            let els = p.expr()?;
            let heights = [cond.height, then.height, els.height];
            let span = cond.span.to(els.span);
            let kind = ExprKind::Select(Box::new(cond), Box::new(then), Box::new(els));
            p.node(kind, span, heights)
        })
    }

    /// An expression where line ends and `{` mean nothing special: inside brackets.
    fn inner_expr(&mut self) -> Parsed<Expr<'a>> {
        let head = std::mem::replace(&mut self.head, false);
        let result = self.expr();
        self.head = head;
        result
    }

    /// The head of `if`, `while` ...: a `{` after it begins the block.
    pub(super) fn head_expr(&mut self) -> Parsed<Expr<'a>> {
        if self.peek() == Tok::BraceOpen {
            return Err(self.expected("a condition"));
        }
        let head = std::mem::replace(&mut self.head, true);
        let result = self.expr();
        self.head = head;
        result
    }

    /// A sum: the bounds of ranges.
    pub(super) fn sum(&mut self) -> Parsed<Expr<'a>> {
        self.enter(|p| p.binary(SUM))
    }

    /// The infix operator that stands here. `>>` is two signs, because `>` also closes types; words of other languages
    /// are reported and understood.
    fn infix(&mut self) -> Option<(BinOp, u8)> {
        if self.peek() == Tok::Greater && self.is_followed_at_once_by(Tok::Greater) {
            return Some((BinOp::Shr, SHIFT));
        }
        self.infix_word().or_else(|| infix(self.peek()))
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr<'a>> {
        let mut left = self.operand()?;
        let mut compared: Option<Span> = None;
        while let Some((op, level)) = self.infix() {
            let begins = op == BinOp::Sub && self.on_new_line();
            if level < least || begins || self.at_step() {
                break;
            }
            if op == BinOp::Shr {
                self.means(Meaning::Half);
                self.bump();
            }
            let op_span = self.bump().span;
            let mut chained = false;
            if level == COMPARISON {
                if let Some(first) = compared {
                    chained = true;
                    self.sink.push(
                        Diagnostic::error(codes::CHAINED, op_span, "comparisons cannot be chained")
                            .also(first, "the first comparison")
                            .help("write `a < b && b < c`"),
                    );
                }
                compared = Some(op_span);
            } else if level < COMPARISON {
                compared = None;
            }
            let right = self.enter(|p| p.binary(level + 1))?;
            let heights = [left.height, right.height];
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = self.node(if chained { ExprKind::Error } else { kind }, span, heights)?;
        }
        Ok(left)
    }

    /// An expression without infix operators (outside of brackets).
    pub(super) fn operand(&mut self) -> Parsed<Expr<'a>> {
        let mut ops = Vec::new();
        loop {
            let op = match self.peek() {
                Tok::Minus => UnOp::Neg,
                Tok::Not => UnOp::Not,
                _ if self.not_word() => UnOp::Not,
                _ => break,
            };
            self.means(Meaning::Prefix);
            ops.push((op, self.bump().span));
        }
        self.needless_prefix();
        let mut expr = self.postfix()?;
        for (op, span) in ops.into_iter().rev() {
            let (span, height) = (span.to(expr.span), expr.height);
            expr = self.node(ExprKind::Unary(op, Box::new(expr)), span, [height])?;
        }
        Ok(expr)
    }

    fn postfix(&mut self) -> Parsed<Expr<'a>> {
        let mut expr = self.primary()?;
        loop {
            let start = expr.span;
            let height = expr.height;
            match self.peek() {
                // As in C, and as in Rust.
                Tok::Dot | Tok::Arrow => {
                    self.bump();
                    expr = self.after_dot(expr)?;
                }
                Tok::Colon if self.is_followed_at_once_by(Tok::Colon) => {
                    self.means(Meaning::Half);
                    self.bump();
                    self.means(Meaning::Half);
                    self.bump();
                    expr = self.after_dot(expr)?;
                }
                Tok::SquareOpen if !self.on_new_line() => {
                    self.bump();
                    let index = self.inner_expr()?;
                    self.expect(Tok::SquareClose)?;
                    let heights = [height, index.height];
                    let kind = ExprKind::Index(Box::new(expr), Box::new(index));
                    let span = self.since(start);
                    expr = self.node(kind, span, heights)?;
                }
                Tok::As => {
                    self.bump();
                    let ty = self.name("a type")?;
                    let kind = ExprKind::As(Box::new(expr), ty);
                    expr = self.node(kind, start.to(ty.span), [height])?;
                }
                _ => return Ok(expr),
            }
        }
    }

    fn after_dot(&mut self, base: Expr<'a>) -> Parsed<Expr<'a>> {
        let (start, height, span) = (base.span, base.height, self.span());
        if self.peek() == Tok::Int {
            let part = self.word().replace('_', "").parse().unwrap_or(u32::MAX);
            self.bump();
            return self.node(ExprKind::Part(Box::new(base), part, span), start.to(span), [height]);
        }
        // Any word can be the name of a field.
        let word = self.peek() == Tok::Ident || self.peek().is_keyword() && !self.on_new_line();
        if !word {
            return Err(self.expected("the name of a field or method"));
        }
        let name = Name { text: self.word(), span };
        self.bump();
        if self.peek() == Tok::ParenOpen && !self.on_new_line() {
            let args = self.arguments()?;
            let heights: Vec<u32> = args.iter().map(|a| a.height).chain([height]).collect();
            let span = self.since(start);
            return self.node(ExprKind::Method(Box::new(base), name, args), span, heights);
        }
        self.node(ExprKind::Member(Box::new(base), name), start.to(span), [height])
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr<'a>>> {
        self.list(Tok::ParenOpen, Tok::ParenClose, Self::inner_expr)
    }

    fn leaf(&mut self, kind: ExprKind<'a>) -> Parsed<Expr<'a>> {
        let span = self.bump().span;
        self.node(kind, span, [])
    }

    fn primary(&mut self) -> Parsed<Expr<'a>> {
        let start = self.span();
        match self.peek() {
            Tok::Int => {
                let digits = self.word().replace('_', "").to_ascii_lowercase();
                let value = match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
                    (Some(hex), _) => i64::from_str_radix(hex, 16),
                    (_, Some(bits)) => i64::from_str_radix(bits, 2),
                    _ => digits.parse(),
                };
                self.leaf(ExprKind::Int(value.unwrap_or(i64::MAX)))
            }
            Tok::True => self.leaf(ExprKind::Bool(true)),
            Tok::False => self.leaf(ExprKind::Bool(false)),
            Tok::Null => self.leaf(ExprKind::Null),
            Tok::Empty => self.leaf(ExprKind::Empty),
            Tok::SelfThread => self.leaf(ExprKind::SelfThread),
            Tok::Threads => self.leaf(ExprKind::Threads),
            Tok::Ident => self.name_or_call(),
            Tok::ParenOpen => {
                let mut parts = self.list(Tok::ParenOpen, Tok::ParenClose, Self::inner_expr)?;
                let span = self.since(start);
                match parts.len() {
                    0 => {
                        let text = "there is no empty tuple";
                        self.sink.push(Diagnostic::error(codes::EXPECTED, span, text));
                        Err(Failed)
                    }
                    // Brackets are a level of the text, not of the tree; `enter` counts them.
                    1 => parts.pop().map(|e| Expr { span, ..e }).ok_or(Failed),
                    _ => {
                        let heights: Vec<u32> = parts.iter().map(|p| p.height).collect();
                        self.node(ExprKind::Tuple(parts), span, heights)
                    }
                }
            }
            Tok::SquareOpen => self.square(),
            Tok::BraceOpen if self.head && self.begins_block() => {
                Err(self.expected("an expression"))
            }
            Tok::BraceOpen => {
                let items = self.set_literal()?;
                let heights: Vec<u32> = items.iter().map(|p| p.height).collect();
                let span = self.since(start);
                self.node(ExprKind::Braces(items), span, heights)
            }
            Tok::New => self.new_record(),
            Tok::Choose => self.choose(),
            _ => Err(self.expected("an expression")),
        }
    }

    /// `{a, b}`
    pub(super) fn set_literal(&mut self) -> Parsed<Vec<Expr<'a>>> {
        self.means(Meaning::Literal);
        let items = self.list(Tok::BraceOpen, Tok::BraceClose, Self::inner_expr)?;
        self.meanings[self.at - 1] = Meaning::Literal;
        Ok(items)
    }

    fn name_or_call(&mut self) -> Parsed<Expr<'a>> {
        let name = Name { text: self.word(), span: self.span() };
        self.bump();
        if self.peek() == Tok::ParenOpen && !self.on_new_line() {
            let args = self.arguments()?;
            let heights: Vec<u32> = args.iter().map(|a| a.height).collect();
            let span = self.since(name.span);
            return self.node(ExprKind::Call(name, args), span, heights);
        }
        if self.at_fields() {
            let fields = self.fields()?;
            let heights: Vec<u32> = fields.iter().map(|f| f.1.height).collect();
            let span = self.since(name.span);
            return self.node(ExprKind::Fields(name, fields), span, heights);
        }
        let kind = if name.text == "_" { ExprKind::Any } else { ExprKind::Name(name) };
        self.node(kind, name.span, [])
    }

    /// `[]`, `[a, b]`, `[x; n]`
    fn square(&mut self) -> Parsed<Expr<'a>> {
        let start = self.span();
        if self.peek_at(1).tok == Tok::SquareClose {
            self.bump();
            self.bump();
            let span = self.since(start);
            return self.node(ExprKind::List(Vec::new()), span, []);
        }
        self.bump();
        let first = self.inner_expr()?;
        if self.eat(Tok::Semicolon) {
            let count = self.inner_expr()?;
            self.expect(Tok::SquareClose)?;
            let (span, heights) = (self.since(start), [first.height, count.height]);
            return self.node(ExprKind::Repeat(Box::new(first), Box::new(count)), span, heights);
        }
        let mut items = vec![first];
        while self.eat(Tok::Comma) {
            if self.peek() == Tok::SquareClose {
                break;
            }
            items.push(self.inner_expr()?);
        }
        self.expect(Tok::SquareClose)?;
        let heights: Vec<u32> = items.iter().map(|p| p.height).collect();
        let span = self.since(start);
        self.node(ExprKind::List(items), span, heights)
    }

    /// `new Node`, `new Node { f: e }`
    fn new_record(&mut self) -> Parsed<Expr<'a>> {
        let start = self.bump().span;
        let record = self.name("the name of a node type")?;
        if self.peek() == Tok::ParenOpen && !self.on_new_line() {
            let args = self.arguments()?;
            let heights: Vec<u32> = args.iter().map(|a| a.height).collect();
            let span = self.since(start);
            return self.node(ExprKind::NewCall(record, args), span, heights);
        }
        let mut fields = Vec::new();
        if self.peek() == Tok::BraceOpen && !self.head && !self.on_new_line() {
            fields = self.fields()?;
        }
        let heights: Vec<u32> = fields.iter().map(|f| f.1.height).collect();
        let span = self.since(start);
        self.node(ExprKind::New(record, fields), span, heights)
    }

    /// `{ f: e, g: e }`
    fn fields(&mut self) -> Parsed<Vec<(Name<'a>, Expr<'a>)>> {
        self.list(Tok::BraceOpen, Tok::BraceClose, |p| {
            let name = p.name("the name of a field")?;
            p.expect(Tok::Colon)?;
            Ok((name, p.inner_expr()?))
        })
    }

    /// Do the fields of a struct follow its name?
    fn at_fields(&self) -> bool {
        self.peek() == Tok::BraceOpen
            && !self.head
            && !self.on_new_line()
            && self.peek_at(1).tok == Tok::Ident
            && self.peek_at(2).tok == Tok::Colon
    }

    /// `choose(a, b)`, `choose(lo..=hi)`
    fn choose(&mut self) -> Parsed<Expr<'a>> {
        let start = self.bump().span;
        self.expect(Tok::ParenOpen)?;
        let head = std::mem::replace(&mut self.head, false);
        let result = self.choose_from(start);
        self.head = head;
        result
    }

    fn choose_from(&mut self, start: Span) -> Parsed<Expr<'a>> {
        let first = self.expr()?;
        if matches!(self.peek(), Tok::DotDot | Tok::DotDotEq) {
            let range = self.range_from(first)?;
            self.expect(Tok::ParenClose)?;
            let heights = [range.lo.height, range.hi.height];
            let span = self.since(start);
            return self.node(ExprKind::ChooseRange(range), span, heights);
        }
        let mut items = vec![first];
        while self.eat(Tok::Comma) && self.peek() != Tok::ParenClose {
            items.push(self.expr()?);
        }
        self.expect(Tok::ParenClose)?;
        let heights: Vec<u32> = items.iter().map(|p| p.height).collect();
        let span = self.since(start);
        self.node(ExprKind::Choose(items), span, heights)
    }
}
