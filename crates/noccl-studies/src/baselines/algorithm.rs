// SPDX-License-Identifier: Apache-2.0
//! What stands in the tables: an algorithm with the network that it needs.

use crate::AlgorithmRequest;
use noccl_coll::chain::order::ChainOrder;
use noccl_coll::{Algorithm, Choice};
use noccl_workload::CollectiveKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of a cluster's memory in the presets of the table.
const L1_BYTES: u64 = 1 << 20;

/// An algorithm of the table, with the network that it needs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BaselineAlgorithm {
    /// One DMA engine, a copy per destination (iDMA).
    Unicast,
    /// A binary tree of DMA transfers with barriers; in a reduction cores add.
    Tree,
    /// Two binary trees, half of the payload each.
    DoubleTree,
    /// An atomic counter and an interrupt: the software barrier.
    Counter,
    /// A chain of Torrent endpoints.
    Chainwrite,
    /// The same with overlapped control.
    ChainwriteParallel,
    /// ESP's routers, all consumers started at once.
    EspHardwareOnly,
    /// ESP's routers, consumers started one by one by a CPU, 100 cycles each: fitted to what S3 says of ESP.
    EspCalibrated,
    /// S1's routers: forks by masks, additions at routers.
    InNetwork,
    /// The same where flits pass up to eight routers of a line in a cycle.
    InNetworkBypass,
    /// S2's routers with flits of 16 bytes, as published: they fork and combine, and flits pass several of them in a cycle.
    #[serde(rename = "smart_16_bytes")]
    Smart16Bytes,
    /// The same with flits of 64 bytes, the beats of the others.
    #[serde(rename = "smart_64_bytes")]
    Smart64Bytes,
    /// S4's core tiles: messages in software over links of a word, by the algorithm that `auto` takes.
    Cores,
}

impl BaselineAlgorithm {
    /// Those of a collective in the order of its table; none of one without a table.
    #[must_use]
    pub const fn of(collective: CollectiveKind) -> &'static [Self] {
        if matches!(collective, CollectiveKind::Multicast) {
            return &[
                Self::Unicast,
                Self::Tree,
                Self::DoubleTree,
                Self::Chainwrite,
                Self::ChainwriteParallel,
                Self::EspHardwareOnly,
                Self::EspCalibrated,
                Self::InNetwork,
                Self::InNetworkBypass,
                Self::Smart16Bytes,
                Self::Smart64Bytes,
                Self::Cores,
            ];
        }
        if matches!(collective, CollectiveKind::Reduce) {
            return &[
                Self::Tree,
                Self::DoubleTree,
                Self::InNetwork,
                Self::InNetworkBypass,
                Self::Smart16Bytes,
                Self::Smart64Bytes,
                Self::Cores,
            ];
        }
        if matches!(collective, CollectiveKind::Barrier) {
            return &[
                Self::Counter,
                Self::InNetwork,
                Self::InNetworkBypass,
                Self::Smart16Bytes,
                Self::Smart64Bytes,
                Self::Cores,
            ];
        }
        &[]
    }

    /// Name in tables, plots and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unicast => "unicast",
            Self::Tree => "tree",
            Self::DoubleTree => "double_tree",
            Self::Counter => "counter",
            Self::Chainwrite => "chainwrite",
            Self::ChainwriteParallel => "chainwrite_parallel",
            Self::EspHardwareOnly => "esp_hardware_only",
            Self::EspCalibrated => "esp_calibrated",
            Self::InNetwork => "in_network",
            Self::InNetworkBypass => "in_network_bypass",
            Self::Smart16Bytes => "smart_16_bytes",
            Self::Smart64Bytes => "smart_64_bytes",
            Self::Cores => "cores",
        }
    }

    /// The preset with so many rows and columns.
    pub(super) fn preset(self, (rows, columns): (u16, u16)) -> String {
        match self {
            Self::Unicast | Self::Tree | Self::DoubleTree | Self::Counter | Self::Chainwrite => {
                format!("torrent_{rows}x{columns}")
            }
            Self::ChainwriteParallel => format!("torrent_{rows}x{columns}_parallel"),
            Self::EspHardwareOnly => format!("esp_{rows}x{columns}"),
            Self::EspCalibrated => format!("esp_{rows}x{columns}_calibrated"),
            // S1 and S2 write columns first.
            Self::InNetwork => format!("collective_noc_{columns}x{rows}_large"),
            Self::InNetworkBypass => format!("collective_noc_{columns}x{rows}_bypass"),
            Self::Smart16Bytes | Self::Smart64Bytes => format!("smart_{columns}x{rows}"),
            Self::Cores => format!("tilepro64_{columns}x{rows}"),
        }
    }

    /// What is different from the preset.
    pub(super) fn overrides(self) -> Vec<(String, String)> {
        match self {
            Self::Smart64Bytes => vec![("router.smart.flit_bits".to_owned(), "512".to_owned())],
            // Memories as large as the others have.
            Self::InNetworkBypass => ["cluster.l1_bytes", "mesh.regions.1.stride_bytes"]
                .map(|field| (field.to_owned(), L1_BYTES.to_string()))
                .to_vec(),
            Self::Unicast
            | Self::Tree
            | Self::DoubleTree
            | Self::Counter
            | Self::Chainwrite
            | Self::ChainwriteParallel
            | Self::EspHardwareOnly
            | Self::EspCalibrated
            | Self::InNetwork
            | Self::Smart16Bytes
            | Self::Cores => Vec::new(),
        }
    }

    pub(super) const fn request(self) -> AlgorithmRequest {
        match self {
            Self::Unicast => AlgorithmRequest::Search(Algorithm::Unicast),
            Self::Tree => AlgorithmRequest::Search(Algorithm::Tree),
            Self::DoubleTree => AlgorithmRequest::Search(Algorithm::DoubleTree),
            Self::Counter => AlgorithmRequest::Search(Algorithm::Counter),
            Self::Chainwrite | Self::ChainwriteParallel => {
                AlgorithmRequest::Fixed(Choice::chainwrite(ChainOrder::Latency))
            }
            Self::EspHardwareOnly | Self::EspCalibrated => {
                AlgorithmRequest::Fixed(Choice::new(Algorithm::InNetworkList, 1))
            }
            Self::InNetwork | Self::InNetworkBypass | Self::Smart16Bytes | Self::Smart64Bytes => {
                AlgorithmRequest::Fixed(Choice::new(Algorithm::InNetwork, 1))
            }
            Self::Cores => AlgorithmRequest::Auto,
        }
    }
}
