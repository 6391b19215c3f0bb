// SPDX-License-Identifier: Apache-2.0
//! Collectives that go on beside what their ranks do.

use crate::common::{Op, network, run_in_network};
use crate::programs::{error, numbers};
use noccl_testkit::{assert_says, network_with};
use noccl_workload::CollectiveKind;

/// Two of a kind go on at once, while ranks compute, send to each other and call one that blocks. Which kinds the algorithms of a network
/// do beside their ranks is stated with the network.
#[test]
fn collectives_beside_computing_give_every_rank_its_part() {
    use CollectiveKind::{
        AllGather, AllReduce, AllToAll, Barrier, Multicast, Reduce, ReduceScatter,
    };
    let kinds = [
        Barrier,
        Multicast,
        Reduce,
        AllReduce,
        AllGather,
        ReduceScatter,
        AllToAll,
    ];
    for (preset, beside) in [
        (
            "collective_noc_4x4",
            vec![Barrier, Multicast, Reduce, AllReduce, AllGather],
        ),
        (
            "smart_8x8",
            vec![Barrier, Multicast, Reduce, AllReduce, AllGather],
        ),
    ] {
        let mut found = Vec::new();
        for kind in kinds {
            let lists: Vec<Vec<Op>> = (0..16)
                .map(|rank| beside_others(kind, rank, [1, 1, 1]))
                .collect();
            let all = match run_in_network(&network(preset), &lists) {
                Ok(all) => all,
                Err(refused) => {
                    let told = refused.to_string();
                    assert!(told.contains("non-blocking"), "{preset}, {kind}: {told}");
                    continue;
                }
            };
            found.push(kind);
            for (rank, got) in all.iter().enumerate() {
                let rank = rank as i64;
                let mut expected = vec![vec![((rank + 15) % 16) as u8], numbers(&[16])];
                expected.extend([1, 2].map(|factor| part(kind, rank, factor)));
                assert_eq!(got, &expected, "{preset}, {kind}, rank {rank}");
            }
        }
        assert_eq!(found, beside, "{preset}");
    }
}

/// What a rank gives to a collective: numbers that tell who has given them to whom.
fn given(kind: CollectiveKind, rank: i64, factor: i64) -> Vec<u8> {
    let blocks: Vec<i64> = (0..16).map(|to| factor * (100 * rank + to)).collect();
    match kind.input_blocks(16) {
        Some(0) => Vec::new(),
        Some(1) => numbers(&[factor * rank]),
        Some(_) | None => numbers(&blocks),
    }
}

/// What a rank gets of it; the root is rank 5.
fn part(kind: CollectiveKind, rank: i64, factor: i64) -> Vec<u8> {
    let all = 0..16;
    match kind.name() {
        "reduce" if rank != 5 => Vec::new(),
        "barrier" => Vec::new(),
        "multicast" => numbers(&[5 * factor]),
        "reduce" | "all_reduce" => numbers(&[120 * factor]),
        "reduce_scatter" => numbers(&[factor * (12_000 + 16 * rank)]),
        "all_gather" => numbers(&all.map(|from| factor * from).collect::<Vec<_>>()),
        "all_to_all" => {
            let from = all.map(|from| factor * (100 * from + rank));
            numbers(&from.collect::<Vec<_>>())
        }
        other => unreachable!("no session does {other}"),
    }
}

/// Each number so many times.
fn repeated(numbers: &[u8], times: usize) -> Vec<u8> {
    numbers
        .chunks(8)
        .flat_map(|number| number.repeat(times))
        .collect()
}

/// Two collectives, whose numbers are repeated so many times each, and a blocking one.
fn beside_others(kind: CollectiveKind, rank: i64, times: [usize; 3]) -> Vec<Op> {
    let root = if kind.has_blocks() || kind == CollectiveKind::Barrier {
        0
    } else {
        5
    };
    vec![
        Op::Icollective(kind, root, repeated(&given(kind, rank, 1), times[0])),
        Op::Isend((rank as u32 + 1) % 16, 1, vec![rank as u8]),
        Op::Compute(300 * (rank as u64 % 3)),
        Op::Icollective(kind, root, repeated(&given(kind, rank, 2), times[1])),
        Op::Receive(Some((rank as u32 + 15) % 16), Some(1)),
        Op::Collective(
            CollectiveKind::AllReduce,
            0,
            repeated(&numbers(&[1]), times[2]),
        ),
        Op::WaitAll,
    ]
}

/// Buffers that do not fit into the memory for collectives go in chunks. Later collectives keep their order behind them, whatever the
/// ranks do meanwhile: where contributions merge in the network, another order would deadlock.
#[test]
fn chunks_keep_the_order_of_the_calls() {
    use CollectiveKind::{AllGather, AllReduce, Multicast, Reduce};
    // One reduction at a time at a router.
    let tight = [("cluster.l1_bytes", "131072")];
    let small = [("router.wide_reduction.store_beats", "80")];
    for (preset, overrides, kinds) in [
        (
            "collective_noc_4x4",
            &[][..],
            vec![Multicast, Reduce, AllReduce, AllGather],
        ),
        ("collective_noc_4x4", &small[..], vec![Reduce, AllReduce]),
        ("collective_noc_8x8_bypass", &[], vec![Multicast, AllReduce]),
        ("smart_8x8", &tight[..], vec![Multicast, Reduce, AllGather]),
    ] {
        for kind in kinds {
            let many = if kind.has_blocks() { 640 } else { 5120 };
            for times in [
                [1, 1, 1],
                [512, 512, 512],
                [many, 1, 1],
                [1, many, 2048],
                [many, many, 2048],
            ] {
                let lists: Vec<Vec<Op>> = (0..16)
                    .map(|rank| beside_others(kind, rank, times))
                    .collect();
                let all = run_in_network(&network_with(preset, overrides), &lists).unwrap();
                for (rank, got) in all.iter().enumerate() {
                    let rank = rank as i64;
                    let total = repeated(&numbers(&[16]), times[2]);
                    let mut expected = vec![vec![((rank + 15) % 16) as u8], total];
                    let parts = [(1, times[0]), (2, times[1])];
                    expected.extend(
                        parts.map(|(factor, times)| repeated(&part(kind, rank, factor), times)),
                    );
                    assert!(got == &expected, "{preset}, {kind}, {times:?}, rank {rank}");
                }
            }
        }
    }
}

#[test]
fn what_needs_the_cores_does_not_go_on_beside_them() {
    let call = Op::Icollective(CollectiveKind::AllReduce, 0, numbers(&[1]));
    let lists = vec![vec![call, Op::WaitAll]; 4];
    let told = error("tilepro64_4x4", &lists).to_string();
    assert_says(&told, &["non-blocking all_reduce", "test:1"]);
}
