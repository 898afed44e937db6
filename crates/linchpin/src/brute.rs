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

/// An order that places as many operations as possible.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// The state at first, in words.
    pub(crate) initial: Option<String>,
    /// Operations with their results and the states after them.
    pub(crate) steps: Vec<(usize, String, Option<String>)>,
    /// Why none of the others can be next.
    pub(crate) stuck: Vec<(usize, String)>,
}

/// Most orders that are shown, and most that are tried.
const SHOWN: usize = 3;
const TRIED: u32 = 200_000;

/// How an operation is written.
type Text<'t, Op, Ret> = &'t dyn Fn(&Done<Op, Ret>) -> String;

/// The longest orders of a history that has none of all its operations; none, if there are too many.
pub(crate) fn attempts<S: Spec>(
    spec: &S,
    history: &[Done<S::Op, S::Ret>],
    text: Text<'_, S::Op, S::Ret>,
) -> Vec<Attempt> {
    let mut search = Longest { history, text, tried: 0, best: Vec::new() };
    let mut taken = vec![false; history.len()];
    search.go(spec, &mut taken, &mut Vec::new());
    let Longest { tried, mut best, .. } = search;
    best.iter_mut().for_each(|attempt| attempt.initial = spec.describe());
    if tried > TRIED { Vec::new() } else { best }
}

struct Longest<'h, Op, Ret> {
    history: &'h [Done<Op, Ret>],
    text: Text<'h, Op, Ret>,
    tried: u32,
    best: Vec<Attempt>,
}

impl<Op, Ret: PartialEq + std::fmt::Debug> Longest<'_, Op, Ret> {
    fn go<S: Spec<Op = Op, Ret = Ret>>(
        &mut self,
        spec: &S,
        taken: &mut [bool],
        steps: &mut Vec<(usize, String, Option<String>)>,
    ) {
        self.tried += 1;
        if self.tried > TRIED {
            return;
        }
        let history = self.history;
        let mut stuck = Vec::new();
        let mut longer = false;
        for (i, one) in history.iter().enumerate().filter(|&(i, _)| !taken[i]).collect::<Vec<_>>() {
            if let Some(first) =
                (0..history.len()).find(|&j| !taken[j] && history[j].ret < one.call)
            {
                stuck.push((i, format!("must come after {}", (self.text)(&history[first]))));
                continue;
            }
            let mut would = Vec::new();
            let mut fits = false;
            for (after, result) in spec.outcomes(&one.op) {
                if result != one.result {
                    would.push(format!("{result:?}"));
                    continue;
                }
                (fits, longer) = (true, true);
                taken[i] = true;
                steps.push((i, format!("{result:?}"), after.describe()));
                self.go(&after, taken, steps);
                steps.pop();
                taken[i] = false;
            }
            would.sort();
            would.dedup();
            if !fits {
                stuck.push((
                    i,
                    match would.as_slice() {
                        [] => "is not possible in this state".to_string(),
                        _ => format!(
                            "would return {}, but returned {:?}",
                            would.join(" or "),
                            one.result
                        ),
                    },
                ));
            }
        }
        let longest = self.best.first().map_or(0, |a| a.steps.len());
        if longer || steps.len() < longest || steps.len() == longest && self.best.len() >= SHOWN {
            return;
        }
        if steps.len() > longest {
            self.best.clear();
        }
        self.best.push(Attempt { initial: None, steps: steps.clone(), stuck });
    }
}
