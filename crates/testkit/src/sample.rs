//! How much tests try: little enough that everybody runs them, or everything.
//!
//! `cargo test` takes the first of two sizes. `cargo xtask thorough` sets `LINCHPIN_THOROUGH=1` and runs the
//! same tests with the second. Tests of crates that this one depends on include this file by its path.

/// A size: the first one, or the second if everything is to be tried.
pub fn size<T>(quick: T, thorough: T) -> T {
    match std::env::var("LINCHPIN_THOROUGH").is_ok_and(|v| v == "1") {
        true => thorough,
        false => quick,
    }
}

/// How many random cases to try: one of the two sizes, unless `LINCHPIN_COUNT` says otherwise.
pub fn count(quick: u64, thorough: u64) -> u64 {
    let said = std::env::var("LINCHPIN_COUNT").ok().and_then(|text| text.parse().ok());
    said.unwrap_or_else(|| size(quick, thorough))
}
