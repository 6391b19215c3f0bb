// SPDX-License-Identifier: Apache-2.0
//! The algorithms, their names, and which collective each can do.

use crate::entry::Entry;
use crate::{CollError, barrier, chain, in_network, messages, point_to_point, steps};
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
    /// Data passes from neighbour to neighbour, `chunks` chunks in flight (`chunks = 1` is S1's naive, else its seq).
    Chain,
    /// Binary tree, whole payload (multicast) or double-buffered chunks (reduce).
    Tree,
    /// One dimension after the other: by a chain or tree, or (all-to-all) everybody to everybody of a line.
    RowColumn,
    /// Two binary trees with half of the payload each; the inner members of one are leaves of the other.
    DoubleTree,
    /// Every member sends to the next one of a ring, step by step.
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
    /// Members send parts to each other and continue when theirs have arrived: no barriers.
    PointToPoint,
    /// Torrent endpoints pass the payload from member to member, each keeps a copy (S3's Chainwrite).
    Chainwrite,
    /// An atomic counter and one interrupt: the software barrier.
    Counter,
    /// The network's multicast, reduction or barrier.
    InNetwork,
    /// The network's multicasts or reductions, one dimension after the other.
    InNetworkLines,
    /// One transaction of the network: a root reduces and multicasts beat by beat; of a reduction the root keeps its copy.
    InNetworkOnce,
    /// One packet to a list of destinations in its header (ESP).
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

    /// What it states about itself: the only place that tells the algorithms apart by name.
    pub(crate) const fn entry(self) -> &'static Entry {
        match self {
            Algorithm::Unicast => &steps::exchange::UNICAST,
            Algorithm::Chain => &steps::trees::CHAIN,
            Algorithm::Tree => &steps::trees::TREE,
            Algorithm::RowColumn => &steps::trees::ROW_COLUMN,
            Algorithm::DoubleTree => &steps::double_tree::ENTRY,
            Algorithm::Ring => &steps::ring::ENTRY,
            Algorithm::Pairwise => &steps::exchange::PAIRWISE,
            Algorithm::Slotted => &steps::slotted::ENTRY,
            Algorithm::Torus => &messages::exchange::TORUS,
            Algorithm::Rounds => &messages::exchange::ROUNDS,
            Algorithm::Planned => &messages::planned::ENTRY,
            Algorithm::RecursiveDoubling => &messages::reduce::RECURSIVE_DOUBLING,
            Algorithm::Dissemination => &messages::reduce::DISSEMINATION,
            Algorithm::PointToPoint => &point_to_point::ENTRY,
            Algorithm::Chainwrite => &chain::ENTRY,
            Algorithm::Counter => &barrier::COUNTER,
            Algorithm::InNetwork => &in_network::ENTRY,
            Algorithm::InNetworkLines => &in_network::gather::LINES,
            Algorithm::InNetworkOnce => &in_network::all_reduce::ENTRY,
            Algorithm::InNetworkList => &in_network::list::ENTRY,
            Algorithm::InNetworkStatic => &messages::reduce::IN_NETWORK_STATIC,
        }
    }

    /// Stable name, as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// Does the network itself multicast, reduce or merge a barrier?
    #[must_use]
    pub const fn is_in_network(self) -> bool {
        self.entry().is_in_network
    }

    /// Is there a form of it for this collective on this network?
    #[must_use]
    pub fn does_on(self, network: &Network, kind: CollectiveKind) -> bool {
        match network.routers().carries_words() {
            true => self.does_on_cores(kind),
            false => self.does(kind),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = CollError;

    fn from_str(text: &str) -> Result<Self, CollError> {
        let name = text.to_lowercase().replace('-', "_");
        let is_named = |a: &Algorithm| {
            let entry = a.entry();
            entry.name == name || entry.other_names.contains(&name.as_str())
        };
        let names = Algorithm::ALL.map(Algorithm::name);
        let others = Algorithm::ALL
            .into_iter()
            .flat_map(|a| a.entry().other_names);
        let mut all = Algorithm::ALL.into_iter();
        all.find(is_named).ok_or_else(|| CollError::UnknownName {
            what: "algorithm",
            found: text.to_owned(),
            accepted: format!(
                "{}{}",
                names.join(", "),
                nearest(&name, names.into_iter().chain(others.copied()))
            ),
        })
    }
}
