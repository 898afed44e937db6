//! Expressions that somebody watches, evaluated with the code that executes specifications.
//!
//! The state of an object is slots; here it becomes values once, and an expression reads them: its variables, and the
//! fields of its nodes. Nothing is changed, so there is nothing to write back.

use std::sync::Arc;

use linchpin_lts::{Layout, TransitionSystem, Watch};

use super::exec::{Run, Stop};
use super::script::Script;
use super::{AbstractState, Source, SpecFault, Specification};
use crate::model::Model;
use crate::program::{Expr, Program, Type};
use crate::value::Value;

/// The bits of the tag of a node that say of which type it is.
const RECORD: u32 = linchpin_lts::FREED - 1;

/// Evaluates expressions in states of a model.
#[derive(Clone, Debug)]
pub struct Observer {
    variables: Specification,
    layout: Layout,
}

/// The memory of an object at a moment.
#[derive(Clone, Debug)]
pub struct Moment {
    variables: AbstractState,
    /// Of every node that there is, or has been, its fields.
    heap: Vec<Vec<Value>>,
}

impl Observer {
    /// Of the object of a model.
    pub fn new(model: &Model) -> Self {
        let (program, object) = (Arc::clone(&model.program), model.check.object);
        let (threads, watch) = (model.threads(), model.watch().clone());
        let source = Source::Watched(object);
        let variables =
            Specification { program, source, threads, watch, coverage: None, halved: 0 };
        Observer { variables, layout: model.layout().clone() }
    }

    /// The memory in a state.
    pub fn moment(&self, state: &[u32]) -> Moment {
        let (program, layout) = (self.variables.program(), &self.layout);
        let (mut global, mut shared) = (0, layout.private);
        let mut variables = Vec::new();
        for var in &self.variables.unit().vars {
            let width = var.ty.slots(program);
            variables.push(match &var.ty {
                Type::PerThread(element) => {
                    let at = |t| read(program, element, &state[layout.block(t) + shared..]);
                    let all = (0..layout.threads).map(at).collect();
                    shared += width;
                    Value::Tuple(all)
                }
                ty => {
                    global += width;
                    read(program, ty, &state[global - width..])
                }
            });
        }
        let node = |n: u32| {
            let at = layout.node(n);
            // A tag of 0 is a node that was never there.
            let Some(record) = (state[at] & RECORD).checked_sub(1) else { return Vec::new() };
            let mut from = at + 1;
            let fields = program.records[record as usize].fields.iter().map(|f| {
                let value = read(program, &f.ty, &state[from..]);
                from += f.ty.slots(program);
                value
            });
            fields.collect()
        };
        let mut heap: Vec<_> = (1..=layout.nodes(state) as u32).map(node).collect();
        if heap.is_empty() {
            // Where there is no node, `null` still has no fields.
            heap.push(Vec::new());
        }
        Moment { variables, heap }
    }

    /// A value that is stored in slots.
    pub fn value(&self, ty: &Type, slots: &[u32]) -> Value {
        read(self.variables.program(), ty, slots)
    }

    /// The value of an expression, given what its names stand for.
    ///
    /// # Errors
    /// If it cannot be computed: in words.
    pub fn evaluate(
        &self,
        moment: &Moment,
        expr: &Expr,
        given: Vec<Value>,
    ) -> Result<Value, SpecFault> {
        let mut script = Script::new();
        let mut run = Run::new(&self.variables, moment.variables.clone(), 0, &mut script);
        run.heap = &moment.heap;
        run.frame = given;
        run.eval(expr).map_err(|stop| match stop {
            Stop::Fault(fault) => fault,
            Stop::Blocked => SpecFault::ill_formed(expr.span, "it has no value"),
        })
    }

    /// Whom it asks in the middle of expressions that take long.
    pub fn watch(&self) -> &Watch {
        &self.variables.watch
    }
}

fn read(program: &Program, ty: &Type, slots: &[u32]) -> Value {
    Value::unflatten(ty, program, &mut slots.iter().copied())
}
