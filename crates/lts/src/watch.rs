//! Shall we go on? The one question to whoever has limits, for work that may take long anywhere.
//!
//! The clock, the memory in use and the user are known outside. Whoever reads a text or computes a step
//! asks now and then, and ends with the limit that it was told. The question can be kept: a system is
//! shared by workers and may live longer than whoever made it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::Limit;

/// One of so many questions is asked where it is asked often.
const SOME: usize = 1 << 10;

/// Whom to ask whether to go on. Once there was a limit, it stays.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Asked<Question>>>);

type Question = dyn Fn(u64) -> Option<Limit> + Send + Sync;

struct Asked<F: ?Sized> {
    told: OnceLock<Limit>,
    question: F,
}

impl Watch {
    /// Nobody, so that there is no limit.
    pub const NEVER: Watch = Watch(None);

    /// Ends whatever asks as soon as this gives a limit; it is told for how many bytes more there should be
    /// room.
    pub fn new(question: impl Fn(u64) -> Option<Limit> + Send + Sync + 'static) -> Watch {
        Watch(Some(Arc::new(Asked { told: OnceLock::new(), question })))
    }

    /// The limit that has been reached, if any.
    pub fn over(&self) -> Option<Limit> {
        self.question(0)
    }

    fn question(&self, bytes: u64) -> Option<Limit> {
        let asked = self.0.as_ref()?;
        let told = || (asked.question)(bytes).map(|limit| *asked.told.get_or_init(|| limit));
        asked.told.get().copied().or_else(told)
    }

    /// Is there room for so many more? Asked before something large is made.
    pub fn room<T>(&self, count: usize) -> Result<(), Limit> {
        self.question((count as u64).saturating_mul(size_of::<T>() as u64)).map_or(Ok(()), Err)
    }

    /// The limit that somebody was told, if anybody was: then something has ended too early.
    pub fn told(&self) -> Option<Limit> {
        self.0.as_ref().and_then(|asked| asked.told.get().copied())
    }

    /// The same as [`Watch::over`], for one of so many questions.
    pub fn over_at(&self, count: usize) -> Option<Limit> {
        if count.is_multiple_of(SOME) { self.over() } else { None }
    }

    /// The same as a result.
    pub fn ask(&self) -> Result<(), Limit> {
        self.over().map_or(Ok(()), Err)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_limit_that_was_reached_stays_and_room_is_counted() {
        assert_eq!((Watch::NEVER.over(), Watch::NEVER.room::<u64>(usize::MAX)), (None, Ok(())));
        let late = Arc::new(AtomicBool::new(false));
        let is_late = late.clone();
        let watch = Watch::new(move |bytes| match bytes > 80 {
            true => Some(Limit::Memory),
            false => is_late.load(Ordering::Relaxed).then_some(Limit::Time),
        });
        let other = watch.clone();
        assert_eq!((watch.over(), watch.room::<u64>(10), watch.told()), (None, Ok(()), None));
        late.store(true, Ordering::Relaxed);
        assert_eq!(
            (watch.told(), watch.over_at(1), watch.over_at(0)),
            (None, None, Some(Limit::Time))
        );
        late.store(false, Ordering::Relaxed);
        assert_eq!((other.told(), other.ask()), (Some(Limit::Time), Err(Limit::Time)));
        assert_eq!(other.room::<u64>(11), Err(Limit::Time));
    }
}
