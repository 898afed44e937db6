//! The built program, measured as people run it: seconds from start to end, the memory that it says it has counted,
//! and the most that the operating system gave it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One run.
pub(super) struct Measured {
    pub(super) took: Duration,
    pub(super) states: u64,
    pub(super) counted: u64,
    pub(super) peak: u64,
    /// Was there an answer before a limit was reached?
    pub(super) decided: bool,
}

impl Measured {
    pub(super) fn seconds(&self) -> f64 {
        self.took.as_secs_f64()
    }
}

/// A file of the corpus.
pub(super) fn in_corpus(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file)
}

/// Checks a model that holds.
pub(super) fn measure(program: &Path, file: &Path, options: &[&str]) -> Result<Measured, String> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .arg("check")
        .arg(file)
        .args(options)
        .args(["--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let mut peak = 0;
    let status = loop {
        peak = crate::peak_of(child.id()).unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let took = start.elapsed();
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !matches!(status.code(), Some(0 | 3)) {
        return Err(format!("{} {}: {said}", file.display(), options.join(" ")));
    }
    // `counts` has nodes of a product, or states of a system.
    let states = number(&said, "nodes").or_else(|| number(&said, "states"));
    Ok(Measured {
        took,
        states: states.ok_or("no states")?,
        counted: number(&said, "memory_bytes").ok_or("no memory")?,
        // Of a short run the program knows more than who looks now and then.
        peak: number(&said, "peak_memory_bytes").unwrap_or(0).max(peak),
        decided: status.success(),
    })
}

/// The first number of this name.
fn number(json: &str, name: &str) -> Option<u64> {
    let (_, rest) = json.split_once(&format!("\"{name}\":"))?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
