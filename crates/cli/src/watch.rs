//! What ends a search from outside (time, the user) and what shows how far it is.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linchpin_engine::{Limit, Progress};

use crate::render::progress;
use crate::screen::Screen;

/// The time between two progress lines.
const INTERVAL: Duration = Duration::from_millis(100);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on the first interrupt ends searches with what they know; the second ends the program.
pub(crate) fn catch_interrupts() {
    // Without a handler an interrupt ends the program at once, which is acceptable.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Has the user interrupted?
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Watches one search.
pub(crate) struct Watch<'a> {
    start: Instant,
    timeout: Option<Duration>,
    line: Option<Mutex<Line<'a>>>,
}

/// The line on standard error that shows how far the search is.
struct Line<'a> {
    screen: &'a Screen,
    name: &'a str,
    last: Instant,
    shown: bool,
}

impl<'a> Watch<'a> {
    /// Begins now. With `progress`, shows how far the search of this name is.
    pub(crate) fn new(
        screen: &'a Screen,
        name: &'a str,
        timeout: Option<Duration>,
        progress: bool,
    ) -> Self {
        let start = Instant::now();
        let line = Line { screen, name, last: start, shown: false };
        Watch { start, timeout, line: progress.then(|| Mutex::new(line)) }
    }

    /// Since the beginning.
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Called by the search now and then.
    pub(crate) fn look(&self, progress: &Progress) -> Option<Limit> {
        if interrupted() {
            return Some(Limit::Interrupted);
        }
        let elapsed = self.elapsed();
        if self.timeout.is_some_and(|t| elapsed >= t) {
            return Some(Limit::Time);
        }
        if let Some(line) = &self.line
            && let Ok(mut line) = line.try_lock()
            && line.last.elapsed() >= INTERVAL
        {
            line.last = Instant::now();
            line.shown = true;
            line.screen.error(&progress::line(line.name, progress, elapsed));
        }
        None
    }

    /// Takes the progress line away and tells the time.
    pub(crate) fn end(&self) -> Duration {
        let elapsed = self.elapsed();
        if let Some(line) = &self.line
            && let Ok(line) = line.lock()
            && line.shown
        {
            line.screen.error(progress::ERASE);
        }
        elapsed
    }
}
