//! Types as written.

use crate::Span;

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{Expr, MAX_DEPTH, Range, TypeExpr, TypeKind};
use crate::syntax::codes;
use crate::syntax::token::{Meaning, Tok};
use linchpin_text::Diagnostic;

impl<'a> Parser<'a, '_> {
    pub(super) fn ty(&mut self) -> Parsed<TypeExpr<'a>> {
        self.enter(|p| {
            let start = p.span();
            let mut ty = p.plain_type()?;
            while p.peek() == Tok::Question && !p.on_new_line() {
                p.means(Meaning::Optional);
                p.bump();
                let (span, height) = (p.since(start), ty.height);
                ty = p.type_node(TypeKind::Option(Box::new(ty)), span, height)?;
            }
            Ok(ty)
        })
    }

    fn type_node(&mut self, kind: TypeKind<'a>, span: Span, below: u32) -> Parsed<TypeExpr<'a>> {
        if below >= MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(TypeExpr { kind, span, height: below + 1 })
    }

    fn plain_type(&mut self) -> Parsed<TypeExpr<'a>> {
        self.needless_type_prefix();
        let start = self.span();
        match self.peek() {
            Tok::Int | Tok::Minus => self.range_type(),
            Tok::Ident if self.arithmetic_follows() => self.range_type(),
            Tok::Ident if self.peek_at(1).tok == Tok::Less => {
                let name = self.name("the name of a type")?;
                self.means(Meaning::Angle);
                self.bump();
                let mut args = vec![self.ty()?];
                while self.eat(Tok::Comma) {
                    args.push(self.ty()?);
                }
                self.means(Meaning::Angle);
                if self.peek() == Tok::GreaterEq {
                    let span = self.span();
                    let text = "`>=` is one sign; put a space between `>` and `=`";
                    let d = Diagnostic::error(codes::EXPECTED, span, text).edit(span, "> =");
                    self.sink.push(d);
                    return Err(Failed);
                }
                self.expect(Tok::Greater)?;
                let below = args.iter().map(|a| a.height).max().unwrap_or(0);
                let span = self.since(start);
                self.type_node(TypeKind::Generic(name, args), span, below)
            }
            Tok::Ident => {
                let name = self.name("the name of a type")?;
                self.type_node(TypeKind::Name(name), name.span, 0)
            }
            Tok::ParenOpen => {
                let mut parts = self.list(Tok::ParenOpen, Tok::ParenClose, Self::ty)?;
                let span = self.since(start);
                if parts.len() == 1 {
                    return parts.pop().map(|t| TypeExpr { span, ..t }).ok_or(Failed);
                }
                let below = parts.iter().map(|a| a.height).max().unwrap_or(0);
                self.type_node(TypeKind::Tuple(parts), span, below)
            }
            Tok::SquareOpen => {
                self.bump();
                let element = self.ty()?;
                self.expect(Tok::Semicolon)?;
                if self.eat(Tok::DotDot) {
                    self.expect(Tok::SquareClose)?;
                    let (span, below) = (self.since(start), element.height);
                    return self.type_node(TypeKind::Endless(Box::new(element)), span, below);
                }
                let size = self.expr()?;
                self.expect(Tok::SquareClose)?;
                let (span, below) = (self.since(start), element.height);
                self.type_node(TypeKind::Array(Box::new(element), Box::new(size)), span, below)
            }
            _ => Err(self.expected("a type")),
        }
    }

    /// Is the name under the cursor part of a bound (`N..=M`, `N - 1..M`) and not a type?
    fn arithmetic_follows(&self) -> bool {
        use Tok::*;
        let next = self.peek_at(1);
        matches!(next.tok, DotDot | DotDotEq | Plus | Star | Slash | Percent)
            || next.tok == Minus && !next.line
    }

    fn range_type(&mut self) -> Parsed<TypeExpr<'a>> {
        let start = self.span();
        let lo = self.sum()?;
        let range = self.range_from(lo)?;
        let span = self.since(start);
        self.type_node(TypeKind::Range(range), span, 0)
    }

    /// `..hi` or `..=hi` after its lower bound.
    pub(super) fn range_from(&mut self, lo: Expr<'a>) -> Parsed<Range<'a>> {
        let inclusive = self.peek() == Tok::DotDotEq;
        if !inclusive && self.peek() != Tok::DotDot {
            return Err(self.expected("`..` or `..=`"));
        }
        self.bump();
        let hi = self.sum()?;
        Ok(Range { lo: Box::new(lo), hi: Box::new(hi), inclusive })
    }
}
