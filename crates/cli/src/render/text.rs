//! Reports for people.

use std::path::Path;

use linchpin_engine::Figures;
use linchpin_lin::Diagnostic;

use super::columns::wrapped;
use super::verdict::{self, Limits};
use super::{coverage, diagnostics, violation};
use crate::answer::View;
use crate::input::Passages;
use crate::names::shown;
use crate::outcome::{Decided, Kind, Problem};
use crate::render::numbers::{bytes, counted, grouped};
use crate::screen::{Screen, Tone};

/// Shows what is suspicious about a file.
pub(crate) fn warnings(screen: &Screen, path: &Path, text: &str, warnings: &[Diagnostic]) {
    screen.error(&diagnostics::render(screen, path, text, warnings));
}

/// A verdict with what shows it.
pub(crate) fn decided(
    view: &View,
    screen: &Screen,
    decided: &Decided<'_>,
    limits: &Limits,
) -> String {
    let mut text = String::new();
    if view.several {
        text += &format!("{}: ", shown(&decided.source.path));
    }
    text += &screen.paint(Tone::Heading, &decided.check.name);
    text += &format!(": {}\n", verdict::sentence(screen, decided, limits));
    if !view.quiet {
        text += &format!("  {}\n", verdict::figures(&decided.report.statistics, decided.elapsed));
        for sentence in coverage::sentences(decided) {
            for (i, line) in wrapped(&sentence, screen.columns.max(40) - 4).iter().enumerate() {
                text += &format!("  {}{line}\n", if i == 0 { "" } else { "  " });
            }
        }
        if view.verbose {
            text += &more_figures(decided);
        }
        if let Some((_, explanation)) = &decided.violation {
            text += &violation::render(screen, decided, explanation, view);
            text.push('\n');
        }
    }
    text
}

fn more_figures(decided: &Decided<'_>) -> String {
    let Figures { states, widest, .. } = decided.report.statistics;
    let reductions = decided.report.reductions.names();
    let reductions = if reductions.is_empty() { "none".to_string() } else { reductions.join(", ") };
    let peak = crate::memory::peak().map_or("unknown".to_string(), bytes);
    format!(
        "  {} of the object, {} of configurations, widest level {}\n  \
           reductions: {reductions}\n  peak memory of the process: {peak}\n",
        counted(states, "state"),
        counted(decided.report.sets as u64, "set"),
        grouped(widest)
    )
}

/// Why there is no verdict, for standard error.
pub(crate) fn problem(screen: &Screen, problem: &Problem) -> String {
    let about = match (problem.path.as_os_str().is_empty(), &problem.check) {
        (true, _) => String::new(),
        (false, None) => format!("{}: ", shown(&problem.path)),
        (false, Some(check)) => format!("{}: {check}: ", shown(&problem.path)),
    };
    let message = &problem.message;
    let Passages { text, diagnostics } = &*problem.passages;
    match problem.kind {
        Kind::Internal => screen.complaint(&format!(
            "{about}INTERNAL ERROR: {message}\n  \
               This is a bug of Linchpin and not a verdict about the model.\n  \
               Please report it with the file and the command."
        )),
        Kind::Diagnostics | Kind::Unsupported | Kind::Specification if !diagnostics.is_empty() => {
            diagnostics::render(screen, &problem.path, text, diagnostics)
        }
        _ => screen.complaint(&format!("{about}{message}")),
    }
}
