//! Columns of a terminal: how wide a text is, shortened and padded texts.

use unicode_width::UnicodeWidthStr;

use crate::screen::Screen;

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text, filled with spaces.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{:1$}", "", columns.saturating_sub(width(text)))
}

/// The text, shortened where it is wider.
pub(crate) fn cut(screen: &Screen, text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let dots = screen.either("…", "..");
    let room = columns.saturating_sub(width(dots));
    let mut short = String::new();
    for c in text.chars() {
        if width(&short) + width(c.encode_utf8(&mut [0; 4])) > room {
            break;
        }
        short.push(c);
    }
    short + dots
}

/// Rows of texts as a table with aligned columns, two spaces apart.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|t| width(t)).max().unwrap_or(0))
        .collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(t, w)| pad(t, *w)).collect();
        cells.join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

/// A text in lines, broken between words.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        if !line.is_empty() && width(line) + 1 + width(word) > columns {
            lines.push(word.to_string());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNICODE: Screen = Screen::PLAIN;
    const ASCII: Screen = Screen { unicode: false, ..UNICODE };

    #[test]
    fn shortened_texts_fit() {
        assert_eq!(cut(&UNICODE, "abcdef", 6), "abcdef");
        assert_eq!(cut(&UNICODE, "abcdef", 5), "abcd…");
        assert_eq!(cut(&ASCII, "abcdef", 5), "abc..");
        // These characters are two columns wide.
        assert_eq!(cut(&UNICODE, "漢字漢字", 6), "漢字…");
        assert_eq!(width(&cut(&UNICODE, "漢字漢字", 6)), 5);
    }

    #[test]
    fn columns_of_a_table_are_aligned() {
        let rows = [vec!["a".to_string(), "b".to_string()], vec!["漢字".to_string()], vec![]];
        assert_eq!(table(&rows), ["a     b", "漢字", ""]);
    }

    #[test]
    fn long_sentences_are_broken_between_words() {
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdef g", 3), ["abcdef", "g"]);
    }
}
