// SPDX-License-Identifier: Apache-2.0
//! Claim 6: `seq` becomes the network's multicast as the overhead of its steps vanishes.
//!
//! The simulator can take away instructions and cycles of the DMA engine, not the network's round trips. So
//! the first part of the curve is simulated and the rest is S1 eq. (2).

use crate::statistics::Outcomes;
use noccl_coll::{Algorithm, Choice};
use noccl_model::published::{Extent, MulticastConstants};
use noccl_net::Network;
use noccl_studies::parts::line_chart;
use noccl_studies::parts::{Runner, collective, network};
use noccl_studies::{Error, Figure, Line};
use noccl_workload::{CollectiveKind, Schedule};

const BYTES: u64 = 32 << 10;
const BEATS: u32 = 512;
/// Per cent of the default instructions and engine cycles that are left.
const SCALES: [u64; 4] = [100, 67, 33, 0];
/// α + δ of the equation's curve, in cycles.
const EQUATION: [f64; 7] = [48.0, 32.0, 16.0, 8.0, 4.0, 2.0, 0.0];

/// One simulated point.
struct Simulated {
    overhead_cycles: f64,
    ratio: f64,
}

fn scaled(percent: u64) -> Result<Network, Error> {
    let default = network("collective_noc_4x4", &[])?;
    let cluster = &Error::axi(&default, "instructions")?.axi().cluster;
    let fields = [
        (
            "cluster.instructions.dma_start",
            cluster.instructions.dma_start,
        ),
        (
            "cluster.instructions.dma_wait",
            cluster.instructions.dma_wait,
        ),
        (
            "cluster.instructions.barrier_store",
            cluster.instructions.barrier_store,
        ),
        (
            "cluster.instructions.barrier_leave",
            cluster.instructions.barrier_leave,
        ),
        ("cluster.dma.start_cycles", cluster.dma.start_cycles),
        ("cluster.dma.complete_cycles", cluster.dma.complete_cycles),
    ];
    let values: Vec<(&str, String)> = fields
        .iter()
        .map(|(key, value)| {
            // The engine cannot be faster than a cycle.
            let least = u64::from(key.starts_with("cluster.dma"));
            let left = (u64::from(*value) * percent / 100).max(least);
            (*key, left.to_string())
        })
        .collect();
    let overrides: Vec<(&str, &str)> = values
        .iter()
        .map(|(key, left)| (*key, left.as_str()))
        .collect();
    network("collective_noc_4x4", &overrides)
}

fn simulate(runner: Runner<'_>, percent: u64) -> Result<Simulated, Error> {
    let network = scaled(percent)?;
    let of = collective(&network, CollectiveKind::Multicast, "row", BYTES)?;
    let choices: Vec<Choice> = (0..10)
        .map(|e| Choice::new(Algorithm::Chain, 1 << e))
        .collect();
    let (best, _) = runner.fastest(&network, &of, &choices)?;
    let in_network = runner.in_network_cycles(&network, &of)?;
    let naive = noccl_coll::schedule(&network, &of, Choice::new(Algorithm::Chain, 1))?;
    let starts = transfer_starts(&naive, &runner.run(&network, &naive)?.actions);
    // From the second transfer to the last: the first one comes from the memory tile.
    let steps = starts.len() as f64 - 2.0;
    let period = (starts[starts.len() - 1] - starts[1]) as f64 / steps;
    Ok(Simulated {
        overhead_cycles: period - f64::from(BEATS),
        ratio: best as f64 / in_network as f64,
    })
}

fn transfer_starts(schedule: &Schedule, times: &[noccl_run::ActionTime]) -> Vec<u64> {
    let all = schedule.actions.iter().zip(times);
    all.filter(|(action, _)| action.kind.transfer().is_some())
        .map(|(_, time)| time.start_cycle)
        .collect()
}

/// Claim 6 and figure 5b.
pub(crate) fn limit(
    runner: Runner<'_>,
    outcomes: &mut Outcomes,
    figures: &mut Vec<Figure>,
) -> Result<(), Error> {
    let simulated: Vec<Simulated> = SCALES
        .iter()
        .map(|percent| simulate(runner, *percent))
        .collect::<Result<_, _>>()?;
    let equation = noccl_model::limit(
        &MulticastConstants::PUBLISHED,
        Extent::row(4),
        BEATS,
        &EQUATION,
    );
    let curve: Vec<(f64, f64)> = equation
        .iter()
        .map(|p| (p.overhead_cycles, p.pipelined_cycles / p.in_network_cycles))
        .collect();
    let points: Vec<(f64, f64)> = simulated
        .iter()
        .map(|s| (s.overhead_cycles, s.ratio))
        .collect();
    let falls = |points: &[(f64, f64)]| {
        points
            .windows(2)
            .all(|w| w[1].0 < w[0].0 && w[1].1 < w[0].1)
    };
    let words: Vec<String> = points
        .iter()
        .map(|(overhead, ratio)| format!("{ratio:.2} at {overhead:.0}"))
        .collect();
    let end = curve.last().map_or(f64::INFINITY, |p| p.1);
    outcomes.put_shown(
        "6",
        end,
        &format!(
            "simulated: {} cycles of overhead; equation at 0: {end:.3}",
            words.join(", ")
        ),
        falls(&points) && falls(&curve),
    );
    let lines = [
        Line {
            name: "simulated".to_owned(),
            points,
        },
        Line {
            name: "equation (2), published α".to_owned(),
            points: curve,
        },
    ];
    figures.push(line_chart(
        "fig_5b",
        "S1 Fig. 5b: seq over in_network, 32 KiB, row of 4",
        "overhead of a step [cycles]",
        "ratio of runtimes",
        &lines,
    ));
    Ok(())
}
