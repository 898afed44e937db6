//! The models of the case studies have the states and transitions of the thesis.
//!
//! Table 6.1 of R. Paval, *Modeling and Verifying Concurrent Data Structures*, thesis, Eindhoven 2018,
//! gives the sizes that mCRL2 found for its models and for the same with atomic bodies. Our models are
//! others, but they do the same steps. (Two entries of the table are misprints: the optimistic set has
//! 47 647 transitions with 2 x 2 and 389 344 with 2 x 3. The larger rows are measured by `cargo xtask
//! bench mcrl2`.)

use std::path::Path;

use linchpin_engine::{Budget, Meter};
use linchpin_lts::{Explicit, Verdict};
use linchpin_mcrl2::{Specification, System, with_clients};
use linchpin_relations::{
    Equivalence, Generated, RefinementOptions, Semantics, generate, partition, quotient, refines,
    union, weak_trace_normal_form,
};

fn text(model: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/mcrl2");
    let path = folder.join(format!("{model}.mcrl2"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

const TWO_WORKERS: Budget<'static> = Budget { workers: 2, ..Budget::UNLIMITED };

fn whole(system: Result<System, Box<linchpin_text::Diagnostic>>) -> Explicit {
    let system = system.unwrap_or_else(|d| panic!("{d:?}"));
    match generate(&system, &TWO_WORKERS) {
        Ok(Generated::Whole(lts)) => lts,
        other => panic!("{other:?}"),
    }
}

/// The system of a model, and the same with atomic bodies.
fn pair(model: &str, threads: usize, operations: usize) -> [Explicit; 2] {
    let text = with_clients(&text(model), threads, operations).expect("clients");
    let specification = Specification::read(&text).unwrap_or_else(|d| panic!("{d:#?}"));
    [whole(specification.system()), whole(specification.atomic(&specification.events()))]
}

fn bisimilar([a, b]: &[Explicit; 2]) -> bool {
    let (both, other) = union(a, b, &mut Meter::new(&Budget::UNLIMITED)).expect("no limit");
    let found = partition(&both, Equivalence::Branching, &Budget::UNLIMITED).expect("no limit");
    found.block[both.initial() as usize] == found.block[other as usize]
}

/// Is every weak trace of the first one of the second?
fn included(a: &Explicit, b: &Explicit) -> bool {
    let options = RefinementOptions::default();
    let result = refines(a, b, Semantics::WeakTrace, options, &Budget::UNLIMITED);
    match result.expect("no trouble").verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(limit) => panic!("{limit:?}"),
    }
}

#[test]
fn sizes_are_those_of_the_thesis() {
    let rows = [
        ("treiber_stack", 2, 2, [(1_724, 3_275), (1_662, 2_121)], true),
        ("treiber_stack", 2, 3, [(12_750, 24_391), (10_097, 12_853)], true),
        ("coarse_set", 2, 2, [(1_545, 2_844), (1_749, 2_106)], true),
        ("coarse_set", 2, 3, [(6_377, 11_824), (7_133, 8_570)], true),
        ("fine_set", 2, 2, [(5_077, 9_006), (3_305, 3_720)], true),
        ("optimistic_set", 2, 2, [(29_312, 47_647), (3_713, 4_128)], true),
        ("lazy_set", 2, 2, [(24_496, 41_431), (3_565, 3_980)], true),
        ("shann_queue", 2, 2, [(2_966, 5_707), (1_198, 1_423)], false),
    ];
    for (model, threads, operations, sizes, linearizable) in rows {
        let systems = pair(model, threads, operations);
        let found = systems.each_ref().map(|lts| (lts.states(), lts.steps()));
        assert_eq!(found, sizes, "{model} {threads} x {operations}");
        assert_eq!(bisimilar(&systems), linearizable, "{model} {threads} x {operations}");
        let [concrete, atomic] = &systems;
        assert_eq!(included(concrete, atomic), linearizable, "{model} {threads} x {operations}");
    }
}

#[test]
fn minimal_sizes_of_the_stack_are_those_of_mcrl2() {
    let [stack, _] = pair("treiber_stack", 2, 2);
    let small = quotient(&stack, Equivalence::Branching, &Budget::UNLIMITED).expect("no limit");
    assert_eq!((small.states(), small.steps()), (237, 544));
    let small = weak_trace_normal_form(&stack, &TWO_WORKERS).expect("no limit");
    assert_eq!((small.states(), small.steps()), (169, 438));
}

#[test]
fn bisimilarity_is_not_necessary() {
    // An empty dequeue waits inside the atomic block, so the systems are not bisimilar.
    let systems = pair("shann_queue", 2, 1);
    assert!(!bisimilar(&systems));
    let [concrete, atomic] = &systems;
    assert!(included(concrete, atomic) && included(atomic, concrete));
}
