// SPDX-License-Identifier: Apache-2.0
//! Messages and static multicasts: only cores that send words do them, and those do nothing with addresses.

mod common;

use common::*;
use noccl_workload::{
    ActionKind, Destination, First, Message, Rectangle, Schedule, StaticMulticast,
};

fn one(kind: ActionKind) -> Schedule {
    let mut s = Build::new(None);
    s.add(kind, &[]);
    s.0
}

#[test]
fn what_only_cores_do_is_refused_elsewhere() {
    let message = Message {
        source: at(0, 0, 0),
        destination: at(1, 0, 0),
        bytes: 4,
        round: None,
    };
    let set = Rectangle {
        x: 0,
        y: 0,
        width: 4,
        height: 4,
    };
    let multicast = StaticMulticast {
        source: at(0, 0, 0),
        set,
        offset: 0,
        bytes: 4,
    };
    for (kind, name) in [
        (ActionKind::Message(message), "message"),
        (ActionKind::StaticMulticast(multicast), "static_multicast"),
    ] {
        let field = format!("actions[0].kind = {name}");
        assert_names(&one(kind), &field, "tilepro64_8x8; elsewhere a transfer");
    }
    let to = Destination::One(at(1, 0, 0));
    let mut s = one(copy(cluster(0, 0), at(0, 0, 0), to, 64));
    s.first = Some(First::Send);
    assert_names(&s, "first = send", "nothing: only cores");
}
