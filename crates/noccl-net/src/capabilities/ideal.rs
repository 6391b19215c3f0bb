// SPDX-License-Identifier: Apache-2.0
//! An ideal crossbar: it takes whatever comes, so nobody waits for anybody in the network.

use super::{Carries, Multicasts, Reduces, RouterCapabilities};
use crate::deadlock::{
    BarrierCounters, Buffers, Forks, Joins, Mechanism, OperandStore, ReadData, ReductionUnit,
    Responses,
};

pub(super) static ROUTERS: RouterCapabilities = RouterCapabilities {
    carries: Carries::Transactions,
    multicasts: Multicasts::MultiAddress,
    has_links: false,
    reduces: Reduces::AllInputs,
    joins_several: true,
    adds_in_fixed_order: true,
    shares_results: false,
    computes_in_memories: true,
    is_deadlock_free: true,
    address_flits: 0,
    returns_own_copy: false,
    lets_others_between: false,
    asks_one_destination: false,
    is_sequential: false,
    no_hardware: Some("an ideal crossbar is a baseline and cannot be built"),
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
};
