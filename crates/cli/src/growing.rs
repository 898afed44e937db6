//! A log that grows: its lines as they come, and no longer waited for than asked.
//!
//! A file that has no more for now is looked at again. Standard input is read by a thread of its own, since nobody can say how
//! long that takes, and limits of time have to be noticed meanwhile; it is ended with the program.

use std::fs::File;
use std::io::{BufRead, BufReader, Result};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::input::is_standard;

/// Lines that were read and not asked for, at most.
const AHEAD: usize = 1024;

/// A log that grows.
pub(crate) enum Growing {
    Standard(Receiver<Result<Vec<u8>>>),
    /// With a line that has not come to its end.
    File(BufReader<File>, Vec<u8>),
}

/// What has come.
pub(crate) enum Came {
    /// A line; the last one of standard input may have no end.
    Line(Vec<u8>),
    Nothing,
    /// There will be no more.
    End,
}

impl Growing {
    pub(crate) fn open(path: &Path) -> Result<Growing> {
        if !is_standard(path) {
            return Ok(Growing::File(BufReader::new(File::open(path)?), Vec::new()));
        }
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        std::thread::spawn(move || {
            let mut reader = std::io::stdin().lock();
            loop {
                let mut line = Vec::new();
                let read = reader.read_until(b'\n', &mut line);
                let over = !matches!(read, Ok(1..));
                if matches!(read, Ok(0)) || sender.send(read.map(|_| line)).is_err() || over {
                    break;
                }
            }
        });
        Ok(Growing::Standard(receiver))
    }

    /// The next line, if it comes soon.
    pub(crate) fn next(&mut self, soon: Duration) -> Result<Came> {
        match self {
            Growing::Standard(lines) => match lines.recv_timeout(soon) {
                Ok(line) => line.map(Came::Line),
                Err(RecvTimeoutError::Timeout) => Ok(Came::Nothing),
                Err(RecvTimeoutError::Disconnected) => Ok(Came::End),
            },
            Growing::File(reader, line) => {
                let read = reader.read_until(b'\n', line)?;
                if line.ends_with(b"\n") {
                    return Ok(Came::Line(std::mem::take(line)));
                }
                if read == 0 {
                    std::thread::sleep(soon);
                }
                Ok(Came::Nothing)
            }
        }
    }
}
