//! (being written)
use std::sync::Arc;
use linchpin_check::*;
use linchpin_engine::Budget;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let loaded = match linchpin_syntax::lin::load(&text, &[]) { Ok(l) => l, Err(d) => { for d in d { println!("{}", d.message); } std::process::exit(2) } };
    let program = Arc::new(loaded.program);
    let mut reductions = Reductions::ALL;
    let mut workers = 2;
    let mut threads = None; let mut ops = None;
    for a in &args[2..] {
        if a == "none" { reductions = Reductions::NONE; }
        if let Some(n) = a.strip_prefix("no-") { assert!(reductions.set(n, false)); }
        if let Some(n) = a.strip_prefix("w=") { workers = n.parse().unwrap(); }
        if let Some(n) = a.strip_prefix("t=") { threads = Some(n.parse().unwrap()); }
        if let Some(n) = a.strip_prefix("o=") { ops = Some(n.parse().unwrap()); }
    }
    for c in &program.checks {
        let mut c = c.clone();
        if let Some(t) = threads { c.roles[0].threads = t; }
        if let Some(o) = ops { if let linchpin_model::program::Behaviour::General { count, .. } = &mut c.roles[0].behaviour { *count = Some(o) } }
        let start = std::time::Instant::now();
        let r = check(&program, &c, &Options { reductions, workers, budget: Budget::UNLIMITED });
        let t = start.elapsed().as_secs_f64();
        match r {
            Ok(r) => println!("{} {:?} expect {:?} sets {} {:?} {:.3}s {:.0} nodes/s", c.name, r.verdict, c.expect, r.sets, r.statistics, t, r.statistics.nodes as f64 / t),
            Err(e) => println!("{} {:?}", c.name, e),
        }
    }
}
