// SPDX-License-Identifier: Apache-2.0
//! The estimate of shared links where cycles are known, and what it refuses.

use noccl_model::{ModelError, estimate_cycles};
use noccl_net::TileRef;
use noccl_testkit::actions::network_sum;
use noccl_testkit::schedules::schedule;
use noccl_testkit::{assert_says, cluster, cube, network};
use noccl_workload::{ActionKind, Arrival, Destination, ElementType, Place, Transfer};

fn write(from: TileRef, to: TileRef, bytes: u64) -> Transfer {
    let place = |tile| Place { tile, offset: 0 };
    Transfer::row(from, place(from), Destination::One(place(to)), bytes)
}

#[test]
fn a_lone_write_takes_its_closed_form() {
    let network = network("collective_noc_4x4");
    for (hops, beats) in [(1, 1), (3, 64), (2, 200)] {
        let one = write(cluster(0, 0), cluster(hops, 0), beats * 64);
        // From the engine's command: path to the interface and back, 5 + 4 hops, and a cycle per beat.
        let expected = 3.0 + 5.0 + 4.0 * f64::from(hops) + beats as f64 - 1.0 + 3.0;
        let estimate = estimate_cycles(
            &network,
            &schedule(vec![(ActionKind::Transfer(one), vec![])]),
        );
        assert_eq!(
            estimate.unwrap().cycles,
            expected,
            "{hops} hops, {beats} beats"
        );
    }
}

#[test]
fn writers_to_one_tile_share_its_port_and_their_reader_goes_on_when_both_have_come() {
    let network = network("collective_noc_4x4");
    let to = cluster(1, 1);
    let kinds = vec![
        (ActionKind::Delivery(write(cluster(0, 1), to, 6400)), vec![]),
        (ActionKind::Delivery(write(cluster(1, 2), to, 6400)), vec![]),
        (
            ActionKind::Delivery(write(to, cluster(2, 1), 64)),
            vec![0, 1],
        ),
    ];
    let estimate = estimate_cycles(&network, &schedule(kinds)).unwrap();
    let [first, second, reply] = estimate.actions[..] else {
        panic!("three actions");
    };
    // Both leave at half a beat per cycle, and are in memory 5 cycles and a hop behind the command.
    assert!((first.0 - 5.0).abs() < 1e-9 && (second.0 - 5.0).abs() < 1e-9);
    let noticed = 5.0 + 3.0 + 200.0 - 1.0 + 4.0 + 1.0 + 3.0;
    assert_eq!(reply.0, noticed + 5.0, "{estimate:?}");
}

#[test]
fn what_routers_fold_and_messages_are_refused_by_name() {
    let text = |r: Result<_, ModelError>| {
        r.map(|_: noccl_model::FlowEstimate| ())
            .unwrap_err()
            .to_string()
    };
    let set = cube(0, 0, 3, 3);
    let arrival = ActionKind::Arrival(Arrival {
        group: set,
        root: cluster(9, 9),
    });
    let noc = network("collective_noc_4x4");
    let absent = text(estimate_cycles(&noc, &schedule(vec![(arrival, vec![])])));
    assert_says(&absent, &["actions[0]", "accepted"]);
    let fold = network_sum(
        set,
        Place {
            tile: cluster(0, 0),
            offset: 4096,
        },
        64,
        ElementType::Fp64,
    );
    let fold = text(estimate_cycles(&noc, &schedule(vec![(fold, vec![])])));
    assert_says(&fold, &["knows no", "accepted"]);
    for name in ["smart_8x8", "esp_4x5", "tilepro64_4x4"] {
        let refused = text(estimate_cycles(&network(name), &schedule(vec![])));
        assert!(refused.contains("router.flow"), "{refused}");
    }
    let empty = estimate_cycles(&noc, &schedule(vec![])).unwrap();
    assert_eq!((empty.cycles, empty.actions.len()), (0.0, 0));
}
