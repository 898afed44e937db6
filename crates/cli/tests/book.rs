//! What the book and the README show is what the tool prints.
//!
//! Every file in `book/src/outputs` is the transcript of a session in the root of the repository:
//! lines that begin with `$ ` are commands, the rest is what they print. The commands are run
//! again and the transcripts compared; seconds, rates and memory are left out on both sides
//! ([`steady`]). `LINCHPIN_BLESS=1 cargo test -p linchpin-cli --test book` writes the transcripts
//! anew; the difference is then for a reader to judge.

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
        let words: Vec<&str> = line.split_whitespace().collect();
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
        let printed = transcript(&commands);
        if blessing() {
            fs::write(root().join(&path), printed).unwrap_or_else(|e| panic!("{path}: {e}"));
        } else {
            assert_same(&path, &shown, &printed);
        }
    }
}

#[test]
fn the_readme_shows_the_first_model_and_its_report() {
    let readme = read("README.md");
    let model = read("book/src/models/lost_update.lin");
    assert!(readme.contains(&format!("```lin\n{model}```")), "the model in README.md");
    let printed = read("book/src/outputs/lost_update.txt");
    assert!(readme.contains(&format!("```text\n{printed}```")), "the report in README.md");
}

#[test]
fn every_model_of_the_book_is_shown_with_its_output() {
    let outputs: String = files("book/src/outputs", "txt").iter().map(|p| read(p)).collect();
    let words: BTreeSet<&str> = commands(&outputs).iter().flat_map(|c| c.split(' ')).collect();
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
        let (text, code) = run(&["check", "--expect", &model]);
        assert_eq!(code, 0, "{text}");
    }
}

/// A row of the table of reductions ends with the number of states without that reduction.
#[test]
fn the_table_of_reductions_has_the_numbers_that_the_tool_prints() {
    let chapter = read("book/src/reductions.md");
    let printed = read("book/src/outputs/reductions.txt");
    let rows: Vec<Vec<&str>> = chapter
        .lines()
        .filter(|line| line.starts_with("| `--no-") || line.starts_with("| all on"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 8, "one row for each reduction and one for all of them");
    for row in rows {
        let (flag, states) = (row[1].trim_matches('`'), row[row.len() - 2]);
        let is_it = |run: &&str| {
            let command = run.lines().next().unwrap_or_default();
            command.ends_with(flag) || flag == "all on" && !command.contains("--no-")
        };
        let output = printed.split("$ ").skip(1).find(is_it);
        let output = output.unwrap_or_else(|| panic!("no output for {flag}"));
        assert!(output.contains(&format!("  {states} states, ")), "{flag}: {states}\n{output}");
    }
}

/// Rows of README.md: `| 3 x 2 | 4 794 | ...`, threads and operations of each.
#[test]
fn the_sizes_in_the_readme_are_those_of_the_search() {
    let readme = read("README.md");
    let rows = readme.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let (threads, ops) = cells.next()?.split_once(" x ")?;
        threads.parse::<u32>().ok()?;
        Some((threads, ops, cells.next()?))
    });
    let mut count = 0;
    for (threads, ops, states) in rows {
        let mut words = vec!["check", "corpus/treiber_stack/gc.lin", "--check", "TreiberStack"];
        words.extend(["--threads", threads]);
        match ops {
            "any number, at most 5 live nodes" => {
                words.extend(["--ops", "unbounded", "--heap", "5"])
            }
            ops => words.extend(["--ops", ops]),
        }
        let (text, _) = run(&words);
        assert!(text.contains(&format!("\n  {states} states, ")), "{threads} x {ops}: {text}");
        count += 1;
    }
    assert_eq!(count, 6);
}

#[test]
fn seconds_rates_and_memory_are_left_out_and_nothing_else() {
    let line = "  12 345 states, 23 456 transitions, depth 23, 0.12 s, 102 k/s, 3.1 MB\n  a, 1 s";
    assert_eq!(steady(line), "  12 345 states, 23 456 transitions, depth 23, ...\n  a, 1 s\n");
}
