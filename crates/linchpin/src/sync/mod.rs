//! What threads share: like `std::sync`, and explored in a test.

mod arc;
pub mod atomic;
mod condvar;
mod mutex;
mod once_lock;
mod rwlock;

pub use arc::{Arc, Weak};
pub use condvar::Condvar;
pub use mutex::{Mutex, MutexGuard};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
