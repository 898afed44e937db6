//! `test!`: from a structure and a specification to a test, in a few lines.

/// A test that a structure is linearizable.
///
/// A row names an operation with its arguments, what it is in the structure and what it is in the specification; both must
/// give the same type. Numbers as arguments are all different, unless values are listed: `key: u8 = [1, 2]`.
/// `threads` and `ops` (per thread) bound the clients, `budget` the executions.
///
/// ```
/// use linchpin::sync::atomic::{AtomicU32, Ordering::SeqCst};
///
/// linchpin::test! {
///     fn counter(counter: AtomicU32 = AtomicU32::new(0), spec: u32 = 0, threads = 2, ops = 2) {
///         add(n: u32) => counter.fetch_add(n, SeqCst), { *spec += n; *spec - n };
///         get() => counter.load(SeqCst), *spec;
///     }
/// }
/// # fn main() {}
/// ```
///
/// Instead of a type and what is to be done with it, `spec = "queue.lin:Queue"` names a specification of a file in the
/// language `.lin`, below the folder of `Cargo.toml`; then a row is the name that the operation has there, and what it is
/// in the structure:
///
/// ```
/// use linchpin::sync::atomic::{AtomicU32, Ordering::SeqCst};
///
/// linchpin::test! {
///     fn counter(counter: AtomicU32 = AtomicU32::new(0), spec = "tests/book/counter.lin:Counter") {
///         add(n: u32) => counter.fetch_add(n, SeqCst);
///         get() => counter.load(SeqCst);
///     }
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! test {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($about:tt)*) { $($rows:tt)* }
    )+) => {
        $(
            $(#[$attribute])*
            #[test]
            #[allow(non_camel_case_types, unused_variables)]
            fn $name() {
                $crate::__test! { $name ($($about)*) { $($rows)* } }
            }
        )+
    };
}

/// The inside of a test: with a specification in Rust, or with one of a file.
#[doc(hidden)]
#[macro_export]
macro_rules! __test {
    ($name:ident (
        $object:ident: $object_type:ty = $make:expr,
        spec = $file:expr
        $(, $option:ident = $value:expr)* $(,)?
    ) {
        $($op:ident($($arg:ident: $type:ty $(= $values:expr)?),* $(,)?) => $real:expr;)+
    }) => {
        $crate::__operations! { $($op($($arg: $type $(= $values)?),*))+ }

        impl $crate::Call for __Op {
            fn name(&self) -> &str {
                match self {
                    $(__Op::$op(..) => stringify!($op),)+
                }
            }

            fn args(&self) -> Vec<$crate::Datum> {
                match self.clone() {
                    $(__Op::$op($($arg),*) => vec![$($crate::Datum::from($arg)),*],)+
                }
            }
        }

        let spec = $crate::Lin::<__Op>::load(env!("CARGO_MANIFEST_DIR"), $file);
        let make = || -> $object_type { $make };
        let sees = spec.clone();
        let run = move |$object: &$object_type, op: &__Op| match op.clone() {
            $(__Op::$op($($arg),*) => sees.given(op, $real),)+
        };
        let check = $crate::Check::new(stringify!($name), make, run, spec);
        $(let check = check.$option($value);)*
        check.assert();
    };
    ($name:ident (
        $object:ident: $object_type:ty = $make:expr,
        $spec:ident: $spec_type:ty = $initial:expr
        $(, $option:ident = $value:expr)* $(,)?
    ) {
        $($op:ident($($arg:ident: $type:ty $(= $values:expr)?),* $(,)?) => $real:expr, $model:expr;)+
    }) => {
        $crate::__operations! { $($op($($arg: $type $(= $values)?),*))+ }

        #[derive(Clone, PartialEq, Eq, Hash)]
        struct __Model($spec_type);

        impl $crate::Spec for __Model {
            type Op = __Op;
            type Ret = $crate::Ret;

            fn apply(&mut self, op: &__Op) -> $crate::Ret {
                let $spec = &mut self.0;
                match op.clone() {
                    $(__Op::$op($($arg),*) => $crate::Ret::new($model),)+
                }
            }

            fn describe(&self) -> Option<String> {
                #[allow(unused_imports)]
                use $crate::{Printed, Unprinted};
                (&$crate::Words(&self.0)).words()
            }
        }

        let make = || -> $object_type { $make };
        let run = |$object: &$object_type, op: &__Op| match op.clone() {
            $(__Op::$op($($arg),*) => $crate::Ret::new($real),)+
        };
        let check = $crate::Check::new(stringify!($name), make, run, __Model($initial));
        $(let check = check.$option($value);)*
        check.assert();
    };
}

/// The type of the operations of a test.
#[doc(hidden)]
#[macro_export]
macro_rules! __operations {
    ($($op:ident($($arg:ident: $type:ty $(= $values:expr)?),*))+) => {
        #[derive(Clone, Debug)]
        enum __Op {
            $($op($($type),*)),+
        }

        impl $crate::Operation for __Op {
            fn all(place: u32) -> Vec<__Op> {
                let mut all = Vec::new();
                $($crate::__each!(place, all, __Op::$op, [], $($arg: $type $(= $values)?,)*);)+
                all
            }
        }
    };
}

/// An operation with all values of its arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! __each {
    ($place:ident, $all:ident, $op:path, [$($done:ident)*],) => {
        $all.push($op($($done.clone()),*));
    };
    ($place:ident, $all:ident, $op:path, [$($done:ident)*], $arg:ident: $type:ty, $($rest:tt)*) => {
        for $arg in <$type as $crate::Argument>::values($place) {
            $crate::__each!($place, $all, $op, [$($done)* $arg], $($rest)*);
        }
    };
    ($place:ident, $all:ident, $op:path, [$($done:ident)*], $arg:ident: $type:ty = $values:expr,
        $($rest:tt)*) => {
        for $arg in $values {
            $crate::__each!($place, $all, $op, [$($done)* $arg], $($rest)*);
        }
    };
}
