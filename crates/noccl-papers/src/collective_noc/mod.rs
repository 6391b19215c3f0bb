// SPDX-License-Identifier: Apache-2.0
//! All measurements of S1's claims.

mod additions;
mod area;
mod coexistence;
mod energy;
mod equations;
mod limit;
mod products;
mod ratios;
mod synchronisation;

use crate::Found;
use crate::statistics::Outcomes;
use crate::table::{GainHardware, gains};
use noccl_coll::Algorithm;
use noccl_run::{Tally, Watch};
use noccl_studies::parts::{Runner, software};
use noccl_studies::{AlgorithmRequest, Error, Step};
use noccl_workload::CollectiveKind;

/// Routers that multicast and add, beside S1's chains and trees.
const ROUTERS: GainHardware = GainHardware {
    network: "collective_noc_4x4",
    cases: &[
        (CollectiveKind::Multicast, "0,0,4,1", "row of 4"),
        (CollectiveKind::Multicast, "all", "4×4"),
        (CollectiveKind::Reduce, "0,0,4,1", "row of 4"),
        (CollectiveKind::Reduce, "all", "4×4"),
    ],
    hardware: || vec![AlgorithmRequest::Search(Algorithm::InNetwork)],
    others: &[],
    // The same choices as in claims 1, 2, 4 and 5.
    software: |kind, bytes, group| {
        let (chain, tree) = software(kind, bytes, group == "all");
        let choices = chain.into_iter().chain(tree);
        choices.map(AlgorithmRequest::Fixed).collect()
    },
    titles: ["S1's software", "in the network"],
};

/// A quick run leaves out the matrix products on large meshes.
pub(super) fn measure(is_quick: bool, watch: Watch<'_>) -> Result<Found, Error> {
    let groups = if is_quick { 8 } else { 11 };
    let tally = Tally::new(watch, groups);
    let runner = Runner { tally: &tally };
    let (mut outcomes, mut figures) = (Outcomes::default(), Vec::new());
    let mut tables = Vec::new();
    synchronisation::barriers(runner, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    ratios::multicast(runner, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    limit::limit(runner, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    ratios::reduction(runner, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    additions::additions(runner, &mut outcomes)?;
    tally.finish_unit()?;
    energy::energy(runner, &mut outcomes, &mut figures)?;
    tally.finish_unit()?;
    // What has units of its own reports as a part of these.
    let of_all = |step: Step| tally.follow(step.simulated_cycles);
    let part = Watch::new(&of_all);
    equations::equations(part, &mut outcomes)?;
    tally.finish_unit()?;
    coexistence::coexistence(part, &mut outcomes)?;
    tally.finish_unit()?;
    if !is_quick {
        products::summa(part, &mut outcomes, &mut figures)?;
        tally.finish_unit()?;
        products::fused(part, &mut outcomes, &mut figures)?;
        tally.finish_unit()?;
        tables.push(gains(&ROUTERS, part)?);
        tally.finish_unit()?;
    }
    area::areas(&mut outcomes)?;
    missing(&mut outcomes, is_quick);
    Ok(Found {
        outcomes,
        figures,
        tables,
    })
}

/// What was not measured.
fn missing(outcomes: &mut Outcomes, is_quick: bool) {
    if is_quick {
        for id in [
            "8-onset-software",
            "8-onset-in-network",
            "8-speedup",
            "8-speedup-lowest",
            "8-utilisation",
            "9",
        ] {
            outcomes.miss(id, "left out of the quick set");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_over_the_software_of_the_claims() {
        for (group, names) in [
            ("0,0,4,1", ["chain:1", "tree:1"]),
            ("all", ["row_column:1", "row_column:1:tree"]),
        ] {
            let choices = (ROUTERS.software)(CollectiveKind::Reduce, 1 << 10, group);
            let found = choices.iter().map(|choice| match choice {
                AlgorithmRequest::Fixed(choice) => choice.to_string(),
                AlgorithmRequest::Search(_) | AlgorithmRequest::Auto => String::new(),
            });
            assert_eq!(found.collect::<Vec<_>>(), names, "{group}");
        }
    }
}
