// SPDX-License-Identifier: Apache-2.0
//! Deadlock check of routers whose inputs have virtual channels, each for a packet as a whole.
//!
//! A node is all channels of a class at an input: a packet in one of them waits for any channel of a class behind one of its outputs,
//! and for each output by itself. Interfaces take whatever comes, contributions that wait for others hold no channel, and later flits
//! of a packet wait for nobody, so these are all waits. The simulator numbers its classes after these (`router/smart/numbers.rs`).
//! S2 §III.A orders the channels of private trees; a mechanism without these orders is here so that they can be tested.

use super::mechanism::{cycle_of, find};
use super::{Cycle, Place, Proof};
use crate::capabilities::TreeKind;
use crate::{Coord, Network, Port, TileId, TreeTable, coord_behind};

const PORTS: usize = Port::ALL.len();
const PER_TILE: usize = PORTS * ChannelClass::ALL.len();

/// Can packets wait for each other forever?
pub(super) fn check(network: &Network, order: OrderClasses) -> Result<Proof, Cycle> {
    let mut graph = Channels {
        network,
        order,
        next: vec![Vec::new(); network.num_tiles() * PER_TILE],
    };
    graph.along_routes(ChannelClass::Unicast);
    graph.along_routes(ChannelClass::Contribution);
    match network.multicast_trees().map(|trees| trees.kind) {
        None => {}
        Some(TreeKind::Private) => graph.over_private_trees(),
        Some(TreeKind::ByLoad) => {
            graph.over_private_trees();
            graph.over_shared_trees();
        }
        Some(TreeKind::Shared) => graph.along_routes(ChannelClass::Multicast),
    }
    let nodes = graph.next.len();
    let successors = |node: usize, next: &mut Vec<usize>| next.extend_from_slice(&graph.next[node]);
    find(nodes, successors).map_err(|cycle| {
        let places: Vec<Place> = cycle.into_iter().map(place).collect();
        cycle_of(network, &places)
    })
}

fn node(tile: TileId, port: Port, class: ChannelClass) -> usize {
    tile.idx() * PER_TILE + class as usize * PORTS + port.idx()
}

fn place(node: usize) -> Place {
    let at = node % PER_TILE;
    Place::Channels {
        class: ChannelClass::ALL[at / PORTS],
        tile: TileId((node / PER_TILE) as u32),
        port: Port::ALL[at % PORTS],
    }
}

fn outputs(set: u8) -> impl Iterator<Item = Port> {
    let outputs = Port::ALL.into_iter().filter(|port| *port != Port::Local);
    outputs.filter(move |port| set & port.bit() != 0)
}

struct Channels<'n> {
    network: &'n Network,
    order: OrderClasses,
    /// By node: what a packet in it can wait for.
    next: Vec<Vec<usize>>,
}

impl Channels<'_> {
    fn add(&mut self, from: usize, to: usize) {
        if !self.next[from].contains(&to) {
            self.next[from].push(to);
        }
    }

    /// Channels of a class behind an output.
    fn behind(&self, here: Coord, out: Port, class: ChannelClass) -> Option<usize> {
        let to = self.network.neighbour(here, out)?;
        Some(node(self.network.tile_at(to), out.opposite(), class))
    }

    /// A class whose packets take the routes from tile to tile; trees that are unions of such paths have the same turns.
    fn along_routes(&mut self, class: ChannelClass) {
        for tile in (0..self.network.num_tiles() as u32).map(TileId) {
            let here = self.network.coord(tile);
            for from in Port::ALL {
                for out in outputs(turns(self.network, &[], tile, from)) {
                    if let Some(to) = self.behind(here, out, class) {
                        self.add(node(tile, from, class), to);
                    }
                }
            }
        }
    }

    /// Shared trees beside private ones: a class for each dimension, behind that of the Local input.
    fn over_shared_trees(&mut self) {
        for tile in (0..self.network.num_tiles() as u32).map(TileId) {
            let here = self.network.coord(tile);
            for from in Port::ALL {
                let held = match from {
                    Port::Local => self.order.of(ChannelClass::Multicast),
                    Port::North | Port::East | Port::South | Port::West => self.dimension(from),
                };
                for out in outputs(turns(self.network, &[], tile, from)) {
                    if let Some(to) = self.behind(here, out, self.dimension(out)) {
                        self.add(node(tile, from, held), to);
                    }
                }
            }
        }
    }

    /// Class of the channels at both ends of a link on a shared tree: rows come first.
    const fn dimension(&self, port: Port) -> ChannelClass {
        self.order.of(match port {
            Port::East | Port::West => ChannelClass::FirstDimension,
            Port::North | Port::South | Port::Local => ChannelClass::SecondDimension,
        })
    }

    fn over_private_trees(&mut self) {
        let (east, north) = (self.network.width() - 1, self.network.height() - 1);
        for (x, y) in [(0, 0), (east, 0), (east, north), (0, north)] {
            let corner = Coord::new(x, y);
            let tree = self.network.private_broadcast(corner);
            self.over_tree(corner, &tree);
            let sources = (0..self.network.num_tiles() as u32).map(TileId);
            let network = self.network;
            for source in sources.map(|tile| network.coord(tile)) {
                if self.network.nearest_corner(source) == corner {
                    self.add_corner_path(source, corner, &tree);
                }
            }
        }
    }

    /// From every channel in which a copy is latched to those behind the outputs of its tile.
    fn over_tree(&mut self, corner: Coord, tree: &TreeTable) {
        for (tile, ports) in tree.tiles() {
            let here = self.network.coord(tile);
            for out in outputs(ports) {
                let (class, Some(at)) = (self.class(corner, out), coord_behind(here, out)) else {
                    continue;
                };
                let tile = self.network.tile_at(at);
                let held = node(tile, out.opposite(), class);
                self.fork(held, at, corner, tree.ports(tile));
            }
        }
    }

    /// A packet on its path to the corner, where it goes on over the tree.
    fn add_corner_path(&mut self, source: Coord, corner: Coord, tree: &TreeTable) {
        let network = self.network;
        let class = self.order.of(ChannelClass::Multicast);
        let mut held = node(network.tile_at(source), Port::Local, class);
        for (here, out) in network.path(source, corner) {
            if let Some(to) = self.behind(here, out, class) {
                self.add(held, to);
                held = to;
            }
        }
        self.fork(held, corner, corner, tree.ports(network.tile_at(corner)));
    }

    fn fork(&mut self, held: usize, at: Coord, corner: Coord, ports: u8) {
        for out in outputs(ports) {
            let class = self.class(corner, out);
            if let Some(to) = self.behind(at, out, class) {
                self.add(held, to);
            }
        }
    }

    /// Class of the channels behind an output of a private tree.
    fn class(&self, corner: Coord, out: Port) -> ChannelClass {
        let is_along_row = matches!(out, Port::East | Port::West);
        let class = if is_along_row == self.network.leaves_along_row(corner) {
            ChannelClass::FirstDimension
        } else {
            ChannelClass::SecondDimension
        };
        self.order.of(class)
    }
}

// Which turns packets take at a router, asked of the next hop.

/// Outputs that packets from an input can take, as a bit set.
pub(super) fn turns(network: &Network, extra: &[(Port, Port)], tile: TileId, from: Port) -> u8 {
    let here = network.coord(tile);
    let before = network.neighbour(here, from);
    if before.is_none() && from != Port::Local {
        return 0;
    }
    let mut turns = 0;
    for to in destinations(network, here) {
        if before.is_none_or(|b| network.next_hop(b, to) == from.opposite()) {
            turns |= network.next_hop(here, to).bit();
        }
    }
    for (entering, out) in extra {
        let exists = *out == Port::Local || network.neighbour(here, *out).is_some();
        if *entering == from && exists {
            turns |= out.bit();
        }
    }
    turns
}

/// Destinations in all directions, near and at the edges.
fn destinations(network: &Network, here: Coord) -> impl Iterator<Item = Coord> {
    let side = |at: u16, length: u16| {
        let near = at.saturating_sub(1)..=(at + 1).min(length - 1);
        near.chain([0, length - 1])
    };
    let rows = side(here.y, network.height());
    side(here.x, network.width()).flat_map(move |x| rows.clone().map(move |y| Coord::new(x, y)))
}

// What decides about waiting in a router and at an endpoint.

/// When a fork lets go of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forks {
    /// Each copy goes on by itself.
    PerOutput,
    /// Outputs that have been taken are kept until the packet's last flit, which needs all of them.
    HoldOutputs,
}

/// Where a contribution waits for the others of its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joins {
    /// In a table or store that has space for it.
    SetAside,
    /// At the head of its input FIFO.
    BlockHeads,
}

/// What happens to read data that reaches its initiator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadData {
    /// The DMA engine has reserved space before it asked.
    Reserved,
    /// It needs space in the DMA buffer, which the engine's own writes have to drain.
    QueuedBehindWrites,
}

/// What happens to a write response that reaches its initiator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Responses {
    /// The initiator has kept space for it since it sent the request.
    Reserved,
    /// The initiator first sends the wide writes that it has begun.
    BehindWrites,
}

/// Which operands of wide reductions the store of a router takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandStore {
    /// Only those for which their sender has been given space.
    ByWindow,
    /// Any, until it is full.
    FirstCome,
}

/// Which barriers the target's NI takes a contribution of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierCounters {
    /// Any: no more are open there than it has counters.
    WithinLimit,
    /// Those that have a counter, or get a free one.
    FirstCome,
}

/// Who waits for the arithmetic, and for whom it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReductionUnit {
    /// An addition starts when there is space for its result outside the pipeline.
    ResultReserved,
    /// A result keeps the pipeline until its output takes it. Operands wait for that in the store, never in a FIFO.
    BehindStore,
    /// A result keeps the pipeline until its output takes it, and operands wait for that in their FIFOs.
    Shared,
}

/// What holds packets at a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffers {
    /// FIFOs at inputs and outputs.
    Fifos,
    /// Virtual channels at inputs, each for a packet as a whole, of a class for every kind of message. The other options are those of FIFOs,
    /// and have no effect.
    Channels(OrderClasses),
}

/// A class of virtual channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChannelClass {
    /// To one destination.
    Unicast,
    /// Contributions to reductions.
    Contribution,
    /// Multicasts on shared trees, and those on the path to the corner of a private one.
    Multicast,
    /// Multicasts along the dimension in which a private tree begins.
    FirstDimension,
    /// Multicasts along the other one.
    SecondDimension,
}

impl ChannelClass {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] = [
        Self::Unicast,
        Self::Contribution,
        Self::Multicast,
        Self::FirstDimension,
        Self::SecondDimension,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unicast => "unicasts",
            Self::Contribution => "contributions",
            Self::Multicast => "multicasts",
            Self::FirstDimension => "multicasts along the first dimension",
            Self::SecondDimension => "multicasts along the second dimension",
        }
    }
}

/// Classes that a multicast on a private tree takes one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderClasses {
    /// To the corner, along the first dimension, along the second.
    Three,
    /// To the corner, along both dimensions.
    Two,
    /// One for all of its path.
    One,
}

impl OrderClasses {
    /// The class that takes the place of another one.
    pub(super) const fn of(self, class: ChannelClass) -> ChannelClass {
        match (self, class) {
            (Self::Two, ChannelClass::SecondDimension) => ChannelClass::FirstDimension,
            (Self::One, ChannelClass::FirstDimension | ChannelClass::SecondDimension) => {
                ChannelClass::Multicast
            }
            (Self::Three | Self::Two | Self::One, class) => class,
        }
    }
}

/// What decides about waiting in a router and at an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mechanism {
    /// What holds packets.
    pub buffers: Buffers,
    /// Forks of multicasts.
    pub forks: Forks,
    /// Merge points of responses, barriers and reductions.
    pub joins: Joins,
    /// Operands of wide reductions that come before the others of their transaction.
    pub operand_store: OperandStore,
    /// Barriers that are open at their target.
    pub barrier_counters: BarrierCounters,
    /// Read data.
    pub read_data: ReadData,
    /// Write responses.
    pub responses: Responses,
    /// Arithmetic of wide reductions.
    pub reduction_unit: ReductionUnit,
    /// Turns (input port, output port) that packets take beside those of the routes.
    pub extra_turns: Vec<(Port, Port)>,
}
