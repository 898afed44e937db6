//! Sorts, each once: equal sorts have equal numbers, aliases are gone.

use std::collections::HashMap;

/// The number of a sort.
pub(crate) type SortId = u32;

/// The number of a constructor, mapping, projection or recogniser.
pub(crate) type OpId = u32;

/// What is not known yet: the elements of `[]`.
pub(crate) const UNKNOWN: SortId = 0;
pub(crate) const BOOL: SortId = 1;
pub(crate) const POS: SortId = 2;
pub(crate) const NAT: SortId = 3;
pub(crate) const INT: SortId = 4;

/// A sort.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Unknown,
    Bool,
    Pos,
    Nat,
    Int,
    List(SortId),
    Set(SortId),
    FSet(SortId),
    Bag(SortId),
    FBag(SortId),
    Function(Box<[SortId]>, SortId),
    /// A declared sort that is no alias.
    Named(u32),
}

/// A declared sort with its constructors.
#[derive(Clone, Debug)]
pub(crate) struct NamedSort {
    pub(crate) name: String,
    pub(crate) constructors: Vec<OpId>,
}

/// All sorts of a specification.
#[derive(Clone, Debug)]
pub(crate) struct Sorts {
    list: Vec<Sort>,
    index: HashMap<Sort, SortId>,
    pub(crate) named: Vec<NamedSort>,
}

impl Default for Sorts {
    fn default() -> Self {
        let mut sorts = Sorts { list: Vec::new(), index: HashMap::new(), named: Vec::new() };
        for sort in [Sort::Unknown, Sort::Bool, Sort::Pos, Sort::Nat, Sort::Int] {
            sorts.intern(sort);
        }
        sorts
    }
}

impl Sorts {
    pub(crate) fn intern(&mut self, sort: Sort) -> SortId {
        if let Some(&id) = self.index.get(&sort) {
            return id;
        }
        let id = self.list.len() as SortId;
        self.list.push(sort.clone());
        self.index.insert(sort, id);
        id
    }

    pub(crate) fn get(&self, id: SortId) -> &Sort {
        &self.list[id as usize]
    }

    pub(crate) fn new_named(&mut self, name: &str) -> SortId {
        self.named.push(NamedSort { name: name.into(), constructors: Vec::new() });
        self.intern(Sort::Named(self.named.len() as u32 - 1))
    }

    /// How a sort is written.
    pub(crate) fn show(&self, id: SortId) -> String {
        match self.get(id) {
            Sort::Unknown => "?".into(),
            Sort::Bool => "Bool".into(),
            Sort::Pos => "Pos".into(),
            Sort::Nat => "Nat".into(),
            Sort::Int => "Int".into(),
            Sort::List(s) => format!("List({})", self.show(*s)),
            Sort::Set(s) => format!("Set({})", self.show(*s)),
            Sort::FSet(s) => format!("FSet({})", self.show(*s)),
            Sort::Bag(s) => format!("Bag({})", self.show(*s)),
            Sort::FBag(s) => format!("FBag({})", self.show(*s)),
            Sort::Function(from, to) => {
                let from: Vec<String> = from
                    .iter()
                    .map(|s| match self.get(*s) {
                        Sort::Function(..) => format!("({})", self.show(*s)),
                        _ => self.show(*s),
                    })
                    .collect();
                format!("{} -> {}", from.join(" # "), self.show(*to))
            }
            Sort::Named(n) => self.named[*n as usize].name.clone(),
        }
    }

    /// How many conversions it takes to use a value of sort `a` where `b` is wanted; `None` if it
    /// cannot be. Numbers, lists and finite sets have the same representation in all their sorts,
    /// so that conversions cost nothing when the system runs.
    pub(crate) fn fits(&self, a: SortId, b: SortId) -> Option<u32> {
        if a == b || a == UNKNOWN || b == UNKNOWN {
            return Some(0);
        }
        match (self.get(a), self.get(b)) {
            (Sort::Pos, Sort::Nat) | (Sort::Nat, Sort::Int) => Some(1),
            (Sort::Pos, Sort::Int) => Some(2),
            (Sort::List(x), Sort::List(y))
            | (Sort::Set(x), Sort::Set(y))
            | (Sort::FSet(x), Sort::FSet(y))
            | (Sort::Bag(x), Sort::Bag(y))
            | (Sort::FBag(x), Sort::FBag(y)) => self.fits(*x, *y),
            (Sort::FSet(x), Sort::Set(y)) | (Sort::FBag(x), Sort::Bag(y)) => {
                Some(self.fits(*x, *y)? + 1)
            }
            (Sort::Function(f, r), Sort::Function(g, s)) if f.len() == g.len() => {
                let mut cost = self.fits(*r, *s)?;
                for (x, y) in f.iter().zip(g) {
                    // A function of natural numbers where one of integers is wanted, or the other
                    // way round: the representation of the argument is the same.
                    cost += self.fits(*x, *y).or_else(|| self.fits(*y, *x))?;
                }
                Some(cost)
            }
            _ => None,
        }
    }

    /// The least sort that both fit.
    pub(crate) fn join(&mut self, a: SortId, b: SortId) -> Option<SortId> {
        if a == b || b == UNKNOWN {
            return Some(a);
        }
        if a == UNKNOWN {
            return Some(b);
        }
        let joined = match (self.get(a).clone(), self.get(b).clone()) {
            (Sort::List(x), Sort::List(y)) => Sort::List(self.join(x, y)?),
            (Sort::FSet(x), Sort::FSet(y)) => Sort::FSet(self.join(x, y)?),
            (Sort::Set(x) | Sort::FSet(x), Sort::Set(y) | Sort::FSet(y)) => {
                Sort::Set(self.join(x, y)?)
            }
            (Sort::FBag(x), Sort::FBag(y)) => Sort::FBag(self.join(x, y)?),
            (Sort::Bag(x) | Sort::FBag(x), Sort::Bag(y) | Sort::FBag(y)) => {
                Sort::Bag(self.join(x, y)?)
            }
            _ if self.fits(a, b).is_some() => return Some(b),
            _ if self.fits(b, a).is_some() => return Some(a),
            _ => return None,
        };
        Some(self.intern(joined))
    }

    /// Is this a sort of numbers?
    pub(crate) fn is_number(&self, id: SortId) -> bool {
        matches!(id, POS | NAT | INT)
    }
}
