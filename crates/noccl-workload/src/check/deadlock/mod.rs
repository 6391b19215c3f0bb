// SPDX-License-Identifier: Apache-2.0
//! Can actions that may be in flight together wait for each other forever?
//!
//! Default routers never make anybody wait in a circle while the checker's limits hold (`docs/design/0001`, `0007`): there is
//! nothing to look for. On published and on ESP's routers, and with Torrent endpoints whose destinations are taken in any order,
//! it depends on what is in flight together. There every action becomes the transaction that it is for the network, and
//! [`noccl_net::deadlock`] looks for a cycle of waits among those that the schedule does not order
//! (`docs/design/0008`). Cores that pass words have an analysis of their own ([`words`]).

mod overlap;
mod traces;
mod words;

use super::CheckError;
use super::order::Order;
use crate::{ActionId, Schedule, participants};
use noccl_net::deadlock::{Activity, Cycle, Proof, Work, check_program};
use noccl_net::{Network, TileId, TypedNetwork};
use overlap::Overlaps;
use overlap::{activities, are_chains_safe};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
pub(super) use traces::check_trace_deadlock;

/// Why nothing can wait in a circle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeadlockProof {
    /// The routers and interfaces allow no circular wait, whatever is in flight together.
    #[default]
    Mechanism,
    /// No two actions of a kind that could hold one another up are in flight together, or no cycle of waits was found among
    /// those that are.
    Search,
}

/// What the checker knows about deadlock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeadlockReport {
    /// Is freedom from deadlock proved?
    pub free: bool,
    /// By what; absent where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<DeadlockProof>,
    /// Uses of links, queues and engines that were looked at.
    pub uses: usize,
    /// Possible waits between them.
    pub waits: usize,
    /// Where it is not free: who holds what and waits for whom, each for the next one, the last for the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<DeadlockWait>,
}

/// One wait of a cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeadlockWait {
    /// Its place in the list of actions or transactions; absent for packets of any of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Action or transaction that holds and waits, as messages name it.
    pub holder: String,
    /// Link, queue or engine that it holds.
    pub holds: String,
    /// Link, queue or engine that it waits for, or whose end.
    pub waits_for: String,
}

/// Actions that may wait for each other forever.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe())]
pub struct Deadlock {
    /// The waits.
    pub cycle: Vec<DeadlockWait>,
    /// Was a state found that holds all of them? Otherwise a bound was reached, and nothing is proved.
    pub is_found: bool,
    /// The cycle, or the bound, in words.
    text: String,
    /// What is to happen to the actions.
    remedy: &'static str,
}

impl Deadlock {
    /// The error of a checker that found this.
    #[must_use]
    pub fn report(&self) -> DeadlockReport {
        DeadlockReport {
            cycle: self.cycle.clone(),
            ..DeadlockReport::default()
        }
    }

    fn of(network: &Network, cycle: &Cycle, remedy: &'static str) -> Self {
        let waits = cycle.waits.iter().map(|wait| DeadlockWait {
            index: wait.flow,
            holder: wait.holder.clone(),
            holds: wait.holds.describe(network),
            waits_for: wait.waits_for.describe(network),
        });
        Self {
            cycle: waits.collect(),
            is_found: cycle.is_certain,
            text: cycle.to_string(),
            remedy,
        }
    }

    /// Too many pairs of actions may be in flight together to look at all of them.
    fn too_many(bound: usize, remedy: &'static str) -> Self {
        Self {
            cycle: Vec::new(),
            is_found: false,
            text: format!("more than {bound} pairs may be in flight together"),
            remedy,
        }
    }

    fn describe(&self) -> String {
        let what = if self.is_found {
            "deadlock is possible"
        } else {
            "freedom from deadlock is not proved"
        };
        format!("{what}: {}; accepted: {}", self.text, self.remedy)
    }
}

const ORDER_THEM: &str = "actions that an `after`, a barrier or a reduction orders, or a network with router.flow = \
                          \"non_blocking\"";

/// Checks that nothing that may be in flight together can wait in a circle. [`crate::check()`] does it, behind form and space
/// and before races and the postcondition.
///
/// # Errors
/// [`CheckError::Deadlock`] with the cycle; [`CheckError::Field`] for an `after` between actions that share no participant.
pub fn check_deadlock(
    network: &Network,
    schedule: &Schedule,
) -> Result<DeadlockReport, CheckError> {
    let axi = match network.by_tiles() {
        TypedNetwork::Axi(axi) => axi,
        TypedNetwork::Cores(_) if network.routers().is_deadlock_free => return Ok(by_mechanism()),
        // Cores that leave units in their stores can bring the network to a standstill.
        TypedNetwork::Cores(tiles) => return words::check(network, tiles, schedule),
    };
    let activities = activities(network, schedule);
    if let Some(report) = free_without_search(network, schedule, &activities) {
        return Ok(report);
    }
    let order = if network.routers().is_sequential {
        Order::with_responses(network, &one_after_another(network, schedule))?
    } else {
        Order::with_responses(network, schedule)?
    };
    let overlaps = Overlaps::new(&order, &activities)
        .ok_or_else(|| refused(Deadlock::too_many(overlap::MAX_PAIRS, ORDER_THEM)))?;
    match check_program(axi, &activities, &overlaps) {
        Ok(proof) => Ok(proved(proof)),
        Err(cycle) => Err(refused(Deadlock::of(network, &cycle, ORDER_THEM))),
    }
}

fn free_without_search(
    network: &Network,
    schedule: &Schedule,
    activities: &[Activity],
) -> Option<DeadlockReport> {
    if is_free_by_mechanism(network, schedule) {
        return Some(by_mechanism());
    }
    is_free_by_kind(activities).then(|| proved(Proof { nodes: 0, waits: 0 }))
}

fn by_mechanism() -> DeadlockReport {
    DeadlockReport {
        free: true,
        proof: Some(DeadlockProof::Mechanism),
        ..DeadlockReport::default()
    }
}

/// The schedule as sequential tiles work on it: one action after the other.
fn one_after_another(network: &Network, schedule: &Schedule) -> Schedule {
    let mut last: BTreeMap<TileId, u32> = BTreeMap::new();
    let mut ordered = schedule.clone();
    for (index, action) in ordered.actions.iter_mut().enumerate() {
        for tile in participants(network, &action.kind) {
            if let Some(before) = last.insert(tile, index as u32) {
                action.after.push(ActionId(before));
            }
        }
    }
    ordered
}

fn refused(deadlock: Deadlock) -> CheckError {
    CheckError::Deadlock(Box::new(deadlock))
}

fn proved(proof: Proof) -> DeadlockReport {
    DeadlockReport {
        free: true,
        proof: Some(DeadlockProof::Search),
        uses: proof.nodes,
        waits: proof.waits,
        cycle: Vec::new(),
    }
}

/// Do router and endpoints allow no circular wait, whatever the schedule?
fn is_free_by_mechanism(network: &Network, schedule: &Schedule) -> bool {
    network.routers().is_deadlock_free && are_chains_safe(network, schedule)
}

/// Can schedules for which this holds overlap in any order without a deadlock? Programs of ranks call collectives of several
/// communicators at a time, and no checker sees them together. It holds for all schedules where routers and endpoints exclude
/// circular waits, elsewhere for plain writes and safe chains.
#[must_use]
pub fn may_overlap_others(network: &Network, schedule: &Schedule) -> bool {
    is_free_by_mechanism(network, schedule) || is_plain(&activities(network, schedule), false)
}

/// Nothing but writes from one tile to one other, or nothing but reads: routes turn from rows into columns only, so
/// neither can wait in a circle, whatever is in flight together.
fn is_free_by_kind(activities: &[Activity]) -> bool {
    is_plain(activities, true) || is_plain(activities, false)
}

/// Nothing but reads, or nothing but writes to one destination each. A safe chain adds writes whose bursts leave when their
/// destination has space for them, and takes its destinations in one order (`docs/design/0005`).
fn is_plain(activities: &[Activity], reads: bool) -> bool {
    activities.iter().all(|activity| match &activity.work {
        Work::Nothing => true,
        Work::Movement { read, write, .. } => {
            read.is_some() == reads
                && write.is_some() != reads
                && write.as_ref().is_none_or(|w| w.is_unicast())
        }
        Work::Chain { is_safe, .. } => *is_safe && !reads,
        Work::Flow(_) | Work::Rendezvous { .. } | Work::ListMulticast { .. } => false,
    })
}
