//! All states of a system.

use linchpin_engine::{
    Budget, Ending, Explored, Figures, Finding, Limit, Plan, Space, States, Stop, explore,
};
use linchpin_lts::{Edge, Explicit, Label, LabelledSystem, Rows, TAU, Trouble};

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
        states: u64,
    },
}

/// Finds all states and steps of a system.
pub fn generate<S: LabelledSystem>(system: &S, budget: &Budget<'_>) -> Result<Generated, Trouble> {
    let space = States::new(system, |_, _| Ok(None::<()>));
    match explicit(&space, |label| system.label(label), budget) {
        Ok(lts) => Ok(Generated::Whole(lts)),
        Err((Stop::Limit(limit), figures)) => {
            Ok(Generated::Stopped { limit, states: figures.states })
        }
        Err((Stop::Trouble(trouble), _)) => Err(trouble),
    }
}

/// All nodes of a space as an explicit system. Edges are called by labels whose texts are given.
pub(crate) fn explicit<S: Space<Violation = Finding<()>>>(
    space: &S,
    text: impl Fn(Label) -> String,
    budget: &Budget<'_>,
) -> Result<Explicit, (Stop, Figures)> {
    let (explored, figures) = all_nodes(space, budget)?;
    written(&explored, &figures, text, budget).map_err(|limit| (Stop::Limit(limit), figures))
}

/// All nodes of a space with their edges.
fn all_nodes<S: Space<Violation = Finding<()>>>(
    space: &S,
    budget: &Budget<'_>,
) -> Result<(Explored, Figures), (Stop, Figures)> {
    let plan = Plan { edges: true, ..Plan::default() };
    let (ending, figures, explored) = explore(space, plan, budget, &mut |_| false);
    match ending {
        Ending::Exhausted | Ending::Enough => Ok((explored, figures)),
        Ending::Stopped(limit) => Err((Stop::Limit(limit), figures)),
        Ending::Violation { violation: Finding::Stop(stop), .. } => Err((stop, figures)),
        Ending::Violation { violation: Finding::Violation(()), .. } => {
            unreachable!("nothing is looked for")
        }
    }
}

/// All states of a system, before they are numbered in order and written down.
pub(crate) struct Seen {
    explored: Explored,
    figures: Figures,
}

impl Seen {
    /// Finds them.
    pub(crate) fn of<S: LabelledSystem>(system: &S, budget: &Budget<'_>) -> Result<Seen, Stop> {
        let space = States::new(system, |_, _| Ok(None::<()>));
        let found = all_nodes(&space, budget).map_err(|(stop, _)| stop);
        found.map(|(explored, figures)| Seen { explored, figures })
    }

    /// Writes them down.
    pub(crate) fn written<S: LabelledSystem>(
        self,
        system: &S,
        budget: &Budget<'_>,
    ) -> Result<Explicit, Limit> {
        written(&self.explored, &self.figures, |label| system.label(label), budget)
    }
}

fn written(
    explored: &Explored,
    figures: &Figures,
    text: impl Fn(Label) -> String,
    budget: &Budget<'_>,
) -> Result<Explicit, Limit> {
    let steps = figures.transitions as usize;
    budget.within.room::<Edge>(steps)?;
    budget.within.room::<[usize; 3]>(explored.len())?;
    let mut labels = Labels::new();
    let mut rows = Rows::with_room(explored.len(), steps);
    explored.in_order_seeing(|edges| {
        rows.push(edges.iter().map(|e| Edge { label: labels.number(e.label), target: e.target }));
    });
    let texts = labels.found.iter().map(|label| match *label {
        TAU => "tau".into(),
        label => text(label).into_boxed_str(),
    });
    Ok(Explicit::of(0, texts.collect(), rows))
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
        for workers in [1, 2, 4] {
            let Generated::Whole(whole) =
                generate(&lts, &Budget { workers, ..Budget::UNLIMITED }).unwrap()
            else {
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
