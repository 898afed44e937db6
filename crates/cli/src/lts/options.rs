//! What can be asked about labelled transition systems.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::args::{BoundOptions, duration, positive, size};

/// What is common to the commands about transition systems.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// Give up after so many states.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) max_states: Option<u64>,
    /// Give up at so much memory: 500M, 2G [default: 75 % of what is available].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<u64>,
    /// Give up after so much time: 30s, 5m, 1h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SystemFormat {
    /// Aldebaran, as mCRL2 writes it.
    Aut,
    /// Aldebaran, as CADP writes it.
    Cadp,
    /// A picture for Graphviz; small systems only.
    Dot,
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
    /// Write to this file [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How to write [default: as the name of the file ends, else `aut`].
    #[arg(long, value_enum)]
    pub(crate) format: Option<SystemFormat>,
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

/// How to show a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// For people.
    Text,
    /// One object on one line; see docs/json-schema.md.
    Json,
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
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    pub(crate) format: CompareFormat,
    /// Limits and bounds.
    #[command(flatten)]
    pub(crate) common: Common,
}
