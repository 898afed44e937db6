//! Where reports go: to standard output in one format, to files in the formats that their names say.
//!
//! Text, JSON and annotations are written as soon as there is an answer, pages and test results when
//! all are there. A file is replaced at once or not at all.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use linchpin_text::printable;

use crate::answer::{Answer, View};
use crate::args::Format;
use crate::browser;
use crate::exit::Exit;
use crate::figure::Figure;
use crate::file;
use crate::input::reason;
use crate::names::shown;
use crate::outcome::Problem;
use crate::render::html::Page;
use crate::render::junit::Suites;
use crate::render::verdict::Limits;
use crate::render::{github, json, text};
use crate::screen::Screen;
use crate::tally::Tally;

/// The reports of a run.
#[derive(Debug)]
pub(crate) struct Outputs {
    /// What standard output shows, unless a file gets just that.
    standard: Option<Report>,
    files: Vec<(PathBuf, Report)>,
    /// Figures of the first violation, and what is drawn.
    figures: Vec<(Figure, Option<Result<String, String>>)>,
    /// Is the page to be shown in a browser?
    open: bool,
}

/// A report in the making.
#[derive(Debug)]
struct Report {
    format: Format,
    text: String,
    page: Page,
    suites: Suites,
}

/// The format of a file, as its name ends.
pub(crate) fn format_of(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "txt" => Some(Format::Text),
        "json" => Some(Format::Json),
        "html" | "htm" => Some(Format::Html),
        "xml" => Some(Format::Junit),
        _ => None,
    }
}

impl Outputs {
    /// Standard output in a format, if it is for reports, and files, none of which is among those that are
    /// read. With `open`, a page for the browser.
    pub(crate) fn new(
        standard: Option<Format>,
        files: &[PathBuf],
        read: &[&Path],
        open: bool,
    ) -> Result<Self, String> {
        if let Some(path) = file::also_read(files, read) {
            return Err(format!("`{}` is read: the report would take its place", shown(path)));
        }
        let report = |path: &PathBuf| match format_of(path) {
            Some(format) => Ok((path.clone(), Report::new(format))),
            None => Err(format!(
                "the name of the report `{}` does not say its format: it does not end in `.txt`, \
                 `.json`, `.html` or `.xml`",
                shown(path)
            )),
        };
        let mut files: Vec<_> = files.iter().map(report).collect::<Result<_, _>>()?;
        let has = |format: Format, files: &[(PathBuf, Report)]| {
            files.iter().any(|(_, report)| report.format == format)
        };
        if open && !has(Format::Html, &files) {
            files.push((browser::temporary(), Report::new(Format::Html)));
        }
        let standard = if open { Some(Format::Html) } else { standard };
        let standard = standard.filter(|&format| !has(format, &files)).map(Report::new);
        Ok(Outputs { standard, files, figures: Vec::new(), open })
    }

    /// The same with figures.
    pub(crate) fn with_figures(self, figures: &[Figure]) -> Self {
        let figures = figures.iter().map(|figure| (figure.clone(), None)).collect();
        Outputs { figures, ..self }
    }

    /// No reports.
    pub(crate) fn nowhere() -> Self {
        Outputs { standard: None, files: Vec::new(), figures: Vec::new(), open: false }
    }

    /// Is there a report on standard output?
    pub(crate) fn is_on_screen(&self) -> bool {
        self.standard.is_some()
    }

    /// Are messages about the text of a model shown apart from the report?
    pub(crate) fn shows_messages(&self) -> bool {
        let format = self.standard.as_ref().map(|report| report.format);
        matches!(format, None | Some(Format::Text | Format::Html))
    }

    /// Adds an answer everywhere.
    pub(crate) fn answer(
        &mut self,
        screen: &Screen,
        view: &View,
        limits: &Limits,
        answer: &dyn Answer,
        exit: Exit,
    ) {
        if let Some(standard) = &mut self.standard {
            standard.answer(screen, view, limits, answer, exit);
            let text = std::mem::take(&mut standard.text);
            match standard.format {
                Format::Text => screen.print(&screen.wrap(&text)),
                _ => screen.print(&text),
            }
        }
        for (_, report) in &mut self.files {
            report.answer(&Screen::PLAIN, view, limits, answer, exit);
        }
        if let Some(explanation) = answer.explanation() {
            for (figure, drawn) in &mut self.figures {
                drawn.get_or_insert_with(|| figure.draw(explanation));
            }
        }
    }

    /// Adds everywhere that there is no answer.
    pub(crate) fn problem(&mut self, screen: &Screen, problem: &Problem) {
        if self.shows_messages() {
            screen.error(&text::problem(screen, problem));
        }
        if let Some(standard) = &mut self.standard {
            match standard.format {
                Format::Text => {}
                _ => standard.problem(problem),
            }
            screen.print(&std::mem::take(&mut standard.text));
        }
        for (_, report) in &mut self.files {
            report.problem(problem);
        }
    }

    /// Ends texts about several questions with all answers in one line.
    pub(crate) fn summary(&mut self, screen: &Screen, tally: &Tally) {
        if !tally.is_worth_a_line() {
            return;
        }
        if self.standard.as_ref().is_some_and(|report| report.format == Format::Text) {
            screen.print(&screen.wrap(&format!("{}\n", tally.sentence(screen))));
        }
        for (_, report) in self.files.iter_mut().filter(|(_, r)| r.format == Format::Text) {
            report.text += &format!("{}\n", tally.sentence(&Screen::PLAIN));
        }
    }

    /// Writes what is not written yet.
    pub(crate) fn finish(self, screen: &Screen) -> Exit {
        if let Some(standard) = &self.standard
            && standard.has_something()
        {
            screen.print(&standard.render());
        }
        let mut exit = Exit::Holds;
        let write = |path: &Path, text: &str| {
            file::replace(path, text)
                .map_err(|error| format!("cannot write {}: {}", shown(path), reason(&error)))
        };
        for (Figure { path, .. }, drawn) in &self.figures {
            // That nothing is wrong is no mistake of who asked.
            let Some(drawn) = drawn else {
                screen.error(&format!("no figure {}: nothing was violated\n", shown(path)));
                continue;
            };
            let written = match drawn {
                Ok(text) => write(path, text),
                Err(why) => Err(format!("no figure {}: {why}", shown(path))),
            };
            match written {
                Ok(()) => screen.error(&format!("figure: {}\n", shown(path))),
                Err(message) => {
                    screen.complain(&message);
                    exit = Exit::BadInput;
                }
            }
        }
        for (path, report) in &self.files {
            if let Err(message) = write(path, &report.render()) {
                screen.complain(&message);
                exit = Exit::BadInput;
                continue;
            }
            screen.error(&format!("report: {}\n", shown(path)));
            if self.open && report.format == Format::Html && !browser::show(path) {
                screen.complain("no browser could be started; open the report yourself");
                exit = Exit::BadInput;
            }
        }
        exit
    }
}

impl Report {
    fn new(format: Format) -> Self {
        Report { format, text: String::new(), page: Page::default(), suites: Suites::default() }
    }

    fn answer(
        &mut self,
        screen: &Screen,
        view: &View,
        limits: &Limits,
        answer: &dyn Answer,
        exit: Exit,
    ) {
        match self.format {
            Format::Text => self.text += &answer.text(screen, view, limits),
            Format::Json => self.text += &json::line(&answer.json().to_string()),
            Format::Html => self.page.add(answer, limits, exit),
            Format::Junit => self.suites.add(answer, limits, exit),
            Format::Github => self.text += &github::answer(answer, limits, exit),
        }
    }

    fn problem(&mut self, problem: &Problem) {
        match self.format {
            Format::Text => self.text += &text::problem(&Screen::PLAIN, problem),
            Format::Json => self.text += &json::line(&json::problem(problem).to_string()),
            Format::Html => self.page.problem(problem),
            Format::Junit => self.suites.problem(problem),
            Format::Github => self.text += &github::problem(problem),
        }
    }

    /// Is anything left to be written?
    fn has_something(&self) -> bool {
        match self.format {
            Format::Html => !self.page.is_empty(),
            Format::Junit => true,
            Format::Text | Format::Json | Format::Github => false,
        }
    }

    fn render(&self) -> String {
        match self.format {
            Format::Html => self.page.render(),
            Format::Junit => self.suites.render(SystemTime::now()),
            Format::Json => self.text.clone(),
            Format::Text | Format::Github => printable(&self.text).into_owned(),
        }
    }
}
