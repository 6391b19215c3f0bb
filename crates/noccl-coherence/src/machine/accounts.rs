// SPDX-License-Identifier: Apache-2.0
//! What a run has done.

use super::Machine;
use crate::protocol::{Flow, Protocol};
use noccl_net::counts::count_so_far;
use std::collections::BTreeMap;

/// While it runs.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    pub references: u64,
    pub synchronisations: u64,
    pub misses: u64,
    pub miss_cycles: u64,
    pub evictions: u64,
    pub repeats: u64,
    pub end_cycle: u64,
    /// Entries of the reduction table in use, summed over cycles.
    pub open_entries: u64,
    /// Broadcasts over the network, and from each to its last copy.
    pub broadcasts: u64,
    pub broadcast_cycles: u64,
    pub flows: BTreeMap<Flow, u64>,
    /// Reductions with an entry, and what their roots have received; the same without.
    pub counted: (u64, u64),
    pub uncounted: (u64, u64),
}

/// What a run has done, and what it has cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// From the first reference to the last.
    pub cycles: u64,
    /// References of the program.
    pub references: u64,
    /// Accesses of locks, barriers, starts and joins.
    pub synchronisations: u64,
    /// Of both.
    pub misses: u64,
    /// From a miss to its line; absent without misses.
    pub mean_miss_cycles: Option<f64>,
    /// Lines that have left a cache for others.
    pub evictions: u64,
    /// Requests that were repeated.
    pub repeats: u64,
    /// Messages by kind; a broadcast and the acknowledgements to one requester are one each.
    pub flows: BTreeMap<Flow, u64>,
    /// From a broadcast to its last copy.
    pub mean_broadcast_cycles: Option<f64>,
    /// Acknowledgements that a requester has received in the mean, merged ones as one.
    pub received_per_flow: Option<f64>,
    /// The same of flows with an entry of the reduction table.
    pub received_per_counted_flow: Option<f64>,
    /// Flows that have found the table full.
    pub uncounted_flows: u64,
    /// Entries of the reduction table that are in use in the mean; absent without cycles.
    pub mean_table_entries: Option<f64>,
    /// Flits over links.
    pub flit_hops: u64,
    /// Flits that routers have buffered.
    pub buffered_flits: u64,
    /// Flits that interfaces have taken.
    pub delivered_flits: u64,
}

impl Counts {
    /// Flows of all kinds.
    #[must_use]
    pub fn num_flows(&self) -> u64 {
        self.flows.values().sum()
    }

    /// Part of the flows that are of a kind.
    #[must_use]
    pub fn share(&self, flow: Flow) -> f64 {
        let flows = count_so_far(self.flows.get(&flow));
        flows as f64 / self.num_flows().max(1) as f64
    }
}

impl<P: Protocol> Machine<'_, P> {
    pub(super) fn counts(&self) -> Counts {
        let accounts = &self.accounts;
        let mean = |sum: u64, of: u64| (of > 0).then(|| sum as f64 / of as f64);
        let ((counted, of_counted), (uncounted, of_uncounted)) =
            (accounts.counted, accounts.uncounted);
        let network = &self.transport.network;
        Counts {
            cycles: accounts.end_cycle,
            references: accounts.references,
            synchronisations: accounts.synchronisations,
            misses: accounts.misses,
            mean_miss_cycles: mean(accounts.miss_cycles, accounts.misses),
            evictions: accounts.evictions,
            repeats: accounts.repeats,
            flows: accounts.flows.clone(),
            mean_broadcast_cycles: mean(accounts.broadcast_cycles, accounts.broadcasts),
            received_per_flow: mean(of_counted + of_uncounted, counted + uncounted),
            received_per_counted_flow: mean(of_counted, counted),
            uncounted_flows: uncounted,
            mean_table_entries: mean(accounts.open_entries, accounts.end_cycle),
            flit_hops: network.flit_hops(),
            buffered_flits: network.buffered_flits(),
            delivered_flits: network.delivered_flits(),
        }
    }
}
