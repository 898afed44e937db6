//! What goes wrong is named: every kind of failure, with where and how.

use std::panic::{AssertUnwindSafe, catch_unwind};

use linchpin::boxed::Box;
use linchpin::cell::UnsafeCell;
use linchpin::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::*, fence};
use linchpin::sync::{Arc, Condvar, Mutex, OnceLock, RwLock};
use linchpin::{hint, model, thread};

/// What is said about a program that is wrong.
fn said(f: impl Fn() + 'static) -> String {
    let result = catch_unwind(AssertUnwindSafe(|| model(f)));
    let payload = result.expect_err("something is wrong");
    payload.downcast_ref::<String>().expect("a text").clone()
}

fn expect(text: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(text.contains(piece), "no `{piece}` in\n{text}");
    }
    assert!(text.contains("sequential consistency"), "{text}");
    let wide = text.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None, "{text}");
}

#[test]
fn a_deadlock_names_who_waits_and_where() {
    let text = said(|| {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = locks.clone();
        let thread = thread::spawn(move || {
            let _second = other.1.lock().unwrap();
            let _first = other.0.lock().unwrap();
        });
        let _first = locks.0.lock().unwrap();
        let _second = locks.1.lock().unwrap();
        drop((_first, _second));
        thread.join().unwrap();
    });
    expect(&text, &["a deadlock", "thread 0 waits for a lock at", "thread 1 waits for a lock at"]);
}

#[test]
fn a_lost_notification_is_a_deadlock() {
    let text = said(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            let ready = *other.0.lock().unwrap();
            if !ready {
                // Between the two the notification is lost.
                let guard = other.0.lock().unwrap();
                drop(other.1.wait(guard).unwrap());
            }
        });
        *shared.0.lock().unwrap() = true;
        shared.1.notify_one();
        thread.join().unwrap();
    });
    expect(&text, &["a deadlock", "waits for a notification"]);
}

#[test]
fn a_condition_variable_that_is_used_well_is_fine() {
    model(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let other = shared.clone();
                thread::spawn(move || {
                    let guard = other.0.lock().unwrap();
                    let mut guard = other.1.wait_while(guard, |n| *n == 0).unwrap();
                    *guard -= 1;
                })
            })
            .collect();
        for _ in 0..2 {
            *shared.0.lock().unwrap() += 1;
            shared.1.notify_one();
        }
        threads.into_iter().for_each(|t| t.join().unwrap());
        assert_eq!(*shared.0.lock().unwrap(), 0);
    });
}

#[test]
fn a_panic_is_shown_with_its_message_and_the_schedule() {
    let text = said(|| {
        let n = Arc::new(AtomicU32::new(0));
        let other = n.clone();
        let thread = thread::spawn(move || {
            let seen = other.load(SeqCst);
            other.store(seen + 1, SeqCst);
        });
        let seen = n.load(SeqCst);
        n.store(seen + 1, SeqCst);
        thread.join().unwrap();
        assert_eq!(n.load(SeqCst), 2, "an update is lost");
    });
    expect(&text, &["a panic", "an update is lost", "failures.rs:", "LINCHPIN_REPLAY=@"]);
}

#[test]
fn a_livelock_is_reported_and_a_bounded_wait_is_not() {
    let text = said(|| {
        let flag = AtomicBool::new(false);
        while !flag.load(SeqCst) {
            hint::spin_loop();
        }
    });
    expect(&text, &["a livelock", "thread 0 spins at"]);
    let text = said(|| {
        let flag = AtomicBool::new(false);
        while !flag.load(SeqCst) {}
    });
    expect(&text, &["without end", "spin_loop"]);
    let text = said(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        thread::spawn(move || {
            while !other.load(SeqCst) {
                thread::yield_now();
            }
        });
        flag.store(false, SeqCst);
    });
    expect(&text, &["a livelock", "thread 1 spins at"]);
    let text = said(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        // It does not say that it spins.
        thread::spawn(move || while !other.load(SeqCst) {});
        flag.store(false, SeqCst);
    });
    expect(&text, &["a livelock", "thread 1 spins at"]);
    model(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        thread::spawn(move || while !other.load(SeqCst) {});
        flag.store(true, SeqCst);
    });
    model(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        thread::spawn(move || {
            (0..10).find(|_| {
                hint::spin_loop();
                other.load(SeqCst)
            })
        });
        flag.store(false, SeqCst);
    });
}

struct Racy(UnsafeCell<u32>);

// SAFETY: that is what is tested.
unsafe impl Sync for Racy {}

/// A value that is handed over with a flag.
fn handed_over(release: bool, fences: bool) -> impl Fn() {
    move || {
        let shared = Arc::new((Racy(UnsafeCell::new(0)), AtomicBool::new(false)));
        let other = shared.clone();
        thread::spawn(move || {
            // SAFETY: nobody else may look before the flag is set.
            other.0.0.with_mut(|value| unsafe { *value = 1 });
            if fences {
                fence(Release);
            }
            other.1.store(true, if release { Release } else { Relaxed });
        });
        if shared.1.load(if release { Acquire } else { Relaxed }) {
            if fences {
                fence(Acquire);
            }
            // SAFETY: the flag is set.
            assert_eq!(shared.0.0.with(|value| unsafe { *value }), 1);
        }
    }
}

#[test]
fn orderings_decide_whether_there_is_a_data_race() {
    model(handed_over(true, false));
    model(handed_over(false, true));
    let text = said(handed_over(false, false));
    expect(&text, &["a data race", "thread 1 wrote the cell at", "thread 0 reads it at"]);
}

#[test]
fn a_box_is_freed_once() {
    let text = said(|| {
        let pointer = Box::into_raw(Box::new(1u32));
        // SAFETY: there is none.
        drop(unsafe { Box::from_raw(pointer) });
        // SAFETY: there is none.
        drop(unsafe { Box::from_raw(pointer) });
    });
    expect(&text, &["a double free", "made at", "was freed by thread 0 at"]);
    let text = said(|| {
        Box::into_raw(Box::new(1u32));
    });
    expect(&text, &["a leak", "1 box is never freed"]);
    let text = said(|| {
        let pointer = Box::into_raw(Box::new(AtomicU32::new(1)));
        // SAFETY: there is none.
        drop(unsafe { Box::from_raw(pointer) });
        // SAFETY: there is none.
        unsafe { (*pointer).load(SeqCst) };
    });
    expect(&text, &["a use after free", "and is used by thread 0 at"]);
}

#[test]
fn a_pointer_that_is_handed_over_is_freed_by_the_other() {
    model(|| {
        let place = Arc::new(AtomicPtr::default());
        let other = place.clone();
        let thread = thread::spawn(move || {
            other.store(Box::into_raw(Box::new(AtomicU32::new(1))), Release);
        });
        thread.join().unwrap();
        let pointer = place.load(Acquire);
        // SAFETY: it was handed over.
        assert_eq!(unsafe { (*pointer).load(Relaxed) }, 1);
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(pointer) });
    });
}

#[test]
fn code_that_is_not_deterministic_is_reported_as_such() {
    let runs = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let text = said(move || {
        let run = runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let n = Arc::new(AtomicU32::new(0));
        let other = n.clone();
        thread::spawn(move || other.store(1, SeqCst));
        if run.is_multiple_of(2) {
            n.load(SeqCst);
        } else {
            n.store(2, SeqCst);
        }
    });
    expect(&text, &["not deterministic"]);
}

/// Nothing here can be done in another order, so there is one execution only.
#[test]
fn code_without_races_that_is_not_deterministic_is_reported_as_such() {
    let runs = std::sync::atomic::AtomicU32::new(0);
    let text = said(move || {
        let run = runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let n = Arc::new(AtomicU32::new(0));
        let other = n.clone();
        thread::spawn(move || (0..=run).map(|_| other.load(SeqCst)).sum::<u32>());
        n.load(SeqCst);
    });
    expect(&text, &["not deterministic", "time, addresses, random numbers"]);
}

#[test]
fn a_thread_of_std_is_refused_by_name() {
    let text = said(|| {
        let n = std::sync::Arc::new(AtomicU32::new(0));
        n.load(SeqCst);
        let other = n.clone();
        std::thread::spawn(move || other.store(1, SeqCst)).join().unwrap();
    });
    expect(&text, &["a thread that is not explored", "linchpin::thread::spawn"]);
}

#[test]
fn an_exploration_inside_an_exploration_is_refused() {
    let text = said(|| model(|| {}));
    expect(&text, &["a panic", "an exploration inside an explored thread"]);
}

#[test]
fn too_many_threads_are_refused() {
    let text = said(|| {
        for _ in 0..20 {
            thread::spawn(|| {});
        }
    });
    expect(&text, &["more than 15 threads"]);
}

#[test]
fn what_is_local_to_a_thread_is_new_in_every_execution() {
    linchpin::thread_local! {
        static COUNT: std::cell::Cell<u32> = std::cell::Cell::new(7);
    }
    let next = || COUNT.with(|count| count.replace(count.get() + 1));
    model(move || {
        let n = Arc::new(AtomicU32::new(0));
        let other = n.clone();
        let thread = thread::spawn(move || {
            other.fetch_add(1, SeqCst);
            next()
        });
        n.fetch_add(1, SeqCst);
        assert_eq!((next(), next()), (7, 8));
        assert_eq!(thread.join().unwrap(), 7);
    });
    assert_eq!(next(), 7);
}

#[test]
fn a_value_is_initialised_once_and_a_lock_has_many_readers() {
    model(|| {
        let shared = Arc::new((OnceLock::new(), RwLock::new(0), AtomicU32::new(0)));
        let threads: Vec<_> = (0..2)
            .map(|i| {
                let other = shared.clone();
                thread::spawn(move || {
                    let value = *other.0.get_or_init(|| {
                        other.2.fetch_add(1, SeqCst);
                        i
                    });
                    if i == 0 {
                        *other.1.write().unwrap() += 1;
                    } else {
                        assert!(*other.1.read().unwrap() < 2);
                    }
                    value
                })
            })
            .collect();
        let values: Vec<i32> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        assert_eq!(values[0], values[1]);
        assert_eq!(shared.2.load(SeqCst), 1);
    });
}

#[test]
fn who_drops_the_last_reference_is_explored() {
    struct Last(std::sync::Arc<std::sync::Mutex<Vec<u32>>>, AtomicU32);
    impl Drop for Last {
        fn drop(&mut self) {
            self.0.lock().unwrap().push(self.1.load(SeqCst));
        }
    }
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let to = seen.clone();
    model(move || {
        let last = Arc::new(Last(to.clone(), AtomicU32::new(0)));
        let other = last.clone();
        thread::spawn(move || {
            // Who gives up last has seen both.
            other.1.fetch_add(1, SeqCst);
        });
        last.1.fetch_add(1, SeqCst);
    });
    assert!(seen.lock().unwrap().iter().all(|&n| n == 2));
    assert!(seen.lock().unwrap().len() > 1);
}

#[test]
fn outside_a_test_everything_is_as_in_std() {
    let n = Arc::new(AtomicU32::new(0));
    let lock = Arc::new((Mutex::new(0), Condvar::new()));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (n, lock) = (n.clone(), lock.clone());
            thread::spawn(move || {
                for _ in 0..1000 {
                    n.fetch_add(1, Relaxed);
                }
                *lock.0.lock().unwrap() += 1;
                lock.1.notify_all();
            })
        })
        .collect();
    let guard = lock.1.wait_while(lock.0.lock().unwrap(), |n| *n < 4).unwrap();
    drop(guard);
    threads.into_iter().for_each(|t| t.join().unwrap());
    assert_eq!(n.load(Relaxed), 4000);
    assert_eq!(size_of::<AtomicU32>(), 4);
}

/// Not run by itself: it waits for ever.
#[test]
#[ignore = "run by the test below"]
fn waits_for_a_lock_of_std() {
    model(|| {
        let lock = std::sync::Arc::new(std::sync::Mutex::new(()));
        let n = Arc::new(AtomicU32::new(0));
        let (other, m) = (lock.clone(), n.clone());
        thread::spawn(move || {
            let _guard = other.lock().unwrap();
            m.load(SeqCst);
            m.store(1, SeqCst);
        });
        n.load(SeqCst);
        drop(lock.lock());
    });
}

#[test]
fn code_that_waits_for_what_we_do_not_know_does_not_wait_for_ever() {
    let program = std::env::current_exe().expect("this program");
    let output = std::process::Command::new(program)
        .args(["--exact", "failures::waits_for_a_lock_of_std", "--ignored", "--nocapture"])
        .env("LINCHPIN_PATIENCE", "2")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("has done nothing for 2 seconds"), "{text}");
    assert!(!output.status.success());
}

/// A counter that loses updates from 3 on, asked about with a budget for smaller clients than that needs.
#[test]
fn what_is_found_at_random_is_made_small_as_well() {
    #[derive(Clone, Debug)]
    enum Op {
        Add,
        Get,
    }

    impl linchpin::Operation for Op {
        fn all(_place: u32) -> Vec<Op> {
            vec![Op::Add, Op::Get]
        }
    }

    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Count(u32);

    impl linchpin::Spec for Count {
        type Op = Op;
        type Ret = u32;

        fn apply(&mut self, op: &Op) -> u32 {
            let before = self.0;
            self.0 += u32::from(matches!(op, Op::Add));
            before
        }
    }

    let run = |counter: &AtomicU32, op: &Op| {
        let before = counter.load(SeqCst);
        match op {
            Op::Get => before,
            Op::Add if before < 3 => counter.fetch_add(1, SeqCst),
            Op::Add => {
                counter.store(before + 1, SeqCst);
                before
            }
        }
    };
    let check = linchpin::Check::new("lost", || AtomicU32::new(0), run, Count(0));
    let report = check.threads(3).ops(3).budget(800).run();
    assert!(report.is_violated(), "{report}");
    assert!(report.to_string().contains("LINCHPIN_SEED=1"), "{report}");
    // Three additions, and two that do not see each other.
    let client = report.replay().and_then(|r| r.split('@').next()).unwrap_or_default();
    assert_eq!(client.split([',', '.']).collect::<Vec<_>>(), ["0"; 5], "{report}");
}

/// What an operation does before its first access is shown behind its call, not in the operation before.
#[test]
fn steps_are_shown_in_the_operation_that_takes_them() {
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Put;

    impl linchpin::Operation for Put {
        fn all(_place: u32) -> Vec<Put> {
            vec![Put]
        }
    }

    /// Says that every `Put` is the first one.
    impl linchpin::Spec for Put {
        type Op = Put;
        type Ret = bool;

        fn apply(&mut self, _: &Put) -> bool {
            true
        }
    }

    struct Place(AtomicPtr<u32>);

    impl Place {
        fn put(&self, new: *mut u32) -> bool {
            let old = self.0.swap(new, SeqCst);
            if !old.is_null() {
                // SAFETY: whoever gets it by the swap is the only one who has it.
                drop(unsafe { Box::from_raw(old) });
            }
            old.is_null()
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            self.put(std::ptr::null_mut());
        }
    }

    let make = || Place(AtomicPtr::new(std::ptr::null_mut()));
    let run = |place: &Place, _: &Put| place.put(Box::into_raw(Box::new(1)));
    let text = linchpin::Check::new("put", make, run, Put).threads(1).run().to_string();
    let mut steps = text.lines().skip_while(|line| !line.contains("calls Put"));
    let one = ["calls Put", "makes a box", "replaces", "returns from Put"];
    let expected = one.iter().chain(&one[..3]).chain(&["frees", "returns from Put"]);
    for what in expected {
        let line = steps.next().unwrap_or_default();
        assert!(line.contains(what), "no `{what}`:\n{text}");
    }
}
