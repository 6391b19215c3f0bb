// SPDX-License-Identifier: Apache-2.0
//! Random schedules: every kind of action, by anybody, with random dependencies.
//!
//! Nothing is checked: a schedule may stall or write one place twice. What it does is determined all the same.

use super::cluster;
use super::hand_written::schedule_of;
use noccl_net::{MultiAddress, Network, TileRef, TileSet};
use noccl_run::MemoryImage;
use noccl_testkit::Random;
use noccl_testkit::actions::{barrier, compute, to_set};
use noccl_workload::{
    Action, ActionId, ActionKind, Arrival, BarrierMechanism, Destination, ElementType,
    InNetworkReduction, Kernel, LocalReduce, Multiply, Operation, Operator, Place, Schedule,
    Transfer,
};

/// Bytes of every memory that actions use.
const USED_BYTES: u64 = 0x8000;

/// A schedule of `count` actions.
pub fn random_schedule(net: &Network, seed: u64, count: u32) -> Schedule {
    let mut random = Random(seed);
    let actions = (0..count).map(|id| {
        let num_after = random.below(3).min(u64::from(id));
        Action {
            kind: kind(net, &mut random),
            after: (0..num_after)
                .map(|_| ActionId(random.below(u64::from(id)) as u32))
                .collect(),
        }
    });
    let actions = actions.collect();
    schedule_of(actions)
}

/// Random contents of all memories.
pub fn random_inputs(net: &Network, seed: u64) -> Vec<MemoryImage> {
    let mut random = Random(seed);
    let mut image = |tile| MemoryImage {
        tile,
        offset: 0,
        bytes: (0..USED_BYTES).map(|_| random.below(256) as u8).collect(),
    };
    clusters(net).map(&mut image).collect()
}

/// All that the actions may have written.
pub fn all_outputs(net: &Network) -> Vec<(Place, u64)> {
    let memories = (0..net.memories().count()).map(|m| TileRef::Memory(m as u32));
    let place = |tile| (Place { tile, offset: 0 }, 2 * USED_BYTES);
    clusters(net).chain(memories).map(place).collect()
}

fn clusters(net: &Network) -> impl Iterator<Item = TileRef> {
    let (width, height) = (net.cluster_width(), net.cluster_height());
    (0..width).flat_map(move |x| (0..height).map(move |y| cluster(x, y)))
}

fn offset(random: &mut Random) -> u64 {
    8 * random.below(USED_BYTES / 16)
}

fn transfer(net: &Network, random: &mut Random) -> Transfer {
    let initiator = random.cluster(net);
    let rows = 1 + random.below(3) as u32;
    let source = Place {
        tile: if random.below(2) == 0 {
            initiator
        } else {
            random.tile(net)
        },
        offset: offset(random),
    };
    let destination = if random.below(3) == 0 {
        to_set(random.cube(net), offset(random))
    } else {
        Destination::One(Place {
            tile: if random.below(4) == 0 {
                initiator
            } else {
                random.tile(net)
            },
            offset: offset(random),
        })
    };
    Transfer {
        initiator,
        source,
        destination,
        bytes: random.below(3000),
        rows,
        source_stride: 3072,
        destination_stride: 3072,
    }
}

/// Published routers fold two operands: rows towards a member of theirs.
fn reduction(net: &Network, random: &mut Random) -> InNetworkReduction {
    let root = random.cluster(net);
    let group = match root {
        TileRef::Cluster(at) if random.below(2) == 0 => MultiAddress::single(at),
        TileRef::Cluster(_) | TileRef::Memory(_) => random.cube(net),
    };
    InNetworkReduction {
        group,
        source_offset: offset(random),
        root: Place {
            tile: root,
            offset: offset(random),
        },
        bytes: 8 * random.below(400),
        operator: Operator::Sum,
        element: ElementType::Int64,
    }
}

fn kind(net: &Network, random: &mut Random) -> ActionKind {
    match random.below(12) {
        0..=2 => ActionKind::Transfer(transfer(net, random)),
        3 | 4 => ActionKind::Delivery(transfer(net, random)),
        5 | 6 => ActionKind::InNetworkReduction(reduction(net, random)),
        7 => ActionKind::LocalReduce(LocalReduce {
            tile: random.cluster(net),
            inputs: vec![offset(random), offset(random), offset(random)],
            output: offset(random),
            bytes: 8 * random.below(200),
            operator: Operator::Max,
            element: ElementType::Int64,
        }),
        8 => compute(random.cluster(net), random.below(500)),
        9 => barrier(
            TileSet::Cube(random.cube(net)),
            random.cluster(net),
            if random.below(2) == 0 {
                BarrierMechanism::Software
            } else {
                BarrierMechanism::InNetwork
            },
        ),
        10 => {
            let group = random.cube(net);
            let root = group.members().next().map(TileRef::Cluster);
            ActionKind::Arrival(Arrival {
                group,
                root: root.expect("a cube has members"),
            })
        }
        _ => ActionKind::Kernel(Kernel {
            group: TileSet::Cube(random.cube(net)),
            cycles: 20 + random.below(100),
            operation: Operation::Multiply(Multiply {
                a_offset: offset(random),
                b_offset: offset(random),
                c_offset: offset(random),
                rows: 4,
                columns: 3,
                inner: 5,
                element: ElementType::Fp64,
                accumulate: true,
                b_transposed: false,
            }),
        }),
    }
}
