//! Which accesses are to nodes that nobody else has ever seen.
//!
//! A thread that makes a node often writes its fields before it shows the node to others: `let n = new Node`,
//! then `n.next = t`, then `cas(top, t, n)`. Such a write changes nothing that others could have looked at, so
//! it does not count when `movers` asks which fields never change after a node is published.
//!
//! Private memory (`ownership`) will not do here. It is decided in a state, and says that nobody *can* reach a
//! node any more; others may have known it, and in fused steps they have forgotten it sooner than they
//! would. So this is decided from the text: a register is *fresh* where, on all ways to get there, it holds a node that
//! the thread has made and stored nowhere since (a `cas` that fails stores nothing). A forward analysis finds it. Whenever something fresh
//! is stored, in memory, in an array, or in another new node, or leaves the operation, nothing is fresh any more:
//! there may be copies that are not known here.

use std::collections::BTreeSet;

use crate::code::{Base, Code, Instr, Reg, Use};

/// What is known before an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fresh {
    registers: BTreeSet<Reg>,
    /// Something fresh has been stored if this register is not 0: it is the result of an attempt.
    unless: Option<Reg>,
}

impl Fresh {
    /// What is known if either is.
    fn or(&self, other: &Fresh) -> Fresh {
        match self.unless == other.unless {
            true => Fresh {
                registers: self.registers.intersection(&other.registers).copied().collect(),
                unless: self.unless,
            },
            false => Fresh::default(),
        }
    }
}

/// Says of every place whether it is in a fresh node, for whoever accesses it.
pub(crate) fn mark(code: &mut Code, entries: &[u32]) {
    let mut before: Vec<Option<Fresh>> = vec![None; code.instrs.len()];
    let mut todo: Vec<usize> = Vec::new();
    for &entry in entries {
        before[entry as usize] = Some(Fresh::default());
        todo.push(entry as usize);
    }
    while let Some(pc) = todo.pop() {
        let now = before[pc].clone().unwrap_or_default();
        let (failed, after) = (failed(code, pc, &now), after(code, pc, now));
        code.targets(pc, &mut |to| {
            let after = match &failed {
                Some((kept, on)) if *on == to => kept,
                _ => &after,
            };
            let meet = before[to].as_ref().map_or_else(|| after.clone(), |known| known.or(after));
            if before[to].as_ref() != Some(&meet) {
                before[to] = Some(meet);
                todo.push(to);
            }
        });
    }
    let mut seen = vec![None; code.places.len()];
    for (pc, fresh) in before.iter().enumerate() {
        let Some(fresh) = fresh else { continue };
        for id in places(code, pc) {
            let is = matches!(code.places[id as usize].base, Base::Field(r) if fresh.registers.contains(&r));
            seen[id as usize] = Some(is && seen[id as usize] != Some(false));
        }
    }
    for (place, fresh) in code.places.iter_mut().zip(seen) {
        place.fresh = fresh == Some(true);
    }
}

/// What is fresh after an instruction.
fn after(code: &mut Code, pc: usize, fresh: Fresh) -> Fresh {
    if fresh.unless.is_some() {
        // Nobody has asked at once how it ended.
        return after(code, pc, Fresh::default());
    }
    let mut unless = None;
    let mut fresh = fresh.registers;
    if stored(code, pc).iter().any(|r| fresh.contains(r)) {
        match code.instrs[pc] {
            Instr::Cas { dst, .. }
            | Instr::StoreConditional { dst, .. }
            | Instr::Dcas { dst, .. } => unless = Some(dst),
            _ => fresh.clear(),
        }
    }
    let copied: Vec<Reg> = match code.instrs[pc] {
        Instr::Move { dst, src, n } => {
            (0..n).filter(|i| fresh.contains(&(src + i))).map(|i| dst + i).collect()
        }
        Instr::New { dst, .. } => vec![dst],
        _ => Vec::new(),
    };
    code.registers(pc, &mut |r, n, how| {
        if how != Use::Reads {
            fresh.retain(|known| !(*r..*r + n).contains(known));
        }
    });
    fresh.extend(copied);
    Fresh { registers: fresh, unless }
}

/// What is fresh after a jump that an attempt to store something has failed, and where it goes then.
fn failed(code: &Code, pc: usize, fresh: &Fresh) -> Option<(Fresh, usize)> {
    let kept = || Fresh { registers: fresh.registers.clone(), unless: None };
    match code.instrs[pc] {
        Instr::JumpIfNot { cond, to } if fresh.unless == Some(cond) && to as usize != pc + 1 => {
            Some((kept(), to as usize))
        }
        Instr::JumpIf { cond, to } if fresh.unless == Some(cond) && to as usize != pc + 1 => {
            Some((kept(), pc + 1))
        }
        _ => None,
    }
}

/// The registers whose values are stored by an instruction, or leave the operation, or are taken out of an array.
fn stored(code: &Code, pc: usize) -> Vec<Reg> {
    let width = |place: u32| code.places[place as usize].width;
    let of = |place: u32, src: Reg| (src..src + width(place)).collect();
    match code.instrs[pc] {
        Instr::Write { place, src }
        | Instr::Swap { place, src, .. }
        | Instr::StoreConditional { place, src, .. } => of(place, src),
        Instr::Cas { place, new, .. } | Instr::CasValue { place, new, .. } => of(place, new),
        Instr::Dcas { table, .. } => {
            let dcas = &code.dcas[table as usize];
            (0..2).flat_map(|i| dcas.new[i]..dcas.new[i] + width(dcas.places[i])).collect()
        }
        Instr::New { table, .. } => {
            code.allocations[table as usize].given.iter().map(|(_, r)| *r).collect()
        }
        Instr::Set { src, n, .. } | Instr::Return { src, n, .. } if n > 0 => {
            (src..src + n).collect()
        }
        Instr::Get { base, total, .. } => (base..base + total).collect(),
        Instr::Call { args, .. } => code.lists[args as usize].clone(),
        Instr::Free { node } => vec![node],
        _ => Vec::new(),
    }
}

/// The places that an instruction accesses.
fn places(code: &Code, pc: usize) -> Vec<u32> {
    match code.instrs[pc] {
        Instr::Read { place, .. }
        | Instr::LoadLinked { place, .. }
        | Instr::Validate { place, .. }
        | Instr::Write { place, .. }
        | Instr::Cas { place, .. }
        | Instr::Swap { place, .. }
        | Instr::CasValue { place, .. }
        | Instr::Fetch { place, .. }
        | Instr::StoreConditional { place, .. }
        | Instr::Lock { place }
        | Instr::Unlock { place }
        | Instr::TryLock { place, .. } => vec![place],
        Instr::Dcas { table, .. } => code.dcas[table as usize].places.to_vec(),
        _ => Vec::new(),
    }
}
