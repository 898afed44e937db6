//! What is shown of a history that is not quasi linearizable, and its judge.

use linchpin_evidence::conditions::{Recorded, RecordedHistory};
use linchpin_lin::Value;
use linchpin_lts::{Verdict, Watch};

use super::decide_quasi;
use super::factors::Factors;
use crate::datum::Datum;
use crate::decide::Refuted;
use crate::history::{NEVER, Operation};
use crate::judge::{Judged, Reason};
use crate::shrink;
use crate::spec::Spec;

/// Most configurations for one attempt to leave something out.
const ATTEMPT: u64 = 100_000;

/// Fewer operations of the part that was refuted, in the order of their calls, that no two orders explain (up to the same
/// place).
pub fn shrink_quasi(
    spec: &Spec,
    operations: &[Operation],
    factors: &Factors,
    refuted: &Refuted,
    watch: &Watch,
) -> Vec<Operation> {
    let own = refuted.operations.iter().map(|&i| operations[i as usize].clone());
    let mut left: Vec<Operation> = own.collect();
    left.sort_by_key(|o| o.call);
    if let Some(place) = refuted.place {
        left = reach(&left, factors, place);
    }
    let wrong = |left: &[Operation]| {
        let found = decide_quasi(spec, left, factors, ATTEMPT, watch);
        found.is_ok_and(|found| match found.decision.verdict {
            Verdict::Violated(of) => match (of.place, refuted.place) {
                (_, None) => true,
                (Some(place), Some(before)) => place <= before,
                (None, Some(_)) => false,
            },
            _ => false,
        })
    };
    let silent = shrink::silent(spec, &left);
    let outside = |i: &usize| {
        let o = &left[*i];
        let readings = factors.readings(o.op, o.result.as_ref());
        readings.iter().all(|r| r.group().is_none())
    };
    let groups = silent.into_iter().filter(|group| group.iter().all(outside)).collect();
    shrink::fewer(left, groups, watch, &wrong)
}

/// What was called before a place, and what was called later but can have been promised a place before.
///
/// Whoever is promised a place of its group has an index there that is at most the factor above the effects so far; and it takes
/// effect at most the factor later than that. So at most twice the factor of its group take effect in between.
fn reach(operations: &[Operation], factors: &Factors, place: u32) -> Vec<Operation> {
    let groups = |o: &Operation| -> Vec<Option<u8>> {
        factors.readings(o.op, o.result.as_ref()).iter().map(|r| r.group()).collect()
    };
    let mut later: Vec<(u32, u8)> = Vec::new();
    for o in operations.iter().filter(|o| o.call > place && o.returns()) {
        if let [Some(group)] = groups(o)[..] {
            later.push((o.ret, group));
        }
    }
    later.sort_unstable();
    let counts = |call: u32, group: u8| {
        later.iter().take_while(|l| l.0 < call).filter(|l| l.1 == group).count() as i32
    };
    let stays = |o: &&Operation| {
        let able = |g: &Option<u8>| g.is_some_and(|g| counts(o.call, g) <= 2 * factors.factor(g));
        o.call < place || groups(o).iter().any(able)
    };
    operations.iter().filter(stays).cloned().collect()
}

/// Judges that a history of one object is not quasi linearizable, or that no two orders reach past a return, by other code.
pub fn judge_quasi(
    spec: &Spec,
    operations: &[Operation],
    factors: &Factors,
    place: Option<u32>,
    watch: &Watch,
) -> Judged {
    let judged = || -> Result<Judged, String> {
        let (written, ops) = spec.twin(operations)?;
        let threads = operations.iter().map(|o| o.process + 1).max().unwrap_or(1);
        let specification = written.specification(threads, watch)?;
        let mut recorded = Vec::with_capacity(operations.len());
        for o in operations {
            let op = ops[o.op as usize];
            let (args, result) = spec.twin_operation(o);
            let result = result.map(|r| written.result(op.0 as u8, &r)).transpose()?;
            recorded.push(Recorded {
                thread: o.process + 1,
                op,
                args: written.args(op.0 as u8, &args)?,
                call: o.call,
                ret: (o.ret != NEVER).then_some(o.ret),
                result,
            });
        }
        let group = |i: usize, result: &Value| {
            let o = &operations[i];
            let shown = match &o.result {
                Some(result) => result.clone(),
                None => written.shown_result(ops[o.op as usize].0 as u8, result),
            };
            factors.group(o.op, &shown).map(usize::from)
        };
        let groups = |i: usize| {
            let o = &operations[i];
            let readings = factors.readings(o.op, o.result.as_ref());
            readings.iter().map(|r| r.group().map(usize::from)).collect()
        };
        let all: Vec<usize> = factors.groups.iter().map(|g| g.factor as usize).collect();
        let history = RecordedHistory {
            specification: &specification,
            operations: &recorded,
            factors: &all,
            group: &group,
            groups: &groups,
        };
        Ok(match history.is_explicable(place)? {
            true => Judged::Explained,
            false => {
                let at = place.and_then(|place| operations.iter().position(|o| o.ret == place));
                Judged::Confirmed(Reason {
                    operation: at.unwrap_or(usize::MAX),
                    allowed: None::<Vec<Datum>>,
                    before: None,
                    initial: String::new(),
                })
            }
        })
    };
    judged().unwrap_or_else(Judged::Undecided)
}
