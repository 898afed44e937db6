//! What is inside values of a type, and limits on it.

use crate::Span;
use crate::program::Type;

use super::{Elab, codes};
use crate::syntax::ast::MAX_DEPTH;

/// No value has more parts than this.
pub(super) const MAX_SIZE: u64 = 4096;

/// No type is written out with more words than this.
const MAX_WORDS: u32 = 1000;

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
        }
    }

    /// As a part of something.
    fn inside(self) -> Traits {
        Traits { depth: self.depth.saturating_add(1), ..self }
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
            self.error(codes::TOO_LARGE, span, text);
            return false;
        }
        true
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
        Type::Seq(t) | Type::Set(t) | Type::Bag(t) => fits_in(t, left),
        Type::Map(k, v) => fits_in(k, left) && fits_in(v, left),
        Type::Tuple(ts) => ts.iter().all(|t| fits_in(t, left)),
        _ => true,
    }
}
