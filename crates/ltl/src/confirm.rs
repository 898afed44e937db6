//! The judge of witnesses: takes the steps again, and decides by the definitions.
//!
//! Shares the semantics of formulas ([`crate::holds_on_lasso`]) with nothing that finds witnesses;
//! no automaton, no product, no component occurs here.

use std::collections::HashSet;

use linchpin_engine::{Step, Stepper, Taken};
use linchpin_formula::{Atom, Formula, holds_on_lasso, violated_by_prefix};
use linchpin_lts::{Label, LabelledSystem, TAU, Trouble};

use crate::atoms::Atoms;
use crate::fairness::Fairness;
use crate::lasso::{Lasso, Tail};

/// Is this an execution of the system that violates the formula and is fair? If not, a sentence why.
pub fn confirm<S: LabelledSystem, A: Atoms>(
    system: &S,
    atoms: &A,
    formula: &Formula,
    fairness: Fairness,
    lasso: &Lasso,
) -> Result<Result<(), String>, Trouble> {
    let mut stepper = Stepper::new(system);
    let states = vec![stepper.initial()?.0];
    if states[0] != lasso.initial {
        return Ok(Err("it does not begin in the initial state".into()));
    }
    let mut replay = Replay { stepper, atoms, states, taken: Vec::new() };
    for step in lasso.steps().0 {
        if let Err(sentence) = replay.take(step)? {
            return Ok(Err(sentence));
        }
    }
    let back = lasso.stem.len();
    let violates = replay.violates(formula, back, &lasso.tail)?;
    Ok(match (violates, &lasso.tail) {
        (Err(sentence), _) => Err(sentence),
        (Ok(()), Tail::Cycle(_)) => replay.is_fair(fairness, back)?,
        (Ok(()), _) => Ok(()),
    })
}

struct Replay<'s, S: LabelledSystem, A> {
    stepper: Stepper<'s, S>,
    atoms: &'s A,
    states: Vec<Vec<u32>>,
    /// The step that leads to `states[i + 1]`.
    taken: Vec<Taken>,
}

impl<S: LabelledSystem, A: Atoms> Replay<'_, S, A> {
    fn take(&mut self, step: &Taken) -> Result<Result<(), String>, Trouble> {
        self.stepper.look_at(&self.states[self.states.len() - 1])?;
        let position = self.states.len();
        let Taken { label, by, state } = step;
        let same = |own: Step<'_>| own.label == *label && own.by == by && own.state == state;
        if !self.stepper.steps().any(same) {
            return Ok(Err(format!("step {position} is not possible")));
        }
        self.states.push(step.state.clone());
        self.taken.push(step.clone());
        Ok(Ok(()))
    }

    fn violates(
        &mut self,
        formula: &Formula,
        back: usize,
        tail: &Tail,
    ) -> Result<Result<(), String>, Trouble> {
        let last = self.states.len() - 1;
        self.stepper.look_at(&self.states[last])?;
        let atoms: Vec<Atom> = formula.atoms().into_iter().cloned().collect();
        let mut truth = Vec::new();
        for (position, state) in self.states.iter().enumerate() {
            let mut here = Vec::new();
            for atom in &atoms {
                here.push(match atom {
                    Atom::Condition(number) => self.atoms.holds(*number, state)?,
                    Atom::Event(text) if position == 0 => text == "init",
                    Atom::Event(text) => self.atoms.is_event(self.taken[position - 1].label, text),
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
            Tail::End if self.stepper.steps().len() > 0 => Err("the execution can go on".into()),
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
        let (mut always, mut sometimes) = (None::<HashSet<Right>>, HashSet::new());
        let mut taken = HashSet::new();
        let mut seen = HashSet::new();
        for position in back..self.states.len() - 1 {
            let state = &self.states[position];
            taken.extend(rights(fairness, state, &self.taken[position]));
            // What is enabled is known of a state that was there before.
            if !seen.insert(state) {
                continue;
            }
            self.stepper.look_at(state)?;
            let mut enabled = HashSet::new();
            for step in self.stepper.steps() {
                enabled.extend(rights(fairness, state, &step.taken()));
            }
            sometimes.extend(enabled.iter().cloned());
            always = Some(match always {
                None => enabled,
                Some(always) => always.intersection(&enabled).cloned().collect(),
            });
        }
        let owed = match fairness {
            Fairness::None => HashSet::new(),
            Fairness::WeakProcesses | Fairness::WeakEvents => always.unwrap_or_default(),
            Fairness::StrongProcesses | Fairness::StrongEvents | Fairness::Global => sometimes,
        };
        Ok(match owed.difference(&taken).min() {
            None => Ok(()),
            Some(deprived) => {
                let label = |label: Label| self.stepper.system().label(label);
                let who = match deprived {
                    Right::Process(number) => format!("component {number}"),
                    Right::Event(event) => format!("event {}", label(*event)),
                    Right::Step(_, event, _) => format!("a step {}", label(*event)),
                };
                Err(format!("the cycle is not fair: {who} is never taken"))
            }
        })
    }
}

/// Somebody who may expect to be taken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Right {
    Process(u32),
    Event(Label),
    /// From a state to another.
    Step(Vec<u32>, Label, Vec<u32>),
}

/// Who is taken by a step from a state.
fn rights(fairness: Fairness, from: &[u32], step: &Taken) -> Vec<Right> {
    match fairness {
        Fairness::None => Vec::new(),
        Fairness::WeakProcesses | Fairness::StrongProcesses => {
            step.by.iter().map(|process| Right::Process(*process)).collect()
        }
        Fairness::WeakEvents | Fairness::StrongEvents if step.label == TAU => Vec::new(),
        Fairness::WeakEvents | Fairness::StrongEvents => vec![Right::Event(step.label)],
        Fairness::Global => vec![Right::Step(from.to_vec(), step.label, step.state.clone())],
    }
}
