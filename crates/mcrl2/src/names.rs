//! What the names of a specification mean, for editors: sorts, functions, actions and processes, and the parameters of
//! processes inside of them.

use linchpin_text::{Declared, Names, Span};

use crate::ast::{Name, SortKind};
use crate::lexer::{Kind, tokens};
use crate::parse::parse;

/// The names of a text; none if it has errors of syntax.
pub fn names(text: &str) -> Names {
    let Ok(tree) = parse(text) else { return Names::default() };
    let mut list = Vec::new();
    let mut add = |name: &Name, kind: &'static str, scope: Option<Span>| {
        // A declaration ends with its semicolon.
        let rest = &text[name.span.end as usize..];
        let end = name.span.end as usize + rest.find(';').map_or(0, |i| i + 1);
        let whole = match scope {
            Some(_) => name.span,
            None => Span { start: name.span.start, end: end as u32 },
        };
        list.push(Declared { name: name.text.clone(), kind, span: name.span, whole, scope });
    };
    for sort in &tree.sorts {
        add(&sort.name, "sort", None);
        if let Some(SortKind::Struct(constructors)) = sort.definition.as_ref().map(|d| &d.kind) {
            for constructor in constructors {
                add(&constructor.name, "constructor", None);
                constructor.fields.iter().for_each(|(name, _)| {
                    name.iter().for_each(|name| add(name, "projection", None));
                });
                constructor.recogniser.iter().for_each(|name| add(name, "recogniser", None));
            }
        }
    }
    tree.constructors.iter().for_each(|c| add(&c.name, "constructor", None));
    tree.mappings.iter().for_each(|m| add(&m.name, "mapping", None));
    tree.globals.iter().for_each(|g| add(&g.name, "global variable", None));
    tree.actions.iter().for_each(|a| add(&a.name, "action", None));
    for process in &tree.processes {
        add(&process.name, "process", None);
        for parameter in &process.parameters {
            let rest = &text[parameter.name.span.end as usize..];
            let end = parameter.name.span.end as usize + rest.find(';').unwrap_or(rest.len());
            let scope = Span { start: process.name.span.start, end: end as u32 };
            add(&parameter.name, "parameter", Some(scope));
        }
    }
    let words = tokens(text);
    let words = words.iter().filter(|t| t.kind == Kind::Id).map(|t| t.span);
    Names::new(list, text, words)
}
