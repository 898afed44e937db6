//! Why two systems are not bisimilar: a formula that holds in one and not in the other.
//!
//! R. Cleaveland, *On automatically explaining bisimulation inequivalence*, CAV 1990, and for
//! branching bisimulation H. Korver, *Computing distinguishing formulas for branching bisimulation*,
//! CAV 1991. The formula follows the rounds in which refinement tells states apart. Departure: rounds
//! are those of refining all blocks at once, on the quotient, until the two initial states are apart,
//! so that the modal depth is least; the search for the partition itself need not remember anything.
//!
//! Let `p` and `q` be in one block `B` of a round and have different signatures. If `p` can get to
//! block `C` by label `a` and `q` cannot, then `p` satisfies *X until a Y* where X holds in `B` and in
//! none of the blocks that silent steps from `q` leave `B` for, and Y holds in `C` and in none of the
//! blocks that `a` leads `q` to (nor in `B`, if `a` is silent). X and Y are conjunctions of formulas of
//! earlier rounds. If it is `q` that can do more, the formula is negated.

use std::collections::{BTreeSet, HashMap};

use linchpin_engine::{Budget, Limit, Meter};
use linchpin_lts::{Explicit, Label, TAU};

use crate::formula::{Formula, Part};
use crate::reduce::{Equivalence, Partition, Pool, partition};
use crate::union::union;

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The systems are equivalent; together they have so many classes of states.
    Equivalent {
        /// Blocks of the partition of both systems.
        blocks: u32,
    },
    /// They are not. The formula holds in the first and not in the second; it is left out if its
    /// modal depth would be beyond all reason (a thousand).
    Different(Option<Formula>),
}

/// Systems that are the same for so many rounds are not explained by a formula.
const MOST_ROUNDS: usize = 1_000;
/// Nor are those for which so much would have to be remembered.
const MOST_MEMORY: usize = 100_000_000;

/// Compares two systems.
pub fn compare(
    first: &Explicit,
    second: &Explicit,
    equivalence: Equivalence,
    budget: &Budget<'_>,
) -> Result<Comparison, Limit> {
    let mut meter = Meter::new(budget);
    let (both, other) = union(first, second, &mut meter)?;
    let found = partition(&both, equivalence, budget)?;
    let (p, q) = (found.block[both.initial() as usize], found.block[other as usize]);
    if p == q {
        return Ok(Comparison::Equivalent { blocks: found.blocks });
    }
    let mut rounds = Rounds::new(&both, &found, equivalence != Equivalence::Strong);
    // The answer is known; a limit that is reached now costs only the explanation.
    let explained = rounds.refine_until_apart(p, q, &mut meter).unwrap_or(false);
    Ok(Comparison::Different(explained.then(|| {
        let root = rounds.apart(p, q);
        rounds.formula.rooted(root)
    })))
}

/// What a move of a block is in a round.
enum Kind {
    /// Not a step: there are endless silent steps.
    Endless,
    /// Silent, within the group.
    Inert,
    /// To another group, or visible.
    To(u32),
}

/// Labels and groups of a round.
type Signature = BTreeSet<(Label, u32)>;

/// The blocks of a partition, and how refinement in rounds tells them apart.
struct Rounds<'a> {
    lts: &'a Explicit,
    partition: &'a Partition,
    branching: bool,
    /// The label that means endless silent steps.
    divergence: Label,
    /// For each round the group of each block.
    groups: Vec<Vec<u32>>,
    formula: Formula,
    /// Formulas found, by round and groups.
    known: HashMap<(usize, u32, u32), usize>,
}

impl<'a> Rounds<'a> {
    fn new(lts: &'a Explicit, partition: &'a Partition, branching: bool) -> Self {
        Rounds {
            lts,
            partition,
            branching,
            divergence: lts.labels().len() as Label,
            groups: vec![vec![0; partition.blocks as usize]],
            formula: Formula::default(),
            known: HashMap::new(),
        }
    }

    /// Refines all blocks at once, round by round. Were they told apart within reason?
    fn refine_until_apart(
        &mut self,
        p: u32,
        q: u32,
        meter: &mut Meter<'_, '_>,
    ) -> Result<bool, Limit> {
        let order = self.silent_last();
        let mut signature = vec![0; order.len()];
        let mut words: Vec<u64> = Vec::new();
        loop {
            let rounds = self.groups.len();
            let groups = &self.groups[rounds - 1];
            if groups[p as usize] != groups[q as usize] {
                return Ok(true);
            }
            if rounds >= MOST_ROUNDS || rounds * groups.len() > MOST_MEMORY {
                return Ok(false);
            }
            let mut pool = Pool::new();
            for &block in &order {
                meter.tick(1)?;
                words.clear();
                for &(label, to) in self.partition.moves(block) {
                    match self.kind(groups, block, label, to) {
                        Kind::Endless => words.push(u64::from(label) << 32),
                        Kind::Inert => words.extend_from_slice(pool.get(signature[to as usize])),
                        Kind::To(group) => words.push(u64::from(label) << 32 | u64::from(group)),
                    }
                }
                words.sort_unstable();
                words.dedup();
                signature[block as usize] = pool.enter(&words);
            }
            let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
            let mut next = Vec::with_capacity(groups.len());
            for key in groups.iter().copied().zip(signature.iter().copied()) {
                let number = numbers.len() as u32;
                next.push(*numbers.entry(key).or_insert(number));
            }
            self.groups.push(next);
        }
    }

    /// The blocks in an order in which those that silent steps lead to come first. There are no
    /// silent cycles among the blocks of a branching bisimulation; otherwise any order will do.
    fn silent_last(&self) -> Vec<u32> {
        let blocks = self.partition.blocks;
        if !self.branching {
            return (0..blocks).collect();
        }
        let mut order = Vec::with_capacity(blocks as usize);
        let mut seen = vec![false; blocks as usize];
        let mut path: Vec<(u32, usize)> = Vec::new();
        for root in 0..blocks {
            if !std::mem::replace(&mut seen[root as usize], true) {
                path.push((root, 0));
            }
            while let Some((block, next)) = path.last_mut() {
                let moves = self.partition.moves(*block);
                match moves.get(*next).filter(|(label, _)| *label == TAU) {
                    Some((_, to)) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[*to as usize], true) {
                            path.push((*to, 0));
                        }
                    }
                    None => {
                        order.push(*block);
                        path.pop();
                    }
                }
            }
        }
        order
    }

    /// What a move of a block is in a round.
    fn kind(&self, groups: &[u32], block: u32, label: Label, to: u32) -> Kind {
        if label == self.divergence {
            Kind::Endless
        } else if self.branching && label == TAU && groups[to as usize] == groups[block as usize] {
            Kind::Inert
        } else {
            Kind::To(groups[to as usize])
        }
    }

    /// What a block can get to in a round.
    fn signature(&self, round: usize, block: u32) -> Signature {
        let groups = &self.groups[round];
        let mut signature = Signature::new();
        let mut seen = BTreeSet::from([block]);
        let mut todo = vec![block];
        while let Some(block) = todo.pop() {
            for &(label, to) in self.partition.moves(block) {
                match self.kind(groups, block, label, to) {
                    Kind::Endless => drop(signature.insert((label, 0))),
                    Kind::To(group) => drop(signature.insert((label, group))),
                    Kind::Inert if seen.insert(to) => todo.push(to),
                    Kind::Inert => {}
                }
            }
        }
        signature
    }

    /// A formula that holds wherever `p`'s group is and not where `q`'s is, in the first round that
    /// tells them apart.
    fn apart(&mut self, p: u32, q: u32) -> usize {
        let differ = |groups: &Vec<u32>| groups[p as usize] != groups[q as usize];
        let round = self.groups.iter().position(differ).unwrap_or(self.groups.len() - 1);
        let groups = &self.groups[round];
        let key = (round, groups[p as usize], groups[q as usize]);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let (can_p, can_q) = (self.signature(round - 1, p), self.signature(round - 1, q));
        let part = match self.best(&can_p, &can_q) {
            Some(choice) => self.build(round - 1, p, choice, &can_q),
            None => match self.best(&can_q, &can_p) {
                Some(choice) => {
                    let positive = self.build(round - 1, q, choice, &can_p);
                    self.formula.add(Part::Not(positive))
                }
                None => self.formula.add(Part::All(Vec::new())),
            },
        };
        self.known.insert(key, part);
        part
    }

    /// Something only the first can do: what needs the fewest words against the other.
    fn best(&self, can: &Signature, other: &Signature) -> Option<(Label, u32)> {
        let against = |label: Label| other.iter().filter(|(l, _)| *l == label).count();
        let cost = |(label, _): &(Label, u32)| (against(*label), *label == TAU);
        can.difference(other).copied().min_by_key(cost)
    }

    /// The formula that says that `p` can do this, while something with the signature `other` in
    /// the same group cannot.
    fn build(
        &mut self,
        round: usize,
        p: u32,
        (label, to): (Label, u32),
        other: &Signature,
    ) -> usize {
        let leaves: Vec<u32> = other.iter().filter(|(l, _)| *l == TAU).map(|m| m.1).collect();
        let home = self.groups[round][p as usize];
        let hold = match self.branching {
            true => self.none_of(round, home, &leaves),
            false => self.formula.add(Part::All(Vec::new())),
        };
        if label == self.divergence {
            return self.formula.add(Part::Endless(hold));
        }
        let mut wrong: Vec<u32> = other.iter().filter(|(l, _)| *l == label).map(|m| m.1).collect();
        if self.branching && label == TAU {
            wrong.push(home);
        }
        let then = self.none_of(round, to, &wrong);
        let text = (label != TAU).then(|| self.lts.labels()[label as usize].to_string());
        self.formula.add(match self.branching {
            true => Part::Until(hold, text, then),
            false => Part::Step(text, then),
        })
    }

    /// A formula that holds in a group of a round and in none of some others.
    fn none_of(&mut self, round: usize, group: u32, others: &[u32]) -> usize {
        let mut parts = Vec::new();
        for other in others {
            let (p, q) = (self.member(round, group), self.member(round, *other));
            let part = self.apart(p, q);
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        match parts[..] {
            [only] => only,
            _ => self.formula.add(Part::All(parts)),
        }
    }

    fn member(&self, round: usize, group: u32) -> u32 {
        let mut groups = self.groups[round].iter();
        groups.position(|g| *g == group).map_or(0, |block| block as u32)
    }
}
