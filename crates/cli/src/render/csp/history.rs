//! An execution as a history of operations, if events were said to begin and end them (`--calls`, `--returns`).
//!
//! The process that takes an event is its thread: `T1` is `#1`. A call is shown as its event, a result as what the event of the
//! return has more than that of the call: `pop_inv.1` and `pop_res.1.4` are `pop_inv.1→4`.

use linchpin_csp::{Operations, Witness};
use linchpin_evidence::narrative::{Deed, Entry, Interval, Location, Narrative};

/// The operations of an execution, and the one whose return is its last event.
pub(super) fn history(
    witness: &Witness,
    operations: &Operations,
) -> Option<(Narrative, Option<usize>)> {
    let mut intervals: Vec<Interval> = Vec::new();
    // The operation of each thread that has not returned.
    let mut open: Vec<Option<usize>> = Vec::new();
    let (mut events, mut last) = (0, None);
    // Calls and returns, with their steps.
    let mut entries = Vec::new();
    let mut tell = |thread: usize, step: usize, deed: Deed| {
        let at = Location { line: 0, text: String::new(), file: None };
        let thread = thread as u32 + 1;
        entries.push(Entry { thread, step, at, deed, blame: None, alone: false });
    };
    for (number, step) in witness.steps.iter().enumerate() {
        let name = step.label.split('.').next().unwrap_or_default();
        let [thread] = step.by[..] else { continue };
        let thread = thread as usize;
        open.resize(open.len().max(thread + 1), None);
        if operations.invocations.iter().any(|c| c == name) {
            // Whoever begins twice has no operations.
            if open[thread].is_some() {
                return None;
            }
            open[thread] = Some(intervals.len());
            tell(thread, number, Deed::Call(intervals.len()));
            intervals.push(Interval {
                thread: thread as u32 + 1,
                call: step.label.clone(),
                result: None,
                begin: events,
                end: None,
            });
            (events, last) = (events + 1, None);
        } else if operations.responses.iter().any(|r| r == name) {
            let operation = open[thread].take()?;
            tell(thread, number, Deed::Return(operation));
            let interval = &mut intervals[operation];
            interval.result = Some(result(&interval.call, &step.label));
            interval.end = Some(events);
            (events, last) = (events + 1, Some(operation));
        }
    }
    if intervals.is_empty() {
        return None;
    }
    let roles = vec!["thread".to_string(); open.len()];
    Some((Narrative { roles, operations: intervals, events, entries }, last))
}

/// What the return says beyond the call.
fn result(call: &str, back: &str) -> String {
    let (call, back): (Vec<&str>, Vec<&str>) =
        (call.split('.').collect(), back.split('.').collect());
    let same = call[1..].iter().zip(&back[1..]).take_while(|(a, b)| a == b).count();
    let rest = &back[1 + same..];
    if rest.is_empty() { "()".to_string() } else { rest.join(".") }
}

/// Why the last return is wrong, in words about operations.
pub(super) fn because(narrative: &Narrative, failing: usize) -> String {
    let operation = &narrative.operations[failing];
    let gave = match operation.result.as_deref() {
        None | Some("()") => "returns".to_string(),
        Some(result) => format!("gives `{result}`"),
    };
    format!(
        "Nothing that the specification can do between these calls and returns explains that `{}` of T{} {gave}.",
        operation.call, operation.thread
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use linchpin_csp::WitnessStep;

    fn step(by: u32, label: &str) -> WitnessStep {
        WitnessStep {
            label: label.to_string(),
            places: Vec::new(),
            by: vec![by],
            changes: Vec::new(),
        }
    }

    fn told(steps: Vec<WitnessStep>) -> Option<(Narrative, Option<usize>)> {
        let names = |list: &[&str]| list.iter().map(|n| n.to_string()).collect();
        let operations =
            Operations { invocations: names(&["inv", "get"]), responses: names(&["res", "got"]) };
        let (sentence, variables) = (String::new(), Vec::new());
        let witness = Witness { sentence, steps, repeats: None, variables, refused: None };
        history(&witness, &operations)
    }

    #[test]
    fn a_thread_is_a_process_and_an_operation_lasts_from_its_call_to_its_return() {
        let steps = vec![
            step(0, "inv.0.7"),
            step(1, "get.1"),
            step(0, "tau"),
            step(0, "res.0"),
            step(1, "got.1.7"),
        ];
        let (narrative, failing) = told(steps).expect("a history");
        let shown: Vec<_> = (narrative.operations.iter())
            .map(|o| (o.thread, o.call.as_str(), o.result.as_deref(), o.begin, o.end))
            .collect();
        assert_eq!(
            shown,
            [(1, "inv.0.7", Some("()"), 0, Some(2)), (2, "get.1", Some("7"), 1, Some(3))]
        );
        assert_eq!((narrative.events, failing), (4, Some(1)));
        assert!(because(&narrative, 1).contains("`get.1` of T2 gives `7`"));
    }

    #[test]
    fn what_are_no_operations_is_no_history() {
        assert!(told(vec![step(0, "inv.0"), step(0, "get.0")]).is_none());
        assert!(told(vec![step(0, "res.0")]).is_none());
        assert!(told(vec![step(0, "tau")]).is_none());
        let (pending, failing) = told(vec![step(0, "inv.0"), step(0, "tau")]).expect("a history");
        assert_eq!((pending.operations[0].end, failing), (None, None));
    }
}
