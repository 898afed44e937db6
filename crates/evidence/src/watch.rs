//! Expressions that somebody watches, at every moment of an execution.
//!
//! A name is a variable of the object, `T1.x` for a local variable of a thread, `T1` for a thread, and a variable of the
//! specification with its name before it (`Stack.items`), or alone where the object has none of that name. What depends
//! on the specification has a value for every configuration.

use linchpin_lin::Files;
use linchpin_lin::display::display_value;
use linchpin_lin::program::{Against, Type};
use linchpin_lin::replay::Replay;
use linchpin_lin::specify::Observer;
use linchpin_lin::syntax::{Given, Meant, watches};
use linchpin_lin::{Diagnostic, Model, Value};
use linchpin_lts::EventKind;

use crate::configurations::Configurations;

/// What became of an expression at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It has this value.
    Value {
        /// The value.
        text: String,
        /// It uses a local variable that its operation does not need any more.
        past: bool,
    },
    /// It has a value, or none for a reason, in every configuration.
    Each(Vec<Result<String, String>>),
    /// It has no value at this moment, for this reason.
    Not(String),
    /// It cannot be understood.
    Wrong(String),
}

/// Values of names at one moment.
#[derive(Default)]
struct Names {
    given: Vec<Given>,
    values: Vec<Value>,
    past: Vec<bool>,
    /// For the names that come after those with values: the variables of the specification that they are.
    spec: Vec<usize>,
}

impl Names {
    fn add(&mut self, name: String, ty: &Type, value: Value, past: bool) {
        self.given.push((name, ty.clone()));
        self.values.push(value);
        self.past.push(past);
    }
}

/// A local variable that a thread has, or had since its operation began.
#[derive(Clone)]
struct Local {
    name: String,
    ty: Type,
    value: Value,
    past: bool,
}

/// The expressions before the first step and after every step, if the execution comes so far. `files` and `overrides` are
/// what the program was loaded from, `configurations` those of these moments.
pub fn watch(
    model: &Model,
    replay: &Replay,
    files: &Files,
    overrides: &[(String, String)],
    configurations: &[&Configurations],
    expressions: &[String],
) -> Vec<Vec<Seen>> {
    if expressions.is_empty() || replay.initial.is_empty() {
        return configurations.iter().map(|_| Vec::new()).collect();
    }
    let watcher = Observer::new(model);
    let states: Vec<&[u32]> = [&replay.initial[..]]
        .into_iter()
        .chain(replay.steps.iter().map(|step| &step.state[..]))
        .collect();
    let moments = names(model, replay, &states, &watcher);
    // Moments with the same names share what the expressions mean.
    let mut scopes: Vec<Vec<Given>> = Vec::new();
    let meant: Vec<usize> = moments
        .iter()
        .map(|names| {
            let known = scopes.iter().position(|scope| *scope == names.given);
            known.unwrap_or_else(|| {
                scopes.push(names.given.clone());
                scopes.len() - 1
            })
        })
        .collect();
    let program = model.program();
    let understood = watches(files, overrides, program, model.check(), &scopes, expressions);
    let mut seen = Vec::new();
    for (((names, scope), state), configurations) in
        moments.iter().zip(meant).zip(states).zip(configurations)
    {
        let memory = watcher.moment(state);
        let evaluate = |watch: &Meant, values: Vec<Value>| {
            if watcher.watch().told().is_some() {
                return Err("there was no time to evaluate it".to_string());
            }
            let value = watcher.evaluate(&memory, &watch.expr, values);
            let value = value.map_err(|fault| fault.message)?;
            Ok(display_value(&value, &watch.expr.ty, program))
        };
        let one = |watch: &Result<Meant, Box<Diagnostic>>| {
            let watch = match watch {
                Ok(watch) => watch,
                Err(d) if d.code == NOT_NOW => return Seen::Not(d.message.clone()),
                Err(d) => return Seen::Wrong(said(d)),
            };
            if watch.uses.iter().all(|i| *i < names.values.len()) {
                let past = watch.uses.iter().any(|i| names.past[*i]);
                return match evaluate(watch, names.values.clone()) {
                    Ok(text) => Seen::Value { text, past },
                    Err(why) => Seen::Not(why),
                };
            }
            match configurations {
                Err(why) => Seen::Not(why.clone()),
                Ok(set) => {
                    let each = set.iter().map(|c| {
                        let spec = names.spec.iter().filter_map(|i| c.state.get(*i).cloned());
                        evaluate(watch, names.values.iter().cloned().chain(spec).collect())
                    });
                    Seen::Each(each.collect())
                }
            }
        };
        seen.push(understood[scope].iter().map(one).collect());
    }
    seen
}

/// The code of a name that is not there at a moment.
const NOT_NOW: &str = "E081";

/// What is wrong with an expression, with what may help.
fn said(d: &Diagnostic) -> String {
    match &d.help {
        Some(help) => format!("{}; {help}", d.message),
        None => d.message.clone(),
    }
}

/// The specification of a check by name, and its variables, if it is written down.
fn specification(model: &Model) -> Option<(&str, Vec<(&str, &Type)>)> {
    let Against::Spec(spec) = model.check().against else { return None };
    let unit = &model.program().specs[spec.index()].unit;
    Some((&unit.name, unit.vars.iter().map(|v| (v.name.as_str(), &v.ty)).collect()))
}

/// The names that there are at every moment.
fn names(model: &Model, replay: &Replay, states: &[&[u32]], watcher: &Observer) -> Vec<Names> {
    let threads = model.threads();
    let mut known: Vec<Vec<Local>> = vec![Vec::new(); threads as usize];
    let mut moments = Vec::new();
    for (i, state) in states.iter().enumerate() {
        let step = i.checked_sub(1).map(|i| &replay.steps[i]);
        for event in step.iter().flat_map(|s| &s.events) {
            let thread = step.map_or(0, |s| s.thread) as usize;
            if event.kind != EventKind::Point && thread < known.len() {
                known[thread].clear();
            }
        }
        let mut names = Names::default();
        for t in 0..threads {
            let thread = format!("T{}", t + 1);
            let locals = &mut known[t as usize];
            locals.iter_mut().for_each(|local| local.past = true);
            for (name, ty, at) in model.locals(state, t) {
                let value = watcher.value(ty, &state[at]);
                locals.retain(|local| local.name != name);
                let (name, ty) = (name.to_string(), ty.clone());
                locals.push(Local { name, ty, value, past: false });
            }
            locals.sort_by(|a, b| a.name.cmp(&b.name));
            for Local { name, ty, value, past } in locals.iter() {
                names.add(format!("{thread}.{name}"), ty, value.clone(), *past);
            }
            names.add(thread, &Type::Thread, Value::Thread(t + 1), false);
        }
        if let Some((spec, vars)) = specification(model) {
            let shared = &model.object().unit.vars;
            for (i, (name, ty)) in vars.into_iter().enumerate() {
                let alone = !shared.iter().any(|v| v.name == name);
                let both = [Some(format!("{spec}.{name}")), alone.then(|| name.to_string())];
                for name in both.into_iter().flatten() {
                    names.given.push((name, ty.clone()));
                    names.spec.push(i);
                }
            }
        }
        moments.push(names);
    }
    moments
}
