//! The command that shows a result again.

use std::path::Path;

use linchpin_check::Reductions;
use linchpin_csp::Operations;
use linchpin_lin::program::Check;

use crate::args::{BoundOptions, CheckOptions, Fair, Method, PointsOptions};
use crate::csp;
use crate::input::Source;
use crate::lts::{Common, CompareOptions};
use crate::names::stands_for;

/// `linchpin check FILE --check NAME ...` with everything that has an influence on the verdict.
pub(crate) fn command(options: &CheckOptions, source: &Source, check: &Check) -> String {
    let mut words = vec!["linchpin check".to_string(), quoted(&source.path.to_string_lossy())];
    words.extend(language(options));
    if source.program.checks.len() > 1 {
        words.push(format!("--check {}", quoted(&check.name)));
    }
    words.extend(bounds(&options.bounds));
    if options.method != Method::Refinement {
        words.push(format!("--method {}", options.method.known().name()));
    }
    let on = options.reductions.reductions.names();
    if on.is_empty() {
        words.push("--no-reductions".to_string());
    } else {
        let off = Reductions::TABLE.iter().filter(|r| !on.contains(&r.name));
        words.extend(off.map(|r| format!("--no-{}", r.name)));
    }
    words.join(" ")
}

/// The language, if the name of the file does not say it.
fn language(options: &CheckOptions) -> Option<String> {
    options.language.map(|language| format!("--language {}", language.extension()))
}

/// Bounds as they were given.
fn bounds(b: &BoundOptions) -> Vec<String> {
    let mut words = Vec::new();
    for (role, n) in &b.threads {
        let role = role.as_ref().map_or(String::new(), |r| format!("{r}="));
        words.push(format!("--threads {}", quoted(&format!("{role}{n}"))));
    }
    let or = |n: Option<u32>, word: &str| n.map_or(word.to_string(), |n| n.to_string());
    words.extend(b.ops.map(|o| format!("--ops {}", or(o.0, "unbounded"))));
    words.extend(b.heap.map(|h| format!("--heap {}", or(h.0, "unbounded"))));
    for (ty, n) in &b.values {
        let ty = ty.as_ref().map_or(String::new(), |t| format!("{t}="));
        words.push(format!("--values {}", quoted(&format!("{ty}{}", or(n.0, "fresh")))));
    }
    words.extend(b.set.iter().map(|(n, v)| format!("--set {}", quoted(&format!("{n}={v}")))));
    words
}

/// The same for all conditions of an object.
pub(crate) fn classification(options: &CheckOptions, source: &Source, name: &str) -> String {
    let check = source.program.checks.iter().find(|c| stands_for(name, &c.name));
    let check = check.map(|c| Check { name: name.to_string(), ..c.clone() });
    let command = check.map_or_else(String::new, |check| command(options, source, &check));
    format!("{command} --classify")
}

/// The same for an assertion of a CSP model; its number, if there are others.
pub(crate) fn assertion(
    options: &CheckOptions,
    path: &Path,
    number: Option<usize>,
    fairness: Option<Fair>,
    reductions: &[&str],
    operations: Option<&Operations>,
) -> String {
    let mut words = vec!["linchpin check".to_string(), quoted(&path.to_string_lossy())];
    words.extend(language(options));
    words.extend(number.map(|n| format!("--check {n}")));
    words.extend(fairness.map(|f| format!("--fairness {}", f.word())));
    if reductions.is_empty() {
        words.push("--no-reductions".to_string());
    } else {
        let off = [csp::ORDER, csp::ANTICHAIN].into_iter().filter(|r| !reductions.contains(r));
        words.extend(off.map(|r| format!("--no-{r}")));
    }
    if let Some(operations) = operations {
        let list = |names: &[String]| quoted(&names.join(","));
        words.push(format!("--calls {}", list(&operations.invocations)));
        words.push(format!("--returns {}", list(&operations.responses)));
    }
    words.join(" ")
}

/// `linchpin check FILE.mcrl2 --atomic ...`
pub(crate) fn specification(options: &CheckOptions, path: &Path) -> String {
    let mut words = vec!["linchpin check".to_string(), quoted(&path.to_string_lossy())];
    words.extend(language(options));
    match &options.against {
        Some(against) => words.push(format!("--against {}", quoted(&against.to_string_lossy()))),
        None => words.push("--atomic".to_string()),
    }
    for (flag, names) in [("--calls", &options.calls), ("--returns", &options.returns)] {
        if !names.is_empty() {
            words.push(format!("{flag} {}", quoted(&names.join(","))));
        }
    }
    words.extend(bounds(&options.bounds));
    words.join(" ")
}

/// `linchpin compare A B ...`
pub(crate) fn comparison(options: &CompareOptions) -> String {
    let (first, second) = (options.first.to_string_lossy(), options.second.to_string_lossy());
    let mut words = vec!["linchpin compare".to_string(), quoted(&first), quoted(&second)];
    words.push(format!("--relation {}", options.relation.name()));
    words.extend(options.refines.then(|| "--refines".to_string()));
    words.extend(options.quotient.then(|| "--quotient".to_string()));
    words.extend(options.common.name.iter().map(|name| format!("--check {}", quoted(name))));
    words.extend(bounds(&options.common.bounds));
    words.join(" ")
}

/// `linchpin points FILE ...`
pub(crate) fn points(options: &PointsOptions) -> String {
    let mut words = vec!["linchpin points".to_string(), quoted(&options.file.to_string_lossy())];
    words.extend(options.name.iter().map(|name| format!("--check {}", quoted(name))));
    words.extend(bounds(&options.bounds));
    words.join(" ")
}

/// `linchpin lts FILE ...` or another command about a system.
pub(crate) fn system(command: &str, path: &Path, common: &Common) -> String {
    let mut words = vec![format!("linchpin {command}"), quoted(&path.to_string_lossy())];
    words.extend(common.name.iter().map(|name| format!("--check {}", quoted(name))));
    words.extend(bounds(&common.bounds));
    words.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_survive_the_shell() {
        for (word, text) in
            [("a/b.lin", "a/b.lin"), ("", "''"), ("Stack#2", "'Stack#2'"), ("a'b", r"'a'\''b'")]
        {
            assert_eq!(quoted(word), text);
        }
    }
}
