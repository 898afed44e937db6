//! `linchpin points`: finds linearization points and prints them in the source, or shows why there are
//! none.
//!
//! The text gets a `point` wherever one might be (`candidates`), the search finds out which are wanted,
//! and the text with these alone is loaded and checked once more: what is printed is what was checked.

mod candidates;
mod layout;

use std::path::Path;
use std::time::{Duration, Instant};

use linchpin_check::{
    Conflict, Forced, GaveUp, Inference, Inferred, Method, Options, Reductions, check_points, infer,
};
use linchpin_engine::Budget;
use linchpin_evidence::narrative::{Deed, Narrative, narrate};
use linchpin_lin::line_column;
use linchpin_lin::program::{Check, Condition, OpId, Program};
use linchpin_lin::{Granularity, Model, Span};
use linchpin_lts::{Schedule, Verdict};

use crate::answer::View;
use crate::args::PointsOptions;
use crate::exit::Exit;
use crate::input::{self, Source};
use crate::language::Language;
use crate::outcome::{Kind, Problem};
use crate::output::Outputs;
use crate::screen::Screen;
use crate::session::{LOADING, Session};
use crate::{again, bounds, check, names};
use candidates::{Composed, candidates, compose};

/// What was found out, for a renderer.
pub(crate) struct Findings<'a> {
    pub(crate) source: &'a Source,
    pub(crate) check: &'a Check,
    pub(crate) candidates: usize,
    pub(crate) inference: Inference,
    pub(crate) elapsed: Duration,
    pub(crate) answer: Answer,
    /// The command that shows it again.
    pub(crate) again: String,
}

/// The answer.
pub(crate) enum Answer {
    /// The procedures with points, the new text, and the operations that have none.
    Points(Vec<Annotated>, String, Vec<Refuted>),
    /// Executions that leave no choice.
    NoPoints(Vec<Refuted>),
    /// The object is wrong.
    Wrong,
    /// It was given up.
    Unknown(GaveUp),
}

/// A procedure with its points.
pub(crate) struct Annotated {
    pub(crate) name: String,
    /// Number, text, and whether there is a point.
    pub(crate) lines: Vec<(usize, String, bool)>,
}

/// An operation without points, or (`None`) all together, and executions that show it.
pub(crate) struct Refuted {
    pub(crate) operation: Option<OpId>,
    pub(crate) executions: Vec<Execution>,
}

/// An execution that leaves little choice.
pub(crate) struct Execution {
    pub(crate) narrative: Narrative,
    pub(crate) schedule: Schedule,
    /// Operations, as indices, and after which steps they can take effect.
    pub(crate) moments: Vec<(usize, Vec<usize>)>,
}

/// Finds the points of the object of one check.
pub(crate) fn run(options: &PointsOptions, screen: &Screen) -> Exit {
    let report = &options.report;
    let outputs = Outputs::new(Some(report.format), &report.output, &[&options.file], false);
    Session::run(screen, &options.limits, View::default(), outputs, |session| {
        let path = &options.file;
        let loaded = Language::among(path, &[Language::Lin], "`linchpin points`").and_then(|_| {
            session.attempt(path, LOADING, |_| input::load(path, &options.bounds.set))
        });
        let exit = loaded.and_then(|source| {
            let asked = names::find(&source, options.name.as_deref())?;
            let bounded = bounds::apply(&source.program, asked, &options.bounds)
                .map_err(|message| Problem::of_check(Kind::Bounds, &source, asked, message))?;
            let findings = session.attempt(path, &bounded.name, |watch| {
                watch.within(|budget| find(options, &source, &bounded, budget))
            })?;
            Ok(session.show(&findings, findings.exit()))
        });
        exit.unwrap_or_else(|problem| session.refuse(&problem))
    })
}

impl Findings<'_> {
    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match &self.answer {
            Answer::Points(_, _, without) if without.is_empty() => Exit::Holds,
            Answer::Points(..) | Answer::NoPoints(_) | Answer::Wrong => Exit::Violated,
            Answer::Unknown(_) => Exit::Unknown,
        }
    }
}

fn find<'a>(
    options: &PointsOptions,
    source: &'a Source,
    asked: &'a Check,
    budget: Budget<'_>,
) -> Result<Findings<'a>, Problem> {
    let start = Instant::now();
    let internal = |what: &str| Problem::of_check(Kind::Internal, source, asked, what.to_string());
    let set = &options.bounds.set;
    let again = again::points(options);
    let unit = &source.program.objects[asked.object.index()].unit;
    let place = source.files.place(unit.span);
    if place.number > 0 {
        let message = format!(
            "`{}` is in another file, and points are put into this one: check it in {}",
            unit.name, place.name
        );
        return Err(Problem::of_check(Kind::Unsupported, source, asked, message));
    }
    let all = match candidates(source, asked, set, budget.within) {
        Ok(all) => all,
        Err(limit) => {
            let why = GaveUp::Check(limit);
            let inferred = Inferred::Unknown(why);
            let inference = Inference { inferred, checks: 0, pool: 0, proposals: 0, states: 0 };
            let (elapsed, answer) = (start.elapsed(), Answer::Unknown(why));
            let check = asked;
            return Ok(Findings {
                source,
                check,
                candidates: 0,
                inference,
                elapsed,
                answer,
                again,
            });
        }
    };
    let everything: Vec<usize> = (0..all.len()).collect();
    let composed = compose(&source.text, &all, &everything);
    let (with_all, spans) = instrumented(&source.path, &composed, all.len(), set)
        .ok_or_else(|| internal("the text with all candidates cannot be loaded"))?;
    let same = |program: &Program| program.checks.iter().find(|c| c.name == asked.name).cloned();
    let with_bounds = |program: &Program| {
        same(program).and_then(|c| bounds::apply(program, &c, &options.bounds).ok())
    };
    let program = with_all.program.clone();
    let check_all =
        with_bounds(&program).ok_or_else(|| internal("the check is not in the new text"))?;
    let search = Options {
        method: Method::Refinement,
        reductions: Reductions::ALL,
        budget,
        ..Options::default()
    };
    let failed = |error| check::failed(source, asked, error);
    let inference =
        infer(&program, &check_all, &spans, &search, options.proposals).map_err(failed)?;
    let answer = match &inference.inferred {
        Inferred::Wrong => Answer::Wrong,
        Inferred::Unknown(why) => Answer::Unknown(*why),
        Inferred::NoPoints(conflicts) => Answer::NoPoints(
            refuted(&with_all, &check_all, conflicts, &composed)
                .ok_or_else(|| internal("an execution cannot be replayed"))?,
        ),
        Inferred::Points { chosen, without } => {
            let annotated = compose(&source.text, &all, chosen);
            let text = input::understood(&source.path, annotated.text.clone(), set)
                .map_err(|_| internal("the text with points cannot be loaded"))?;
            let found = with_bounds(&text.program).ok_or_else(|| internal("the check is lost"))?;
            let checked = text.program;
            let free: Vec<OpId> = without.iter().filter_map(|c| c.operation).collect();
            match check_points(&checked, &found, &free, &search).map_err(failed)?.verdict {
                Verdict::Holds => {
                    let without = refuted(&with_all, &check_all, without, &composed)
                        .ok_or_else(|| internal("an execution cannot be replayed"))?;
                    let procedures = procedures(&checked, &found, &annotated);
                    Answer::Points(procedures, annotated.text, without)
                }
                Verdict::Unknown(limit) => Answer::Unknown(GaveUp::Check(limit)),
                Verdict::Violated(_) => {
                    return Err(internal("the points that were found are not confirmed"));
                }
            }
        }
    };
    let elapsed = start.elapsed();
    let candidates = all.len();
    Ok(Findings { source, check: asked, candidates, inference, elapsed, answer, again })
}

/// The program with all candidates, and where their points are.
fn instrumented(
    path: &Path,
    composed: &Composed,
    count: usize,
    set: &[(String, String)],
) -> Option<(Source, Vec<Span>)> {
    let source = input::understood(path, composed.text.clone(), set).ok()?;
    // A candidate that is not in the text is nowhere.
    let mut spans = vec![Span { start: u32::MAX, end: u32::MAX }; count];
    let mut found = Vec::new();
    for object in &source.program.objects {
        for proc in &object.unit.procs {
            linchpin_lin::walk::visit(&proc.body, &mut |_| {}, &mut |stmt| {
                if let linchpin_lin::program::StmtKind::Point(_) = stmt.kind {
                    found.push(stmt.span);
                }
            });
        }
    }
    for (candidate, at) in &composed.points {
        spans[*candidate] = *found.iter().find(|s| s.start as usize == *at)?;
    }
    Some((source, spans))
}

/// Conflicts, told in terms of the original text.
fn refuted(
    source: &Source,
    check: &Check,
    conflicts: &[Conflict],
    composed: &Composed,
) -> Option<Vec<Refuted>> {
    let pointed = Check { condition: Condition::Points, ..check.clone() };
    let model = Model::new(source.program.clone(), &pointed, Granularity::UNREDUCED).ok()?;
    let told = |forced: &Forced| {
        let replay = model.replay(&forced.schedule).ok()?;
        let mut narrative = narrate(&model, &replay, &source.files);
        narrative.entries.retain(|e| !matches!(e.deed, Deed::Point(_)));
        for entry in narrative.entries.iter_mut().filter(|entry| entry.at.file.is_none()) {
            entry.at.line = composed.lines.get(entry.at.line - 1).copied().unwrap_or(1);
            // What stands there is `return e`.
            if let Some(value) = entry.at.text.strip_prefix(&composed.kept) {
                entry.at.text = format!("return {value}");
            }
        }
        let (schedule, moments) = (forced.schedule.clone(), forced.moments.clone());
        Some(Execution { narrative, schedule, moments })
    };
    let one = |c: &Conflict| {
        let executions = c.executions.iter().map(told).collect::<Option<_>>()?;
        Some(Refuted { operation: c.operation, executions })
    };
    conflicts.iter().map(one).collect()
}

/// The procedures that have points.
fn procedures(program: &Program, check: &Check, annotated: &Composed) -> Vec<Annotated> {
    let text = &annotated.text;
    let line = |at: usize| line_column(text, at as u32).0;
    let points: Vec<usize> = annotated.points.iter().map(|(_, at)| line(*at)).collect();
    let unit = &program.objects[check.object.index()].unit;
    let lines: Vec<&str> = text.lines().collect();
    let procs = unit.procs.iter().filter_map(|proc| {
        let (_, close) = layout::block_at(text, proc.span.end as usize)?;
        let (first, last) = (line(proc.span.start as usize), line(close));
        points.iter().any(|p| (first..=last).contains(p)).then(|| Annotated {
            name: proc.name.clone(),
            lines: (first..=last)
                .map(|n| (n, lines[n - 1].to_string(), points.contains(&n)))
                .collect(),
        })
    });
    procs.collect()
}
