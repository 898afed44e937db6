//! Does every execution of a system satisfy a formula?

use linchpin_engine::{Budget, Limit, Statistics};
use linchpin_lts::Trouble;

use crate::fairness::Fairness;
use crate::graph::Graph;
use crate::lasso::{Lasso, witness};
use crate::meter::{Halt, Meter};
use crate::prefix;
use crate::product::Product;
use crate::search::search;
use crate::translate::translate_with;
use linchpin_formula::{Formula, is_guarantee, normal_form};

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every (fair) execution satisfies the formula.
    Holds,
    /// This one does not.
    Violated(Lasso),
    /// A limit was hit before it was known.
    Unknown(Limit),
}

/// The answer and how much work it was.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer.
    pub verdict: Verdict,
    /// States of the system, nodes of its product with the automaton, steps of the product.
    pub statistics: Statistics,
    /// States of the automaton of the negated formula.
    pub automaton: usize,
}

/// Does every execution satisfy the formula, of those that are fair?
///
/// Executions that end count, too: what holds at their last position is repeated for ever, except
/// if the formula says, by its form, that something never happens ([`is_safety`]); then an
/// execution violates it only by a beginning after which nothing helps.
pub fn check<G: Graph>(
    graph: &mut G,
    formula: &Formula,
    fairness: Fairness,
    budget: &Budget<'_>,
) -> Result<Answer, Trouble> {
    let automaton = translate_with(&formula.clone().not(), graph.one_event_at_a_time())
        .map_err(|too_large| Trouble { message: too_large.to_string(), at: None })?;
    let mut product = Product::new(graph, &automaton);
    let mut meter = Meter::new(budget);
    let found = violation(&mut product, fairness, &mut meter);
    let verdict = match found {
        Ok(None) => Verdict::Holds,
        Ok(Some(lasso)) => Verdict::Violated(lasso),
        Err(Halt::Limit(limit)) => Verdict::Unknown(limit),
        Err(Halt::Trouble(trouble)) => return Err(trouble),
    };
    let statistics = meter.statistics(&product);
    Ok(Answer { verdict, statistics, automaton: automaton.states.len() })
}

/// A fair execution that the automaton accepts.
fn violation<G: Graph>(
    product: &mut Product<'_, G>,
    fairness: Fairness,
    meter: &mut Meter<'_>,
) -> Result<Option<Lasso>, Halt> {
    if product.automaton.by_reaching {
        return prefix::search(product, meter);
    }
    match search(product, fairness, meter)? {
        None => Ok(None),
        Some(component) => witness(product, &component, fairness, meter).map(Some),
    }
}

/// Does the formula say, by its form, that something never happens? Fairness does not matter for
/// such formulas.
pub fn is_safety(formula: &Formula) -> bool {
    is_guarantee(&normal_form(&formula.clone().not()))
}
