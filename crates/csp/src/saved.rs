//! What the numbers in states and labels mean, for another run.
//!
//! Objects, labels, sets of labels, lists of alphabets, troubles, terms and structures, each in the order of its numbers and
//! after what it refers to. A structure is rebuilt from its key, with components that do nothing.

use std::io;

use linchpin_lts::{Label, Loading, NewNumbers, Renumber, Saving, Trouble, damaged};

use crate::network::Shape;
use crate::objects::Object;
use crate::system::System;
use crate::term::{STOP, Term, TermId};
use crate::value::{self, Value, from_slot, number_of_object, to_slot};

/// What numbers of another run are called.
struct Renumbered<'s> {
    system: &'s System,
    objects: NewNumbers,
    labels: NewNumbers,
    sets: NewNumbers,
    alphabets: NewNumbers,
    troubles: NewNumbers,
    terms: NewNumbers,
    networks: NewNumbers,
}

/// Writes down what the numbers of a system mean.
pub(crate) fn save(system: &System, out: &mut Saving<'_>) -> io::Result<()> {
    let (texts, sets) = system.terms.labels.all();
    let (terms, alphabets, troubles) = system.terms.all();
    out.things(system.program().objects.iter())?;
    out.things(texts)?;
    out.things(sets)?;
    out.things(alphabets)?;
    out.things(troubles)?;
    out.things(terms)?;
    out.things(system.shapes())
}

/// Reads that; says what the numbers are called here.
pub(crate) fn load<'s>(
    system: &'s System,
    from: &mut Loading<'_>,
) -> io::Result<Box<dyn Renumber + 's>> {
    let terms = &system.terms;
    let objects = from.things(|mut object: Object, new| {
        for item in &mut object.items {
            *item = renumbered(*item, new)?;
        }
        let value = system.program().objects.value(object).map_err(io::Error::other)?;
        number_of_object(value).ok_or_else(|| damaged("an object"))
    })?;
    let labels = from.things(|text: String, _| Ok(terms.labels.label(&text)))?;
    let sets = from.things(|mut members: Vec<Label>, _| {
        labels.renumber(&mut members)?;
        Ok(terms.labels.set(members))
    })?;
    let alphabets = from.things(|mut list: Vec<u32>, _| {
        sets.renumber(&mut list)?;
        Ok(terms.alphabets(list))
    })?;
    let troubles = from.things(|trouble: Trouble, _| Ok(terms.trouble(trouble)))?;
    let none = NewNumbers::default;
    let (known, networks) = (none(), none());
    let mut new =
        Renumbered { system, objects, labels, sets, alphabets, troubles, terms: known, networks };
    new.terms = from.things(|term: Term, known| Ok(terms.intern(new.term(term, known)?)))?;
    new.networks = from.things(|key: Vec<u32>, _| {
        let mut rest = &key[..];
        let root = new.structure(&mut rest, 0)?;
        let mut state = Vec::new();
        system.place(root, &mut state).map_err(|trouble| io::Error::other(trouble.message))?;
        Ok(state[0])
    })?;
    Ok(Box::new(new))
}

/// The new number of a value.
fn renumbered(value: Value, objects: &NewNumbers) -> io::Result<Value> {
    number_of_object(value).map_or(Ok(value), |number| Ok(value::object(objects.get(number)?)))
}

/// The deepest structure.
const MAX_DEPTH: u32 = 1 << 10;

impl Renumbered<'_> {
    /// A term with what its numbers are called, given those of its parts.
    fn term(&self, mut term: Term, terms: &NewNumbers) -> io::Result<Term> {
        let values = |env: &mut [Value]| {
            env.iter_mut().try_for_each(|v| {
                *v = renumbered(*v, &self.objects)?;
                Ok::<_, io::Error>(())
            })
        };
        match &mut term {
            Term::Stop | Term::Skip | Term::NamedSkip | Term::Done => {}
            Term::Fault(number, _) => *number = self.troubles.get(*number)?,
            Term::Leaf(_, env) => values(env)?,
            Term::Guard(_, env, a) | Term::Sequence(a, _, env) => {
                values(env)?;
                *a = terms.get(*a)?;
            }
            Term::IfAtomic(_, env, a, b) => {
                values(env)?;
                (*a, *b) = (terms.get(*a)?, terms.get(*b)?);
            }
            Term::Choice(list) | Term::External(list) | Term::Interleave(list) => {
                terms.renumber(list)?;
            }
            Term::Parallel(alphabets, list) => {
                *alphabets = self.alphabets.get(*alphabets)?;
                terms.renumber(list)?;
            }
            Term::Interrupt(a, b) => (*a, *b) = (terms.get(*a)?, terms.get(*b)?),
            Term::Hide(a, set) => (*a, *set) = (terms.get(*a)?, self.sets.get(*set)?),
            Term::Atomic(a) | Term::Many(a) => *a = terms.get(*a)?,
        }
        Ok(term)
    }

    /// A term with the structure of a key ([`Shape::key`]), which is taken off.
    fn structure(&self, key: &mut &[u32], depth: u32) -> io::Result<TermId> {
        let Some(([kind, number, parts], rest)) = key.split_first_chunk() else {
            return Err(damaged("a structure without end"));
        };
        if depth > MAX_DEPTH || *parts as usize > rest.len() {
            return Err(damaged("a structure that is too deep"));
        }
        *key = rest;
        let parts: Vec<TermId> =
            (0..*parts).map(|_| self.structure(key, depth + 1)).collect::<io::Result<_>>()?;
        let term = match (*kind, &parts[..]) {
            (Shape::COMPONENT, []) => return Ok(STOP),
            (Shape::INTERLEAVE, _) => Term::Interleave(parts.into()),
            (Shape::PARALLEL, _) => Term::Parallel(self.alphabets.get(*number)?, parts.into()),
            (Shape::HIDE, [inner]) => Term::Hide(*inner, self.sets.get(*number)?),
            _ => return Err(damaged("no structure")),
        };
        Ok(self.system.terms.intern(term))
    }
}

impl Renumber for Renumbered<'_> {
    fn state(&self, state: &mut [u32]) -> io::Result<()> {
        let data = state.len().checked_sub(self.system.data_width()).filter(|&data| data > 0);
        let (structure, data) = state.split_at_mut(data.ok_or_else(|| damaged("a short state"))?);
        structure[0] = self.networks.get(structure[0])?;
        self.terms.renumber(&mut structure[1..])?;
        data.iter_mut().try_for_each(|slot| {
            *slot = to_slot(renumbered(from_slot(*slot), &self.objects)?);
            Ok(())
        })
    }

    fn label(&self, label: Label) -> io::Result<Label> {
        self.labels.get(label)
    }
}
