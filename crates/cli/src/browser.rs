//! Showing a page in a browser.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file for a page that nobody has given a name.
pub(crate) fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("linchpin-{}.html", std::process::id()))
}

/// Asks the desktop to show a file.
pub(crate) fn show(path: &Path) -> bool {
    open(path)
}

/// Asks the desktop to show what is at an address, or a file.
pub(crate) fn open(what: impl AsRef<OsStr>) -> bool {
    let openers: &[(&str, &[&str])] = match std::env::consts::OS {
        "macos" => &[("open", &[])],
        "windows" => &[("cmd", &["/C", "start", ""])],
        _ => &[("xdg-open", &[]), ("sensible-browser", &[])],
    };
    openers.iter().any(|(program, args)| {
        let quiet = || Stdio::null();
        let mut command = Command::new(program);
        command.args(*args).arg(&what).stdin(quiet()).stdout(quiet()).stderr(quiet());
        command.status().is_ok_and(|status| status.success())
    })
}
