//! Structures, once for each of the three.

/// The structures with the types of one of them, and programs in which threads use them.
macro_rules! structures {
    ($name:ident) => {
        pub mod $name {
            use std::ptr;

            use $name::hint::spin_loop;
            use $name::sync::Arc;
            use $name::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::SeqCst};
            use $name::thread;

            /// Runs threads to their end.
            fn threads(count: usize, job: impl Fn(usize) + Send + Sync + 'static) {
                let job = std::sync::Arc::new(job);
                let started: Vec<_> = (0..count)
                    .map(|i| {
                        let job = job.clone();
                        thread::spawn(move || job(i))
                    })
                    .collect();
                for thread in started {
                    thread.join().unwrap();
                }
            }

            struct Node {
                next: AtomicPtr<Node>,
            }

            /// A node. It is never freed: it does not matter here.
            fn node() -> *mut Node {
                Box::into_raw(Box::new(Node { next: AtomicPtr::new(ptr::null_mut()) }))
            }

            fn next(node: *mut Node) -> &'static AtomicPtr<Node> {
                // SAFETY: nodes are never freed.
                unsafe { &(*node).next }
            }

            /// Treiber's stack: every thread pushes and pops in turn.
            pub fn treiber(count: usize, ops: usize) {
                let head = Arc::new(AtomicPtr::new(ptr::null_mut()));
                threads(count, move |i| {
                    for op in 0..ops {
                        let new = node();
                        loop {
                            let old = head.load(SeqCst);
                            let to = match (i + op) % 2 {
                                0 => {
                                    next(new).store(old, SeqCst);
                                    new
                                }
                                _ if old.is_null() => break,
                                _ => next(old).load(SeqCst),
                            };
                            if head.compare_exchange(old, to, SeqCst, SeqCst).is_ok() {
                                break;
                            }
                        }
                    }
                });
            }

            /// The queue of Michael and Scott: every thread puts and takes in turn.
            pub fn michael_scott(count: usize, ops: usize) {
                let first = node();
                let ends = Arc::new((AtomicPtr::new(first), AtomicPtr::new(first)));
                threads(count, move |i| {
                    let (head, tail) = (&ends.0, &ends.1);
                    for op in 0..ops {
                        let new = node();
                        loop {
                            let (h, t) = (head.load(SeqCst), tail.load(SeqCst));
                            if (i + op) % 2 == 0 {
                                let n = next(t).load(SeqCst);
                                if !n.is_null() {
                                    let _ = tail.compare_exchange(t, n, SeqCst, SeqCst);
                                    continue;
                                }
                                let null = ptr::null_mut();
                                if next(t).compare_exchange(null, new, SeqCst, SeqCst).is_ok() {
                                    let _ = tail.compare_exchange(t, new, SeqCst, SeqCst);
                                    break;
                                }
                                continue;
                            }
                            let n = next(h).load(SeqCst);
                            if n.is_null() {
                                break;
                            }
                            if h == t {
                                let _ = tail.compare_exchange(t, n, SeqCst, SeqCst);
                            } else if head.compare_exchange(h, n, SeqCst, SeqCst).is_ok() {
                                break;
                            }
                        }
                    }
                });
            }

            /// A bounded ring with two places (Vyukov): every thread puts and takes in turn, or finds no room.
            pub fn ring(count: usize, ops: usize) {
                let places = Arc::new([AtomicUsize::new(0), AtomicUsize::new(1)]);
                let ends = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
                threads(count, move |i| {
                    for op in 0..ops {
                        let puts = (i + op) % 2 == 0;
                        let end = if puts { &ends.1 } else { &ends.0 };
                        loop {
                            let at = end.load(SeqCst);
                            let sequence = places[at % 2].load(SeqCst);
                            let wanted = if puts { at } else { at + 1 };
                            if sequence < wanted {
                                break;
                            }
                            let mine = sequence == wanted
                                && end.compare_exchange(at, at + 1, SeqCst, SeqCst).is_ok();
                            if mine {
                                places[at % 2].store(if puts { at + 1 } else { at + 2 }, SeqCst);
                                break;
                            }
                        }
                    }
                });
            }

            /// A sequence lock: one writes so often, the others read once each.
            pub fn seqlock(readers: usize, writes: usize) {
                let shared =
                    Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
                threads(readers + 1, move |i| {
                    let [version, a, b] = &*shared;
                    if i == 0 {
                        for n in 1..=writes {
                            version.store(2 * n - 1, SeqCst);
                            a.store(n, SeqCst);
                            b.store(n, SeqCst);
                            version.store(2 * n, SeqCst);
                        }
                        return;
                    }
                    loop {
                        let before = version.load(SeqCst);
                        if before % 2 == 0 {
                            let both = (a.load(SeqCst), b.load(SeqCst));
                            if version.load(SeqCst) == before {
                                assert_eq!(both.0, both.1);
                                return;
                            }
                        }
                        spin_loop();
                    }
                });
            }

            /// A ticket lock; `broken`: a ticket is read and written in two steps.
            pub fn ticket(count: usize, broken: bool) {
                let shared =
                    Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
                threads(count, move |_| {
                    let [tickets, serving, inside] = &*shared;
                    let mine = match broken {
                        false => tickets.fetch_add(1, SeqCst),
                        true => {
                            let mine = tickets.load(SeqCst);
                            tickets.store(mine + 1, SeqCst);
                            mine
                        }
                    };
                    while serving.load(SeqCst) != mine {
                        spin_loop();
                    }
                    assert_eq!(inside.swap(1, SeqCst), 0, "two threads have the lock");
                    inside.store(0, SeqCst);
                    serving.store(mine + 1, SeqCst);
                });
            }
        }
    };
}

structures!(linchpin);
structures!(loom);
structures!(shuttle);
