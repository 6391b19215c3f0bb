// SPDX-License-Identifier: Apache-2.0
//! Routers with virtual channels: every preset is free of deadlock, and private trees need their order of classes.

use crate::common::{network, spec};
use noccl_net::deadlock::{
    Buffers, ChannelClass, Cycle, OrderClasses, Place, Proof, check_mechanism, check_network,
};
use noccl_net::{Coord, Network, Port, elaborate};
use noccl_spec::{SmartPriority, SmartReduction, SmartTree};

fn with_order(n: &Network, order: OrderClasses) -> Result<Proof, Cycle> {
    let mut mechanism = n.routers().mechanism.clone();
    mechanism.buffers = Buffers::Channels(order);
    check_mechanism(n, &mechanism)
}

#[test]
fn every_preset_has_waits_and_no_cycle_of_them() {
    for suffix in [
        "",
        "_baseline",
        "_collective",
        "_unicast",
        "_private",
        "_connected",
    ] {
        for size in ["1x1", "1x8", "2x2", "3x5", "8x8", "16x16", "64x64"] {
            if suffix == "_private" && size.starts_with('1') && size.len() == 3 {
                continue;
            }
            let n = network(&format!("smart_{size}{suffix}"));
            let proof = check_network(&n).unwrap();
            assert_eq!(proof.nodes, n.num_tiles() * 25);
            assert_eq!(proof.waits == 0, n.num_tiles() == 1, "{size}{suffix}");
        }
    }
}

/// Waits are for channels, whoever goes first: nobody waits for ever at a link (`noccl-sim`, `router/smart/tests/contention.rs`).
#[test]
fn priorities_and_greedy_reductions_add_no_wait() {
    for suffix in ["", "_private"] {
        let preset = format!("smart_8x8{suffix}");
        let mut spec = spec(&preset);
        let table = spec.axi_mut().unwrap().router.smart.as_mut().unwrap();
        table.priority = SmartPriority::Bypass;
        table.reduction = SmartReduction::Greedy;
        let proof = check_network(&elaborate(&spec).unwrap()).unwrap();
        assert_eq!(proof, check_network(&network(&preset)).unwrap());
    }
}

fn by_load(size: &str) -> Network {
    let mut spec = spec(&format!("smart_{size}"));
    spec.axi_mut().unwrap().router.smart.as_mut().unwrap().tree = SmartTree::ByLoad;
    elaborate(&spec).unwrap()
}

#[test]
fn shared_trees_beside_private_ones_add_waits_and_no_cycle() {
    for size in ["2x2", "3x5", "8x8", "16x16"] {
        let private = check_network(&network(&format!("smart_{size}_private"))).unwrap();
        let both = check_network(&by_load(size)).unwrap();
        assert!(both.waits > private.waits, "{size}");
        // Behind a class for both dimensions of private trees there is the same cycle as without shared ones.
        let cycle = with_order(&by_load(size), OrderClasses::Two).unwrap_err();
        assert!(!cycle.waits.is_empty(), "{size}");
    }
}

#[test]
fn shared_trees_need_one_class_only() {
    let n = network("smart_8x8");
    let proof = check_network(&n).unwrap();
    for order in [OrderClasses::Two, OrderClasses::One] {
        assert_eq!(with_order(&n, order).unwrap(), proof);
    }
}

/// Around the edge of the mesh, against the clock: inputs of the routers.
fn edge(n: &Network) -> Vec<(Coord, Port)> {
    let (east, north) = (n.width() - 1, n.height() - 1);
    let at = Coord::new;
    let south_side = (1..=east).map(|x| (at(x, 0), Port::West));
    let east_side = (1..=north).map(|y| (at(east, y), Port::South));
    let north_side = (0..east).rev().map(|x| (at(x, north), Port::East));
    let west_side = (0..north).rev().map(|y| (at(0, y), Port::North));
    let all = south_side.chain(east_side).chain(north_side);
    all.chain(west_side).collect()
}

#[test]
fn private_trees_with_one_class_for_both_dimensions_wait_around_the_edge() {
    for size in ["2x2", "3x5", "8x8"] {
        let n = network(&format!("smart_{size}_private"));
        let cycle = with_order(&n, OrderClasses::Two).unwrap_err();
        let mut found: Vec<(Coord, Port)> = Vec::new();
        for wait in &cycle.waits {
            let Place::Channels { class, tile, port } = wait.holds else {
                panic!("{cycle}");
            };
            assert_eq!(class, ChannelClass::FirstDimension);
            found.push((n.coord(tile), port));
        }
        let expected = edge(&n);
        let first = found.iter().position(|place| *place == expected[0]);
        found.rotate_left(first.unwrap());
        assert_eq!(found, expected, "{size}");
        assert!(cycle.is_certain);
    }
    let n = network("smart_2x2_private");
    let text = with_order(&n, OrderClasses::Two).unwrap_err().to_string();
    let expected = "in channels of multicasts along the first dimension at input West of cluster (1,0) waits for";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn private_trees_with_one_class_at_all_wait_in_a_cycle() {
    for size in ["2x2", "4x4", "8x8"] {
        let n = network(&format!("smart_{size}_private"));
        let cycle = with_order(&n, OrderClasses::One).unwrap_err();
        let next = cycle.waits.iter().cycle().skip(1);
        for (wait, next) in cycle.waits.iter().zip(next) {
            assert_eq!(wait.waits_for, next.holds, "{cycle}");
            let is_multicast = |place| {
                matches!(
                    place,
                    Place::Channels {
                        class: ChannelClass::Multicast,
                        ..
                    }
                )
            };
            assert!(is_multicast(wait.holds), "{cycle}");
        }
        assert!(cycle.is_certain && cycle.waits.len() >= 4, "{cycle}");
    }
}
