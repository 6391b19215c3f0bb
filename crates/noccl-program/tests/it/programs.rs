// SPDX-License-Identifier: Apache-2.0
//! Programs of ranks on networks of every kind: values, order of messages, errors, and random programs beside their results in plain
//! arithmetic.

use crate::common::{Got, Op, network, run, run_in_network};
use noccl_program::ProgramError;
use noccl_testkit::assert_says;
use noccl_workload::CollectiveKind;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

pub const NETWORKS: [&str; 4] = [
    "tilepro64_4x4",
    "collective_noc_4x4",
    "torrent_4x5",
    "smart_8x8",
];

pub fn numbers(values: &[i64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn got(preset: &str, lists: &[Vec<Op>]) -> Vec<Got> {
    match run(&network(preset), lists) {
        Ok((got, _)) => got,
        Err(error) => panic!("{preset}: {error}"),
    }
}

pub fn error(preset: &str, lists: &[Vec<Op>]) -> ProgramError {
    match run(&network(preset), lists) {
        Ok((got, _)) => panic!("{preset}: {got:?}"),
        Err(error) => error,
    }
}

#[test]
fn a_ring_passes_a_message_on() {
    for preset in NETWORKS {
        let lists: Vec<Vec<Op>> = (0..16u32)
            .map(|rank| {
                let to = (rank + 1) % 16;
                let receive = Op::Receive(Some((rank + 15) % 16), Some(7));
                vec![Op::Send(to, 7, vec![rank as u8; 100]), receive]
            })
            .collect();
        for (rank, got) in got(preset, &lists).iter().enumerate() {
            assert_eq!(got, &[vec![(rank as u8 + 15) % 16; 100]], "{preset}");
        }
    }
}

#[test]
fn long_messages_empty_ones_and_those_to_oneself_arrive() {
    for preset in NETWORKS {
        let long: Vec<u8> = (0..300_000u32).map(|byte| byte as u8).collect();
        let lists = [
            vec![
                Op::Send(1, 0, long.clone()),
                Op::Send(1, 1, Vec::new()),
                Op::Isend(0, 2, vec![5; 9]),
                Op::Receive(Some(0), Some(2)),
                Op::WaitAll,
            ],
            vec![Op::Receive(Some(0), Some(1)), Op::Receive(Some(0), Some(0))],
        ];
        // The receiver asks for the second message first: the first one, which does not fit into its memory, must not block it.
        let order = [
            vec![
                Op::Isend(1, 0, long.clone()),
                Op::Isend(1, 1, Vec::new()),
                Op::WaitAll,
            ],
            lists[1].clone(),
        ];
        let found = got(preset, &order);
        assert_eq!(found[1], [Vec::new(), long.clone()], "{preset}");
        let itself = vec![
            Op::Isend(0, 2, vec![5; 9]),
            Op::Receive(Some(0), Some(2)),
            Op::WaitAll,
        ];
        assert_eq!(got(preset, &[itself])[0], [vec![5; 9]], "{preset}");
    }
}

#[test]
fn any_sender_takes_what_arrives_first() {
    for preset in NETWORKS {
        let worker = |rank: u32| {
            let cycles = 4000 - 1000 * u64::from(rank);
            vec![Op::Compute(cycles), Op::Send(0, 0, vec![rank as u8])]
        };
        let collector = vec![Op::Receive(None, None); 3];
        let lists = [collector, worker(1), worker(2), worker(3)];
        assert_eq!(got(preset, &lists)[0], [[3], [2], [1]], "{preset}");
    }
}

#[test]
fn collectives_give_every_rank_its_part() {
    for preset in NETWORKS {
        let all = |rank: i64| {
            vec![
                Op::Collective(CollectiveKind::Barrier, 0, Vec::new()),
                Op::Collective(CollectiveKind::Multicast, 5, numbers(&[rank; 4])),
                Op::Collective(CollectiveKind::Reduce, 3, numbers(&[rank, 1])),
                Op::Collective(CollectiveKind::AllReduce, 0, numbers(&[rank, 2])),
                Op::Collective(
                    CollectiveKind::AllToAll,
                    0,
                    (0..16).flat_map(|to| numbers(&[rank * 100 + to])).collect(),
                ),
            ]
        };
        let lists: Vec<Vec<Op>> = (0..16).map(all).collect();
        for (rank, got) in got(preset, &lists).iter().enumerate() {
            let rank = rank as i64;
            let reduced = if rank == 3 {
                numbers(&[120, 16])
            } else {
                Vec::new()
            };
            let exchanged: Vec<i64> = (0..16).map(|from| from * 100 + rank).collect();
            let expected = [
                Vec::new(),
                numbers(&[5; 4]),
                reduced,
                numbers(&[120, 32]),
                numbers(&exchanged),
            ];
            assert_eq!(got, &expected, "{preset}, rank {rank}");
        }
    }
}

#[test]
fn a_split_makes_communicators_that_do_not_meet() {
    for preset in NETWORKS {
        // Rows of four, their ranks in the opposite order.
        let list = |rank: i64| {
            vec![
                Op::Split(rank as u32 / 4, -rank),
                Op::Collective(CollectiveKind::AllReduce, 0, numbers(&[rank])),
                Op::Collective(CollectiveKind::Multicast, 0, numbers(&[rank])),
            ]
        };
        let lists: Vec<Vec<Op>> = (0..16).map(list).collect();
        for (rank, got) in got(preset, &lists).iter().enumerate() {
            let row = rank as i64 / 4;
            let sum = numbers(&[16 * row + 6]);
            assert_eq!(
                got,
                &[sum, numbers(&[4 * row + 3])],
                "{preset}, rank {rank}"
            );
        }
    }
}

#[test]
fn multicasts_over_rectangles_that_overlap_lose_no_words_on_the_static_network() {
    // Three ranks of a row, then all: the third one computes while the words for the fourth come, and its router is set for the three.
    let list = |rank: i64| {
        let late = if rank == 2 { 5000 } else { 0 };
        vec![
            Op::Split(u32::from(rank > 2), rank),
            Op::Collective(CollectiveKind::Multicast, 0, numbers(&[rank])),
            Op::Split(0, rank),
            Op::Compute(late),
            Op::Collective(CollectiveKind::Multicast, 0, numbers(&[rank + 100])),
        ]
    };
    let lists: Vec<Vec<Op>> = (0..16).map(list).collect();
    let found = run_in_network(&network("tilepro64_4x4"), &lists).expect("it ends");
    for (rank, got) in found.iter().enumerate() {
        let first = if rank > 2 { 3 } else { 0 };
        assert_eq!(got, &[numbers(&[first]), numbers(&[100])], "rank {rank}");
    }
}

#[test]
fn calls_that_differ_are_refused_with_both_places() {
    for preset in NETWORKS {
        let call = |kind, root, values: &[i64]| vec![Op::Collective(kind, root, numbers(values))];
        let reduce = call(CollectiveKind::Reduce, 0, &[1]);
        for other in [
            call(CollectiveKind::Barrier, 0, &[]),
            call(CollectiveKind::Reduce, 1, &[1]),
            call(CollectiveKind::Reduce, 0, &[1, 2]),
            vec![Op::Split(0, 0)],
        ] {
            let found = error(preset, &[reduce.clone(), other]);
            let text = found.to_string();
            assert!(matches!(found, ProgramError::Differs { .. }), "{text}");
            assert_says(&text, &["rank 1 at test:1", "rank 0 at test:1"]);
        }
    }
}

#[test]
fn a_rank_that_waits_forever_is_named() {
    for preset in NETWORKS {
        let lists = [vec![Op::Receive(Some(1), Some(4))], vec![Op::Compute(10)]];
        let text = error(preset, &lists).to_string();
        let expected = "rank 0 waits for a message from rank 1 with tag 4 at test:1";
        assert_says(&text, &[expected, "rank 1 has ended"]);
        // A library composes collectives and accesses to windows of messages with tags from here on.
        for (tag, of) in [(1 << 31, "of a collective"), (1 << 40, "of a window")] {
            let lists = [vec![Op::Receive(Some(1), Some(tag))], vec![]];
            let text = error(preset, &lists).to_string();
            let said = format!("a message from rank 1 {of} at test:1");
            assert_says(&text, &[said.as_str()]);
        }
        let lists = [
            vec![Op::Collective(CollectiveKind::Barrier, 0, Vec::new())],
            vec![],
        ];
        let text = error(preset, &lists).to_string();
        assert_says(&text, &["rank 0 waits in barrier for rank 1 at test:1"]);
        let unknown = error(preset, &[vec![Op::Send(9, 0, vec![])]]).to_string();
        assert_says(&unknown, &["destination 9; accepted: 0 to 0"]);
    }
}

/// A step of a random program: a message between two ranks, or something that all ranks do.
#[derive(Debug, Clone)]
enum Step {
    Message {
        from: u32,
        to: u32,
        tag: i64,
        bytes: usize,
        is_posted: bool,
    },
    All {
        kind: CollectiveKind,
        root: u32,
        words: usize,
    },
    Compute {
        rank: u32,
        cycles: u64,
    },
}

fn steps(ranks: u32) -> impl Strategy<Value = Vec<Step>> {
    let bytes = prop_oneof![0usize..10, 100usize..500, 1000usize..20_000];
    let message = (0..ranks, 0..ranks, 0i64..3, bytes, any::<bool>());
    let message = message.prop_map(|(from, to, tag, bytes, is_posted)| Step::Message {
        from,
        to,
        tag,
        bytes,
        is_posted,
    });
    let kind = prop::sample::select(vec![
        CollectiveKind::Barrier,
        CollectiveKind::Multicast,
        CollectiveKind::Reduce,
        CollectiveKind::AllReduce,
        CollectiveKind::AllToAll,
    ]);
    let all = (kind, 0..ranks, 1usize..40);
    let all = all.prop_map(|(kind, root, words)| Step::All { kind, root, words });
    let compute = (0..ranks, 0u64..3000);
    let compute = compute.prop_map(|(rank, cycles)| Step::Compute { rank, cycles });
    let step = prop_oneof![6 => message, 2 => all, 2 => compute];
    prop::collection::vec(step, 1..40)
}

/// Payload of a step as its sender or member gives it.
fn payload(step: usize, who: u32, bytes: usize) -> Vec<u8> {
    let byte = |index: usize| (index * 7 + step * 31 + who as usize * 3) as u8;
    (0..bytes).map(byte).collect()
}

fn values(step: usize, who: u32, words: usize) -> Vec<i64> {
    (0..words)
        .map(|word| (step * 1000 + word * 10) as i64 + i64::from(who))
        .collect()
}

/// Calls of every rank, and what each has to get.
fn program(steps: &[Step], ranks: u32) -> (Vec<Vec<Op>>, Vec<Got>) {
    let mut lists = vec![Vec::new(); ranks as usize];
    let mut expected: Vec<Got> = vec![Vec::new(); ranks as usize];
    for (number, step) in steps.iter().enumerate() {
        match *step {
            Step::Compute { rank, cycles } => lists[rank as usize].push(Op::Compute(cycles)),
            Step::Message {
                from,
                to,
                tag,
                bytes,
                is_posted,
            } => {
                let sent = payload(number, from, bytes);
                let receive = |any: bool| Op::Receive((!any).then_some(from), Some(tag));
                lists[from as usize].push(Op::Isend(to, tag, sent.clone()));
                if from == to || !is_posted {
                    lists[to as usize].push(receive(false));
                } else {
                    lists[to as usize].push(Op::Ireceive(Some(from), Some(tag)));
                    lists[to as usize].push(Op::WaitAll);
                }
                expected[to as usize].push(sent);
            }
            Step::All { kind, root, words } => {
                all(number, kind, root, words, &mut lists, &mut expected);
            }
        }
    }
    lists.iter_mut().for_each(|list| list.push(Op::WaitAll));
    (lists, expected)
}

fn all(
    number: usize,
    kind: CollectiveKind,
    root: u32,
    words: usize,
    lists: &mut [Vec<Op>],
    expected: &mut [Got],
) {
    let ranks = lists.len() as u32;
    let sum: Vec<i64> = (0..words)
        .map(|word| (0..ranks).map(|who| values(number, who, words)[word]).sum())
        .collect();
    for who in 0..ranks {
        let own = numbers(&values(number, who, words));
        let blocks = |from: u32, to: u32| numbers(&values(number, from * ranks + to, words));
        let (given, gets) = match kind.name() {
            "barrier" => (Vec::new(), Vec::new()),
            "multicast" => (own, numbers(&values(number, root, words))),
            "reduce" => (
                own,
                if who == root {
                    numbers(&sum)
                } else {
                    Vec::new()
                },
            ),
            "all_reduce" => (own, numbers(&sum)),
            "all_to_all" | "all_gather" | "reduce_scatter" => (
                (0..ranks).flat_map(|to| blocks(who, to)).collect(),
                (0..ranks).flat_map(|from| blocks(from, who)).collect(),
            ),
            other => unreachable!("no session does {other}"),
        };
        let root = if kind == CollectiveKind::AllToAll {
            0
        } else {
            root
        };
        lists[who as usize].push(Op::Collective(kind, root, given));
        expected[who as usize].push(gets);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..noccl_testkit::config(10, 40)
    })]
    #[test]
    fn random_programs_give_what_they_must(
        preset in prop::sample::select(NETWORKS.to_vec()),
        (ranks, steps) in prop_oneof![2u32..17, Just(16)].prop_flat_map(|ranks| (Just(ranks), steps(ranks))),
    ) {
        // Its interfaces reduce in the network only, and groups of other sizes need sums in memories.
        prop_assume!(preset != "smart_8x8" || ranks == 16);
        let (lists, expected) = program(&steps, ranks);
        let net = network(preset);
        let first = run(&net, &lists).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&first.0, &expected);
        // Equal calls, equal cycles.
        let again = run(&net, &lists).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(first.1, again.1);
    }
}
