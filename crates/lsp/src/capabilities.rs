//! What the server can do, and what it needs to know about the client.

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, ExecuteCommandOptions, HoverProviderCapability, InitializeParams, OneOf,
    RenameOptions, SaveOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, WorkDoneProgressOptions,
};
use serde::Deserialize;

/// Runs checks. Argument: `{ "uri": ..., "name": ... }`; without a name, all checks of the text.
pub const CHECK: &str = "linchpin.check";
/// Ends running checks. Argument as for [`CHECK`].
pub const CANCEL: &str = "linchpin.cancel";

/// Everything that is offered.
pub(crate) fn server() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(SaveOptions::default().into()),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".to_string()]),
            ..CompletionOptions::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![CHECK.to_string(), CANCEL.to_string()],
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        ..ServerCapabilities::default()
    }
}

/// What the client can do, as far as it matters, and what it wants.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Client {
    /// It can be asked to ask for lenses again.
    pub(crate) refreshes_lenses: bool,
    /// It shows progress that the server reports.
    pub(crate) shows_progress: bool,
    /// How long a check may take.
    pub(crate) seconds: Option<f64>,
}

/// `initializationOptions`
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    check_seconds: Option<f64>,
}

impl Client {
    pub(crate) fn of(params: &InitializeParams) -> Client {
        let capabilities = &params.capabilities;
        let lenses = capabilities.workspace.as_ref().and_then(|w| w.code_lens.as_ref());
        let progress = capabilities.window.as_ref().and_then(|w| w.work_done_progress);
        let options = params.initialization_options.clone();
        let options: Options =
            options.and_then(|o| serde_json::from_value(o).ok()).unwrap_or_default();
        Client {
            refreshes_lenses: lenses.and_then(|l| l.refresh_support).unwrap_or(false),
            shows_progress: progress.unwrap_or(false),
            seconds: options.check_seconds.filter(|s| s.is_finite() && *s > 0.0),
        }
    }
}
