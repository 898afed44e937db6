//! Every two processes connect; each shows that it knows the secret, and that it asks the same question.
//!
//! A process connects to those with smaller numbers and waits for the others. Who connects sends a number that was
//! never used before (`hello`); the other answers with one of its own, says who it is and what it asks, with a sum that only
//! who knows the secret can make; then the first does the same. The sums cover both numbers, so nothing that was overheard
//! is of use again. Keys for the two directions come from them. Who cannot do that is sent away, and does not disturb those who
//! can; who can, but asks something else, ends the meeting.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use socket2::{SockRef, TcpKeepalive};

use crate::hosts::Hosts;
use crate::secret::{Secret, random};
use crate::wire::{Trouble, Wire};

/// What a process says about itself: its number, and what it is asked.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// Its number.
    pub process: usize,
    /// Version, command and files, the same for all.
    pub question: String,
}

/// So much time a stranger has for each thing to say.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time between two attempts, and after one that was refused.
const PAUSE: Duration = Duration::from_millis(50);
const LONG_PAUSE: Duration = Duration::from_secs(1);
/// A silent connection is looked after so often, and given up after some attempts.
const SILENCE: Duration = Duration::from_secs(15);
const MAGIC: &[u8; 16] = b"linchpin-cluster";
/// The longest question that is read.
const LONGEST: u32 = 1 << 20;

/// Why somebody is not let in.
enum Refusal {
    /// It does not belong to us; others may come.
    Stranger(String),
    /// It belongs to us, but this cannot work.
    Mismatch(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Stranger(match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
                "it went away before it had shown that it knows the secret".to_string()
            }
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "it says nothing".to_string(),
            _ => error.to_string(),
        })
    }
}

/// Meets all other processes within some time. Gives a connection to each, none to itself. `note` is told who was sent away;
/// `go_on` says whether to go on waiting.
pub fn meet(
    hosts: &Hosts,
    secret: &Secret,
    me: &Introduction,
    within: Duration,
    trouble: &Trouble,
    note: &dyn Fn(String),
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<Option<Wire>>, String> {
    let deadline = Instant::now() + within;
    let mut wires: Vec<Option<Wire>> = (0..hosts.count()).map(|_| None).collect();
    let my_address = hosts.address(me.process);
    let listener = match me.process + 1 < hosts.count() {
        false => None,
        true => {
            let bound = TcpListener::bind(&hosts.resolved(me.process)?[..])
                .and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
            Some(bound.map_err(|error| format!("cannot listen at `{my_address}`: {error}"))?)
        }
    };
    let missing = |wires: &[Option<Wire>]| {
        let others = (0..hosts.count()).filter(|&process| process != me.process);
        others.filter(|&process| wires[process].is_none()).collect::<Vec<usize>>()
    };
    let mut last: Option<String> = None;
    loop {
        let missing = missing(&wires);
        let Some(first) = missing.first() else { return Ok(wires) };
        let mut refused = false;
        for &process in missing.iter().filter(|&&process| process < me.process) {
            let Some(stream) = call(hosts, process)? else { continue };
            let met = begin(stream, secret, me, process, hosts.count(), trouble);
            if let Some(why) = settle(met, &mut wires)? {
                last = Some(why);
                refused = true;
            }
        }
        while let Some((stream, from)) = listener.as_ref().and_then(|l| l.accept().ok()) {
            let met = answer(stream, secret, me, hosts.count(), trouble);
            if let Some(why) = settle(met, &mut wires)? {
                note(format!("{from} was sent away: {why}"));
            }
        }
        if Instant::now() > deadline || !go_on() {
            let address = hosts.address(*first);
            let why = last.map_or(String::new(), |why| format!(": {why}"));
            return Err(format!(
                "process {first} (`{address}`) has not come within {} s{why}",
                within.as_secs()
            ));
        }
        std::thread::sleep(if refused { LONG_PAUSE } else { PAUSE });
    }
}

/// Lets somebody in, says why not, or ends the meeting.
fn settle(
    met: Result<(usize, Wire), Refusal>,
    wires: &mut [Option<Wire>],
) -> Result<Option<String>, String> {
    match met {
        Ok((process, _)) if wires[process].is_some() => {
            Err(format!("there are two processes with the number {process}"))
        }
        Ok((process, wire)) => {
            wires[process] = Some(wire);
            Ok(None)
        }
        Err(Refusal::Stranger(why)) => Ok(Some(why)),
        Err(Refusal::Mismatch(why)) => Err(why),
    }
}

/// Calls a process; perhaps it is not there yet.
fn call(hosts: &Hosts, process: usize) -> Result<Option<TcpStream>, String> {
    let addresses = hosts.resolved(process)?;
    let streams = addresses.iter().map(|address| TcpStream::connect_timeout(address, PATIENCE));
    Ok(streams.flatten().next())
}

/// The side that connects.
fn begin(
    mut stream: TcpStream,
    secret: &Secret,
    me: &Introduction,
    process: usize,
    count: usize,
    trouble: &Trouble,
) -> Result<(usize, Wire), Refusal> {
    prepare(&stream)?;
    let mine = random().map_err(Refusal::Mismatch)?;
    stream.write_all(MAGIC)?;
    stream.write_all(&mine)?;
    let theirs = read_hello(&mut stream)?;
    let nonces = [mine, theirs].concat();
    let other = hear(&mut stream, secret, "answer", &nonces)?;
    say(&mut stream, secret, "hello", &nonces, me, count)?;
    must_match(&other, me, count)?;
    if other.process as usize != process {
        return Err(Refusal::Mismatch(format!(
            "process {} is where process {process} should be",
            other.process
        )));
    }
    Ok((process, finish(stream, secret, &nonces, ["hello", "answer"], process, trouble)?))
}

/// The side that was called.
fn answer(
    mut stream: TcpStream,
    secret: &Secret,
    me: &Introduction,
    count: usize,
    trouble: &Trouble,
) -> Result<(usize, Wire), Refusal> {
    stream.set_nonblocking(false)?;
    prepare(&stream)?;
    let theirs = read_hello(&mut stream)?;
    let mine = random().map_err(Refusal::Mismatch)?;
    stream.write_all(MAGIC)?;
    stream.write_all(&mine)?;
    let nonces = [theirs, mine].concat();
    say(&mut stream, secret, "answer", &nonces, me, count)?;
    let other = hear(&mut stream, secret, "hello", &nonces)?;
    must_match(&other, me, count)?;
    let process = other.process as usize;
    if process <= me.process || process >= count {
        return Err(Refusal::Mismatch(format!("process {process} has come to {}", me.process)));
    }
    Ok((process, finish(stream, secret, &nonces, ["answer", "hello"], process, trouble)?))
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

fn read_hello(stream: &mut TcpStream) -> Result<[u8; 32], Refusal> {
    let mut magic = [0; MAGIC.len()];
    stream.read_exact(&mut magic)?;
    if &magic != MAGIC {
        return Err(Refusal::Stranger("it is no process of Linchpin".to_string()));
    }
    let mut nonce = [0; 32];
    stream.read_exact(&mut nonce)?;
    Ok(nonce)
}

/// What a process has said about itself.
struct Said {
    process: u32,
    count: u32,
    question: String,
}

fn say(
    stream: &mut TcpStream,
    secret: &Secret,
    purpose: &str,
    nonces: &[u8],
    me: &Introduction,
    count: usize,
) -> io::Result<()> {
    let numbers = [(me.process as u32).to_le_bytes(), (count as u32).to_le_bytes()].concat();
    let question = me.question.as_bytes();
    stream.write_all(&numbers)?;
    stream.write_all(&(question.len() as u32).to_le_bytes())?;
    stream.write_all(question)?;
    stream.write_all(&secret.sum(purpose, &[nonces, &numbers, question]))
}

fn hear(
    stream: &mut TcpStream,
    secret: &Secret,
    purpose: &str,
    nonces: &[u8],
) -> Result<Said, Refusal> {
    let mut head = [0; 12];
    stream.read_exact(&mut head)?;
    let number =
        |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (process, count, length) = (number(0), number(4), number(8));
    if length > LONGEST {
        return Err(Refusal::Stranger("it says too much".to_string()));
    }
    let mut question = vec![0; length as usize];
    stream.read_exact(&mut question)?;
    let mut sum = [0; 32];
    stream.read_exact(&mut sum)?;
    if !secret.is_sum(sum, purpose, &[nonces, &head[..8], &question]) {
        return Err(Refusal::Stranger("it does not know the secret".to_string()));
    }
    let question = String::from_utf8_lossy(&question).into_owned();
    Ok(Said { process, count, question })
}

/// Is it one of us?
fn must_match(other: &Said, me: &Introduction, count: usize) -> Result<(), Refusal> {
    let Said { process, count: theirs, question } = other;
    if *theirs as usize != count {
        return Err(Refusal::Mismatch(format!(
            "process {process} knows of {theirs} processes, process {} of {count}",
            me.process
        )));
    }
    if *question != me.question {
        let lines = me.question.lines().zip(question.lines());
        let differs = lines.into_iter().find(|(mine, theirs)| mine != theirs);
        let (mine, theirs) = differs.unwrap_or(("", ""));
        return Err(Refusal::Mismatch(format!(
            "process {process} is asked something else:\n  here:  {mine}\n  there: {theirs}"
        )));
    }
    Ok(())
}

/// Both know each other: from now on only what they send counts.
fn finish(
    stream: TcpStream,
    secret: &Secret,
    nonces: &[u8],
    [mine, theirs]: [&str; 2],
    process: usize,
    trouble: &Trouble,
) -> Result<Wire, Refusal> {
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    // A machine that is switched off says nothing.
    let alive = TcpKeepalive::new().with_time(SILENCE).with_interval(SILENCE).with_retries(3);
    SockRef::from(&stream).set_tcp_keepalive(&alive)?;
    let key = |from: &str| secret.sum("key", &[from.as_bytes(), nonces]);
    let name = format!("process {process}");
    Ok(Wire::new(stream, name, trouble.clone(), [key(mine), key(theirs)]))
}
