//! An object and its clients as a labelled system whose labels say everything that a client sees.
//!
//! Calls and returns are visible with their values, everything else is silent. (In `threads` labels have
//! no values, and threads that wait are seen.) Every access is a step, as in the
//! unreduced model; only dead variables are reset and heap nodes renumbered, which strong
//! bisimulation does not notice. Several initial states are chosen from by a silent step. A fault is
//! a visible step after which nothing happens.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use linchpin_engine::{Canonical, Merging};
use linchpin_lin::display::{display_call, display_value};
use linchpin_lin::program::{Check, OpId, Program, Type};
use linchpin_lin::{Granularity, Model, Scratch, Unsupported, Value};
use linchpin_lts::{
    Event, EventKind, Events, FaultKind, Label, LabelledSystem, Limit, Loading, Move, NewNumbers,
    Outcome, Renumber, Saving, TAU, TransitionSystem, Trouble, Watch,
};

const GRANULARITY: Granularity = Granularity { dead: true, ..Granularity::UNREDUCED };
const MERGING: Merging = Merging { heap: true, threads: false, data: false };

/// The state before the choice of an initial state, and the one after a fault. Others are longer.
const BEFORE: &[u32] = &[0];
const FAULTED: &[u32] = &[1];

/// The system of a check.
pub struct Clients {
    model: Model,
    labels: Mutex<Labels>,
}

/// Texts of labels and their numbers.
struct Labels {
    numbers: HashMap<String, Label>,
    texts: Vec<String>,
}

/// What a worker needs.
pub struct Memory {
    scratch: Scratch,
    /// Labels this worker has met, by what they say.
    known: HashMap<(EventKind, u32, u32, Vec<u32>), Label>,
}

impl Clients {
    /// The clients of a check.
    pub fn new(
        program: Arc<Program>,
        check: &Check,
        watch: &Watch,
    ) -> Result<Clients, Unsupported> {
        let model = Model::new(program, check, GRANULARITY)?.within(watch);
        let labels = Labels { numbers: HashMap::new(), texts: vec!["tau".to_string()] };
        Ok(Clients { model, labels: Mutex::new(labels) })
    }

    fn number(&self, text: String) -> Label {
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        let Labels { numbers, texts } = &mut *labels;
        *numbers.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            (texts.len() - 1) as Label
        })
    }

    /// The label of the events of a step.
    fn label_of(
        &self,
        known: &mut HashMap<(EventKind, u32, u32, Vec<u32>), Label>,
        events: &Events,
    ) -> Label {
        let mut events = events.iter().filter(|e| e.kind != EventKind::Point);
        let Some(event) = events.next() else { return TAU };
        let more: Vec<Event<'_>> = events.collect();
        if more.is_empty() {
            let key = (event.kind, event.thread, event.op, event.values.to_vec());
            return *known.entry(key).or_insert_with(|| self.number(self.words(&event)));
        }
        let all: Vec<String> =
            std::iter::once(&event).chain(&more).map(|e| self.words(e)).collect();
        self.number(all.join("; "))
    }

    /// `T1: call push(1)`, `T1: return pop = 2`
    fn words(&self, event: &Event<'_>) -> String {
        let program = self.model.program();
        let op = self.model.object().unit.op(OpId(event.op));
        let thread = event.thread + 1;
        let mut slots = event.values.iter().copied();
        let mut value = |ty: &Type| Value::unflatten(ty, program, &mut slots);
        match event.kind {
            EventKind::Call => {
                let params = &op.locals[..op.params as usize];
                let args: Vec<Value> = params.iter().map(|p| value(&p.ty)).collect();
                format!("T{thread}: call {}", display_call(op, &args, program))
            }
            _ if op.result == Type::Unit => format!("T{thread}: return {}", op.name),
            _ => {
                let result = display_value(&value(&op.result), &op.result, program);
                format!("T{thread}: return {} = {result}", op.name)
            }
        }
    }

    /// Pushes a state with its heap renumbered.
    fn emit(
        &self,
        canonical: &mut Canonical<'_>,
        label: Label,
        by: &[u32],
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) {
        let (state, _) = canonical.canonical(state, &[], &|_, _| false);
        emit(Move { label, by, state });
    }
}

/// What labels of another run are called.
struct Renumbered(NewNumbers);

impl Renumber for Renumbered {
    fn label(&self, label: Label) -> io::Result<Label> {
        self.0.get(label)
    }
}

impl LabelledSystem for Clients {
    type Scratch = Memory;

    fn scratch(&self) -> Memory {
        Memory { scratch: self.model.scratch(), known: HashMap::new() }
    }

    fn width(&self) -> usize {
        let layout = self.model.layout();
        layout.globals.len() + layout.threads * layout.thread.len()
    }

    fn initial(&self, _: &mut Memory) -> Result<Vec<u32>, Trouble> {
        Ok(BEFORE.to_vec())
    }

    fn successors(
        &self,
        memory: &mut Memory,
        state: &[u32],
        emit: &mut dyn FnMut(Move<'_>),
    ) -> Result<(), Trouble> {
        let Memory { scratch, known } = memory;
        let mut canonical = Canonical::new(self.model.layout(), MERGING);
        let too_long = || Trouble::new(Limit::TOO_LONG);
        let mut given_up = None;
        if state == BEFORE {
            self.model.initial(scratch, &mut |outcome| match outcome {
                Outcome::Next { state, .. } => self.emit(&mut canonical, TAU, &[], state, emit),
                Outcome::Fault(FaultKind::TooLong) => given_up = Some(too_long()),
                Outcome::Fault(FaultKind::Stopped(limit)) => given_up = Some(limit.into()),
                Outcome::Fault(kind) => {
                    let label = self.number(format!("fault {}", kind.name()));
                    emit(Move { label, by: &[], state: FAULTED });
                }
            });
        } else if state != FAULTED {
            self.model.successors(scratch, state, &mut |step| match step.outcome {
                Outcome::Next { state, events } => {
                    let label = self.label_of(known, events);
                    self.emit(&mut canonical, label, &[step.thread], state, emit);
                }
                Outcome::Fault(FaultKind::TooLong) => given_up = Some(too_long()),
                Outcome::Fault(FaultKind::Stopped(limit)) => given_up = Some(limit.into()),
                Outcome::Fault(kind) => {
                    let text = format!("T{}: fault {}", step.thread + 1, kind.name());
                    emit(Move { label: self.number(text), by: &[step.thread], state: FAULTED });
                }
            });
        }
        given_up.map_or(Ok(()), Err)
    }

    fn save(&self, out: &mut Saving<'_>) -> io::Result<()> {
        let labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        out.things(labels.texts.iter())
    }

    fn load<'a>(&'a self, from: &mut Loading<'_>) -> io::Result<Box<dyn Renumber + 'a>> {
        Ok(Box::new(Renumbered(from.things(|text: String, new| match new.0.len() as Label {
            TAU => Ok(TAU),
            _ => Ok(self.number(text)),
        })?)))
    }

    fn label(&self, label: Label) -> String {
        let labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        labels.texts[label as usize].clone()
    }
}
