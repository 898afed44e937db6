//! Structures that people write, each with a broken twin whose mistake is found.

mod michael_scott;
mod ring;
mod seqlock;
mod ticket;
mod treiber;
