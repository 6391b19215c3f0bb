// SPDX-License-Identifier: Apache-2.0
//! The verbs do what their help says: JSON on stdout, files complete, results verified.

use crate::common::{Folder, done, json, json_in, noccl, noccl_in};
use noccl_testkit::assert_says;

#[test]
fn compare_prints_verified_rows_that_no_bound_exceeds() {
    for (arguments, rows_at_least) in [
        ("compare multicast --group row --bytes 1KiB,2KiB --json", 6),
        ("compare reduce --group row --bytes 1KiB --json", 3),
        (
            "compare all_reduce --group 0,0,2,2 --bytes 512 --element int32 --json",
            3,
        ),
        ("compare barrier --json", 12),
    ] {
        let rows = json(arguments);
        let rows = rows.as_array().unwrap();
        assert!(
            rows.len() >= rows_at_least,
            "{arguments}: {} rows",
            rows.len()
        );
        for row in rows {
            assert_eq!(row["verified"], "yes", "{row}");
            let cycles = row["cycles"].as_u64().unwrap();
            assert!(
                row["lower_bound_cycles"].as_u64().unwrap() <= cycles,
                "{row}"
            );
            let name = row["algorithm"].as_str().unwrap();
            assert_eq!(
                name.contains("in_network"),
                row["is_in_network"] == true,
                "{row}"
            );
        }
    }
}

#[test]
fn hardware_for_a_chip_needs_no_checkout() {
    let folder = Folder::new();
    done(&folder, "rtl -o chip");
    let list = std::fs::read_to_string(folder.0.join("chip/noccl.f")).unwrap();
    let modules: Vec<&str> = list.lines().filter(|l| l.ends_with(".sv")).collect();
    assert!(modules.contains(&"src/mesh/noccl_mesh.sv"), "{list}");
    let is_there = |path: &&str| folder.0.join("chip").join(path).is_file();
    assert!(modules.iter().all(is_there), "{list}");
    assert!(!list.contains("cosim"), "{list}");
}

#[test]
fn a_size_that_ends_inside_a_beat_works() {
    for row in json("compare reduce --bytes 8,72 --group 0,0,2,2 --json")
        .as_array()
        .unwrap()
    {
        assert_eq!(row["verified"], "yes", "{row}");
    }
}

#[test]
fn a_schedule_written_to_a_file_checks_and_runs_with_the_cycles_that_compare_reports() {
    let folder = Folder::new();
    for algorithm in ["in_network", "chain:2", "tree"] {
        let group = "--group row --bytes 1KiB";
        let made = format!("schedule reduce {group} --algorithm {algorithm} -o s.json");
        assert_eq!(noccl_in(&folder.0, &made).code, Some(0));
        assert_eq!(noccl_in(&folder.0, "check s.json").code, Some(0));
        let cycles = |text: &str| -> u64 {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            let row = if value.is_array() { &value[0] } else { &value };
            row["cycles"].as_u64().unwrap()
        };
        let value = noccl_in(&folder.0, "run s.json --json");
        let timing = noccl_in(&folder.0, "run s.json --mode timing --json");
        let compared = noccl(&format!(
            "compare reduce {group} --algorithms {algorithm} --json"
        ));
        assert_eq!(cycles(&value.stdout), cycles(&timing.stdout), "{algorithm}");
        assert_eq!(
            cycles(&value.stdout),
            cycles(&compared.stdout),
            "{algorithm}"
        );
        assert_says(&value.stdout, &["\"verified\": \"yes\""]);
    }
    assert_eq!(folder.names(), ["s.json"]);
}

#[test]
fn the_demo_writes_a_page_that_needs_nothing_else_and_rows_that_report_reads() {
    let folder = Folder::new();
    let rows = json_in(&folder, "demo -o out/page.html --json");
    let rows = rows.as_array().unwrap();
    assert!(rows.iter().all(|r| r["verified"] == "yes"));
    let page = std::fs::read_to_string(folder.0.join("out/page.html")).unwrap();
    for link in ["http:", "https:", "src=", "@import", "<script"] {
        assert!(!page.contains(link), "the page refers to {link}");
    }
    assert!(page.contains("<svg") && page.contains("All "));
    done(&folder, "report out/page.json -o again.html");
    assert_eq!(
        std::fs::read_to_string(folder.0.join("again.html")).unwrap(),
        page
    );
}

#[test]
fn elaborate_lists_every_tile_and_link_once() {
    let network = json("elaborate collective_noc_4x4 --json");
    assert_eq!(network["tiles"].as_array().unwrap().len(), 20);
    assert_eq!(
        network["links"].as_array().unwrap().len(),
        2 * (4 * 4 + 5 * 3)
    );
    assert_eq!(network["cluster_origin"], serde_json::json!([1, 0]));
}

#[test]
fn a_spec_printed_as_toml_elaborates_to_the_same_network() {
    let folder = Folder::new();
    let toml = noccl("elaborate collective_noc_8x8 --toml").stdout;
    folder.file("spec.toml", &toml);
    let from_file = noccl_in(&folder.0, "elaborate ./spec.toml --json").stdout;
    assert_eq!(
        from_file,
        noccl("elaborate collective_noc_8x8 --json").stdout
    );
}

#[test]
fn traffic_latency_starts_at_zero_load_and_grows_with_the_load() {
    let sweep = json("traffic uniform --loads 0.01,0.2 --no-saturation --json");
    let zero_load = sweep["zero_load_latency_cycles"].as_f64().unwrap();
    let latency = |point: usize| {
        sweep["points"][point]["mean_latency_cycles"]
            .as_f64()
            .unwrap()
    };
    assert!((latency(0) / zero_load - 1.0).abs() < 0.05, "{sweep}");
    assert!(latency(1) > latency(0), "{sweep}");
}

#[test]
fn doctor_finds_this_installation_sound() {
    let said = done(&Folder::new(), "doctor");
    assert!(said.stdout.contains("preset collective_noc_4x4"));
}

#[test]
fn doctor_calls_a_tool_that_is_not_there_missing() {
    let said = std::process::Command::new(env!("CARGO_BIN_EXE_noccl"))
        .arg("doctor")
        .env("NOCCL_VERILATOR", "/nowhere/verilator")
        .output()
        .unwrap();
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    let text = String::from_utf8(said.stdout).unwrap();
    let row = text.lines().find(|line| line.contains("Verilator"));
    assert!(row.unwrap().starts_with("missing"), "{text}");
}

#[test]
fn an_interrupt_ends_a_long_run_with_its_own_exit_code_and_no_result() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_noccl"))
        .args(["stress", "--seeds", "1000000", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let code = child.wait().unwrap().code();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code, Some(130), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
}

/// A mean over no packets is no number.
#[test]
fn traffic_without_a_measured_packet_has_no_latency() {
    let line = "traffic uniform --loads 0.001 --beats 16 --warmup-cycles 1 --measure-cycles 1 --no-saturation";
    let point = &json(&format!("{line} --json"))["points"][0];
    assert_eq!(point["packets"], 0);
    for field in [
        "mean_latency_cycles",
        "mean_latency_ns",
        "p99_latency_cycles",
        "max_latency_cycles",
    ] {
        assert!(point[field].is_null(), "{field}: {point}");
    }
    let table = noccl(line).stdout;
    let row = table
        .lines()
        .find(|line| line.trim_start().starts_with("0.001"))
        .expect("a row");
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[2..], ["-", "-", "-", "0"], "{table}");
}
