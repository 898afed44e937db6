//! Finds the published source of a crate that uses `core::sync::atomic` directly, so that it can be compiled, as it is, where
//! `core` is ours.
//!
//! A crate of this workspace depends on the published one, so that Cargo has downloaded it, and on ours under the name
//! `core`. Its root is that of the published crate without attributes and comments about the crate as a whole, and its
//! modules are copies of the published files.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Which crate of this workspace is which published one.
const PUBLISHED: [(&str, &str); 3] = [
    ("explored-crossbeam-queue-0-2", "crossbeam-queue-0.2.1"),
    ("explored-crossbeam-queue-0-3", "crossbeam-queue-0.3.12"),
    ("explored-thingbuf", "thingbuf-0.1.6"),
];

fn main() {
    let name = env::var("CARGO_PKG_NAME").expect("Cargo says it");
    let (_, published) = PUBLISHED.iter().find(|p| p.0 == name).expect("a crate of the table");
    let source = source(published).expect("Cargo has downloaded it");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo says it")).join("src");
    copy(&source, &out).expect("it can be copied");
    let root = fs::read_to_string(source.join("lib.rs")).expect("a root");
    fs::write(out.join("root.rs"), rooted(&root)).expect("it can be written");
    println!("cargo::rerun-if-changed=../source.rs");
}

/// Where Cargo keeps the files of a crate.
fn source(published: &str) -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?;
    let folders = registries.flatten().map(|r| r.path().join(published).join("src"));
    folders.into_iter().find(|folder| folder.join("lib.rs").exists())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            false => fs::write(to, fs::read(entry.path())?)?,
        }
    }
    Ok(())
}

/// The root without what belongs to the crate as a whole.
fn rooted(root: &str) -> String {
    let mut out = String::new();
    let mut open = 0;
    for line in root.lines() {
        let count = |c: char| line.matches(c).count() as i32;
        if open > 0 || line.starts_with("#![") {
            open += count('[') - count(']');
        } else if !line.starts_with("//!") {
            out += line;
            out.push('\n');
        }
    }
    out
}
