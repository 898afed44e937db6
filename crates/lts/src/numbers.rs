//! What numbers mean, for another run.
//!
//! Systems and searches give numbers to things as they meet them, first come. Within a run a number says
//! which things are equal and nothing else; in another run the same things have other numbers. Whoever gives
//! numbers writes down what they mean ([`Saving`]). Another run reads that ([`Loading`]), gives numbers of its
//! own, and says what the old ones are called now ([`Renumber`]).
//!
//! Things are written in the order of their numbers: parts of a thing have numbers before it has one, so whoever reads
//! knows them already. What is read may be damaged, so nothing is believed: a number that was not given, a
//! length that is not there, and what is no thing of its kind are errors.
//!
//! Another run may also be one that goes on beside this one. It is told again and again, each time only what is new
//! ([`Told`], [`Known`]): numbers are never taken back, so things only come to the end of each list, and the lists are
//! always written in the same order.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Says what numbers of another run are called in this one. Unless it is said, as they were.
pub trait Renumber {
    /// Renumbers what is in a state.
    fn state(&self, _state: &mut [u32]) -> io::Result<()> {
        Ok(())
    }

    /// The tag of a node.
    fn tag(&self, tag: u32) -> io::Result<u32> {
        Ok(tag)
    }

    /// The label of a step.
    fn label(&self, label: u32) -> io::Result<u32> {
        Ok(label)
    }
}

/// Numbers that mean the same in every run.
pub struct Same;

impl Renumber for Same {}

/// What old numbers are called now, if they were given one after the other.
#[derive(Clone, Debug, Default)]
pub struct NewNumbers(pub Vec<u32>);

impl NewNumbers {
    /// The new number.
    pub fn get(&self, old: u32) -> io::Result<u32> {
        let new = self.0.get(old as usize).copied().filter(|new| *new != NewNumbers::NONE);
        new.ok_or_else(|| damaged("a number that was not given"))
    }

    /// What a number is called that was not given.
    pub const NONE: u32 = u32::MAX;

    /// Replaces numbers by the new ones.
    pub fn renumber(&self, numbers: &mut [u32]) -> io::Result<()> {
        numbers.iter_mut().try_for_each(|number| {
            *number = self.get(*number)?;
            Ok(())
        })
    }
}

/// What was read is not what was written.
pub fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// How much of each list has been written, for who writes what is new.
#[derive(Debug, Default)]
pub struct Told(Vec<usize>);

/// What the things of each list are called, for who reads what is new.
#[derive(Debug, Default)]
pub struct Known(Vec<NewNumbers>);

/// Writes numbers and things.
pub struct Saving<'w> {
    out: &'w mut dyn Write,
    told: Option<&'w mut Told>,
    /// How many lists have been written.
    lists: usize,
}

impl<'w> Saving<'w> {
    /// To a stream.
    pub fn new(out: &'w mut dyn Write) -> Self {
        Saving { out, told: None, lists: 0 }
    }

    /// To a stream, what has not been told.
    pub fn further(out: &'w mut dyn Write, told: &'w mut Told) -> Self {
        Saving { told: Some(told), ..Saving::new(out) }
    }

    /// Begins a list of so many things: says how many of them are known already, and writes how many follow.
    pub fn list(&mut self, length: usize) -> io::Result<usize> {
        let list = self.lists;
        self.lists += 1;
        let known = match &mut self.told {
            None => 0,
            Some(Told(lengths)) => {
                lengths.resize(lengths.len().max(self.lists), 0);
                std::mem::replace(&mut lengths[list], length)
            }
        };
        self.number(length.saturating_sub(known) as u64)?;
        Ok(known)
    }

    /// A number; small ones take little room.
    pub fn number(&mut self, number: impl Into<u64>) -> io::Result<()> {
        let mut rest = number.into();
        let mut bytes = [0; 10];
        let mut length = 0;
        loop {
            let more = rest >= 0x80;
            bytes[length] = rest as u8 & 0x7f | u8::from(more) << 7;
            length += 1;
            rest >>= 7;
            if !more {
                return self.out.write_all(&bytes[..length]);
            }
        }
    }

    /// Bytes, and how many there are.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.number(bytes.len() as u64)?;
        self.out.write_all(bytes)
    }

    /// Numbers, and how many there are.
    pub fn numbers(&mut self, numbers: &[u32]) -> io::Result<()> {
        self.number(numbers.len() as u64)?;
        numbers.iter().try_for_each(|&number| self.number(number))
    }

    /// A thing.
    pub fn thing(&mut self, thing: &impl Serialize) -> io::Result<()> {
        let bytes = postcard::to_stdvec(thing).map_err(io::Error::other)?;
        self.bytes(&bytes)
    }

    /// Things, and how many there are.
    pub fn things<T: Serialize>(
        &mut self,
        things: impl ExactSizeIterator<Item = T>,
    ) -> io::Result<()> {
        let known = self.list(things.len())?;
        things.skip(known).try_for_each(|thing| self.thing(&thing))
    }
}

/// Reads what was written.
pub struct Loading<'r> {
    input: &'r mut dyn Read,
    known: Option<&'r mut Known>,
    /// How many lists have been read.
    lists: usize,
}

impl<'r> Loading<'r> {
    /// From a stream.
    pub fn new(input: &'r mut dyn Read) -> Self {
        Loading { input, known: None, lists: 0 }
    }

    /// From a stream, what is not known yet.
    pub fn further(input: &'r mut dyn Read, known: &'r mut Known) -> Self {
        Loading { known: Some(known), ..Loading::new(input) }
    }

    /// Reads the rest of a list: `each` is shown the new numbers of the things before.
    pub fn list(
        &mut self,
        mut each: impl FnMut(&mut Self, &mut NewNumbers) -> io::Result<()>,
    ) -> io::Result<NewNumbers> {
        let list = self.lists;
        self.lists += 1;
        let length: u64 = self.number()?;
        let before = self.known.as_mut().and_then(|Known(lists)| lists.get_mut(list));
        let mut new = before.map(std::mem::take).unwrap_or_default();
        (0..length).try_for_each(|_| each(self, &mut new))?;
        self.note(list, &new);
        Ok(new)
    }

    /// How many lists have been read.
    pub fn lists(&self) -> usize {
        self.lists
    }

    /// Remembers what the things of a list are called, if that was found out after it was read.
    pub fn note(&mut self, list: usize, new: &NewNumbers) {
        if let Some(Known(lists)) = &mut self.known {
            lists.resize_with(lists.len().max(list + 1), NewNumbers::default);
            lists[list].clone_from(new);
        }
    }

    /// A number.
    pub fn number<N: TryFrom<u64>>(&mut self) -> io::Result<N> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.input.read_exact(&mut byte)?;
            number |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] < 0x80 {
                return N::try_from(number).map_err(|_| damaged("a number is too large"));
            }
        }
        Err(damaged("a number does not end"))
    }

    /// Bytes.
    pub fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length: u64 = self.number()?;
        let mut bytes = Vec::new();
        match (&mut *self.input).take(length).read_to_end(&mut bytes)? as u64 == length {
            true => Ok(bytes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Numbers.
    pub fn numbers(&mut self) -> io::Result<Vec<u32>> {
        let length: u64 = self.number()?;
        (0..length).map(|_| self.number()).collect()
    }

    /// A thing.
    pub fn thing<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        let bytes = self.bytes()?;
        postcard::from_bytes(&bytes).map_err(|_| damaged("something that is no thing of its kind"))
    }

    /// Things: each is shown with the new numbers of those before it, and gets a new number.
    pub fn things<T: DeserializeOwned>(
        &mut self,
        mut each: impl FnMut(T, &NewNumbers) -> io::Result<u32>,
    ) -> io::Result<NewNumbers> {
        self.list(|from, new| {
            let thing = from.thing()?;
            let number = each(thing, new)?;
            new.0.push(number);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let numbers = [0u64, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut file = Vec::new();
        let out = &mut Saving::new(&mut file);
        numbers.iter().try_for_each(|&n| out.number(n)).unwrap();
        out.bytes(b"bytes").unwrap();
        out.numbers(&[7, 8]).unwrap();
        out.things(["a", "b", "a"].iter()).unwrap();
        for length in 0..=file.len() {
            let mut rest = &file[..length];
            let from = &mut Loading::new(&mut rest);
            let mut read = || {
                for n in numbers {
                    assert_eq!(from.number::<u64>()?, n);
                }
                assert_eq!((from.bytes()?, from.numbers()?), (b"bytes".to_vec(), vec![7, 8]));
                from.things(|thing: String, known| Ok(thing.len() as u32 + known.0.len() as u32))
            };
            match read() {
                Ok(new) => assert_eq!((length, new.0), (file.len(), vec![1, 2, 3])),
                Err(error) => assert!(length < file.len(), "{error}"),
            }
        }
        assert!(Loading::new(&mut &[0xff; 20][..]).number::<u64>().is_err());
        assert!(Loading::new(&mut &[0xff, 0xff, 0xff, 0x7f][..]).number::<u8>().is_err());
        assert!(NewNumbers(vec![5]).get(1).is_err());
    }

    #[test]
    fn what_is_told_again_and_again_is_told_once() {
        let (mut told, mut known) = (Told::default(), Known::default());
        let (mut words, mut lists): (Vec<String>, Vec<Vec<u32>>) = Default::default();
        let mut lengths = Vec::new();
        for round in 0..4 {
            let mut bytes = Vec::new();
            let out = &mut Saving::further(&mut bytes, &mut told);
            out.things(words.iter()).unwrap();
            out.things(lists.iter()).unwrap();
            lengths.push(bytes.len());
            let mut rest = &bytes[..];
            let from = &mut Loading::further(&mut rest, &mut known);
            let first = from.things(|word: String, _| Ok(word.len() as u32)).unwrap();
            let second = from.things(|list: Vec<u32>, _| first.get(list[0])).unwrap();
            assert_eq!(first.0, words.iter().map(|w| w.len() as u32).collect::<Vec<_>>());
            assert_eq!(second.0.len(), lists.len());
            if round < 2 {
                words.push("word".repeat(round + 1));
                lists.extend([vec![round as u32], vec![0]]);
            }
        }
        assert_eq!((lengths[0], lengths[3]), (2, 2));
        assert!(lengths[1] > 2 && lengths[2] > 2);
    }
}
