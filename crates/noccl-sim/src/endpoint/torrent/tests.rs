// SPDX-License-Identifier: Apache-2.0
//! Endpoints joined by connections that take no time.

use crate::endpoint::torrent::cfg::Key;
use crate::endpoint::torrent::direct::{ChainBench, DirectChain};
use crate::endpoint::torrent::narrow::NarrowMessage;
use crate::endpoint::torrent::pattern::Addresses;
use crate::endpoint::torrent::published::endpoint::Endpoint;
use noccl_spec::{TorrentAcknowledgement, TorrentDispatch, TorrentMode};
use noccl_workload::AccessPattern;

/// The published hardware's cycles, exactly: 31 per destination, one per beat, two more.
#[test]
fn a_chain_takes_31_cycles_per_destination_and_one_per_beat_when_connections_take_none() {
    for mode in [TorrentMode::Safe, TorrentMode::Published] {
        for destinations in 1..=8 {
            for beats in [2, 3, 63, 64, 65, 200] {
                let mut bench = ChainBench::new(mode, destinations + 1);
                bench.endpoints[0].commit(ChainBench::task(7, destinations, beats));
                bench.run(31 * u64::from(destinations) + beats + 20);
                let expected = 31 * u64::from(destinations) + beats + 2;
                assert_eq!(
                    bench.done,
                    [(7, expected)],
                    "{mode:?}, {destinations}, {beats}"
                );
                assert_eq!(bench.bytes.loaded, beats);
                assert_eq!(bench.bytes.stored, beats * u64::from(destinations));
                assert_eq!(bench.bytes.moved, 0);
                assert!(bench.endpoints.iter().all(Endpoint::is_idle));
            }
        }
    }
}

/// Tail first: a grant of 6 cycles is never ahead of a configuration of 13. In parallel: one grant, one finish.
#[test]
fn overlapped_control_costs_a_configuration_and_what_is_left_of_the_rest() {
    use TorrentAcknowledgement::{Chained, Parallel};
    use TorrentDispatch::{ChainOrder, TailFirst};
    for (dispatch, acknowledgement, each, once) in [
        (TailFirst, Chained, 13 + 5 + 7, 6 + 2),
        (ChainOrder, Parallel, 13 + 5, 6 + 7 + 2),
        (TailFirst, Parallel, 13 + 5, 6 + 7 + 2),
    ] {
        for destinations in 1..=8 {
            for beats in [1, 2, 63, 64, 65, 200] {
                let mut bench = ChainBench::with(
                    TorrentMode::Safe,
                    dispatch,
                    acknowledgement,
                    destinations + 1,
                );
                bench.endpoints[0].commit(ChainBench::task(7, destinations, beats));
                bench.run(31 * u64::from(destinations) + beats + 20);
                let expected = each * u64::from(destinations) + once + beats;
                assert_eq!(
                    bench.done,
                    [(7, expected)],
                    "{dispatch:?}, {acknowledgement:?}"
                );
                assert_eq!(bench.bytes.stored, beats * u64::from(destinations));
                assert!(bench.endpoints.iter().all(Endpoint::is_idle));
                assert!(bench.endpoints.iter().all(|e| e.strays == 0));
            }
        }
    }
}

#[test]
fn configurations_come_13_cycles_apart_grants_6_and_finishes_7() {
    let (destinations, beats) = (5, 100);
    let mut bench = ChainBench::new(TorrentMode::Safe, destinations + 1);
    bench.endpoints[0].commit(ChainBench::task(0, destinations, beats));
    bench.run(400);
    let cfgs = bench.came(|m| matches!(m, NarrowMessage::Cfg(_)));
    let expected: Vec<_> = (1..=destinations).map(|i| (13 * u64::from(i), i)).collect();
    assert_eq!(cfgs, expected);
    let grants = bench.came(|m| matches!(m, NarrowMessage::Grant(_)));
    let first = 13 * u64::from(destinations);
    let expected: Vec<_> = (1..=destinations)
        .map(|i| (first + 6 * u64::from(i), destinations - i))
        .collect();
    assert_eq!(grants, expected);
    let finishes = bench.came(|m| matches!(m, NarrowMessage::Finish(_)));
    // The last beat reaches the tail 5 per hop after the grant; two cycles later its writer is seen idle.
    let written = 24 * u64::from(destinations) + beats - 1 + 2;
    let expected: Vec<_> = (1..=destinations)
        .map(|i| (written + 7 * u64::from(i), destinations - i))
        .collect();
    assert_eq!(finishes, expected);
}

#[test]
fn tasks_of_one_initiator_follow_each_other_and_ids_wrap() {
    let (tasks, beats) = (35, 3);
    let mut bench = ChainBench::new(TorrentMode::Safe, 3);
    for instance in 0..tasks {
        bench.endpoints[0].commit(ChainBench::task(instance, 2, beats));
    }
    bench.run(80 * u64::from(tasks));
    let each = 31 * 2 + beats + 2;
    let expected: Vec<_> = (0..tasks).map(|i| (i, u64::from(i + 1) * each)).collect();
    assert_eq!(bench.done, expected);
    assert_eq!(bench.bytes.moved, 0);
    assert!(bench.endpoints.iter().all(|e| e.strays == 0));
}

/// Control of the next task beside the data of this one: a task per thirteen cycles or per its beats.
#[test]
fn tasks_in_progress_together_share_the_port_for_configurations_and_the_lane_for_data() {
    use TorrentAcknowledgement::Parallel;
    for (beats, each) in [(2, 13), (30, 30)] {
        let mut bench =
            ChainBench::with(TorrentMode::Safe, TorrentDispatch::ChainOrder, Parallel, 9);
        bench.settings.open_tasks = 8;
        for instance in 0..8 {
            let mut task = ChainBench::task(instance, 1, beats);
            task.cfgs[0].0 = instance + 1;
            bench.endpoints[0].commit(task);
        }
        bench.run(8 * 31 + 8 * beats + 20);
        let first = 13 + 6 + 5 + 7 + beats + 2;
        let expected: Vec<_> = (0..8).map(|i| (i, first + u64::from(i) * each)).collect();
        assert_eq!(bench.done, expected);
        assert!(bench.endpoints.iter().all(Endpoint::is_idle));
    }
}

/// A finish, a grant of a task that is long over: nobody takes them for the task at hand.
#[test]
fn messages_of_an_older_task_change_nothing() {
    let mut bench = ChainBench::new(TorrentMode::Safe, 3);
    for instance in 0..2 {
        bench.endpoints[0].commit(ChainBench::task(instance, 2, 50));
    }
    let older = Key {
        initiator: 0,
        task: 0,
    };
    let first = 31 * 2 + 50 + 2;
    bench.run(first + 10);
    for tile in 0..3 {
        bench.endpoints[tile].receive(bench.now, NarrowMessage::Finish(older));
    }
    bench.endpoints[0].receive(bench.now, NarrowMessage::Grant(older));
    bench.run(200);
    assert_eq!(bench.done, [(0, first), (1, 2 * first)]);
    assert_eq!(bench.endpoints[0].strays, 2);
}

#[test]
fn a_single_beat_arrives_in_mode_safe_and_never_leaves_in_mode_published() {
    for (mode, done) in [
        (TorrentMode::Safe, vec![(0, 31 * 3 + 1 + 2)]),
        (TorrentMode::Published, vec![]),
    ] {
        let mut bench = ChainBench::new(mode, 4);
        bench.endpoints[0].commit(ChainBench::task(0, 3, 1));
        bench.run(500);
        assert_eq!(bench.done, done, "{mode:?}");
    }
}

/// Source and destination in one memory: reader and writer, no message.
#[test]
fn a_loopback_takes_three_cycles_and_one_per_beat() {
    for beats in [1, 8, 100] {
        let mut bench = ChainBench::new(TorrentMode::Safe, 1);
        let mut task = ChainBench::task(0, 0, beats);
        task.own_copy = Some(task.source);
        bench.endpoints[0].commit(task);
        bench.run(beats + 10);
        assert_eq!(bench.done, [(0, beats + 3)]);
        assert!(bench.log.is_empty());
    }
}

/// A destination whose eight words lie in one bank takes a beat per eight cycles: its buffer fills up, then the destinations before it.
#[test]
fn a_slow_destination_fills_the_space_for_whole_bursts_and_no_more() {
    let beats = 400;
    let slow = Addresses::of(&AccessPattern {
        offset: 0,
        word_stride: 256,
        loops: vec![noccl_workload::PatternLoop {
            count: beats,
            stride: 2048,
        }],
    });
    for destination in 1..=3 {
        let mut bench = ChainBench::new(TorrentMode::Safe, 4);
        let mut task = ChainBench::task(0, 3, beats);
        task.cfgs[destination - 1].1.addresses = slow;
        bench.endpoints[0].commit(task);
        let mut most = [0; 4];
        for _ in 0..31 * 3 + 8 * beats + 50 {
            bench.cycle();
            for (most, endpoint) in most.iter_mut().zip(&bench.endpoints) {
                *most = endpoint.arrived.len().max(*most);
            }
        }
        let space = 2 * 64;
        assert!(most.iter().all(|m| *m <= space), "{most:?}");
        assert!(most[destination] > space / 2, "{most:?}");
        // The first beat comes 5 per hop after the grant; the chain is over when the slow destination has written the last.
        let first = 19 * 3 + 5 * destination as u64;
        assert_eq!(bench.done.len(), 1);
        assert!(bench.done[0].1 > first + 8 * beats, "{:?}", bench.done);
    }
}

/// What others may see of these endpoints: every part of the 31 cycles of a further destination.
#[test]
fn a_direct_chain_shows_13_cycles_per_configuration_6_per_grant_5_per_data_hop_and_7_per_finish() {
    let steps = |cycles: &[u64]| -> Vec<u64> { cycles.windows(2).map(|w| w[1] - w[0]).collect() };
    for mode in [TorrentMode::Safe, TorrentMode::Published] {
        let chain = DirectChain::run(mode, 6, 100).unwrap();
        assert_eq!(steps(&chain.configurations), [13; 5], "{mode:?}");
        assert_eq!(steps(&chain.grants), [6; 5], "{mode:?}");
        assert_eq!(steps(&chain.first_beats), [5; 5], "{mode:?}");
        assert_eq!(steps(&chain.finishes), [7; 5], "{mode:?}");
        assert_eq!(chain.done_cycle, 31 * 6 + 100 + 2, "{mode:?}");
    }
}

#[test]
fn a_direct_chain_that_cannot_end_is_none() {
    assert_eq!(DirectChain::run(TorrentMode::Published, 3, 1), None);
    assert_eq!(DirectChain::run(TorrentMode::Safe, 0, 8), None);
    assert_eq!(DirectChain::run(TorrentMode::Safe, 3, 0), None);
}
