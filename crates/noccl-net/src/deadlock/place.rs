// SPDX-License-Identifier: Apache-2.0
//! What can be held and waited for.

use super::ChannelClass;
use crate::{LinkId, Network, Port, TileId};
use noccl_spec::Plane;

/// A resource of the network that one packet keeps from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Output port of a router: its FIFO, its wormhole lock, and the FIFO at the link's other end
    /// where one is meant with it. Port Local leads to the NI.
    Link(LinkId),
    /// FIFO at an input port of a router.
    Input {
        /// Plane.
        plane: Plane,
        /// Router.
        tile: TileId,
        /// Input port.
        port: Port,
    },
    /// Virtual channels of a class at an input port of a router.
    Channels {
        /// Class.
        class: ChannelClass,
        /// Router.
        tile: TileId,
        /// Input port.
        port: Port,
    },
    /// Queue of a tile's own requests: order of issue, and order of AXI transactions.
    Issue {
        /// Plane that carries the request.
        plane: Plane,
        /// Initiator.
        tile: TileId,
    },
    /// Queue of a tile's responses, given in order of arrival.
    Responses {
        /// Plane that carries them.
        plane: Plane,
        /// Target.
        tile: TileId,
    },
    /// Store of operands that wait for others of their transaction at a merge point.
    Store(TileId),
    /// Counters of the barriers that are open at a tile, their target.
    Counters(TileId),
    /// The arithmetic pipeline of a router.
    ReductionUnit(TileId),
    /// Buffer between the read and the write side of a DMA engine, and its places for transfers.
    DmaBuffer(TileId),
    /// A Torrent endpoint, which follows one chain at a time.
    Follower(TileId),
    /// The grant that a Torrent endpoint of mode `published` sees, and its reader.
    ChainGrant(TileId),
    /// The end of a transaction, by its index: somebody takes part in another one only after it.
    End(u32),
}

impl Place {
    /// The place in words, tiles as users name them.
    #[must_use]
    pub fn describe(self, network: &Network) -> String {
        let tile = |t: TileId| network.tile_ref(t).to_string();
        match self {
            Place::Link(link) => format!(
                "{} link {} -> {}",
                link.plane.name(),
                tile(link.tile),
                port_name(link.port)
            ),
            Place::Input {
                plane,
                tile: at,
                port,
            } => format!(
                "{} input FIFO {} of {}",
                plane.name(),
                port_name(port),
                tile(at)
            ),
            Place::Channels {
                class,
                tile: at,
                port,
            } => format!(
                "channels of {} at input {} of {}",
                class.name(),
                port_name(port),
                tile(at)
            ),
            Place::Issue { plane, tile: at } => {
                format!("{} requests of {}", plane.name(), tile(at))
            }
            Place::Responses { plane, tile: at } => {
                format!("{} responses of {}", plane.name(), tile(at))
            }
            Place::Store(at) => format!("store of waiting operands at {}", tile(at)),
            Place::Counters(at) => format!("counters of open barriers at {}", tile(at)),
            Place::ReductionUnit(at) => format!("reduction unit of {}", tile(at)),
            Place::DmaBuffer(at) => format!("DMA engine of {}", tile(at)),
            Place::Follower(at) => format!("Torrent endpoint of {}", tile(at)),
            Place::ChainGrant(at) => format!("grant at the Torrent endpoint of {}", tile(at)),
            Place::End(index) => format!("the end of #{index}"),
        }
    }
}

const fn port_name(port: Port) -> &'static str {
    match port {
        Port::North => "North",
        Port::East => "East",
        Port::South => "South",
        Port::West => "West",
        Port::Local => "Local",
    }
}
