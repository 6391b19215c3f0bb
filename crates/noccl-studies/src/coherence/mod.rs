// SPDX-License-Identifier: Apache-2.0
//! Programs of several threads on a machine of cores with private caches: what a coherence protocol costs on designs of S2's network.
//!
//! A substitute for S2's full-system runs, not a reproduction of them (`docs/coherence.md`).

use crate::Error;
use noccl_coherence::machine::{Counts, run_ht, run_token};
use noccl_coherence::protocol::Flow;
use noccl_net::Network;
use noccl_run::{Tally, Watch};
use program::Design;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use program::{
    CoherenceProgram, DESIGN_NAMES, parse_designs, parse_kernels, parse_protocols, read_recording,
};

mod program;

/// How caches agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoherenceProtocol {
    /// The home of a line takes one request at a time and asks all caches.
    Ht,
    /// Requesters ask all caches for tokens.
    Token,
}

/// What is compared.
#[derive(Debug, Clone)]
pub struct CoherenceRequest {
    /// Protocols.
    pub protocols: Vec<CoherenceProtocol>,
    /// Programs.
    pub programs: Vec<CoherenceProgram>,
    /// Designs by name, preset or file; the others are compared with the first.
    pub designs: Vec<String>,
    /// Fields of the spec that differ in all designs.
    pub overrides: Vec<(String, String)>,
}

/// One program on one design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoherenceRow {
    /// Kernel, or file of the recording.
    pub program: String,
    /// How caches agree.
    pub protocol: CoherenceProtocol,
    /// Design as it was asked for.
    pub design: String,
    /// Its network, with what was set beside its preset.
    pub network: String,
    /// Threads, a core each.
    pub threads: u32,
    /// From the first reference to the last.
    pub cycles: u64,
    /// The same over that of the first design.
    pub relative_cycles: f64,
    /// References of the program.
    pub references: u64,
    /// Accesses of locks, barriers, starts and joins.
    pub synchronisations: u64,
    /// References and accesses that had to ask for a line.
    pub misses: u64,
    /// From such a miss to its line; absent without misses.
    pub mean_miss_cycles: Option<f64>,
    /// Lines that left a cache for others.
    pub evictions: u64,
    /// Requests that were repeated.
    pub repeats: u64,
    /// Flows by kind; a broadcast and the acknowledgements to one requester are one each.
    pub flows: BTreeMap<String, u64>,
    /// Part of the flows that are broadcasts.
    pub broadcast_share: f64,
    /// Part of the flows that are acknowledgements to one requester.
    pub acknowledgement_share: f64,
    /// From a broadcast to its last copy.
    pub mean_broadcast_cycles: Option<f64>,
    /// Acknowledgements that a requester gets per flow, merged ones as one.
    pub received_per_flow: Option<f64>,
    /// The same of flows with an entry of the reduction table.
    pub received_per_counted_flow: Option<f64>,
    /// Flows that found the table full.
    pub uncounted_flows: u64,
    /// Entries of the reduction table in use, mean over cycles; absent without cycles.
    pub mean_table_entries: Option<f64>,
    /// Flits over links.
    pub flit_hops: u64,
    /// Of the network, by the units in `docs/coherence.md`; absent of wires.
    pub energy_pj: Option<f64>,
    /// The same over that of the first design.
    pub relative_energy: Option<f64>,
    /// The same where one unit is half or twice as large: least and most.
    pub relative_energy_range: Option<[f64; 2]>,
}

/// Runs every program with every protocol on every design. Each load is compared with the last store, and every store with all copies.
///
/// # Errors
/// [`Error::Argument`] for threads or designs that do not fit, [`Error::Machine`] if a run is not coherent or stalls.
pub fn coherence(request: &CoherenceRequest, watch: Watch<'_>) -> Result<Vec<CoherenceRow>, Error> {
    let designs: Vec<Design> = (request.designs.iter())
        .map(|name| Design::load(name, &request.overrides))
        .collect::<Result<_, Error>>()?;
    let mut work = Vec::new();
    for program in &request.programs {
        for protocol in &request.protocols {
            work.extend(designs.iter().map(|design| (program, *protocol, design)));
        }
    }
    let tally = Tally::new(watch, work.len() as u64);
    let runs: Vec<(Counts, Option<Energy>)> = work
        .par_iter()
        .map(|(program, protocol, design)| {
            let counts = run(&design.network, program, *protocol, &tally)?;
            tally.finish_unit()?;
            let energy = Energy::of(&design.network, &counts);
            Ok((counts, energy))
        })
        .collect::<Result<_, Error>>()?;
    let rows = work.iter().zip(&runs).enumerate();
    let rows = rows.map(|(at, ((program, protocol, design), (counts, energy)))| {
        let (first, first_energy) = &runs[at - at % designs.len()];
        let relative = energy.as_ref().zip(first_energy.as_ref());
        CoherenceRow {
            relative_cycles: counts.cycles as f64 / first.cycles as f64,
            relative_energy: relative.map(|(ours, first)| ours.over(first)),
            relative_energy_range: relative.map(|(ours, first)| ours.range_over(first)),
            ..row(program, *protocol, design, counts, energy.as_ref())
        }
    });
    Ok(rows.collect())
}

fn row(
    program: &CoherenceProgram,
    protocol: CoherenceProtocol,
    design: &Design,
    counts: &Counts,
    energy: Option<&Energy>,
) -> CoherenceRow {
    let flows = counts.flows.iter();
    CoherenceRow {
        program: program.name.clone(),
        protocol,
        design: design.name.clone(),
        network: design.network.spec().label(),
        threads: program.log.num_threads() as u32,
        cycles: counts.cycles,
        relative_cycles: 1.0,
        references: counts.references,
        synchronisations: counts.synchronisations,
        misses: counts.misses,
        mean_miss_cycles: counts.mean_miss_cycles,
        evictions: counts.evictions,
        repeats: counts.repeats,
        flows: flows
            .map(|(flow, count)| (name(*flow).to_owned(), *count))
            .collect(),
        broadcast_share: counts.share(Flow::Broadcast),
        acknowledgement_share: counts.share(Flow::Acknowledgement),
        mean_broadcast_cycles: counts.mean_broadcast_cycles,
        received_per_flow: counts.received_per_flow,
        received_per_counted_flow: counts.received_per_counted_flow,
        uncounted_flows: counts.uncounted_flows,
        mean_table_entries: counts.mean_table_entries,
        flit_hops: counts.flit_hops,
        energy_pj: energy.map(Energy::total_pj),
        relative_energy: None,
        relative_energy_range: None,
    }
}

/// As rows name it.
const fn name(flow: Flow) -> &'static str {
    match flow {
        Flow::Request => "requests",
        Flow::Broadcast => "broadcasts",
        Flow::Acknowledgement => "acknowledgements",
        Flow::Data => "data",
        Flow::Control => "control",
        Flow::Writeback => "writebacks",
    }
}

fn run(
    network: &Network,
    program: &CoherenceProgram,
    protocol: CoherenceProtocol,
    tally: &Tally<'_>,
) -> Result<Counts, Error> {
    let goes_on = &mut |cycle| tally.follow(cycle);
    Ok(match protocol {
        CoherenceProtocol::Ht => run_ht(network, &program.log, goes_on),
        CoherenceProtocol::Token => run_token(network, &program.log, goes_on),
    }?)
}

// Energy of the network by counts of events.
//
// S2 gives one number: a crossbar of routers with bypass takes 1.58 times that of the baseline, per flit. All others are ours, of the order
// that models of 45 nm give for 128 bits; what depends on them is shown by halving and doubling each.

/// Picojoules per flit: written into a buffer, read from it, through a crossbar, over a link of 1 mm.
pub const ENERGY_UNITS: [(&str, f64); 4] = [
    ("buffer write", 1.5),
    ("buffer read", 1.0),
    ("crossbar", 2.0),
    ("link", 4.0),
];
/// Of a crossbar with bypass over one without (S2 V.C).
const BYPASS_CROSSBAR: f64 = 1.58;

/// Energy by unit.
struct Energy {
    parts_pj: [f64; 4],
}

impl Energy {
    /// Of a run; none where wires stand in place of routers.
    fn of(network: &Network, counts: &Counts) -> Option<Self> {
        let smart = network.spec().axi()?.router.smart.as_ref()?;
        if smart.is_connected {
            return None;
        }
        let crossbar = if smart.hpc_max > 1 {
            BYPASS_CROSSBAR
        } else {
            1.0
        };
        let crossings = (counts.flit_hops + counts.delivered_flits) as f64;
        let buffered = counts.buffered_flits as f64;
        let events = [
            buffered,
            buffered,
            crossbar * crossings,
            counts.flit_hops as f64,
        ];
        let part = |at: usize| events[at] * ENERGY_UNITS[at].1;
        Some(Self {
            parts_pj: std::array::from_fn(part),
        })
    }

    fn total_pj(&self) -> f64 {
        self.parts_pj.iter().sum()
    }

    fn scaled(&self, part: usize, factor: f64) -> f64 {
        self.total_pj() + (factor - 1.0) * self.parts_pj[part]
    }

    fn over(&self, first: &Self) -> f64 {
        self.total_pj() / first.total_pj()
    }

    /// Least and most if one unit is half or twice as large.
    fn range_over(&self, first: &Self) -> [f64; 2] {
        let mut range = [self.over(first); 2];
        for part in 0..self.parts_pj.len() {
            for factor in [0.5, 2.0] {
                let ratio = self.scaled(part, factor) / first.scaled(part, factor);
                range = [range[0].min(ratio), range[1].max(ratio)];
            }
        }
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_holds_the_ratio_of_every_unit_alone() {
        let (ours, first) = (
            Energy {
                parts_pj: [1.0, 1.0, 2.0, 4.0],
            },
            Energy {
                parts_pj: [4.0, 4.0, 2.0, 4.0],
            },
        );
        let [least, most] = ours.range_over(&first);
        assert!((ours.over(&first) - 8.0 / 14.0).abs() < 1e-12);
        // Writes twice as large: 9 over 18. Links twice as large: 12 over 18.
        assert!((least - 0.5).abs() < 1e-12 && (most - 12.0 / 18.0).abs() < 1e-12);
    }
}
