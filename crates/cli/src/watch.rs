//! What ends a search from outside (time, the user, memory) and what shows how far it is.
//!
//! The allocator counts the bytes in use. What the process occupies can be more, because what was freed
//! is not given back at once, so the limit on memory is compared with that, too, where the operating
//! system tells it.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use linchpin_engine::{Budget, Progress};
use linchpin_lts::{Figures, Limit};

use crate::memory;
use crate::render::progress;
use crate::render::verdict::Limits;
use crate::screen::Screen;

/// The time between two progress lines, and between two questions to the operating system.
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
    screen: &'a Screen,
    name: &'a str,
    limits: &'a Limits,
    /// Is progress to be shown?
    progress: bool,
    start: Instant,
    /// The most bytes that were in use whenever the search asked.
    peak: AtomicU64,
    line: Mutex<Line>,
    /// What has ended a stream.
    stopped: OnceLock<Limit>,
}

/// The line on standard error that shows how far the search is.
struct Line {
    last: Instant,
    shown: bool,
}

impl<'a> Watch<'a> {
    /// Begins now. With `progress`, shows how far the search of this name is.
    pub(crate) fn new(
        screen: &'a Screen,
        name: &'a str,
        limits: &'a Limits,
        progress: bool,
    ) -> Self {
        let start = Instant::now();
        let line = Mutex::new(Line { last: start, shown: false });
        Watch {
            screen,
            name,
            limits,
            progress,
            start,
            peak: AtomicU64::new(0),
            line,
            stopped: OnceLock::new(),
        }
    }

    /// Does something within the limits.
    pub(crate) fn within<T>(&self, work: impl FnOnce(Budget<'_>) -> T) -> T {
        work(Budget {
            workers: self.limits.workers,
            max_states: self.limits.states,
            max_memory: self.limits.memory,
            memory: &|| self.memory(),
            watch: &|progress| self.look(progress),
        })
    }

    fn memory(&self) -> u64 {
        let used = memory::used();
        self.peak.fetch_max(used, Ordering::Relaxed);
        used
    }

    /// The most bytes that were in use while something was done within the limits.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// The limit that is exceeded by something with these figures, if one is.
    pub(crate) fn over(&self, statistics: Figures) -> Option<Limit> {
        let progress = Progress { statistics, frontier: 0 };
        self.within(|budget| budget.exceeded(&progress))
    }

    /// A stream that ends when the user or the clock says so; then there is a limit in
    /// [`Watch::stopped`].
    pub(crate) fn stream<S>(&self, stream: S) -> Watched<'_, S> {
        Watched { stream, watch: self }
    }

    /// The limit that has ended a stream.
    pub(crate) fn stopped(&self) -> Option<Limit> {
        self.stopped.get().copied()
    }

    /// Called by the search now and then.
    pub(crate) fn look(&self, progress: &Progress) -> Option<Limit> {
        if interrupted() {
            return Some(Limit::Interrupted);
        }
        let elapsed = self.start.elapsed();
        if self.limits.time.is_some_and(|t| elapsed >= t) {
            return Some(Limit::Time);
        }
        if let Ok(mut line) = self.line.try_lock()
            && line.last.elapsed() >= INTERVAL
        {
            line.last = Instant::now();
            if let (Some(most), Some(now)) = (self.limits.memory, memory::resident())
                && now > most
            {
                return Some(Limit::Memory);
            }
            if self.progress {
                line.shown = true;
                self.screen.error(&progress::line(self.name, progress, elapsed));
            }
        }
        None
    }

    /// Takes the progress line away and tells the time.
    pub(crate) fn end(&self) -> Duration {
        let elapsed = self.start.elapsed();
        if self.line.lock().is_ok_and(|line| line.shown) {
            self.screen.error(progress::ERASE);
        }
        elapsed
    }
}

/// A stream that is watched.
pub(crate) struct Watched<'a, S> {
    stream: S,
    watch: &'a Watch<'a>,
}

impl<S> Watched<'_, S> {
    fn ask(&self) -> std::io::Result<()> {
        match self.watch.over(Figures::default()) {
            None => Ok(()),
            Some(limit) => {
                let limit = self.watch.stopped.get_or_init(|| limit);
                Err(std::io::Error::other(limit.name()))
            }
        }
    }
}

impl<S: Read> Read for Watched<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.ask()?;
        self.stream.read(buffer)
    }
}

impl<S: Write> Write for Watched<'_, S> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        self.ask()?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.stream.flush()
    }
}
