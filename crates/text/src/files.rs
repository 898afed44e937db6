//! Several files as one text.
//!
//! A model may be more than one file: what it includes, the functions it imports. Their texts are laid one behind the
//! other, the main file first, so that a [`Span`] says which file is meant and nothing else has to know that there are
//! several. Only who shows a place asks which file it is in.

use crate::diagnostic::Diagnostic;
use crate::span::Span;

/// Files, laid one behind the other.
#[derive(Clone, Debug)]
pub struct Files {
    text: String,
    /// Names, with the places where the files begin and end.
    parts: Vec<(String, Span)>,
}

/// A place in one of several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'f> {
    /// The number of the file; the main one is 0.
    pub number: usize,
    /// Its name; that of the main one is empty, as whoever gave it knows it.
    pub name: &'f str,
    /// Its text.
    pub text: &'f str,
    /// Where in it.
    pub span: Span,
}

/// The most bytes of all files together.
const MOST: usize = 16 * crate::MAX_BYTES;

impl Files {
    /// The main file alone.
    pub fn new(text: impl Into<String>) -> Files {
        let text = text.into();
        let all = Span::new(0, text.len());
        Files { text, parts: vec![(String::new(), all)] }
    }

    /// Adds a file, unless it would be too much; where it begins and ends.
    pub fn add(&mut self, name: &str, text: &str) -> Option<Span> {
        // Something between two files, so that the end of one is not the beginning of the other.
        let start = self.text.len() + 1;
        let span = Span::new(start, start + text.len());
        if start + text.len() > MOST {
            return None;
        }
        self.text.push('\n');
        self.text += text;
        self.parts.push((name.to_string(), span));
        Some(span)
    }

    /// All texts. Spans are places in this.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of the main file.
    pub fn main(&self) -> &str {
        &self.text[self.parts[0].1.range()]
    }

    /// Names and places of all files but the main one.
    pub fn others(&self) -> &[(String, Span)] {
        &self.parts[1..]
    }

    /// The file in which a place is.
    pub fn place(&self, span: Span) -> Place<'_> {
        let number = self.parts.partition_point(|(_, all)| all.start <= span.start).max(1) - 1;
        let (name, all) = &self.parts[number];
        let local = |at: u32| at.clamp(all.start, all.end) - all.start;
        let span = Span { start: local(span.start), end: local(span.end) };
        Place { number, name, text: &self.text[all.range()], span }
    }

    /// Line and column of a place in its file, with the name of the file if it is not the main one: `3:5`, `a.cs:3:5`.
    pub fn position(&self, at: u32) -> String {
        let place = self.place(Span { start: at, end: at });
        let (line, column) = crate::line_column(place.text, place.span.start);
        match place.name {
            "" => format!("{line}:{column}"),
            name => format!("{name}:{line}:{column}"),
        }
    }

    /// What is to be said about each file, with places in it, in the order of the files. What a message also says about
    /// places in other files becomes a note.
    pub fn divide(&self, diagnostics: Vec<Diagnostic>) -> Vec<(usize, Vec<Diagnostic>)> {
        let mut divided: Vec<(usize, Vec<Diagnostic>)> = Vec::new();
        for mut d in diagnostics {
            let Place { number, span, .. } = self.place(d.primary.span);
            d.primary.span = span;
            let (here, elsewhere): (Vec<_>, Vec<_>) =
                d.secondary.into_iter().partition(|l| self.place(l.span).number == number);
            d.secondary = here;
            d.secondary.iter_mut().for_each(|l| l.span = self.place(l.span).span);
            for label in elsewhere {
                let main = self.place(label.span).number == 0;
                let file = if main { " of the model" } else { "" };
                d.notes.push(format!("{}{file}: {}", self.position(label.span.start), label.text));
            }
            d.edits.iter_mut().for_each(|e| e.span = self.place(e.span).span);
            match divided.iter_mut().find(|(n, _)| *n == number) {
                Some((_, list)) => list.push(d),
                None => divided.push((number, vec![d])),
            }
        }
        divided.sort_by_key(|(number, _)| *number);
        divided
    }

    /// The name and the text of a file.
    pub fn part(&self, number: usize) -> (&str, &str) {
        let (name, all) = &self.parts[number];
        (name, &self.text[all.range()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    const SOME: Code = Code { id: "E999", title: "" };

    #[test]
    fn a_place_is_in_the_file_it_was_found_in() {
        let mut files = Files::new("one\ntwo");
        let b = files.add("b.cs", "three\nfour").unwrap();
        let c = files.add("c.cs", "").unwrap();
        assert_eq!(files.position(4), "2:1");
        assert_eq!(files.place(Span::new(7, 7)).number, 0);
        assert_eq!(files.position(b.start + 6), "b.cs:2:1");
        assert_eq!(files.place(Span::new(b.end as usize, b.end as usize)).name, "b.cs");
        assert_eq!(files.place(c).name, "c.cs");
        assert_eq!(files.main(), "one\ntwo");
        let huge = "x".repeat(MOST);
        assert_eq!(files.add("d.cs", &huge), None);
    }

    #[test]
    fn messages_are_divided_by_files_and_other_places_become_notes() {
        let mut files = Files::new("one");
        let b = files.add("b.csp", "two\nthree").unwrap();
        let there = Span::new(b.start as usize + 4, b.end as usize);
        let d = Diagnostic::error(SOME, there, "twice").also(Span::new(0, 3), "first");
        let e = Diagnostic::error(SOME, Span::new(1, 2), "wrong");
        let divided = files.divide(vec![d, e]);
        assert_eq!(divided[0].0, 0);
        let (file, list) = &divided[1];
        assert_eq!((*file, list[0].primary.span), (1, Span::new(4, 9)));
        assert_eq!(list[0].notes, ["1:1 of the model: first"]);
    }
}
