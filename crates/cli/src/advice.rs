//! What to try when a limit was reached: what keeps growing, and which bounds can be smaller.

use linchpin_check::{Growing, growing};
use linchpin_lin::program::{Behaviour, Check};
use linchpin_lts::Limit;

use crate::input::Source;
use crate::render::numbers::grouped;

/// What to try, a sentence each. Only a search that was too large has any.
pub(crate) fn advice(source: &Source, check: &Check, limit: Limit) -> Vec<String> {
    if !matches!(limit, Limit::States | Limit::Memory | Limit::Time) {
        return Vec::new();
    }
    let (growing, steps) = growing(&source.program, check);
    let mut advice: Vec<String> = growing.iter().map(|what| about(what, steps, check)).collect();
    let smaller = smaller(check);
    if !smaller.is_empty() {
        advice.push(format!("smaller bounds: {}", smaller.join(", ")));
    }
    advice
}

fn about(growing: &Growing, steps: usize, check: &Check) -> String {
    let after = format!("in an execution of {} steps", grouped(steps as u64));
    match growing {
        Growing::Number(name, size) => {
            let size = grouped(size.unsigned_abs());
            let what = format!("`{name}` keeps growing, up to {size} {after}");
            format!("{what}: give it a range, such as `0..=3`")
        }
        Growing::Nodes(size) => {
            let size = grouped(size.unsigned_abs());
            let instead = match check.heap {
                None => "bound them, such as with `--heap 4`",
                Some(_) => "give a smaller `--heap`",
            };
            format!("the nodes in use become more and more, up to {size} {after}: {instead}")
        }
    }
}

/// Options that ask for less than the check does.
fn smaller(check: &Check) -> Vec<String> {
    let mut options = Vec::new();
    if let [role] = check.roles.as_slice()
        && let Behaviour::General { count, .. } = &role.behaviour
    {
        match count {
            None => options.push("`--ops 2`".to_string()),
            Some(n) if *n > 1 => options.push(format!("`--ops {}`", n - 1)),
            Some(_) => {}
        }
        if role.threads > 2 {
            options.push(format!("`--threads {}`", role.threads - 1));
        }
    }
    options
}
