// SPDX-License-Identifier: Apache-2.0
//! `noccl synth`: report and schedule, groups, faults, and what it refuses.

use crate::common::{Folder, done, fails, json_in};
use noccl::collective::SynthReport;
use noccl_testkit::assert_says;

#[test]
fn the_schedule_that_it_writes_is_proved_again_and_runs_in_the_cycles_that_it_reports() {
    let folder = Folder::new();
    let said = done(
        &folder,
        "synth multicast --spec collective_noc_4x4 --root 0,0 --bytes 4KiB --software --tries 60 --time-limit 5min -o best.json --json",
    );
    let report: SynthReport = serde_json::from_str(&said.stdout).unwrap();
    assert!(report.verified.is_yes());
    assert_eq!((report.num_tried, report.seed), (60, 1));
    assert!(report.library.unwrap().cycles >= report.cycles);
    done(&folder, "check best.json --spec collective_noc_4x4");
    let run = json_in(&folder, "run best.json --spec collective_noc_4x4 --json");
    assert_eq!(run["cycles"].as_u64(), Some(report.cycles));
}

#[test]
fn groups_and_faults_stand_in_the_table() {
    let said = done(
        &Folder::new(),
        "synth all_gather --group 0,0,2,4 --group 2,0,2,4 --bytes 512 --faulty-link 0,1-1,1 --tries 30 --time-limit 5min",
    );
    let words = [
        "0,0,2,4 and 2,0,2,4",
        "avoided      0,1-1,1",
        "verified     yes",
    ];
    assert_says(&said.stdout, &words);
}

#[test]
fn bad_arguments_are_refused_by_name_and_leave_no_file() {
    for (arguments, words) in [
        ("barrier", "collectives that move data"),
        ("reduce --time-limit 0", "a time above 0"),
        ("reduce --tries 0", "1 or more"),
        ("reduce --objective speed", "cycles, energy"),
        (
            "reduce --faulty-link 0,0-1,1",
            "a link between two neighbours",
        ),
        ("reduce --faulty-link north", "two neighbouring tiles"),
        ("reduce --faulty-tile 9,9", "does not exist"),
        ("reduce --faulty-tile 1,1", "tiles that take no part"),
        (
            "reduce --faulty-link 0,0-1,0 --faulty-link 0,0-0,1",
            "cut off",
        ),
        (
            "reduce --group row:0 --group column:0",
            "without common clusters",
        ),
        (
            "reduce --group row:0 --group row:1 --root 0,0",
            "a memory tile, or no root",
        ),
        ("reduce --bytes 1MiB", "cluster.l1_bytes"),
        ("reduce --bytes 9", "multiple of the element"),
        ("reduce --spec tilepro64_4x4", "router.flow"),
    ] {
        let folder = Folder::new();
        let said = fails(&folder, 2, &format!("synth {arguments} -o best.json"));
        assert!(
            said.stderr.contains(words),
            "{arguments}: no '{words}' in {}",
            said.stderr
        );
        assert!(!said.stderr.contains("panicked"), "{arguments}: {said:?}");
        assert!(
            folder.names().is_empty(),
            "{arguments} left {:?}",
            folder.names()
        );
    }
}
