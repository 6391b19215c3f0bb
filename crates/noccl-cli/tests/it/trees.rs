// SPDX-License-Identifier: Apache-2.0
//! `noccl elaborate --tree`: ports per tile, on whatever routers have trees; those that have none say by which field.

use crate::common::{Folder, done, fails, json, noccl};
use noccl_testkit::assert_says;
use serde_json::{Value, json};

fn ports(tree: &Value) -> Vec<(String, Vec<String>)> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let tiles = tree["tiles"].as_array().unwrap().iter();
    tiles
        .map(|tile| {
            let ports = tile["ports"].as_array().unwrap();
            assert_eq!(tile["num_ports"], json!(ports.len()));
            (word(&tile["name"]), ports.iter().map(word).collect())
        })
        .collect()
}

#[test]
fn inputs_of_a_reduction_are_its_links_and_its_members() {
    let tree = json("elaborate smart_8x8 --tree reduction:3,4 --json");
    let found = ports(&tree);
    let number: usize = found.iter().map(|tile| tile.1.len()).sum();
    assert_eq!((found.len(), number), (64, 63 + 64));
    assert_eq!(
        (&tree["num_links"], &tree["max_ports"]),
        (&json!(63), &json!(5))
    );
    let root = found.iter().find(|tile| tile.0 == "3,4").unwrap();
    assert_eq!(root.1, ["north", "east", "south", "west", "local"]);
    // Members that lie in the east come from three sides.
    let east = "elaborate smart_8x8 --tree reduction:3,4 --group 4,0,4,8 --json";
    let root = ports(&json(east)).into_iter().find(|tile| tile.0 == "3,4");
    assert_eq!(root.unwrap().1, ["north", "east", "south"]);
}

#[test]
fn tree_is_the_union_of_the_paths_for_any_set() {
    let group = "--group set:2,1;0,3 --json";
    let tree = json(&format!(
        "elaborate smart_4x4 -P router.smart.is_pruned=true --tree multicast:0,0 {group}"
    ));
    let outputs: &[(&str, &[&str])] = &[
        ("0,0", &["north", "east"]),
        ("0,1", &["north"]),
        ("0,2", &["north"]),
        ("0,3", &["local"]),
        ("1,0", &["east"]),
        ("2,0", &["north"]),
        ("2,1", &["local"]),
    ];
    let expected = |list: &[(&str, &[&str])]| -> Vec<(String, Vec<String>)> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        list.iter()
            .map(|(name, of)| ((*name).to_owned(), words(of)))
            .collect()
    };
    assert_eq!(ports(&tree), expected(outputs));
    let inputs: &[(&str, &[&str])] = &[
        ("0,0", &["north"]),
        ("0,1", &["north", "east"]),
        ("0,2", &["north"]),
        ("0,3", &["local"]),
        ("1,1", &["east"]),
        ("2,1", &["local"]),
    ];
    // X first, to the root too: the branch of 2,1 joins column 0 in its own row.
    for network in ["smart_4x4", "smart_4x4_collective", "collective_noc_4x4"] {
        let tree = json(&format!("elaborate {network} --tree reduction:0,0 {group}"));
        assert_eq!(ports(&tree), expected(inputs), "{network}");
    }
}

#[test]
fn tree_that_spans_the_mesh_has_local_ports_at_members_only() {
    let tree = json("elaborate smart_4x4 --tree multicast:1,1 --group row:2 --json");
    let found = ports(&tree);
    // All tiles are reached; those at the end of a branch that are no members have no ports.
    assert_eq!((found.len(), &tree["num_links"]), (8, &json!(15)));
    let is_local = |tile: &&(String, Vec<String>)| tile.1.contains(&"local".to_owned());
    let members: Vec<&str> = found
        .iter()
        .filter(is_local)
        .map(|t| t.0.as_str())
        .collect();
    assert_eq!(members, ["0,2", "1,2", "2,2", "3,2"]);
}

#[test]
fn private_tree_begins_in_the_nearest_corner() {
    let tree = json("elaborate smart_8x8_private --tree multicast:6,1 --json");
    assert_eq!(
        (&tree["root"], &tree["tree_root"]),
        (&json!("6,1"), &json!("7,0"))
    );
    assert_eq!(tree["num_links"], 63);
    let said = noccl("elaborate smart_8x8_private --tree multicast:6,1");
    assert_says(&said.stdout, &["(64 members); it goes to 7,0 first"]);
}

#[test]
fn table_names_outputs_in_the_order_of_ports() {
    let said = done(
        &Folder::new(),
        "elaborate collective_noc_4x4 --tree multicast:mem:0 --group row",
    );
    let expected = "\
collective_noc_4x4: multicast from mem:0 to row:0 (4 members)

tile   outputs     number
-----  ----------  ------
mem:0  east             1
0,0    east local       2
1,0    east local       2
2,0    east local       2
3,0    local            1

5 tiles, 4 links, at most 2 ports at a tile
";
    assert_eq!(said.stdout, expected);
    done(&Folder::new(), "elaborate esp_4x5 --tree multicast:0,0");
}

#[test]
fn what_is_no_tree_of_the_network_is_refused_by_field_or_argument() {
    let folder = Folder::new();
    for (arguments, words) in [
        (
            "ideal_4x4 --tree multicast:0,0",
            ["router.flow", "ideal", "links"],
        ),
        (
            "esp_4x5 --tree reduction:0,0",
            ["router.flow", "esp", "reduce"],
        ),
        (
            "smart_8x8_unicast --tree multicast:0,0",
            ["router.smart.multicast", "unicasts", "greedy"],
        ),
        (
            "smart_8x8_baseline --tree reduction:0,0",
            ["router.smart.reduction", "none", "complete"],
        ),
        (
            "smart_8x8 --tree broadcast:0,0",
            ["--tree", "multicast:X,Y", "reduction:X,Y"],
        ),
        (
            "smart_8x8 --tree reduction",
            ["--tree", "multicast:X,Y", "reduction:X,Y"],
        ),
        ("smart_8x8 --tree reduction:8,0", ["--tree", "8,0", "8 x 8"]),
        (
            "smart_8x8 --tree reduction:0,0 --group row:8",
            ["--group", "row:8", "8 x 8"],
        ),
        ("smart_8x8 --group row", ["--tree", "required", "elaborate"]),
        (
            "smart_8x8 --toml --tree reduction:0,0",
            ["--toml", "--tree", "cannot"],
        ),
    ] {
        let said = fails(&folder, 2, &format!("elaborate {arguments}"));
        assert!(said.stdout.is_empty(), "{arguments}: {said:?}");
        for word in words {
            assert!(said.stderr.contains(word), "{arguments}: {}", said.stderr);
        }
    }
    assert!(folder.names().is_empty());
}
