//! In which order states are looked at, for `reaches` and for states without steps.
//!
//! Breadth first finds a shortest execution and uses all workers, but what lies deep in a large system is found last: a
//! puzzle is solved after so many moves however they are chosen. Depth first goes there at once, or goes astray.
//! So [`Search::Auto`] does both: it goes breadth first, and each time the number of states has doubled it goes
//! depth first for a share of that, from the beginning and each time in another order (restarts, since a search that
//! has gone astray at the top stays there: C. Gomes, B. Selman, H. Kautz, *Boosting combinatorial search through
//! randomization*, AAAI 1998). When one of them finds something is counted in states and not in time, so the answer does not
//! depend on the machine or on the number of workers. If nothing is found, going deep has cost as many states
//! again at most, and some thousands; the verdict is that of the search breadth first, which sees everything.
//!
//! What is found depth first is as long as it came, and is made shorter ([`shorter`]): as long as there is something
//! left of a budget, a stretch of the way is replaced by a shorter one that is found breadth first from where it begins.

use std::collections::HashMap;

use linchpin_engine::{
    Budget, Ending, Figures, Finding, Limit, Order, Plan, Space, States, Stop, search,
    search_looking,
};

use super::FEW;
use crate::reduced::Reduced;

/// In which order states are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Those that are reached in fewer steps first.
    Breadth,
    /// The one first that was found last.
    Depth,
    /// The same in orders that are drawn by lot, each for twice as long as the one before.
    Random,
    /// Breadth first, and in between depth first for some time.
    #[default]
    Auto,
}

/// Going deep takes so many states at first.
const FIRST: u64 = 16_000;
/// It takes one for so many that are known breadth first.
const SHARE: u64 = 2;
/// So many states are there at least when it is begun.
const LOOK: u64 = 1_000;
/// How that is divided: one search in the order of the space, one in an order drawn by lot, and some short ones. Of searches that
/// may go astray several short ones are better than a long one, but not if what is looked for takes long.
const PARTS: [(bool, u64); 6] =
    [(false, 2), (true, 4), (true, 16), (true, 16), (true, 16), (true, 16)];
/// So many states are looked at for a shorter stretch of a way.
const STRETCH: u64 = 2_000;

/// How a search ended.
pub(super) struct Ended<T> {
    pub(super) ending: Ending<Finding<T>>,
    /// Of the search that ended so.
    pub(super) figures: Figures,
    /// Was it depth first?
    pub(super) deep: bool,
    /// States that searches before it and beside it have looked at.
    pub(super) others: u64,
}

/// Searches in an order.
pub(super) fn search_in<T: Clone + Send + Sync, S: Space<Violation = Finding<T>>>(
    states: &S,
    order: Search,
    budget: &Budget<'_>,
) -> Ended<T> {
    let plan = Plan { order: Order::Depth, ..Plan::default() };
    match order {
        Search::Breadth => {
            let (ending, figures) = search(states, Plan::default(), budget);
            Ended { ending, figures, deep: false, others: 0 }
        }
        Search::Depth => {
            let (ending, figures) = search(states, plan, budget);
            Ended { ending, figures, deep: true, others: 0 }
        }
        Search::Random => {
            let mut others = 0;
            for round in 1.. {
                let most = (FIRST / 16) << round.min(40);
                let last = budget.max_states.is_some_and(|max| max <= most);
                let (ending, figures) = deep(states, round, most, budget);
                if last || !matches!(ending, Ending::Stopped(Limit::States)) {
                    return Ended { ending, figures, deep: true, others };
                }
                others += figures.nodes;
            }
            unreachable!("some round is the last")
        }
        Search::Auto => {
            let (mut found, mut next, mut in_order, mut others) = (None, LOOK, 0, 0);
            let look = &mut |known: u64| {
                // The last time is when everything has been seen: then there is nothing to be found.
                if known < next {
                    return false;
                }
                next = 2 * known;
                let share = FIRST.max(known / SHARE);
                for (number, (by_lot, part)) in (0..).zip(PARTS) {
                    // The same in a run that goes on with what another has kept.
                    let shuffle = if by_lot { known + number } else { 0 };
                    let most = share / part;
                    // The order of the space is always the same, and so is what is found in it.
                    if !by_lot && std::mem::replace(&mut in_order, most) == most {
                        continue;
                    }
                    let (ending, figures) = deep(states, shuffle, most, budget);
                    if let Ending::Violation { violation: Finding::Violation(_), .. } = ending {
                        found = Some((ending, figures));
                        return true;
                    }
                    others += figures.nodes;
                    match ending {
                        // There is nothing to be found: everything was seen.
                        Ending::Exhausted => {
                            next = u64::MAX;
                            return false;
                        }
                        // Where the model goes wrong is for the other search to say.
                        Ending::Violation { .. } | Ending::Stopped(_) | Ending::Enough => {}
                    }
                }
                false
            };
            let (ending, figures) = search_looking(states, Plan::default(), budget, look);
            let breadth = figures.nodes;
            match found {
                Some((ending, figures)) => {
                    Ended { ending, figures, deep: true, others: others + breadth }
                }
                None => Ended { ending, figures, deep: false, others },
            }
        }
    }
}

/// Goes depth first for some states, in an order of its own.
fn deep<S: Space>(
    states: &S,
    shuffle: u64,
    most: u64,
    budget: &Budget<'_>,
) -> (Ending<S::Violation>, Figures) {
    let plan = Plan { order: Order::Depth, shuffle, ..Plan::default() };
    let max_states = Some(budget.max_states.map_or(most, |max| max.min(most)));
    search(states, plan, &Budget { workers: 1, max_states, keeper: None, peers: None, ..*budget })
}

/// The same way, or a shorter one to the same state; and how many states were looked at.
pub(super) fn shorter(
    reduced: &Reduced<'_>,
    mut path: Vec<Vec<u32>>,
    budget: &Budget<'_>,
) -> (Vec<Vec<u32>>, u64) {
    let most = FEW.max(STRETCH * 20);
    let mut left = most;
    let mut width = path.len() / 2;
    while width > 0 {
        let mut from = 0;
        while from + width < path.len() && left > 0 {
            // From here to something that comes at least so much later.
            let later: HashMap<&[u32], usize> =
                path.iter().enumerate().skip(from + width).map(|(i, s)| (&s[..], i)).collect();
            let begin = reduced.beginning_with(path[from].clone());
            let states = States::new(&begin, |state, _| Ok(later.get(state).copied()));
            let max_states = Some(STRETCH.min(left));
            let few = Budget { max_states, keeper: None, peers: None, ..*budget };
            let (ending, figures) = search(&states, Plan::default(), &few);
            left = left.saturating_sub(figures.nodes.max(1));
            match ending {
                Ending::Violation { path: way, violation: Finding::Violation(to) } => {
                    let way: Vec<Vec<u32>> = way.into_iter().map(|(state, _)| state).collect();
                    if way.len() - 1 < to - from {
                        path.splice(from..=to, way);
                    }
                }
                Ending::Stopped(Limit::States) | Ending::Exhausted | Ending::Enough => {}
                Ending::Violation { violation: Finding::Stop(Stop::Trouble(_)), .. } => {}
                // Told to stop.
                Ending::Stopped(_) | Ending::Violation { .. } => return (path, most - left),
            }
            from += width.div_ceil(2);
        }
        width = if width > 1 { (width / 2).max(1) } else { 0 };
    }
    (path, most - left)
}
