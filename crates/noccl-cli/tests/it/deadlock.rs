// SPDX-License-Identifier: Apache-2.0
//! What `noccl check` says of deadlock where routers do not rule it out.

use crate::common::{Folder, fails, noccl_in};
use noccl_testkit::assert_says;
use std::time::{Duration, Instant};

#[test]
fn a_schedule_too_large_to_search_is_called_unproved_in_bounded_time() {
    let folder = Folder::new();
    let made = "schedule all_reduce --spec collective_noc_8x8_published --algorithm ring --bytes 4KiB -o s.json";
    assert_eq!(noccl_in(&folder.0, made).code, Some(0));
    let begun = Instant::now();
    let said = noccl_in(
        &folder.0,
        "check s.json --spec collective_noc_8x8_published --json",
    );
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(report["deadlock"]["free"], false, "{report}");
    assert!(report["deadlock"]["proof"].is_null(), "{report}");
    let text = noccl_in(
        &folder.0,
        "check s.json --spec collective_noc_8x8_published",
    )
    .stdout;
    assert!(text.contains("freedom not proved"), "{text}");
}

#[test]
fn multicasts_that_overlap_on_published_routers_are_refused_with_their_cycle() {
    let folder = Folder::new();
    let made = "schedule all_gather --spec collective_noc_4x4_published --algorithm in_network --bytes 1KiB -o s.json";
    assert_eq!(noccl_in(&folder.0, made).code, Some(0));
    for verb in ["check", "run"] {
        let said = noccl_in(
            &folder.0,
            &format!("{verb} s.json --spec collective_noc_4x4_published"),
        );
        assert_ne!(said.code, Some(0), "{verb}: {said:?}");
        let names = ["deadlock is possible", " holds ", "waits for"];
        assert!(
            names.iter().all(|n| said.stderr.contains(n)),
            "{verb}: {said:?}"
        );
    }
    let said = noccl_in(
        &folder.0,
        "check s.json --spec collective_noc_4x4_published --json",
    );
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let cycle = report["deadlock"]["cycle"].as_array().unwrap();
    assert!(
        cycle.len() >= 2 && cycle[0]["holds"].is_string(),
        "{report}"
    );
}

/// Responses of two multicasts of one engine join at routers that they reach in opposite orders.
#[test]
fn multicasts_of_one_engine_beside_torrent_endpoints_are_refused_and_the_librarys_are_ordered() {
    let folder = Folder::new();
    let transfer = |mask: u32, offset: u32| {
        format!(
            r#"{{"kind":{{"transfer":{{"initiator":{{"cluster":{{"x":0,"y":0}}}},"source":{{"tile":{{"cluster":{{"x":0,"y":0}}}},"offset":0}},"destination":{{"multicast":{{"set":{{"base":{{"x":0,"y":1}},"mask":{{"x":{mask},"y":0}}}},"offset":{offset}}}}},"bytes":64,"rows":1,"source_stride":0,"destination_stride":0}}}},"after":[]}}"#
        )
    };
    let text = format!(
        r#"{{"format":1,"algorithm":"mine","parameters":{{}},"actions":[{},{}]}}"#,
        transfer(16, 64),
        transfer(1, 128)
    );
    std::fs::write(folder.0.join("m.json"), text).unwrap();
    for verb in ["check", "run"] {
        let said = noccl_in(&folder.0, &format!("{verb} m.json --spec torrent_2x32"));
        assert_ne!(said.code, Some(0), "{verb}: {said:?}");
        assert!(said.stderr.contains("deadlock is possible"), "{said:?}");
    }
    let irregular = "set:0,1;1,1;2,2;5,7;6,7;7,0;3,3;4,3";
    for (preset, roots) in [
        ("torrent_8x8", ["0,0", "3,4", "7,7"]),
        ("collective_noc_8x8_published", ["0,0", "3,4", "mem:2"]),
    ] {
        let groups = ["1,1,5,5", "0,0,7,7", "0,0,7,6", irregular];
        for (group, root) in groups.iter().flat_map(|g| roots.map(|r| (g, r))) {
            let made = format!(
                "schedule multicast --spec {preset} --group {group} --root {root} --bytes 64 --algorithm in_network -o s.json"
            );
            assert_eq!(noccl_in(&folder.0, &made).code, Some(0), "{made}");
            let said = noccl_in(&folder.0, &format!("check s.json --spec {preset} --json"));
            let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
            assert_eq!(report["deadlock"]["free"], true, "{made}: {report}");
        }
    }
}

#[test]
fn traffic_that_deadlocks_is_no_figure() {
    let traffic =
        "traffic row_multicast --spec collective_noc_4x4_published --loads 0.1 --no-saturation";
    let said = fails(&Folder::new(), 1, traffic);
    assert!(said.stdout.is_empty(), "{said:?}");
    let words = [
        "at an offered load of 0.1",
        "deadlock in the network",
        "waits for",
    ];
    assert_says(&said.stderr, &words);
}
