// SPDX-License-Identifier: Apache-2.0
//! Schedules written by hand.

use crate::actions::{barrier, compute, copy, core_sum, to_set};
use crate::{cluster, is_long, network, rectangle};
use noccl_net::{Coord, MultiAddress, Network, TileRef, TileSet};
use noccl_workload::{
    Action, ActionId, ActionKind, BarrierMechanism, ChunkRef, Collective, CollectiveKind,
    Definition, Destination, ElementType, InNetworkReduction, InputChunks, Operator, Place,
    SCHEDULE_FORMAT, Schedule, Want,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Every kind of collective, the custom one last.
pub const KINDS: [CollectiveKind; CollectiveKind::ALL.len() + 1] = {
    let mut kinds = [CollectiveKind::Custom; CollectiveKind::ALL.len() + 1];
    let (all, _) = kinds.split_at_mut(CollectiveKind::ALL.len());
    all.copy_from_slice(&CollectiveKind::ALL);
    kinds
};

/// A schedule of these actions that claims nothing.
#[must_use]
pub fn schedule_of(actions: Vec<Action>) -> Schedule {
    Schedule {
        format: SCHEDULE_FORMAT,
        first: None,
        claims_rounds: false,
        algorithm: "test".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions,
    }
}

/// A schedule of actions with what each waits for, by number.
#[must_use]
pub fn schedule(actions: Vec<(ActionKind, Vec<u32>)>) -> Schedule {
    let action = |(kind, others): (ActionKind, Vec<u32>)| after(kind, &others);
    schedule_of(actions.into_iter().map(action).collect())
}

/// A schedule of actions that wait for nothing.
#[must_use]
pub fn at_once(kinds: impl IntoIterator<Item = ActionKind>) -> Schedule {
    schedule_of(kinds.into_iter().map(alone).collect())
}

/// An action that waits for nothing.
#[must_use]
pub const fn alone(kind: ActionKind) -> Action {
    Action {
        kind,
        after: Vec::new(),
    }
}

/// An action that waits for others, by number.
#[must_use]
pub fn after(kind: ActionKind, others: &[u32]) -> Action {
    Action {
        kind,
        after: others.iter().copied().map(ActionId).collect(),
    }
}

/// Actions, each after the one before it.
#[must_use]
pub fn in_order(kinds: impl IntoIterator<Item = ActionKind>) -> Schedule {
    let kinds = kinds.into_iter().zip(0_u32..);
    let action = |(kind, number): (ActionKind, u32)| {
        let before = number.checked_sub(1);
        after(kind, before.as_slice())
    };
    schedule_of(kinds.map(action).collect())
}

/// A collective on doubles whose output lies at 32 KiB.
#[must_use]
pub const fn collective(
    kind: CollectiveKind,
    group: TileSet,
    root: TileRef,
    bytes: u64,
) -> Collective {
    Collective {
        kind,
        group,
        root,
        bytes,
        input_offset: 0,
        output_offset: 0x8000,
        operator: Operator::Sum,
        element: ElementType::Fp64,
        lengths: None,
        definition: None,
    }
}

/// A schedule under construction.
#[derive(Debug, Clone)]
pub struct Build(pub Schedule);

impl Build {
    /// Nothing so far.
    #[must_use]
    pub fn new(collective: Option<Collective>) -> Self {
        let mut schedule = schedule_of(Vec::new());
        schedule.collective = collective;
        Self(schedule)
    }

    /// An action after others, by number; returns its own number.
    pub fn add(&mut self, kind: ActionKind, others: &[u32]) -> u32 {
        self.0.actions.push(after(kind, others));
        self.0.actions.len() as u32 - 1
    }

    /// A transfer of one row.
    pub fn copy(
        &mut self,
        initiator: TileRef,
        source: Place,
        destination: Place,
        bytes: u64,
        after: &[u32],
    ) -> u32 {
        let kind = copy(initiator, source, Destination::One(destination), bytes);
        self.add(kind, after)
    }

    /// A row that a tile writes from its own memory.
    pub fn push(&mut self, source: Place, destination: Place, bytes: u64, after: &[u32]) -> u32 {
        self.copy(source.tile, source, destination, bytes, after)
    }

    /// A row that a tile reads into its own memory.
    pub fn pull(&mut self, source: Place, destination: Place, bytes: u64, after: &[u32]) -> u32 {
        self.copy(destination.tile, source, destination, bytes, after)
    }

    /// A transfer from a tile's own memory to a set of clusters.
    pub fn multicast(
        &mut self,
        source: Place,
        set: MultiAddress,
        offset: u64,
        bytes: u64,
        after: &[u32],
    ) -> u32 {
        let kind = copy(source.tile, source, to_set(set, offset), bytes);
        self.add(kind, after)
    }

    /// A barrier in the network, counted at cluster (0, 0).
    pub fn barrier(&mut self, group: TileSet, after: &[u32]) -> u32 {
        let kind = barrier(group, cluster(0, 0), BarrierMechanism::InNetwork);
        self.add(kind, after)
    }

    /// A sum of doubles in the network.
    pub fn reduction(
        &mut self,
        group: MultiAddress,
        source_offset: u64,
        root: Place,
        bytes: u64,
        after: &[u32],
    ) -> u32 {
        let sum = InNetworkReduction {
            group,
            source_offset,
            root,
            bytes,
            operator: Operator::Sum,
            element: ElementType::Fp64,
        };
        self.add(ActionKind::InNetworkReduction(sum), after)
    }

    /// A sum of doubles by a core.
    pub fn local(
        &mut self,
        tile: TileRef,
        inputs: &[u64],
        output: u64,
        bytes: u64,
        after: &[u32],
    ) -> u32 {
        let sum = core_sum(tile, inputs, output, bytes, ElementType::Fp64);
        self.add(sum, after)
    }

    /// Ten cycles of computing.
    pub fn compute(&mut self, tile: TileRef, after: &[u32]) -> u32 {
        self.add(compute(tile, 10), after)
    }
}

// Collectives over groups of every form, from roots inside and outside of them, on networks of every kind: what records of schedules,
// bounds and choices are made of.

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

// Records of the cases of [`collectives`]: committed text files with one line or more per case.
//
// A record notices any change, wanted or not. A plain test compares some cases, a long one all; `NOCCL_WRITE_GOLDEN=1` writes the
// file again.

/// What a file records: one group of lines per case, each line with the case's name first.
#[derive(Debug)]
pub struct Record<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its first lines, each with `#`.
    pub head: &'a str,
    /// Of how many cases the file has one.
    pub recorded_one_in: usize,
    /// Of how many of those a plain test compares one.
    pub compared_one_in: usize,
}

/// A case with its name and its network.
type Named<'a> = (String, &'a Network, &'a Case);

impl Record<'_> {
    /// Compares the file with the lines of today: of some cases, of all in long runs. A line begins with the case's name, which `lines` leaves
    /// out.
    ///
    /// # Panics
    ///
    /// If some differ, with the lines of the first case that does; if the file has other cases, or cannot be read or written.
    pub fn compare(&self, lines: impl Fn(&Network, &Case) -> Vec<String>) {
        let all = all();
        let pairs = all.iter().flat_map(|(network, cases)| {
            let named = cases.iter().map(|case| (case.name(), case));
            named.map(move |(name, case)| (name, network, case))
        });
        let cases: Vec<Named<'_>> = pairs.step_by(self.recorded_one_in).collect();
        if std::env::var_os("NOCCL_WRITE_GOLDEN").is_some() {
            self.write(&cases, &lines);
        }
        let committed = std::fs::read_to_string(self.path).expect("the record is committed");
        let body = committed.strip_prefix(self.head);
        let body = body.expect("the record begins with its head");
        let mut recorded: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in body.lines() {
            let (case, rest) = line
                .split_once(" | ")
                .expect("a case, a bar and what it gives");
            recorded.entry(case).or_default().push(rest);
        }
        let mut names: Vec<&str> = cases.iter().map(|(name, ..)| name.as_str()).collect();
        names.sort_unstable();
        let path = self.path.display();
        assert!(
            recorded.keys().copied().eq(names),
            "{path} has other cases; NOCCL_WRITE_GOLDEN=1 writes it again"
        );
        let step = if is_long() { 1 } else { self.compared_one_in };
        for (name, network, case) in cases.iter().step_by(step) {
            assert_eq!(
                recorded[name.as_str()],
                lines(network, case),
                "{path}, {name}: left is recorded, right is today's; NOCCL_WRITE_GOLDEN=1 writes it again"
            );
        }
    }

    fn write(&self, cases: &[Named<'_>], lines: &impl Fn(&Network, &Case) -> Vec<String>) {
        let mut named: Vec<&Named<'_>> = cases.iter().collect();
        named.sort_unstable_by_key(|(name, ..)| name);
        let mut text = self.head.to_owned();
        for (name, network, case) in named {
            for line in lines(network, case) {
                text += &format!("{name} | {line}\n");
            }
        }
        std::fs::write(self.path, text).expect("the record can be written");
    }
}

/// FNV-1a: a number that tells texts and other bytes apart.
pub fn fnv_1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let offset = 0xcbf2_9ce4_8422_2325_u64;
    bytes.into_iter().fold(offset, |number, byte| {
        (number ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
