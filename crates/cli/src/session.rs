//! A command that is being executed: the one way through the program, whatever the language.
//!
//! A command says what is to be done. The session knows the limits, shows how far it is, catches
//! panics, and puts answers and problems wherever they were asked for.

use std::cell::{Cell, RefCell};
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use linchpin_cluster::Link;
use linchpin_engine::{Keeper, Peers};
use linchpin_lin::Diagnostic;

use crate::answer::{Answer, View};
use crate::args::{LimitOptions, TogetherOptions};
use crate::checkpoint::Checkpoint;
use crate::exit::Exit;
use crate::memory;
use crate::outcome::{Kind, Problem};
use crate::output::Outputs;
use crate::render::numbers::bytes;
use crate::render::text;
use crate::render::verdict::Limits;
use crate::screen::Screen;
use crate::tally::Tally;
use crate::together;
use crate::watch::{self, Watch};

/// A command that is being executed.
pub(crate) struct Session<'a> {
    pub(crate) screen: &'a Screen,
    pub(crate) limits: Limits,
    view: View,
    outputs: RefCell<Outputs>,
    checkpoint: Option<Checkpoint>,
    /// The other processes.
    link: Option<Link>,
    /// Is there a question without an answer?
    unanswered: Cell<bool>,
    tally: RefCell<Tally>,
}

impl Session<'_> {
    /// Does the work and writes the reports.
    pub(crate) fn run(
        screen: &Screen,
        limits: &LimitOptions,
        view: View,
        outputs: Result<Outputs, String>,
        work: impl FnOnce(&Session<'_>) -> Exit,
    ) -> Exit {
        Session::run_together(screen, limits, &TogetherOptions::default(), view, outputs, work)
    }

    /// The same, perhaps in several processes. Only the first one writes anything.
    pub(crate) fn run_together(
        screen: &Screen,
        limits: &LimitOptions,
        together: &TogetherOptions,
        view: View,
        outputs: Result<Outputs, String>,
        work: impl FnOnce(&Session<'_>) -> Exit,
    ) -> Exit {
        watch::catch_interrupts();
        // Before there is anything else to count.
        memory::measure();
        let outputs = match outputs {
            Ok(outputs) => RefCell::new(outputs),
            Err(message) => {
                screen.complain(&message);
                return Exit::BadInput;
            }
        };
        let arguments: Vec<String> =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        let is_first = together.process.is_none_or(|process| process == 0);
        let started = match is_first {
            true => Checkpoint::new(&limits.checkpoint, &arguments, *screen),
            false => Ok(None),
        };
        let started = started.and_then(|checkpoint| {
            Ok((checkpoint, together::join(together, &arguments, *screen)?))
        });
        let (checkpoint, link) = match started {
            Ok(started) => started,
            Err(message) => {
                screen.complain(&message);
                return Exit::BadInput;
            }
        };
        let outputs = if is_first { outputs } else { RefCell::new(Outputs::nowhere()) };
        let asked = limits.max_memory;
        let (limits, unanswered) = (Limits::new(limits), Cell::new(false));
        if let (Some(asked), Some(memory)) = (asked, limits.memory)
            && memory < asked
        {
            screen.error(&format!(
                "note: this process may not use as many addresses as `--max-memory` asks for; the limit is {}\n",
                bytes(memory)
            ));
        }
        let tally = RefCell::default();
        let session =
            Session { screen, limits, view, outputs, checkpoint, link, unanswered, tally };
        let exit = work(&session);
        if !view.quiet {
            session.outputs.borrow_mut().summary(screen, &session.tally.borrow());
        }
        if let Some(trouble) = session.link.as_ref().and_then(Link::trouble) {
            screen.complain(trouble);
        }
        if let Some(checkpoint) = &session.checkpoint {
            checkpoint.end(exit, session.unanswered.get());
        }
        exit.max(session.outputs.into_inner().finish(screen))
    }

    /// Does one thing within the limits. A panic is a defect like any other; what comes afterwards is
    /// still done.
    pub(crate) fn attempt<T, E: From<Problem>>(
        &self,
        path: &Path,
        name: &str,
        work: impl FnOnce(&Watch<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let progress = std::io::stderr().is_terminal() && !self.view.quiet && self.is_first();
        let keeper = self.checkpoint.as_ref().map(|checkpoint| checkpoint as &dyn Keeper);
        let peers = self.link.as_ref().map(|link| link as &dyn Peers);
        let watch = Watch::new(self.screen, name, &self.limits, progress, keeper, peers);
        let result = catch_unwind(AssertUnwindSafe(|| work(&watch)));
        watch.end();
        result.unwrap_or_else(|_| {
            let problem = Problem::new(Kind::Internal, path, PANICKED.to_string());
            Err(Problem { check: Some(name.to_string()), ..problem }.into())
        })
    }

    /// Is this the process that reports?
    fn is_first(&self) -> bool {
        self.link.as_ref().is_none_or(|link| link.number() == 0)
    }

    /// Shows an answer; gives its exit code.
    pub(crate) fn show(&self, answer: &dyn Answer, exit: Exit) -> Exit {
        self.unanswered.set(self.unanswered.get() || exit == Exit::Unknown);
        self.tally.borrow_mut().add(answer, exit);
        let mut outputs = self.outputs.borrow_mut();
        outputs.answer(self.screen, &self.view, &self.limits, answer, exit);
        exit
    }

    /// Says an answer on standard error if standard output is not for reports.
    pub(crate) fn note(&self, answer: &dyn Answer) {
        if !self.outputs.borrow().is_on_screen() {
            self.screen.error(&answer.text(self.screen, &self.view, &self.limits));
        }
    }

    /// Shows that there is no answer; gives the exit code.
    pub(crate) fn refuse(&self, problem: &Problem) -> Exit {
        self.tally.borrow_mut().problem();
        self.outputs.borrow_mut().problem(self.screen, problem);
        problem.exit()
    }

    /// Shows what is suspicious about a text, where it does not disturb.
    pub(crate) fn warn(&self, path: &Path, text: &str, warnings: &[Diagnostic]) {
        if self.outputs.borrow().shows_messages() && self.is_first() {
            text::warnings(self.screen, path, text, warnings);
        }
    }
}

/// The name of what is done before there is a question.
pub(crate) const LOADING: &str = "load";

const PANICKED: &str = "the program panicked";

/// Executes a command; a panic that nobody else has caught is a defect, too.
pub(crate) fn guarded(screen: &Screen, command: impl FnOnce() -> Exit) -> Exit {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        let problem = Problem::new(Kind::Internal, Path::new(""), PANICKED.to_string());
        screen.error(&text::problem(screen, &problem));
        problem.exit()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Format;

    fn session(work: impl FnOnce(&Session<'_>) -> Exit) -> Exit {
        let (limits, view) = (LimitOptions::default(), View::default());
        let outputs = Outputs::new(Some(Format::Text), &[], &[], false);
        Session::run(&Screen::PLAIN, &limits, view, outputs, work)
    }

    #[test]
    fn a_panic_is_a_defect_and_the_rest_is_still_done() {
        let mut done = false;
        let exit = session(|session| {
            let attempt = |wrong: bool| {
                session.attempt(Path::new("a.lin"), "it", |_| match wrong {
                    true => panic!("on purpose"),
                    false => Ok::<(), Problem>(()),
                })
            };
            let problem = attempt(true).expect_err("it was caught");
            done = attempt(false).is_ok();
            session.refuse(&problem)
        });
        assert!(done);
        assert_eq!(exit, Exit::Internal);
    }

    #[test]
    fn a_panic_anywhere_else_is_a_defect() {
        assert_eq!(guarded(&Screen::PLAIN, || panic!("on purpose")), Exit::Internal);
        assert_eq!(guarded(&Screen::PLAIN, || Exit::Violated), Exit::Violated);
    }

    #[test]
    fn a_report_without_a_format_is_refused() {
        let outputs = Outputs::new(Some(Format::Text), &["report.doc".into()], &[], false);
        let message = outputs.err().unwrap_or_default();
        assert!(message.contains("`report.doc` does not say its format"), "{message}");
    }
}
