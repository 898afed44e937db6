//! Limits hold from the beginning, and what is known is not lost to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use linchpin_csp::{Failure, Options, Report, check, load};
use linchpin_engine::{Budget, Limit};
use linchpin_lts::{Verdict, Watch};

fn decide(text: &str, budget: Budget<'_>) -> Report {
    let model = load(text).unwrap_or_else(|d| panic!("{text}\n{d:#?}")).model;
    check(&model, 0, &Options { budget, ..Options::DEFAULT })
}

#[test]
fn time_may_be_over_before_the_first_state_is_known() {
    // Thousands of operands, each with an alphabet of its own.
    let text = "P(i, k) = a.i.k -> P(i, (k + 1) % 50); Q(i) = b.i -> Q(i);
        S = || i:{0..3000} @ (P(i, 0) || Q(i)); #assert S deadlockfree;";
    for patience in [0, 10, 1_000, 4_000] {
        let asked = Arc::new(AtomicU32::new(0));
        let count = asked.clone();
        let within = Watch::new(move |_| match count.fetch_add(1, Ordering::Relaxed) >= patience {
            true => Some(Limit::Time),
            false => None,
        });
        let report = decide(text, Budget { within: &within, ..Budget::UNLIMITED });
        assert_eq!(report.verdict, Ok(Verdict::Unknown(Limit::Time)), "{patience}");
        assert_eq!(report.statistics.states, 0, "{patience}");
        assert!(asked.load(Ordering::Relaxed) < patience + 10, "it stops when it is told to");
    }
}

#[test]
fn a_process_that_starts_very_many_others_is_refused() {
    let text = "P(i, j) = a.i.j -> Stop; S = ||| i:{0..4000} @ (||| j:{0..4000} @ P(i, j));
        #assert S deadlockfree;";
    match decide(text, Budget::UNLIMITED).verdict {
        Err(Failure::Trouble(trouble)) => {
            assert_eq!(trouble.message, "more than 65536 processes at a time");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn many_components_that_may_share_an_event_in_many_ways_do_not_slow_a_state_down() {
    // Every philosopher could meet every fork, as far as the operators say.
    let text = "#define N 60;
        Philosopher(i) = take.i.i -> take.i.((i + 1) % N) -> eat.i ->
            leave.i.i -> leave.i.((i + 1) % N) -> Philosopher(i);
        Fork(j) = take.j.j -> leave.j.j -> Fork(j)
            [] take.((j + N - 1) % N).j -> leave.((j + N - 1) % N).j -> Fork(j);
        Hungry = (||| i:{0..N-1} @ Philosopher(i)) || (||| j:{0..N-1} @ Fork(j));
        #assert Hungry deadlockfree;";
    let budget = Budget { max_states: Some(500), ..Budget::UNLIMITED };
    let report = decide(text, budget);
    assert_eq!(report.verdict, Ok(Verdict::Unknown(Limit::States)));
}

#[test]
fn that_a_model_goes_wrong_is_said_even_if_there_is_no_time_to_say_where_first() {
    let text = "var x = 0; var y = 0;
        P(i) = [i < 40] tau{x = x + 1;} -> P(i + 1) [] [i == 40] tau{x = x / 0;} -> Stop;
        Q(i) = [i < 40] tau{y = y + 1;} -> Q(i + 1) [] [i == 40] stop -> Stop;
        S = P(0) ||| Q(0); #assert S deadlockfree;";
    for max_states in [200, 100_000] {
        let report = decide(text, Budget { max_states: Some(max_states), ..Budget::UNLIMITED });
        match report.verdict {
            Err(Failure::Trouble(trouble)) => assert_eq!(trouble.message, "division by zero"),
            other => panic!("{max_states}: {other:?}"),
        }
        let steps = report.witness.expect("a witness").steps.len();
        assert_eq!(steps, 40, "{max_states}");
    }
}
