// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic: injection that does not wait for responses.

use crate::WorkloadError;
use crate::number::{UnknownName, find};
use noccl_net::capabilities::{Carries, Multicasts};
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
    /// Every tile to all others; the copy for itself comes too where a set is a multi-address.
    Broadcast,
    /// The same from the four corners alone.
    CornerBroadcast,
    /// Every tile to 2 to 63 others, number and members equally likely.
    RandomMulticast,
    /// All others contribute a flit to a reduction, whose root is equally likely; at most one reduction starts per cycle.
    ManyToOne,
}

/// Most members of a random multicast.
pub const MAX_RANDOM_MEMBERS: u32 = 63;

/// Open-loop wide writes, multicasts or reductions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Where packets go.
    pub pattern: Pattern,
    /// Beats per write burst, 1 to the longest packet of the interfaces; 1 of reductions.
    pub beats: u32,
    /// Beats offered per cluster that sends and cycle, 0 to 1; of `many_to_one` reductions per cycle of the whole mesh.
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
    pub const ALL: [Pattern; 11] = [
        Pattern::Uniform,
        Pattern::Transpose,
        Pattern::BitComplement,
        Pattern::Neighbour,
        Pattern::Tornado,
        Pattern::Hotspot,
        Pattern::RowMulticast,
        Pattern::Broadcast,
        Pattern::CornerBroadcast,
        Pattern::RandomMulticast,
        Pattern::ManyToOne,
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
            Pattern::Broadcast => "broadcast",
            Pattern::CornerBroadcast => "corner_broadcast",
            Pattern::RandomMulticast => "random_multicast",
            Pattern::ManyToOne => "many_to_one",
        }
    }

    /// Does each packet go to one cluster?
    #[must_use]
    pub const fn is_unicast(self) -> bool {
        match self {
            Pattern::Uniform
            | Pattern::Transpose
            | Pattern::BitComplement
            | Pattern::Neighbour
            | Pattern::Tornado
            | Pattern::Hotspot => true,
            Pattern::RowMulticast
            | Pattern::Broadcast
            | Pattern::CornerBroadcast
            | Pattern::RandomMulticast
            | Pattern::ManyToOne => false,
        }
    }

    /// Is a packet late until the last copy or contribution has come? Else every copy has a latency of its own.
    #[must_use]
    pub const fn is_collective(self) -> bool {
        match self {
            Pattern::Broadcast
            | Pattern::CornerBroadcast
            | Pattern::RandomMulticast
            | Pattern::ManyToOne => true,
            Pattern::Uniform
            | Pattern::Transpose
            | Pattern::BitComplement
            | Pattern::Neighbour
            | Pattern::Tornado
            | Pattern::Hotspot
            | Pattern::RowMulticast => false,
        }
    }

    /// Are its loads those of the whole mesh, and not of each cluster?
    #[must_use]
    pub const fn is_of_mesh(self) -> bool {
        matches!(self, Pattern::ManyToOne)
    }

    /// Does a cluster of `width` by `height` send packets?
    #[must_use]
    pub const fn sends(self, from: Coord, width: u16, height: u16) -> bool {
        let is_corner =
            (from.x == 0 || from.x + 1 == width) && (from.y == 0 || from.y + 1 == height);
        is_corner || !matches!(self, Pattern::CornerBroadcast)
    }

    /// Clusters of `width` by `height` of which each has the load that is offered; of loads of the whole mesh that is one.
    #[must_use]
    pub fn num_senders(self, width: u16, height: u16) -> usize {
        if self.is_of_mesh() {
            return 1;
        }
        let places = (0..width).flat_map(|x| (0..height).map(move |y| Coord::new(x, y)));
        places.filter(|at| self.sends(*at, width, height)).count()
    }

    /// Where all packets of a cluster go, of `width` by `height` clusters; none where that is drawn, or several.
    #[must_use]
    pub const fn destination(self, from: Coord, width: u16, height: u16) -> Option<Coord> {
        let Coord { x, y } = from;
        Some(match self {
            Pattern::Uniform
            | Pattern::RowMulticast
            | Pattern::Broadcast
            | Pattern::CornerBroadcast
            | Pattern::RandomMulticast
            | Pattern::ManyToOne => return None,
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
    let (max_beats, field) = network.longest_packet_beats();
    if traffic.beats == 0 || traffic.beats > max_beats {
        let accepted = format!("1 to {max_beats} ({field})");
        return fail("beats", &traffic.beats, accepted);
    }
    if traffic.pattern == Pattern::ManyToOne && traffic.beats != 1 {
        let accepted = "1: a contribution is one flit".to_owned();
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
    check_pattern(network, traffic.pattern)
}

/// Can the clusters of a network send by a pattern, and its routers carry what they send?
///
/// # Errors
/// [`WorkloadError::Field`] of `pattern`, with what would be accepted.
pub fn check_pattern(network: &Network, pattern: Pattern) -> Result<(), WorkloadError> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let routers = network.routers();
    let clusters = u32::from(width) * u32::from(height);
    let are_powers = width.is_power_of_two() && height.is_power_of_two();
    if routers.carries_words() && !pattern.is_unicast() {
        return Err(WorkloadError::Field {
            field: "pattern".to_owned(),
            found: pattern.to_string(),
            accepted: "uniform, transpose, bit_complement, neighbour, tornado or hotspot: between cores a packet goes to one of them"
                .to_owned(),
        });
    }
    let accepted = match pattern {
        Pattern::Uniform if clusters < 2 => "at least two clusters",
        Pattern::Transpose if width != height => "a square of clusters",
        Pattern::Tornado if width < 3 => "at least three columns of clusters",
        Pattern::RowMulticast if !width.is_power_of_two() => {
            "rows that are one multi-address: a number of columns that is a power of two"
        }
        Pattern::RowMulticast if routers.multicasts == Multicasts::Nothing => {
            "routers that multicast to any set or a multi-address"
        }
        Pattern::Broadcast | Pattern::CornerBroadcast if clusters < 2 => "at least two clusters",
        Pattern::Broadcast | Pattern::CornerBroadcast => match routers.multicasts {
            Multicasts::AnySet => return Ok(()),
            Multicasts::MultiAddress if are_powers => return Ok(()),
            Multicasts::MultiAddress => {
                "clusters that are one multi-address: columns and rows that are powers of two"
            }
            Multicasts::List | Multicasts::Nothing => {
                "routers that multicast to any set or a multi-address"
            }
        },
        Pattern::RandomMulticast if clusters < 3 => "at least three clusters",
        Pattern::RandomMulticast => match routers.multicasts {
            Multicasts::AnySet => return Ok(()),
            Multicasts::MultiAddress | Multicasts::List | Multicasts::Nothing => {
                "routers that multicast to any set"
            }
        },
        Pattern::ManyToOne if clusters < 2 => "at least two clusters",
        Pattern::ManyToOne => match routers.carries {
            Carries::Messages => return Ok(()),
            Carries::Transactions | Carries::ListMulticasts | Carries::Words => {
                "routers that carry contributions as messages"
            }
        },
        Pattern::Uniform
        | Pattern::Transpose
        | Pattern::BitComplement
        | Pattern::Neighbour
        | Pattern::Tornado
        | Pattern::Hotspot
        | Pattern::RowMulticast => return Ok(()),
    };
    Err(WorkloadError::Field {
        field: "pattern".to_owned(),
        found: pattern.to_string(),
        accepted: format!("{accepted}; there are {width}x{height}"),
    })
}
