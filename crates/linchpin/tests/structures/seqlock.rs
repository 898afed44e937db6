//! A sequence lock: readers look whether the number of writes has changed, and if it is odd somebody is writing.

use linchpin::hint::spin_loop;
use linchpin::sync::atomic::{AtomicU32, Ordering::*};

struct SeqLock {
    writes: AtomicU32,
    left: AtomicU32,
    right: AtomicU32,
    /// Readers do not look again.
    broken: bool,
}

impl SeqLock {
    fn new(broken: bool) -> SeqLock {
        let zero = || AtomicU32::new(0);
        SeqLock { writes: zero(), left: zero(), right: zero(), broken }
    }

    fn write(&self, value: u32) {
        loop {
            let writes = self.writes.load(Relaxed);
            if writes.is_multiple_of(2)
                && self.writes.compare_exchange(writes, writes + 1, AcqRel, Relaxed).is_ok()
            {
                self.left.store(value, Relaxed);
                self.right.store(value, Relaxed);
                return self.writes.store(writes + 2, Release);
            }
            spin_loop();
        }
    }

    fn read(&self) -> (u32, u32) {
        loop {
            let before = self.writes.load(Acquire);
            if before.is_multiple_of(2) {
                let value = (self.left.load(Acquire), self.right.load(Acquire));
                if self.broken || self.writes.load(Relaxed) == before {
                    return value;
                }
            }
            spin_loop();
        }
    }
}

linchpin::test! {
    fn seqlock(lock: SeqLock = SeqLock::new(false), spec: u32 = 0, threads = 2, ops = 2) {
        write(v: u32) => lock.write(v), *spec = v;
        read() => lock.read(), (*spec, *spec);
    }

    #[should_panic(expected = "not linearizable")]
    fn seqlock_with_torn_reads(lock: SeqLock = SeqLock::new(true), spec: u32 = 0) {
        write(v: u32) => lock.write(v), *spec = v;
        read() => lock.read(), (*spec, *spec);
    }
}
