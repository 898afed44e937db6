//! A state of an object as a reader wants to see it: variables and heap, by name.
//!
//! In the unreduced model a node keeps its number as long as it lives, so the names of nodes do not
//! change from one state of an execution to the next.

use linchpin_lin::display::display_value;
use linchpin_lin::program::{Program, Type};
use linchpin_lin::{Model, Value};
use linchpin_lts::{FREED, SlotKind, TransitionSystem};

/// What memory looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The variables of the object, in the order of declaration.
    pub variables: Vec<Cell>,
    /// The nodes that a variable, a thread or another such node refers to; where leaks are looked for, also those that
    /// nobody refers to and that are not free.
    pub nodes: Vec<Node>,
    /// Per thread: its local variables that still matter; in a film also those that did before.
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
    /// What it consists of, if it is an array (elements by number), one value per thread (`T1`), a structure (fields by
    /// name) or a tuple (numbers).
    pub parts: Vec<Cell>,
    /// A local variable that its operation does not need any more, with its last value.
    pub past: bool,
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
    let mut variables = Vec::new();
    // Where the next variable begins: among the globals, in the shared part of a thread's block.
    let (mut global, mut shared) = (0, layout.private);
    for var in &model.object().unit.vars {
        let width = var.ty.slots(program);
        if let Type::PerThread(element) = &var.ty {
            let of = |t: usize| {
                let slots = &state[layout.block(t) + shared..][..width];
                cell(program, &format!("T{}", t + 1), element, slots, &layout.thread[shared..])
            };
            let parts: Vec<Cell> = (0..layout.threads).map(of).collect();
            let values: Vec<&str> = parts.iter().map(|p| p.value.as_str()).collect();
            let (name, value) = (var.name.clone(), format!("[{}]", values.join(", ")));
            let refers = parts.iter().flat_map(|p| p.refers.clone()).collect();
            variables.push(Cell { name, value, refers, parts, past: false });
            shared += width;
        } else {
            let slots = &state[global..][..width];
            variables.push(cell(program, &var.name, &var.ty, slots, &layout.globals[global..]));
            global += width;
        }
    }
    let nodes = reachable(model, state).into_iter().map(|n| {
        let at = layout.node(n);
        let record = &program.records[(state[at] & (FREED - 1)) as usize - 1];
        let kinds = layout.fields(state[at]);
        let mut from = 0;
        let fields = record.fields.iter().map(|f| {
            let width = f.ty.slots(program);
            let slots = &state[at + 1 + from..][..width];
            let field = cell(program, &f.name, &f.ty, slots, &kinds[from..]);
            from += width;
            field
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
            cell(program, name, ty, &state[at], kinds)
        });
        locals.collect()
    });
    Snapshot { variables, nodes, locals: locals.collect() }
}

/// A place with what it consists of. `kinds` says what its slots are, and perhaps those behind it.
fn cell(program: &Program, name: &str, ty: &Type, slots: &[u32], kinds: &[SlotKind]) -> Cell {
    let value = Value::unflatten(ty, program, &mut slots.iter().copied());
    let mut from = 0;
    let mut part = |name: &str, ty: &Type| {
        let width = ty.slots(program);
        let part = cell(program, name, ty, &slots[from..from + width], &kinds[from..]);
        from += width;
        part
    };
    let parts = match ty {
        Type::Array(element, n) | Type::Endless(element, n) => {
            (0..*n).map(|i| part(&i.to_string(), element)).collect()
        }
        Type::Tuple(types) => (0..).zip(types).map(|(i, ty)| part(&i.to_string(), ty)).collect(),
        Type::Struct(id) => {
            let fields = &program.structs[id.index()].fields;
            let parts: Vec<_> = fields.iter().map(|f| part(&f.name, &f.ty)).collect();
            match (&value, program.sum(ty)) {
                // What a variant carries has no names; what the others carry is not there.
                (Value::Tuple(values), Some(_)) => {
                    let carried = program.variant(ty, values).map_or(0..0, |(_, carried)| carried);
                    let own = parts.into_iter().skip(carried.start).take(carried.len());
                    own.enumerate().map(|(i, p)| Cell { name: i.to_string(), ..p }).collect()
                }
                _ => parts,
            }
        }
        _ => Vec::new(),
    };
    Cell {
        name: name.to_string(),
        value: display_value(&value, ty, program),
        refers: names(kinds, slots).collect(),
        parts,
        past: false,
    }
}

/// The names of the nodes that slots refer to.
fn names(kinds: &[SlotKind], slots: &[u32]) -> impl Iterator<Item = String> {
    let references = kinds.iter().zip(slots).filter(|(k, n)| **k == SlotKind::Ref && **n != 0);
    references.map(|(_, n)| format!("n{n}"))
}

/// The nodes that are shown, in the order of their numbers.
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
    let kept = |n: u32| layout.lost.is_some() && state[layout.node(n)] & FREED == 0;
    let nodes = (1..).zip(marked).filter(|(n, marked)| *marked || kept(*n)).map(|(n, _)| n);
    nodes.filter(|&n| state[layout.node(n)] & (FREED - 1) != 0).collect()
}
