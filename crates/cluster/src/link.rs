//! What everybody has for everybody, by timely dataflow (Murray and others, *Naiad*, SOSP 2013; crate `timely`).
//!
//! The dataflow is one exchange. A meeting of all processes is a timestamp: each sends what it has for the others at that time
//! and goes on to the next one; when timely says that nothing of that time is under way any more, everything has arrived.
//! Messages go in pieces, so that none needs a large buffer.
//!
//! Timely knows no process that is lost: it would wait. So whoever waits looks whether a connection is in trouble
//! (`wire`), and whether the others have sent anything at all.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use linchpin_engine::Peers;
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, WorkerGuards};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::InputHandle;
use timely::dataflow::operators::{Exchange, Input, InspectCore, Probe};
use timely::worker::Worker;

use crate::wire::{Trouble, Wire};

/// The longest piece of a message.
const PIECE: usize = 1 << 18;
/// How often somebody who waits looks whether there is trouble.
const LOOK: Duration = Duration::from_millis(20);

/// Where to, where from, and a piece of a message. The first one has the length of the message.
type Piece = (u64, u64, u64, Vec<u8>);

/// What each has for each.
type Parcels = Vec<Vec<u8>>;

/// The connections of a process to all others.
pub struct Link {
    number: usize,
    count: usize,
    trouble: Trouble,
    ends: Mutex<Option<(Sender<Parcels>, Receiver<Parcels>)>>,
    /// The connections themselves, to end them.
    streams: Vec<TcpStream>,
    /// Threads of timely, which end if all is well; otherwise they wait for ever.
    threads: Mutex<Option<WorkerGuards<()>>>,
    overdue: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Link {
    /// Over connections to all others; there is none to the process itself. Who is `overdue` is not waited for.
    pub fn new(
        wires: Vec<Option<Wire>>,
        number: usize,
        trouble: Trouble,
        overdue: Box<dyn Fn() -> bool + Send + Sync>,
    ) -> Result<Link, String> {
        let count = wires.len();
        let streams = wires.iter().flatten().map(Wire::stream).collect::<io::Result<_>>();
        let streams = streams.map_err(|error| format!("cannot use a connection: {error}"))?;
        let hooks = Hooks::default();
        let inside = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
        let (builders, guard) = initialize_networking_from_sockets(inside, wires, number, 1, hooks)
            .map_err(|error| format!("cannot talk to the other processes: {error}"))?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let (give, given) = channel();
        let (reply, replies) = channel();
        let inner = Mutex::new(Some((given, reply)));
        let noticed = trouble.clone();
        let threads = timely::execute::execute_from(
            builders,
            Box::new(guard),
            WorkerConfig::default(),
            move |worker| {
                let ends = inner.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some((given, reply)) = ends {
                    serve(worker, &given, &reply, &noticed);
                }
            },
        )?;
        let ends = Mutex::new(Some((give, replies)));
        let threads = Mutex::new(Some(threads));
        Ok(Link { number, count, trouble, ends, streams, threads, overdue })
    }

    /// What has happened, if somebody is lost.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.what()
    }

    /// Nobody hears from this process any more, and it hears from nobody.
    fn give_up(&self) {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Peers for Link {
    fn count(&self) -> usize {
        self.count
    }

    fn number(&self) -> usize {
        self.number
    }

    fn exchange(&self, parcels: Parcels) -> Option<Parcels> {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let (give, replies) = ends.as_ref()?;
        let mut arrived = give.send(parcels).ok();
        let mut taken = None;
        while arrived.is_some() && taken.is_none() {
            match replies.recv_timeout(LOOK) {
                Ok(parcels) => taken = Some(parcels),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) if (self.overdue)() => {
                    self.trouble.note("the other processes do not answer".to_string());
                    arrived = None;
                }
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) if self.trouble().is_none() => {}
                Err(_) => arrived = None,
            }
        }
        if taken.is_none() {
            self.trouble.note("the connections to the other processes have ended".to_string());
            ends.take();
        }
        taken
    }

    fn distrust(&self, peer: usize, why: &io::Error) {
        self.trouble.note(format!("process {peer} is not understood: {why}"));
        self.give_up();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.give_up();
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // Says that this is the end and hears it from the others, which takes for ever if one is lost.
        let ending = std::thread::spawn(move || drop(threads));
        while !ending.is_finished() {
            if self.trouble().is_some() {
                self.streams.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Hands things over, on a thread of its own, as long as it is given some.
fn serve(
    worker: &mut Worker,
    given: &Receiver<Parcels>,
    reply: &Sender<Parcels>,
    trouble: &Trouble,
) {
    let (me, count) = (worker.index(), worker.peers());
    let mut input: InputHandle<u64, CapacityContainerBuilder<Vec<Piece>>> = InputHandle::new();
    // Who is faster has sent pieces for the next meeting already.
    let arrived: Rc<RefCell<BTreeMap<u64, Vec<Piece>>>> = Rc::default();
    let arriving = arrived.clone();
    let probe = worker.dataflow(|scope| {
        let pieces = scope.input_from(&mut input).exchange(|piece: &Piece| piece.0);
        let noted = pieces.inspect_container(move |event| {
            if let Ok((meeting, pieces)) = event {
                let mut arriving = arriving.borrow_mut();
                arriving.entry(*meeting).or_default().extend_from_slice(pieces);
            }
        });
        noted.probe().0
    });
    let mut meeting = 0;
    while let Ok(parcels) = given.recv() {
        for (to, parcel) in parcels.iter().enumerate().filter(|(to, _)| *to != me) {
            let (to, from) = (to as u64, me as u64);
            input.send((to, from, parcel.len() as u64, Vec::new()));
            for piece in parcel.chunks(PIECE) {
                input.send((to, from, 0, piece.to_vec()));
            }
        }
        meeting += 1;
        input.advance_to(meeting);
        while probe.less_than(&meeting) && trouble.what().is_none() {
            worker.step_or_park(Some(LOOK));
        }
        let pieces = arrived.borrow_mut().remove(&(meeting - 1)).unwrap_or_default();
        let taken = match trouble.what() {
            Some(_) => None,
            None => assembled(pieces, count, me, trouble),
        };
        let Some(taken) = taken else { break };
        if reply.send(taken).is_err() {
            break;
        }
    }
    if trouble.what().is_some() {
        // Nobody comes to an end any more: timely would wait for those who are lost.
        loop {
            std::thread::park();
        }
    }
}

/// The messages whose pieces have arrived, if there is one from everybody else.
fn assembled(pieces: Vec<Piece>, count: usize, me: usize, trouble: &Trouble) -> Option<Parcels> {
    let mut parcels: Vec<Option<(u64, Vec<u8>)>> = vec![None; count];
    for (_, from, length, bytes) in pieces {
        let parcel = parcels.get_mut(from as usize)?;
        match parcel {
            None => *parcel = Some((length, Vec::new())),
            Some((_, known)) => known.extend_from_slice(&bytes),
        }
    }
    let whole = |(from, parcel): (usize, Option<(u64, Vec<u8>)>)| match parcel {
        _ if from == me => Some(Vec::new()),
        Some((length, bytes)) if bytes.len() as u64 == length => Some(bytes),
        _ => {
            trouble.note(format!("process {from} has ended before the search was over"));
            None
        }
    };
    parcels.into_iter().enumerate().map(whole).collect()
}
