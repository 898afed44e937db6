//! Verdicts under every fairness against an independent decision procedure, on random systems.
//!
//! The oracle shares nothing with the checker but the type of formulas. It is the tableau of
//! O. Lichtenstein and A. Pnueli (POPL 1985): a position of an execution together with a guess of
//! the truth of *every* part of the formula, where guesses of neighbours must fit. Strong fairness
//! is decided by trying every set of those who are never enabled from some time on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::common::{Rng, Small, atom, formula};
use linchpin_engine::{Budget, Limit, Progress};
use linchpin_ltl::{
    Answer, Atom, Fairness, Formula, Lasso, Tail, Texts, check, confirm, is_safety, normal_form,
    violated_by_prefix,
};
use linchpin_lts::Verdict;

/// A position: state and step that led there (source, which one), none at the beginning.
type Position = (u32, Option<(u32, usize)>);

struct Oracle<'s> {
    system: &'s Small,
    parts: Vec<Formula>,
}

impl Oracle<'_> {
    fn truth(&self, (state, step): Position, atom: &Atom) -> bool {
        match (atom, step) {
            (Atom::Condition(number), _) => self.system.held[state as usize] >> number & 1 == 1,
            (Atom::Event(text), None) => text == "init",
            (Atom::Event(text), Some((source, place))) => {
                let label = self.system.steps[source as usize][place].0;
                ["tau", "a", "b"][label as usize] == text
            }
        }
    }

    fn place(&self, part: &Formula) -> usize {
        self.parts.iter().position(|p| p == part).expect("a part")
    }

    /// Every guess that fits at a position; what is said of the next position is free.
    fn guesses(&self, position: Position) -> Vec<Vec<bool>> {
        let mut guesses = vec![Vec::new()];
        for part in &self.parts {
            guesses = guesses
                .into_iter()
                .flat_map(|guess: Vec<bool>| {
                    let of = |p: &Formula| guess[self.place(p)];
                    let possible = match part {
                        Formula::True => vec![true],
                        Formula::False => vec![false],
                        Formula::Atom(atom) => vec![self.truth(position, atom)],
                        Formula::Not(a) => vec![!of(a)],
                        Formula::And(a, b) => vec![of(a) && of(b)],
                        Formula::Or(a, b) => vec![of(a) || of(b)],
                        Formula::Next(_) => vec![false, true],
                        Formula::Until(a, b) => match (of(a), of(b)) {
                            (_, true) => vec![true],
                            (false, false) => vec![false],
                            (true, false) => vec![false, true],
                        },
                        Formula::Release(a, b) => match (of(a), of(b)) {
                            (_, false) => vec![false],
                            (true, true) => vec![true],
                            (false, true) => vec![false, true],
                        },
                    };
                    possible.into_iter().map(move |value| {
                        let mut guess = guess.clone();
                        guess.push(value);
                        guess
                    })
                })
                .collect();
        }
        guesses
    }

    fn fits(&self, now: &[bool], then: &[bool]) -> bool {
        self.parts.iter().enumerate().all(|(i, part)| match part {
            Formula::Next(a) => now[i] == then[self.place(a)],
            Formula::Until(a, b) => {
                now[i] == (now[self.place(b)] || (now[self.place(a)] && then[i]))
            }
            Formula::Release(a, b) => {
                now[i] == (now[self.place(b)] && (now[self.place(a)] || then[i]))
            }
            _ => true,
        })
    }

    /// Does the guess fulfil what the until of this place asks for? (For a release: its negation.)
    fn fulfils(&self, place: usize, guess: &[bool]) -> bool {
        match &self.parts[place] {
            Formula::Until(_, b) => !guess[place] || guess[self.place(b)],
            Formula::Release(_, b) => guess[place] || !guess[self.place(b)],
            _ => true,
        }
    }
}

fn collect(formula: &Formula, parts: &mut Vec<Formula>) {
    match formula {
        Formula::Not(a) | Formula::Next(a) => collect(a, parts),
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
            collect(a, parts);
            collect(b, parts);
        }
        _ => {}
    }
    if !parts.contains(formula) {
        parts.push(formula.clone());
    }
}

/// Who is served by a step, in words.
fn served(system: &Small, fairness: Fairness, source: u32, place: usize) -> BTreeSet<String> {
    let (label, by, target) = &system.steps[source as usize][place];
    match fairness {
        Fairness::None => BTreeSet::new(),
        Fairness::WeakProcesses | Fairness::StrongProcesses => {
            by.iter().map(|p| format!("{p}")).collect()
        }
        Fairness::WeakEvents | Fairness::StrongEvents if *label == 0 => BTreeSet::new(),
        Fairness::WeakEvents | Fairness::StrongEvents => BTreeSet::from([format!("{label}")]),
        Fairness::Global => BTreeSet::from([format!("{source} {label} {target}")]),
    }
}

/// The strongly connected components of the nodes that are kept, by reachability.
fn components(edges: &[Vec<usize>], keep: &[bool]) -> Vec<Vec<usize>> {
    let count = edges.len();
    let reach = |from: usize| {
        let mut seen = vec![false; count];
        let mut todo: Vec<usize> = edges[from].iter().copied().filter(|n| keep[*n]).collect();
        while let Some(n) = todo.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                todo.extend(edges[n].iter().copied().filter(|n| keep[*n]));
            }
        }
        seen
    };
    let reached: Vec<Vec<bool>> =
        (0..count).map(|n| if keep[n] { reach(n) } else { vec![false; count] }).collect();
    let mut found: BTreeSet<Vec<usize>> = BTreeSet::new();
    for n in (0..count).filter(|n| reached[*n][*n]) {
        found.insert((0..count).filter(|m| reached[n][*m] && reached[*m][n]).collect());
    }
    found.into_iter().collect()
}

/// Is there a fair execution that violates the formula?
fn violated(system: &Small, formula: &Formula, fairness: Fairness) -> bool {
    if is_safety(formula) {
        return violated_early(system, &normal_form(formula));
    }
    let mut parts = Vec::new();
    collect(formula, &mut parts);
    let oracle = Oracle { system, parts };
    let goal = oracle.place(formula);
    // All nodes that can be reached.
    let mut numbers: BTreeMap<(Position, Vec<bool>), usize> = BTreeMap::new();
    let mut nodes = Vec::new();
    for guess in oracle.guesses((0, None)) {
        if !guess[goal] {
            numbers.insert(((0, None), guess.clone()), nodes.len());
            nodes.push(((0, None), guess));
        }
    }
    let mut edges: Vec<Vec<usize>> = Vec::new();
    while edges.len() < nodes.len() {
        let (position, guess) = nodes[edges.len()].clone();
        let steps = &system.steps[position.0 as usize];
        let next: Vec<Position> = match steps.is_empty() {
            true => vec![position],
            false => steps.iter().enumerate().map(|(i, s)| (s.2, Some((position.0, i)))).collect(),
        };
        let mut out = Vec::new();
        for position in next {
            for then in oracle.guesses(position) {
                if oracle.fits(&guess, &then) {
                    let node = (position, then);
                    let number = *numbers.entry(node.clone()).or_insert_with(|| {
                        nodes.push(node);
                        nodes.len() - 1
                    });
                    out.push(number);
                }
            }
        }
        edges.push(out);
    }
    // A component in which everything is fulfilled and everybody is served.
    let enabled = |n: usize| {
        let state = nodes[n].0.0;
        let places = 0..system.steps[state as usize].len();
        places.flat_map(|i| served(system, fairness, state, i)).collect::<BTreeSet<String>>()
    };
    let fulfilled = |component: &[usize]| {
        (0..oracle.parts.len()).all(|p| component.iter().any(|n| oracle.fulfils(p, &nodes[*n].1)))
    };
    let taken = |component: &[usize]| {
        // A node knows the step that led to it; in a cycle it was led to from inside.
        let steps = component.iter().filter_map(|n| {
            let dead = system.steps[nodes[*n].0.0 as usize].is_empty();
            nodes[*n].0.1.filter(|_| !dead)
        });
        steps.flat_map(|(s, i)| served(system, fairness, s, i)).collect::<BTreeSet<String>>()
    };
    let everybody: BTreeSet<String> = (0..nodes.len()).flat_map(enabled).collect();
    let everybody: Vec<String> = everybody.into_iter().collect();
    let strong = matches!(fairness, Fairness::StrongProcesses | Fairness::StrongEvents);
    let choices = if strong { 1 << everybody.len() } else { 1 };
    (0..choices).any(|never: u32| {
        let keep: Vec<bool> = (0..nodes.len())
            .map(|n| {
                let enabled = enabled(n);
                let mut who = everybody.iter().enumerate();
                who.all(|(i, item)| never >> i & 1 == 0 || !enabled.contains(item))
            })
            .collect();
        components(&edges, &keep).iter().any(|component| {
            let taken = taken(component);
            let mut who = everybody.iter().enumerate();
            let fair = who.all(|(i, item)| match fairness {
                Fairness::None => true,
                _ if taken.contains(item) => true,
                Fairness::StrongProcesses | Fairness::StrongEvents => never >> i & 1 == 1,
                Fairness::Global => component.iter().all(|n| !enabled(*n).contains(item)),
                _ => component.iter().any(|n| !enabled(*n).contains(item)),
            });
            fair && fulfilled(component)
        })
    })
}

/// Is there an execution with a beginning that violates the formula? All paths up to a length that
/// is more than enough for systems and formulas of this size.
fn violated_early(system: &Small, formula: &Formula) -> bool {
    let oracle = Oracle { system, parts: Vec::new() };
    let mut paths: Vec<Vec<Position>> = vec![vec![(0, None)]];
    for _ in 0..9 {
        for path in &paths {
            let holds = |i: usize, atom: &Atom| oracle.truth(path[i], atom);
            if violated_by_prefix(formula, path.len(), &holds) {
                return true;
            }
        }
        paths = paths
            .iter()
            .flat_map(|path| {
                let state = path[path.len() - 1].0;
                system.steps[state as usize].iter().enumerate().map(move |(i, step)| {
                    let mut path = path.clone();
                    path.push((step.2, Some((state, i))));
                    path
                })
            })
            .take(3_000)
            .collect();
    }
    false
}

fn decide(system: &Small, formula: &Formula, fairness: Fairness, budget: &Budget<'_>) -> Answer {
    decide_by(system, formula, fairness, true, budget)
}

fn decide_by(
    system: &Small,
    formula: &Formula,
    fairness: Fairness,
    deep: bool,
    budget: &Budget<'_>,
) -> Answer {
    let atoms = Texts::new(system, |c, slots: &[u32]| system.holds(c, slots));
    check(system, &atoms, formula, fairness, deep, budget).expect("no trouble")
}

fn judge(
    system: &Small,
    formula: &Formula,
    fairness: Fairness,
    lasso: &Lasso,
) -> Result<(), String> {
    let atoms = Texts::new(system, |c, slots: &[u32]| system.holds(c, slots));
    confirm(system, &atoms, formula, fairness, lasso).expect("no trouble")
}

#[test]
fn verdicts_and_witnesses_are_those_of_the_definition() {
    let mut seen: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut tails = [0; 3];
    for seed in 0..6_000 {
        let rng = &mut Rng::new(seed);
        let states = 1 + rng.below(4);
        let system = Small::random(rng, states);
        let size = 1 + rng.below(5);
        let formula = formula(rng, size, &atom);
        for fairness in Fairness::ALL {
            let answer = decide(&system, &formula, fairness, &Budget::UNLIMITED);
            let expected = violated(&system, &formula, fairness);
            let context = format!("seed {seed}: {formula} {fairness:?} {system:?}");
            let found = match &answer.verdict {
                Verdict::Violated(lasso) => {
                    let judged = judge(&system, &formula, fairness, lasso);
                    assert_eq!(judged, Ok(()), "{context} {lasso:?}");
                    tails[match lasso.tail {
                        Tail::Cycle(_) => 0,
                        Tail::End => 1,
                        Tail::Open => 2,
                    }] += 1;
                    true
                }
                Verdict::Holds => false,
                Verdict::Unknown(limit) => panic!("{limit:?} without limit"),
            };
            assert_eq!(found, expected, "{context}");
            seen.entry(format!("{fairness:?}")).or_default()[usize::from(found)] += 1;
        }
    }
    assert!(seen.values().flatten().all(|n| *n > 500), "{seen:?}");
    assert!(tails.iter().all(|n| *n > 500), "{tails:?}");
}

#[test]
fn a_witness_that_is_tampered_with_is_refused() {
    let mut refused = 0;
    for seed in 0..400 {
        let rng = &mut Rng::new(seed);
        let system = Small::random(rng, 4);
        let formula = formula(rng, 3, &atom);
        let answer = decide(&system, &formula, Fairness::None, &Budget::UNLIMITED);
        let Verdict::Violated(lasso) = answer.verdict else { continue };
        let judge =
            |formula: &Formula, lasso: &Lasso| judge(&system, formula, Fairness::None, lasso);
        let mut other = lasso.clone();
        other.tail = match &lasso.tail {
            Tail::Cycle(_) | Tail::Open => Tail::End,
            Tail::End => Tail::Cycle(Vec::new()),
        };
        let last = lasso.stem.last().map_or(&lasso.initial, |step| &step.state);
        let end = system.steps[last[0] as usize].is_empty();
        if !(end && lasso.tail == Tail::Open) {
            assert!(judge(&formula, &other).is_err(), "seed {seed}");
        }
        if lasso.tail != Tail::Open {
            assert!(judge(&formula.not(), &lasso).is_err(), "seed {seed}");
        }
        if let Some(step) = other.stem.first_mut() {
            step.label += 10;
            assert!(judge(&Formula::False, &other).is_err(), "seed {seed}");
        }
        refused += 1;
    }
    assert!(refused > 100);
}

#[test]
fn limits_are_honoured() {
    // A ring in which nothing happens, large enough for the budget to be asked.
    let count = 50_000;
    let steps = (0..count).map(|s| vec![(0, vec![0], (s + 1) % count)]).collect();
    let system = Small { steps, held: vec![0; count as usize] };
    let budget = Budget { max_states: Some(10_000), ..Budget::UNLIMITED };
    for formula in [Formula::event("a").eventually(), Formula::event("a").not().always()] {
        let answer = decide(&system, &formula, Fairness::None, &budget);
        assert_eq!(answer.verdict, Verdict::Unknown(Limit::States));
        let answer = decide(&system, &formula, Fairness::None, &Budget::UNLIMITED);
        assert!(!matches!(answer.verdict, Verdict::Unknown(_)));
    }
}

#[test]
fn neither_verdict_nor_counts_nor_witness_depend_on_the_number_of_workers() {
    let mut violated = [0; 2];
    for seed in 0..60 {
        let rng = &mut Rng::new(seed);
        let system = Small::random(rng, 2_000);
        let formula = formula(rng, 5, &atom);
        for fairness in Fairness::ALL {
            let answers = [1, 2, 4].map(|workers| {
                let budget = Budget { workers, ..Budget::UNLIMITED };
                let answer = decide(&system, &formula, fairness, &budget);
                (answer.verdict, answer.statistics)
            });
            assert_eq!(answers[0], answers[1], "seed {seed}: {formula} {fairness:?}");
            assert_eq!(answers[0], answers[2], "seed {seed}: {formula} {fairness:?}");
            violated[usize::from(answers[0].0 == Verdict::Holds)] += 1;
        }
    }
    assert!(violated.iter().all(|n| *n > 50), "{violated:?}");
}

#[test]
fn the_end_of_the_time_is_noticed_while_components_are_looked_at() {
    // Everything is one component, and fairness has a hundred thousand steps to look at.
    let count = 20_000;
    let steps = |s: u32| (1..6).map(|i| (1, vec![i], (s * 5 + i) % count)).collect();
    let system = Small { steps: (0..count).map(steps).collect(), held: vec![0; count as usize] };
    let formula = Formula::event("b").eventually().always();
    let (exploring, asked) = (AtomicBool::new(false), AtomicU64::new(0));
    for fairness in Fairness::ALL {
        for patience in [0, 20] {
            exploring.store(false, Relaxed);
            asked.store(0, Relaxed);
            // Figures are those of a search only as long as it goes on.
            let watch = |progress: &Progress| {
                let explores = progress.statistics.nodes > 0;
                let before = exploring.fetch_or(explores, Relaxed);
                let late = before && !explores && asked.fetch_add(1, Relaxed) >= patience;
                late.then_some(Limit::Time)
            };
            let budget = Budget { watch: &watch, ..Budget::UNLIMITED };
            // Breadth first alone: who goes deep finds a cycle before the time ends.
            let answer = decide_by(&system, &formula, fairness, false, &budget);
            assert_eq!(answer.verdict, Verdict::Unknown(Limit::Time), "{fairness:?} {patience}");
            assert_eq!(asked.load(Relaxed), patience + 1, "{fairness:?}");
        }
    }
}
