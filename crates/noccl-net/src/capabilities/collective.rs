// SPDX-License-Identifier: Apache-2.0
//! Routers of a collective NoC that never block: beats are packets, operands wait in stores, contributions in tables.

use super::{Carries, Multicasts, Reduces, RouterCapabilities};
use crate::deadlock::{
    BarrierCounters, Buffers, Forks, Joins, Mechanism, OperandStore, ReadData, ReductionUnit,
    Responses,
};

pub(super) static ROUTERS: RouterCapabilities = capabilities(None);

/// Those that flits pass in flight: what they do, they could do by ordinary moves (`docs/design/0012-bypass.md`).
pub(super) static WITH_BYPASS: RouterCapabilities =
    capabilities(Some("routers with router.bypass have no RTL yet"));

const fn capabilities(no_hardware: Option<&'static str>) -> RouterCapabilities {
    RouterCapabilities {
        carries: Carries::Transactions,
        multicasts: Multicasts::MultiAddress,
        has_links: true,
        reduces: Reduces::AllInputs,
        joins_several: true,
        adds_in_fixed_order: true,
        shares_results: true,
        computes_in_memories: true,
        is_deadlock_free: true,
        address_flits: 0,
        returns_own_copy: false,
        lets_others_between: false,
        asks_one_destination: false,
        is_sequential: false,
        no_hardware,
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
