// SPDX-License-Identifier: Apache-2.0
//! Messages and static multicasts: only cores that send words do them, and those do nothing with addresses.

use crate::common::*;
use noccl_net::TileRef;
use noccl_testkit::actions::{barrier, static_multicast};
use noccl_testkit::tiles::place;
use noccl_testkit::{assert_says, clusters};
use noccl_workload::{
    ActionKind, BarrierMechanism, Destination, First, Message, MessageRows, Schedule, check,
};

/// A message of so many bytes between tiles of the south row.
fn message(from: u16, to: u16, bytes: u64) -> Message {
    Message {
        source: at(from, 0, 0),
        destination: at(to, 0, 0),
        bytes,
        rows: None,
        round: None,
    }
}

fn refusal(s: &Schedule) -> String {
    let checked = check(&network("tilepro64_4x4"), s);
    checked.expect_err("it is wrong").to_string()
}

#[test]
fn what_only_cores_do_is_refused_elsewhere() {
    let message = message(0, 1, 4);
    let multicast = static_multicast(at(0, 0, 0), clusters(0, 0, 4, 4), 0, 4);
    for (kind, name) in [
        (ActionKind::Message(message), "message"),
        (multicast, "static_multicast"),
    ] {
        let field = format!("actions[0].kind = {name}");
        assert_names(&one(kind), &field, "tilepro64_8x8; elsewhere a transfer");
    }
    let to = Destination::One(at(1, 0, 0));
    let mut s = one(copy(cluster(0, 0), at(0, 0, 0), to, 64));
    s.first = Some(First::Send);
    assert_names(&s, "first = send", "nothing: only cores");
}

#[test]
fn cores_refuse_what_has_addresses_and_name_what_they_do() {
    let to = Destination::One(at(1, 0, 0));
    let barrier = barrier(row(), cluster(0, 0), BarrierMechanism::Software);
    for (kind, name) in [
        (copy(cluster(0, 0), at(0, 0, 0), to, 64), "transfer"),
        (barrier, "barrier"),
    ] {
        let text = refusal(&one(kind));
        let field =
            format!("actions[0].kind = {name}: accepted: message, static_multicast, local_reduce");
        assert!(text.starts_with(&field), "{text}");
    }
}

/// Rows of four bytes from tile 0 to tile 1.
fn rows(count: u32, source_stride: u64, destination_stride: u64) -> Message {
    Message {
        rows: Some(MessageRows {
            count,
            source_stride,
            destination_stride,
        }),
        ..message(0, 1, 4)
    }
}

#[test]
fn rows_that_lie_between_others_neither_race_nor_overlap_and_stand_in_the_file() {
    let network = network("tilepro64_4x4");
    let mut s = Build::new(None);
    // Every second word; the others come from another tile at the same time.
    s.add(ActionKind::Message(rows(3, 4, 8)), &[]);
    let other = |offset| Message {
        source: at(2, 0, 0),
        destination: at(1, 0, offset),
        ..rows(3, 0, 8)
    };
    let mut beside = Build::new(None);
    beside.0.actions.clone_from(&s.0.actions);
    beside.add(ActionKind::Message(other(4)), &[]);
    check(&network, &beside.0).expect("they write other words");
    let text = noccl_workload::to_json(&beside.0);
    assert!(text.contains("\"destination_stride\": 8"), "{text}");
    assert_eq!(
        noccl_workload::read_schedule("rows.json", &text).expect("it reads back"),
        beside.0
    );
    s.add(ActionKind::Message(other(16)), &[]);
    let text = refusal(&s.0);
    assert!(
        text.starts_with("race: actions[1] (message) writes bytes 16..20"),
        "{text}"
    );
    // A copy within a tile between its own rows is none that overwrites itself.
    let mut within = Build::new(None);
    let copy = Message {
        source: at(0, 0, 0),
        destination: at(0, 0, 4),
        ..rows(3, 8, 8)
    };
    within.add(ActionKind::Message(copy), &[]);
    check(&network, &within.0).expect("rows lie between each other");
}

#[test]
fn impossible_messages_are_refused_by_field() {
    for (message, words) in [
        (
            message(0, 4, 4),
            "destination.tile = cluster (4,0): accepted: a tile of the network",
        ),
        (message(9, 1, 4), "source.tile = cluster (9,0)"),
        (
            message(0, 1, (1 << 20) + 1),
            "source.offset: needs 1048577 bytes of cluster (0,0), which has 1048576 (core.memory_bytes)",
        ),
        (
            Message {
                source: at(0, 0, u64::MAX),
                ..message(0, 1, 4)
            },
            "source.offset",
        ),
        (
            Message {
                source: place(TileRef::Memory(0), 0),
                ..message(0, 1, 4)
            },
            "source.tile = mem:0: a cluster",
        ),
        (
            Message {
                destination: at(0, 0, 3),
                ..message(0, 0, 4)
            },
            "destination.offset = 3: a range that does not overlap",
        ),
        (rows(0, 8, 8), "rows.count = 0: at least 1"),
        (
            rows(3, 1 << 19, 8),
            "source.offset: needs 1048580 bytes of cluster (0,0)",
        ),
        (
            rows(3, 8, 1 << 19),
            "destination.offset: needs 1048580 bytes of cluster (1,0)",
        ),
        (
            rows(2, 8, 3),
            "rows.destination_stride = 3: at least `bytes`: rows may not overlap",
        ),
        (
            Message {
                destination: at(0, 0, 8),
                ..Message {
                    source: at(0, 0, 0),
                    ..rows(2, 8, 8)
                }
            },
            "destination.offset = 8: a range that does not overlap",
        ),
    ] {
        let text = refusal(&one(ActionKind::Message(message)));
        assert!(
            text.starts_with(&format!("actions[0].kind.message.{words}")),
            "{text}"
        );
    }
}

#[test]
fn impossible_static_multicasts_are_refused_by_field() {
    let no_member = "source.tile = cluster (3,3): a tile of `set`";
    for (source, set, bytes, words) in [
        (at(3, 3, 0), clusters(0, 0, 3, 3), 4, no_member),
        (at(0, 0, 0), clusters(0, 0, 5, 1), 4, "set = 0,0,5,1"),
        (at(0, 0, 0), clusters(0, 0, 0, 1), 4, "set = 0,0,0,1"),
        (
            at(0, 0, 0),
            clusters(0, 0, 2, 1),
            1 << 20,
            "offset: needs 1048584 bytes",
        ),
    ] {
        let text = refusal(&one(static_multicast(source, set, 8, bytes)));
        let start = format!("actions[0].kind.static_multicast.{words}");
        assert!(text.starts_with(&start), "{text}");
    }
}

#[test]
fn a_message_orders_its_destination_behind_its_source_even_without_bytes() {
    let network = network("tilepro64_4x4");
    let mut s = Build::new(None);
    let first = s.add(ActionKind::Message(message(0, 1, 64)), &[]);
    // Tile 1 tells tile 0 that it has passed the bytes on; only then are they overwritten.
    let on = s.add(
        ActionKind::Message(Message {
            destination: at(2, 0, 0),
            ..message(1, 2, 64)
        }),
        &[first],
    );
    let told = s.add(ActionKind::Message(message(1, 0, 0)), &[on]);
    let again = Message {
        source: at(0, 0, 64),
        ..message(0, 1, 64)
    };
    s.add(ActionKind::Message(again.clone()), &[told]);
    check(&network, &s.0).expect("it is right");
    // Without having been told it is a race.
    let without = s.0.actions.pop().expect("it is right");
    s.add(without.kind, &[]);
    assert!(
        refusal(&s.0).starts_with("race: actions[3] (message) writes bytes 0..64"),
        "{}",
        refusal(&s.0)
    );
}

#[test]
fn cores_that_may_leave_units_in_their_stores_are_proved_or_refused_with_a_circle() {
    let exchange = |bytes| {
        let mut s = Build::new(None);
        for (from, to) in [(0, 1), (1, 0)] {
            let apart = Message {
                destination: at(to, 0, 8192),
                ..message(from, to, bytes)
            };
            s.add(ActionKind::Message(apart), &[]);
        }
        s.0
    };
    for drain in ["always", "in_receive", "never"] {
        let set = [("core.drain", format!("\"{drain}\""))];
        let network = network_with("tilepro64_4x4", &set);
        // 34 words in each direction find space in stores of 127, whatever the cores do.
        let report = check(&network, &exchange(128)).expect("it is right");
        assert!(report.deadlock.free, "{drain}");
        let long = check(&network, &exchange(1024));
        if drain == "always" {
            assert!(long.expect("it is right").deadlock.free);
            continue;
        }
        let text = long.expect_err("both send first").to_string();
        assert_says(
            &text,
            &[
                "freedom from deadlock is not proved",
                "full store of core",
                "core.drain",
            ],
        );
    }
}

#[test]
fn static_multicasts_over_rectangles_that_overlap_and_differ_are_refused() {
    let multicast = |root: (u16, u16), (x, y, width, height), bytes| {
        let set = clusters(x, y, width, height);
        static_multicast(at(root.0, root.1, 0), set, 8, bytes)
    };
    let both = |second: ActionKind| {
        let mut s = Build::new(None);
        let first = s.add(multicast((0, 0), (0, 0, 2, 2), 4), &[]);
        s.add(second, &[first]);
        s.0
    };
    let text = refusal(&both(multicast((1, 1), (1, 1, 2, 1), 4)));
    assert!(
        text.starts_with(
            "actions[1].kind.static_multicast.set = 1,1,2,1: the rectangle of actions[0]"
        ),
        "{text}"
    );
    // The same rectangle, one that has no word to carry, and one of a single tile.
    for second in [
        multicast((1, 1), (0, 0, 2, 2), 4),
        multicast((1, 1), (1, 1, 2, 1), 0),
        multicast((1, 1), (1, 1, 1, 1), 4),
    ] {
        check(&network("tilepro64_4x4"), &both(second)).unwrap();
    }
}
