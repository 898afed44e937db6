//! From the bytes of a file to a text that a front end accepts.

use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;

/// The largest text that is read, in bytes. A model is written by hand; anything larger is a
/// mistake (or an attack), and spans have 32 bits.
pub const MAX_BYTES: usize = 1 << 20;

/// The code of what is too large.
pub const TOO_LARGE: Code = Code { id: "E001", title: "the file is too large" };
/// The code of what is not text.
pub const BINARY: Code = Code { id: "E002", title: "the file is not text" };

/// The text of a file, or why it is none: too large, not UTF-8, or binary.
#[allow(clippy::result_large_err)] // once per file
pub fn decode(bytes: &[u8]) -> Result<&str, Diagnostic> {
    check_size(bytes.len())?;
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let at = e.valid_up_to();
        let text = format!("the file is not UTF-8: wrong byte 0x{:02x} at offset {at}", bytes[at]);
        Diagnostic::error(BINARY, Span::new(at, at), text).help("save the file as UTF-8")
    })?;
    match bytes.iter().position(|&b| b == 0) {
        // A byte order mark says what is known already.
        None => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Some(at) => {
            let text = format!("the file is binary: zero byte at offset {at}");
            Err(Diagnostic::error(BINARY, Span::new(at, at), text))
        }
    }
}

/// Refuses texts that are too large.
#[allow(clippy::result_large_err)]
pub fn check_size(bytes: usize) -> Result<(), Diagnostic> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let text = format!("the file is too large: {bytes} bytes, at most {MAX_BYTES} are read");
    Err(Diagnostic::error(TOO_LARGE, Span::default(), text))
}

/// Line and column of a byte offset, both from 1; the column counts characters.
pub fn line_column(text: &str, offset: u32) -> (usize, usize) {
    let mut end = (offset as usize).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (line, before[start..].chars().count() + 1)
}

/// Lines and columns of many places in one text. Looking from the beginning for each of them takes time that grows
/// with the square of the text.
pub struct Lines<'t> {
    text: &'t str,
    /// Line and column at the beginning of every block of the text.
    blocks: Vec<(usize, usize)>,
}

/// Bytes of a block.
const BLOCK: usize = 1 << 10;

impl<'t> Lines<'t> {
    /// Looks at the text once.
    pub fn new(text: &'t str) -> Self {
        let (mut line, mut column) = (1, 1);
        let mut blocks = Vec::with_capacity(text.len() / BLOCK + 1);
        for (at, byte) in text.bytes().enumerate() {
            if at.is_multiple_of(BLOCK) {
                blocks.push((line, column));
            }
            (line, column) = after((line, column), byte);
        }
        Lines { text, blocks }
    }

    /// The same as [`line_column`].
    pub fn at(&self, offset: u32) -> (usize, usize) {
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let block = (end / BLOCK).min(self.blocks.len().saturating_sub(1));
        let start = self.blocks.get(block).copied().unwrap_or((1, 1));
        self.text.as_bytes()[block * BLOCK..end].iter().fold(start, |place, b| after(place, *b))
    }
}

/// The place after a byte. Characters are counted by their first bytes.
fn after((line, column): (usize, usize), byte: u8) -> (usize, usize) {
    match byte {
        b'\n' => (line + 1, 1),
        0x80..=0xbf => (line, column),
        _ => (line, column + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_offset() {
        let error = decode(b"const A\xff = 1").unwrap_err();
        assert_eq!(error.code, "E002");
        assert_eq!(error.message, "the file is not UTF-8: wrong byte 0xff at offset 7");
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        assert_eq!(decode("\u{feff}const A = 1".as_bytes()), Ok("const A = 1"));
        assert_eq!(decode("\u{feff}\u{feff}".as_bytes()), Ok("\u{feff}"));
    }

    #[test]
    fn zero_bytes_mark_a_binary_file() {
        let error = decode(b"\x7fELF\0\0").unwrap_err();
        assert_eq!(error.message, "the file is binary: zero byte at offset 4");
    }

    #[test]
    fn files_above_the_limit_are_refused_by_size() {
        let bytes = vec![b' '; MAX_BYTES + 1];
        assert_eq!(decode(&bytes).unwrap_err().code, "E001");
        assert!(decode(&bytes[1..]).is_ok());
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(line_column("aß\nüx", 0), (1, 1));
        assert_eq!(line_column("aß\nüx", 3), (1, 3));
        assert_eq!(line_column("aß\nüx", 6), (2, 2));
        assert_eq!(line_column("aß\nüx", 999), (2, 3));
    }

    #[test]
    fn many_places_are_the_same_as_each_alone() {
        let long = "aß\nüx\u{4e2d} ".repeat(400) + &"é".repeat(1500);
        for text in ["", "a", "\n", "aß\nüx", &long] {
            let lines = Lines::new(text);
            for offset in 0..text.len() as u32 + 3 {
                assert_eq!(lines.at(offset), line_column(text, offset), "{offset}");
            }
        }
    }
}
