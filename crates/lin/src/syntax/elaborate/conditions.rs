//! What a check asks for: its conditions, and the groups of `quasi`.

use std::collections::HashMap;

use crate::program::{
    Against, Condition, Expect, Memory, QuasiGroup, QuasiResult, Stmt, StmtKind, Temporal,
    ThreadFairness, Type,
};
use crate::{Span, walk};
use linchpin_formula::{Formula, ParseError, Precedence, parse};

use super::types::show;
use super::units::{Sig, Sigs, out_of_range};
use super::{Elab, codes};
use crate::syntax::ast::{self, ConditionKind, MemberResult};
use linchpin_text::Diagnostic;

/// What a name in a formula stands for: `call`, `return.push`, `T1.call`, `T2.return.pop`.
fn happening(name: &str, is_op: &dyn Fn(&str) -> bool, threads: u32) -> Result<Formula, String> {
    let mut parts: Vec<&str> = name.split('.').collect();
    let number = parts[0].strip_prefix('T').and_then(|n| n.parse::<u32>().ok());
    if let Some(number) = number {
        if number == 0 || number > threads {
            return Err(format!("there is no thread `T{number}`: they are `T1` to `T{threads}`"));
        }
        parts.remove(0);
    }
    match parts.as_slice() {
        ["call" | "return"] => Ok(Formula::event(name)),
        ["call" | "return", op] if is_op(op) => Ok(Formula::event(name)),
        ["call" | "return", op] => Err(format!("there is no operation `{op}`")),
        _ => Err(format!(
            "`{name}` is no event: those are `call`, `return`, `call.op`, `T1.return.op` and so on"
        )),
    }
}

/// The greatest factor of a group.
const MAX_FACTOR: i32 = 64;

/// A condition of a check.
pub(super) struct Asked {
    pub(super) condition: Condition,
    /// What is expected of this one in particular.
    pub(super) expect: Option<Expect>,
    /// What distinguishes its name from those of the other conditions of the check.
    suffix: String,
}

impl Asked {
    /// The name of the check with this condition.
    pub(super) fn name(&self, check: &str) -> String {
        format!("{check}{}", self.suffix)
    }
}

impl<'a> Elab<'a> {
    /// The conditions of a check, in order; at least one.
    pub(super) fn conditions(
        &mut self,
        check: &'a ast::Check<'a>,
        object: &Sigs<'a>,
        against: Against,
        threads: u32,
    ) -> Vec<Asked> {
        if check.conditions.is_empty() {
            let condition = Condition::Linearizable;
            return vec![Asked { condition, expect: None, suffix: String::new() }];
        }
        let several = check.conditions.len() > 1;
        let mut asked = Vec::new();
        let mut first: HashMap<&str, Span> = HashMap::new();
        let (mut quasi, mut formulas) = (0, 0);
        for c in &check.conditions {
            let condition = match &c.kind {
                ConditionKind::Linearizable => Condition::Linearizable,
                ConditionKind::Points => Condition::Points,
                ConditionKind::Sequential => Condition::Sequential,
                ConditionKind::Quiescent => Condition::Quiescent,
                ConditionKind::Strong => Condition::Strong,
                ConditionKind::SetLinearizable => Condition::SetLinearizable,
                ConditionKind::IntervalLinearizable => Condition::IntervalLinearizable,
                ConditionKind::LockFree => Condition::LockFree,
                ConditionKind::WaitFree => Condition::WaitFree,
                ConditionKind::ObstructionFree => Condition::ObstructionFree,
                ConditionKind::LeakFree => Condition::LeakFree,
                ConditionKind::Ltl { fairness, formula } => {
                    match self.temporal(*fairness, *formula, object, threads) {
                        Some(temporal) => Condition::Ltl(temporal.into()),
                        None => continue,
                    }
                }
                ConditionKind::Quasi(groups) => Condition::Quasi(self.groups(groups, object)),
            };
            let mut suffix = format!("/{}", condition.name());
            if let Condition::Quasi(_) = condition {
                quasi += 1;
                if quasi > 1 {
                    suffix += &format!("-{quasi}");
                }
            } else if let Condition::Ltl(_) = condition {
                formulas += 1;
                if formulas > 1 {
                    suffix += &format!("-{formulas}");
                }
            } else if let Some(span) = first.insert(c.word.text, c.word.span) {
                let text = format!("the condition `{}` is asked for twice", c.word.text);
                let d = Diagnostic::error(codes::DUPLICATE, c.word.span, text);
                self.sink.push(d.also(span, "first asked for here"));
            }
            if condition == Condition::Points && !self.has_points(object) {
                let text = "no operation of the object has a `point`";
                let d = Diagnostic::warning(codes::NO_POINTS, c.word.span, text);
                let d = d.note("an operation that returns must have passed a `point`");
                self.sink.push(d.help("`linchpin points` looks for points"));
            }
            if condition == Condition::LeakFree && self.is_collected(object) {
                let text = "`leak_free` means nothing under `memory gc`";
                let d = Diagnostic::error(codes::SETTING, c.word.span, text);
                let d = d.note("a record that nobody can reach vanishes there");
                self.sink.push(d.help("say `memory manual` or `memory stable` in the object"));
            }
            if condition.has_halves() {
                self.check_halves(c.word, against);
            }
            if !several {
                suffix.clear();
            }
            let expect = c.expect.and_then(|e| self.expect(e));
            asked.push(Asked { condition, expect, suffix });
        }
        asked
    }

    /// Operations take effect together, or in two moments, if the specification says where they meet.
    fn check_halves(&mut self, word: ast::Name<'a>, against: Against) {
        let Against::Spec(spec) = against else {
            let text = format!("`{}` needs a specification that says `meet`", word.text);
            let d = Diagnostic::error(codes::SETTING, word.span, text);
            let note = "against itself, operations take effect one after the other";
            self.sink.push(d.note(note));
            return;
        };
        let Some(spec) = self.program.specs.get(spec.index()) else { return };
        if spec.unit.ops.iter().all(|op| spec.unit.procs[op.index()].meet.is_none()) {
            let text = "no operation of the specification says `meet`";
            let d = Diagnostic::warning(codes::NO_MEET, word.span, text);
            let note = format!("then `{}` means the same as `linearizable`", word.text);
            self.sink.push(d.note(note));
        }
    }

    /// Are records of an object collected?
    fn is_collected(&self, object: &Sigs<'a>) -> bool {
        let object = self.program.objects.get(object.index as usize);
        object.is_some_and(|object| object.memory == Memory::Collected)
    }

    /// Does the code of an object mark a point anywhere? (Also if it is wrong, and not there.)
    fn has_points(&self, object: &Sigs<'a>) -> bool {
        let Some(object) = self.program.objects.get(object.index as usize) else { return true };
        let mut found = false;
        for proc in &object.unit.procs {
            let mut note = |stmt: &Stmt| found |= matches!(stmt.kind, StmtKind::Point(_));
            walk::visit(&proc.body, &mut |_| {}, &mut note);
        }
        found
    }

    /// A formula about calls and returns.
    fn temporal(
        &mut self,
        fairness: Option<ast::Name<'a>>,
        quoted: ast::Name<'a>,
        object: &Sigs<'a>,
        threads: u32,
    ) -> Option<Temporal> {
        let text = quoted.text.trim_matches('"');
        let from = quoted.span.start as usize + 1;
        let is_op = |name: &str| object.procs.iter().any(|p| p.op && p.name.text == name);
        let mut resolve = |name: &str| happening(name, &is_op, threads);
        match parse(text, Precedence::Usual, &mut resolve) {
            Ok(formula) if formula.has_next() => {
                let text = "`X` has no place in a formula about an object";
                let d = Diagnostic::error(codes::FORMULA, quoted.span, text);
                let help = "what the next step is depends on how execution is divided into steps";
                self.sink.push(d.help(help));
                None
            }
            Ok(formula) => {
                let fairness = match fairness.map(|f| f.text) {
                    None => ThreadFairness::None,
                    Some("weak") => ThreadFairness::Weak,
                    Some(_) => ThreadFairness::Strong,
                };
                Some(Temporal { text: text.to_string(), formula, fairness })
            }
            Err(ParseError { message, at }) => {
                let span = Span::new(from + at.0 as usize, from + at.1 as usize);
                self.error(codes::FORMULA, span, message);
                None
            }
        }
    }

    fn groups(&mut self, groups: &'a [ast::Group<'a>], object: &Sigs<'a>) -> Vec<QuasiGroup> {
        let mut seen = HashMap::new();
        let mut out = Vec::new();
        for group in groups {
            let mut members = Vec::new();
            for member in &group.members {
                let Some(proc) = self.op_named(member.op, object) else {
                    continue;
                };
                let sig = &object.procs[proc];
                let Some(result) = self.member_result(member, sig, object) else {
                    continue;
                };
                // `some` and a value have keys of their own.
                let key = match &result {
                    QuasiResult::Any => (proc, 0, None),
                    QuasiResult::Some => (proc, 1, None),
                    QuasiResult::Is(value) => (proc, 2, Some(value.clone())),
                };
                if let Some(first) = seen.insert(key, member.span) {
                    let text = "this is in a group already";
                    let d = Diagnostic::error(codes::DUPLICATE, member.span, text);
                    self.sink.push(d.also(first, "first listed here"));
                }
                members.push((sig.op_id, result));
            }
            let factor = self.number_in(&group.factor, 0, MAX_FACTOR, "the factor of a group");
            out.push(QuasiGroup { members, factor: factor.unwrap_or(0) });
        }
        out
    }

    /// Which results of the operation are meant.
    fn member_result(
        &mut self,
        member: &'a ast::Member<'a>,
        sig: &Sig<'a>,
        object: &Sigs<'a>,
    ) -> Option<QuasiResult> {
        let (literal, span) = match &member.result {
            MemberResult::Any => return Some(QuasiResult::Any),
            MemberResult::Some => (None, member.span),
            MemberResult::Is(e) => (Some(e), e.span),
        };
        let ty = sig.result.as_ref()?;
        let optional = match literal.map(|e| &e.kind) {
            None => Some("some"),
            Some(ast::ExprKind::Empty) => Some("empty"),
            Some(_) => None,
        };
        let op = member.op.text;
        let text = match (ty, optional) {
            (Type::Unit, _) => Some(format!("`{op}` returns nothing")),
            (Type::Option(_), _) | (_, None) => None,
            (ty, Some(word)) => {
                let shown = show(ty, &self.program);
                Some(format!("`{word}` is for options; `{op}` returns `{shown}`"))
            }
        };
        if let Some(text) = text {
            let d = Diagnostic::error(codes::RESULT, span, text).also(sig.span, "the operation");
            self.sink.push(d.help(format!("`{op}` alone stands for all its results")));
            return None;
        }
        let Some(e) = literal else {
            return Some(QuasiResult::Some);
        };
        let (value, _) = self.constant_expr(e, Some(ty), object.scope)?;
        if let Some((n, lo, hi)) = out_of_range(&value, ty, &self.program) {
            let text = format!("{n} is outside of the range {lo}..={hi} of the result");
            self.error(codes::RANGE, e.span, text);
            return None;
        }
        Some(QuasiResult::Is(value))
    }
}
