//! `linchpin new` and `linchpin example`: something to begin with.
//!
//! A new model is a small one that is right, with comments on what to put in the place of what. Examples are the
//! models of the corpus, which are part of the program.

use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::file;
use crate::input::reason;
use crate::names::shown;
use crate::render::columns::table;
use crate::screen::Screen;

/// Kinds of new models: name, what it is, text.
pub(crate) const KINDS: &[(&str, &str, &str)] = &[
    ("stack", "a lock-free stack of nodes", include_str!("../templates/stack.lin")),
    ("queue", "a queue of nodes with two locks", include_str!("../templates/queue.lin")),
    ("ring", "a bounded queue in an array", include_str!("../templates/ring.lin")),
    ("set", "a sorted list with a lock per node", include_str!("../templates/set.lin")),
    ("register", "a register with compare-and-swap", include_str!("../templates/register.lin")),
    ("counter", "a counter, the smallest model", include_str!("../templates/counter.lin")),
    ("lock", "a lock, as an object of its own", include_str!("../templates/lock.lin")),
];

/// Models of the corpus: `folder/file`, text.
const EXAMPLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// Writes a model to start from.
pub(crate) fn new(kind: Option<&str>, output: Option<&Path>, list: bool, screen: &Screen) -> Exit {
    let rows: Vec<_> = KINDS
        .iter()
        .map(|(name, what, _)| vec![(*name).to_string(), (*what).to_string()])
        .collect();
    let all = || table(&rows).iter().map(|row| format!("{row}\n")).collect::<String>();
    let Some(kind) = kind.filter(|_| !list) else {
        screen.print(&all());
        return Exit::Holds;
    };
    let Some((name, _, text)) = KINDS.iter().find(|(name, ..)| *name == kind) else {
        screen.complain(&format!(
            "there is no model for `{kind}` to start from; there is:\n{}",
            all()
        ));
        return Exit::BadInput;
    };
    let path = output.map_or_else(|| PathBuf::from(format!("{name}.lin")), Path::to_path_buf);
    if path.as_os_str() == "-" {
        screen.print(text);
        return Exit::Holds;
    }
    if path.exists() {
        let there = format!("{} is there already; `-o FILE` writes another file", shown(&path));
        screen.complain(&there);
        return Exit::BadInput;
    }
    if let Err(error) = file::replace(&path, text) {
        screen.complain(&format!("cannot write {}: {}", shown(&path), reason(&error)));
        return Exit::BadInput;
    }
    let shown = shown(&path);
    screen.print(&format!("{shown} is written; now: linchpin check {shown}\n"));
    Exit::Holds
}

/// Prints a model of the corpus, or what there is.
pub(crate) fn example(name: Option<&str>, screen: &Screen) -> Exit {
    let title = |text: &str| {
        let line = text.lines().next().unwrap_or("").trim_start_matches("//").trim();
        line.to_string()
    };
    let rows = |found: &[&(&str, &str)]| {
        let row = |(name, text): &&(&str, &str)| vec![(*name).to_string(), title(text)];
        let rows: Vec<_> = found.iter().map(row).collect();
        table(&rows).iter().map(|row| format!("{row}\n")).collect::<String>()
    };
    let Some(name) = name else {
        screen.print(&rows(&EXAMPLES.iter().collect::<Vec<_>>()));
        return Exit::Holds;
    };
    let name = name.trim_end_matches(".lin");
    let named = |exact: bool| -> Vec<&(&str, &str)> {
        let fits = |example: &&(&str, &str)| match exact {
            true => example.0 == name,
            false => example.0.contains(name),
        };
        EXAMPLES.iter().filter(fits).collect()
    };
    let found = match named(true) {
        one if !one.is_empty() => one,
        _ => named(false),
    };
    let Some((first, text)) = found.first() else {
        let all = "`linchpin example` shows them all";
        screen.complain(&format!("there is no example `{name}`; {all}"));
        return Exit::BadInput;
    };
    screen.print(text);
    let folder = first.split('/').next().unwrap_or("");
    let uses = text.lines().filter_map(|line| line.strip_prefix("use \"")?.strip_suffix('"'));
    for file in uses {
        let name = file.trim_end_matches(".lin");
        let command = format!("`linchpin example {folder}/{name} > {file}`");
        screen.error(&format!("\nIt uses {file}, which has to be beside it: {command}\n"));
    }
    if found.len() > 1 {
        let others = rows(&found[1..]);
        screen.error(&format!("\nThis is {first}. There are also:\n{others}"));
    }
    Exit::Holds
}
