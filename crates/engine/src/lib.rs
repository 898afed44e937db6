//! The search of Linchpin: one loop, the state store, reductions, budgets. Knows no language.

mod budget;
mod canonical;
mod components;
mod pack;
mod search;
mod store;
mod unfold;
mod workers;

pub use budget::{Budget, Progress};
pub use canonical::{Canonical, Merging, Renaming};
pub use components::components;
pub use linchpin_lts::{Figures as Statistics, Limit};
pub use pack::{pack, unpack};
pub use search::{Cover, Ending, Found, Space, search};
pub use unfold::{Unfolded, Unfolding};
