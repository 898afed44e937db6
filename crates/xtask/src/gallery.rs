//! `cargo xtask gallery`: a page of the book for every object of the corpus.
//!
//! What a page says is in the corpus already (`expect.toml`, `counts.toml`, the models), so pages are written, not
//! maintained; a test compares. Where a model is broken, its page embeds the report in which one can step through
//! the violation. Reports are made from the pages' list (`--reports`) when the book is built: they would be two
//! megabytes of the repository, and every change of the report would change all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use linchpin_lin::program::Program;
use linchpin_testkit::corpus::counts::{self, Table};
use linchpin_testkit::corpus::{self, Case, Corpus};

/// Folders of the corpus that are no objects.
const NO_OBJECTS: [&str; 4] = ["external_checking", "faults", "points", "regress"];

/// Writes the pages, or with `--check` only compares them; with `--reports` writes the reports.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    if let ["preprocess", rest @ ..] = args {
        return preprocess(rest);
    }
    let corpus = crate::corpus::load::<Program>()?;
    if args.contains(&"--check") {
        let stale = stale(&corpus)?;
        return match stale.as_slice() {
            [] => Ok(()),
            stale => {
                Err(format!("run `cargo xtask gallery`; not up to date: {}", stale.join(", ")))
            }
        };
    }
    if args.contains(&"--reports") {
        return reports(&corpus, false);
    }
    let pages = pages(&corpus)?;
    let folder = book().join("gallery");
    let failed = |error| format!("{}: {error}", folder.display());
    if folder.exists() {
        for entry in std::fs::read_dir(&folder).map_err(failed)?.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == "md") {
                std::fs::remove_file(&path).map_err(failed)?;
            }
        }
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for (path, text) in pages {
        std::fs::write(book().join(&path), text).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src")
}

/// The pages that are not what they should be.
fn stale(corpus: &Corpus) -> Result<Vec<String>, String> {
    let pages = pages(corpus)?;
    let same = |path: &str, text: &str| {
        std::fs::read_to_string(book().join(path)).is_ok_and(|there| there == text)
    };
    let mut stale: Vec<String> = pages
        .iter()
        .filter(|(path, text)| !same(path, text))
        .map(|(path, _)| path.clone())
        .collect();
    let there = std::fs::read_dir(book().join("gallery")).into_iter().flatten().flatten();
    for name in there.map(|e| format!("gallery/{}", e.file_name().to_string_lossy())) {
        if name.ends_with(".md") && !pages.contains_key(&name) {
            stale.push(name);
        }
    }
    Ok(stale)
}

/// Objects with their models.
fn objects(corpus: &Corpus) -> BTreeMap<&str, Vec<&Case>> {
    let mut objects: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in &corpus.cases {
        let folder = case.path.split('/').next().unwrap_or_default();
        if !NO_OBJECTS.contains(&folder) {
            objects.entry(folder).or_default().push(case);
        }
    }
    objects
}

/// Paths and texts: the summary of the book, the list of objects, the objects.
fn pages(corpus: &Corpus) -> Result<BTreeMap<String, String>, String> {
    let read = |path: PathBuf| {
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let counts = counts::parse(&read(corpus::root().join("counts.toml"))?)?;
    let objects = objects(corpus);
    let mut pages = BTreeMap::new();
    for (folder, cases) in &objects {
        pages.insert(format!("gallery/{folder}.md"), page(folder, cases, &counts)?);
    }
    pages.insert("gallery.md".into(), index(&objects));
    pages.insert("SUMMARY.md".into(), summary(&read(book().join("SUMMARY.md"))?, &objects)?);
    Ok(pages)
}

/// `treiber_stack` as a title.
fn title(folder: &str) -> String {
    let words = folder.replace('_', " ");
    let name = |from: &str, to: &str, words: String| words.replace(from, to);
    let words = name("treiber", "Treiber's", words);
    let words = name("michael scott", "Michael and Scott's", words);
    let words = name("herlihy wing", "Herlihy and Wing's", words);
    let words = name("shann", "Shann's", words);
    let mut words = words;
    for known in ["cas", "mcas", "mpmc", "spsc", "dglm", "rdcss", "snzi", "rw"] {
        let upper = known.to_uppercase();
        words = words
            .split(' ')
            .map(|w| if w == known { &upper } else { w })
            .collect::<Vec<_>>()
            .join(" ");
    }
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |c| c.to_uppercase().chain(letters).collect())
}

/// The summary of the book with its part about the gallery replaced.
fn summary(text: &str, objects: &BTreeMap<&str, Vec<&Case>>) -> Result<String, String> {
    let begin = "# Gallery\n";
    let from = text.find(begin).ok_or("SUMMARY.md has no part `# Gallery`")?;
    let rest = &text[from + begin.len()..];
    let to = rest.find("\n# ").map_or(text.len(), |at| from + begin.len() + at);
    let mut part = format!("{begin}\n- [Objects](gallery.md)\n");
    for folder in objects.keys() {
        let _ = writeln!(part, "  - [{}](gallery/{folder}.md)", title(folder));
    }
    Ok(format!("{}{part}{}", &text[..from], &text[to..]))
}

fn index(objects: &BTreeMap<&str, Vec<&Case>>) -> String {
    let mut text = "# Objects\n\nThe objects of the corpus: where they were published, their models, and what becomes of \
        them when somebody makes\na mistake. Every verdict and every number is measured; every broken version has its \
        report.\n\n| object | from | models | with a violation |\n|---|---|---:|---:|\n"
        .to_string();
    for (folder, cases) in objects {
        let broken = cases.iter().filter(|c| !c.is_correct()).count();
        let source = cases.first().map_or("", |c| c.source.as_str());
        let _ = writeln!(
            text,
            "| [{}](gallery/{folder}.md) | {source} | {} | {broken} |",
            title(folder),
            cases.len()
        );
    }
    text
}

fn page(folder: &str, cases: &[&Case], counts: &Table) -> Result<String, String> {
    let mut text = format!("# {}\n\n", title(folder));
    let source = cases.first().map_or("", |c| c.source.as_str());
    let _ = writeln!(text, "From: {source}.\n");
    let _ = writeln!(text, "| model | check | verdict | states | transitions | depth |");
    let _ = writeln!(text, "|---|---|---|---:|---:|---:|");
    for case in cases {
        let file = file(case);
        let of = counts.get(&case.path).ok_or(format!("{}: no counts", case.path))?;
        for check in &case.program.checks {
            let c = of.get(&check.name).ok_or(format!("{}: no counts", check.name))?;
            let _ = writeln!(
                text,
                "| [{file}](#{}) | `{}` | {} | {} | {} | {} |",
                anchor(file),
                check.name,
                c.verdict,
                c.nodes,
                c.transitions,
                c.depth
            );
        }
    }
    for case in cases {
        let file = file(case);
        let _ = writeln!(text, "\n## {file}\n");
        let _ = writeln!(text, "{}\n", sentence(&case.note));
        if !case.twins.is_empty() {
            let twins: Vec<String> = case
                .twins
                .iter()
                .map(|t| t.rsplit('/').next().unwrap_or(t))
                .map(|t| format!("[{t}](#{})", anchor(t)))
                .collect();
            let _ = writeln!(text, "Broken versions: {}.\n", twins.join(", "));
        }
        if !case.is_correct() {
            let name = report_name(case);
            let _ = writeln!(
                text,
                "<iframe class=\"report\" loading=\"lazy\" title=\"Report of {file}\" \
                 src=\"reports/{name}\" style=\"width: 100%; height: 640px; border: 1px solid #8884\"></iframe>\n\n\
                 <a href=\"reports/{name}\">The report alone</a>\n"
            );
        }
        let _ = writeln!(text, "```lin\n{{{{#include ../../../corpus/lin/{}}}}}\n```", case.path);
    }
    for used in used(cases) {
        let _ = writeln!(text, "\n## {used}\n\nOthers use it.\n");
        let path = format!("../../../corpus/lin/{folder}/{used}");
        let _ = writeln!(text, "```lin\n{{{{#include {path}}}}}\n```");
    }
    Ok(text)
}

/// The files that models use and that are no models themselves.
fn used(cases: &[&Case]) -> BTreeSet<String> {
    let all = cases.iter().flat_map(|case| case.files.others());
    let names =
        all.filter_map(|(name, _)| Some(Path::new(name).file_name()?.to_str()?.to_string()));
    names.filter(|name| cases.iter().all(|case| file(case) != name)).collect()
}

fn file(case: &Case) -> &str {
    case.path.rsplit('/').next().unwrap_or(&case.path)
}

/// The name that mdBook gives to a heading.
fn anchor(file: &str) -> String {
    file.replace('.', "")
}

fn report_name(case: &Case) -> String {
    format!("{}.html", case.path.trim_end_matches(".lin").replace('/', "-"))
}

/// A note as a sentence.
fn sentence(note: &str) -> String {
    let mut letters = note.chars();
    let first = letters.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    let end = if note.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// For mdBook, which asks before it builds (`preprocess supports RENDERER`), then hands over its context and the book and
/// wants the book back. Nothing in the book changes; reports that are not there are made.
fn preprocess(args: &[&str]) -> Result<(), String> {
    if args.first() == Some(&"supports") {
        return Ok(());
    }
    let given = std::io::read_to_string(std::io::stdin()).map_err(|error| error.to_string())?;
    let given: serde_json::Value = serde_json::from_str(&given).map_err(|e| e.to_string())?;
    reports(&crate::corpus::load::<Program>()?, true)?;
    println!("{}", given.get(1).ok_or("mdBook did not hand over its book")?);
    Ok(())
}

/// Makes the report of every broken model, or of those that have none.
fn reports(corpus: &Corpus, missing: bool) -> Result<(), String> {
    let folder = book().join("gallery/reports");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for case in objects(corpus).into_values().flatten().filter(|c| !c.is_correct()) {
        if missing && folder.join(report_name(case)).is_file() {
            continue;
        }
        let status = Command::new(env!("CARGO"))
            .current_dir(&root)
            .args(["run", "--quiet", "--release", "-p", "linchpin-cli", "--", "check"])
            .arg(Path::new("corpus/lin").join(&case.path))
            .args(["--expect", "--format", "html", "--output"])
            .arg(folder.join(report_name(case)))
            .status()
            .map_err(|error| format!("cargo: {error}"))?;
        if !status.success() {
            return Err(format!("{}: no report", case.path));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gallery_is_up_to_date() {
        let corpus = crate::corpus::load::<Program>().unwrap();
        let stale = stale(&corpus).unwrap();
        assert!(stale.is_empty(), "run `cargo xtask gallery`: {stale:?}");
    }

    #[test]
    fn titles_are_names() {
        assert_eq!(title("treiber_stack"), "Treiber's stack");
        assert_eq!(title("cas_register"), "CAS register");
        assert_eq!(title("bag"), "Bag");
    }
}
