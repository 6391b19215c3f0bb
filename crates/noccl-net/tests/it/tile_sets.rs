// SPDX-License-Identifier: Apache-2.0
//! Sets as users write them: every form means what it says, everything else is refused.

use crate::common::mesh;
use noccl_net::{Coord, MultiAddress, TileRef, TileSet};
use noccl_testkit::{cluster, rectangle};
use proptest::prelude::*;

#[test]
fn every_form_names_its_members() {
    let n = mesh(4, 3);
    for (text, members) in [
        ("tile:3,2", "3,2"),
        ("row", "0,0 1,0 2,0 3,0"),
        ("row:2", "0,2 1,2 2,2 3,2"),
        ("column:1", "1,0 1,1 1,2"),
        ("1,1,2,2", "1,1 1,2 2,1 2,2"),
        (" 1, 1, 1, 1 ", "1,1"),
        ("set:2,0;0,1;2,0", "0,1 2,0"),
        ("cube:1,0,2,1", "1,0 1,1 3,0 3,1"),
        ("cube:3,0,2,0", "1,0 3,0"),
        ("all", "0,0 0,1 0,2 1,0 1,1 1,2 2,0 2,1 2,2 3,0 3,1 3,2"),
    ] {
        let set = n.parse_tile_set(text).unwrap();
        let found: Vec<String> = n
            .members(&set)
            .unwrap()
            .iter()
            .map(|c| format!("{},{}", c.x, c.y))
            .collect();
        assert_eq!(found.join(" "), members, "{text}");
    }
}

#[test]
fn masked_bits_of_a_cube_do_not_matter() {
    let n = mesh(4, 4);
    let cube = |x| MultiAddress {
        base: Coord::new(x, 1),
        mask: Coord::new(2, 0),
    };
    let members = |x| n.members(&TileSet::Cube(cube(x))).unwrap();
    assert_eq!(members(3), members(1));
    assert_eq!(members(3), [Coord::new(1, 1), Coord::new(3, 1)]);
}

#[test]
fn text_that_is_no_set_is_refused_with_all_forms() {
    let n = mesh(4, 4);
    for text in [
        "",
        "rows",
        "row:",
        "row:x",
        "row:-1",
        "row:+1",
        "1,2",
        "1,2,3",
        "1,2,3,4,5",
        "tile:1",
        "set:",
        "set:1,2;",
        "cube:1,2",
        "circle:1,2",
        "0,0,4,4;",
        "row:99999",
        "all:1",
    ] {
        let shown = n.parse_tile_set(text).unwrap_err().to_string();
        assert!(
            shown.starts_with(&format!("tile set '{}'", text)),
            "{shown}"
        );
        assert!(shown.contains("cube:X,Y,MASK_X,MASK_Y"), "{shown}");
    }
}

#[test]
fn sets_outside_the_clusters_are_refused_with_their_extent() {
    let n = mesh(4, 3);
    for text in [
        "row:3",
        "column:4",
        "1,0,4,1",
        "0,1,1,3",
        "tile:4,0",
        "set:0,0;0,3",
        "cube:0,0,0,3",
        "65535,0,65535,1",
    ] {
        let shown = n.parse_tile_set(text).unwrap_err().to_string();
        assert!(shown.contains("4 x 3 clusters"), "{text}: {shown}");
    }
    for text in ["0,0,0,1", "0,0,1,0"] {
        let shown = n.parse_tile_set(text).unwrap_err().to_string();
        assert!(shown.contains("at least 1"), "{text}: {shown}");
    }
    let shown = n
        .members(&TileSet::Arbitrary(vec![]))
        .unwrap_err()
        .to_string();
    assert!(shown.contains("is empty"), "{shown}");
}

#[test]
fn tiles_read_as_cluster_or_memory() {
    let n = mesh(4, 3);
    assert_eq!(n.parse_tile_ref("3,2"), Ok(cluster(3, 2)));
    assert_eq!(n.parse_tile_ref("mem:2"), Ok(TileRef::Memory(2)));
    for text in ["", "3", "3,2,1", "mem", "mem:", "mem:-1", "mem:x", "a,b"] {
        let shown = n.parse_tile_ref(text).unwrap_err().to_string();
        assert!(shown.contains("mem:N"), "{text}: {shown}");
    }
    for text in ["4,0", "0,3", "mem:3"] {
        let shown = n.parse_tile_ref(text).unwrap_err().to_string();
        assert!(
            shown.contains("4 x 3 clusters and 3 memory tiles"),
            "{text}: {shown}"
        );
    }
}

fn any_set() -> impl Strategy<Value = TileSet> {
    let coord = || (0u16..10, 0u16..10).prop_map(|(x, y)| Coord::new(x, y));
    prop_oneof![
        coord().prop_map(TileSet::Tile),
        (0u16..10).prop_map(TileSet::Row),
        (0u16..10).prop_map(TileSet::Column),
        (coord(), coord()).prop_map(|(c, s)| rectangle(c.x, c.y, s.x, s.y)),
        (coord(), coord()).prop_map(|(b, m)| TileSet::Cube(MultiAddress::new(b, m))),
        prop::collection::vec(coord(), 1..6).prop_map(TileSet::Arbitrary),
    ]
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn a_displayed_set_reads_back_equal(set in any_set()) {
        let n = mesh(8, 7);
        match n.members(&set) {
            Ok(members) => {
                prop_assert_eq!(n.parse_tile_set(&set.to_string()), Ok(set));
                prop_assert!(members.is_sorted_by(|a, b| a < b));
                prop_assert!(members.iter().all(|c| n.has_cluster(*c)));
            }
            Err(error) => prop_assert_eq!(n.parse_tile_set(&set.to_string()), Err(error)),
        }
    }

    #[test]
    fn any_text_is_a_set_or_refused(text in "(row|column|tile|cube|set|all|[0-9,;:]){0,8}") {
        let n = mesh(8, 7);
        if let Ok(set) = n.parse_tile_set(&text) {
            prop_assert!(!n.members(&set).unwrap().is_empty());
        }
    }
}
