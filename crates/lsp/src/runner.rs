//! Checks run on a thread of their own; events tell how they go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use linchpin_csp::Model;
use linchpin_engine::{Budget, Limit, Progress};
use linchpin_lin::Files;
use linchpin_lin::program::{Check, Program};
use linchpin_lts::Watch;
use lsp_server::RequestId;

use crate::Settings;
use crate::assertion::assertion;
use crate::decide::{Outcome, decide};

/// The time between two reports of progress.
const INTERVAL: Duration = Duration::from_millis(500);

/// Checks to decide.
pub(crate) struct Job {
    /// The request that asked for them.
    pub(crate) id: RequestId,
    pub(crate) work: Work,
    pub(crate) settings: Settings,
    /// Set from outside to end it.
    pub(crate) cancel: Arc<AtomicBool>,
}

/// What is asked.
pub(crate) enum Work {
    /// Checks of a program.
    Lin(Arc<Program>, Files, Vec<Check>),
    /// Assertions of a model, by their numbers.
    Csp(Arc<Model>, Vec<usize>),
}

impl Work {
    /// What the questions are called.
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Work::Lin(_, _, checks) => checks.iter().map(|c| c.name.clone()).collect(),
            Work::Csp(model, numbers) => {
                numbers.iter().map(|&i| model.assertions()[i].text.clone()).collect()
            }
        }
    }

    /// The answer to one of them.
    fn decide(&self, question: usize, budget: Budget<'_>) -> Outcome {
        match self {
            Work::Lin(program, files, checks) => decide(program, &checks[question], files, budget),
            Work::Csp(model, numbers) => assertion(model, numbers[question], budget),
        }
    }
}

/// What the runner says about a job.
pub(crate) enum Event {
    /// A check has this many states so far.
    Progress { id: RequestId, name: String, states: u64 },
    /// A check was decided.
    Decided { id: RequestId, name: String, outcome: Outcome },
    /// No check of the job is left.
    Finished { id: RequestId },
}

/// Runs a job on a thread of its own.
pub(crate) fn start(job: Job, events: Sender<Event>) {
    thread::spawn(move || run(&job, &events));
}

fn run(job: &Job, events: &Sender<Event>) {
    for (question, name) in job.work.names().into_iter().enumerate() {
        if job.cancel.load(Ordering::Relaxed) {
            break;
        }
        let start = Instant::now();
        let reported = std::sync::Mutex::new(start);
        let watch = |progress: &Progress| {
            if job.cancel.load(Ordering::Relaxed) {
                return Some(Limit::Interrupted);
            }
            if start.elapsed() >= job.settings.time {
                return Some(Limit::Time);
            }
            if let Ok(mut last) = reported.try_lock()
                && last.elapsed() >= INTERVAL
            {
                *last = Instant::now();
                let (id, name) = (job.id.clone(), name.clone());
                let states = progress.statistics.nodes;
                // Nobody listens when the server has ended; then nobody misses it.
                let _ = events.send(Event::Progress { id, name, states });
            }
            None
        };
        let Settings { memory: max_memory, used, workers, .. } = job.settings;
        let (cancel, time) = (job.cancel.clone(), job.settings.time);
        let within = Watch::new(move |bytes| match () {
            () if cancel.load(Ordering::Relaxed) => Some(Limit::Interrupted),
            () if start.elapsed() >= time => Some(Limit::Time),
            () if max_memory.is_some_and(|max| used() + bytes > max) => Some(Limit::Memory),
            () => None,
        });
        let (memory, watch, within) = (&used, &watch, &within);
        let budget = Budget { workers, max_memory, memory, watch, within, ..Budget::UNLIMITED };
        let outcome = job.work.decide(question, budget);
        let id = job.id.clone();
        let _ = events.send(Event::Decided { id, name, outcome });
    }
    let _ = events.send(Event::Finished { id: job.id.clone() });
}
