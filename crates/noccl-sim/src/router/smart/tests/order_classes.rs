// SPDX-License-Identifier: Apache-2.0
//! Private trees need a class of channels for each dimension: with one for both, broadcasts wait for each other around the edge of the
//! mesh, in the cycle that the deadlock check names.

use super::super::diagnose::diagnose;
use super::super::numbers::{FIRST_DIMENSION, PORTS, SECOND_DIMENSION};
use super::super::plane::SmartPlane;
use super::{network, plane};
use noccl_net::deadlock::{Buffers, Cycle, OrderClasses, Place, check_mechanism, check_network};
use noccl_net::{Coord, Network, TileId};

const CYCLES: u64 = 20_000;
const BROADCASTS: u32 = 12;

/// Broadcasts from all tiles at once. The cycle in which something has moved last, and what has been delivered.
fn broadcasts(network: &Network, plane: &mut SmartPlane) -> (u64, usize) {
    let trees = network.multicast_trees().unwrap();
    let all: Vec<Coord> = (0..network.num_tiles())
        .map(|tile| network.coord(TileId(tile as u32)))
        .collect();
    for _ in 0..BROADCASTS {
        for source in &all {
            let tree = plane.add_multicast(network, trees, *source, &all);
            plane.send_multicast(network.tile_at(*source), tree, 1, 0);
        }
    }
    let (mut last, mut delivered) = (0, 0);
    for cycle in 0..CYCLES {
        if plane.step(|_| true, |_| true) {
            last = cycle;
        }
        delivered += plane.deliveries.len();
        plane.settle();
    }
    (last, delivered)
}

/// Is each channel of the cycle's places held by a packet that asks for the output to the next one?
fn shows(plane: &SmartPlane, network: &Network, cycle: &Cycle) -> bool {
    cycle.waits.iter().all(|wait| {
        let (Place::Channels { tile, port, .. }, Place::Channels { port: next, .. }) =
            (wait.holds, wait.waits_for)
        else {
            return false;
        };
        let input = tile.idx() * PORTS + port.idx();
        let out = next.opposite();
        assert!(network.neighbour(network.coord(tile), out).is_some());
        let mask = plane.n.class_mask(FIRST_DIMENSION);
        let first = plane.n.channel(input, mask.trailing_zeros() as usize);
        (first..first + plane.n.multicast_vcs)
            .all(|at| plane.channels.held[at].wants & out.bit() != 0)
    })
}

#[test]
fn broadcasts_with_one_class_for_both_dimensions_wait_in_the_cycle_that_the_check_names() {
    for (size, vcs, setup) in [
        ("2x2", 1, 1),
        ("2x2", 2, 2),
        ("4x4", 1, 2),
        ("3x5", 1, 1),
        ("8x8", 1, 1),
        ("8x8", 2, 1),
    ] {
        let overrides = [
            ("vcs", vcs.to_string()),
            ("setup_cycles", setup.to_string()),
        ];
        let network = network(&format!("smart_{size}_private"), &overrides);
        check_network(&network).unwrap();
        let mut mechanism = network.routers().mechanism.clone();
        mechanism.buffers = Buffers::Channels(OrderClasses::Two);
        let cycle = check_mechanism(&network, &mechanism).unwrap_err();

        let all = network.num_tiles() * network.num_tiles() * BROADCASTS as usize;
        for (second, ends) in [(SECOND_DIMENSION, true), (FIRST_DIMENSION, false)] {
            let mut plane = plane(&network, 0);
            plane.n.second_class = second;
            let (last, delivered) = broadcasts(&network, &mut plane);
            let found = diagnose(&plane, &network, CYCLES, last, Vec::new());
            assert!(last + 100 < CYCLES, "{size}: it still moves");
            assert_eq!(
                delivered == all,
                ends,
                "{size}: {delivered} of {all}, {found}"
            );
            assert_eq!(plane.is_idle(), ends, "{size}");
            assert_eq!(
                shows(&plane, &network, &cycle),
                !ends,
                "{size}: {cycle}; {found}"
            );
            assert_eq!(found.summary.contains("virtual channels"), !ends, "{found}");
        }
    }
}
