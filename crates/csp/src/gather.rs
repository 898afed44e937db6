//! The files of a model: itself, what it includes, and the C# code it imports.

use std::collections::HashSet;

use linchpin_text::{Asks, Diagnostic, Files, Find, Sink, Span, Wanted};

use crate::ast::Name;
use crate::codes;
use crate::lexer::{Kind, tokens};

/// `#include "..."`
pub(crate) const INCLUDE: Asks = Asks {
    places,
    words: ["include", "includes", "included"],
    codes: [codes::MISSING, codes::CYCLE],
};

fn places(text: &str, all: Span) -> Vec<Span> {
    // What is wrong with the tokens is said when they are read again.
    let tokens = tokens(text, all, &mut Sink::default());
    let asks = |t: &&[crate::lexer::Token]| {
        let word = &text[t[1].span.range()];
        t[0].kind == Kind::Sign("#") && word == "include" && t[2].kind == Kind::Text
    };
    tokens.windows(3).filter(asks).map(|t| t[2].span).collect()
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
