// SPDX-License-Identifier: Apache-2.0
//! The published routers of S1: packets hold the outputs of a fork, contributions are joined at the heads of FIFOs.

use super::{Carries, Multicasts, Reduces, RouterCapabilities};
use crate::deadlock::{
    BarrierCounters, Buffers, Forks, Joins, Mechanism, OperandStore, ReadData, ReductionUnit,
    Responses,
};

pub(super) static ROUTERS: RouterCapabilities = RouterCapabilities {
    carries: Carries::Transactions,
    multicasts: Multicasts::MultiAddress,
    has_links: true,
    reduces: Reduces::TwoInputs,
    joins_several: false,
    adds_in_fixed_order: true,
    shares_results: false,
    computes_in_memories: true,
    is_deadlock_free: false,
    address_flits: 1,
    returns_own_copy: true,
    lets_others_between: true,
    asks_one_destination: true,
    is_sequential: false,
    no_hardware: Some("the published router has RTL of its authors"),
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
