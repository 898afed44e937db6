//! From a name to its declaration and to its other uses.

use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};

use crate::document::Document;
use crate::language::Language;

/// Where the name at a position is declared.
pub(crate) fn definition(document: &Document, position: Position) -> Option<Location> {
    let (declared, _) = document.named_at(position)?;
    let there = document.language == Language::Lin || document.has(declared);
    there.then(|| document.location(declared))
}

/// Where the name at a position is used; with its declaration, if that is wanted.
pub(crate) fn references(
    document: &Document,
    position: Position,
    declaration: bool,
) -> Option<Vec<Location>> {
    let (declared, uses) = document.named_at(position)?;
    let uses = uses.into_iter().filter(|span| declaration || *span != declared);
    Some(uses.map(|span| document.location(span)).collect())
}

/// The same, for the editor to mark.
pub(crate) fn highlights(
    document: &Document,
    position: Position,
) -> Option<Vec<DocumentHighlight>> {
    let (_, uses) = document.named_at(position)?;
    let one = |span| DocumentHighlight {
        range: document.range(span),
        kind: Some(DocumentHighlightKind::TEXT),
    };
    Some(uses.into_iter().filter(|span| document.has(*span)).map(one).collect())
}
