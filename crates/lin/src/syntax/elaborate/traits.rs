//! What is inside values of a type, and limits on it.
//!
//! Structs are named, so a short text can describe a value with 2^40 parts: each of forty structs
//! contains the previous one twice. Nothing here writes values out; sizes are computed once per
//! struct and saturate. What is too large is reported and becomes empty, so that nobody after us
//! fills the memory with it.
//!
//! A file can also have many large variables, constants and literals. What the program contains of
//! them is counted in parts, too, for the whole file.

use crate::Span;
use crate::program::{Expr, ExprKind, Type};

use super::{Elab, codes};
use crate::syntax::ast::MAX_DEPTH;
use linchpin_text::Diagnostic;

/// No value has more parts than this.
pub(super) const MAX_SIZE: u64 = 4096;

/// No type is written out with more words than this.
const MAX_WORDS: u32 = 1000;

/// All values and types that a program contains have at most so many parts together. A part takes
/// some 100 bytes; an expression of the text counts for at least one, and a text of the largest
/// size has fewer than half as many.
const MAX_PARTS: u64 = 1 << 21;

/// What a type has inside.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traits {
    /// Number of plain values.
    pub(super) size: u64,
    /// How deep it nests.
    depth: u32,
    pub(super) refs: bool,
    pub(super) locks: bool,
    pub(super) threads: bool,
    pub(super) collections: bool,
    pub(super) data: bool,
    pub(super) per_thread: bool,
    pub(super) endless: bool,
}

impl Traits {
    /// Of both together, side by side.
    fn and(self, other: Traits) -> Traits {
        Traits {
            size: self.size.saturating_add(other.size),
            depth: self.depth.max(other.depth),
            refs: self.refs | other.refs,
            locks: self.locks | other.locks,
            threads: self.threads | other.threads,
            collections: self.collections | other.collections,
            data: self.data | other.data,
            per_thread: self.per_thread | other.per_thread,
            endless: self.endless | other.endless,
        }
    }

    /// As a part of something. Whatever has parts, perhaps none, is itself one, or an array of
    /// arrays of nothing would have no size.
    fn inside(self) -> Traits {
        Traits { depth: self.depth.saturating_add(1), size: self.size.max(1), ..self }
    }
}

impl Elab<'_> {
    /// What is inside values of a type.
    pub(super) fn traits_of(&self, ty: &Type) -> Traits {
        let one = Traits { size: 1, depth: 1, ..Traits::default() };
        match ty {
            Type::Unit | Type::Bool | Type::Int { .. } | Type::Enum(_) => one,
            Type::Data(_) => Traits { data: true, ..one },
            Type::Ref(_) => Traits { refs: true, ..one },
            Type::Thread => Traits { threads: true, ..one },
            Type::Lock => Traits { locks: true, ..one },
            Type::Option(t) => self.traits_of(t).and(one).inside(),
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.traits_of(p));
                parts.fold(Traits::default(), Traits::and).inside()
            }
            Type::Struct(id) => self.traits.get(id.index()).copied().unwrap_or(one),
            Type::Array(t, n) => {
                let t = self.traits_of(t);
                Traits { size: t.size.saturating_mul(u64::from(*n)), ..t }.inside()
            }
            Type::Endless(t, _) => Traits { endless: true, ..self.traits_of(t) }.inside(),
            Type::PerThread(t) => Traits { per_thread: true, ..self.traits_of(t) }.inside(),
            Type::Seq(t) | Type::Set(t) | Type::Bag(t) => {
                Traits { size: 1, collections: true, ..self.traits_of(t) }.inside()
            }
            Type::Map(k, v) => {
                let both = self.traits_of(k).and(self.traits_of(v));
                Traits { size: 1, collections: true, ..both }.inside()
            }
        }
    }

    /// Reports types with too many parts.
    pub(super) fn check_size(&mut self, ty: &Type, span: Span) -> bool {
        let traits = self.traits_of(ty);
        if traits.depth > MAX_DEPTH {
            let text = format!("this type nests too deeply: more than {MAX_DEPTH} levels");
            self.error(codes::TOO_DEEP, span, text);
            return false;
        }
        if traits.size > MAX_SIZE || !fits_in(ty, &mut { MAX_WORDS }) {
            let text = format!("this type has too many parts; at most {MAX_SIZE} are allowed");
            let d = Diagnostic::error(codes::TOO_LARGE, span, text)
                .help("use smaller arrays, or a `node`, which is one part wherever it is used");
            let size = traits.size;
            self.sink.push(match size {
                0..=MAX_SIZE => d.note(format!("it takes more than {MAX_WORDS} words")),
                u64::MAX => d.note("a value of this type has more than 2^64 parts"),
                _ => d.note(format!("a value of this type has {size} parts")),
            });
            return false;
        }
        true
    }

    /// Counts a variable of this type. Reports, once, that all of them together have too many
    /// parts.
    pub(super) fn afford(&mut self, ty: &Type, span: Span) -> bool {
        self.spend(self.traits_of(ty).size, span)
    }

    /// Counts an expression with its type and, if it is one, its constant value.
    pub(super) fn afford_expr(&mut self, e: &Expr) -> bool {
        let value = match e.kind {
            ExprKind::Const(_) | ExprKind::Aggregate(_) => self.traits_of(&e.ty).size,
            _ => 0,
        };
        let mut left = MAX_WORDS;
        fits_in(&e.ty, &mut left);
        self.spend(value + u64::from(MAX_WORDS - left), e.span)
    }

    fn spend(&mut self, parts: u64, span: Span) -> bool {
        let before = self.parts;
        self.parts = before.saturating_add(parts);
        if before <= MAX_PARTS && self.parts > MAX_PARTS {
            let text = format!(
                "variables, constants and literals have too many parts together; at most \
                 {MAX_PARTS} are allowed in a file"
            );
            let d = Diagnostic::error(codes::TOO_LARGE, span, text).label("these are too many");
            self.sink.push(d.help("use fewer or smaller arrays"));
        }
        self.affords_more()
    }

    /// Is there room for more values?
    pub(super) fn affords_more(&self) -> bool {
        self.parts <= MAX_PARTS
    }
}

/// Is a type written with at most `left` words?
fn fits_in(ty: &Type, left: &mut u32) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    match ty {
        Type::Option(t) | Type::Array(t, _) | Type::PerThread(t) => fits_in(t, left),
        Type::Endless(t, _) => fits_in(t, left),
        Type::Seq(t) | Type::Set(t) | Type::Bag(t) => fits_in(t, left),
        Type::Map(k, v) => fits_in(k, left) && fits_in(v, left),
        Type::Tuple(ts) => ts.iter().all(|t| fits_in(t, left)),
        _ => true,
    }
}
