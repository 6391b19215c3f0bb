// SPDX-License-Identifier: Apache-2.0
//! How to run.

use crate::RunError;
use noccl_net::TileRef;
use noccl_spec::Plane;
use noccl_workload::number::is_drawn;
use serde::{Deserialize, Serialize};

/// What travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Payload bytes move through the network and are written to memories.
    Value,
    /// Only contributor counts and checksums move; every event has the same cycle.
    Timing,
}

/// Random stalls at the endpoints, for stress tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StallConfig {
    /// In 1/256: how often a target does not accept a flit that it could accept.
    pub target_stall_per_256: u32,
    /// In 1/256: how often an initiator does not offer a beat that it could offer.
    pub initiator_stall_per_256: u32,
}

/// Most threads of one run: more than the parts that the largest mesh is cut into help nobody.
pub const MAX_THREADS: usize = 256;

/// Most bytes of inputs and outputs together that a run in value mode keeps; the host holds them several times.
pub const MAX_VALUE_BYTES: u64 = 1 << 30;

/// Options of a run; every random stream is named and seeded here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunConfig {
    /// Value or timing mode.
    pub mode: Mode,
    /// Seed of the stall stream.
    pub stall_seed: u64,
    /// Endpoint stalls; `None` for endpoints that are always ready.
    pub stalls: Option<StallConfig>,
    /// In 1/256: how often an AXI port behind an NI is not ready ([`AxiPort`]); 0 for ports that always are.
    pub port_stall_per_256: u32,
    /// Give up (with a diagnosis) after this many cycles.
    pub max_cycles: u64,
    /// A run in which nothing moves for this many cycles, and no event is due, has stalled.
    pub stall_cycles: u64,
    /// On core tiles: does a round of messages begin when all earlier ones have come? An ideal machine; cores alone drift.
    pub is_lock_step: bool,
    /// On core tiles: seed of the noise that the spec describes; `None` for cores that nobody interrupts.
    pub noise_seed: Option<u64>,
    /// On core tiles, in runs with noise: each core begins at a time of its own, 0 to so many cycles, all equally likely.
    pub start_skew_cycles: u64,
    /// Worker threads, 1 to [`MAX_THREADS`]; results do not depend on it.
    pub threads: usize,
}

impl RunConfig {
    /// The cycle that a run in which nothing moves goes on with: that of the next event, but not beyond its end.
    #[must_use]
    pub fn skip_to(&self, next: u64, event: u64) -> u64 {
        event.max(next).min(self.max_cycles.max(next))
    }

    /// One thread, no stalls, a generous limit.
    #[must_use]
    pub const fn new(mode: Mode) -> Self {
        Self {
            mode,
            stall_seed: 0,
            stalls: None,
            port_stall_per_256: 0,
            max_cycles: 1 << 40,
            stall_cycles: 2_000,
            is_lock_step: false,
            noise_seed: None,
            start_skew_cycles: 0,
            threads: 1,
        }
    }

    /// Can a run have these options?
    ///
    /// # Errors
    /// [`RunError::Refused`] with what would be accepted.
    pub fn check(&self) -> Result<(), RunError> {
        if (1..=MAX_THREADS).contains(&self.threads) {
            return Ok(());
        }
        Err(RunError::Refused {
            backend: "sim",
            what: format!("threads = {}", self.threads),
            reason: format!("accepted: 1 to {MAX_THREADS}"),
        })
    }

    /// Does a tile's Local port stand still in this cycle: its output, or its input?
    ///
    /// A seeded coin per plane, tile, side and cycle: no state, so that it depends on no order.
    #[must_use]
    pub fn is_held(&self, cycle: u64, plane: Plane, tile: usize, side: LocalSide) -> bool {
        let Some(stalls) = self.stalls else {
            return false;
        };
        let (place, per_256) = match side {
            LocalSide::Output => (tile, stalls.target_stall_per_256),
            LocalSide::Input { tiles } => (tile + tiles, stalls.initiator_stall_per_256),
        };
        let key = cycle << 24 ^ (place as u64) << 2 ^ plane.idx() as u64;
        is_drawn(self.stall_seed, key, per_256)
    }

    /// Is an AXI port of a tile not ready in this cycle? A seeded coin per tile, port and cycle.
    #[must_use]
    pub fn is_busy(&self, cycle: u64, tile: usize, port: AxiPort) -> bool {
        let key = cycle << 24 ^ (tile as u64) << 4 ^ 8 ^ port as u64;
        is_drawn(!self.stall_seed, key, self.port_stall_per_256)
    }
}

/// AXI port behind an NI, by what it may not be ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxiPort {
    /// Memory: AW and W of wide writes, own copies of multicasts excepted.
    WideWrite = 0,
    /// Memory: AR of wide reads.
    WideRead = 1,
    /// Memory and registers: AW and W of narrow writes, atomics and whole barriers, own copies excepted.
    NarrowWrite = 2,
    /// Memory and registers: AR of narrow reads.
    NarrowRead = 3,
    /// Manager: R of wide reads.
    WideData = 4,
}

impl AxiPort {
    /// All ports.
    pub const ALL: [Self; 5] = [
        Self::WideWrite,
        Self::WideRead,
        Self::NarrowWrite,
        Self::NarrowRead,
        Self::WideData,
    ];
}

/// Which Local port of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalSide {
    /// Towards the network interface: a target that does not accept.
    Output,
    /// From it, in a network of so many tiles: an initiator that does not offer.
    Input {
        /// Tiles of the network.
        tiles: usize,
    },
}

/// Bytes at a place in a tile's memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryImage {
    /// Tile.
    pub tile: TileRef,
    /// Offset of the first byte.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}
