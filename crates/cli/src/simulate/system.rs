//! Walking through executions of an mCRL2 specification: its actions, one after the other.

use std::io::{self, BufRead};

use linchpin_lts::{LabelledSystem, TAU, Trouble};
use linchpin_mcrl2::System;
use linchpin_text::printable;

use super::prompt::{Choice, ask};
use super::{Random, seed};
use crate::args::SimulateOptions;
use crate::exit::Exit;
use crate::mcrl2;
use crate::names::shown;
use crate::outcome::{Kind, Problem};
use crate::screen::{Screen, Tone};

/// Simulates a specification.
pub(super) fn run(options: &SimulateOptions, screen: &Screen) -> Result<Exit, Problem> {
    let path = &options.file;
    let (system, _) = mcrl2::walked(path, &options.bounds)?;
    screen.print(&format!("{}\n", screen.paint(Tone::Heading, shown(path))));
    let walk = Walk { screen, system: &system };
    let done = match seed(options) {
        None => walk.prompt(),
        Some(seed) => walk.random(seed, options.steps),
    };
    let wrong = |trouble: Trouble| Problem::new(Kind::Specification, path, trouble.message);
    done.map(|()| Exit::Holds).map_err(wrong)
}

struct Walk<'a> {
    screen: &'a Screen,
    system: &'a System,
}

impl Walk<'_> {
    /// The possible steps: what can be seen of them, and where they lead.
    fn steps(&self, state: &[u32]) -> Result<Vec<(String, Vec<u32>)>, Trouble> {
        let mut steps = Vec::new();
        self.system.successors(&mut self.system.scratch(), state, &mut |step| {
            steps.push((step.label, step.state.to_vec()));
        })?;
        let text = |label| match label {
            TAU => "(silent)".to_string(),
            label => printable(&self.system.label(label)).into_owned(),
        };
        Ok(steps.into_iter().map(|(label, state)| (text(label), state)).collect())
    }

    fn print(&self, number: usize, text: &str) {
        self.screen.print(&format!("{number:>4}  {text}\n"));
    }

    fn random(&self, seed: u64, limit: u32) -> Result<(), Trouble> {
        let mut random = Random(seed);
        let mut state = self.system.initial(&mut self.system.scratch())?;
        for number in 1..=limit as usize {
            let mut steps = self.steps(&state)?;
            if steps.is_empty() {
                self.screen.print("the end: no step is possible\n");
                return Ok(());
            }
            let (text, next) = steps.swap_remove(random.below(steps.len()));
            self.print(number, &text);
            state = next;
        }
        self.screen.print(&format!("stopped after {limit} steps (--steps)\n"));
        Ok(())
    }

    fn prompt(&self) -> Result<(), Trouble> {
        let mut lines = io::stdin().lock().lines();
        let mut states = vec![self.system.initial(&mut self.system.scratch())?];
        let mut taken: Vec<String> = Vec::new();
        let (mut random, mut left) = (Random(0), 0_usize);
        while let Some(state) = states.last() {
            let mut steps = self.steps(state)?;
            if steps.is_empty() {
                self.screen.print("the end: no step is possible\n");
            }
            for (i, (text, _)) in steps.iter().enumerate() {
                self.screen.print(&format!("  {:>2}  {text}\n", i + 1));
            }
            let choice = match left {
                1.. if !steps.is_empty() => Choice::Step(random.below(steps.len())),
                _ => ask(self.screen, &mut lines, steps.len()),
            };
            left = if steps.is_empty() { 0 } else { left.saturating_sub(1) };
            match choice {
                Choice::Step(i) => {
                    let (text, next) = steps.swap_remove(i);
                    taken.push(text);
                    self.print(taken.len(), &taken[taken.len() - 1]);
                    states.push(next);
                }
                Choice::Random(n) => left = n,
                Choice::Back if states.len() > 1 => {
                    states.pop();
                    taken.pop();
                }
                Choice::Back => {}
                Choice::History => {
                    taken.iter().enumerate().for_each(|(i, text)| self.print(i + 1, text));
                }
                Choice::Locals => {
                    self.screen.print("a specification shows its actions, not its variables\n");
                }
                Choice::Quit => return Ok(()),
            }
        }
        Ok(())
    }
}
