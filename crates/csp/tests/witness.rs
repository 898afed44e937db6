//! What is shown of an execution: variables, channels, places.

use linchpin_csp::{Options, Report, check, load};
use linchpin_lts::Verdict;

fn report(text: &str) -> Report {
    let model = load(text).expect("a model").model;
    check(&model, 0, &Options::DEFAULT)
}

const BUFFERS: &str = "
var x = 3;
var a[2];
var on = false;
channel c 2;
channel d 0;
P() = set{x = x + 1; a[1] = 2;} -> c!5.6 -> c!7 -> c?y.z -> turn{on = true;} -> Stop;
#assert P() deadlockfree;
";

#[test]
fn the_variables_and_buffers_after_every_step_are_known() {
    let report = report(BUFFERS);
    assert_eq!(report.verdict, Ok(Verdict::Violated(())));
    let witness = report.witness.expect("a deadlock");
    let moments: Vec<String> = (witness.moments().iter())
        .map(|m| m.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        moments,
        [
            "x=3 a=[0, 0] on=false c=[]",
            "x=4 a=[0, 2] on=false c=[]",
            "x=4 a=[0, 2] on=false c=[5.6]",
            "x=4 a=[0, 2] on=false c=[5.6, 7]",
            "x=4 a=[0, 2] on=false c=[7]",
            "x=4 a=[0, 2] on=true c=[7]",
        ]
    );
    let changed: Vec<usize> = witness.steps.iter().map(|s| s.changes.len()).collect();
    assert_eq!(changed, [2, 1, 1, 1, 1]);
    assert_eq!(witness.variables, *witness.moments().last().unwrap());
}

#[test]
fn the_steps_of_a_state_are_those_of_the_system() {
    let text = "var x; P() = [x < 2] a{x = x + 1;} -> P() [] b -> Skip; #assert P() deadlockfree;";
    let model = load(text).expect("a model").model;
    let system = model.asserted_system(0).expect("an assertion").expect("a system");
    assert!(model.asserted_system(1).is_none());
    let initial = linchpin_lts::LabelledSystem::initial(
        &system,
        &mut linchpin_lts::LabelledSystem::scratch(&system),
    )
    .expect("a state");
    let shown = |state: &[u32]| -> Vec<String> {
        let steps = system.steps(state).expect("steps");
        let one = |s: &linchpin_csp::WitnessStep| {
            let at: Vec<&str> = s.places.iter().map(|p| &text[p.range()]).collect();
            format!("{} at {}, {} changes", s.label, at.join(", "), s.changes.len())
        };
        steps.iter().map(|(step, _)| one(step)).collect()
    };
    assert_eq!(shown(&initial), ["a at a, 1 changes", "b at b, 0 changes"]);
    let mut state = initial;
    for _ in 0..2 {
        state = system.steps(&state).expect("steps").swap_remove(0).1;
    }
    assert_eq!(shown(&state), ["b at b, 0 changes"]);
}
