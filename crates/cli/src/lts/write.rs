//! Writes systems to files or to standard output. A part of a system is worse than none: a file is replaced at
//! once or not at all.

use std::io::{BufWriter, Write};
use std::path::Path;

use linchpin_lts::{Dialect, Explicit, write_aut, write_dot};

use super::options::{Destination, SystemFormat};
use crate::figure::system;
use crate::file;
use crate::input::reason;
use crate::outcome::{Failure, Kind, Problem};
use crate::render::numbers::grouped;
use crate::watch::Watch;

/// Nobody can look at a picture with more states than this.
const MOST_DRAWN: u32 = 5_000;

/// The same of pictures that are laid out here.
const MOST_LAID_OUT: u32 = 300;

/// Writes a system wherever it was asked for.
pub(super) fn write(
    lts: &Explicit,
    files: &[Destination],
    watch: &Watch<'_>,
) -> Result<(), Failure> {
    files.iter().try_for_each(|(path, format)| one(lts, path.as_deref(), *format, watch))
}

fn one(
    lts: &Explicit,
    path: Option<&Path>,
    format: SystemFormat,
    watch: &Watch<'_>,
) -> Result<(), Failure> {
    let shown = path.unwrap_or(Path::new(""));
    let most = match format {
        SystemFormat::Aut | SystemFormat::Cadp => u32::MAX,
        SystemFormat::Dot => MOST_DRAWN,
        SystemFormat::Svg | SystemFormat::Tikz => MOST_LAID_OUT,
    };
    if lts.states() > most {
        let message = format!(
            "a picture of {} states cannot be looked at (at most {}); reduce the system first",
            grouped(u64::from(lts.states())),
            grouped(u64::from(most))
        );
        return Err(Problem::new(Kind::Unsupported, shown, message).into());
    }
    let result = match path {
        Some(path) => file::write(path, |file| put(lts, format, watch.stream(file))),
        None => put(lts, format, watch.stream(std::io::stdout().lock())),
    };
    let Err(error) = result else { return Ok(()) };
    match watch.stopped() {
        Some(limit) => Err(Failure::Limit(limit)),
        // Nobody reads any more, which is nobody's fault.
        None if path.is_none() && error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        None => {
            let message = format!("cannot write the system: {}", reason(&error));
            Err(Problem::new(Kind::Unreadable, shown, message).into())
        }
    }
}

fn put(lts: &Explicit, format: SystemFormat, output: impl Write) -> std::io::Result<()> {
    let mut output = BufWriter::with_capacity(1 << 16, output);
    match format {
        SystemFormat::Aut => write_aut(lts, Dialect::Mcrl2, &mut output)?,
        SystemFormat::Cadp => write_aut(lts, Dialect::Cadp, &mut output)?,
        SystemFormat::Dot => write_dot(lts, &mut output)?,
        SystemFormat::Svg => output.write_all(system::draw(lts).write(false).as_bytes())?,
        SystemFormat::Tikz => output.write_all(system::draw(lts).write(true).as_bytes())?,
    }
    output.flush()
}
