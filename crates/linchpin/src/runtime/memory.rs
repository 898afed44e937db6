//! Memory that is not atomic: cells that must not be accessed at the same time, and boxes that must be freed once, in the
//! end.
//!
//! Data races as FastTrack finds them (Flanagan and Freund 2009), with whole clocks: two accesses race if one is a write and
//! neither happens before the other by synchronisation. That is seen in every execution in which they occur, whatever
//! their order, so plain accesses need no schedules of their own. To free a box is a write to all of it. Memory of boxes
//! is given back when the execution is over: a freed box is still there to be recognised, and no address is used twice.

use std::collections::BTreeMap;

use super::clock::Clock;
use super::failure::{Failure, Wrong};
use super::world::{Place, shown};

/// The last accesses to one thing.
#[derive(Debug, Default)]
struct Accesses {
    clock: Clock,
    /// Where, per thread.
    places: Vec<(usize, Place)>,
}

impl Accesses {
    fn note(&mut self, thread: usize, now: &Clock, at: Place) {
        self.clock.set(thread, now.get(thread));
        match self.places.iter_mut().find(|p| p.0 == thread) {
            Some(place) => place.1 = at,
            None => self.places.push((thread, at)),
        }
    }

    /// One that the clock does not know of.
    fn unordered(&self, now: &Clock) -> Option<(usize, Place)> {
        let thread = self.clock.beyond(now)?;
        self.places.iter().find(|p| p.0 == thread).copied()
    }
}

/// A cell.
#[derive(Debug, Default)]
struct Cell {
    reads: Accesses,
    writes: Accesses,
}

/// A box.
#[derive(Debug)]
struct Tracked {
    size: usize,
    made: Place,
    /// Where it was made of a pointer again.
    taken: Option<Place>,
    freed: Option<(usize, Place)>,
    accesses: Accesses,
}

/// Plain memory of an execution.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    cells: Vec<Cell>,
    boxes: BTreeMap<usize, Tracked>,
}

impl Memory {
    /// The number of a new cell.
    pub(crate) fn cell(&mut self) -> u32 {
        self.cells.push(Cell::default());
        self.cells.len() as u32 - 1
    }

    /// A thread reads or writes a cell.
    pub(crate) fn access(
        &mut self,
        cell: u32,
        write: bool,
        thread: usize,
        now: &Clock,
        at: Place,
    ) -> Result<(), Failure> {
        let cell = &mut self.cells[cell as usize];
        let writer = cell.writes.unordered(now).map(|other| (other, "wrote"));
        let reader = cell.reads.unordered(now).filter(|_| write).map(|other| (other, "read"));
        if let Some(((other, place), what)) = writer.or(reader) {
            let mine = if write { "writes" } else { "reads" };
            return Err(Failure::new(
                Wrong::Race,
                [
                    format!("thread {other} {what} the cell at {}", shown(place)),
                    format!("thread {thread} {mine} it at {}", shown(at)),
                    "and nothing orders the two".into(),
                ],
            ));
        }
        let accesses = if write { &mut cell.writes } else { &mut cell.reads };
        accesses.note(thread, now, at);
        Ok(())
    }

    /// A thread accesses something at an address, which may be in a box.
    pub(crate) fn touch(
        &mut self,
        address: usize,
        thread: usize,
        now: &Clock,
        at: Place,
    ) -> Result<(), Failure> {
        let Some((&start, found)) = self.boxes.range_mut(..=address).next_back() else {
            return Ok(());
        };
        if address >= start + found.size {
            return Ok(());
        }
        if let Some((other, place)) = found.freed {
            return Err(Failure::new(
                Wrong::UseAfterFree,
                [
                    format!("the box made at {}", shown(found.made)),
                    format!("was freed by thread {other} at {}", shown(place)),
                    format!("and is used by thread {thread} at {}", shown(at)),
                ],
            ));
        }
        found.accesses.note(thread, now, at);
        Ok(())
    }

    /// A box is made.
    pub(crate) fn made(&mut self, address: usize, size: usize, at: Place) {
        // What has no size has no memory, and its address is no identity.
        if size > 0 {
            let accesses = Accesses::default();
            let tracked = Tracked { size, made: at, taken: None, freed: None, accesses };
            self.boxes.insert(address, tracked);
        }
    }

    /// A box is made of a pointer.
    pub(crate) fn taken(
        &mut self,
        address: usize,
        thread: usize,
        at: Place,
    ) -> Result<(), Failure> {
        match self.boxes.get_mut(&address) {
            Some(Tracked { freed: Some((other, place)), made, .. }) => Err(Failure::new(
                Wrong::DoubleFree,
                [
                    format!("the box made at {}", shown(made)),
                    format!("was freed by thread {other} at {}", shown(place)),
                    format!("and is taken again by thread {thread} at {}", shown(at)),
                ],
            )),
            Some(found) => {
                found.taken = Some(at);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// A thread frees a box; if it is one of ours, its memory has to stay.
    pub(crate) fn freed(
        &mut self,
        address: usize,
        thread: usize,
        now: &Clock,
    ) -> Result<Option<Place>, Failure> {
        let Some(found) = self.boxes.get_mut(&address) else { return Ok(None) };
        // Destructors do not know where they are called; this is near.
        let at = found.taken.unwrap_or(found.made);
        if let Some((other, place)) = found.accesses.unordered(now) {
            return Err(Failure::new(
                Wrong::Race,
                [
                    format!("thread {other} uses the box at {}", shown(place)),
                    format!("thread {thread} frees it at {}", shown(at)),
                    "and nothing orders the two".into(),
                ],
            ));
        }
        found.freed = Some((thread, at));
        Ok(Some(at))
    }

    /// Boxes that were never freed.
    pub(crate) fn leak(&self) -> Option<Failure> {
        let left: Vec<_> = self.boxes.values().filter(|b| b.freed.is_none()).collect();
        let first = left.first()?;
        let boxes = if left.len() == 1 { "box is" } else { "boxes are" };
        let lines = [
            format!("{} {boxes} never freed", left.len()),
            format!("one was made at {}", shown(first.made)),
        ];
        Some(Failure::new(Wrong::Leak, lines))
    }
}
