// SPDX-License-Identifier: Apache-2.0
//! The command refuses, ends and prints as `noccl` does.

use crate::common::{command, papers, repository};
use noccl_testkit::{Folder, assert_says};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn wrong_input_is_refused_before_anything_runs() {
    let folder = Folder::new();
    folder.file("file", "");
    for (arguments, words) in [
        ("collective", "collective_noc"),
        ("torrent --figures file", "file"),
        ("--quick", "PAPER"),
        ("torrent --page missing.md", "missing.md"),
    ] {
        let said = papers(&folder.0, arguments);
        assert_eq!(said.code, Some(2), "{arguments}: {said:?}");
        assert_says(&said.stderr, &[words]);
    }
}

#[test]
fn the_schema_of_the_rows_is_todays() {
    let path = repository().join("experiments/claims.schema.json");
    let said = papers(&Folder::new().0, "--schema");
    assert_eq!(said.code, Some(0), "{said:?}");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == said.stdout,
        "experiments/claims.schema.json is stale: run make gen"
    );
}

#[test]
fn a_signal_ends_a_measurement_within_two_seconds() {
    let folder = Folder::new();
    let mut child = command(&folder.0, "collective_noc")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(
        child.try_wait().unwrap().is_none(),
        "ended before its signal"
    );
    let sent = Instant::now();
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(sent.elapsed() < Duration::from_millis(2500));
}
