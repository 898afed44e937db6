//! Where a page goes: to a file, to standard output, to a browser.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::args::CheckOptions;
use crate::exit::Exit;
use crate::render::html::Page;
use crate::screen::Screen;

/// Writes the page where it was asked for, and shows it if that was asked for.
pub(crate) fn publish(options: &CheckOptions, screen: &Screen, page: &Page) -> Exit {
    if page.is_empty() {
        return Exit::Holds;
    }
    let text = page.render();
    let path = match &options.output {
        Some(path) => path.clone(),
        None if options.open => temporary(),
        None => {
            screen.print(&text);
            return Exit::Holds;
        }
    };
    if let Err(error) = write(&path, &text) {
        screen.complain(&format!("cannot write {}: {error}", path.display()));
        return Exit::BadInput;
    }
    screen.error(&format!("report: {}\n", path.display()));
    if options.open && !show(&path) {
        screen.complain("no browser could be started; open the report yourself");
        return Exit::BadInput;
    }
    Exit::Holds
}

/// Writes to a new file beside the old one first: a full disk does not cost the old report.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(name);
    let written = std::fs::File::create(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // Nothing more can be done if that fails as well.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("linchpin-{}.html", std::process::id()))
}

/// Asks the desktop to show a file.
fn show(path: &Path) -> bool {
    let openers: &[(&str, &[&str])] = match std::env::consts::OS {
        "macos" => &[("open", &[])],
        "windows" => &[("cmd", &["/C", "start", ""])],
        _ => &[("xdg-open", &[]), ("sensible-browser", &[])],
    };
    openers.iter().any(|(program, args)| {
        let quiet = || Stdio::null();
        let mut command = Command::new(program);
        command.args(*args).arg(path).stdin(quiet()).stdout(quiet()).stderr(quiet());
        command.status().is_ok_and(|status| status.success())
    })
}
