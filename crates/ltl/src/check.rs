//! Does every execution of a system satisfy a formula?

use std::convert::Infallible;

use linchpin_engine::{
    Budget, Ending, Explored, Figures, Finding, Meter, Order, Plan, Stop, Taken, all, explore,
};
use linchpin_formula::{Formula, is_guarantee, normal_form};
use linchpin_lts::{LabelledSystem, Trouble, Verdict};

use crate::accepting::accepting;
use crate::atoms::Atoms;
use crate::fairness::Fairness;
use crate::lasso::{Lasso, Tail};
use crate::product::Product;
use crate::translate::translate_with;

/// The answer and how much work it was.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer.
    pub verdict: Verdict<Lasso>,
    /// States of the system, nodes of its product with the automaton, steps of the product.
    pub statistics: Figures,
    /// States of the automaton of the negated formula.
    pub automaton: usize,
    /// Was the violation found depth first? Then there may be a shorter one.
    pub deep: bool,
    /// States that searches beside the one of the figures have looked at.
    pub others: u64,
}

/// Going deep takes so many nodes at first.
const FIRST: u64 = 1_000;
/// Several searches go deep at a time, each in an order of its own; each takes one node for so many that are known breadth
/// first. A search may go astray at the top, so there are short ones beside the long one.
const SHARES: [u64; 4] = [4, 16, 16, 16];

/// Does every execution satisfy the formula, of those that are fair?
///
/// Executions that end count, too: what holds at their last position is repeated for ever, except
/// if the formula says, by its form, that something never happens ([`is_safety`]); then an
/// execution violates it only by a beginning after which nothing helps.
///
/// Cycles are looked for breadth first, each time the search has doubled. With `deep`, a share of as many nodes is then
/// also searched depth first, from the beginning and in several orders, each time in others: what comes back to itself only
/// after many steps is found so without all that can be reached in fewer. The orders are divided among the workers. All are
/// searched to their ends, and the first in their list that finds something has the answer, so that it
/// does not depend on how many workers there are.
pub fn check<S: LabelledSystem, A: Atoms>(
    system: &S,
    atoms: &A,
    formula: &Formula,
    fairness: Fairness,
    deep: bool,
    budget: &Budget<'_>,
) -> Result<Answer, Trouble> {
    let automaton = translate_with(&formula.clone().not(), atoms.one_event_at_a_time())
        .map_err(|too_large| Trouble::new(too_large.to_string()))?;
    let product = Product::new(system, atoms, &automaton);
    let edges = !automaton.by_reaching;
    let plan = Plan { edges, ..Plan::default() };
    let (mut found, mut ahead) = (Ok(None), None);
    let (mut next, mut others) = (FIRST, 0);
    let mut look = |explored: &Explored| {
        found = match edges {
            true => accepting(&product, explored, fairness, &mut Meter::new(budget)),
            false => Ok(None),
        };
        let known = explored.len() as u64;
        if deep && edges && found == Ok(None) && known >= next {
            next = 2 * known;
            for (lasso, figures) in ahead_of(&product, known, fairness, budget) {
                match lasso {
                    Some(lasso) if ahead.is_none() => {
                        (found, ahead) = (Ok(Some(lasso)), Some(figures));
                    }
                    _ => others += figures.nodes,
                }
            }
        }
        found != Ok(None)
    };
    let (ending, mut statistics, explored) = explore(&product, plan, budget, &mut look);
    if let Ending::Stopped(_) = ending {
        look(&explored);
    }
    let deep = ahead.is_some();
    if let Some(ahead) = ahead {
        others += std::mem::replace(&mut statistics, ahead).nodes;
    }
    let verdict = match (found, ending) {
        (_, Ending::Violation { path, violation }) => match violation {
            Finding::Stop(Stop::Trouble(trouble)) => return Err(trouble),
            Finding::Stop(Stop::Limit(limit)) => Verdict::Unknown(limit),
            Finding::Violation(last) => Verdict::Violated(open(&product, &path, last)?),
        },
        (Ok(Some(lasso)), _) => Verdict::Violated(lasso),
        (Err(Stop::Trouble(trouble)), _) => return Err(trouble),
        (Err(Stop::Limit(limit)), _) | (_, Ending::Stopped(limit)) => Verdict::Unknown(limit),
        (Ok(None), Ending::Exhausted | Ending::Enough) => Verdict::Holds,
    };
    Ok(Answer { verdict, statistics, automaton: automaton.states.len(), deep, others })
}

/// Goes deep when so many nodes are known: what each search has found, and its figures.
fn ahead_of<S: LabelledSystem, A: Atoms>(
    product: &Product<'_, S, A>,
    known: u64,
    fairness: Fairness,
    budget: &Budget<'_>,
) -> Vec<(Option<Lasso>, Figures)> {
    let in_order = known.ilog2().is_multiple_of(2);
    let one = |(number, share): (u64, u64)| -> Result<_, Infallible> {
        // The first goes in the order of the system or in one drawn by lot, by turns; the same in a run that goes on with what
        // another has kept.
        let shuffle = if number == 0 && in_order { 0 } else { known + number };
        let plan = Plan { order: Order::Depth, edges: true, shuffle };
        let most = FIRST.max(known / share);
        let max_states = Some(budget.max_states.map_or(most, |max| max.min(most)));
        let few = Budget { workers: 1, max_states, keeper: None, peers: None, ..*budget };
        let (_, figures, explored) = explore(product, plan, &few, &mut |_| false);
        // Whatever is in the way, the other search says.
        let found = accepting(product, &explored, fairness, &mut Meter::new(budget));
        Ok((found.ok().flatten(), figures))
    };
    match all(budget.workers, (0..).zip(SHARES).collect(), one) {
        Ok(searches) => searches,
    }
}

/// The execution along a path and a last step, after which the automaton accepts anything.
fn open<S: LabelledSystem, A: Atoms>(
    product: &Product<'_, S, A>,
    path: &[(Vec<u32>, u32)],
    last: Option<Taken>,
) -> Result<Lasso, Trouble> {
    let mut reader = product.reader();
    let initial = reader.stepper.initial()?.0;
    let steps = path.windows(2).map(|pair| product.step_between(&mut reader, &pair[0], &pair[1]));
    let mut stem = steps.collect::<Result<Vec<Taken>, Trouble>>()?;
    stem.extend(last);
    Ok(Lasso { initial, stem, tail: Tail::Open })
}

/// Does the formula say, by its form, that something never happens? Fairness does not matter for
/// such formulas.
pub fn is_safety(formula: &Formula) -> bool {
    is_guarantee(&normal_form(&formula.clone().not()))
}
