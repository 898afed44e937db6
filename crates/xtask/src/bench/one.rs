//! `cargo xtask bench-one`: one measurement, in a process of its own.

use std::sync::Arc;
use std::time::Instant;

use linchpin_check::{Method, Options, Reductions, check, explore};
use linchpin_engine::{Budget, Limit};
use linchpin_lin::program::{Behaviour, Check};
use linchpin_lin::syntax;
use linchpin_lts::Verdict;
use linchpin_testkit::corpus;
use linchpin_testkit::corpus::counts::verdict_name;

use crate::option;

/// Runs one check and prints its figures, separated by tabs.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let [file, name, ..] = args else { return Err("bench-one FILE CHECK".to_string()) };
    let number = |flag: &str| match option(args, flag) {
        Some(text) => text.parse::<u64>().map(Some).map_err(|_| format!("{flag} N")),
        None => Ok(None),
    };
    let text = std::fs::read_to_string(corpus::root().join(file)).map_err(|e| e.to_string())?;
    let set = (0..args.len()).filter(|&i| args[i] == "--set");
    let overrides: Vec<(String, String)> = set
        .filter_map(|i| args.get(i + 1..i + 3))
        .map(|s| (s[0].to_string(), s[1].to_string()))
        .collect();
    let loaded = syntax::load(&text, &overrides).map_err(|_| format!("{file} cannot be loaded"))?;
    let program = Arc::new(loaded.program);
    let found = program.checks.iter().find(|c| c.name == *name);
    let mut chosen = found.ok_or_else(|| format!("{file} has no check {name}"))?.clone();
    if let (Some(threads), Some(ops)) = (number("--threads")?, number("--ops")?) {
        rebound(&mut chosen, threads as u32, ops as u32)?;
    }
    let mut reductions = Reductions::NONE;
    for name in option(args, "--on").unwrap_or("").split(',').filter(|n| !n.is_empty()) {
        if !reductions.set(name, true) {
            return Err(format!("there is no reduction {name}"));
        }
    }
    let method = match option(args, "--method") {
        Some(name) => {
            let found = Method::ALL.into_iter().find(|m| m.name() == name);
            found.ok_or_else(|| format!("there is no method {name}"))?
        }
        None => Method::Refinement,
    };
    let seconds = number("--seconds")?;
    let start = Instant::now();
    let watch =
        |_: &_| seconds.filter(|&max| start.elapsed().as_secs() >= max).map(|_| Limit::Time);
    let (workers, max_states) = (number("--workers")?.unwrap_or(1) as usize, number("--nodes")?);
    let budget = Budget { workers, max_states, watch: &watch, ..Budget::UNLIMITED };
    let options = Options { reductions, budget, method, ..Options::default() };
    let failed = |error| format!("{error:?}");
    let (verdict, s) = if args.contains(&"--explore") {
        let (violation, statistics) = explore(&program, &chosen, &options).map_err(failed)?;
        (violation.map_or("explored".to_string(), |v| format!("{v:?}")), statistics)
    } else {
        let report = check(&program, &chosen, &options).map_err(failed)?;
        let verdict = match report.verdict {
            Verdict::Unknown(Limit::Method) => "nothing found".to_string(),
            verdict => verdict_name(&verdict),
        };
        (verdict, report.statistics)
    };
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{}\t{}\t{}\t{}\t{seconds}\t{}\t{}",
        verdict,
        s.states,
        s.nodes,
        s.transitions,
        cpu().map_or("unknown".to_string(), |seconds| seconds.to_string()),
        peak().map_or("unknown".to_string(), |bytes| bytes.to_string()),
    );
    Ok(())
}

/// Gives a check with one general role other bounds.
fn rebound(check: &mut Check, threads: u32, ops: u32) -> Result<(), String> {
    match check.roles.as_mut_slice() {
        [role] => match &mut role.behaviour {
            Behaviour::General { count, .. } => {
                role.threads = threads;
                *count = Some(ops);
                Ok(())
            }
            Behaviour::Script(_) => Err("a script has no other bounds".to_string()),
        },
        _ => Err("only a check with one role can have other bounds".to_string()),
    }
}

/// The most memory this process has had, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The time all cores have worked for this process, in seconds: unlike the time that has passed, it
/// does not depend on what else the machine does.
pub(super) fn cpu() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold spaces.
    let (_, rest) = stat.rsplit_once(')')?;
    let ticks = |n| rest.split_whitespace().nth(n)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
