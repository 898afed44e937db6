//! The questions of the page, in JSON, and their answers.
//!
//! Every question brings the text of the model with it. So the server remembers nothing, and undoing, bookmarks and
//! several windows are the page's own affair. Only one check runs at a time; a new one ends the one before.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use linchpin_lin::program::Check;
use linchpin_lin::{Granularity, Model};
use linchpin_lts::{self as lts, Limit};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::execution::Execution;
use super::http::{Reply, Request};
use crate::args::BoundOptions;
use crate::check::{Manner, search_and_confirm};
use crate::input::{self, Passages, Source};
use crate::outcome::{Kind, Problem};
use crate::render::verdict::Limits;
use crate::render::{html, json as report};
use crate::screen::Screen;
use crate::watch::Watch;
use crate::{again, bounds, memory, names};

/// Most time for everything but checks.
const STEPPING: Duration = Duration::from_secs(10);
/// So many expressions are watched, of so many bytes each.
const MOST_WATCHES: usize = 40;
const LONGEST_WATCH: usize = 1_000;

/// A question. Not every question needs everything.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Question {
    /// The text of the model.
    source: String,
    /// The name of a check.
    check: String,
    /// The initial state, and the numbers of the steps after it.
    initial: usize,
    path: Vec<usize>,
    /// Expressions.
    watches: Vec<String>,
}

/// What answers.
pub(super) struct Api {
    path: PathBuf,
    bounds: BoundOptions,
    limits: Limits,
    page: (String, String),
    /// Held by the check that runs.
    checking: Mutex<()>,
    /// Ends the check that was asked for last.
    stop: Mutex<Arc<AtomicBool>>,
}

impl Api {
    pub(super) fn new(
        path: &Path,
        bounds: BoundOptions,
        limits: Limits,
        page: (String, String),
    ) -> Self {
        Api {
            path: path.to_path_buf(),
            bounds,
            limits,
            page,
            checking: Mutex::default(),
            stop: Mutex::default(),
        }
    }

    /// Answers a request.
    pub(super) fn answer(&self, request: Request) -> Reply {
        let (name, body) = match request {
            Request::Page => {
                let (page, policy) = self.page.clone();
                let kind = "text/html; charset=utf-8";
                return Reply { status: 200, kind, policy, body: page };
            }
            Request::Ask(name, body) => (name, body),
        };
        let question: Question = match serde_json::from_slice(&body) {
            Ok(question) => question,
            Err(error) => return Reply::plain(400, &format!("this is not a question: {error}")),
        };
        let answer = match name.as_str() {
            "load" => self.load(&question),
            "check" => self.check(&question),
            "film" => self.film(&question),
            "end" => self.end(&question),
            "stop" => {
                lock(&self.stop).store(true, Ordering::Relaxed);
                Ok(json!({}))
            }
            _ => return Reply::plain(404, "there is no such question"),
        };
        let answer = answer.unwrap_or_else(|problem| json!({ "problem": self.said(&problem) }));
        let policy = "default-src 'none'".to_string();
        let body = linchpin_page::harmless(answer.to_string());
        Reply { status: 200, kind: "application/json", policy, body }
    }

    /// What the text says: its checks, and what is suspicious about it.
    fn load(&self, question: &Question) -> Result<Json, Problem> {
        let source = self.source(question)?;
        let check = |check: &Check| {
            let bounded = bounds::apply(&source.program, check, &self.bounds);
            let words = bounded.map(|bounded| bounds::words(&source.program, &bounded));
            json!({ "name": check.name, "bounds": words.unwrap_or_else(|why| why) })
        };
        // Those of other files belong to other models, too.
        let mut warnings = Vec::new();
        source.warnings(|path, text, found| {
            if path == self.path {
                warnings = report::diagnostics(text, found);
            }
        });
        let checks: Vec<Json> = source.program.checks.iter().map(check).collect();
        Ok(json!({ "checks": checks, "warnings": warnings }))
    }

    /// Decides a check; a violation comes with the steps that lead to it.
    fn check(&self, question: &Question) -> Result<Json, Problem> {
        let source = self.source(question)?;
        let bounded = self.bounded(&source, question)?;
        // Whatever runs is not wanted any more.
        let limits = Limits { stopped: Arc::default(), ..self.limits.clone() };
        let before = std::mem::replace(&mut *lock(&self.stop), limits.stopped.clone());
        before.store(true, Ordering::Relaxed);
        let running = lock(&self.checking);
        memory::measure();
        let screen = Screen::PLAIN;
        let watch = Watch::new(&screen, &bounded.name, &limits, false, None, None);
        let again = again::bounded("check", &self.path, &bounded.name, &self.bounds);
        let decided = search_and_confirm(&Manner::USUAL, &source, &bounded, &watch, again)?;
        drop(running);
        let steps = decided.violation.as_ref().map(|(schedule, _)| {
            let model = self.model(&source, &bounded)?;
            let path = Execution::path(&model, schedule);
            let path =
                path.map_err(|why| Problem::of_check(Kind::Internal, &source, &bounded, why))?;
            Ok(json!({ "initial": schedule.initial, "path": path }))
        });
        let mut check = html::check(&decided, &self.limits, 0);
        check["advice"] = json!(decided.advice);
        check["expected"] = json!(decided.report.is_as_expected(decided.expected()));
        Ok(json!({ "check": check, "violation": steps.transpose()? }))
    }

    /// An execution with everything there is to see.
    fn film(&self, question: &Question) -> Result<Json, Problem> {
        let long = question.watches.iter().any(|text| text.len() > LONGEST_WATCH);
        if long || question.watches.len() > MOST_WATCHES {
            let message = format!(
                "at most {MOST_WATCHES} expressions are watched, each of at most {LONGEST_WATCH} bytes"
            );
            return Err(Problem::new(Kind::Unsupported, &self.path, message));
        }
        self.execution(
            question,
            |execution| Ok(execution.film(&self.bounds.set, &question.watches)),
        )
    }

    /// What can happen at the end of an execution.
    fn end(&self, question: &Question) -> Result<Json, Problem> {
        self.execution(question, |execution| execution.end())
    }

    fn execution(
        &self,
        question: &Question,
        of: impl FnOnce(&Execution<'_>) -> Result<Json, String>,
    ) -> Result<Json, Problem> {
        let source = self.source(question)?;
        let bounded = self.bounded(&source, question)?;
        let model = self.model(&source, &bounded)?;
        let Question { initial, path, .. } = question;
        let execution = Execution::new(&source, &model, &self.bounds, *initial, path);
        let answer = execution.and_then(|execution| of(&execution));
        answer.map_err(|why| Problem::of_check(Kind::Unsupported, &source, &bounded, why))
    }

    /// A problem with its places in the text, or in another file.
    fn said(&self, problem: &Problem) -> Json {
        let Passages { text, diagnostics } = &*problem.passages;
        json!({
            "kind": problem.kind.name(),
            "message": problem.message,
            "file": (problem.path != self.path).then(|| names::shown(&problem.path)),
            "diagnostics": report::diagnostics(text, diagnostics),
        })
    }

    fn source(&self, question: &Question) -> Result<Source, Problem> {
        input::understood(&self.path, question.source.clone(), &self.bounds.set)
    }

    fn bounded(&self, source: &Source, question: &Question) -> Result<Check, Problem> {
        let check = names::find(source, Some(&question.check))?;
        bounds::apply(&source.program, check, &self.bounds)
            .map_err(|message| Problem::of_check(Kind::Bounds, source, check, message))
    }

    fn model(&self, source: &Source, check: &Check) -> Result<Model, Problem> {
        let until = Instant::now() + STEPPING;
        let watch = lts::Watch::new(move |_| (Instant::now() >= until).then_some(Limit::Time));
        let model = Model::new(source.program.clone(), check, Granularity::UNREDUCED);
        model.map(|model| model.within(&watch)).map_err(|u| {
            Problem::of_check(Kind::Unsupported, source, check, u.message).at(source, u.span)
        })
    }
}

/// What is behind a lock; that somebody panicked who held it does not matter here.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
