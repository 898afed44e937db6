//! The files of a model: itself, what it includes, and the C# code it imports.
//!
//! This crate reads no files. Whoever has them hands them over when they are asked for ([`Find`]); then all are one text
//! ([`Files`]), and a place says which file it is in.

use std::collections::{HashMap, HashSet};

use linchpin_text::{Diagnostic, Files, Sink, Span};

use crate::ast::Name;
use crate::codes;
use crate::lexer::{Kind, tokens};

/// A file that a model needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// `#include "..."`: a path, from the file that includes.
    Include(&'a str),
    /// `#import "..."`: the name of a library.
    Library(&'a str),
}

/// A file that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its name, as it is shown.
    pub name: String,
    /// What tells it from all other files.
    pub key: String,
    /// Its text.
    pub text: String,
}

/// Finds files. The second argument is the name of the file that asks, empty for the main one. The answer is the file, none
/// if there is none, or why it cannot be read.
pub type Find<'f> = dyn FnMut(Wanted<'_>, &str) -> Result<Option<Found>, String> + 'f;

/// What there is to include: where `#include` says so, the place of the file, or none if it is included already.
pub(crate) type Included = HashMap<u32, Option<Span>>;

/// The most files of a model.
const MAX_FILES: usize = 100;

/// Adds all files that are included, directly or by way of others. One that is included twice is there once.
pub(crate) fn include(files: &mut Files, find: &mut Find<'_>, sink: &mut Sink) -> Included {
    let mut gathered =
        Gathered { seen: HashSet::new(), open: Vec::new(), included: HashMap::new() };
    let main = Span::new(0, files.text().len());
    gathered.file(files, main, "", find, sink);
    gathered.included
}

struct Gathered {
    seen: HashSet<String>,
    /// Files that include each other, from the main one on.
    open: Vec<String>,
    included: Included,
}

impl Gathered {
    fn file(
        &mut self,
        files: &mut Files,
        all: Span,
        name: &str,
        find: &mut Find<'_>,
        sink: &mut Sink,
    ) {
        // What is wrong with the tokens is said when they are read again.
        let tokens = tokens(files.text(), all, &mut Sink::default());
        let wanted: Vec<Span> = (tokens.windows(3))
            .filter(|t| {
                let word = &files.text()[t[1].span.range()];
                t[0].kind == Kind::Sign("#") && word == "include" && t[2].kind == Kind::Text
            })
            .map(|t| t[2].span)
            .collect();
        for span in wanted {
            let path = files.text()[span.range()].trim_matches('"').to_string();
            let error = |message: String| Diagnostic::error(codes::MISSING, span, message);
            let found = match find(Wanted::Include(&path), name) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    sink.push(error(format!("there is no file `{path}` to include")));
                    continue;
                }
                Err(why) => {
                    sink.push(error(format!("`{path}` cannot be included: {why}")));
                    continue;
                }
            };
            if self.open.contains(&found.key) {
                let message = format!("`{path}` includes itself, by way of this file or directly");
                sink.push(Diagnostic::error(codes::CYCLE, span, message));
                continue;
            }
            if !self.seen.insert(found.key.clone()) {
                self.included.insert(span.start, None);
                continue;
            }
            let room = self.seen.len() <= MAX_FILES;
            let Some(place) = files.add(&found.name, &found.text).filter(|_| room) else {
                sink.push(error("the files of this model are too large, or too many".to_string()));
                return;
            };
            self.included.insert(span.start, Some(place));
            self.open.push(found.key);
            self.file(files, place, &found.name, find, sink);
            self.open.pop();
        }
    }
}

/// Libraries that Linchpin knows by itself; no source is read for them.
pub(crate) fn is_built_in(library: &str) -> bool {
    library == "PAT.Math"
        || library
            .strip_prefix("PAT.Lib.")
            .is_some_and(|l| crate::objects::Kind::named(l).is_some())
}

/// Adds the C# code of all imports, as far as there is some; where it is.
pub(crate) fn import(
    files: &mut Files,
    imports: &[Name],
    find: &mut Find<'_>,
    sink: &mut Sink,
) -> Vec<Span> {
    let mut seen = HashSet::new();
    let mut places = Vec::new();
    for import in imports.iter().filter(|i| !is_built_in(&i.text)) {
        let error = |message: String| Diagnostic::error(codes::MISSING, import.span, message);
        let from = files.place(import.span).name.to_string();
        match find(Wanted::Library(&import.text), &from) {
            // Nobody may need it.
            Ok(None) => {}
            Ok(Some(found)) => {
                if seen.insert(found.key) {
                    match files.add(&found.name, &found.text) {
                        Some(place) => places.push(place),
                        None => sink.push(error("the files of this model are too large".into())),
                    }
                }
            }
            Err(why) => {
                sink.push(error(format!("`{}` cannot be imported: {why}", import.text)));
            }
        }
    }
    places
}
