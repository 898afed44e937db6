//! The reductions by name: what each does, what it preserves, how it is switched off.

use linchpin_engine::Merging;
use linchpin_lin::Granularity;

/// Which reductions are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reductions {
    /// Interval tightening: calls and returns happen together with accesses.
    pub tighten: bool,
    /// Accesses to memory that only one thread can reach are local work.
    pub private: bool,
    /// Reads of what never changes are local work.
    pub constant: bool,
    /// Locks are taken and released together with neighbouring accesses, what they guard is local work.
    pub locks: bool,
    /// Reads of what is only ever set once are local work after that.
    pub once: bool,
    /// Records of manual memory are made and given back together with neighbouring accesses.
    pub reuse: bool,
    /// Variables that are not needed any more are reset.
    pub dead: bool,
    /// Heap nodes are numbered canonically, garbage is collected.
    pub heap: bool,
    /// Threads of the same role are interchangeable.
    pub threads: bool,
    /// Values of an opaque data type are interchangeable.
    pub data: bool,
    /// Of comparable specification sets at one state only the least is explored.
    pub antichain: bool,
}

/// A reduction as users see it.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// Its name; `--no-NAME` switches it off.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Which questions have the same answer with and without it.
    pub preserves: &'static str,
    get: fn(&mut Reductions) -> &mut bool,
}

impl Reductions {
    /// All on.
    pub const ALL: Reductions = Reductions {
        tighten: true,
        private: true,
        constant: true,
        locks: true,
        once: true,
        reuse: true,
        dead: true,
        heap: true,
        threads: true,
        data: true,
        antichain: true,
    };

    /// All off: every access, call and return is a step, every state is itself.
    pub const NONE: Reductions = Reductions {
        tighten: false,
        private: false,
        constant: false,
        locks: false,
        once: false,
        reuse: false,
        dead: false,
        heap: false,
        threads: false,
        data: false,
        antichain: false,
    };

    /// Every reduction there is.
    pub const TABLE: [Reduction; 11] = [
        Reduction {
            name: "tighten",
            about: "calls and returns happen together with the first and last shared access",
            preserves: "linearizability, faults, deadlock",
            get: |r| &mut r.tighten,
        },
        Reduction {
            name: "private",
            about: "accesses to nodes that only one thread can reach are local work",
            preserves: "traces, faults, deadlock",
            get: |r| &mut r.private,
        },
        Reduction {
            name: "constant",
            about: "reads of variables and fields that nobody writes once others see them are local work",
            preserves: "traces, faults, deadlock",
            get: |r| &mut r.constant,
        },
        Reduction {
            name: "locks",
            about: "locks are taken with the next access, released with the last, and what they guard is local",
            preserves: "traces, faults, deadlock",
            get: |r| &mut r.locks,
        },
        Reduction {
            name: "once",
            about: "reads of what is only ever set once are local work after that",
            preserves: "traces, faults, deadlock",
            get: |r| &mut r.once,
        },
        Reduction {
            name: "reuse",
            about: "records of manual memory are made with the next access and given back with the last",
            preserves: "whether there is a violation",
            get: |r| &mut r.reuse,
        },
        Reduction {
            name: "dead",
            about: "local variables that are not needed any more are reset",
            preserves: "everything (strong bisimulation)",
            get: |r| &mut r.dead,
        },
        Reduction {
            name: "heap",
            about: "heap nodes are numbered canonically, unreachable ones dropped",
            preserves: "everything (strong bisimulation)",
            get: |r| &mut r.heap,
        },
        Reduction {
            name: "threads",
            about: "threads of the same role are interchangeable",
            preserves: "what does not depend on which thread is which",
            get: |r| &mut r.threads,
        },
        Reduction {
            name: "data",
            about: "values of an opaque data type are interchangeable",
            preserves: "what does not depend on which value is which",
            get: |r| &mut r.data,
        },
        Reduction {
            name: "antichain",
            about: "of comparable specification sets at one state only the least is explored",
            preserves: "trace refinement",
            get: |r| &mut r.antichain,
        },
    ];

    /// Switches one reduction; `false` if there is none of that name.
    pub fn set(&mut self, name: &str, on: bool) -> bool {
        match Self::TABLE.iter().find(|r| r.name == name) {
            Some(r) => {
                *(r.get)(self) = on;
                true
            }
            None => false,
        }
    }

    /// The names of the reductions that are on.
    pub fn names(mut self) -> Vec<&'static str> {
        Self::TABLE.iter().filter(|r| *(r.get)(&mut self)).map(|r| r.name).collect()
    }

    /// The `n`-th subset, for tests: bit `i` is the `i`-th entry of [`Reductions::TABLE`].
    pub fn subset(n: u32) -> Reductions {
        let mut reductions = Reductions::NONE;
        for (i, r) in Self::TABLE.iter().enumerate() {
            *(r.get)(&mut reductions) = n >> i & 1 == 1;
        }
        reductions
    }

    pub(crate) fn granularity(self) -> Granularity {
        let Reductions { tighten, private, constant, locks, once, reuse, dead, .. } = self;
        Granularity { tighten, private, constant, locks, once, reuse, dead }
    }

    pub(crate) fn merging(self) -> Merging {
        Merging { heap: self.heap, threads: self.threads, data: self.data }
    }
}
