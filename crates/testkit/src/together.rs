//! Processes that search together, as threads: what one has for another lies on a table between them.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use linchpin_engine::Peers;

/// Who has not come by then is lost.
const PATIENCE: Duration = Duration::from_secs(120);

/// What lies on the table.
#[derive(Debug, Default)]
struct Things {
    /// How often all have met.
    round: u64,
    /// What each has for each.
    given: Vec<Option<Vec<Vec<u8>>>>,
    /// What each can take.
    taken: Vec<Vec<Vec<u8>>>,
    /// Bytes that were handed over.
    bytes: u64,
    lost: bool,
}

#[derive(Debug, Default)]
struct Table {
    things: Mutex<Things>,
    arrived: Condvar,
}

/// The place of one of the processes.
#[derive(Debug)]
pub struct Seat {
    number: usize,
    count: usize,
    table: Arc<Table>,
}

impl Seat {
    /// So many places at one table.
    pub fn at_table(count: usize) -> Vec<Seat> {
        let table = Arc::new(Table::default());
        (0..count).map(|number| Seat { number, count, table: table.clone() }).collect()
    }

    /// How often all have met, and how many bytes were handed over.
    pub fn traffic(&self) -> (u64, u64) {
        let things = self.table.things.lock().unwrap_or_else(PoisonError::into_inner);
        (things.round, things.bytes)
    }

    /// Leaves: the others will wait in vain.
    pub fn leave(&self) {
        self.table.things.lock().unwrap_or_else(PoisonError::into_inner).lost = true;
        self.table.arrived.notify_all();
    }
}

impl Peers for Seat {
    fn count(&self) -> usize {
        self.count
    }

    fn number(&self) -> usize {
        self.number
    }

    fn exchange(&self, parcels: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
        assert_eq!(parcels.len(), self.count);
        let mut things = self.table.things.lock().unwrap_or_else(PoisonError::into_inner);
        things.given.resize(self.count, None);
        things.bytes += parcels.iter().map(|parcel| parcel.len() as u64).sum::<u64>();
        things.given[self.number] = Some(parcels);
        let round = things.round;
        if things.given.iter().all(Option::is_some) {
            let given: Vec<_> = things.given.drain(..).flatten().collect();
            let to = |number: usize| given.iter().map(|from| from[number].clone()).collect();
            things.taken = (0..self.count).map(to).collect();
            things.round += 1;
            self.table.arrived.notify_all();
        }
        let waits = |things: &mut Things| things.round == round && !things.lost;
        let waited = self.table.arrived.wait_timeout_while(things, PATIENCE, waits);
        let (mut things, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match things.round == round {
            true => {
                things.lost = true;
                self.table.arrived.notify_all();
                None
            }
            false => Some(std::mem::take(&mut things.taken[self.number])),
        }
    }

    fn distrust(&self, peer: usize, why: &io::Error) {
        self.leave();
        panic!("process {} does not understand {peer}: {why}", self.number);
    }
}

/// Does the same in so many processes; gives what comes of each.
pub fn together<T: Send>(count: usize, work: impl Fn(Arc<Seat>) -> T + Sync) -> Vec<T> {
    let seats = Seat::at_table(count);
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = seats
            .into_iter()
            .map(|seat| {
                let thread = thread::Builder::new().stack_size(64 << 20);
                thread.spawn_scoped(scope, move || work(Arc::new(seat))).expect("a thread")
            })
            .collect();
        let ends = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ends.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}
