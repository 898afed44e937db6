//! An execution that somebody chooses step by step on the page: what the page needs to know to show it.
//!
//! Nothing is remembered between two questions. An execution is the number of an initial state and the numbers of steps, as
//! for `linchpin simulate` (`simulate::stepping`), and is executed again every time.

use linchpin_evidence::configurations::{self, Configurations, Described};
use linchpin_evidence::film::film;
use linchpin_evidence::narrative::{Narrative, narrate};
use linchpin_evidence::watch::{Seen, watch};
use linchpin_lin::Model;
use linchpin_lin::replay::Replay;
use linchpin_lts::Schedule;
use serde_json::{Value as Json, json};

use crate::again;
use crate::args::BoundOptions;
use crate::input::Source;
use crate::render::html;
use crate::simulate::stepping::{self, Steps, initial_states};

/// An execution has at most so many steps.
pub(super) const MOST_STEPS: usize = 2_000;
/// So many configurations are shown, and so many steps to choose from.
const SHOWN: usize = 40;
const SHOWN_STEPS: usize = 200;

/// An execution that was chosen.
pub(super) struct Execution<'a> {
    source: &'a Source,
    model: &'a Model,
    bounds: &'a BoundOptions,
    initial_states: usize,
    schedule: Schedule,
    /// The numbers of the steps.
    path: Vec<usize>,
    replay: Replay,
    narrative: Narrative,
    /// Why not all that was asked for was executed.
    stopped: Option<String>,
}

impl<'a> Execution<'a> {
    /// Takes the steps of these numbers, from 0, as long as there are such steps.
    ///
    /// # Errors
    /// If there is no execution, in words.
    pub(super) fn new(
        source: &'a Source,
        model: &'a Model,
        bounds: &'a BoundOptions,
        initial: usize,
        wanted: &[usize],
    ) -> Result<Self, String> {
        let initial_states = initial_states(model);
        if initial_states == 0 {
            return Err("there is no initial state".to_string());
        }
        if wanted.len() > MOST_STEPS {
            return Err(format!("an execution has at most {MOST_STEPS} steps here"));
        }
        let mut schedule = Schedule::default();
        let mut stopped = None;
        match u32::try_from(initial) {
            Ok(initial) if (initial as usize) < initial_states => schedule.initial = initial,
            _ => stopped = Some(format!("there are {initial_states} initial states")),
        }
        let replayed = |schedule: &Schedule| {
            model.replay(schedule).map_err(|e| format!("a step cannot be replayed: {e:?}"))
        };
        let mut state = Some(replayed(&schedule)?.initial).filter(|state| !state.is_empty());
        let mut path = Vec::new();
        for &number in wanted {
            let possible = state.as_ref().map(|state| stepping::steps(model, state).possible);
            let step = possible.and_then(|steps| steps.into_iter().nth(number));
            let Some(step) = step.filter(|_| stopped.is_none()) else {
                let at = path.len() + 1;
                stopped.get_or_insert(format!("step {at} is not possible in this model"));
                break;
            };
            schedule.turns.push(step.turn);
            path.push(number);
            state = step.next;
        }
        let replay = replayed(&schedule)?;
        let narrative = narrate(model, &replay, &source.files);
        let execution = Execution {
            source,
            model,
            bounds,
            initial_states,
            schedule,
            path,
            replay,
            narrative,
            stopped,
        };
        Ok(execution)
    }

    /// The numbers of the steps of a schedule of the model, which may be divided into steps otherwise.
    ///
    /// # Errors
    /// If it is not one of the model, in words.
    pub(super) fn path(model: &Model, schedule: &Schedule) -> Result<Vec<usize>, String> {
        let replay = model.replay(schedule).map_err(|e| format!("it cannot be replayed: {e:?}"))?;
        let mut state = &replay.initial;
        let mut path = Vec::new();
        // How many choices of a turn were made before a step.
        let mut made = (usize::MAX, 0);
        for step in &replay.steps {
            let (_, count) = step.extent;
            let from = if made.0 == step.turn { made.1 } else { 0 };
            let choices = schedule.turns[step.turn].choices.get(from..from + count);
            let choices = choices.unwrap_or_default();
            made = (step.turn, from + count);
            let mut possible = stepping::steps(model, state).possible.into_iter();
            let same =
                possible.position(|p| p.turn.thread == step.thread && p.turn.choices == choices);
            path.push(same.ok_or_else(|| format!("step {} has no number", path.len() + 1))?);
            state = &step.state;
        }
        Ok(path)
    }

    /// The state after all steps, unless there is none because of a fault.
    fn last(&self) -> Option<&[u32]> {
        let state = self.replay.steps.last().map_or(&self.replay.initial, |s| &s.state);
        Some(&state[..]).filter(|state| self.replay.fault.is_none() && !state.is_empty())
    }

    /// All of it, with expressions at every moment.
    pub(super) fn film(&self, overrides: &[(String, String)], expressions: &[String]) -> Json {
        let film = film(self.model, &self.replay, &self.source.files);
        let sets = configurations::at_every_step(self.model, &self.replay);
        let each: Vec<&Configurations> = sets.iter().collect();
        let files = &self.source.files;
        let seen = watch(self.model, &self.replay, files, overrides, &each, expressions);
        let moment = |seen: &Vec<Seen>| seen.iter().map(watched).collect::<Vec<_>>();
        let others = files
            .others()
            .iter()
            .enumerate()
            .map(|(i, (name, _))| json!({ "file": name, "text": files.part(i + 1).1 }));
        json!({
            "sources": others.collect::<Vec<_>>(),
            "witness": html::execution(&self.narrative, &film),
            "initial": self.schedule.initial,
            "initials": self.initial_states,
            "path": self.path,
            "stopped": self.stopped,
            "explained": sets.iter().map(|s| s.as_ref().ok().map(Vec::len)).collect::<Vec<_>>(),
            "watches": seen.iter().map(moment).collect::<Vec<_>>(),
            "script": self.script(),
        })
    }

    /// What can happen at its end, and which configurations explain it.
    pub(super) fn end(&self) -> Result<Json, String> {
        let steps = self.last().map(|state| stepping::steps(self.model, state));
        let end = match (&steps, self.replay.fault) {
            (Some(steps), _) => steps.end().map(str::to_string),
            (None, Some(fault)) => {
                Some(format!("the end: {}", fault.kind.name().replace('_', " ")))
            }
            (None, None) => None,
        };
        let given_up = steps.as_ref().is_some_and(|steps| steps.given_up);
        let more = steps.as_ref().map_or(0, |s| s.possible.len().saturating_sub(SHOWN_STEPS));
        let possible = steps.as_ref().map_or(Ok(Vec::new()), |steps| self.possible(steps))?;
        let set = configurations::at_every_step(self.model, &self.replay).pop();
        Ok(json!({
            "steps": possible,
            "more": more,
            "end": end,
            "note": given_up.then_some(linchpin_lts::Limit::TOO_LONG),
            "configurations": set.map(|set| self.explained(&set)),
        }))
    }

    /// The possible steps with what they would do.
    fn possible(&self, steps: &Steps) -> Result<Vec<Json>, String> {
        let one = |step: &stepping::Possible| {
            let mut next = self.schedule.clone();
            next.turns.push(step.turn.clone());
            let replay = self.model.replay(&next).map_err(|e| format!("{e:?}"))?;
            let narrative = narrate(self.model, &replay, &self.source.files);
            let entries = stepping::last(&narrative);
            let texts: Vec<_> = entries.iter().map(|e| html::describe(e, &narrative)).collect();
            Ok(json!({
                "thread": step.turn.thread + 1,
                "line": entries.last().map_or(0, |e| e.at.line),
                "text": texts.join("; "),
                "bad": step.next.is_none(),
            }))
        };
        steps.possible.iter().take(SHOWN_STEPS).map(one).collect()
    }

    /// The set of configurations: state, what has taken effect, and an order that leads there.
    fn explained(&self, set: &Configurations) -> Json {
        let set = match set {
            Ok(set) => set,
            Err(why) => return json!({ "unknown": why }),
        };
        let described = configurations::describe(self.model, &self.replay, set.iter().take(SHOWN));
        let one = |Described { state, order }: Described| {
            let placed = |(i, result): (usize, String)| json!({ "operation": i, "result": result });
            json!({ "state": state, "order": order.into_iter().map(placed).collect::<Vec<_>>() })
        };
        json!({
            "count": set.len(),
            "shown": described.into_iter().map(one).collect::<Vec<_>>(),
        })
    }

    /// Answers for `linchpin simulate` that lead here.
    fn script(&self) -> String {
        let check = &self.model.check().name;
        let command = again::bounded("simulate", &self.source.path, check, self.bounds);
        let mut lines = vec![format!("# {command} < THIS_FILE")];
        if self.initial_states > 1 {
            lines.push(format!("{:<4}# initial state", self.schedule.initial + 1));
        }
        for (i, number) in self.path.iter().enumerate() {
            let entries = self.narrative.entries.iter().filter(|e| e.step == i);
            let texts: Vec<_> = entries.map(|e| html::describe(e, &self.narrative)).collect();
            let thread = self.schedule.turns[i].thread + 1;
            let text = texts.join("; ").replace(['\n', '\r'], " ");
            lines.push(format!("{:<4}# {}: T{thread} {text}", number + 1, i + 1));
        }
        lines.join("\n") + "\n"
    }
}

/// What became of an expression.
fn watched(seen: &Seen) -> Json {
    match seen {
        Seen::Value { text, past } => json!({ "value": text, "past": past }),
        Seen::Each(values) => {
            let one = |value: &Result<String, String>| match value {
                Ok(text) => json!({ "value": text }),
                Err(why) => json!({ "not": why }),
            };
            json!({ "each": values.iter().map(one).collect::<Vec<_>>() })
        }
        Seen::Not(why) => json!({ "not": why }),
        Seen::Wrong(why) => json!({ "wrong": why }),
    }
}
