//! `cargo xtask links [FOLDER]`: every link of built pages leads somewhere.
//!
//! The pages are those of the book as mdBook has written them (`book/book`). A page, picture or report that is named must be a
//! file there, and a place within a page must have an element of that name. Addresses of other machines are not
//! asked for. Links in the text of the book are tested without mdBook (`crates/testkit/tests/docs.rs`); what only the
//! built book has, the reports of the gallery among it, is looked at here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Looks at all pages below the folder.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/book");
    let folder = args.first().map_or(book, PathBuf::from);
    let mut pages = BTreeMap::new();
    collect(&folder, &folder, &mut pages)?;
    if pages.is_empty() {
        return Err(format!(
            "{}: there are no pages; `mdbook build book` writes them",
            folder.display()
        ));
    }
    let (mut links, mut wrong) = (0, BTreeSet::new());
    for (page, text) in &pages {
        for link in named(text, "href").chain(named(text, "src")) {
            if link.contains(':') || link.starts_with("//") {
                continue;
            }
            links += 1;
            let (path, place) = link.split_once('#').unwrap_or((link, ""));
            let target = match path.split('?').next().unwrap_or_default() {
                "" => page.clone(),
                path => joined(page, path),
            };
            let found = match pages.get(&target) {
                Some(text) => place.is_empty() || named(text, "id").any(|id| id == place),
                None => folder.join(&target).is_file(),
            };
            if !found {
                wrong.insert(format!("{}: {link}", page.display()));
            }
        }
    }
    if wrong.is_empty() {
        println!("{} pages, {links} links: each leads somewhere", pages.len());
        return Ok(());
    }
    let list: Vec<_> = wrong.into_iter().collect();
    Err(format!("links that lead nowhere:\n{}", list.join("\n")))
}

/// The pages below a folder, by their paths in the book. Reports have no links; those of the page for what is not found
/// begin at the root of the server.
fn collect(
    root: &Path,
    folder: &Path,
    pages: &mut BTreeMap<PathBuf, String>,
) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "reports") {
                collect(root, &path, pages)?;
            }
        } else if path.extension().is_some_and(|e| e == "html") && !path.ends_with("404.html") {
            let text = fs::read_to_string(&path).map_err(failed)?;
            pages.insert(path.strip_prefix(root).unwrap_or(&path).to_path_buf(), text);
        }
    }
    Ok(())
}

/// The values of an attribute.
fn named<'a>(text: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let begin = format!(" {attribute}=\"");
    let starts: Vec<_> = text.match_indices(&begin).map(|(at, _)| at + begin.len()).collect();
    starts.into_iter().filter_map(|at| text[at..].split('"').next())
}

/// The path that a page means by a relative one.
fn joined(page: &Path, path: &str) -> PathBuf {
    let mut target = page.parent().map(Path::to_path_buf).unwrap_or_default();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                target.pop();
            }
            Component::Normal(part) => target.push(part),
            _ => {}
        }
    }
    target
}
