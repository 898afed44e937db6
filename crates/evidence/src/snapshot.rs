//! A state of an object as a reader wants to see it: variables and heap, by name.
//!
//! In the unreduced model a node keeps its number as long as it lives, so the names of nodes do not
//! change from one state of an execution to the next.

use linchpin_lin::display::display_value;
use linchpin_lin::program::Type;
use linchpin_lin::{Model, Value};
use linchpin_lts::{FREED, SlotKind, TransitionSystem};

/// What memory looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The variables of the object, in the order of declaration.
    pub variables: Vec<Cell>,
    /// The nodes that a variable, a thread or another such node refers to.
    pub nodes: Vec<Node>,
    /// Per thread: its local variables that still matter.
    pub locals: Vec<Vec<Cell>>,
}

/// A place with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// `top`, `next`
    pub name: String,
    /// `n1`, `3`, `(n1, 2)`
    pub value: String,
    /// The nodes that the value refers to.
    pub refers: Vec<String>,
}

/// A node on the heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// `n1`
    pub name: String,
    /// The name of its record type.
    pub record: String,
    /// Its fields.
    pub fields: Vec<Cell>,
    /// It has been given back.
    pub freed: bool,
}

/// The memory in a state of a model.
pub fn snapshot(model: &Model, state: &[u32]) -> Snapshot {
    let (program, layout) = (model.program(), model.layout());
    let show = |ty: &Type, slots: &[u32]| {
        let value = Value::unflatten(ty, program, &mut slots.iter().copied());
        display_value(&value, ty, program)
    };
    let mut variables = Vec::new();
    // Where the next variable begins: among the globals, in the shared part of a thread's block.
    let (mut global, mut shared) = (0, layout.private);
    for var in &model.object().unit.vars {
        let width = var.ty.slots(program);
        let mut refers = Vec::new();
        let value = match &var.ty {
            Type::PerThread(element) => {
                let mut values = Vec::new();
                for t in 0..layout.threads {
                    let slots = &state[layout.block(t) + shared..][..width];
                    values.push(show(element, slots));
                    refers.extend(names(&layout.thread[shared..], slots));
                }
                shared += width;
                format!("[{}]", values.join(", "))
            }
            ty => {
                let slots = &state[global..][..width];
                refers.extend(names(&layout.globals[global..], slots));
                global += width;
                show(ty, slots)
            }
        };
        variables.push(Cell { name: var.name.clone(), value, refers });
    }
    let nodes = reachable(model, state).into_iter().map(|n| {
        let at = layout.node(n);
        let record = &program.records[(state[at] & (FREED - 1)) as usize - 1];
        let kinds = layout.fields(state[at]);
        let mut from = 0;
        let fields = record.fields.iter().map(|f| {
            let width = f.ty.slots(program);
            let slots = &state[at + 1 + from..][..width];
            let refers = names(&kinds[from..], slots).collect();
            from += width;
            Cell { name: f.name.clone(), value: show(&f.ty, slots), refers }
        });
        Node {
            name: format!("n{n}"),
            record: record.name.clone(),
            fields: fields.collect(),
            freed: state[at] & FREED != 0,
        }
    });
    let nodes = nodes.collect();
    let locals = (0..layout.threads).map(|t| {
        let locals = model.locals(state, t as u32).into_iter().map(|(name, ty, at)| {
            let kinds = &layout.thread[at.start - layout.block(t)..];
            let slots = &state[at];
            let refers = names(kinds, slots).collect();
            Cell { name: name.to_string(), value: show(ty, slots), refers }
        });
        locals.collect()
    });
    Snapshot { variables, nodes, locals: locals.collect() }
}

/// The names of the nodes that slots refer to.
fn names(kinds: &[SlotKind], slots: &[u32]) -> impl Iterator<Item = String> {
    let references = kinds.iter().zip(slots).filter(|(k, n)| **k == SlotKind::Ref && **n != 0);
    references.map(|(_, n)| format!("n{n}"))
}

/// The nodes that can be reached from variables and threads, in the order of their numbers.
fn reachable(model: &Model, state: &[u32]) -> Vec<u32> {
    let layout = model.layout();
    let mut marked = vec![false; layout.nodes(state)];
    let mut todo = Vec::new();
    let references = |kinds: &[SlotKind], at: usize, todo: &mut Vec<u32>| {
        let slots = kinds.iter().zip(&state[at..]);
        todo.extend(slots.filter(|(k, n)| **k == SlotKind::Ref && **n != 0).map(|(_, n)| *n));
    };
    references(&layout.globals, 0, &mut todo);
    for t in 0..layout.threads {
        references(&layout.thread, layout.block(t), &mut todo);
    }
    while let Some(n) = todo.pop() {
        let Some(mark) = marked.get_mut(n as usize - 1) else { continue };
        if !std::mem::replace(mark, true) {
            let at = layout.node(n);
            // A tag of 0 would be a node that was never allocated.
            if state[at] & (FREED - 1) != 0 {
                references(layout.fields(state[at]), at + 1, &mut todo);
            }
        }
    }
    let nodes = (1..).zip(marked).filter(|(_, marked)| *marked).map(|(n, _)| n);
    nodes.filter(|&n| state[layout.node(n)] & (FREED - 1) != 0).collect()
}
