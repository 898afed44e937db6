//! What a component can do in a frame.
//!
//! A term is walked down to its first actions. Variables of `sum` have no value at first; conditions
//! and arguments of calls that depend on them are kept for later. A step keeps one long row of
//! registers: the slots of the body it started in, then those of every process it called on the way.

use super::frames::{CALLS, Frame, FrameId, unguarded};
use super::vectors::{LetterId, Letters};
use crate::code::{ActionId, Code, TermId, TermKind};
use crate::data::{FALSE, Machine, Stop, TRUE, UNBOUND, Value};
use crate::sorts::SortId;

/// A possible step of a component.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) letter: LetterId,
    pub(crate) registers: Vec<Value>,
    /// Registers of variables of `sum`, their sorts, and the term that has them.
    pub(crate) sums: Vec<(u32, SortId, TermId)>,
    /// Registers that are the value of an argument of a call: the call, which argument, and where
    /// the registers of the caller begin.
    pub(crate) definitions: Vec<(u32, TermId, u32, u32)>,
    /// Terms whose condition must be true or false, and where their registers begin.
    pub(crate) conditions: Vec<(TermId, u32, bool)>,
    /// The multi-action, and where its registers begin.
    pub(crate) action: (TermId, u32),
    /// What to do afterwards, the last first.
    pub(crate) then: Vec<(TermId, u32)>,
    pub(crate) next: FrameId,
}

/// The code of a condition.
pub(crate) fn condition(kind: &TermKind) -> Option<&Code> {
    match kind {
        TermKind::Condition(code, ..) => Some(code),
        _ => None,
    }
}

/// Collects the steps of a frame.
pub(crate) struct Collector<'a> {
    pub(crate) machine: &'a mut Machine,
    pub(crate) letters: &'a Letters,
    pub(crate) steps: Vec<Step>,
}

impl Collector<'_> {
    pub(crate) fn collect(&mut self, frame: &Frame) -> Result<(), Stop> {
        let spec = std::sync::Arc::clone(&self.machine.spec);
        let term = &spec.terms[frame.term as usize];
        let mut registers = vec![UNBOUND; spec.size(term.owner)];
        for (slot, value) in term.free.iter().zip(&frame.values) {
            registers[*slot as usize] = *value;
        }
        let mut partial = Step {
            letter: 0,
            registers,
            sums: Vec::new(),
            definitions: Vec::new(),
            conditions: Vec::new(),
            action: (0, 0),
            then: Vec::new(),
            next: frame.next,
        };
        self.walk(frame.term, 0, &mut partial, 0)
    }

    fn walk(&mut self, id: TermId, base: u32, step: &mut Step, calls: u32) -> Result<(), Stop> {
        // Processes that call others twice have many steps.
        self.machine.go_on()?;
        let spec = std::sync::Arc::clone(&self.machine.spec);
        let term = &spec.terms[id as usize];
        let end = base as usize + spec.size(term.owner);
        match &term.kind {
            TermKind::Delta => Ok(()),
            TermKind::Act(list, _) => {
                let actions: Vec<ActionId> = list.iter().map(|p| p.action).collect();
                // What is not part of any vector cannot happen.
                if let Some(letter) = self.letters.find(&actions) {
                    step.letter = letter;
                    step.action = (id, base);
                    self.steps.push(step.clone());
                }
                Ok(())
            }
            TermKind::Choice(a, b) => {
                self.walk(*a, base, &mut step.clone(), calls)?;
                self.walk(*b, base, step, calls)
            }
            TermKind::Sequence(a, b) => {
                step.then.push((*b, base));
                let result = self.walk(*a, base, step, calls);
                step.then.pop();
                result
            }
            TermKind::Sum(slots, body) => {
                for (slot, sort) in slots {
                    step.registers[(base + slot) as usize] = UNBOUND;
                    step.sums.push((base + slot, *sort, id));
                }
                self.walk(*body, base, step, calls)
            }
            TermKind::Condition(code, then, otherwise) => {
                let env = &mut step.registers[base as usize..end];
                match self.machine.eval(code, env) {
                    Ok(TRUE) => self.walk(*then, base, step, calls),
                    Ok(FALSE) => match otherwise {
                        Some(otherwise) => self.walk(*otherwise, base, step, calls),
                        None => Ok(()),
                    },
                    Ok(value) => {
                        let value = self.machine.show(value);
                        let message = format!("a condition is neither true nor false: `{value}`");
                        Err(Machine::trouble(Some(term.span), message))
                    }
                    Err(Stop::Unbound) => {
                        let mut other = step.clone();
                        step.conditions.push((id, base, true));
                        self.walk(*then, base, step, calls)?;
                        if let Some(otherwise) = otherwise {
                            other.conditions.push((id, base, false));
                            self.walk(*otherwise, base, &mut other, calls)?;
                        }
                        Ok(())
                    }
                    Err(trouble) => Err(trouble),
                }
            }
            TermKind::Call(process, arguments) => {
                if calls >= CALLS {
                    return Err(unguarded(self.machine, id));
                }
                let inner = step.registers.len() as u32;
                step.registers.resize(inner as usize + spec.size(*process), UNBOUND);
                for (i, argument) in arguments.iter().enumerate() {
                    let env = &mut step.registers[base as usize..end];
                    match self.machine.eval(argument, env) {
                        Ok(value) => step.registers[inner as usize + i] = value,
                        Err(Stop::Unbound) => {
                            step.definitions.push((inner + i as u32, id, i as u32, base));
                        }
                        Err(trouble) => return Err(trouble),
                    }
                }
                let body = spec.processes[*process as usize].body;
                self.walk(body, inner, step, calls + 1)
            }
            TermKind::Parallel(..) | TermKind::Around(..) => {
                Err(Machine::trouble(Some(term.span), "a sequential process was expected here"))
            }
        }
    }
}
