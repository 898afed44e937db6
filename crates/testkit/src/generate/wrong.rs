//! Random programs that are wrong more often than not: the texts of the other generators with damage to the
//! specification, sometimes to the object.
//!
//! A checker that says `holds` too often looks good on programs that hold. So about half of the programs that it is compared
//! on are to be violated, and not always by the same mistakes as those of `mutate`: a specification that asks for something
//! else finds orders that must be refused wherever they are.

use super::mutate::mutate;
use super::rng::Rng;

/// What is written instead of what, in a specification.
const INSTEAD: &[(&str, &str)] = &[
    ("push_back(", "push_front("),
    ("pop_back(", "pop_front("),
    ("pop_front(", "pop_back("),
    (".insert(", ".remove("),
    (".remove(", ".contains("),
    (".contains(", ".remove("),
    (".is_empty()", ".len() != 1"),
    ("return true", "return false"),
    ("return false", "return true"),
    ("= true", "= false"),
    ("= false", "= true"),
    (" == ", " != "),
    (" != ", " == "),
    (" > ", " >= "),
    (" < ", " > "),
    (" + 1", " + 2"),
    (" - 1", ""),
    (" += 1", " -= 1"),
    (" -= 1", " += 1"),
    ("(1)", "(0)"),
    ("= 0", "= 1"),
    ("= 1", "= 0"),
    ("return 0", "return 1"),
    ("return 1", "return 0"),
    ("if ", "if !"),
    ("A(", "C("),
    ("C(", "A("),
];

/// A text with a mistake; as it is if no damage fits.
pub fn wrong(text: &str, seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xbadd);
    let attempts = (0..12).map(|_| match rng.percent(75) {
        true => damaged(text, "spec ", &mut rng, |lines, rng| replace(lines, rng)),
        false => damaged(text, "object ", &mut rng, |lines, rng| mutate(lines, rng).is_some()),
    });
    let mut good = attempts.flatten().filter(|t| linchpin_lin::syntax::load(t, &[]).is_ok());
    good.next().unwrap_or_else(|| text.to_owned())
}

/// The text with damage to the unit that begins so; nothing if none fits.
fn damaged(
    text: &str,
    unit: &str,
    rng: &mut Rng,
    damage: impl Fn(&mut Vec<String>, &mut Rng) -> bool,
) -> Option<String> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let first = lines.iter().position(|l| l.starts_with(unit))?;
    let last = first + lines[first..].iter().position(|l| l == "}")?;
    let mut inside = lines[first..=last].to_vec();
    damage(&mut inside, rng)
        .then(|| [&lines[..first], &inside, &lines[last + 1..]].concat().join("\n") + "\n")
}

/// Writes something else in one place of the operations.
fn replace(lines: &mut [String], rng: &mut Rng) -> bool {
    let operations = lines.iter().position(|l| l.trim_start().starts_with("op "));
    let from = operations.unwrap_or(lines.len());
    let mut places = Vec::new();
    for (i, line) in lines.iter().enumerate().skip(from) {
        for (what, instead) in INSTEAD {
            places.extend(line.match_indices(what).map(|(at, _)| (i, at, what.len(), *instead)));
        }
    }
    let Some(&(i, at, len, instead)) = rng.pick(&places) else { return false };
    lines[i].replace_range(at..at + len, instead);
    true
}
