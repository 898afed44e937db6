//! The specification that an object is itself: every operation executed without interruption.
//!
//! *Definition* (R. Paval, *Modeling and Verifying Concurrent Data Structures*, thesis, Eindhoven 2018,
//! section 4.1.2): the body of an operation is one atomic block between its call and its return. The thesis writes that specification by hand for every object and
//! asks for automation; here the interpreter of the object (`machine`) runs one thread from call to
//! return while nobody else moves. All choices are followed (`choose`, `either`, which freed record
//! `new` hands out).
//!
//! An abstract state is the shared memory of the object between operations (`memory`).
//!
//! *A body that cannot finish alone* from a state (it meets a lock that is held, a false `await` or
//! `assume`, or it runs in circles: some state comes twice) has no outcome there. The operation is not
//! possible in that state and stays pending until another one makes it possible. In the thesis the
//! process `Atomic` admits the body and is then stuck for good; such a run of the specification returns
//! nothing more, and what it has shown until then is also shown by the run that has not started the
//! body. So the traces are the same.
//!
//! The bound of a check on the heap does not apply: it leaves out executions of the object, and what is
//! left must not be called wrong because a sequential order of the same operations needs more. Arrays without a stated
//! end have as many cells as in the check; an operation that needs more when it runs alone *goes wrong*, which neither
//! explains nor excludes anything.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use linchpin_lts::{EventKind, FaultKind, Layout, TransitionSystem, Watch};

use super::memory::{Memory, canonical};
use super::{AbstractState, Outcome, SpecFault};
use crate::code::{Instr, Reg};
use crate::machine::{Run, Scratch};
use crate::model::{Granularity, Model};
use crate::program::{Behaviour, Check, Condition, DataDomain, OpId, Program, Role, Unit};
use crate::value::Value;

/// An operation that passes through more states than this when it runs alone is reported.
const MAX_STATES: usize = 100_000;

/// The derived specification of an object.
#[derive(Clone, Debug)]
pub(super) struct Derived {
    model: Model,
    memory: Memory,
    /// Per operation: where it is called in the code, and the registers of its arguments.
    calls: Vec<(u32, Vec<Reg>)>,
}

impl Derived {
    /// Of the object of a check, for so many threads.
    pub(super) fn new(
        program: &Arc<Program>,
        check: &Check,
        threads: u32,
    ) -> Result<Self, SpecFault> {
        let ops = program.objects[check.object.index()].unit.ops.len() as u32;
        let client = Check {
            roles: vec![Role {
                name: "thread".into(),
                threads,
                behaviour: Behaviour::General { ops: (0..ops).map(OpId).collect(), count: None },
            }],
            condition: Condition::Linearizable,
            // Arguments are given; there is nothing to hand out.
            data: vec![DataDomain::Finite(1); check.data.len()],
            heap: None,
            expect: None,
            ..check.clone()
        };
        let model = Model::new(program.clone(), &client, Granularity::REDUCED)
            .map_err(|e| SpecFault::ill_formed(e.span, &e.message))?;
        let code = &model.machine.code;
        let calls = (0..ops).map(|op| {
            let call = (0..).zip(&code.instrs).find_map(|(pc, instr)| match *instr {
                Instr::Call { op: called, args, .. } if called == op => {
                    Some((pc, code.lists[args as usize].clone()))
                }
                _ => None,
            });
            call.ok_or_else(|| SpecFault::ill_formed(check.span, "an operation has no code"))
        });
        let calls = calls.collect::<Result<_, _>>()?;
        let memory = Memory::new(&model);
        Ok(Derived { model, memory, calls })
    }

    /// The same with somebody to ask in the middle of operations that take long.
    pub(super) fn within(&self, watch: &Watch) -> Self {
        let Derived { model, memory, calls } = self.clone();
        Derived { model: model.within(watch), memory, calls }
    }

    pub(super) fn unit(&self) -> &Unit {
        &self.model.object().unit
    }

    /// How its states are made.
    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    fn layout(&self) -> &Layout {
        self.model.layout()
    }

    pub(super) fn initial(&self) -> Result<Vec<AbstractState>, SpecFault> {
        let mut states = BTreeSet::new();
        let mut fault = None;
        self.model.initial(&mut self.model.scratch(), &mut |outcome| match outcome {
            linchpin_lts::Outcome::Next { state, .. } => {
                states.insert(self.memory.fold(state));
            }
            linchpin_lts::Outcome::Fault(kind) => fault = fault.or(Some(kind)),
        });
        match fault {
            None => Ok(states.into_iter().collect()),
            Some(kind) => {
                let unit = self.unit();
                let span = unit.init.as_ref().map_or(unit.span, |init| init.span);
                Err(SpecFault::new(kind, span, "in the initialisation"))
            }
        }
    }

    /// As [`Specification::execute`](super::Specification::execute).
    pub(super) fn execute(
        &self,
        state: &[Value],
        op: OpId,
        args: &[Value],
        thread: u32,
    ) -> Result<Vec<Outcome>, SpecFault> {
        let (machine, layout) = (&self.model.machine, self.layout());
        let (program, proc) = (self.model.program(), self.unit().op(op));
        let me = thread.wrapping_sub(1) as usize;
        if me >= layout.threads {
            return Err(SpecFault::ill_formed(proc.span, "there is no such thread"));
        }
        let block = layout.block(me);
        let (pc, registers) = &self.calls[op.index()];
        let mut start = self.memory.unfold(state);
        start[block] = *pc;
        let mut slots = Vec::new();
        for (arg, param) in args.iter().zip(&proc.locals) {
            arg.flatten(&param.ty, program, &mut slots);
        }
        // An argument that is not needed after the first access has no place in the state.
        let mut given = Vec::new();
        for (&register, &slot) in registers.iter().zip(&slots) {
            if (register as usize) < layout.private {
                start[block + register as usize] = slot;
            } else {
                given.push((register, slot));
            }
        }

        let mut scratch = self.model.scratch();
        let mut outcomes = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut todo = vec![start];
        while let Some(state) = todo.pop() {
            scratch.owners.forget();
            let (mut fault, mut beyond) = (None, false);
            let run = |scratch: &mut Scratch| {
                if state[block] == *pc {
                    given.iter().for_each(|&(r, slot)| scratch.frame[r as usize] = slot);
                }
                machine.run::<false>(scratch, &state, me)
            };
            scratch.each_choice(&machine.watch, run, |scratch, run| match run {
                Run::Done => {
                    let mut events = scratch.events.iter();
                    match events.find(|e| e.kind == EventKind::Return) {
                        Some(event) => {
                            let mut slots = event.values.iter().copied();
                            let result = Value::unflatten(&proc.result, program, &mut slots);
                            outcomes.insert((self.memory.fold(&scratch.work), result));
                        }
                        None => {
                            let next = canonical(layout, &scratch.work);
                            if seen.insert(next.clone()) {
                                todo.push(next);
                            }
                        }
                    }
                }
                Run::Fault(kind, pc) => fault = fault.or(Some((kind, pc))),
                Run::Excluded if scratch.beyond => beyond = true,
                Run::Blocked | Run::Excluded | Run::Finished => {}
            });
            if let Some((kind, pc)) = fault {
                let at = machine.code.debug[pc as usize].expr;
                let message = format!("in `{}`, executed alone", proc.name);
                return Err(SpecFault::new(kind, at, message));
            }
            if beyond {
                let message = format!(
                    "`{}`, executed alone, needs more cells of an array without a stated end",
                    proc.name
                );
                return Err(SpecFault::new(FaultKind::IndexOutOfRange, proc.span, message));
            }
            if seen.len() > MAX_STATES {
                let message = format!("`{}`, executed alone, does not come to an end", proc.name);
                return Err(SpecFault::new(FaultKind::Divergence, proc.span, message));
            }
        }
        Ok(outcomes.into_iter().collect())
    }

    /// Do outcomes depend on the thread that calls? Locks and load-linked places count: they are
    /// slots that hold threads or belong to one.
    pub(super) fn uses_caller(&self) -> bool {
        self.memory.names_threads() || self.model.machine.frame.self_thread.is_some()
    }

    pub(super) fn tells_threads_apart(&self) -> bool {
        !self.layout().thread_symmetric
    }
}
