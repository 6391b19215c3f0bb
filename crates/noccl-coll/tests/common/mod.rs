// SPDX-License-Identifier: Apache-2.0
//! Networks and collectives that the tests share.
#![allow(dead_code, reason = "every test file uses its own part")]

use noccl_coll::{Algorithm, Choice, Forwarding, Inner};
use noccl_net::{Network, TileRef, TileSet, elaborate};
use noccl_spec::{parse_spec, preset_text};
use noccl_workload::{BarrierMechanism, Collective, CollectiveKind, ElementType, Operator};

pub fn network(name: &str) -> Network {
    let text = preset_text(name).expect("the preset exists");
    let spec = parse_spec(name, &text, &[]).expect("presets are valid");
    elaborate(&spec).expect("presets elaborate")
}

pub fn rectangle(x: u16, y: u16, width: u16, height: u16) -> TileSet {
    TileSet::Rectangle {
        x,
        y,
        width,
        height,
    }
}

/// Int64 sums, output on the beat after the input.
pub fn collective(kind: CollectiveKind, group: TileSet, root: TileRef, bytes: u64) -> Collective {
    Collective {
        kind,
        group,
        root,
        bytes,
        input_offset: 0,
        output_offset: bytes.next_multiple_of(64),
        operator: Operator::Sum,
        element: ElementType::Int64,
    }
}

/// Every algorithm for data with every parameter but the chunk count.
pub fn forms(chunks: u32) -> Vec<Choice> {
    let mut out = vec![Choice::new(Algorithm::InNetwork, 1)];
    for base in [
        Choice::new(Algorithm::Chain, chunks),
        Choice::new(Algorithm::Tree, chunks),
        Choice::row_column(Inner::Chain, chunks),
        Choice::row_column(Inner::Tree, chunks),
    ] {
        for forwarding in [Forwarding::Pull, Forwarding::Push] {
            for barrier in [BarrierMechanism::InNetwork, BarrierMechanism::Software] {
                out.push(Choice {
                    forwarding,
                    barrier,
                    ..base
                });
            }
        }
    }
    out
}

pub const DATA_KINDS: [CollectiveKind; 3] = [
    CollectiveKind::Multicast,
    CollectiveKind::Reduce,
    CollectiveKind::AllReduce,
];
