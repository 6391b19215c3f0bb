// SPDX-License-Identifier: Apache-2.0
//! Chains: what moves, what is merged, what is refused before anything moves.

use crate::common::*;
use noccl_net::{Network, TileSet};
use noccl_testkit::{actions, assert_says};
use noccl_workload::{
    AccessPattern, ActionKind, Chain, ChainDestination, CollectiveKind, PatternLoop, Schedule,
    check, interpret,
};

fn torrent() -> Network {
    network("torrent_4x5")
}

fn destination(x: u16, y: u16, offset: u64, bytes: u64) -> ChainDestination {
    let pattern = AccessPattern::linear(offset, bytes);
    ChainDestination {
        tile: cluster(x, y),
        pattern,
    }
}

/// A chain of 256 bytes from (0,0) through two destinations.
fn chain() -> Chain {
    let tiles = [cluster(0, 1), cluster(1, 1)];
    let mut chain = actions::chain(cluster(0, 0), &tiles, 0x8000, 256);
    chain.destinations[1].pattern.offset = 0x9000;
    chain
}

fn one(chain: Chain) -> Schedule {
    at_once([ActionKind::Chain(chain)])
}

fn changed(change: impl Fn(&mut Chain)) -> Schedule {
    let mut changed = chain();
    change(&mut changed);
    one(changed)
}

/// Asserts that the message begins with the field and names what would be accepted.
fn assert_names(schedule: &Schedule, field: &str, accepted: &str) {
    let message = check(&torrent(), schedule).unwrap_err().to_string();
    let start = format!("actions[0].kind.chain.{field}");
    assert!(message.starts_with(&start), "{message}");
    assert_says(message, &[accepted]);
}

#[test]
fn a_chain_achieves_a_multicast_whose_destinations_need_not_be_a_multi_address() {
    let members = TileSet::Arbitrary(vec![
        noccl_net::Coord::new(0, 1),
        noccl_net::Coord::new(1, 1),
        noccl_net::Coord::new(4, 3),
    ]);
    let multicast = collective(CollectiveKind::Multicast, members, cluster(0, 0), 256);
    let mut s = Build::new(Some(multicast));
    let mut kind = chain();
    kind.destinations = vec![
        destination(4, 3, 0x8000, 256),
        destination(0, 1, 0x8000, 256),
        destination(1, 1, 0x8000, 256),
    ];
    s.add(ActionKind::Chain(kind.clone()), &[]);
    let report = check(&torrent(), &s.0).unwrap();
    assert_eq!((report.transfers, report.bytes), (1, 3 * 256));
    // Without the last destination a member has nothing.
    kind.destinations.pop();
    let mut s = Build::new(s.0.collective);
    s.add(ActionKind::Chain(kind), &[]);
    assert_says(check(&torrent(), &s.0).unwrap_err(), &["(1,1)"]);
}

#[test]
fn the_interpreter_places_the_stream_by_each_destinations_pattern() {
    let (n, blocked) = (torrent(), |block| {
        AccessPattern::blocked(0, (16, 32), block)
    });
    let mut s = chain();
    s.bytes = 512;
    s.source = blocked((16, 8));
    s.destinations = vec![
        ChainDestination {
            tile: cluster(0, 1),
            pattern: blocked((8, 8)),
        },
        ChainDestination {
            tile: cluster(1, 1),
            pattern: blocked((8, 32)),
        },
    ];
    let value = |r: u64, c: u64| (r * 32 + c) as u8;
    let mut bytes = vec![0; 512];
    for (r, c) in (0..16).flat_map(|r| (0..32).map(move |c| (r, c))) {
        bytes[(c / 8 * 128 + r % 16 * 8 + c % 8) as usize] = value(r, c);
    }
    let memories = interpret(&n, &one(s), &[(at(0, 0, 0), &bytes)]).unwrap();
    let plain = memories.read(at(1, 1, 0), 512).unwrap();
    let in_blocks = memories.read(at(0, 1, 0), 512).unwrap();
    for (r, c) in (0..16).flat_map(|r| (0..32).map(move |c| (r, c))) {
        assert_eq!(plain[(r * 32 + c) as usize], value(r, c));
        let place = r / 8 * 256 + c / 8 * 64 + r % 8 * 8 + c % 8;
        assert_eq!(in_blocks[place as usize], value(r, c));
    }
}

#[test]
fn networks_without_torrent_endpoints_refuse_chains_and_say_which_have_them() {
    let message = check(&mesh4x4(), &one(chain())).unwrap_err().to_string();
    assert_says(&message, &["[cluster.torrent]", "torrent_4x5"]);
}

#[test]
fn equal_destinations_are_merged_and_reported_others_at_one_cluster_refused() {
    let twice = changed(|c| c.destinations.push(c.destinations[0].clone()));
    let report = check(&torrent(), &twice).unwrap();
    assert_eq!(report.bytes, 2 * 256);
    let [note] = report.notes.as_slice() else {
        panic!("one note: {:?}", report.notes);
    };
    assert_says(note, &["destinations[2]", "(0,1)"]);
    let apart = changed(|c| c.destinations.push(destination(0, 1, 0xa000, 256)));
    assert_names(&apart, "destinations[2].tile", "each cluster once");
    assert!(check(&torrent(), &one(chain())).unwrap().notes.is_empty());
}

#[test]
fn what_a_configuration_cannot_say_is_refused() {
    assert_names(
        &changed(|c| c.destinations.clear()),
        "destinations",
        "at least one",
    );
    assert_names(&changed(|c| c.bytes = 100), "bytes", "a multiple of 64");
    assert_names(&changed(|c| c.bytes = 64 << 19), "bytes", "at most");
    assert_names(
        &changed(|c| c.destinations[1].tile = cluster(5, 0)),
        "destinations[1].tile",
        "clusters (0,0) to (4,3)",
    );
    assert_names(
        &changed(|c| c.destinations[1].pattern.offset = (1 << 20) - 128),
        "destinations[1].pattern.offset",
        "needs",
    );
    assert_names(
        &changed(|c| c.destinations[0].pattern.offset = 12),
        "destinations[0].pattern.offset",
        "a multiple of 8",
    );
    assert_names(
        &changed(|c| c.source.word_stride = 4),
        "source.word_stride",
        "a multiple of 8",
    );
    assert_names(
        &changed(|c| c.source.loops[0].count = 3),
        "source.loops",
        "product is 4",
    );
    let once = PatternLoop {
        count: 1,
        stride: 64,
    };
    assert_names(
        &changed(|c| c.source.loops = [vec![once; 5], c.source.loops.clone()].concat()),
        "source.loops",
        "at most 5",
    );
    let few = [("cluster.torrent.max_destinations", 1)];
    let few = network_with("torrent_4x5", &few);
    assert_says(
        check(&few, &one(chain())).unwrap_err(),
        &["max_destinations"],
    );
}

#[test]
fn no_byte_is_written_twice_or_read_where_it_is_written() {
    assert_names(
        &changed(|c| c.destinations[0].pattern.loops[0].stride = 32),
        "destinations[0].pattern",
        "do not overlap",
    );
    let copies = |offset| changed(|c| c.destinations.push(destination(0, 0, offset, 256)));
    assert_names(
        &copies(192),
        "destinations[2].pattern",
        "apart from its source",
    );
    check(&torrent(), &copies(256)).unwrap();
}

#[test]
fn a_chain_without_bytes_or_with_the_initiator_alone_is_accepted() {
    let tiles = [cluster(0, 1), cluster(1, 1)];
    let nothing = one(actions::chain(cluster(0, 0), &tiles, 0, 0));
    check(&torrent(), &nothing).unwrap();
    let own = changed(|c| c.destinations = vec![destination(0, 0, 256, 256)]);
    check(&torrent(), &own).unwrap();
}

#[test]
fn unordered_chains_to_the_same_bytes_race() {
    let mut other = chain();
    other.initiator = cluster(3, 3);
    let both = at_once([chain(), other].map(ActionKind::Chain));
    assert_says(check(&torrent(), &both).unwrap_err(), &["race"]);
}

#[test]
fn a_chain_of_one_beat_is_refused_where_published_endpoints_would_never_send_it() {
    let tiles = [cluster(0, 1), cluster(0, 2)];
    let one_beat = one(actions::chain(cluster(0, 0), &tiles, 0x8000, 64));
    let published = network("torrent_4x5_published");
    let message = check(&published, &one_beat).unwrap_err().to_string();
    let field = "actions[0].kind.chain.bytes";
    assert!(message.starts_with(field), "{message}");
    assert_says(message, &["cluster.torrent.mode"]);
    check(&torrent(), &one_beat).unwrap();
    let two_beats = actions::chain(cluster(0, 0), &tiles[..1], 0x8000, 128);
    check(&published, &one(two_beats)).unwrap();
}
