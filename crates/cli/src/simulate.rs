//! `linchpin simulate`: walks through executions of the unreduced model.
//!
//! With a seed, steps are chosen at random; otherwise the user chooses (`prompt`). What steps do is
//! found out by replaying them, with the code that judges violations.

mod process;
mod prompt;
pub(crate) mod stepping;
mod system;

use std::io::{self, IsTerminal};

use linchpin_evidence::narrative::narrate;
use linchpin_evidence::snapshot::{Cell, Snapshot, snapshot};
use linchpin_lin::replay::Replay;
use linchpin_lin::{Granularity, Model};
use linchpin_lts::Schedule;

use crate::args::SimulateOptions;
use crate::exit::Exit;
use crate::input::{self, Source};
use crate::language::Language;
use crate::outcome::{Kind, Problem};
use crate::refused::{Given, refused};
use crate::render::{schedule, text};
use crate::screen::{Screen, Tone};
use crate::{bounds, names};

use stepping::{Possible, Steps, initial_states};

/// Simulates one check of a file.
pub(crate) fn run(options: &SimulateOptions, screen: &Screen) -> Exit {
    let path = &options.file;
    let known = &[Language::Lin, Language::Csp, Language::Mcrl2];
    let result = Language::among(path, known, "`linchpin simulate`").and_then(|language| {
        let given = Given { check: None, name: false, bounds: &options.bounds };
        match (refused(&[language], &given), language) {
            (Some(message), _) => Err(Problem::new(Kind::Unsupported, path, message)),
            (None, Language::Csp) => process::run(options, screen),
            (None, Language::Mcrl2) => system::run(options, screen),
            (None, _) => object(options, screen),
        }
    });
    result.unwrap_or_else(|problem| {
        screen.error(&text::problem(screen, &problem));
        problem.exit()
    })
}

/// Simulates the clients of a check.
fn object(options: &SimulateOptions, screen: &Screen) -> Result<Exit, Problem> {
    let (source, model) = prepare(options, screen)?;
    let simulation = Simulation { screen, source: &source, model: &model };
    let result = match seed(options) {
        None => simulation.prompt(),
        Some(seed) => simulation.random(seed, options.steps),
    };
    Ok(result.err().unwrap_or(Exit::Holds))
}

/// The seed of a random execution, if that is wanted, or if there is nobody to answer questions
/// because nobody sees them.
fn seed(options: &SimulateOptions) -> Option<u64> {
    let blind = io::stdin().is_terminal() && !io::stdout().is_terminal();
    options.seed.or(blind.then_some(0))
}

fn prepare(options: &SimulateOptions, screen: &Screen) -> Result<(Source, Model), Problem> {
    let path = &options.file;
    let source = input::load(path, &options.bounds.set)?;
    source.warnings(|path, text, warnings| text::warnings(screen, path, text, warnings));
    let check = names::find(&source, options.name.as_deref())?;
    let bounded = bounds::apply(&source.program, check, &options.bounds)
        .map_err(|message| Problem::of_check(Kind::Bounds, &source, check, message))?;
    match Model::new(source.program.clone(), &bounded, Granularity::UNREDUCED) {
        Ok(model) => {
            let words = bounds::words(&source.program, &bounded);
            screen.print(&format!("{}: {words}\n", screen.paint(Tone::Heading, &check.name)));
            Ok((source, model))
        }
        Err(u) => {
            Err(Problem::of_check(Kind::Unsupported, &source, check, u.message).at(&source, u.span))
        }
    }
}

/// A model that is being simulated.
struct Simulation<'a> {
    screen: &'a Screen,
    source: &'a Source,
    model: &'a Model,
}

impl Simulation<'_> {
    /// The steps that are possible in a state.
    fn steps(&self, state: &[u32]) -> Steps {
        let steps = stepping::steps(self.model, state);
        if steps.given_up {
            self.screen.complain(linchpin_lts::Limit::TOO_LONG);
        }
        steps
    }

    /// Executes a schedule that consists of possible steps.
    fn replay(&self, schedule: &Schedule) -> Result<Replay, Exit> {
        self.model.replay(schedule).map_err(|error| {
            self.screen.complain(&format!(
                "INTERNAL ERROR: a possible step cannot be replayed: {error:?}\n  \
                   This is a bug of Linchpin. Please report it with the file."
            ));
            Exit::Internal
        })
    }

    /// A random execution.
    fn random(&self, seed: u64, limit: u32) -> Result<(), Exit> {
        let mut random = Random(seed);
        let mut schedule = Schedule::default();
        let mut end = "the end: no step is possible".to_string();
        let initial = initial_states(self.model);
        if initial > 1 {
            schedule.initial = random.below(initial) as u32;
        }
        let mut state = match initial {
            0 => None,
            _ => Some(self.replay(&schedule)?.initial).filter(|s| !s.is_empty()),
        };
        while let Some(now) = state {
            let mut steps = self.steps(&now);
            if steps.possible.is_empty() {
                end = steps.end().map_or(end, str::to_string);
                break;
            }
            if schedule.turns.len() >= limit as usize {
                end = format!("stopped after {limit} steps (--steps)");
                break;
            }
            let chosen = random.below(steps.possible.len());
            let Possible { turn, next } = steps.possible.swap_remove(chosen);
            schedule.turns.push(turn);
            state = next;
        }
        if initial > 0 {
            let replay = self.replay(&schedule)?;
            let narrative = narrate(self.model, &replay, &self.source.files);
            let mut shown = self.show_memory(&replay.initial, None);
            let lines = schedule::render(self.screen, &self.source.path, &narrative, true, None);
            let entries = &narrative.entries;
            for (i, (entry, line)) in entries.iter().zip(lines).enumerate() {
                self.screen.print(&format!("{line}\n"));
                // Shared memory after the last entry of a step that goes well.
                let next = entries.get(i + 1);
                let goes_well = next.is_some() || replay.fault.is_none();
                if goes_well && next.is_none_or(|next| next.step != entry.step) {
                    shown = self.show_memory(&replay.steps[entry.step].state, shown);
                }
            }
            if replay.fault.is_some() {
                return Ok(());
            }
        }
        self.screen.print(&format!("{end}\n"));
        Ok(())
    }

    /// Shows shared memory unless it is as it was shown last; gives what is shown now.
    fn show_memory(&self, state: &[u32], shown: Option<Snapshot>) -> Option<Snapshot> {
        if state.is_empty() {
            return shown;
        }
        // Local variables are not shown.
        let now = Snapshot { locals: Vec::new(), ..snapshot(self.model, state) };
        if shown.as_ref() != Some(&now) {
            for line in memory(&now) {
                let line = self.screen.paint(Tone::Quiet, format!("{:10}{line}", ""));
                self.screen.print(&format!("{line}\n"));
            }
        }
        Some(now)
    }
}

/// Shared memory: variables on one line, a line per node.
fn memory(snapshot: &Snapshot) -> Vec<String> {
    let list = |cells: &[Cell], is: &str| {
        let cells: Vec<_> = cells.iter().map(|c| format!("{}{is}{}", c.name, c.value)).collect();
        cells.join(", ")
    };
    let mut lines = Vec::new();
    if !snapshot.variables.is_empty() {
        lines.push(list(&snapshot.variables, " = "));
    }
    for node in &snapshot.nodes {
        let freed = if node.freed { " (free)" } else { "" };
        let fields = list(&node.fields, ": ");
        lines.push(format!("{} = {} {{ {fields} }}{freed}", node.name, node.record));
    }
    lines
}

/// Random numbers that are the same everywhere: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}
