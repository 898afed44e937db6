//! Kills the program at random moments, goes on with what it has kept, and compares what comes out with a run that
//! nobody has killed: verdicts, counts and witnesses, to the byte.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{option, program};

/// What is asked: arguments of `linchpin check`, for models in the corpus.
const QUESTIONS: &[&[&str]] = &[
    &["lin/treiber_stack/gc.lin", "--check", "TreiberStack", "--threads", "3", "--ops", "3"],
    &["lin/treiber_stack/no_cas.lin"],
    &["lin/michael_scott_queue"],
    &["lin/list_set/lazy.lin", "--no-reductions", "--check", "alone"],
    &["lin/herlihy_wing_queue", "--classify"],
    &[
        "lin/treiber_stack/gc.lin",
        "--check",
        "TreiberStack",
        "--ops",
        "1",
        "--method",
        "recordings",
    ],
    &["lin/treiber_stack/gc.lin", "--check", "TreiberStack", "--method", "external-sound"],
    &["lin/progress", "lin/snapshot"],
    &["csp/snzi.csp", "--no-reductions"],
    &["csp"],
    &["mcrl2/treiber_stack.mcrl2", "--atomic", "--threads", "3", "--ops", "2"],
];

/// Figures that differ from run to run. (`others` is the work of this run beside the search that has the answer; what was done
/// by a run that was killed is not known.)
const MEASURED: &[&str] = &["elapsed", "memory", "seconds", "\"others\""];

/// Kills so often; prints the tally.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let number = |flag, default| match option(args, flag) {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| format!("{flag} {text}: a number is needed")),
    };
    let (times, seed): (u64, u64) = (number("--times", 100)?, number("--seed", 1)?);
    let program = program()?;
    let folder = std::env::temp_dir().join(format!("linchpin-kill-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let mut random = seed;
    let mut next = move || {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut whole = Vec::new();
    for question in QUESTIONS {
        let start = Instant::now();
        let text = output(spawn(&program, question, &[])?)?;
        whole.push((start.elapsed(), text));
    }
    let (mut killed, mut kept, mut late, mut different) = (0, 0, 0, Vec::new());
    for i in 0..times {
        let (question, (time, text)) = {
            let at = (i % QUESTIONS.len() as u64) as usize;
            (QUESTIONS[at], &whole[at])
        };
        let directory = folder.to_string_lossy().into_owned();
        let begin = ["--checkpoint", &directory, "--checkpoint-every", "1ms"];
        let go_on = ["--resume", &directory, "--checkpoint-every", "1ms"];
        let mut ended = false;
        // Killed once, or twice, or three times.
        for _ in 0..1 + i % 3 {
            let options = if folder.join("run").exists() { &go_on } else { &begin };
            let mut child = spawn(&program, question, options)?;
            std::thread::sleep(time.mul_f64(next()).max(Duration::from_millis(1)));
            ended = child.try_wait().map_err(said)?.is_some();
            if ended {
                late += 1;
                break;
            }
            child.kill().and_then(|()| child.wait()).map_err(said)?;
            killed += 1;
        }
        let is_kept = std::fs::read_dir(&folder).is_ok_and(|files| {
            let names = files.flatten().map(|file| file.file_name());
            names.into_iter().any(|name| name.to_string_lossy().starts_with("search-"))
        });
        kept += u64::from(is_kept);
        let options = if folder.join("run").exists() { &go_on } else { &begin };
        let came = output(spawn(&program, question, options)?)?;
        if came != *text {
            different.push(format!(
                "{}: {} bytes instead of {}",
                question.join(" "),
                came.len(),
                text.len()
            ));
        }
        let left = std::fs::read_dir(&folder).map_or(0, Iterator::count);
        if left > 0 && !ended {
            different.push(format!("{}: {left} files are left", question.join(" ")));
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
    println!(
        "{times} runs: killed {killed} times ({late} had ended before), {kept} had kept a search; {} came out differently",
        different.len()
    );
    match different.first() {
        None => Ok(()),
        Some(first) => Err(first.clone()),
    }
}

fn said(error: std::io::Error) -> String {
    error.to_string()
}

fn spawn(program: &Path, question: &[&str], options: &[&str]) -> Result<Child, String> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    Command::new(program)
        .arg("check")
        .args(question)
        .args(["--format", "json"])
        .args(options)
        .current_dir(corpus)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(said)
}

/// What a run has said, without what differs from run to run.
fn output(child: Child) -> Result<String, String> {
    let output = child.wait_with_output().map_err(said)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut kept = format!("{}\n", output.status);
    for field in text.split_inclusive([',', '{', '}', '\n']) {
        if !MEASURED.iter().any(|name| field.contains(name)) {
            kept += field;
        }
    }
    Ok(kept)
}
