// SPDX-License-Identifier: Apache-2.0
//! S2's routers: flits pass several of them in a cycle. Forks go on by output, contributions are counted in a table and hold no
//! channel, so waits close no circle (`docs/design/0010-smart.md`).

use super::{Carries, Multicasts, Reduces, RouterCapabilities};
use crate::deadlock::{
    BarrierCounters, Buffers, Forks, Joins, Mechanism, OperandStore, OrderClasses, ReadData,
    ReductionUnit, Responses,
};

pub(super) static ROUTERS: RouterCapabilities = RouterCapabilities {
    carries: Carries::Messages,
    multicasts: Multicasts::AnySet,
    has_links: true,
    reduces: Reduces::AllInputs,
    joins_several: true,
    shares_results: false,
    is_deadlock_free: true,
    address_flits: 0,
    returns_own_copy: false,
    lets_others_between: true,
    asks_one_destination: false,
    is_sequential: false,
    no_hardware: Some("S2's routers have no RTL yet"),
    mechanism: Mechanism {
        buffers: Buffers::Channels(OrderClasses::Three),
        forks: Forks::PerOutput,
        joins: Joins::SetAside,
        operand_store: OperandStore::ByWindow,
        barrier_counters: BarrierCounters::WithinLimit,
        read_data: ReadData::Reserved,
        responses: Responses::Reserved,
        reduction_unit: ReductionUnit::BehindStore,
        extra_turns: Vec::new(),
    },
};
