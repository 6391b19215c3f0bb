// SPDX-License-Identifier: Apache-2.0
//! Raw speed of open-loop traffic: `cargo run --release -p noccl-sim --example speed -- PRESET PATTERN RATE CYCLES MODE`.
#![allow(clippy::print_stdout)]

use noccl_run::{Mode, RunConfig};
use noccl_workload::{Pattern, Traffic};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = noccl_spec::preset_text(&args[1]).expect("preset");
    let net = noccl_net::elaborate(&noccl_spec::parse_spec("p", &text, &[]).expect("spec"))
        .expect("network");
    let pattern = if args[2] == "row" {
        Pattern::RowMulticast
    } else {
        Pattern::Uniform
    };
    let cycles = args[4].parse().expect("cycles");
    let traffic = Traffic {
        pattern,
        beats: net.usual_packet_beats(),
        offered_beats_per_cycle: args[3].parse().expect("rate"),
        warmup_cycles: cycles / 4,
        measure_cycles: cycles,
        seed: 1,
    };
    let mode = if args[5] == "value" {
        Mode::Value
    } else {
        Mode::Timing
    };
    let start = std::time::Instant::now();
    let result =
        noccl_sim::run_traffic(&net, &traffic, &RunConfig::new(mode), &mut |_| true).expect("runs");
    let seconds = start.elapsed().as_secs_f64();
    println!("{result:?}");
    println!(
        "{:.1} M flit-hops/s, {:.0} cycles/s",
        result.flit_hops as f64 / seconds / 1e6,
        result.cycles as f64 / seconds
    );
}
