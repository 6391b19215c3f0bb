// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic: injection that does not wait for responses.

use crate::WorkloadError;
use crate::number::{UnknownName, find};
use noccl_net::{Coord, Network};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Most cycles of warm-up, and most measured ones: with the drain, a run ends within 2^40 cycles.
pub const MAX_TRAFFIC_CYCLES: u64 = 1 << 36;

/// Version of the traffic format this library reads and writes.
pub const TRAFFIC_FORMAT: u32 = 1;

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
    /// (x, y) → (x + ⌈W/2⌉ − 1 mod W, y): as far as it goes in one direction of a ring; needs three columns.
    Tornado,
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
    /// Cycles before measuring starts, at most 2^36.
    pub warmup_cycles: u64,
    /// Cycles measured, 1 to 2^36.
    pub measure_cycles: u64,
    /// Seed of the injection and destination streams.
    pub seed: u64,
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Pattern; 7] = [
        Pattern::Uniform,
        Pattern::Transpose,
        Pattern::BitComplement,
        Pattern::Neighbour,
        Pattern::Tornado,
        Pattern::Hotspot,
        Pattern::RowMulticast,
    ];

    /// Name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Pattern::Uniform => "uniform",
            Pattern::Transpose => "transpose",
            Pattern::BitComplement => "bit_complement",
            Pattern::Neighbour => "neighbour",
            Pattern::Tornado => "tornado",
            Pattern::Hotspot => "hotspot",
            Pattern::RowMulticast => "row_multicast",
        }
    }

    /// Where all packets of a cluster go, of `width` by `height` clusters; none where that is drawn, or several.
    #[must_use]
    pub const fn destination(self, from: Coord, width: u16, height: u16) -> Option<Coord> {
        let Coord { x, y } = from;
        Some(match self {
            Pattern::Uniform | Pattern::RowMulticast => return None,
            Pattern::Transpose => Coord::new(y, x),
            Pattern::BitComplement => Coord::new(width - 1 - x, height - 1 - y),
            Pattern::Neighbour => Coord::new((x + 1) % width, y),
            Pattern::Tornado => Coord::new((x + width.div_ceil(2) - 1) % width, y),
            Pattern::Hotspot => Coord::new(width / 2, height / 2),
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Pattern {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        find("traffic pattern", text, &Self::ALL, Self::name)
    }
}

/// Is the traffic possible on this network?
///
/// # Errors
/// [`WorkloadError::Field`] naming the field and what would be accepted.
pub fn check_traffic(network: &Network, traffic: &Traffic) -> Result<(), WorkloadError> {
    let fail = |field: &str, found: &dyn fmt::Display, accepted: String| {
        Err(WorkloadError::Field {
            field: field.to_owned(),
            found: found.to_string(),
            accepted,
        })
    };
    let max_beats = network.spec().ni.max_burst_beats;
    if traffic.beats == 0 || traffic.beats > max_beats {
        let accepted = format!("1 to {max_beats} (ni.max_burst_beats)");
        return fail("beats", &traffic.beats, accepted);
    }
    // Not a number fails too.
    let rate = traffic.offered_beats_per_cycle;
    if !(rate > 0.0 && rate <= 1.0) {
        let accepted = "above 0, at most 1".to_owned();
        return fail("offered_beats_per_cycle", &rate, accepted);
    }
    for (field, cycles, least) in [
        ("warmup_cycles", traffic.warmup_cycles, 0),
        ("measure_cycles", traffic.measure_cycles, 1),
    ] {
        if !(least..=MAX_TRAFFIC_CYCLES).contains(&cycles) {
            let accepted = format!("{least} to 2^36 = {MAX_TRAFFIC_CYCLES}");
            return fail(field, &cycles, accepted);
        }
    }
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let accepted = match traffic.pattern {
        Pattern::Uniform if width == 1 && height == 1 => "at least two clusters",
        Pattern::Transpose if width != height => "a square of clusters",
        Pattern::Tornado if width < 3 => "at least three columns of clusters",
        Pattern::RowMulticast if !width.is_power_of_two() => {
            "rows that are one multi-address: a number of columns that is a power of two"
        }
        Pattern::Uniform
        | Pattern::Transpose
        | Pattern::BitComplement
        | Pattern::Neighbour
        | Pattern::Tornado
        | Pattern::Hotspot
        | Pattern::RowMulticast => return Ok(()),
    };
    let accepted = format!("{accepted}; there are {width} x {height}");
    fail("pattern", &traffic.pattern, accepted)
}
