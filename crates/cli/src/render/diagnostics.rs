//! Messages about a text, with the lines they are about.

use std::path::Path;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use linchpin_lin::Span;
use linchpin_lin::{Diagnostic, Severity};

use crate::names::shown;
use crate::screen::Screen;

/// The messages, one after the other, each followed by an empty line.
pub(crate) fn render(
    screen: &Screen,
    path: &Path,
    text: &str,
    diagnostics: &[Diagnostic],
) -> String {
    let renderer = if screen.error_color { Renderer::styled() } else { Renderer::plain() };
    let decor = if screen.unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
    let renderer = renderer.decor_style(decor);
    let path = shown(path);
    let mut shown = String::new();
    for (number, d) in diagnostics.iter().enumerate() {
        if shown.len() > MOST {
            shown += &format!(
                "and {} more, about lines that are very long\n\n",
                diagnostics.len() - number
            );
            break;
        }
        shown += &renderer.render(&report(&path, text, d));
        shown += "\n\n";
    }
    shown
}

/// After so many bytes no more messages are shown. There are at most a few dozen, so their lines must be long.
const MOST: usize = 1 << 16;

fn report<'a>(path: &'a str, text: &'a str, d: &'a Diagnostic) -> Vec<Group<'a>> {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut snippet = Snippet::source(text).path(path);
    let primary = AnnotationKind::Primary.span(within(text, d.primary.span));
    snippet = snippet.annotation(primary.label(caption(&d.primary.text)));
    for label in &d.secondary {
        let context = AnnotationKind::Context.span(within(text, label.span));
        snippet = snippet.annotation(context.label(caption(&label.text)));
    }
    let title = level.primary_title(d.message.as_str());
    let title = if d.code.is_empty() { title } else { title.id(d.code) };
    let mut group = title.element(snippet);
    for note in &d.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    let mut groups = Vec::new();
    match (&d.help, d.edits.is_empty()) {
        (Some(help), true) => group = group.element(Level::HELP.message(help.as_str())),
        (None, true) => {}
        (help, false) => {
            let help = help.as_deref().unwrap_or("change it like this");
            let patches =
                d.edits.iter().map(|e| Patch::new(within(text, e.span), e.replacement.as_str()));
            let snippet = Snippet::source(text).path(path).patches(patches);
            groups.push(Level::HELP.secondary_title(help).element(snippet));
        }
    }
    groups.insert(0, group);
    groups
}

fn caption(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The range, moved into the text and to the borders of characters.
fn within(text: &str, span: Span) -> std::ops::Range<usize> {
    let border = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = border(span.start as usize);
    start..border(span.end as usize).max(start)
}
