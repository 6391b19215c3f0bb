// SPDX-License-Identifier: Apache-2.0
//! Memory tiles on all four sides of the clusters as users see them: description, picture of the link loads, package of the hardware.

use crate::common::{Folder, done};
use noccl_testkit::assert_says;
use noccl_testkit::sides::{self, Sides};
use std::collections::BTreeSet;

/// Four clusters within a frame of twelve memory tiles.
fn folder() -> Folder {
    let folder = Folder::new();
    let sides = Sides::all(1).last().unwrap();
    let text = sides::text("collective_noc_4x4", (2, 2), sides);
    folder.file("sides.toml", &text);
    folder
}

fn fine(folder: &Folder, arguments: &str) -> String {
    let outcome = done(folder, arguments);
    outcome.stdout
}

#[test]
fn the_description_names_every_tile_and_region() {
    let text = fine(&folder(), "elaborate ./sides.toml --json");
    let network: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(network["cluster_origin"], serde_json::json!([1, 1]));
    assert_eq!(network["regions"].as_array().unwrap().len(), 5);
    let tiles = network["tiles"].as_array().unwrap();
    let of = |field: &str| -> Vec<String> {
        let values = tiles.iter().map(|tile| tile[field].as_str().unwrap());
        values.map(str::to_owned).collect()
    };
    let memories = of("kind").into_iter().filter(|kind| kind == "memory");
    assert_eq!((tiles.len(), memories.count()), (16, 12));
    for field in ["name", "base_address"] {
        let different: BTreeSet<String> = of(field).into_iter().collect();
        assert_eq!(different.len(), 16, "{field}");
    }
    assert_eq!(
        of("name")[..6],
        ["mem:0", "mem:1", "mem:2", "mem:3", "mem:4", "0,0"]
    );
}

#[test]
fn the_picture_has_clusters_within_memories_and_the_loads_of_links_to_them() {
    let folder = folder();
    let compared = fine(
        &folder,
        "compare multicast --spec ./sides.toml --root mem:11 --bytes 1KiB --algorithms in_network --links --json",
    );
    folder.file("rows.json", &compared);
    fine(&folder, "report rows.json -o page.html");
    let page = std::fs::read_to_string(folder.0.join("page.html")).unwrap();
    let count = |what: &str| page.matches(what).count();
    // A picture per plane.
    assert_eq!(count("class=\"memory\""), 3 * 12);
    assert_eq!(count("class=\"cluster\""), 3 * 4);
    // Down the eastern column from the north-east corner, 16 beats.
    assert!(page.contains("(3,3) to (2,3): 16 flits"), "{page}");
}

#[test]
fn the_package_of_the_hardware_has_every_region() {
    let folder = folder();
    fine(&folder, "rtl --spec ./sides.toml --package package.sv");
    let package = std::fs::read_to_string(folder.0.join("package.sv")).unwrap();
    let lines = [
        "NUM_REGIONS = 5;",
        "CLUSTER_REGION = 2;",
        "REGION_X = 1;",
        "REGION_Y = 1;",
        "MAP_X[NUM_REGIONS] = '{3, 1, 1, 1, 0};",
        "MAP_HEIGHT[NUM_REGIONS] = '{4, 1, 2, 1, 4};",
    ];
    assert_says(&package, &lines);
}
