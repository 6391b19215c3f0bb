// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic: injection that does not wait for answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Spatial pattern over the clusters; a tile (x, y) of a W×H region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Any cluster but oneself, equally likely.
    Uniform,
    /// (x, y) → (y, x); needs a square region.
    Transpose,
    /// (x, y) → (W-1-x, H-1-y).
    BitComplement,
    /// (x, y) → (x+1 mod W, y).
    Neighbour,
    /// All to the cluster at the centre.
    Hotspot,
    /// Every tile multicasts to its row, itself included.
    RowMulticast,
}

/// Open-loop wide writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Where packets go.
    pub pattern: Pattern,
    /// Beats per write burst, 1 to the NI's longest burst.
    pub beats: u32,
    /// Beats offered per cluster and cycle, 0 to 1.
    pub offered_beats_per_cycle: f64,
    /// Cycles before measuring starts.
    pub warmup_cycles: u64,
    /// Cycles measured.
    pub measure_cycles: u64,
    /// Seed of the injection and destination streams.
    pub seed: u64,
}
