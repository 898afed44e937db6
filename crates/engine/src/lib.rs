//! The search of Linchpin: one loop, the state store, reductions, budgets. Knows no language.

mod arena;
mod budget;
mod cache;
mod canonical;
mod components;
mod pack;
mod search;
mod store;
mod table;
mod unfold;
mod workers;

pub use arena::Arena;
pub use budget::{Budget, Limit, Progress};
pub use cache::{Cache, SharedCache};
pub use canonical::{Canonical, Merging, Renaming};
pub use components::components;
pub use pack::{pack, unpack};
pub use search::{Cover, Ending, Found, Space, Statistics, search};
pub use table::{Place, Table};
pub use unfold::{Unfolded, Unfolding};
