// SPDX-License-Identifier: Apache-2.0
//! Deadlock check of a mechanism, for all transactions there can be.
//!
//! Nodes are buffers: the FIFO at every input and output port of every router of every plane, and what
//! couples planes at the endpoints. An edge says that the packet at the head of one buffer can wait
//! for buffer space in, or for somebody in, the other. Which turns there are is asked of the next hop, for
//! destinations in all directions; multicast and reduction trees consist of the same turns. If no
//! cycle exists, the buffers can be put in an order in which the last one always drains.

use super::channels::turns;
use super::channels::{
    BarrierCounters, Buffers, Forks, Joins, Mechanism, OperandStore, ReadData, ReductionUnit,
    Responses,
};
use super::search::{find_cycle, shortest_through};
use super::{Cycle, Place, Proof, Wait, channels};
use crate::{LinkId, Network, Port, TileId};
use noccl_spec::Plane;

/// Can any transactions wait for each other forever on this network's flow?
///
/// Presumed: no more reductions meet at a router than it works on together (see
/// [`reduction_flows`](super::reduction_flows)), no more barriers at one target than it counts
/// (`ni.max_open_reductions`), and programs wait for collectives in one order.
///
/// # Errors
/// A cycle of waits.
pub fn check_network(network: &Network) -> Result<Proof, Cycle> {
    check_mechanism(network, &network.routers().mechanism)
}

/// [`check_network`] with another mechanism.
///
/// # Errors
/// A cycle of waits.
pub fn check_mechanism(network: &Network, mechanism: &Mechanism) -> Result<Proof, Cycle> {
    match mechanism.buffers {
        Buffers::Fifos => {}
        Buffers::Channels(order) => return channels::check(network, order),
    }
    let graph = Fifos::new(network, mechanism);
    let nodes = network.num_tiles() * PER_TILE;
    find(nodes, |node, next| graph.successors(node, next)).map_err(|cycle| {
        let places: Vec<Place> = cycle.into_iter().map(Fifos::place).collect();
        cycle_of(network, &places)
    })
}

/// No cycle, or the shortest through a node of the first one that is found.
pub(super) fn find(
    nodes: usize,
    successors: impl Fn(usize, &mut Vec<usize>),
) -> Result<Proof, Vec<usize>> {
    match find_cycle(nodes, &successors) {
        Ok(waits) => Ok(Proof { nodes, waits }),
        Err(found) => {
            let limit = found.len();
            let best = found
                .iter()
                .filter_map(|start| shortest_through(nodes, *start, limit, &successors))
                .min_by_key(Vec::len);
            Err(best.unwrap_or(found))
        }
    }
}

/// Places of which each waits for the next one.
pub(super) fn cycle_of(network: &Network, places: &[Place]) -> Cycle {
    let next = places.iter().cycle().skip(1);
    let waits = places.iter().zip(next).map(|(holds, waits_for)| Wait {
        flow: None,
        holder: "a packet".to_owned(),
        holds: *holds,
        waits_for: *waits_for,
        text: format!(
            "in {} waits for {}",
            holds.describe(network),
            waits_for.describe(network)
        ),
    });
    Cycle {
        waits: waits.collect(),
        is_certain: true,
    }
}

const PORTS: usize = 5;
/// Inputs and outputs of three planes, then the counters of barriers, the operand store, the reduction
/// unit, the DMA buffer.
const PER_TILE: usize = 2 * PORTS * Plane::ALL.len() + 4;
const COUNTERS: usize = PER_TILE - 4;
const STORE: usize = PER_TILE - 3;
const UNIT: usize = PER_TILE - 2;
const DMA: usize = PER_TILE - 1;

struct Fifos<'a> {
    network: &'a Network,
    mechanism: &'a Mechanism,
    /// Per tile and input port: outputs that packets can take, as a bit set.
    turns: Vec<[u8; PORTS]>,
}

fn input(tile: TileId, plane: Plane, port: Port) -> usize {
    tile.idx() * PER_TILE + plane.idx() * 2 * PORTS + port.idx()
}

fn output(tile: TileId, plane: Plane, port: Port) -> usize {
    input(tile, plane, port) + PORTS
}

fn ports(set: u8) -> impl Iterator<Item = Port> {
    Port::ALL.into_iter().filter(move |p| set & p.bit() != 0)
}

impl<'a> Fifos<'a> {
    fn new(network: &'a Network, mechanism: &'a Mechanism) -> Self {
        let turns = (0..network.num_tiles() as u32)
            .map(|t| Port::ALL.map(|from| turns(network, &mechanism.extra_turns, TileId(t), from)))
            .collect();
        Self {
            network,
            mechanism,
            turns,
        }
    }

    /// Plane of a node that is a FIFO.
    fn plane(node: usize) -> Plane {
        Plane::ALL[node % PER_TILE / (2 * PORTS)]
    }

    fn place(node: usize) -> Place {
        let (tile, at) = (TileId((node / PER_TILE) as u32), node % PER_TILE);
        match at {
            COUNTERS => Place::Counters(tile),
            STORE => Place::Store(tile),
            UNIT => Place::ReductionUnit(tile),
            DMA => Place::DmaBuffer(tile),
            _ => {
                let (plane, port) = (Self::plane(at), Port::ALL[at % PORTS]);
                if at % (2 * PORTS) < PORTS {
                    Place::Input { plane, tile, port }
                } else {
                    Place::Link(LinkId::new(plane, tile, port))
                }
            }
        }
    }

    fn successors(&self, node: usize, next: &mut Vec<usize>) {
        match Self::place(node) {
            Place::Input { plane, tile, port } => self.after_input(plane, tile, port, next),
            Place::Link(link) => self.after_output(Self::plane(node), link, next),
            Place::ReductionUnit(tile) => match self.mechanism.reduction_unit {
                ReductionUnit::ResultReserved => {}
                ReductionUnit::BehindStore | ReductionUnit::Shared => {
                    let outputs = self.outputs(tile);
                    next.extend(outputs.map(|port| output(tile, Plane::Wide, port)));
                }
            },
            Place::Store(tile) => match self.mechanism.operand_store {
                OperandStore::ByWindow => {}
                // An operand leaves the store when the other contributions have come.
                OperandStore::FirstCome => {
                    next.extend(Port::ALL.map(|port| input(tile, Plane::Wide, port)));
                }
            },
            Place::Counters(tile) => match self.mechanism.barrier_counters {
                BarrierCounters::WithinLimit => {}
                // A counter is free again when the other contributions have come.
                BarrierCounters::FirstCome => next.push(output(tile, Plane::Req, Port::Local)),
            },
            Place::DmaBuffer(tile) => match self.mechanism.read_data {
                ReadData::Reserved => {}
                ReadData::QueuedBehindWrites => next.push(input(tile, Plane::Wide, Port::Local)),
            },
            Place::Channels { .. }
            | Place::Issue { .. }
            | Place::Responses { .. }
            | Place::Follower(_)
            | Place::ChainGrant(_)
            | Place::End(_) => {}
        }
    }

    fn after_input(&self, plane: Plane, tile: TileId, port: Port, next: &mut Vec<usize>) {
        let turns = &self.turns[tile.idx()];
        for out in ports(turns[port.idx()]) {
            next.push(output(tile, plane, out));
            match self.mechanism.joins {
                Joins::SetAside => {}
                // Whatever else can turn to the same output can be the missing contribution.
                Joins::BlockHeads => next.extend(
                    Port::ALL
                        .into_iter()
                        .filter(|p| *p != port && turns[p.idx()] & out.bit() != 0)
                        .map(|p| input(tile, plane, p)),
                ),
            }
        }
        match (self.mechanism.reduction_unit, plane) {
            (ReductionUnit::Shared, Plane::Wide) => next.push(tile.idx() * PER_TILE + UNIT),
            (
                ReductionUnit::Shared | ReductionUnit::BehindStore | ReductionUnit::ResultReserved,
                _,
            ) => {}
        }
        match (self.mechanism.operand_store, plane) {
            (OperandStore::FirstCome, Plane::Wide) => next.push(tile.idx() * PER_TILE + STORE),
            (OperandStore::FirstCome | OperandStore::ByWindow, _) => {}
        }
    }

    fn after_output(&self, plane: Plane, link: LinkId, next: &mut Vec<usize>) {
        let LinkId { tile, port, .. } = link;
        match self.mechanism.forks {
            Forks::PerOutput => {}
            Forks::HoldOutputs => {
                let forks = self.turns[tile.idx()];
                let other_inputs = forks.iter().filter(|outs| **outs & port.bit() != 0);
                let kept = other_inputs.fold(0, |all, outs| all | outs) & !port.bit();
                next.extend(ports(kept).map(|other| output(tile, plane, other)));
            }
        }
        if port == Port::Local {
            self.after_endpoint(plane, tile, next);
        } else if let Some(to) = self.network.neighbour(self.network.coord(tile), port) {
            next.push(input(self.network.tile_at(to), plane, port.opposite()));
        }
    }

    /// What an endpoint needs in order to take a packet from its router.
    fn after_endpoint(&self, plane: Plane, tile: TileId, next: &mut Vec<usize>) {
        match plane {
            // A request needs space for its response: B and narrow R, or wide R.
            Plane::Req => {
                next.extend([Plane::Rsp, Plane::Wide].map(|p| input(tile, p, Port::Local)));
                match self.mechanism.barrier_counters {
                    BarrierCounters::WithinLimit => {}
                    BarrierCounters::FirstCome => next.push(tile.idx() * PER_TILE + COUNTERS),
                }
            }
            Plane::Wide => {
                next.push(input(tile, Plane::Rsp, Port::Local));
                match self.mechanism.read_data {
                    ReadData::Reserved => {}
                    ReadData::QueuedBehindWrites => next.push(tile.idx() * PER_TILE + DMA),
                }
            }
            Plane::Rsp => match self.mechanism.responses {
                Responses::Reserved => {}
                Responses::BehindWrites => next.push(input(tile, Plane::Wide, Port::Local)),
            },
        }
    }

    /// Outputs that exist at a router.
    fn outputs(&self, tile: TileId) -> impl Iterator<Item = Port> {
        let here = self.network.coord(tile);
        Port::ALL
            .into_iter()
            .filter(move |p| *p == Port::Local || self.network.neighbour(here, *p).is_some())
    }
}
