//! The question: is every history of every client within the bounds one of the specification?
//!
//! Clients are explored one after the other, the small ones first, each completely as long as the budget lasts. What is left
//! after that is tried with few preemptions and at random. The first failure ends the search: its client is one of the
//! smallest that fail, its schedule is made simpler (fewer preemptions, by a search of its own), it is run once more,
//! and only if it fails again in the same way it is shown; a violation is also judged by other code (`brute`).

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::brute::{self, Done};
use crate::client::{self, Choices, Client, Results, Run};
use crate::explore::bounded::switches;
use crate::explore::random::{Random, Way};
use crate::explore::replay::Replay;
use crate::explore::{self, Tally};
use crate::judge::{Judge, Judgement};
use crate::page;
use crate::report::{self, Failed, Report, What};
use crate::runtime::failure::Wrong;
use crate::runtime::scheduler::{Execution, Limits, Program, different};
use crate::spec::{Operation, Spec};

/// A question about a structure: see [`Check::new`].
pub struct Check<O, S: Spec> {
    name: String,
    make: Rc<dyn Fn() -> O>,
    run: Run<O, S::Op, S::Ret>,
    spec: S,
    threads: usize,
    ops: usize,
    budget: u64,
    seed: u64,
    replay: Option<String>,
}

/// Executions that are explored completely, if nothing else is said.
const BUDGET: u64 = 500_000;

impl<O, S> Check<O, S>
where
    O: Send + Sync + 'static,
    S: Spec,
    S::Op: Operation,
{
    /// Is the structure that `make` makes, whose operations `run` carries out, linearizable? Asked of all clients of two
    /// threads with two operations each, unless something else is said.
    pub fn new(
        name: &str,
        make: impl Fn() -> O + 'static,
        run: impl Fn(&O, &S::Op) -> S::Ret + 'static,
        spec: S,
    ) -> Self {
        let replay = std::env::var("LINCHPIN_REPLAY").ok().filter(|r| !r.is_empty());
        let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
        Check {
            name: name.to_string(),
            make: Rc::new(make),
            run: Rc::new(run),
            spec,
            threads: 2,
            ops: 2,
            budget: number("LINCHPIN_BUDGET").unwrap_or(BUDGET),
            seed: number("LINCHPIN_SEED").unwrap_or(1),
            replay,
        }
    }

    /// At most so many threads, up to 15.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.clamp(1, crate::runtime::clock::MAX_THREADS - 1);
        self
    }

    /// At most so many operations per thread.
    pub fn ops(mut self, ops: usize) -> Self {
        self.ops = ops.max(1);
        self
    }

    /// At most so many executions in which everything is explored; `LINCHPIN_BUDGET` overrides it.
    pub fn budget(mut self, executions: u64) -> Self {
        if std::env::var("LINCHPIN_BUDGET").is_err() {
            self.budget = executions;
        }
        self
    }

    /// Explores, and panics with a report if something is wrong.
    ///
    /// # Panics
    /// If something is wrong.
    #[track_caller]
    pub fn assert(&self) {
        let report = self.run();
        if report.failed.is_some() {
            panic!("{report}");
        }
        println!("{report}");
    }

    /// Explores.
    pub fn run(&self) -> Report {
        let report = self.explored();
        page::write(&report);
        report
    }

    fn explored(&self) -> Report {
        if let Some(text) = &self.replay {
            return self.replay(text);
        }
        let kinds = S::Op::all(1).len();
        let mut report = Report::new(&self.name, self.threads, self.ops);
        let mut left: Vec<Choices> = Vec::new();
        for total in 1..=self.threads * self.ops {
            for choices in client::clients(kinds, total, self.threads, self.ops) {
                if report.tally.executions >= self.budget {
                    left.push(choices);
                    continue;
                }
                let Some(client) = Client::new(choices) else { continue };
                let most = self.budget - report.tally.executions;
                let mut one = One::new(self, client);
                let all = |p: &Program, l, v: explore::Visit<'_>| explore::all(p, l, most, v);
                let (tally, failure) = one.explore(Limits::default(), all);
                report.clients += 1;
                report.tally.add(tally);
                report.histories += one.judge.histories();
                if let Some(schedule) = failure {
                    report.failed = Some(one.failed(schedule));
                    return report;
                }
                if !tally.complete {
                    left.push(one.client.choices);
                }
            }
        }
        self.sample(&mut report, &left);
        report
    }

    /// What was not explored completely is tried with few preemptions and at random.
    fn sample(&self, report: &mut Report, left: &[Choices]) {
        if left.is_empty() {
            return;
        }
        report.left = left.len() as u64;
        report.seed = Some(self.seed);
        let mut random = Random(self.seed);
        let most = report.tally.executions + self.budget / 2;
        // Many clients rather than much of a few.
        let batch = (self.budget / 200).clamp(10, 500);
        let (mut round, mut tries) = (0u32, 0);
        while report.tally.executions < most && tries < self.budget {
            tries += 1;
            // The largest come last, and contain the others.
            let which = random.below(left.len() as u64).max(random.below(left.len() as u64));
            let Some(client) = Client::new(left[which as usize].clone()) else { continue };
            let mut one = One::new(self, client);
            let seed = random.next();
            let (tally, failure) = one.explore(Limits::default(), |p, l, v| match round % 4 {
                0 => explore::bounded(p, l, (round / 4).min(3), batch, v),
                1 => explore::at_random(p, l, (Way::Priorities(2), seed), batch, v),
                2 => explore::at_random(p, l, (Way::Priorities(4), seed), batch, v),
                _ => explore::at_random(p, l, (Way::Uniform, seed), batch, v),
            });
            round += 1;
            report.tally.add(Tally { complete: false, ..tally });
            report.sampled += tally.executions;
            report.histories += one.judge.histories();
            if let Some(schedule) = failure {
                let (one, schedule) = self.smaller(one, schedule, seed);
                report.failed = Some(one.failed(schedule));
                return;
            }
        }
    }

    /// A client with fewer operations that fails as well. What was not explored completely may have failed in a large one
    /// first; operations are left out as long as a short search still fails.
    fn smaller<'c>(
        &'c self,
        mut one: One<'c, O, S>,
        mut schedule: Vec<u8>,
        seed: u64,
    ) -> (One<'c, O, S>, Vec<u8>) {
        let fails = |choices: Choices| {
            let mut one = One::new(self, Client::new(choices)?);
            let found = (0..3).find_map(|way| {
                let search = one.explore(Limits::default(), |p, l, v| match way {
                    0 => explore::bounded(p, l, 2, 2000, v),
                    1 => explore::at_random(p, l, (Way::Priorities(3), seed), 1000, v),
                    _ => explore::at_random(p, l, (Way::Uniform, seed), 1000, v),
                });
                search.1
            })?;
            Some((one, found))
        };
        while let Some(found) = client::without_one(&one.client.choices).into_iter().find_map(fails) {
            (one, schedule) = found;
        }
        (one, schedule)
    }

    /// One execution again.
    fn replay(&self, text: &str) -> Report {
        let mut report = Report::new(&self.name, self.threads, self.ops);
        report.replayed = true;
        let read = report::read(text);
        let known = read.and_then(|(choices, schedule)| Some((Client::new(choices)?, schedule)));
        let Some((client, schedule)) = known else {
            report.failed = Some(Failed::refused(format!(
                "LINCHPIN_REPLAY is `{text}`, which is no execution of this test"
            )));
            return report;
        };
        let one = One::new(self, client);
        let (execution, exact) = one.again(schedule.clone());
        report.tally = Tally { executions: 1, ..Tally::default() };
        report.failed = one.shown(&schedule, execution);
        if report.failed.is_none() && !exact {
            report.failed = Some(Failed::refused(
                "the schedule of LINCHPIN_REPLAY cannot be followed: the code is another one"
                    .into(),
            ));
        }
        report
    }
}

/// A client that is explored.
struct One<'c, O, S: Spec> {
    check: &'c Check<O, S>,
    client: Client<S::Op>,
    program: Program,
    results: Results<S::Ret>,
    judge: Judge<S>,
}

impl<'c, O, S> One<'c, O, S>
where
    O: Send + Sync + 'static,
    S: Spec,
    S::Op: Operation,
{
    fn new(check: &'c Check<O, S>, client: Client<S::Op>) -> Self {
        let (program, results) = client::program(&client, check.make.clone(), check.run.clone());
        let judge = Judge::new(&check.spec, client.threads.concat());
        One { check, client, program, results, judge }
    }

    /// The history of the last execution, one thread after the other.
    fn history(&self, execution: &Execution) -> Vec<Done<S::Op, S::Ret>> {
        let mut results = self.results.take();
        results.iter_mut().for_each(|r| r.reverse());
        let mut operations = execution.operations.clone();
        operations.sort_by_key(|o| (o.thread, o.number));
        let done = operations.into_iter().filter_map(|o| {
            let thread = usize::from(o.thread) - 1;
            let result = results[thread].pop()?;
            let op = self.client.threads[thread][o.number as usize].clone();
            Some(Done { thread, op, call: 2 * o.call?, ret: 2 * o.ret? + 1, result })
        });
        done.collect()
    }

    /// What is wrong with the last execution.
    fn wrong(&mut self, execution: &Execution) -> Option<Option<Wrong>> {
        if let Some(failure) = &execution.failure {
            return Some(Some(failure.wrong));
        }
        let history = self.history(execution);
        match self.judge.judge(history) {
            Judgement::Explained => None,
            Judgement::Unexplained => Some(None),
            Judgement::Unknown => Some(Some(Wrong::Refused)),
        }
    }

    /// Explores in some way; the schedule of the first failure.
    fn explore(
        &mut self,
        limits: Limits,
        way: impl FnOnce(&Program, Limits, explore::Visit<'_>) -> Tally,
    ) -> (Tally, Option<Vec<u8>>) {
        let program = self.program.clone();
        let mut found = None;
        let tally = way(&program, limits, &mut |execution| match self.wrong(execution) {
            None => ControlFlow::Continue(()),
            Some(_) => {
                found = Some(execution.schedule());
                ControlFlow::Break(())
            }
        });
        (tally, found)
    }

    /// The same execution again, with lines; was it possible?
    fn again(&self, schedule: Vec<u8>) -> (Execution, bool) {
        let limits = Limits { tracing: true, ..Limits::default() };
        let mut replay = Replay::new(schedule);
        let execution = explore::once(&self.program, limits, &mut replay);
        (execution, replay.exact)
    }

    /// A failure, made simpler, run again and judged again.
    fn failed(mut self, schedule: Vec<u8>) -> Failed {
        let schedule = self.simpler(schedule);
        let (execution, _) = self.again(schedule.clone());
        self.shown(&schedule, execution).unwrap_or_else(|| {
            Failed::refused_as(different("it does not fail"))
        })
    }

    /// A schedule that fails as well, with as few preemptions as possible.
    fn simpler(&mut self, schedule: Vec<u8>) -> Vec<u8> {
        let best = schedule;
        for preemptions in 0..4 {
            let (tally, found) = self.explore(Limits::default(), |p, l, v| {
                explore::bounded(p, l, preemptions, 20_000, v)
            });
            match found {
                Some(found) if switches(&found) <= switches(&best) => return found,
                Some(_) => return best,
                None if !tally.complete => return best,
                None => {}
            }
        }
        best
    }

    /// What is shown of the last execution, if it fails.
    fn shown(&self, schedule: &[u8], execution: Execution) -> Option<Failed> {
        let history = self.history(&execution);
        let what = match &execution.failure {
            Some(failure) => What::Failure(failure.clone()),
            None => What::History(brute::reason(&self.check.spec, &history)?),
        };
        let threads = self.client.threads.iter();
        let calls: Vec<Vec<String>> =
            threads.map(|ops| ops.iter().map(report::call).collect()).collect();
        let drawn = page::folder().map(|_| self.drawn(&what, &history, &calls, &execution));
        let choices = &self.client.choices;
        let failed = Failed::new(what, &history, &calls, execution, choices, schedule);
        Some(Failed { drawn, ..failed })
    }

    /// The same for a page.
    fn drawn(
        &self,
        what: &What,
        history: &[Done<S::Op, S::Ret>],
        calls: &[Vec<String>],
        execution: &Execution,
    ) -> page::Drawn {
        let text = |d: &Done<S::Op, S::Ret>| report::returned(&report::call(&d.op), &d.result);
        let shown = match what {
            What::Failure(failure) => (None, failure.lines.clone(), Vec::new()),
            What::History(reason) => (
                Some(reason.operation),
                report::why(reason, history, &text),
                brute::attempts(&self.check.spec, history, &text),
            ),
        };
        page::drawn(history, calls, execution, (shown.0, shown.1, &shown.2))
    }
}
