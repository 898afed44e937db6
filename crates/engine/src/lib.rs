//! The search of Linchpin: one loop, the state store, reductions, budgets. Knows no language.

mod arena;
mod budget;
mod cache;
mod canonical;
mod components;
mod cycles;
mod explored;
mod findings;
mod keeping;
mod labelled;
mod meter;
mod pack;
mod search;
mod segments;
mod store;
mod table;
mod together;
mod workers;

pub use arena::Arena;
pub use budget::{Budget, Progress};
pub use cache::{Cache, Forgetting, SharedCache};
pub use canonical::{Canonical, Merging, Renaming};
pub use components::{components, components_of};
pub use cycles::Way;
pub use explored::{Explored, Ordered};
pub use keeping::Keeper;
pub use labelled::{Finding, States, Step, Stepper, Taken, retrace};
pub use linchpin_lts::{Figures, Limit};
pub use meter::{Meter, Stop};
pub use pack::{pack, unpack};
pub use search::{Cover, Ending, Found, Order, Plan, Space, explore, search, search_looking};
pub use store::{Edge, NOWHERE, NodeId, hash};
pub use table::{Place, Table};
pub use together::{MOST_PEERS, Peers};
pub use workers::{all, in_pieces};
