// SPDX-License-Identifier: Apache-2.0
//! Who can wait for whom, and is there a circle that one state can hold?

mod among;
mod cycle;
mod known;
mod over;
mod prune;
mod state;
mod waits;

pub use among::is_among;
pub use cycle::{Cycle, Proof, Wait};

pub(crate) use cycle::{find_cycle, shortest_through};
pub(crate) use state::{Found, shortest_consistent};
pub(crate) use waits::Waits;
