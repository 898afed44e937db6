//! Checks that were asked for: which are under way, and what becomes of their answers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linchpin_evidence::words::grouped;
use lsp_server::{ErrorCode, RequestId};
use lsp_types::notification as notify;
use lsp_types::request as ask;
use lsp_types::{
    ExecuteCommandParams, NumberOrString, ProgressParams, ProgressParamsValue, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::Settings;
use crate::capabilities::{CANCEL, CHECK};
use crate::decide::Outcome;
use crate::document::State;
use crate::runner::{self, Event, Job, Work};
use crate::server::{Refusal, Server};

/// The jobs that have not been answered. One runs at a time.
#[derive(Default)]
pub(crate) struct Jobs {
    list: BTreeMap<RequestId, Underway>,
    waiting: VecDeque<Job>,
    running: Option<RequestId>,
}

/// A job that has not been answered.
pub(crate) struct Underway {
    pub(crate) id: RequestId,
    pub(crate) uri: String,
    /// Of the text that is checked.
    generation: u64,
    names: Vec<String>,
    cancel: Arc<AtomicBool>,
    /// For progress.
    pub(crate) token: String,
    results: Vec<Json>,
}

/// The argument of both commands.
#[derive(Deserialize)]
struct Which {
    uri: String,
    name: Option<String>,
}

impl Server {
    /// `workspace/executeCommand`
    pub(crate) fn command(
        &mut self,
        id: &RequestId,
        params: ExecuteCommandParams,
    ) -> Result<Option<Json>, Refusal> {
        let wrong = |what: String| Refusal::new(ErrorCode::InvalidParams, what);
        let argument = params.arguments.into_iter().next().unwrap_or_default();
        let which: Which = serde_json::from_value(argument)
            .map_err(|e| wrong(format!("expected `{{ \"uri\", \"name\" }}`: {e}")))?;
        match params.command.as_str() {
            CHECK => self.begin(id, which).map(|()| None),
            CANCEL => {
                let named =
                    |job: &Underway| which.name.as_ref().is_none_or(|n| job.names.contains(n));
                self.cancel(|job| job.uri == which.uri && named(job));
                Ok(Some(Json::Null))
            }
            other => Err(wrong(format!("there is no command `{other}`"))),
        }
    }

    /// Begins to decide checks; the answer comes when they are decided.
    fn begin(&mut self, id: &RequestId, which: Which) -> Result<(), Refusal> {
        let failed = |what: String| Refusal::new(ErrorCode::RequestFailed, what);
        let document = self.open(&which.uri)?;
        let asked = |name: &str| which.name.as_ref().is_none_or(|wanted| wanted == name);
        let work = match (&document.analysis.program, &document.foreign.model) {
            (Some(program), _) => {
                let checks = program.checks.iter().filter(|c| asked(&c.name)).cloned();
                Work::Lin(program.clone(), document.analysis.files.clone(), checks.collect())
            }
            (None, Some(model)) => {
                let all = model.assertions().iter().enumerate();
                let chosen = all.filter(|(_, a)| asked(&a.text)).map(|(i, _)| i);
                Work::Csp(model.clone(), chosen.collect())
            }
            (None, None) => {
                return Err(failed("the text has errors; there is nothing to check".to_string()));
            }
        };
        let names = work.names();
        if names.is_empty() {
            return Err(failed(match &which.name {
                Some(name) => format!("there is no check `{name}`"),
                None => "the text has no checks".to_string(),
            }));
        }
        let generation = document.generation;
        if let Some(document) = self.documents.get_mut(&which.uri) {
            for name in &names {
                document.checks.insert(name.clone(), State::Running(0));
            }
        }
        let time = self.client.seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
        let cancel = Arc::new(AtomicBool::new(false));
        let job = Job {
            id: id.clone(),
            work,
            settings: Settings { time: time.unwrap_or(self.settings.time), ..self.settings },
            cancel: cancel.clone(),
        };
        let token = format!("linchpin-check-{id}");
        self.report_begin(&token, names.join(", "));
        let (id, uri, results) = (id.clone(), which.uri.clone(), Vec::new());
        let underway = Underway { id: id.clone(), uri, generation, names, cancel, token, results };
        self.jobs.list.insert(id, underway);
        self.jobs.waiting.push_back(job);
        self.next_job();
        self.publish(&which.uri);
        self.refresh_lenses();
        Ok(())
    }

    /// Starts the job that has waited longest, if none runs.
    fn next_job(&mut self) {
        if self.jobs.running.is_none()
            && let Some(job) = self.jobs.waiting.pop_front()
        {
            self.jobs.running = Some(job.id.clone());
            runner::start(job, self.events.clone());
        }
    }

    /// Ends jobs and answers them at once; a search may need a moment until it notices.
    pub(crate) fn cancel(&mut self, chosen: impl Fn(&Underway) -> bool) {
        let ids: Vec<RequestId> =
            self.jobs.list.values().filter(|job| chosen(job)).map(|job| job.id.clone()).collect();
        for id in ids {
            if let Some(job) = self.jobs.list.get(&id) {
                job.cancel.store(true, Ordering::Relaxed);
            }
            self.jobs.waiting.retain(|job| job.id != id);
            self.finished(&id);
        }
    }

    /// Something happened to a job.
    pub(crate) fn happened(&mut self, event: Event) {
        match event {
            Event::Progress { id, name, states } => {
                let Some(job) = self.jobs.list.get(&id) else { return };
                let message = format!("{name}: {} states", grouped(states));
                let (uri, generation) = (job.uri.clone(), job.generation);
                let report = WorkDoneProgressReport {
                    cancellable: Some(true),
                    message: Some(message),
                    percentage: None,
                };
                self.report(&job.token.clone(), WorkDoneProgress::Report(report));
                self.enter(&uri, generation, name, State::Running(states));
                self.refresh_lenses();
            }
            Event::Decided { id, name, outcome } => {
                let Some(job) = self.jobs.list.get_mut(&id) else { return };
                if outcome.interrupted {
                    return;
                }
                job.results.push(result(&name, &outcome));
                let (uri, generation) = (job.uri.clone(), job.generation);
                if self.enter(&uri, generation, name, State::Done(outcome)) {
                    self.publish(&uri);
                    self.refresh_lenses();
                }
            }
            Event::Finished { id } => self.finished(&id),
        }
    }

    /// Notes what is known about a check, unless the text has changed since.
    fn enter(&mut self, uri: &str, generation: u64, name: String, state: State) -> bool {
        match self.documents.get_mut(uri).filter(|d| d.generation == generation) {
            Some(document) => {
                document.checks.insert(name, state);
                true
            }
            None => false,
        }
    }

    fn finished(&mut self, id: &RequestId) {
        let Some(job) = self.jobs.list.remove(id) else { return };
        self.jobs.running.take_if(|running| running == id);
        self.report(&job.token, WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
        let current = self.documents.get_mut(&job.uri).filter(|d| d.generation == job.generation);
        let changed = current.is_none();
        if let Some(document) = current {
            // What was not decided can be asked for again.
            let running = |state: &State| matches!(state, State::Running(_));
            document.checks.retain(|name, s| !(running(s) && job.names.contains(name)));
        }
        let answer = match (job.cancel.load(Ordering::Relaxed), changed) {
            (_, true) => {
                let what = "the text has changed";
                Err(Refusal::new(ErrorCode::ContentModified, what))
            }
            (true, false) => Err(Refusal::new(ErrorCode::RequestCanceled, "stopped")),
            (false, false) => Ok(Json::Array(job.results)),
        };
        self.respond(id.clone(), answer);
        self.next_job();
        self.refresh_lenses();
    }

    fn report_begin(&mut self, token: &str, title: String) {
        if !self.client.shows_progress {
            return;
        }
        let create =
            WorkDoneProgressCreateParams { token: NumberOrString::String(token.to_string()) };
        self.ask::<ask::WorkDoneProgressCreate>(create);
        let begin = WorkDoneProgressBegin {
            title: format!("Checking {title}"),
            cancellable: Some(true),
            ..WorkDoneProgressBegin::default()
        };
        self.report(token, WorkDoneProgress::Begin(begin));
    }

    fn report(&self, token: &str, what: WorkDoneProgress) {
        if self.client.shows_progress {
            self.notify::<notify::Progress>(ProgressParams {
                token: NumberOrString::String(token.to_string()),
                value: ProgressParamsValue::WorkDone(what),
            });
        }
    }
}

/// A verdict for the client.
fn result(name: &str, outcome: &Outcome) -> Json {
    json!({
        "check": name,
        "verdict": outcome.verdict,
        "expected": outcome.expected,
        "states": outcome.states,
        "title": outcome.title,
        "message": outcome.finding.as_ref().map(|f| f.message.clone()),
    })
}
