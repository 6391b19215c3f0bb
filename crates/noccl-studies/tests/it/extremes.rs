// SPDX-License-Identifier: Apache-2.0
//! Numbers of files at the ends of their types: refused by their field, or what is computed with them is right.
//!
//! Tests check arithmetic for overflow, so a sum that leaves its type ends here.

use noccl_net::Network;
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::network;
use noccl_workload::{
    CheckError, Place, Schedule, Trace, check_traffic, interpret, read_schedule, read_trace,
    read_traffic,
};
use serde_json::{Value, json};

const EXTREMES: [u64; 9] = [
    0,
    1,
    u16::MAX as u64,
    u32::MAX as u64 - 1,
    u32::MAX as u64,
    1 << 48,
    i64::MAX as u64,
    u64::MAX - 1,
    u64::MAX,
];

/// Runs end here, whatever the numbers.
const MAX_CYCLES: u64 = 20_000;

fn cluster(x: u32, y: u32) -> Value {
    json!({"cluster": {"x": x, "y": y}})
}

fn place(x: u32, offset: u64) -> Value {
    json!({"tile": cluster(x, 0), "offset": offset})
}

fn row() -> Value {
    json!({"base": {"x": 0, "y": 0}, "mask": {"x": 3, "y": 0}})
}

/// Every kind of action, one per schedule, with the network that takes it.
fn actions() -> Vec<(&'static str, Value)> {
    let lines = |destination: Value| {
        json!({"initiator": cluster(0, 0), "source": place(0, 64), "destination": destination,
            "bytes": 96, "rows": 2, "source_stride": 128, "destination_stride": 128})
    };
    let one = || lines(json!({"one": place(1, 4096)}));
    let many = || lines(json!({"multicast": {"set": row(), "offset": 4096}}));
    let fold = || {
        json!({"group": row(), "source_offset": 0, "root": place(0, 4096), "bytes": 256,
            "operator": "sum", "element": "int64"})
    };
    let kernel =
        |operation: Value| json!({"group": {"row": 0}, "cycles": 40, "operation": operation});
    let pattern = |offset: u64| json!({"offset": offset, "word_stride": 8, "loops": [{"count": 4, "stride": 64}]});
    let mesh = "collective_noc_4x4";
    vec![
        (mesh, json!({"transfer": one()})),
        (mesh, json!({"transfer": many()})),
        (mesh, json!({"delivery": many()})),
        (mesh, json!({"in_network_reduction": fold()})),
        (mesh, json!({"in_network_all_reduce": fold()})),
        (
            mesh,
            json!({"local_reduce": {"tile": cluster(0, 0), "inputs": [0, 1024], "output": 2048,
                "bytes": 256, "operator": "sum", "element": "int64"}}),
        ),
        (
            mesh,
            json!({"compute": {"tile": cluster(0, 0), "cycles": 40}}),
        ),
        (
            mesh,
            json!({"barrier": {"group": {"row": 0}, "counter": cluster(0, 0), "mechanism": "in_network"}}),
        ),
        (
            mesh,
            json!({"barrier": {"group": {"rectangle": {"x": 0, "y": 0, "width": 2, "height": 2}},
                "counter": cluster(1, 1), "mechanism": "software"}}),
        ),
        (
            mesh,
            json!({"arrival": {"group": row(), "root": cluster(0, 0)}}),
        ),
        (
            mesh,
            json!({"kernel": kernel(json!({"multiply": {"a_offset": 0, "b_offset": 512, "c_offset": 1024,
                "rows": 4, "columns": 4, "inner": 4, "element": "fp64", "accumulate": false}}))}),
        ),
        (
            mesh,
            json!({"kernel": kernel(json!({"fold_rows": {"source_offset": 0, "result_offset": 4096, "rows": 4,
                "columns": 4, "operator": "sum", "element": "fp64"}}))}),
        ),
        (
            "torrent_4x5",
            json!({"chain": {"initiator": cluster(0, 0), "source": pattern(0), "bytes": 256,
                "destinations": [{"tile": cluster(1, 0), "pattern": pattern(4096)}]}}),
        ),
        (
            "esp_4x5",
            json!({"list_multicast": {"source": cluster(0, 0), "source_offset": 0, "offset": 4096,
                "destinations": [cluster(1, 0), cluster(2, 0)], "bytes": 256}}),
        ),
    ]
}

fn schedule(action: &Value) -> Value {
    json!({"format": 1, "algorithm": "by hand", "parameters": {}, "collective": null,
        "actions": [{"kind": action, "after": []}]})
}

/// Places of all numbers but those that count versions, as JSON pointers.
fn numbers(value: &Value, at: &str) -> Vec<String> {
    match value {
        Value::Number(_) if at != "/format" => vec![at.to_owned()],
        Value::Array(all) => (0..)
            .zip(all)
            .flat_map(|(i, v): (usize, _)| numbers(v, &format!("{at}/{i}")))
            .collect(),
        Value::Object(all) => all
            .iter()
            .flat_map(|(name, v)| numbers(v, &format!("{at}/{name}")))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// The file with each of its numbers at each end, and the name of the number's field.
fn drawn(file: &Value) -> Vec<(String, String)> {
    let mut out = Vec::new();
    // A base with a bit under the mask means nothing.
    let all = numbers(file, "")
        .into_iter()
        .filter(|at| !at.contains("/base/"));
    for at in all {
        for extreme in EXTREMES {
            let mut changed = file.clone();
            *changed.pointer_mut(&at).expect("it is there") = json!(extreme);
            let mut parts = at.split('/').filter(|p| p.parse::<u32>().is_err());
            let name = parts.next_back().unwrap_or_default().to_owned();
            out.push((changed.to_string(), name));
        }
    }
    out
}

fn config() -> RunConfig {
    RunConfig {
        max_cycles: MAX_CYCLES,
        ..RunConfig::new(Mode::Value)
    }
}

/// A run may end at its limit, if it says so, and nowhere else.
fn is_cut_off(outcome: &Result<RunResult, RunError>, what: &str) -> bool {
    match outcome {
        Ok(_) => false,
        Err(RunError::Stall(diagnosis)) => {
            assert_eq!(diagnosis.cycle, MAX_CYCLES, "{what}: {diagnosis}");
            true
        }
        Err(other) => panic!("{what}: {other}"),
    }
}

/// Are all bytes and cycles of a schedule what its numbers say?
fn is_right(network: &Network, schedule: &Schedule, what: &str) {
    let tiles = network.clusters().take(4).map(|t| network.tile_ref(t));
    let outputs: Vec<(Place, u64)> = tiles
        .map(|tile| (Place { tile, offset: 0 }, 16 << 10))
        .collect();
    let bytes: Vec<u8> = (0..8192_u32).map(|n| (n % 251) as u8).collect();
    let images: Vec<noccl_run::MemoryImage> = outputs
        .iter()
        .map(|(at, _)| noccl_run::MemoryImage {
            tile: at.tile,
            offset: 0,
            bytes: bytes.clone(),
        })
        .collect();
    let inputs: Vec<(Place, &[u8])> = outputs
        .iter()
        .map(|(at, _)| (*at, bytes.as_slice()))
        .collect();
    let expected = interpret(network, schedule, &inputs).expect("it was checked");
    let outcome =
        noccl_sim::run_schedule(network, schedule, &images, &outputs, &config(), &mut |_| {
            true
        });
    if is_cut_off(&outcome, what) {
        return;
    }
    let result = outcome.expect("it has ended");
    for ((at, bytes), image) in outputs.iter().zip(&result.memory) {
        assert!(
            expected.read(*at, *bytes).as_ref() == Some(&image.bytes),
            "{what}"
        );
    }
    let took = result.actions[0].finish_cycle - result.actions[0].start_cycle;
    if let noccl_workload::ActionKind::Compute(compute) = &schedule.actions[0].kind {
        assert!(took >= compute.cycles, "{what}: {took} cycles");
    }
}

#[test]
fn every_number_of_a_schedule_is_refused_by_its_field_or_means_what_it_says() {
    let mut accepted = 0;
    for (preset, action) in actions() {
        let network = network(preset);
        let file = schedule(&action);
        let plain = read_schedule("file", &file.to_string()).expect("the sample is read");
        noccl_workload::check(&network, &plain).expect("the sample is right");
        for (text, name) in drawn(&file) {
            let schedule = match read_schedule("file", &text) {
                Ok(schedule) => schedule,
                Err(error) => {
                    assert!(error.to_string().contains(&name), "{text}: {error}");
                    continue;
                }
            };
            match noccl_workload::check(&network, &schedule) {
                Ok(_) => {
                    accepted += 1;
                    is_right(&network, &schedule, &text);
                }
                Err(error) => assert!(is_named(&error, &name), "{name} of {text}: {error}"),
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}

/// Does a refusal name the field, or one that cannot be together with it?
fn is_named(error: &CheckError, name: &str) -> bool {
    let text = error.to_string();
    // A size or stride is refused where the range that it makes ends; a coordinate with the tile or set that it is of.
    let also: &[&str] = match name {
        "bytes" | "rows" | "columns" | "inner" | "source_stride" | "destination_stride"
        | "source_offset" | "offset" | "output" | "inputs" | "a_offset" | "b_offset"
        | "c_offset" | "result_offset" => &[
            "offset",
            "bytes",
            "operation",
            "output",
            "inputs",
            "destination_stride",
        ],
        "count" | "stride" | "word_stride" => &["loops", "offset", "pattern"],
        "x" | "y" | "width" | "height" | "row" => &[
            "tile",
            "set",
            "group",
            "initiator",
            "counter",
            "root",
            "destinations",
            "source",
            "offset",
        ],
        _ => &[],
    };
    text.contains(name) || also.iter().any(|word| text.contains(word))
}

#[test]
fn every_number_of_a_trace_is_refused_by_its_field_or_means_what_it_says() {
    let network = network("collective_noc_4x4");
    let wide = json!({"wide_write": {"from": cluster(0, 0), "to": cluster(1, 0), "beats": 70}});
    let starts = |cycles: &[u64], kind: Value| json!({"start_cycles": cycles, "kind": kind});
    let transactions = json!([
        starts(&[0], wide),
        starts(
            &[9],
            json!({"wide_multicast": {"from": cluster(0, 0), "to": row(), "beats": 3}})
        ),
        starts(
            &[0],
            json!({"wide_read": {"from": cluster(0, 0), "source": cluster(3, 3), "beats": 3}})
        ),
        starts(
            &[0, 1, 2, 3],
            json!({"wide_reduction": {"group": row(), "root": cluster(2, 0), "beats": 3}})
        ),
        starts(
            &[5],
            json!({"narrow_write": {"from": cluster(0, 0), "to": cluster(1, 1)}})
        ),
        starts(
            &[5],
            json!({"atomic": {"from": cluster(0, 0), "to": cluster(1, 1)}})
        ),
        starts(
            &[0, 1, 2, 3],
            json!({"barrier": {"group": row(), "root": cluster(2, 0)}})
        ),
    ]);
    let faults = json!([{"memory": {"tile": cluster(1, 0), "offset": 64, "bytes": 64}}]);
    let file = json!({"format": 1, "trace": {"transactions": transactions, "faults": faults}});
    let mut accepted = 0;
    for (text, name) in drawn(&file) {
        let trace: Trace = match read_trace("file", &text) {
            Ok(trace) => trace,
            Err(error) => {
                assert!(error.to_string().contains(&name), "{text}: {error}");
                continue;
            }
        };
        let outcome = noccl_sim::run_trace(&network, &trace, &config(), &mut |_| true);
        if let Err(RunError::Refused { what, .. }) = &outcome {
            assert!(
                what.contains("transactions") || what.contains("faults"),
                "{text}: {what}"
            );
            continue;
        }
        if is_cut_off(&outcome, &text) {
            continue;
        }
        accepted += 1;
        let result = outcome.expect("it has ended");
        assert_eq!(result.wrong_transactions, 0, "{text}");
    }
    assert!(accepted > 20, "{accepted}");
}

#[test]
fn every_number_of_a_traffic_description_is_refused_by_its_field_or_possible() {
    let network = network("collective_noc_4x4");
    let file = json!({"format": 1, "traffic": {"pattern": "uniform", "beats": 4,
        "offered_beats_per_cycle": 0.1, "warmup_cycles": 10, "measure_cycles": 50, "seed": 1}});
    for (text, name) in drawn(&file) {
        let refusal = match read_traffic("file", &text) {
            Ok(traffic) => match check_traffic(&network, &traffic) {
                Ok(()) if traffic.warmup_cycles + traffic.measure_cycles > 1000 => continue,
                Ok(()) => {
                    let run = noccl_sim::run_traffic(&network, &traffic, &config(), &mut |_| true);
                    assert!(run.is_ok(), "{text}");
                    continue;
                }
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        };
        assert!(refusal.contains(&name), "{text}: {refusal}");
    }
}

#[test]
fn every_number_of_a_spec_is_refused_by_its_field_or_elaborates() {
    for preset in ["collective_noc_4x4", "torrent_4x5", "esp_4x5"] {
        let spec = noccl_studies::load(preset, &[]).expect("a preset").network;
        let value = serde_json::to_value(spec.spec()).expect("a spec is data");
        for at in numbers(&value, "") {
            let key = at[1..].replace('/', ".");
            for extreme in EXTREMES {
                let set = [(key.clone(), extreme.to_string())];
                if let Err(error) = noccl_studies::load(preset, &set) {
                    let name = key.split('.').find(|part| part.len() > 1).unwrap_or(&key);
                    let text = error.to_string();
                    let is_named =
                        text.contains(name) || text.contains("address") || text.contains("region");
                    assert!(is_named, "{preset} {key} = {extreme}: {text}");
                }
            }
        }
    }
}
