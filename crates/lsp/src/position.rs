//! Offsets in bytes, as spans have them, and positions as the protocol has them: lines and columns
//! from 0, where columns count UTF-16 code units.

use linchpin_lin::Span;
use lsp_types::{Position, Range};

/// Where the lines of a text begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Of a text. `\n`, `\r\n` and `\r` end a line, as the protocol has it.
    pub(crate) fn of(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let ends = |i: usize| match bytes[i] {
            b'\n' => true,
            b'\r' => bytes.get(i + 1) != Some(&b'\n'),
            _ => false,
        };
        let after = (0..bytes.len()).filter(|&i| ends(i)).map(|i| i + 1);
        Lines { starts: [0].into_iter().chain(after).collect() }
    }

    /// The position of an offset. One inside of a character is moved to its beginning.
    pub(crate) fn position(&self, text: &str, offset: u32) -> Position {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&s| s <= offset).saturating_sub(1);
        let units = text[self.starts[line]..offset].chars().map(char::len_utf16).sum::<usize>();
        Position::new(line as u32, units as u32)
    }

    /// The offset of a position. One beyond a line is moved to its end, one beyond the text to that.
    pub(crate) fn offset(&self, text: &str, position: Position) -> u32 {
        let Some(&start) = self.starts.get(position.line as usize) else {
            return text.len() as u32;
        };
        let end = self.starts.get(position.line as usize + 1).copied().unwrap_or(text.len());
        let line = text[start..end].trim_end_matches(['\n', '\r']);
        let mut units = position.character as usize;
        for (at, c) in line.char_indices() {
            if units < c.len_utf16() {
                return (start + at) as u32;
            }
            units -= c.len_utf16();
        }
        (start + line.len()) as u32
    }

    /// A span as a range.
    pub(crate) fn range(&self, text: &str, span: Span) -> Range {
        Range::new(self.position(text, span.start), self.position(text, span.end.max(span.start)))
    }

    /// A line (from 1) without its indentation.
    pub(crate) fn line(&self, text: &str, line: usize) -> Range {
        let line = line.clamp(1, self.starts.len()) - 1;
        let start = self.starts[line];
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let whole = &text[start..end];
        let indentation = whole.len() - whole.trim_start().len();
        let from = if whole.trim().is_empty() { 0 } else { indentation };
        self.range(text, Span::new(start + from, start + whole.trim_end().len().max(from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units_both_ways() {
        let text = "a𝄞ß\nx";
        let lines = Lines::of(text);
        for (offset, line, column) in
            [(0, 0, 0), (1, 0, 1), (5, 0, 3), (7, 0, 4), (8, 1, 0), (9, 1, 1)]
        {
            assert_eq!(lines.position(text, offset), Position::new(line, column), "{offset}");
            assert_eq!(lines.offset(text, Position::new(line, column)), offset, "{line}:{column}");
        }
    }

    #[test]
    fn positions_and_offsets_that_do_not_exist_are_moved() {
        let text = "a𝄞\r\nb\rc";
        let lines = Lines::of(text);
        assert_eq!(lines.starts, [0, 7, 9]);
        assert_eq!(lines.offset(text, Position::new(0, 2)), 1);
        assert_eq!(lines.offset(text, Position::new(0, 99)), 5);
        assert_eq!(lines.offset(text, Position::new(99, 0)), text.len() as u32);
        assert_eq!(lines.position(text, 3), Position::new(0, 1));
        assert_eq!(lines.position(text, 999), Position::new(2, 1));
        assert_eq!(Lines::of("").offset("", Position::new(0, 1)), 0);
    }

    #[test]
    fn a_line_is_shown_without_its_indentation() {
        let text = "a\n   b c  \n\n";
        let lines = Lines::of(text);
        assert_eq!(lines.line(text, 2), Range::new(Position::new(1, 3), Position::new(1, 6)));
        assert_eq!(lines.line(text, 3), Range::new(Position::new(2, 0), Position::new(2, 0)));
        assert_eq!(lines.line(text, 900).start.line, 3);
        assert_eq!(Lines::of("").line("", 0), Range::default());
    }
}
