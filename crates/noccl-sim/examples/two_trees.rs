// SPDX-License-Identifier: Apache-2.0
//! One reduction tree against two with half of the payload each, as nearly as the network has them:
//! `cargo run --release -p noccl-sim --example two_trees`.
//!
//! 32 KiB of FP64 from 4×4 clusters are summed into cluster (0,0). Two trees: the first half goes along X into
//! the root's column and down it, one network reduction. The second half goes along X into the
//! opposite column and down it to (3,0), a network reduction too; from there a DMA transfer brings it
//! along the root's row, chunk by chunk. XY routes do not go from Y back to X, so the last segment starts anew at
//! cluster (3,0), whose port then carries the second half twice. Smaller shares of the second tree
//! take that load off. `docs/design/0001` uses the figures.
#![allow(clippy::print_stdout)]

use noccl_net::{Coord, MultiAddress, Network, TileRef};
use noccl_run::{MemoryImage, Mode, RunConfig};
use noccl_workload::{
    Action, ActionId, ActionKind, Destination, ElementType, InNetworkReduction, Operator, Place,
    SCHEDULE_FORMAT, Schedule, Transfer, check,
};
use std::collections::BTreeMap;

const BYTES: u64 = 0x8000;
const OUTPUT: u64 = 0x1_0000;
const ROOT: TileRef = TileRef::Cluster(Coord::new(0, 0));
const OPPOSITE: TileRef = TileRef::Cluster(Coord::new(3, 0));

fn main() {
    println!("units          trees  second tree [KiB]  its chunks  cycles");
    for units in ["two_operand", "three_operand"] {
        let net = network(units);
        let alone = cycles(&net, one_tree());
        println!("{units:13}  {:5}  {:17}  {:10}  {alone:6}", 1, "-", "-");
        for (second_kib, chunks) in [(16, 1), (16, 4), (16, 16), (12, 12), (8, 8), (4, 4)] {
            let both = cycles(&net, two_trees(second_kib * 1024, chunks));
            println!(
                "{units:13}  {:5}  {second_kib:17}  {chunks:10}  {both:6}",
                2
            );
        }
    }
}

fn network(units: &str) -> Network {
    let name = "collective_noc_4x4";
    let text = noccl_spec::preset_text(name).expect("a preset");
    let kind = (
        "router.wide_reduction.kind".to_owned(),
        format!("\"{units}\""),
    );
    let spec = noccl_spec::parse_spec(name, &text, &[kind]).expect("a spec");
    noccl_net::elaborate(&spec).expect("a network")
}

fn reduction(root: TileRef, from: u64, bytes: u64) -> Action {
    let kind = ActionKind::InNetworkReduction(InNetworkReduction {
        group: MultiAddress::new(Coord::new(0, 0), Coord::new(3, 3)),
        source_offset: from,
        root: Place {
            tile: root,
            offset: OUTPUT + from,
        },
        bytes,
        operator: Operator::Sum,
        element: ElementType::Fp64,
    });
    Action {
        kind,
        after: Vec::new(),
    }
}

fn one_tree() -> Vec<Action> {
    vec![reduction(ROOT, 0, BYTES)]
}

fn two_trees(second_bytes: u64, chunks: u64) -> Vec<Action> {
    let first_bytes = BYTES - second_bytes;
    let chunk = second_bytes / chunks;
    let starts = (0..chunks).map(|c| first_bytes + c * chunk);
    let mut actions = vec![reduction(ROOT, 0, first_bytes)];
    actions.extend(starts.clone().map(|from| reduction(OPPOSITE, from, chunk)));
    let last_segment = |(number, from): (usize, u64)| {
        let place = |tile| Place {
            tile,
            offset: OUTPUT + from,
        };
        let kind = ActionKind::Transfer(Transfer::row(
            OPPOSITE,
            place(OPPOSITE),
            Destination::One(place(ROOT)),
            chunk,
        ));
        Action {
            kind,
            after: vec![ActionId(1 + number as u32)],
        }
    };
    actions.extend(starts.enumerate().map(last_segment));
    actions
}

/// Cycles from the first start to the last end, once the checker and the sums agree.
fn cycles(net: &Network, actions: Vec<Action>) -> u64 {
    let schedule = Schedule {
        format: SCHEDULE_FORMAT,
        first: None,
        claims_rounds: false,
        algorithm: "two_trees".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions,
    };
    check(net, &schedule).expect("a right schedule");
    // Small whole numbers: their sums are exact in any order.
    let value = |rank: u64, element: u64| (rank * 7 + element * 3) % 100;
    let image = |rank: u64| MemoryImage {
        tile: TileRef::Cluster(Coord::new((rank / 4) as u16, (rank % 4) as u16)),
        offset: 0,
        bytes: (0..BYTES / 8)
            .flat_map(|element| (value(rank, element) as f64).to_le_bytes())
            .collect(),
    };
    let inputs: Vec<MemoryImage> = (0..16).map(image).collect();
    let output = Place {
        tile: ROOT,
        offset: OUTPUT,
    };
    let config = RunConfig::new(Mode::Value);
    let outputs = [(output, BYTES)];
    let result = noccl_sim::run_schedule(net, &schedule, &inputs, &outputs, &config, &mut |_| true)
        .expect("the run completes");
    let sums = (0..BYTES / 8).map(|element| (0..16).map(|rank| value(rank, element)).sum());
    let expected: Vec<u8> = sums.flat_map(|s: u64| (s as f64).to_le_bytes()).collect();
    assert_eq!(result.memory[0].bytes, expected, "the sums are right");
    let start = result.actions.iter().map(|a| a.start_cycle).min();
    let finish = result.actions.iter().map(|a| a.finish_cycle).max();
    finish.unwrap_or(0) - start.unwrap_or(0)
}
