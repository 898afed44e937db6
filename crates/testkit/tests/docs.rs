//! The documents agree with the repository: paths, links, listings and lists are those that exist.
//!
//! What the tool prints is compared in the tests of the command line.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use linchpin_lin::syntax;
use linchpin_testkit::corpus::beside;

/// Documents in the root of the repository.
const DOCUMENTS: [&str; 5] =
    ["README.md", "ARCHITECTURE.md", "PAPERS.md", "CONTRIBUTING.md", "CHANGELOG.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Paths, from the root, of the files below a folder with this ending; sorted.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_string()];
    while let Some(folder) = todo.pop() {
        let entries =
            fs::read_dir(root().join(&folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
        for entry in entries {
            let entry = entry.expect("an entry of a folder");
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                todo.push(path);
            } else if path.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn pages() -> Vec<String> {
    let book = files("book/src", ".md");
    DOCUMENTS.iter().map(ToString::to_string).chain(book).collect()
}

/// The text without fenced blocks.
fn prose(text: &str) -> String {
    let outside = text.split("\n```").step_by(2);
    outside.collect::<Vec<_>>().join("\n")
}

/// The path of a link or inclusion, from the root.
fn relative(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Pieces of text between two marks.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    text.split(open).skip(1).filter_map(|rest| rest.split_once(close)).map(|(t, _)| t).collect()
}

/// The paths named in the prose of a document: `crates/lts/src/layout.rs`, `corpus/`.
fn named_paths(text: &str) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let prose = prose(text);
    let spans = prose.split('`').skip(1).step_by(2);
    spans
        .filter(|s| s.contains('/') && s.chars().all(plain) && !s.starts_with('/'))
        .map(|s| s.trim_end_matches('/').to_string())
        .collect()
}

#[test]
fn every_path_named_in_a_document_exists() {
    for document in DOCUMENTS {
        let paths = named_paths(&read(document));
        for path in &paths {
            assert!(root().join(path).exists(), "{document} names {path}, which does not exist");
        }
    }
    assert!(named_paths(&read("ARCHITECTURE.md")).len() > 40, "paths are not recognised");
}

#[test]
fn a_path_that_does_not_exist_is_noticed() {
    let text = "In `crates/nowhere.rs` and `and/or`,\n```text\n`crates/elsewhere.rs`\n```\n`a + b`";
    assert_eq!(named_paths(text), ["crates/nowhere.rs", "and/or"]);
    assert!(!root().join("crates/nowhere.rs").exists());
}

#[test]
fn every_link_leads_somewhere() {
    for page in pages() {
        let text = read(&page);
        for link in between(&text, "](", ")") {
            if link.starts_with("https://") {
                continue;
            }
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = if target.is_empty() { page.clone() } else { relative(&page, target) };
            assert!(root().join(&path).exists(), "{page} links to {link}");
            if !anchor.is_empty() {
                let headings = headings(&read(&path));
                assert!(headings.contains(anchor), "{page} links to {link}; there is {headings:?}");
            }
        }
    }
}

/// The anchors of the headings of a page.
fn headings(text: &str) -> BTreeSet<String> {
    let anchor = |line: &str| -> String {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    text.lines().filter(|l| l.starts_with('#')).map(anchor).collect()
}

#[test]
fn every_file_that_a_page_includes_exists_and_every_output_is_shown() {
    let mut included = BTreeSet::new();
    for page in files("book/src", ".md") {
        for inclusion in between(&read(&page), "{{#include ", "}}") {
            let path = relative(&page, inclusion.split(':').next().unwrap_or(inclusion));
            assert!(root().join(&path).is_file(), "{page} includes {path}");
            included.insert(path);
        }
    }
    for path in
        files("book/src/outputs", ".txt").into_iter().chain(files("book/src/models", ".lin"))
    {
        assert!(included.contains(&path), "no page shows {path}");
    }
}

#[test]
fn the_summary_lists_every_page_of_the_book() {
    let summary = read("book/src/SUMMARY.md");
    let listed: BTreeSet<_> = between(&summary, "](", ")").into_iter().collect();
    let pages = files("book/src", ".md");
    let there: BTreeSet<_> = pages
        .iter()
        .filter_map(|p| p.strip_prefix("book/src/"))
        .filter(|p| *p != "SUMMARY.md")
        .collect();
    assert_eq!(listed, there);
}

/// A listing of a page: the words after the backquotes, the text with inclusions carried out, and the file that the text is
/// from (the last of them; the page itself if nothing is included).
fn listings(page: &str) -> Vec<(String, String, String)> {
    let text = read(page);
    let blocks = text.split("\n```").skip(1).step_by(2);
    let block = |block: &str| {
        let (info, body) = block.split_once('\n').unwrap_or((block, ""));
        let mut body = body.to_string();
        let mut source = page.to_string();
        for inclusion in between(&body.clone(), "{{#include ", "}}") {
            let mut parts = inclusion.split(':');
            let path = relative(page, parts.next().unwrap_or(inclusion));
            let number = |n: Option<&str>| n.and_then(|n| n.parse::<usize>().ok());
            let (from, to) = (number(parts.next()), number(parts.next()));
            let text = read(&path);
            let lines: Vec<&str> = text.lines().collect();
            let chosen = &lines[from.map_or(0, |n| n - 1)..to.unwrap_or(lines.len())];
            body = body.replace(&format!("{{{{#include {inclusion}}}}}"), &chosen.join("\n"));
            source = path;
        }
        (info.to_string(), body, source)
    };
    blocks.map(block).collect()
}

#[test]
fn every_listing_loads_unless_it_says_otherwise() {
    let mut loaded = 0;
    for page in pages() {
        for (info, body, source) in listings(&page) {
            let result = syntax::load_files(&body, &[], &mut beside(&root().join(source)));
            match info.as_str() {
                "lin" => {
                    let result =
                        result.map_err(|d| d.diagnostics.first().map(|d| d.message.clone()));
                    let program = result.unwrap_or_else(|e| panic!("{page}: {e:?} in\n{body}"));
                    assert!(program.warnings.is_empty(), "{page}: a warning about\n{body}");
                    loaded += 1;
                }
                "lin,wrong" => assert!(result.is_err(), "{page}: loads after all:\n{body}"),
                "lin,fragment" | "text" | "sh" => {}
                // Files of their own, taken in from `models/adapters` or `ci`, or tests of the crate for Rust code.
                "python" | "go" | "java" | "rust,ignore" | "yaml" => {
                    let adapters = files("book/src/models/adapters", "");
                    let tests = files("crates/linchpin/tests/book", ".rs");
                    let recipes = files("book/src/ci", ".yml");
                    let known = adapters.iter().chain(&tests).chain(&recipes);
                    let is_one = known.into_iter().any(|path| read(path).trim() == body.trim());
                    assert!(is_one, "{page}: {body}");
                }
                other => panic!("{page}: what is a listing of kind `{other}`?"),
            }
        }
    }
    assert!(loaded > 20, "only {loaded} listings were found");
}

#[test]
fn the_page_of_diagnostics_lists_every_code() {
    let page = read("book/src/diagnostics.md");
    let listed: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .filter(|(code, _)| code.starts_with(['E', 'W']))
        .map(|(code, rest)| (code, rest.split(" |").next().unwrap_or(rest)))
        .collect();
    let known: Vec<(&str, &str)> = syntax::CODES.iter().map(|c| (c.id, c.title)).collect();
    assert_eq!(listed, known);
}

#[test]
fn the_architecture_has_a_paragraph_for_every_crate() {
    let text = read("ARCHITECTURE.md");
    for manifest in files("crates", "/Cargo.toml") {
        let folder = manifest.trim_end_matches("/Cargo.toml");
        assert!(text.contains(&format!("**`{folder}`**")), "ARCHITECTURE.md, {folder}");
    }
}

/// Does a file cite a paper? All citations have a year.
fn cites(text: &str) -> bool {
    let header: Vec<&str> = text.lines().take_while(|l| l.starts_with("//!")).collect();
    let words = header.join(" ");
    let mut numbers = words.split(|c: char| !c.is_ascii_digit()).filter(|n| n.len() == 4);
    numbers.any(|n| n.starts_with("19") || n.starts_with("20"))
}

#[test]
fn every_file_that_cites_a_paper_is_listed_with_the_papers() {
    let papers = read("PAPERS.md");
    let listed: BTreeSet<String> = named_paths(&papers).into_iter().collect();
    let citing: Vec<String> =
        files("crates", ".rs").into_iter().filter(|path| cites(&read(path))).collect();
    assert!(citing.len() > 5, "citations are not recognised");
    for path in &citing {
        assert!(listed.contains(path), "{path} cites a paper; PAPERS.md does not list it");
    }
    let table = papers.split("\n## ").next().unwrap_or(&papers);
    for path in named_paths(table) {
        assert!(citing.contains(&path), "PAPERS.md lists {path}, which cites no paper");
    }
}
