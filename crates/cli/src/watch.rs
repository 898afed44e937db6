//! What ends a search from outside (time, the user, memory) and what shows how far it is.
//!
//! The allocator counts the bytes in use. To these comes what the program occupies without asking for it. What
//! the process occupies can be still more, because what was freed is not given back at once, so the limit on
//! memory is compared with that, too, where the operating system tells it.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use linchpin_engine::{Budget, Keeper, Peers, Progress};
use linchpin_lts::{self as lts, Figures, Limit};

use crate::memory;
use crate::render::progress;
use crate::render::verdict::Limits;
use crate::screen::Screen;

/// The time between two progress lines.
const INTERVAL: Duration = Duration::from_millis(100);

/// The time between two questions to the operating system. A process takes some megabytes in this time, and the
/// question costs some microseconds.
const MEASURING: Duration = Duration::from_millis(10);

/// The most bytes in use are remembered to a part in so many: all workers ask all the time, and what one of them writes the
/// others have to fetch.
const PRECISION: u64 = 128;

/// At least so much time there is to confirm a violation.
const CONFIRMING: Duration = Duration::from_secs(10);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static READING: AtomicBool = AtomicBool::new(false);

/// Does something that may wait for others without end, such as reading from a pipe. Nothing is known yet, so
/// an interrupt ends the program.
pub(crate) fn reading<T>(work: impl FnOnce() -> T) -> T {
    READING.store(true, Ordering::Relaxed);
    let done = work();
    READING.store(false, Ordering::Relaxed);
    done
}

/// From now on the first interrupt ends searches with what they know; the second ends the program.
pub(crate) fn catch_interrupts() {
    // Without a handler an interrupt ends the program at once, which is acceptable.
    let _ = ctrlc::set_handler(|| {
        if READING.load(Ordering::Relaxed) || INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Has the user interrupted?
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// What ends work that begins now, if anything does.
fn question(
    start: Instant,
    time: Option<Duration>,
    limits: &Limits,
    peak: Arc<AtomicU64>,
) -> lts::Watch {
    let measuring = Rhythm::new(MEASURING);
    let (memory, stopped) = (limits.memory, limits.stopped.clone());
    lts::Watch::new(move |bytes| match memory {
        _ if interrupted() || stopped.load(Ordering::Relaxed) => Some(Limit::Interrupted),
        _ if time.is_some_and(|time| start.elapsed() >= time) => Some(Limit::Time),
        Some(most) => {
            if measuring.is_due(start) {
                memory::measure();
            }
            // The allocator keeps what it was given back for a while, and can use it again: what the work
            // before has left occupied does not count as long as less than half of the limit is in use.
            let used = used(&peak);
            let needed = used + bytes + memory::fixed();
            let over = needed > most || needed > most / 2 && used + memory::slack() > most;
            over.then_some(Limit::Memory)
        }
        None => None,
    })
}

/// The bytes in use, of which the most are remembered.
fn used(peak: &AtomicU64) -> u64 {
    let used = memory::used();
    let most = peak.load(Ordering::Relaxed);
    if used > most + most / PRECISION {
        peak.fetch_max(used, Ordering::Relaxed);
    }
    used
}

/// Something that is done every so often, by whoever comes first.
struct Rhythm {
    interval: Duration,
    /// When it was done last, in milliseconds.
    last: AtomicU64,
}

impl Rhythm {
    fn new(interval: Duration) -> Self {
        Rhythm { interval, last: AtomicU64::new(0) }
    }

    /// Is it to be done now, and by whoever asks? Everybody has to count from the same start.
    fn is_due(&self, start: Instant) -> bool {
        let now = start.elapsed().as_millis() as u64;
        let last = self.last.load(Ordering::Relaxed);
        u128::from(now.saturating_sub(last)) >= self.interval.as_millis()
            && self.last.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// Watches one search.
pub(crate) struct Watch<'a> {
    screen: &'a Screen,
    name: &'a str,
    limits: &'a Limits,
    /// Is progress to be shown?
    progress: bool,
    /// Who keeps searches.
    keeper: Option<&'a dyn Keeper>,
    /// The other processes.
    peers: Option<&'a dyn Peers>,
    start: Instant,
    /// The most bytes that were in use whenever somebody asked.
    peak: Arc<AtomicU64>,
    /// When to show how far the search is, on a line of standard error, and whether that was done.
    showing: Rhythm,
    shown: AtomicBool,
    /// For whoever asks in the middle of something.
    question: lts::Watch,
}

impl<'a> Watch<'a> {
    /// Begins now. With `progress`, shows how far the search of this name is.
    pub(crate) fn new(
        screen: &'a Screen,
        name: &'a str,
        limits: &'a Limits,
        progress: bool,
        keeper: Option<&'a dyn Keeper>,
        peers: Option<&'a dyn Peers>,
    ) -> Self {
        let start = Instant::now();
        let peak = Arc::new(AtomicU64::new(0));
        let question = question(start, limits.time, limits, peak.clone());
        let (showing, shown) = (Rhythm::new(INTERVAL), AtomicBool::new(false));
        Watch {
            screen,
            name,
            limits,
            progress,
            keeper,
            peers,
            start,
            peak,
            showing,
            shown,
            question,
        }
    }

    /// Shall we go on? For whoever asks in the middle of something: reading a file, computing a step.
    pub(crate) fn question(&self) -> &lts::Watch {
        &self.question
    }

    /// The same for having a violation confirmed: what was found is not lost because it was found late. It has
    /// as much time again, or a little if that is less.
    pub(crate) fn confirming(&self) -> lts::Watch {
        let time = self.limits.time.map(|time| time.max(CONFIRMING));
        question(Instant::now(), time, self.limits, self.peak.clone())
    }

    /// Does something within the limits.
    pub(crate) fn within<T>(&self, work: impl FnOnce(Budget<'_>) -> T) -> T {
        work(Budget {
            workers: self.limits.workers,
            max_states: self.limits.states,
            // Whoever looks compares it, with what else the process occupies.
            max_memory: None,
            memory: &|| memory::fixed() + used(&self.peak),
            watch: &|progress| self.look(progress),
            within: &self.question,
            keeper: self.keeper,
            peers: self.peers,
        })
    }

    /// The most bytes that were in use while something was done within the limits, with those of the program itself.
    pub(crate) fn peak(&self) -> u64 {
        memory::fixed() + self.peak.load(Ordering::Relaxed)
    }

    /// The limit that is exceeded by something with these figures, if one is.
    pub(crate) fn over(&self, statistics: Figures) -> Option<Limit> {
        let progress = Progress { statistics, frontier: 0 };
        self.within(|budget| budget.exceeded(&progress))
    }

    /// A stream that ends when there is a limit; [`Watch::stopped`] says which.
    pub(crate) fn stream<S>(&self, stream: S) -> Watched<'_, S> {
        Watched { stream, watch: self }
    }

    /// The limit that has ended something too early.
    pub(crate) fn stopped(&self) -> Option<Limit> {
        self.question.told()
    }

    /// Called by the search now and then.
    pub(crate) fn look(&self, progress: &Progress) -> Option<Limit> {
        if let Some(limit) = self.question.over() {
            return Some(limit);
        }
        if self.progress && self.showing.is_due(self.start) {
            self.shown.store(true, Ordering::Relaxed);
            self.screen.progress(&progress::line(
                self.name,
                progress,
                self.start.elapsed(),
                self.screen.columns,
            ));
        }
        None
    }

    /// Takes the progress line away and tells the time.
    pub(crate) fn end(&self) -> Duration {
        let elapsed = self.start.elapsed();
        if self.shown.load(Ordering::Relaxed) {
            self.screen.progress(progress::ERASE);
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
        let progress = Progress { statistics: Figures::default(), frontier: 0 };
        let limit = self.watch.look(&progress);
        limit.map_or(Ok(()), |limit| Err(std::io::Error::other(limit.name())))
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
