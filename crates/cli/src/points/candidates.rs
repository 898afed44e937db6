//! Where a `point` might stand in the text of an object.
//!
//! A point belongs to the access before it, so a candidate comes after a statement with an access, also
//! under a test of what it has read; at the beginning of a branch, which says how a test or a `cas`
//! went; after a loop; in place of `return e` as `let r = e; point; return r`; and where the text has a
//! point already. Candidates are edits of the text, so what is shown is what was checked.

use std::collections::BTreeSet;

use linchpin_lin::program::{
    BinOp, Block, Check, Expr, ExprKind, LocalId, Primitive, Proc, Stmt, StmtKind, Type, UnOp,
};
use linchpin_lin::{Value, walk};
use linchpin_lts::{Limit, Watch};

use crate::input::{self, Source};

use super::layout::{Place, after_block_open, after_statement, alone, block_at, else_block};

/// A point that might be one.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The part of the text that is replaced; empty: something is inserted.
    pub(crate) from: usize,
    /// Its end.
    pub(crate) to: usize,
    /// What stands there if it is chosen.
    pub(crate) text: String,
    /// Where in that text the `point` begins.
    point: usize,
    /// Stands in the text already: what stands there is removed if it is not chosen.
    given: bool,
    /// How likely; the least comes first.
    rank: u32,
}

/// All candidates of the object of a check, the most likely first. Only those that leave the text a
/// program are kept; the text is read once for each, which may take long.
pub(crate) fn candidates(
    source: &Source,
    check: &Check,
    set: &[(String, String)],
    watch: &Watch,
) -> Result<Vec<Candidate>, Limit> {
    let text = source.text.as_str();
    let unit = &source.program.objects[check.object.index()].unit;
    let name = unused_name(text);
    let mut finder = Finder { text, found: Vec::new(), tested: BTreeSet::new(), name };
    // What belongs to a part is in the text of the part, where points are its own.
    let own = |proc: &&Proc| !proc.name.contains('.');
    for (i, proc) in unit.procs.iter().enumerate().filter(|(_, proc)| own(proc)) {
        finder.procedure(proc, unit.ops.iter().any(|op| op.index() == i));
    }
    let mut found = finder.found;
    found.sort_by_key(|c| (c.rank, c.from));
    let mut kept = Vec::new();
    for candidate in found {
        watch.ask()?;
        let edited = compose(text, std::slice::from_ref(&candidate), &[0]).text;
        if input::understood(&source.path, edited, set).is_ok() {
            kept.push(candidate);
        }
    }
    Ok(kept)
}

/// A text with some of the candidates.
pub(crate) struct Composed {
    /// The text.
    pub(crate) text: String,
    /// The candidates that are in it, and where their points begin.
    pub(crate) points: Vec<(usize, usize)>,
    /// For every line, the line of the original that it is or comes after, from 1.
    pub(crate) lines: Vec<usize>,
    /// What stands before `e` instead of `return`.
    pub(crate) kept: String,
}

/// The text with some of the candidates.
pub(crate) fn compose(text: &str, candidates: &[Candidate], chosen: &[usize]) -> Composed {
    let mut edits: Vec<(usize, &Candidate, bool)> = candidates
        .iter()
        .enumerate()
        .map(|(i, c)| (i, c, chosen.contains(&i)))
        .filter(|(_, c, on)| *on || c.given)
        .collect();
    edits.sort_by_key(|(i, c, _)| (c.from, c.to, *i));
    let (mut out, mut at, mut points) = (String::new(), 0, Vec::new());
    let mut lines = vec![1];
    let mut line = 1;
    let mut copy = |out: &mut String, part: &str, lines: &mut Vec<usize>| {
        for _ in part.matches('\n') {
            line += 1;
            lines.push(line);
        }
        *out += part;
        line
    };
    for (i, c, on) in edits {
        if c.from < at {
            continue;
        }
        let line = copy(&mut out, &text[at..c.from], &mut lines);
        if on {
            points.push((i, out.len() + c.point));
            out += &c.text;
            lines.extend(c.text.matches('\n').map(|_| line));
        }
        at = c.to;
    }
    copy(&mut out, &text[at..], &mut lines);
    Composed { text: out, points, lines, kept: format!("let {} = ", unused_name(text)) }
}

struct Finder<'a> {
    text: &'a str,
    found: Vec<Candidate>,
    /// Local variables of the procedure that are compared with `null` or `empty`, or tested.
    tested: BTreeSet<u32>,
    /// A name that the text does not use.
    name: &'a str,
}

impl Finder<'_> {
    fn procedure(&mut self, proc: &Proc, operation: bool) {
        self.tested = tested(&proc.body);
        let Some((open, close)) = block_at(self.text, proc.span.end as usize) else { return };
        if operation {
            self.insert(after_block_open(self.text, open, close), "point", RANK_CALL);
        }
        self.block(&proc.body, proc);
    }

    fn insert(&mut self, place: Place, what: &str, rank: u32) {
        let text = place.around(what);
        let point = text.find("point").unwrap_or(0);
        let Place { at, .. } = place;
        self.found.push(Candidate { from: at, to: at, text, point, given: false, rank });
    }

    fn block(&mut self, block: &Block, proc: &Proc) {
        for stmt in block {
            self.statement(stmt, proc);
            // What comes after that is never reached.
            if leaves(std::slice::from_ref(stmt)) {
                break;
            }
        }
    }

    fn statement(&mut self, stmt: &Stmt, proc: &Proc) {
        let end = stmt.span.end as usize;
        match &stmt.kind {
            StmtKind::If { cond, then, els } => {
                let Some((open, close)) = block_at(self.text, end) else { return };
                let (yes, no) = branch_ranks(cond);
                self.insert(after_block_open(self.text, open, close), "point", yes);
                match else_block(self.text, close) {
                    Some((open, close)) => {
                        self.insert(after_block_open(self.text, open, close), "point", no);
                    }
                    None if els.is_empty() && leaves(then) => {
                        self.insert(after_statement(self.text, close + 1), "point", no);
                    }
                    None => {}
                }
                let end = else_block(self.text, close).map_or(close, |(_, close)| close);
                if !(leaves(then) || els.len() == 1 && leaves(els)) && inside(stmt) {
                    self.insert(after_statement(self.text, end + 1), "point", RANK_AFTER);
                }
                self.block(then, proc);
                self.block(els, proc);
            }
            StmtKind::Loop { cond, body, .. } => {
                if let Some(cond) = cond
                    && let Some((open, close)) = block_at(self.text, end)
                {
                    let (yes, no) = branch_ranks(cond);
                    let after = after_statement(self.text, close + 1);
                    if accesses(cond) {
                        self.insert(after_block_open(self.text, open, close), "point", yes);
                        self.insert(after, "point", no);
                    } else if inside(stmt) {
                        self.insert(after, "point", RANK_AFTER);
                    }
                }
                self.block(body, proc);
            }
            StmtKind::Atomic(body) => self.block(body, proc),
            StmtKind::Either(blocks) => blocks.iter().for_each(|b| self.block(b, proc)),
            StmtKind::Point(_) => {
                let (from, to) = alone(self.text, stmt.span.start as usize, end);
                let text = self.text[from..to].to_string();
                let point = stmt.span.start as usize - from;
                self.found.push(Candidate { from, to, text, point, given: true, rank: 0 });
            }
            StmtKind::Return(Some(e)) if accesses(e) => {
                let (from, to) = (stmt.span.start as usize, end);
                let place = after_statement(self.text, to);
                let value = &self.text[e.span.start as usize..e.span.end as usize];
                let parts = [
                    format!("let {} = {value}", self.name),
                    "point".into(),
                    format!("return {}", self.name),
                ];
                let text = parts.join(&place.separator());
                let point = parts[0].len() + place.separator().len();
                let rank = if updates(e) { RANK_UPDATE } else { RANK_READ };
                self.found.push(Candidate { from, to, text, point, given: false, rank });
            }
            StmtKind::Assign { place, value } => {
                let shared = !matches!(place.kind, ExprKind::Local(_));
                if shared || accesses(value) {
                    let rank = if shared || updates(value) { RANK_UPDATE } else { RANK_READ };
                    self.insert(after_statement(self.text, end), "point", rank);
                }
                if let ExprKind::Local(id) = place.kind
                    && accesses(value)
                    && self.tested.contains(&id.0)
                {
                    self.on_value(end, id, proc);
                }
            }
            StmtKind::Expr(e) | StmtKind::Await(e) if accesses(e) => {
                let rank = if updates(e) { RANK_UPDATE } else { RANK_CALLED };
                self.insert(after_statement(self.text, end), "point", rank);
            }
            StmtKind::Lock(_) | StmtKind::Unlock(_) | StmtKind::Free(_) => {
                self.insert(after_statement(self.text, end), "point", RANK_LOCK);
            }
            _ => {}
        }
    }

    /// Points under a test of the value that a local variable has got.
    fn on_value(&mut self, end: usize, id: LocalId, proc: &Proc) {
        let var = &proc.locals[id.index()];
        let name = &var.name;
        let tests = match var.ty {
            Type::Ref(_) => [format!("{name} == null"), format!("{name} != null")],
            Type::Option(_) => [format!("{name} == empty"), format!("{name} != empty")],
            Type::Bool => [name.clone(), format!("!{name}")],
            _ => return,
        };
        for test in tests {
            let what = format!("if {test} {{ point }}");
            self.insert(after_statement(self.text, end), &what, RANK_TESTED);
        }
    }
}

const RANK_CHOSEN: u32 = 1;
const RANK_UPDATE: u32 = 2;
const RANK_BRANCH: u32 = 3;
const RANK_TESTED: u32 = 4;
const RANK_READ: u32 = 5;
const RANK_AFTER: u32 = 6;
const RANK_LOCK: u32 = 7;
const RANK_CALLED: u32 = 8;
const RANK_CALL: u32 = 9;

/// How likely the branches of a test are.
fn branch_ranks(cond: &Expr) -> (u32, u32) {
    match &cond.kind {
        ExprKind::Unary(UnOp::Not, inner) => {
            let (yes, no) = branch_ranks(inner);
            (no, yes)
        }
        _ if updates(cond) => (RANK_CHOSEN, RANK_BRANCH),
        _ => (RANK_BRANCH, RANK_BRANCH),
    }
}

/// Does control never come to the end?
fn leaves(block: &[Stmt]) -> bool {
    let last = block.last().map(|s| &s.kind);
    matches!(last, Some(StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_)))
}

/// Is there an access in the branches or the rounds of a statement?
fn inside(stmt: &Stmt) -> bool {
    let mut found = false;
    let block = vec![stmt.clone()];
    walk::visit_block(&block, &mut |e| found |= accesses(e));
    found
}

fn any(e: &Expr, test: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    let block = vec![Stmt { kind: StmtKind::Expr(e.clone()), span: e.span }];
    walk::visit_block(&block, &mut |e| found |= test(e));
    found
}

/// Is there an access, or a call that may have one?
fn accesses(e: &Expr) -> bool {
    any(e, &|e| {
        matches!(
            e.kind,
            ExprKind::Global(_)
                | ExprKind::Field(..)
                | ExprKind::Atomic(..)
                | ExprKind::Dcas { .. }
                | ExprKind::Call(..)
        )
    })
}

/// Is there a primitive that can write?
fn updates(e: &Expr) -> bool {
    any(e, &|e| match e.kind {
        ExprKind::Atomic(p, ..) => !matches!(p, Primitive::LoadLinked | Primitive::Validate),
        ExprKind::Dcas { .. } => true,
        _ => false,
    })
}

/// Local variables that are compared with `null` or `empty`, or tested as they are.
fn tested(block: &Block) -> BTreeSet<u32> {
    let mut tested = BTreeSet::new();
    walk::visit(
        block,
        &mut |e| match &e.kind {
            ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) => {
                let constant = |e: &Expr| {
                    matches!(e.kind, ExprKind::Const(Value::Ref(0) | Value::Option(None)))
                };
                match (&a.kind, &b.kind) {
                    (ExprKind::Local(id), _) if constant(b) => tested.insert(id.0),
                    (_, ExprKind::Local(id)) if constant(a) => tested.insert(id.0),
                    _ => false,
                };
            }
            ExprKind::Local(id) if e.ty == Type::Bool => {
                tested.insert(id.0);
            }
            _ => {}
        },
        &mut |_| {},
    );
    tested
}

/// A name that the text does not use.
fn unused_name(text: &str) -> &'static str {
    let names = ["result", "outcome", "answer", "returned", "what_is_returned"];
    names.into_iter().find(|n| !mentions(text, n)).unwrap_or("what_is_returned_then")
}

/// Does the text use a name?
fn mentions(text: &str, name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !word(c)).any(|w| w == name)
}
