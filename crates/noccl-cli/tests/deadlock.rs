// SPDX-License-Identifier: Apache-2.0
//! What `noccl check` says of deadlock where routers do not rule it out.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, noccl_in};
use std::time::{Duration, Instant};

#[test]
fn a_schedule_too_large_to_search_is_called_unproved_in_bounded_time() {
    let folder = Folder::new();
    let made = "schedule all_reduce --spec collective_noc_8x8_peer --algorithm ring --bytes 4KiB -o s.json";
    assert_eq!(noccl_in(&folder.0, made).code, Some(0));
    let begun = Instant::now();
    let said = noccl_in(
        &folder.0,
        "check s.json --spec collective_noc_8x8_peer --json",
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
    let text = noccl_in(&folder.0, "check s.json --spec collective_noc_8x8_peer").stdout;
    assert!(text.contains("freedom not proved"), "{text}");
}

#[test]
fn multicasts_that_overlap_on_published_routers_are_refused_with_their_cycle() {
    let folder = Folder::new();
    let made = "schedule all_gather --spec collective_noc_4x4_peer --algorithm in_network --bytes 1KiB -o s.json";
    assert_eq!(noccl_in(&folder.0, made).code, Some(0));
    for verb in ["check", "run"] {
        let said = noccl_in(
            &folder.0,
            &format!("{verb} s.json --spec collective_noc_4x4_peer"),
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
        "check s.json --spec collective_noc_4x4_peer --json",
    );
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let cycle = report["deadlock"]["cycle"].as_array().unwrap();
    assert!(
        cycle.len() >= 2 && cycle[0]["holds"].is_string(),
        "{report}"
    );
}
