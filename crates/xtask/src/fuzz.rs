//! `cargo xtask fuzz`: the built program from outside, on damaged models and logs, for a given time or number of them.
//!
//! Every run has limits of time, states and memory, and a cap on its addresses, so that what ignores them harms
//! nobody. What counts as a finding: an exit code that is not documented (a panic and an internal error are 4, a
//! signal has none), a run that does not end long after its time, much more memory than allowed, and characters
//! that do something to a terminal. The input of a finding is kept in `target/fuzz` with the command. The
//! same seed makes the same inputs.

mod damage;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::option;
use damage::Random;

/// What a run is told, beyond its command and files.
const LIMITS: &[&str] =
    &["--timeout", "1s", "--max-memory", "200M", "--max-states", "5000", "--workers", "2"];

/// Of these, what a command that looks at a log is told: it has neither states nor workers.
const LOG_LIMITS: &[&str] = LIMITS.split_at(4).0;

/// Kilobytes of addresses that a run can have.
const ADDRESSES: &str = "4000000";

/// A run that takes longer hangs. Confirming a violation may take ten seconds after the time is over.
const HANGS: Duration = Duration::from_secs(20);

/// A run that occupies more has forgotten its limit.
const MOST_BYTES: u64 = 500_000_000;

/// The language of recorded histories: they are recognised by what is in them.
const LOG: &str = "log";

/// The commands for a language; those with limits, and those without.
fn commands(extension: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match extension {
        "lin" => (
            &["check", "check --classify", "check --format json", "check --format html --explain"],
            &["list", "fmt --check", "simulate"],
        ),
        "csp" => (&["check", "check --format junit", "check --format json"], &["list", "simulate"]),
        LOG => (
            &[
                "history --spec SPEC --failed-cas returns --format json",
                "history --spec SPEC --witness",
                "history --spec SPEC --condition quiescent",
                "history --spec SPEC --condition sequential --format junit",
            ],
            &[],
        ),
        "mcrl2" => (&["lts --format json", "check --atomic", "reduce --format json"], &[]),
        _ => (&["reduce --format json", "compare --relation branching", "lts --format dot"], &[]),
    }
}

/// More commands that take long, for one run in a few.
fn rare(extension: &str) -> &'static [&'static str] {
    match extension {
        "lin" => &["points", "lts --format json", "check --method recordings"],
        "csp" => &["check --format html", "check --no-reductions"],
        LOG => &[
            "history --spec SPEC --follow",
            "history --spec SPEC --format html",
            "history --spec SPEC --input edn",
            "history --spec SPEC --input json",
            "history --spec SPEC --input jepsen",
            "history --spec SPEC --split none --input etcd",
        ],
        _ => &["compare --relation trace", "compare --relation failures --refines"],
    }
}

/// Runs for as long as asked and prints the tally.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let number = |flag: &str, default: u64| match option(args, flag) {
        Some(text) => text.parse().map_err(|_| format!("{flag}: `{text}` is no number")),
        None => Ok(default),
    };
    let (seconds, seed) = (number("--seconds", 60)?, number("--seed", 1)?);
    let inputs = number("--inputs", u64::MAX)?;
    let program = crate::program()?;
    let seeds = seeds()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
    fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    let (start, time) = (Instant::now(), Duration::from_secs(seconds));
    while start.elapsed() < time && tally.inputs < inputs {
        let (extension, spec, text) = damaged(&mut random, &seeds);
        let input = folder.join(format!("input.{extension}"));
        fs::write(&input, &text).map_err(|e| e.to_string())?;
        let (limited, quick) = commands(&extension);
        let mut list: Vec<(&str, bool)> = limited.iter().map(|c| (*c, true)).collect();
        list.extend(quick.iter().map(|c| (*c, false)));
        if random.below(4) == 0 {
            list.extend(rare(&extension).iter().map(|c| (*c, true)));
        }
        tally.inputs += 1;
        for (command, limits) in list {
            let word = |word| if word == "SPEC" { spec } else { word };
            let mut words: Vec<&str> = command.split(' ').map(word).collect();
            let path = input.to_string_lossy();
            words.insert(1, &path);
            if words[0] == "compare" {
                words.insert(2, &path);
            }
            if limits {
                words.extend(if extension == LOG { LOG_LIMITS } else { LIMITS });
            }
            let ran = once(&program, &words, &folder)?;
            if let Some(what) = tally.count(command, &ran) {
                let name = format!("{}-{}.{extension}", seed, tally.findings);
                fs::write(folder.join(&name), &text).map_err(|e| e.to_string())?;
                let command = command.replace("SPEC", spec);
                println!("{what}: linchpin {command} target/fuzz/{name} {}", ran.last_words);
            }
        }
    }
    println!("{}", tally.text(start.elapsed()));
    match tally.findings {
        0 => Ok(()),
        n => Err(format!("{n} findings")),
    }
}

/// What is damaged; of a log, with its specification.
struct Seed {
    text: Vec<u8>,
    spec: String,
}

/// All models and logs of the repository, by language, sorted by their paths.
fn seeds() -> Result<BTreeMap<String, Vec<Seed>>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut todo = vec![
        root.join("corpus"),
        root.join("book/src/models"),
        root.join("crates/cli/tests/models"),
    ];
    let mut files = Vec::new();
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
            let path = entry.map_err(|e| e.to_string())?.path();
            if path.is_dir() { todo.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let list = root.join("corpus/history/expect.toml");
    let specs = specs(&fs::read_to_string(list).map_err(|e| e.to_string())?);
    let mut seeds: BTreeMap<String, Vec<Seed>> = BTreeMap::new();
    for file in files {
        let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        let is_log = file.parent().is_some_and(|f| f.ends_with("history")) && extension != "toml";
        let language = if is_log { LOG.to_string() } else { extension };
        if ["lin", "csp", "mcrl2", "aut", LOG].contains(&language.as_str()) {
            let text = fs::read(&file).map_err(|e| e.to_string())?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let spec = specs.get(&*name).cloned().unwrap_or_default();
            seeds.entry(language).or_default().push(Seed { text, spec });
        }
    }
    Ok(seeds)
}

/// A damaged model or log and its language.
fn damaged<'s>(
    random: &mut Random,
    seeds: &'s BTreeMap<String, Vec<Seed>>,
) -> (String, &'s str, Vec<u8>) {
    let languages: Vec<&String> = seeds.keys().collect();
    let language = languages[random.below(languages.len())];
    let models = &seeds[language];
    let (model, other) = (random.below(models.len()), random.below(models.len()));
    let Seed { text, spec } = &models[model];
    (language.clone(), spec, damage::damage(random, text, &models[other].text))
}

/// The specifications of the logs, by their names, as their list has them.
fn specs(list: &str) -> BTreeMap<String, String> {
    let (mut specs, mut name, mut spec) = (BTreeMap::new(), "", "");
    for line in list.lines() {
        let said = line.split('"').nth(1).unwrap_or("");
        match line.split(' ').next() {
            Some("spec") => spec = said,
            Some("broken") => {
                specs.insert(name.to_string(), spec.to_string());
                specs.insert(said.to_string(), spec.to_string());
            }
            _ if line.starts_with('[') => name = said,
            _ => {}
        }
    }
    specs
}

/// What came of one run.
struct Ran {
    /// The exit code; none if it was ended by a signal or by us.
    code: Option<i32>,
    took: Duration,
    peak: u64,
    hung: bool,
    /// Did it write something that does something to a terminal?
    escaped: bool,
    last_words: String,
}

fn once(program: &Path, words: &[&str], folder: &Path) -> Result<Ran, String> {
    let [out, err] = ["stdout", "stderr"].map(|name| folder.join(name));
    let file = |path: &Path| File::create(path).map(Stdio::from).map_err(|e| e.to_string());
    let start = Instant::now();
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {ADDRESSES}; exec \"$@\""), "sh"])
        .arg(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(file(&out)?)
        .stderr(file(&err)?)
        .spawn()
        .map_err(|error| format!("sh: {error}"))?;
    let (mut peak, mut hung) = (0, false);
    let status = loop {
        peak = crate::peak_of(child.id()).unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if start.elapsed() > HANGS {
            hung = true;
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let took = start.elapsed();
    let said = fs::read(&err).unwrap_or_default();
    // A picture or page is data; what it shows is its affair.
    let shown = !words.contains(&"dot") && !words.contains(&"html");
    let text = [fs::read(&out).unwrap_or_default(), said.clone()].concat();
    let escaped = shown && text.iter().any(|b| matches!(b, 0..=8 | 11 | 12 | 14..=31 | 127));
    let said = String::from_utf8_lossy(&said);
    let last_words = said.lines().last().unwrap_or_default().chars().take(200).collect();
    Ok(Ran { code: status.code(), took, peak, hung, escaped, last_words })
}

/// What was found so far.
#[derive(Default)]
struct Tally {
    inputs: u64,
    runs: u64,
    codes: BTreeMap<String, u64>,
    findings: u64,
    slowest: Duration,
    largest: u64,
}

impl Tally {
    /// Counts a run; says what is wrong with it, if anything is.
    fn count(&mut self, command: &str, ran: &Ran) -> Option<&'static str> {
        self.runs += 1;
        let code = ran.code.map_or("signal".to_string(), |code| code.to_string());
        let name = command.split(' ').next().unwrap_or_default();
        *self.codes.entry(format!("{name} {code}")).or_default() += 1;
        self.slowest = self.slowest.max(ran.took);
        self.largest = self.largest.max(ran.peak);
        let wrong = match ran.code {
            _ if ran.hung => "does not end",
            Some(0..=3) if ran.peak > MOST_BYTES => "takes too much memory",
            Some(0..=3) if ran.escaped => "writes control characters",
            Some(0..=3) => return None,
            Some(4) => "internal error",
            _ => "crash",
        };
        self.findings += 1;
        Some(wrong)
    }

    fn text(&self, elapsed: Duration) -> String {
        let codes: Vec<String> = self.codes.iter().map(|(k, n)| format!("{k}: {n}")).collect();
        format!(
            "{} runs on {} inputs in {:.0} s; slowest {:.1} s, largest {} MB; {} findings\n{}",
            self.runs,
            self.inputs,
            elapsed.as_secs_f64(),
            self.slowest.as_secs_f64(),
            self.largest / 1_000_000,
            self.findings,
            codes.join(", ")
        )
    }
}
