//! Searches that are kept in memory at moments chosen at random, and gone on with in another run.

use std::collections::HashMap;
use std::io::{self, Cursor, Read, Write};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use linchpin_engine::Keeper;

/// What was kept of a search: how often so far, and the one that counts.
type Kept = (u64, Vec<u8>);

/// Keeps searches, each at one of the moments at which it could be kept, or gives back what was kept.
#[derive(Debug)]
pub struct Memory {
    seed: u64,
    resumes: bool,
    only_at_limits: bool,
    searches: AtomicU32,
    asked: AtomicU64,
    kept: Mutex<HashMap<u32, Kept>>,
}

/// One of so many moments is looked at.
const MOMENTS: u64 = 4;

impl Memory {
    /// Keeps from now on.
    pub fn new(seed: u64) -> Arc<Memory> {
        Arc::new(Memory {
            seed,
            resumes: false,
            only_at_limits: false,
            searches: AtomicU32::new(0),
            asked: AtomicU64::new(0),
            kept: Mutex::default(),
        })
    }

    /// Keeps what is there when a limit is reached.
    pub fn at_limits() -> Arc<Memory> {
        let mut memory = Arc::into_inner(Memory::new(0)).expect("nobody else has it");
        memory.only_at_limits = true;
        Arc::new(memory)
    }

    /// Gives back what was kept, to another run of the same.
    pub fn resumed(&self) -> Arc<Memory> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let resumed = Memory::new(self.seed);
        let mut resumed = Arc::into_inner(resumed).expect("nobody else has it");
        (resumed.kept, resumed.resumes) = (Mutex::new(kept), true);
        Arc::new(resumed)
    }

    /// How many searches were kept.
    pub fn searches(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn random(&self, a: u64, b: u64) -> u64 {
        let mixed = (self.seed ^ a.rotate_left(32) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
    }
}

impl Keeper for Memory {
    fn begin(&self) -> (u32, Option<Box<dyn Read>>) {
        let search = self.searches.fetch_add(1, Ordering::Relaxed) + 1;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = kept.get(&search).filter(|_| self.resumes).map(|(_, bytes)| bytes.clone());
        (search, bytes.map(|bytes| Box::new(Cursor::new(bytes)) as Box<dyn Read>))
    }

    fn is_due(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        !self.resumes && !self.only_at_limits && self.random(asked, 0).is_multiple_of(MOMENTS)
    }

    fn keep(&self, search: u32, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (times, bytes) = kept.entry(search).or_default();
        *times += 1;
        // Every moment is as probable as any other.
        if self.only_at_limits || self.random(search.into(), *times).is_multiple_of(*times) {
            bytes.clear();
            write(bytes).unwrap_or_else(|why| panic!("search {search} cannot be kept: {why}"));
        }
    }

    fn unreadable(&self, search: u32, why: &io::Error) {
        panic!("search {search} was kept and cannot be read: {why}");
    }
}
