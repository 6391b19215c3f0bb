// SPDX-License-Identifier: Apache-2.0
//! Endpoints and their network interface.

use crate::{EspEndpoint, TorrentEndpoint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Network interface: AXI on one side, packets on the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkInterface {
    /// Bytes per beat of the wide AXI port: a power of two, 8 to 256.
    pub wide_beat_bytes: u32,
    /// Bytes per beat of the narrow AXI port. Only 8 is modelled.
    pub narrow_beat_bytes: u32,
    /// Beats of the longest burst, 1 to 256.
    pub max_burst_beats: u32,
    /// Bursts never cross a multiple of this many bytes.
    pub burst_boundary_bytes: u32,
    /// Wide bursts one NI may have outstanding, more than `max_open_reductions`.
    pub max_wide_outstanding: u32,
    /// Narrow transactions one NI may have outstanding.
    pub max_narrow_outstanding: u32,
    /// Reductions (wide and narrow counted apart) that may be open at one endpoint at a time, as contributor or as target.
    pub max_open_reductions: u32,
}

impl NetworkInterface {
    /// Wide beats that so many bytes take from the beginning of a beat on.
    #[must_use]
    #[inline]
    pub const fn beats(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.wide_beat())
    }

    /// Bytes of a wide beat; 1 where none is given, which no checked spec does.
    #[must_use]
    #[inline]
    pub const fn wide_beat(&self) -> u64 {
        if self.wide_beat_bytes == 0 {
            1
        } else {
            self.wide_beat_bytes as u64
        }
    }
}

/// Bytes of a core's FPU.
const FPU_BYTES: u32 = 8;

impl Cluster {
    /// Bytes that `compute_millicycles_per_beat` is per.
    pub const COMPUTE_BEAT_BYTES: u64 = 64;

    /// Cycles in which the FPUs of a cluster work off one addition of two wide beats, each of them 8 bytes per cycle.
    #[must_use]
    #[inline]
    pub const fn cycles_per_wide_addition(&self, ni: &NetworkInterface) -> u32 {
        let units = ni.wide_beat_bytes.div_ceil(FPU_BYTES);
        let cores = if self.num_cores == 0 {
            1
        } else {
            self.num_cores
        };
        units.div_ceil(cores)
    }
}

/// A compute cluster (S1 §2.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Size of the L1 scratchpad.
    pub l1_bytes: u64,
    /// Compute cores, each with one 64-bit SIMD FPU; fewer than a wide beat has units of 8 bytes share each of the
    /// network's additions over several cycles.
    pub num_cores: u32,
    /// Latency of one addition in the FPU pipeline.
    pub fpu: FpuLatency,
    /// Cycles of a `local_reduce` per 64 bytes, whatever the wide beat, in thousandths (1160 = 1.16 cycles per 64 bytes).
    pub compute_millicycles_per_beat: u32,
    /// Cycles from an agent's issue of a request to its first valid at the NI.
    pub request_path_cycles: u32,
    /// Cycles from the handshake of a response at the NI until the agent sees it.
    pub response_path_cycles: u32,
    /// Cycles from a request's handshake at the target NI until the L1 responds.
    pub l1_latency_cycles: u32,
    /// Cycles of an atomic at the L1.
    pub atomic_cycles: u32,
    /// DMA engine.
    pub dma: DmaEngine,
    /// Instructions that the cores run around transfers and barriers, one cycle each.
    pub instructions: CoreInstructions,
    /// Torrent endpoint (S3), if clusters have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torrent: Option<TorrentEndpoint>,
    /// What a cluster's DMA does on routers of flow `esp`, and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub esp: Option<EspEndpoint>,
}

/// FPU pipeline depth per element width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FpuLatency {
    /// FP64 and 64-bit integers.
    pub bits64_cycles: u32,
    /// FP32 and 32-bit integers.
    pub bits32_cycles: u32,
    /// 16-bit types.
    pub bits16_cycles: u32,
    /// 8-bit types.
    pub bits8_cycles: u32,
}

/// The cluster's DMA engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DmaEngine {
    /// Cycles from the start instruction to the first request leaving the engine.
    pub start_cycles: u32,
    /// Cycles from the last response entering the engine to the completion seen by the core.
    pub complete_cycles: u32,
    /// Beats the engine can hold between its read and its write side, more than the longest burst; it reads no further ahead.
    pub buffer_beats: u32,
    /// Transfers the engine works on at the same time.
    pub max_transfers: u32,
}

/// Instruction counts of the runtime (documented listing in `docs/papers/S1.md`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoreInstructions {
    /// Set up and start one DMA transfer of a single line.
    pub dma_start: u32,
    /// Set up and start one DMA transfer of several lines: strides and their number besides.
    pub dma_start_2d: u32,
    /// Leave the loop that polls for DMA completion.
    pub dma_wait: u32,
    /// Issue the store of a barrier (address, data, store).
    pub barrier_store: u32,
    /// Return from the fence and branch out of the barrier.
    pub barrier_leave: u32,
    /// One iteration of polling a local word.
    pub poll: u32,
    /// Enter the interrupt and return from wait-for-interrupt.
    pub interrupt_wake: u32,
    /// Fixed instructions around a `local_reduce` or `compute` kernel.
    pub compute_start: u32,
}

/// A memory tile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryTile {
    /// Size of the memory.
    pub bytes: u64,
    /// Cycles from a request's handshake at the target NI until the memory responds.
    pub latency_cycles: u32,
    /// Cycles of an atomic.
    pub atomic_cycles: u32,
    /// Bursts the memory works on at a time.
    pub max_outstanding: u32,
}
