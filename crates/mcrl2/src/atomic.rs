//! The abstract specification of an object, derived from the concrete one: every body atomic.
//!
//! R. Paval, *Modeling and Verifying Concurrent Data Structures*, thesis, Eindhoven 2018, section
//! 4.1.2. After an
//! invocation a thread takes the one lock there is, before a response it gives it back, and
//! invocations and responses happen only while nobody has it. What the thesis does by hand (five
//! actions, a process *Atomic*, a process for every event, more in every set of the operators) is
//! done here on the checked specification: the two new steps are silent and pass all operators, and
//! the lock is one more component that takes part in the vectors ([`crate::net`]).
//!
//! Departures: events are found by their names (`Call...`, `Return...`, as in the thesis) or given,
//! and need no primed copies. A network that has terminated says so whatever the lock does.

use std::collections::BTreeSet;

use crate::check::Spec;
use crate::code::{Action, ActionId, Performed, ProcessDef, Term, TermId, TermKind};
use crate::report::{ACTIONS, Checked, error};

/// Which actions begin and end operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Names of invocations.
    pub calls: Vec<String>,
    /// Names of responses.
    pub returns: Vec<String>,
}

/// The actions of a specification with atomic bodies.
#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    /// What a thread does to take and to give back the lock.
    pub(crate) take: ActionId,
    pub(crate) give: ActionId,
    /// What the lock does then.
    pub(crate) taken: ActionId,
    pub(crate) given: ActionId,
    /// What the lock does when an operation begins or ends.
    pub(crate) free: ActionId,
    /// Invocations and responses.
    pub(crate) events: BTreeSet<ActionId>,
    /// The process of the lock.
    pub(crate) lock: TermId,
}

/// Makes the bodies of a specification atomic.
pub(crate) fn make_atomic(spec: &mut Spec, events: &Events) -> Checked<Atomic> {
    let of = |names: &[String]| -> BTreeSet<ActionId> {
        let named = |a: &(usize, &Action)| names.contains(&a.1.name);
        spec.actions.iter().enumerate().filter(named).map(|(i, _)| i as ActionId).collect()
    };
    let (calls, returns) = (of(&events.calls), of(&events.returns));
    let performed = |wanted: &BTreeSet<ActionId>| {
        spec.terms.iter().any(|t| match &t.kind {
            TermKind::Act(list, _) => list.iter().any(|p| wanted.contains(&p.action)),
            _ => false,
        })
    };
    let init = spec.terms[spec.init as usize].span;
    if !performed(&calls) || !performed(&returns) {
        let what = if performed(&calls) { "response" } else { "invocation" };
        let message = format!("no process does an {what}").replace("an response", "a response");
        let help = "name the actions `Call...` and `Return...`, or say which they are \
                    (`--calls`, `--returns`)";
        return Err(Box::new(error(ACTIONS, init, message).help(help)));
    }
    let mut builder = Builder { spec };
    // Names with `@` cannot be written, so that no operator is about them.
    let [take, give, taken, given, free] =
        ["@take", "@give", "@taken", "@given", "@free"].map(|name| builder.action(name));
    let last = builder.spec.terms.len() as TermId;
    for id in 0..last {
        let term = builder.spec.terms[id as usize].clone();
        let TermKind::Act(list, plain) = &term.kind else { continue };
        if *plain == id {
            continue;
        }
        let call = list.iter().any(|p| calls.contains(&p.action));
        let end = list.iter().any(|p| returns.contains(&p.action));
        let sequence = match (call, end) {
            (false, false) => continue,
            (true, true) => {
                let message = "an invocation and a response in one multi-action";
                return Err(Box::new(error(ACTIONS, term.span, message)));
            }
            (true, false) => {
                let own = builder.copy(&term);
                TermKind::Sequence(own, builder.step(take, &term))
            }
            (false, true) => {
                let own = builder.copy(&term);
                TermKind::Sequence(builder.step(give, &term), own)
            }
        };
        builder.spec.terms[id as usize].kind = sequence;
    }
    let lock = builder.lock([taken, given, free]);
    let events = calls.union(&returns).copied().collect();
    Ok(Atomic { take, give, taken, given, free, events, lock })
}

struct Builder<'a> {
    spec: &'a mut Spec,
}

impl Builder<'_> {
    fn action(&mut self, name: &str) -> ActionId {
        let span = self.spec.terms[self.spec.init as usize].span;
        self.spec.actions.push(Action { name: name.into(), sorts: [].into(), span });
        self.spec.actions.len() as ActionId - 1
    }

    fn copy(&mut self, term: &Term) -> TermId {
        self.spec.terms.push(term.clone());
        self.spec.terms.len() as TermId - 1
    }

    fn term(&mut self, kind: TermKind, like: &Term) -> TermId {
        self.copy(&Term { kind, free: [].into(), ..like.clone() })
    }

    /// An action without arguments, where another one stands.
    fn step(&mut self, action: ActionId, like: &Term) -> TermId {
        let list: Box<[Performed]> = [Performed { action, arguments: [].into() }].into();
        let plain = self.spec.terms.len() as TermId;
        let own = self.term(TermKind::Act(list.clone(), plain), like);
        debug_assert_eq!(own, plain);
        self.term(TermKind::Act(list, plain), like)
    }

    /// `Lock = taken . given . Lock + free . Lock`.
    fn lock(&mut self, [taken, given, free]: [ActionId; 3]) -> TermId {
        let init = self.spec.terms[self.spec.init as usize].clone();
        let owner = self.spec.processes.len() as u32;
        let like = Term { owner, ..init };
        let again = self.term(TermKind::Call(owner, [].into()), &like);
        let [taken, given, free] = [taken, given, free].map(|action| self.step(action, &like));
        let given = self.term(TermKind::Sequence(given, again), &like);
        let block = self.term(TermKind::Sequence(taken, given), &like);
        let statement = self.term(TermKind::Sequence(free, again), &like);
        let body = self.term(TermKind::Choice(block, statement), &like);
        let (name, span) = ("@lock".into(), like.span);
        self.spec.processes.push(ProcessDef { name, parameters: Vec::new(), body, size: 0, span });
        again
    }
}
