// SPDX-License-Identifier: Apache-2.0
//! Multicasts over the static network of core tiles: closed form, and roots that follow each other.

use crate::common::hand_written::{run, schedule};
use crate::common::{cluster, image, network_with, place_at as place};
use noccl_net::Network;
use noccl_run::MemoryImage;
use noccl_testkit::actions::{compute, static_multicast};
use noccl_testkit::clusters;
use noccl_testkit::random::Congruential;
use noccl_testkit::schedules::at_once;
use noccl_workload::{ActionKind, Place, Rectangle};
use proptest::prelude::*;

fn tilepro(overrides: &[(&str, &str)]) -> Network {
    network_with("tilepro64_8x8", overrides)
}

fn stream(root: (u16, u16), set: Rectangle, bytes: u64, offset: u64) -> ActionKind {
    static_multicast(place(root, 0), set, offset, bytes)
}

#[test]
fn a_static_multicast_takes_its_words_and_its_distance() {
    let net = tilepro(&[]);
    let set = clusters(0, 0, 8, 8);
    let route = u64::from(net.cores().unwrap().core.route_cycles);
    for (root, farthest) in [((0, 0), 14), ((3, 3), 8), ((7, 0), 14)] {
        for words in [1u64, 2, 40, 60] {
            let list = at_once([stream(root, set, 4 * words, 4096)]);
            let found = run(&net, &list, &[], &[]).unwrap().cycles;
            // From the core to its router, over the hops, to the core, which reads in the next cycle: words follow one per cycle.
            let sent = words.max(3 * farthest + 1);
            let expected = route + farthest + 2 + sent;
            assert_eq!(found, expected, "{root:?}, {words} words");
        }
    }
}

/// Streams of random roots over a rectangle, with members that come late, and what each member has to read of each.
#[derive(Default)]
struct Streams {
    list: Vec<(ActionKind, Vec<u32>)>,
    inputs: Vec<MemoryImage>,
    outputs: Vec<(Place, u64)>,
    sent: Vec<Vec<u8>>,
}

fn streams(seed: u64, count: u64, set: Rectangle) -> Streams {
    let mut random = Congruential(seed);
    let mut next = |below: u64| random.below(below);
    let columns = set.x..set.x + set.width;
    let tiles: Vec<(u16, u16)> = columns
        .flat_map(|x| (set.y..set.y + set.height).map(move |y| (x, y)))
        .collect();
    let mut streams = Streams::default();
    for number in 0..count {
        let root = tiles[next(tiles.len() as u64) as usize];
        let bytes = 1 + next(300);
        for tile in &tiles {
            if next(3) == 0 {
                let late = compute(cluster(tile.0, tile.1), next(200));
                streams.list.push((late, vec![]));
            }
        }
        let offset = 512 * number;
        let sent: Vec<u8> = (0..bytes).map(|_| next(256) as u8).collect();
        let kind = static_multicast(place(root, offset), set, 65_536 + offset, bytes);
        streams.list.push((kind, vec![]));
        let input = image(cluster(root.0, root.1), offset, sent.clone());
        streams.inputs.push(input);
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
        let net = network_with("tilepro64_8x8", &[
            ("router.static_network.input_fifo_flits", fifo),
            ("router.static_network.port_fifo_words", port),
        ]);
        let set = clusters(1, 2, width, height);
        prop_assert_eq!(mixed(&net, streams(seed, count, set)), (0, 0));
    }
}

#[test]
fn short_streams_of_three_roots_are_mixed_without_padding() {
    // (0,0) is late for the second stream, and nobody behind it needs that: the third one comes from where the first one came.
    let set = clusters(0, 0, 2, 2);
    let of = |root: (u16, u16), number: u64| {
        let source = place(root, 64 * number);
        let kind = static_multicast(source, set, 4096 + 64 * number, 4);
        (kind, vec![])
    };
    let inputs = [((0, 1), 0), ((1, 0), 64), ((0, 1), 128)];
    let all = || Streams {
        list: vec![
            of((0, 1), 0),
            (compute(cluster(0, 0), 500), vec![]),
            of((1, 0), 1),
            of((0, 1), 2),
        ],
        inputs: inputs
            .map(|((x, y), offset)| image(cluster(x, y), offset, vec![offset as u8; 4]))
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
