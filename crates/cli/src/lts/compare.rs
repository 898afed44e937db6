//! `linchpin compare`: are two systems related?

use linchpin_engine::Budget;
use linchpin_lts::{Explicit, LabelledSystem, Trouble, Verdict};
use linchpin_relations::{
    Comparison, Equivalence, Formula, Refinement, RefinementOptions, Semantics, Witness, confirm,
    quotient, refines,
};

use super::options::{CompareFormat, CompareOptions, Relation};
use super::report::{self, Answer};
use super::system::{Failure, System};
use super::{Session, troubled};
use crate::exit::Exit;
use crate::outcome::{Kind, Problem};
use crate::screen::Screen;

/// What tells two systems apart.
pub(super) enum Evidence {
    /// Something one of them does and the other one does not: the first does it, or the second.
    Path {
        /// Whose path it is: 0 or 1.
        of: usize,
        witness: Box<Witness>,
    },
    /// A formula that holds in the first and not in the second, if it is not too large.
    Formula(Option<Formula>),
}

/// `linchpin compare`
pub(crate) fn run(options: &CompareOptions, screen: &Screen) -> Exit {
    if options.refines && equivalence(options.relation).is_some() {
        screen.complain(&format!(
            "`--refines` is for trace, weak-trace, failures and failures-divergences; `{}` is an \
             equivalence",
            options.relation.name()
        ));
        return Exit::BadInput;
    }
    let name = format!("{} and {}", super::name(&options.first), super::name(&options.second));
    Session::run(&options.common, screen, &name, |session| {
        let systems = [session.load(&options.first)?, session.load(&options.second)?];
        let answer = decide(session, options, systems)?;
        let elapsed = session.watch.end();
        match options.format {
            CompareFormat::Text => {
                screen.print(&report::text(screen, options, session.limits, &answer, elapsed));
            }
            CompareFormat::Json => screen.print(&report::json(options, &answer)),
        }
        Ok((&answer.verdict).into())
    })
}

fn equivalence(relation: Relation) -> Option<Equivalence> {
    match relation {
        Relation::Strong => Some(Equivalence::Strong),
        Relation::Branching => Some(Equivalence::Branching),
        Relation::DivergenceBranching => Some(Equivalence::DivergenceBranching),
        _ => None,
    }
}

fn semantics(relation: Relation) -> Semantics {
    match relation {
        Relation::WeakTrace => Semantics::WeakTrace,
        Relation::Failures => Semantics::Failures,
        Relation::FailuresDivergences => Semantics::FailuresDivergences,
        _ => Semantics::Trace,
    }
}

fn decide(
    session: &Session<'_>,
    options: &CompareOptions,
    systems: [System; 2],
) -> Result<Answer, Failure> {
    let paths = [&options.first, &options.second];
    if let Some(equivalence) = equivalence(options.relation) {
        let [first, second] = systems;
        let first = session.generated(paths[0], first)?;
        let second = session.generated(paths[1], second)?;
        return bisimilar(session, options, &first, &second, equivalence);
    }
    let semantics = semantics(options.relation);
    if options.refines && !options.quotient {
        return refinement(session, options, &systems, semantics, 0).map(|r| answer(r, 0));
    }
    // All states are needed; then equivalent ones may as well be merged.
    let [first, second] = systems;
    let all = [session.generated(paths[0], first)?, session.generated(paths[1], second)?];
    let small = [merged(session, &all[0], semantics)?, merged(session, &all[1], semantics)?];
    let one_way = |of: usize| -> Result<Answer, Failure> {
        let found = explicit(session, &small[of], &small[1 - of], semantics)?;
        let found = match found.verdict {
            // The path is one of merged states; the same is found again in the systems as given.
            Verdict::Violated(_) => explicit(session, &all[of], &all[1 - of], semantics)?,
            _ => found,
        };
        if let Verdict::Violated(witness) = &found.verdict {
            confirmed(options, &all[of], &all[1 - of], semantics, witness)?;
        }
        Ok(answer(found, of))
    };
    let forth = one_way(0)?;
    if options.refines || !forth.verdict.holds() { Ok(forth) } else { one_way(1) }
}

/// A system with the states merged that the semantics does not tell apart.
fn merged(
    session: &Session<'_>,
    lts: &Explicit,
    semantics: Semantics,
) -> Result<Explicit, Failure> {
    let equivalence = linchpin_relations::preserving(semantics);
    Ok(session.within(|budget| quotient(lts, equivalence, budget))?)
}

fn answer(refinement: Refinement, of: usize) -> Answer {
    let verdict = refinement.verdict.map(|witness| Evidence::Path { of, witness });
    // A part of the figures says nothing.
    let figures = verdict.limit().is_none().then_some(refinement.figures);
    Answer { verdict, figures, blocks: None }
}

/// Does one of two systems refine the other? On the fly; the path found is confirmed.
fn refinement(
    session: &Session<'_>,
    options: &CompareOptions,
    systems: &[System; 2],
    semantics: Semantics,
    of: usize,
) -> Result<Refinement, Failure> {
    let (a, b) = (&systems[of], &systems[1 - of]);
    let result = session.within(|budget| on_the_fly(a, b, semantics, budget));
    let result = result.map_err(|trouble| troubled(&options.first, trouble))?;
    if let Verdict::Violated(witness) = &result.verdict {
        confirmed(options, a, b, semantics, witness)?;
    }
    Ok(result)
}

fn on_the_fly(
    a: &System,
    b: &System,
    semantics: Semantics,
    budget: &Budget<'_>,
) -> Result<Refinement, Trouble> {
    let options = RefinementOptions::default();
    match (a, b) {
        (System::Explicit(a), System::Explicit(b)) => refines(a, b, semantics, options, budget),
        _ => refines(a, b, semantics, options, budget),
    }
}

fn explicit(
    session: &Session<'_>,
    a: &Explicit,
    b: &Explicit,
    semantics: Semantics,
) -> Result<Refinement, Failure> {
    let options = RefinementOptions::default();
    let decide = |budget: &Budget<'_>| refines(a, b, semantics, options, budget);
    session.within(decide).map_err(|trouble| troubled("".as_ref(), trouble))
}

/// Has a path decided again.
fn confirmed(
    options: &CompareOptions,
    a: &impl LabelledSystem,
    b: &impl LabelledSystem,
    semantics: Semantics,
    witness: &Witness,
) -> Result<(), Failure> {
    confirm(a, b, semantics, witness).map_err(|why| {
        let message = format!("the path found is not confirmed by replay: {why}");
        Problem::new(Kind::Internal, &options.first, message).into()
    })
}

fn bisimilar(
    session: &Session<'_>,
    options: &CompareOptions,
    first: &Explicit,
    second: &Explicit,
    equivalence: Equivalence,
) -> Result<Answer, Failure> {
    let compare =
        |budget: &Budget<'_>| linchpin_relations::compare(first, second, equivalence, budget);
    match session.within(compare)? {
        Comparison::Equivalent { blocks } => {
            Ok(Answer { verdict: Verdict::Holds, figures: None, blocks: Some(blocks) })
        }
        Comparison::Different(formula) => {
            if let Some(formula) = &formula
                && (!formula.holds(first) || formula.holds(second))
            {
                let message = "the formula found does not tell the systems apart".to_string();
                return Err(Problem::new(Kind::Internal, "".as_ref(), message).into());
            }
            // Instead of a formula that nobody can read, a path that only one of them has.
            if !formula.as_ref().is_some_and(report::can_be_shown) {
                let semantics = match equivalence {
                    Equivalence::Strong => Semantics::Trace,
                    _ => Semantics::WeakTrace,
                };
                let systems = [first, second];
                for of in 0..2 {
                    let (a, b) = (systems[of], systems[1 - of]);
                    let Refinement { verdict, figures } = explicit(session, a, b, semantics)?;
                    if let Verdict::Violated(witness) = verdict {
                        confirmed(options, a, b, semantics, &witness)?;
                        let verdict = Verdict::Violated(Evidence::Path { of, witness });
                        return Ok(Answer { verdict, figures: Some(figures), blocks: None });
                    }
                }
            }
            let verdict = Verdict::Violated(Evidence::Formula(formula));
            Ok(Answer { verdict, figures: None, blocks: None })
        }
    }
}
