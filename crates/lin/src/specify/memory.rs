//! Abstract states of a derived specification: the shared memory of an object between operations.
//!
//! Slot by slot, each a [`Value`] of its kind so that opaque values and threads can be renamed:
//! variables, then what belongs to each thread (`[T; threads]` variables, load-linked places), then
//! the records on the heap, each as its tag and its fields.
//!
//! Records are numbered in the order a traversal meets them and what nobody reaches is left out, so
//! that neither garbage nor the order of allocation tells states apart. A freed record stays exactly
//! as long as something refers to it: `new` may hand it out again, and then the reference and the new
//! record are equal. A freed record that nobody refers to is as good as none.

use std::sync::Arc;

use linchpin_lts::{FREED, Layout, SlotKind, TransitionSystem, threads_in};

use super::AbstractState;
use crate::display::display_value;
use crate::model::Model;
use crate::program::{DataId, Program, Type, Var};
use crate::value::Value;

/// What the abstract states of an object look like.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    program: Arc<Program>,
    layout: Layout,
    vars: Vec<Var>,
    /// The private part of the block of a thread between operations.
    idle: Vec<u32>,
}

impl Memory {
    pub(super) fn new(model: &Model) -> Self {
        let layout = model.layout().clone();
        let block = if layout.threads == 0 { 0 } else { layout.block(0) };
        let idle = model.template().get(block..block + layout.private).unwrap_or_default().to_vec();
        let vars = model.object().unit.vars.clone();
        Memory { program: model.program().clone(), layout, vars, idle }
    }

    /// Do states contain threads, or parts that belong to threads?
    pub(super) fn names_threads(&self) -> bool {
        let l = &self.layout;
        let kinds = l.globals.iter().chain(l.records.iter().flatten());
        l.thread.len() > l.private || kinds.into_iter().any(|k| *k == SlotKind::Thread)
    }

    /// The abstract state in a state of the object in which no thread is inside an operation.
    pub(super) fn fold(&self, state: &[u32]) -> AbstractState {
        let l = &self.layout;
        let mut shared = state.to_vec();
        for t in 0..l.threads {
            let at = l.block(t);
            shared[at..at + l.private].copy_from_slice(&self.idle);
        }
        let shared = canonical(l, &shared);
        let mut values = Vec::with_capacity(shared.len());
        self.each(&shared, &mut |kind, slot| values.push(value(kind, slot)));
        values
    }

    /// The state of the object for an abstract state, all threads between operations.
    pub(super) fn unfold(&self, state: &[Value]) -> Vec<u32> {
        let l = &self.layout;
        let mut values = state.iter().map(slot);
        let mut slots: Vec<u32> = values.by_ref().take(l.globals.len()).collect();
        for _ in 0..l.threads {
            slots.extend_from_slice(&self.idle);
            slots.extend(values.by_ref().take(l.thread.len() - l.private));
        }
        while let Some(tag) = values.next() {
            let end = slots.len() + l.stride;
            slots.push(tag);
            slots.extend(values.by_ref().take(l.fields(tag).len()));
            slots.resize(end, 0);
        }
        slots
    }

    pub(super) fn visit_data(&self, state: &[Value], note: &mut dyn FnMut(DataId, u32)) {
        self.each(&self.unfold(state), &mut |kind, slot| {
            if let SlotKind::Data(ty) = kind
                && slot != 0
            {
                note(DataId(ty), slot);
            }
        });
    }

    pub(super) fn rename(
        &self,
        state: &[Value],
        data: &mut dyn FnMut(DataId, u32) -> u32,
        thread: &mut dyn FnMut(u32) -> u32,
    ) -> AbstractState {
        let l = &self.layout;
        let old = self.unfold(state);
        let mut new = old.clone();
        // What belongs to a thread moves with it.
        let targets: Vec<usize> = (1..=l.threads as u32).map(|t| thread(t) as usize - 1).collect();
        let mut rename = |kinds: &[SlotKind], from: usize, to: usize| {
            for (i, kind) in kinds.iter().enumerate() {
                new[to + i] = match (kind, old[from + i]) {
                    (_, 0) => 0,
                    (SlotKind::Data(ty), slot) => data(DataId(*ty), slot),
                    (SlotKind::Thread, slot) => thread(slot),
                    (SlotKind::Threads, set) => {
                        threads_in(set).fold(0, |set, t| set | 1 << (thread(t) - 1))
                    }
                    (SlotKind::Scalar | SlotKind::Ref, slot) => slot,
                };
            }
        };
        rename(&l.globals, 0, 0);
        for n in 1..=l.nodes(&old) as u32 {
            let at = l.node(n);
            rename(l.fields(old[at]), at + 1, at + 1);
        }
        for (t, to) in targets.into_iter().enumerate() {
            rename(&l.thread[l.private..], l.block(t) + l.private, l.block(to) + l.private);
        }
        self.fold(&new)
    }

    /// A state in words: one text for each variable and for each record.
    pub(super) fn describe(&self, state: &[Value]) -> Vec<String> {
        let (l, program) = (&self.layout, &self.program);
        let slots = self.unfold(state);
        let show = |ty: &Type, at: usize| {
            let value = Value::unflatten(ty, program, &mut slots[at..].iter().copied());
            display_value(&value, ty, program)
        };
        let mut texts = Vec::new();
        let (mut global, mut shared) = (0, l.private);
        for var in &self.vars {
            let width = var.ty.slots(program);
            let text = match &var.ty {
                Type::PerThread(element) => {
                    shared += width;
                    let values = (0..l.threads).map(|t| show(element, l.block(t) + shared - width));
                    format!("[{}]", values.collect::<Vec<_>>().join(", "))
                }
                ty => {
                    global += width;
                    show(ty, global - width)
                }
            };
            texts.push(format!("{} = {text}", var.name));
        }
        for n in 1..=l.nodes(&slots) as u32 {
            let at = l.node(n);
            let record = &program.records[(slots[at] & (FREED - 1)) as usize - 1];
            let mut from = at + 1;
            let fields = record.fields.iter().map(|f| {
                let text = format!("{}: {}", f.name, show(&f.ty, from));
                from += f.ty.slots(program);
                text
            });
            let fields = fields.collect::<Vec<_>>().join(", ");
            let freed = if slots[at] & FREED == 0 { "" } else { " (freed)" };
            texts.push(format!("n{n} = {} {{ {fields} }}{freed}", record.name));
        }
        texts
    }

    /// Calls `visit` for every slot of the shared memory, in the order of an abstract state.
    fn each(&self, state: &[u32], visit: &mut dyn FnMut(SlotKind, u32)) {
        let l = &self.layout;
        let mut part = |kinds: &[SlotKind], at: usize| {
            kinds.iter().zip(&state[at..]).for_each(|(kind, slot)| visit(*kind, *slot));
        };
        part(&l.globals, 0);
        for t in 0..l.threads {
            part(&l.thread[l.private..], l.block(t) + l.private);
        }
        for n in 1..=l.nodes(state) as u32 {
            let at = l.node(n);
            part(&[SlotKind::Scalar], at);
            part(l.fields(state[at]), at + 1);
        }
    }
}

fn value(kind: SlotKind, slot: u32) -> Value {
    match kind {
        SlotKind::Scalar | SlotKind::Threads => Value::Int(slot.cast_signed()),
        SlotKind::Ref => Value::Ref(slot),
        SlotKind::Data(_) => Value::Data(slot),
        SlotKind::Thread => Value::Thread(slot),
    }
}

fn slot(value: &Value) -> u32 {
    match value {
        Value::Int(n) => n.cast_unsigned(),
        Value::Ref(n) | Value::Data(n) | Value::Thread(n) => *n,
        _ => 0,
    }
}

/// A state with its records numbered as a traversal from variables and threads meets them; the others
/// are left out.
pub(super) fn canonical(l: &Layout, state: &[u32]) -> Vec<u32> {
    let mut number = vec![0; l.nodes(state) + 1];
    let mut nodes: Vec<u32> = Vec::new();
    let mut meet = |kinds: &[SlotKind], at: usize, nodes: &mut Vec<u32>| {
        for (kind, &node) in kinds.iter().zip(&state[at..]) {
            if *kind == SlotKind::Ref && node != 0 && number[node as usize] == 0 {
                nodes.push(node);
                number[node as usize] = nodes.len() as u32;
            }
        }
    };
    meet(&l.globals, 0, &mut nodes);
    for t in 0..l.threads {
        meet(&l.thread, l.block(t), &mut nodes);
    }
    let mut scanned = 0;
    while let Some(&node) = nodes.get(scanned) {
        scanned += 1;
        let at = l.node(node);
        if state[at] & FREED == 0 || l.stable {
            meet(l.fields(state[at]), at + 1, &mut nodes);
        }
    }
    let mut out = Vec::with_capacity(state.len());
    let copy = |kinds: &[SlotKind], at: usize, out: &mut Vec<u32>| {
        out.extend(kinds.iter().zip(&state[at..]).map(|(kind, &slot)| match kind {
            SlotKind::Ref => number[slot as usize],
            _ => slot,
        }));
    };
    copy(&l.globals, 0, &mut out);
    for t in 0..l.threads {
        copy(&l.thread, l.block(t), &mut out);
    }
    for &node in &nodes {
        let at = l.node(node);
        let end = out.len() + l.stride;
        out.push(state[at]);
        copy(l.fields(state[at]), at + 1, &mut out);
        out.resize(end, 0);
    }
    out
}
