// SPDX-License-Identifier: Apache-2.0
//! `noccl run --backend rtl` as a user gives it, with the real tools: `make cosim-run`.

use crate::common::Folder;
use crate::tools::{checkout, done_with_tools, fails_with_tools, report_with_tools, with_tools};
use noccl_testkit::assert_says;
use std::fs;
use std::path::Path;

const SPEC: &str = "--spec collective_noc_2x2";

/// The report of a collective that hardware and simulator have run alike.
fn in_lockstep(collective: &str, more: &str) -> serde_json::Value {
    let folder = Folder::new();
    done_with_tools(&folder, &format!("schedule {collective} {SPEC} -o s.json"));
    let run = format!("run s.json {SPEC} {more} --json");
    let alone: serde_json::Value = serde_json::from_str(&with_tools(&folder, &run).stdout).unwrap();
    let mut report = report_with_tools(&folder, &format!("{run} --backend rtl"));
    let hardware = report.as_object_mut().unwrap().remove("hardware").unwrap();
    assert_eq!(report, alone, "the rest of the report is the simulator's");
    assert_eq!(hardware["boundary"], "router");
    assert!(
        hardware["cycles"].as_u64() > report["last_event_cycle"].as_u64(),
        "{hardware}"
    );
    assert!(
        hardware["handshakes"].as_u64() > report["counters"]["flit_hops"].as_u64(),
        "{hardware}"
    );
    assert!(
        hardware["cycles_per_second"].as_f64().unwrap() > 0.0,
        "{hardware}"
    );
    report
}

#[test]
fn collectives_take_the_same_course_in_hardware() {
    let stalls = "--stalls 60,60 --stall-seed 7";
    for (collective, more) in [
        ("multicast --bytes 2KiB --algorithm in_network", ""),
        ("multicast --bytes 2KiB --algorithm chain:2", stalls),
        ("barrier --algorithm in_network", stalls),
        ("reduce --bytes 2KiB --algorithm in_network", ""),
        ("all_reduce --bytes 2KiB --algorithm in_network", stalls),
    ] {
        let report = in_lockstep(collective, more);
        let is_barrier = collective.starts_with("barrier");
        assert!(
            is_barrier || report["verified"] == "yes",
            "{collective}: {report}"
        );
    }
}

/// Messages of schedules, on routers with bypass: the library of a test of random messages.
#[test]
fn messages_of_collectives_take_the_same_course_in_hardware() {
    let folder = Folder::new();
    let spec = "--spec smart_4x4 -P router.smart.flit_bits=64 -P router.smart.vc_flits=3 -P router.smart.vcs=2 \
         -P router.smart.reduction_table_entries=6";
    let stalls = "--stalls 60,60 --stall-seed 7";
    for (collective, more) in [
        ("multicast --bytes 512B --algorithm in_network", ""),
        (
            "reduce --bytes 256B --element int32 --algorithm in_network",
            stalls,
        ),
        ("barrier --algorithm in_network", stalls),
    ] {
        done_with_tools(&folder, &format!("schedule {collective} {spec} -o s.json"));
        let run = format!("run s.json {spec} {more} --json --backend rtl");
        let report = report_with_tools(&folder, &run);
        assert_eq!(report["hardware"]["boundary"], "router");
        let flit_hops = report["counters"]["flit_hops"].as_u64();
        assert!(
            report["hardware"]["handshakes"].as_u64() > flit_hops,
            "{report}"
        );
    }
    let outcome = fails_with_tools(
        &folder,
        2,
        &format!("run s.json {spec} --backend rtl --boundary axi"),
    );
    assert!(
        outcome
            .stderr
            .contains("--boundary 'axi': accepted with router.flow = \"smart\"")
    );
}

#[test]
fn reductions_by_units_of_two_operands_take_the_same_course_in_hardware() {
    let kind = "-P router.wide_reduction.kind=\"two_operand\" --stalls 60,60 --stall-seed 7";
    let reduce = "reduce --bytes 2KiB --algorithm in_network";
    let (two, three) = (
        in_lockstep(reduce, kind),
        in_lockstep(reduce, "--stalls 60,60 --stall-seed 7"),
    );
    assert_eq!(two["verified"], "yes");
    // Three operands meet at the root.
    let end = |report: &serde_json::Value| report["last_event_cycle"].as_u64();
    assert!(end(&two) > end(&three), "{two}");
}

#[test]
fn a_trace_takes_the_same_course_through_network_interfaces() {
    let folder = Folder::new();
    let cluster = |x, y| format!("{{\"cluster\": {{\"x\": {x}, \"y\": {y}}}}}");
    let (first, last) = (cluster(0, 0), cluster(1, 1));
    let set = "{\"base\": {\"x\": 0, \"y\": 0}, \"mask\": {\"x\": 1, \"y\": 1}}";
    let one =
        |cycles: &str, kind: &str| format!("{{\"start_cycles\": {cycles}, \"kind\": {kind}}}");
    let write = format!("{{\"wide_write\": {{\"from\": {first}, \"to\": {last}, \"beats\": 20}}}}");
    let copy = format!("{{\"wide_multicast\": {{\"from\": {last}, \"to\": {set}, \"beats\": 9}}}}");
    let barrier = format!("{{\"barrier\": {{\"group\": {set}, \"root\": {first}}}}}");
    let all = [
        one("[0]", &write),
        one("[3]", &copy),
        one("[1, 2, 3, 40]", &barrier),
    ];
    let transactions = all.join(", ");
    let trace = format!("{{\"format\": 1, \"trace\": {{\"transactions\": [{transactions}]}}}}");
    folder.file("t.json", &trace);
    let stalls = "--stalls 60,60 --stall-seed 7";
    let run = format!("run t.json --trace {SPEC} {stalls} --backend rtl --json --boundary");
    for boundary in ["router", "axi"] {
        let report = report_with_tools(&folder, &format!("{run} {boundary}"));
        assert_eq!(report["hardware"]["boundary"], boundary);
        let flit_hops = report["counters"]["flit_hops"].as_u64();
        let handshakes = report["hardware"]["handshakes"].as_u64();
        assert!(handshakes > flit_hops, "{report}");
    }
}

/// 2×2 clusters with a Torrent endpoint each, which has no hardware at this boundary: its routers are those of the preset.
fn with_torrent_endpoints() -> String {
    let presets = checkout().join("crates/noccl-spec/presets");
    let read = |name| fs::read_to_string(presets.join(name)).unwrap();
    let torrent = read("torrent_4x5.toml");
    let section = torrent.split("[cluster.torrent]").nth(1).unwrap();
    let (section, _) = section.split_once("\n\n").unwrap();
    read("collective_noc_4x4.toml")
        .replace("_4x4\"", "_2x2\"")
        .replace("\nwidth = 5", "\nwidth = 3")
        .replace("\nwidth = 4", "\nwidth = 2")
        .replace("\nheight = 4", "\nheight = 2")
        .replace(
            "[memory]",
            &format!("[cluster.torrent]{section}\n\n[memory]"),
        )
}

#[test]
fn a_chain_takes_the_same_course_in_hardware() {
    let folder = Folder::new();
    folder.file("torrent.toml", &with_torrent_endpoints());
    let made = "schedule multicast --spec ./torrent.toml --bytes 6KiB --root 0,0 --algorithm chainwrite:greedy -o s.json";
    done_with_tools(&folder, made);
    let run = "run s.json --spec ./torrent.toml --backend rtl --json";
    for stalls in ["", " --stalls 60,60 --stall-seed 7"] {
        let report = report_with_tools(&folder, &format!("{run}{stalls}"));
        assert_eq!(report["verified"], "yes");
        let flit_hops = report["counters"]["flit_hops"].as_u64();
        assert!(report["hardware"]["handshakes"].as_u64() > flit_hops);
    }
    let outcome = fails_with_tools(&folder, 2, &format!("{run} --boundary axi"));
    let refusal =
        "actions[0] = chain: there is no hardware for it; accepted with network interfaces: ";
    assert!(outcome.stderr.contains(refusal), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("else --boundary router"));
}

#[test]
fn the_summary_says_how_far_hardware_and_simulator_agree() {
    let folder = Folder::new();
    done_with_tools(
        &folder,
        &format!("schedule barrier {SPEC} --algorithm in_network -o s.json"),
    );
    let outcome = done_with_tools(&folder, &format!("run s.json {SPEC} --backend rtl"));
    let line = outcome.stdout.lines().last().unwrap();
    assert!(
        line.starts_with("hardware      ")
            && line.contains(" handshakes compared, no difference, "),
        "{line}"
    );
    assert!(line.ends_with(" cycles/s"), "{line}");
}

#[test]
fn a_fault_in_the_hardware_ends_the_run_with_the_first_difference() {
    let folder = Folder::new();
    let hardware = folder.0.join("rtl");
    for part in ["src", "include", "cosim", "lint"] {
        copy(&checkout().join("rtl").join(part), &hardware.join(part));
    }
    // A multicast forgets the column of its last members.
    let route = hardware.join("src/router/noccl_route.sv");
    let text = fs::read_to_string(&route).unwrap();
    let wrong = text.replace("last_x > here_x;", "last_x > here_x + 1;");
    assert!(wrong != text);
    fs::write(&route, wrong).unwrap();
    let made = format!("schedule multicast {SPEC} --bytes 256 --algorithm in_network -o s.json");
    done_with_tools(&folder, &made);
    let outcome = fails_with_tools(
        &folder,
        1,
        &format!("run s.json {SPEC} --backend rtl --hardware rtl"),
    );
    assert!(outcome.stdout.is_empty(), "{outcome:?}");
    let words = [
        "hardware and simulator differ: cycle ",
        "router (",
        "recorded: ",
        "hardware: ",
    ];
    assert_says(&outcome.stderr, &words);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
