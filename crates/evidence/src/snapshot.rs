//! A state of an object as a reader wants to see it: variables and heap, by name.

use linchpin_lts::{FREED, SlotKind, TransitionSystem};
use linchpin_model::display::display_value;
use linchpin_model::program::Type;
use linchpin_model::{Model, Value};

/// What shared memory looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Names and values of the variables of the object, in the order of declaration.
    pub variables: Vec<(String, String)>,
    /// The nodes that a variable, a thread or another such node refers to.
    pub nodes: Vec<Node>,
}

/// A node on the heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// `n1`
    pub name: String,
    /// The name of its record type.
    pub record: String,
    /// Names and values of its fields.
    pub fields: Vec<(String, String)>,
    /// It has been given back.
    pub freed: bool,
}

/// The shared memory in a state of a model.
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
        let text = match &var.ty {
            Type::PerThread(element) => {
                let values: Vec<_> = (0..layout.threads)
                    .map(|t| show(element, &state[layout.block(t) + shared..][..width]))
                    .collect();
                shared += width;
                format!("[{}]", values.join(", "))
            }
            ty => {
                let text = show(ty, &state[global..][..width]);
                global += width;
                text
            }
        };
        variables.push((var.name.clone(), text));
    }
    let nodes = reachable(model, state).into_iter().map(|n| {
        let at = layout.node(n);
        let record = &program.records[(state[at] & (FREED - 1)) as usize - 1];
        let mut from = at + 1;
        let fields = record.fields.iter().map(|f| {
            let width = f.ty.slots(program);
            from += width;
            (f.name.clone(), show(&f.ty, &state[from - width..from]))
        });
        Node {
            name: format!("n{n}"),
            record: record.name.clone(),
            fields: fields.collect(),
            freed: state[at] & FREED != 0,
        }
    });
    Snapshot { variables, nodes: nodes.collect() }
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
