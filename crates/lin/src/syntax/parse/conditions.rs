//! The conditions of a check: `quiescent expect holds, linearizable`, `quasi { deq: 2 }`,
//! `ltl "[] <> return"`.

use super::{Failed, Parsed, Parser};
use crate::syntax::ast::{Condition, ConditionKind, Group, Member, MemberResult, Name};
use crate::syntax::codes;
use crate::syntax::token::{Meaning, Tok};
use linchpin_text::Diagnostic;
use linchpin_text::did_you_mean;

/// The conditions a check can ask for.
pub(in crate::syntax) const CONDITIONS: [&str; 13] = [
    "linearizable",
    "points",
    "quasi",
    "sequential",
    "quiescent",
    "strong",
    "set_linearizable",
    "interval_linearizable",
    "lock_free",
    "wait_free",
    "obstruction_free",
    "leak_free",
    "ltl",
];

impl<'a> Parser<'a, '_> {
    /// Conditions, separated by commas or line ends, until something else comes.
    pub(super) fn conditions(&mut self) -> Parsed<Vec<Condition<'a>>> {
        let mut found = Vec::new();
        while self.at_condition() {
            found.push(self.condition()?);
            while self.peek() == Tok::Comma {
                self.continued();
                self.bump();
                found.push(self.condition()?);
            }
        }
        Ok(found)
    }

    /// Notes, if the current token begins a line, that the line belongs to the check before.
    pub(super) fn continued(&mut self) {
        if self.on_new_line() {
            self.means(Meaning::Continues);
        }
    }

    /// On the line of the check a word can be nothing else; a line of its own begins with a word
    /// that is a condition, or at least looks like one and not like a declaration.
    fn at_condition(&self) -> bool {
        if self.peek() != Tok::Ident {
            return false;
        }
        let word = self.word();
        let declares = super::statements::DECLARATIONS;
        !self.on_new_line()
            || CONDITIONS.contains(&word)
            || !declares.contains(&word)
                && did_you_mean(word, CONDITIONS).is_some()
                && did_you_mean(word, declares).is_none()
    }

    fn condition(&mut self) -> Parsed<Condition<'a>> {
        if self.peek() != Tok::Ident {
            return Err(self.expected("a condition"));
        }
        self.continued();
        let word = Name { text: self.word(), span: self.span() };
        let kind = match word.text {
            "linearizable" => ConditionKind::Linearizable,
            "points" => ConditionKind::Points,
            "quasi" => ConditionKind::Quasi(Vec::new()),
            "sequential" => ConditionKind::Sequential,
            "quiescent" => ConditionKind::Quiescent,
            "strong" => ConditionKind::Strong,
            "set_linearizable" => ConditionKind::SetLinearizable,
            "interval_linearizable" => ConditionKind::IntervalLinearizable,
            "lock_free" => ConditionKind::LockFree,
            "wait_free" => ConditionKind::WaitFree,
            "obstruction_free" => ConditionKind::ObstructionFree,
            "leak_free" => ConditionKind::LeakFree,
            "ltl" => {
                self.bump();
                return self.temporal(word);
            }
            _ => return Err(self.unknown_condition(word)),
        };
        self.bump();
        let kind = match kind {
            ConditionKind::Quasi(_) => ConditionKind::Quasi(self.groups()?),
            kind => kind,
        };
        self.with_expectation(word, kind)
    }

    /// `weak "[]<> return"`, after `ltl`.
    fn temporal(&mut self, word: Name<'a>) -> Parsed<Condition<'a>> {
        let mut fairness = None;
        if self.at_word("weak") || self.at_word("strong") {
            fairness = Some(Name { text: self.word(), span: self.span() });
            self.bump();
        }
        if self.peek() != Tok::Text {
            return Err(self.expected("a formula in quotation marks"));
        }
        let formula = Name { text: self.word(), span: self.span() };
        self.bump();
        self.with_expectation(word, ConditionKind::Ltl { fairness, formula })
    }

    fn with_expectation(
        &mut self,
        word: Name<'a>,
        kind: ConditionKind<'a>,
    ) -> Parsed<Condition<'a>> {
        let mut expect = None;
        if self.at_word("expect") {
            self.continued();
            self.bump();
            expect = Some(self.expectation()?);
        }
        Ok(Condition { word, kind, expect })
    }

    fn unknown_condition(&mut self, word: Name<'a>) -> Failed {
        let text = format!("there is no condition `{}`", word.text);
        let d = Diagnostic::error(codes::UNKNOWN_CONDITION, word.span, text);
        let d = match did_you_mean(word.text, CONDITIONS) {
            Some(near) => d.help(format!("did you mean `{near}`?")).edit(word.span, near),
            None if word.text == "expect" => d.help(
                "`expect` follows a condition (`linearizable expect holds`) or stands in the braces",
            ),
            None => {
                let all = CONDITIONS.map(|c| format!("`{c}`")).join(", ");
                d.help(format!("the conditions are {all}"))
            }
        };
        self.sink.push(d);
        Failed
    }

    /// `{ enq: 0, deq -> some + peek: 2 }`
    fn groups(&mut self) -> Parsed<Vec<Group<'a>>> {
        if self.peek() != Tok::BraceOpen {
            return Err(self.expected("the groups of `quasi`, such as `{ deq: 2 }`"));
        }
        self.means(Meaning::Groups);
        self.list(Tok::BraceOpen, Tok::BraceClose, Self::group)
    }

    fn group(&mut self) -> Parsed<Group<'a>> {
        let mut members = vec![self.member_of_group()?];
        while self.eat(Tok::Plus) {
            members.push(self.member_of_group()?);
        }
        self.expect(Tok::Colon)?;
        Ok(Group { members, factor: self.expr()? })
    }

    fn member_of_group(&mut self) -> Parsed<Member<'a>> {
        let op = self.name("the name of an operation")?;
        let result = if !self.eat(Tok::Arrow) {
            MemberResult::Any
        } else if self.at_word("some") && matches!(self.peek_at(1).tok, Tok::Plus | Tok::Colon) {
            self.bump();
            MemberResult::Some
        } else {
            MemberResult::Is(self.enter(Self::operand)?)
        };
        Ok(Member { op, result, span: self.since(op.span) })
    }
}
