//! Results as JUnit XML, which most servers for continuous integration can show.
//!
//! A file is a test suite, a check is a test case; a violation is a failure, what cannot be decided an
//! error, and a limit that was reached makes the case skipped.

use super::verdict::Limits;
use crate::answer::Answer;
use crate::exit::Exit;
use crate::outcome::Problem;
use crate::screen::Screen;

/// Collects results.
#[derive(Debug, Default)]
pub(crate) struct Suites {
    suites: Vec<(String, Vec<Case>)>,
}

#[derive(Debug)]
struct Case {
    name: String,
    seconds: f64,
    outcome: Outcome,
}

#[derive(Debug)]
enum Outcome {
    Passed(String),
    Failed(String, String),
    Error(String),
    Skipped(String),
}

impl Suites {
    /// Adds an answer.
    pub(crate) fn add(&mut self, answer: &dyn Answer, limits: &Limits, exit: Exit) {
        let sentence = answer.sentence(&Screen::PLAIN, limits);
        let mut details = answer.details();
        details.push(answer.asked().command.to_string());
        let outcome = outcome(exit, sentence, &details);
        let seconds = answer.asked().elapsed.as_secs_f64();
        let file = answer.asked().path.display().to_string();
        self.push(file, Case { name: answer.asked().name, seconds, outcome });
    }

    /// Adds what could not be decided.
    pub(crate) fn problem(&mut self, problem: &Problem) {
        let name = problem.check.clone().unwrap_or_else(|| "load".to_string());
        let messages: Vec<_> =
            problem.passages.diagnostics.iter().map(|d| d.message.as_str()).collect();
        let message =
            if messages.is_empty() { problem.message.clone() } else { messages.join("\n") };
        let file = problem.path.display().to_string();
        self.push(file, Case { name, seconds: 0.0, outcome: Outcome::Error(message) });
    }

    fn push(&mut self, file: String, case: Case) {
        match self.suites.last_mut() {
            Some((name, cases)) if *name == file => cases.push(case),
            _ => self.suites.push((file, vec![case])),
        }
    }

    /// The document.
    pub(crate) fn render(&self) -> String {
        let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_string();
        for (file, cases) in &self.suites {
            let count = |f: fn(&Outcome) -> bool| cases.iter().filter(|c| f(&c.outcome)).count();
            xml += &format!(
                "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" \
                 skipped=\"{}\" time=\"{:.3}\">\n",
                escaped(file),
                cases.len(),
                count(|o| matches!(o, Outcome::Failed(..))),
                count(|o| matches!(o, Outcome::Error(_))),
                count(|o| matches!(o, Outcome::Skipped(_))),
                cases.iter().map(|c| c.seconds).sum::<f64>(),
            );
            for case in cases {
                xml += &format!(
                    "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\">\n",
                    escaped(&case.name),
                    escaped(file),
                    case.seconds
                );
                xml += &match &case.outcome {
                    Outcome::Passed(text) => {
                        format!("      <system-out>{}</system-out>\n", escaped(text))
                    }
                    Outcome::Failed(text, more) => format!(
                        "      <failure message=\"{}\">{}</failure>\n",
                        escaped(text),
                        escaped(more)
                    ),
                    Outcome::Error(text) => {
                        format!("      <error message=\"{}\"/>\n", escaped(text))
                    }
                    Outcome::Skipped(text) => {
                        format!("      <skipped message=\"{}\"/>\n", escaped(text))
                    }
                };
                xml += "    </testcase>\n";
            }
            xml += "  </testsuite>\n";
        }
        xml + "</testsuites>\n"
    }
}

fn outcome(exit: Exit, sentence: String, details: &[String]) -> Outcome {
    match exit {
        Exit::Holds => Outcome::Passed(sentence),
        Exit::Unknown => Outcome::Skipped(sentence),
        Exit::Violated => Outcome::Failed(sentence, details.join("\n")),
        Exit::BadInput | Exit::Internal => {
            Outcome::Error(format!("{sentence}\n{}", details.join("\n")))
        }
    }
}

/// Text as XML; characters that XML does not have are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            '\n' => out += "&#10;",
            '\t' => out.push(' '),
            c if c < ' ' || c == '\u{fffe}' || c == '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn every_text_is_well_formed_xml() {
        assert_eq!(escaped("a<b>&\"c\"\n\u{1}"), "a&lt;b&gt;&amp;&quot;c&quot;&#10;\u{fffd}");
    }
}
