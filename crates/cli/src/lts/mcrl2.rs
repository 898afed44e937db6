//! mCRL2 specifications (`.mcrl2`): as systems, and checked against the same with atomic bodies.
//!
//! `linchpin check concrete.mcrl2 --atomic` is the method of Paval's thesis (2018) without the work:
//! the abstract specification is derived ([`linchpin_mcrl2::Specification::atomic`]). Branching
//! bisimilarity is asked first, because it is decided quickly; it is sufficient. It is not necessary
//! (an operation that waits does so inside the atomic block, and the others then wait as well), so
//! that weak traces have the last word: the object is linearizable, for these clients, if every
//! history it has is one of the atomic specification.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use linchpin_engine::Budget;
use linchpin_lts::{Explicit, Verdict};
use linchpin_mcrl2::{Events, Specification, with_clients};
use linchpin_relations::{
    Equivalence, RefinementOptions, Semantics, Witness, confirm, partition, quotient, refines,
    union,
};
use linchpin_syntax::Diagnostic;
use serde_json::json;

use super::options::Common;
use super::report;
use super::system::{Failure, System};
use super::{Session, figures, name, troubled};
use crate::args::{CheckOptions, Format};
use crate::exit::Exit;
use crate::input::{self, InputError, Passages};
use crate::outcome::{Kind, Problem};
use crate::render::numbers::{grouped, seconds};
use crate::screen::{Screen, Tone};

/// The specification in a file, with the clients that were asked for.
fn read(path: &Path, common: &Common) -> Result<(Specification, String), Problem> {
    let mut text = input::read(path).map_err(|e| Problem::of_input(path, e))?;
    let bounds = &common.bounds;
    if !bounds.threads.is_empty() || bounds.ops.is_some() {
        let threads = bounds.threads.last().map_or(2, |(_, n)| *n as usize);
        let ops = bounds.ops.map_or(Some(2), |ops| ops.0.map(|n| n as usize));
        text = ops.and_then(|ops| with_clients(&text, threads, ops)).ok_or_else(|| {
            let message = "`--threads` and `--ops` are for specifications that say where their \
                           clients are (`% clients` ... `% end`), up to four threads and operations"
                .to_string();
            Problem::new(Kind::Bounds, path, message)
        })?;
    }
    match Specification::read(&text) {
        Ok(specification) => Ok((specification, text)),
        Err(diagnostics) => Err(wrong(path, text, diagnostics)),
    }
}

fn wrong(path: &Path, text: String, diagnostics: Vec<Diagnostic>) -> Problem {
    Problem::of_input(path, InputError::Wrong(Passages { text, diagnostics }))
}

/// The system in a file.
pub(super) fn load(path: &Path, common: &Common) -> Result<System, Problem> {
    let (specification, text) = read(path, common)?;
    match specification.system() {
        Ok(system) => Ok(System::Computed(Box::new(system))),
        Err(problem) => Err(wrong(path, text, vec![*problem])),
    }
}

/// Is this a file for this module?
pub(crate) fn is_mcrl2(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "mcrl2")
}

/// `linchpin check x.mcrl2`
pub(crate) fn check(options: &CheckOptions, path: &Path, screen: &Screen) -> Exit {
    if !options.atomic && options.against.is_none() {
        screen.complain(
            "an mCRL2 specification is checked against itself with atomic bodies (`--atomic`) or \
             against another one (`--against FILE`)",
        );
        return Exit::BadInput;
    }
    if !matches!(options.format, Format::Text | Format::Json) || options.open {
        screen.complain("checks of mCRL2 specifications are shown as text or JSON");
        return Exit::BadInput;
    }
    let common = Common {
        max_states: options.max_states,
        max_memory: options.max_memory,
        timeout: options.timeout,
        name: None,
        quiet: options.quiet,
        bounds: options.bounds.clone(),
    };
    Session::run(&common, screen, &name(path), |session| {
        let (concrete, other) = systems(session, options, path)?;
        let answer = decide(session, path, concrete, other)?;
        let shown = Shown { options, path, session };
        match options.format {
            Format::Json => screen.print(&shown.json(&answer)),
            _ => screen.print(&shown.text(&answer)),
        }
        Ok(answer.verdict().into())
    })
}

/// The system of the specification, and what it is compared with.
fn systems(
    session: &Session<'_>,
    options: &CheckOptions,
    path: &Path,
) -> Result<(System, Other), Failure> {
    let (specification, text) = read(path, session.common)?;
    let refused =
        |problem: Box<Diagnostic>| Failure::from(wrong(path, text.clone(), vec![*problem]));
    let concrete = specification.system().map_err(refused)?;
    let other = match &options.against {
        Some(against) => Other { path: against.clone(), system: session.load(against)? },
        None => {
            let found = specification.events();
            let given = |given: &[String], found: Vec<String>| match given.is_empty() {
                true => found,
                false => given.to_vec(),
            };
            let events = Events {
                calls: given(&options.calls, found.calls),
                returns: given(&options.returns, found.returns),
            };
            let system = specification.atomic(&events).map_err(refused)?;
            Other { path: path.to_path_buf(), system: System::Computed(Box::new(system)) }
        }
    };
    Ok((System::Computed(Box::new(concrete)), other))
}

/// What a specification is compared with, and the file it is from.
struct Other {
    path: PathBuf,
    system: System,
}

/// What was found.
struct Answer {
    /// States and steps of both.
    sizes: [String; 2],
    /// Classes of states of both together, if they are bisimilar.
    bisimilar: Option<u32>,
    /// Something the first can do and the second cannot, and the other way round; asked only if
    /// they are not bisimilar.
    more: [Traces; 2],
}

impl Answer {
    /// Is every history one of the other specification?
    fn verdict(&self) -> &Traces {
        &self.more[0]
    }
}

/// Are there traces of one system that the other does not have?
type Traces = Verdict<Box<Witness>>;

fn decide(
    session: &Session<'_>,
    path: &Path,
    concrete: System,
    other: Other,
) -> Result<Answer, Failure> {
    let first = session.generated(path, concrete)?;
    let second = session.generated(&other.path, other.system)?;
    let sizes = [figures(&first), figures(&second)];
    let (both, initial) = union(&first, &second);
    let found = session.within(|budget| partition(&both, Equivalence::Branching, budget))?;
    let same = found.block[both.initial() as usize] == found.block[initial as usize];
    if same {
        let more = [Verdict::Holds, Verdict::Holds];
        return Ok(Answer { sizes, bisimilar: Some(found.blocks), more });
    }
    drop((both, found));
    let small =
        |lts: &Explicit| session.within(|budget| quotient(lts, Equivalence::Branching, budget));
    let small = [small(&first)?, small(&second)?];
    let all = [&first, &second];
    let mut more = Vec::new();
    for of in 0..2 {
        more.push(traces(session, path, [&small[of], &small[1 - of]], [all[of], all[1 - of]])?);
    }
    let [first, second] = <[Traces; 2]>::try_from(more).unwrap_or([Verdict::Holds, Verdict::Holds]);
    Ok(Answer { sizes, bisimilar: None, more: [first, second] })
}

/// Weak traces of the first system that the second does not have. Decided on the small systems; a
/// trace is looked for again in the whole ones and confirmed there.
fn traces(
    session: &Session<'_>,
    path: &Path,
    [a, b]: [&Explicit; 2],
    [whole, other]: [&Explicit; 2],
) -> Result<Traces, Failure> {
    let (semantics, options) = (Semantics::WeakTrace, RefinementOptions::default());
    let decide = |a: &Explicit, b: &Explicit| {
        let decide = |budget: &Budget<'_>| refines(a, b, semantics, options, budget);
        session.within(decide).map_err(|trouble| troubled(path, trouble))
    };
    let merged = decide(a, b)?.verdict;
    if !merged.is_violated() {
        return Ok(merged);
    }
    let found = decide(whole, other)?.verdict;
    let confirmed = match &found {
        Verdict::Violated(witness) => confirm(whole, other, semantics, witness)
            .map_err(|why| format!("the trace found is not confirmed by replay: {why}")),
        Verdict::Holds => Err("merged states have traces that the others do not have".to_string()),
        Verdict::Unknown(_) => Ok(()),
    };
    match confirmed {
        Ok(()) => Ok(found),
        Err(message) => Err(Problem::new(Kind::Internal, path, message).into()),
    }
}

/// How an answer is shown.
struct Shown<'a> {
    options: &'a CheckOptions,
    path: &'a Path,
    session: &'a Session<'a>,
}

impl Shown<'_> {
    /// What the file is compared with.
    fn other(&self) -> String {
        match &self.options.against {
            Some(against) => against.display().to_string(),
            None => "the same with atomic bodies".into(),
        }
    }

    fn text(&self, answer: &Answer) -> String {
        let screen = self.session.screen;
        let path = self.path.display();
        let (tone, claim) = match (answer.verdict(), self.options.against.is_some()) {
            (Verdict::Holds, false) => (Tone::Good, "linearizable, with these clients"),
            (Verdict::Violated(_), false) => (Tone::Bad, "NOT linearizable"),
            (Verdict::Holds, true) => (Tone::Good, "every history is allowed"),
            (Verdict::Violated(_), true) => (Tone::Bad, "has a history that is NOT allowed"),
            (Verdict::Unknown(_), _) => (Tone::Doubtful, "unknown"),
        };
        let mut out = format!("{path}: {}\n", screen.paint(tone, claim));
        let other = self.other();
        if let Verdict::Violated(witness) = &answer.more[0] {
            let who = path.to_string();
            report::path(&mut out, [&who, &other], witness, self.options.verbose);
        }
        if self.options.quiet {
            return out;
        }
        let _ = match answer.bisimilar {
            Some(classes) => writeln!(
                out,
                "  branching bisimilar to {other}: yes ({} classes of states), so weak traces are \
                 the same",
                grouped(u64::from(classes))
            ),
            None => writeln!(
                out,
                "  branching bisimilar to {other}: no. That alone says nothing: bisimilarity is \
                 sufficient, not necessary."
            ),
        };
        if answer.bisimilar.is_none() {
            let _ = writeln!(out, "  weak traces: {}", self.traces(answer));
        }
        let elapsed = self.session.watch.end();
        let line =
            format!("  {}, against {}, {}", answer.sizes[0], answer.sizes[1], seconds(elapsed));
        let _ = writeln!(out, "{}", screen.paint(Tone::Quiet, line));
        out
    }

    fn traces(&self, answer: &Answer) -> String {
        let other = self.other();
        match &answer.more {
            [Verdict::Holds, Verdict::Holds] => "the same".into(),
            [Verdict::Holds, Verdict::Violated(witness)] => format!(
                "all those of the file are among those of {other}, which has more: {}",
                words(witness)
            ),
            [Verdict::Violated(witness), _] => {
                format!("the file has one that {other} does not have: {}", words(witness))
            }
            [Verdict::Unknown(limit), _] | [_, Verdict::Unknown(limit)] => {
                format!("not decided, {}", self.session.limits.words(*limit))
            }
        }
    }

    fn json(&self, answer: &Answer) -> String {
        let trace = |traces: &Traces| match traces {
            Verdict::Violated(witness) => json!(witness.trace().collect::<Vec<_>>()),
            _ => json!(null),
        };
        let same = match &answer.more {
            [Verdict::Holds, Verdict::Holds] => json!(true),
            [Verdict::Unknown(_), _] | [_, Verdict::Unknown(_)] => json!(null),
            _ => json!(false),
        };
        let value = json!({
            "file": self.path.display().to_string(),
            "against": self.options.against.as_ref().map(|p| p.display().to_string()),
            "holds": match answer.verdict() {
                Verdict::Unknown(_) => None,
                verdict => Some(verdict.holds()),
            },
            "branching_bisimilar": answer.bisimilar.is_some(),
            "weak_traces_equal": same,
            "trace": trace(&answer.more[0]),
            "trace_of_other": trace(&answer.more[1]),
        });
        format!("{value}\n")
    }
}

/// A trace on one line.
fn words(witness: &Witness) -> String {
    witness.trace().collect::<Vec<_>>().join(" ")
}
