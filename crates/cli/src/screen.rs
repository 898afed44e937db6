//! Where text goes, and what can be shown there: colours, characters beyond ASCII.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use linchpin_text::printable;

use crate::args::Color;
use crate::exit::Exit;
use crate::render::columns::width;

/// The exit code of a program whose reader went away, as if a signal had ended it.
const BROKEN_PIPE: i32 = 128 + 13;

/// So many columns where nobody knows.
const COLUMNS: usize = 80;

/// Nothing is laid out for fewer or more columns than these.
const FEWEST: usize = 30;
const MOST: usize = 200;

/// The two output streams and what they can show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// Colours on standard output.
    pub(crate) color: bool,
    /// Colours on standard error.
    pub(crate) error_color: bool,
    /// Characters beyond ASCII.
    pub(crate) unicode: bool,
    /// Columns; 80 where nobody knows.
    pub(crate) columns: usize,
    /// Can line numbers lead to files?
    pub(crate) links: bool,
    /// Are long lines broken between words? On a terminal they would be broken anywhere.
    pub(crate) wraps: bool,
}

/// What a piece of text is, for colouring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As it should be.
    Good,
    /// Wrong.
    Bad,
    /// Not known.
    Doubtful,
    /// A heading.
    Heading,
    /// A thread.
    Thread,
    /// Of less interest.
    Quiet,
}

impl Screen {
    /// For texts that go elsewhere: no colours, all characters.
    pub(crate) const PLAIN: Screen = Screen {
        color: false,
        error_color: false,
        unicode: true,
        columns: COLUMNS,
        links: false,
        wraps: false,
    };

    /// Looks at the streams and the environment.
    pub(crate) fn new(color: Color) -> Self {
        let allowed = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
                terminal && !set("NO_COLOR") && !dumb
            }
        };
        let terminal = std::io::stdout().is_terminal();
        Screen {
            color: allowed(terminal),
            error_color: allowed(std::io::stderr().is_terminal()),
            unicode: unicode_locale(),
            columns: columns(),
            links: terminal && allowed(terminal),
            wraps: terminal,
        }
    }

    /// The text, coloured if standard output can show it.
    pub(crate) fn paint(&self, tone: Tone, text: impl Display) -> String {
        if !self.color {
            return text.to_string();
        }
        let style = match tone {
            Tone::Good => AnsiColor::Green.on_default().bold(),
            Tone::Bad => AnsiColor::Red.on_default().bold(),
            Tone::Doubtful => AnsiColor::Yellow.on_default().bold(),
            Tone::Heading => Style::new().bold(),
            Tone::Thread => AnsiColor::Cyan.on_default(),
            Tone::Quiet => Style::new().dimmed(),
        };
        format!("{style}{text}{style:#}")
    }

    /// The text as a link to a line of a file (OSC 8), where terminals have such links.
    pub(crate) fn link(&self, path: &Path, line: usize, text: &str) -> String {
        let file = if self.links { std::path::absolute(path).ok() } else { None };
        let Some(file) = file.as_ref().and_then(|file| file.to_str()) else {
            return text.to_string();
        };
        let mut url = String::new();
        for byte in file.bytes() {
            match byte {
                b if b.is_ascii_alphanumeric() || b"/-._~".contains(&b) => url.push(b as char),
                b => url += &format!("%{b:02X}"),
            }
        }
        format!("\x1b]8;;file://{url}#{line}\x1b\\{text}\x1b]8;;\x1b\\")
    }

    /// A report, with lines that are too long for a terminal broken between words.
    pub(crate) fn wrap(&self, text: &str) -> String {
        if self.wraps { folded(text, self.columns) } else { text.to_string() }
    }

    /// One of two texts, according to the characters that can be shown.
    pub(crate) fn either(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// Writes to standard output. If that is not possible, the program
    /// ends: without a word if nobody reads any more, with an error otherwise.
    pub(crate) fn print(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        let text = harmless(text, self.color || self.links);
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            if error.kind() == ErrorKind::BrokenPipe {
                std::process::exit(BROKEN_PIPE);
            }
            self.complain(&format!("cannot write to standard output: {error}"));
            std::process::exit(i32::from(Exit::BadInput.code()));
        }
    }

    /// Writes to standard error, as far as that is possible.
    pub(crate) fn error(&self, text: &str) {
        let text = harmless(text, self.error_color);
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// Writes the line that shows how far the work is, or takes it away.
    pub(crate) fn progress(&self, text: &str) {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }

    /// Writes a message without a place in a text to standard error.
    pub(crate) fn complain(&self, message: &str) {
        self.error(&self.complaint(message));
    }

    /// A message without a place in a text.
    pub(crate) fn complaint(&self, message: &str) -> String {
        let red = AnsiColor::Red.on_default().bold();
        match self.error_color {
            true => format!("{red}error{red:#}: {message}\n"),
            false => format!("error: {message}\n"),
        }
    }
}

/// The text without characters that do something to a terminal, but for the colours and links that are ours.
/// Names and labels from files are made harmless where they are shown; this is for what was forgotten.
fn harmless(text: &str, ours: bool) -> String {
    let mut out = String::with_capacity(text.len());
    // The ends of lines of other systems are no surprise.
    for (i, line) in text.split("\r\n").enumerate() {
        out += if i > 0 { "\r\n" } else { "" };
        let mut rest = line;
        while let Some(at) = rest.find('\x1b') {
            out += &printable(&rest[..at]);
            let length = if ours { sequence(&rest[at..]) } else { None };
            let (escape, after) = rest[at..].split_at(length.unwrap_or(1));
            out += if length.is_some() { escape } else { "\\u{1b}" };
            rest = after;
        }
        out += &printable(rest);
    }
    out
}

/// Breaks long lines between words; what follows is indented further. Colours and links take no room.
fn folded(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if width(&bare(line)) <= columns {
            out += line;
            out += end;
            continue;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        let further = " ".repeat((indent + 4).min(columns / 2));
        out += &line[..indent];
        let mut used = indent;
        for (i, word) in line[indent..].split(' ').enumerate() {
            let wide = width(&bare(word));
            if i > 0 && used + 1 + wide > columns {
                out.truncate(out.trim_end_matches(' ').len());
                out += "\n";
                out += &further;
                used = further.len();
            } else if i > 0 {
                out.push(' ');
                used += 1;
            }
            out += word;
            used += wide;
        }
        out += end;
    }
    out
}

/// A text without colours and links.
fn bare(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\x1b') {
        out += &rest[..at];
        rest = &rest[at + sequence(&rest[at..]).unwrap_or(1)..];
    }
    out + rest
}

/// The length of the colour or link at the beginning of a text.
fn sequence(text: &str) -> Option<usize> {
    if let Some(color) = text.strip_prefix("\x1b[") {
        let length = color.bytes().take_while(|b| b.is_ascii_digit() || *b == b';').count();
        return color[length..].starts_with('m').then_some(length + 3);
    }
    let link = text.strip_prefix("\x1b]8;;")?;
    let length = link.bytes().take_while(u8::is_ascii_graphic).count();
    link[length..].starts_with("\x1b\\").then_some(length + 7)
}

/// How wide the terminal is: what `COLUMNS` says, or else the terminal itself; within reason.
fn columns() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    said.or_else(asked).unwrap_or(COLUMNS).clamp(FEWEST, MOST)
}

/// Does the locale use UTF-8? The first of the three variables that is set decides.
fn unicode_locale() -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()))
        .is_some_and(|v| {
            let v = v.to_ascii_lowercase();
            v.contains("utf-8") || v.contains("utf8")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words_and_colours_take_no_room() {
        let screen = Screen { color: true, links: true, ..Screen::PLAIN };
        let bad = screen.paint(Tone::Bad, "NOT linearizable");
        let text = format!("  it: {bad} against Stack\nshort\n");
        assert_eq!(folded(&text, 80), text);
        assert_eq!(
            bare(&folded(&text, 24)),
            "  it: NOT linearizable\n      against Stack\nshort\n"
        );
        assert!(folded(&text, 24).contains(&bad));
        for columns in [30, 40, 60] {
            let text =
                "T1: pop() returned empty; no order of the operations explains that.\n".repeat(3);
            assert!(folded(&text, columns).lines().all(|l| l.len() <= columns));
        }
    }

    #[test]
    fn nothing_but_our_colours_and_links_reaches_a_terminal() {
        let screen = Screen { color: true, links: true, ..Screen::PLAIN };
        let ours = screen.paint(Tone::Bad, "wrong") + &screen.link(Path::new("/a b"), 3, "3");
        assert_eq!(harmless(&ours, true), ours);
        assert!(!harmless(&ours, false).contains('\x1b'));
        let table = [
            ("\x1b]0;owned\x07", "\\u{1b}]0;owned\\u{7}"),
            ("\x1b[2J\x1b[", "\\u{1b}[2J\\u{1b}["),
            ("\x1b]8;;http://a b\x1b\\", "\\u{1b}]8;;http://a b\\u{1b}\\"),
            ("\u{9b}31m\u{202e}\r", "\\u{9b}31m\\u{202e}\\u{d}"),
            ("a\r\nb\tc\n", "a\r\nb\tc\n"),
        ];
        for (text, shown) in table {
            assert_eq!(harmless(text, true), shown);
        }
    }
}
