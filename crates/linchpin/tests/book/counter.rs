use linchpin::sync::atomic::{AtomicU32, Ordering::*};

linchpin::test! {
    fn counter(counter: AtomicU32 = AtomicU32::new(0), spec = "tests/book/counter.lin:Counter") {
        add(n: u32) => counter.fetch_add(n, AcqRel);
        get() => counter.load(Acquire);
    }
}
