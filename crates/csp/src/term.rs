//! Control states: processes after some steps, interned.
//!
//! A *closure* is a node of the program with the values of its parameters; parameters that do not
//! matter are zero, so that equal behaviour is equal more often. A *term* is a closure that waits for
//! its next step, or an operator over terms. Terms are hash-consed: a number per term, equal numbers
//! for equal terms. What can be seen at once to do the same becomes the same term. All workers share them;
//! the numbers depend on who comes first, content hashes do not.

use std::hash::Hash;
use std::mem::discriminant;
use std::sync::Arc;

use linchpin_lts::{Content, Interned, Trouble, Watch};
use serde::{Deserialize, Serialize};

use crate::eval::Evaluated;
use crate::labels::{Labels, SetId};
use crate::program::{NodeId, Program};
use crate::value::Value;

/// The number of a term.
pub(crate) type TermId = u32;

/// The number of a list of alphabets, one for each operand of a parallel composition.
pub(crate) type AlphabetId = u32;

/// Values of parameters.
pub(crate) type Env = Box<[Value]>;

/// A control state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Term {
    /// Does nothing.
    Stop,
    /// Terminates, and `Skip; P` is `P`.
    Skip,
    /// A process that is called and is `Skip`: `P(); Q` has a silent step between them.
    NamedSkip,
    /// Has terminated.
    Done,
    /// Something that cannot be unfolded, below a condition: the number of the trouble, and the node.
    Fault(u32, NodeId),
    /// A prefix, a conditional, an internal choice, an assertion, or a call whose arguments depend on
    /// variables: PAT evaluates them when the called process moves.
    Leaf(NodeId, Env),
    /// `[b] P`
    Guard(NodeId, Env, TermId),
    /// `ifa (b) {P} else {Q}`
    IfAtomic(NodeId, Env, TermId, TermId),
    /// `P [] Q`
    Choice(Box<[TermId]>),
    /// `P [*] Q`
    External(Box<[TermId]>),
    /// `P ||| Q`
    Interleave(Box<[TermId]>),
    /// `P || Q`
    Parallel(AlphabetId, Box<[TermId]>),
    /// `P interrupt Q`
    Interrupt(TermId, TermId),
    /// `P \ X`
    Hide(TermId, SetId),
    /// `atomic {P}`
    Atomic(TermId),
    /// `P; Q`, where `Q` has not begun.
    Sequence(TermId, NodeId, Env),
    /// `|||{..}@P`: as many that have not begun as one likes.
    Many(TermId),
}

pub(crate) const STOP: TermId = 0;
pub(crate) const SKIP: TermId = 1;
pub(crate) const NAMED_SKIP: TermId = 2;
pub(crate) const DONE: TermId = 3;

/// The deepest nesting of operators of a process that runs.
const MAX_DEPTH: u32 = 128;

/// The most operands of all operators of a process that runs.
const MAX_OPERANDS: u32 = 1 << 13;

/// A term, how deep its operators are nested, and how many operands there are in all.
#[derive(PartialEq, Eq)]
struct Sized {
    term: Term,
    depth: u32,
    operands: u32,
}

/// All terms, alphabets and labels seen so far.
pub(crate) struct Terms {
    program: Arc<Program>,
    list: Interned<Sized>,
    alphabets: Interned<Box<[SetId]>>,
    /// Why arguments of calls could not be evaluated.
    troubles: Interned<Trouble>,
    pub(crate) labels: Labels,
    /// Asked by whatever takes long.
    pub(crate) watch: Watch,
}

impl Terms {
    pub(crate) fn new(program: Arc<Program>, watch: Watch) -> Self {
        let terms = Terms {
            program,
            watch,
            list: Interned::default(),
            alphabets: Interned::default(),
            troubles: Interned::default(),
            labels: Labels::new(),
        };
        for (term, id) in [
            (Term::Stop, STOP),
            (Term::Skip, SKIP),
            (Term::NamedSkip, NAMED_SKIP),
            (Term::Done, DONE),
        ] {
            let known = terms.intern(term);
            debug_assert_eq!(known, id);
        }
        terms
    }

    /// Shall we go on?
    pub(crate) fn ask(&self) -> Evaluated<()> {
        self.watch.ask().map_err(|limit| Box::new(limit.into()))
    }

    /// All terms, lists of alphabets and troubles, in the order of their numbers.
    pub(crate) fn all(
        &self,
    ) -> (
        impl ExactSizeIterator<Item = &Term>,
        impl ExactSizeIterator<Item = &Box<[SetId]>>,
        impl ExactSizeIterator<Item = &Trouble>,
    ) {
        (self.list.iter().map(|sized| &sized.term), self.alphabets.iter(), self.troubles.iter())
    }

    /// The number of a term.
    pub(crate) fn intern(&self, term: Term) -> TermId {
        let of = |parts: &[TermId]| {
            parts.iter().fold((1, 0u32), |(depth, count), &part| {
                let part = self.list.get(part);
                (depth.max(part.depth + 1), count.saturating_add(part.operands))
            })
        };
        let (depth, operands) = match &term {
            Term::Stop
            | Term::Skip
            | Term::NamedSkip
            | Term::Done
            | Term::Fault(..)
            | Term::Leaf(..) => (1, 1),
            Term::Guard(_, _, a) | Term::Hide(a, _) | Term::Atomic(a) | Term::Many(a) => of(&[*a]),
            Term::Sequence(a, ..) => {
                let (depth, count) = of(&[*a]);
                (depth, count.saturating_add(1))
            }
            Term::IfAtomic(_, _, a, b) | Term::Interrupt(a, b) => of(&[*a, *b]),
            Term::Choice(parts)
            | Term::External(parts)
            | Term::Interleave(parts)
            | Term::Parallel(_, parts) => of(parts),
        };
        self.list.intern(self.content(&term), Sized { term, depth, operands })
    }

    /// The content hash of a term, from those of its parts.
    fn content(&self, term: &Term) -> u64 {
        let mut content = Content::default();
        discriminant(term).hash(&mut content);
        let values = |content: &mut Content, node: NodeId, env: &[Value]| {
            content.add(node.into());
            env.iter().for_each(|&v| content.add(self.value_hash(v)));
        };
        let parts = |content: &mut Content, parts: &[TermId]| {
            parts.iter().for_each(|&part| content.add(self.hash(part)));
        };
        match term {
            Term::Stop | Term::Skip | Term::NamedSkip | Term::Done => {}
            Term::Fault(number, node) => {
                content.add(self.troubles.hash(*number));
                content.add((*node).into());
            }
            Term::Leaf(node, env) => values(&mut content, *node, env),
            Term::Guard(node, env, a) | Term::Sequence(a, node, env) => {
                values(&mut content, *node, env);
                parts(&mut content, &[*a]);
            }
            Term::IfAtomic(node, env, a, b) => {
                values(&mut content, *node, env);
                parts(&mut content, &[*a, *b]);
            }
            Term::Choice(list) | Term::External(list) | Term::Interleave(list) => {
                parts(&mut content, list);
            }
            Term::Parallel(alphabets, list) => {
                content.add(self.alphabets.hash(*alphabets));
                parts(&mut content, list);
            }
            Term::Interrupt(a, b) => parts(&mut content, &[*a, *b]),
            Term::Hide(a, set) => {
                content.add(self.labels.set_hash(*set));
                parts(&mut content, &[*a]);
            }
            Term::Atomic(a) | Term::Many(a) => parts(&mut content, &[*a]),
        }
        std::hash::Hasher::finish(&content)
    }

    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.list.get(id).term
    }

    /// The content hash of a value.
    pub(crate) fn value_hash(&self, v: Value) -> u64 {
        self.program.objects.hash(v)
    }

    /// The content hash of a term.
    #[inline]
    pub(crate) fn hash(&self, id: TermId) -> u64 {
        self.list.hash(id)
    }

    /// How many operands its operators have.
    pub(crate) fn operands(&self, id: TermId) -> u64 {
        self.list.get(id).operands.into()
    }

    /// Has a process grown so much that it probably never stops growing?
    pub(crate) fn is_too_large(&self, id: TermId) -> bool {
        let Sized { depth, operands, .. } = *self.list.get(id);
        depth > MAX_DEPTH || operands > MAX_OPERANDS
    }

    /// The number of a trouble.
    pub(crate) fn trouble(&self, trouble: Trouble) -> u32 {
        self.troubles.intern(Content::of((&trouble.message, trouble.at)), trouble)
    }

    /// The trouble of a number.
    pub(crate) fn trouble_of(&self, number: u32) -> &Trouble {
        self.troubles.get(number)
    }

    /// The number of a list of alphabets.
    pub(crate) fn alphabets(&self, sets: Vec<SetId>) -> AlphabetId {
        let content: Vec<u64> = sets.iter().map(|&set| self.labels.set_hash(set)).collect();
        self.alphabets.intern(Content::of(content), sets.into())
    }

    /// The content hash of a list of alphabets.
    pub(crate) fn alphabet_hash(&self, id: AlphabetId) -> u64 {
        self.alphabets.hash(id)
    }

    /// The alphabets of the operands: events that others share.
    pub(crate) fn alphabet(&self, id: AlphabetId) -> &[SetId] {
        self.alphabets.get(id)
    }

    /// Is it an operator that belongs to the structure of a state?
    pub(crate) fn is_structure(&self, id: TermId) -> bool {
        matches!(self.get(id), Term::Interleave(_) | Term::Parallel(..) | Term::Hide(..))
    }

    /// Is it nothing but `Skip`, as it is written?
    pub(crate) fn is_skip(&self, id: TermId) -> bool {
        match self.get(id) {
            Term::Skip => true,
            Term::Atomic(inner) => self.is_skip(*inner),
            Term::Choice(parts) | Term::External(parts) | Term::Interleave(parts) => {
                parts.iter().all(|&p| self.is_skip(p))
            }
            _ => false,
        }
    }

    /// A term as the result of a call.
    pub(crate) fn called(&self, id: TermId) -> TermId {
        match self.is_skip(id) {
            false => id,
            true if self.goes_first(id) => self.atomic(NAMED_SKIP),
            true => NAMED_SKIP,
        }
    }

    /// Does some of it end before others move?
    fn goes_first(&self, id: TermId) -> bool {
        match self.get(id) {
            Term::Atomic(_) => true,
            Term::Choice(parts) | Term::External(parts) | Term::Interleave(parts) => {
                parts.iter().any(|&p| self.goes_first(p))
            }
            _ => false,
        }
    }

    pub(crate) fn choice(&self, parts: Vec<TermId>) -> TermId {
        let parts: Vec<TermId> = parts.into_iter().filter(|&p| p != STOP).collect();
        match parts.as_slice() {
            [] => STOP,
            [one] => *one,
            _ => self.intern(Term::Choice(parts.into())),
        }
    }

    /// `P [*] Q`. What does nothing stays, once: with it the choice is never `Skip`, which makes a
    /// difference in sequences. Where `Stop` is written it has been left out. Of equal parts PAT keeps
    /// one, even if they have silent steps.
    pub(crate) fn external(&self, parts: Vec<TermId>) -> TermId {
        let mut flat = Vec::new();
        for part in parts {
            let inner = match self.get(part) {
                Term::External(inner) => inner.to_vec(),
                _ => vec![part],
            };
            for part in inner {
                if !flat.contains(&part) {
                    flat.push(part);
                }
            }
        }
        if let Some(i) = flat.iter().position(|&p| p == STOP) {
            flat.remove(i);
            flat.push(STOP);
        }
        match flat.as_slice() {
            [] => STOP,
            [one] => *one,
            _ => self.intern(Term::External(flat.into())),
        }
    }

    pub(crate) fn interleave(&self, parts: Vec<TermId>) -> TermId {
        let mut flat = Vec::new();
        for part in parts {
            match self.get(part) {
                Term::Interleave(inner) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        self.absorb(&mut flat);
        if flat.iter().all(|&p| p == SKIP) {
            return SKIP;
        }
        if flat.iter().all(|&p| p == SKIP || p == STOP) {
            return STOP;
        }
        if let [one] = flat.as_slice() {
            return *one;
        }
        self.intern(Term::Interleave(flat.into()))
    }

    /// `|||{..}@P`
    pub(crate) fn many(&self, inner: TermId) -> TermId {
        match self.get(inner) {
            Term::Stop | Term::Many(_) => inner,
            _ if self.is_skip(inner) => inner,
            _ => self.intern(Term::Many(inner)),
        }
    }

    /// Beside as many of a process as one likes, one more that has not begun makes no difference, nor does one that has
    /// ended, which does not keep the others from ending.
    fn absorb(&self, parts: &mut Vec<TermId>) {
        let many = |&part: &TermId| match self.get(part) {
            Term::Many(inner) => Some((part, *inner)),
            _ => None,
        };
        let all: Vec<(TermId, TermId)> = parts.iter().filter_map(many).collect();
        if all.is_empty() {
            return;
        }
        parts.retain(|&part| part != SKIP && part != NAMED_SKIP);
        for (part, inner) in all {
            let copies = match self.get(inner) {
                Term::Interleave(copies) => copies.to_vec(),
                _ => vec![inner],
            };
            loop {
                let mut rest = parts.clone();
                let found = copies.iter().all(|copy| {
                    let place = rest.iter().position(|part| part == copy);
                    place.map(|place| rest.remove(place)).is_some()
                });
                if !found {
                    break;
                }
                *parts = rest;
            }
            let mut first = true;
            parts.retain(|&other| other != part || std::mem::take(&mut first));
        }
    }

    pub(crate) fn parallel(&self, alphabets: AlphabetId, parts: Vec<TermId>) -> TermId {
        if parts.iter().all(|&p| p == DONE) {
            return DONE;
        }
        self.intern(Term::Parallel(alphabets, parts.into()))
    }

    pub(crate) fn hide(&self, inner: TermId, set: SetId) -> TermId {
        match *self.get(inner) {
            Term::Stop | Term::Done => inner,
            // Recursion through hiding does not pile up.
            Term::Hide(process, other) => {
                let labels = [self.labels.members(set), self.labels.members(other)].concat();
                let set = self.labels.set(labels);
                self.intern(Term::Hide(process, set))
            }
            _ => self.intern(Term::Hide(inner, set)),
        }
    }

    pub(crate) fn atomic(&self, inner: TermId) -> TermId {
        match self.get(inner) {
            Term::Stop | Term::Done | Term::Atomic(_) => inner,
            _ => self.intern(Term::Atomic(inner)),
        }
    }
}
