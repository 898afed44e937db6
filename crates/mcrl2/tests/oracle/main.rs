//! Random process terms, by their definition and by the front end.
//!
//! The semantics is that of the mCRL2 book (Groote, Mousavi, *Modeling and Analysis of Communicating
//! Systems*, 2014, chapter 15) as rules on closed terms: variables are substituted, sums enumerated,
//! nothing is shared or remembered. The transition systems must be strongly bisimilar, which is
//! decided by refining a partition until nothing changes.

mod bisimulation;
mod random;
mod semantics;
mod term;

use linchpin_engine::Budget;
use linchpin_lts::Edge;
use linchpin_relations::{Generated, generate};

use bisimulation::{Graph, bisimilar};
use random::Random;

/// Larger systems are not compared.
const MOST_STATES: usize = 300;

/// The system of the front end; `None` if it needs infinitely many steps or is too large.
fn ours(text: &str) -> Option<Graph> {
    let system = match linchpin_mcrl2::load(text) {
        Ok(system) => system,
        // Too many ways to act together.
        Err(problems) if problems[0].message.contains("ways for the processes") => return None,
        Err(problems) => panic!("{problems:#?}\n{text}"),
    };
    let budget = Budget { workers: 2, max_states: Some(MOST_STATES as u64), ..Budget::UNLIMITED };
    match generate(&system, &budget) {
        Ok(Generated::Whole(lts)) => {
            let text = |e: &Edge| (lts.labels()[e.label as usize].to_string(), e.target as usize);
            let steps = |state| lts.edges(state).iter().map(text).collect();
            Some(Graph { steps: (0..lts.states()).map(steps).collect() })
        }
        Ok(Generated::Stopped { .. }) => None,
        Err(trouble) => {
            assert!(trouble.message.contains("infinite sort"), "{}\n{text}", trouble.message);
            None
        }
    }
}

/// Compares so many random specifications; says how many were compared, and their states.
fn compare(seed: u64, count: usize) -> (usize, usize) {
    let (mut compared, mut states) = (0, 0);
    for i in 0..count {
        let mut random = Random::new(seed.wrapping_add(i as u64));
        let specification = random.specification();
        let text = specification.text();
        let Some(ours) = ours(&text) else { continue };
        let Some(theirs) = semantics::explore(&specification, MOST_STATES * 4) else { continue };
        compared += 1;
        states += theirs.steps.len();
        assert!(
            bisimilar(&ours, &theirs),
            "seed {}: not bisimilar\n{text}\nours: {:#?}\nby definition: {:#?}",
            seed.wrapping_add(i as u64),
            ours.steps,
            theirs.steps
        );
    }
    (compared, states)
}

#[test]
fn random_terms_have_the_transition_system_of_their_definition() {
    let (compared, states) = compare(1, 4_000);
    assert!(compared > 3_000, "only {compared} were compared");
    assert!(states > 10_000, "only {states} states");
}

#[test]
fn the_comparison_notices_a_mistake() {
    // The same terms with one action renamed differ, if the action can happen.
    let mut noticed = 0;
    for seed in 0..200 {
        let specification = Random::new(seed).specification();
        let text = specification.text();
        let Some(ours) = ours(&text) else { continue };
        let Some(mut theirs) = semantics::explore(&specification, MOST_STATES) else { continue };
        let Some(step) = theirs.steps.iter_mut().find_map(|list| list.first_mut()) else {
            continue;
        };
        step.0.push('!');
        noticed += usize::from(!bisimilar(&ours, &theirs));
    }
    assert!(noticed > 50, "only {noticed} mistakes were noticed");
}
