//! Suggestions for names that were not found.

/// The candidate that `wrong` is most likely a misspelling of, if any is near enough.
pub fn did_you_mean<'n>(
    wrong: &str,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let length = wrong.chars().count();
    if length > 64 {
        return None;
    }
    let limit = match length {
        0 | 1 => return None,
        2 | 3 => 1,
        n => n.div_ceil(3),
    };
    candidates
        .into_iter()
        .filter(|c| *c != wrong && c.len().abs_diff(wrong.len()) <= 4 * limit)
        .map(|c| (distance(wrong, c), c))
        .filter(|&(d, _)| d <= limit)
        .min()
        .map(|(_, c)| c)
}

/// Insertions, deletions, replacements and exchanges of neighbours that turn one word into the
/// other; a difference in case only counts as one.
fn distance(a: &str, b: &str) -> usize {
    if a.eq_ignore_ascii_case(b) {
        return usize::from(a != b);
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // Row i of the usual table, and the two rows before it.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        assert_eq!(did_you_mean("lenght", ["length", "width"]), Some("length"));
        assert_eq!(did_you_mean("Top", ["top"]), Some("top"));
        assert_eq!(did_you_mean("x", ["items", "tail"]), None);
        assert_eq!(did_you_mean("head", ["tail", "top"]), None);
    }
}
