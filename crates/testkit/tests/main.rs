//! All tests of this crate are one program: it is linked once, and slow tests of one kind run beside those of
//! another.

mod corpus;
mod corpus_defects;
mod derived;
mod differential;
mod docs;
mod evidence;
mod generator;
mod house;
mod infer;
mod itself;
mod methods;
mod minimal;
mod neighbours;
mod oracle;
mod points;
mod progress;
mod quasi;
mod spec_faults;
mod strong;
mod temporal;
mod workers;
