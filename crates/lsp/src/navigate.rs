//! From a name to its declaration and to its other uses.

use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};

use crate::document::Document;

/// Where the name at a position is declared.
pub(crate) fn definition(document: &Document, position: Position) -> Option<Location> {
    let (_, symbol) = document.symbol_at(position)?;
    Some(document.location(document.analysis.index.symbols()[symbol].span))
}

/// Where the name at a position is used; with its declaration, if that is wanted.
pub(crate) fn references(
    document: &Document,
    position: Position,
    declaration: bool,
) -> Option<Vec<Location>> {
    let (_, symbol) = document.symbol_at(position)?;
    let index = &document.analysis.index;
    let declared = index.symbols()[symbol].span;
    let uses = index.uses(symbol).filter(|span| declaration || *span != declared);
    Some(uses.map(|span| document.location(span)).collect())
}

/// The same, for the editor to mark.
pub(crate) fn highlights(
    document: &Document,
    position: Position,
) -> Option<Vec<DocumentHighlight>> {
    let (_, symbol) = document.symbol_at(position)?;
    let one = |span| DocumentHighlight {
        range: document.range(span),
        kind: Some(DocumentHighlightKind::TEXT),
    };
    Some(document.analysis.index.uses(symbol).map(one).collect())
}
