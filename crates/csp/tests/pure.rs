//! Steps are a function of the state: workers that race find what one worker finds.
//!
//! Numbers of terms, frames and values depend on who comes first, so states are compared by their content
//! hashes, and labels by their texts. Every racing run starts with a new system, so that the workers number
//! things in an order of their own.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::common::random::Random;
use crate::sample::size;
use linchpin_csp::ast::{Initial, Variable};
use linchpin_csp::{Model, Preserve, Reduced};
use linchpin_engine::Budget;
use linchpin_lts::LabelledSystem;
use linchpin_mcrl2::Specification;

/// A state: its hash and its steps in order, each with its label, who moves, and the hash of the target; or
/// what goes wrong.
type Looked = (u64, Result<Vec<(String, Vec<u32>, u64)>, String>);

/// A level: the states of a breadth-first search, by hash.
type Level = Vec<Looked>;

/// The levels of a system until there are so many states, found by so many workers.
fn levels<S: LabelledSystem>(system: &S, states: usize, workers: u64, seed: u64) -> Vec<Level> {
    let mut scratches: Vec<S::Scratch> = (0..workers).map(|_| system.scratch()).collect();
    let initial = system.initial(&mut scratches[0]).expect("an initial state");
    let mut seen = HashSet::from([initial.clone()]);
    let mut frontier = vec![initial];
    let mut levels = Vec::new();
    let mut random = Random::new(seed);
    while !frontier.is_empty() && seen.len() < states {
        for i in (1..frontier.len()).rev() {
            frontier.swap(i, random.below(i + 1));
        }
        let next = AtomicUsize::new(0);
        let work = |scratch: &mut S::Scratch, mut random: Random| {
            let (mut level, mut found) = (Level::new(), Vec::new());
            while let Some(state) = frontier.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut steps = Vec::new();
                let result = system.successors(scratch, state, &mut |m| {
                    steps.push((m.label, m.by.to_vec(), m.state.to_vec()));
                });
                let mut hash = |state: &[u32]| system.hash(scratch, state).expect("a hash");
                let shown = steps
                    .iter()
                    .map(|(label, by, state)| (system.label(*label), by.clone(), hash(state)));
                let shown = shown.collect();
                let result = result.map(|()| shown).map_err(|trouble| trouble.message);
                level.push((hash(state), result));
                found.extend(steps.into_iter().map(|(_, _, state)| state));
                if workers > 1 && random.below(4) == 0 {
                    thread::yield_now();
                }
            }
            (level, found)
        };
        let all: Vec<(Level, Vec<Vec<u32>>)> = thread::scope(|scope| {
            let started: Vec<_> = (scratches.iter_mut())
                .map(|scratch| {
                    let (work, random) = (&work, Random::new(random.below(1 << 30) as u64));
                    scope.spawn(move || work(scratch, random))
                })
                .collect();
            started.into_iter().map(|w| w.join().expect("a worker")).collect()
        });
        let (mut level, mut next) = (Level::new(), Vec::new());
        for (part, found) in all {
            level.extend(part);
            next.extend(found.into_iter().filter(|state| seen.insert(state.clone())));
        }
        level.sort_by_key(|(hash, _)| *hash);
        levels.push(level);
        frontier = next;
    }
    levels
}

/// Compares racing runs with one worker.
fn race<S: LabelledSystem>(name: &str, states: usize, mut fresh: impl FnMut(u64) -> S) -> usize {
    let alone = levels(&fresh(0), states, 1, 0);
    for (seed, workers) in [(1, 1), (2, 2), (3, 2), (4, 4), (5, 4)] {
        let raced = levels(&fresh(seed), states, workers, seed);
        for (depth, (a, b)) in alone.iter().zip(&raced).enumerate() {
            assert!(a == b, "{name}: level {depth} of {workers} workers, seed {seed}");
        }
        assert_eq!(alone.len(), raced.len(), "{name}");
    }
    alone.iter().map(Vec::len).sum()
}

fn files(folder: &str, extension: &str) -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = fs::read_dir(folder).expect("the corpus").map(|e| e.expect("a file").path());
    let files = entries.filter(|path| path.extension().is_some_and(|e| e == extension));
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().to_string();
    let mut files: Vec<_> = files.map(|path| (name(&path), path)).collect();
    files.sort();
    files
}

/// A model of the corpus and the numbers of assertions about different processes.
fn read(path: &Path) -> (Model, Vec<usize>) {
    let text = fs::read_to_string(path).expect("a text");
    let mut find = |wanted: linchpin_csp::Wanted<'_>, _: &str| {
        let linchpin_csp::Wanted::Library(name) = wanted else { return Ok(None) };
        let path = path.with_file_name(format!("{name}.cs"));
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let (name, key) = (name.to_string(), name.to_string());
        Ok(Some(linchpin_csp::Found { name, key, text }))
    };
    let model = linchpin_csp::load_files(&text, &[], &mut find).expect("a model").model;
    // A model that begins in several ways is several systems.
    let several = |v: &Variable| matches!(v.initial, Some(Initial::Any(_)));
    if model.tree().variables.iter().any(several) {
        return (model, Vec::new());
    }
    let process = |i: &usize| model.tree().assertions[*i].process.text.clone();
    let mut seen = HashSet::new();
    let numbers = (0..model.assertions().len()).filter(|i| seen.insert(process(i))).collect();
    (model, numbers)
}

#[test]
fn csp_models_have_the_same_steps_whoever_looks_first() {
    let mut states = 0;
    for (name, path) in files("corpus/csp", "csp") {
        for number in read(&path).1 {
            states += race(&name, size(500, 2_000), |_| {
                let system = read(&path).0.asserted_system(number);
                system.expect("an assertion").expect("a system")
            });
        }
    }
    println!("{states} states");
    assert!(states > size(5_000, 20_000), "{states}");
}

#[test]
fn what_is_left_out_of_csp_models_does_not_depend_on_who_looked_first() {
    let mut states = 0;
    for (name, path) in files("corpus/csp", "csp") {
        for number in read(&path).1 {
            let system = |seed: u64| {
                let system = read(&path).0.asserted_system(number);
                let system = system.expect("an assertion").expect("a system");
                // So that terms are not numbered by what looks at the first states.
                if seed > 0 {
                    levels(&system, size(300, 1_000), 1 + seed % 3, seed);
                }
                system
            };
            let systems: Vec<_> = (0..6).map(system).collect();
            for preserve in [Preserve::Ends, Preserve::Traces] {
                states += race(&name, size(300, 1_000), |seed| {
                    Reduced::new(
                        &systems[seed as usize],
                        preserve.clone(),
                        true,
                        true,
                        &Budget::UNLIMITED,
                    )
                });
            }
        }
    }
    println!("{states} states");
    assert!(states > size(4_000, 15_000), "{states}");
}

#[test]
fn mcrl2_specifications_have_the_same_steps_whoever_looks_first() {
    let mut states = 0;
    for (name, path) in files("corpus/mcrl2", "mcrl2") {
        let text = fs::read_to_string(&path).expect("a text");
        let specification = Specification::read(&text).expect("a specification");
        states += race(&name, size(1_000, 4_000), |_| specification.system().expect("a system"));
        let events = specification.events();
        states +=
            race(&name, size(500, 2_000), |_| specification.atomic(&events).expect("a system"));
    }
    println!("{states} states");
    assert!(states > size(2_500, 10_000), "{states}");
}
