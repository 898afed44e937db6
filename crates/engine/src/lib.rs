//! The search of Linchpin: one loop, the state store, reductions, budgets. Knows no language.

mod budget;
mod canonical;
mod components;
mod cycles;
mod explored;
mod labelled;
mod meter;
mod pack;
mod search;
mod segments;
mod store;
mod table;
mod unfold;
mod workers;

pub use budget::{Budget, Limit, Progress};
pub use canonical::{Canonical, Merging, Renaming};
pub use components::{components, components_of};
pub use cycles::Way;
pub use explored::{Explored, Ordered};
pub use labelled::{Finding, States, Step, Stepper, Taken, retrace};
pub use meter::{Meter, Stop};
pub use pack::{pack, unpack};
pub use search::{Cover, Ending, Found, Order, Plan, Space, Statistics, explore, search};
pub use store::{Edge, NOWHERE, NodeId, hash};
pub use table::{Place, Table};
pub use unfold::{Unfolded, Unfolding};
