//! `linchpin fmt`: lays files out. A file is replaced at once or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use linchpin_syntax::lin;

use crate::csp;
use crate::exit::Exit;
use crate::input::{self, InputError, Passages, reason};
use crate::outcome::{Kind, Problem};
use crate::render::text;
use crate::screen::Screen;

/// Formats files; with `check`, says only which ones would change.
pub(crate) fn run(files: &[PathBuf], check: bool, screen: &Screen) -> Exit {
    files.iter().map(|path| file(path, check, screen)).max().unwrap_or(Exit::Holds)
}

fn file(path: &Path, check: bool, screen: &Screen) -> Exit {
    if csp::is_csp(path) {
        let message = "only `.lin` models can be laid out; a `.csp` model stays as it is";
        let problem = Problem::new(Kind::Unsupported, path, message.to_string());
        text::problem(screen, &problem);
        return problem.exit();
    }
    let formatted = input::read(path).and_then(|text| match lin::format(&text) {
        Ok(formatted) => Ok((text, formatted)),
        Err(diagnostics) => Err(InputError::Wrong(Passages { text, diagnostics })),
    });
    match formatted {
        Err(error) => {
            text::problem(screen, &Problem::of_input(path, error));
            Exit::BadInput
        }
        Ok((text, formatted)) if text == formatted => Exit::Holds,
        Ok(_) if check => {
            screen.print(&format!("{}: is not formatted\n", path.display()));
            Exit::Violated
        }
        Ok((_, formatted)) => match replace(path, &formatted) {
            Ok(()) => Exit::Holds,
            Err(error) => {
                let reason = reason(&error);
                screen.complain(&format!("cannot write {}: {reason}", path.display()));
                Exit::BadInput
            }
        },
    }
}

/// Writes a new file beside the old one and moves it over the old one when it is complete, so that
/// nothing is lost if the disk is full or the machine stops.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    // What a link points to is replaced, not the link.
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let (temporary, mut file) = beside(&path)?;
    let written = (|| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(permissions)?;
        file.sync_all()?;
        fs::rename(&temporary, &path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A new file in the same directory, and so on the same disk.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut attempt = 0;
    loop {
        let process = std::process::id();
        let temporary = path.with_file_name(format!(".{name}.{process}.{attempt}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_no_other_file_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lin");
        fs::write(&path, "old").unwrap();
        replace(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.lin"), folder.path().join("b.lin"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        replace(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_read_only_file_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lin");
        fs::write(&path, "old").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        assert!(replace(&path, "new").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }
}
