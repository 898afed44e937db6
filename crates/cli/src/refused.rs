//! Which option means something for which language: one table for all commands. An option that
//! means nothing for a file is refused by name.

use linchpin_check::Reductions;

use crate::args::{BoundOptions, CheckOptions, Fair, MINIMISE, Method, Ordered};
use crate::csp;
use crate::language::Language::{self, Csp, Lin, Mcrl2};
use crate::language::endings;

use Was::{Bound, Check};

/// Options that were given.
pub(crate) struct Given<'a> {
    /// Those of `check`, if that is the command.
    pub(crate) check: Option<&'a CheckOptions>,
    /// Is `--check` among those of another command?
    pub(crate) name: bool,
    /// Bounds.
    pub(crate) bounds: &'a BoundOptions,
}

/// An option.
struct Row {
    flag: &'static str,
    /// Was it given?
    given: Was,
    /// The languages for which it means something.
    languages: &'static [Language],
    /// What it is for, if the languages alone do not say it.
    instead: Option<&'static str>,
}

enum Was {
    Check(fn(&CheckOptions) -> bool),
    Bound(fn(&BoundOptions) -> bool),
}

const fn row(flag: &'static str, languages: &'static [Language], given: Was) -> Row {
    Row { flag, given, languages, instead: None }
}

impl Row {
    const fn words(mut self, words: &'static str) -> Row {
        self.instead = Some(words);
        self
    }
}

const TABLE: &[Row] = &[
    row("--check", &[Lin, Csp], Check(|o| !o.names.is_empty())),
    row("--method", &[Lin], Check(|o| o.method != Method::Refinement)),
    row("--fairness", &[Csp], Check(|o| o.fairness != Fair::None))
        .words("is for formulas of `.csp` models; a `.lin` check names its fairness itself"),
    row("--search", &[Csp], Check(|o| o.search != Ordered::Auto)),
    row("--classify", &[Lin], Check(|o| o.classify)),
    row("--check-facts", &[Lin], Check(|o| o.check_facts)),
    row("--explain", &[Lin], Check(|o| o.explain)),
    row("--minimise", &[Lin], Check(|o| o.minimise != MINIMISE)),
    row("--expect", &[Lin, Csp], Check(|o| o.expect)),
    row("--strict", &[Lin], Check(|o| o.strict)),
    row("--atomic", &[Mcrl2], Check(|o| o.atomic)),
    row("--against", &[Mcrl2], Check(|o| o.against.is_some())),
    row("--calls", &[Csp, Mcrl2], Check(|o| !o.calls.is_empty())),
    row("--returns", &[Csp, Mcrl2], Check(|o| !o.returns.is_empty())),
    row("--no-order", &[Csp], Check(|o| !o.reductions.order && !o.reductions.none)),
    row("--no-equal", &[Csp], Check(|o| !o.reductions.equal && !o.reductions.none)),
    row("--no-reductions", &[Lin, Csp], Check(|o| o.reductions.none)),
    row("--threads", &[Lin, Mcrl2], Bound(|b| !b.threads.is_empty())),
    row("--threads ROLE=N", &[Lin], Bound(|b| b.threads.iter().any(|(role, _)| role.is_some()))),
    row("--ops", &[Lin, Mcrl2], Bound(|b| b.ops.is_some())),
    row("--heap", &[Lin], Bound(|b| b.heap.is_some())),
    row("--values", &[Lin], Bound(|b| !b.values.is_empty())),
    row("--set", &[Lin, Csp], Bound(|b| !b.set.is_empty())),
    row("--lib", &[Csp], Bound(|b| !b.lib.is_empty())),
];

/// The first option that was given but means nothing for files of these languages, and what it is for.
pub(crate) fn refused(asked: &[Language], given: &Given<'_>) -> Option<String> {
    let is_given = |row: &&Row| match row.given {
        Check(was) => given.check.is_some_and(was),
        Bound(was) => was(given.bounds),
    };
    let lost = |languages: &[Language]| !languages.iter().any(|l| asked.contains(l));
    let says = |flag: &str, languages: &[Language]| {
        format!("`{flag}` is for {} models", endings(languages, "and"))
    };
    if given.name && lost(&[Lin]) {
        return Some(says("--check", &[Lin]));
    }
    if let Some(row) = TABLE.iter().find(|row| is_given(row) && lost(row.languages)) {
        return Some(match row.instead {
            Some(words) => format!("`{}` {words}", row.flag),
            None => says(row.flag, row.languages),
        });
    }
    let reductions = given.check.map(|o| o.reductions).filter(|r| !r.none)?;
    let on = reductions.reductions.names();
    let mut off = Reductions::TABLE.iter().filter(|r| !on.contains(&r.name)).map(|r| {
        let languages: &[Language] = if r.name == csp::ANTICHAIN { &[Lin, Csp] } else { &[Lin] };
        (r.name, languages)
    });
    let (name, languages) = off.find(|(_, languages)| lost(languages))?;
    Some(says(&format!("--no-{name}"), languages))
}
