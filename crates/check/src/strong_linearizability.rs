//! Strong linearizability: the order of the operations is decided as the execution goes on, and later
//! events do not change it.
//!
//! *Definition* (Golab, Higham, Woelfel, STOC 2011): an object is strongly linearizable if there is a
//! function from its executions to sequences of operations such that the value for an execution is a
//! linearization of its history, and the value for a prefix of an execution is a prefix of the value for
//! the execution. Equivalently there is a forward simulation from the object to the specification with
//! atomic operations (Attiya, Enea, DISC 2019), which is what programs with random choices need.
//!
//! *Method:* a safety game (`game`) between the object, which takes any step, and a checker, which
//! answers by letting pending operations take effect so that every return finds its operation done with
//! that result. A position is a state of the object and what the sequence so far has led to: abstract
//! state, and each thread idle, pending or done. The function exists iff the checker can go on for ever
//! from every initial state: positions suffice, because what can follow depends on nothing else.
//! A sequence says which operations with which results, so where the specification is nondeterministic
//! beyond results the position has *all* abstract states that the sequence allows, and the checker does
//! not choose among them. (A simulation would have to; the definition does not ask for it.)
//!
//! *Just in time.* The checker need not decide anything before a return, and then only as much as ends
//! with the returning operation. Let `f` be a function as in the definition, and `g(e)` the shortest
//! prefix of `f(e)` that contains all operations that have returned in `e`. Then `g(e)` is a linearization
//! of `e`: leaving out pending operations at the end keeps it legal. And if `d` is a prefix of `e`, then
//! `g(d)` and `g(e)` are both prefixes of `f(e)`, and `g(e)` contains all that has returned in `d`, so
//! `g(d)` is the shorter one. (Laziness costs the checker nothing since it sees everything that happens;
//! what it must not do is *change* a decision, and it makes none that could wait.) For the same reason
//! an answer that another answer leads to, by further effects, is no loss.
//!
//! *Reductions.* Interval tightening is sound: an unreduced execution `e` has a tightened form `t(e)`:
//! its accesses in the same order, each call moved to the first access of its operation and each return
//! to the last; calls without access are dropped. It depends on the accesses in `e` only, so the form of a
//! prefix is a prefix of the form, and `f(t(e))` is a function as in the definition: what has returned in
//! `e` has in `t(e)`, what has been called in `t(e)` has in `e`, and `t(e)` has all the order of `e`.
//! Conversely tightened executions are executions. The same holds for private memory as long as no
//! nondeterministic choice is made earlier than it would be, since the checker must not know of choices
//! that are still to be made: with choices in the code of the object, `private` is off. For the same
//! reason scripts that choose are refused: the model makes their choices together with the return before.
//! Dead variables, heap, threads and data are bisimulations that rename positions as a whole. There is no
//! antichain.
//!
//! *If the specification goes wrong* in an order, the checker cannot answer with that order. If it loses only
//! therefore, with these answers allowed as well (anything may follow) it does not lose: then it depends
//! on what the specification does not say, and the answer is that the specification goes wrong.

use std::collections::{BTreeMap, HashSet};

use linchpin_lin::program::{Behaviour, Check, ExprKind, Program, StmtKind};
use linchpin_lin::walk;

use crate::configurations::{Configuration, IDLE, PartId, Terms, WRONG};

/// What a sequence has led to: configurations that differ in the abstract state only, sorted.
type Track = Vec<Configuration>;

/// The checker's answers to a call: none but to note it.
pub(crate) fn call(track: &[Configuration], thread: usize, call: PartId) -> Vec<Track> {
    let mut next = track.to_vec();
    next.iter_mut().for_each(|c| c[thread] = call);
    vec![next]
}

/// The checker's answers to a return; none if there is none. If it is `lenient`, it may answer as well by an
/// order in which the specification goes wrong.
pub(crate) fn returns(
    terms: &mut Terms<'_>,
    track: &[Configuration],
    thread: usize,
    done: PartId,
    lenient: bool,
) -> Vec<Track> {
    let mark = terms.mark();
    let mut answers = Vec::new();
    let mut seen = HashSet::new();
    let mut todo = vec![track.to_vec()];
    while let Some(track) = todo.pop() {
        let part = track.first().map_or(IDLE, |c| c[thread]);
        let is_wrong = track.first().is_some_and(|c| c[0] == WRONG);
        if part == done || is_wrong && terms.is_pending(part) {
            let mut answer = track;
            answer.iter_mut().for_each(|c| c[thread] = IDLE);
            answers.push(answer);
        } else if terms.is_pending(part) && seen.insert(track.clone()) {
            effects(terms, &track, &mut todo);
        }
    }
    for mut c in terms.take_wrong_since(mark) {
        if lenient {
            (c[0], c[thread]) = (WRONG, IDLE);
            answers.push(vec![c]);
        }
    }
    answers.sort_unstable();
    answers.dedup();
    if answers.len() > 1 {
        let mut below = HashSet::new();
        let mut todo = Vec::new();
        for answer in &answers {
            effects(terms, answer, &mut todo);
        }
        while let Some(track) = todo.pop() {
            if below.insert(track.clone()) {
                effects(terms, &track, &mut todo);
            }
        }
        answers.retain(|answer| !below.contains(answer));
    }
    answers
}

/// Pushes what one more operation with one result leads to.
fn effects(terms: &mut Terms<'_>, track: &[Configuration], out: &mut Vec<Track>) {
    let Some(first) = track.first().filter(|c| c[0] != WRONG) else { return };
    for thread in 1..=terms.threads() {
        if !terms.is_pending(first[thread]) {
            continue;
        }
        let mut by_result: BTreeMap<PartId, Track> = BTreeMap::new();
        for c in track {
            for &(state, done) in &*terms.outcomes(c, c[thread], thread) {
                let mut next = c.clone();
                next[0] = state;
                next[thread] = done;
                by_result.entry(done).or_default().push(next);
            }
        }
        out.extend(by_result.into_values().map(|mut track| {
            track.sort_unstable();
            track.dedup();
            track
        }));
    }
}

/// Does the code of the object make nondeterministic choices?
pub(crate) fn object_chooses(program: &Program, check: &Check) -> bool {
    let unit = &program.objects[check.object.index()].unit;
    unit.procs.iter().any(|proc| chooses(&proc.body))
}

/// Does a script make nondeterministic choices other than what it passes for `_`?
pub(crate) fn script_chooses(check: &Check) -> bool {
    check.roles.iter().any(|role| match &role.behaviour {
        Behaviour::Script(script) => chooses(&script.body),
        Behaviour::General { .. } => false,
    })
}

fn chooses(block: &linchpin_lin::program::Block) -> bool {
    let (mut in_expression, mut in_statement) = (false, false);
    walk::visit(
        block,
        &mut |e| {
            in_expression |= matches!(
                e.kind,
                ExprKind::Choose(_)
                    | ExprKind::ChooseRange(..)
                    | ExprKind::ChooseFrom(_)
                    | ExprKind::AnyThread
                    | ExprKind::OtherThread(_)
            );
        },
        &mut |s| in_statement |= matches!(s.kind, StmtKind::Either(_)),
    );
    in_expression || in_statement
}
