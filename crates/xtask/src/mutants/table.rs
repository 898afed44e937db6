//! Mutants as tables in Markdown.

use std::fmt::Write as _;

use linchpin_testkit::mutate::Mutation;
use linchpin_testkit::mutate::survivors::Readings;

use super::{Fate, Reason, Trial};

/// How many mutants met which fate.
#[derive(Default)]
struct Tally {
    violated: usize,
    fault: usize,
    deadlock: usize,
    stuck: usize,
    narrow: usize,
    equivalent: usize,
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
                    Reason::Equivalent => tally.equivalent += 1,
                    Reason::Open => tally.open += 1,
                },
                Fate::Unknown => tally.unknown += 1,
                Fate::Invalid | Fate::Alarm(_) => {}
            }
        }
        tally
    }

    fn row(&self, name: &str) -> String {
        let Tally { violated, fault, deadlock, stuck, narrow, equivalent, open, unknown } = self;
        let killed = violated + fault + deadlock;
        let noticeable = killed + narrow + open;
        let rate = if noticeable == 0 {
            "-".to_string()
        } else {
            format!("{:.0} %", 100.0 * killed as f64 / noticeable as f64)
        };
        format!(
            "| {name} | {} | {killed} | {rate} | {violated} | {fault} | {deadlock} | {stuck} | \
             {equivalent} | {narrow} | {open} | {unknown} |\n",
            noticeable + stuck + equivalent + unknown
        )
    }
}

const HEAD: &str = "mutants | killed | rate | violated | fault | deadlock | stuck | equivalent | narrow | open | unknown |\n\
                    |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";

/// The tables and the survivors.
pub(super) fn print(trials: &[Trial<'_>], readings: &Readings, nodes: u64) -> String {
    let mut text = format!(
        "# Mutants\n\nWritten by `cargo xtask mutants`: the objects of the correct models, damaged \
         in one place, under the checks of their files, with at most {nodes} nodes per check. \
         Survivors are *stuck* (a thread alone, or the threads of a check, may never finish, which \
         is no violation of linearizability), *equivalent* (somebody has read them, see \
         `corpus/lin/survivors.toml`), *narrow* (killed with one more operation per thread and one more \
         node) or *open* (not known). The rate is of those killed, narrow and open.\n\n\
         ## By file\n\n| file | {HEAD}"
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
    text += "\n## Survivors\n\nNot killed by any check of the file; with a star: also without any \
             reduction. Those that are *unknown* hit a limit.\n";
    for file in files {
        let survivors: Vec<&Trial<'_>> = trials
            .iter()
            .filter(|t| {
                t.case.path == file && matches!(t.fate, Fate::Survived { .. } | Fate::Unknown)
            })
            .collect();
        if survivors.is_empty() {
            continue;
        }
        let _ = write!(text, "\n### {file}\n\n");
        for trial in &survivors {
            let reason = match trial.fate {
                Fate::Survived { reason: Reason::Stuck, .. } => " (stuck)",
                Fate::Survived { reason: Reason::Narrow, .. } => " (narrow)",
                Fate::Survived { reason: Reason::Open, .. } => " (open)",
                Fate::Unknown => " (unknown)",
                _ => continue,
            };
            let _ = writeln!(text, "- {}{reason}{}", describe(trial), star(trial));
        }
        for reading in readings.reading.iter().filter(|r| r.file == file) {
            let _ = writeln!(text, "- equivalent: {}", reading.why);
            for trial in survivors.iter().filter(|t| reading.mutants.contains(&t.mutant.key)) {
                let _ = writeln!(text, "  - {}{}", describe(trial), star(trial));
            }
        }
    }
    text
}

fn star(trial: &Trial<'_>) -> &'static str {
    match trial.fate {
        Fate::Survived { confirmed: true, .. } => " *",
        _ => "",
    }
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
    format!("line {}, {}", trial.mutant.line, trial.mutant.key)
}
