//! Annotations for GitHub: a line of text that the server shows beside the line of the model.
//!
//! `::error file=stack.lin,line=12,title=...::message`. In properties `:` and `,` are escaped as well as
//! `%` and line ends, or a name could begin another command.

use linchpin_lin::line_column;

use super::verdict::Limits;
use crate::answer::Answer;
use crate::exit::Exit;
use crate::names::shown;
use crate::outcome::Problem;
use crate::screen::Screen;

/// The annotation for an answer.
pub(crate) fn answer(answer: &dyn Answer, limits: &Limits, exit: Exit) -> String {
    let mut message = vec![answer.sentence(&Screen::PLAIN, limits)];
    if exit != Exit::Holds {
        message.extend(answer.details());
        message.push(answer.asked().command.to_string());
    }
    let file = shown(answer.asked().path);
    annotation(level(exit), &file, answer.line(), &answer.asked().name, &message.join("\n"))
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
    let file = shown(&problem.path);
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
