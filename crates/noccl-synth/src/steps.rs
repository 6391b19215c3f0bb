// SPDX-License-Identifier: Apache-2.0
//! Plans by matching in an abstract machine, beside its optimum: a chunk takes one step, a tile sends one and receives one per step, and
//! no two messages of a step share a link.
#![allow(clippy::unwrap_used)]

use crate::Faults;
use crate::matching::{Chunk, Style, spread};
use crate::plan::Costs;
use crate::problem::{Part, Problem};
use noccl_net::{Coord, Network, TileRef, elaborate};
use noccl_workload::{Collective, CollectiveKind, ElementType, Operator, Postcondition};
use std::collections::{BTreeSet, HashMap};

/// Beats of a chunk: whole quarters, in which the matching goes on.
const STEP: u64 = 16;
const TILES: usize = 9;

fn network() -> Network {
    let text = noccl_spec::preset_text("collective_noc_3x3").unwrap();
    elaborate(&noccl_spec::parse_spec("collective_noc_3x3", &text, &[]).unwrap()).unwrap()
}

fn problem(network: &Network) -> Problem<'_> {
    let collective = Collective {
        kind: CollectiveKind::AllGather,
        group: network.parse_tile_set("all").unwrap(),
        root: TileRef::Cluster(Coord::new(0, 0)),
        bytes: 64,
        input_offset: 0,
        output_offset: 4096,
        operator: Operator::Sum,
        element: ElementType::Fp64,
        lengths: None,
        definition: None,
    };
    let wanted = Postcondition::new(network, &collective);
    Problem::new(
        network,
        vec![Part { collective, wanted }],
        Faults::default(),
    )
    .unwrap()
}

/// Fewest steps that matching needs over seeds and styles.
fn matched_steps(problem: &Problem<'_>, chunks: &[Chunk]) -> u64 {
    let costs = Costs::in_steps(64);
    let styles = (0..60).flat_map(|seed| [0, 2, 20].map(|hop_weight| (seed, hop_weight)));
    let steps = styles.map(|(seed, hop_weight)| {
        let style = Style {
            seed,
            hop_weight,
            slack: 0,
            stretch: 100,
            neighbours: 8,
            is_sum: false,
        };
        let sent = spread(problem, &costs, chunks, style).unwrap();
        let last = sent.iter().map(|s| s.arrives).max().unwrap();
        last.div_ceil(STEP)
    });
    steps.min().unwrap()
}

fn chunk(source: usize) -> Chunk {
    Chunk {
        source,
        targets: (0..TILES).collect(),
        bytes: STEP * 64,
        ready: 0,
    }
}

/// Links of a message's path.
fn links(network: &Network, from: usize, to: usize) -> Vec<(usize, usize)> {
    let at = |tile: usize| network.mesh_coord(Coord::new((tile / 3) as u16, (tile % 3) as u16));
    let path = network.path(at(from), at(to));
    path.filter(|(here, _)| *here != at(to))
        .map(|(here, port)| (network.tile_at(here).idx(), port.idx()))
        .collect()
}

/// Fewest steps of a broadcast of one chunk from a tile, over all choices of messages.
fn broadcast_steps(network: &Network, root: usize) -> u64 {
    let mut levels: HashMap<u16, u64> = HashMap::from([(1 << root, 0)]);
    let mut open = vec![1_u16 << root];
    let mut steps = 0;
    while !open.contains(&0b1_1111_1111) {
        steps += 1;
        let mut next = BTreeSet::new();
        for holders in open {
            let senders: Vec<usize> = (0..TILES).filter(|t| holders >> t & 1 == 1).collect();
            send(network, &senders, holders, &BTreeSet::new(), &mut next);
        }
        open = next
            .into_iter()
            .filter(|state| levels.insert(*state, steps).is_none())
            .collect();
    }
    steps
}

/// All states behind a step in which these senders send one message each at most.
fn send(
    network: &Network,
    senders: &[usize],
    reached: u16,
    used: &BTreeSet<(usize, usize)>,
    out: &mut BTreeSet<u16>,
) {
    let Some((sender, others)) = senders.split_first() else {
        out.insert(reached);
        return;
    };
    send(network, others, reached, used, out);
    for to in (0..TILES).filter(|to| reached >> to & 1 == 0) {
        let path = links(network, *sender, to);
        if path.iter().all(|link| !used.contains(link)) {
            let mut used = used.clone();
            used.extend(path);
            send(network, others, reached | 1 << to, &used, out);
        }
    }
}

#[test]
fn a_broadcast_of_one_chunk_takes_as_few_steps_as_any_choice_of_messages() {
    let network = network();
    let problem = problem(&network);
    for root in [0, 1, 4] {
        let optimum = broadcast_steps(&network, root);
        assert_eq!(optimum, 4, "root {root}");
        assert_eq!(
            matched_steps(&problem, &[chunk(root)]),
            optimum,
            "root {root}"
        );
    }
}

/// A tile receives the other eight chunks one after the other: no choice of messages takes fewer steps.
#[test]
fn an_all_gather_takes_as_many_steps_as_a_port_has_chunks_to_receive() {
    let network = network();
    let problem = problem(&network);
    let chunks: Vec<Chunk> = (0..TILES).map(chunk).collect();
    assert_eq!(matched_steps(&problem, &chunks), 8);
}

/// The last of c chunks leaves its root in step c at the earliest; then two tiles have it, and their number doubles at most: c + 3.
#[test]
fn a_long_broadcast_takes_its_root_and_three_steps_more() {
    let network = network();
    let problem = problem(&network);
    for count in [4, 8] {
        let chunks: Vec<Chunk> = (0..count).map(|_| chunk(0)).collect();
        assert_eq!(
            matched_steps(&problem, &chunks),
            count + 3,
            "{count} chunks"
        );
    }
}
