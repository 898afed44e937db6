//! How much faster are two workers than one? `cargo run --release -p linchpin-csp --example workers`
//!
//! The levels of a breadth-first search are found first; then the successors of all their states are computed
//! again, level by level, by one worker and by two, on new systems. The time of storing states is not in it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use linchpin_lts::LabelledSystem;

/// States of a level.
type Level = Vec<Vec<u32>>;

/// States that a worker takes at once.
const CHUNK: usize = 256;

/// Computes the successors of all states, by so many workers; `new` is given every state that is reached.
fn expand<S: LabelledSystem>(
    system: &S,
    level: &Level,
    scratches: &mut [S::Scratch],
    new: impl Fn(&S, &mut S::Scratch, &[u32]) + Sync,
) {
    let chunks: Vec<&[Vec<u32>]> = level.chunks(CHUNK).collect();
    let next = AtomicUsize::new(0);
    let work = |scratch: &mut S::Scratch| {
        let mut found = Vec::new();
        while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
            for state in *chunk {
                found.clear();
                let result = system.successors(scratch, state, &mut |m| {
                    found.push(m.state.len());
                    found.extend(m.state.iter().map(|&s| s as usize));
                });
                result.expect("successors");
                let mut words: Vec<u32> = Vec::new();
                let mut rest = &found[..];
                while let [length, tail @ ..] = rest {
                    words.clear();
                    words.extend(tail[..*length].iter().map(|&s| s as u32));
                    new(system, scratch, &words);
                    rest = &tail[*length..];
                }
            }
        }
    };
    thread::scope(|scope| {
        let work = &work;
        scratches.iter_mut().for_each(|scratch| drop(scope.spawn(move || work(scratch))));
    });
}

fn levels<S: LabelledSystem>(system: &S, most: usize) -> Vec<Level> {
    let mut scratch = [system.scratch()];
    let initial = system.initial(&mut scratch[0]).expect("an initial state");
    let seen = std::sync::Mutex::new((HashSet::from([initial.clone()]), Vec::new()));
    let mut levels = vec![vec![initial]];
    while let Some(level) = levels.last().filter(|level| !level.is_empty()) {
        expand(system, level, &mut scratch, |_, _, state| {
            let (all, new) = &mut *seen.lock().expect("not poisoned");
            if all.len() < most && !all.contains(state) {
                all.insert(state.to_vec());
                new.push(state.to_vec());
            }
        });
        let new = std::mem::take(&mut seen.lock().expect("not poisoned").1);
        levels.push(new);
    }
    levels
}

/// The shortest of some times.
fn time<S: LabelledSystem>(system: &S, levels: &[Level], workers: usize) -> Duration {
    let once = || {
        let mut scratches: Vec<S::Scratch> = (0..workers).map(|_| system.scratch()).collect();
        let start = Instant::now();
        for level in levels {
            expand(system, level, &mut scratches, |system, scratch, state| {
                std::hint::black_box(system.hash(scratch, state));
            });
        }
        start.elapsed()
    };
    (0..5).map(|_| once()).min().unwrap_or_default()
}

fn measure<S: LabelledSystem>(name: &str, system: S, most: usize) {
    let levels = levels(&system, most);
    let states: usize = levels.iter().map(Vec::len).sum();
    let [one, two] = [1, 2].map(|workers| time(&system, &levels, workers));
    let faster = one.as_secs_f64() / two.as_secs_f64();
    println!(
        "{name}: {states} states, {} levels: {one:.1?}, {two:.1?}, {faster:.2}x",
        levels.len()
    );
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let most = arguments.next().map_or(100_000, |n| n.parse().expect("a number of states"));
    for path in arguments {
        let text = std::fs::read_to_string(&path).expect("a model");
        if path.ends_with(".csp") {
            let model = linchpin_csp::load(&text).expect("a model").model;
            let system = model.asserted_system(0).expect("an assertion").expect("a system");
            measure(&path, system, most);
        } else {
            measure(&path, linchpin_mcrl2::load(&text).expect("a specification"), most);
        }
    }
}
