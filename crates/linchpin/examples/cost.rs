//! What atomics and cells cost outside a test, beside those of `std`, in a program that is built without the feature `explore`:
//!
//! ```text
//! cargo run --release -p linchpin --no-default-features --example cost
//! ```
//!
//! and, without `--no-default-features`, in a test that explores nothing.

use std::hint::black_box;
use std::time::Instant;

/// Nanoseconds of one, the best of some.
fn nanoseconds(mut f: impl FnMut()) -> f64 {
    const TIMES: u32 = 10_000_000;
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..TIMES {
            f();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES));
    }
    best
}

macro_rules! compare {
    ($($name:literal $type:ident($module:ident) $init:expr => |$it:ident| $use:expr;)*) => {
        println!("{:<28} {:>8} {:>8}", "ns", "std", "linchpin");
        $({
            let $it = std::sync::$module::$type::new($init);
            let real = nanoseconds(|| { black_box({ let $it = black_box(&$it); $use }); });
            let $it = linchpin::sync::$module::$type::new($init);
            let ours = nanoseconds(|| { black_box({ let $it = black_box(&$it); $use }); });
            println!("{:<28} {real:>8.2} {ours:>8.2}", $name);
        })*
    };
}

fn main() {
    let explore = if cfg!(feature = "explore") { "with" } else { "without" };
    println!("{explore} the feature `explore`");
    let cells =
        (size_of::<std::cell::UnsafeCell<u64>>(), size_of::<linchpin::cell::UnsafeCell<u64>>());
    let atomics =
        (size_of::<std::sync::atomic::AtomicU64>(), size_of::<linchpin::sync::atomic::AtomicU64>());
    println!("{:<28} {:>8} {:>8}", "bytes", "std", "linchpin");
    println!("{:<28} {:>8} {:>8}", "UnsafeCell<u64>", cells.0, cells.1);
    println!("{:<28} {:>8} {:>8}", "AtomicU64", atomics.0, atomics.1);
    use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
    compare! {
        "AtomicU64::load" AtomicU64(atomic) 0 => |a| a.load(Acquire);
        "AtomicU64::store, relaxed" AtomicU64(atomic) 0 => |a| a.store(1, Relaxed);
        "AtomicU64::fetch_add" AtomicU64(atomic) 0 => |a| a.fetch_add(1, SeqCst);
        "AtomicBool::compare_exchange" AtomicBool(atomic) false => |a| a.compare_exchange(false, false, SeqCst, SeqCst).is_ok();
    }
}
