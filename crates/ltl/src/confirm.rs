//! The judge of witnesses: takes the steps again, and decides by the definitions.
//!
//! Shares the semantics of formulas ([`crate::holds_on_lasso`]) with nothing that finds witnesses;
//! no automaton, no product, no component occurs here.

use std::collections::BTreeSet;

use linchpin_engine::Unfolded;
use linchpin_lts::{TAU, Trouble};

use crate::fairness::Fairness;
use crate::graph::Graph;
use crate::lasso::{Lasso, Tail, Taken};
use linchpin_formula::{Atom, Formula};
use linchpin_formula::{holds_on_lasso, violated_by_prefix};

/// Is this an execution of the system that violates the formula and is fair? If not, a sentence why.
/// The graph should be a new one of the same system.
pub fn confirm<G: Graph>(
    graph: &mut G,
    formula: &Formula,
    fairness: Fairness,
    lasso: &Lasso,
) -> Result<Result<(), String>, Trouble> {
    let mut replay = Replay { graph, states: Vec::new(), taken: Vec::new() };
    replay.states.push(replay.graph.initial()?);
    for step in &lasso.stem {
        if let Err(sentence) = replay.take(step)? {
            return Ok(Err(sentence));
        }
    }
    let back = replay.states.len() - 1;
    if let Tail::Cycle(cycle) = &lasso.tail {
        for step in cycle {
            if let Err(sentence) = replay.take(step)? {
                return Ok(Err(sentence));
            }
        }
    }
    let violates = replay.violates(formula, back, &lasso.tail)?;
    Ok(match (violates, &lasso.tail) {
        (Err(sentence), _) => Err(sentence),
        (Ok(()), Tail::Cycle(_)) => replay.is_fair(fairness, back)?,
        (Ok(()), _) => Ok(()),
    })
}

struct Replay<'g, G> {
    graph: &'g mut G,
    states: Vec<u32>,
    /// The step that leads to `states[i + 1]`.
    taken: Vec<Unfolded>,
}

impl<G: Graph> Replay<'_, G> {
    fn steps(&mut self, state: u32) -> Result<Vec<Unfolded>, Trouble> {
        let mut steps = Vec::new();
        self.graph.steps(state, &mut steps)?;
        Ok(steps)
    }

    fn take(&mut self, step: &Taken) -> Result<Result<(), String>, Trouble> {
        let state = self.states[self.states.len() - 1];
        let steps = self.steps(state)?;
        let position = self.states.len();
        Ok(match steps.get(step.place as usize) {
            None => Err(format!("step {position} is not possible")),
            Some(own) if own.label != step.label => {
                Err(format!("step {position} has another label"))
            }
            Some(own) => {
                self.states.push(own.target);
                self.taken.push(*own);
                Ok(())
            }
        })
    }

    fn violates(
        &mut self,
        formula: &Formula,
        back: usize,
        tail: &Tail,
    ) -> Result<Result<(), String>, Trouble> {
        let last = self.states.len() - 1;
        let atoms: Vec<Atom> = formula.atoms().into_iter().cloned().collect();
        let mut truth = Vec::new();
        for (position, state) in self.states.clone().into_iter().enumerate() {
            let mut here = Vec::new();
            for atom in &atoms {
                here.push(match atom {
                    Atom::Condition(number) => self.graph.holds(*number, state)?,
                    Atom::Event(text) if position == 0 => text == "init",
                    Atom::Event(text) => self.graph.is_event(self.taken[position - 1].label, text),
                });
            }
            truth.push(here);
        }
        let holds = |position: usize, atom: &Atom| {
            let place = atoms.iter().position(|a| a == atom).expect("an atom of the formula");
            truth[position][place]
        };
        Ok(match tail {
            Tail::Open if violated_by_prefix(formula, truth.len(), &holds) => Ok(()),
            Tail::Open => Err("the formula can still come true".into()),
            Tail::Cycle(cycle) if cycle.is_empty() => Err("the cycle has no step".into()),
            Tail::Cycle(_) if self.states[last] != self.states[back] => {
                Err("the cycle does not lead back to where it begins".into())
            }
            Tail::End if !self.steps(self.states[last])?.is_empty() => {
                Err("the execution can go on".into())
            }
            // The state after the stem is reached once by the stem and then by the cycle, possibly
            // by another event: the positions of the cycle are those after its steps.
            Tail::Cycle(_) => match holds_on_lasso(formula, truth.len(), back + 1, &holds) {
                true => Err("the execution satisfies the formula".into()),
                false => Ok(()),
            },
            Tail::End => match holds_on_lasso(formula, truth.len(), last, &holds) {
                true => Err("the execution satisfies the formula".into()),
                false => Ok(()),
            },
        })
    }

    /// Is the cycle from a position on fair, by the definition?
    fn is_fair(&mut self, fairness: Fairness, back: usize) -> Result<Result<(), String>, Trouble> {
        let (mut always, mut sometimes) = (None::<BTreeSet<String>>, BTreeSet::new());
        let mut taken = BTreeSet::new();
        for position in back..self.states.len() - 1 {
            let state = self.states[position];
            let mut enabled = BTreeSet::new();
            for step in self.steps(state)? {
                enabled.extend(self.rights(fairness, state, step));
            }
            taken.extend(self.rights(fairness, state, self.taken[position]));
            sometimes.extend(enabled.iter().cloned());
            always = Some(match always {
                None => enabled,
                Some(always) => always.intersection(&enabled).cloned().collect(),
            });
        }
        let owed = match fairness {
            Fairness::None => BTreeSet::new(),
            Fairness::WeakProcesses | Fairness::WeakEvents => always.unwrap_or_default(),
            Fairness::StrongProcesses | Fairness::StrongEvents | Fairness::Global => sometimes,
        };
        Ok(match owed.difference(&taken).next() {
            Some(deprived) => Err(format!("the cycle is not fair: {deprived} is never taken")),
            None => Ok(()),
        })
    }

    /// Who is taken by a step, in words.
    fn rights(&self, fairness: Fairness, state: u32, step: Unfolded) -> Vec<String> {
        match fairness {
            Fairness::None => Vec::new(),
            Fairness::WeakProcesses | Fairness::StrongProcesses => {
                self.graph.group(step.group).iter().map(|p| format!("component {p}")).collect()
            }
            Fairness::WeakEvents | Fairness::StrongEvents if step.label == TAU => Vec::new(),
            Fairness::WeakEvents | Fairness::StrongEvents => {
                vec![format!("event {}", self.graph.label(step.label))]
            }
            Fairness::Global => {
                let label = self.graph.label(step.label);
                vec![format!("step {label} from state {state} to {}", step.target)]
            }
        }
    }
}
