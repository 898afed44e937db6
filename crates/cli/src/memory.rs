//! How much memory there is, where the operating system says so, and how much is used, which the
//! allocator knows everywhere.
//!
//! Counting costs an addition per allocation. In return no table has to say how large it is, and none
//! is forgotten: sums of the sizes of tables were two to three times too low.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use cap::Cap;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: Cap<MiMalloc> = Cap::new(MiMalloc, usize::MAX);

/// The bytes that are in use now. The allocator hands out blocks of certain sizes, and so takes up to an
/// eighth more than it is asked for.
pub(crate) fn used() -> u64 {
    let asked = ALLOCATOR.allocated() as u64;
    asked + asked / 8
}

/// The operating system may give so many bytes at a time, so this much may come next.
const PAGE: u64 = 2 << 20;

/// What the process occupied beyond what was in use when it was measured first and last: the program itself,
/// stacks, tables of the allocator; and what was freed and not given back.
static FIXED: OnceLock<u64> = OnceLock::new();
static SLACK: AtomicU64 = AtomicU64::new(0);

/// Asks the operating system, if it can be asked, what the process occupies.
pub(crate) fn measure() {
    let slack = resident().map_or(0, |bytes| (bytes + PAGE).saturating_sub(used()));
    FIXED.get_or_init(|| slack);
    SLACK.store(slack, Ordering::Relaxed);
}

/// The bytes the process occupies beyond those in use, whatever is freed.
pub(crate) fn fixed() -> u64 {
    FIXED.get().copied().unwrap_or(0)
}

/// The same now, more or less.
pub(crate) fn slack() -> u64 {
    SLACK.load(Ordering::Relaxed)
}

/// The limit unless there is one: a part of the memory that this process could occupy.
pub(crate) fn share(part: f64) -> Option<u64> {
    available().map(|bytes| (bytes as f64 * part) as u64)
}

/// Bytes this process could occupy: what it has and what is free, as far as `/proc/meminfo` and the
/// limit of the control group (a container) tell.
fn available() -> Option<u64> {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(most, now)| most.saturating_sub(now));
    let free = field("/proc/meminfo", "MemAvailable:")?.min(group.unwrap_or(u64::MAX));
    Some(free + resident().unwrap_or(0))
}

/// The most bytes this process has occupied so far, if `/proc/self/status` knows.
pub(crate) fn peak() -> Option<u64> {
    field("/proc/self/status", "VmHWM:")
}

/// The bytes this process occupies now, if `/proc/self/status` knows.
pub(crate) fn resident() -> Option<u64> {
    field("/proc/self/status", "VmRSS:")
}

/// A line `NAME: n kB`.
fn field(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_and_the_figures_are_plausible() {
        let (resident, peak) = (resident().unwrap(), peak().unwrap());
        assert!(100_000 < resident && resident <= peak, "{resident} {peak}");
        assert!(available().unwrap() > 1_000_000);
    }
}
