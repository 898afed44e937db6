//! Explored code that waits for something we do not know, like a lock of `std` that another explored thread has, waits for
//! ever: all of them are one thread of the system. A thread of ours watches, and ends the program with a word about
//! it; nothing smaller would help, because the test does not return.

use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::ACTIVE;

/// Choices made so far, by all executions of this process.
static STEPS: AtomicU64 = AtomicU64::new(0);
static WATCH: Once = Once::new();

const SECONDS: u64 = 60;

/// A choice was made.
pub(crate) fn step() {
    STEPS.fetch_add(1, Ordering::Relaxed);
}

/// Watches from now on.
pub(crate) fn watch() {
    WATCH.call_once(|| {
        let watch = std::thread::Builder::new().name("linchpin".into()).spawn(|| {
            let (mut last, mut seconds) = (0, 0);
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let steps = STEPS.load(Ordering::Relaxed);
                seconds = match steps == last && ACTIVE.load(Ordering::Relaxed) > 0 {
                    true => seconds + 1,
                    false => 0,
                };
                last = steps;
                if seconds == patience() {
                    eprintln!(
                        "linchpin: an explored thread has done nothing for {seconds} seconds.\n\
                         It may wait for a lock or channel of `std`, for input, or loop without an access.\n\
                         Use the types of `linchpin`; LINCHPIN_PATIENCE=600 waits longer."
                    );
                    std::process::exit(101);
                }
            }
        });
        // Without it nothing is watched, and nothing else changes.
        drop(watch);
    });
}

/// After how many seconds.
fn patience() -> u64 {
    let said = std::env::var("LINCHPIN_PATIENCE").ok().and_then(|s| s.parse().ok());
    said.unwrap_or(SECONDS).max(1)
}
