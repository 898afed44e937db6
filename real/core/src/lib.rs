//! In the place of `core`: the same names, with atomics that Linchpin explores.
//!
//! Cells are those of `core`: a crate that was not written for a checker takes pointers out of them, and nobody knows
//! when it uses these. So data races on them are not seen.

pub use ::core::*;

/// See [`core::hint`].
pub mod hint {
    pub use ::core::hint::*;
    pub use linchpin::hint::spin_loop;
}

/// See [`core::sync`].
pub mod sync {
    pub use ::core::sync::*;

    /// See [`core::sync::atomic`].
    pub mod atomic {
        pub use linchpin::sync::atomic::*;

        /// The old name of [`spin_loop`](crate::hint::spin_loop).
        pub fn spin_loop_hint() {
            linchpin::hint::spin_loop();
        }
    }
}
