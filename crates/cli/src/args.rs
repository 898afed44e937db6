//! What can be asked on the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use linchpin_check::Reductions;

use crate::figure::Figure;
use crate::language::Language;
use crate::lts::{CompareOptions, LtsOptions, ReduceOptions};

/// Decides whether concurrent objects are linearizable, and shows why when they are not.
#[derive(Debug, Parser)]
#[command(name = "linchpin", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colours; `auto` respects NO_COLOR.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
}

const EXIT_CODES: &str = "\
Exit codes: 0 everything holds, 1 violated, 2 bad input, 3 unknown (a limit was reached), \
4 a defect of Linchpin. Of several answers the worst decides, in the order 4, 2, 1, 3, 0.";

const POINTS_EXIT_CODES: &str = "\
Exit codes: 0 points found, 1 no fixed points exist or the object is wrong, 2 bad input, 3 unknown \
(a limit was reached), 4 a defect of Linchpin.";

const SYSTEM_EXIT_CODES: &str = "\
Exit codes: 0 written, 2 bad input, 3 a limit was reached, 4 a defect of Linchpin.";

const COMPARE_EXIT_CODES: &str = "\
Exit codes: 0 related, 1 not related, 2 bad input, 3 unknown (a limit was reached), 4 a defect of \
Linchpin.";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decide the checks of a file.
    #[command(after_help = EXIT_CODES)]
    Check(CheckOptions),
    /// Decide the checks of a file in several processes on this machine that search together.
    ///
    /// Each has its part of the states, and the memory of all of them counts. The answer is that of one process. For
    /// processes on several machines see `--hosts` of `linchpin check`.
    #[command(after_help = EXIT_CODES)]
    Cluster(ClusterOptions),
    /// Find linearization points of an object and print them in its source, or show why there are none.
    #[command(after_help = POINTS_EXIT_CODES)]
    Points(PointsOptions),
    /// Decide whether recorded histories of a real system are linearizable.
    ///
    /// A log has calls and returns of clients of a database, a queue, a service: JSON lines, or what Jepsen, Knossos and
    /// etcd's robustness tests write.
    #[command(after_help = EXIT_CODES)]
    History(HistoryOptions),
    /// Walk through executions step by step, at the prompt or at random.
    Simulate(SimulateOptions),
    /// Serve a page on this machine: edit a model, check it, choose the steps of executions, watch expressions.
    ///
    /// Prints the address of the page, which has a random token in it; nobody else can ask. Ends with Ctrl-C.
    Explore(ExploreOptions),
    /// Write a model to start from: a small one that is right, with comments.
    New {
        /// What the object is; without it, what there is.
        kind: Option<String>,
        /// The file to write; `-`: standard output [default: KIND.lin].
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Show what there is.
        #[arg(long)]
        list: bool,
    },
    /// Print a model of the corpus: published algorithms and their broken twins.
    Example {
        /// Its name, or a part of it; without it, what there is.
        name: Option<String>,
    },
    /// Show the objects, specifications, checks and parameters of files.
    List {
        /// The models.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The value of a parameter of the model; of a `.csp` model, of a constant.
        #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
        set: Vec<(String, String)>,
        /// Of a `.csp` model: also look for imported C# code here.
        #[arg(long, value_name = "DIR")]
        lib: Vec<PathBuf>,
    },
    /// Lay files out in the usual way.
    Fmt {
        /// The models; instead of a directory, all `.lin` models below it; `-`: from standard input to standard output.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Change nothing; name the files that would change and exit with 1 if there are any.
        #[arg(long)]
        check: bool,
    },
    /// Serve an editor: the language server protocol on standard input and output.
    ///
    /// Editors start this command by themselves. It reports errors while a model is written, knows
    /// what names mean (hover, definition, references, rename, completion, outline), lays text out,
    /// and runs checks from the text.
    Lsp {
        /// Accepted because editors pass it; there is no other way to talk.
        #[arg(long)]
        stdio: bool,
        /// Give up a check after so much time, unless the editor says otherwise: 30s, 5m, 1h.
        #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
        timeout: Duration,
    },
    /// Find all states of a model and write them as a labelled transition system.
    #[command(after_help = SYSTEM_EXIT_CODES)]
    Lts(LtsOptions),
    /// Merge the equivalent states of a labelled transition system.
    #[command(after_help = SYSTEM_EXIT_CODES)]
    Reduce(ReduceOptions),
    /// Compare two labelled transition systems or models, and show what tells them apart.
    #[command(after_help = COMPARE_EXIT_CODES)]
    Compare(CompareOptions),
    /// Show the reductions: what they do, what they preserve.
    Reductions,
    /// Write the manual page.
    Man,
    /// Write a completion script for a shell.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// How to go about a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// States with the sets of configurations their histories lead to; a violation is a shortest one.
    Refinement,
    /// States with their histories; bounded clients only.
    Recordings,
    /// States whatever their histories are, depth first: finds violations, proves nothing.
    External,
    /// The same, with a state again if its history makes a difference.
    ExternalSound,
}

impl Method {
    /// As the search knows it.
    pub(crate) fn known(self) -> linchpin_check::Method {
        use linchpin_check::Method as Known;
        match self {
            Method::Refinement => Known::Refinement,
            Method::Recordings => Known::Recordings,
            Method::External => Known::External,
            Method::ExternalSound => Known::ExternalSound,
        }
    }
}

/// In which order states of `.csp` models are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ordered {
    /// Those that are reached in fewer steps first: what is shown is shortest.
    Bfs,
    /// The one first that was found last.
    Dfs,
    /// The same in orders drawn by lot, each for twice as long as the one before.
    Random,
    /// Breadth first, and in between depth first for some time.
    Auto,
}

impl Ordered {
    /// As the search knows it.
    pub(crate) fn known(self) -> linchpin_csp::Search {
        use linchpin_csp::Search as Known;
        match self {
            Ordered::Bfs => Known::Breadth,
            Ordered::Dfs => Known::Depth,
            Ordered::Random => Known::Random,
            Ordered::Auto => Known::Auto,
        }
    }

    /// The word on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Ordered::Bfs => "bfs",
            Ordered::Dfs => "dfs",
            Ordered::Random => "random",
            Ordered::Auto => "auto",
        }
    }
}

/// Which executions count for formulas of `.csp` models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fair {
    /// All of them.
    None,
    /// Weakly fair to every process.
    WeakProcesses,
    /// Strongly fair to every process.
    StrongProcesses,
    /// Weakly fair to every event.
    WeakEvents,
    /// Strongly fair to every event.
    StrongEvents,
    /// Those that take every step infinitely often that is possible infinitely often.
    Global,
}

impl Fair {
    /// As the search knows it.
    pub(crate) fn known(self) -> linchpin_ltl::Fairness {
        use linchpin_ltl::Fairness as Known;
        match self {
            Fair::None => Known::None,
            Fair::WeakProcesses => Known::WeakProcesses,
            Fair::StrongProcesses => Known::StrongProcesses,
            Fair::WeakEvents => Known::WeakEvents,
            Fair::StrongEvents => Known::StrongEvents,
            Fair::Global => Known::Global,
        }
    }

    /// The word on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Fair::None => "none",
            Fair::WeakProcesses => "weak-processes",
            Fair::StrongProcesses => "strong-processes",
            Fair::WeakEvents => "weak-events",
            Fair::StrongEvents => "strong-events",
            Fair::Global => "global",
        }
    }

    /// `weakly fair to every process`
    pub(crate) fn adjective(self) -> &'static str {
        match self {
            Fair::None => "fair or not",
            Fair::WeakProcesses => "weakly fair to every process",
            Fair::StrongProcesses => "strongly fair to every process",
            Fair::WeakEvents => "weakly fair to every event",
            Fair::StrongEvents => "strongly fair to every event",
            Fair::Global => "globally fair",
        }
    }
}

/// States that are looked at for a simpler violation unless told otherwise.
pub(crate) const MINIMISE: u64 = 300_000;

/// How to show results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One object per line and check; see docs/json-schema.md.
    Json,
    /// One page that needs nothing else, to be looked at in a browser.
    Html,
    /// JUnit XML, for servers that show test results.
    Junit,
    /// Annotations for GitHub.
    Github,
}

/// How far to go.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LimitOptions {
    /// Give up after so many states.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) max_states: Option<u64>,
    /// Give up at so much memory: 500M, 2G [default: 75 % of what is available].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<u64>,
    /// Give up a question after so much time: 30s, 5m, 1h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Worker threads of a search [default: one per core]. No result depends on their number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: Option<u16>,
    /// Keeping what is known.
    #[command(flatten)]
    pub(crate) checkpoint: CheckpointOptions,
}

/// Keeping what is known, so that nothing is lost when the program ends.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CheckpointOptions {
    /// Keep in this directory what is needed to go on if the run is ended, by a limit or otherwise. It is removed when
    /// everything is answered.
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on where an earlier run of the same command has stopped, and keep on keeping it.
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,
    /// How often to keep it [default: 1m, or less often if it takes long].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) checkpoint_every: Option<Duration>,
}

/// Several processes that search together.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TogetherOptions {
    /// Search together with other processes, each started with the same command and its own `--process`. A file with
    /// the address of each on a line of its own, HOST:PORT, or the addresses with commas between them.
    #[arg(long, value_name = "FILE", requires = "process")]
    pub(crate) hosts: Option<String>,
    /// Which of these processes this is, from 0; the first one reports.
    #[arg(long, value_name = "K", requires = "hosts")]
    pub(crate) process: Option<usize>,
    /// A file with a secret that all processes know. Without it (and LINCHPIN_SECRET) they must all be on this machine.
    #[arg(long, value_name = "FILE", requires = "hosts")]
    pub(crate) secret: Option<PathBuf>,
}

/// `linchpin cluster`
#[derive(Debug, Args)]
pub(crate) struct ClusterOptions {
    /// So many processes. The cores and the memory are divided among them, unless `--workers` and `--max-memory` say what
    /// each may use.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u8).range(1..=linchpin_engine::MOST_PEERS as i64))]
    pub(crate) processes: u8,
    /// The models, and options of `linchpin check`.
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "FILE"
    )]
    pub(crate) arguments: Vec<String>,
}

/// Where results go, and how they look.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReportOptions {
    /// How to show results on standard output.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Write a report to this file, in the format that its name says: `.txt`, `.json`, `.html`, or
    /// `.xml` for JUnit (may be given several times). Standard output then shows no report in that
    /// format.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
}

/// `linchpin check`
#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    /// The models; instead of a directory, all models below it; `-`: from standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Draw the first violation: `history.svg` or `history.tex` (TikZ); with `memory=`, `memory@STEP=` or
    /// `schedule=` before the name, that instead of the history (may be given several times).
    #[arg(long, value_name = "[PART=]FILE", value_parser = Figure::parse)]
    pub(crate) figure: Vec<Figure>,
    /// The language of the models, whatever their names say.
    #[arg(long, value_enum, required_if_eq("files", "-"))]
    pub(crate) language: Option<Language>,
    /// Decide only the check of this name (may be given several times); of a `.csp` model, the assertion
    /// with this text or number.
    #[arg(long = "check", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// How to go about it.
    #[arg(long, value_enum, default_value_t = Method::Refinement)]
    pub(crate) method: Method,
    /// Which executions count for formulas of `.csp` models.
    #[arg(long, value_enum, default_value_t = Fair::None)]
    pub(crate) fairness: Fair,
    /// In which order states of `.csp` models are looked at, for deadlock, `reaches` and formulas; for formulas `dfs` and
    /// `random` mean `auto`.
    #[arg(long, value_enum, default_value_t = Ordered::Auto, value_name = "ORDER")]
    pub(crate) search: Ordered,
    /// Decide all conditions for the objects of the checks, and show which hold. Exits with 0 if all
    /// were decided, whatever the answers are.
    #[arg(long, conflicts_with_all = ["method", "expect", "explain"])]
    pub(crate) classify: bool,
    /// How far to go.
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    /// Searching together.
    #[command(flatten)]
    pub(crate) together: TogetherOptions,
    /// Test on every state what the reductions believe: symmetries, private memory, dead variables
    /// (slow; a false claim is an internal error).
    #[arg(long)]
    pub(crate) check_facts: bool,
    /// How to show results.
    #[command(flatten)]
    pub(crate) report: ReportOptions,
    /// Show the report in a browser (as `--format html`).
    #[arg(long, conflicts_with = "format")]
    pub(crate) open: bool,
    /// Say at length why no order of the operations explains a history.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Look at up to so many states for the violation with the fewest operations, then the fewest
    /// switches of threads, then the fewest steps; 0: show the one with the fewest steps.
    #[arg(long, value_name = "N", default_value_t = MINIMISE)]
    pub(crate) minimise: u64,
    /// Exit with 0 if every verdict is as the file expects, with 1 otherwise.
    #[arg(long)]
    pub(crate) expect: bool,
    /// Exit with 1 also if something holds for want of executions: an operation never returns, or the bound on the
    /// heap ends every execution of clients that call for ever.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Of an mCRL2 specification: compare it with the same with atomic bodies.
    #[arg(long, conflicts_with = "against")]
    pub(crate) atomic: bool,
    /// Of an mCRL2 specification: compare it with this one (or with an `.aut` file).
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// With `--atomic`: an action that begins an operation [default: those named `Call...`]. Of a `.csp`
    /// model: an event that does; then `refines` is decided as for operations, if it may be.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) calls: Vec<String>,
    /// With `--atomic`: an action that ends an operation [default: those named `Return...`]. Of a `.csp`
    /// model: an event that does.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) returns: Vec<String>,
    /// Show verdicts only.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show more: reductions used, sets of configurations, every step of long schedules.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Bounds of the checks.
    #[command(flatten)]
    pub(crate) bounds: BoundOptions,
    /// Which reductions to use.
    #[command(flatten)]
    pub(crate) reductions: ReductionOptions,
}

/// Formats of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// JSON lines: an object per call and return, or per operation.
    Json,
    /// Maps of Jepsen and Knossos.
    Edn,
    /// Lines of the log of Jepsen.
    Jepsen,
    /// Operations of etcd's robustness tests.
    Etcd,
}

/// Whether keys are decided by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitKeys {
    /// If the operations allow it.
    Auto,
    /// Not.
    None,
    /// Certainly; otherwise it is an error.
    Key,
}

/// What a `cas` did that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailedCas {
    /// Nothing: it did not happen.
    Nothing,
    /// It returned false, if it repeats its arguments.
    Returns,
}

/// The specifications that need no file.
fn specifications() -> String {
    let all: Vec<String> = linchpin_history::Spec::builtins()
        .map(|(name, about)| format!("  {name:<15} {about}"))
        .collect();
    format!("Specifications:\n{}\n\n{EXIT_CODES}", all.join("\n"))
}

/// `linchpin history`
#[derive(Debug, Args)]
#[command(after_long_help = specifications())]
pub(crate) struct HistoryOptions {
    /// The logs, perhaps packed (gzip, zstd); `-`: standard input.
    #[arg(required = true, value_name = "LOG")]
    pub(crate) files: Vec<PathBuf>,
    /// What the system should be: a built-in (`register`, `queue`, `map` ...; all are below `--help`), or a specification of a
    /// model: `file.lin:Queue`.
    #[arg(long, value_name = "SPEC")]
    pub(crate) spec: String,
    /// What it begins with, as JSON: `0`, `[1, 2]`, `{"x": 1}` [default: nil, or nothing].
    #[arg(long, value_name = "VALUE")]
    pub(crate) init: Option<String>,
    /// What the history should be: `linearizable`, `sequential`, `quiescent`, or out of order by at most so many places:
    /// `"quasi { dequeue: 2 }"`.
    #[arg(long, value_name = "CONDITION", value_parser = crate::demand::demand, default_value = "linearizable")]
    pub(crate) condition: crate::demand::Demand,
    /// Whether keys are decided by themselves.
    #[arg(long, value_enum, default_value_t = SplitKeys::Auto)]
    pub(crate) split: SplitKeys,
    /// The format of the logs [default: as they look].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input: Option<LogFormat>,
    /// What a `cas` did that the log says has failed.
    #[arg(long, value_enum, default_value_t = FailedCas::Nothing)]
    pub(crate) failed_cas: FailedCas,
    /// Show an order that explains the history, if there is one.
    #[arg(long)]
    pub(crate) witness: bool,
    /// Go on reading as the log grows, and answer as soon as it is certainly wrong.
    #[arg(long, conflicts_with_all = ["witness", "split"])]
    pub(crate) follow: bool,
    /// Give up at so much memory: 500M, 2G [default: 75 % of what is available].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<u64>,
    /// Give up a log after so much time: 30s, 5m, 1h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// How to show results.
    #[command(flatten)]
    pub(crate) report: ReportOptions,
    /// Show the report in a browser (as `--format html`).
    #[arg(long, conflicts_with = "format")]
    pub(crate) open: bool,
    /// Show verdicts only.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show more: all of a long order.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

impl HistoryOptions {
    /// Is a page among the reports?
    pub(crate) fn has_page(&self) -> bool {
        let files = &self.report.output;
        let page = Some(Format::Html);
        self.open
            || Some(self.report.format) == page
            || files.iter().any(|f| crate::output::format_of(f) == page)
    }

    /// The limits of every log.
    pub(crate) fn limits(&self) -> LimitOptions {
        LimitOptions {
            max_memory: self.max_memory,
            timeout: self.timeout,
            ..LimitOptions::default()
        }
    }
}

/// `linchpin points`
#[derive(Debug, Args)]
pub(crate) struct PointsOptions {
    /// The model.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The points are for this check [default: the first one].
    #[arg(long = "check", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How far to go.
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    /// Give up after so many sets of candidates.
    #[arg(long, value_name = "N", value_parser = positive, default_value = "2000000")]
    pub(crate) proposals: u64,
    /// How to show results.
    #[command(flatten)]
    pub(crate) report: ReportOptions,
    /// Bounds of the check.
    #[command(flatten)]
    pub(crate) bounds: BoundOptions,
}

/// `linchpin simulate`
#[derive(Debug, Args)]
pub(crate) struct SimulateOptions {
    /// The model.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The clients of this check run [default: the first one]; of a `.csp` model, the process of this
    /// name, or of the assertion with this text or number.
    #[arg(long = "check", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Choose at random, beginning with this number; the default where there is no terminal.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Most steps to take.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) steps: u32,
    /// Bounds of the check.
    #[command(flatten)]
    pub(crate) bounds: BoundOptions,
}

/// `linchpin explore`
#[derive(Debug, Args)]
pub(crate) struct ExploreOptions {
    /// The model.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The check that is shown at first [default: the first one].
    #[arg(long = "check", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Show the page in a browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// The port to listen on, of this machine only [default: any that is free].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Give up a check after so many states.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) max_states: Option<u64>,
    /// Give up a check at so much memory: 500M, 2G [default: 75 % of what is available].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<u64>,
    /// Give up a check after so much time: 30s, 5m, 1h [default: 60s].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Worker threads of a check [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: Option<u16>,
    /// Bounds of the checks.
    #[command(flatten)]
    pub(crate) bounds: BoundOptions,
}

/// Bounds that replace those in the file.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Bounds (instead of those in the file)")]
pub(crate) struct BoundOptions {
    /// Threads; `reader=2` for the threads of a role.
    #[arg(long, value_name = "[ROLE=]N", value_parser = named_threads)]
    pub(crate) threads: Vec<(Option<String>, u32)>,
    /// Operations per thread, or `unbounded`.
    #[arg(long, value_name = "N", value_parser = operations)]
    pub(crate) ops: Option<Operations>,
    /// Live heap nodes, or `unbounded`.
    #[arg(long, value_name = "N", value_parser = heap)]
    pub(crate) heap: Option<Heap>,
    /// Values of opaque data types, or `fresh`; `Value=2` for one type.
    #[arg(long, value_name = "[TYPE=]N", value_parser = named_values)]
    pub(crate) values: Vec<(Option<String>, Values)>,
    /// The value of a parameter of the model; of a `.csp` model, of a constant.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
    /// Of a `.csp` model: also look for imported C# code here.
    #[arg(long, value_name = "DIR")]
    pub(crate) lib: Vec<PathBuf>,
}

/// Operations per thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operations(pub(crate) Option<u32>);

/// Live heap nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heap(pub(crate) Option<u32>);

/// Values of an opaque type; `None` is fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Values(pub(crate) Option<u32>);

/// The most threads, operations, nodes and values, as in the language.
pub(crate) const MAX_THREADS: u32 = 8;
const MAX_OPS: u32 = 1 << 20;
const MAX_HEAP: u32 = 1 << 16;
const MAX_VALUES: u32 = 64;

fn number(text: &str, lo: u32, hi: u32) -> Result<u32, String> {
    match text.replace('_', "").parse::<u64>() {
        Ok(n) if u64::from(lo) <= n && n <= u64::from(hi) => Ok(n as u32),
        _ => Err(format!("expected a number from {lo} to {hi}")),
    }
}

/// `NAME=REST` or `REST`.
fn named(text: &str) -> (Option<String>, &str) {
    match text.split_once('=') {
        Some((name, rest)) => (Some(name.trim().to_string()), rest.trim()),
        None => (None, text.trim()),
    }
}

fn named_threads(text: &str) -> Result<(Option<String>, u32), String> {
    let (name, text) = named(text);
    Ok((name, number(text, 1, MAX_THREADS)?))
}

fn operations(text: &str) -> Result<Operations, String> {
    match text {
        "unbounded" => Ok(Operations(None)),
        _ => number(text, 0, MAX_OPS)
            .map(|n| Operations(Some(n)))
            .map_err(|e| format!("{e}, or `unbounded`")),
    }
}

fn heap(text: &str) -> Result<Heap, String> {
    match text {
        "unbounded" => Ok(Heap(None)),
        _ => number(text, 0, MAX_HEAP)
            .map(|n| Heap(Some(n)))
            .map_err(|e| format!("{e}, or `unbounded`")),
    }
}

fn named_values(text: &str) -> Result<(Option<String>, Values), String> {
    let (name, text) = named(text);
    match text {
        "fresh" => Ok((name, Values(None))),
        _ => number(text, 1, MAX_VALUES)
            .map(|n| (name, Values(Some(n))))
            .map_err(|e| format!("{e}, or `fresh`")),
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match named(text) {
        (Some(name), value) if !name.is_empty() && !value.is_empty() => {
            Ok((name, value.to_string()))
        }
        _ => Err("expected NAME=VALUE".to_string()),
    }
}

pub(crate) fn positive(text: &str) -> Result<u64, String> {
    match text.replace('_', "").parse() {
        Ok(0) | Err(_) => Err("expected a positive number below 2^64".to_string()),
        Ok(n) => Ok(n),
    }
}

/// `500M`, `2G`, `1.5GiB`, `123` (bytes).
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let wrong = || "expected a size such as 500M or 2G".to_string();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let n: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let shift = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(wrong()),
    };
    let bytes = n * (1u64 << shift) as f64;
    if bytes >= 1.0 && bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(wrong()) }
}

/// `30s`, `500ms`, `5m`, `1h`, `30` (seconds).
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a time such as 30s, 5m or 1h".to_string();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let n: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let unit = match text[digits..].trim() {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(n * unit).map_err(|_| wrong())
}

/// One flag per reduction, from the table of reductions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReductionOptions {
    /// The reductions that are left.
    pub(crate) reductions: Reductions,
    /// Partial order reduction of `.csp` models is left.
    pub(crate) order: bool,
    /// Equal processes of `.csp` models are not told apart.
    pub(crate) equal: bool,
    /// All of them were switched off together.
    pub(crate) none: bool,
}

const NO_REDUCTIONS: &str = "no-reductions";
const NO_ORDER: &str = "no-order";
const NO_EQUAL: &str = "no-equal";

/// What partial order reduction does, in a line.
pub(crate) const ORDER: &str =
    "of steps that do not depend on each other only some orders are looked at (`.csp` models)";

/// What sorting equal processes does, in a line.
pub(crate) const EQUAL: &str =
    "processes that are equal, up to an index, are not told apart (`.csp` models)";

impl Args for ReductionOptions {
    fn augment_args(mut command: clap::Command) -> clap::Command {
        let heading = "Reductions (for trust and experiments; see `linchpin reductions`)";
        let flag = |name: String, help: String| {
            Arg::new(name.clone())
                .long(name)
                .action(ArgAction::SetTrue)
                .help(help)
                .help_heading(heading)
        };
        for r in Reductions::TABLE {
            command = command.arg(flag(format!("no-{}", r.name), format!("Without: {}", r.about)));
        }
        command = command.arg(flag(NO_ORDER.to_string(), format!("Without: {ORDER}")));
        command = command.arg(flag(NO_EQUAL.to_string(), format!("Without: {EQUAL}")));
        command.arg(flag(NO_REDUCTIONS.to_string(), "Without any of them".to_string()))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ReductionOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut reductions = Reductions::ALL;
        let none = matches.get_flag(NO_REDUCTIONS);
        for r in Reductions::TABLE {
            if matches.get_flag(&format!("no-{}", r.name)) || none {
                reductions.set(r.name, false);
            }
        }
        let order = !matches.get_flag(NO_ORDER) && !none;
        let equal = !matches.get_flag(NO_EQUAL) && !none;
        Ok(ReductionOptions { reductions, order, equal, none })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
