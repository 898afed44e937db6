//! From data to text, one file per kind of text.

mod check;
pub(crate) mod classified;
pub(crate) mod columns;
pub(crate) mod coverage;
pub(crate) mod csp;
pub(crate) mod diagnostics;
pub(crate) mod github;
mod history;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod junit;
mod log;
mod mcrl2;
pub(crate) mod numbers;
pub(crate) mod points;
pub(crate) mod progress;
pub(crate) mod schedule;
pub(crate) mod text;
pub(crate) mod timeline;
pub(crate) mod types;
pub(crate) mod verdict;
pub(crate) mod violation;
