// SPDX-License-Identifier: Apache-2.0
//! Collectives over groups of every form, from roots inside and outside of them, on networks of every kind: what records of schedules,
//! bounds and choices are made of.

use crate::schedules::KINDS;
use crate::{cluster, network, rectangle};
use noccl_net::{Coord, Network, TileRef, TileSet};
use noccl_workload::{
    ChunkRef, Collective, CollectiveKind, Definition, ElementType, InputChunks, Operator, Want,
};

/// Networks whose algorithms differ.
pub const PRESETS: [&str; 10] = [
    "collective_noc_4x4",
    "collective_noc_4x4_published",
    "collective_noc_8x4",
    "ideal_4x4",
    "torrent_4x5",
    "torrent_3x3_parallel",
    "esp_4x5",
    "smart_4x4",
    "tilepro64_4x4",
    "tilepro64_5x3",
];

/// A collective on the network of a preset.
#[derive(Debug, Clone)]
pub struct Case {
    /// Name of the preset.
    pub preset: &'static str,
    /// The collective.
    pub collective: Collective,
}

impl Case {
    /// Its first words in a record: network, collective, group, root, bytes and offset of the output.
    #[must_use]
    pub fn name(&self) -> String {
        let of = &self.collective;
        let root = of.root.to_string().replace(' ', "");
        let (group, bytes, output) = (&of.group, of.bytes, of.output_offset);
        format!(
            "{} {} {group} {root} {bytes} {output}",
            self.preset, of.kind
        )
    }
}

/// Cases on all networks, each with its network.
#[must_use]
pub fn all() -> Vec<(Network, Vec<Case>)> {
    let of_preset = |preset: &'static str| {
        let network = network(preset);
        let cases = KINDS.iter().flat_map(|kind| of_kind(&network, *kind));
        let cases = cases.map(|collective| Case { preset, collective });
        let cases = cases.collect();
        (network, cases)
    };
    PRESETS.into_iter().map(of_preset).collect()
}

fn of_kind(network: &Network, kind: CollectiveKind) -> Vec<Collective> {
    let (columns, rows) = (network.cluster_width(), network.cluster_height());
    let whole = rectangle(0, 0, columns, rows);
    let cut = rectangle(1, 0, 2, 3);
    let scattered = [(0, 2), (1, 0), (2, 1), (2, 2), (0, 0)];
    let scattered = scattered.map(|(x, y)| Coord::new(x, y)).to_vec();
    let scattered = TileSet::Arbitrary(scattered);
    let outside = match network.memories().next() {
        Some(_) => TileRef::Memory(0),
        None => cluster(columns - 1, rows - 1),
    };
    let (sum, min, or) = (Operator::Sum, Operator::Min, Operator::Or);
    let (fp64, int32, int8) = (ElementType::Fp64, ElementType::Int32, ElementType::Int8);
    [
        (&whole, cluster(0, 0), 8, sum, fp64),
        (&whole, cluster(1, 2), 4096, sum, fp64),
        (&whole, outside, 1024, min, int32),
        (&TileSet::Row(0), cluster(0, 0), 520, or, int8),
        (&TileSet::Row(1), cluster(2, 0), 2048, sum, fp64),
        (&TileSet::Column(1), cluster(1, 2), 8192, sum, fp64),
        (&cut, cluster(2, 1), 264, min, int32),
        (&scattered, outside, 192, sum, fp64),
        (
            &TileSet::Tile(Coord::new(1, 1)),
            cluster(1, 1),
            64,
            sum,
            fp64,
        ),
    ]
    .into_iter()
    .enumerate()
    .map(|(number, (group, root, bytes, operator, element))| {
        // 0: a group that is not on the network is refused where its collective is checked.
        let members = network.members(group).map_or(0, |m| m.len());
        // Every third collective has its output where its input is, if that has as many bytes.
        let is_in_place = number % 3 == 1;
        let mut collective = Collective {
            operator,
            element,
            definition: definition(kind, members),
            ..crate::schedules::collective(kind, group.clone(), root, bytes)
        };
        let input_bytes = collective.input_bytes(members as u64);
        collective.output_offset = match is_in_place && input_bytes == bytes {
            true => 0,
            false => input_bytes.next_multiple_of(64),
        };
        collective
    })
    .collect()
}

/// Of a custom collective: every member wants a chunk of the next one, the sum of all first chunks, and of some two second ones.
fn definition(kind: CollectiveKind, members: usize) -> Option<Box<Definition>> {
    let chunk = |rank: usize, chunk| ChunkRef {
        rank: (rank % members.max(1)) as u32,
        chunk,
    };
    let wants = |rank: usize| {
        let mut wants = vec![Want::Copy(chunk(rank + 1, 0)), Want::All { all: 0 }];
        if rank.is_multiple_of(2) && members > 1 {
            wants.push(Want::Nothing);
            wants.push(Want::Reduction(vec![chunk(rank, 1), chunk(rank + 1, 1)]));
        }
        wants
    };
    (kind == CollectiveKind::Custom).then(|| {
        Box::new(Definition {
            name: "neighbours".to_owned(),
            inputs: InputChunks::Each(2),
            outputs: (0..members).map(wants).collect(),
        })
    })
}
