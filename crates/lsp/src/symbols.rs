//! The outline of a text: declarations inside of declarations.

use linchpin_lin::syntax::index::{Kind, Symbol};
use lsp_types::{DocumentSymbol, SymbolKind};

use crate::document::Document;

/// The declarations of a text. Local variables and labels are no part of the outline.
pub(crate) fn outline(document: &Document) -> Vec<DocumentSymbol> {
    let symbols = document.analysis.index.symbols();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); symbols.len()];
    let mut top = Vec::new();
    for (i, symbol) in symbols.iter().enumerate() {
        if matches!(symbol.kind, Kind::Local | Kind::Label | Kind::Parameter) {
            continue;
        }
        match symbol.within {
            Some(outer) => children[outer].push(i),
            None => top.push(i),
        }
    }
    top.into_iter().map(|i| entry(document, symbols, &children, i)).collect()
}

fn entry(
    document: &Document,
    symbols: &[Symbol],
    children: &[Vec<usize>],
    i: usize,
) -> DocumentSymbol {
    let symbol = &symbols[i];
    let inner: Vec<_> =
        children[i].iter().map(|&c| entry(document, symbols, children, c)).collect();
    let detail = symbol.signature.trim_start_matches(':').trim().to_string();
    #[allow(deprecated)] // there is no other way to leave it out
    DocumentSymbol {
        name: symbol.name.clone(),
        detail: (!detail.is_empty()).then_some(detail),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: document.range(symbol.whole),
        selection_range: document.range(symbol.span),
        children: (!inner.is_empty()).then_some(inner),
    }
}

fn kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Object => SymbolKind::CLASS,
        Kind::Spec => SymbolKind::INTERFACE,
        Kind::Operation => SymbolKind::METHOD,
        Kind::Procedure => SymbolKind::FUNCTION,
        Kind::Variable | Kind::Parameter | Kind::Local | Kind::Label => SymbolKind::VARIABLE,
        Kind::Constant | Kind::Setting => SymbolKind::CONSTANT,
        Kind::Alias | Kind::Data => SymbolKind::TYPE_PARAMETER,
        Kind::Enum => SymbolKind::ENUM,
        Kind::Variant => SymbolKind::ENUM_MEMBER,
        Kind::Struct | Kind::Node => SymbolKind::STRUCT,
        Kind::Field => SymbolKind::FIELD,
        Kind::Check => SymbolKind::EVENT,
        Kind::Role => SymbolKind::NAMESPACE,
    }
}
