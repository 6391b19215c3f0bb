// SPDX-License-Identifier: Apache-2.0
//! Routers between cores (S4): wormholes with XY routes over one FIFO per input, and a static network beside.
//!
//! XY routes close no circle, so nobody waits for ever as long as every destination takes what comes. Cores do if they drain their
//! queues whenever they stand still; else a core that waits for one message keeps others in the network, which can come to a standstill.

use super::{Carries, Multicasts, Reduces, RouterCapabilities};
use crate::deadlock::{
    BarrierCounters, Buffers, Forks, Joins, Mechanism, OperandStore, ReadData, ReductionUnit,
    Responses,
};
use noccl_spec::{Core, DrainRule};

/// Of cores that always take what comes.
static ROUTERS: RouterCapabilities = capabilities_if(true);

/// Of cores that do not.
static UNDRAINED: RouterCapabilities = capabilities_if(false);

pub(super) const fn capabilities(core: &Core) -> &'static RouterCapabilities {
    match core.drain {
        DrainRule::Always => &ROUTERS,
        DrainRule::InReceive | DrainRule::Never => &UNDRAINED,
    }
}

const fn capabilities_if(is_deadlock_free: bool) -> RouterCapabilities {
    RouterCapabilities {
        carries: Carries::Words,
        multicasts: Multicasts::Nothing,
        has_links: true,
        reduces: Reduces::Nothing,
        joins_several: false,
        adds_in_fixed_order: true,
        shares_results: false,
        computes_in_memories: false,
        is_deadlock_free,
        address_flits: 0,
        returns_own_copy: false,
        lets_others_between: false,
        asks_one_destination: false,
        is_sequential: false,
        no_hardware: Some("routers between cores have no RTL here"),
        mechanism: Mechanism {
            buffers: Buffers::Fifos,
            forks: Forks::PerOutput,
            joins: Joins::SetAside,
            operand_store: OperandStore::ByWindow,
            barrier_counters: BarrierCounters::WithinLimit,
            read_data: ReadData::Reserved,
            responses: Responses::Reserved,
            reduction_unit: ReductionUnit::BehindStore,
            extra_turns: Vec::new(),
        },
    }
}
