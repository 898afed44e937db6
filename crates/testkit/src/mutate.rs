//! Small damages to the code of an object, to see whether the checks notice.
//!
//! Mutation testing (DeMillo, Lipton, Sayward, Computer 1978), with mutations that concurrent code
//! is prone to: a compare-and-swap that does not compare, or compares and swaps in two steps; a
//! forgotten lock; two accesses in the other order; a validation that is taken for granted. A
//! *mutant* that every check accepts is either equivalent to the original, or beyond the bounds of
//! the checks, or a wrong verdict, which is what we look for.
//!
//! Mutations are edits of the text at places the typed program points to, so that every mutant can
//! be read, saved and checked again. Some do not load (a variable is used before its `let`); the
//! caller leaves them out.

pub mod survivors;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use linchpin_lin::Span;
use linchpin_lin::line_column;
use linchpin_lin::program::{
    BinOp, Block, Expr, ExprKind, Primitive, Proc, Program, Stmt, StmtKind,
};
use linchpin_lin::{Value, walk};

/// A damaged model.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What was done.
    pub mutation: Mutation,
    /// The line it was done in, from 1.
    pub line: usize,
    /// The code before and after, on one line.
    pub change: (String, String),
    /// What was done to which code, in words: names the mutant among those of its file, and goes on
    /// doing so when lines move.
    pub key: String,
    /// The whole text.
    pub text: String,
}

/// A kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutation {
    /// `cas`, `sc` and one half of `dcas` write whatever they find.
    NoComparison,
    /// `cas`, `swap` and `fetch_add` in two steps.
    NotAtomic,
    /// `atomic { }` without `atomic`.
    NoAtomicBlock,
    /// A `lock`, `try_lock` or `unlock` left out.
    NoLock,
    /// Two neighbouring statements that both touch shared memory change places.
    Swapped,
    /// A condition that is always true.
    AlwaysTrue,
    /// A condition that is always false.
    AlwaysFalse,
    /// A condition turned round.
    Negated,
    /// `a && b` or `a || b` without one of its sides.
    OneSide,
    /// A statement left out.
    Deleted,
    /// A number one larger or one smaller, the other truth value.
    OtherConstant,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 11] = [
        Mutation::NoComparison,
        Mutation::NotAtomic,
        Mutation::NoAtomicBlock,
        Mutation::NoLock,
        Mutation::Swapped,
        Mutation::AlwaysTrue,
        Mutation::AlwaysFalse,
        Mutation::Negated,
        Mutation::OneSide,
        Mutation::Deleted,
        Mutation::OtherConstant,
    ];
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mutation::NoComparison => "no comparison",
            Mutation::NotAtomic => "two steps",
            Mutation::NoAtomicBlock => "no atomic block",
            Mutation::NoLock => "no lock",
            Mutation::Swapped => "swapped",
            Mutation::AlwaysTrue => "always true",
            Mutation::AlwaysFalse => "always false",
            Mutation::Negated => "negated",
            Mutation::OneSide => "one side",
            Mutation::Deleted => "deleted",
            Mutation::OtherConstant => "other constant",
        })
    }
}

/// All mutants of the objects of a program, each text once, in the order of the text.
pub fn mutants(text: &str, program: &Program) -> Vec<Mutant> {
    let mut mutator = Mutator { text, found: Vec::new() };
    for object in &program.objects {
        // What is in another file is damaged there.
        let here = |proc: &&Proc| (proc.span.end as usize) <= text.len();
        for proc in object.unit.procs.iter().chain(&object.unit.init).filter(here) {
            mutator.block(&proc.body);
            walk::visit_block(&proc.body, &mut |e| mutator.expression(e));
        }
    }
    let mut seen = BTreeSet::from([text.to_string()]);
    let mut edits = mutator.found;
    edits.sort_by_key(|e| (e.span.start, e.mutation));
    let mut mutants = Vec::new();
    let mut keys: BTreeMap<String, usize> = BTreeMap::new();
    for Edit { mutation, span, replacement } in edits {
        let (start, end) = (span.start as usize, span.end as usize);
        let mutated = format!("{}{replacement}{}", &text[..start], &text[end..]);
        if seen.insert(mutated.clone()) {
            let change = change(text, start..end, &replacement);
            let mut key = key(mutation, &change);
            let times = keys.entry(key.clone()).or_default();
            *times += 1;
            if *times > 1 {
                key += &format!(" ({times})");
            }
            mutants.push(Mutant {
                mutation,
                line: line_column(text, span.start).0,
                change,
                key,
                text: mutated,
            });
        }
    }
    mutants
}

/// What is replaced and by what, with the rest of the line; a statement that is left out, alone.
fn change(text: &str, range: Range<usize>, replacement: &str) -> (String, String) {
    let before = &text[range.clone()];
    if replacement.is_empty() || before.contains('\n') {
        return (one_line(before), one_line(replacement));
    }
    let start = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |i| range.end + i);
    let (head, tail) = (&text[start..range.start], &text[range.end..end]);
    (one_line(&text[start..end]), one_line(&format!("{head}{replacement}{tail}")))
}

/// A mutation and the code before and after it, shortened.
fn key(mutation: Mutation, (before, after): &(String, String)) -> String {
    let shorten = |text: &str| match text.char_indices().nth(130) {
        Some((end, _)) => format!("`{} ...`", &text[..end]),
        None if text.is_empty() => "nothing".to_string(),
        None => format!("`{text}`"),
    };
    format!("{mutation}: {} -> {}", shorten(before), shorten(after))
}

fn one_line(text: &str) -> String {
    let code = text.lines().map(|l| l.split("//").next().unwrap_or(""));
    code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

struct Edit {
    mutation: Mutation,
    span: Span,
    replacement: String,
}

struct Mutator<'t> {
    text: &'t str,
    found: Vec<Edit>,
}

impl<'t> Mutator<'t> {
    fn add(&mut self, mutation: Mutation, span: Span, replacement: impl Into<String>) {
        // Code that the front end made up (the counter of a `for`) has the span of its origin.
        if span.start < span.end && self.text.get(span.start as usize..span.end as usize).is_some()
        {
            self.found.push(Edit { mutation, span, replacement: replacement.into() });
        }
    }

    fn of(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.statement(stmt);
        }
        for pair in block.windows(2) {
            let (first, second) = (self.extent(&pair[0]), self.extent(&pair[1]));
            if touches_memory(&pair[0]) && touches_memory(&pair[1]) && first.end <= second.start {
                let between = self.of(Span { start: first.end, end: second.start });
                let swapped = format!("{}{between}{}", self.of(second), self.of(first));
                let both = Span { start: first.start, end: second.end };
                self.add(Mutation::Swapped, both, swapped);
            }
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        let extent = self.extent(stmt);
        let deletion = match stmt.kind {
            StmtKind::Lock(_) | StmtKind::Unlock(_) => Mutation::NoLock,
            _ => Mutation::Deleted,
        };
        self.add(deletion, extent, "");
        match &stmt.kind {
            StmtKind::Assign { value, .. } => self.split(stmt.span, Some(value)),
            StmtKind::Expr(value) => self.split(stmt.span, Some(value)),
            StmtKind::If { cond, then, els } => {
                self.condition(cond);
                self.block(then);
                self.block(els);
            }
            StmtKind::Loop { cond, body, .. } => {
                cond.iter().for_each(|c| self.condition(c));
                self.block(body);
            }
            StmtKind::Await(cond) | StmtKind::Assume(cond) | StmtKind::Assert(cond) => {
                self.condition(cond);
            }
            StmtKind::Atomic(body) => {
                let word = Span { start: stmt.span.start, end: stmt.span.start + 6 };
                if self.of(word) == "atomic" {
                    self.add(Mutation::NoAtomicBlock, word, "if true");
                }
                self.block(body);
            }
            StmtKind::Either(blocks) => blocks.iter().for_each(|b| self.block(b)),
            StmtKind::Return(value) => self.split(stmt.span, value.as_ref()),
            StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Free(_)
            | StmtKind::Lock(_)
            | StmtKind::Unlock(_)
            | StmtKind::Point(_) => {}
        }
    }

    /// A statement whose value is a primitive, in two steps.
    fn split(&mut self, statement: Span, value: Option<&Expr>) {
        let Some(Expr { kind: ExprKind::Atomic(primitive, place, operands), span, .. }) = value
        else {
            return;
        };
        let [operand, ..] = operands.as_slice() else { return };
        let (place, operand) = (self.of(place.span), self.of(operand.span));
        let head = self.of(Span { start: statement.start, end: span.start.max(statement.start) });
        let name = head.trim_start_matches("let ").split([' ', ':', '=']).next().unwrap_or("");
        let text = match (primitive, head) {
            (Primitive::Swap, "") => format!("{place} = {operand}"),
            (Primitive::Fetch(op), "") => format!("{place} = {place} {} {operand}", op.sign()),
            (Primitive::Swap, "return ") => {
                format!("let before = {place}; {place} = {operand}; return before")
            }
            (Primitive::Fetch(op), "return ") => {
                let sign = op.sign();
                format!("let before = {place}; {place} = before {sign} {operand}; return before")
            }
            (Primitive::Swap, _) => format!("{head}{place}; {place} = {operand}"),
            (Primitive::Fetch(op), _) => {
                format!("{head}{place}; {place} = {name} {} {operand}", op.sign())
            }
            _ => return,
        };
        self.add(Mutation::NotAtomic, statement, text);
    }

    fn condition(&mut self, cond: &Expr) {
        self.add(Mutation::AlwaysTrue, cond.span, "true");
        self.add(Mutation::AlwaysFalse, cond.span, "false");
        self.add(Mutation::Negated, cond.span, format!("!({})", self.of(cond.span)));
    }

    fn expression(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Atomic(Primitive::Cas, place, operands) => {
                let [old, new] = operands.as_slice() else { return };
                let [p, old, new] = [place, old, new].map(|x| self.of(x.span));
                let write = format!("(swap({p}, {new}) == {old} || true)");
                self.add(Mutation::NotAtomic, e.span, format!("({p} == {old} && {write})"));
                self.add(Mutation::NoComparison, e.span, write);
            }
            ExprKind::Atomic(Primitive::StoreConditional, place, operands) => {
                let [new] = operands.as_slice() else { return };
                let [p, new] = [&**place, new].map(|x| self.of(x.span));
                self.add(
                    Mutation::NoComparison,
                    e.span,
                    format!("(swap({p}, {new}) == {new} || true)"),
                );
            }
            ExprKind::Atomic(Primitive::Validate, ..) => {
                self.add(Mutation::NoComparison, e.span, "true");
            }
            ExprKind::Atomic(Primitive::TryLock, ..) => self.add(Mutation::NoLock, e.span, "true"),
            ExprKind::Dcas { places, old, new } => {
                for i in 0..2 {
                    // Expects what it finds; writes back what it expects.
                    self.add(Mutation::NoComparison, old[i].span, self.of(places[i].span));
                    self.add(Mutation::Deleted, new[i].span, self.of(old[i].span));
                }
            }
            ExprKind::Binary(BinOp::And | BinOp::Or, a, b) => {
                self.add(Mutation::OneSide, e.span, self.of(a.span));
                self.add(Mutation::OneSide, e.span, self.of(b.span));
            }
            ExprKind::Binary(BinOp::Eq | BinOp::Ne, ..) => {
                self.add(Mutation::AlwaysTrue, e.span, "true");
            }
            ExprKind::Const(Value::Int(_)) => {
                if let Ok(n) = self.of(e.span).parse::<i32>() {
                    self.add(Mutation::OtherConstant, e.span, n.wrapping_add(1).to_string());
                    self.add(Mutation::OtherConstant, e.span, format!("({n} - 1)"));
                }
            }
            ExprKind::Const(Value::Bool(b)) if self.of(e.span) == b.to_string() => {
                self.add(Mutation::OtherConstant, e.span, (!b).to_string());
            }
            _ => {}
        }
    }

    /// The text of a statement with all its blocks.
    fn extent(&self, stmt: &Stmt) -> Span {
        let compound = matches!(
            stmt.kind,
            StmtKind::If { .. } | StmtKind::Loop { .. } | StmtKind::Atomic(_) | StmtKind::Either(_)
        );
        let mut end = stmt.span.end as usize;
        while compound && let Some(next) = self.after_block(end) {
            end = next;
        }
        Span { start: stmt.span.start, end: end as u32 }
    }

    /// Where the block that begins after `from` (perhaps after `else`, `or` or the rest of a head)
    /// ends.
    fn after_block(&self, from: usize) -> Option<usize> {
        let mut depth = 0;
        let mut at = from;
        let mut words = 0;
        while let Some(rest) = self.text.get(at..).filter(|r| !r.is_empty()) {
            if rest.starts_with("//") {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            let c = rest.chars().next()?;
            at += c.len_utf8();
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => return None,
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ if depth > 0 || c.is_whitespace() => {}
                // Before the block: its own `{`, or `else` and `or` with a further head.
                _ if words == 0 && from > 0 => {
                    let follows = ["else", "or "].iter().any(|w| rest.starts_with(w));
                    if !follows {
                        return None;
                    }
                    words += 1;
                }
                _ => words += 1,
            }
        }
        None
    }
}

/// Does a statement read or write shared memory, or call something that may?
fn touches_memory(stmt: &Stmt) -> bool {
    let mut found =
        matches!(stmt.kind, StmtKind::Free(_) | StmtKind::Lock(_) | StmtKind::Unlock(_));
    walk::visit_block(std::slice::from_ref(stmt), &mut |e| {
        found |= matches!(
            e.kind,
            ExprKind::Global(_)
                | ExprKind::Field(..)
                | ExprKind::Atomic(..)
                | ExprKind::Dcas { .. }
                | ExprKind::Call(..)
        );
    });
    found
}

#[cfg(test)]
mod tests;
