// SPDX-License-Identifier: Apache-2.0
//! What a run reports.

use crate::MemoryImage;
use noccl_net::LinkId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When an action (or a transaction of a trace) ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionTime {
    /// First participant's start: the agent begins the first instruction (trace: first valid at the port).
    pub start_cycle: u64,
    /// Last participant's end: the agent has seen completion (trace: handshake of the last response).
    pub finish_cycle: u64,
}

/// Event counters; energy is arithmetic on them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counters {
    /// Flits that crossed a router-to-router link, all planes.
    pub flit_hops: u64,
    /// Payload bytes that crossed a router-to-router link.
    pub payload_byte_hops: u64,
    /// Bytes read by DMA engines from a memory.
    pub dma_load_bytes: u64,
    /// Bytes written by DMA engines (a multicast counts once).
    pub dma_store_bytes: u64,
    /// Bytes written into scratchpads.
    pub spm_write_bytes: u64,
    /// Element operations of in-network reductions.
    pub dca_ops: u64,
    /// Element operations of reductions by cores.
    pub software_reduce_ops: u64,
    /// Multiply-adds of kernels.
    pub gemm_ops: u64,
    /// Error responses delivered (SLVERR, DECERR).
    pub error_responses: u64,
}

/// Flits over one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkLoad {
    /// Link.
    pub link: LinkId,
    /// Flits in the whole run.
    pub flits: u64,
}

/// Result of a finished run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunResult {
    /// Cycle in which the last event happened.
    pub cycles: u64,
    /// One entry per action or transaction, in their order.
    pub actions: Vec<ActionTime>,
    /// Worst response code per action or transaction: 0 OKAY, 2 SLVERR, 3 DECERR.
    pub responses: Vec<u8>,
    /// Event counters.
    pub counters: Counters,
    /// Links that carried at least one flit.
    pub links: Vec<LinkLoad>,
    /// Value mode: the requested memory afterwards.
    pub memory: Vec<MemoryImage>,
    /// Digest over all payload that arrived anywhere (same in value and timing mode runs of one kind only).
    pub checksum: u64,
    /// Transactions whose delivered bytes differ from the expected ones.
    pub wrong_transactions: u64,
    /// On core tiles: cycles in which the first word of a FIFO wanted a link between routers and could not go on, over all links.
    #[serde(default)]
    pub blocked_link_cycles: Option<u64>,
}

/// Progress of a long run, given to a callback now and then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Cycle reached.
    pub cycle: u64,
    /// Actions finished.
    pub actions_done: usize,
    /// Actions in all.
    pub actions_total: usize,
}

/// Result of an open-loop run. Latency: from a packet's creation to the handshake of its last beat at its target, of broadcasts, random
/// multicasts and reductions at the last of their targets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficResult {
    /// Beats offered per cluster that sends and cycle; reductions per cycle of the whole mesh.
    pub offered_beats_per_cycle: f64,
    /// Beats delivered per cluster and cycle while measuring (a multicast counts once per target); reductions completed per cycle of
    /// the whole mesh.
    pub accepted_beats_per_cycle: f64,
    /// Mean latency in cycles of the packets created while measuring.
    pub mean_latency_cycles: f64,
    /// 99th percentile of the latency.
    pub p99_latency_cycles: u64,
    /// Largest latency.
    pub max_latency_cycles: u64,
    /// Packets created while measuring.
    pub packets: u64,
    /// Flit-hops of the whole run.
    pub flit_hops: u64,
    /// Cycles of the whole run, drain included.
    pub cycles: u64,
    /// Did the source queues grow without bound?
    pub saturated: bool,
    /// Broadcasts, random multicasts or reductions that the whole mesh has completed per cycle while measuring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_flows_per_cycle: Option<f64>,
    /// Contributions that a root has got per reduction, combined ones counted once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_per_flow: Option<f64>,
    /// Reductions in flight, mean over the measured cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_flows: Option<f64>,
    /// Cycles that a contribution stands in a router beyond those of an idle one, mean over routers that combine contributions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contribution_wait_cycles: Option<f64>,
}
