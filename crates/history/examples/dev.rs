#![allow(missing_docs, dead_code, unreachable_pub)]
#[path = "../../testkit/src/histories.rs"]
mod histories;
#[path = "../../testkit/src/recorded.rs"]
mod recorded;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
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
