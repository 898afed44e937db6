//! What a structure is compared with: an ordinary Rust type that does one operation after the other.

use std::any::{Any, type_name};
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

/// A specification: what every operation does and returns when nobody else is there.
///
/// ```
/// #[derive(Clone, PartialEq, Eq, Hash)]
/// struct Counter(u32);
///
/// #[derive(Clone, Debug)]
/// enum Op { Increment, Read }
///
/// impl linchpin::Spec for Counter {
///     type Op = Op;
///     type Ret = Option<u32>;
///
///     fn apply(&mut self, op: &Op) -> Option<u32> {
///         match op {
///             Op::Increment => {
///                 self.0 += 1;
///                 None
///             }
///             Op::Read => Some(self.0),
///         }
///     }
/// }
/// ```
pub trait Spec: Clone + Eq + Hash + Send + 'static {
    /// An operation with its arguments.
    type Op: Clone + fmt::Debug + Send + 'static;
    /// What operations return.
    type Ret: PartialEq + fmt::Debug + Send + 'static;

    /// Carries an operation out.
    fn apply(&mut self, op: &Self::Op) -> Self::Ret;

    /// All that an operation may do, for specifications that leave a choice; what [`apply`](Spec::apply) does, otherwise.
    fn outcomes(&self, op: &Self::Op) -> Vec<(Self, Self::Ret)> {
        let mut after = self.clone();
        let ret = after.apply(op);
        vec![(after, ret)]
    }

    /// The state in words, for the page of `LINCHPIN_REPORT`; nothing, if nobody says.
    fn describe(&self) -> Option<String> {
        None
    }
}

/// A state that may have words: [`test!`](crate::test) asks for them without knowing whether the type has any.
#[doc(hidden)]
pub struct Words<'a, T>(pub &'a T);

/// Those of a type that can be printed.
#[doc(hidden)]
pub trait Printed {
    /// As `Debug` prints it.
    fn words(&self) -> Option<String>;
}

impl<T: fmt::Debug> Printed for Words<'_, T> {
    fn words(&self) -> Option<String> {
        Some(format!("{:?}", self.0))
    }
}

/// Those of any other type.
#[doc(hidden)]
pub trait Unprinted {
    /// None.
    fn words(&self) -> Option<String> {
        None
    }
}

impl<T> Unprinted for &Words<'_, T> {}

/// Operations that clients are made of.
pub trait Operation: Clone + fmt::Debug + Send + 'static {
    /// The operations that may be called at a place of a client. Every place of a client has a number, from 1; it can be
    /// used as a value that nobody else passes.
    fn all(place: u32) -> Vec<Self>;
}

/// Values for an argument of an operation in [`test!`](crate::test) that says nothing else.
pub trait Argument: Sized {
    /// Those for a place of a client: numbers are the number of the place, so that all are different.
    fn values(place: u32) -> Vec<Self>;
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Argument for $number {
            fn values(place: u32) -> Vec<Self> {
                vec![place as $number]
            }
        })*
    };
}

numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl Argument for bool {
    fn values(_place: u32) -> Vec<Self> {
        vec![false, true]
    }
}

impl Argument for String {
    fn values(place: u32) -> Vec<Self> {
        vec![place.to_string()]
    }
}

/// A result of any type, for operations with results of different types.
#[derive(Clone)]
pub struct Ret(Arc<dyn Result>);

trait Result: Send + Sync {
    fn same(&self, other: &dyn Result) -> bool;
    fn any(&self) -> &dyn Any;
    fn kind(&self) -> &'static str;
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<T: PartialEq + fmt::Debug + Send + Sync + 'static> Result for T {
    fn same(&self, other: &dyn Result) -> bool {
        match other.any().downcast_ref::<T>() {
            Some(other) => self == other,
            None => panic!(
                "an operation returns `{}`, but that of the specification `{}`",
                self.kind(),
                other.kind()
            ),
        }
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn kind(&self) -> &'static str {
        type_name::<T>()
    }

    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Ret {
    /// A result.
    pub fn new<T: PartialEq + fmt::Debug + Send + Sync + 'static>(value: T) -> Ret {
        Ret(Arc::new(value))
    }
}

impl PartialEq for Ret {
    fn eq(&self, other: &Self) -> bool {
        self.0.same(&*other.0)
    }
}

impl fmt::Debug for Ret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(f)
    }
}
