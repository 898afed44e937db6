//! crossbeam-queue 0.2.1 as it is, with atomics that Linchpin explores: see `source.rs`.
#![allow(warnings, clippy::all)]

include!(concat!(env!("OUT_DIR"), "/src/root.rs"));
