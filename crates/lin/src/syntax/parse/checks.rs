//! Checks and their settings.

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{
    Behaviour, Check, Expectation, Given, Name, Role, Setting, SettingKind, Values,
};
use crate::syntax::codes;
use crate::syntax::token::Tok;
use linchpin_text::Diagnostic;
use linchpin_text::did_you_mean;

/// The settings of a check.
pub(in crate::syntax) const SETTINGS: [&str; 6] =
    ["threads", "ops", "values", "heap", "expect", "role"];

impl<'a> Parser<'a, '_> {
    pub(super) fn check(&mut self) -> Parsed<Check<'a>> {
        let start = self.bump().span;
        let mut object = self.name("the name of a check or of an object")?;
        let mut name = None;
        if self.eat(Tok::Colon) {
            name = Some(object);
            object = self.name("the name of an object")?;
        }
        let params = match self.peek() {
            Tok::ParenOpen => self.list(Tok::ParenOpen, Tok::ParenClose, Self::given)?,
            _ => Vec::new(),
        };
        if !self.at_word("against") {
            return Err(self.expected("`against`"));
        }
        self.bump();
        let spec = self.name("the name of a specification")?;
        let span = self.since(start);
        let conditions = self.conditions()?;
        // After conditions the settings may have a line of their own.
        let settings =
            if self.peek() == Tok::BraceOpen && (!conditions.is_empty() || !self.on_new_line()) {
                self.continued();
                self.list(Tok::BraceOpen, Tok::BraceClose, Self::setting)?
            } else {
                Vec::new()
            };
        let whole = self.since(start);
        Ok(Check { name, object, params, spec, conditions, settings, span, whole })
    }

    /// `name = value`
    fn given(&mut self) -> Parsed<Given<'a>> {
        let name = self.name("the name of a parameter")?;
        self.expect(Tok::Assign)?;
        let value = &self.text[self.expr()?.span.range()];
        Ok(Given { name, value })
    }

    fn setting(&mut self) -> Parsed<Setting<'a>> {
        let word = Name { text: self.word(), span: self.span() };
        let kind = match word.text {
            "threads" => {
                self.bump();
                self.needless_sign();
                SettingKind::Threads(self.expr()?)
            }
            "ops" => {
                self.bump();
                self.needless_sign();
                SettingKind::Ops(self.ops_count()?)
            }
            "heap" => {
                self.bump();
                self.needless_sign();
                SettingKind::Heap(self.expr()?)
            }
            "expect" => {
                self.bump();
                SettingKind::Expect(self.expectation()?)
            }
            "values" => {
                self.bump();
                self.values()?
            }
            "role" => {
                self.bump();
                SettingKind::Role(self.role()?)
            }
            _ => {
                if self.peek() != Tok::Ident {
                    return Err(self.expected("a setting"));
                }
                let text = format!("there is no setting `{}`", word.text);
                let mut d = Diagnostic::error(codes::UNKNOWN_SETTING, word.span, text);
                d.help = did_you_mean(word.text, SETTINGS).map_or_else(
                    || {
                        Some(format!(
                            "the settings are {}",
                            SETTINGS.map(|s| format!("`{s}`")).join(", ")
                        ))
                    },
                    |near| Some(format!("did you mean `{near}`?")),
                );
                if let Some(near) = did_you_mean(word.text, SETTINGS) {
                    d = d.edit(word.span, near);
                }
                self.sink.push(d);
                return Err(Failed);
            }
        };
        Ok(Setting { word: Name { span: self.since(word.span), ..word }, kind })
    }

    /// What follows `expect`.
    pub(super) fn expectation(&mut self) -> Parsed<Expectation<'a>> {
        let what = self.name("`holds`, `violated`, `deadlock` or `fault KIND`")?;
        let kind = if self.peek() == Tok::Ident && !self.on_new_line() {
            Some(self.name("a kind of fault")?)
        } else {
            None
        };
        Ok(Expectation { what, kind })
    }

    /// `n` or `unbounded`
    fn ops_count(&mut self) -> Parsed<Option<crate::syntax::ast::Expr<'a>>> {
        if self.at_word("unbounded") {
            self.bump();
            return Ok(None);
        }
        // The operations of a role may follow in braces.
        let head = std::mem::replace(&mut self.head, true);
        let result = self.expr();
        self.head = head;
        result.map(Some)
    }

    fn values(&mut self) -> Parsed<SettingKind<'a>> {
        let first = self.name("a `data` type or `operation.parameter`")?;
        if self.eat(Tok::Dot) {
            let param = self.name("the name of a parameter")?;
            self.expect(Tok::Colon)?;
            let values = if self.peek() == Tok::BraceOpen {
                Values::List(self.set_literal()?)
            } else {
                let lo = self.expr()?;
                if matches!(self.peek(), Tok::DotDot | Tok::DotDotEq) {
                    Values::Range(self.range_from(lo)?)
                } else {
                    Values::List(vec![lo])
                }
            };
            return Ok(SettingKind::Values(first, param, values));
        }
        self.expect(Tok::Colon)?;
        if self.at_word("fresh") {
            self.bump();
            return Ok(SettingKind::Data(first, None));
        }
        Ok(SettingKind::Data(first, Some(self.expr()?)))
    }

    fn role(&mut self) -> Parsed<Role<'a>> {
        let start = self.span();
        let name = self.name("the name of a role")?;
        self.expect(Tok::ParenOpen)?;
        let threads = self.expr()?;
        self.expect(Tok::ParenClose)?;
        if self.at_word("script") {
            self.bump();
            self.script = true;
            let block = self.block();
            self.script = false;
            let behaviour = Behaviour::Script(block?);
            return Ok(Role { name, threads, behaviour, whole: self.since(start) });
        }
        let mut count = None;
        if self.at_word("ops") {
            self.bump();
            count = Some(self.ops_count()?);
        }
        let op = |p: &mut Self| p.name("the name of an operation");
        let ops = self.list(Tok::BraceOpen, Tok::BraceClose, op)?;
        let behaviour = Behaviour::General { ops, count };
        Ok(Role { name, threads, behaviour, whole: self.since(start) })
    }
}
