// SPDX-License-Identifier: Apache-2.0
//! Random schedules: every kind of action, by anybody, with random dependencies.
//!
//! Nothing is checked: a schedule may stall or write one place twice. What it does is determined all the same.

use super::cluster;
use super::hand_written::schedule_of;
use noccl_net::{MultiAddress, Network, TileRef, TileSet};
use noccl_run::MemoryImage;
use noccl_testkit::actions::{
    barrier, chain, compute, list_multicast, message, static_multicast, to_set,
};
use noccl_testkit::{Random, clusters as clusters_of};
use noccl_workload::{
    Action, ActionId, ActionKind, Arrival, BarrierMechanism, Destination, ElementType,
    InNetworkReduction, Kernel, LocalReduce, Multiply, Operation, Operator, Place, Schedule,
    Transfer, participants,
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

/// Actions of all kinds, each mostly after the earlier ones that share a participant, so that many have no races. They lie close
/// together in the memories, so that they meet.
pub fn random_actions(net: &Network, seed: u64, count: u32) -> Schedule {
    let mut random = Random(seed);
    let mut actions: Vec<Action> = Vec::new();
    for _ in 0..count {
        let kind = any_kind(net, &mut random);
        let own = participants(net, &kind);
        let is_loose = random.below(10) == 0;
        let earlier = actions.iter().zip(0_u32..).filter(|(action, number)| {
            let shares = participants(net, &action.kind)
                .iter()
                .any(|t| own.contains(t));
            shares && !(is_loose && number % 2 == 0)
        });
        let after = earlier.map(|(_, number)| ActionId(number)).collect();
        actions.push(Action { kind, after });
    }
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

/// Any operator on any numbers.
fn numbers(random: &mut Random) -> (Operator, ElementType) {
    let operators = [Operator::Sum, Operator::Min, Operator::Max, Operator::And];
    let elements = [
        ElementType::Int32,
        ElementType::Int64,
        ElementType::Fp32,
        ElementType::Fp64,
    ];
    (*random.pick(&operators), *random.pick(&elements))
}

/// As [`kind`], and what only some networks carry.
fn any_kind(net: &Network, random: &mut Random) -> ActionKind {
    let list = |random: &mut Random| -> Vec<TileRef> {
        (0..=random.below(3)).map(|_| random.cluster(net)).collect()
    };
    let place = |tile, random: &mut Random| Place {
        tile,
        offset: offset(random),
    };
    match random.below(14) {
        0 => {
            let sum = reduction(net, random);
            let (operator, element) = numbers(random);
            ActionKind::InNetworkReduction(InNetworkReduction {
                operator,
                element,
                ..sum
            })
        }
        1 => {
            let sum = reduction(net, random);
            let root = sum
                .group
                .members()
                .next()
                .map_or(sum.root.tile, TileRef::Cluster);
            let root = Place {
                tile: root,
                ..sum.root
            };
            ActionKind::InNetworkAllReduce(InNetworkReduction { root, ..sum })
        }
        2 => {
            let (from, to) = (random.cluster(net), list(random));
            ActionKind::Chain(chain(from, &to, offset(random), 64 * random.below(20)))
        }
        3 => {
            let (from, to) = (random.cluster(net), list(random));
            ActionKind::ListMulticast(list_multicast(from, to, offset(random), random.below(1000)))
        }
        4..=6 => {
            let (from, to) = (random.cluster(net), random.cluster(net));
            message(place(from, random), place(to, random), random.below(300))
        }
        7 => {
            let source = random.cluster(net);
            let (width, height) = (net.cluster_width(), net.cluster_height());
            let source = place(source, random);
            static_multicast(
                source,
                clusters_of(0, 0, width, height),
                offset(random),
                random.below(300),
            )
        }
        8 => {
            let (operator, element) = numbers(random);
            ActionKind::LocalReduce(LocalReduce {
                tile: random.cluster(net),
                inputs: (0..=random.below(4)).map(|_| offset(random)).collect(),
                output: offset(random),
                bytes: 8 * random.below(40),
                operator,
                element,
            })
        }
        _ => kind(net, random),
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
