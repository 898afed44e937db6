//! Is there an order of operations that a specification explains? By trying all, from the definition.
//!
//! Judges every violation before it is shown, and knows why: it uses none of what has found it.

use crate::spec::Spec;

/// An operation of a history: when it was called and when it returned, and with what.
#[derive(Clone, Debug)]
pub(crate) struct Done<Op, Ret> {
    pub(crate) thread: usize,
    pub(crate) op: Op,
    pub(crate) call: u32,
    pub(crate) ret: u32,
    pub(crate) result: Ret,
}

/// An order in which all operations that have returned by a time have what they returned, and others may have taken effect;
/// `None` if there is none.
pub(crate) fn explained<S: Spec>(
    spec: &S,
    history: &[Done<S::Op, S::Ret>],
    until: u32,
) -> Option<Vec<usize>> {
    let mut order = Vec::new();
    let mut taken = vec![false; history.len()];
    go(spec, history, until, &mut taken, &mut order).then_some(order)
}

fn go<S: Spec>(
    spec: &S,
    history: &[Done<S::Op, S::Ret>],
    until: u32,
    taken: &mut [bool],
    order: &mut Vec<usize>,
) -> bool {
    let returned = |d: &Done<S::Op, S::Ret>| d.ret <= until;
    if history.iter().zip(&*taken).all(|(d, &t)| t || !returned(d)) {
        return true;
    }
    for i in 0..history.len() {
        let one = &history[i];
        if !may_be_next(history, i, until, taken) {
            continue;
        }
        for (after, result) in spec.outcomes(&one.op) {
            if returned(one) && result != one.result {
                continue;
            }
            taken[i] = true;
            order.push(i);
            if go(&after, history, until, taken, order) {
                return true;
            }
            order.pop();
            taken[i] = false;
        }
    }
    false
}

/// Was an operation called by then, and has everything a place that returned before that?
fn may_be_next<O, R>(history: &[Done<O, R>], i: usize, until: u32, taken: &[bool]) -> bool {
    let call = history[i].call;
    let first = |(d, &t): (&Done<O, R>, &bool)| t || d.ret > call;
    !taken[i] && call <= until && history.iter().zip(taken).all(first)
}

/// Why there is no order.
#[derive(Clone, Debug)]
pub(crate) struct Reason {
    /// The first operation whose return nothing explains.
    pub(crate) operation: usize,
    /// An order of what had happened before that return.
    pub(crate) before: Vec<usize>,
    /// What it could have returned.
    pub(crate) allowed: Vec<String>,
}

/// Why a history has no order; `None` if it has one.
pub(crate) fn reason<S: Spec>(spec: &S, history: &[Done<S::Op, S::Ret>]) -> Option<Reason> {
    let mut returns: Vec<usize> = (0..history.len()).collect();
    returns.sort_by_key(|&i| history[i].ret);
    for &operation in &returns {
        let ret = history[operation].ret;
        if explained(spec, history, ret).is_some() {
            continue;
        }
        let before = explained(spec, history, ret - 1).unwrap_or_default();
        let mut allowed = Vec::new();
        let mut taken = vec![false; history.len()];
        results(spec, history, operation, &mut taken, &mut allowed);
        allowed.sort();
        allowed.dedup();
        return Some(Reason { operation, before, allowed });
    }
    None
}

/// The results an operation could have returned after all that had returned before.
fn results<S: Spec>(
    spec: &S,
    history: &[Done<S::Op, S::Ret>],
    wanted: usize,
    taken: &mut [bool],
    to: &mut Vec<String>,
) {
    let until = history[wanted].ret - 1;
    for i in 0..history.len() {
        let one = &history[i];
        if !may_be_next(history, i, until, taken) {
            continue;
        }
        for (after, result) in spec.outcomes(&one.op) {
            if one.ret <= until && result != one.result {
                continue;
            }
            taken[i] = true;
            if i == wanted {
                // The rest still has to have an order, with this result.
                let mut order = Vec::new();
                if go(&after, history, until, &mut taken.to_vec(), &mut order) {
                    to.push(format!("{result:?}"));
                }
            } else {
                results(&after, history, wanted, taken, to);
            }
            taken[i] = false;
        }
    }
}
