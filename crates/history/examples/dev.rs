#![allow(missing_docs, dead_code, unreachable_pub)]
#[path = "../../testkit/src/histories.rs"]
mod histories;
#[path = "../../testkit/src/recorded.rs"]
mod recorded;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args[1] == "gen" {
        let n = |i: usize| args[i].parse::<usize>().unwrap();
        let name = histories::SPECS.iter().find(|s| **s == args[2]).unwrap();
        let plan = histories::Plan { spec: name, clients: n(3), operations: n(4), lost: n(5), keys: n(6), distinct: n(7) != 0, seed: n(8) as u64 };
        let spec = linchpin_history::Spec::builtin(name).unwrap();
        let mut g = histories::generate(&spec, &plan);
        let mut r = histories::Random::new(9);
        for _ in 0..n(9) { histories::break_one(name, &mut g, &mut r); }
        print!("{}", linchpin_history::write(&spec, &g.operations, linchpin_history::Format::Json, true).unwrap());
        return;
    }
    let n: u64 = args[1].parse().unwrap();
    let from: u64 = args[2].parse().unwrap();
    let mut t = recorded::Tally::default();
    let s = Instant::now();
    let mut bad = 0;
    for seed in from..from + n {
        if let Err(e) = recorded::compare(seed, &mut t) {
            println!("{e}");
            bad += 1;
            if bad > 8 { break; }
        }
    }
    println!("{t:#?} {:?} bad {bad}", s.elapsed());
}
