// SPDX-License-Identifier: Apache-2.0
//! What is compared: a mechanism as a network, the algorithms that may use it, and the rows of synthesis that it consists of.

use noccl_coll::{Algorithm, Choice};
use noccl_workload::{BarrierMechanism, CollectiveKind, ElementType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hardware for collectives, or none.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// Routers that forward, DMA engines, cores that add.
    Software,
    /// Endpoints that pass a payload from member to member (S3), on routers that forward.
    Torrent,
    /// Routers that fork a packet (S1).
    Multicast,
    /// The same, and they merge barriers and responses.
    ParallelReduction,
    /// The same, and they add on the FPUs of the tiles: the default collective NoC.
    WideReduction,
    /// The same, and flits pass up to eight of them in a cycle.
    Bypass,
    /// Routers that flits pass in a cycle and that fork and combine (S2).
    Smart,
    /// Cores that pass messages word by word (S4), in software.
    Cores,
}

/// What the algorithms of a mechanism may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Uses {
    chains: bool,
    multicasts: bool,
    merged_barriers: bool,
    additions: bool,
}

impl Mechanism {
    /// All, in the order of the table.
    pub const ALL: [Self; 8] = [
        Self::Software,
        Self::Torrent,
        Self::Multicast,
        Self::ParallelReduction,
        Self::WideReduction,
        Self::Bypass,
        Self::Smart,
        Self::Cores,
    ];

    /// As tables show it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Software => "software alone",
            Self::Torrent => "Torrent: chains",
            Self::Multicast => "S1: multicast",
            Self::ParallelReduction => "+ parallel reduction",
            Self::WideReduction => "+ wide reduction",
            Self::Bypass => "S1 with bypass",
            Self::Smart => "SMART",
            Self::Cores => "core tiles",
        }
    }

    /// The same where no line of the table stands above it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ParallelReduction => "S1 with parallel reduction",
            Self::WideReduction => "S1 with wide reduction",
            Self::Multicast => "S1 with multicast",
            Self::Torrent => "Torrent",
            Self::Software | Self::Bypass | Self::Smart | Self::Cores => self.title(),
        }
    }

    /// The preset of a mesh with so many columns and rows.
    pub(super) fn preset(self, (columns, rows): (u32, u32)) -> String {
        match self {
            Self::Software | Self::Multicast | Self::ParallelReduction | Self::WideReduction => {
                format!("collective_noc_{columns}x{rows}")
            }
            // S3 writes rows first.
            Self::Torrent => format!("torrent_{rows}x{columns}"),
            Self::Bypass => format!("collective_noc_{columns}x{rows}_bypass"),
            Self::Smart => format!("smart_{columns}x{rows}"),
            Self::Cores => format!("tilepro64_{columns}x{rows}"),
        }
    }

    const fn uses(self) -> Uses {
        let nothing = Uses {
            chains: false,
            multicasts: false,
            merged_barriers: false,
            additions: false,
        };
        match self {
            Self::Software | Self::Cores => nothing,
            Self::Torrent => Uses {
                chains: true,
                ..nothing
            },
            Self::Multicast => Uses {
                multicasts: true,
                ..nothing
            },
            Self::ParallelReduction => Uses {
                multicasts: true,
                merged_barriers: true,
                ..nothing
            },
            Self::WideReduction | Self::Bypass | Self::Smart => Uses {
                multicasts: true,
                merged_barriers: true,
                additions: true,
                ..nothing
            },
        }
    }

    /// The mechanism on the same network whose hardware it has besides its own, so that it is never slower.
    pub(super) const fn includes(self) -> Option<Self> {
        match self {
            Self::Multicast => Some(Self::Software),
            Self::ParallelReduction => Some(Self::Multicast),
            Self::WideReduction => Some(Self::ParallelReduction),
            Self::Software | Self::Torrent | Self::Bypass | Self::Smart | Self::Cores => None,
        }
    }

    /// Do packets go from one place to one place, and cores add?
    pub(super) const fn is_software(self) -> bool {
        let uses = self.uses();
        !uses.multicasts && !uses.additions
    }

    /// A choice as the mechanism may use it: with barriers in software where it merges none; nothing where it uses other hardware.
    pub(super) fn allowed(self, kind: CollectiveKind, choice: Choice) -> Option<Choice> {
        // Of core tiles all algorithms are software, those over the static network with them.
        if self == Self::Cores {
            return Some(choice);
        }
        let uses = self.uses();
        if choice.has_steps() && !uses.merged_barriers {
            let barrier = BarrierMechanism::Software;
            return Some(Choice { barrier, ..choice });
        }
        if choice.algorithm == Algorithm::Chainwrite {
            let is_allowed = uses.chains && (uses.multicasts || !choice.by_blocks);
            return is_allowed.then_some(choice);
        }
        let is_allowed = !choice.algorithm.is_in_network() || uses.serves(kind);
        is_allowed.then_some(choice)
    }

    /// Collectives that together do another one, where the mechanism helps with one of them alone: sums in software, results by
    /// multicasts or chains.
    pub(super) const fn composed(self, kind: CollectiveKind) -> Option<[CollectiveKind; 2]> {
        let uses = self.uses();
        let helps_with_results = (uses.multicasts || uses.chains) && !uses.additions;
        if matches!(kind, CollectiveKind::AllReduce) && helps_with_results {
            return Some([CollectiveKind::Reduce, CollectiveKind::Multicast]);
        }
        None
    }

    /// The element of a sum: S2's routers add integers alone.
    pub(super) const fn element(self, element: ElementType) -> ElementType {
        if !matches!(self, Self::Smart) {
            return element;
        }
        match element.bytes() {
            1 => ElementType::Int8,
            2 => ElementType::Int16,
            4 => ElementType::Int32,
            _ => ElementType::Int64,
        }
    }

    /// Rows of synthesis that together are what a tile has of it: routers and network interface, and what endpoints have in addition. Memories
    /// are not among them. Empty where there is no hardware, or none that was synthesised.
    pub(super) const fn areas(self) -> &'static [&'static str] {
        match self {
            Self::Software => &["routers", "ni_plain"],
            Self::Torrent => &["routers", "ni_plain", "torrent"],
            Self::Multicast => &["routers_multicast", "ni"],
            Self::ParallelReduction => &["routers_merge", "ni"],
            Self::WideReduction => &["routers_reduction", "ni", "dca_port", "third_operand"],
            Self::Smart => &["smart_router"],
            Self::Bypass | Self::Cores => &[],
        }
    }

    /// Rows of synthesis whose slowest path bounds the clock.
    pub(super) const fn paths(self) -> &'static [&'static str] {
        match self {
            Self::Software | Self::Torrent => &["routers", "ni_plain", "slice_cores"],
            Self::Multicast => &["routers_multicast", "ni", "slice_cores"],
            Self::ParallelReduction => &["routers_merge", "ni", "slice_cores"],
            Self::WideReduction => &["routers_reduction", "ni", "slice_three"],
            Self::Bypass => &["wide_bypass"],
            Self::Smart => &["data_bitwise", "control_1"],
            Self::Cores => &[],
        }
    }

    /// What a reader should know of these rows.
    pub(super) const fn remark(self) -> &'static str {
        match self {
            Self::Software => "a tile's routers and network interface",
            Self::Torrent => "endpoint without its memories; its path was not timed",
            Self::Multicast => {
                "the simulator merges the responses of a multicast, which needs the tables of the next row"
            }
            Self::ParallelReduction => "barriers and responses of multicasts merge in tables",
            Self::WideReduction => {
                "with a second row of adders in the compute slice; without operand store"
            }
            Self::Bypass => "no RTL; path of a model of one plane, 8 hops in a cycle",
            Self::Smart => "one router without interface; sums of integers of the same size",
            Self::Cores => "no RTL",
        }
    }
}

impl Uses {
    /// Does the network itself do this collective?
    fn serves(self, kind: CollectiveKind) -> bool {
        match kind {
            CollectiveKind::Barrier => self.merged_barriers,
            CollectiveKind::Multicast | CollectiveKind::AllGather => self.multicasts,
            CollectiveKind::Reduce
            | CollectiveKind::AllReduce
            | CollectiveKind::ReduceScatter
            | CollectiveKind::AllToAll
            | CollectiveKind::Scatter
            | CollectiveKind::Gather
            | CollectiveKind::Scan
            | CollectiveKind::Custom => self.additions,
        }
    }
}
