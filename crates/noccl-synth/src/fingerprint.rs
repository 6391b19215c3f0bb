// SPDX-License-Identifier: Apache-2.0
//! Schedules that differ in nothing that runs are rated once.

use noccl_workload::{ActionKind, Destination, Schedule};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Equal schedules have equal ones.
pub(crate) fn fingerprint(schedule: &Schedule) -> u64 {
    let mut hasher = DefaultHasher::new();
    for action in &schedule.actions {
        action.after.hash(&mut hasher);
        match (&action.kind, action.kind.transfer()) {
            (_, Some(transfer)) => {
                let ends = (
                    transfer.initiator,
                    transfer.source,
                    transfer.destination.offset(),
                );
                (ends, transfer.bytes, transfer.rows).hash(&mut hasher);
                if let Destination::One(place) = transfer.destination {
                    place.hash(&mut hasher);
                }
            }
            (ActionKind::LocalReduce(sum), None) => {
                (sum.tile, &sum.inputs, sum.output, sum.bytes).hash(&mut hasher);
            }
            (other, None) => format!("{other:?}").hash(&mut hasher),
        }
    }
    hasher.finish()
}
