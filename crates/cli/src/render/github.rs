//! Annotations for GitHub: a line of text that the server shows beside the line of the model.
//!
//! `::error file=stack.lin,line=12,title=...::message`. In properties `:` and `,` are escaped as well as
//! `%` and line ends, or a name could begin another command.

use linchpin_syntax::line_column;

use super::verdict::{self, Limits};
use super::{csp as assertions, violation};
use crate::csp;
use crate::exit::Exit;
use crate::outcome::{Decided, Problem};
use crate::screen::Screen;

/// The annotation for a check that was decided.
pub(crate) fn decided(decided: &Decided<'_>, limits: &Limits, exit: Exit) -> String {
    let line = line_column(&decided.source.text, decided.check.span.start).0;
    let mut message = verdict::sentence(&Screen::PLAIN, decided, limits);
    if let Some((_, explanation)) = &decided.violation {
        for sentence in violation::sentences(&Screen::PLAIN, explanation) {
            message += &format!("\n{sentence}");
        }
        message += &format!("\n{}", decided.again);
    }
    let file = decided.source.path.display().to_string();
    annotation(level(exit), &file, line, &decided.check.name, &message)
}

/// The annotation for an assertion of a CSP model.
pub(crate) fn assertion(decided: &csp::Decided<'_>, limits: &Limits, exit: Exit) -> String {
    let line = line_column(&decided.source.text, decided.asserted.span.start).0;
    let mut message = vec![assertions::verdict(&Screen::PLAIN, decided, limits)];
    if exit != Exit::Holds {
        message.extend(assertions::sentences(decided));
        message.extend(decided.report.witness.as_ref().map(assertions::trace));
        message.push(decided.again.clone());
    }
    let file = decided.source.path.display().to_string();
    annotation(level(exit), &file, line, &decided.asserted.text, &message.join("\n"))
}

fn level(exit: Exit) -> &'static str {
    match exit {
        Exit::Holds => "notice",
        Exit::Unknown => "warning",
        Exit::Violated | Exit::BadInput | Exit::Internal => "error",
    }
}

/// The annotation for what could not be decided.
pub(crate) fn problem(problem: &Problem) -> String {
    let file = problem.path.display().to_string();
    let title = problem.check.clone().unwrap_or_else(|| "linchpin".to_string());
    let passages = &problem.passages;
    if passages.diagnostics.is_empty() {
        return annotation("error", &file, 1, &title, &problem.message);
    }
    let each = passages.diagnostics.iter().map(|d| {
        let line = line_column(&passages.text, d.primary.span.start).0;
        annotation("error", &file, line, &title, &d.message)
    });
    each.collect()
}

fn annotation(level: &str, file: &str, line: usize, title: &str, message: &str) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let (file, title) = (property(file), property(title));
    format!("::{level} file={file},line={line},title={title}::{}\n", data(message))
}

#[cfg(test)]
mod tests {
    use super::annotation;

    #[test]
    fn names_cannot_begin_another_command() {
        let text = annotation("error", "a,b.lin", 3, "x::y\n::error::z", "100 %\nmore");
        assert_eq!(
            text,
            "::error file=a%2Cb.lin,line=3,title=x%3A%3Ay%0A%3A%3Aerror%3A%3Az::100 %25%0Amore\n"
        );
    }
}
