// SPDX-License-Identifier: Apache-2.0
//! The default mechanism has no cycle of waits whatever the transactions are; each of its parts is
//! needed for that.

use crate::common::{mesh, network};
use noccl_net::capabilities::RouterCapabilities;
use noccl_net::deadlock::{
    BarrierCounters, Cycle, Forks, Joins, Mechanism, OperandStore, Place, ReadData, ReductionUnit,
    Responses, check_mechanism, check_network,
};
use noccl_net::{Network, Port};
use noccl_spec::{Plane, RouterFlow};

fn rejected(n: &Network, change: impl FnOnce(&mut Mechanism)) -> Cycle {
    let mut mechanism = RouterCapabilities::of(RouterFlow::NonBlocking)
        .mechanism
        .clone();
    check_mechanism(n, &mechanism).unwrap();
    change(&mut mechanism);
    let cycle = check_mechanism(n, &mechanism).unwrap_err();
    let next = cycle.waits.iter().cycle().skip(1);
    for (wait, next) in cycle.waits.iter().zip(next) {
        assert_eq!(wait.waits_for, next.holds, "{cycle}");
    }
    cycle
}

fn holds(cycle: &Cycle, found: impl Fn(Place) -> bool) -> bool {
    cycle.waits.iter().any(|w| found(w.holds))
}

#[test]
fn the_default_mechanism_has_no_cycle_on_any_mesh() {
    for (width, height) in [(1, 1), (2, 1), (1, 4), (4, 4), (5, 3), (16, 16), (64, 64)] {
        let n = mesh(width, height);
        let proof = check_network(&n).unwrap();
        assert_eq!(proof.nodes, n.num_tiles() * 34);
        assert!(proof.waits > n.num_tiles() * 14, "{proof:?}");
    }
}

#[test]
fn two_tiles_have_exactly_the_waits_that_one_can_count() {
    // A memory tile and a cluster. Per tile and plane: from the NI to the link and back to the NI, from
    // the link to the NI, over the link. Per tile: a request waits for space for B and for R, a wide
    // write for space for B, a sum for the link and for the NI.
    let proof = check_network(&mesh(1, 1)).unwrap();
    assert_eq!(proof.waits, 2 * (3 * 4 + 2 + 1 + 2));
}

#[test]
fn routers_say_that_they_are_free_of_deadlock_exactly_if_their_mechanism_is() {
    for flow in RouterFlow::ALL {
        let routers = RouterCapabilities::of(flow);
        let checked = check_mechanism(&mesh(4, 4), &routers.mechanism);
        assert_eq!(checked.is_ok(), routers.is_deadlock_free, "{flow:?}");
    }
}

#[test]
fn the_published_mechanism_has_a_cycle_wherever_there_are_two_clusters() {
    for size in ["2x1", "1x2", "4x4", "16x16"] {
        let n = network(&format!("collective_noc_{size}_published"));
        let cycle = check_network(&n).unwrap_err();
        assert_eq!(cycle.waits.len(), 2, "{size}: {cycle}");
    }
}

#[test]
fn turns_from_columns_into_rows_close_a_cycle_around_a_square() {
    let n = mesh(4, 4);
    for (out, back) in [(Port::East, Port::West), (Port::West, Port::East)] {
        // Southwards into one direction and northwards into the other.
        let turns = vec![(Port::North, out), (Port::South, back)];
        let cycle = rejected(&n, |m| m.extra_turns = turns.clone());
        assert_eq!(
            cycle.waits.len(),
            8,
            "four routers, two buffers each: {cycle}"
        );
        for (entering, out) in turns {
            let enters = |p| matches!(p, Place::Input { port, .. } if port == entering);
            assert!(holds(&cycle, enters), "{cycle}");
            assert!(
                holds(&cycle, |p| matches!(p, Place::Link(l) if l.port == out)),
                "{cycle}"
            );
        }
    }
}

#[test]
fn one_forbidden_turn_alone_closes_no_cycle() {
    // The turn model: each of the two directions around a square has two forbidden turns under XY.
    for turn in [Port::East, Port::West].map(|out| (Port::North, out)) {
        let mut mechanism = RouterCapabilities::of(RouterFlow::NonBlocking)
            .mechanism
            .clone();
        let plain = check_mechanism(&mesh(4, 4), &mechanism).unwrap();
        mechanism.extra_turns = vec![turn];
        let proof = check_mechanism(&mesh(4, 4), &mechanism).unwrap();
        assert!(proof.waits > plain.waits);
    }
}

#[test]
fn packets_that_turn_back_at_both_ends_close_a_cycle() {
    let turns = vec![(Port::West, Port::West), (Port::East, Port::East)];
    let cycle = rejected(&mesh(4, 4), |m| m.extra_turns = turns);
    assert_eq!(cycle.waits.len(), 4, "{cycle}");
}

#[test]
fn forks_that_hold_their_outputs_close_a_cycle_in_one_router() {
    let cycle = rejected(&mesh(4, 4), |m| m.forks = Forks::HoldOutputs);
    assert_eq!(cycle.waits.len(), 2, "{cycle}");
    assert!(!holds(&cycle, |p| !matches!(p, Place::Link(_))), "{cycle}");
}

#[test]
fn contributions_that_wait_at_fifo_heads_close_a_cycle_in_one_router() {
    let cycle = rejected(&mesh(4, 4), |m| m.joins = Joins::BlockHeads);
    assert_eq!(cycle.waits.len(), 2, "{cycle}");
    assert!(
        !holds(&cycle, |p| !matches!(p, Place::Input { .. })),
        "{cycle}"
    );
}

#[test]
fn read_data_that_waits_behind_writes_closes_a_cycle_through_the_dma_engine() {
    let cycle = rejected(&mesh(4, 4), |m| m.read_data = ReadData::QueuedBehindWrites);
    assert!(
        holds(&cycle, |p| matches!(p, Place::DmaBuffer(_))),
        "{cycle}"
    );
    let is_wide = |p| {
        matches!(
            p,
            Place::Input {
                plane: Plane::Wide,
                port: Port::Local,
                ..
            }
        )
    };
    assert!(holds(&cycle, is_wide), "{cycle}");
}

#[test]
fn responses_that_wait_behind_writes_close_a_cycle_through_two_planes() {
    let cycle = rejected(&mesh(4, 4), |m| m.responses = Responses::BehindWrites);
    for plane in [Plane::Wide, Plane::Rsp] {
        let enters =
            |p| matches!(p, Place::Input { plane: q, port: Port::Local, .. } if q == plane);
        assert!(holds(&cycle, enters), "{cycle}");
    }
}

#[test]
fn a_store_that_takes_operands_as_they_come_closes_a_cycle() {
    let cycle = rejected(&mesh(4, 4), |m| m.operand_store = OperandStore::FirstCome);
    assert!(holds(&cycle, |p| matches!(p, Place::Store(_))), "{cycle}");
}

#[test]
fn barriers_that_take_counters_as_they_come_close_a_cycle_at_their_target() {
    let cycle = rejected(&mesh(4, 4), |m| {
        m.barrier_counters = BarrierCounters::FirstCome;
    });
    assert_eq!(cycle.waits.len(), 2, "{cycle}");
    assert!(
        holds(&cycle, |p| matches!(p, Place::Counters(_))),
        "{cycle}"
    );
    let link = |p| matches!(p, Place::Link(l) if l.plane == Plane::Req && l.port == Port::Local);
    assert!(holds(&cycle, link), "{cycle}");
}

#[test]
fn results_that_keep_the_reduction_unit_turn_columns_into_rows() {
    let cycle = rejected(&mesh(4, 4), |m| m.reduction_unit = ReductionUnit::Shared);
    assert!(
        holds(&cycle, |p| matches!(p, Place::ReductionUnit(_))),
        "{cycle}"
    );
}

#[test]
fn a_turn_that_the_routes_have_anyway_changes_nothing() {
    let n = mesh(4, 4);
    let mut mechanism = RouterCapabilities::of(RouterFlow::NonBlocking)
        .mechanism
        .clone();
    let plain = check_mechanism(&n, &mechanism).unwrap();
    mechanism.extra_turns = vec![(Port::West, Port::North)];
    let proof = check_mechanism(&n, &mechanism).unwrap();
    assert_eq!(proof.nodes, plain.nodes);
    // At the northern and southern edges there are no such routers to turn to.
    assert_eq!(proof, plain);
}
