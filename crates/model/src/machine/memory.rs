//! Shared memory as the interpreter sees it: addresses, writes, links, allocation.

use linchpin_lts::{FREED, FaultKind};

use super::{Machine, Scratch};
use crate::code::{Base, NO_REG, Place, Reg};
use crate::ownership;
use crate::program::Memory;

impl Machine {
    /// The first slot of a place.
    #[inline]
    pub(super) fn address(&self, s: &Scratch, place: &Place) -> Result<usize, FaultKind> {
        let offset = match place.offset {
            NO_REG => 0,
            r => s.frame[r as usize] as usize,
        };
        let base = match place.base {
            Base::Global => 0,
            Base::Field(r) => {
                let node = s.frame[r as usize];
                if node == 0 {
                    return Err(FaultKind::NullDereference);
                }
                let at = self.layout.node(node);
                if self.memory == Memory::Manual && s.work[at] & FREED != 0 {
                    return Err(FaultKind::UseAfterFree);
                }
                at
            }
            Base::PerThread(r) => match s.frame[r as usize] {
                0 => return Err(FaultKind::IndexOutOfRange),
                t => self.layout.block(t as usize - 1),
            },
        };
        Ok(base + place.slot as usize + offset)
    }

    /// Can only this thread reach the node the place is in?
    #[inline]
    pub(super) fn is_own(
        &self,
        s: &mut Scratch,
        source: &[u32],
        place: &Place,
        thread: u32,
    ) -> bool {
        let Base::Field(r) = place.base else { return false };
        let node = s.frame[r as usize];
        // Initialisation belongs to no thread.
        if node == 0 || thread == u32::MAX {
            return false;
        }
        self.ensure_owners(s, source);
        s.owners.is_own(node, thread)
    }

    #[inline]
    pub(super) fn ensure_owners(&self, s: &mut Scratch, source: &[u32]) {
        s.owners.ensure(&self.layout, source);
    }

    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(super) fn write(
        &self,
        s: &mut Scratch,
        source: &[u32],
        thread: u32,
        place: &Place,
        at: usize,
        src: Reg,
        own: bool,
    ) {
        let n = place.width as usize;
        s.work[at..at + n].copy_from_slice(&s.frame[src as usize..src as usize + n]);
        if place.breaks_links {
            self.break_links(s, place, at);
        }
        if self.granularity.private && !own && thread != u32::MAX {
            for &i in &place.refs {
                let node = s.work[at + i as usize];
                if node != 0 {
                    self.ensure_owners(s, source);
                    s.owners.publish(&self.layout, &s.work, node);
                }
            }
        }
    }

    /// The link slot of a place for a thread, and what it holds while the link is intact.
    pub(super) fn link(&self, s: &Scratch, place: &Place, thread: u32) -> (usize, u32) {
        let link = &self.links[place.link as usize];
        let slot = self.layout.block(thread as usize) + link.at as usize;
        let value = match place.base {
            Base::Global if place.offset == NO_REG => 1,
            Base::Global => s.frame[place.offset as usize] + 1,
            Base::Field(r) | Base::PerThread(r) => s.frame[r as usize],
        };
        (slot, value)
    }

    /// Somebody wrote `place` at `at`: links to what was written break, in all threads.
    pub(super) fn break_links(&self, s: &mut Scratch, place: &Place, at: usize) {
        if !place.breaks_links {
            return;
        }
        for link in &self.links {
            for t in 0..self.layout.threads {
                let slot = self.layout.block(t) + link.at as usize;
                let value = s.work[slot];
                if value == 0 {
                    continue;
                }
                let start = match (link.base, place.base) {
                    (Base::Global, Base::Global) => (link.slot + value - 1) as usize,
                    (Base::Field(_), Base::Field(_)) if link.record == place.record => {
                        self.layout.node(value) + link.slot as usize
                    }
                    (Base::PerThread(_), Base::PerThread(_)) => {
                        self.layout.block(value as usize - 1) + link.slot as usize
                    }
                    _ => continue,
                };
                if start < at + place.width as usize && at < start + link.width as usize {
                    s.work[slot] = 0;
                }
            }
        }
    }

    /// All fields of `node` were written: links into it break, in all threads.
    fn break_links_into(&self, s: &mut Scratch, node: u32) {
        for link in self.links.iter().filter(|l| matches!(l.base, Base::Field(_))) {
            for t in 0..self.layout.threads {
                let slot = self.layout.block(t) + link.at as usize;
                if s.work[slot] == node {
                    s.work[slot] = 0;
                }
            }
        }
    }

    /// A new node, or `None` if the bound on the heap excludes it.
    pub(super) fn allocate(
        &self,
        s: &mut Scratch,
        source: &[u32],
        thread: u32,
        table: u32,
    ) -> Option<u32> {
        let allocation = &self.code.allocations[table as usize];
        let tag = allocation.record + 1;
        let count = self.layout.nodes(&s.work) as u32;
        // Only counted when it matters: a node that nobody reaches is as good as none.
        let reached = self.heap_limit.filter(|&limit| count >= limit).map(|limit| {
            let (live, links) = (&allocation.live, self.links.len());
            let (layout, variables) = (&self.layout, &self.frame);
            let seen =
                ownership::reachable(layout, variables, &s.work, thread, &s.frame, live, links);
            (limit, seen)
        });
        let roomy = reached
            .as_ref()
            .is_none_or(|(limit, seen)| (seen.iter().filter(|s| **s).count() as u32) < *limit);
        let mut reusable = smallvec::SmallVec::<[u32; 8]>::new();
        if self.memory != Memory::Collected {
            reusable.extend((1..=count).filter(|&n| {
                s.work[self.layout.node(n)] == tag | FREED
                    && (roomy || reached.as_ref().is_none_or(|(_, seen)| seen[n as usize - 1]))
            }));
        }
        let pick = s.choose(u32::from(roomy) + reusable.len() as u32)?;
        let fresh = roomy && pick == 0;
        let node = if fresh { count + 1 } else { reusable[(pick - u32::from(roomy)) as usize] };
        let at = self.layout.node(node);
        if fresh {
            s.work.resize(at + self.layout.stride, 0);
        }
        s.work[at] = tag;
        let n = allocation.defaults.len();
        s.work[at + 1..at + 1 + n].copy_from_slice(&allocation.defaults);
        for &(slot, r) in &allocation.given {
            s.work[at + 1 + slot as usize] = s.frame[r as usize];
        }
        if !fresh {
            self.break_links_into(s, node);
        }
        if self.granularity.private && thread != u32::MAX {
            self.ensure_owners(s, source);
            // A reused node may still be referred to, which is not worth finding out: it stays
            // everybody's for this step.
            if fresh {
                s.owners.created(node, thread);
            }
        }
        Some(node)
    }
}
