// SPDX-License-Identifier: Apache-2.0
//! The main job on S1's system: multicast and sum reduction by every algorithm.

use crate::collective::{CompareRequest, Comparison, compare};
use crate::network::{load, parse_group};
use crate::{Error, Step};
use noccl_run::Watch;
use noccl_workload::CollectiveKind;
use std::sync::atomic::{AtomicU64, Ordering};

/// Preset of the demo.
pub const DEMO_PRESET: &str = "collective_noc_4x4";

/// Payload sizes of the demo in KiB (S1 §4.2).
pub const DEMO_KIB: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// Collective and group of each part.
const PARTS: [(CollectiveKind, &str); 4] = [
    (CollectiveKind::Multicast, "row"),
    (CollectiveKind::Multicast, "all"),
    (CollectiveKind::Reduce, "row"),
    (CollectiveKind::Reduce, "all"),
];

/// Runs the demo: one row per part, size and algorithm, with the load of every link.
///
/// # Errors
/// [`Error`] if a run stalls or is interrupted.
pub fn demo(watch: Watch<'_>) -> Result<Comparison, Error> {
    let network = load(DEMO_PRESET, &[])?.network;
    let mut all = Comparison {
        rows: Vec::new(),
        skipped: Vec::new(),
        remedy: None,
        notes: Vec::new(),
    };
    let mut earlier_cycles = 0;
    for (part, (collective, group)) in PARTS.into_iter().enumerate() {
        let bytes = DEMO_KIB.map(|kib| kib << 10).to_vec();
        let mut request = CompareRequest::new(collective, parse_group(&network, group)?, bytes);
        request.has_links = true;
        let part_cycles = AtomicU64::new(0);
        let of_all = |step: Step| {
            part_cycles.fetch_max(step.simulated_cycles, Ordering::Relaxed);
            watch.report(Step {
                done: step.total * part as u64 + step.done,
                total: step.total * PARTS.len() as u64,
                simulated_cycles: earlier_cycles + step.simulated_cycles,
                ..step
            })
        };
        let comparison = compare(&network, &request, Watch::new(&of_all))?;
        all.rows.extend(comparison.rows);
        all.skipped.extend(comparison.skipped);
        all.remedy = all.remedy.or(comparison.remedy);
        earlier_cycles += part_cycles.load(Ordering::Relaxed);
    }
    Ok(all)
}
