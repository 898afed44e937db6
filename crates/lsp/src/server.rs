//! The loop: messages of the client and events of running checks, one at a time.
//!
//! Changes are analysed when no further message waits, or when somebody asks about the text; so fast
//! typing costs one analysis, not one per key.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{
    Connection, ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError,
};
use lsp_types::notification::{self as notify, Notification as _};
use lsp_types::request::{self as ask, Request as _};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentSymbolResponse, GotoDefinitionResponse, InitializeParams, InitializeResult,
    PrepareRenameResponse, PublishDiagnosticsParams, ServerInfo, WorkspaceEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::Settings;
use crate::capabilities::{self, Client};
use crate::document::Document;
use crate::jobs::Jobs;
use crate::language::{Buffers, path_of};
use crate::runner::Event;
use crate::{actions, complete, diagnostics, format, hover, lens, navigate, rename, symbols};

/// Serves a client until it says goodbye. An error if it leaves without a word, or does not keep to
/// the protocol.
pub fn serve(connection: &Connection, settings: Settings) -> Result<(), String> {
    let (id, params) = connection.initialize_start().map_err(|e| e.to_string())?;
    let params: InitializeParams = serde_json::from_value(params).unwrap_or_default();
    let result = InitializeResult {
        capabilities: capabilities::server(),
        server_info: Some(ServerInfo {
            name: "linchpin".to_string(),
            version: Some(env!("CARGO_PKG_VERSION").to_string()),
        }),
    };
    let result = serde_json::to_value(result).unwrap_or_default();
    connection.initialize_finish(id, result).map_err(|e| e.to_string())?;
    let (sender, events) = unbounded();
    let server = Server {
        sender: connection.sender.clone(),
        documents: BTreeMap::new(),
        buffers: Buffers::default(),
        jobs: Jobs::default(),
        events: sender,
        client: Client::of(&params),
        settings,
        asked: 0,
        leaving: false,
    };
    server.run(connection, &events)
}

pub(crate) struct Server {
    sender: Sender<Message>,
    /// By their addresses.
    pub(crate) documents: BTreeMap<String, Document>,
    /// Their texts, for those that use them.
    buffers: Buffers,
    pub(crate) jobs: Jobs,
    /// For running checks.
    pub(crate) events: Sender<Event>,
    pub(crate) client: Client,
    pub(crate) settings: Settings,
    /// How many requests were sent to the client.
    asked: i32,
    /// Has the client asked for the end?
    leaving: bool,
}

/// Why a request has no answer.
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }
}

/// An answer, or none yet.
type Answer = Result<Option<Json>, Refusal>;

impl Server {
    fn run(mut self, connection: &Connection, events: &Receiver<Event>) -> Result<(), String> {
        loop {
            let message = match connection.receiver.try_recv() {
                Ok(message) => Ok(message),
                Err(_) => {
                    self.publish_changes();
                    select! {
                        recv(connection.receiver) -> message => message,
                        recv(events) -> event => {
                            if let Ok(event) = event {
                                self.happened(event);
                            }
                            continue;
                        }
                    }
                }
            };
            match message {
                Ok(Message::Request(request)) if request.method == ask::Shutdown::METHOD => {
                    self.cancel(|_| true);
                    self.leaving = true;
                    self.respond(request.id, Ok(Json::Null));
                }
                Ok(Message::Request(request)) if self.leaving => {
                    let refusal = Refusal::new(ErrorCode::InvalidRequest, "the server is leaving");
                    self.respond(request.id, Err(refusal));
                }
                Ok(Message::Request(request)) => self.request(request),
                Ok(Message::Notification(n)) if n.method == notify::Exit::METHOD => {
                    return match self.leaving {
                        true => Ok(()),
                        false => self.abandoned("the client left without `shutdown`"),
                    };
                }
                Ok(Message::Notification(notification)) => self.notification(notification),
                // Answers to what the server asked for carry no news.
                Ok(Message::Response(_)) => {}
                Err(_) => return self.abandoned("the connection was closed"),
            }
        }
    }

    /// There is nobody to talk to any more.
    fn abandoned(&mut self, why: &str) -> Result<(), String> {
        self.cancel(|_| true);
        Err(why.to_string())
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&id, &method, params)));
        let answer = answer.unwrap_or_else(|_| {
            let what = format!("`{method}` panicked; this is a defect of Linchpin");
            Err(Refusal::new(ErrorCode::InternalError, what))
        });
        match answer {
            Ok(None) => {}
            Ok(Some(result)) => self.respond(id, Ok(result)),
            Err(refusal) => self.respond(id, Err(refusal)),
        }
    }

    fn answer(&mut self, id: &RequestId, method: &str, params: Json) -> Answer {
        match method {
            ask::HoverRequest::METHOD => self.about::<ask::HoverRequest>(params, |d, p| {
                hover::hover(d, p.text_document_position_params.position)
            }),
            ask::GotoDefinition::METHOD => self.about::<ask::GotoDefinition>(params, |d, p| {
                let at = p.text_document_position_params.position;
                navigate::definition(d, at).map(GotoDefinitionResponse::Scalar)
            }),
            ask::References::METHOD => self.about::<ask::References>(params, |d, p| {
                let at = p.text_document_position.position;
                navigate::references(d, at, p.context.include_declaration)
            }),
            ask::DocumentHighlightRequest::METHOD => self
                .about::<ask::DocumentHighlightRequest>(params, |d, p| {
                    navigate::highlights(d, p.text_document_position_params.position)
                }),
            ask::DocumentSymbolRequest::METHOD => self
                .about::<ask::DocumentSymbolRequest>(params, |d, _| {
                    Some(DocumentSymbolResponse::Nested(symbols::outline(d)))
                }),
            ask::Formatting::METHOD => {
                self.about::<ask::Formatting>(params, |d, _| Some(format::format(d)))
            }
            ask::Completion::METHOD => self.about::<ask::Completion>(params, |d, p| {
                Some(complete::complete(d, p.text_document_position.position).into())
            }),
            ask::CodeActionRequest::METHOD => self
                .about::<ask::CodeActionRequest>(params, |d, p| Some(actions::actions(d, p.range))),
            ask::CodeLensRequest::METHOD => {
                self.about::<ask::CodeLensRequest>(params, |d, _| Some(lens::lenses(d)))
            }
            ask::PrepareRenameRequest::METHOD => {
                let document = self.document(&params)?;
                let params: lsp_types::TextDocumentPositionParams = parse(params)?;
                let (range, placeholder) =
                    rename::prepare(document, params.position).map_err(request_failed)?;
                json(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder })
            }
            ask::Rename::METHOD => {
                let document = self.document(&params)?;
                let params: lsp_types::RenameParams = parse(params)?;
                let at = params.text_document_position.position;
                let edits =
                    rename::rename(document, at, params.new_name.trim()).map_err(request_failed)?;
                #[allow(clippy::mutable_key_type)] // the protocol wants it; the key does not change
                let changes = HashMap::from([(document.uri.clone(), edits)]);
                json(WorkspaceEdit::new(changes))
            }
            ask::ExecuteCommand::METHOD => self.command(id, parse(params)?),
            _ => {
                let what = format!("there is no `{method}` here");
                Err(Refusal::new(ErrorCode::MethodNotFound, what))
            }
        }
    }

    /// Answers a question about a text.
    fn about<R: ask::Request>(
        &mut self,
        params: Json,
        answer: impl FnOnce(&Document, R::Params) -> R::Result,
    ) -> Answer {
        let document = self.document(&params)?;
        json(answer(document, parse(params)?))
    }

    /// The text that a question is about, analysed.
    fn document(&mut self, params: &Json) -> Result<&Document, Refusal> {
        let uri = params.pointer("/textDocument/uri").and_then(Json::as_str).unwrap_or_default();
        self.open(uri)
    }

    /// The text of an address, analysed.
    pub(crate) fn open(&mut self, uri: &str) -> Result<&Document, Refusal> {
        match self.documents.get_mut(uri) {
            Some(document) => {
                document.refresh();
                Ok(document)
            }
            None => {
                let what = format!("`{uri}` is not open");
                Err(Refusal::new(ErrorCode::InvalidParams, what))
            }
        }
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        // A notification cannot be refused; one that makes no sense is left alone.
        let done = catch_unwind(AssertUnwindSafe(|| self.notified(&method, params)));
        if !matches!(done, Ok(Some(()))) {
            let message = format!("`{method}` was not understood");
            let params =
                lsp_types::LogMessageParams { typ: lsp_types::MessageType::WARNING, message };
            self.notify::<notify::LogMessage>(params);
        }
    }

    fn notified(&mut self, method: &str, params: Json) -> Option<()> {
        match method {
            notify::DidOpenTextDocument::METHOD => {
                let DidOpenTextDocumentParams { text_document: t } = parse(params).ok()?;
                let key = t.uri.as_str().to_string();
                self.cancel(|job| job.uri == key);
                self.keep(&key, Some(&t.text));
                let (shelf, buffers) = (self.settings.shelf, self.buffers.clone());
                let document = Document::new(t.uri, t.version, t.text, shelf, buffers);
                self.notify::<notify::PublishDiagnostics>(diagnostics::publish(&document));
                self.documents.insert(key, document);
            }
            notify::DidChangeTextDocument::METHOD => {
                let DidChangeTextDocumentParams { text_document: t, content_changes } =
                    parse(params).ok()?;
                let key = t.uri.as_str();
                let document = self.documents.get_mut(key)?;
                document.change(t.version, content_changes);
                let text = document.text.clone();
                self.cancel(|job| job.uri == key);
                self.keep(key, Some(&text));
            }
            notify::DidCloseTextDocument::METHOD => {
                let DidCloseTextDocumentParams { text_document: t } = parse(params).ok()?;
                self.documents.remove(t.uri.as_str());
                self.cancel(|job| job.uri == t.uri.as_str());
                self.keep(t.uri.as_str(), None);
                let nothing = PublishDiagnosticsParams::new(t.uri, Vec::new(), None);
                self.notify::<notify::PublishDiagnostics>(nothing);
            }
            notify::Cancel::METHOD => {
                let params: lsp_types::CancelParams = parse(params).ok()?;
                let id: RequestId = match params.id {
                    lsp_types::NumberOrString::Number(n) => n.into(),
                    lsp_types::NumberOrString::String(s) => s.into(),
                };
                self.cancel(|job| job.id == id);
            }
            notify::WorkDoneProgressCancel::METHOD => {
                let params: lsp_types::WorkDoneProgressCancelParams = parse(params).ok()?;
                if let lsp_types::NumberOrString::String(token) = params.token {
                    self.cancel(|job| job.token == token);
                }
            }
            // What need not be known: `initialized`, `didSave`, `$/setTrace` and their like.
            _ => {}
        }
        Some(())
    }

    /// Keeps the text of a file that is open, for others that use it, which are out of date now.
    fn keep(&mut self, uri: &str, text: Option<&str>) {
        let Some(path) = path_of(uri) else { return };
        if let Ok(mut open) = self.buffers.lock() {
            match text {
                Some(text) => open.insert(path, text.into()),
                None => open.remove(&path),
            };
        }
        let mut outdated = Vec::new();
        for (other, document) in self.documents.iter_mut().filter(|(other, _)| *other != uri) {
            if document.uses_others() {
                document.outdated();
                outdated.push(other.clone());
            }
        }
        self.cancel(|job| outdated.contains(&job.uri));
    }

    /// Analyses what has changed and says what is wrong with it.
    fn publish_changes(&mut self) {
        let stale: Vec<String> =
            self.documents.iter().filter(|(_, d)| d.stale).map(|(uri, _)| uri.clone()).collect();
        for uri in &stale {
            let refresh = AssertUnwindSafe(|| self.open(uri).is_ok());
            if !matches!(catch_unwind(refresh), Ok(true)) {
                continue;
            }
            self.publish(uri);
        }
        if !stale.is_empty() {
            self.refresh_lenses();
        }
    }

    /// Says what is wrong with a text.
    pub(crate) fn publish(&mut self, uri: &str) {
        if let Some(document) = self.documents.get(uri) {
            self.notify::<notify::PublishDiagnostics>(diagnostics::publish(document));
        }
    }

    pub(crate) fn refresh_lenses(&mut self) {
        if self.client.refreshes_lenses {
            self.ask::<ask::CodeLensRefresh>(());
        }
    }

    pub(crate) fn respond(&self, id: RequestId, answer: Result<Json, Refusal>) {
        let response_result = answer.map_err(|r| ResponseError {
            code: r.code as i32,
            message: r.message,
            data: None,
        });
        // If the client is gone, the loop will notice.
        let _ = self.sender.send(Response { id, response_result }.into());
    }

    pub(crate) fn notify<N: notify::Notification>(&self, params: N::Params)
    where
        N::Params: Serialize,
    {
        let params = serde_json::to_value(params).unwrap_or_default();
        let _ = self.sender.send(Notification { method: N::METHOD.to_string(), params }.into());
    }

    pub(crate) fn ask<R: ask::Request>(&mut self, params: R::Params) {
        self.asked += 1;
        let params = serde_json::to_value(params).unwrap_or_default();
        let id = RequestId::from(format!("linchpin-{}", self.asked));
        let _ = self.sender.send(Request { id, method: R::METHOD.to_string(), params }.into());
    }
}

/// What the client sent, if it makes sense.
fn parse<P: DeserializeOwned>(params: Json) -> Result<P, Refusal> {
    serde_json::from_value(params)
        .map_err(|e| Refusal::new(ErrorCode::InvalidParams, format!("wrong parameters: {e}")))
}

fn json(result: impl Serialize) -> Answer {
    match serde_json::to_value(result) {
        Ok(json) => Ok(Some(json)),
        Err(e) => Err(Refusal::new(ErrorCode::InternalError, e.to_string())),
    }
}

fn request_failed(why: String) -> Refusal {
    Refusal::new(ErrorCode::RequestFailed, why)
}
