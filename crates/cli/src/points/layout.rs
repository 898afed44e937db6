//! Where in a text something can be inserted, and how it has to look there.

/// A place between statements.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Where.
    pub(crate) at: usize,
    /// On a line of its own with this indent; otherwise on the line of its neighbours.
    indent: Option<String>,
    before: &'static str,
    after: &'static str,
}

impl Place {
    /// A statement as it stands there.
    pub(crate) fn around(&self, what: &str) -> String {
        match &self.indent {
            Some(indent) => format!("\n{indent}{what}"),
            None => format!("{}{what}{}", self.before, self.after),
        }
    }

    /// What stands between two statements there.
    pub(crate) fn separator(&self) -> String {
        self.indent.as_ref().map_or("; ".to_string(), |indent| format!("\n{indent}"))
    }
}

/// The place after a statement that ends there.
pub(crate) fn after_statement(text: &str, end: usize) -> Place {
    let line = line_end(text, end);
    let rest = text[end..line].trim_start();
    if rest.is_empty() || rest.starts_with("//") {
        let indent = Some(indent_of(text, end));
        return Place { at: line, indent, before: "", after: "" };
    }
    Place { at: end, indent: None, before: "; ", after: "" }
}

/// The place at the beginning of a block.
pub(crate) fn after_block_open(text: &str, open: usize, close: usize) -> Place {
    let line = line_end(text, open + 1);
    let rest = text[open + 1..line].trim();
    if close > line && (rest.is_empty() || rest.starts_with("//")) {
        let indent = indent_of(text, open) + "  ";
        return Place { at: line, indent: Some(indent), before: "", after: "" };
    }
    let after = if text[open + 1..close].trim().is_empty() { "" } else { ";" };
    Place { at: open + 1, indent: None, before: " ", after }
}

/// What to remove for a statement to go: its line if it has one, otherwise also a `;` after it.
pub(crate) fn alone(text: &str, from: usize, to: usize) -> (usize, usize) {
    let start = text[..from].rfind('\n').unwrap_or(0);
    let end = line_end(text, to);
    if text[start..from].trim().is_empty() && text[to..end].trim().is_empty() {
        return (start, end);
    }
    (from, to + usize::from(text[to..].starts_with(';')))
}

fn line_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |n| from + n)
}

/// The blanks at the beginning of the line of a place.
fn indent_of(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let line = &text[start..];
    line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_string()
}

/// The next block: where it opens and where it closes.
pub(crate) fn block_at(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut at, mut open, mut depth) = (from, None, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = line_end(text, at),
            b'{' => {
                open = open.or(Some(at));
                depth += 1;
            }
            b'}' => {
                depth -= 1;
                if depth <= 0 {
                    return open.map(|open| (open, at));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The block after `else` that follows the block that closes there; none for `else if`.
pub(crate) fn else_block(text: &str, close: usize) -> Option<(usize, usize)> {
    let mut rest = text[close + 1..].trim_start();
    while rest.starts_with("//") {
        rest = rest[line_end(rest, 0)..].trim_start();
    }
    let rest = rest.strip_prefix("else")?;
    let block = rest.trim_start();
    block.starts_with('{').then(|| block_at(text, text.len() - block.len()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inserted(text: &str, place: &Place) -> String {
        let (before, after) = text.split_at(place.at);
        format!("{before}{}{after}", place.around("point"))
    }

    #[test]
    fn a_statement_at_the_end_of_a_line_gets_a_line_after_it() {
        let text = "  x = 1 // set\n  y = 2\n";
        assert_eq!(inserted(text, &after_statement(text, 7)), "  x = 1 // set\n  point\n  y = 2\n");
    }

    #[test]
    fn a_statement_on_a_line_with_others_stays_there() {
        let text = "{ x = 1; y = 2 }";
        assert_eq!(inserted(text, &after_statement(text, 7)), "{ x = 1; point; y = 2 }");
        assert_eq!(inserted(text, &after_statement(text, 14)), "{ x = 1; y = 2; point }");
    }

    #[test]
    fn a_statement_goes_with_its_line_or_with_its_separator() {
        let text = "{\n  point\n  x\n}\nif a { point; b }";
        assert_eq!(alone(text, 4, 9), (1, 9));
        assert_eq!(alone(text, 23, 28), (23, 29));
    }

    #[test]
    fn blocks_are_found_in_spite_of_comments_and_begin_as_they_are_laid_out() {
        let text = "if a { // }\n  b\n} else { c }\n";
        let (open, close) = block_at(text, 4).unwrap();
        assert_eq!((open, close), (5, 16));
        let place = after_block_open(text, open, close);
        assert_eq!(inserted(text, &place), "if a { // }\n  point\n  b\n} else { c }\n");
        let (open, close) = else_block(text, close).unwrap();
        let place = after_block_open(text, open, close);
        assert_eq!(inserted(text, &place), "if a { // }\n  b\n} else { point; c }\n");
        let text = "while a { }";
        let place = after_block_open(text, 8, 10);
        assert_eq!(inserted(text, &place), "while a { point }");
        assert!(else_block("if a { } else if b { }", 7).is_none());
    }
}
