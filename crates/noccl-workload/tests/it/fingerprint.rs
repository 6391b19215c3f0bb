// SPDX-License-Identifier: Apache-2.0
//! Schedules are told apart by all that runs, of every kind of action, and by nothing else.

use crate::common::{at, at_once as schedule, cluster};
use noccl_workload::{ActionKind, Destination, First, Message, MessageRows, Transfer};

fn message() -> Message {
    Message {
        source: at(0, 0, 0),
        destination: at(1, 0, 0),
        bytes: 64,
        rows: None,
        round: None,
    }
}

#[test]
fn messages_to_other_tiles_of_other_bytes_and_of_other_rows_differ() {
    let of = |message| schedule(vec![ActionKind::Message(message)]).fingerprint();
    let rows = MessageRows {
        count: 2,
        source_stride: 64,
        destination_stride: 64,
    };
    let others = [
        Message {
            destination: at(2, 0, 0),
            ..message()
        },
        Message {
            bytes: 128,
            ..message()
        },
        Message {
            rows: Some(rows),
            ..message()
        },
    ];
    assert_eq!(of(message()), of(message()));
    for other in others {
        assert_ne!(of(message()), of(other));
    }
}

#[test]
fn transfers_of_other_strides_and_orders_differ() {
    let to = Destination::One(at(1, 0, 0));
    let transfer = Transfer::row(cluster(0, 0), at(0, 0, 0), to, 64);
    let strided = Transfer {
        source_stride: 128,
        ..transfer.clone()
    };
    let (one, other) = (
        ActionKind::Transfer(transfer.clone()),
        ActionKind::Transfer(strided),
    );
    let of = |kinds| schedule(kinds).fingerprint();
    assert_ne!(of(vec![one.clone()]), of(vec![other.clone()]));
    assert_ne!(
        of(vec![one.clone(), other.clone()]),
        of(vec![other, one.clone()])
    );
    assert_ne!(of(vec![one]), of(vec![ActionKind::Delivery(transfer)]));
}

#[test]
fn what_a_core_does_first_counts_and_a_name_does_not() {
    let plain = schedule(vec![ActionKind::Message(message())]);
    let mut named = plain.clone();
    named.algorithm = "other".to_owned();
    named.parameters.insert("chunks".to_owned(), "4".to_owned());
    assert_eq!(plain.fingerprint(), named.fingerprint());
    named.first = Some(First::Send);
    assert_ne!(plain.fingerprint(), named.fingerprint());
}
