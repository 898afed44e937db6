//! Recursion without an event in between.
//!
//! A process may call itself below a condition before anything happens: `P(i) = [x < i] P(i - 1) [] ...`.
//! Unfolding such a process whatever the variables are would not end, so the condition is marked: what
//! is below it is unfolded only in states in which it holds, as PAT does with every condition.

use linchpin_engine::components;

use crate::ast::Op;
use crate::program::{DefId, NodeId, NodeKind, Program};

/// Marks the conditions above recursion.
pub(super) fn mark(program: &mut Program) {
    let count = program.definitions.len();
    let mut calls: Vec<Vec<DefId>> = Vec::with_capacity(count);
    for definition in &program.definitions {
        let mut list = Vec::new();
        each(program, definition.body, &mut |_, node| {
            if let NodeKind::Call(callee, ..) = &program.nodes[node as usize].kind {
                list.push(*callee);
            }
        });
        calls.push(list);
    }
    // A call leads back to the caller if both are in one component.
    let component = components(count as u32, |d, cursor| {
        *cursor += 1;
        calls[d as usize].get(*cursor - 1).copied()
    });
    let mut marked = Vec::new();
    for (d, definition) in program.definitions.iter().enumerate() {
        each(program, definition.body, &mut |above, node| {
            if let NodeKind::Call(callee, ..) = &program.nodes[node as usize].kind
                && component[*callee as usize] == component[d]
            {
                marked.extend_from_slice(above);
            }
        });
    }
    for node in marked {
        program.nodes[node as usize].lazy = true;
    }
}

/// Visits everything that is unfolded together with a node, with the conditions above it that depend
/// on variables.
fn each(program: &Program, node: NodeId, visit: &mut dyn FnMut(&[NodeId], NodeId)) {
    let mut todo: Vec<(NodeId, Vec<NodeId>)> = vec![(node, Vec::new())];
    while let Some((id, mut above)) = todo.pop() {
        visit(&above, id);
        match &program.nodes[id as usize].kind {
            NodeKind::Guard(e, inner) => {
                if e.reads_state() {
                    above.push(id);
                }
                todo.push((*inner, above));
            }
            NodeKind::IfAtomic(e, a, b) => {
                if e.reads_state() {
                    above.push(id);
                }
                todo.push((*a, above.clone()));
                todo.push((*b, above));
            }
            NodeKind::Sequence(a, b) => {
                if program.is_written_skip(*a) {
                    todo.push((*b, above.clone()));
                }
                todo.push((*a, above));
            }
            NodeKind::Atomic(inner)
            | NodeKind::Hide(inner, _)
            | NodeKind::Many(inner)
            | NodeKind::Replicated(_, inner) => todo.push((*inner, above)),
            NodeKind::Interrupt(a, b) => {
                todo.push((*a, above.clone()));
                todo.push((*b, above));
            }
            NodeKind::Nary(op, parts) if *op != Op::Internal => {
                todo.extend(parts.iter().map(|&p| (p, above.clone())));
            }
            NodeKind::Indexed(op, _, inner) if *op != Op::Internal => todo.push((*inner, above)),
            _ => {}
        }
    }
}
