//! What can be asked about labelled transition systems.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::args::{BoundOptions, Format, LimitOptions, ReportOptions};
use crate::file;
use crate::names::shown;
use crate::output::{Outputs, format_of};

/// What is common to the commands about transition systems.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// How far to go.
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    /// Of a `.lin` file: the clients of this check [default: the first one].
    #[arg(long = "check", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Show no figures and no progress.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Bounds of the clients.
    #[command(flatten)]
    pub(crate) bounds: BoundOptions,
}

/// How to write a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemFormat {
    Aut,
    Cadp,
    Dot,
    Svg,
    Tikz,
}

/// What standard output shows: a system, or a report about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TargetFormat {
    /// Aldebaran, as mCRL2 writes it.
    Aut,
    /// Aldebaran, as CADP writes it.
    Cadp,
    /// A picture for Graphviz; small systems only.
    Dot,
    /// How large the system is, for people.
    Text,
    /// The same as an object on one line; see docs/json-schema.md.
    Json,
    /// The same as a page for a browser.
    Html,
    /// The same as JUnit XML.
    Junit,
    /// The same as an annotation for GitHub.
    Github,
}

impl TargetFormat {
    /// A way to write systems, or a way to write reports.
    fn either(self) -> Result<SystemFormat, Format> {
        match self {
            TargetFormat::Aut => Ok(SystemFormat::Aut),
            TargetFormat::Cadp => Ok(SystemFormat::Cadp),
            TargetFormat::Dot => Ok(SystemFormat::Dot),
            TargetFormat::Text => Err(Format::Text),
            TargetFormat::Json => Err(Format::Json),
            TargetFormat::Html => Err(Format::Html),
            TargetFormat::Junit => Err(Format::Junit),
            TargetFormat::Github => Err(Format::Github),
        }
    }
}

/// What a system can be reduced modulo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Modulo {
    /// Strong bisimulation: silent steps are steps like others.
    Strong,
    /// Branching bisimulation: silent steps that change nothing are left out.
    Branching,
    /// Branching bisimulation that keeps endless silent steps.
    DivergenceBranching,
    /// Sequences of visible labels: the smallest deterministic system with the same.
    WeakTrace,
}

/// Where a system is written to, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct Target {
    /// Write to this file, as its name says: the system (`.aut`, `.dot`, `.svg`, `.tex`), or a report about it
    /// (`.txt`, `.json`, `.html`, `.xml`); may be given several times [default: the system to standard
    /// output].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    /// How to write the system [default: as the name of the file ends, else `aut`], or what to show
    /// instead of it on standard output.
    #[arg(long, value_enum)]
    pub(crate) format: Option<TargetFormat>,
}

/// Where a system is written to, and how; without a name, to standard output.
pub(super) type Destination = (Option<PathBuf>, SystemFormat);

impl Target {
    /// Where the system goes, and the reports about it; not to the file that is read.
    pub(super) fn split(&self, read: &Path) -> Result<(Vec<Destination>, Outputs), String> {
        if let Some(path) = file::also_read(&self.output, &[read]) {
            let path = shown(path);
            return Err(format!("`{path}` is read: what is written would take its place"));
        }
        let asked = self.format.map(TargetFormat::either);
        let system = asked.and_then(Result::ok);
        let report = asked.and_then(Result::err);
        let (mut systems, mut reports) = (Vec::new(), Vec::new());
        for path in &self.output {
            let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
            let named = match ending.as_deref() {
                Some("aut") => Some(system.unwrap_or(SystemFormat::Aut)),
                Some("dot" | "gv") => Some(system.unwrap_or(SystemFormat::Dot)),
                Some("svg") => Some(SystemFormat::Svg),
                Some("tex" | "tikz") => Some(SystemFormat::Tikz),
                Some(_) => None,
                None => system,
            };
            match named {
                Some(format) => systems.push((Some(path.clone()), format)),
                None if format_of(path).is_some() => reports.push(path.clone()),
                None => {
                    return Err(format!(
                        "nothing is written to `{}`: its name does not end in `.aut`, `.dot`, `.svg` or \
                         `.tex` (the system) or in `.txt`, `.json`, `.html` or `.xml` (a report about it)",
                        shown(path)
                    ));
                }
            }
        }
        if systems.is_empty() && report.is_none() {
            systems.push((None, system.unwrap_or(SystemFormat::Aut)));
        }
        Ok((systems, Outputs::new(report, &reports, &[], false)?))
    }
}

/// `linchpin lts`
#[derive(Debug, Args)]
pub(crate) struct LtsOptions {
    /// The model, or a system (`.aut`; `-`: from standard input).
    #[arg(value_name = "MODEL")]
    pub(crate) file: PathBuf,
    /// Write the smallest equivalent system [default: modulo branching bisimulation].
    #[arg(long, value_enum, value_name = "MODULO", num_args = 0..=1, require_equals = true,
        default_missing_value = "branching")]
    pub(crate) reduced: Option<Modulo>,
    /// Where to.
    #[command(flatten)]
    pub(crate) target: Target,
    /// Limits and bounds.
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `linchpin reduce`
#[derive(Debug, Args)]
pub(crate) struct ReduceOptions {
    /// The system (`.aut`; `-`: from standard input) or model.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Which states are the same.
    #[arg(long, value_enum, default_value_t = Modulo::Branching)]
    pub(crate) modulo: Modulo,
    /// Where to.
    #[command(flatten)]
    pub(crate) target: Target,
    /// Limits and bounds.
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Relations between systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Relation {
    /// Strong bisimulation.
    Strong,
    /// Branching bisimulation.
    Branching,
    /// Branching bisimulation that keeps endless silent steps.
    DivergenceBranching,
    /// Sequences of labels, silent ones included.
    Trace,
    /// Sequences of visible labels.
    WeakTrace,
    /// Sequences of visible labels with what can be refused after them.
    Failures,
    /// The same with endless silent steps, after which everything is possible.
    FailuresDivergences,
}

impl Relation {
    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |v| v.get_name().to_string())
    }
}

/// `linchpin compare`
#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    /// The first system (`.aut`; `-`: from standard input) or model.
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,
    /// The second one.
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,
    /// When two systems are the same (with `--refines`: what of A must be possible in B).
    #[arg(long, value_enum)]
    pub(crate) relation: Relation,
    /// Ask only whether A refines B: is everything A does allowed by B?
    #[arg(long)]
    pub(crate) refines: bool,
    /// Refinement: merge equivalent states of A and B first. Finds all states of both, which is not
    /// done otherwise, but then sets of states are smaller.
    #[arg(long, requires = "refines")]
    pub(crate) quotient: bool,
    /// Show every silent step of a path.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// How to show the result.
    #[command(flatten)]
    pub(crate) report: ReportOptions,
    /// Limits and bounds.
    #[command(flatten)]
    pub(crate) common: Common,
}
