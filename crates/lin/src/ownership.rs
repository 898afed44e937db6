//! Private memory: which heap nodes can only one thread reach.
//!
//! A node is *private* to a thread if every path to it starts in that thread's private variables:
//! no shared variable, no per-thread shared slot and no other thread leads to it, and it is not free
//! (a free node that nobody refers to is as good as none: `new` initialises all its fields).
//! Nobody else can touch it until its owner publishes a reference to it, so its owner's accesses to
//! it commute with every step of the others and are executed like local work (DESIGN 3.3). This
//! skips interleavings and preserves every relation that does not count silent steps: the reachable
//! combinations of the *other* components, call/return traces, faults and deadlocks.
//!
//! Ownership is computed exactly, by reachability, from the state a step starts in (so a node that
//! was unlinked again becomes private again), and only ever taken away during the step: writing a
//! reference to a shared place publishes everything reachable from it.

use linchpin_lts::{FREED, Layout, SlotKind};

use crate::allocate::Frame;

/// Not reached from anywhere.
const NOBODY: u8 = 0;
/// Reachable by more than one thread, or by any.
const EVERYBODY: u8 = u8::MAX;

/// Owners of the nodes of a state, by node from 1; computed when first asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    /// Of the state the step started in.
    base: Vec<u8>,
    base_known: bool,
    /// During the step.
    now: Vec<u8>,
    known: bool,
    stack: Vec<u32>,
}

impl Owners {
    /// The state changed: forget everything.
    pub(crate) fn forget(&mut self) {
        self.base_known = false;
        self.known = false;
    }

    /// Another step begins in the same state.
    pub(crate) fn restart(&mut self) {
        self.known = false;
    }

    /// The last `links` slots of a thread are links, which lead nowhere.
    pub(crate) fn ensure(&mut self, layout: &Layout, links: usize, state: &[u32]) {
        if self.known {
            return;
        }
        if !self.base_known {
            self.compute(layout, links, state);
            self.base_known = true;
        }
        self.now.clear();
        self.now.extend_from_slice(&self.base);
        self.known = true;
    }

    #[inline]
    pub(crate) fn is_own(&self, node: u32, thread: u32) -> bool {
        self.now[node as usize - 1] == thread as u8 + 1
    }

    /// `thread` made this node, the last one.
    pub(crate) fn created(&mut self, node: u32, thread: u32) {
        self.now.resize(node as usize, EVERYBODY);
        self.now[node as usize - 1] = thread as u8 + 1;
    }

    /// Everybody can reach this node now, and what it leads to.
    pub(crate) fn publish(&mut self, layout: &Layout, state: &[u32], node: u32) {
        self.stack.clear();
        self.stack.push(node);
        while let Some(node) = self.stack.pop() {
            let owner = &mut self.now[node as usize - 1];
            if *owner == EVERYBODY {
                continue;
            }
            *owner = EVERYBODY;
            push_fields(layout, state, node, &mut self.stack);
        }
    }

    fn compute(&mut self, layout: &Layout, links: usize, state: &[u32]) {
        let nodes = layout.nodes(state);
        self.base.clear();
        self.base.resize(nodes, NOBODY);
        self.stack.clear();
        push_refs(&layout.globals, &state[..layout.globals.len()], &mut self.stack);
        for t in 0..layout.threads {
            let at = layout.block(t);
            let shared = layout.private..layout.thread.len() - links;
            push_refs(&layout.thread[shared.clone()], &state[at..][shared], &mut self.stack);
        }
        self.mark(layout, state, EVERYBODY);
        for t in 0..layout.threads {
            let at = layout.block(t);
            push_refs(
                &layout.thread[..layout.private],
                &state[at..at + layout.private],
                &mut self.stack,
            );
            self.mark(layout, state, t as u8 + 1);
        }
    }

    /// Marks everything reachable from the stack as owned by `who`; what somebody else owns
    /// already becomes everybody's.
    fn mark(&mut self, layout: &Layout, state: &[u32], who: u8) {
        while let Some(node) = self.stack.pop() {
            let owner = &mut self.base[node as usize - 1];
            if *owner == EVERYBODY || *owner == who {
                continue;
            }
            // Anybody may be handed a free node by `new`.
            let first = *owner == NOBODY && state[layout.node(node)] & FREED == 0;
            *owner = if first { who } else { EVERYBODY };
            if first {
                push_fields(layout, state, node, &mut self.stack);
            } else {
                // Reachable by two threads: so is everything behind it.
                let depth = self.stack.len();
                push_fields(layout, state, node, &mut self.stack);
                while self.stack.len() > depth {
                    let node = self.stack.pop().unwrap_or(1);
                    if self.base[node as usize - 1] != EVERYBODY {
                        self.base[node as usize - 1] = EVERYBODY;
                        push_fields(layout, state, node, &mut self.stack);
                    }
                }
            }
        }
    }
}

#[inline]
fn push_refs(kinds: &[SlotKind], slots: &[u32], stack: &mut Vec<u32>) {
    for (kind, &slot) in kinds.iter().zip(slots) {
        if *kind == SlotKind::Ref && slot != 0 {
            stack.push(slot);
        }
    }
}

fn push_fields(layout: &Layout, state: &[u32], node: u32, stack: &mut Vec<u32>) {
    let at = layout.node(node);
    let kinds = layout.fields(state[at]);
    push_refs(kinds, &state[at + 1..at + 1 + kinds.len()], stack);
}

/// Which nodes are reachable (by node, from 1, at index 0) in the middle of a step of `thread`, whose
/// own references are in the registers `live`. References in variables that a thread does not need
/// any more do not count, whether or not they have been reset; nor do links (the last `links` slots
/// of a thread).
pub(crate) fn reachable(
    layout: &Layout,
    variables: &Frame,
    state: &[u32],
    thread: u32,
    registers: &[u32],
    live: &[u32],
    links: usize,
) -> Vec<bool> {
    let mut seen = vec![false; layout.nodes(state)];
    let mut stack: Vec<u32> =
        live.iter().map(|&r| registers[r as usize]).filter(|&n| n != 0).collect();
    push_refs(&layout.globals, &state[..layout.globals.len()], &mut stack);
    for t in 0..layout.threads {
        let block = &state[layout.block(t)..layout.block(t) + layout.thread.len()];
        let shared = layout.private..layout.thread.len() - links;
        push_refs(&layout.thread[shared.clone()], &block[shared], &mut stack);
        // The private part of the running thread is out of date; its registers count.
        if t as u32 != thread {
            let mut from = 0;
            let end = (layout.private as u32, layout.private as u32);
            for &(dead, next) in variables.dead[block[0] as usize].iter().chain([&end]) {
                let range = from..dead as usize;
                push_refs(&layout.thread[range.clone()], &block[range], &mut stack);
                from = next as usize;
            }
        }
    }
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut seen[node as usize - 1], true) {
            push_fields(layout, state, node, &mut stack);
        }
    }
    seen
}

/// Is there a node that is not free and that nobody can reach: neither from shared memory nor, if `running`
/// operations count, from what they know? (The last `links` slots of a thread are links, which lead nowhere.)
pub(crate) fn loses(layout: &Layout, links: usize, state: &[u32], running: bool) -> bool {
    let mut seen = vec![false; layout.nodes(state)];
    let mut stack = Vec::new();
    push_refs(&layout.globals, &state[..layout.globals.len()], &mut stack);
    for t in 0..layout.threads {
        let known = if running { 0 } else { layout.private }..layout.thread.len() - links;
        push_refs(&layout.thread[known.clone()], &state[layout.block(t)..][known], &mut stack);
    }
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut seen[node as usize - 1], true) {
            push_fields(layout, state, node, &mut stack);
        }
    }
    (1..).zip(seen).any(|(node, seen)| !seen && state[layout.node(node)] & FREED == 0)
}
