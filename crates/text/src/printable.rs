//! Text from models and file names, made harmless.
//!
//! A label or the name of a file may contain characters that do something to a terminal (move the cursor, set its
//! title, change colours), to the log of a build, or to the order in which other characters are read.
//! They are shown by their numbers instead.

use std::borrow::Cow;

/// The text with every character that cannot be seen as itself written as `\u{1b}`; lines and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, |c| hidden(c) && c != '\n' && c != '\t')
}

/// The same for what is a name: it stays on its line.
pub fn printable_name(text: &str) -> Cow<'_, str> {
    replaced(text, hidden)
}

fn replaced(text: &str, wrong: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&wrong) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for c in text.chars() {
        match wrong(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Controls, separators of lines, and what is invisible or changes the direction of writing.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown_by_its_number() {
        let table = [
            ("\u{1b}]0;owned\u{7}", "\\u{1b}]0;owned\\u{7}"),
            ("a\u{9b}31mb", "a\\u{9b}31mb"),
            ("\u{2028}\u{200f}\u{61c}\u{202e}", "\\u{2028}\\u{200f}\\u{61c}\\u{202e}"),
            ("\r\u{8}\0\u{7f}", "\\u{d}\\u{8}\\u{0}\\u{7f}"),
            ("caf\u{e9} \u{4e2d}, e\u{301}", "caf\u{e9} \u{4e2d}, e\u{301}"),
        ];
        for (text, shown) in table {
            assert_eq!(printable(text), shown);
            assert_eq!(printable_name(text), shown);
        }
        assert_eq!(printable("a\n\tb"), "a\n\tb");
        assert_eq!(printable_name("a\n\tb"), "a\\u{a}\\u{9}b");
    }
}
