// SPDX-License-Identifier: Apache-2.0
//! All measurements of S3's claims.

mod attention;
mod baselines;
mod chain_hops;
mod movements;
mod overhead;

use crate::Found;
use crate::statistics::Outcomes;
use crate::table::{GainHardware, gains};
use noccl_coll::chain::order::ChainOrder;
use noccl_coll::{Algorithm, Choice};
use noccl_run::{Tally, Watch};
use noccl_studies::parts::Runner;
use noccl_studies::{AlgorithmRequest, Error, Step};
use noccl_workload::CollectiveKind;

/// Chains of endpoints, beside the copies that S3 compares with.
const CHAINS: GainHardware = GainHardware {
    network: "torrent_4x5",
    cases: &[
        (CollectiveKind::Multicast, "0,0,4,2", "8 clusters"),
        (CollectiveKind::Multicast, "all", "20 clusters"),
    ],
    // Chains whose members multicast would count S1's routers as S3's.
    hardware: || {
        let orders = [ChainOrder::Latency, ChainOrder::Greedy];
        let chains = orders.map(Choice::chainwrite);
        chains.map(AlgorithmRequest::Fixed).to_vec()
    },
    others: &[Algorithm::Chainwrite],
    software: |_, _, _| vec![AlgorithmRequest::Search(Algorithm::Unicast)],
    titles: ["copies (iDMA)", "chains"],
};

/// Groups of measurements, of which each counts as one unit of progress.
const GROUPS: u64 = 5;

/// A quick run leaves out the movements of megabytes.
pub(super) fn measure(is_quick: bool, watch: Watch<'_>) -> Result<Found, Error> {
    let tally = Tally::new(watch, GROUPS);
    let runner = Runner { tally: &tally };
    // What has units of its own reports as a part of these.
    let of_all = |step: Step| tally.follow(step.simulated_cycles);
    let part = Watch::new(&of_all);
    let mut found = Found::default();
    overhead::overhead(runner, &mut found)?;
    tally.finish_unit()?;
    chain_hops::hops(part, &mut found)?;
    tally.finish_unit()?;
    baselines::baselines(runner, &mut found)?;
    tally.finish_unit()?;
    attention::attention(runner, is_quick, &mut found)?;
    tally.finish_unit()?;
    if !is_quick {
        found.tables.push(gains(&CHAINS, part)?);
    }
    tally.finish_unit()?;
    missing(&mut found.outcomes);
    Ok(found)
}

/// What takes a synthesis of whole clusters, or an analysis of power.
fn missing(outcomes: &mut Outcomes) {
    const PAGE: &str = "docs/rtl/synthesis.md";
    for id in ["11-area-soc", "11-area-cluster"] {
        let reason = format!(
            "cores, matrix units and memories are not here to be synthesised; the endpoint alone, in gates: {PAGE}"
        );
        outcomes.miss(id, &reason);
    }
    let reason = format!(
        "in gates of an open flow, for pointers as published and for frames in memory: {PAGE}"
    );
    outcomes.miss("12-destination", &reason);
    outcomes.miss(
        "13-power",
        "no netlist with switching activity is analysed here",
    );
}
