//! Checking at run time what the model claims about itself (`--check-facts`).
//!
//! The layout declares symmetries, `allocate` declares variables dead, `ownership` declares memory
//! private. The reductions believe them. Here every claim is tested on a state by its *meaning*,
//! with code that shares nothing with the code that makes the claim:
//!
//! * **thread symmetry**: exchanging two threads of a role in the state exchanges them in every step;
//! * **data symmetry**: exchanging two values of an opaque type exchanges them in every step;
//! * **heap**: numbering the nodes backwards changes nothing but numbers;
//! * **dead variables**: putting other values into them changes nothing;
//! * **private memory**: of all the accesses a step fuses, at most one is to memory that another
//!   thread can reach, found by a plain search of the heap before each access, and that may change (not what is
//!   set once, and is set);
//! * **constants**: no step changes what never changes, but in a node that nobody else has seen.

use std::collections::BTreeSet;

use linchpin_lts::{
    Event, EventKind, FREED, FaultKind, Layout, Outcome, SlotKind, TransitionSystem,
};

use crate::code::Base;
use crate::machine::{Effect, Run};
use crate::model::{Granularity, Model};
use crate::movers;

/// A claim that is not true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenFact {
    /// Which claim, and what contradicts it.
    pub claim: String,
    /// The state.
    pub state: Vec<u32>,
}

type Renamed<'a> = &'a dyn Fn(SlotKind, u32) -> u32;
/// An event: kind, thread, operation, values.
type Renaming = (EventKind, u32, u32, Vec<u32>);
type Steps = BTreeSet<(u32, Vec<u32>, Vec<Renaming>)>;

impl Model {
    /// Tests every claim on one state.
    pub fn check_facts(&self, state: &[u32]) -> Result<(), BrokenFact> {
        let l = self.layout();
        let broken = |claim: String| BrokenFact { claim, state: state.to_vec() };
        let plain = self.steps(state, &|_, slot| slot);
        // Of the choices of an endless step only the first are tried, and which those are depends
        // on names. The search ends here anyway.
        let endless = vec![FaultKind::Divergence.number()];
        if plain.iter().any(|(_, to, events)| *to == endless && events.is_empty()) {
            return Ok(());
        }
        if l.thread_symmetric {
            for a in 1..l.threads as u32 {
                if l.roles[a as usize - 1] != l.roles[a as usize] {
                    continue;
                }
                let swap = |kind, slot| match kind {
                    SlotKind::Thread if slot == a => a + 1,
                    SlotKind::Thread if slot == a + 1 => a,
                    _ => slot,
                };
                if plain != self.steps(&rename(l, state, &swap), &swap) {
                    return Err(broken(format!("threads {a} and {} are not symmetric", a + 1)));
                }
            }
        }
        for ty in 0..l.data_symmetric.len() as u32 {
            let swap = |kind, slot| match (kind, slot) {
                (SlotKind::Data(t), 1) if t == ty => 2,
                (SlotKind::Data(t), 2) if t == ty => 1,
                _ => slot,
            };
            // A value that was not handed out yet is not like the others.
            let known = l.fresh[ty as usize].is_none_or(|counter| state[counter] >= 2);
            let finite =
                !matches!(self.check.data[ty as usize], crate::program::DataDomain::Finite(0 | 1));
            if l.data_symmetric[ty as usize]
                && known
                && finite
                && plain != self.steps(&rename(l, state, &swap), &swap)
            {
                return Err(broken(format!("values of data type {ty} are not symmetric")));
            }
        }
        let nodes = l.nodes(state) as u32;
        if nodes > 1 && self.machine.memory == crate::program::Memory::Collected {
            // New nodes come after the old ones and keep their numbers.
            let flip = |kind, slot| match kind {
                SlotKind::Ref if slot >= 1 && slot <= nodes => nodes + 1 - slot,
                _ => slot,
            };
            if plain != self.steps(&rename(l, state, &flip), &flip) {
                return Err(broken("the numbers of heap nodes matter".into()));
            }
        }
        let mut stirred = state.to_vec();
        for t in 0..l.threads {
            let at = l.block(t);
            for &(from, to) in &self.machine.frame.dead[state[at] as usize] {
                for i in from as usize..to as usize {
                    if l.thread[i] == SlotKind::Scalar {
                        stirred[at + i] = 0x5eed;
                    }
                }
            }
        }
        let reset = self.with_granularity(Granularity { dead: true, ..self.machine.granularity });
        // Steps of one thread leave the others' variables alone: compare what the mover did.
        if reset.moves(state) != reset.moves(&stirred) {
            return Err(broken("a variable that was declared dead is used".into()));
        }
        self.check_fusion(state).map_err(broken)
    }

    /// All steps from a state with every name renamed.
    fn steps(&self, state: &[u32], renamed: Renamed<'_>) -> Steps {
        let l = self.layout();
        let mut steps = Steps::new();
        let mut scratch = self.scratch();
        self.successors(&mut scratch, state, &mut |step| {
            let thread = renamed(SlotKind::Thread, step.thread + 1);
            steps.insert(match step.outcome {
                Outcome::Fault(kind) => (thread, vec![kind.number()], Vec::new()),
                Outcome::Next { state, events } => (
                    thread,
                    rename(l, state, renamed),
                    events.iter().map(|e| self.rename_event(e, renamed)).collect(),
                ),
            });
        });
        steps
    }

    fn rename_event(&self, event: Event<'_>, renamed: Renamed<'_>) -> Renaming {
        let proc = self.object().unit.op(crate::program::OpId(event.op));
        let mut kinds = Vec::new();
        match event.kind {
            EventKind::Call => {
                for p in &proc.locals[..proc.params as usize] {
                    crate::flatten::slot_kinds(&p.ty, &self.program, &mut kinds);
                }
            }
            EventKind::Return => {
                crate::flatten::slot_kinds(&proc.result, &self.program, &mut kinds);
            }
            EventKind::Point => {}
        }
        let values = kinds
            .iter()
            .zip(event.values)
            .map(|(k, &v)| if v == 0 { 0 } else { renamed(*k, v) })
            .collect();
        let thread = renamed(SlotKind::Thread, event.thread.wrapping_add(1));
        (event.kind, thread, event.op, values)
    }

    /// What every step does to everything but the private parts of threads that do not move.
    fn moves(&self, state: &[u32]) -> BTreeSet<(u32, Vec<u32>)> {
        let l = self.layout();
        let mut moves = BTreeSet::new();
        let mut scratch = self.scratch();
        self.successors(&mut scratch, state, &mut |step| {
            moves.insert(match step.outcome {
                Outcome::Fault(kind) => (step.thread, vec![kind.number()]),
                Outcome::Next { state, .. } => {
                    let mut state = state.to_vec();
                    for t in (0..l.threads).filter(|&t| t as u32 != step.thread) {
                        state[l.block(t)..l.block(t) + l.private].fill(0);
                    }
                    (step.thread, state)
                }
            });
        });
        moves
    }

    /// Divides every step into single accesses and looks at each.
    fn check_fusion(&self, state: &[u32]) -> Result<(), String> {
        let Granularity { dead, .. } = self.machine.granularity;
        let fine = self.with_granularity(Granularity { dead, ..Granularity::UNREDUCED });
        let coarse = self
            .with_granularity(Granularity { locks: false, ..self.machine.granularity })
            .assuming(self.machine.assumed & movers::SET_ONCE);
        let mut steps = Vec::new();
        let mut scratch = self.scratch();
        coarse.successors(&mut scratch, state, &mut |step| {
            if let Outcome::Next { .. } = step.outcome {
                steps.push((step.thread, step.choices.to_vec(), step.length));
            }
        });
        for (thread, choices, length) in steps {
            let mut now = state.to_vec();
            let (mut left, mut choices, mut shared) = (length, &choices[..], 0);
            while left > 0 {
                scratch.owners.forget();
                scratch.trace.clear();
                scratch.script(choices);
                let run = fine.machine.run::<true>(&mut scratch, &now, thread as usize);
                if run != Run::Done || scratch.length > left {
                    return Err(format!("a step of thread {} is not made of steps", thread + 1));
                }
                let accesses = scratch.trace.iter().filter(|e| e.place != crate::code::NO_REG);
                let place = |effect: &Effect| &fine.machine.code.places[effect.place as usize];
                let changes = |e: &Effect| !e.before.is_empty() && e.before != e.after;
                if accesses.clone().any(|e| place(e).constant && !place(e).fresh && changes(e)) {
                    return Err("what never changes was changed".into());
                }
                // What is set once, and is set.
                let settled = |e: &Effect| {
                    place(e).once.is_some_and(|n| coarse.machine.assumed >> n & 1 == 1)
                        && !changes(e)
                        && e.after.iter().all(|slot| *slot != 0)
                };
                let visible = accesses.clone().any(|effect| {
                    let constant = coarse.machine.granularity.constant && place(effect).constant;
                    !(constant || settled(effect))
                        && match place(effect).base {
                            Base::Field(_) => {
                                let (l, links) = (fine.layout(), fine.machine.link_slots);
                                within_reach(l, links, &now, thread as usize, effect.of)
                            }
                            _ => true,
                        }
                });
                shared += u32::from(visible);
                left -= scratch.length;
                choices = &choices[scratch.taken.min(choices.len())..];
                now.clone_from(&scratch.work);
            }
            if shared > 1 {
                return Err(format!(
                    "a step of thread {} fuses {shared} accesses to memory others can reach",
                    thread + 1
                ));
            }
        }
        Ok(())
    }
}

/// Can anybody but `thread` reach `node`? Plain search from everything that is not its own. (The last
/// slots of a thread are its `links`: what it is linked to it cannot reach.)
fn within_reach(l: &Layout, links: usize, state: &[u32], thread: usize, node: u32) -> bool {
    if node as usize > l.nodes(state) {
        return false;
    }
    let mut reached = vec![false; l.nodes(state) + 1];
    let own = l.block(thread)..l.block(thread) + l.private;
    for at in (0..l.heap()).filter(|at| !own.contains(at)) {
        let kind = match at.checked_sub(l.globals.len()).map(|at| at % l.thread.len()) {
            None => l.globals[at],
            Some(link) if link + links >= l.thread.len() => continue,
            Some(at) => l.thread[at],
        };
        if kind == SlotKind::Ref {
            reached[state[at] as usize] = true;
        }
    }
    // Anybody may be handed a free node, but not what its fields used to lead to.
    if state[l.node(node)] & FREED != 0 {
        return true;
    }
    reached[0] = false;
    loop {
        let before = reached.clone();
        for n in (1..reached.len()).filter(|&n| before[n]) {
            let at = l.node(n as u32);
            for (i, kind) in l.fields(state[at]).iter().enumerate() {
                if *kind == SlotKind::Ref {
                    reached[state[at + 1 + i] as usize] = true;
                }
            }
        }
        reached[0] = false;
        if reached == before {
            return reached[node as usize];
        }
    }
}

/// A state with every name renamed: values in place, thread blocks and nodes moved.
fn rename(l: &Layout, state: &[u32], renamed: Renamed<'_>) -> Vec<u32> {
    let name = |kind: SlotKind, slot: u32| match kind {
        _ if slot == 0 => 0,
        SlotKind::Threads => (0..l.threads as u32)
            .filter(|t| slot & 1 << t != 0)
            .fold(0, |set, t| set | 1 << (renamed(SlotKind::Thread, t + 1) - 1)),
        kind => renamed(kind, slot),
    };
    let mut out = state.to_vec();
    for (i, kind) in l.globals.iter().enumerate() {
        out[i] = name(*kind, state[i]);
    }
    for t in 0..l.threads {
        let to = l.block(renamed(SlotKind::Thread, t as u32 + 1) as usize - 1);
        for (i, kind) in l.thread.iter().enumerate() {
            out[to + i] = name(*kind, state[l.block(t) + i]);
        }
    }
    for node in 1..=l.nodes(state) as u32 {
        let (from, to) = (l.node(node), l.node(renamed(SlotKind::Ref, node)));
        let kinds = l.fields(state[from]);
        out[to..to + l.stride].copy_from_slice(&state[from..from + l.stride]);
        for (i, kind) in kinds.iter().enumerate() {
            out[to + 1 + i] = name(*kind, state[from + 1 + i]);
        }
    }
    out
}
