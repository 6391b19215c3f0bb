// SPDX-License-Identifier: Apache-2.0
//! The lower bound equals its definition where that is easy to say, and never falls as work grows.

use noccl_model::{bounds, lower_bound_cycles, payload_bound_cycles};
use noccl_net::{Coord, TileRef, TileSet};
use noccl_testkit::schedules::{KINDS, collective};
use noccl_testkit::{cluster, network, network_with, rectangle};
use noccl_workload::{ChunkRef, CollectiveKind, Definition, InputChunks, Want};
use proptest::prelude::*;

const CORNER: TileRef = cluster(0, 0);

fn all() -> TileSet {
    rectangle(0, 0, 4, 4)
}

fn check(kind: CollectiveKind, group: TileSet, root: TileRef, bytes: u64, cycles: u64) {
    let net = network("collective_noc_4x4");
    let task = collective(kind, group, root, bytes);
    assert_eq!(lower_bound_cycles(&net, &task), Ok(cycles), "{task:?}");
}

#[test]
fn bound_is_one_path_and_serialisation_or_an_addition() {
    use CollectiveKind::{AllReduce, Barrier, Multicast, Reduce};
    let row = || TileSet::Row(0);
    // Row of 4 from its own end: 3 hops, 2 + 6; from the memory tile west of it: 4 hops.
    check(Multicast, row(), CORNER, 64, 8);
    check(Multicast, row(), CORNER, 0x8000, 8 + 511);
    // A memory begins nothing: the request of the cluster beside it, 1 hop, and 1 cycle of latency come before.
    check(
        Multicast,
        row(),
        TileRef::Memory(0),
        0x8000,
        4 + 1 + 10 + 511,
    );
    check(Multicast, all(), CORNER, 8, 14);
    // One addition: 3 cycles of the FPU and 2 cuts; or 15 further beats.
    check(Reduce, row(), CORNER, 64, 8 + 5);
    check(Reduce, row(), CORNER, 1024, 8 + 15);
    check(Reduce, all(), cluster(1, 1), 64, 10 + 5);
    // Wherever the counter is, corners are 6 hops apart.
    check(Barrier, all(), CORNER, 4096, 14);
    check(Barrier, all(), cluster(1, 1), 0, 14);
    check(AllReduce, all(), CORNER, 64, 14 + 5);
    check(AllReduce, row(), CORNER, 64, 8 + 5);
    for (a, b) in [(0, 3), (3, 0)] {
        let diagonal = TileSet::Arbitrary(vec![Coord::new(0, a), Coord::new(3, b)]);
        check(AllReduce, diagonal, CORNER, 64, 14 + 5);
    }
}

/// Every field that delays all algorithms delays the bound: what a memory gives away comes later by its latency.
#[test]
fn bounds_follow_the_latency_of_the_memory_that_is_the_root() {
    use CollectiveKind::{Gather, Multicast, Reduce, Scatter};
    let bound = |kind, latency: u32| {
        let net = network_with("collective_noc_4x4", &[("memory.latency_cycles", latency)]);
        let task = collective(kind, all(), TileRef::Memory(0), 1024);
        lower_bound_cycles(&net, &task).unwrap()
    };
    for latency in [1, 5, 20, 1000] {
        for kind in [Multicast, Scatter] {
            let more = u64::from(latency - 1);
            assert_eq!(
                bound(kind, latency),
                bound(kind, 1) + more,
                "{kind} {latency}"
            );
        }
        // What comes to a memory is there when it has been written.
        for kind in [Gather, Reduce] {
            assert_eq!(bound(kind, latency), bound(kind, 1), "{kind} {latency}");
        }
    }
}

#[test]
fn software_is_bounded_by_ports_steps_and_additions() {
    use CollectiveKind::{AllGather, AllReduce, Barrier, Multicast, Reduce, ReduceScatter};
    let net = network("collective_noc_4x4");
    let software = |kind, group, bytes| {
        let found = bounds(&net, &collective(kind, group, CORNER, bytes)).unwrap();
        assert!(found.software_bound_cycles >= found.lower_bound_cycles);
        found.software_bound_cycles
    };
    // A hop takes 4. 1, 1, 1, 1, 2, 3, 4, 5, 7, 10, 14, 19 tiles have a beat after 0 to 11 cycles; the farthest is 14 away.
    assert_eq!(software(Multicast, all(), 64), 14);
    assert_eq!(software(Multicast, all(), 0x8000), 511 + 14);
    // An all-reduce takes ⌈2 · 512 · 15 / 16⌉ = 960 beats in at some port.
    assert_eq!(software(AllReduce, all(), 0x8000), 4 + 959);
    // Of 512 · 15 additions a core has 480, of 1.16 cycles each: 556.
    assert_eq!(software(Reduce, all(), 0x8000), 4 + 556);
    assert_eq!(
        software(ReduceScatter, all(), 0x1000),
        4 + 15 * 64 * 116 / 100
    );
    assert_eq!(software(AllGather, all(), 0x1000), 4 + 15 * 64 - 1);
    // A sum that has come is added for 11 cycles before it goes on: one more after 15, 16, 17 and so on, 16 contributions after 29.
    assert_eq!(software(Reduce, all(), 64), 29);
    assert_eq!(software(AllReduce, all(), 64), 29);
    // Three planes at a time: 1, 4, 7, 10, 13, 25 after 3 to 8 cycles.
    assert_eq!(software(Barrier, all(), 0), 14);
}

#[test]
fn blocks_are_bounded_by_a_port_or_by_the_middle_of_the_mesh() {
    use CollectiveKind::{AllGather, AllToAll, ReduceScatter};
    // 4x4: 15 blocks per port; the middle passes 8 * 8 blocks over 4 links. The first comes over one hop, 4.
    check(AllGather, all(), CORNER, 512, 15 * 8 - 1 + 4);
    check(ReduceScatter, all(), CORNER, 512, 15 * 8 - 1 + 4);
    check(AllToAll, all(), CORNER, 512, 16 * 8 - 1 + 4);
    // A row of 4: two and two, one link of its own row, but packets may take the other rows too. Its ends are 3 hops apart.
    check(AllToAll, TileSet::Row(0), CORNER, 64, 8);
    // 8x8: 32 * 32 / 8 blocks over each link of the middle.
    let net = network("collective_noc_8x8");
    let group = rectangle(0, 0, 8, 8);
    let of = |kind| payload_bound_cycles(&net, &collective(kind, group.clone(), CORNER, 4096));
    assert_eq!(of(AllToAll), Ok(128 * 64));
    assert_eq!(of(AllGather), Ok(63 * 64));
    assert_eq!(of(ReduceScatter), Ok(63 * 64));
}

#[test]
fn a_root_deals_through_its_port_and_ranks_scan_as_far_as_the_group_reaches() {
    use CollectiveKind::{Gather, Scan, Scatter};
    for kind in [Scatter, Gather] {
        // 15 blocks of 8 beats, the first over one hop, 4; or one beat over 6 hops, 14.
        check(kind, all(), CORNER, 512, 15 * 8 - 1 + 4);
        check(kind, all(), CORNER, 4, 14);
        // Of 8 bytes each, 8 blocks fill a beat.
        let net = network("collective_noc_4x4");
        let of = |root| payload_bound_cycles(&net, &collective(kind, all(), root, 8));
        assert_eq!((of(CORNER), of(TileRef::Memory(0))), (Ok(2), Ok(2)));
    }
    // The farthest two ranks: 14, and one addition, 5, or 15 further beats.
    check(Scan, all(), CORNER, 64, 14 + 5);
    check(Scan, all(), CORNER, 1024, 14 + 15);
}

#[test]
fn ports_of_a_custom_collective_pass_what_is_asked_for_and_has_nothing_in_common() {
    let chunk = |rank, chunk| ChunkRef { rank, chunk };
    let of = |outputs: Vec<Vec<Want>>| {
        let net = network("collective_noc_4x4");
        let mut own = collective(CollectiveKind::Custom, TileSet::Row(0), CORNER, 128);
        own.definition = Some(Box::new(Definition {
            name: "own".to_owned(),
            inputs: InputChunks::Each(3),
            outputs,
        }));
        let found = bounds(&net, &own).unwrap();
        (found.payload_bound_cycles, found.lower_bound_cycles)
    };
    let rest = || vec![vec![], vec![], vec![]];
    let with = |wants: Vec<Want>| [vec![wants], rest()].concat();
    let copies = [(1, 0), (1, 1), (3, 2)].map(|(r, c)| Want::Copy(chunk(r, c)));
    // Three chunks of two beats; the last is 3 hops away: 8 cycles, and one beat behind.
    assert_eq!(of(with(copies.to_vec())), (6, 9));
    // A copy and what it is part of may come together; what is here need not come.
    let sum = Want::Reduction(vec![chunk(0, 0), chunk(1, 0)]);
    assert_eq!(of(with(vec![copies[0].clone(), sum.clone()])).0, 2);
    assert_eq!(of(with(vec![Want::Copy(chunk(0, 2))])), (0, 0));
    let other = Want::Reduction(vec![chunk(2, 0), chunk(3, 1)]);
    assert_eq!(of(with(vec![sum, other])).0, 4);
    // One chunk for all others leaves once, two different ones twice.
    let to_all = |chunks: [u32; 3]| {
        let wants = chunks.map(|c| vec![Want::Copy(chunk(0, c))]);
        [vec![vec![]], wants.to_vec()].concat()
    };
    assert_eq!((of(to_all([1; 3])).0, of(to_all([0, 1, 2])).0), (2, 6));
}

#[test]
fn a_strip_gathers_no_faster_than_its_port_and_exchanges_no_faster_than_its_cut() {
    let net = network("collective_noc_16x1");
    let row = || TileSet::Row(0);
    let of = |kind| payload_bound_cycles(&net, &collective(kind, row(), CORNER, 64));
    assert_eq!(of(CollectiveKind::AllGather), Ok(15));
    assert_eq!(of(CollectiveKind::AllToAll), Ok(8 * 8));
}

#[test]
fn nothing_to_move_bounds_nothing() {
    let alone = || TileSet::Tile(Coord::new(0, 0));
    for kind in &KINDS[..10] {
        check(*kind, alone(), CORNER, 4096, 0);
    }
    check(CollectiveKind::Multicast, all(), CORNER, 0, 0);
}

#[test]
fn one_contributor_needs_no_addition() {
    let at = |x| TileSet::Tile(Coord::new(x, 0));
    check(CollectiveKind::Reduce, at(2), CORNER, 64, 6);
}

#[test]
fn absent_tiles_are_errors() {
    let net = network("collective_noc_4x4");
    let task = collective(CollectiveKind::Reduce, all(), TileRef::Memory(4), 64);
    let error = bounds(&net, &task).expect_err("there are four memory tiles");
    assert!(error.to_string().contains("4 memory tiles"), "{error}");
    let task = collective(CollectiveKind::Reduce, TileSet::Row(4), CORNER, 64);
    assert!(bounds(&net, &task).is_err());
}

fn kinds() -> impl Strategy<Value = CollectiveKind> {
    prop_oneof![
        Just(CollectiveKind::Multicast),
        Just(CollectiveKind::Reduce),
        Just(CollectiveKind::AllReduce),
    ]
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn bound_grows_by_the_beats_that_are_added(
        kind in kinds(), x in 0u16..8, y in 0u16..8, small in 1u64..10_000, more in 0u64..10_000,
    ) {
        let net = network("collective_noc_8x8");
        let root = cluster(x, y);
        let of = |bytes| collective(kind, all(), root, bytes);
        let beats = |bytes: u64| bytes.div_ceil(64);
        let before = bounds(&net, &of(small)).unwrap();
        let after = bounds(&net, &of(small + more)).unwrap();
        let added = beats(small + more) - beats(small);
        // A few beats may pass while others are added.
        let grown = after.lower_bound_cycles - before.lower_bound_cycles;
        prop_assert!(grown <= added && grown + 5 >= added, "{grown} {added}");
        prop_assert!(after.software_bound_cycles >= before.software_bound_cycles);
        prop_assert_eq!(payload_bound_cycles(&net, &of(small)).unwrap(), beats(small));
        prop_assert!(before.lower_bound_cycles > before.payload_bound_cycles);
    }

    #[test]
    fn bound_never_falls_as_the_group_reaches_farther(
        kind in kinds(), width in 2u16..8, height in 1u16..8, x in 0u16..8, y in 0u16..8,
    ) {
        let net = network("collective_noc_8x8");
        let of = |width, height| {
            let group = rectangle(0, 0, width, height);
            collective(kind, group, cluster(x, y), 256)
        };
        let here = lower_bound_cycles(&net, &of(width, height)).unwrap();
        prop_assert!(lower_bound_cycles(&net, &of(width + 1, height)).unwrap() >= here);
        prop_assert!(lower_bound_cycles(&net, &of(width, height + 1)).unwrap() >= here);
    }
}

/// Whatever the collective, cores are bounded, and by no less than the words of their data.
#[test]
fn bounds_of_core_tiles_count_words() {
    let net = network("tilepro64_4x4");
    for (kind, payload) in [
        (CollectiveKind::Multicast, 256),
        (CollectiveKind::Reduce, 256),
        (CollectiveKind::AllReduce, 512),
        (CollectiveKind::AllGather, 16 * 256),
        (CollectiveKind::ReduceScatter, 16 * 256),
        (CollectiveKind::AllToAll, 30 * 256),
        (CollectiveKind::Barrier, 0),
    ] {
        let task = collective(kind, all(), CORNER, 1024);
        let found = bounds(&net, &task).unwrap();
        assert_eq!(found.payload_bound_cycles, payload, "{kind}");
        assert!(found.lower_bound_cycles > payload, "{kind}");
    }
    let alone = collective(
        CollectiveKind::Multicast,
        TileSet::Tile(Coord::new(0, 0)),
        CORNER,
        64,
    );
    assert_eq!(lower_bound_cycles(&net, &alone), Ok(0));
}
