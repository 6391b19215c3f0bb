// SPDX-License-Identifier: Apache-2.0
//! Trees by table: shared ones are the union of the paths, private ones reach every member once over links of their own.

use crate::common::network;
use noccl_net::{Coord, Network, Port, TileId, TreeTable};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn ports(mask: u8) -> impl Iterator<Item = Port> {
    Port::ALL.into_iter().filter(move |p| mask & p.bit() != 0)
}

/// How often each Local output is reached from the root, and the links that are used.
fn walk(network: &Network, table: &TreeTable) -> (Vec<Coord>, BTreeSet<(TileId, Port)>) {
    let (mut reached, mut links) = (Vec::new(), BTreeSet::new());
    let mut open = vec![network.coord(table.root())];
    while let Some(at) = open.pop() {
        let tile = network.tile_at(at);
        for port in ports(table.ports(tile)) {
            match network.neighbour(at, port) {
                Some(next) => {
                    assert!(links.insert((tile, port)), "{at} {port:?} is used twice");
                    open.push(next);
                }
                None => {
                    assert_eq!(port, Port::Local, "it leaves the mesh at {at}");
                    reached.push(at);
                }
            }
        }
    }
    reached.sort_unstable();
    (reached, links)
}

#[derive(Debug, Clone)]
struct Case {
    width: u16,
    height: u16,
    root: Coord,
    members: Vec<Coord>,
}

fn case() -> impl Strategy<Value = Case> {
    (2..=9u16, 2..=9u16)
        .prop_flat_map(|(width, height)| {
            let at = move || (0..width, 0..height).prop_map(|(x, y)| Coord::new(x, y));
            let members = proptest::collection::btree_set(at(), 1..40);
            (Just((width, height)), at(), members)
        })
        .prop_map(|((width, height), root, members)| Case {
            width,
            height,
            root,
            members: members.into_iter().collect(),
        })
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn shared_trees_are_the_union_of_the_paths(case in case()) {
        let network = network(&format!("smart_{}x{}", case.width, case.height));
        let (mut outputs, mut inputs) = (vec![0; network.num_tiles()], vec![0; network.num_tiles()]);
        for member in &case.members {
            for (at, port) in network.path(case.root, *member) {
                outputs[network.tile_at(at).idx()] |= port.bit();
            }
            let mut entered = Port::Local;
            for (at, port) in network.path(*member, case.root) {
                inputs[network.tile_at(at).idx()] |= entered.bit();
                entered = port.opposite();
            }
        }
        let multicast = network.shared_multicast(case.root, &case.members);
        let reduction = network.shared_reduction(case.root, &case.members);
        for (tile, (outputs, inputs)) in outputs.into_iter().zip(inputs).enumerate() {
            let tile = TileId(tile as u32);
            prop_assert_eq!(multicast.ports(tile), outputs);
            prop_assert_eq!(reduction.ports(tile), inputs);
        }
        // Every input is an edge of the tree or a contribution.
        let inputs: u32 = reduction.tiles().map(|(_, ports)| ports.count_ones()).sum();
        let edges = reduction.tiles().count() - 1;
        prop_assert_eq!(inputs as usize, edges + case.members.len());
    }

    #[test]
    fn private_trees_reach_every_member_once(case in case()) {
        let network = network(&format!("smart_{}x{}_private", case.width, case.height));
        let corner = network.nearest_corner(case.root);
        prop_assert!(corner.x == 0 || corner.x == case.width - 1);
        prop_assert!(corner.y == 0 || corner.y == case.height - 1);
        let table = network.private_multicast(corner, &case.members);
        prop_assert_eq!(walk(&network, &table).0, case.members);
    }
}

#[test]
fn a_tile_has_up_to_five_inputs_where_the_root_contributes() {
    let n = network("smart_8x8");
    let all: Vec<Coord> = n.clusters().map(|tile| n.coord(tile)).collect();
    let most = |root: Coord, members: &[Coord]| {
        let table = n.shared_reduction(root, members);
        let counts = table.tiles().map(|(_, ports)| ports.count_ones());
        counts.max().unwrap()
    };
    let mut edges = 0;
    for root in &all {
        let others: Vec<Coord> = all.iter().copied().filter(|at| at != root).collect();
        let is_edge = root.x == 0 || root.x == 7;
        edges += u32::from(is_edge);
        assert_eq!(most(*root, &others), if is_edge { 3 } else { 4 }, "{root}");
        let is_inner = !is_edge && root.y != 0 && root.y != 7;
        assert_eq!(most(*root, &all) == 5, is_inner, "{root}");
    }
    assert_eq!(edges, 16);
}

#[test]
fn private_trees_share_the_links_of_the_edges_only() {
    let n = network("smart_8x8_private");
    let all: Vec<Coord> = n.clusters().map(|tile| n.coord(tile)).collect();
    let corners = [(0, 0), (7, 0), (7, 7), (0, 7)];
    let mut uses = std::collections::BTreeMap::new();
    for (x, y) in corners {
        let table = n.private_multicast(Coord::new(x, y), &all);
        let (reached, links) = walk(&n, &table);
        assert_eq!((reached.len(), links.len()), (64, 63));
        for link in links {
            *uses.entry(link).or_insert(0) += 1;
        }
    }
    let shared: Vec<(TileId, Port)> = uses.iter().filter(|u| *u.1 > 1).map(|u| *u.0).collect();
    assert_eq!((uses.len(), shared.len()), (224, 28));
    for (tile, _) in shared {
        let at = n.coord(tile);
        assert!([0, 7].contains(&at.x) || [0, 7].contains(&at.y), "{at}");
    }
}

#[test]
fn meshes_beyond_a_line_of_64_and_private_trees_on_a_line_are_refused_by_field() {
    let refused = |preset: &str, overrides: &[(&str, &str)]| {
        let found: Vec<(String, String)> = overrides
            .iter()
            .map(|(path, value)| ((*path).to_owned(), (*value).to_owned()))
            .collect();
        let text = noccl_spec::preset_text(preset).unwrap();
        let spec = noccl_spec::parse_spec("t", &text, &found).unwrap();
        noccl_net::elaborate(&spec).unwrap_err().to_string()
    };
    let error = refused("smart_1x8_private", &[]);
    assert!(
        error.starts_with("router.smart.tree = \"private\""),
        "{error}"
    );
    let wide = [("mesh.width", "65"), ("mesh.regions.0.width", "65")];
    let error = refused("smart_8x2", &wide);
    assert!(error.starts_with("mesh.width = 65"), "{error}");
}
