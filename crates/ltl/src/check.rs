//! Does every execution of a system satisfy a formula?

use linchpin_engine::{
    Budget, Ending, Explored, Figures, Finding, Meter, Order, Plan, Stop, Taken, explore,
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
}

/// Going deep takes so many nodes at first.
const FIRST: u64 = 1_000;
/// It takes one for so many that are known breadth first.
const SHARE: u64 = 4;

/// Does every execution satisfy the formula, of those that are fair?
///
/// Executions that end count, too: what holds at their last position is repeated for ever, except
/// if the formula says, by its form, that something never happens ([`is_safety`]); then an
/// execution violates it only by a beginning after which nothing helps.
///
/// Cycles are looked for breadth first, each time the search has doubled. With `deep`, a share of as many nodes is then
/// also searched depth first, from the beginning and each time in another order: what comes back to itself only after
/// many steps is found so without all that can be reached in fewer.
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
    let mut next = FIRST;
    let mut look = |explored: &Explored| {
        found = match edges {
            true => accepting(&product, explored, fairness, &mut Meter::new(budget)),
            false => Ok(None),
        };
        let known = explored.len() as u64;
        if deep && edges && found == Ok(None) && known >= next {
            next = 2 * known;
            // In the order of the system and in one drawn by lot, by turns; the same in a run that goes on with what another
            // has kept.
            let shuffle = if known.ilog2().is_multiple_of(2) { 0 } else { known };
            let plan = Plan { order: Order::Depth, edges, shuffle };
            let most = FIRST.max(known / SHARE);
            let max_states = Some(budget.max_states.map_or(most, |max| max.min(most)));
            let few = Budget { workers: 1, max_states, keeper: None, peers: None, ..*budget };
            let (_, figures, explored) = explore(&product, plan, &few, &mut |_| false);
            // Whatever is in the way, the other search says.
            if let Ok(Some(lasso)) =
                accepting(&product, &explored, fairness, &mut Meter::new(budget))
            {
                (found, ahead) = (Ok(Some(lasso)), Some(figures));
            }
        }
        found != Ok(None)
    };
    let (ending, mut statistics, explored) = explore(&product, plan, budget, &mut look);
    if let Ending::Stopped(_) = ending {
        look(&explored);
    }
    statistics = ahead.unwrap_or(statistics);
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
    Ok(Answer { verdict, statistics, automaton: automaton.states.len(), deep: ahead.is_some() })
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
