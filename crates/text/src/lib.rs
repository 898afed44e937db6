//! Texts of models, in any language: places in them ([`Span`]), what is to be said about them
//! ([`Diagnostic`]), how they are read from bytes ([`decode`]), and suggestions for names that were not
//! found ([`did_you_mean`]), how they are shown ([`printable`]), and several files as one text ([`Files`]). Knows no
//! language.

mod diagnostic;
mod files;
mod gather;
mod index;
mod names;
mod printable;
mod source;
mod span;

pub use diagnostic::{Code, Diagnostic, Edit, Label, MORE_ERRORS, MORE_WARNINGS, Severity, Sink};
pub use files::{Files, Place};
pub use gather::{Asks, Find, Found, Included, Wanted, include};
pub use index::{Declared, Names};
pub use names::did_you_mean;
pub use printable::{printable, printable_name};
pub use source::{BINARY, Lines, MAX_BYTES, TOO_LARGE, check_size, decode, line_column};
pub use span::Span;
