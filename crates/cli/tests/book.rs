//! What the book and the README show is what the tool prints.
//!
//! Every file in `book/src/outputs` is the transcript of a session in the root of the repository:
//! lines that begin with `$ ` are commands, the rest is what they print. The commands are run
//! again and the transcripts compared; seconds, rates and memory are left out on both sides
//! ([`steady`]). The same holds for the numbers in tables of the README and of the chapter on
//! reductions. `LINCHPIN_BLESS=1 cargo test -p linchpin-cli --test book` writes all of it anew; the
//! difference is then for a reader to judge.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn blessing() -> bool {
    std::env::var_os("LINCHPIN_BLESS").is_some_and(|v| v == "1")
}

/// Paths, from the root, of the files with this extension below a folder; sorted.
fn files(folder: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_string()];
    while let Some(folder) = todo.pop() {
        let entries =
            fs::read_dir(root().join(&folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
        for entry in entries {
            let entry = entry.expect("an entry of a folder");
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            match entry.path() {
                p if p.is_dir() => todo.push(path),
                p if p.extension().is_some_and(|e| e == extension) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Runs the tool in the root of the repository: what it prints (errors first), and its exit code.
fn run(arguments: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_linchpin"))
        .args(arguments)
        .current_dir(root())
        .env("LC_ALL", "C.UTF-8")
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .output()
        .expect("the tool starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    (text(&output.stderr) + &text(&output.stdout), code)
}

/// Replaces what differs from run to run (seconds, rate, memory) by dots.
fn steady(text: &str) -> String {
    let line = |line: &str| {
        if let Some((before, _)) = line.split_once(" checked, ")
            && before.contains(" candidates, ")
        {
            return format!("{before} checked, ...");
        }
        if let Some((before, _)) = line.split_once(" configurations, ")
            && before.contains(" operations of ")
        {
            return format!("{before} configurations, ...");
        }
        if let Some((before, after)) = line.split_once(" unknown; ")
            && before.contains(" checks: ")
        {
            let states = after.rsplit_once(", ").map_or(String::new(), |(n, _)| format!("{n}, "));
            return format!("{before} unknown; {states}...");
        }
        let counts = line.split_once(" transitions, depth ");
        let Some((before, after)) = counts.filter(|(b, _)| b.contains(" states, ")) else {
            return line.trim_end().to_string();
        };
        let depth: String = after.chars().take_while(char::is_ascii_digit).collect();
        format!("{before} transitions, depth {depth}, ...")
    };
    let lines: Vec<String> = text.lines().map(line).collect();
    lines.join("\n").trim_end().to_string() + "\n"
}

/// The transcript of a session with these commands.
fn transcript(commands: &[&str]) -> String {
    let mut out = String::new();
    for (i, command) in commands.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let (line, tells_code) = match command.strip_suffix("; echo $?") {
            Some(line) => (line, true),
            None => (*command, false),
        };
        // What is between quotes is one word.
        let words: Vec<&str> = (line.split('"').enumerate())
            .flat_map(|(i, piece)| match i % 2 {
                0 => piece.split_whitespace().collect(),
                _ => vec![piece],
            })
            .collect();
        assert_eq!(words.first(), Some(&"linchpin"), "not a command of the tool: {command}");
        let (text, code) = run(&words[1..]);
        assert!((0..=3).contains(&code), "`{command}` ends with exit code {code}:\n{text}");
        out += &format!("$ {command}\n{}", steady(&text));
        if tells_code {
            out += &format!("{code}\n");
        }
    }
    out
}

fn commands(transcript: &str) -> Vec<&str> {
    transcript.lines().filter_map(|line| line.strip_prefix("$ ")).collect()
}

/// Fails with the first line in which the texts differ.
fn assert_same(what: &str, shown: &str, printed: &str) {
    if shown == printed {
        return;
    }
    let mut pairs = shown.lines().zip(printed.lines()).enumerate();
    let place = match pairs.find(|(_, (a, b))| a != b) {
        Some((i, (a, b))) => format!("line {}:\n  shown:   {a}\n  printed: {b}", i + 1),
        None => "one of them is longer".to_string(),
    };
    panic!(
        "{what} is out of date, {place}\nLINCHPIN_BLESS=1 writes it anew; printed is:\n{printed}"
    );
}

#[test]
fn every_output_in_the_book_is_what_the_tool_prints() {
    let outputs = files("book/src/outputs", "txt");
    assert!(!outputs.is_empty());
    for path in outputs {
        let shown = read(&path);
        let commands = commands(&shown);
        assert!(!commands.is_empty(), "{path} has no command");
        settle(&path, &shown, &transcript(&commands));
    }
}

/// The text with its first block of this kind replaced.
fn with_block(text: &str, kind: &str, body: &str) -> String {
    let open = format!("```{kind}\n");
    let (before, rest) = text.split_once(&open).unwrap_or_else(|| panic!("no block {open}"));
    let (_, after) = rest.split_once("```").unwrap_or_else(|| panic!("{open} has no end"));
    format!("{before}{open}{body}```{after}")
}

#[test]
fn the_readme_shows_the_first_model_its_report_and_sizes() {
    let model = read("book/src/models/lost_update.lin");
    let report = transcript(&["linchpin check book/src/models/lost_update.lin"]);
    let readme = read("README.md");
    let right = with_block(&with_block(&readme, "lin", &model), "text", &report);
    let mut rows = 0;
    let right: Vec<String> = right
        .lines()
        .map(|line| {
            let Some(words) = size_row(line) else { return line.to_string() };
            rows += 1;
            with_states(line, 2, &states(&words))
        })
        .collect();
    assert_eq!(rows, 6, "rows of the table of sizes");
    settle("README.md", &readme, &(right.join("\n") + "\n"));
}

/// Compares a document with what it should be, or writes it anew.
fn settle(path: &str, shown: &str, right: &str) {
    if blessing() {
        fs::write(root().join(path), right).unwrap_or_else(|e| panic!("{path}: {e}"));
    } else {
        assert_same(path, shown, right);
    }
}

/// The check of Treiber's stack that the tables are about.
const STACK: [&str; 4] = ["check", "corpus/lin/treiber_stack/gc.lin", "--check", "TreiberStack"];
const LIST: [&str; 4] = ["check", "corpus/lin/list_set/lazy.lin", "--check", "two_keys"];

/// A row of README.md, `| 3 x 2 | 4 794 | ...`: threads and operations, as arguments.
fn size_row(line: &str) -> Option<Vec<&str>> {
    let (threads, ops) = line.strip_prefix("| ")?.split(" | ").next()?.split_once(" x ")?;
    threads.parse::<u32>().ok()?;
    let ops = match ops {
        "any number, at most 5 live nodes" => ["unbounded", "--heap", "5"].as_slice(),
        ops => &[ops],
    };
    Some([&STACK, ["--threads", threads, "--ops"].as_slice(), ops].concat())
}

/// How many states a check has, as the tool writes it.
fn states(arguments: &[&str]) -> String {
    let (text, _) = run(arguments);
    let line = text.lines().find_map(|line| line.split_once(" states, "));
    let (states, _) = line.unwrap_or_else(|| panic!("no states in {text}"));
    states.trim().to_string()
}

/// A row of a table with another number in a column, from 1.
fn with_states(row: &str, column: usize, states: &str) -> String {
    let mut cells: Vec<String> = row.split('|').map(str::to_string).collect();
    cells[column] = format!(" {states} ");
    cells.join("|")
}

#[test]
fn every_model_of_the_book_is_shown_with_its_output() {
    let outputs: String = files("book/src/outputs", "txt").iter().map(|p| read(p)).collect();
    let words: BTreeSet<&str> =
        commands(&outputs).iter().flat_map(|c| c.split([' ', ';'])).collect();
    for model in files("book/src/models", "lin") {
        let tested = model.starts_with("book/src/models/reference/");
        assert!(tested || words.contains(model.as_str()), "no output is about {model}");
    }
}

#[test]
fn the_examples_of_the_reference_have_the_verdicts_they_expect() {
    let models = files("book/src/models/reference", "lin");
    assert!(!models.is_empty());
    for model in models {
        for check in read(&model).split("\ncheck ").skip(1) {
            assert!(check.contains("expect "), "{model}: a check without `expect`: {check}");
        }
        // What has no check is used by others.
        if !read(&model).contains("\ncheck ") {
            continue;
        }
        let (text, code) = run(&["check", "--expect", &model]);
        assert_eq!(code, 0, "{text}");
    }
}

/// A row of the table of reductions has the states without that reduction in its last columns.
#[test]
fn the_table_of_reductions_has_the_numbers_that_the_tool_prints() {
    let path = "book/src/reductions.md";
    let chapter = read(path);
    let mut rows = 0;
    let right: Vec<String> = chapter
        .lines()
        .map(|line| {
            let flag = match line.split('`').nth(1) {
                Some(flag) if line.starts_with("| `--no-") => Some(flag),
                _ if line.starts_with("| all on |") => None,
                _ => return line.to_string(),
            };
            rows += 1;
            let without =
                |model: [&'static str; 4]| -> Vec<&str> { model.into_iter().chain(flag).collect() };
            let line = with_states(line, 4, &states(&without(STACK)));
            with_states(&line, 5, &states(&without(LIST)))
        })
        .collect();
    assert_eq!(rows, 12, "one row for each reduction and one for all of them");
    settle(path, &chapter, &(right.join("\n") + "\n"));
}

#[test]
fn seconds_rates_and_memory_are_left_out_and_nothing_else() {
    let line = "  12 345 states, 23 456 transitions, depth 23, 0.12 s, 102 k/s, 3.1 MB\n  a, 1 s";
    assert_eq!(steady(line), "  12 345 states, 23 456 transitions, depth 23, ...\n  a, 1 s\n");
}
