// SPDX-License-Identifier: Apache-2.0
//! Claim 13: collectives that overlap complete, on the published router and on ours.

use crate::statistics::Outcomes;
use noccl_studies::parts::network;
use noccl_studies::{
    Error, MIN_STRESS_TRANSACTIONS, StressKind, StressReport, StressRequest, Watch, stress,
};

const SEEDS: u64 = 20;

/// Random sets on one network.
fn completed(preset: &str, kinds: &[StressKind], watch: Watch<'_>) -> Result<StressReport, Error> {
    let request = StressRequest {
        spec_arguments: format!("--spec {preset}"),
        seeds: SEEDS,
        first_seed: 1,
        kinds: kinds.to_vec(),
        transactions: MIN_STRESS_TRANSACTIONS,
        has_variants: false,
    };
    stress(&network(preset, &[])?, &request, watch)
}

/// Share of sets of overlapping multicasts that complete on the published router, which refuses reductions in two
/// dimensions; on ours with reductions and barriers among them.
pub(crate) fn coexistence(watch: Watch<'_>, outcomes: &mut Outcomes) -> Result<(), Error> {
    let published = completed(
        "collective_noc_4x4_published",
        &[StressKind::Multicast],
        watch,
    )?;
    let kinds = [
        StressKind::Multicast,
        StressKind::Reduction,
        StressKind::Barrier,
    ];
    let ours = completed("collective_noc_4x4", &kinds, watch)?;
    outcomes.put(
        "13-coexistence",
        published.completed as f64 / SEEDS as f64,
        &format!(
            "{} of {SEEDS} sets of {MIN_STRESS_TRANSACTIONS} multicasts complete on the published router; {} of {SEEDS} of \
             multicasts, reductions and barriers on ours, {} with wrong bytes",
            published.completed, ours.completed, ours.wrong
        ),
    );
    Ok(())
}
