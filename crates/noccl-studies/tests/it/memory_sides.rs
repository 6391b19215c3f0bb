// SPDX-License-Identifier: Apache-2.0
//! Memory tiles on any side of the clusters: every collective has the right bytes from and to them, closed forms and the model hold.

use crate::common::{asked, check_stress, rows_by};
use noccl_model::Calibration;
use noccl_net::{Network, TileRef, elaborate};
use noccl_run::Watch;
use noccl_studies::{CompareRequest, CompareRow, calibrate, compare_by_model};
use noccl_testkit::sides::{Sides, spec};
use noccl_testkit::{cluster, one_in};
use noccl_workload::CollectiveKind;

const NONE: Sides = Sides {
    west: 0,
    east: 0,
    south: 0,
    north: 0,
};

/// Each side alone, opposite ones, all four, and none; up to three tiles wide.
const PLACES: [Sides; 8] = [
    Sides { west: 2, ..NONE },
    Sides { east: 1, ..NONE },
    Sides { south: 1, ..NONE },
    Sides { north: 3, ..NONE },
    Sides {
        east: 1,
        west: 1,
        ..NONE
    },
    Sides {
        south: 2,
        north: 1,
        ..NONE
    },
    Sides {
        west: 1,
        east: 1,
        south: 1,
        north: 1,
    },
    NONE,
];

fn network(base: &str, clusters: (u32, u32), sides: Sides) -> Network {
    elaborate(&spec(base, clusters, sides)).unwrap()
}

fn rows(net: &Network, request: &CompareRequest) -> Vec<CompareRow> {
    let rows = rows_by(net, request);
    assert!(!rows.is_empty());
    rows
}

/// Bytes are right, and nothing is faster than its bound.
fn check(net: &Network, request: &CompareRequest) {
    for row in rows(net, request) {
        let has_bytes = request.collective != CollectiveKind::Barrier;
        assert!(row.verified.is_yes() || !has_bytes, "{row:?}");
        assert!(row.cycles >= row.lower_bound_cycles, "{row:?}");
    }
}

/// Of all memory tiles a few: the first, the last, and some between.
fn some_memories(net: &Network) -> impl Iterator<Item = TileRef> {
    let count = net.memories().count();
    let step = (count / 5).max(1);
    (0..count)
        .step_by(step)
        .chain(count.checked_sub(1))
        .map(|n| TileRef::Memory(n as u32))
}

fn check_every_collective(base: &str, clusters: (u32, u32)) {
    for sides in PLACES.into_iter().step_by(one_in(3)) {
        let net = network(base, clusters, sides);
        for kind in CollectiveKind::ALL {
            let mut request = asked(&net, kind, ("all", &[72, 1024]), "");
            check(&net, &request);
            if kind == CollectiveKind::Multicast {
                for memory in some_memories(&net) {
                    request.root = Some(memory);
                    check(&net, &request);
                }
            }
        }
    }
}

#[test]
fn every_collective_has_the_right_bytes_wherever_memories_stand() {
    check_every_collective("collective_noc_4x4", (2, 2));
    check_every_collective("collective_noc_4x4", (3, 1));
}

#[test]
fn so_it_has_on_published_routers() {
    check_every_collective("collective_noc_4x4_published", (2, 2));
}

#[test]
fn so_it_has_on_an_ideal_crossbar() {
    check_every_collective("ideal_4x4", (2, 2));
}

#[test]
fn so_it_has_with_torrent_endpoints() {
    check_every_collective("torrent_4x5", (2, 2));
}

#[test]
fn overlapping_transactions_of_all_kinds_complete_with_the_right_bytes() {
    for sides in PLACES {
        let net = network("collective_noc_4x4", (3, 3), sides);
        check_stress(&net, &sides, 5);
    }
}

/// The network's own multicast from a memory tile takes α_relay + γ h + β n with h hops to the cluster that reads it and on to the
/// farthest member; from a cluster α_push + γ h + β n.
#[test]
fn a_multicast_from_any_memory_takes_its_closed_form() {
    let shipped = Calibration::shipped().unwrap();
    for sides in PLACES {
        let net = network("collective_noc_4x4", (4, 4), sides);
        let what = ("all", &[64, 4096][..]);
        let mut request = asked(&net, CollectiveKind::Multicast, what, "in_network");
        for root in some_memories(&net) {
            request.root = Some(root);
            let at = net.coord(net.find(root).unwrap());
            let distance = |tile| net.coord(tile).hops_to(at);
            let hops = distance(net.clusters().max_by_key(|tile| distance(*tile)).unwrap());
            let model = compare_by_model(&net, &request, &shipped).unwrap().rows;
            for (row, predicted) in rows(&net, &request).into_iter().zip(model) {
                let constants = &shipped.constants;
                let beats = (row.bytes / 64) as f64;
                let form = constants.relay_alpha_cycles
                    + constants.hop_cycles * f64::from(hops)
                    + constants.beta_cycles_per_beat * beats;
                assert_eq!(row.cycles as f64, form, "{sides:?} {root}: {row:?}");
                assert_eq!(row.cycles, predicted.cycles, "{sides:?} {root}");
            }
        }
    }
}

/// Collectives among clusters do not see where memories stand.
#[test]
fn collectives_of_clusters_take_the_same_cycles_wherever_memories_stand() {
    let cycles = |sides| {
        let net = network("collective_noc_4x4", (4, 4), sides);
        let mut found = Vec::new();
        for kind in CollectiveKind::ALL {
            let mut request = asked(&net, kind, ("all", &[1024]), "");
            if kind.has_root() {
                request.root = Some(cluster(0, 0));
            }
            let rows = rows(&net, &request);
            found.extend(rows.into_iter().map(|row| (row.algorithm, row.cycles)));
        }
        found
    };
    let alone = cycles(NONE);
    for sides in PLACES.into_iter().step_by(one_in(6)) {
        assert_eq!(cycles(sides), alone, "{sides:?}");
    }
}

#[test]
fn the_models_constants_do_not_depend_on_where_memories_stand() {
    let shipped = Calibration::shipped().unwrap().constants;
    let places = [PLACES[6], PLACES[1], PLACES[3]];
    for sides in places.into_iter().step_by(one_in(3)) {
        let net = network("collective_noc_4x4", (4, 2), sides);
        let fitted = calibrate(&net, "a test", Watch::quiet()).unwrap();
        assert_eq!(fitted.constants, shipped, "{sides:?}");
    }
}
