// SPDX-License-Identifier: Apache-2.0
//! Random programs: every action reads what nobody writes and writes a place of its own, so any order is right.

use super::draw::numbers;
use super::work::Wrong;
use noccl_net::Network;
use noccl_net::{Coord, MultiAddress, TileRef, TileSet};
use noccl_run::{MemoryImage, Mode, RunConfig, Watch};
use noccl_studies::run_values;
use noccl_testkit::Random;
use noccl_testkit::actions::{barrier, to_set};
use noccl_testkit::schedules::schedule_of;
use noccl_workload::{
    Action, ActionId, ActionKind, Arrival, Barrier, BarrierMechanism, Destination, ElementType,
    InNetworkReduction, Operator, Transfer, interpret,
};
use noccl_workload::{Place, Schedule};

/// Programs that the networks with their own numbers accept.
pub const SEEDS: [u64; 6] = [0, 1, 2, 3, 4, 5];

/// Bytes at the start of every L1 that actions read, and the place that each action writes behind them.
const INPUT_BYTES: u64 = 0x8000;
const PLACE_BYTES: u64 = 0x2000;
const ACTIONS: u64 = 11;

struct Generator {
    random: Random,
    width: u16,
    height: u16,
}

impl Generator {
    fn coord(&mut self) -> Coord {
        let (x, y) = (
            self.random.below(self.width.into()),
            self.random.below(self.height.into()),
        );
        Coord::new(x as u16, y as u16)
    }

    fn cluster(&mut self) -> TileRef {
        TileRef::Cluster(self.coord())
    }

    /// All of a row, a column, the mesh or one cluster (sides are powers of two).
    fn cube(&mut self) -> MultiAddress {
        let (wide, high) = (self.width - 1, self.height - 1);
        let mask = *self
            .random
            .pick(&[(wide, 0), (0, high), (wide, high), (wide, high), (0, 0)]);
        let at = self.coord();
        let base = Coord::new(at.x & !mask.0, at.y & !mask.1);
        MultiAddress::new(base, Coord::new(mask.0, mask.1))
    }

    /// Rows in places of their own, often in other parts of a beat than where they come from.
    fn transfer(&mut self, output: u64) -> Transfer {
        let rows = *self.random.pick(&[1, 1, 3]);
        let stride = PLACE_BYTES / 4;
        let bytes = if rows == 1 {
            self.random.below(5000)
        } else {
            self.random.below(stride)
        };
        let offset = output + *self.random.pick(&[0, 1, 8, 63]);
        let destination = if self.random.below(3) == 0 {
            to_set(self.cube(), offset)
        } else {
            Destination::One(Place {
                tile: self.cluster(),
                offset,
            })
        };
        Transfer {
            initiator: self.cluster(),
            source: Place {
                tile: self.cluster(),
                offset: self.random.below(INPUT_BYTES / 2),
            },
            destination,
            bytes: bytes + 1,
            rows,
            source_stride: stride + 24,
            destination_stride: stride,
        }
    }

    fn reduction(&mut self, output: u64, is_shared: bool) -> InNetworkReduction {
        let group = self.cube();
        let root = if is_shared { group.base } else { self.coord() };
        InNetworkReduction {
            group,
            source_offset: 8 * self.random.below(INPUT_BYTES / 32),
            root: Place {
                tile: TileRef::Cluster(root),
                offset: output + 8 * self.random.below(8),
            },
            bytes: 8 * (1 + self.random.below(1000)),
            operator: *self.random.pick(&[Operator::Sum, Operator::Max]),
            element: *self.random.pick(&[ElementType::Int64, ElementType::Int32]),
        }
    }

    fn kind(&mut self, output: u64) -> ActionKind {
        match self.random.below(10) {
            0..=2 => ActionKind::Transfer(self.transfer(output)),
            3 | 4 => ActionKind::Delivery(self.transfer(output)),
            5 => ActionKind::InNetworkReduction(self.reduction(output, false)),
            6 => ActionKind::InNetworkAllReduce(self.reduction(output, true)),
            7 => {
                let group = self.cube();
                let root = TileRef::Cluster(group.base);
                ActionKind::Arrival(Arrival { group, root })
            }
            _ => barrier(
                TileSet::Cube(self.cube()),
                self.cluster(),
                *self
                    .random
                    .pick(&[BarrierMechanism::InNetwork, BarrierMechanism::Software]),
            ),
        }
    }
}

/// Clusters that take part: an order is written between actions that have one in common.
fn participants(kind: &ActionKind) -> Vec<TileRef> {
    let members = |set: &MultiAddress| set.members().map(TileRef::Cluster).collect::<Vec<_>>();
    match kind {
        ActionKind::Transfer(t) => vec![t.initiator],
        ActionKind::Delivery(t) => {
            let mut all = match &t.destination {
                Destination::One(place) => vec![place.tile],
                Destination::Multicast { set, .. } => members(set),
            };
            all.push(t.initiator);
            all
        }
        ActionKind::InNetworkReduction(r) | ActionKind::InNetworkAllReduce(r) => members(&r.group),
        ActionKind::Arrival(a) => members(&a.group),
        ActionKind::Barrier(Barrier {
            group: TileSet::Cube(set),
            ..
        }) => members(set),
        ActionKind::Barrier(_)
        | ActionKind::LocalReduce(_)
        | ActionKind::Compute(_)
        | ActionKind::Kernel(_)
        | ActionKind::Chain(_)
        | ActionKind::ListMulticast(_)
        | ActionKind::Message(_)
        | ActionKind::StaticMulticast(_) => panic!("no program has {kind:?}"),
    }
}

fn program(network: &Network, seed: u64) -> Schedule {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let mut generator = Generator {
        random: numbers(seed),
        width,
        height,
    };
    let mut actions: Vec<Action> = Vec::new();
    for id in 0..ACTIONS {
        let kind = generator.kind(INPUT_BYTES + PLACE_BYTES * id);
        let mine = participants(&kind);
        let is_common =
            |earlier: &Action| participants(&earlier.kind).iter().any(|t| mine.contains(t));
        let known: Vec<u32> = (0..id as u32)
            .filter(|at| is_common(&actions[*at as usize]))
            .collect();
        let after = match known.is_empty() || generator.random.below(2) == 0 {
            true => Vec::new(),
            false => vec![ActionId(*generator.random.pick(&known))],
        };
        actions.push(Action { kind, after });
    }
    schedule_of(actions)
}

/// Does the checker accept the program on this network?
pub fn is_accepted(network: &Network, seed: u64) -> bool {
    noccl_workload::check(network, &program(network, seed)).is_ok()
}

/// Runs a program; every memory must hold what the reference interpreter leaves there.
pub fn run(network: &Network, seed: u64) -> Result<(), Wrong> {
    let schedule = program(network, seed);
    let mut random = numbers(seed);
    let clusters: Vec<TileRef> = network.clusters().map(|t| network.tile_ref(t)).collect();
    let mut image = |tile: &TileRef| MemoryImage {
        tile: *tile,
        offset: 0,
        bytes: (0..INPUT_BYTES).map(|_| random.below(256) as u8).collect(),
    };
    let inputs: Vec<MemoryImage> = clusters.iter().map(&mut image).collect();
    let place = |tile: &TileRef| {
        (
            Place {
                tile: *tile,
                offset: 0,
            },
            INPUT_BYTES + PLACE_BYTES * ACTIONS,
        )
    };
    let outputs: Vec<(Place, u64)> = clusters.iter().map(place).collect();
    let known: Vec<(Place, &[u8])> = (inputs.iter())
        .map(|i| {
            (
                Place {
                    tile: i.tile,
                    offset: 0,
                },
                i.bytes.as_slice(),
            )
        })
        .collect();
    let memories = interpret(network, &schedule, &known).map_err(noccl_studies::Error::from)?;
    let config = RunConfig::new(Mode::Value);
    let result = run_values(
        network,
        &schedule,
        &inputs,
        &outputs,
        &config,
        Watch::quiet(),
    )?;
    for (image, (place, bytes)) in result.memory.iter().zip(&outputs) {
        if memories.read(*place, *bytes).as_ref() != Some(&image.bytes) {
            return Err(Wrong::Failed(format!("wrong bytes at {}", place.tile)));
        }
    }
    Ok(())
}
