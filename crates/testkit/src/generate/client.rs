//! Random clients: how many threads call what, not more than brute force can take.

use super::Model;
use super::rng::Rng;

/// An operation as far as a client needs to know it.
struct Operation {
    name: String,
    params: usize,
    returns_bool: bool,
    /// In how many ways it can be called.
    ways: usize,
}

/// What the oracle can take: ways to call, times ways to interleave.
const MOST: usize = 4000;

/// The text of a check.
pub(super) fn check(model: &Model, rng: &mut Rng) -> String {
    let ops = operations(model);
    let mut settings = match rng.below(100) {
        0..70 => general(&ops, length(model, ops.len()), rng),
        70..85 => roles(&ops, model.heavy, rng),
        _ => scripts(&ops, model.heavy, rng),
    };
    settings.extend(model.settings.iter().cloned());
    let body: String = settings.iter().map(|s| format!("  {s}\n")).collect();
    format!("check Obj against Abs {{\n{body}}}\n")
}

/// Threads that call anything.
fn general(ops: &[Operation], length: usize, rng: &mut Rng) -> Vec<String> {
    let ways: usize = ops.iter().map(|op| op.ways).sum();
    // Threads, operations each, and roughly in how many ways they interleave.
    let sizes = [(1, 2, 1), (2, 1, 1), (2, 1, 1), (2, 2, 12), (2, 2, 12), (3, 1, 20), (3, 1, 20)];
    let fitting: Vec<(u32, u32)> = sizes
        .into_iter()
        .filter(|(threads, ops, orders)| ways.pow(threads * ops) * orders * length <= MOST)
        .map(|(threads, ops, _)| (threads, ops))
        .collect();
    let (threads, ops) = rng.pick(&fitting).copied().unwrap_or((2, 1));
    vec![format!("threads {threads}"), format!("ops {ops}")]
}

/// Lines of code per operation, roughly.
fn length(model: &Model, ops: usize) -> usize {
    let lines = model.object.lines().filter(|l| l.starts_with("    ") && l.trim() != "}").count();
    let long = if model.heavy { 2 } else { 1 };
    (long * lines / ops.max(1)).max(2)
}

/// Two or three groups of threads with operations of their own.
fn roles(ops: &[Operation], heavy: bool, rng: &mut Rng) -> Vec<String> {
    let mut settings = Vec::new();
    for name in ["left", "right"] {
        let first = rng.below(ops.len());
        let mut names = vec![ops[first].name.clone()];
        if let Some(second) = ops.get(rng.below(ops.len() + 1)).filter(|o| o.name != names[0]) {
            names.push(second.name.clone());
        }
        let threads = if name == "right" && !heavy && rng.percent(30) { 2 } else { 1 };
        let count = if threads == 2 || rng.percent(40) { 1 } else { 2 };
        settings.push(format!("role {name}({threads}) ops {count} {{ {} }}", names.join(", ")));
    }
    settings
}

/// Two threads with little programs.
fn scripts(ops: &[Operation], heavy: bool, rng: &mut Rng) -> Vec<String> {
    let mut settings = Vec::new();
    let most = if heavy { 2 } else { 3 };
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
fn operations(model: &Model) -> Vec<Operation> {
    model
        .object
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.strip_prefix("  op ")?.split_once('(')?;
            let (params, result) = rest.split_once(')')?;
            let params: Vec<&str> = params.split(", ").filter(|p| !p.is_empty()).collect();
            Some(Operation {
                name: name.to_owned(),
                params: params.len(),
                returns_bool: result.contains("-> bool"),
                ways: params.iter().map(|param| values(name, param, &model.settings)).product(),
            })
        })
        .collect()
}

/// How many values a parameter (`v: 0..=2`) has in the check.
fn values(op: &str, param: &str, settings: &[String]) -> usize {
    let (name, ty) = param.split_once(": ").unwrap_or((param, ""));
    let size = |range: &str| {
        let (lo, hi) = range.split_once("..=")?;
        Some(hi.parse::<usize>().ok()? + 1 - lo.parse::<usize>().ok()?)
    };
    let of = |what: &str| settings.iter().find_map(|s| s.strip_prefix(&format!("values {what}: ")));
    match of(&format!("{op}.{name}")).or(of(ty)) {
        Some("fresh") => 1,
        Some(list) if list.starts_with('{') => list.split(',').count(),
        Some(range) if range.contains("..=") => size(range).unwrap_or(1),
        Some(n) => n.parse().unwrap_or(1),
        None if ty == "bool" => 2,
        None => size(ty).unwrap_or(1),
    }
}
