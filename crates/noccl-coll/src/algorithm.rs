// SPDX-License-Identifier: Apache-2.0
//! The algorithms, their names, and which collective each can do.

use crate::CollError;
use noccl_net::Network;
use noccl_spec::nearest;
use noccl_workload::CollectiveKind;
use std::fmt;
use std::str::FromStr;

/// Names of the algorithms; `in_network` appears in the names of in-network algorithms only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// The root's DMA writes to one member after the other.
    Unicast,
    /// Data passes from neighbour to neighbour, `chunks` pieces in flight (`chunks = 1` is S1's naive, else its seq).
    Chain,
    /// Binary tree, whole payload (multicast) or double-buffered chunks (reduce).
    Tree,
    /// One dimension after the other: by a chain or tree, or (all-to-all) everybody to everybody of a line.
    RowColumn,
    /// Two binary trees with half of the payload each; the inner members of one are leaves of the other.
    DoubleTree,
    /// Every member hands to the next one of a ring, step by step.
    Ring,
    /// Every member writes to every other one, each in its own order.
    Pairwise,
    /// As `pairwise`, each transfer at a planned time at which all its links are free.
    Slotted,
    /// Every rank sends to the tile so many columns and rows on, around the edge (core tiles).
    Torus,
    /// Every rank sends by displacement, in rounds that share no link (S4, core tiles).
    Rounds,
    /// As `pairwise`, in an order planned so that cores and links are busy all the time (core tiles).
    Planned,
    /// Pairs exchange what they have reduced, at doubling distances (core tiles).
    RecursiveDoubling,
    /// Every rank tells others at doubling distances that it has come this far (core tiles).
    Dissemination,
    /// Members hand parts to each other and go on when theirs have come: no barriers.
    PointToPoint,
    /// Torrent endpoints hand the payload from member to member, each keeps a copy (S3's Chainwrite).
    Chainwrite,
    /// An atomic counter and one interrupt: the software barrier.
    Counter,
    /// The network's multicast, reduction or barrier.
    InNetwork,
    /// The network's multicasts or reductions, one dimension after the other.
    InNetworkLines,
    /// One transaction of the network: a root reduces and multicasts beat by beat; of a reduction the root keeps its copy.
    InNetworkOnce,
    /// One worm to a list of destinations in its header (ESP).
    InNetworkList,
    /// The static network, whose routes the cores set (S4, core tiles).
    InNetworkStatic,
}

impl Algorithm {
    /// All algorithms in the order of tables.
    pub const ALL: [Algorithm; 21] = [
        Algorithm::Unicast,
        Algorithm::Chain,
        Algorithm::Tree,
        Algorithm::RowColumn,
        Algorithm::DoubleTree,
        Algorithm::Ring,
        Algorithm::Pairwise,
        Algorithm::Slotted,
        Algorithm::Torus,
        Algorithm::Rounds,
        Algorithm::Planned,
        Algorithm::RecursiveDoubling,
        Algorithm::Dissemination,
        Algorithm::PointToPoint,
        Algorithm::Chainwrite,
        Algorithm::Counter,
        Algorithm::InNetwork,
        Algorithm::InNetworkLines,
        Algorithm::InNetworkOnce,
        Algorithm::InNetworkList,
        Algorithm::InNetworkStatic,
    ];

    /// Stable name, as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Unicast => "unicast",
            Algorithm::Chain => "chain",
            Algorithm::Tree => "tree",
            Algorithm::RowColumn => "row_column",
            Algorithm::DoubleTree => "double_tree",
            Algorithm::Ring => "ring",
            Algorithm::Pairwise => "pairwise",
            Algorithm::Slotted => "slotted",
            Algorithm::Torus => "torus",
            Algorithm::Rounds => "rounds",
            Algorithm::Planned => "planned",
            Algorithm::RecursiveDoubling => "recursive_doubling",
            Algorithm::Dissemination => "dissemination",
            Algorithm::PointToPoint => "point_to_point",
            Algorithm::Chainwrite => "chainwrite",
            Algorithm::Counter => "counter",
            Algorithm::InNetwork => "in_network",
            Algorithm::InNetworkLines => "in_network_lines",
            Algorithm::InNetworkOnce => "in_network_once",
            Algorithm::InNetworkList => "in_network_list",
            Algorithm::InNetworkStatic => "in_network_static",
        }
    }

    /// Does the network itself multicast, reduce or merge a barrier?
    #[must_use]
    pub const fn is_in_network(self) -> bool {
        match self {
            Algorithm::InNetwork
            | Algorithm::InNetworkLines
            | Algorithm::InNetworkOnce
            | Algorithm::InNetworkList
            | Algorithm::InNetworkStatic => true,
            Algorithm::Unicast
            | Algorithm::Chain
            | Algorithm::Tree
            | Algorithm::RowColumn
            | Algorithm::DoubleTree
            | Algorithm::Ring
            | Algorithm::Pairwise
            | Algorithm::Slotted
            | Algorithm::Torus
            | Algorithm::Rounds
            | Algorithm::Planned
            | Algorithm::RecursiveDoubling
            | Algorithm::Dissemination
            | Algorithm::PointToPoint
            | Algorithm::Chainwrite
            | Algorithm::Counter => false,
        }
    }

    /// Is there a form of it for this collective, by transactions of DMA engines and interfaces? [`Algorithm::does_on`] knows core tiles too.
    #[must_use]
    pub const fn does(self, kind: CollectiveKind) -> bool {
        use CollectiveKind::{
            AllGather, AllReduce, AllToAll, Barrier, Multicast, Reduce, ReduceScatter,
        };
        match self {
            Algorithm::Chain | Algorithm::Tree | Algorithm::DoubleTree => {
                matches!(kind, Multicast | Reduce | AllReduce)
            }
            Algorithm::RowColumn => matches!(kind, Multicast | Reduce | AllReduce | AllToAll),
            Algorithm::Ring => matches!(kind, AllReduce | AllGather | ReduceScatter),
            Algorithm::Pairwise => matches!(kind, AllGather | AllToAll),
            Algorithm::Slotted => matches!(kind, AllToAll),
            Algorithm::Unicast | Algorithm::Chainwrite | Algorithm::InNetworkList => {
                matches!(kind, Multicast)
            }
            Algorithm::Counter => matches!(kind, Barrier),
            Algorithm::InNetwork => matches!(
                kind,
                Multicast | Reduce | AllReduce | Barrier | AllGather | ReduceScatter
            ),
            Algorithm::InNetworkLines => matches!(kind, AllGather | ReduceScatter),
            Algorithm::InNetworkOnce => matches!(kind, Reduce | AllReduce),
            Algorithm::PointToPoint => true,
            Algorithm::Torus
            | Algorithm::Rounds
            | Algorithm::Planned
            | Algorithm::RecursiveDoubling
            | Algorithm::Dissemination
            | Algorithm::InNetworkStatic => false,
        }
    }

    /// Is there a form of it for this collective on this network?
    #[must_use]
    pub const fn does_on(self, network: &Network, kind: CollectiveKind) -> bool {
        if network.routers().carries_words() {
            return crate::messages::does(self, kind);
        }
        self.does(kind)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Names that other libraries have.
const OTHER_NAMES: [&str; 4] = ["binomial", "binomial_tree", "linear", "flat"];

impl FromStr for Algorithm {
    type Err = CollError;

    fn from_str(text: &str) -> Result<Self, CollError> {
        let name = match text.to_lowercase().replace('-', "_").as_str() {
            "binomial" | "binomial_tree" => Algorithm::Tree.name().to_owned(),
            "linear" | "flat" => Algorithm::Unicast.name().to_owned(),
            name => name.to_owned(),
        };
        let names = Algorithm::ALL.map(Algorithm::name);
        let mut all = Algorithm::ALL.into_iter();
        all.find(|a| a.name() == name)
            .ok_or_else(|| CollError::UnknownName {
                what: "algorithm",
                found: text.to_owned(),
                accepted: format!(
                    "{}{}",
                    names.join(", "),
                    nearest(&name, names.into_iter().chain(OTHER_NAMES))
                ),
            })
    }
}
