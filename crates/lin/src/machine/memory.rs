//! Shared memory as the interpreter sees it: addresses, writes, links, allocation.

use linchpin_lts::{FREED, FaultKind};

use super::access::Touched;
use super::{NOBODY, Step, Stop};
use crate::code::{Base, NO_REG, Place, Reg};
use crate::ownership;
use crate::program::Memory;

impl<const TRACE: bool> Step<'_, '_, TRACE> {
    /// The first slot of a place.
    #[inline]
    pub(super) fn address(&self, place: &Place) -> Result<usize, Stop> {
        let offset = match place.offset {
            NO_REG => 0,
            r => self.get(r) as usize,
        };
        let base = match place.base {
            Base::Global => 0,
            Base::Field(r) => {
                let node = self.get(r);
                if node == 0 {
                    return Err(Stop::Fault(FaultKind::NullDereference));
                }
                let at = self.m.layout.node(node);
                if self.m.memory == Memory::Manual && self.s.work[at] & FREED != 0 {
                    return Err(Stop::Fault(FaultKind::UseAfterFree));
                }
                at
            }
            Base::PerThread(r) => match self.get(r) {
                0 => return Err(Stop::Fault(FaultKind::IndexOutOfRange)),
                t => self.m.layout.block(t as usize - 1),
            },
        };
        Ok(base + place.slot as usize + offset)
    }

    /// Can only this thread reach the node the place is in?
    #[inline]
    pub(super) fn is_own(&mut self, place: &Place) -> bool {
        let Base::Field(r) = place.base else { return false };
        let node = self.get(r);
        // Initialisation belongs to no thread.
        if node == 0 || self.thread == NOBODY {
            return false;
        }
        self.ensure_owners();
        self.s.owners.is_own(node, self.thread)
    }

    #[inline]
    fn ensure_owners(&mut self) {
        self.s.owners.ensure(&self.m.layout, self.m.link_slots, self.source);
    }

    /// Everybody can reach a node from now on.
    pub(super) fn publish(&mut self, node: u32) {
        self.ensure_owners();
        self.s.owners.publish(&self.m.layout, &self.s.work, node);
    }

    /// Writes what is in these registers.
    #[inline]
    pub(super) fn store(&mut self, &Touched { place, at, own, .. }: &Touched<'_>, src: Reg) {
        let n = place.width as usize;
        if place.once.is_some() {
            for i in 0..n {
                self.watch_once(place, self.s.work[at + i], self.s.frame[src as usize + i]);
            }
        }
        self.s.work[at..at + n].copy_from_slice(&self.s.frame[src as usize..src as usize + n]);
        if place.breaks_links {
            self.break_links(place, at);
        }
        if self.m.granularity.private && !own && self.thread != NOBODY {
            for &i in &place.refs {
                let node = self.s.work[at + i as usize];
                if node != 0 {
                    self.publish(node);
                }
            }
        }
    }

    /// Notes the assumption that a change of a slot breaks.
    #[inline]
    pub(super) fn watch_once(&mut self, place: &Place, before: u32, after: u32) {
        if let Some(number) = place.once
            && self.m.assumed >> number & 1 == 1
            && self.thread != NOBODY
            && before != 0
            && before != after
        {
            self.s.broken |= 1 << number;
        }
    }

    /// Is it a record that is not free and to which nothing leads but what this thread knows?
    pub(super) fn is_forgotten(&self, node: u32) -> bool {
        let (layout, s) = (&self.m.layout, &*self.s);
        node != 0 && s.work[layout.node(node)] & FREED == 0 && {
            let links = self.m.link_slots;
            let (variables, thread) = (&self.m.frame, self.thread);
            let seen = ownership::reachable(layout, variables, &s.work, thread, &[], &[], links);
            !seen[node as usize - 1]
        }
    }

    /// The first link slot of a place for this thread, and what its slots hold while the link is intact.
    fn link(&self, place: &Place) -> (usize, u32, Option<u32>) {
        let link = &self.m.links[place.link as usize];
        let slot = self.m.layout.block(self.thread as usize) + link.at as usize;
        let value = match place.base {
            Base::Global if place.offset == NO_REG => 1,
            Base::Global => self.get(place.offset) + 1,
            Base::Field(r) | Base::PerThread(r) => self.get(r),
        };
        (slot, value, link.has_element().then(|| self.get(place.offset)))
    }

    /// Links this thread to a place.
    pub(super) fn make_link(&mut self, place: &Place) {
        let (slot, value, element) = self.link(place);
        self.s.work[slot] = value;
        if let Some(element) = element {
            self.s.work[slot + 1] = element;
        }
    }

    /// Is this thread linked to a place? If the link `ends` here, it is linked to none from now on.
    pub(super) fn linked(&mut self, place: &Place, ends: bool) -> bool {
        if place.link == NO_REG {
            return false;
        }
        let (slot, value, element) = self.link(place);
        let linked =
            self.s.work[slot] == value && element.is_none_or(|e| self.s.work[slot + 1] == e);
        if ends {
            self.end_link(slot, element.is_some());
        }
        linked
    }

    /// The link in this slot, and in the next one if there it says which element, is one no more.
    fn end_link(&mut self, slot: usize, element: bool) {
        self.s.work[slot..=slot + usize::from(element)].fill(0);
    }

    /// Somebody wrote `place` at `at`: links to what was written break, in all threads.
    pub(super) fn break_links(&mut self, place: &Place, at: usize) {
        if !place.breaks_links {
            return;
        }
        let layout = &self.m.layout;
        for link in &self.m.links {
            for t in 0..layout.threads {
                let slot = layout.block(t) + link.at as usize;
                let value = self.s.work[slot];
                if value == 0 {
                    continue;
                }
                let element = link.has_element();
                let start = match (link.base, place.base) {
                    (Base::Global, Base::Global) => (link.slot + value - 1) as usize,
                    (Base::Field(_), Base::Field(_)) if link.record == place.record => {
                        layout.node(value) + link.slot as usize
                    }
                    (Base::PerThread(_), Base::PerThread(_)) => {
                        layout.block(value as usize - 1) + link.slot as usize
                    }
                    _ => continue,
                };
                let start = start + if element { self.s.work[slot + 1] as usize } else { 0 };
                if start < at + place.width as usize && at < start + link.width as usize {
                    self.end_link(slot, element);
                }
            }
        }
    }

    /// All fields of `node` were written: links into it break, in all threads.
    fn break_links_into(&mut self, node: u32) {
        for link in self.m.links.iter().filter(|l| matches!(l.base, Base::Field(_))) {
            for t in 0..self.m.layout.threads {
                let slot = self.m.layout.block(t) + link.at as usize;
                if self.s.work[slot] == node {
                    self.end_link(slot, link.has_element());
                }
            }
        }
    }

    /// A new node, or `None` if the bound on the heap excludes it.
    pub(super) fn allocate(&mut self, table: u32) -> Option<u32> {
        let (m, s) = (self.m, &mut *self.s);
        let allocation = &m.code.allocations[table as usize];
        let tag = allocation.record + 1;
        let count = m.layout.nodes(&s.work) as u32;
        // Only counted when it matters: a node that nobody reaches is as good as none.
        let reached = m.heap_limit.filter(|&limit| count >= limit).map(|limit| {
            let (live, links) = (&allocation.live, m.link_slots);
            let (layout, variables) = (&m.layout, &m.frame);
            let seen = ownership::reachable(
                layout,
                variables,
                &s.work,
                self.thread,
                &s.frame,
                live,
                links,
            );
            (limit, seen)
        });
        let roomy = reached
            .as_ref()
            .is_none_or(|(limit, seen)| (seen.iter().filter(|s| **s).count() as u32) < *limit);
        let mut reusable = smallvec::SmallVec::<[u32; 8]>::new();
        if m.memory != Memory::Collected {
            reusable.extend((1..=count).filter(|&n| {
                s.work[m.layout.node(n)] == tag | FREED
                    && (roomy || reached.as_ref().is_none_or(|(_, seen)| seen[n as usize - 1]))
            }));
        }
        if !TRACE && !roomy {
            m.coverage.heap_is_full();
        }
        let pick = s.choose(u32::from(roomy) + reusable.len() as u32)?;
        let fresh = roomy && pick == 0;
        let node = if fresh { count + 1 } else { reusable[(pick - u32::from(roomy)) as usize] };
        let at = m.layout.node(node);
        if fresh {
            s.work.resize(at + m.layout.stride, 0);
        }
        s.work[at] = tag;
        let n = allocation.defaults.len();
        s.work[at + 1..at + 1 + n].copy_from_slice(&allocation.defaults);
        for &(slot, r) in &allocation.given {
            s.work[at + 1 + slot as usize] = s.frame[r as usize];
        }
        if !fresh {
            self.break_links_into(node);
        }
        if m.granularity.private && self.thread != NOBODY {
            self.ensure_owners();
            // A reused node may still be referred to, which is not worth finding out: it stays
            // everybody's for this step.
            if fresh {
                self.s.owners.created(node, self.thread);
            }
        }
        Some(node)
    }
}
