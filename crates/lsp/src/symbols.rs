//! The outline of a text: declarations inside of declarations.

use linchpin_lin::syntax::index::{Kind, Symbol};
use linchpin_text::Declared;
use lsp_types::{DocumentSymbol, SymbolKind};

use crate::document::Document;
use crate::language::Language;

/// The declarations of a text. Local variables and labels are no part of the outline.
pub(crate) fn outline(document: &Document) -> Vec<DocumentSymbol> {
    if document.language != Language::Lin {
        let global = |d: &&Declared| d.scope.is_none() && document.has(d.whole);
        return document
            .foreign
            .names
            .declared
            .iter()
            .filter(global)
            .map(|d| foreign(document, d))
            .collect();
    }
    let symbols = document.analysis.index.symbols();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); symbols.len()];
    let mut top = Vec::new();
    for (i, symbol) in symbols.iter().enumerate() {
        let inner = matches!(symbol.kind, Kind::Local | Kind::Label | Kind::Parameter);
        if inner || !document.has(symbol.whole) {
            continue;
        }
        match symbol.within {
            Some(outer) => children[outer].push(i),
            None => top.push(i),
        }
    }
    top.into_iter().map(|i| entry(document, symbols, &children, i)).collect()
}

/// A declaration in another language.
fn foreign(document: &Document, declared: &Declared) -> DocumentSymbol {
    #[allow(deprecated)] // there is no other way to leave it out
    DocumentSymbol {
        name: declared.name.clone(),
        detail: Some(declared.kind.to_string()),
        kind: match declared.kind {
            "process" => SymbolKind::CLASS,
            "mapping" | "projection" | "recogniser" => SymbolKind::FUNCTION,
            "action" | "channel" => SymbolKind::EVENT,
            "sort" => SymbolKind::TYPE_PARAMETER,
            "variable" | "global variable" => SymbolKind::VARIABLE,
            _ => SymbolKind::CONSTANT,
        },
        tags: None,
        deprecated: None,
        range: document.range(declared.whole),
        selection_range: document.range(declared.span),
        children: None,
    }
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
