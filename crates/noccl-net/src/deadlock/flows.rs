// SPDX-License-Identifier: Apache-2.0
//! The transactions that a deadlock check is asked about.

use crate::{MultiAddress, Network, TileId};
use noccl_spec::Plane;

/// A transaction whose path through the network is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Wide write.
    Write {
        /// Initiator.
        from: TileId,
        /// Target.
        to: TileId,
    },
    /// Wide multicast; members that do not exist are left out.
    Multicast {
        /// Initiator.
        from: TileId,
        /// Targets, cluster coordinates.
        set: MultiAddress,
    },
    /// Wide reduction.
    Reduction {
        /// Contributors, cluster coordinates.
        group: MultiAddress,
        /// Target.
        root: TileId,
        /// Beats; they count for the stores of waiting operands.
        beats: u32,
    },
    /// Narrow `LsbAnd` reduction.
    Barrier {
        /// Participants, cluster coordinates.
        group: MultiAddress,
        /// Tile of the counter.
        root: TileId,
    },
    /// Wide read.
    Read {
        /// Initiator.
        from: TileId,
        /// Where the data is.
        source: TileId,
    },
    /// Narrow write or atomic.
    NarrowWrite {
        /// Initiator.
        from: TileId,
        /// Target.
        to: TileId,
    },
    /// Narrow multicast.
    NarrowMulticast {
        /// Initiator.
        from: TileId,
        /// Targets, cluster coordinates.
        set: MultiAddress,
    },
}

impl Flow {
    /// Is it a write or read with one destination?
    #[must_use]
    pub const fn is_unicast(&self) -> bool {
        match self {
            Flow::Write { .. } | Flow::NarrowWrite { .. } | Flow::Read { .. } => true,
            Flow::Multicast { .. }
            | Flow::NarrowMulticast { .. }
            | Flow::Reduction { .. }
            | Flow::Barrier { .. } => false,
        }
    }

    /// Plane that carries its requests.
    #[must_use]
    pub const fn plane(&self) -> Plane {
        self.request_plane()
    }

    pub(super) const fn request_plane(&self) -> Plane {
        match self {
            Flow::Write { .. } | Flow::Multicast { .. } | Flow::Reduction { .. } => Plane::Wide,
            Flow::Barrier { .. }
            | Flow::Read { .. }
            | Flow::NarrowWrite { .. }
            | Flow::NarrowMulticast { .. } => Plane::Req,
        }
    }

    /// Requests of one tile with the same queue are issued in order: plane, and reads apart from writes.
    pub(super) const fn request_queue(&self) -> (Plane, bool) {
        (self.request_plane(), matches!(self, Flow::Read { .. }))
    }

    /// Targets, or contributors of a reduction.
    pub(super) fn members(&self, network: &Network) -> Vec<TileId> {
        match *self {
            Flow::Write { to, .. } | Flow::NarrowWrite { to, .. } => vec![to],
            Flow::Read { source, .. } => vec![source],
            Flow::Multicast { set, .. }
            | Flow::NarrowMulticast { set, .. }
            | Flow::Reduction { group: set, .. }
            | Flow::Barrier { group: set, .. } => network.multi_tiles(set).flatten().collect(),
        }
    }

    /// Tiles that issue a request of this flow.
    pub(super) fn initiators(&self, network: &Network) -> Vec<TileId> {
        match *self {
            Flow::Write { from, .. }
            | Flow::Multicast { from, .. }
            | Flow::Read { from, .. }
            | Flow::NarrowWrite { from, .. }
            | Flow::NarrowMulticast { from, .. } => vec![from],
            Flow::Reduction { .. } | Flow::Barrier { .. } => self.members(network),
        }
    }

    pub(super) fn describe(&self, index: usize, network: &Network) -> String {
        let (kind, relation, tile) = match *self {
            Flow::Write { from, .. } => ("write", "from", from),
            Flow::NarrowWrite { from, .. } => ("narrow write", "from", from),
            Flow::Multicast { from, .. } => ("multicast", "from", from),
            Flow::NarrowMulticast { from, .. } => ("narrow multicast", "from", from),
            Flow::Read { from, .. } => ("read", "by", from),
            Flow::Reduction { root, .. } => ("wide reduction", "to", root),
            Flow::Barrier { root, .. } => ("barrier", "at", root),
        };
        format!("{kind} {relation} {} (#{index})", network.tile_ref(tile))
    }

    /// Do requests of a tile in both flows go to the same destination? Only then does the published
    /// NI send the second one before the first one has been responded to.
    pub(super) fn has_destination_of(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Flow::Write { to: a, .. }, Flow::Write { to: b, .. })
            | (Flow::NarrowWrite { to: a, .. }, Flow::NarrowWrite { to: b, .. })
            | (Flow::Read { source: a, .. }, Flow::Read { source: b, .. })
            | (Flow::Reduction { root: a, .. }, Flow::Reduction { root: b, .. })
            | (Flow::Barrier { root: a, .. }, Flow::Barrier { root: b, .. }) => a == b,
            (Flow::Multicast { set: a, .. }, Flow::Multicast { set: b, .. })
            | (Flow::NarrowMulticast { set: a, .. }, Flow::NarrowMulticast { set: b, .. }) => {
                a == b
            }
            (
                Flow::Write { .. }
                | Flow::NarrowWrite { .. }
                | Flow::Read { .. }
                | Flow::Reduction { .. }
                | Flow::Barrier { .. }
                | Flow::Multicast { .. }
                | Flow::NarrowMulticast { .. },
                _,
            ) => false,
        }
    }
}
