// SPDX-License-Identifier: Apache-2.0
//! Core tiles: messages in closed form, the published ping-pong, drain rules and noise.

use crate::common::hand_written::{finish_cycles, run, schedule};
use crate::common::{cluster, image, network_with, place_at as place, run_alone, stalled};
use noccl_net::{Coord, Network};
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::actions::{self, compute};
use noccl_testkit::assert_says;
use noccl_testkit::schedules::at_once;
use noccl_workload::{ActionKind, Message, MessageRows};
use proptest::prelude::*;

fn tilepro(overrides: &[(&str, &str)]) -> Network {
    network_with("tilepro64_8x8", overrides)
}

fn message(from: (u16, u16), to: (u16, u16), bytes: u64) -> ActionKind {
    actions::message(place(from, 0), place(to, 4096), bytes)
}

/// The same, written elsewhere.
fn message_to_offset(from: (u16, u16), to: (u16, u16), bytes: u64, offset: u64) -> ActionKind {
    actions::message(place(from, 0), place(to, offset), bytes)
}

fn timed(net: &Network, actions: Vec<(ActionKind, Vec<u32>)>) -> Result<RunResult, RunError> {
    run(net, &schedule(actions), &[], &[])
}

fn pattern(bytes: u64) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + 3) as u8).collect()
}

/// A lone message: the source's instructions, the path of the first word of the last unit, the destination's instructions, and words.
///
/// With units that a receiver takes as fast as they come, the last word of the message sets the end.
fn lone_cycles(net: &Network, from: Coord, to: Coord, bytes: u64) -> u64 {
    let tiles = net.cores().expect("they are core tiles");
    let (core, udn) = (&tiles.core, &tiles.router.udn);
    let hops = u64::from(from.x.abs_diff(to.x) + from.y.abs_diff(to.y));
    let corners = u64::from(from.x != to.x && from.y != to.y);
    let path = (hops + 1) * u64::from(udn.hop_cycles) + corners * u64::from(udn.turn_cycles);
    let first = u64::from(core.send_cycles + core.unit_cycles) + path + 1;
    first + u64::from(core.receive_cycles + core.unit_cycles) + core.message_words(bytes)
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn a_lone_message_takes_its_closed_form(
        from in (0u16..8, 0u16..8),
        to in (0u16..8, 0u16..8),
        bytes in 0u64..=128,
        hop_cycles in 1u32..=2,
        corner_cycles in 0u32..=1,
    ) {
        prop_assume!(from != to);
        let net = network_with("tilepro64_8x8", &[
            ("router.udn.hop_cycles", hop_cycles),
            ("router.udn.turn_cycles", corner_cycles),
        ]);
        let sent = pattern(bytes);
        let inputs = [image(cluster(from.0, from.1), 0, sent.clone())];
        let outputs = [(place(to, 4096), bytes)];
        let list = schedule(vec![(message(from, to, bytes), vec![])]);
        let found = run(&net, &list, &inputs, &outputs).unwrap();
        prop_assert_eq!(&found.memory[0].bytes, &sent);
        let expected = lone_cycles(&net, Coord::new(from.0, from.1), Coord::new(to.0, to.1), bytes);
        prop_assert_eq!(found.cycles, expected);
    }
}

/// Rows of so many bytes each, from one place of a tile and to one of another tile.
fn rows(from: (u16, u16), to: (u16, u16), bytes: u64, rows: MessageRows) -> ActionKind {
    ActionKind::Message(Message {
        source: place(from, 0),
        destination: place(to, 4096),
        bytes,
        rows: Some(rows),
        round: None,
    })
}

#[test]
fn rows_cost_words_of_their_own_and_the_cycles_of_a_row_at_either_end() {
    // Five rows of six bytes are ten words; five of 60 bytes are 75, of which 32 are a unit: two rows begin in the first besides the first row,
    // two in the second and none in the third.
    for (bytes, whole_bytes) in [(6, 40), (60, 300), (0, 0)] {
        let of = MessageRows {
            count: 5,
            source_stride: 100,
            destination_stride: 64,
        };
        let took = |row_cycles: &str, kind: ActionKind| {
            let net = tilepro(&[("core.row_cycles", row_cycles)]);
            timed(&net, vec![(kind, vec![])]).unwrap().cycles
        };
        for to in [(3, 2), (0, 0)] {
            let plain = took("0", message((0, 0), to, whole_bytes));
            assert_eq!(took("0", rows((0, 0), to, bytes, of)), plain);
            // Of the message in one unit at both ends, of a copy once.
            if bytes == 6 {
                let ends = if to == (0, 0) { 1 } else { 2 };
                assert_eq!(took("7", rows((0, 0), to, bytes, of)), plain + 4 * 7 * ends);
            }
            if bytes == 60 {
                let with_rows = took("7", rows((0, 0), to, bytes, of));
                assert!((plain + 4 * 7..=plain + 2 * 4 * 7).contains(&with_rows));
            }
            if bytes == 0 {
                assert_eq!(took("7", rows((0, 0), to, bytes, of)) > plain, to == (0, 0));
            }
        }
    }
}

#[test]
fn rows_are_gathered_and_scattered_and_nothing_between_them_is_written() {
    let net = tilepro(&[]);
    let sent = pattern(200);
    let (count, bytes, from_stride, to_stride) = (9u32, 15u64, 20, 17);
    for to in [(3, 2), (0, 0)] {
        let inputs = [
            image(cluster(0, 0), 0, sent.clone()),
            image(cluster(to.0, to.1), 4096, vec![0xee; 160]),
        ];
        let of = MessageRows {
            count,
            source_stride: from_stride,
            destination_stride: to_stride,
        };
        let list = schedule(vec![(rows((0, 0), to, bytes, of), vec![])]);
        let found = run(&net, &list, &inputs, &[(place(to, 4096), 160)]).unwrap();
        let mut expected = vec![0xee; 160];
        for row in 0..u64::from(count) {
            for byte in 0..bytes {
                expected[(row * to_stride + byte) as usize] =
                    sent[(row * from_stride + byte) as usize];
            }
        }
        assert_eq!(found.memory[0].bytes, expected);
        assert_eq!(found.counters.spm_write_bytes, 9 * 15);
    }
}

#[test]
fn a_message_to_its_own_tile_is_a_copy_and_none_of_no_bytes_is_lost() {
    let net = tilepro(&[]);
    let sent = pattern(100);
    let inputs = [image(cluster(2, 3), 0, sent.clone())];
    let list = schedule(vec![
        (message((2, 3), (2, 3), 100), vec![]),
        (message((2, 3), (5, 5), 0), vec![0]),
    ]);
    let found = run(&net, &list, &inputs, &[(place((2, 3), 4096), 100)]).unwrap();
    assert_eq!(found.memory[0].bytes, sent);
    assert!(found.actions[1].start_cycle >= found.actions[0].finish_cycle);
    assert!(found.actions[1].finish_cycle > found.actions[1].start_cycle);
}

/// Half a round trip of single words between two cores, each message acknowledged.
fn ping_pong(to: (u16, u16)) -> f64 {
    const ROUNDS: u32 = 100;
    let net = tilepro(&[("core.flow_control", "ready_ack")]);
    let mut actions = Vec::new();
    for round in 0..ROUNDS {
        let (ping, pong) = (message((0, 0), to, 4), message(to, (0, 0), 4));
        let after = |action: u32| action.checked_sub(1).into_iter().collect();
        actions.push((ping, after(2 * round)));
        actions.push((pong, after(2 * round + 1)));
    }
    let found = timed(&net, actions).expect("it completes");
    // The first round trips have acknowledgements from the start.
    let start = found.actions[20].start_cycle;
    let end = found.actions[2 * ROUNDS as usize - 2].start_cycle;
    (end - start) as f64 / f64::from(2 * ROUNDS - 22)
}

#[test]
fn a_ping_pong_takes_the_published_cycles() {
    // Half round trips measured on a TILEPro64; the first one is fitted (docs/papers/S4.md). Whether the second one has a corner is not known:
    // both corners are allowed.
    for (to, published) in [((1, 0), 42.1), ((7, 1), 49.6), ((7, 7), 55.7)] {
        let found = ping_pong(to);
        let error = (found / published - 1.0).abs();
        assert!(
            error <= 0.02,
            "{to:?}: {found} cycles, published {published}"
        );
    }
}

/// Every tile sends a message to the tiles of a list before it receives any.
fn crowd(senders: &[(u16, u16)], to: (u16, u16), bytes: u64) -> Vec<(ActionKind, Vec<u32>)> {
    let sends = senders.iter().enumerate().map(|(place, from)| {
        let offset = 8192 + place as u64 * bytes;
        (message_to_offset(*from, to, bytes, offset), vec![])
    });
    sends.collect()
}

#[test]
fn a_core_that_does_not_read_blocks_the_mesh_behind_it_and_the_circle_is_named() {
    // Both send more to each other than queues and FIFOs hold, and neither reads before it has sent.
    let both = |drain: &str| {
        let net = tilepro(&[("core.drain", drain)]);
        let ends = [((0, 0), (3, 0)), ((3, 0), (0, 0))];
        let list = at_once(ends.map(|(from, to)| message(from, to, 4096)));
        run(&net, &list, &[], &[])
    };
    assert!(both("always").is_ok());
    for drain in ["in_receive", "never"] {
        let found = stalled(both(drain));
        let text = found.to_string();
        assert!(found.summary.contains("in a circle"), "{text}");
        assert_says(&text, &["queues of core", "core (0,0)"]);
        assert!(found.waits.len() >= 4, "{text}");
    }
}

#[test]
fn early_messages_wait_in_the_list_or_in_the_queues() {
    // Four messages come before the one that the receiver's first share waits for.
    let senders: Vec<(u16, u16)> = (1..6).map(|x| (x, 0)).collect();
    let early = crowd(&senders, (0, 0), 128);
    let late = early.len() as u32;
    let mut list: Vec<(ActionKind, Vec<u32>)> = vec![
        (compute(cluster(7, 0), 5000), vec![]),
        (message((7, 0), (0, 0), 0), vec![0]),
    ];
    list.extend(early.into_iter().map(|(kind, _)| (kind, vec![1])));
    let senders_of_early = 2..2 + late as usize;
    for drain in ["always", "in_receive"] {
        let net = tilepro(&[("core.drain", drain)]);
        let found = timed(&net, list.clone()).unwrap();
        for action in senders_of_early.clone() {
            assert!(found.actions[action].finish_cycle > found.actions[1].finish_cycle);
        }
    }
    // Without a list the message that everything waits for stands behind the others.
    let net = tilepro(&[("core.drain", "never")]);
    assert_says(stalled(timed(&net, list)), &["127 of 127 words"]);
}

#[test]
fn acknowledgements_that_nobody_waits_for_do_not_fill_the_queues() {
    // 63 acknowledgements of 3 words come to a core that sends nothing any more; a message comes behind them.
    let net = tilepro(&[("core.flow_control", "ready_ack")]);
    let others = (1..64).map(|tile| (tile % 8, tile / 8));
    let mut list: Vec<(ActionKind, Vec<u32>)> =
        others.map(|to| (message((0, 0), to, 0), vec![])).collect();
    let last = list.len() as u32 - 1;
    list.push((message((7, 7), (0, 0), 128), vec![last]));
    let found = timed(&net, list).unwrap();
    assert_eq!(found.wrong_transactions, 0);
}

#[test]
fn a_core_without_noise_is_deterministic_and_noise_takes_its_cycles() {
    let overrides = [
        ("core.noise_cycles", "1000"),
        ("core.noise_per_billion_messages", "1000000000"),
    ];
    let net = tilepro(&overrides);
    let list = at_once([message((0, 0), (1, 0), 4)]);
    let cycles = |noise_seed| {
        let config = RunConfig {
            noise_seed,
            ..RunConfig::new(Mode::Timing)
        };
        run_alone(&net, &list, &config).unwrap().cycles
    };
    assert_eq!(cycles(Some(1)), cycles(None) + 1000);
}

#[test]
fn a_core_that_begins_late_acts_at_its_time_and_others_wait_for_its_messages_alone() {
    let net = tilepro(&[]);
    // Every core computes; then core (0,0) sends to (1,0), whose message it does not wait for.
    let tiles = (0..64).map(|tile| cluster(tile / 8, tile % 8));
    let computes = tiles.map(|tile| compute(tile, 10));
    let list = at_once(computes.chain([message((0, 0), (1, 0), 4)]));
    let found = |noise_seed, start_skew_cycles| {
        let config = RunConfig {
            noise_seed,
            start_skew_cycles,
            ..RunConfig::new(Mode::Timing)
        };
        run_alone(&net, &list, &config).unwrap()
    };
    let starts = |found: &RunResult| -> Vec<u64> {
        let times = found.actions[..64].iter();
        times.map(|time| time.start_cycle).collect()
    };
    let at_once = found(None, 500);
    assert_eq!(at_once.actions, found(Some(1), 0).actions);
    let late = found(Some(1), 500);
    let (early, late_starts) = (starts(&at_once), starts(&late));
    let skews: Vec<u64> = late_starts.iter().zip(&early).map(|(l, e)| l - e).collect();
    assert!(skews.iter().all(|skew| *skew <= 500), "{skews:?}");
    assert!(skews.iter().any(|skew| *skew > 400) && skews.iter().any(|skew| *skew < 100));
    assert_eq!(starts(&found(Some(1), 500)), late_starts);
    assert_ne!(starts(&found(Some(2), 500)), late_starts);
    // The message comes when both ends are there.
    let took = at_once.actions[64].finish_cycle - early[0];
    let (sent, received) = (late_starts[0], late_starts[8]);
    let end = late.actions[64].finish_cycle;
    assert!(
        end >= sent.max(received) && end <= sent.max(received) + took,
        "{end} {sent} {received}"
    );
}

#[test]
fn a_later_message_of_a_pair_is_not_received_before_an_earlier_one() {
    // The first may be received when (2,0) has sent; the second from the start.
    let net = tilepro(&[]);
    let list = vec![
        (compute(cluster(2, 0), 2000), vec![]),
        (message((2, 0), (1, 0), 0), vec![0]),
        (message((0, 0), (1, 0), 64), vec![1]),
        (message_to_offset((0, 0), (1, 0), 64, 8192), vec![]),
    ];
    let ends = finish_cycles(&net, &schedule(list));
    assert!(
        ends[1] > 2000 && ends[2] > ends[1] && ends[3] >= ends[2],
        "{ends:?}"
    );
}
