//! Checkpoints: a directory with what is needed to go on with a run that was ended.
//!
//! The file `run` says what was asked: the version of Linchpin, the command without what has no influence on the answer, and
//! what the files were that it names. It is written first; a directory without it is no checkpoint, and one with
//! another is refused. Every search of the run that takes long has a file of its own, `search-1`, `search-2` and so on, in
//! the order in which they begin, which is the same in every run. Short ones are done again.
//!
//! Files are replaced at once or not at all (`file`), so whatever ends the program leaves the last good one. A sum at the end
//! of each shows damage of the disk before anything is believed. When there is an answer to everything, they are removed.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use linchpin_engine::Keeper;
use linchpin_text::printable_name;

use crate::args::CheckpointOptions;
use crate::exit::Exit;
use crate::file;
use crate::input;
use crate::language::{self, Language};
use crate::screen::Screen;
use crate::shelf;

/// Unless it is said, a search is kept so often.
const EVERY: Duration = Duration::from_secs(60);
/// Keeping it takes no more than one part in so many of the time.
const SHARE: u32 = 10;
/// The format of the files of searches.
const FORMAT: &str = "format 3";
/// So much is written or read at once.
const BUFFER: usize = 1 << 20;
/// The length of the sum at the end of a file.
const SUM: u64 = 4;

/// A directory in which searches are kept.
pub(crate) struct Checkpoint {
    screen: Screen,
    directory: PathBuf,
    /// Is there something to go on with?
    resumed: bool,
    every: Duration,
    begun: AtomicU32,
    /// When a search was kept the last time, and how long to wait from then on.
    last: Mutex<(Instant, Duration)>,
    kept: AtomicBool,
    complained: AtomicBool,
}

impl Checkpoint {
    /// What was asked for, if it was. The arguments are those of the program.
    pub(crate) fn new(
        options: &CheckpointOptions,
        arguments: &[String],
        screen: Screen,
    ) -> Result<Option<Checkpoint>, String> {
        let (directory, resumed) = match (&options.checkpoint, &options.resume) {
            (Some(directory), _) => (directory, false),
            (None, Some(directory)) => (directory, true),
            (None, None) if options.checkpoint_every.is_some() => {
                return Err("`--checkpoint-every` needs `--checkpoint` or `--resume`".to_string());
            }
            (None, None) => return Ok(None),
        };
        let every = options.checkpoint_every.unwrap_or(EVERY);
        let checkpoint = Checkpoint {
            screen,
            directory: directory.clone(),
            resumed,
            every,
            begun: AtomicU32::new(0),
            last: Mutex::new((Instant::now(), every)),
            kept: AtomicBool::new(resumed),
            complained: AtomicBool::new(false),
        };
        let asked = Asked::of(arguments)?;
        let name = printable_name(&directory.to_string_lossy()).into_owned();
        let run = directory.join(RUN);
        match resumed {
            true => {
                let text = fs::read_to_string(&run)
                    .map_err(|error| format!("there is no checkpoint in `{name}`: {error}"))?;
                asked.must_be(&text, &name)?;
                checkpoint.verify()?;
                checkpoint.clean();
            }
            false => {
                if run.exists() {
                    return Err(format!(
                        "there is a checkpoint in `{name}` already: go on with it (`--resume {name}`), or choose \
                         another directory"
                    ));
                }
                let written =
                    fs::create_dir_all(directory).and_then(|()| file::replace(&run, &asked.text()));
                written.map_err(|error| format!("cannot write to `{name}`: {error}"))?;
            }
        }
        Ok(Some(checkpoint))
    }

    fn path(&self, search: u32) -> PathBuf {
        self.directory.join(format!("search-{search}"))
    }

    /// The files of which the names are like this.
    fn files(&self, is: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|path| path.file_name().is_some_and(|name| is(&name.to_string_lossy())));
        files.sort();
        files
    }

    /// The files of searches.
    fn searches(&self) -> Vec<PathBuf> {
        self.files(|name| name.starts_with("search-"))
    }

    /// Removes what was being written when the program was killed.
    fn clean(&self) {
        self.files(file::is_temporary).iter().for_each(|path| {
            let _ = fs::remove_file(path);
        });
    }

    /// Is every file as it was written?
    fn verify(&self) -> Result<(), String> {
        for path in self.searches() {
            let name = printable_name(&path.to_string_lossy()).into_owned();
            let whole = (|| {
                let mut file = BufReader::with_capacity(BUFFER, File::open(&path)?);
                let length = file.get_ref().metadata()?.len();
                let mut summed = Summed::new(io::sink());
                let body = length.checked_sub(SUM).ok_or(io::ErrorKind::UnexpectedEof)?;
                io::copy(&mut (&mut file).take(body), &mut summed)?;
                let mut sum = [0; SUM as usize];
                file.read_exact(&mut sum)?;
                Ok::<_, io::Error>(u32::from_le_bytes(sum) == summed.sum.finalize())
            })();
            match whole {
                Ok(true) => {}
                Ok(false) => return Err(format!("`{name}` is damaged")),
                Err(error) => return Err(format!("cannot read `{name}`: {error}")),
            }
        }
        Ok(())
    }

    /// The run is over. If there is an answer to everything, nothing is kept.
    pub(crate) fn end(&self, exit: Exit, unanswered: bool) {
        let answered = !unanswered && matches!(exit, Exit::Holds | Exit::Violated);
        let kept = self.kept.load(Ordering::Relaxed);
        if answered || !kept {
            self.searches().iter().for_each(|path| {
                let _ = fs::remove_file(path);
            });
            self.clean();
            // The directory may have been there before, with other files.
            let _ = fs::remove_file(self.directory.join(RUN));
            let _ = fs::remove_dir(&self.directory);
        } else if unanswered {
            let name = self.directory.to_string_lossy();
            let name = printable_name(&name);
            self.screen.error(&format!("to go on: the same command with `--resume {name}`\n"));
        }
    }
}

impl Keeper for Checkpoint {
    fn begin(&self) -> (u32, Option<Box<dyn Read>>) {
        let search = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        if let Ok(mut last) = self.last.lock() {
            *last = (Instant::now(), self.every);
        }
        let file = if self.resumed { File::open(self.path(search)).ok() } else { None };
        let reader = |file| Box::new(BufReader::with_capacity(BUFFER, file)) as Box<dyn Read>;
        (search, file.map(reader))
    }

    fn is_due(&self) -> bool {
        self.last.lock().is_ok_and(|last| last.0.elapsed() >= last.1)
    }

    fn keep(&self, search: u32, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let start = Instant::now();
        let written = file::write(&self.path(search), |file| {
            let mut out = BufWriter::with_capacity(BUFFER, Summed::new(file));
            write(&mut out)?;
            let summed = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            let sum = summed.sum.clone().finalize();
            summed.out.write_all(&sum.to_le_bytes())
        });
        match written {
            Ok(()) => self.kept.store(true, Ordering::Relaxed),
            Err(error) if self.complained.swap(true, Ordering::Relaxed) => drop(error),
            Err(error) => self.screen.complain(&format!(
                "the checkpoint could not be written: {error}; the search goes on without it"
            )),
        }
        if let Ok(mut last) = self.last.lock() {
            *last = (Instant::now(), self.every.max(start.elapsed() * SHARE));
        }
    }

    fn unreadable(&self, search: u32, why: &io::Error) {
        self.screen.complain(&format!(
            "the checkpoint of search {search} cannot be used: {why}; the search begins again"
        ));
    }
}

/// A stream whose bytes are summed up.
struct Summed<W> {
    out: W,
    sum: crc32fast::Hasher,
}

impl<W> Summed<W> {
    fn new(out: W) -> Self {
        Summed { out, sum: crc32fast::Hasher::new() }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.out.write(buffer)?;
        self.sum.update(&buffer[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The file that says what was asked.
const RUN: &str = "run";

/// Options without influence on an answer, and whether a value follows.
const IGNORED: &[(&str, bool)] = &[
    ("--max-states", true),
    ("--max-memory", true),
    ("--timeout", true),
    ("--workers", true),
    ("--checkpoint", true),
    ("--checkpoint-every", true),
    ("--resume", true),
    ("--hosts", true),
    ("--process", true),
    ("--secret", true),
    ("--format", true),
    ("--output", true),
    ("-o", true),
    ("--color", true),
    ("--open", false),
    ("--explain", false),
    ("--expect", false),
    ("--quiet", false),
    ("-q", false),
    ("--verbose", false),
    ("-v", false),
];

/// What was asked, as far as it has an influence on the answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    command: String,
    /// Names of files, and what is in them, in short.
    files: Vec<(String, String)>,
}

impl Asked {
    pub(crate) fn of(arguments: &[String]) -> Result<Asked, String> {
        let mut words = Vec::new();
        let mut files = Vec::new();
        let lib = libraries(arguments);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let ignored = |(option, value): &&(&str, bool)| {
                *option == argument || *value && argument.starts_with(&format!("{option}="))
            };
            if let Some((option, value)) = IGNORED.iter().find(ignored) {
                if *value && option == argument {
                    arguments.next();
                }
                continue;
            }
            let (path, _) = language::process(Path::new(argument));
            if input::is_standard(&path) {
                return Err("what comes from standard input is not there for another run or another process: \
                            give a file"
                    .to_string());
            }
            if path.exists() {
                add_files(&path, &lib, &mut files)
                    .map_err(|error| format!("cannot read `{argument}`: {error}"))?;
            }
            words.push(printable_name(argument).into_owned());
        }
        Ok(Asked { command: words.join(" "), files })
    }

    /// For another run, or for another process.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n{FORMAT}\n{}\n", version(), self.command);
        for (name, content) in &self.files {
            text += &format!("{content} {name}\n");
        }
        text
    }

    /// Is this what an earlier run was asked?
    fn must_be(&self, text: &str, directory: &str) -> Result<(), String> {
        let mut lines = text.lines();
        let mut next = || lines.next().unwrap_or_default();
        let (version_then, format, command) = (next(), next(), next());
        if (version_then, format) != (&version(), FORMAT) {
            return Err(format!(
                "the checkpoint in `{directory}` is of {version_then}, {format}; this is {}, {FORMAT}",
                version(),
            ));
        }
        if command != self.command {
            return Err(format!(
                "the checkpoint in `{directory}` is of another question:\n  then: linchpin {command}\n  now:  \
                 linchpin {}",
                self.command
            ));
        }
        let now: Vec<String> =
            self.files.iter().map(|(name, sum)| format!("{sum} {name}")).collect();
        let then: Vec<&str> = lines.collect();
        match now.iter().map(String::as_str).eq(then.iter().copied()) {
            true => Ok(()),
            false => {
                let other = |line: &&String| !then.contains(&line.as_str());
                let changed = now.iter().find(other).and_then(|line| line.split_once(' '));
                let which = changed.map_or("a file".to_string(), |(_, name)| format!("`{name}`"));
                Err(format!(
                    "{which} has changed since the checkpoint in `{directory}` was written"
                ))
            }
        }
    }
}

fn version() -> String {
    format!("linchpin {}", env!("CARGO_PKG_VERSION"))
}

/// The directories with C# code.
fn libraries(arguments: &[String]) -> Vec<PathBuf> {
    let mut lib = Vec::new();
    for (i, argument) in arguments.iter().enumerate() {
        match argument.strip_prefix("--lib") {
            Some("") => lib.extend(arguments.get(i + 1).map(PathBuf::from)),
            Some(rest) => lib.extend(rest.strip_prefix('=').map(PathBuf::from)),
            None => {}
        }
    }
    lib
}

/// The models at a path, which may be a directory, and the files that they need.
fn add_files(path: &Path, lib: &[PathBuf], files: &mut Vec<(String, String)>) -> io::Result<()> {
    if path.is_dir() {
        let mut below: Vec<PathBuf> =
            fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        below.sort();
        below.retain(|path| path.is_dir() || Language::of(path).is_some());
        return below.iter().try_for_each(|path| add_files(path, lib, files));
    }
    let bytes = fs::read(path)?;
    add(&path.to_string_lossy(), &bytes, files);
    if let Some(all) = shelf::files(path, lib) {
        for (name, place) in all.others() {
            add(name, all.text()[place.range()].as_bytes(), files);
        }
    }
    Ok(())
}

/// Adds a file: its name, and what is in it, in short.
fn add(name: &str, bytes: &[u8], files: &mut Vec<(String, String)>) {
    let sum = format!("{:016x}:{}", linchpin_engine::hash(bytes), bytes.len());
    files.push((printable_name(name).into_owned(), sum));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str) -> Asked {
        let words: Vec<String> = words.split(' ').map(str::to_string).collect();
        Asked::of(&words).expect("no standard input")
    }

    #[test]
    fn limits_and_reports_may_differ_and_nothing_else() {
        let first = asked("check nowhere.lin --threads 3 --timeout 3s -o a.html --workers=2");
        assert_eq!(first.command, "check nowhere.lin --threads 3");
        let text = first.text();
        assert_eq!(first.must_be(&text, "d"), Ok(()));
        let quiet = asked("check nowhere.lin --quiet --threads 3 --resume d");
        assert_eq!(quiet.must_be(&text, "d"), Ok(()));
        let other = asked("check nowhere.lin --threads 4").must_be(&text, "d").unwrap_err();
        assert!(other.contains("another question") && other.contains("--threads 3"), "{other}");
        let older = text.replace(&version(), "linchpin 0.0.1");
        let older = first.must_be(&older, "d").unwrap_err();
        assert!(older.contains("is of linchpin 0.0.1, format 3; this is"), "{older}");
        assert!(first.must_be("", "d").is_err());
        assert!(Asked::of(&["check".into(), "-".into()]).is_err());
    }
}
