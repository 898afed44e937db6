//! What steps and processes touch: variables, element by element where indices are known, and
//! channels.
//!
//! Of two steps of different components neither enables, disables or changes the other if neither
//! writes what the other reads or writes ([`Footprint::conflicts`]). For channels with a buffer this is
//! finer: what is put in at one end and what is taken out at the other do not meet while there is
//! something in between, which only a state can tell; so the two ends are apart here.

use crate::eval::Reader;
use crate::program::{Base, Code, Expr, Pattern, Port, Program, Query, Stmt};
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
}

impl Footprint {
    pub(crate) fn union(&mut self, other: &Footprint) {
        self.reads.union(&other.reads);
        self.writes.union(&other.writes);
        self.puts.union(&other.puts);
        self.takes.union(&other.takes);
        self.looks.union(&other.looks);
    }

    /// May one of the two make a difference to the other? Of a step whose own end of a channel is
    /// blocked, `puts` and `takes` have both ends: see [`Footprint::block`].
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

    /// A step waits at one end of a channel for what happens at the other.
    pub(crate) fn block(&mut self, channel: u32) {
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

/// What is known where an expression is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
    /// Values of parameters, as far as they are known.
    pub(crate) env: &'a [Option<Value>],
    /// The variables of a state, if it is about what happens there.
    pub(crate) data: Option<&'a [u32]>,
}

impl Known<'_> {
    /// What the evaluation of an expression touches. `unstable` are cells whose values are not those of
    /// the state any more; the answer says whether a state would have told more.
    pub(crate) fn expr(&self, e: &Expr, unstable: Option<&Bits>, to: &mut Footprint) -> bool {
        let cells = |base: u32, length: u32, set: &mut Bits, index: Option<Value>| match index {
            Some(i) if i >= 0 && (i as u32) < length => {
                set.add(self.layout.cell(base + i as u32));
                false
            }
            _ => {
                (base..base + length).for_each(|slot| set.add(self.layout.cell(slot)));
                true
            }
        };
        match e {
            Expr::Const(_) | Expr::Frame(_) | Expr::Param(_) => false,
            Expr::Global(slot) => {
                to.reads.add(self.layout.cell(*slot));
                false
            }
            Expr::Element(base, length, index, _) => {
                let open = self.expr(index, unstable, to);
                match base {
                    Base::Global(base) => {
                        let index = self.value(index, unstable);
                        cells(*base, *length, &mut to.reads, index) || open
                    }
                    Base::Frame(_) => open,
                }
            }
            Expr::Not(e, _) | Expr::Minus(e, _) => self.expr(e, unstable, to),
            Expr::Binary(_, a, b, _) => self.expr(a, unstable, to) | self.expr(b, unstable, to),
            Expr::Assign(base, _, e, _) => {
                let open = self.expr(e, unstable, to);
                if let Base::Global(slot) = base {
                    to.writes.add(self.layout.cell(*slot));
                }
                open
            }
            Expr::AssignElement(base, length, _, index, e, _) => {
                let open = self.expr(index, unstable, to) | self.expr(e, unstable, to);
                match base {
                    Base::Global(base) => {
                        let index = self.value(index, unstable);
                        cells(*base, *length, &mut to.writes, index) || open
                    }
                    Base::Frame(_) => open,
                }
            }
            Expr::Channel(Query::Size, ..) => false,
            Expr::Channel(_, first, count, index, _) => {
                let open = index.as_ref().is_some_and(|i| self.expr(i, unstable, to));
                let index = index.as_ref().map(|i| self.value(i, unstable));
                channels(*first, *count, index, &mut to.looks) || open
            }
            Expr::Whole(..)
            | Expr::Array(..)
            | Expr::At(..)
            | Expr::AssignWhole(..)
            | Expr::AssignAt(..)
            | Expr::New(..)
            | Expr::Method(..)
            | Expr::Math(..) => self.object(e, unstable, to),
        }
    }

    /// The same of an expression with arrays or collections.
    fn object(&self, e: &Expr, unstable: Option<&Bits>, to: &mut Footprint) -> bool {
        let open = e.parts().fold(false, |open, p| open | self.expr(p, unstable, to));
        let (reads, writes) = match e {
            Expr::Whole(Base::Global(base), length, _) => (Some((*base, *length)), None),
            Expr::AssignWhole(Base::Global(base), length, ..) => (None, Some((*base, *length))),
            Expr::AssignAt(Base::Global(slot), ..) => (Some((*slot, 1)), Some((*slot, 1))),
            Expr::Method(slot, _, method, ..) => {
                (Some((*slot, 1)), method.changes().then_some((*slot, 1)))
            }
            _ => (None, None),
        };
        for (range, set) in [(reads, &mut to.reads), (writes, &mut to.writes)] {
            let (base, length) = range.unwrap_or((0, 0));
            (base..base + length).for_each(|slot| set.add(self.layout.cell(slot)));
        }
        open
    }

    /// What a program of an event touches; whether a state would have told more.
    pub(crate) fn code(&self, code: &Code, to: &mut Footprint) -> bool {
        // What it writes at all, so that what it reads of the state can be told from the rest.
        let mut all = Footprint::default();
        let blind = Known { data: None, ..*self };
        let open = blind.statements(&code.statements, None, &mut all);
        if !open || self.data.is_none() {
            to.union(&all);
            return open;
        }
        self.statements(&code.statements, Some(&all.writes), to)
    }

    fn statements(&self, list: &[Stmt], unstable: Option<&Bits>, to: &mut Footprint) -> bool {
        let mut open = false;
        for statement in list {
            open |= match statement {
                Stmt::Do(e) => self.expr(e, unstable, to),
                Stmt::If(e, a, b, _) => {
                    self.expr(e, unstable, to)
                        | self.statements(a, unstable, to)
                        | self.statements(b, unstable, to)
                }
                Stmt::While(e, body, _) => {
                    self.expr(e, unstable, to) | self.statements(body, unstable, to)
                }
            };
        }
        open
    }

    /// The channels that a port may be, added to a set.
    pub(crate) fn port(&self, port: &Port, set: &mut Bits) -> bool {
        let index = port.index.as_ref().map(|i| self.value(i, None));
        channels(port.first, port.count, index, set)
    }

    /// What the index of a port touches.
    pub(crate) fn index(&self, port: &Port, to: &mut Footprint) -> bool {
        port.index.as_ref().is_some_and(|i| self.expr(i, None, to))
    }

    /// What the patterns and the condition of an input touch.
    pub(crate) fn patterns(
        &self,
        patterns: &[Pattern],
        guard: Option<&Expr>,
        to: &mut Footprint,
    ) -> bool {
        let mut open = guard.is_some_and(|e| self.expr(e, None, to));
        for pattern in patterns {
            if let Pattern::Match(e) = pattern {
                open |= self.expr(e, None, to);
            }
        }
        open
    }

    /// The value of an expression, if it is known and nothing that happens meanwhile changes it.
    pub(crate) fn value(&self, e: &Expr, unstable: Option<&Bits>) -> Option<Value> {
        if e.uses_frame() {
            return None;
        }
        let mut env = Vec::with_capacity(self.env.len());
        let free = e.free();
        for (i, v) in self.env.iter().enumerate() {
            match v {
                Some(v) => env.push(*v),
                None if i < 64 && free >> i & 1 == 1 => return None,
                None => env.push(0),
            }
        }
        if u64::BITS - free.leading_zeros() > env.len() as u32 {
            return None;
        }
        let data = if e.reads_state() {
            if let Some(unstable) = unstable {
                let mut read = Footprint::default();
                Known { data: None, ..*self }.expr(e, None, &mut read);
                if read.reads.meets(unstable) || read.looks != Bits::default() {
                    return None;
                }
            }
            self.data?
        } else {
            &[]
        };
        Reader { program: self.program, data, env: &env }.value(e).ok()
    }
}

/// Adds one channel of several, or all if it is not known which.
fn channels(first: u32, count: u32, index: Option<Option<Value>>, set: &mut Bits) -> bool {
    match index {
        None => {
            set.add(first);
            false
        }
        Some(Some(i)) if i >= 0 && (i as u32) < count => {
            set.add(first + i as u32);
            false
        }
        Some(_) => {
            (first..first + count).for_each(|c| set.add(c));
            true
        }
    }
}
