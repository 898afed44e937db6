//! Writes systems to files or to standard output.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use linchpin_lts::{Dialect, Explicit, write_aut, write_dot};

use super::options::{SystemFormat, Target};
use super::system::Failure;
use crate::input::reason;
use crate::outcome::{Kind, Problem};
use crate::render::numbers::grouped;

/// Nobody can look at a picture with more states than this.
const MOST_DRAWN: u32 = 5_000;

/// Writes a system.
pub(super) fn write(lts: &Explicit, target: &Target) -> Result<(), Failure> {
    let extension = target.output.as_deref().and_then(Path::extension).and_then(|e| e.to_str());
    let format = target.format.unwrap_or(match extension {
        Some("dot" | "gv") => SystemFormat::Dot,
        _ => SystemFormat::Aut,
    });
    let path = target.output.as_deref().unwrap_or(Path::new(""));
    if format == SystemFormat::Dot && lts.states() > MOST_DRAWN {
        let message = format!(
            "a picture of {} states cannot be looked at (at most {}); reduce the system first",
            grouped(u64::from(lts.states())),
            grouped(u64::from(MOST_DRAWN))
        );
        return Err(Problem::new(Kind::Unsupported, path, message).into());
    }
    let result = match &target.output {
        Some(path) => File::create(path).and_then(|file| put(lts, format, BufWriter::new(file))),
        None => put(lts, format, BufWriter::new(std::io::stdout().lock())),
    };
    match result {
        // Nobody reads any more, which is nobody's fault.
        Err(e) if target.output.is_none() && e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => {
            let message = format!("cannot write the system: {}", reason(&e));
            Err(Problem::new(Kind::Unreadable, path, message).into())
        }
        Ok(()) => Ok(()),
    }
}

fn put(lts: &Explicit, format: SystemFormat, mut output: impl Write) -> std::io::Result<()> {
    match format {
        SystemFormat::Aut => write_aut(lts, Dialect::Mcrl2, &mut output)?,
        SystemFormat::Cadp => write_aut(lts, Dialect::Cadp, &mut output)?,
        SystemFormat::Dot => write_dot(lts, &mut output)?,
    }
    output.flush()
}
