//! `linchpin explore`: a page on this machine on which one edits a model, checks it and chooses the steps of executions.
//!
//! `http` is the server, `api` the questions of the page, `execution` what they are about. The page itself is made by the
//! crate `page`.

mod api;
mod execution;
mod http;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::json;

use crate::args::{ExploreOptions, LimitOptions};
use crate::exit::Exit;
use crate::input;
use crate::language::Language;
use crate::names::shown;
use crate::outcome::{Kind, Problem};
use crate::refused::{Given, refused};
use crate::render::text;
use crate::render::verdict::Limits;
use crate::screen::Screen;
use crate::{browser, memory};

use api::Api;
use http::Server;

/// A check ends after this time unless told otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Serves the page until the program is ended.
pub(crate) fn run(options: &ExploreOptions, screen: &Screen) -> Exit {
    serve(options, screen).unwrap_or_else(|problem| {
        screen.error(&text::problem(screen, &problem));
        problem.exit()
    })
}

fn serve(options: &ExploreOptions, screen: &Screen) -> Result<Exit, Problem> {
    let path = &options.file;
    let language = Language::among(path, &[Language::Lin], "`linchpin explore`")?;
    let given = Given { check: None, name: false, bounds: &options.bounds };
    if let Some(message) = refused(&[language], &given) {
        return Err(Problem::new(Kind::Unsupported, path, message));
    }
    // A text with errors is welcome: it can be mended on the page.
    let text = input::read(path, Language::Lin)?;
    let server = match Server::new(options.port) {
        Ok(server) => server,
        Err(message) => {
            screen.complain(&message);
            return Ok(Exit::BadInput);
        }
    };
    memory::measure();
    let api = Api::new(path, options.bounds.clone(), limits(options), page(options, &text));
    let address = server.address();
    screen.print(&format!("{address}\n"));
    screen.error("The page is for this machine only and ends with this program (Ctrl-C).\n");
    if options.open && !browser::open(&address) {
        screen.error("note: no browser could be started; open the address above\n");
    }
    server.run(&|request| api.answer(request));
    Ok(Exit::Holds)
}

fn limits(options: &ExploreOptions) -> Limits {
    let ExploreOptions { max_states, max_memory, workers, .. } = *options;
    let timeout = options.timeout.or(Some(TIMEOUT));
    Limits::new(&LimitOptions {
        max_states,
        max_memory,
        timeout,
        workers,
        ..LimitOptions::default()
    })
}

/// The page and what it may do.
fn page(options: &ExploreOptions, text: &str) -> (String, String) {
    linchpin_page::explore(&json!({
        "file": shown(&options.file),
        "text": text,
        "check": options.name,
        "seconds": limits(options).time.map(|t| t.as_secs()),
    }))
}
