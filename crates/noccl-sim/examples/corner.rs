// SPDX-License-Identifier: Apache-2.0
//! One wide write corner to corner on an idle mesh: `cargo run --release -p noccl-sim --example corner -- PRESET`.
#![allow(clippy::print_stdout)]

use noccl_net::{Coord, TileRef};
use noccl_run::{Mode, RunConfig};
use noccl_workload::{PortKind, PortTransaction, Trace};

fn main() {
    let preset = std::env::args().nth(1).expect("preset");
    let text = noccl_spec::preset_text(&preset).expect("preset");
    let start = std::time::Instant::now();
    let net = noccl_net::elaborate(&noccl_spec::parse_spec("p", &text, &[]).expect("spec"))
        .expect("network");
    let elaborated = start.elapsed();
    let far = Coord::new(net.cluster_width() - 1, net.cluster_height() - 1);
    let transaction = PortTransaction {
        start_cycles: vec![Some(0)],
        kind: PortKind::WideWrite {
            from: TileRef::Cluster(Coord::new(0, 0)),
            to: TileRef::Cluster(far),
            beats: 16,
        },
    };
    let trace = Trace {
        transactions: vec![transaction],
        ..Trace::default()
    };
    for _ in 0..5 {
        let start = std::time::Instant::now();
        let config = RunConfig::new(Mode::Timing);
        let result = noccl_sim::run_trace(&net, &trace, &config, &mut |_| true).expect("runs");
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{} cycles in {:.2} ms, elaboration {:.1} ms",
            result.actions[0].finish_cycle,
            seconds * 1e3,
            elapsed_ms(elaborated)
        );
    }
}

fn elapsed_ms(duration: std::time::Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
