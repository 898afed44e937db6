//! Linchpin on the command line: the only crate that reads files, prints and looks at the clock.
//!
//! `args` says what can be asked, one file per command answers, `render` turns data into text.

mod args;
mod bounds;
mod check;
mod exit;
mod input;
mod memory;
mod render;
mod screen;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use exit::Exit;
use screen::Screen;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    let exit = match &arguments.command {
        Command::Check(options) => check::run(options, &screen),
    };
    exit.into()
}
