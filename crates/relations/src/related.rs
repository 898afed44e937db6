//! Are two systems related? What tells them apart is confirmed before it is given away.
//!
//! Refinement in one direction is decided on the fly. Everything else needs all states of both systems;
//! then those that the semantics does not tell apart may as well be merged first. A path of merged states
//! is looked for again in the systems as given.

use linchpin_engine::Budget;
use linchpin_lts::{Explicit, LabelledSystem, Verdict};

use crate::distinguish::{Comparison, compare};
use crate::formula::Formula;
use crate::histories::Failure;
use crate::preserve::preserving;
use crate::reduce::{Equivalence, quotient};
use crate::refine::{Figures, Refinement, RefinementOptions, Semantics, refines};
use crate::replay::confirm;
use crate::witness::Witness;

/// What tells two systems apart.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// Something one of them does and the other one does not.
    Path {
        /// Whose path it is: 0 or 1.
        of: usize,
        /// The path.
        witness: Box<Witness>,
    },
    /// A formula that holds in the first and not in the second, if it is not too large.
    Formula(Option<Formula>),
}

/// The answer to a question about two systems.
#[derive(Clone, Debug)]
pub struct Related {
    /// Are they?
    pub verdict: Verdict<Evidence>,
    /// Of a refinement.
    pub figures: Option<Figures>,
    /// Classes of states of both systems, of a bisimulation.
    pub blocks: Option<u32>,
}

impl Related {
    fn of(refinement: Refinement, of: usize) -> Related {
        let verdict = refinement.verdict.map(|witness| Evidence::Path { of, witness });
        // A part of the figures says nothing.
        let figures = verdict.limit().is_none().then_some(refinement.figures);
        Related { verdict, figures, blocks: None }
    }
}

/// Does the first system refine the second? On the fly.
pub fn refinement(
    first: &impl LabelledSystem,
    second: &impl LabelledSystem,
    semantics: Semantics,
    budget: &Budget<'_>,
) -> Result<Related, Failure> {
    let found = refines(first, second, semantics, RefinementOptions::default(), budget);
    let found = found.map_err(Failure::Trouble)?;
    confirmed(first, second, semantics, &found.verdict, budget)?;
    Ok(Related::of(found, 0))
}

/// Does the first system refine the second, with equivalent states merged? With `both`, also the other
/// way round.
pub fn merged_refinement(
    first: &Explicit,
    second: &Explicit,
    semantics: Semantics,
    both: bool,
    budget: &Budget<'_>,
) -> Result<Related, Failure> {
    let all = [first, second];
    let equivalence = preserving(semantics);
    let small = [quotient(first, equivalence, budget)?, quotient(second, equivalence, budget)?];
    let one_way = |of: usize| -> Result<Related, Failure> {
        let merged = explicit(&small[of], &small[1 - of], semantics, budget)?;
        if !merged.verdict.is_violated() {
            return Ok(Related::of(merged, of));
        }
        let found = explicit(all[of], all[1 - of], semantics, budget)?;
        if found.verdict.holds() {
            let why = "merged states have a path that the others do not have".to_string();
            return Err(Failure::Defect(why));
        }
        confirmed(all[of], all[1 - of], semantics, &found.verdict, budget)?;
        Ok(Related::of(found, of))
    };
    let forth = one_way(0)?;
    if both && forth.verdict.holds() { one_way(1) } else { Ok(forth) }
}

/// Are the systems bisimilar? Instead of a formula that nobody can read, as far as `readable` says, a
/// path is shown that only one of them has, if there is one.
pub fn bisimilar(
    first: &Explicit,
    second: &Explicit,
    equivalence: Equivalence,
    readable: &dyn Fn(&Formula) -> bool,
    budget: &Budget<'_>,
) -> Result<Related, Failure> {
    let formula = match compare(first, second, equivalence, budget)? {
        Comparison::Equivalent { blocks } => {
            return Ok(Related { verdict: Verdict::Holds, figures: None, blocks: Some(blocks) });
        }
        Comparison::Different(formula) => formula,
    };
    if formula.as_ref().is_some_and(|f| !f.holds(first) || f.holds(second)) {
        let why = "the formula found does not tell the systems apart".to_string();
        return Err(Failure::Defect(why));
    }
    if !formula.as_ref().is_some_and(readable) {
        let semantics = match equivalence {
            Equivalence::Strong => Semantics::Trace,
            _ => Semantics::WeakTrace,
        };
        let systems = [first, second];
        for of in 0..2 {
            let found = explicit(systems[of], systems[1 - of], semantics, budget)?;
            if found.verdict.is_violated() {
                confirmed(systems[of], systems[1 - of], semantics, &found.verdict, budget)?;
                return Ok(Related::of(found, of));
            }
        }
    }
    let verdict = Verdict::Violated(Evidence::Formula(formula));
    Ok(Related { verdict, figures: None, blocks: None })
}

/// Refinement of systems with all their states.
pub(crate) fn explicit(
    first: &Explicit,
    second: &Explicit,
    semantics: Semantics,
    budget: &Budget<'_>,
) -> Result<Refinement, Failure> {
    let options = RefinementOptions::default();
    refines(first, second, semantics, options, budget).map_err(Failure::Trouble)
}

/// Has a path decided again.
pub(crate) fn confirmed(
    first: &impl LabelledSystem,
    second: &impl LabelledSystem,
    semantics: Semantics,
    verdict: &Verdict<Box<Witness>>,
    budget: &Budget<'_>,
) -> Result<(), Failure> {
    let Some(witness) = verdict.evidence() else { return Ok(()) };
    let confirmed = confirm(first, second, semantics, witness, budget.within);
    confirmed.map_err(|why| match budget.within.told() {
        Some(limit) => Failure::Limit(limit),
        None => Failure::Defect(format!("the path found is not confirmed by replay: {why}")),
    })
}
