//! Synchronisation vectors: which components take part in a step, each with a multi-action, which
//! of these actions have to agree, and what is seen of it.
//!
//! The operators act on names, except `comm`, which needs equal arguments. A possible communication
//! therefore gives two vectors: one where the actions communicate, and one where they do not and
//! their arguments differ. Vectors that an enclosing `allow` refuses whatever is added to them are
//! dropped at once, so that `n` parallel processes do not give `2^n` vectors.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::tree::{Leaf, Tree};
use crate::atomic::Atomic;
use crate::check::Spec;
use crate::code::{ActionId, Operator, TermId, TermKind};
use crate::report::{Checked, SHAPE, error};
use crate::sorts::SortId;

/// The number of a multi-action without arguments.
pub(crate) type LetterId = u32;

/// Vectors are refused beyond this number.
const MAX_VECTORS: usize = 100_000;

/// All multi-actions of the components, without arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Letters {
    list: Vec<Box<[ActionId]>>,
    index: HashMap<Box<[ActionId]>, LetterId>,
}

impl Letters {
    /// The number of a multi-action that is part of a vector.
    pub(crate) fn find(&self, actions: &[ActionId]) -> Option<LetterId> {
        self.index.get(actions).copied()
    }

    /// The number of a multi-action, in the order of its actions.
    pub(crate) fn intern(&mut self, actions: Box<[ActionId]>) -> LetterId {
        if let Some(&id) = self.index.get(&actions) {
            return id;
        }
        let id = self.list.len() as LetterId;
        self.list.push(actions.clone());
        self.index.insert(actions, id);
        id
    }
}

/// An action of a participant: the number of the participant, and of the action in its letter.
pub(crate) type Occurrence = (u32, u32);

/// Actions that have become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) name: Arc<str>,
    sorts: Arc<[SortId]>,
    /// Their arguments are equal.
    pub(crate) occurrences: Vec<Occurrence>,
    pub(crate) hidden: bool,
}

/// A step of some components together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vector {
    /// Components in order, with what they do.
    pub(crate) participants: Vec<(u32, LetterId)>,
    pub(crate) groups: Vec<Group>,
    /// Actions that could communicate but do not: their arguments are not all equal.
    pub(crate) apart: Vec<Vec<Occurrence>>,
    /// Is it a step with the lock of atomic bodies, which nothing else is part of?
    alone: bool,
}

/// All vectors, and those that begin with a component and a letter.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    pub(crate) list: Vec<Vector>,
    first: Vec<Vec<Vec<u32>>>,
}

impl Vectors {
    pub(crate) fn new(list: Vec<Vector>, leaves: usize) -> Vectors {
        let mut first: Vec<Vec<Vec<u32>>> = vec![Vec::new(); leaves];
        for (i, vector) in list.iter().enumerate() {
            let (leaf, letter) = vector.participants[0];
            let (own, letter) = (&mut first[leaf as usize], letter as usize);
            if own.len() <= letter {
                own.resize(letter + 1, Vec::new());
            }
            own[letter].push(i as u32);
        }
        Vectors { list, first }
    }

    /// The vectors that begin with a component and a letter.
    pub(crate) fn beginning(&self, leaf: usize, letter: LetterId) -> &[u32] {
        self.first[leaf].get(letter as usize).map_or(&[], |list| list)
    }
}

/// What may be part of a step that survives.
#[derive(Clone, Debug)]
struct Filter {
    /// Sorted multisets of names.
    sets: BTreeSet<Vec<String>>,
    /// Names that do not matter.
    free: BTreeSet<String>,
}

/// The vectors of the initial process.
pub(crate) fn vectors(
    spec: &Spec,
    tree: &Tree,
    leaves: &[Leaf],
    letters: &mut Letters,
    atomic: Option<&Atomic>,
) -> Checked<Vec<Vector>> {
    let mut alphabets = Vec::new();
    for leaf in leaves {
        let mut seen = vec![false; spec.processes.len()];
        let mut found = BTreeSet::new();
        alphabet(spec, leaf.term, &mut seen, &mut found);
        let list: Vec<LetterId> = found.into_iter().map(|l| letters.intern(l)).collect();
        alphabets.push(list);
    }
    let builder = Builder { spec, letters, alphabets, atomic };
    let list = builder.walk(tree, None).map_err(|()| {
        let span = spec.terms[spec.init as usize].span;
        let message = format!("more than {MAX_VECTORS} ways for the processes to act together");
        let note = "without `allow`, parallel processes may do any of their actions at once";
        let problem = error(SHAPE, span, message).note(note);
        Box::new(problem.help(
            "put `allow` around the parallel processes, with the multi-actions that are meant",
        ))
    })?;
    Ok(match atomic {
        Some(atomic) => with_lock(atomic, list, leaves.len() as u32 - 1, letters),
        None => list,
    })
}

/// The same steps with the lock of atomic bodies, which is the last component.
fn with_lock(
    atomic: &Atomic,
    mut list: Vec<Vector>,
    lock: u32,
    letters: &mut Letters,
) -> Vec<Vector> {
    for vector in &mut list {
        let participants = vector.participants.iter();
        let mut actions = participants.flat_map(|(_, l)| letters.list[*l as usize].iter());
        let does = |wanted: ActionId, mut actions: std::slice::Iter<'_, ActionId>| {
            actions.any(|a| *a == wanted)
        };
        let first = letters.list[vector.participants[0].1 as usize].iter();
        let own = match vector.alone {
            true if does(atomic.take, first) => atomic.taken,
            true => atomic.given,
            false if actions.any(|a| atomic.events.contains(a)) => atomic.free,
            false => continue,
        };
        let letter = letters.intern([own].into());
        vector.participants.push((lock, letter));
    }
    list
}

/// The multi-actions of a sequential process.
fn alphabet(spec: &Spec, term: TermId, seen: &mut [bool], to: &mut BTreeSet<Box<[ActionId]>>) {
    match &spec.terms[term as usize].kind {
        TermKind::Delta => {}
        TermKind::Act(list, _) => {
            to.insert(list.iter().map(|p| p.action).collect());
        }
        TermKind::Choice(a, b) | TermKind::Sequence(a, b) | TermKind::Parallel(a, b) => {
            alphabet(spec, *a, seen, to);
            alphabet(spec, *b, seen, to);
        }
        TermKind::Sum(_, body) | TermKind::Around(_, body) => alphabet(spec, *body, seen, to),
        TermKind::Condition(_, then, otherwise) => {
            alphabet(spec, *then, seen, to);
            if let Some(otherwise) = otherwise {
                alphabet(spec, *otherwise, seen, to);
            }
        }
        TermKind::Call(process, _) => {
            if !std::mem::replace(&mut seen[*process as usize], true) {
                alphabet(spec, spec.processes[*process as usize].body, seen, to);
            }
        }
    }
}

struct Builder<'a> {
    spec: &'a Spec,
    letters: &'a Letters,
    alphabets: Vec<Vec<LetterId>>,
    atomic: Option<&'a Atomic>,
}

impl Builder<'_> {
    fn walk(&self, tree: &Tree, filter: Option<&Filter>) -> Result<Vec<Vector>, ()> {
        match tree {
            Tree::Leaf(leaf) => {
                let letters = &self.alphabets[*leaf as usize];
                let mut list: Vec<Vector> =
                    letters.iter().map(|letter| self.single(*leaf, *letter)).collect();
                list.retain(|v| survives([v, &Vector::default()], filter));
                Ok(list)
            }
            Tree::Parallel(children) => {
                let mut list: Vec<Vector> = Vec::new();
                for child in children {
                    let own = self.walk(child, filter)?;
                    let mut both = Vec::new();
                    for a in &list {
                        for b in &own {
                            if !a.alone && !b.alone && survives([a, b], filter) {
                                both.push(together(a, b));
                            }
                            if both.len() + list.len() > MAX_VECTORS {
                                return Err(());
                            }
                        }
                    }
                    list.extend(own);
                    list.extend(both);
                }
                Ok(list)
            }
            Tree::Around(operator, body) => {
                let inner = below(operator, filter);
                let list = self.walk(body, inner.as_ref())?;
                let mut result = Vec::new();
                for vector in list {
                    apply(operator, vector, &mut result);
                }
                Ok(result)
            }
        }
    }

    fn single(&self, leaf: u32, letter: LetterId) -> Vector {
        let actions = &self.letters.list[letter as usize];
        let lock = |a: &ActionId| self.atomic.is_some_and(|l| [l.take, l.give].contains(a));
        let alone = actions.iter().any(lock);
        let groups = actions.iter().enumerate().map(|(i, action)| {
            let action = &self.spec.actions[*action as usize];
            Group {
                name: (&*action.name).into(),
                sorts: (&*action.sorts).into(),
                occurrences: vec![(0, i as u32)],
                hidden: alone,
            }
        });
        let (participants, groups) = (vec![(leaf, letter)], groups.collect());
        Vector { participants, groups, apart: Vec::new(), alone }
    }
}

/// Both steps at once; the components of the first come first.
fn together(a: &Vector, b: &Vector) -> Vector {
    let shift = a.participants.len() as u32;
    let moved = |list: &[Occurrence]| list.iter().map(|(p, i)| (p + shift, *i)).collect();
    let mut vector = a.clone();
    vector.participants.extend(&b.participants);
    vector
        .groups
        .extend(b.groups.iter().map(|g| Group { occurrences: moved(&g.occurrences), ..g.clone() }));
    vector.apart.extend(b.apart.iter().map(|o| moved(o)));
    vector
}

fn visible(vector: &Vector) -> impl Iterator<Item = &Group> {
    vector.groups.iter().filter(|g| !g.hidden)
}

/// Can two steps at once be part of a step that is allowed?
fn survives(vectors: [&Vector; 2], filter: Option<&Filter>) -> bool {
    let Some(filter) = filter else { return true };
    let names = vectors.into_iter().flat_map(visible).map(|g| &*g.name);
    let mut names: Vec<&str> = names.filter(|n| !filter.free.contains(*n)).collect();
    names.sort_unstable();
    names.is_empty() || filter.sets.iter().any(|set| part_of(&names, set))
}

/// Is a sorted multiset part of another?
fn part_of(names: &[&str], set: &[String]) -> bool {
    let mut rest = set.iter();
    names.iter().all(|name| rest.any(|other| other == name))
}

/// What may be part of a step below an operator, given what may be part of one above.
fn below(operator: &Operator, filter: Option<&Filter>) -> Option<Filter> {
    match operator {
        Operator::Allow(list) => {
            let fits = |names: &&Vec<String>| {
                let Some(outer) = filter else { return true };
                let names: Vec<&str> =
                    names.iter().map(|n| &**n).filter(|n| !outer.free.contains(*n)).collect();
                names.is_empty() || outer.sets.iter().any(|set| part_of(&names, set))
            };
            let sets = list.iter().filter(fits).cloned().collect();
            Some(Filter { sets, free: BTreeSet::new() })
        }
        Operator::Hide(names) => {
            let mut filter = filter?.clone();
            filter.free.extend(names.iter().cloned());
            Some(filter)
        }
        Operator::Block(names) => {
            // What is blocked here may still come from elsewhere.
            let filter = filter?;
            let kept = |set: &Vec<String>| -> Vec<String> {
                set.iter().filter(|n| !names.contains(n)).cloned().collect()
            };
            let sets = filter.sets.iter().map(kept).collect();
            let free = filter.free.iter().filter(|n| !names.contains(n)).cloned().collect();
            Some(Filter { sets, free })
        }
        Operator::Rename(pairs) => {
            let filter = filter?;
            // A name comes from itself, unless it is renamed, and from what is renamed to it.
            let before = |name: &String| {
                let mut list: Vec<Vec<String>> = pairs
                    .iter()
                    .filter(|(_, to)| to == name)
                    .map(|(from, _)| vec![from.clone()])
                    .collect();
                if !pairs.iter().any(|(from, _)| from == name) {
                    list.push(vec![name.clone()]);
                }
                list
            };
            Some(expanded(filter, before))
        }
        Operator::Comm(rules) => {
            let filter = filter?;
            let before = |name: &String| {
                let mut list: Vec<Vec<String>> = rules
                    .iter()
                    .filter(|(_, to)| to == name)
                    .map(|(from, _)| from.clone())
                    .collect();
                list.push(vec![name.clone()]);
                list
            };
            Some(expanded(filter, before))
        }
    }
}

/// Every name replaced by each of the multisets it may come from.
fn expanded(filter: &Filter, before: impl Fn(&String) -> Vec<Vec<String>>) -> Filter {
    let mut sets = BTreeSet::new();
    for set in &filter.sets {
        let mut partial: Vec<Vec<String>> = vec![Vec::new()];
        for name in set {
            let mut sources = before(name);
            if sources.is_empty() {
                // It comes from elsewhere.
                sources.push(Vec::new());
            }
            let extend = |p: &Vec<String>| {
                let p = p.clone();
                sources.clone().into_iter().map(move |s| [&p[..], &s].concat())
            };
            partial = partial.iter().flat_map(extend).collect();
        }
        for mut set in partial {
            set.sort();
            sets.insert(set);
        }
    }
    let free = filter.free.iter().flat_map(&before).flatten().collect();
    Filter { sets, free }
}

/// What an operator makes of a vector.
fn apply(operator: &Operator, mut vector: Vector, to: &mut Vec<Vector>) {
    match operator {
        Operator::Hide(names) => {
            for group in &mut vector.groups {
                group.hidden |= names.iter().any(|n| **n == *group.name);
            }
            to.push(vector);
        }
        Operator::Block(names) => {
            let blocked = visible(&vector).any(|g| names.iter().any(|n| **n == *g.name));
            if !blocked {
                to.push(vector);
            }
        }
        Operator::Allow(list) => {
            let mut names: Vec<&str> = visible(&vector).map(|g| &*g.name).collect();
            names.sort_unstable();
            let same = |set: &Vec<String>| set.iter().map(|n| &**n).eq(names.iter().copied());
            let allowed = names.is_empty() || list.iter().any(same);
            if allowed {
                to.push(vector);
            }
        }
        Operator::Rename(pairs) => {
            for group in &mut vector.groups {
                if !group.hidden
                    && let Some((_, name)) = pairs.iter().find(|(from, _)| **from == *group.name)
                {
                    group.name = (&**name).into();
                }
            }
            to.push(vector);
        }
        Operator::Comm(rules) => communicate(rules, vector, &mut Vec::new(), to),
    }
}

/// Every possible communication happens or does not. `refused` are those that do not.
fn communicate(
    rules: &[(Vec<String>, String)],
    vector: Vector,
    refused: &mut Vec<Vec<usize>>,
    to: &mut Vec<Vector>,
) {
    let found = rules.iter().find_map(|(left, result)| {
        let mut chosen = Vec::new();
        matching(&vector, left, 0, &mut chosen, refused).then_some((chosen, result))
    });
    let Some((mut chosen, result)) = found else {
        to.push(vector);
        return;
    };
    chosen.sort_unstable();
    // It happens: the groups become one. Refusals are about groups that are still there.
    let mut joined = vector.clone();
    let parts: Vec<Occurrence> =
        chosen.iter().flat_map(|i| vector.groups[*i].occurrences.clone()).collect();
    let mut group = vector.groups[chosen[0]].clone();
    group.name = (&**result).into();
    group.occurrences = parts.clone();
    // Keep the places of the other groups, so that refusals stay valid.
    for i in &chosen {
        joined.groups[*i].hidden = true;
        joined.groups[*i].occurrences.truncate(1);
    }
    joined.groups.push(group);
    communicate(rules, joined, &mut refused.clone(), to);
    // It does not: then the arguments differ.
    let mut apart = vector;
    if !apart.groups[chosen[0]].sorts.is_empty() {
        apart.apart.push(parts);
        refused.push(chosen);
        communicate(rules, apart, refused, to);
        refused.pop();
    }
}

/// Chooses groups for the names of a left-hand side that have not been refused together.
fn matching(
    vector: &Vector,
    left: &[String],
    from: usize,
    chosen: &mut Vec<usize>,
    refused: &[Vec<usize>],
) -> bool {
    let Some(name) = left.get(from) else {
        let mut sorted = chosen.clone();
        sorted.sort_unstable();
        return !refused.contains(&sorted);
    };
    for (i, group) in vector.groups.iter().enumerate() {
        let same = chosen.first().is_none_or(|c| vector.groups[*c].sorts == group.sorts);
        if !group.hidden && *group.name == **name && same && !chosen.contains(&i) {
            chosen.push(i);
            if matching(vector, left, from + 1, chosen, refused) {
                return true;
            }
            chosen.pop();
        }
    }
    false
}
