// SPDX-License-Identifier: Apache-2.0
//! The checker: proves a schedule right, or says why it is wrong, before anything is simulated.
//!
//! Algorithms are open, so the checker and not the author is trusted. In this order it proves: every
//! action is possible on the network; no circle of waits; messages of each round share no link, if it
//! claims so; buffer space for all reductions and barriers that may be open
//! together; nothing that is in flight together waits in a circle on the network; no race (every two accesses to a byte, one
//! of them a write, are ordered by `after`, barriers, reductions and the completion of transfers);
//! the collective's postcondition, by symbolic execution over ranges of bytes.
//!
//! It does not look at cycles or at the number of actions that an agent works on at a time.

mod buffer_space;
mod cycle;
mod deadlock;
mod definition;
mod error;
mod form;
mod limits;
mod memory;
mod order;
mod promise;
mod report;
mod rounds;
mod streams;
mod trace;

pub use buffer_space::fit_together;
pub use deadlock::{Deadlock, DeadlockProof, DeadlockReport, DeadlockWait, check_deadlock};
pub use definition::check_definition;
pub use error::{CheckError, Crowd, Race, TileSetError, Wait, WrongOutput};
pub use form::check_form;
pub(crate) use form::{At, check_fits, check_multiple, check_operator, find, group_error};
pub use limits::{MAX_CYCLES, MAX_TOTAL};
pub use promise::{check_collective, check_lengths};
pub use report::{CheckReport, LinkUse, StepReport};
pub use rounds::{Link, SharedLink, check_rounds};
pub use trace::check_trace_limits;
pub use trace::{check_sets, check_trace};

use crate::Schedule;
use noccl_net::Network;

/// Checks a schedule against a network.
///
/// Cost: nearly linear in actions times participants; no loop over bytes. On published and ESP's routers it also grows with the
/// pairs of actions that may be in flight together.
///
/// # Errors
/// [`CheckError`], the first that is found: form, wait cycle, rounds, buffer space, deadlock, race, postcondition.
pub fn check(network: &Network, schedule: &Schedule) -> Result<CheckReport, CheckError> {
    form::check_form(network, schedule)?;
    streams::check_streams(network, schedule)?;
    limits::check_totals(network, schedule)?;
    cycle::check_after(network, schedule)?;
    let rounds = rounds::check_rounds(network, schedule)?;
    let mut order = order::Order::new(network, schedule)?;
    buffer_space::check_buffer_space(network, schedule, &order)?;
    let deadlock = match check_deadlock(network, schedule) {
        // The search has ended at its bound without a cycle: the report says that nothing is proved, and the schedule
        // may run (`docs/design/0008`).
        Err(CheckError::Deadlock(found)) if found.cycle.is_empty() => found.report(),
        checked => checked?,
    };
    let mut memories = memory::execute(network, schedule, &order)?;
    let fold_orders = match &schedule.collective {
        Some(collective) => {
            memory::check_postcondition(network, collective, &mut order, &mut memories)?
        }
        None => Vec::new(),
    };
    Ok(CheckReport {
        deadlock,
        rounds,
        ..report::report(network, schedule, fold_orders)
    })
}
