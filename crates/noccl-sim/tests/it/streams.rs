// SPDX-License-Identifier: Apache-2.0
//! Multicasts over the static network of core tiles: closed form, and roots that follow each other.

use crate::common::hand_written::{run, schedule};
use crate::common::place_at as place;
use crate::common::{cluster, network_with};
use noccl_net::Network;
use noccl_run::MemoryImage;
use noccl_testkit::schedules::compute;
use noccl_workload::{ActionKind, Place, Rectangle, StaticMulticast};
use proptest::prelude::*;

fn tilepro(overrides: &[(&str, &str)]) -> Network {
    network_with("tilepro64_8x8", overrides)
}

fn stream(root: (u16, u16), set: Rectangle, bytes: u64, offset: u64) -> ActionKind {
    ActionKind::StaticMulticast(StaticMulticast {
        source: place(root, 0),
        set,
        offset,
        bytes,
    })
}

#[test]
fn a_static_multicast_takes_its_words_and_its_distance() {
    let net = tilepro(&[]);
    let set = Rectangle {
        x: 0,
        y: 0,
        width: 8,
        height: 8,
    };
    let route = u64::from(net.cores().unwrap().core.route_cycles);
    for (root, farthest) in [((0, 0), 14), ((3, 3), 8), ((7, 0), 14)] {
        for words in [1u64, 2, 40, 60] {
            let found = run(
                &net,
                &schedule(vec![(stream(root, set, 4 * words, 4096), vec![])]),
                &[],
                &[],
            )
            .unwrap();
            // From the core to its router, over the hops, to the core, which reads in the next cycle: words follow one per cycle.
            let sent = words.max(3 * farthest + 1);
            assert_eq!(
                found.cycles,
                route + farthest + 2 + sent,
                "{root:?}, {words} words"
            );
        }
    }
}

/// Streams of random roots over a rectangle, with members that come late, and what each member has to read of each.
struct Streams {
    list: Vec<(ActionKind, Vec<u32>)>,
    inputs: Vec<MemoryImage>,
    outputs: Vec<(Place, u64)>,
    sent: Vec<Vec<u8>>,
}

fn streams(seed: u64, count: u64, set: Rectangle) -> Streams {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let columns = set.x..set.x + set.width;
    let tiles: Vec<(u16, u16)> = columns
        .flat_map(|x| (set.y..set.y + set.height).map(move |y| (x, y)))
        .collect();
    let mut streams = Streams {
        list: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        sent: Vec::new(),
    };
    for number in 0..count {
        let root = tiles[next(tiles.len() as u64) as usize];
        let bytes = 1 + next(300);
        for tile in &tiles {
            if next(3) == 0 {
                streams
                    .list
                    .push((compute(tile.0, tile.1, next(200)), vec![]));
            }
        }
        let offset = 512 * number;
        let sent: Vec<u8> = (0..bytes).map(|_| next(256) as u8).collect();
        let mut kind = stream(root, set, bytes, 65_536 + offset);
        if let ActionKind::StaticMulticast(s) = &mut kind {
            s.source.offset = offset;
        }
        streams.list.push((kind, vec![]));
        streams.inputs.push(MemoryImage {
            tile: cluster(root.0, root.1),
            offset,
            bytes: sent.clone(),
        });
        for tile in tiles.iter().filter(|tile| **tile != root) {
            streams.outputs.push((place(*tile, 65_536 + offset), bytes));
            streams.sent.push(sent.clone());
        }
    }
    streams
}

/// Words that came in another order than they were sent, and members that read other bytes.
fn mixed(net: &Network, streams: Streams) -> (u64, usize) {
    let list = schedule(streams.list);
    let found = run(net, &list, &streams.inputs, &streams.outputs).expect("it completes");
    let images = streams.sent.iter().zip(&found.memory);
    let differ = images.filter(|(sent, image)| **sent != image.bytes).count();
    (found.wrong_transactions, differ)
}

proptest! {
    #![proptest_config(noccl_testkit::config(24, 96))]

    #[test]
    fn streams_of_changing_roots_are_never_mixed(
        seed in any::<u64>(),
        count in 2u64..8,
        (width, height) in (2u16..6, 1u16..6),
        (fifo, port) in (1u32..6, 1u32..6),
    ) {
        let (fifo, port) = (fifo.to_string(), port.to_string());
        let net = tilepro(&[
            ("router.static_network.input_fifo_flits", fifo.as_str()),
            ("router.static_network.port_fifo_words", port.as_str()),
        ]);
        let set = Rectangle { x: 1, y: 2, width, height };
        prop_assert_eq!(mixed(&net, streams(seed, count, set)), (0, 0));
    }
}

#[test]
fn short_streams_of_three_roots_are_mixed_without_padding() {
    // (0,0) is late for the second stream, and nobody behind it needs that: the third one comes from where the first one came.
    let set = Rectangle {
        x: 0,
        y: 0,
        width: 2,
        height: 2,
    };
    let of = |root: (u16, u16), number: u64| {
        let mut kind = stream(root, set, 4, 4096 + 64 * number);
        if let ActionKind::StaticMulticast(s) = &mut kind {
            s.source.offset = 64 * number;
        }
        (kind, vec![])
    };
    let inputs = [((0, 1), 0), ((1, 0), 64), ((0, 1), 128)];
    let all = || Streams {
        list: vec![
            of((0, 1), 0),
            (compute(0, 0, 500), vec![]),
            of((1, 0), 1),
            of((0, 1), 2),
        ],
        inputs: inputs
            .map(|((x, y), offset)| MemoryImage {
                tile: cluster(x, y),
                offset,
                bytes: vec![offset as u8; 4],
            })
            .to_vec(),
        outputs: [0, 64, 128]
            .map(|offset| (place((0, 0), 4096 + offset), 4))
            .to_vec(),
        sent: [0, 64, 128].map(|byte| vec![byte; 4]).to_vec(),
    };
    let net = tilepro(&[("router.static_network.pads_streams", "false")]);
    let (words, _) = mixed(&net, all());
    assert_eq!(
        words, 2,
        "the second stream's word and the third one's have changed places"
    );
    assert_eq!(mixed(&tilepro(&[]), all()), (0, 0));
}
