// SPDX-License-Identifier: Apache-2.0
//! The movements of DeepSeek-V3's attention that S3 measures (Table II): matrices, layouts, destinations, and the
//! schedules that move them by three methods.

use super::baselines::Snake;
use crate::programs::{in_sequence, program};
use noccl_coll::{Algorithm, Choice};
use noccl_net::{TileId, TileRef, TileSet};
use noccl_run::{MemoryImage, Rng};
use noccl_studies::Error;
use noccl_workload::{
    Action, ActionId, ActionKind, Barrier, BarrierMechanism, Chain, ChainDestination, Destination,
    Layout, LayoutError, Place, Schedule, Transfer,
};

/// Destinations of a movement that is a multicast: all clusters but the source.
pub(super) const MULTICAST_DESTINATIONS: u32 = 8;

/// One row of Table II. An int8 matrix lies in the source's layout in cluster (0, 0) and arrives in the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Movement {
    pub(super) name: &'static str,
    pub(super) shape: (u64, u64),
    pub(super) source_layout: &'static str,
    pub(super) destination_layout: &'static str,
    pub(super) num_destinations: u32,
}

const fn movement(
    name: &'static str,
    shape: (u64, u64),
    destination_layout: &'static str,
    num_destinations: u32,
) -> Movement {
    Movement {
        name,
        shape,
        source_layout: "MNM16N8",
        destination_layout,
        num_destinations,
    }
}

/// Table II. S3 does not give the number of destinations; its programs have 8 for a multicast.
pub(super) const MOVEMENTS: [Movement; 6] = [
    movement("P1", (2048, 192), "MNM8N8", MULTICAST_DESTINATIONS),
    movement("P2", (2048, 128), "MNM8N8", MULTICAST_DESTINATIONS),
    movement("P3", (2048, 512), "MNM16N8", MULTICAST_DESTINATIONS),
    movement("D1", (4096, 192), "MNM64N16", 1),
    movement("D2", (4096, 128), "MNM64N16", 1),
    movement("D3", (4096, 512), "MNM16N8", MULTICAST_DESTINATIONS),
];

/// How a movement is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// One chain.
    Chain,
    /// Chains of one destination each, one after the other: S3's XDMA.
    OneByOne,
    /// S3's iDMA.
    Copies,
}

impl Method {
    pub(super) const ALL: [Method; 3] = [Method::Chain, Method::OneByOne, Method::Copies];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Method::Chain => "chain (Torrent)",
            Method::OneByOne => "point to point (XDMA)",
            Method::Copies => "copies (iDMA)",
        }
    }
}

impl Movement {
    pub(super) const fn bytes(&self) -> u64 {
        self.shape.0 * self.shape.1
    }

    /// Layouts at the source and at the destinations.
    fn layouts(&self) -> Result<[Layout; 2], LayoutError> {
        Ok([
            self.source_layout.parse()?,
            self.destination_layout.parse()?,
        ])
    }

    /// Random elements as they lie at the source, and as they have to lie at every destination, by the address formula.
    pub(super) fn images(&self) -> Result<[Vec<u8>; 2], Error> {
        let [from, to] = self.layouts()?;
        let size = self.bytes() as usize;
        let (mut source, mut destination) = (vec![0; size], vec![0; size]);
        let mut rng = Rng::new(0, self.name);
        for row in 0..self.shape.0 {
            for column in 0..self.shape.1 {
                let (element, at) = (rng.draw() as u8, (row, column));
                source[from.element_offset(self.shape, at)? as usize] = element;
                destination[to.element_offset(self.shape, at)? as usize] = element;
            }
        }
        Ok([source, destination])
    }

    pub(super) fn input(&self, snake: &Snake, bytes: Vec<u8>) -> MemoryImage {
        MemoryImage {
            tile: snake.network.tile_ref(snake.source),
            offset: 0,
            bytes,
        }
    }

    /// What has to be looked at afterwards.
    pub(super) fn outputs(&self, snake: &Snake) -> Vec<(Place, u64)> {
        let place = |tile: &TileId| Place {
            tile: snake.network.tile_ref(*tile),
            offset: 0,
        };
        let destinations = snake.destinations(self.num_destinations).iter();
        destinations
            .map(|destination| (place(destination), self.bytes()))
            .collect()
    }

    pub(super) fn schedule(&self, method: Method, snake: &Snake) -> Result<Schedule, Error> {
        let destinations = snake.destinations(self.num_destinations);
        match method {
            Method::Chain => Ok(in_sequence(vec![self.chain(snake, destinations)?])),
            Method::OneByOne => {
                let each = destinations
                    .iter()
                    .map(|destination| self.chain(snake, &[*destination]));
                Ok(in_sequence(each.collect::<Result<_, _>>()?))
            }
            Method::Copies => self.copies(snake),
        }
    }

    fn chain(&self, snake: &Snake, destinations: &[TileId]) -> Result<ActionKind, LayoutError> {
        let [from, to] = self.layouts()?;
        let pattern = to.pattern(0, self.shape)?;
        let destination = |tile: &TileId| ChainDestination {
            tile: snake.network.tile_ref(*tile),
            pattern: pattern.clone(),
        };
        Ok(ActionKind::Chain(Chain {
            initiator: snake.network.tile_ref(snake.source),
            source: from.pattern(0, self.shape)?,
            destinations: destinations.iter().map(destination).collect(),
            bytes: self.bytes(),
        }))
    }

    /// Where nothing is rearranged, a copy per destination from one engine. Else the engine of the source brings the matrix
    /// to the first destination, submatrix by submatrix, and after a barrier that one's engine copies it to the others.
    fn copies(&self, snake: &Snake) -> Result<Schedule, Error> {
        if self.source_layout == self.destination_layout {
            let unicast = Choice::new(Algorithm::Unicast, 1);
            return snake.multicast(self.num_destinations, self.bytes(), unicast);
        }
        let tile = |tile: &TileId| snake.network.tile_ref(*tile);
        let [first, others @ ..] = snake.destinations(self.num_destinations) else {
            return Ok(program(Vec::new()));
        };
        let mut actions = self.rearranging(tile(&snake.source), tile(first))?;
        if others.is_empty() {
            return Ok(program(actions));
        }
        let arranged = (0..actions.len() as u32).map(ActionId).collect();
        let cluster = |tile: &TileId| snake.network.cluster_coord(snake.network.coord(*tile));
        let barrier = ActionKind::Barrier(Barrier {
            group: TileSet::Arbitrary(
                [&snake.source, first]
                    .into_iter()
                    .filter_map(cluster)
                    .collect(),
            ),
            counter: tile(first),
            mechanism: BarrierMechanism::Software,
        });
        let ready = vec![ActionId(actions.len() as u32)];
        actions.push(Action {
            kind: barrier,
            after: arranged,
        });
        let copies = others.iter().map(|destination| Action {
            kind: ActionKind::Transfer(line(
                (tile(first), 0),
                (tile(destination), 0),
                self.bytes(),
            )),
            after: ready.clone(),
        });
        actions.extend(copies);
        Ok(program(actions))
    }

    /// Transfers of lines of eight bytes, one per submatrix of the smaller sides.
    fn rearranging(&self, source: TileRef, destination: TileRef) -> Result<Vec<Action>, Error> {
        let [from, to] = self.layouts()?;
        let sides = [from, to].map(|layout| layout.submatrix().unwrap_or((8, self.shape.1)));
        let (rows, columns) = (sides[0].0.min(sides[1].0), sides[0].1.min(sides[1].1));
        let mut transfers = Vec::new();
        for row in (0..self.shape.0).step_by(rows as usize) {
            for column in (0..self.shape.1).step_by(columns as usize) {
                let offset = |layout: Layout| layout.element_offset(self.shape, (row, column));
                let (at_source, at_destination) =
                    ((source, offset(from)?), (destination, offset(to)?));
                let kind = ActionKind::Transfer(Transfer {
                    rows: rows as u32,
                    source_stride: sides[0].1,
                    destination_stride: sides[1].1,
                    ..line(at_source, at_destination, columns)
                });
                let after = Vec::new();
                transfers.push(Action { kind, after });
            }
        }
        Ok(transfers)
    }
}

/// A transfer of consecutive bytes by the source's engine.
fn line(source: (TileRef, u64), destination: (TileRef, u64), bytes: u64) -> Transfer {
    let place = |(tile, offset)| Place { tile, offset };
    Transfer::row(
        source.0,
        place(source),
        Destination::One(place(destination)),
        bytes,
    )
}
