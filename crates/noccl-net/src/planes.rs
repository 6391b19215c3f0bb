// SPDX-License-Identifier: Apache-2.0
//! The planes of a network: what each of them carries, how wide it is, and what a router and a link of it take.
//!
//! Whoever does something on every plane walks over [`Network::planes`]; whoever needs a number of one asks
//! [`AxiNetwork::plane`](crate::AxiNetwork::plane). So a network with another plane has another entry here, and no other list of planes.

use crate::capabilities::{Bypass, MessageCycles};
use crate::core_cycles::packet_cycles;
use crate::{Coord, Network, TileId, TypedNetwork};
use noccl_spec::{AxiTiles, CoreTiles, Plane, PlaneName, Tiles, WORD_BYTES};

/// One plane of a network (S1 §2.1; S4 §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkPlane {
    /// Which one it is.
    pub plane: PlaneName,
    /// Channels of the AXI ports whose beats it carries; none between cores.
    pub channels: &'static [AxiChannel],
    /// Bytes of data in a flit; nothing but headers if 0.
    pub data_bytes: u32,
    /// Cycles of a link between two routers, with those in which a path over several of them is set up beyond the first.
    pub link_cycles: u32,
    /// Cycles from a router to the next one, for a flit that nobody holds up: the registers in front of the switch and
    /// behind it, and those of the link beyond its first cycle. With bypass, to the end of a [path](Network::paths). 0
    /// without links, where distance costs nothing.
    pub hop_cycles: u32,
}

/// A channel of one of the two AXI ports of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxiChannel {
    /// Write requests with their data, of the narrow port: AW and W.
    NarrowWrite,
    /// Write responses of the narrow port: B.
    NarrowResponse,
    /// Read requests of the narrow port: AR.
    NarrowRead,
    /// Read data of the narrow port: R.
    NarrowReadData,
    /// Write requests with their data, of the wide port: AW and W.
    WideWrite,
    /// Write responses of the wide port: B.
    WideResponse,
    /// Read requests of the wide port: AR.
    WideRead,
    /// Read data of the wide port: R.
    WideReadData,
}

/// The planes of a spec, in the order of [`Plane::ALL`].
pub(crate) fn planes(axi: &AxiTiles, has_links: bool) -> Vec<NetworkPlane> {
    let router_cycles = router_cycles(axi);
    let ni = &axi.ni;
    let plane = |plane| {
        let (channels, data_bytes): (&'static [AxiChannel], u32) = match plane {
            Plane::Req => (
                &[
                    AxiChannel::NarrowWrite,
                    AxiChannel::NarrowRead,
                    AxiChannel::WideRead,
                ],
                ni.narrow_beat_bytes,
            ),
            Plane::Rsp => (
                &[
                    AxiChannel::NarrowResponse,
                    AxiChannel::NarrowReadData,
                    AxiChannel::WideResponse,
                ],
                ni.narrow_beat_bytes,
            ),
            Plane::Wide => (
                &[AxiChannel::WideWrite, AxiChannel::WideReadData],
                Bypass::of(axi).map_or(ni.wide_beat_bytes, |bypass| bypass.flit_bytes()),
            ),
        };
        let setup_cycles = axi.router.bypass.map_or(1, |bypass| bypass.setup_cycles);
        let link_cycles = axi.router.link_cycles.of(plane) + setup_cycles - 1;
        NetworkPlane {
            plane: plane.into(),
            channels,
            data_bytes,
            link_cycles,
            hop_cycles: if has_links {
                router_cycles + link_cycles - 1
            } else {
                0
            },
        }
    };
    Plane::ALL.map(plane).to_vec()
}

/// The two networks between cores. A flit that turns waits besides.
pub(crate) fn core_planes(cores: &CoreTiles) -> Vec<NetworkPlane> {
    let plane = |plane, hop_cycles| NetworkPlane {
        plane,
        channels: &[],
        data_bytes: WORD_BYTES,
        link_cycles: 1,
        hop_cycles,
    };
    vec![
        plane(PlaneName::Udn, cores.router.udn.hop_cycles),
        plane(PlaneName::Static, 1),
    ]
}

pub(crate) const fn router_cycles(axi: &AxiTiles) -> u32 {
    let router = &axi.router;
    (router.input_fifo_flits > 0) as u32 + (router.output_fifo_flits > 0) as u32
}

impl Network {
    /// Its planes, those of AXI in the order in which arrays are indexed by [`Plane::idx`].
    #[must_use]
    pub fn planes(&self) -> &[NetworkPlane] {
        &self.planes
    }

    /// The plane that carries the data of messages: the wide one, or the dynamic network between cores.
    ///
    /// # Panics
    /// Never: every network has one of the two.
    #[must_use]
    pub fn data_plane(&self) -> &NetworkPlane {
        let carries_data =
            |one: &&NetworkPlane| matches!(one.plane, PlaneName::Wide | PlaneName::Udn);
        let found = self.planes.iter().find(carries_data);
        found.expect("elaboration made a plane for data")
    }

    /// Cycles of a flit that is alone on the plane for data, from one interface or core to another.
    #[must_use]
    pub fn idle_cycles(&self, from: Coord, to: Coord) -> u32 {
        match (self.by_tiles(), self.bypass()) {
            (TypedNetwork::Axi(_), Some(bypass)) => bypass.idle_cycles(from, to),
            (TypedNetwork::Axi(axi), None) => {
                axi.router_cycles() + axi.plane(Plane::Wide).hop_cycles * self.paths(from, to)
            }
            (TypedNetwork::Cores(cores), _) => {
                packet_cycles(&cores.router.udn, (from, to), 1) as u32
            }
        }
    }

    /// The same of a copy of a multicast, which may go over a tree that does not begin at its source. Unicasts in place of a
    /// multicast wait for each other beside, and slots are as if they began when the packet is in its corner.
    #[must_use]
    pub fn idle_copy_cycles(&self, source: Coord, to: Coord) -> u32 {
        match self.bypass() {
            Some(bypass) => bypass.idle_copy_cycles(self, source, to),
            None => self.idle_cycles(source, to),
        }
    }

    /// Cycles in which a port passes a flit: a FIFO with one slot takes none while it holds one.
    #[must_use]
    pub const fn flit_cycles(&self) -> u32 {
        let has_one_slot = match &self.spec.tiles {
            Tiles::Axi(axi) => {
                axi.router.input_fifo_flits == 1 || axi.router.output_fifo_flits == 1
            }
            Tiles::Cores(cores) => cores.router.udn.input_fifo_flits == 1,
        };
        1 + has_one_slot as u32
    }
}

// Paths that a flit crosses in a cycle: one link, or several in a line where routers are passed in flight.

impl Network {
    /// Most links of one path: `router.bypass.hpc_max`, and 1 without bypass.
    #[must_use]
    pub const fn path_links(&self) -> u32 {
        match &self.spec.tiles {
            Tiles::Axi(axi) => match &axi.router.bypass {
                Some(bypass) => bypass.hpc_max,
                None => 1,
            },
            Tiles::Cores(_) => 1,
        }
    }

    /// Paths of a route in an otherwise idle network. A path ends where the route changes its direction. Each takes
    /// [`hop_cycles`](crate::planes::NetworkPlane::hop_cycles).
    #[must_use]
    pub const fn paths(&self, from: Coord, to: Coord) -> u32 {
        MessageCycles::paths(from, to, self.path_links())
    }

    /// The same between two tiles.
    #[must_use]
    pub const fn paths_between(&self, from: TileId, to: TileId) -> u32 {
        self.paths(self.coord(from), self.coord(to))
    }

    /// Fewest paths of any route over so many hops.
    #[must_use]
    pub const fn least_paths(&self, hops: u32) -> u32 {
        hops.div_ceil(self.path_links())
    }
}
