// SPDX-License-Identifier: Apache-2.0
//! How small and large numbers of a schedule may be, so that no sum of cycles, bytes or operations leaves 64 bits.

use super::CheckError;
use super::form::At;
use crate::{ActionKind, Effect, NetworkFold, Schedule, participants};
use noccl_net::Network;

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
pub(super) fn check_totals(network: &Network, schedule: &Schedule) -> Result<(), CheckError> {
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
