//! The files of a model: itself, and those that it asks for.
//!
//! No front end reads files. Whoever has them hands them over when they are asked for ([`Find`]); then all are one text
//! ([`Files`]), and a place says which file it is in.

use std::collections::{HashMap, HashSet};

use crate::{Code, Diagnostic, Files, Sink, Span};

/// A file that a model needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// A path, from the file that asks.
    Include(&'a str),
    /// The name of a library.
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

/// What there is to include: where the text says so, the place of the file, or none if it is included already.
pub type Included = HashMap<u32, Option<Span>>;

/// How a language asks for other files.
pub struct Asks {
    /// Where, in a part of a text: the paths, in quotation marks.
    pub places: fn(&str, Span) -> Vec<Span>,
    /// `include`, `includes`, `included`
    pub words: [&'static str; 3],
    /// The code of a file that is not there, and of one that asks for itself.
    pub codes: [Code; 2],
}

/// The most files of a model.
const MAX_FILES: usize = 100;

/// Adds all files that are asked for, directly or by way of others. One that is asked for twice is there once.
pub fn include(files: &mut Files, asks: &Asks, find: &mut Find<'_>, sink: &mut Sink) -> Included {
    let mut gathered = Gathered {
        asks,
        main: files.text().to_string(),
        seen: HashSet::new(),
        open: Vec::new(),
        included: HashMap::new(),
    };
    let all = Span::new(0, files.text().len());
    gathered.file(files, all, "", find, sink);
    gathered.included
}

struct Gathered<'a> {
    asks: &'a Asks,
    /// The text of the main file, of which nobody says the key. What has the same text is the same, or declares everything
    /// twice.
    main: String,
    seen: HashSet<String>,
    /// Files that ask for each other, from the main one on.
    open: Vec<String>,
    included: Included,
}

impl Gathered<'_> {
    fn file(
        &mut self,
        files: &mut Files,
        all: Span,
        name: &str,
        find: &mut Find<'_>,
        sink: &mut Sink,
    ) {
        let Asks { places, words: [include, includes, included], codes: [missing, cycle] } =
            *self.asks;
        for span in places(files.text(), all) {
            let path = files.text()[span.range()].trim_matches('"').to_string();
            let error = |message: String| Diagnostic::error(missing, span, message);
            let found = match find(Wanted::Include(&path), name) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    sink.push(error(format!("there is no file `{path}` to {include}")));
                    continue;
                }
                Err(why) => {
                    sink.push(error(format!("`{path}` cannot be {included}: {why}")));
                    continue;
                }
            };
            if self.open.contains(&found.key) || found.text == self.main {
                let message =
                    format!("`{path}` {includes} itself, by way of this file or directly");
                sink.push(Diagnostic::error(cycle, span, message));
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
