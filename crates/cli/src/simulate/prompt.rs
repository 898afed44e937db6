//! The user chooses the steps of a simulation: by number, line by line, until the end of the input.

use std::io::{self, BufRead};

use linchpin_evidence::narrative::narrate;
use linchpin_evidence::snapshot::snapshot;
use linchpin_lin::replay::Replay;
use linchpin_lts::Schedule;

use super::stepping::{initial_states, last};
use super::{Random, Simulation};
use crate::exit::Exit;
use crate::render::{schedule, timeline};
use crate::screen::{Screen, Tone};

/// What the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Step(usize),
    /// So many random steps.
    Random(usize),
    Back,
    History,
    Locals,
    Quit,
}

const HELP: &str = "  NUMBER  take that step; Enter alone if there is only one
  r       take a step at random (`r 10`: ten of them)
  b       undo the last step
  h       the history and the steps so far
  l       the local variables, or of a process all variables
  ?       this text
  q       quit
  # ...   a remark
";

impl Simulation<'_> {
    /// Shows the possible steps and asks, again and again.
    pub(super) fn prompt(&self) -> Result<(), Exit> {
        let mut lines = io::stdin().lock().lines();
        let mut schedule = Schedule::default();
        let (mut random, mut left) = (Random(0), 0_usize);
        match initial_states(self.model) {
            0 => {
                self.screen.print("the end: there is no initial state\n");
                return Ok(());
            }
            1 => {}
            n => {
                self.screen.print(&format!("there are {n} initial states\n"));
                schedule.initial = match ask(self.screen, &mut lines, n) {
                    Choice::Step(i) => i as u32,
                    Choice::Random(_) => random.below(n) as u32,
                    _ => return Ok(()),
                };
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
                let now = self.steps(state);
                if let Some(end) = now.end() {
                    self.screen.print(&format!("{end}\n"));
                }
                steps = now.possible;
            }
            for (i, step) in steps.iter().enumerate() {
                let mut next = schedule.clone();
                next.turns.push(step.turn.clone());
                let text = self.last_step(&self.replay(&next)?).join("; ");
                self.screen.print(&format!("  {:>2}  {text}\n", i + 1));
            }
            loop {
                let choice = match left {
                    1.. if !steps.is_empty() => Choice::Step(random.below(steps.len())),
                    _ => ask(self.screen, &mut lines, steps.len()),
                };
                left = if steps.is_empty() { 0 } else { left.saturating_sub(1) };
                match choice {
                    Choice::Step(i) => schedule.turns.push(steps.swap_remove(i).turn),
                    Choice::Random(n) => {
                        left = n;
                        continue;
                    }
                    Choice::Back => {
                        schedule.turns.pop();
                        shown = None;
                    }
                    Choice::History => {
                        self.show_history(&replay);
                        continue;
                    }
                    Choice::Locals => {
                        self.show_locals(state);
                        continue;
                    }
                    Choice::Quit => return Ok(()),
                }
                break;
            }
        }
    }

    /// The operations as a picture, and the steps.
    fn show_history(&self, replay: &Replay) {
        let narrative = narrate(self.model, replay, &self.source.files);
        let mut lines = Vec::new();
        if !narrative.operations.is_empty() {
            lines = timeline::render(self.screen, &narrative, None, self.screen.columns);
        }
        lines.extend(schedule::render(self.screen, &self.source.path, &narrative, true, None));
        if lines.is_empty() {
            lines.push("nothing has happened".to_string());
        }
        self.screen.print(&(lines.join("\n") + "\n"));
    }

    /// The local variables that matter, a line per thread.
    fn show_locals(&self, state: &[u32]) {
        let locals = match state.is_empty() {
            true => Vec::new(),
            false => snapshot(self.model, state).locals,
        };
        let mut any = false;
        for (thread, cells) in (1..).zip(&locals).filter(|(_, cells)| !cells.is_empty()) {
            let cells: Vec<String> =
                cells.iter().map(|c| format!("{} = {}", c.name, c.value)).collect();
            let name = self.screen.paint(Tone::Thread, format!("T{thread}"));
            self.screen.print(&format!("  {name}  {}\n", cells.join(", ")));
            any = true;
        }
        if !any {
            self.screen.print("no thread has local variables that matter now\n");
        }
    }

    /// The lines for the last step of an execution.
    fn last_step(&self, replay: &Replay) -> Vec<String> {
        let narrative = narrate(self.model, replay, &self.source.files);
        let line = self.source.text.lines().count().to_string().len();
        schedule::entries(self.screen, last(&narrative), &narrative.operations, line)
    }
}

/// Asks for a number from 1 to `n`. The end of the input is the end. What comes after `#` is a remark, so that a script of
/// answers can say what they are about.
pub(super) fn ask(
    screen: &Screen,
    lines: &mut io::Lines<io::StdinLock<'static>>,
    n: usize,
) -> Choice {
    loop {
        screen.print(&match n {
            0 => "b: back, q: quit, ?: help> ".to_string(),
            n => format!("1-{n}, b: back, q: quit, ?: help> "),
        });
        let Some(Ok(line)) = lines.next() else {
            screen.print("\n");
            return Choice::Quit;
        };
        let answer = line.split('#').next().unwrap_or_default().trim();
        match answer {
            "" if line.contains('#') => screen.print("\n"),
            "q" | "quit" => return Choice::Quit,
            "b" | "back" | "u" | "undo" => return Choice::Back,
            "h" | "history" => return Choice::History,
            "l" | "locals" => return Choice::Locals,
            "?" | "help" => screen.print(HELP),
            "" if n == 1 => return Choice::Step(0),
            text => {
                let random = text.strip_prefix("random").or_else(|| text.strip_prefix('r'));
                let many = match random.map(str::trim) {
                    Some("") => Some(1),
                    Some(many) => many.parse().ok(),
                    None => None,
                };
                match (text.parse::<usize>(), many) {
                    (Ok(i), _) if 1 <= i && i <= n => return Choice::Step(i - 1),
                    (_, Some(many)) if n > 0 => return Choice::Random(many),
                    _ => screen.print("there is no such step (`?` says what there is)\n"),
                }
            }
        }
    }
}
