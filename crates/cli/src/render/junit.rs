//! Results as JUnit XML, which most servers for continuous integration can show.
//!
//! A file is a test suite, a check is a test case; a violation is a failure, what cannot be decided an
//! error, and a limit that was reached makes the case skipped.
//!
//! There is no one schema. This is what the strictest that is common wants (that of Ant's task, as
//! published by Windy Road), which the others accept: all its attributes, and what was printed at the end of
//! a suite, not in its cases.

use std::borrow::Cow;
use std::time::SystemTime;

use linchpin_text::{line_column, printable_name};

use super::text;
use super::verdict::Limits;
use crate::answer::{Answer, View};
use crate::exit::Exit;
use crate::input::Passages;
use crate::names::shown;
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
    Error(String, String),
    Skipped(String),
}

impl Suites {
    /// Adds an answer.
    pub(crate) fn add(&mut self, answer: &dyn Answer, limits: &Limits, exit: Exit) {
        let sentence = answer.sentence(&Screen::PLAIN, limits);
        // The report as people read it, with history and schedule; what was asked at the end.
        let report = match exit {
            Exit::Holds | Exit::Unknown => String::new(),
            _ => answer.text(&Screen::PLAIN, &View::default(), limits),
        };
        let command = answer.asked().command;
        let again = if report.contains(command) { "" } else { command };
        let outcome = outcome(exit, sentence, format!("{}\n{again}", report.trim_end()));
        let seconds = answer.asked().elapsed.as_secs_f64();
        let file = shown(answer.asked().path);
        self.push(file, Case { name: answer.asked().name, seconds, outcome });
    }

    /// Adds what could not be decided.
    pub(crate) fn problem(&mut self, problem: &Problem) {
        let name = problem.check.clone().unwrap_or_else(|| "load".to_string());
        let Passages { text, diagnostics } = &*problem.passages;
        let messages = diagnostics.iter().map(|d| {
            let (line, column) = line_column(text, d.primary.span.start);
            format!("line {line}, column {column}: {}", d.message)
        });
        let messages: Vec<String> = messages.collect();
        let message =
            if messages.is_empty() { problem.message.clone() } else { messages.join("\n") };
        let (file, report) = (shown(&problem.path), text::problem(&Screen::PLAIN, problem));
        self.push(file, Case { name, seconds: 0.0, outcome: Outcome::Error(message, report) });
    }

    fn push(&mut self, file: String, case: Case) {
        match self.suites.last_mut() {
            Some((name, cases)) if *name == file => cases.push(case),
            _ => self.suites.push((file, vec![case])),
        }
    }

    /// The document, of this time.
    pub(crate) fn render(&self, now: SystemTime) -> String {
        let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_string();
        let timestamp = timestamp(now);
        for (id, (file, cases)) in self.suites.iter().enumerate() {
            let count = |f: fn(&Outcome) -> bool| cases.iter().filter(|c| f(&c.outcome)).count();
            let name = escaped(file);
            xml += &format!(
                "  <testsuite id=\"{id}\" package=\"linchpin\" name=\"{name}\" \
                 timestamp=\"{timestamp}\" hostname=\"localhost\" tests=\"{}\" failures=\"{}\" \
                 errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n    <properties/>\n",
                cases.len(),
                count(|o| matches!(o, Outcome::Failed(..))),
                count(|o| matches!(o, Outcome::Error(..))),
                count(|o| matches!(o, Outcome::Skipped(_))),
                cases.iter().map(|c| c.seconds).sum::<f64>(),
            );
            let mut passed = String::new();
            for case in cases {
                xml += &format!(
                    "    <testcase name=\"{}\" classname=\"{name}\" time=\"{:.3}\"",
                    escaped(&case.name),
                    case.seconds
                );
                xml += &match &case.outcome {
                    Outcome::Passed(text) => {
                        passed += &format!("{}: {text}\n", case.name);
                        "/>\n".to_string()
                    }
                    Outcome::Failed(text, more) => format!(
                        ">\n      <failure type=\"violation\" message=\"{}\">{}</failure>\n    \
                         </testcase>\n",
                        escaped(text),
                        body(more)
                    ),
                    Outcome::Error(text, more) => format!(
                        ">\n      <error type=\"error\" message=\"{}\">{}</error>\n    \
                         </testcase>\n",
                        escaped(text),
                        body(more)
                    ),
                    Outcome::Skipped(text) => format!(
                        ">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                        escaped(text)
                    ),
                };
            }
            let passed = escaped(&passed);
            xml += &format!("    <system-out>{passed}</system-out>\n    <system-err/>\n");
            xml += "  </testsuite>\n";
        }
        xml + "</testsuites>\n"
    }
}

/// `2026-11-17T01:29:08`, in universal time. The calendar is that of H. Hinnant, *chrono-compatible low-level date
/// algorithms*: years begin in March, so that the leap day is the last.
fn timestamp(now: SystemTime) -> String {
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

fn outcome(exit: Exit, sentence: String, report: String) -> Outcome {
    match exit {
        Exit::Holds => Outcome::Passed(sentence),
        Exit::Unknown => Outcome::Skipped(sentence),
        Exit::Violated => Outcome::Failed(sentence, report),
        Exit::BadInput | Exit::Internal => Outcome::Error(sentence, report),
    }
}

/// Text as the content of an element, where lines may end.
fn body(text: &str) -> String {
    escaped(text.trim_end()).replace("&#10;", "\n")
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
            // The log of a server is read by people, too.
            c if matches!(printable_name(c.encode_utf8(&mut [0; 4])), Cow::Owned(_)) => {
                out.extend(c.escape_unicode());
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_strict_schema_is_kept() {
        let case = |name: &str, outcome| Case { name: name.into(), seconds: 0.5, outcome };
        let cases = vec![
            case("a", Outcome::Passed("holds".into())),
            case("b", Outcome::Failed("wrong".into(), "why".into())),
            case("c", Outcome::Error("no <file>".into(), "at\nall".into())),
            case("d", Outcome::Skipped("unknown".into())),
        ];
        let suites = Suites { suites: vec![("x.lin".into(), cases)] };
        let xml = suites.render(SystemTime::UNIX_EPOCH + Duration::from_secs(951_827_696));
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite id="0" package="linchpin" name="x.lin" timestamp="2000-02-29T12:34:56" hostname="localhost" tests="4" failures="1" errors="1" skipped="1" time="2.000">
    <properties/>
    <testcase name="a" classname="x.lin" time="0.500"/>
    <testcase name="b" classname="x.lin" time="0.500">
      <failure type="violation" message="wrong">why</failure>
    </testcase>
    <testcase name="c" classname="x.lin" time="0.500">
      <error type="error" message="no &lt;file&gt;">at
all</error>
    </testcase>
    <testcase name="d" classname="x.lin" time="0.500">
      <skipped message="unknown"/>
    </testcase>
    <system-out>a: holds&#10;</system-out>
    <system-err/>
  </testsuite>
</testsuites>
"#;
        assert_eq!(xml, expected);
        assert_eq!(timestamp(SystemTime::UNIX_EPOCH), "1970-01-01T00:00:00");
    }

    #[test]
    fn every_text_is_well_formed_xml() {
        assert_eq!(escaped("a<b>&\"c\"\n\u{1}"), "a&lt;b&gt;&amp;&quot;c&quot;&#10;\u{fffd}");
    }
}
