// SPDX-License-Identifier: Apache-2.0
//! What makes the members of a schedule wait for each other.

use noccl_workload::{ActionKind, BarrierMechanism, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a member knows that it can go on, beside reductions of the network, which nobody leaves before all have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Synchronisation {
    /// No member waits for another one's data.
    None,
    /// By the end of transfers to it.
    Deliveries,
    /// By messages of cores, or by what comes over a static network.
    Messages,
    /// By barriers that the network merges.
    NetworkBarriers,
    /// By barriers that cores make by counters and interrupts.
    SoftwareBarriers,
}

impl Synchronisation {
    /// The strongest that a schedule has.
    #[must_use]
    pub fn of(schedule: &Schedule) -> Self {
        let any = |is: fn(&ActionKind) -> bool| schedule.actions.iter().any(|a| is(&a.kind));
        let is_software = |kind: &ActionKind| {
            let barrier = kind.barrier();
            barrier.is_some_and(|b| b.mechanism == BarrierMechanism::Software)
        };
        if any(is_software) {
            Self::SoftwareBarriers
        } else if any(|kind| kind.barrier().is_some() || kind.arrival().is_some()) {
            Self::NetworkBarriers
        } else if any(|kind| kind.message().is_some() || kind.static_multicast().is_some()) {
            Self::Messages
        } else if any(|kind| matches!(kind, ActionKind::Delivery(_))) {
            Self::Deliveries
        } else {
            Self::None
        }
    }

    /// As tables have it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Deliveries => "deliveries",
            Self::Messages => "messages",
            Self::NetworkBarriers => "barriers, network",
            Self::SoftwareBarriers => "barriers, software",
        }
    }
}
