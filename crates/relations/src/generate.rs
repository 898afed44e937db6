//! All states of a system.

use linchpin_engine::{Budget, Limit, Unfolding};
use linchpin_lts::{Explicit, Label, LabelledSystem, TAU, Trouble};

use crate::meter::{Meter, Stop};

/// What became of generating a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Generated {
    /// All of it. States are numbered as they are found, breadth first.
    Whole(Explicit),
    /// A limit was reached at so many states.
    Stopped {
        /// Which limit.
        limit: Limit,
        /// States found so far.
        states: u32,
    },
}

/// Finds all states and steps of a system.
pub fn generate<S: LabelledSystem>(system: &S, budget: &Budget<'_>) -> Result<Generated, Trouble> {
    let mut meter = Meter::new(budget);
    let mut graph = Unfolding::new(system);
    match explore(&mut graph, &mut meter) {
        Ok(lts) => Ok(Generated::Whole(lts)),
        Err(Stop::Limit(limit)) => Ok(Generated::Stopped { limit, states: graph.states() }),
        Err(Stop::Trouble(trouble)) => Err(trouble),
    }
}

fn explore<S: LabelledSystem>(
    graph: &mut Unfolding<'_, S>,
    meter: &mut Meter<'_, '_>,
) -> Result<Explicit, Stop> {
    let initial = graph.initial()?;
    let mut steps: Vec<(u32, Label, u32)> = Vec::new();
    let mut labels = Labels::new();
    let mut next = 0;
    let mut level = graph.states();
    while next < graph.states() {
        if next == level {
            level = graph.states();
            meter.statistics.depth += 1;
        }
        for step in graph.steps(next)? {
            steps.push((next, labels.number(step.label), step.target));
        }
        next += 1;
        if meter.due(1) {
            meter.statistics.states = u64::from(graph.states());
            meter.statistics.nodes = meter.statistics.states;
            meter.statistics.transitions = graph.transitions() as u64;
            meter.statistics.memory = (graph.memory() + steps.capacity() * 12) as u64;
            meter.frontier = u64::from(graph.states() - next);
            meter.ask()?;
        }
    }
    let texts = labels.found.iter().map(|label| match *label {
        TAU => "tau".into(),
        label => graph.system().label(label).into_boxed_str(),
    });
    Ok(Explicit::new(initial, graph.states(), texts.collect(), &steps))
}

const UNKNOWN: Label = Label::MAX;

/// The labels that occur, numbered as they are found.
struct Labels {
    numbers: Vec<Label>,
    found: Vec<Label>,
}

impl Labels {
    fn new() -> Self {
        Labels { numbers: vec![TAU], found: vec![TAU] }
    }

    fn number(&mut self, label: Label) -> Label {
        let at = label as usize;
        if at >= self.numbers.len() {
            self.numbers.resize(at + 1, UNKNOWN);
        }
        if self.numbers[at] == UNKNOWN {
            self.numbers[at] = self.found.len() as Label;
            self.found.push(label);
        }
        self.numbers[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_cannot_be_reached_are_left_out_and_labels_keep_their_texts() {
        let labels = ["tau", "a", "b", "never"].map(Box::from).to_vec();
        let lts = Explicit::new(2, 4, labels, &[(2, 2, 0), (0, 0, 2), (0, 1, 0), (3, 3, 1)]);
        let Generated::Whole(whole) = generate(&lts, &Budget::UNLIMITED).unwrap() else {
            panic!("there is no limit");
        };
        let expected = Explicit::new(
            0,
            2,
            ["tau", "b", "a"].map(Box::from).to_vec(),
            &[(0, 1, 1), (1, 0, 0), (1, 2, 1)],
        );
        assert_eq!(whole, expected);
    }

    #[test]
    fn a_limit_ends_generation() {
        let steps: Vec<_> = (0..20_000).map(|i| (i, 0, i + 1)).collect();
        let lts = Explicit::new(0, 20_001, vec!["tau".into()], &steps);
        let budget = Budget { max_states: Some(10_000), ..Budget::UNLIMITED };
        let Generated::Stopped { limit, states } = generate(&lts, &budget).unwrap() else {
            panic!("the limit was overlooked");
        };
        assert_eq!(limit, Limit::States);
        assert!((10_000..20_000).contains(&states));
    }
}
