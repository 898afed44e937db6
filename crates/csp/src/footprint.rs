//! What steps and processes touch: variables, element by element where indices are known, and
//! channels.
//!
//! Of two steps of different components neither enables, disables or changes the other if neither
//! writes what the other reads or writes ([`Footprint::conflicts`]). For channels with a buffer this is
//! finer: what is put in at one end and what is taken out at the other do not meet while there is
//! something in between, which only a state can tell; so the two ends are apart here.

use std::collections::BTreeSet;

use crate::eval::Reader;
use crate::program::{Base, Code, Expr, NameId, NodeKind, Pattern, Port, Program, Query, Stmt};
use crate::value::Value;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    fn add(&mut self, i: u32) {
        let word = i as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (i % 64);
    }

    pub(crate) fn contains(&self, i: u32) -> bool {
        self.0.get(i as usize / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    fn union(&mut self, other: &Bits) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// An event, as far as its values are known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event {
    pub(crate) name: NameId,
    pub(crate) parts: Vec<Option<Value>>,
}

impl Event {
    /// May it be the same event as another?
    pub(crate) fn meets(&self, other: &Event) -> bool {
        let same = |(a, b): (&Option<Value>, &Option<Value>)| a.is_none() || b.is_none() || a == b;
        self.name == other.name
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(same)
    }
}

/// What is touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Cells of variables, see [`Layout`].
    pub(crate) reads: Bits,
    pub(crate) writes: Bits,
    /// Channels: messages put in, messages taken out, questions how many there are.
    pub(crate) puts: Bits,
    pub(crate) takes: Bits,
    pub(crate) looks: Bits,
    /// Events, which are not touched but done; they do not conflict.
    pub(crate) events: BTreeSet<Event>,
}

impl Footprint {
    pub(crate) fn union(&mut self, other: &Footprint) {
        self.reads.union(&other.reads);
        self.writes.union(&other.writes);
        self.puts.union(&other.puts);
        self.takes.union(&other.takes);
        self.looks.union(&other.looks);
        self.events.extend(other.events.iter().cloned());
    }

    /// May one of the two make a difference to the other? A step that waits at one end of a channel
    /// has to do with both ([`Footprint::both_ends`]).
    pub(crate) fn conflicts(&self, other: &Footprint) -> bool {
        let changes = |a: &Footprint, b: &Footprint| {
            a.writes.meets(&b.reads) || a.puts.meets(&b.looks) || a.takes.meets(&b.looks)
        };
        self.writes.meets(&other.writes)
            || self.puts.meets(&other.puts)
            || self.takes.meets(&other.takes)
            || changes(self, other)
            || changes(other, self)
    }

    /// Whatever happens at either end of a channel.
    pub(crate) fn both_ends(&mut self, channel: u32) {
        self.puts.add(channel);
        self.takes.add(channel);
    }
}

/// Which variables are told apart: all slots, or, if there are very many, only variables and arrays.
#[derive(Debug)]
pub(crate) struct Layout {
    cells: Vec<u32>,
}

/// The most slots that are told apart.
const MAX_CELLS: usize = 4096;

impl Layout {
    pub(crate) fn new(program: &Program) -> Layout {
        let slots = program.initial.len();
        if slots <= MAX_CELLS {
            return Layout { cells: (0..slots as u32).collect() };
        }
        let mut cells = vec![0; slots];
        for (i, v) in program.variables.iter().enumerate() {
            cells[v.base as usize..(v.base + v.length) as usize].fill(i as u32);
        }
        Layout { cells }
    }

    /// The cell of a slot of a variable.
    pub(crate) fn cell(&self, slot: u32) -> u32 {
        self.cells[slot as usize]
    }
}

/// What is known where something is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
    /// Values of parameters, as far as they are known.
    pub(crate) env: &'a [Option<Value>],
}

impl Known<'_> {
    /// What the evaluation of an expression touches.
    pub(crate) fn expr(&self, e: &Expr, to: &mut Footprint) {
        match e {
            Expr::Const(_) | Expr::Frame(_) | Expr::Param(_) => {}
            Expr::Global(slot) => to.reads.add(self.layout.cell(*slot)),
            Expr::Element(base, length, index, _) => {
                self.expr(index, to);
                self.element(*base, *length, index, &mut to.reads);
            }
            Expr::Not(e, _) | Expr::Minus(e, _) => self.expr(e, to),
            Expr::Binary(_, a, b, _) => {
                self.expr(a, to);
                self.expr(b, to);
            }
            Expr::Assign(base, _, e, _) => {
                self.expr(e, to);
                if let Base::Global(slot) = base {
                    to.writes.add(self.layout.cell(*slot));
                }
            }
            Expr::AssignElement(base, length, _, index, e, _) => {
                self.expr(index, to);
                self.expr(e, to);
                self.element(*base, *length, index, &mut to.writes);
            }
            Expr::Channel(query, first, count, index, _) => {
                if let Some(index) = index {
                    self.expr(index, to);
                }
                if *query != Query::Size {
                    let all = self.one_of(*first, *count, index.as_deref());
                    all.for_each(|channel| to.looks.add(channel));
                }
            }
            Expr::Whole(..)
            | Expr::Array(..)
            | Expr::At(..)
            | Expr::AssignWhole(..)
            | Expr::AssignAt(..)
            | Expr::New(..)
            | Expr::Method(..)
            | Expr::Math(..)
            | Expr::Sharp(..) => self.object(e, to),
        }
    }

    /// The same of an expression with arrays or collections that are values.
    fn object(&self, e: &Expr, to: &mut Footprint) {
        e.parts().for_each(|part| self.expr(part, to));
        let (reads, writes) = match e {
            Expr::Whole(Base::Global(base), length, _) => (Some((*base, *length)), None),
            Expr::AssignWhole(Base::Global(base), length, ..) => (None, Some((*base, *length))),
            Expr::AssignAt(Base::Global(slot), ..) => (Some((*slot, 1)), Some((*slot, 1))),
            Expr::Method(slot, _, method, ..) => {
                (Some((*slot, 1)), method.changes().then_some((*slot, 1)))
            }
            // Whether it changes the object is not looked at.
            Expr::Sharp(_, Some(slot), ..) => (Some((*slot, 1)), Some((*slot, 1))),
            _ => (None, None),
        };
        for (range, set) in [(reads, &mut to.reads), (writes, &mut to.writes)] {
            let (base, length) = range.unwrap_or((0, 0));
            (base..base + length).for_each(|slot| set.add(self.layout.cell(slot)));
        }
    }

    /// Adds an element of an array, or all if it is not known which.
    fn element(&self, base: Base, length: u32, index: &Expr, to: &mut Bits) {
        if let Base::Global(base) = base {
            let all = self.one_of(base, length, Some(index));
            all.for_each(|slot| to.add(self.layout.cell(slot)));
        }
    }

    /// One of several, or all if it is not known which.
    fn one_of(&self, first: u32, count: u32, index: Option<&Expr>) -> std::ops::Range<u32> {
        match index.map(|e| self.value(e)) {
            None => first..first + 1,
            Some(Some(i)) if i >= 0 && (i as u32) < count => first + i as u32..first + i as u32 + 1,
            Some(_) => first..first + count,
        }
    }

    /// What a program of an event touches.
    pub(crate) fn code(&self, code: &Code, to: &mut Footprint) {
        self.statements(&code.statements, to);
    }

    fn statements(&self, list: &[Stmt], to: &mut Footprint) {
        for statement in list {
            match statement {
                Stmt::Do(e) => self.expr(e, to),
                Stmt::If(e, a, b, _) => {
                    self.expr(e, to);
                    self.statements(a, to);
                    self.statements(b, to);
                }
                Stmt::While(e, body, _) => {
                    self.expr(e, to);
                    self.statements(body, to);
                }
            }
        }
    }

    /// The channels that a port may be.
    pub(crate) fn port(&self, port: &Port) -> std::ops::Range<u32> {
        self.one_of(port.first, port.count, port.index.as_ref())
    }

    /// What an output touches.
    pub(crate) fn send(
        &self,
        port: &Port,
        values: &[Expr],
        code: Option<&Code>,
        to: &mut Footprint,
    ) {
        port.index.iter().chain(values).for_each(|e| self.expr(e, to));
        code.into_iter().for_each(|code| self.code(code, to));
        self.port(port).for_each(|channel| to.puts.add(channel));
    }

    /// What an input touches. `next` is given the environment after it, in which what comes in is not
    /// known.
    pub(crate) fn receive(
        &self,
        node: &NodeKind,
        to: &mut Footprint,
        next: impl FnOnce(&[Option<Value>]),
    ) {
        let NodeKind::Receive(port, guard, patterns, code, after) = node else { return };
        port.index.iter().for_each(|e| self.expr(e, to));
        self.port(port).for_each(|channel| to.takes.add(channel));
        let scope = self.program.nodes[*after as usize].scope as usize;
        let mut wide = self.env.to_vec();
        wide.resize(scope.max(wide.len()), None);
        for pattern in patterns {
            if let Pattern::Bind(place) = pattern {
                wide[*place as usize] = None;
            }
        }
        let inside = Known { env: &wide, ..*self };
        for pattern in patterns {
            if let Pattern::Match(e) = pattern {
                inside.expr(e, to);
            }
        }
        guard.iter().for_each(|e| inside.expr(e, to));
        code.iter().for_each(|code| inside.code(code, to));
        next(&wide);
    }

    /// The value of an expression, if it is known whatever the state.
    pub(crate) fn value(&self, e: &Expr) -> Option<Value> {
        if e.uses_frame() || e.reads_state() {
            return None;
        }
        let free = e.free();
        if u64::BITS - free.leading_zeros() > self.env.len() as u32 {
            return None;
        }
        let needed = |i: usize| i < 64 && free >> i & 1 == 1;
        let known =
            |(i, v): (usize, &Option<Value>)| if needed(i) { *v } else { Some(v.unwrap_or(0)) };
        let env: Option<Vec<Value>> = self.env.iter().enumerate().map(known).collect();
        Reader { program: self.program, data: &[], env: &env? }.value(e).ok()
    }
}
