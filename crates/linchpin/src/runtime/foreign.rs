//! Threads of the system that use what is being explored: they run when they like, so nothing would be explored.
//!
//! Objects of executions under way are listed with their addresses. A thread that has no name (those of the test harness
//! have one), belongs to no execution and uses one of them is reported to the execution.

use std::collections::HashMap;
use std::sync::Mutex;

use rapidhash::fast::RandomState;

use super::failure::{Failure, Wrong};

#[derive(Default)]
struct Listed {
    /// Addresses with the execution that explores them.
    objects: Option<HashMap<usize, u64, RandomState>>,
    /// Executions of which somebody else has used an object.
    used: Vec<u64>,
}

static LISTED: Mutex<Listed> = Mutex::new(Listed { objects: None, used: Vec::new() });

fn listed() -> std::sync::MutexGuard<'static, Listed> {
    LISTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Somebody outside uses an object while something is explored.
pub(crate) fn outside(address: usize) {
    if std::thread::current().name().is_none() {
        let mut listed = listed();
        let found = listed.objects.as_ref().and_then(|o| o.get(&address).copied());
        listed.used.extend(found);
    }
}

/// An execution meets an object.
pub(crate) fn explored(serial: u64, address: usize) {
    listed().objects.get_or_insert_default().insert(address, serial);
}

/// An execution is over; has somebody else used its objects?
pub(crate) fn over(serial: u64) -> Option<Failure> {
    let mut listed = listed();
    if let Some(objects) = &mut listed.objects {
        objects.retain(|_, s| *s != serial);
    }
    let used = listed.used.contains(&serial);
    listed.used.retain(|s| *s != serial);
    used.then(|| {
        let lines = [
            "a thread of `std` uses an object that is being explored;".to_string(),
            "start threads with `linchpin::thread::spawn`".to_string(),
        ];
        Failure::new(Wrong::ForeignThread, lines)
    })
}
