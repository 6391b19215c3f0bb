// SPDX-License-Identifier: Apache-2.0
//! Cycles and bytes of many runs, compared with a committed table.
//!
//! The table is a record, not a proof: it notices any change of behaviour, wanted or not. After a wanted
//! one, `NOCCL_WRITE_GOLDEN=1 cargo test -p noccl-tests --test sim golden_cycles` writes it again.

use crate::common::stalling;
use noccl_net::TileRef;
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::random::random_trace;
use noccl_testkit::schedules::fnv_1a;
use noccl_workload::{Pattern, PortKind, Traffic};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const GOLDEN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../noccl-sim/tests/golden/cycles.json"
);

const PATTERNS: [Pattern; 6] = [
    Pattern::Uniform,
    Pattern::Transpose,
    Pattern::BitComplement,
    Pattern::Neighbour,
    Pattern::Hotspot,
    Pattern::RowMulticast,
];

/// FNV-1a over numbers.
fn digest(numbers: impl Iterator<Item = u64>) -> String {
    format!("{:016x}", fnv_1a(numbers.flat_map(u64::to_le_bytes)))
}

/// What a result has of patterns that are not collective.
const NOT_COLLECTIVE: &str = ", accepted_flows_per_cycle: None, received_per_flow: None, open_flows: None, contribution_wait_cycles: None";

fn traffic_cases(table: &mut BTreeMap<String, Value>) {
    let meshes = [
        "collective_noc_4x4",
        "collective_noc_8x8",
        "collective_noc_16x16",
        "collective_noc_64x8",
    ];
    for preset in meshes {
        let net = crate::common::network(preset);
        for pattern in PATTERNS {
            for (rate, beats, seed) in [(0.01, 1, 1), (0.06, 16, 2), (0.6, 16, 3)] {
                let traffic = Traffic {
                    pattern,
                    beats,
                    offered_beats_per_cycle: rate,
                    warmup_cycles: 100,
                    measure_cycles: 300,
                    seed,
                };
                for mode in [Mode::Timing, Mode::Value] {
                    let name = format!("traffic {preset} {pattern:?} {rate} {mode:?}");
                    let config = RunConfig::new(mode);
                    let value = match noccl_sim::run_traffic(&net, &traffic, &config, &mut |_| true)
                    {
                        // As text: reading a float back may change its last bit. None of these patterns is collective.
                        Ok(result) => {
                            let text = format!("{result:?}");
                            json!(text.replace(NOT_COLLECTIVE, ""))
                        }
                        Err(error) => json!(error.to_string()),
                    };
                    table.insert(name, value);
                }
            }
        }
    }
}

fn record(result: &RunResult) -> Value {
    let times = result
        .actions
        .iter()
        .flat_map(|a| [a.start_cycle, a.finish_cycle]);
    let links = result.links.iter().flat_map(|l| {
        [
            l.link.plane.idx() as u64,
            u64::from(l.link.tile.0),
            l.link.port as u64,
            l.flits,
        ]
    });
    json!({
        "cycles": result.cycles,
        "times": digest(times),
        "links": digest(links),
        "counters": serde_json::to_value(result.counters).expect("counters are plain numbers"),
        "checksum": result.checksum,
        "wrong": result.wrong_transactions,
    })
}

/// The published router refuses a reduction over more than one row.
fn can_fold_in_pairs(kind: &PortKind) -> bool {
    let PortKind::WideReduction {
        group,
        root: TileRef::Cluster(root),
        ..
    } = kind
    else {
        return true;
    };
    group.mask.y == 0 && group.base.y == root.y && (root.x == 0 || root.x == 3)
}

fn trace_cases(table: &mut BTreeMap<String, Value>) {
    let meshes = [
        "collective_noc_4x4",
        "collective_noc_8x8",
        "collective_noc_16x16",
        "collective_noc_4x4_published",
    ];
    for preset in meshes {
        let net = crate::common::network(preset);
        for seed in 0..8 {
            let is_published = preset.ends_with("published");
            let count = if is_published {
                6 + 3 * seed as usize
            } else {
                80
            };
            let mut trace = random_trace(&net, seed, count, if is_published { 60 } else { 400 });
            if is_published {
                trace.transactions.retain(|t| can_fold_in_pairs(&t.kind));
            }
            for mode in [Mode::Timing, Mode::Value] {
                let mut config = RunConfig::new(mode);
                config.stall_seed = seed;
                config.stalls = (seed % 2 == 1).then_some(stalling(60, 30));
                let name = format!("trace {preset} {seed} {mode:?}");
                let value = match noccl_sim::run_trace(&net, &trace, &config, &mut |_| true) {
                    Ok(result) => record(&result),
                    Err(RunError::Stall(stall)) => {
                        json!({ "stall": stall.cycle, "last_progress": stall.last_progress_cycle })
                    }
                    Err(error) => json!(error.to_string()),
                };
                table.insert(name, value);
            }
        }
    }
}

#[test]
fn golden_cycles_do_not_move() {
    let mut table = BTreeMap::new();
    traffic_cases(&mut table);
    trace_cases(&mut table);
    if std::env::var_os("NOCCL_WRITE_GOLDEN").is_some() {
        let lines: Vec<_> = table
            .iter()
            .map(|(name, value)| format!("{}: {value}", json!(name)))
            .collect();
        std::fs::write(GOLDEN, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    let golden = read_golden();
    assert_eq!(golden.len(), table.len(), "the table lists other cases");
    for (name, value) in &table {
        assert_eq!(Some(value), golden.get(name), "{name}");
    }
}

/// Wide reductions excepted, since their checksum differs by nature, a mode changes nothing.
#[test]
fn value_and_timing_mode_take_the_same_cycles() {
    let golden = read_golden();
    let mut pairs = 0;
    for (name, value) in golden.iter().filter(|(n, _)| n.ends_with("Timing")) {
        let mut sides = [
            value.clone(),
            golden[&name.replace("Timing", "Value")].clone(),
        ];
        for object in sides.iter_mut().filter_map(Value::as_object_mut) {
            object.remove("checksum");
        }
        assert_eq!(sides[0], sides[1], "{name}");
        pairs += 1;
    }
    assert!(pairs > 50, "the table holds both modes");
}

fn read_golden() -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(GOLDEN).expect("the table is committed");
    serde_json::from_str(&text).expect("the table is JSON")
}
