//! Random clients: how many threads call what.

use super::Model;
use super::rng::Rng;

/// An operation as far as a client needs to know it.
struct Operation {
    name: String,
    params: usize,
    returns_bool: bool,
}

/// The text of a check.
pub(super) fn check(model: &Model, rng: &mut Rng) -> String {
    let ops = operations(&model.object);
    let mut settings = match rng.below(100) {
        0..72 => general(model.heavy, rng),
        72..86 => roles(&ops, model.heavy, rng),
        _ => scripts(&ops, model.heavy, rng),
    };
    settings.extend(model.settings.iter().cloned());
    let body: String = settings.iter().map(|s| format!("  {s}\n")).collect();
    format!("check Obj against Abs {{\n{body}}}\n")
}

fn general(heavy: bool, rng: &mut Rng) -> Vec<String> {
    let (threads, ops) = match (heavy, rng.below(10)) {
        (true, 0..5) => (2, 1),
        (true, 5..7) => (3, 1),
        (true, _) => (2, 2),
        (false, 0..2) => (2, 1),
        (false, 2..5) => (3, 1),
        (false, _) => (2, 2),
    };
    vec![format!("threads {threads}"), format!("ops {ops}")]
}

/// Two or three groups of threads with operations of their own.
fn roles(ops: &[Operation], heavy: bool, rng: &mut Rng) -> Vec<String> {
    let mut settings = Vec::new();
    for name in ["left", "right"] {
        let first = rng.below(ops.len());
        let mut names = vec![ops[first].name.clone()];
        if let Some(second) = ops
            .get(rng.below(ops.len() + 1))
            .filter(|o| o.name != names[0])
        {
            names.push(second.name.clone());
        }
        let threads = if name == "right" && !heavy && rng.percent(30) {
            2
        } else {
            1
        };
        let count = if threads == 2 || rng.percent(40) {
            1
        } else {
            2
        };
        settings.push(format!(
            "role {name}({threads}) ops {count} {{ {} }}",
            names.join(", ")
        ));
    }
    settings
}

/// Two threads with little programs.
fn scripts(ops: &[Operation], heavy: bool, rng: &mut Rng) -> Vec<String> {
    let mut settings = Vec::new();
    let most = if heavy { 1 } else { 2 };
    for name in ["left", "right"] {
        let mut body = Vec::new();
        for i in 0..1 + rng.below(most) {
            let op = &ops[rng.below(ops.len())];
            let other = &ops[rng.below(ops.len())];
            match rng.below(7) {
                0 if op.returns_bool => {
                    body.push(format!("let r{i} = {}", call(op)));
                    body.push(format!("if r{i} {{"));
                    body.push(format!("  {}", call(other)));
                    body.push("}".to_owned());
                }
                1 if op.returns_bool => {
                    body.push(format!("let r{i} = {}", call(op)));
                    body.push(format!("assume !r{i}"));
                }
                2 => {
                    body.push("either {".to_owned());
                    body.push(format!("  {}", call(op)));
                    body.push("} or {".to_owned());
                    body.push(format!("  {}", call(other)));
                    body.push("}".to_owned());
                }
                3 if !heavy && i == 0 => {
                    body.push("repeat 2 {".to_owned());
                    body.push(format!("  {}", call(op)));
                    body.push("}".to_owned());
                    break;
                }
                4 => {
                    body.push("if choose(true, false) {".to_owned());
                    body.push(format!("  {}", call(op)));
                    body.push("}".to_owned());
                }
                _ => body.push(call(op)),
            }
        }
        settings.push(format!("role {name}(1) script {{"));
        settings.extend(body.into_iter().map(|l| format!("  {l}")));
        settings.push("}".to_owned());
    }
    settings
}

fn call(op: &Operation) -> String {
    format!("{}({})", op.name, vec!["_"; op.params].join(", "))
}

/// Reads the heads of the operations.
fn operations(object: &str) -> Vec<Operation> {
    object
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.strip_prefix("  op ")?.split_once('(')?;
            let (params, result) = rest.split_once(')')?;
            Some(Operation {
                name: name.to_owned(),
                params: if params.is_empty() {
                    0
                } else {
                    params.split(',').count()
                },
                returns_bool: result.contains("-> bool"),
            })
        })
        .collect()
}
