//! How large numbers and the heap of an object are in a state, by name: for advice on what keeps growing.

use linchpin_lts::TransitionSystem;

use crate::Model;
use crate::program::{Program, Type};

/// A number that can grow: a name, and the slots that it is about.
struct Number {
    name: String,
    /// Within the globals, or within the fields of nodes with this tag.
    of: Option<u32>,
    slots: Vec<usize>,
}

impl Model {
    /// The names of what [`Model::sizes`] tells, but for the last.
    pub fn size_names(&self) -> Vec<String> {
        self.numbers().into_iter().map(|number| number.name).collect()
    }

    /// The greatest absolute value of every variable and field that holds numbers, then the number of nodes.
    pub fn sizes(&self, state: &[u32]) -> Vec<i64> {
        let layout = self.layout();
        let nodes = layout.nodes(state);
        let size = |slot: u32| i64::from(slot.cast_signed()).abs();
        let of_number = |number: Number| match number.of {
            None => number.slots.iter().map(|&i| size(state[i])).max().unwrap_or(0),
            Some(tag) => (1..=nodes as u32)
                .map(|node| layout.node(node))
                .filter(|&at| state[at] == tag)
                .flat_map(|at| number.slots.iter().map(move |&i| size(state[at + 1 + i])))
                .max()
                .unwrap_or(0),
        };
        let mut sizes: Vec<i64> = self.numbers().into_iter().map(of_number).collect();
        sizes.push(nodes as i64);
        sizes
    }

    fn numbers(&self) -> Vec<Number> {
        let (program, mut numbers) = (self.program(), Vec::new());
        let mut at = 0;
        for var in &self.object().unit.vars {
            if matches!(var.ty, Type::PerThread(_)) {
                continue;
            }
            let mut slots = Vec::new();
            integers(&var.ty, program, &mut at, &mut slots);
            if !slots.is_empty() {
                numbers.push(Number { name: var.name.clone(), of: None, slots });
            }
        }
        for (i, record) in program.records.iter().enumerate() {
            let mut at = 0;
            for field in &record.fields {
                let mut slots = Vec::new();
                integers(&field.ty, program, &mut at, &mut slots);
                if !slots.is_empty() {
                    let name = format!("{}.{}", record.name, field.name);
                    numbers.push(Number { name, of: Some(i as u32 + 1), slots });
                }
            }
        }
        numbers
    }
}

/// Which slots of a value that begins at `at` are numbers; moves behind it.
fn integers(ty: &Type, program: &Program, at: &mut usize, out: &mut Vec<usize>) {
    match ty {
        Type::Int { .. } => {
            out.push(*at);
            *at += 1;
        }
        Type::Option(inner) => {
            *at += 1;
            integers(inner, program, at, out);
        }
        Type::Tuple(_) | Type::Struct(_) | Type::Array(..) | Type::Endless(..) => {
            for part in crate::flatten::part_types(ty, program) {
                integers(&part, program, at, out);
            }
        }
        other => *at += other.slots(program),
    }
}
