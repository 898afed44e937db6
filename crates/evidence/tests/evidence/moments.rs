//! Configurations and watched expressions at every moment of random executions of models of the corpus, compared with
//! what other code says: the search for a linearization, and the pictures of the memory.

use std::path::Path;
use std::sync::Arc;

use linchpin_evidence::configurations::{along, at_every_step};
use linchpin_evidence::film::film;
use linchpin_evidence::history::{Event, History};
use linchpin_evidence::watch::{Seen, watch};
use linchpin_evidence::wing_gong::{Explicable, linearization};
use linchpin_lin::program::OpId;
use linchpin_lin::replay::Replay;
use linchpin_lin::{Files, Found, Granularity, Model, Value, Wanted, syntax};
use linchpin_lts::{EventKind, Outcome, Schedule, TransitionSystem, Turn};

const FOLDERS: [&str; 6] = [
    "treiber_stack",
    "michael_scott_queue",
    "counter",
    "elimination_stack",
    "two_lock_queue",
    "snapshot",
];

/// The models in these folders: their texts, and the unreduced model of every check.
fn models() -> Vec<(Files, Model)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/lin");
    let mut files = Vec::new();
    for name in FOLDERS {
        let folder = corpus.join(name);
        files.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.retain(|file| file.extension().is_some_and(|e| e == "lin"));
    files.sort();
    let mut models = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut beside = |wanted: Wanted<'_>, from: &str| {
            let Wanted::Include(name) = wanted else { return Ok(None) };
            let from = if from.is_empty() { file.as_path() } else { Path::new(from) };
            let path = from.with_file_name(name);
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            let name = path.display().to_string();
            Ok(Some(Found { key: name.clone(), name, text }))
        };
        let loaded = syntax::load_files(&text, &[], &mut beside).unwrap();
        let program = Arc::new(loaded.program);
        for check in &program.checks {
            if let Ok(model) = Model::new(program.clone(), check, Granularity::UNREDUCED) {
                models.push((loaded.files.clone(), model));
            }
        }
    }
    assert!(models.len() > 10, "{}", models.len());
    models
}

/// A random execution of so many steps at most, without faults.
fn walk(model: &Model, seed: u64, most: usize) -> Replay {
    let mut random = seed;
    let mut schedule = Schedule::default();
    let mut state = model.replay(&schedule).unwrap().initial;
    while schedule.turns.len() < most {
        let mut steps = Vec::new();
        model.successors(&mut model.scratch(), &state, &mut |step| {
            let (thread, length) = (step.thread, step.length);
            if let Outcome::Next { state, .. } = step.outcome {
                let turn = Turn { thread, choices: step.choices.to_vec(), length };
                steps.push((turn, state.to_vec()));
            }
        });
        if steps.is_empty() {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (turn, next) = steps.swap_remove((random >> 33) as usize % steps.len());
        schedule.turns.push(turn);
        state = next;
    }
    model.replay(&schedule).unwrap()
}

fn history(replay: &Replay) -> History {
    let steps = replay.steps.iter();
    let events = steps.flat_map(|s| s.events.iter().map(move |e| (s.thread + 1, e)));
    let event = |(thread, e): (u32, &linchpin_lin::replay::ReplayEvent)| match e.kind {
        EventKind::Call => Some(Event::Call { thread, op: e.op, args: e.values.clone() }),
        EventKind::Return => {
            let result = e.values.first().cloned().unwrap_or(Value::Unit);
            Some(Event::Return { thread, op: e.op, result })
        }
        EventKind::Point => None,
    };
    events.filter_map(event).collect()
}

#[test]
fn there_is_a_configuration_if_and_only_if_there_is_a_linearization() {
    let (mut some, mut none) = (0, 0);
    for (_, model) in models() {
        let specification = model.specification().unwrap();
        let object = &model.object().unit;
        let ops = (0..object.ops.len() as u32)
            .map(|op| specification.unit().op_named(&object.op(OpId(op)).name).unwrap());
        let ops: Vec<OpId> = ops.collect();
        for seed in 0..12 {
            let history = history(&walk(&model, seed, 80));
            for (length, set) in along(&model, &history).iter().enumerate() {
                let Ok(set) = set else { continue };
                let prefix: History = history.events()[..length].iter().cloned().collect();
                match linearization(&prefix, &specification, &ops, 100_000) {
                    Ok(Explicable::Linearizable(_)) => {
                        some += 1;
                        assert!(!set.is_empty(), "{} {seed} {length}", model.check().name);
                    }
                    Ok(Explicable::NotLinearizable(_)) => {
                        none += 1;
                        assert!(set.is_empty(), "{} {seed} {length}", model.check().name);
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(some > 1000 && none > 5, "{some} {none}");
}

#[test]
fn variables_nodes_and_locals_have_the_values_that_the_memory_shows() {
    let mut compared = [0; 3];
    for (files, model) in models() {
        let unit = &model.object().unit;
        let names: Vec<String> = unit.vars.iter().map(|v| v.name.clone()).collect();
        let mut expressions = names.clone();
        for thread in 1..=model.threads() {
            let locals = unit.procs.iter().flat_map(|p| &p.locals);
            expressions.extend(locals.map(|l| format!("T{thread}.{}", l.name)));
        }
        let fields = model.program().records.iter().flat_map(|r| &r.fields);
        let fields: Vec<String> = fields.map(|f| f.name.clone()).collect();
        let of_nodes = names.iter().flat_map(|n| fields.iter().map(move |f| format!("{n}.{f}")));
        expressions.extend(of_nodes);
        for seed in 0..3 {
            let replay = walk(&model, seed, 60);
            let sets = at_every_step(&model, &replay);
            let sets: Vec<_> = sets.iter().collect();
            let seen = watch(&model, &replay, &files, &[], &sets, &expressions);
            let film = film(&model, &replay, &files);
            assert_eq!(seen.len(), film.len());
            for (seen, frame) in seen.iter().zip(&film) {
                for (expression, seen) in expressions.iter().zip(seen) {
                    let Seen::Value { text, past } = seen else { continue };
                    let (of, name) = expression.split_once('.').unwrap_or((expression, ""));
                    let variable = frame.snapshot.variables.iter().find(|v| v.name == of);
                    let thread = of.strip_prefix('T').and_then(|n| n.parse::<usize>().ok());
                    match (variable, thread) {
                        (Some(variable), _) if name.is_empty() => {
                            assert_eq!(*text, variable.value, "{expression}");
                            compared[0] += 1;
                        }
                        (Some(variable), _) => {
                            let mut nodes = frame.snapshot.nodes.iter();
                            let node = nodes.find(|n| n.name == variable.value);
                            let field = node.and_then(|n| n.fields.iter().find(|f| f.name == name));
                            let Some(field) = field else { continue };
                            assert_eq!(*text, field.value, "{expression}");
                            compared[1] += 1;
                        }
                        (None, Some(thread)) => {
                            // A name may stand for several variables of procedures that are called.
                            let cells = frame.snapshot.locals[thread - 1].iter();
                            let cells: Vec<_> = cells.filter(|c| c.name == name).collect();
                            assert!(!cells.is_empty(), "{expression}");
                            if let [cell] = cells[..] {
                                assert_eq!((text, past), (&cell.value, &cell.past), "{expression}");
                                compared[2] += 1;
                            }
                        }
                        (None, None) => panic!("{expression}"),
                    }
                }
            }
        }
    }
    assert!(compared.iter().all(|n| *n > 100), "{compared:?}");
}
