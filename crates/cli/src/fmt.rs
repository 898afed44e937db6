//! `linchpin fmt`: lays files out. A file is replaced at once or not at all; `-` is standard input, which is written to
//! standard output.

use std::path::{Path, PathBuf};

use linchpin_lin::syntax;

use crate::exit::Exit;
use crate::file;
use crate::input::{self, reason};
use crate::language::Language;
use crate::names::shown;
use crate::outcome::Problem;
use crate::render::text;
use crate::screen::Screen;

/// Formats files; with `check`, says only which ones would change.
pub(crate) fn run(files: &[PathBuf], check: bool, screen: &Screen) -> Exit {
    let one = |path: Result<PathBuf, Problem>| {
        path.and_then(|path| laid_out(&path, check, screen)).unwrap_or_else(|problem| {
            screen.error(&text::problem(screen, &problem));
            problem.exit()
        })
    };
    // Of a directory, what has a layout; what was given by its name is refused if it has none.
    let meant = |path: &PathBuf| files.contains(path) || Language::of(path) == Some(Language::Lin);
    let found = input::models(files).into_iter().filter(|path| path.as_ref().map_or(true, meant));
    found.map(one).max().unwrap_or(Exit::Holds)
}

fn laid_out(path: &Path, check: bool, screen: &Screen) -> Result<Exit, Problem> {
    let piped = path == Path::new("-");
    if !piped {
        Language::among(path, &[Language::Lin], "`linchpin fmt`")?;
    }
    let text = input::read(path, Language::Lin)?;
    let formatted = match syntax::format(&text) {
        Ok(formatted) => formatted,
        Err(diagnostics) => return Err(Problem::wrong(path, text, diagnostics)),
    };
    if piped && !check {
        screen.print(&formatted);
        return Ok(Exit::Holds);
    }
    if text == formatted {
        return Ok(Exit::Holds);
    }
    if check {
        screen.print(&format!("{}: is not formatted\n", shown(path)));
        return Ok(Exit::Violated);
    }
    if let Err(error) = file::replace(path, &formatted) {
        screen.complain(&format!("cannot write {}: {}", shown(path), reason(&error)));
        return Ok(Exit::BadInput);
    }
    Ok(Exit::Holds)
}
