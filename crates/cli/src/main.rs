//! Linchpin on the command line: the only crate that reads files, prints and looks at the clock.
//!
//! `args` says what can be asked, one file per command answers, `render` turns data into text.

mod advice;
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
mod explore;
mod figure;
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
mod starting;
mod tally;
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
        Command::Explore(options) => explore::run(options, screen),
        Command::New { kind, output, list } => {
            starting::new(kind.as_deref(), output.as_deref(), *list, screen)
        }
        Command::Example { name } => starting::example(name.as_deref(), screen),
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
        Command::Man => {
            let mut page = Vec::new();
            // Writing to memory does not fail.
            let _ = man(&mut page);
            screen.print(&String::from_utf8_lossy(&page));
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

/// The manual page: the program, and after it every command.
fn man(page: &mut Vec<u8>) -> std::io::Result<()> {
    let mut whole = Arguments::command();
    whole.build();
    clap_mangen::Man::new(whole.clone()).render(page)?;
    for command in whole.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        let man = clap_mangen::Man::new(command.clone());
        let mut part = Vec::new();
        man.render_synopsis_section(&mut part)?;
        man.render_description_section(&mut part)?;
        man.render_options_section(&mut part)?;
        let heading = format!(".SH \"{}\"\n", command.get_name().to_uppercase());
        page.extend(heading.as_bytes());
        // Sections of a command are parts of its own.
        page.extend(String::from_utf8_lossy(&part).replace("\n.SH ", "\n.SS ").as_bytes());
    }
    Ok(())
}
