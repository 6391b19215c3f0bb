// SPDX-License-Identifier: Apache-2.0
//! Relations between collectives: what gives less is never slower, by the best software, by the best of the network, and by `auto`.

use crate::common::{asked, rows_by};
use noccl_net::{Network, TileRef};
use noccl_studies::CompareRow;
use noccl_testkit::{cluster, is_long, network};
use noccl_workload::{CollectiveKind, ElementType};

/// Cycles by the fastest software, the fastest algorithm of the network, and `auto`, where there are any.
#[derive(Debug)]
struct Best {
    software: Option<u64>,
    in_network: Option<u64>,
    auto: Option<u64>,
}

impl Best {
    fn of(network: &Network, kind: CollectiveKind, root: Option<TileRef>, bytes: u64) -> Self {
        let rows = |algorithms: &str| {
            let mut request = asked(network, kind, ("all", &[bytes]), algorithms);
            request.root = root.filter(|_| kind.has_root());
            // Interfaces that exchange messages add integers alone.
            request.element = ElementType::Int64;
            rows_by(network, &request)
        };
        let all = rows("");
        let least = |is_in_network: bool| {
            let of_side = |row: &&CompareRow| row.is_in_network == is_in_network;
            all.iter().filter(of_side).map(|row| row.cycles).min()
        };
        Self {
            software: least(false),
            in_network: least(true),
            auto: rows("auto").first().map(|row| row.cycles),
        }
    }
}

/// What gives less is not slower wherever both can be done.
fn assert_not_slower((less, of_less): (&str, &Best), (more, of_more): (&str, &Best), what: &str) {
    for (side, less_cycles, more_cycles) in [
        ("software", of_less.software, of_more.software),
        ("in the network", of_less.in_network, of_more.in_network),
        ("auto", of_less.auto, of_more.auto),
    ] {
        if let (Some(less_cycles), Some(more_cycles)) = (less_cycles, more_cycles) {
            assert!(
                less_cycles <= more_cycles,
                "{what}, {side}: {less} takes {less_cycles}, {more} {more_cycles}"
            );
        }
    }
}

fn check_relations(preset: &str, roots: &[(u16, u16)], payloads: &[u64], blocks: &[u64]) {
    use CollectiveKind::{AllGather, AllReduce, Barrier, Gather, Multicast, Reduce};
    let net = network(preset);
    for bytes in payloads {
        let all_reduce = Best::of(&net, AllReduce, None, *bytes);
        for (x, y) in roots {
            let reduce = Best::of(&net, Reduce, Some(cluster(*x, *y)), *bytes);
            let what = format!("{preset}, {bytes} bytes, root {x},{y}");
            assert_not_slower(("reduce", &reduce), ("all-reduce", &all_reduce), &what);
        }
    }
    for bytes in blocks {
        let all_gather = Best::of(&net, AllGather, None, *bytes);
        for (x, y) in roots {
            for kind in [Multicast, Gather] {
                let one = Best::of(&net, kind, Some(cluster(*x, *y)), *bytes);
                let what = format!("{preset}, {bytes} bytes, root {x},{y}");
                assert_not_slower((kind.name(), &one), ("all-gather", &all_gather), &what);
            }
        }
    }
    let barrier = Best::of(&net, Barrier, None, 0);
    let all_reduce = Best::of(&net, AllReduce, None, 8);
    assert_not_slower(
        ("barrier", &barrier),
        ("all-reduce of 8 bytes", &all_reduce),
        preset,
    );
}

/// By default the shortest and the longest size into one root inside the mesh; in long runs these sizes and roots between them too.
fn some<T: Copy>(first_ones: usize, all: &[T]) -> Vec<T> {
    let num = if is_long() { all.len() } else { first_ones };
    all[..num].to_vec()
}

#[test]
fn what_gives_less_is_not_slower_on_16_tiles() {
    let roots = some(1, &[(1, 1), (0, 0), (3, 2)]);
    let payloads = some(3, &[8, 4096, 32_768, 64, 512]);
    let blocks = some(2, &[8, 512, 64]);
    check_relations("collective_noc_4x4", &roots, &payloads, &blocks);
    check_relations(
        "collective_noc_4x4_published",
        &roots,
        &some(1, &payloads),
        &blocks,
    );
}

#[test]
fn what_gives_less_is_not_slower_on_64_tiles() {
    let roots = some(1, &[(3, 4), (0, 0)]);
    let payloads = some(2, &[64, 32_768, 8, 4096]);
    check_relations(
        "collective_noc_8x8",
        &roots,
        &payloads,
        &some(1, &[512, 8, 64]),
    );
}

#[test]
fn what_gives_less_is_not_slower_on_chains_and_messages() {
    let (payloads, blocks) = (some(1, &[8, 512, 8192]), some(2, &[8, 512, 64]));
    check_relations(
        "torrent_4x5",
        &some(1, &[(2, 3), (0, 0)]),
        &payloads,
        &blocks,
    );
    check_relations(
        "smart_4x4",
        &some(1, &[(1, 2), (0, 0)]),
        &some(1, &payloads),
        &blocks,
    );
}
