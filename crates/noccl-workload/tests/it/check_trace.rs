// SPDX-License-Identifier: Apache-2.0
//! Traces are refused by field before anything runs.

use crate::common::*;
use noccl_net::{Coord, MultiAddress, TileSet};
use noccl_testkit::actions::barrier;
use noccl_testkit::traces::{
    self, barrier as port_barrier, narrow_multicast, together, wide_multicast, wide_reduction,
};
use noccl_workload::{BarrierMechanism, CheckError, PortKind, Trace, check_trace, participants};

/// (1, 0) under a mask of x = 1: the set of (0, 0) and (1, 0), written from its second member.
const MASKED: MultiAddress = MultiAddress {
    base: Coord::new(1, 0),
    mask: Coord::new(1, 0),
};

fn trace(kind: PortKind, members: usize) -> Trace {
    traces::trace(vec![together(kind, members)])
}

/// Each kind with a set, the name of the field, and its number of participants.
fn with_set(set: MultiAddress) -> [(PortKind, &'static str, usize); 4] {
    let (from, root) = (cluster(0, 0), cluster(0, 0));
    [
        (wide_multicast(from, set, 1), "wide_multicast.to", 1),
        (narrow_multicast(from, set), "narrow_multicast.to", 1),
        (wide_reduction(set, root, 1), "wide_reduction.group", 2),
        (port_barrier(set, root), "barrier.group", 2),
    ]
}

#[test]
fn a_base_with_masked_bits_is_refused_in_every_kind_of_transaction() {
    let net = mesh4x4();
    for (kind, name, members) in with_set(MASKED) {
        let error = check_trace(&net, &trace(kind, members)).expect_err(name);
        let CheckError::Field {
            field,
            found,
            accepted,
        } = error
        else {
            panic!("{name}: {error}");
        };
        assert_eq!(field, format!("transactions[0].kind.{name}"));
        assert_eq!(found, "base (1,0) with mask (1,0)");
        assert_eq!(accepted, "a base that is 0 where the mask is 1, here (0,0)");
    }
    let normal = MultiAddress::new(MASKED.base, MASKED.mask);
    for (kind, name, members) in with_set(normal) {
        let checked = check_trace(&net, &trace(kind, members));
        assert_eq!(checked, Ok(()), "{name}");
    }
}

#[test]
fn a_tile_set_means_the_same_tiles_whichever_member_its_base_is() {
    let net = mesh4x4();
    let barrier = |set: MultiAddress| {
        let group = TileSet::Cube(set);
        barrier(group, cluster(0, 0), BarrierMechanism::InNetwork)
    };
    let normal = MultiAddress::new(MASKED.base, MASKED.mask);
    let members = participants(&net, &barrier(MASKED));
    assert_eq!(members.len(), 2);
    assert_eq!(members, participants(&net, &barrier(normal)));
}
