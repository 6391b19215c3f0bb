// SPDX-License-Identifier: Apache-2.0
//! How long a schedule takes where many transfers share links: an estimate that costs microseconds per action.
//!
//! Clusters work as the simulator's do, event by event: a control core starts transfers in the order of the file, a DMA
//! engine has a few in progress, cores add, deliveries wake their destination. What the network does with beats is not followed: a
//! transfer is a *flow*, which leaves at the same rate over all links of its path, from its first beat to its last.
//! A link gives equal shares to the inputs that send over it, as its round robin does. So the time that an
//! estimate takes depends on the number of transfers and not on their bytes.
//!
//! Left out: full FIFOs that hold up flows which do not need the busy link, responses that wait for each other,
//! reductions by the routers (refused: [`crate::predict`] knows them).

mod links;
mod movement;
mod run;
mod sync;

use crate::ModelError;
use crate::predict::runtime;
use noccl_net::Network;
use noccl_workload::Schedule;

/// What is expected of a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowEstimate {
    /// Cycles from the start of the first transfer to the end of the last action; of barriers alone from the first entry.
    pub cycles: f64,
    /// Per action: cycle of its first participant's start, cycle of its last one's end; cycle 0 is the start of the run.
    pub actions: Vec<(f64, f64)>,
}

/// Estimates a schedule of transfers, deliveries, additions, computation, barriers and arrivals. The same schedule gives the same
/// cycles everywhere.
///
/// # Errors
/// [`ModelError::NotModelled`] for routers that carry no transactions (messages, lists, words);
/// [`ModelError::Schedule`] for actions in which routers or endpoints work (reductions, chains), for tiles that do not
/// exist, and for a schedule that never ends. Everything else is the checker's business.
pub fn estimate_cycles(network: &Network, schedule: &Schedule) -> Result<FlowEstimate, ModelError> {
    let axi = network.as_axi();
    let Some(axi) = axi.filter(|axi| axi.routers().carries_transactions()) else {
        return Err(ModelError::NotModelled {
            field: "router.flow".to_owned(),
            found: format!("\"{}\"", network.spec().flow_name()),
            accepted: "\"non_blocking\", \"published\" or \"ideal\"".to_owned(),
        });
    };
    let actions = run::Run::new(axi, schedule)?.times()?;
    Ok(FlowEstimate {
        cycles: runtime(schedule, &actions),
        actions,
    })
}
