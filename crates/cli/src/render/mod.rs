//! From data to text, one file per kind of text.

pub(crate) mod diagnostics;
pub(crate) mod numbers;
pub(crate) mod progress;
pub(crate) mod schedule;
pub(crate) mod timeline;
pub(crate) mod verdict;
pub(crate) mod violation;
