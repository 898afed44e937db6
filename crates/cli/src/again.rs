//! The command that shows a result again.

use std::path::Path;

use linchpin_check::Reductions;
use linchpin_csp::Operations;
use linchpin_model::program::Check;

use crate::args::{CheckOptions, Fair, Method};
use crate::csp;
use crate::input::Source;

/// `linchpin check FILE --check NAME ...` with everything that has an influence on the verdict.
pub(crate) fn command(options: &CheckOptions, source: &Source, check: &Check) -> String {
    let mut words = vec!["linchpin check".to_string(), quoted(&source.path.to_string_lossy())];
    if source.program.checks.len() > 1 {
        words.push(format!("--check {}", quoted(&check.name)));
    }
    let b = &options.bounds;
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

/// The same for an assertion of a CSP model; its number, if there are others.
pub(crate) fn assertion(
    path: &Path,
    number: Option<usize>,
    fairness: Option<Fair>,
    reductions: &[&str],
    operations: Option<&Operations>,
) -> String {
    let mut words = vec!["linchpin check".to_string(), quoted(&path.to_string_lossy())];
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
