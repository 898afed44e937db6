//! Random programs whose objects give records back themselves, or forget to.
//!
//! The texts of [`super::program`] with `memory manual` or `memory stable` instead of `memory gc`: what was garbage there is a
//! leak now.

use super::rng::Rng;

/// A text whose object does not collect its records; as it is if it has none.
pub fn manual(text: &str, seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x1ea4);
    if !text.contains("new ") {
        return text.to_owned();
    }
    let memory = if rng.percent(60) { "memory manual" } else { "memory stable" };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let own = lines.iter().position(|l| l.trim_start().starts_with("memory "));
    match own {
        Some(i) if lines[i].contains("memory gc") => lines[i] = format!("  {memory}"),
        Some(_) => {}
        None => {
            let object = lines.iter().position(|l| l.starts_with("object "));
            lines.insert(object.map_or(0, |i| i + 1), format!("  {memory}"));
        }
    }
    lines.join("\n") + "\n"
}
