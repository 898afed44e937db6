//! An allocator that counts the bytes in use, around any other.
//!
//! Every thread counts in a place of its own (one of many, each in a cache line of its own), and whoever asks adds the
//! places up. One counter for all threads costs two workers a tenth of their time: each allocation of one takes the cache line
//! away from the other. What one thread allocates and another frees is added in one place and subtracted in
//! another; the sum is right, and so the places wrap around.
//!
//! *Why `unsafe`:* [`GlobalAlloc`] is an unsafe trait. Each method hands its arguments on as they are and counts, so that the
//! contract of the allocator inside is the contract of this one. Nothing here allocates, which an allocator must not do: the
//! number of a thread is in a thread-local variable that needs neither a first time nor a destructor.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More than the threads of a usual machine: threads that have the same place only slow each other down.
const PLACES: usize = 64;

/// Two cache lines: processors fetch them in pairs.
#[repr(align(128))]
struct Place(AtomicUsize);

/// The number that the next thread gets.
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
}

fn number() -> usize {
    let own = NUMBER.try_with(|number| {
        number.get().unwrap_or_else(|| {
            let new = NEXT.fetch_add(1, Ordering::Relaxed) % PLACES;
            number.set(Some(new));
            new
        })
    });
    own.unwrap_or(0)
}

/// An allocator with a count.
pub struct Counted<A> {
    inside: A,
    places: [Place; PLACES],
}

impl<A> Counted<A> {
    /// Counts what is asked of an allocator.
    pub const fn new(inside: A) -> Self {
        Counted { inside, places: [const { Place(AtomicUsize::new(0)) }; PLACES] }
    }

    /// The bytes in use: those that were asked for and not given back. While other threads allocate, those they had at
    /// some time since this was called.
    pub fn used(&self) -> usize {
        let sum = self.places.iter().map(|place| place.0.load(Ordering::Relaxed));
        let sum = sum.fold(0, usize::wrapping_add);
        // Freed here and not yet seen to be allocated there.
        if sum > isize::MAX as usize { 0 } else { sum }
    }

    /// One block has grown from nothing, shrunk to nothing, or changed.
    fn count(&self, before: usize, after: usize) {
        let place = &self.places[number()].0;
        place.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
    }
}

// SAFETY: what is handed out and taken back is what the allocator inside hands out and takes back, with the same layouts.
// Counting neither allocates nor unwinds.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counted<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same contract.
        let block = unsafe { self.inside.alloc(layout) };
        if !block.is_null() {
            self.count(0, layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same contract.
        let block = unsafe { self.inside.alloc_zeroed(layout) };
        if !block.is_null() {
            self.count(0, layout.size());
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block comes from the allocator inside, with this layout.
        unsafe { self.inside.dealloc(block, layout) };
        self.count(layout.size(), 0);
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the block comes from the allocator inside, with this layout.
        let moved = unsafe { self.inside.realloc(block, layout, size) };
        // Otherwise the old block stays.
        if !moved.is_null() {
            self.count(layout.size(), size);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use std::alloc::System;

    use super::*;

    #[test]
    fn whatever_thread_frees_it_the_sum_is_right() {
        let counted = Counted::new(System);
        let layout = Layout::from_size_align(1000, 8).unwrap();
        let larger = Layout::from_size_align(3000, 8).unwrap();
        // SAFETY: not of size zero.
        let blocks = [unsafe { counted.alloc(layout) }, unsafe { counted.alloc_zeroed(layout) }];
        assert_eq!(counted.used(), 2000);
        let places = blocks.map(|block| block as usize);
        std::thread::scope(|scope| {
            let counted = &counted;
            for place in places {
                scope.spawn(move || {
                    let block = place as *mut u8;
                    // SAFETY: allocated above with this layout, and freed here only.
                    let block = unsafe { counted.realloc(block, layout, larger.size()) };
                    assert!(!block.is_null());
                    // SAFETY: as before, with the new size.
                    unsafe { counted.dealloc(block, larger) };
                });
            }
        });
        assert_eq!(counted.used(), 0);
    }

    #[test]
    fn what_is_not_given_is_not_counted() {
        /// Has nothing.
        struct Nothing;

        // SAFETY: no block is ever handed out.
        unsafe impl GlobalAlloc for Nothing {
            unsafe fn alloc(&self, _: Layout) -> *mut u8 {
                std::ptr::null_mut()
            }

            unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
        }

        let counted = Counted::new(Nothing);
        let layout = Layout::new::<u64>();
        // SAFETY: not of size zero.
        let blocks = [unsafe { counted.alloc(layout) }, unsafe { counted.alloc_zeroed(layout) }];
        assert!(blocks.iter().all(|block| block.is_null()) && counted.used() == 0);
    }
}
