//! Walking through executions of a process of a CSP model.

use std::io::{self, BufRead};

use linchpin_csp::{System, WitnessStep};
use linchpin_lin::Span;
use linchpin_lts::{LabelledSystem, Trouble};

use super::prompt::{Choice, ask};
use super::{Random, seed};
use crate::args::SimulateOptions;
use crate::csp::{self, Source};
use crate::exit::Exit;
use crate::outcome::{Kind, Problem};
use crate::render::csp::{contents, steps as lines};
use crate::render::text;
use crate::screen::{Screen, Tone};

/// How far what is not a step is indented.
const INDENT: usize = 10;

/// Simulates a process.
pub(super) fn run(options: &SimulateOptions, screen: &Screen) -> Result<Exit, Problem> {
    let (source, system) = prepare(options, screen)?;
    let walk = Walk { screen, source: &source, system: &system };
    match seed(options) {
        None => walk.prompt()?,
        Some(seed) => walk.random(seed, options.steps)?,
    }
    Ok(Exit::Holds)
}

fn prepare(options: &SimulateOptions, screen: &Screen) -> Result<(Source, System), Problem> {
    let path = &options.file;
    let source = csp::load(path, &options.bounds)?;
    source.warnings(|path, text, warnings| text::warnings(screen, path, text, warnings));
    let (name, system) = chosen(&source, options.name.as_deref()).ok_or_else(|| {
        let processes = source.model.tree().processes.iter().filter(|p| p.parameters.is_empty());
        let names: Vec<_> = processes.map(|p| format!("`{}`", p.name.text)).collect();
        let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
        let message = match &options.name {
            Some(name) => format!("there is no assertion and no process `{name}`"),
            None => "the file has no assertions; say which process is meant (--check)".to_string(),
        };
        let message = format!("{message} (processes without parameters: {names})");
        Problem::new(Kind::NoSuchCheck, path, message)
    })?;
    screen.print(&format!("{}\n", screen.paint(Tone::Heading, name)));
    let system = system.map_err(|trouble| wrong(&source, &trouble))?;
    Ok((source, system))
}

/// The process of an assertion, or of this name; by default, that of the first assertion.
fn chosen(source: &Source, name: Option<&str>) -> Option<(String, Result<System, Trouble>)> {
    let model = &source.model;
    let count = model.assertions().len();
    let meant = |i: &usize| name.is_none_or(|n| csp::names(source, *i).iter().any(|m| m == n));
    if let Some(i) = (0..count).find(meant) {
        let tree = &model.tree().assertions[i];
        // As it is written, with its arguments.
        let text = &model.assertions()[i].text;
        let name = &tree.process.text;
        let shown = match text.strip_prefix(name.as_str()).and_then(|rest| rest.split_once(')')) {
            Some((arguments, _)) if arguments.starts_with('(') => format!("{name}{arguments})"),
            _ => name.clone(),
        };
        return Some((shown, model.asserted_system(i)?));
    }
    let name = name?.trim_end_matches("()");
    Some((name.to_string(), model.system(name)?))
}

/// What goes wrong, where.
fn wrong(source: &Source, trouble: &Trouble) -> Problem {
    let (path, text, span) = match trouble.at {
        Some((start, end)) => source.place(Span { start, end }),
        None => (source.path.as_path(), "", Span::default()),
    };
    let problem = Problem::new(Kind::Specification, path, trouble.message.clone());
    match trouble.at {
        Some(_) => problem.inside(text.to_string(), span),
        None => problem,
    }
}

/// A process that is being simulated.
struct Walk<'a> {
    screen: &'a Screen,
    source: &'a Source,
    system: &'a System,
}

/// A step that can be taken, and where it leads.
type Possible = (WitnessStep, Vec<u32>);

impl Walk<'_> {
    fn initial(&self) -> Result<Vec<u32>, Problem> {
        let state = self.system.initial(&mut self.system.scratch());
        state.map_err(|trouble| wrong(self.source, &trouble))
    }

    fn print(&self, steps: &[WitnessStep]) {
        for line in lines(self.screen, self.source, steps) {
            self.screen.print(&format!("{line}\n"));
        }
    }

    /// Shows the variables, unless there are none.
    fn show(&self, state: &[u32]) {
        let variables = self.system.contents(state);
        if !variables.is_empty() {
            for line in contents(&variables, self.screen.columns - INDENT) {
                let line = self.screen.paint(Tone::Quiet, format!("{:INDENT$}{line}", ""));
                self.screen.print(&format!("{line}\n"));
            }
        }
    }

    /// Why nothing can be done in a state.
    fn end(&self, state: &[u32]) -> &'static str {
        match self.system.is_terminated(state) {
            true => "the end: the process has terminated",
            false => "deadlock: no step is possible",
        }
    }

    /// The possible steps; what goes wrong is shown.
    fn steps(&self, state: &[u32]) -> Option<Vec<Possible>> {
        match self.system.steps(state) {
            Ok(steps) => Some(steps),
            Err(trouble) => {
                self.screen.error(&text::problem(self.screen, &wrong(self.source, &trouble)));
                None
            }
        }
    }

    /// A random execution.
    fn random(&self, seed: u64, limit: u32) -> Result<(), Problem> {
        let mut random = Random(seed);
        let mut state = self.initial()?;
        self.show(&state);
        let mut taken = Vec::new();
        let end = loop {
            let Some(mut steps) = self.steps(&state) else { break "the model goes wrong".into() };
            if steps.is_empty() {
                break self.end(&state).to_string();
            }
            if taken.len() >= limit as usize {
                break format!("stopped after {limit} steps (--steps)");
            }
            let (step, next) = steps.swap_remove(random.below(steps.len()));
            taken.push(step);
            state = next;
        };
        self.print(&taken);
        self.show(&state);
        self.screen.print(&format!("{end}\n"));
        Ok(())
    }

    /// Shows the possible steps and asks, again and again.
    fn prompt(&self) -> Result<(), Problem> {
        let mut lines_in = io::stdin().lock().lines();
        let mut states = vec![self.initial()?];
        let mut taken: Vec<WitnessStep> = Vec::new();
        let (mut random, mut left) = (Random(0), 0_usize);
        while let Some(state) = states.last() {
            self.show(state);
            let possible = self.steps(state);
            if possible.as_ref().is_some_and(Vec::is_empty) {
                self.screen.print(&format!("{}\n", self.end(state)));
            }
            let mut steps = possible.unwrap_or_default();
            let shown: Vec<WitnessStep> = steps.iter().map(|(step, _)| step.clone()).collect();
            let rows = lines(self.screen, self.source, &shown);
            for (i, row) in rows.iter().enumerate() {
                self.screen.print(&format!("  {:>2}  {row}\n", i + 1));
            }
            let choice = match left {
                1.. if !steps.is_empty() => Choice::Step(random.below(steps.len())),
                _ => ask(self.screen, &mut lines_in, steps.len()),
            };
            left = if steps.is_empty() { 0 } else { left.saturating_sub(1) };
            match choice {
                Choice::Step(i) => {
                    let (step, next) = steps.swap_remove(i);
                    self.print(std::slice::from_ref(&step));
                    taken.push(step);
                    states.push(next);
                }
                Choice::Random(n) => left = n,
                Choice::Back if states.len() > 1 => {
                    states.pop();
                    taken.pop();
                }
                Choice::History => self.print(&taken),
                // Variables are shown with every question.
                Choice::Back | Choice::Locals => {}
                Choice::Quit => return Ok(()),
            }
        }
        Ok(())
    }
}
