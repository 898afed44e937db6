//! Which variables declared with `hvar` may be left out of states.
//!
//! PAT leaves all of them out: two states that differ only in them are one, and which values it has
//! depends on the order of the search. Where nothing looks at them but they themselves (a counter that is
//! only shown, say), that makes no difference to any verdict but that of `deterministic`, for which
//! states that differ only in them are one, and a model that counts without end has an end. Where
//! processes or assertions look at one, directly or by way of another, or where the model may go wrong
//! because of its value, leaving it out could give wrong verdicts; so it stays in. Those that are left out
//! have their initial values in all states; a witness follows them along its steps.

use std::ops::Range;

use crate::ast::Binary;
use crate::footprint::{Footprint, Known, Layout};
use crate::program::{Base, Claim, Code, Expr, NodeKind, Pattern, Program, Stmt, Values};
use crate::value::is_number;

/// The slots that may be left out.
pub(crate) fn left_out(program: &Program) -> Vec<u32> {
    if program.hidden.is_empty() {
        return Vec::new();
    }
    let layout = Layout::new(program);
    let (read, passed, others) = (Footprint::default(), Vec::new(), others(program));
    let mut looked = Looked { program, layout, read, passed, others };
    program.nodes.iter().for_each(|node| looked.node(&node.kind));
    for assertion in &program.assertions {
        match &assertion.claim {
            Claim::Reaches(goal, extreme) => {
                looked.expr(goal);
                extreme.iter().for_each(|(_, e)| looked.expr(e));
            }
            Claim::Ltl(_, conditions) => conditions.iter().for_each(|e| looked.expr(e)),
            Claim::DeadlockFree
            | Claim::DivergenceFree
            | Claim::Deterministic
            | Claim::NonTerminating
            | Claim::Refines(..) => {}
        }
    }
    looked.pass_on();
    let Looked { layout, read, .. } = looked;
    program.hidden.iter().copied().filter(|&s| !read.reads.contains(layout.cell(s))).collect()
}

struct Looked<'p> {
    program: &'p Program,
    layout: Layout,
    /// What is looked at by something that matters.
    read: Footprint,
    /// Assignments to hidden variables: to which slots, what is read.
    passed: Vec<(Range<u32>, Footprint)>,
    /// Slots that may hold something else than a number.
    others: Vec<bool>,
}

impl Looked<'_> {
    fn known(&self) -> Known<'_> {
        Known { program: self.program, layout: &self.layout, env: &[] }
    }

    fn expr(&mut self, e: &Expr) {
        let mut read = std::mem::take(&mut self.read);
        self.known().expr(e, &mut read);
        self.read = read;
    }

    fn node(&mut self, node: &NodeKind) {
        match node {
            NodeKind::Stop
            | NodeKind::Skip
            | NodeKind::Atomic(_)
            | NodeKind::Sequence(..)
            | NodeKind::Nary(..)
            | NodeKind::Many(_)
            | NodeKind::Interrupt(..)
            | NodeKind::Hide(..) => {}
            NodeKind::Assert(e)
            | NodeKind::Guard(e, _)
            | NodeKind::If(e, ..)
            | NodeKind::IfAtomic(e, ..)
            | NodeKind::IfBlocking(e, _)
            | NodeKind::Replicated(e, _) => self.expr(e),
            NodeKind::Case(cases) => cases.iter().for_each(|(e, _)| self.expr(e)),
            NodeKind::Call(_, arguments, _) => arguments.iter().for_each(|e| self.expr(e)),
            NodeKind::Prefix(event, code, _) => {
                event.parts.iter().for_each(|e| self.expr(e));
                self.code(code.as_ref());
            }
            NodeKind::Send(port, values, code, _) => {
                port.index.iter().chain(values).for_each(|e| self.expr(e));
                self.code(code.as_ref());
            }
            NodeKind::Receive(port, guard, patterns, code, _) => {
                port.index.iter().chain(guard).for_each(|e| self.expr(e));
                for pattern in patterns {
                    if let Pattern::Match(e) = pattern {
                        self.expr(e);
                    }
                }
                self.code(code.as_ref());
            }
            NodeKind::Indexed(_, over, _) => {
                for (_, values) in over {
                    match values {
                        Values::Between(a, b) => {
                            self.expr(a);
                            self.expr(b);
                        }
                        Values::List(list) => list.iter().for_each(|e| self.expr(e)),
                    }
                }
            }
        }
    }

    fn code(&mut self, code: Option<&Code>) {
        if let Some(code) = code {
            self.statements(&code.statements);
        }
    }

    fn statements(&mut self, list: &[Stmt]) {
        for statement in list {
            match statement {
                Stmt::Do(e) => self.statement(e),
                Stmt::If(e, a, b, _) => {
                    self.expr(e);
                    self.statements(a);
                    self.statements(b);
                }
                Stmt::While(e, body, _) => {
                    self.expr(e);
                    self.statements(body);
                }
            }
        }
    }

    /// What an assignment to a hidden variable reads matters only if that variable does.
    fn statement(&mut self, e: &Expr) {
        let (to, value) = match e {
            Expr::Assign(Base::Global(slot), _, value, _) => (*slot..slot + 1, value),
            Expr::AssignElement(Base::Global(base), length, _, index, value, _) => {
                // It may be outside.
                self.expr(index);
                (*base..base + length, value)
            }
            _ => return self.expr(e),
        };
        let mut read = Footprint::default();
        self.known().expr(value, &mut read);
        let hidden = to.clone().all(|slot| self.program.hidden.contains(&slot));
        if hidden && !self.has_range(to.start) && self.always_has_a_value(value) {
            self.passed.push((to, read));
        } else {
            self.expr(e);
        }
    }

    /// Does an expression have a value whatever the values of hidden variables are, and change nothing?
    /// (Numbers that grow too large excepted: to count in such a variable is what it is for.)
    fn always_has_a_value(&self, e: &Expr) -> bool {
        let number = |e: &Expr| match e {
            Expr::Global(slot) => {
                !self.others[*slot as usize] || !self.program.hidden.contains(slot)
            }
            _ => self.always_has_a_value(e),
        };
        match e {
            Expr::Const(_) | Expr::Global(_) | Expr::Param(_) => true,
            Expr::Minus(e, _) => number(e),
            Expr::Binary(Binary::Add | Binary::Subtract | Binary::Multiply, a, b, _) => {
                number(a) && number(b)
            }
            _ => false,
        }
    }

    fn has_range(&self, slot: u32) -> bool {
        let mut variables = self.program.variables.iter();
        variables.any(|v| v.range.is_some() && (v.base..v.base + v.length).contains(&slot))
    }

    /// What a variable that matters was computed from matters, too.
    fn pass_on(&mut self) {
        loop {
            let before = self.read.clone();
            for (to, read) in &self.passed {
                if to.clone().any(|slot| self.read.reads.contains(self.layout.cell(slot))) {
                    self.read.union(read);
                }
            }
            if self.read == before {
                return;
            }
        }
    }
}

/// The slots that may hold something else than a number: for each whether it is so.
fn others(program: &Program) -> Vec<bool> {
    let mut others: Vec<bool> = program.initial.iter().map(|&v| !is_number(v)).collect();
    let mut assigned = Vec::new();
    for node in &program.nodes {
        if let NodeKind::Prefix(_, Some(code), _)
        | NodeKind::Send(_, _, Some(code), _)
        | NodeKind::Receive(_, _, _, Some(code), _) = &node.kind
        {
            code.statements.iter().for_each(|s| assignments(s, &mut assigned));
        }
    }
    loop {
        let mut changed = false;
        for (to, value) in &assigned {
            if value.is_none_or(|e| may_be_other(e, &others)) {
                let slots = &mut others[to.start as usize..to.end as usize];
                changed |= slots.contains(&false);
                slots.fill(true);
            }
        }
        if !changed {
            return others;
        }
    }
}

/// Slots that get a value, and which; none if it is an array or a collection.
type Assigned<'e> = (Range<u32>, Option<&'e Expr>);

fn assignments<'e>(statement: &'e Stmt, to: &mut Vec<Assigned<'e>>) {
    match statement {
        Stmt::Do(e) => assigned_in(e, to),
        Stmt::If(e, a, b, _) => {
            assigned_in(e, to);
            a.iter().chain(b).for_each(|s| assignments(s, to));
        }
        Stmt::While(e, body, _) => {
            assigned_in(e, to);
            body.iter().for_each(|s| assignments(s, to));
        }
    }
}

fn assigned_in<'e>(e: &'e Expr, to: &mut Vec<Assigned<'e>>) {
    match e {
        Expr::Assign(Base::Global(slot), _, value, _) => to.push((*slot..slot + 1, Some(value))),
        Expr::AssignElement(Base::Global(base), length, _, _, value, _) => {
            to.push((*base..base + length, Some(value)));
        }
        Expr::AssignWhole(Base::Global(base), length, ..) => to.push((*base..base + length, None)),
        Expr::AssignAt(Base::Global(slot), ..)
        | Expr::Method(slot, ..)
        | Expr::Sharp(_, Some(slot), ..) => {
            to.push((*slot..slot + 1, None));
        }
        _ => {}
    }
    e.parts().for_each(|part| assigned_in(part, to));
}

fn may_be_other(e: &Expr, others: &[bool]) -> bool {
    match e {
        Expr::Const(v) => !is_number(*v),
        Expr::Global(slot) => others[*slot as usize],
        Expr::Assign(_, _, e, _) => may_be_other(e, others),
        Expr::Minus(..)
        | Expr::Binary(
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Modulo
            | Binary::BitAnd
            | Binary::BitOr
            | Binary::BitXor,
            ..,
        ) => false,
        _ => true,
    }
}
