//! Sequential consistency of one history: is there an order of all operations, keeping that of every process, that the
//! specification allows?
//!
//! Lamport, "How to make a multiprocessor computer that correctly executes multiprocess programs" (IEEE ToC 1979). It is
//! not local, so nothing is split; and it is not closed under prefixes, so nothing is cut. One order is deepened operation
//! by operation; a configuration is how far every process has come, and the state. The next operation of a process
//! is taken at once if it changes nothing and is possible: nothing that comes later can need it to be later.

use std::collections::HashSet;

use linchpin_evidence::conditions::sequentially_explicable;
use linchpin_evidence::history::{Event, History};
use linchpin_lts::{Limit, Verdict, Watch};
use rapidhash::fast::RandomState;

use crate::decide::{Decision, Refuted};
use crate::history::Operation;
use crate::judge::Judged;
use crate::machine::Machine;
use crate::shrink;
use crate::spec::{Spec, Trouble};

struct Frame {
    at: Box<[u32]>,
    state: u32,
    length: usize,
    process: usize,
    states: Vec<u32>,
}

/// Decides a history of one object.
///
/// # Errors
/// If a value does not fit the specification, or the specification goes wrong and there is no order without that.
pub fn decide_sequential(
    spec: &Spec,
    operations: &[Operation],
    most: u64,
    watch: &Watch,
) -> Result<Decision, Trouble> {
    if let Some(other) = operations.iter().find(|o| o.object != 0) {
        let message =
            "sequential consistency is not local: a log of several objects is not decided"
                .to_string();
        return Err(Trouble { line: other.line, message });
    }
    let (mut machine, calls) = Machine::new(spec, operations, watch)?;
    let processes = operations.iter().map(|o| o.process as usize + 1).max().unwrap_or(0);
    let mut programs: Vec<Vec<u32>> = vec![Vec::new(); processes];
    for (i, operation) in operations.iter().enumerate() {
        programs[operation.process as usize].push(i as u32);
    }
    let mut tried: HashSet<(Box<[u32]>, u32), RandomState> = HashSet::default();
    let (mut frames, mut order, mut longest): (Vec<Frame>, Vec<u32>, Vec<u32>) = Default::default();
    let mut initial = machine.initial().to_vec();
    let mut made = 0;
    let answer =
        |verdict, order, configurations| Ok(Decision { verdict, order, parts: 1, configurations });
    loop {
        let (at, state) = match frames.last_mut() {
            None => {
                let Some(state) = initial.pop() else { break };
                order.clear();
                (vec![0; processes].into_boxed_slice(), state)
            }
            Some(frame) => {
                order.truncate(frame.length);
                if let Some(state) = frame.states.pop() {
                    let mut at = frame.at.clone();
                    let process = frame.process - 1;
                    order.push(programs[process][at[process] as usize]);
                    at[process] += 1;
                    (at, state)
                } else if frame.process == processes {
                    frames.pop();
                    continue;
                } else {
                    let process = frame.process;
                    frame.process += 1;
                    if let Some(&next) = programs[process].get(frame.at[process] as usize) {
                        machine.moves(frame.state, calls[next as usize], &mut frame.states);
                    }
                    continue;
                }
            }
        };
        made += 1;
        if let Some(limit) =
            watch.over_at(made).or_else(|| (made as u64 > most).then_some(Limit::States))
        {
            return answer(Verdict::Unknown(limit), Some(longest), made as u64);
        }
        let mut at = at;
        let mut moved = true;
        while std::mem::take(&mut moved) {
            for (process, program) in programs.iter().enumerate() {
                while let Some(&next) = program.get(at[process] as usize)
                    && machine.changes_nothing(calls[next as usize])
                    && machine.is_possible(state, calls[next as usize])
                {
                    order.push(next);
                    at[process] += 1;
                    moved = true;
                }
            }
        }
        let returned = |process: usize| {
            let rest = &programs[process][at[process] as usize..];
            rest.iter().all(|&i| !operations[i as usize].returns())
        };
        if order.len() > longest.len() {
            longest.clone_from(&order);
        }
        if (0..processes).all(returned) {
            return answer(Verdict::Holds, Some(order), made as u64);
        }
        if tried.insert((at.clone(), state)) {
            frames.push(Frame { at, state, length: order.len(), process: 0, states: Vec::new() });
        }
    }
    if let Some(fault) = machine.fault() {
        return Err(Trouble::plain(format!("the specification goes wrong: {fault}")));
    }
    let all = (0..operations.len() as u32).collect();
    let refuted = Refuted { operations: all, place: None };
    answer(Verdict::Violated(refuted), Some(longest), made as u64)
}

/// As few operations as can be that have no order.
pub fn shrink_sequential(spec: &Spec, operations: &[Operation], watch: &Watch) -> Vec<Operation> {
    let wrong = |operations: &[Operation]| {
        decide_sequential(spec, operations, 300_000, watch).is_ok_and(|d| d.verdict.is_violated())
    };
    shrink::without(spec, operations.to_vec(), watch, &wrong)
}

/// Judges that a history has no such order, by other code.
pub fn judge_sequential(spec: &Spec, operations: &[Operation], watch: &Watch) -> Judged {
    let judged = || -> Result<Judged, String> {
        let (written, ops) = spec.twin(operations)?;
        let threads = operations.iter().map(|o| o.process + 1).max().unwrap_or(1);
        let specification = written.specification(threads, watch)?;
        let mut events = Vec::new();
        for o in operations {
            let (mut op, thread) = (ops[o.op as usize], o.process + 1);
            let (args, result) = spec.twin_operation(o);
            if result.is_none()
                && o.returns()
                && let Some(unseen) = written.unseen(op.0 as u8)
            {
                op = linchpin_lin::program::OpId(u32::from(unseen));
            }
            let args = written.args(op.0 as u8, &args)?;
            events.push((o.call, Event::Call { thread, op, args }));
            let result = match result {
                _ if !o.returns() => continue,
                Some(result) => written.result(op.0 as u8, &result)?,
                None if written.gives_nothing(op.0 as u8) => linchpin_lin::Value::Unit,
                None => {
                    return Err("an operation returned, but the log does not say what".to_string());
                }
            };
            events.push((o.ret, Event::Return { thread, op, result }));
        }
        events.sort_by_key(|e| e.0);
        let history: History = events.into_iter().map(|e| e.1).collect();
        match sequentially_explicable(&specification, &history) {
            Ok(true) => Ok(Judged::Explained),
            Ok(false) => Ok(Judged::Confirmed(crate::judge::Reason {
                operation: usize::MAX,
                allowed: None,
                before: None,
                initial: String::new(),
            })),
            Err(why) => Err(why),
        }
    };
    judged().unwrap_or_else(Judged::Undecided)
}
