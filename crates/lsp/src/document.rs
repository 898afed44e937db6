//! A text that is open in the editor, with everything that is known about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use linchpin_lin::syntax::index::{Index, Symbol};
use linchpin_lin::syntax::{self, Analysis};
use linchpin_lin::{Diagnostic, Span};
use lsp_types::{Location, Position, Range, TextDocumentContentChangeEvent, Uri};

use crate::decide::Outcome;
use crate::language::{self, Buffers, Foreign, Language, Shelf};
use crate::position::Lines;

/// An open text.
pub(crate) struct Document {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) text: Arc<str>,
    pub(crate) lines: Lines,
    pub(crate) language: Language,
    shelf: Shelf,
    buffers: Buffers,
    /// What is known about a `.lin` text.
    pub(crate) analysis: Analysis,
    /// What is known about a text in another language.
    pub(crate) foreign: Foreign,
    /// The names of the last text that was complete: a help while the text is broken.
    pub(crate) good: Index,
    /// Changes with every change of the text; what belongs to another number is out of date.
    pub(crate) generation: u64,
    /// Has the text changed since it was analysed?
    pub(crate) stale: bool,
    /// What is known about the checks of this very text, by name.
    pub(crate) checks: BTreeMap<String, State>,
}

/// What is known about a check.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// It waits for others, or is being decided; states so far.
    Running(u64),
    /// It was decided, or cannot be.
    Done(Outcome),
}

impl Document {
    pub(crate) fn new(
        uri: Uri,
        version: i32,
        text: String,
        shelf: Shelf,
        buffers: Buffers,
    ) -> Document {
        let mut document = Document {
            language: Language::of(uri.as_str()),
            shelf,
            buffers,
            foreign: Foreign::default(),
            uri,
            version,
            lines: Lines::of(&text),
            text: text.into(),
            analysis: Analysis::default(),
            good: Index::default(),
            generation: 0,
            stale: true,
            checks: BTreeMap::new(),
        };
        document.refresh();
        document
    }

    /// Carries out changes, in order.
    pub(crate) fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let mut text = self.text.to_string();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let lines = Lines::of(&text);
                    let at = |position| lines.offset(&text, position) as usize;
                    let (start, end) = (at(range.start), at(range.end));
                    text.replace_range(start.min(end)..start.max(end), &change.text);
                }
            }
        }
        self.version = version;
        self.lines = Lines::of(&text);
        self.text = text.into();
        self.outdated();
    }

    /// The text has changed, or another one that it uses.
    pub(crate) fn outdated(&mut self) {
        self.generation += 1;
        self.stale = true;
        self.checks.clear();
    }

    /// Does it use other files?
    pub(crate) fn uses_others(&self) -> bool {
        !self.analysis.files.others().is_empty()
    }

    /// A `.lin` text in the place of this one.
    pub(crate) fn analysis_of(&self, text: &str) -> Analysis {
        let find = &mut |wanted: linchpin_lin::Wanted<'_>, from: &str| {
            language::find(self.shelf, &self.buffers, self.uri.as_str(), wanted, from)
        };
        syntax::analyse_files(text, find)
    }

    /// Analyses the text if that was not done yet.
    pub(crate) fn refresh(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        if self.language != Language::Lin {
            let (uri, shelf, buffers) = (self.uri.as_str(), self.shelf, &self.buffers);
            let find = &mut |wanted: linchpin_lin::Wanted<'_>, from: &str| {
                language::find(shelf, buffers, uri, wanted, from)
            };
            self.foreign = language::analyse(self.language, &self.text, find);
            return;
        }
        self.analysis = self.analysis_of(&self.text);
        let said = std::mem::take(&mut self.analysis.diagnostics);
        self.analysis.diagnostics = language::here(&self.analysis.files, said);
        if !self.analysis.incomplete {
            self.good = self.analysis.index.clone();
        }
    }

    /// What is wrong with the text.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        match self.language {
            Language::Lin => &self.analysis.diagnostics,
            _ => &self.foreign.diagnostics,
        }
    }

    /// Where the name at a position is declared, and all places where it is named, if it is known.
    pub(crate) fn named_at(&self, position: Position) -> Option<(Span, Vec<Span>)> {
        if self.language == Language::Lin {
            let (_, symbol) = self.symbol_at(position)?;
            let index = &self.analysis.index;
            return Some((index.symbols()[symbol].span, index.uses(symbol).collect()));
        }
        let names = &self.foreign.names;
        let (_, declared) = names.at(self.offset(position))?;
        Some((names.declared[declared].span, names.uses_of(declared).collect()))
    }

    /// Is this a place in the text, and not in another file?
    pub(crate) fn has(&self, span: Span) -> bool {
        span.end as usize <= self.text.len()
    }

    pub(crate) fn offset(&self, position: Position) -> u32 {
        self.lines.offset(&self.text, position)
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        self.lines.range(&self.text, span)
    }

    pub(crate) fn location(&self, span: Span) -> Location {
        let place = self.analysis.files.place(span);
        match language::address_of(place.name).filter(|_| place.number > 0) {
            Some(uri) => Location::new(uri, Lines::of(place.text).range(place.text, place.span)),
            None => Location::new(self.uri.clone(), self.range(span)),
        }
    }

    /// The name at a position and what it means.
    pub(crate) fn symbol_at(&self, position: Position) -> Option<(Span, usize)> {
        self.analysis.index.at(self.offset(position))
    }

    /// The word at an offset (or ending there).
    pub(crate) fn word_at(&self, offset: u32) -> Option<(Span, &str)> {
        let at = (offset as usize).min(self.text.len());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let before = self.text.get(..at)?;
        let start = at
            - before.chars().rev().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>();
        let after = &self.text[at..];
        let end = at + after.find(|c| !is_word(c)).unwrap_or(after.len());
        (start < end).then(|| (Span::new(start, end), &self.text[start..end]))
    }

    /// The meaning of the name at a position. If the text is broken there, a declaration of that
    /// name in the last text that was complete, if there is just one.
    pub(crate) fn meaning_at(&self, position: Position) -> Option<(Span, &Symbol, &Index)> {
        let index = &self.analysis.index;
        if let Some((span, symbol)) = self.symbol_at(position) {
            return Some((span, &index.symbols()[symbol], index));
        }
        if self.analysis.program.is_some() {
            return None;
        }
        let (span, word) = self.word_at(self.offset(position))?;
        let mut named = self.good.symbols().iter().filter(|s| s.name == word);
        match (named.next(), named.next()) {
            (Some(symbol), None) => Some((span, symbol, &self.good)),
            _ => None,
        }
    }
}
