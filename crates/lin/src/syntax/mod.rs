//! The model language (`.lin`), described in the language reference of the book.
//!
//! Text goes through `lexer`, `parse` and `elaborate`; the last one resolves names, checks types
//! and writes the typed program. `format` is a pretty-printer that works on tokens, `index` says
//! what every name means, `words` lists the words that are no names.

mod ast;
mod codes;
mod elaborate;
mod format;
pub mod index;
mod lexer;
mod parse;
mod token;
pub mod words;

use std::sync::Arc;

use crate::program::{Check, Expr, Program, Type};

use linchpin_text::{Asks, Diagnostic, Files, Find, Severity, Sink, Span, check_size, include};

pub use codes::ALL as CODES;
pub use format::format;
pub use linchpin_text::{decode, did_you_mean};

/// A program and what is suspicious about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// In the order of the text.
    pub warnings: Vec<Diagnostic>,
    /// The files it is written in. All places are in them.
    pub files: Files,
}

/// What is wrong with the files of a model.
#[derive(Clone, Debug)]
pub struct Unread {
    /// The files.
    pub files: Files,
    /// What is wrong; places are in all files together.
    pub diagnostics: Vec<Diagnostic>,
}

/// `use "..."`
const USE: Asks =
    Asks { places: uses, words: ["use", "uses", "used"], codes: [codes::MISSING, codes::CYCLE] };

fn uses(text: &str, all: Span) -> Vec<Span> {
    // What is wrong with the tokens is said when they are read again.
    let tokens = lexer::lex(text, all, &mut Sink::default());
    let asks = |t: &&[token::Token]| {
        t[0].line && &text[t[0].span.range()] == "use" && t[1].tok == token::Tok::Text
    };
    tokens.windows(2).filter(asks).map(|t| t[1].span).collect()
}

/// Reads a model in one file. `overrides` are names and values of `param`s that replace the values in the
/// text. All errors of the text are reported (up to a limit), in the order of the text.
pub fn load(text: &str, overrides: &[(String, String)]) -> Result<Loaded, Vec<Diagnostic>> {
    load_files(text, overrides, &mut |_, _| Ok(None)).map_err(|unread| unread.diagnostics)
}

/// Reads a model and the files that it uses.
pub fn load_files(
    text: &str,
    overrides: &[(String, String)],
    find: &mut Find<'_>,
) -> Result<Loaded, Unread> {
    if let Err(d) = check_size(text.len()) {
        return Err(Unread { files: Files::new(""), diagnostics: vec![d] });
    }
    let mut files = Files::new(text);
    let mut sink = Sink::default();
    include(&mut files, &USE, find, &mut sink);
    let (file, incomplete) = parsed(&files, &mut sink);
    if incomplete {
        drop(file);
        return Err(Unread { files, diagnostics: sink.finish() });
    }
    let (program, sink, _) = elaborate::program(&file, overrides, sink);
    drop(file);
    let failed = sink.errors() > 0;
    let diagnostics = sink.finish();
    if failed {
        return Err(Unread { files, diagnostics });
    }
    debug_assert!(diagnostics.iter().all(|d| d.severity == Severity::Warning));
    Ok(Loaded { program, warnings: diagnostics, files })
}

/// The tree of all files, and whether declarations are missing from it. What another file checks is its own affair.
fn parsed<'f>(files: &'f Files, sink: &mut Sink) -> (ast::File<'f>, bool) {
    let missing = sink.errors() > 0;
    let main = Span::new(0, files.main().len());
    let (mut file, mut incomplete) = parse::file(files.text(), main, sink);
    file.own = file.units.len();
    for (_, place) in files.others() {
        let (other, holes) = parse::file(files.text(), *place, sink);
        file.decls.extend(other.decls);
        file.units.extend(other.units);
        incomplete |= holes;
    }
    (file, incomplete || missing)
}

/// A text as an editor wants it: whatever can be said about it, right or wrong.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The program, if there are no errors.
    pub program: Option<Arc<Program>>,
    /// Errors and warnings, as [`load`] gives them.
    pub diagnostics: Vec<Diagnostic>,
    /// What the names mean, as far as the text was understood.
    pub index: index::Index,
    /// Could declarations be missing from the index because of errors of syntax?
    pub incomplete: bool,
    /// The text and the files that it uses. All places are in them.
    pub files: Files,
}

impl Default for Analysis {
    fn default() -> Self {
        let (diagnostics, index) = (Vec::new(), index::Index::default());
        Analysis { program: None, diagnostics, index, incomplete: true, files: Files::new("") }
    }
}

/// Reads a model that is perhaps being written. The parameters have the values in the text.
pub fn analyse(text: &str) -> Analysis {
    analyse_files(text, &mut |_, _| Ok(None))
}

/// The same with the files that it uses.
pub fn analyse_files(text: &str, find: &mut Find<'_>) -> Analysis {
    if let Err(d) = check_size(text.len()) {
        return Analysis { diagnostics: vec![d], ..Analysis::default() };
    }
    let mut files = Files::new(text);
    let mut sink = Sink::default();
    include(&mut files, &USE, find, &mut sink);
    let (file, incomplete) = parsed(&files, &mut sink);
    // Of a tree with holes the names are of interest, but not what is wrong with them.
    let (kept, used) = if incomplete { (Some(sink), Sink::default()) } else { (None, sink) };
    let (program, sink, record) = elaborate::program(&file, &[], used);
    let program = Arc::new(program);
    let sink = kept.unwrap_or(sink);
    let sound = sink.errors() == 0;
    let index = index::Index::new(files.text(), &file, record, program.clone());
    drop(file);
    let program = sound.then_some(program);
    Analysis { program, diagnostics: sink.finish(), index, incomplete, files }
}

/// A name that a watched expression may use besides those of the text, and its type.
pub type Given = (String, Type);

/// An expression that somebody watches. The locals in it are the given names, by number.
#[derive(Clone, Debug)]
pub struct Meant {
    /// What to evaluate.
    pub expr: Expr,
    /// The given names that it uses.
    pub uses: Vec<usize>,
}

/// Understands expressions over the object of a check, for every set of given names. The files and the overrides are
/// those from which the program was loaded.
pub fn watches(
    files: &Files,
    overrides: &[(String, String)],
    program: &Program,
    check: &Check,
    scopes: &[Vec<Given>],
    expressions: &[String],
) -> Vec<Vec<Result<Meant, Box<Diagnostic>>>> {
    let (file, _) = parsed(files, &mut Sink::default());
    let expressions: Vec<_> = expressions.iter().map(|text| expression(text)).collect();
    let object = &program.objects[check.object.index()].unit.name;
    elaborate::watches(&file, overrides, &check.params, object, scopes, &expressions)
}

/// A text that is one expression.
fn expression(text: &str) -> Result<ast::Expr<'_>, Box<Diagnostic>> {
    check_size(text.len()).map_err(Box::new)?;
    let mut sink = Sink::default();
    let tokens = lexer::lex(text, Span::new(0, text.len()), &mut sink);
    let expr = parse::expression(text, &tokens, &mut sink);
    let wrong = sink.finish().into_iter().find(|d| d.severity == Severity::Error);
    match (wrong, expr) {
        (None, Some(expr)) => Ok(expr),
        (Some(wrong), _) => Err(Box::new(wrong)),
        (None, None) => {
            let text = "an expression is expected";
            Err(Box::new(Diagnostic::error(codes::EXPECTED, Span::default(), text)))
        }
    }
}
