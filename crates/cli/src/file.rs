//! Writing files. A file is replaced at once or not at all.
//!
//! A new file is written beside the old one, under a name that nobody can foresee, and moved over the old one when
//! it is complete. So nothing is lost if the disk is full or the machine stops, and of two programs that write
//! the same file at the same time one wins as a whole. What is no file (a device, a pipe, a link to
//! something that is not there) is written to and never replaced.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a text.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    write(path, |file| file.write_all(text.as_bytes()))
}

/// Writes whatever `put` writes, if that succeeds.
pub(crate) fn write(path: &Path, put: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => Err(io::Error::other("this is a directory")),
        Ok(old) if old.is_file() => {
            let permissions = old.permissions();
            if permissions.readonly() {
                let why = "the file is read-only";
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
            }
            // What a link points to is replaced, not the link.
            beside(&fs::canonicalize(path)?, Some(permissions), put)
        }
        Ok(_) => put(&mut OpenOptions::new().write(true).open(path)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::symlink_metadata(path) {
            Ok(_) => put(&mut File::create(path)?),
            Err(_) => beside(path, None, put),
        },
        Err(error) => Err(error),
    }
}

/// Writes a new file in the same directory, and so on the same disk, and moves it here.
fn beside(
    path: &Path,
    permissions: Option<fs::Permissions>,
    put: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let (temporary, mut file) = fresh(path)?;
    let written = (|| {
        // Before there is anything to read in it.
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        put(&mut file)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Is this the name of a file that was being written?
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(".linchpin-") && name.ends_with(".tmp")
}

/// A file that was not there before; no link is followed.
fn fresh(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut attempt = 0;
    loop {
        // The keys of a hash are the random numbers of the standard library.
        let random = RandomState::new().build_hasher().finish();
        let temporary = path.with_file_name(format!(".linchpin-{random:016x}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
            Err(error) => return Err(error),
        }
    }
}

/// The first of the files to be written that is one of the files to be read, under whatever name.
pub(crate) fn also_read<'a>(written: &'a [PathBuf], read: &[&Path]) -> Option<&'a Path> {
    let same = |a: &Path, b: &Path| match (fs::metadata(a), fs::metadata(b)) {
        (Ok(x), Ok(y)) => {
            x.is_file() && (identity(&x), canonical(a)) == (identity(&y), canonical(b))
        }
        _ => false,
    };
    written.iter().map(PathBuf::as_path).find(|path| read.iter().any(|other| same(path, other)))
}

/// Which file it is, where the system has numbers for that. Then the path does not matter.
#[cfg(unix)]
fn identity(of: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((of.dev(), of.ino()))
}

#[cfg(unix)]
fn canonical(_: &Path) -> Option<PathBuf> {
    None
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(not(unix))]
fn canonical(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
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
        replace(&folder.path().join("b.lin"), "first").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
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

    /// As root, replacing a device would take it from everybody.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_written_to_and_not_replaced() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (device, nowhere) = (folder.path().join("a.json"), folder.path().join("b.json"));
        symlink("/dev/null", &device).unwrap();
        symlink("c.json", &nowhere).unwrap();
        replace(&device, "text").unwrap();
        replace(Path::new("/dev/null"), "text").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        replace(&nowhere, "text").unwrap();
        assert!(fs::symlink_metadata(&nowhere).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(folder.path().join("c.json")).unwrap(), "text");
        assert!(replace(folder.path(), "text").is_err());
    }

    #[test]
    fn what_cannot_be_written_as_a_whole_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.aut");
        let fails = |file: &mut File| {
            file.write_all(b"half")?;
            Err(io::Error::other("the disk is full"))
        };
        assert!(write(&path, fails).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        replace(&path, "old").unwrap();
        assert!(write(&path, fails).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_known_by_any_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.aut"), "").unwrap();
        fs::write(at("d.aut"), "").unwrap();
        fs::hard_link(at("a.aut"), at("b.aut")).unwrap();
        std::os::unix::fs::symlink("a.aut", at("c.aut")).unwrap();
        for (name, same) in [("a.aut", true), ("b.aut", true), ("c.aut", true), ("d.aut", false)] {
            assert_eq!(also_read(&[at(name)], &[&at("a.aut")]).is_some(), same, "{name}");
        }
        assert!(also_read(&[at("e.aut")], &[&at("a.aut")]).is_none());
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
