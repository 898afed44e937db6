//! Makes a failing text small: removes lines as long as it still fails.
//!
//! Delta debugging (A. Zeller, R. Hildebrandt, *Simplifying and isolating failure-inducing input*,
//! IEEE TSE 28(2), 2002) on lines, with one addition for block structure: where a line opens a
//! block, the block is also tried as a whole and without its two brace lines. The predicate has to
//! reject texts that do not load.

/// The smallest text found for which `fails` is true; `text` itself if it does not fail.
pub fn minimise(text: &str, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if !fails(text) {
        return text.to_owned();
    }
    loop {
        let before = lines.len();
        let mut size = lines.len() / 2;
        while size > 0 {
            remove_chunks(&mut lines, size, &mut fails);
            size /= 2;
        }
        remove_blocks(&mut lines, &mut fails);
        if lines.len() == before {
            return join(&lines);
        }
    }
}

fn remove_chunks(lines: &mut Vec<&str>, size: usize, fails: &mut impl FnMut(&str) -> bool) {
    let mut start = 0;
    while start < lines.len() {
        let end = (start + size).min(lines.len());
        let rest = [&lines[..start], &lines[end..]].concat();
        if fails(&join(&rest)) {
            *lines = rest;
        } else {
            start += size;
        }
    }
}

/// Tries every block as a whole, and every pair of brace lines.
fn remove_blocks(lines: &mut Vec<&str>, fails: &mut impl FnMut(&str) -> bool) {
    let mut open = 0;
    while open < lines.len() {
        let close = closing(lines, open);
        let shorter = close.and_then(|close| {
            let whole = [&lines[..open], &lines[close + 1..]].concat();
            let inside = [&lines[..open], &lines[open + 1..close], &lines[close + 1..]].concat();
            [whole, inside].into_iter().find(|rest| fails(&join(rest)))
        });
        match shorter {
            Some(rest) => *lines = rest,
            None => open += 1,
        }
    }
}

/// The line that closes what line `open` opens.
fn closing(lines: &[&str], open: usize) -> Option<usize> {
    let balance = |line: &str| line.matches('{').count() as i32 - line.matches('}').count() as i32;
    let mut depth = 0;
    for (i, line) in lines.iter().enumerate().skip(open) {
        depth += balance(line);
        match depth {
            d if d <= 0 && i == open => return None,
            0 => return Some(i),
            _ => {}
        }
    }
    None
}

fn join(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_matter_remain() {
        let text: String = (0..50).map(|i| format!("line {i}\n")).collect();
        let small = minimise(&text, |t| t.contains("line 7\n") && t.contains("line 33\n"));
        assert_eq!(small, "line 7\nline 33\n");
    }

    #[test]
    fn blocks_are_unwrapped_where_braces_must_balance() {
        let text = "a {\n  b {\n    bad\n    c\n  }\n}\n";
        let balanced = |t: &str| t.matches('{').count() == t.matches('}').count();
        assert_eq!(minimise(text, |t| balanced(t) && t.contains("bad")), "    bad\n");
    }

    #[test]
    fn a_text_that_does_not_fail_is_left_alone() {
        assert_eq!(minimise("a\nb\n", |_| false), "a\nb\n");
    }
}
