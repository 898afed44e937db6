//! A connection to another process, on which nothing is believed that was not sent by it.
//!
//! Bytes go in frames: how many there are, a sum that only the two know how to make, and the bytes. The sum covers how many
//! frames came before, so none can be changed, left out, repeated or put elsewhere. An empty frame is the end. Whatever is
//! not so, and a connection that ends without it, is [`Trouble`].
//!
//! Timely reads and writes on threads of its own, which panic if that fails. A wire in trouble does not fail: it notes what has
//! happened and waits for the end of the program, which whoever waits for the other process brings about.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use timely::communication::allocator::zero_copy::stream::Stream;

/// The longest frame.
const LONGEST: usize = 1 << 20;
/// The length, and as much of the sum as is sent.
const SUM: usize = 16;
const HEADER: usize = 4 + SUM;

/// What has happened to one of the connections, the first of all.
#[derive(Clone, Debug, Default)]
pub struct Trouble(Arc<OnceLock<String>>);

impl Trouble {
    /// Notes it, unless something has happened before.
    pub fn note(&self, what: String) {
        let _ = self.0.set(what);
    }

    /// What has happened.
    pub fn what(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// One direction of a connection.
struct Direction {
    key: [u8; 32],
    frames: u64,
}

impl Direction {
    /// The sum of the next frame.
    fn sum(&mut self, bytes: &[u8]) -> [u8; SUM] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&self.frames.to_le_bytes());
        hasher.update(bytes);
        self.frames += 1;
        let mut sum = [0; SUM];
        sum.copy_from_slice(&hasher.finalize().as_bytes()[..SUM]);
        sum
    }
}

/// What has been read and not yet taken.
#[derive(Default)]
struct Frame {
    bytes: Vec<u8>,
    taken: usize,
    ended: bool,
}

/// A connection.
pub struct Wire {
    stream: TcpStream,
    /// The other process, for people.
    name: String,
    trouble: Trouble,
    sending: Arc<Mutex<Direction>>,
    receiving: Arc<Mutex<(Direction, Frame)>>,
}

impl Wire {
    /// On a stream whose ends have agreed on a key for each direction.
    pub fn new(
        stream: TcpStream,
        name: String,
        trouble: Trouble,
        [sending, receiving]: [[u8; 32]; 2],
    ) -> Wire {
        let direction = |key| Direction { key, frames: 0 };
        Wire {
            stream,
            name,
            trouble,
            sending: Arc::new(Mutex::new(direction(sending))),
            receiving: Arc::new(Mutex::new((direction(receiving), Frame::default()))),
        }
    }

    /// The stream below, to end it.
    pub(crate) fn stream(&self) -> io::Result<TcpStream> {
        self.stream.try_clone()
    }

    /// Writes a frame.
    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let mut direction = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stream = &self.stream;
        stream.write_all(&(bytes.len() as u32).to_le_bytes())?;
        stream.write_all(&direction.sum(bytes))?;
        stream.write_all(bytes)
    }

    /// Reads some bytes; none at the end.
    fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut receiving = self.receiving.lock().unwrap_or_else(PoisonError::into_inner);
        let (direction, frame) = &mut *receiving;
        if frame.taken == frame.bytes.len() && !frame.ended {
            let mut stream = &self.stream;
            let mut header = [0; HEADER];
            stream.read_exact(&mut header)?;
            let (length, sum) = header.split_at(4);
            let length = length.iter().rev().fold(0usize, |n, &byte| n << 8 | usize::from(byte));
            if length > LONGEST {
                return Err(damaged("a frame that is too long"));
            }
            frame.bytes.resize(length, 0);
            frame.taken = 0;
            stream.read_exact(&mut frame.bytes)?;
            if direction.sum(&frame.bytes) != sum {
                return Err(damaged("something that it has not sent"));
            }
            frame.ended = length == 0;
        }
        let rest = &frame.bytes[frame.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        frame.taken += count;
        Ok(count)
    }

    /// Notes what has happened, and waits for the end of the program.
    fn wait(&self, error: &io::Error) -> ! {
        let lost = match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe => "has ended without a word".to_string(),
            io::ErrorKind::InvalidData => format!("is not understood: {error}"),
            _ => format!("cannot be reached any more: {error}"),
        };
        self.trouble.note(format!("{} {lost}", self.name));
        loop {
            std::thread::park();
        }
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(self.receive(buffer).unwrap_or_else(|error| self.wait(&error)))
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let some = &bytes[..bytes.len().min(LONGEST)];
        if !some.is_empty() {
            self.send(some).unwrap_or_else(|error| self.wait(&error));
        }
        Ok(some.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Wire {
            stream: self.stream.try_clone()?,
            name: self.name.clone(),
            trouble: self.trouble.clone(),
            sending: self.sending.clone(),
            receiving: self.receiving.clone(),
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // If the other one is gone, it is too late to say that this is the end.
        if how != Shutdown::Read {
            let _ = self.send(&[]);
        }
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Both ends of a connection, each with its keys.
    fn pair(keys: [[u8; 32]; 4]) -> (Wire, Wire) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (far, _) = listener.accept().unwrap();
        let wire = |stream, a, b| {
            Wire::new(stream, "the other".to_string(), Trouble::default(), [keys[a], keys[b]])
        };
        (wire(near, 0, 1), wire(far, 2, 3))
    }

    const KEYS: [[u8; 32]; 4] = [[1; 32], [2; 32], [2; 32], [1; 32]];

    #[test]
    fn what_is_sent_arrives_in_pieces_of_any_size() {
        let (mut near, mut far) = pair(KEYS);
        let bytes: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
        let sent = bytes.clone();
        let sending = std::thread::spawn(move || {
            near.write_all(&sent).unwrap();
            near.shutdown(Shutdown::Write).unwrap();
        });
        let mut arrived = Vec::new();
        far.read_to_end(&mut arrived).unwrap();
        sending.join().unwrap();
        assert!(arrived == bytes);
        assert_eq!(far.receive(&mut [0; 9]).unwrap(), 0);
    }

    #[test]
    fn nothing_else_is_believed() {
        let (mut near, far) = pair(KEYS);
        near.write_all(b"first").unwrap();
        assert_eq!(far.receive(&mut [0; 9]).unwrap(), 5);
        // The same frame once more.
        let sum = Direction { key: KEYS[0], frames: 0 }.sum(b"first");
        let again = [&5u32.to_le_bytes()[..], &sum, b"first"].concat();
        (&near.stream).write_all(&again).unwrap();
        assert_eq!(far.receive(&mut [0; 9]).unwrap_err().kind(), io::ErrorKind::InvalidData);

        let (near, far) = pair([[1; 32], [2; 32], [2; 32], [3; 32]]);
        near.send(b"with another key").unwrap();
        assert_eq!(far.receive(&mut [0; 9]).unwrap_err().kind(), io::ErrorKind::InvalidData);

        let (near, far) = pair(KEYS);
        (&near.stream).write_all(&[0xff; 64]).unwrap();
        assert_eq!(far.receive(&mut [0; 9]).unwrap_err().kind(), io::ErrorKind::InvalidData);

        let (near, far) = pair(KEYS);
        (&near.stream).write_all(&again[..12]).unwrap();
        drop(near);
        assert_eq!(far.receive(&mut [0; 9]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
