//! The library against a slow interpreter of the tree, on random models.

use crate::common::graph::{Graph, bisimilar, library, naive};
use crate::common::naive::{Failed, Naive};
use crate::common::random;
use crate::sample::count;
use linchpin_csp::{Failure, Model, Options, check, load};
use linchpin_lts::Verdict;

fn cases() -> u64 {
    count(300, 2_000)
}

const MOST: usize = 250;

/// What became of the cases.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    refused: usize,
    too_large: usize,
    states: usize,
    deadlocks: usize,
    divergent: usize,
    refining: usize,
}

fn graphs(seed: u64, text: &str, model: &Model, tally: &mut Tally) -> Option<(Graph, Graph)> {
    let slow = Naive { model: model.tree() };
    let slow = naive(&slow, slow.process("S", &[]), MOST);
    let system = model.system("S").expect("there is S");
    let fast = system.and_then(|s| library(&s, 2 * MOST));
    match (slow, fast) {
        // The slow interpreter distinguishes more states, and has no notion of growth.
        (Ok(None) | Err(Failed::Deep), _) => {
            tally.too_large += 1;
            None
        }
        (Err(Failed::Alphabet), Err(_)) => {
            tally.refused += 1;
            None
        }
        (Ok(Some(slow)), Ok(Some(fast))) => Some((slow, fast)),
        (Ok(Some(_)), Err(t)) if t.message.contains("is not supported") => {
            tally.refused += 1;
            None
        }
        (slow, fast) => panic!(
            "seed {seed}: {:?} but {:?}\n{text}",
            slow.map(|g| g.map(|g| g.steps.len())),
            fast.map(|g| g.map(|g| g.steps.len()))
        ),
    }
}

#[test]
fn systems_are_bisimilar_to_those_of_a_slow_interpreter_and_verdicts_agree() {
    let mut tally = Tally::default();
    for seed in 0..cases() {
        let mut text = random::model(seed);
        text += "#assert S deadlockfree; #assert S nonterminating; #assert S divergencefree;
            #assert S reaches goal; #assert S |= <>a; #assert S |= []<>b; #assert S |= []!f;
            #assert S deterministic;\n";
        let model = load(&text).unwrap_or_else(|d| panic!("seed {seed}\n{text}\n{d:#?}")).model;
        let Some((slow, fast)) = graphs(seed, &text, &model, &mut tally) else { continue };
        assert!(bisimilar(&slow, &fast), "seed {seed}\n{text}\n{slow:#?}\n{fast:#?}");
        tally.compared += 1;
        tally.states += slow.steps.len();
        let holds = |i: usize| {
            let options = Options::DEFAULT;
            match check(&model, i, &options).verdict {
                Ok(Verdict::Holds) => true,
                Ok(Verdict::Violated(())) => false,
                other => panic!("seed {seed}: {other:?}\n{text}"),
            }
        };
        tally.deadlocks += usize::from(slow.deadlock());
        let divergent = slow.cycle(|l| l == "tau");
        tally.divergent += usize::from(divergent);
        assert_eq!(holds(0), !slow.deadlock(), "deadlock, seed {seed}\n{text}");
        assert_eq!(holds(1), !slow.ends(), "end, seed {seed}\n{text}");
        assert_eq!(holds(2), !divergent, "divergence, seed {seed}\n{text}");
        let goal = text.split("#define goal x == ").nth(1).expect("a goal");
        let numbers: Vec<i64> = goal
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse().ok())
            .take(2)
            .collect();
        let reached = slow.values.iter().any(|v| v["x"] == numbers[0] && v["y"] == numbers[1]);
        assert_eq!(holds(3), reached, "reachability, seed {seed}\n{text}");
        assert_eq!(holds(4), !slow.avoids("a"), "<>a, seed {seed}\n{text}");
        assert_eq!(holds(5), !slow.forgets("b"), "[]<>b, seed {seed}\n{text}");
        let f = slow.steps.iter().flatten().any(|(l, _)| l == "f");
        assert_eq!(holds(6), !f, "[]!f, seed {seed}\n{text}");
        // What are different states is a matter of how they are written down, within limits.
        assert!(!slow.branches_visibly() || !holds(7), "determinism, seed {seed}\n{text}");
        assert!(slow.branches() || holds(7), "determinism, seed {seed}\n{text}");
    }
    println!("{tally:?}");
    let share = |n: usize| n * 2_000 / cases() as usize;
    assert!(share(tally.compared) > 1_000, "{tally:?}");
    assert!(share(tally.deadlocks) > 300 && share(tally.divergent) > 50, "{tally:?}");
}

#[test]
fn refinement_agrees_with_inclusion_of_traces_failures_and_divergences() {
    let mut tally = Tally::default();
    for seed in 0..cases() / 4 {
        // The second process differs from the first by one definition.
        let (first, second) = (random::model(seed), random::model(seed + 50_000));
        let body = |text: &str| {
            let at = text.find("P0(i) = ").expect("a definition") + "P0(i) = ".len();
            let end = at + text[at..].find(";\n").expect("its end");
            text[at..end].to_string()
        };
        let other = body(&second).replace("P1", "P0").replace("P2", "P0");
        let text = format!(
            "{first}\nQ(i) = ({}) [] b -> Q(i);\nI() = P0(1); J() = Q(1);\nP0X(i) = {};\n\
             #assert I refines J; #assert J refines I;\n\
             #assert I refines<F> J; #assert J refines<F> I;\n\
             #assert I refines<FD> J; #assert J refines<FD> I;\n",
            body(&first),
            other,
        );
        let model = load(&text).unwrap_or_else(|d| panic!("seed {seed}\n{text}\n{d:#?}")).model;
        let slow = Naive { model: model.tree() };
        let of = |name: &str| naive(&slow, slow.process(name, &[]), MOST);
        let (Ok(Some(i)), Ok(Some(j))) = (of("I"), of("J")) else { continue };
        let options = Options::DEFAULT;
        let expected = [
            i.traces_included(&j),
            j.traces_included(&i),
            i.failures_included(&j, false),
            j.failures_included(&i, false),
            i.failures_included(&j, true),
            j.failures_included(&i, true),
        ];
        for (n, expected) in expected.into_iter().enumerate() {
            match check(&model, n, &options).verdict {
                Err(Failure::Trouble(_)) => tally.refused += 1,
                verdict => {
                    let holds = verdict == Ok(Verdict::Holds);
                    assert_eq!(holds, expected, "seed {seed}, {n}: {verdict:?}\n{text}");
                    tally.compared += 1;
                    tally.refining += usize::from(holds);
                }
            }
        }
    }
    println!("{tally:?}");
    let share = |n: usize| n * 2_000 / cases() as usize;
    assert!(share(tally.compared) > 1_500 && share(tally.refining) > 300, "{tally:?}");
}
