//! The names of a text and what they mean, for editors, in any language.

use std::collections::HashMap;

use crate::span::Span;

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// What it is, in a word of the language: `process`, `channel`.
    pub kind: &'static str,
    /// Where its name stands.
    pub span: Span,
    /// All of the declaration.
    pub whole: Span,
    /// Where the name means this; `None`: everywhere.
    pub scope: Option<Span>,
}

/// Declarations, and where they are named.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The declarations.
    pub declared: Vec<Declared>,
    /// Where names stand and which declaration they mean, in the order of the text.
    pub uses: Vec<(Span, usize)>,
}

impl Names {
    /// The names of a text: of its words, those that are declared. An inner declaration hides an outer one.
    pub fn new(
        declared: Vec<Declared>,
        text: &str,
        words: impl IntoIterator<Item = Span>,
    ) -> Names {
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (i, d) in declared.iter().enumerate() {
            named.entry(&d.name).or_default().push(i);
        }
        let meant = |span: Span| {
            let all = named.get(text.get(span.range())?)?;
            let scope = |i: usize| declared[i].scope;
            let sees =
                |i: &usize| scope(*i).is_none_or(|s| s.start <= span.start && span.end <= s.end);
            let size = |i: &usize| scope(*i).map_or(u32::MAX, |s| s.end - s.start);
            all.iter().copied().filter(sees).min_by_key(size).map(|i| (span, i))
        };
        let uses = words.into_iter().filter_map(meant).collect();
        drop(named);
        Names { declared, uses }
    }

    /// The name at an offset (or ending there), and the declaration it means.
    pub fn at(&self, offset: u32) -> Option<(Span, usize)> {
        let there = |(span, _): &&(Span, usize)| span.start <= offset && offset <= span.end;
        self.uses.iter().rev().find(there).copied()
    }

    /// Where a declaration is named, itself included.
    pub fn uses_of(&self, declared: usize) -> impl Iterator<Item = Span> {
        self.uses.iter().filter(move |(_, d)| *d == declared).map(|(span, _)| *span)
    }
}
