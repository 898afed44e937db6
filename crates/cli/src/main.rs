//! Linchpin on the command line: the only crate that reads files, prints and looks at the clock.
//!
//! `args` says what can be asked, one file per command answers, `render` turns data into text.

mod again;
mod answer;
mod args;
mod bounds;
mod browser;
mod check;
mod checkpoint;
mod classify;
mod csp;
mod demand;
mod exit;
mod file;
mod fmt;
mod growing;
mod history;
mod input;
mod language;
mod list;
mod lsp;
mod lts;
mod mcrl2;
mod memory;
mod names;
mod orders;
mod outcome;
mod output;
mod points;
mod refused;
mod render;
mod screen;
mod session;
mod shelf;
mod simulate;
mod together;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Arguments, Command};
use exit::Exit;
use screen::Screen;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and versions are errors of clap, too; a closed pipe is nobody's fault.
            let _ = error.print();
            let code = if error.use_stderr() { Exit::BadInput } else { Exit::Holds };
            return code.into();
        }
    };
    let screen = Screen::new(arguments.color);
    session::guarded(&screen, || run(&arguments.command, &screen)).into()
}

fn run(command: &Command, screen: &Screen) -> Exit {
    match command {
        Command::Check(options) => check::run(options, screen),
        Command::Cluster(options) => together::cluster(options, screen),
        Command::Points(options) => points::run(options, screen),
        Command::History(options) => history::run(options, screen),
        Command::Simulate(options) => simulate::run(options, screen),
        Command::List { files, set, lib } => {
            let bounds = args::BoundOptions {
                set: set.clone(),
                lib: lib.clone(),
                ..args::BoundOptions::default()
            };
            list::run(files, &bounds, screen)
        }
        Command::Fmt { files, check } => fmt::run(files, *check, screen),
        Command::Lsp { stdio: _, timeout } => lsp::run(*timeout, screen),
        Command::Lts(options) => lts::lts(options, screen),
        Command::Reduce(options) => lts::reduce(options, screen),
        Command::Compare(options) => lts::compare(options, screen),
        Command::Reductions => {
            screen.print(&list::reductions());
            Exit::Holds
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "linchpin", &mut script);
            screen.print(&String::from_utf8_lossy(&script));
            Exit::Holds
        }
    }
}
