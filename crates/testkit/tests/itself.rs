//! An object compared with itself, executed operation by operation: the checker agrees with brute force
//! on random programs.
//!
//! `LINCHPIN_SEED=n` runs one seed, `LINCHPIN_COUNT=n` that many, from
//! `LINCHPIN_FROM=n` on.

use linchpin_check::{CheckError, Counterexample, Options, Reductions, check};
use linchpin_engine::Budget;
use linchpin_evidence::judge;
use linchpin_lin::program::{Against, Check, Condition, Expect};
use linchpin_lts::Verdict;
use linchpin_testkit::agree::{self, Tally};
use linchpin_testkit::brute::Limits;
use linchpin_testkit::corpus::{self, Case, counts::verdict_name};
use linchpin_testkit::differential::{ALL, compare_itself};
use linchpin_testkit::sample::size;
use linchpin_testkit::{claim, generate, parallel};

fn subsets(seed: u64) -> [u32; 4] {
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [ALL, 0, ALL & !(1 << (seed % Reductions::TABLE.len() as u64)), (mixed >> 40) as u32 & ALL]
}

#[test]
fn checker_and_oracle_agree_on_objects_compared_with_themselves() {
    let limits = Limits { states: 30_000, histories: 8_000 };
    let found =
        agree::on_all(&generate::seeds(50_000, 100, 600), generate::program, |text, seed| {
            compare_itself(text, &subsets(seed), limits).map_err(|d| d.to_string())
        });
    Tally::of(&found).expect("objects", 2, 5, 8);
}

/// Most nodes for a check of the corpus.
fn budget() -> u64 {
    size(5_000, 100_000)
}

/// Checks of the corpus whose verdict is another one against the object itself, and that one, by the reason.
const DIFFERENT: [(&str, &str, &str); 26] = [
    // Alone, the object does less than it is allowed to: it fails, or takes another slot, only when somebody is in
    // the way.
    ("bag/slots.lin", "moody", "violated"),
    ("counter/try_lock.lin", "TryCounter", "violated"),
    ("faults/unlock_not_held_fixed.lin", "TryCounter", "violated"),
    ("id_pool/test_and_set.lin", "any", "violated"),
    ("mpmc_ring/vyukov.lin", "hesitant", "violated"),
    ("mpmc_ring/vyukov.lin", "three_threads", "violated"),
    // Alone, `trap` waits for ever, so no order explains that `look` sees what it wrote; that takes fewer steps
    // than the deadlock, which there is as well.
    ("regress/lock_of_private_node.lin", "stuck", "violated"),
    // The operations are wrong even one after the other, so they are right by themselves.
    ("consensus/swap_three.lin", "three_threads", "holds"),
    ("counter/weak_cas_once.lin", "Counter", "holds"),
    ("external_checking/common_order.lin", "LastWriter", "holds"),
    ("external_checking/figure8.lin", "Impl", "holds"),
    ("external_checking/lost_write.lin", "Flag", "holds"),
    ("herlihy_wing_queue/wrong_way.lin", "ArrayQueue", "holds"),
    ("mailbox/one_step.lin", "OneStep", "holds"),
    ("quasi_priority_queue/clusters.lin", "SegmentedPriorityQueue/linearizable", "holds"),
    ("quasi_stack/clusters.lin", "ClusterStack/linearizable", "holds"),
    ("random_queue/clusters.lin", "RandomQueue/linearizable", "holds"),
    ("regress/assume_after_return.lin", "Obj", "holds"),
    ("regress/order_goes_wrong.lin", "wrong/linearizable", "holds"),
    ("replicated_register/local_reads.lin", "Copies/linearizable", "holds"),
    ("segment_queue/segments.lin", "SegmentQueue/linearizable", "holds"),
    // The same, of one thread: one operation is never interrupted, and the specification is meant to be wrong.
    ("regress/choose_beyond.lin", "Any", "holds"),
    ("regress/choosing_specification.lin", "turning", "holds"),
    ("regress/empty_of_range.lin", "two", "holds"),
    ("regress/long_step.lin", "other", "holds"),
    ("regress/many_data.lin", "wrong", "holds"),
];

#[test]
fn objects_of_the_corpus_keep_their_verdicts_against_themselves() {
    let corpus = corpus::load(&corpus::root()).unwrap();
    let jobs: Vec<_> = corpus
        .cases
        .iter()
        .flat_map(|case| case.program.checks.iter().map(move |c| (case, c)))
        .filter(|(_, c)| c.condition == Condition::Linearizable && c.against != Against::Itself)
        .collect();
    let verdicts = parallel::map(&jobs, parallel::cores(), |(case, c)| verdict(case, c));
    let mut differences = Vec::new();
    let mut met = 0;
    for ((case, c), found) in jobs.iter().zip(verdicts) {
        let known = DIFFERENT.iter().find(|d| d.0 == case.path && d.1 == c.name);
        met += usize::from(known.is_some());
        let expected = known.map_or_else(|| expected(c), |d| d.2.to_string());
        if found != expected && found != "unknown" {
            differences.push(format!("{} {}: {found}, not {expected}", case.path, c.name));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(met, DIFFERENT.len(), "all exceptions exist");
}

/// The verdict of a check against its object, judged.
fn verdict(case: &Case, c: &Check) -> String {
    let c = Check { against: Against::Itself, ..c.clone() };
    let budget = Budget { max_states: Some(budget()), ..Budget::UNLIMITED };
    match check(&case.program, &c, &Options { budget, ..Options::default() }) {
        Ok(report) => {
            if let Verdict::Violated(Counterexample { violation, schedule }) = &report.verdict {
                let claim = claim(violation);
                if let Err(disagreement) = judge(&case.program, &c, claim, schedule) {
                    return format!("not what the judge says: {disagreement}");
                }
            }
            verdict_name(&report.verdict)
        }
        Err(CheckError::Specification(fault)) => format!("alone {}", fault.kind.name()),
        Err(error) => format!("{error:?}"),
    }
}

fn expected(c: &Check) -> String {
    match &c.expect {
        Some(Expect::Violated) => "violated".to_string(),
        Some(Expect::Deadlock) => "deadlock".to_string(),
        Some(Expect::Fault(kind)) => format!("fault {}", kind.name()),
        Some(Expect::Holds) | None => "holds".to_string(),
    }
}
