//! Porcupine beside us, on the same files: a small program in Go (`porcupine/main.go`) with its models, built against a
//! checkout that is given. What is measured is its decision alone, without reading the file.

use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = include_str!("porcupine/main.go");

/// The program that asks Porcupine.
pub(super) struct Porcupine(PathBuf);

impl Porcupine {
    /// Builds it in a folder.
    pub(super) fn build(checkout: &str, folder: &Path) -> Result<Self, String> {
        let checkout = Path::new(checkout).canonicalize();
        let checkout = checkout.ok().filter(|c| c.join("checker.go").is_file()).ok_or(
            "--porcupine: this is no checkout of Porcupine (github.com/anishathalye/porcupine)",
        )?;
        let module = format!(
            "module bench\n\ngo 1.18\n\nrequire github.com/anishathalye/porcupine v0.0.0\n\n\
             replace github.com/anishathalye/porcupine => {}\n",
            checkout.display()
        );
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text);
        write("go.mod", &module)
            .and_then(|()| write("main.go", PROGRAM))
            .map_err(|e| e.to_string())?;
        let program = folder.join("porcupine");
        let built = Command::new("go")
            .args(["build", "-mod=mod", "-o"])
            .arg(&program)
            .arg(".")
            .current_dir(folder)
            .output()
            .map_err(|error| format!("--porcupine: go: {error}"))?;
        match built.status.success() {
            true => Ok(Porcupine(program)),
            false => Err(format!("--porcupine: go: {}", String::from_utf8_lossy(&built.stderr))),
        }
    }

    /// The seconds it takes to decide that a correct history is one, or what it says instead.
    pub(super) fn decide(&self, spec: &str, seconds: u64, file: &Path) -> Result<String, String> {
        let ran = Command::new(&self.0)
            .args([spec, &seconds.to_string()])
            .arg(file)
            .output()
            .map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&ran.stdout);
        match said.trim().split_once(' ') {
            Some(("Ok", seconds)) => {
                let seconds: f64 = seconds.parse().map_err(|_| format!("Porcupine: {said}"))?;
                Ok(format!("{seconds:.2}"))
            }
            Some(("Unknown", _)) => Ok("unknown".to_string()),
            _ if !ran.status.success() => Ok("no memory, or it failed".to_string()),
            _ => Err(format!("Porcupine: {said}{}", String::from_utf8_lossy(&ran.stderr))),
        }
    }
}
