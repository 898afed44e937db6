//! `cargo xtask bench csp`: the models of `corpus/csp` beside Table 1 of Y. Liu, W. Chen, Y. A. Liu,
//! J. Sun, *Model checking linearizability via refinement*, FM 2009.

use std::path::Path;
use std::time::Instant;

use linchpin_csp::{Operations, Options, Report, Search, check, load};
use linchpin_engine::Budget;
use linchpin_lts::Verdict;

/// So many states are enough to see that a search breadth first would take long.
const MOST: u64 = 3_000_000;

/// A row of the table.
struct Row {
    name: &'static str,
    file: &'static str,
    /// Constants of the model that are replaced.
    set: &'static [(&'static str, u32)],
    processes: u32,
    /// Seconds and states of the paper, without and with reduction; none where it gave up.
    without: Option<(f64, u64)>,
    with: Option<(f64, u64)>,
}

const fn row(
    name: &'static str,
    file: &'static str,
    set: &'static [(&'static str, u32)],
    processes: u32,
    without: Option<(f64, u64)>,
    with: Option<(f64, u64)>,
) -> Row {
    Row { name, file, set, processes, without, with }
}

const ROWS: &[Row] = &[
    row(
        "4-valued register",
        "register",
        &[("K", 4)],
        2,
        Some((6.14, 50_893)),
        Some((5.72, 43_977)),
    ),
    row(
        "5-valued register",
        "register",
        &[("K", 5)],
        2,
        Some((44.9, 349_333)),
        Some((60.4, 307_155)),
    ),
    row(
        "6-valued register",
        "register",
        &[("K", 6)],
        2,
        Some((297.0, 2_062_437)),
        Some((789.0, 1_838_177)),
    ),
    row(
        "3-valued register, two readers",
        "register2",
        &[("K", 3)],
        3,
        Some((294.0, 479_859)),
        Some((393.0, 361_255)),
    ),
    row(
        "stack of size 12",
        "stack",
        &[("SIZE", 12)],
        2,
        Some((138.0, 540_769)),
        Some((65.9, 395_345)),
    ),
    row(
        "stack of size 14",
        "stack",
        &[("SIZE", 14)],
        2,
        Some((411.0, 763_401)),
        Some((99.4, 599_077)),
    ),
    row("stack of size 2", "stack", &[("SIZE", 2), ("N", 3)], 3, None, Some((4321.0, 4_767_519))),
    row(
        "stack of size 12 (points)",
        "stack_points",
        &[("SIZE", 12)],
        2,
        Some((0.62, 9_677)),
        Some((0.82, 9_677)),
    ),
    row(
        "stack of size 14 (points)",
        "stack_points",
        &[("SIZE", 14)],
        2,
        Some((0.82, 12_963)),
        Some((1.11, 12_963)),
    ),
    row(
        "stack of size 2 (points)",
        "stack_points",
        &[("SIZE", 2), ("N", 3)],
        3,
        Some((1.14, 10_385)),
        Some((1.56, 10_385)),
    ),
    row(
        "stack of size 2 (points)",
        "stack_points",
        &[("SIZE", 2), ("N", 4)],
        4,
        Some((37.6, 219_471)),
        Some((49.4, 219_471)),
    ),
    row(
        "queue of size 6",
        "queue",
        &[("SIZE", 6)],
        2,
        Some((134.0, 432_511)),
        Some((86.2, 343_446)),
    ),
    row(
        "queue of size 8",
        "queue",
        &[("SIZE", 8)],
        2,
        Some((256.0, 104_582)),
        Some((218.0, 938_542)),
    ),
    row(
        "buggy queue of size 10",
        "buggy_queue",
        &[("SIZE", 10)],
        2,
        Some((10.9, 32_126)),
        Some((6.87, 32_126)),
    ),
    row(
        "buggy queue of size 20",
        "buggy_queue",
        &[("SIZE", 20)],
        2,
        Some((52.73, 105_326)),
        Some((41.1, 105_326)),
    ),
    row(
        "mailbox of 3 operations",
        "mailbox",
        &[("OPS", 3)],
        2,
        Some((71.6, 272_608)),
        Some((27.8, 120_166)),
    ),
    row(
        "mailbox of 4 operations",
        "mailbox",
        &[("OPS", 4)],
        2,
        Some((2904.0, 9_928_706)),
        Some((954.0, 3_696_700)),
    ),
    row("SNZI of size 2", "snzi", &[("N", 2)], 2, Some((1298.0, 712_857)), Some((322.0, 341_845))),
    row("SNZI of size 3", "snzi", &[("N", 3)], 3, None, Some((6214.0, 8_451_568))),
    // One step beyond the table.
    row("7-valued register", "register", &[("K", 7)], 2, None, None),
    row("stack of size 2", "stack", &[("SIZE", 2), ("N", 4)], 4, None, None),
    row("queue of size 10", "queue", &[("SIZE", 10)], 2, None, None),
    row("mailbox of 5 operations", "mailbox", &[("OPS", 5)], 2, None, None),
    // Not in the table: what PAT 3.x needs on a machine of today.
    row("stack of size 3", "stack", &[("SIZE", 3), ("N", 3)], 3, Some((69.0, 925_184)), None),
];

/// Measures all rows, prints the table and writes it to `record/csp.md`.
pub(crate) fn run() -> Result<(), String> {
    let mut text = HEADER.to_string();
    for row in ROWS {
        let mut ours = String::new();
        let mut verdicts = Vec::new();
        for how in [How::Whole, How::Reduced, How::Operations] {
            let (report, seconds) = measure(row, how)?;
            ours += &match report.notes.as_slice() {
                [] => format!(" {seconds:.2} s | {} |", report.statistics.nodes),
                _ => " - | - |".to_string(),
            };
            verdicts.push(report.verdict);
        }
        if verdicts.iter().any(|v| *v != verdicts[0]) {
            return Err(format!("{}: {verdicts:?}", row.name));
        }
        let answer = match &verdicts[0] {
            Ok(Verdict::Holds) => "yes",
            Ok(Verdict::Violated(())) => "no",
            other => return Err(format!("{}: {other:?}", row.name)),
        };
        let paper = |figures: Option<(f64, u64)>| match figures {
            Some((seconds, states)) => format!("{seconds} s | {states}"),
            None => "- | -".to_string(),
        };
        let line = format!(
            "| {} | {} | {answer} | {} | {} |{ours}\n",
            row.name,
            row.processes,
            paper(row.without),
            paper(row.with),
        );
        eprint!("{line}");
        text += &line;
    }
    text += NOTES;
    text += KINDS;
    for kind in &KIND_ROWS {
        let line = kind_line(kind)?;
        eprint!("{line}");
        text += &line;
    }
    text += KIND_NOTES;
    println!("{text}");
    crate::record("csp.md", &text)
}

/// A model of a kind that PAT's users have, with what PAT recorded for one of theirs.
struct Kind {
    name: &'static str,
    /// From the root of the project.
    file: &'static str,
    assertion: usize,
    pat: &'static str,
}

const fn kind(name: &'static str, file: &'static str, assertion: usize, pat: &'static str) -> Kind {
    Kind { name, file, assertion, pat }
}

const KIND_ROWS: [Kind; 6] = [
    kind("five equal processes", "crates/xtask/models/equal.csp", 0, "22079, 1.1 s"),
    kind("a register with three readers", "crates/xtask/models/readers.csp", 0, "541, 0.03 s"),
    kind("the same", "crates/xtask/models/readers.csp", 1, "838656"),
    kind("a field with mines", "crates/xtask/models/mines.csp", 0, "348, 0.02 s (depth first)"),
    kind("peg solitaire, 47 pegs", "crates/xtask/models/pegs.csp", 0, "1.3 M (depth first)"),
    kind("sliding blocks", "corpus/csp/blocks.csp", 0, "2.35 M"),
];

/// A row of the second table: as it is by default, depth first, and all states breadth first, up to some.
fn kind_line(kind: &Kind) -> Result<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(kind.file);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", kind.file))?;
    let model = load(&text).map_err(|d| format!("{}: {d:?}", kind.file))?.model;
    let mut line = String::new();
    let mut answer = None;
    for (search, reduced) in [(Search::Auto, true), (Search::Depth, true), (Search::Breadth, false)]
    {
        let max_states = (search == Search::Breadth).then_some(MOST);
        let options = Options {
            budget: Budget { max_states, ..Budget::UNLIMITED },
            search,
            order: reduced,
            join: reduced,
            equal: reduced,
            symmetry: reduced,
            ..Options::DEFAULT
        };
        let start = Instant::now();
        let report = check(&model, kind.assertion, &options);
        let (states, seconds) = (report.statistics.states, start.elapsed().as_secs_f64());
        line += &match report.verdict {
            Ok(Verdict::Unknown(_)) => format!(" more than {MOST} |"),
            Ok(verdict) if *answer.get_or_insert(verdict.clone()) == verdict => {
                let others = match report.others {
                    0 => String::new(),
                    others => format!(" + {others}"),
                };
                format!(" {states}{others}, {seconds:.2} s |")
            }
            other => return Err(format!("{}: {other:?}, but {answer:?}", kind.file)),
        };
    }
    let answer = if answer == Some(Verdict::Holds) { "valid" } else { "not valid" };
    let asserted = model.assertions()[kind.assertion].text.replace("|", "\\|");
    Ok(format!("| {} | `{asserted}` | {answer} | {} |{line}\n", kind.name, kind.pat))
}

/// What is done to be fast.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Whole,
    Reduced,
    Operations,
}

/// Events are called invocations and responses in the models.
fn operations(text: &str) -> Operations {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut names: Vec<String> = words.map(String::from).collect();
    names.sort_unstable();
    names.dedup();
    let ending = |end: &str| names.iter().filter(|n| n.ends_with(end)).cloned().collect();
    Operations { invocations: ending("_inv"), responses: ending("_res") }
}

fn measure(row: &Row, how: How) -> Result<(Report, f64), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/csp");
    let path = folder.join(format!("{}.csp", row.file));
    let mut text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", row.file))?;
    for (name, value) in row.set {
        let before = format!("#define {name} ");
        let at = text.find(&before).ok_or(format!("{}: no {name}", row.file))?;
        let end = at + text[at..].find(';').unwrap_or(0);
        text.replace_range(at..end, &format!("{before}{value}"));
    }
    let model = load(&text).map_err(|d| format!("{}: {d:?}", row.file))?.model;
    let mut assertions = model.assertions().iter();
    let refines = assertions.position(|a| a.text.contains("refines"));
    let number = refines.ok_or(format!("{}: no refinement", row.file))?;
    let operations = operations(&text);
    let options = Options {
        order: how != How::Whole,
        join: how != How::Whole,
        equal: how != How::Whole,
        symmetry: how != How::Whole,
        operations: (how == How::Operations).then_some(&operations),
        ..Options::DEFAULT
    };
    let start = Instant::now();
    let report = check(&model, number, &options);
    Ok((report, start.elapsed().as_secs_f64()))
}

const HEADER: &str = "\
# CSP models beside a table of a paper

Written by `cargo xtask bench csp`. The paper: Y. Liu, W. Chen, Y. A. Liu, J. Sun, *Model checking \
linearizability via refinement*, FM 2009, Table 1; 2.83 GHz Intel Q9550, 2 GB. The last row is not from \
there: it is what PAT 3.x needs. States are pairs of a state of the implementation and a set of states of \
the specification; ours are on one core.

| model | processes | linearizable | paper | states | paper, reduced | states | ours | states | ours, reduced | states | ours, operations | states |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

const KINDS: &str = "
## Models of other kinds

| model | assertion | | PAT, a model of this kind | ours | depth first | all states breadth first |
|---|---|---|---|---|---|---|
";

const KIND_NOTES: &str = "
The models are our own and not those that PAT recorded its figures for, so that states cannot be equal; that of equal processes \
is smaller. *Ours* is what one gets without an option: states of the search that has found the answer, then those of all other searches \
(breadth first beside it, depth first in other orders, for a shorter execution), and the seconds of all of them. The last column is without reductions, on one core like all others.
";

const NOTES: &str = "
The models are our own, written after the descriptions in the paper, so states cannot be equal. Ours have \
fewer where private variables are set back after use (stack, queue), and where operations of the clients \
are fewer (SNZI: every client arrives, looks and departs once; mailbox: so many deliveries and so many \
checks). Ours have more in the stack with points, because every access to memory is a step of its own. The \
antichain leaves out pairs whose set has a smaller one. *Reduced* is the default: with partial order reduction, and with processes that are \
equal or differ in an index only not told apart; *operations* with events that begin and end operations named in addition (`--calls`, `--returns`), where \
that may be done: not where the specification shares variables in an invocation or response, nor where points \
are given.
";
