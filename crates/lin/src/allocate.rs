//! Which variables need a place in the state, and where.
//!
//! A virtual register is in the state only if it is *live* at a point where its thread can be
//! interrupted; all others are temporaries of the interpreter. Variables of the same shape that are
//! never live together share their slots (operations do not run at the same time in one thread, so
//! their variables overlap). At an interruption everything that is not live is zero
//! ([`Frame::dead`]): a value that nobody will read must not tell states apart.
//!
//! Resetting dead variables merges states that have the same futures (they are strongly bisimilar),
//! so it preserves every relation. It can be switched off; the slots are then merely stale.

use linchpin_lts::SlotKind;

use crate::code::{Code, Instr, Reg, Use};
use crate::lower::{Class, Lowered, Variable};
use crate::program::Type;

/// The frame of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Kinds of the private part of a thread's block; slot 0 is the program counter.
    pub(crate) private: Vec<SlotKind>,
    /// The whole frame as it is before a step: zeros and constants.
    pub(crate) template: Vec<u32>,
    /// The register that holds the executing thread, if any.
    pub(crate) self_thread: Option<Reg>,
    /// Per instruction: ranges of the private part that are dead before it.
    pub(crate) dead: Vec<Vec<(u32, u32)>>,
    /// Per instruction: the variables of the source that have a value before it.
    pub(crate) locals: Vec<Vec<Local>>,
}

/// A variable of the source in the private part of a thread's block.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) at: Reg,
}

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(n: usize) -> Self {
        Bits(vec![0; n.div_ceil(64)])
    }
    fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }
    fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }
    fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }
    fn add(&mut self, other: &Bits) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }
    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(w, &bits)| {
            (0..64).filter(move |b| bits >> b & 1 == 1).map(move |b| w * 64 + b)
        })
    }
}

/// Replaces virtual by real registers in the code.
pub(crate) fn allocate(lowered: &mut Lowered) -> Frame {
    let live = liveness(&mut lowered.code, &lowered.variables, &lowered.variable_of);
    let resident = resident(lowered, &live);
    let mut frame = Frame { private: vec![SlotKind::Scalar], ..Frame::default() };
    let mut first = place_residents(lowered, &live, &resident, &mut frame);

    frame.template = vec![0; frame.private.len()];
    for (id, v) in lowered.variables.iter().enumerate() {
        if resident.contains(id) {
            continue;
        }
        first[id] = frame.template.len() as Reg;
        frame.template.extend(std::iter::repeat_n(0, v.kinds.len().max(1)));
        match v.class {
            Class::Constant(value) => frame.template[first[id] as usize] = value,
            Class::SelfThread => frame.self_thread = Some(first[id]),
            Class::Variable => {}
        }
    }

    let real: Vec<Reg> = (0..lowered.variable_of.len())
        .map(|r| {
            let id = lowered.variable_of[r] as usize;
            first[id] + (r as Reg - lowered.variables[id].first)
        })
        .collect();
    frame.dead = dead_ranges(&live, &real, frame.private.len());
    live_references(lowered, &live, &real);
    frame.locals = locals(lowered, &live, &resident, &first);
    for pc in 0..lowered.code.instrs.len() {
        lowered.code.registers(pc, &mut |r, _, _| *r = real[*r as usize]);
    }
    frame
}

/// Registers live before every instruction: backward data flow to a fixed point.
///
/// Per register, not per variable: a tuple is often filled part by part, and each part must count
/// as a definition of itself, or the tuple would seem to be needed long before.
fn liveness(code: &mut Code, variables: &[Variable], variable_of: &[u32]) -> Vec<Bits> {
    let n = code.instrs.len();
    let mut reads = vec![Vec::new(); n];
    let mut writes = vec![Vec::new(); n];
    for pc in 0..n {
        code.registers(pc, &mut |r, width, how| {
            if variables[variable_of[*r as usize] as usize].class != Class::Variable {
                return;
            }
            let range = *r as usize..(*r + width) as usize;
            match how {
                Use::Reads => reads[pc].extend(range),
                Use::Writes => writes[pc].extend(range),
                // An element of an array: which one is not known, so the others must survive.
                Use::Touches => {}
            }
        });
    }
    let mut live = vec![Bits::new(variable_of.len()); n + 1];
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..n).rev() {
            let mut out = Bits::new(variable_of.len());
            code.targets(pc, &mut |to| out.add(&live[to]));
            for &r in &writes[pc] {
                out.remove(r);
            }
            for &r in &reads[pc] {
                out.insert(r);
            }
            if out != live[pc] {
                live[pc] = out;
                changed = true;
            }
        }
    }
    live
}

/// Variables live where a thread can be interrupted: before an access, between operations, before
/// the return, and before an `assume` it may never pass. (After a call without interval tightening
/// the thread runs on to one of these.)
fn resident(lowered: &Lowered, live: &[Bits]) -> Bits {
    let mut resident = Bits::new(lowered.variables.len());
    for (pc, instr) in lowered.code.instrs.iter().enumerate() {
        if instr.rests() && lowered.code.debug[pc].stop {
            for r in live[pc].iter() {
                resident.insert(lowered.variable_of[r] as usize);
            }
        }
    }
    resident
}

/// Gives every resident variable its slots; returns the first register of each variable.
fn place_residents(
    lowered: &mut Lowered,
    live: &[Bits],
    resident: &Bits,
    frame: &mut Frame,
) -> Vec<Reg> {
    let (variables, variable_of) = (&lowered.variables, &lowered.variable_of);
    let mut clash = vec![Bits::new(variables.len()); variables.len()];
    let mut seen = std::collections::HashSet::new();
    for pc in 0..lowered.code.instrs.len() {
        // Live together before the instruction, or defined by it while others live on.
        let mut out = Bits::new(variable_of.len());
        lowered.code.targets(pc, &mut |to| out.add(&live[to]));
        lowered.code.registers(pc, &mut |r, _, how| {
            if how != Use::Reads {
                out.insert(*r as usize);
            }
        });
        for set in [&live[pc], &out] {
            if !seen.insert(set.0.clone()) {
                continue;
            }
            let mut members: Vec<usize> = set
                .iter()
                .map(|r| variable_of[r] as usize)
                .filter(|&id| resident.contains(id))
                .collect();
            members.dedup();
            for &a in &members {
                for &b in &members {
                    if a != b {
                        clash[a].insert(b);
                    }
                }
            }
        }
    }
    let mut first = vec![0; variables.len()];
    let mut homes: Vec<(Reg, &[SlotKind], Vec<usize>)> = Vec::new();
    for id in resident.iter() {
        let kinds = &variables[id].kinds;
        let free = homes
            .iter_mut()
            .find(|(_, k, users)| k == kinds && users.iter().all(|&u| !clash[id].contains(u)));
        match free {
            Some((at, _, users)) => {
                first[id] = *at;
                users.push(id);
            }
            None => {
                first[id] = frame.private.len() as Reg;
                homes.push((first[id], kinds, vec![id]));
                frame.private.extend_from_slice(kinds);
            }
        }
    }
    first
}

fn dead_ranges(live: &[Bits], real: &[Reg], private: usize) -> Vec<Vec<(u32, u32)>> {
    live.iter()
        .map(|set| {
            let mut used = vec![false; private];
            used[0] = true;
            for r in set.iter().filter(|&r| (real[r] as usize) < private) {
                used[real[r] as usize] = true;
            }
            let mut ranges: Vec<(u32, u32)> = Vec::new();
            for at in (0..private).filter(|&at| !used[at]) {
                match ranges.last_mut() {
                    Some(last) if last.1 == at as u32 => last.1 += 1,
                    _ => ranges.push((at as u32, at as u32 + 1)),
                }
            }
            ranges
        })
        .collect()
}

/// The resident variables with names that are live before every instruction.
fn locals(lowered: &Lowered, live: &[Bits], resident: &Bits, first: &[Reg]) -> Vec<Vec<Local>> {
    let local = |id: usize| {
        let (name, ty) = lowered.variables[id].named.clone()?;
        resident.contains(id).then_some(Local { name, ty, at: first[id] })
    };
    live.iter()
        .map(|set| {
            let mut ids: Vec<_> = set.iter().map(|r| lowered.variable_of[r] as usize).collect();
            ids.dedup();
            ids.into_iter().filter_map(local).collect()
        })
        .collect()
}

/// For the bound on the heap: which registers hold references that are needed at a `new`.
fn live_references(lowered: &mut Lowered, live: &[Bits], real: &[Reg]) {
    for (instr, live) in lowered.code.instrs.iter().zip(live) {
        let Instr::New { table, .. } = instr else { continue };
        lowered.code.allocations[*table as usize].live = live
            .iter()
            .filter(|&r| {
                let v = &lowered.variables[lowered.variable_of[r] as usize];
                v.kinds.get(r - v.first as usize) == Some(&SlotKind::Ref)
            })
            .map(|r| real[r])
            .collect();
    }
}
