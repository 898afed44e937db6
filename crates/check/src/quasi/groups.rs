//! Which group an operation belongs to, and which operations can be promised a place.

use linchpin_lin::Value;
use linchpin_lin::program::{Check, DataDomain, DataId, Domain, QuasiGroup, QuasiResult};

/// The groups of a check whose factor is not 0, by number.
pub(super) struct Groups {
    groups: Vec<QuasiGroup>,
    /// Per operation of the object: the groups that it can belong to.
    possible: Vec<Vec<u32>>,
    /// What a client can call: per operation, the tuples of arguments.
    calls: Vec<(u32, Vec<Argument>)>,
    /// Per operation, per parameter: the opaque type of which every call has a new value.
    fresh: Vec<Vec<Option<DataId>>>,
    /// Per opaque type: does every call have new values of it?
    fresh_types: Vec<bool>,
}

/// An argument of a call that has not happened yet.
#[derive(Clone)]
pub(super) enum Argument {
    /// This value.
    Is(Value),
    /// A value of an opaque type that nobody has used.
    New(DataId),
}

impl Groups {
    pub(super) fn new(check: &Check, groups: &[QuasiGroup]) -> Self {
        let possible = (0..check.domains.len() as u32)
            .map(|op| {
                let may = |g: &QuasiGroup| {
                    g.factor > 0 && g.members.iter().any(|(member, _)| member.0 == op)
                };
                (0..groups.len() as u32).filter(|&g| may(&groups[g as usize])).collect()
            })
            .collect();
        let calls = (0..check.domains.len() as u32)
            .flat_map(|op| {
                let tuples = tuples(check, &check.domains[op as usize]);
                tuples.into_iter().map(move |args| (op, args))
            })
            .collect();
        let fresh = |domain: &Domain| match domain {
            Domain::Data(id) if check.data[id.index()] == DataDomain::Fresh => Some(*id),
            _ => None,
        };
        let fresh = check.domains.iter().map(|op| op.iter().map(fresh).collect()).collect();
        let fresh_types = check.data.iter().map(|d| *d == DataDomain::Fresh).collect();
        Groups { groups: groups.to_vec(), possible, calls, fresh, fresh_types }
    }

    /// By how many places operations of a group may be out of order.
    pub(super) fn factor(&self, group: u32) -> i64 {
        i64::from(self.groups[group as usize].factor)
    }

    /// The groups with a factor that an operation can belong to.
    pub(super) fn possible(&self, op: u32) -> &[u32] {
        &self.possible[op as usize]
    }

    /// The group of an operation with this result; `None` if its factor is 0.
    pub(super) fn of(&self, op: u32, result: &Value) -> Option<u32> {
        let matching = |particular: bool| {
            self.groups.iter().position(|g| {
                g.members.iter().any(|(member, which)| {
                    member.0 == op
                        && match which {
                            QuasiResult::Any => !particular,
                            QuasiResult::Some => {
                                particular && matches!(result, Value::Option(Some(_)))
                            }
                            QuasiResult::Is(value) => particular && value == result,
                        }
                })
            })
        };
        let group = matching(true).or_else(|| matching(false))?;
        (self.groups[group].factor > 0).then_some(group as u32)
    }

    /// Per parameter of an operation: the opaque type of which every call has a new value.
    pub(super) fn fresh(&self, op: u32) -> &[Option<DataId>] {
        &self.fresh[op as usize]
    }

    /// Is every value of this type in a call a new one?
    pub(super) fn is_fresh(&self, id: DataId) -> bool {
        self.fresh_types[id.index()]
    }

    /// Has every call of an operation a value that no other call has?
    pub(super) fn unique(&self, op: u32) -> bool {
        self.fresh(op).iter().any(Option::is_some)
    }

    /// Everything that can be called, as operations of the object with arguments.
    pub(super) fn calls(&self) -> &[(u32, Vec<Argument>)] {
        &self.calls
    }
}

fn tuples(check: &Check, domains: &[Domain]) -> Vec<Vec<Argument>> {
    let mut tuples = vec![Vec::new()];
    for domain in domains {
        let values: Vec<Argument> = match domain {
            Domain::OneOf(values) => values.iter().cloned().map(Argument::Is).collect(),
            Domain::Data(id) => match check.data[id.index()] {
                DataDomain::Fresh => vec![Argument::New(*id)],
                DataDomain::Finite(n) => (1..=n).map(|v| Argument::Is(Value::Data(v))).collect(),
            },
        };
        tuples = tuples
            .into_iter()
            .flat_map(|tuple| {
                values.iter().map(move |value| {
                    let mut tuple = tuple.clone();
                    tuple.push(value.clone());
                    tuple
                })
            })
            .collect();
    }
    tuples
}
