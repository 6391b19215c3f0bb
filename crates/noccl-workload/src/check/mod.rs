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

use crate::{ActionKind, Effect, NetworkFold, Rectangle, Schedule, participants};
use noccl_net::{Coord, Network};
use std::collections::BTreeSet;

pub use buffer_space::fit_together;
pub use deadlock::{
    Deadlock, DeadlockProof, DeadlockReport, DeadlockWait, check_deadlock, may_overlap_others,
};
pub use error::{CheckError, Overload, Race, TileSetError, Wait, WrongOutput};
pub use form::check_form;
pub use promise::{check_collective, check_definition, check_lengths};
pub use report::{CheckReport, LinkUse, StepReport};
pub use rounds::{Link, SharedLink, check_rounds};
pub use trace::{check_sets, check_trace, check_trace_limits};

pub(crate) use form::{At, check_fits, check_multiple, check_operator, find, group_error};

mod buffer_space;
mod cycle;
mod deadlock;
mod error;
mod form;
mod memory;
mod order;
mod promise;
mod report;
mod rounds;
mod trace;

/// Checks a schedule against a network.
///
/// Cost: nearly linear in actions times participants; no loop over bytes. On published and ESP's routers it also grows with the
/// pairs of actions that may be in flight together.
///
/// # Errors
/// [`CheckError`], the first that is found: form, wait cycle, rounds, buffer space, deadlock, race, postcondition.
pub fn check(network: &Network, schedule: &Schedule) -> Result<CheckReport, CheckError> {
    form::check_form(network, schedule)?;
    check_streams(network, schedule)?;
    check_totals(network, schedule)?;
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

// Multicasts over the static network share a rectangle, or no tile.
//
// A router copies the words of an input as its core has set it, whatever multicast they belong to. Words of the next one that follow at
// once are copied right if the rectangle is the same; over another one they would leave it, or stay behind
// (`docs/design/0013-core-tiles.md`).

/// Refuses multicasts over rectangles that overlap and differ.
///
/// Cost: every tile is looked at once, and one more where it fails.
fn check_streams(network: &Network, schedule: &Schedule) -> Result<(), CheckError> {
    let mut known = BTreeSet::new();
    let mut first: Vec<Option<usize>> = Vec::new();
    for (action, kind) in schedule.actions.iter().map(|a| &a.kind).enumerate() {
        let Some(stream) = kind.static_multicast() else {
            continue;
        };
        let set = stream.set;
        if stream.is_local() || !known.insert((set.x, set.y, set.width, set.height)) {
            continue;
        }
        first.resize(network.num_tiles(), None);
        for tile in tiles(set).map(|at| network.tile_at(network.mesh_coord(at))) {
            if let Some(other) = first[tile.idx()].replace(action) {
                return Err(refused(action, set, other));
            }
        }
    }
    Ok(())
}

fn tiles(set: Rectangle) -> impl Iterator<Item = Coord> {
    let rows = set.y..set.y + set.height;
    (set.x..set.x + set.width).flat_map(move |x| rows.clone().map(move |y| Coord::new(x, y)))
}

fn refused(action: usize, set: Rectangle, other: usize) -> CheckError {
    CheckError::Field {
        field: format!("actions[{action}].kind.static_multicast.set"),
        found: format!("{},{},{},{}", set.x, set.y, set.width, set.height),
        accepted: format!(
            "the rectangle of actions[{other}], or one that shares no tile with it: routers copy words as they are set, whichever \
             multicast they belong to"
        ),
    }
}

// How small and large numbers of a schedule may be, so that no sum of cycles, bytes or operations leaves 64 bits.

/// Most cycles that a number from outside may stand for: 2^48. At 1 GHz that is more than three days.
pub const MAX_CYCLES: u64 = 1 << 48;

/// Most bytes that all actions of a schedule write, and most operations that they compute: 2^62 each.
pub const MAX_TOTAL: u64 = 1 << 62;

impl At<'_> {
    /// Cycles that an action takes by itself.
    pub(crate) fn cycles(&self, name: &str, cycles: u64) -> Result<(), CheckError> {
        if cycles <= MAX_CYCLES {
            return Ok(());
        }
        self.fail(name, cycles, &format!("at most 2^48 = {MAX_CYCLES}"))
    }
}

/// Refuses a schedule whose actions together write or compute more than 64 bits can count.
fn check_totals(network: &Network, schedule: &Schedule) -> Result<(), CheckError> {
    let (mut bytes, mut operations) = (0_u128, 0_u128);
    for (index, action) in schedule.actions.iter().enumerate() {
        let size = size(network, &action.kind);
        bytes += size.bytes;
        operations += size.operations;
        for (what, total) in [("bytes", bytes), ("operations", operations)] {
            if total > u128::from(MAX_TOTAL) {
                return Err(CheckError::Field {
                    field: format!("actions[{index}]"),
                    found: format!("{total} {what} with the actions before it"),
                    accepted: format!("at most 2^62 = {MAX_TOTAL} {what} in all"),
                });
            }
        }
    }
    Ok(())
}

/// What an action writes at all its participants, and computes there.
#[derive(Default)]
struct Size {
    bytes: u128,
    operations: u128,
}

fn size(network: &Network, kind: &ActionKind) -> Size {
    let moved = |bytes: u64, copies: u128| Size {
        bytes: u128::from(bytes) * copies,
        operations: u128::from(bytes) * copies,
    };
    match kind.effect() {
        Effect::Nothing => Size::default(),
        Effect::Lines(lines) => moved(lines.bytes, lines.targets.count() * u128::from(lines.rows)),
        Effect::Stream(chain) => moved(chain.bytes, chain.destinations.len() as u128),
        Effect::NetworkFold(NetworkFold { reduction: r, .. }) => {
            moved(r.bytes, u128::from(r.group.len()))
        }
        Effect::LocalFold(r) => moved(r.bytes, r.inputs.len() as u128),
        Effect::Kernel(kernel) => {
            let clusters = participants(network, kind).len() as u128;
            Size {
                bytes: u128::from(kernel.operation.write().bytes) * clusters,
                operations: u128::from(kernel.operation.multiply_adds()) * clusters,
            }
        }
    }
}
