//! The command that shows a result again.

use std::borrow::Cow;
use std::path::Path;

use linchpin_check::Reductions;
use linchpin_csp::Operations;
use linchpin_lin::program::Check;
use linchpin_text::printable_name;

use crate::args::{
    BoundOptions, CheckOptions, FailedCas, Fair, HistoryOptions, Method, Ordered, PointsOptions,
};
use crate::csp;
use crate::demand::Condition;
use crate::input::Source;
use crate::lts::{Common, CompareOptions};
use crate::names::stands_for;

/// `linchpin check FILE --check NAME ...` with everything that has an influence on the verdict.
pub(crate) fn command(options: &CheckOptions, source: &Source, check: &Check) -> String {
    let mut words = vec!["linchpin check".to_string(), file(&source.path)];
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

/// `linchpin VERB FILE --check NAME` with bounds and nothing else.
pub(crate) fn bounded(verb: &str, path: &Path, check: &str, given: &BoundOptions) -> String {
    let mut words = vec![format!("linchpin {verb}"), file(path)];
    words.push(format!("--check {}", quoted(check)));
    words.extend(bounds(given));
    words.join(" ")
}

/// `linchpin history LOG --spec SPEC ...`
pub(crate) fn history(options: &HistoryOptions, path: &Path) -> String {
    let mut words = vec!["linchpin history".to_string(), file(path)];
    words.push(format!("--spec {}", quoted(&options.spec)));
    words.extend(options.init.as_ref().map(|init| format!("--init {}", quoted(init))));
    if options.condition.condition != Condition::Linearizable {
        words.push(format!("--condition {}", quoted(&options.condition.text())));
    }
    if options.failed_cas == FailedCas::Returns {
        words.push("--failed-cas returns".to_string());
    }
    words.extend(options.input.and_then(|input| {
        let value = clap::ValueEnum::to_possible_value(&input)?;
        Some(format!("--input {}", value.get_name()))
    }));
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
    words.extend(b.lib.iter().map(|lib| format!("--lib {}", file(lib))));
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
    let mut words = vec!["linchpin check".to_string(), file(path)];
    words.extend(language(options));
    words.extend(number.map(|n| format!("--check {n}")));
    words.extend(fairness.map(|f| format!("--fairness {}", f.word())));
    if options.search != Ordered::Auto {
        words.push(format!("--search {}", options.search.word()));
    }
    if reductions.is_empty() {
        words.push("--no-reductions".to_string());
    } else {
        let off = [csp::ORDER, csp::EQUAL, csp::ANTICHAIN]
            .into_iter()
            .filter(|r| !reductions.contains(r));
        words.extend(off.map(|r| format!("--no-{r}")));
    }
    if let Some(operations) = operations {
        let list = |names: &[String]| quoted(&names.join(","));
        words.push(format!("--calls {}", list(&operations.invocations)));
        words.push(format!("--returns {}", list(&operations.responses)));
    }
    words.extend(bounds(&options.bounds));
    words.join(" ")
}

/// `linchpin check FILE.mcrl2 --atomic ...`
pub(crate) fn specification(options: &CheckOptions, path: &Path) -> String {
    let mut words = vec!["linchpin check".to_string(), file(path)];
    words.extend(language(options));
    match &options.against {
        Some(against) => words.push(format!("--against {}", file(against))),
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
    let mut words =
        vec!["linchpin compare".to_string(), file(&options.first), file(&options.second)];
    words.push(format!("--relation {}", options.relation.name()));
    words.extend(options.refines.then(|| "--refines".to_string()));
    words.extend(options.quotient.then(|| "--quotient".to_string()));
    words.extend(options.common.name.iter().map(|name| format!("--check {}", quoted(name))));
    words.extend(bounds(&options.common.bounds));
    words.join(" ")
}

/// `linchpin points FILE ...`
pub(crate) fn points(options: &PointsOptions) -> String {
    let mut words = vec!["linchpin points".to_string(), file(&options.file)];
    words.extend(options.name.iter().map(|name| format!("--check {}", quoted(name))));
    words.extend(bounds(&options.bounds));
    words.join(" ")
}

/// `linchpin lts FILE ...` or another command about a system.
pub(crate) fn system(command: &str, path: &Path, common: &Common) -> String {
    let mut words = vec![format!("linchpin {command}"), file(path)];
    words.extend(common.name.iter().map(|name| format!("--check {}", quoted(name))));
    words.extend(bounds(&common.bounds));
    words.join(" ")
}

/// The name of a file as a shell reads it. One that begins with `-` would be taken for an option; `-` alone is standard
/// input.
fn file(path: &Path) -> String {
    let name = path.to_string_lossy();
    match name.len() > 1 && name.starts_with('-') {
        true => quoted(&format!("./{name}")),
        false => quoted(&name),
    }
}

/// A word as a shell reads it; with characters that cannot be seen, as bash and its relatives do.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else if matches!(printable_name(word), Cow::Owned(_)) {
        let byte = |b: u8| match b {
            b'\'' | b'\\' => format!("\\{}", char::from(b)),
            b' '..=b'~' => char::from(b).to_string(),
            b => format!("\\x{b:02x}"),
        };
        format!("$'{}'", word.bytes().map(byte).collect::<String>())
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        for (word, text) in
            [("a/b.lin", "a/b.lin"), ("", "''"), ("Stack#2", "'Stack#2'"), ("a'b", r"'a'\''b'")]
        {
            assert_eq!(quoted(word), text);
        }
        assert_eq!(quoted("a'\u{1b}[m \u{202e}"), r"$'a\'\x1b[m \xe2\x80\xae'");
    }

    #[test]
    fn a_file_is_never_an_option() {
        for (name, text) in [("-x.lin", "./-x.lin"), ("-", "-"), ("a/-x", "a/-x")] {
            assert_eq!(file(Path::new(name)), text);
        }
    }
}
