//! What can be written at a place: members after a dot, names that can be seen, words of the language.

use linchpin_lin::program::Type;
use linchpin_lin::syntax::index::{Index, Kind, Member, Symbol};
use linchpin_lin::syntax::{self, words};
use linchpin_text::Declared;
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, Position};

use crate::context::{Context, Place, context};
use crate::document::Document;
use crate::language::Language;
use crate::vocabulary;

/// What is offered at a position. The editor leaves out what does not begin with what was typed.
pub(crate) fn complete(document: &Document, position: Position) -> Vec<CompletionItem> {
    if document.language != Language::Lin {
        return foreign(document);
    }
    let offset = document.offset(position) as usize;
    let around = context(&document.text, offset);
    if around.place == Place::Comment {
        return Vec::new();
    }
    let before = &document.text[..offset];
    let typed = before.len() - before.trim_end_matches(is_word).len();
    let start = offset - typed;
    let head = &before[..start];
    if head.ends_with('.') && !head.ends_with("..") {
        let found = members(document, start, offset);
        return found.iter().map(member).collect();
    }
    let mut items = named(document, &around, offset as u32);
    items.extend(language(&around).into_iter().map(word));
    items.sort_by(|a, b| a.label.cmp(&b.label));
    items.dedup_by(|a, b| a.label == b.label && a.kind == b.kind);
    items
}

/// The declarations of a text in another language.
fn foreign(document: &Document) -> Vec<CompletionItem> {
    let global = document.foreign.names.declared.iter().filter(|d| d.scope.is_none());
    let item = |d: &Declared| CompletionItem {
        label: d.name.clone(),
        kind: Some(match d.kind {
            "process" | "mapping" | "action" => CompletionItemKind::FUNCTION,
            "variable" | "channel" => CompletionItemKind::VARIABLE,
            "sort" => CompletionItemKind::CLASS,
            _ => CompletionItemKind::CONSTANT,
        }),
        detail: Some(d.kind.to_string()),
        ..CompletionItem::default()
    };
    global.map(item).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What can follow the dot before `start`.
fn members(document: &Document, start: usize, offset: usize) -> Vec<Member> {
    if let Some(found) = document.analysis.index.members_at(start as u32).filter(|_| start < offset)
    {
        return found;
    }
    // With some name after the dot the text may well be right.
    let (before, after) = document.text.split_at(offset);
    let tried = syntax::analyse(&format!("{before}x{after}")).index;
    if let Some(found) = tried.members_at(start as u32) {
        return found;
    }
    chain(document, &document.text[..start])
        .map(|(ty, index)| index.members_of(&ty))
        .unwrap_or_default()
}

/// The type of `a.b.` at the end of a text, where nothing else helps: `a` is looked up by name.
fn chain<'d>(document: &'d Document, text: &str) -> Option<(Type, &'d Index)> {
    let path = text.strip_suffix('.')?;
    let from = path
        .rfind(|c: char| !is_word(c) && c != '.')
        .map_or(0, |i| i + path[i..].chars().next().map_or(1, char::len_utf8));
    let mut parts = path[from..].split('.');
    let first = parts.next()?;
    let current = (&document.analysis.index, Some(text.len() as u32));
    for (index, at) in [current, (&document.good, Some(text.len() as u32)), (&document.good, None)]
    {
        let seen = match at {
            Some(at) => index.visible(at),
            None => (0..index.symbols().len()).collect(),
        };
        let named = |i: &usize| index.symbols()[*i].name == first;
        let ty = seen.iter().filter(|i| named(i)).find_map(|&i| index.symbols()[i].ty.clone());
        let mut fields = parts.clone();
        let ty = ty.and_then(|ty| fields.try_fold(ty, |ty, name| index.field(&ty, name).cloned()));
        if let Some(ty) = ty {
            return Some((ty, index));
        }
    }
    None
}

fn member(member: &Member) -> CompletionItem {
    let kind = if member.method { CompletionItemKind::METHOD } else { CompletionItemKind::FIELD };
    let about = vocabulary::method(&member.name).filter(|_| member.method);
    CompletionItem {
        label: member.name.clone(),
        kind: Some(kind),
        detail: Some(format!("{}{}", member.name, member.signature)),
        documentation: about.map(|a| Documentation::String(a.to_string())),
        ..CompletionItem::default()
    }
}

/// Declared names that make sense here.
fn named(document: &Document, around: &Context, offset: u32) -> Vec<CompletionItem> {
    let index = &document.analysis.index;
    let here = index.visible(offset);
    let fits = |s: &Symbol| fits(s, around);
    let mut items: Vec<_> =
        here.iter().map(|&i| &index.symbols()[i]).filter(|s| fits(s)).map(symbol).collect();
    // Names that are found by name rather than by place: those of checks, and in a broken text what
    // the last complete one declared.
    let broken = document.analysis.incomplete;
    for (index, whole) in [(index, false), (&document.good, true)] {
        if whole && !broken {
            continue;
        }
        let outer = |s: &Symbol| s.within.map(|i| &index.symbols()[i]);
        for s in index.symbols() {
            let unit = outer(s).map(|o| &o.name) == around.unit.as_ref();
            let object = outer(s).is_some_and(|o| o.kind == Kind::Object);
            let of_check = match s.kind {
                Kind::Object | Kind::Spec => around.place == Place::CheckHead,
                Kind::Operation => {
                    matches!(around.place, Place::Check | Place::Script) && unit && object
                }
                _ => false,
            };
            let remembered = whole
                && fits(s)
                && !matches!(s.kind, Kind::Local | Kind::Parameter)
                && s.seen.is_some()
                && (s.within.is_none() || unit || s.kind == Kind::Variant);
            if of_check && fits(s) || remembered {
                items.push(symbol(s));
            }
        }
    }
    items
}

/// Can the name stand in such a place?
fn fits(s: &Symbol, around: &Context) -> bool {
    let before = around.before.as_deref();
    if before == Some("new") {
        return s.kind == Kind::Node;
    }
    let is_type =
        matches!(s.kind, Kind::Alias | Kind::Data | Kind::Enum | Kind::Struct | Kind::Node);
    match around.place {
        Place::File | Place::Unit { .. } => {
            is_type || matches!(s.kind, Kind::Constant | Kind::Setting | Kind::Variant)
        }
        Place::Fields => !matches!(s.kind, Kind::Operation | Kind::Procedure),
        Place::Object | Place::Spec => !matches!(s.kind, Kind::Operation),
        Place::Script => !matches!(s.kind, Kind::Procedure | Kind::Variable),
        Place::CheckHead => match before {
            Some("check") => s.kind == Kind::Object,
            Some("against") => s.kind == Kind::Spec,
            _ => s.kind == Kind::Object,
        },
        Place::Check => {
            matches!(
                s.kind,
                Kind::Operation | Kind::Data | Kind::Constant | Kind::Setting | Kind::Variant
            )
        }
        Place::Comment => false,
    }
}

fn symbol(s: &Symbol) -> CompletionItem {
    let kind = match s.kind {
        Kind::Object => CompletionItemKind::CLASS,
        Kind::Spec => CompletionItemKind::INTERFACE,
        Kind::Operation => CompletionItemKind::METHOD,
        Kind::Procedure => CompletionItemKind::FUNCTION,
        Kind::Variable | Kind::Parameter | Kind::Local => CompletionItemKind::VARIABLE,
        Kind::Constant | Kind::Setting => CompletionItemKind::CONSTANT,
        Kind::Enum => CompletionItemKind::ENUM,
        Kind::Variant => CompletionItemKind::ENUM_MEMBER,
        Kind::Alias | Kind::Data | Kind::Struct | Kind::Node => CompletionItemKind::STRUCT,
        Kind::Field => CompletionItemKind::FIELD,
        Kind::Label | Kind::Check | Kind::Role => CompletionItemKind::REFERENCE,
    };
    let calls = matches!(s.kind, Kind::Operation | Kind::Procedure);
    let whole = calls && s.signature.starts_with("()");
    CompletionItem {
        label: s.name.clone(),
        kind: Some(kind),
        detail: Some(format!("{}{}", s.name, s.signature)),
        insert_text: whole.then(|| format!("{}()", s.name)),
        ..CompletionItem::default()
    }
}

/// Words of the language that make sense here.
fn language(around: &Context) -> Vec<&'static str> {
    let faults = || linchpin_lin::program::FaultKind::NAMES.iter().map(|(_, name)| *name).collect();
    match around.before.as_deref() {
        Some("memory") => return words::MEMORIES.to_vec(),
        Some("expect") => return vec!["holds", "violated", "deadlock", "fault"],
        Some("fault") => return faults(),
        Some("against") => return vec!["itself"],
        Some("new") => return Vec::new(),
        _ => {}
    }
    let members = ["op", "fn", "var", "init", "memory", "threads"];
    let declaring = ["const", "param", "type", "data", "enum", "struct", "node"];
    let statements =
        || words::KEYWORDS.iter().copied().filter(|w| !["op", "fn", "var"].contains(w));
    let mut out: Vec<&'static str> = Vec::new();
    match around.place {
        Place::File => {
            out.extend(["object", "spec", "check"].into_iter().chain(declaring));
            out.extend(words::TYPES);
        }
        Place::Unit { .. } => {
            out.extend(members.into_iter().chain(declaring));
            out.extend(words::TYPES);
        }
        Place::Object => {
            out.extend(statements());
            out.extend(words::PRIMITIVE_CALLS);
            out.extend(words::TYPES);
            out.push(words::POINT);
        }
        Place::Spec => {
            out.extend(statements().filter(|w| !["await", "free", "new", "null"].contains(w)));
            out.extend(words::TYPES);
            out.push(words::MEET);
        }
        Place::Script => {
            let not = ["await", "atomic", "free", "assert", "new"];
            out.extend(statements().filter(|w| !not.contains(w)));
            out.push("repeat");
        }
        Place::CheckHead => {
            out.push("against");
            out.extend(words::CONDITION_NAMES);
        }
        Place::Check => {
            out.extend(words::SETTING_NAMES);
            out.extend(words::CHECK_WORDS);
        }
        Place::Fields => {
            out.extend(words::TYPES);
            out.extend(["null", "empty", "true", "false", "self"]);
        }
        Place::Comment => {}
    }
    out
}

fn word(word: &'static str) -> CompletionItem {
    let about = vocabulary::word(word);
    let kind = match () {
        () if words::TYPES.contains(&word) && word != "lock" => CompletionItemKind::STRUCT,
        () if words::PRIMITIVE_CALLS.contains(&word) => CompletionItemKind::FUNCTION,
        () => CompletionItemKind::KEYWORD,
    };
    CompletionItem {
        label: word.to_string(),
        kind: Some(kind),
        detail: about.map(|(shape, _)| shape.to_string()),
        documentation: about.map(|(_, about)| Documentation::String(about.to_string())),
        ..CompletionItem::default()
    }
}
