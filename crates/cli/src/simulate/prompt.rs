//! The user chooses the steps of a simulation: by number, line by line, until the end of the input.

use std::io::{self, BufRead};

use linchpin_evidence::narrative::{Narrative, narrate};
use linchpin_lin::replay::Replay;
use linchpin_lts::{Liveness, Schedule};

use super::Simulation;
use crate::exit::Exit;
use crate::render::schedule;
use crate::screen::Screen;

/// What the user wants.
pub(super) enum Choice {
    Step(usize),
    Back,
    Quit,
}

impl Simulation<'_> {
    /// Shows the possible steps and asks, again and again.
    pub(super) fn prompt(&self) -> Result<(), Exit> {
        let mut lines = io::stdin().lock().lines();
        let mut schedule = Schedule::default();
        match self.initial_states() {
            0 => {
                self.screen.print("the end: there is no initial state\n");
                return Ok(());
            }
            1 => {}
            n => {
                self.screen.print(&format!("there are {n} initial states\n"));
                let Choice::Step(i) = ask(self.screen, &mut lines, n) else { return Ok(()) };
                schedule.initial = i as u32;
            }
        }
        let mut shown = None;
        loop {
            let replay = self.replay(&schedule)?;
            if !replay.steps.is_empty() || replay.fault.is_some() {
                self.screen.print(&(self.last_step(&replay).join("\n") + "\n"));
            }
            let state = replay.steps.last().map_or(&replay.initial, |s| &s.state);
            let mut steps = Vec::new();
            if replay.fault.is_none() {
                shown = self.show_memory(state, shown);
                let (possible, liveness) = self.steps(state);
                steps = possible;
                match liveness {
                    Liveness::Deadlock => self.screen.print("deadlock: no thread can go on\n"),
                    Liveness::Live | Liveness::Finished if steps.is_empty() => {
                        self.screen.print("the end: no step is possible\n");
                    }
                    Liveness::Live | Liveness::Finished => {}
                }
            }
            for (i, step) in steps.iter().enumerate() {
                let mut next = schedule.clone();
                next.turns.push(step.turn.clone());
                let text = self.last_step(&self.replay(&next)?).join("; ");
                self.screen.print(&format!("  {:>2}  {text}\n", i + 1));
            }
            match ask(self.screen, &mut lines, steps.len()) {
                Choice::Step(i) => schedule.turns.push(steps.swap_remove(i).turn),
                Choice::Back => {
                    schedule.turns.pop();
                    shown = None;
                }
                Choice::Quit => return Ok(()),
            }
        }
    }

    /// The lines for the last step of an execution.
    fn last_step(&self, replay: &Replay) -> Vec<String> {
        let Narrative { operations, entries, .. } = narrate(self.model, replay, &self.source.text);
        let last = entries.last().map_or(0, |e| e.step);
        let first = entries.iter().rposition(|e| e.step != last).map_or(0, |i| i + 1);
        let line = self.source.text.lines().count().to_string().len();
        schedule::entries(self.screen, &entries[first..], &operations, line)
    }
}

/// Asks for a number from 1 to `n`. The end of the input is the end.
pub(super) fn ask(
    screen: &Screen,
    lines: &mut io::Lines<io::StdinLock<'static>>,
    n: usize,
) -> Choice {
    loop {
        screen.print(&match n {
            0 => "b: back, q: quit> ".to_string(),
            n => format!("1-{n}, b: back, q: quit> "),
        });
        let Some(Ok(line)) = lines.next() else {
            screen.print("\n");
            return Choice::Quit;
        };
        match line.trim() {
            "q" | "quit" => return Choice::Quit,
            "b" | "back" => return Choice::Back,
            "" if n == 1 => return Choice::Step(0),
            text => match text.parse::<usize>() {
                Ok(i) if 1 <= i && i <= n => return Choice::Step(i - 1),
                _ => screen.print("there is no such step\n"),
            },
        }
    }
}
