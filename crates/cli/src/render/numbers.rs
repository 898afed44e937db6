//! Numbers as people like to read them.

use std::time::Duration;

pub(crate) use linchpin_evidence::words::grouped;

/// `1 state`, `12 345 states`
pub(crate) fn counted(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// `1.5 GB`
pub(crate) fn bytes(n: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 || value >= 100.0 {
        format!("{value:.0} {}", units[unit])
    } else {
        format!("{value:.1} {}", units[unit])
    }
}

/// `0.02 s`, `12.3 s`, `2 min 5 s`
pub(crate) fn seconds(d: Duration) -> String {
    let s = d.as_secs_f64();
    match s {
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 119.95 => format!("{s:.1} s"),
        s => {
            let s = s.round() as u64;
            match s / 3600 {
                0 => format!("{} min {} s", s / 60, s % 60),
                h => format!("{h} h {} min", s % 3600 / 60),
            }
        }
    }
}

/// `30 s`, `5 min`, `1 h`: a limit as it was given.
pub(crate) fn limit(d: Duration) -> String {
    let s = d.as_secs();
    match () {
        () if d.subsec_nanos() != 0 => format!("{} s", d.as_secs_f64()),
        () if s > 0 && s.is_multiple_of(3600) => format!("{} h", s / 3600),
        () if s > 0 && s.is_multiple_of(60) => format!("{} min", s / 60),
        () => format!("{s} s"),
    }
}

/// `512 k/s`, `1.2 M/s`
pub(crate) fn rate(n: u64, d: Duration) -> String {
    let rate = n as f64 / d.as_secs_f64().max(1e-6);
    match rate {
        r if r >= 999_500.0 => format!("{:.1} M/s", r / 1e6),
        r if r >= 999.5 => format!("{:.0} k/s", r / 1e3),
        r => format!("{r:.0} /s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_that_suits_them() {
        for (n, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_500, "1.5 kB"),
            (999_999, "1.0 MB"),
            (2 << 30, "2.1 GB"),
        ] {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn times_have_a_unit_that_suits_them() {
        let shown = |ms| seconds(Duration::from_millis(ms));
        assert_eq!(shown(4), "0.00 s");
        assert_eq!(shown(9_996), "10.0 s");
        assert_eq!(shown(125_000), "2 min 5 s");
        assert_eq!(shown(3_600_000 * 2 + 60_000), "2 h 1 min");
        assert_eq!(limit(Duration::from_secs(300)), "5 min");
        assert_eq!(limit(Duration::from_millis(1500)), "1.5 s");
        assert_eq!(limit(Duration::ZERO), "0 s");
    }

    #[test]
    fn rates_survive_a_clock_that_stands_still() {
        assert_eq!(rate(0, Duration::ZERO), "0 /s");
        assert_eq!(rate(3_000_000, Duration::from_secs(2)), "1.5 M/s");
        assert_eq!(rate(90_000, Duration::from_secs(2)), "45 k/s");
    }
}
