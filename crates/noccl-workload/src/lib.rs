// SPDX-License-Identifier: Apache-2.0
//! What a backend is given to run: schedules and traffic; collectives as pre- and postconditions; the checker.
//!
//! A schedule names actions and dependencies, never cycles, flits or router ports. Algorithms are
//! open: anybody may emit a schedule, because the checker, not the author, is trusted.

mod collective;
pub mod number;
mod schedule;
mod trace;
mod traffic;

pub use collective::{Collective, CollectiveKind};
pub use number::{ElementType, Operator};
pub use schedule::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, Compute, Destination,
    InNetworkReduction, LocalReduce, Place, SCHEDULE_FORMAT, Schedule, Transfer,
};
pub use trace::{PortKind, PortTransaction, Trace};
pub use traffic::{Pattern, Traffic};
