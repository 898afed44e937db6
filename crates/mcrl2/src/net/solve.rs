//! Steps of components put together: the values of all variables of `sum` are found.
//!
//! Actions that communicate have equal arguments. If one side has a value and the other is a
//! variable, or a constructor around variables, the variables get their values; the same for
//! equations in conditions. This is repeated until nothing changes. A variable that is left is
//! enumerated: over its sort, if that is finite, or over the values that the conditions leave.

use std::sync::Arc;

use super::frames::{FrameId, Frames};
use super::moves::{Step, condition};
use super::vectors::{Occurrence, Vector};
use crate::builtin::Builtin;
use crate::check::Spec;
use crate::code::{Code, OpKind, TermId, TermKind};
use crate::data::{FALSE, Machine, Node, Stop, TRUE, UNBOUND, Value};
use crate::sorts::{NAT, POS};

/// A step of the network: what is seen, and where the participants go.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Visible groups of the vector with their arguments.
    pub(crate) seen: Vec<(u32, Vec<Value>)>,
    pub(crate) targets: Vec<FrameId>,
}

/// All ways to do a vector with these steps of its participants.
pub(crate) fn solve(
    machine: &mut Machine,
    frames: &Frames,
    vector: &Vector,
    steps: &[&Step],
) -> Result<Vec<Outcome>, Stop> {
    let spec = Arc::clone(&machine.spec);
    let mut registers: Vec<Vec<Value>> = steps.iter().map(|s| s.registers.clone()).collect();
    let found = Vec::new();
    let mut solver = Solver { spec: &spec, machine, frames, vector, steps, found, tried: 0 };
    solver.search(&mut registers)?;
    Ok(solver.found)
}

struct Solver<'a> {
    spec: &'a Spec,
    machine: &'a mut Machine,
    frames: &'a Frames,
    vector: &'a Vector,
    steps: &'a [&'a Step],
    found: Vec<Outcome>,
    /// How many values of variables were tried.
    tried: u32,
}

/// The most values of variables that are tried for one step.
const MAX_TRIED: u32 = 1 << 21;

type Registers = Vec<Vec<Value>>;

/// What came of looking at a constraint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// It holds, or nothing can be said yet.
    Nothing,
    /// A register got a value.
    Bound,
    /// It cannot hold.
    Fails,
}

impl Solver<'_> {
    fn search(&mut self, registers: &mut Registers) -> Result<(), Stop> {
        if !self.propagate(registers)? {
            return Ok(());
        }
        let Some((part, register, values)) = self.undecided(registers)? else {
            return self.finish(registers);
        };
        for value in values {
            self.machine.go_on()?;
            self.tried += 1;
            if self.tried > MAX_TRIED {
                let message = format!(
                    "more than {MAX_TRIED} values of variables of `sum` would have to be tried"
                );
                let (term, _) = self.steps[part].action;
                return Err(Machine::trouble(Some(self.spec.terms[term as usize].span), message));
            }
            let mut next = registers.clone();
            next[part][register as usize] = value;
            self.search(&mut next)?;
        }
        Ok(())
    }

    /// Looks at all constraints until nothing changes; false if they cannot hold.
    fn propagate(&mut self, registers: &mut Registers) -> Result<bool, Stop> {
        loop {
            let mut look = Look::Nothing;
            for part in 0..self.steps.len() {
                for i in 0..self.steps[part].definitions.len() {
                    look = merge(look, self.definition(registers, part, i)?);
                }
                for i in 0..self.steps[part].conditions.len() {
                    look = merge(look, self.condition(registers, part, i)?);
                }
            }
            for g in 0..self.vector.groups.len() {
                if look != Look::Fails && self.vector.groups[g].occurrences.len() > 1 {
                    look = merge(look, self.agree(registers, g)?);
                }
            }
            match look {
                Look::Nothing => return Ok(true),
                Look::Bound => {}
                Look::Fails => return Ok(false),
            }
        }
    }

    fn eval(
        &mut self,
        registers: &mut Registers,
        part: usize,
        code: &Code,
        term: TermId,
        base: u32,
    ) -> Result<Option<Value>, Stop> {
        let end = base as usize + self.spec.size(self.spec.terms[term as usize].owner);
        match self.machine.eval(code, &mut registers[part][base as usize..end]) {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Unbound) => Ok(None),
            Err(trouble) => Err(trouble),
        }
    }

    /// A parameter of a called process is the value of the argument.
    fn definition(
        &mut self,
        registers: &mut Registers,
        part: usize,
        i: usize,
    ) -> Result<Look, Stop> {
        let (register, call, argument, base) = self.steps[part].definitions[i];
        let TermKind::Call(_, arguments) = &self.spec.terms[call as usize].kind else {
            return Ok(Look::Nothing);
        };
        let code = &arguments[argument as usize];
        let known = registers[part][register as usize];
        match self.eval(registers, part, code, call, base)? {
            Some(value) if known == UNBOUND => {
                registers[part][register as usize] = value;
                Ok(Look::Bound)
            }
            Some(value) => self.same(value, known, call),
            None if known == UNBOUND => Ok(Look::Nothing),
            None => self.bind(registers, (part, call, base), code, known),
        }
    }

    fn condition(
        &mut self,
        registers: &mut Registers,
        part: usize,
        i: usize,
    ) -> Result<Look, Stop> {
        let (term, base, want) = self.steps[part].conditions[i];
        let Some(code) = condition(&self.spec.terms[term as usize].kind) else {
            return Ok(Look::Nothing);
        };
        self.truth(registers, (part, term, base), code, want)
    }

    /// Makes a condition true (or false).
    fn truth(
        &mut self,
        registers: &mut Registers,
        place: (usize, TermId, u32),
        code: &Code,
        want: bool,
    ) -> Result<Look, Stop> {
        let (part, term, base) = place;
        match self.eval(registers, part, code, term, base)? {
            Some(TRUE) => return Ok(if want { Look::Nothing } else { Look::Fails }),
            Some(FALSE) => return Ok(if want { Look::Fails } else { Look::Nothing }),
            Some(value) => {
                let value = self.machine.show(value);
                let message = format!("a condition is neither true nor false: `{value}`");
                return Err(Machine::trouble(Some(self.spec.terms[term as usize].span), message));
            }
            None => {}
        }
        match (code, want) {
            (Code::And(parts), true) | (Code::Or(parts), false) => {
                let first = self.truth(registers, place, &parts[0], want)?;
                let second = self.truth(registers, place, &parts[1], want)?;
                Ok(merge(first, second))
            }
            (Code::Builtin(Builtin::Not, list), _) => self.truth(registers, place, &list[0], !want),
            (Code::Slot(_), _) => {
                self.bind(registers, place, code, if want { TRUE } else { FALSE })
            }
            (Code::Builtin(Builtin::Equal, list), true)
            | (Code::Builtin(Builtin::Unequal, list), false) => {
                let first = self.eval(registers, part, &list[0], term, base)?;
                let second = self.eval(registers, part, &list[1], term, base)?;
                match (first, second) {
                    (Some(value), None) => self.bind(registers, place, &list[1], value),
                    (None, Some(value)) => self.bind(registers, place, &list[0], value),
                    _ => Ok(Look::Nothing),
                }
            }
            _ => Ok(Look::Nothing),
        }
    }

    /// The arguments of actions that communicate are equal.
    fn agree(&mut self, registers: &mut Registers, group: usize) -> Result<Look, Stop> {
        let vector = self.vector;
        let occurrences = &vector.groups[group].occurrences;
        let spec = self.spec;
        let arguments = |&(part, action): &Occurrence| {
            let (term, base) = self.steps[part as usize].action;
            match &spec.terms[term as usize].kind {
                TermKind::Act(list, _) => {
                    (part as usize, term, base, &*list[action as usize].arguments)
                }
                _ => (part as usize, term, base, &[][..]),
            }
        };
        let sides: Vec<(usize, TermId, u32, &[Code])> = occurrences.iter().map(arguments).collect();
        let mut look = Look::Nothing;
        for k in 0..sides[0].3.len() {
            let mut value = None;
            for (part, term, base, codes) in &sides {
                if let Some(found) = self.eval(registers, *part, &codes[k], *term, *base)? {
                    match value {
                        None => value = Some(found),
                        Some(value) => look = merge(look, self.same(value, found, *term)?),
                    }
                }
            }
            if look == Look::Fails {
                return Ok(look);
            }
            let Some(value) = value else { continue };
            for (part, term, base, codes) in &sides {
                if self.eval(registers, *part, &codes[k], *term, *base)?.is_none() {
                    let place = (*part, *term, *base);
                    look = merge(look, self.bind(registers, place, &codes[k], value)?);
                }
            }
        }
        Ok(look)
    }

    fn same(&self, a: Value, b: Value, term: TermId) -> Result<Look, Stop> {
        match self.machine.equal(a, b) {
            Some(true) => Ok(Look::Nothing),
            Some(false) => Ok(Look::Fails),
            None => {
                let (a, b) = (self.machine.show(a), self.machine.show(b));
                let message = format!("it is not known whether `{a}` and `{b}` are equal");
                Err(Machine::trouble(Some(self.spec.terms[term as usize].span), message))
            }
        }
    }

    /// Makes an expression have this value, by giving values to variables in it.
    fn bind(
        &mut self,
        registers: &mut Registers,
        place: (usize, TermId, u32),
        code: &Code,
        value: Value,
    ) -> Result<Look, Stop> {
        let (part, term, base) = place;
        if let Some(own) = self.eval(registers, part, code, term, base)? {
            return self.same(own, value, term);
        }
        match code {
            Code::Slot(slot) => {
                registers[part][(base + slot) as usize] = value;
                Ok(Look::Bound)
            }
            Code::Call(op, list)
                if matches!(self.spec.ops[*op as usize].kind, OpKind::Constructor(_))
                    && self.spec.rules[*op as usize].is_empty() =>
            {
                match self.machine.store.node(value).cloned() {
                    Some(Node::Op(other, values)) if other == *op => {
                        let mut look = Look::Nothing;
                        for (code, value) in list.iter().zip(&values) {
                            look = merge(look, self.bind(registers, place, code, *value)?);
                        }
                        Ok(look)
                    }
                    Some(Node::Op(other, _))
                        if matches!(self.spec.ops[other as usize].kind, OpKind::Constructor(_)) =>
                    {
                        Ok(Look::Fails)
                    }
                    _ => Ok(Look::Nothing),
                }
            }
            Code::Builtin(Builtin::Cons, list) => match self.machine.store.node(value).cloned() {
                Some(Node::Cons(head, tail)) => {
                    let first = self.bind(registers, place, &list[0], head)?;
                    let second = self.bind(registers, place, &list[1], tail)?;
                    Ok(merge(first, second))
                }
                Some(Node::Nil) => Ok(Look::Fails),
                _ => Ok(Look::Nothing),
            },
            Code::Builtin(Builtin::Add | Builtin::Subtract, list) => {
                self.bind_sum(registers, place, code, list, value)
            }
            _ => Ok(Look::Nothing),
        }
    }

    /// `x + e` or `x - e` with a known `e`.
    fn bind_sum(
        &mut self,
        registers: &mut Registers,
        place: (usize, TermId, u32),
        code: &Code,
        list: &[Code],
        value: Value,
    ) -> Result<Look, Stop> {
        let (part, term, base) = place;
        let first = self.eval(registers, part, &list[0], term, base)?;
        let second = self.eval(registers, part, &list[1], term, base)?;
        let adds = matches!(code, Code::Builtin(Builtin::Add, _));
        let (known, unknown) = match (first, second) {
            (Some(known), None) if adds => (known, &list[1]),
            (None, Some(known)) => (known, &list[0]),
            _ => return Ok(Look::Nothing),
        };
        let (Some(known), Some(total)) =
            (self.machine.store.number(known), self.machine.store.number(value))
        else {
            return Ok(Look::Nothing);
        };
        let rest = if adds { total.checked_sub(known) } else { total.checked_add(known) };
        let Some(rest) = rest else { return Ok(Look::Nothing) };
        let rest = self.machine.store.int(rest);
        self.bind(registers, place, unknown, rest)
    }

    /// A variable without value, with all values it may have.
    fn undecided(
        &mut self,
        registers: &mut Registers,
    ) -> Result<Option<(usize, u32, Vec<Value>)>, Stop> {
        let mut infinite = None;
        for part in 0..self.steps.len() {
            let step = self.steps[part];
            for &(register, sort, term) in &step.sums {
                if registers[part][register as usize] != UNBOUND {
                    continue;
                }
                if let Some(domain) = self.machine.domain(sort) {
                    return Ok(Some((part, register, domain.to_vec())));
                }
                match self.by_conditions(registers, part, register, sort) {
                    Some(values) => return Ok(Some((part, register, values))),
                    None => infinite = infinite.or(Some((sort, term))),
                }
            }
        }
        match infinite {
            None => Ok(None),
            Some((sort, term)) => {
                let message = format!(
                    "`sum` over the infinite sort `{}`: neither communication nor a condition \
                     says which values there are",
                    self.spec.sorts.show(sort)
                );
                Err(Machine::trouble(Some(self.spec.terms[term as usize].span), message))
            }
        }
    }

    /// The values that the conditions leave for a register, or for one that is the same.
    fn by_conditions(
        &mut self,
        registers: &mut Registers,
        part: usize,
        register: u32,
        sort: u32,
    ) -> Option<Vec<Value>> {
        let step = self.steps[part];
        let mut same = vec![register];
        for (target, call, argument, base) in &step.definitions {
            if let TermKind::Call(_, arguments) = &self.spec.terms[*call as usize].kind
                && let Code::Slot(slot) = &arguments[*argument as usize]
                && same.contains(&(base + slot))
            {
                same.push(*target);
            }
        }
        for register in same {
            // Conditions of the activation that the register belongs to.
            let mut places: Vec<u32> = Vec::new();
            let mut conditions: Vec<(&Code, bool, usize)> = Vec::new();
            for (term, base, want) in &step.conditions {
                let t = &self.spec.terms[*term as usize];
                let size = self.spec.size(t.owner);
                if *base <= register
                    && (register as usize) < *base as usize + size
                    && let Some(code) = condition(&t.kind)
                {
                    places.push(*base);
                    conditions.push((code, *want, size));
                }
            }
            let Some(base) = places.first().copied() else { continue };
            let size = conditions[0].2;
            let conditions: Vec<(&Code, bool)> =
                conditions.iter().map(|(code, want, _)| (*code, *want)).collect();
            let env = &mut registers[part][base as usize..base as usize + size];
            let found = self.machine.candidates_of_all(&conditions, register - base, sort, env);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// All variables have values: checks what is left, and goes on.
    fn finish(&mut self, registers: &mut Registers) -> Result<(), Stop> {
        for (part, step) in self.steps.iter().enumerate() {
            for (register, sort, _) in &step.sums {
                let least = match *sort {
                    POS => 1,
                    NAT => 0,
                    _ => continue,
                };
                let value = registers[part][*register as usize];
                if self.machine.store.number(value).is_some_and(|n| n < least) {
                    return Ok(());
                }
            }
        }
        for apart in &self.vector.apart {
            let mut all = true;
            let first = self.arguments(registers, apart[0])?;
            for other in &apart[1..] {
                let other = self.arguments(registers, *other)?;
                for (a, b) in first.iter().zip(&other) {
                    let (term, _) = self.steps[apart[0].0 as usize].action;
                    all &= self.same(*a, *b, term)? == Look::Nothing;
                }
            }
            if all {
                return Ok(());
            }
        }
        let mut seen = Vec::new();
        for (i, group) in self.vector.groups.iter().enumerate() {
            if !group.hidden {
                seen.push((i as u32, self.arguments(registers, group.occurrences[0])?));
            }
        }
        let mut targets = Vec::new();
        for (part, step) in self.steps.iter().enumerate() {
            let mut frame = step.next;
            for (k, (term, base)) in step.then.iter().enumerate() {
                let acted = k + 1 == step.then.len();
                let size = self.spec.size(self.spec.terms[*term as usize].owner);
                let env = &mut registers[part][*base as usize..*base as usize + size];
                frame = self.frames.enter(self.machine, *term, env, frame, acted)?;
            }
            targets.push(frame);
        }
        self.found.push(Outcome { seen, targets });
        Ok(())
    }

    fn arguments(
        &mut self,
        registers: &mut Registers,
        (part, action): Occurrence,
    ) -> Result<Vec<Value>, Stop> {
        let (term, base) = self.steps[part as usize].action;
        let spec = self.spec;
        let TermKind::Act(list, _) = &spec.terms[term as usize].kind else { return Ok(Vec::new()) };
        let mut values = Vec::new();
        for code in &list[action as usize].arguments {
            let span = spec.terms[term as usize].span;
            match self.eval(registers, part as usize, code, term, base)? {
                Some(value) => values.push(value),
                None => return Err(Machine::trouble(Some(span), "an argument has no value")),
            }
        }
        Ok(values)
    }
}

fn merge(a: Look, b: Look) -> Look {
    match (a, b) {
        (Look::Fails, _) | (_, Look::Fails) => Look::Fails,
        (Look::Bound, _) | (_, Look::Bound) => Look::Bound,
        _ => Look::Nothing,
    }
}
