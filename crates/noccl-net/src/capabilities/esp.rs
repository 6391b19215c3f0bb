// SPDX-License-Identifier: Apache-2.0
//! ESP's routers: a packet takes all outputs of a tree at once and moves over them in lock-step.

use super::{Carries, Multicasts, Reduces, RouterCapabilities};
use crate::deadlock::{
    BarrierCounters, Buffers, Forks, Joins, Mechanism, OperandStore, ReadData, ReductionUnit,
    Responses,
};

pub(super) static ROUTERS: RouterCapabilities = RouterCapabilities {
    carries: Carries::ListMulticasts,
    multicasts: Multicasts::List,
    has_links: true,
    reduces: Reduces::Nothing,
    joins_several: false,
    adds_in_fixed_order: true,
    shares_results: false,
    computes_in_memories: false,
    is_deadlock_free: false,
    address_flits: 1,
    returns_own_copy: true,
    lets_others_between: false,
    asks_one_destination: true,
    is_sequential: true,
    no_hardware: Some("ESP's routers have RTL of their authors"),
    mechanism: Mechanism {
        buffers: Buffers::Fifos,
        forks: Forks::HoldOutputs,
        joins: Joins::BlockHeads,
        operand_store: OperandStore::ByWindow,
        barrier_counters: BarrierCounters::WithinLimit,
        read_data: ReadData::Reserved,
        responses: Responses::Reserved,
        reduction_unit: ReductionUnit::ResultReserved,
        extra_turns: Vec::new(),
    },
};
