use linchpin::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// The greatest number that was noted.
struct Max(AtomicU32);

impl Max {
    fn note(&self, n: u32) {
        self.0.fetch_max(n, SeqCst);
    }

    fn get(&self) -> u32 {
        self.0.load(SeqCst)
    }
}

linchpin::test! {
    fn max(max: Max = Max(AtomicU32::new(0)), spec: u32 = 0, threads = 2, ops = 2) {
        note(n: u32) => max.note(n), *spec = n.max(*spec);
        get() => max.get(), *spec;
    }
}
