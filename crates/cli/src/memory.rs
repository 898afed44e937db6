//! How much memory there is, where the operating system says so, and how much is used, which the
//! allocator knows everywhere.
//!
//! Counting costs an addition per allocation. In return no table has to say how large it is, and none
//! is forgotten: sums of the sizes of tables were two to three times too low.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use linchpin_memory::Counted;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: Counted<MiMalloc> = Counted::new(MiMalloc);

/// The bytes that are in use now. The allocator hands out blocks of certain sizes, and so takes up to an
/// eighth more than it is asked for.
pub(crate) fn used() -> u64 {
    let asked = ALLOCATOR.used() as u64;
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

/// The limit, which is that which was asked for, if any, and else a part of the memory that this process could
/// occupy. It never is more than fits into the addresses that the process may use: beyond them the
/// program would be ended without an answer.
pub(crate) fn limit(asked: Option<u64>, part: f64) -> Option<u64> {
    let usual = asked.or_else(|| available().map(|bytes| (bytes as f64 * part) as u64));
    match (usual, addresses()) {
        (Some(usual), Some(addresses)) => Some(usual.min(addresses)),
        (usual, addresses) => usual.or(addresses),
    }
}

/// Bytes this process could occupy: what it has and what is free, as far as `/proc/meminfo` and the
/// limits of control groups (containers) tell.
fn available() -> Option<u64> {
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = left_in_groups(Path::new("/sys/fs/cgroup"), &own).unwrap_or(u64::MAX);
    let free = field("/proc/meminfo", "MemAvailable:")?.min(group);
    Some(free + resident().unwrap_or(0))
}

/// What control groups leave: the least of the group of this process and those around it. `own` is the text of
/// `/proc/self/cgroup`, with lines `0::/a/b` (version 2) and `7:memory:/a/b` (version 1).
fn left_in_groups(root: &Path, own: &str) -> Option<u64> {
    let left = |folder: &Path, most: &str, now: &str| {
        let number = |name| std::fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok();
        let most: u64 = number(most)?;
        Some(most.saturating_sub(number(now)?))
    };
    let mut least = None;
    for line in own.lines().chain(["0::/", "0:memory:/"]) {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(kind), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, most, now) = match kind {
            "" => (root.to_path_buf(), "memory.max", "memory.current"),
            _ if kind.split(',').any(|k| k == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        let inner = root.join(path.trim_start_matches('/'));
        let around = inner.ancestors().take_while(|folder| folder.starts_with(&root));
        least = around.filter_map(|folder| left(folder, most, now)).chain(least).min();
    }
    least
}

/// Bytes that fit into the addresses that this process may use (`ulimit -v`), if these are limited. Half of what
/// the program itself leaves: a table that grows is there twice for a while, and addresses are not
/// given back as soon as memory is.
fn addresses() -> Option<u64> {
    let most = address_limit(&std::fs::read_to_string("/proc/self/limits").ok()?)?;
    let [all, data] = ["VmSize:", "VmData:"].map(|name| field("/proc/self/status", name));
    let program = all.unwrap_or(0).saturating_sub(data.unwrap_or(0));
    Some(most.saturating_sub(program) / 2)
}

/// The soft limit in a text like `/proc/self/limits`, unless there is none.
fn address_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
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

    #[test]
    fn a_limit_on_addresses_is_found_in_the_text_of_the_system() {
        let text = |limit: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max cpu time              unlimited            unlimited            seconds   \n\
                 Max address space         {limit} unlimited            bytes     \n"
            )
        };
        assert_eq!(address_limit(&text("1024000000          ")), Some(1_024_000_000));
        assert_eq!(address_limit(&text("unlimited           ")), None);
    }

    #[test]
    fn the_tightest_control_group_counts_in_both_versions() {
        let folder = tempfile::tempdir().unwrap();
        let group = |path: &str, files: [(&str, &str); 2]| {
            std::fs::create_dir_all(folder.path().join(path)).unwrap();
            for (name, text) in files {
                std::fs::write(folder.path().join(path).join(name), text).unwrap();
            }
        };
        let left = |own: &str| left_in_groups(folder.path(), own);
        assert_eq!(left("0::/a/b\n"), None);
        group("a", [("memory.max", "max\n"), ("memory.current", "70\n")]);
        assert_eq!(left("0::/a/b\n"), None);
        group("a", [("memory.max", "100\n"), ("memory.current", "70\n")]);
        assert_eq!((left("0::/a/b\n"), left("0::/\n")), (Some(30), None));
        let first = |most| [("memory.limit_in_bytes", most), ("memory.usage_in_bytes", "5\n")];
        group("memory", first("50\n"));
        group("memory/c", first("20\n"));
        assert_eq!(left("0::/a/b\n4:cpu,memory:/c\n"), Some(15));
        assert_eq!(left("4:cpu:/c\n"), Some(45));
    }
}
