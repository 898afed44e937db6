//! `linchpin history`: recorded calls and returns of a real system.
//!
//! A log is read (`linchpin_history::read`), decided and judged (`demand`), and shown. Logs that grow are followed line by line; what is found then is decided again from the
//! beginning, so that it is shown and judged like any other.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linchpin_history::{
    Datum, Decision, Factors, Follower, Format, History, Means, Reading, Spec, Split, Trouble,
    quiescent, read,
};
use linchpin_lin::Span;
use linchpin_lts::{Limit, Verdict};

use crate::again;
use crate::answer::View;
use crate::args::{HistoryOptions, LogFormat, SplitKeys};
use crate::demand::{self, Condition, Decided, Failed, Shown};
use crate::exit::Exit;
use crate::growing::{Came, Growing};
use crate::input::{self, is_standard, unreadable};
use crate::language::Language;
use crate::names::shown;
use crate::orders::{self, Drawn};
use crate::outcome::{Kind, Problem};
use crate::output::Outputs;
use crate::screen::Screen;
use crate::session::Session;
use crate::watch::{self, Watch};

/// What came of a log.
pub(crate) struct Recorded<'a> {
    pub(crate) path: &'a Path,
    pub(crate) spec: &'a Spec,
    pub(crate) condition: Condition,
    /// Of `quasi`.
    pub(crate) factors: Option<Factors>,
    pub(crate) history: History,
    pub(crate) decision: Decision,
    /// Of `quasi`: in which order operations take effect.
    pub(crate) effects: Option<Vec<u32>>,
    pub(crate) violation: Option<Shown>,
    /// What a page draws through the operations.
    pub(crate) orders: Vec<Drawn>,
    /// Is the order wanted?
    pub(crate) witness: bool,
    pub(crate) elapsed: Duration,
    pub(crate) memory: u64,
    pub(crate) again: String,
}

pub(crate) fn run(options: &HistoryOptions, screen: &Screen) -> Exit {
    let read: Vec<&Path> = options.files.iter().map(PathBuf::as_path).collect();
    let outputs =
        Outputs::new(Some(options.report.format), &options.report.output, &read, options.open);
    let view = View {
        several: options.files.len() > 1,
        quiet: options.quiet,
        verbose: options.verbose,
        explain: false,
    };
    Session::run(screen, &options.limits(), view, outputs, |session| {
        let spec = match specification(options) {
            Ok(spec) => spec,
            Err(problem) => return session.refuse(&problem),
        };
        let one = |path: &PathBuf| {
            let result = session.attempt(path, &shown(path), |watch| match options.follow {
                true => follow(session, options, &spec, path, watch),
                false => match (bytes(path, watch), watch.stopped()) {
                    (Ok(bytes), _) => whole(session, options, &spec, path, bytes, watch),
                    (Err(_), Some(limit)) => {
                        Ok(stopped(options, &spec, path, History::default(), limit, watch))
                    }
                    (Err(problem), None) => Err(problem),
                },
            });
            match result {
                Ok(recorded) => session.show(&recorded, (&recorded.decision.verdict).into()),
                Err(problem) => session.refuse(&problem),
            }
        };
        options.files.iter().map(one).max().unwrap_or(Exit::Holds)
    })
}

/// The specification that was asked for.
fn specification(options: &HistoryOptions) -> Result<Spec, Problem> {
    let nowhere = Path::new("");
    let wrong = |message: String| Problem::new(Kind::NoSuchCheck, nowhere, message);
    let spec = match options.spec.rsplit_once(':') {
        Some((file, name)) if Language::of(Path::new(file)) == Some(Language::Lin) => {
            let path = Path::new(file);
            let source = input::load(path, &[])?;
            let wrong = |message| Problem::new(Kind::NoSuchCheck, path, message);
            Spec::written(source.program, name).map_err(wrong)?
        }
        _ if Language::of(Path::new(&options.spec)) == Some(Language::Lin) => {
            return Err(wrong(format!(
                "which specification of the file? `--spec {}:Name`",
                options.spec
            )));
        }
        _ => Spec::builtin(&options.spec).map_err(wrong)?,
    };
    let spec = match &options.init {
        None => spec,
        Some(text) => {
            let value = serde_json::from_str(text).map(|json| Datum::from_json(&json));
            // A word without quotes is a text.
            let value = value.unwrap_or_else(|_| Datum::text(text));
            spec.beginning_with(value)
                .map_err(|message| Problem::new(Kind::Bounds, nowhere, message))?
        }
    };
    // Whoever asks for what there is not should know at once.
    options.condition.factors(&spec).map_err(wrong)?;
    Ok(spec)
}

/// The bytes of a log, unpacked.
fn bytes(path: &Path, watch: &Watch<'_>) -> Result<Vec<u8>, Problem> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut packed = Vec::new();
        if is_standard(path) {
            watch.stream(std::io::stdin().lock()).read_to_end(&mut packed)?;
        } else {
            let file = File::open(path)?;
            if file.metadata().is_ok_and(|m| m.is_dir()) {
                return Err(std::io::Error::other("this is a directory"));
            }
            watch.stream(file).read_to_end(&mut packed)?;
        }
        let mut out = Vec::new();
        match packed.as_slice() {
            [0x1f, 0x8b, ..] => {
                watch
                    .stream(flate2::read::MultiGzDecoder::new(packed.as_slice()))
                    .read_to_end(&mut out)?;
            }
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                let mut rest = packed.as_slice();
                while !rest.is_empty() {
                    let decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest);
                    let decoder = decoder.map_err(|e| std::io::Error::other(e.to_string()))?;
                    watch.stream(decoder).read_to_end(&mut out)?;
                }
            }
            _ => return Ok(packed),
        }
        Ok(out)
    };
    watch::reading(read).map_err(|error| unreadable(path, &error))
}

/// How the log is to be read.
fn reading(options: &HistoryOptions) -> Reading {
    let format = options.input.map(|format| match format {
        LogFormat::Json => Format::Json,
        LogFormat::Edn => Format::Edn,
        LogFormat::Jepsen => Format::Jepsen,
        LogFormat::Etcd => Format::Etcd,
    });
    Reading { format, failed_cas_returns: options.failed_cas == crate::args::FailedCas::Returns }
}

/// What is wrong with a log, at its place.
fn wrong(path: &Path, text: &str, trouble: Trouble) -> Problem {
    let Trouble { line, message } = trouble;
    let problem = Problem::new(Kind::Diagnostics, path, message);
    // Of a large log only the line is named.
    const LARGE: usize = 1 << 22;
    if line == 0 {
        return Problem { kind: Kind::Specification, ..problem };
    }
    if text.len() > LARGE {
        return Problem {
            message: format!("line {line}: {}", problem.message),
            kind: Kind::Undecodable,
            ..problem
        };
    }
    let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let length = text[start.min(text.len())..].lines().next().map_or(0, str::len);
    problem.inside(text.to_string(), Span { start: start as u32, end: (start + length) as u32 })
}

/// Reads, decides and shows a whole log.
fn whole<'a>(
    session: &Session<'_>,
    options: &'a HistoryOptions,
    spec: &'a Spec,
    path: &'a Path,
    bytes: Vec<u8>,
    watch: &Watch<'_>,
) -> Result<Recorded<'a>, Problem> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let message = format!("this is no text: byte {valid} is not UTF-8");
        Problem::new(Kind::Undecodable, path, message)
    })?;
    let history = read(&text, spec, &reading(options)).map_err(|t| wrong(path, &text, t))?;
    for (line, warning) in &history.warnings {
        session.screen.error(&format!("warning: {}: line {line}: {warning}\n", shown(path)));
    }
    let large = text.len() > 1 << 22;
    let text = if large { String::new() } else { text };
    decided(options, spec, path, &text, history, watch)
}

fn decided<'a>(
    options: &'a HistoryOptions,
    spec: &'a Spec,
    path: &'a Path,
    text: &str,
    history: History,
    watch: &Watch<'_>,
) -> Result<Recorded<'a>, Problem> {
    let condition = options.condition.condition;
    let refused = |message: String| Problem::new(Kind::NoSuchCheck, path, message);
    let factors = options.condition.factors(spec).map_err(refused)?;
    let means = Means {
        orders: options.witness,
        split: match options.split {
            SplitKeys::Auto => Split::Auto,
            SplitKeys::None => Split::None,
            SplitKeys::Key => Split::Key,
        },
        ..Means::default()
    };
    if condition == Condition::Quasi && means.split == Split::Key {
        let why = "keys are not decided by themselves for `quasi`: operations are out of order among those of all keys";
        return Err(Problem::new(Kind::Unsupported, path, why.to_string()));
    }
    let relaxed;
    let operations = match condition {
        Condition::Quiescent => {
            relaxed = quiescent(&history.operations);
            &relaxed
        }
        _ => &history.operations,
    };
    let internal = |message: String| Problem::new(Kind::Internal, path, message);
    let found = demand::decided(spec, (condition, factors.as_ref()), operations, &means, watch);
    let Decided { decision, effects, violation } = found.map_err(|failed| match failed {
        Failed::Trouble(trouble) => wrong(path, text, trouble),
        Failed::Internal(message) => internal(message),
    })?;
    // What is drawn is no part of the answer.
    let elapsed = watch.end();
    let orders = match options.has_page() {
        true => {
            let found = (&decision, effects.as_deref(), violation.as_ref());
            orders::drawn(spec, condition, operations, found, &means, watch)
                .map_err(|t| internal(format!("the order that was found is none: {}", t.message)))?
        }
        false => Vec::new(),
    };
    Ok(Recorded {
        path,
        spec,
        condition,
        factors,
        decision,
        effects,
        violation,
        orders,
        witness: options.witness,
        elapsed,
        memory: watch.peak(),
        again: again::history(options, path),
        history,
    })
}

/// The time between two looks at a log that does not grow.
const PAUSE: Duration = Duration::from_millis(50);

/// Follows a log until it is certainly wrong, it ends, or a limit is reached.
fn follow<'a>(
    session: &Session<'_>,
    options: &'a HistoryOptions,
    spec: &'a Spec,
    path: &'a Path,
    watch: &Watch<'_>,
) -> Result<Recorded<'a>, Problem> {
    if options.condition.condition != Condition::Linearizable {
        let message = format!(
            "`--follow` is for linearizability: as long as a history goes on it may become {}",
            options.condition.condition.adjective()
        );
        return Err(Problem::new(Kind::Unsupported, path, message));
    }
    let mut follower = Follower::new(spec.clone(), reading(options), watch.question());
    let standard = is_standard(path);
    let mut log = Growing::open(path).map_err(|e| unreadable(path, &e))?;
    // What standard input said cannot be read again.
    let mut kept = Vec::new();
    let (mut unasked, mut limit) = (0u32, None);
    loop {
        let came = log.next(PAUSE).map_err(|e| unreadable(path, &e))?;
        let (quiet, ends) = (!matches!(came, Came::Line(_)), matches!(came, Came::End));
        if let Came::Line(line) = came {
            if line.ends_with(b"\n") {
                let text = String::from_utf8_lossy(&line).into_owned();
                follower.line(&text).map_err(|t| {
                    let message = format!("line {}: {}", t.line, t.message);
                    Problem::new(Kind::Undecodable, path, message)
                })?;
                unasked += 1;
            }
            if standard {
                kept.extend_from_slice(&line);
            }
        }
        // Whoever writes fast is asked about less often.
        if quiet && unasked > 0 || unasked >= 256 {
            unasked = 0;
            let verdict = follower
                .verdict()
                .map_err(|t| Problem::new(Kind::Specification, path, t.message))?;
            match verdict {
                Verdict::Violated(_) => break,
                Verdict::Unknown(reached) => {
                    limit = Some(reached);
                    break;
                }
                Verdict::Holds => {}
            }
        }
        if ends {
            break;
        }
        limit = match quiet {
            true => watch.question().over(),
            false => watch.question().over_at(follower.last_line() as usize),
        };
        if limit.is_some() {
            break;
        }
    }
    let bytes = match standard {
        true => kept,
        false => {
            // As far as it was read.
            let mut bytes = std::fs::read(path).map_err(|e| unreadable(path, &e))?;
            let lines = bytes.split_inclusive(|b| *b == b'\n').take(follower.last_line() as usize);
            let length = lines.map(<[u8]>::len).sum();
            bytes.truncate(length);
            bytes
        }
    };
    match limit {
        None => whole(session, options, spec, path, bytes, watch),
        Some(limit) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // There may be nothing yet.
            let history = read(&text, spec, &reading(options)).unwrap_or_default();
            Ok(stopped(options, spec, path, history, limit, watch))
        }
    }
}

/// That a limit was reached before anything was decided.
fn stopped<'a>(
    options: &'a HistoryOptions,
    spec: &'a Spec,
    path: &'a Path,
    history: History,
    limit: Limit,
    watch: &Watch<'_>,
) -> Recorded<'a> {
    let verdict = Verdict::Unknown(limit);
    Recorded {
        path,
        spec,
        condition: options.condition.condition,
        factors: options.condition.factors(spec).ok().flatten(),
        decision: Decision { verdict, order: None, parts: 0, configurations: 0 },
        effects: None,
        violation: None,
        orders: Vec::new(),
        witness: false,
        elapsed: watch.end(),
        memory: watch.peak(),
        again: again::history(options, path),
        history,
    }
}
