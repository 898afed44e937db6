//! Mutants as tables in Markdown.

use std::fmt::Write as _;

use linchpin_testkit::mutate::Mutation;

use super::{Fate, Reason, Trial};

/// How many mutants met which fate.
#[derive(Default)]
struct Tally {
    violated: usize,
    fault: usize,
    deadlock: usize,
    stuck: usize,
    narrow: usize,
    open: usize,
    unknown: usize,
}

impl Tally {
    fn of<'t>(trials: impl Iterator<Item = &'t Trial<'t>>) -> Tally {
        let mut tally = Tally::default();
        for trial in trials {
            match trial.fate {
                Fate::Violated => tally.violated += 1,
                Fate::Fault => tally.fault += 1,
                Fate::Deadlock => tally.deadlock += 1,
                Fate::Survived { reason, .. } => match reason {
                    Reason::Stuck => tally.stuck += 1,
                    Reason::Narrow => tally.narrow += 1,
                    Reason::Open => tally.open += 1,
                },
                Fate::Unknown => tally.unknown += 1,
                Fate::Invalid | Fate::Alarm(_) => {}
            }
        }
        tally
    }

    fn row(&self, name: &str) -> String {
        let Tally { violated, fault, deadlock, stuck, narrow, open, unknown } = self;
        let killed = violated + fault + deadlock;
        let decided = killed + stuck + narrow + open;
        let rate = if decided == 0 {
            "-".to_string()
        } else {
            format!("{:.0} %", 100.0 * killed as f64 / decided as f64)
        };
        format!(
            "| {name} | {} | {killed} | {rate} | {violated} | {fault} | {deadlock} | {stuck} | \
             {narrow} | {open} | {unknown} |\n",
            decided + unknown
        )
    }
}

const HEAD: &str = "mutants | killed | rate | violated | fault | deadlock | stuck | narrow | open | unknown |\n\
                    |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";

/// The tables and the survivors.
pub(super) fn print(trials: &[Trial<'_>], nodes: u64) -> String {
    let mut text = format!(
        "# Mutants\n\nWritten by `cargo xtask mutants`: the objects of the correct models, damaged \
         in one place, under the checks of their files, with at most {nodes} nodes per check. \
         Survivors are *stuck* (a thread that runs alone never finishes, which is no violation of \
         linearizability), *narrow* (killed with one more operation per thread and one more node) \
         or *open* (perhaps equivalent to the original). The rate is of those decided.\n\n## By file\n\n| file | {HEAD}"
    );
    let mut files: Vec<&str> = trials.iter().map(|t| t.case.path.as_str()).collect();
    files.dedup();
    for file in &files {
        text += &Tally::of(trials.iter().filter(|t| t.case.path == *file)).row(file);
    }
    text += &Tally::of(trials.iter()).row("all");
    let _ = write!(text, "\n## By mutation\n\n| mutation | {HEAD}");
    for mutation in Mutation::ALL {
        let tally = Tally::of(trials.iter().filter(|t| t.mutant.mutation == mutation));
        text += &tally.row(&mutation.to_string());
    }
    text += "\n## Survivors\n\nAccepted by every check of the file; with a star: also without any \
             reduction.\n";
    for file in files {
        let survivors: Vec<&Trial<'_>> = trials
            .iter()
            .filter(|t| t.case.path == file && matches!(t.fate, Fate::Survived { .. }))
            .collect();
        if survivors.is_empty() {
            continue;
        }
        let _ = write!(text, "\n### {file}\n\n");
        for trial in survivors {
            let Fate::Survived { confirmed, reason } = trial.fate else { continue };
            let star = if confirmed { " *" } else { "" };
            let reason = match reason {
                Reason::Stuck => " (stuck)",
                Reason::Narrow => " (narrow)",
                Reason::Open => "",
            };
            let _ = writeln!(text, "- {}{reason}{star}", describe(trial));
        }
    }
    text
}

/// What is wrong with Linchpin, if the mutant shows it.
pub(super) fn alarm(trial: &Trial<'_>) -> Option<String> {
    match &trial.fate {
        Fate::Alarm(what) => {
            Some(format!("ALARM: {}, {}: {what}", trial.case.path, describe(trial)))
        }
        _ => None,
    }
}

fn describe(trial: &Trial<'_>) -> String {
    let mutant = &trial.mutant;
    let shorten = |text: &str| match text.char_indices().nth(130) {
        Some((end, _)) => format!("`{} ...`", &text[..end]),
        None if text.is_empty() => "nothing".to_string(),
        None => format!("`{text}`"),
    };
    let (before, after) = &mutant.change;
    format!("line {}, {}: {} -> {}", mutant.line, mutant.mutation, shorten(before), shorten(after))
}
