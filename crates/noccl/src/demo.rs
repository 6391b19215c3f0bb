// SPDX-License-Identifier: Apache-2.0
//! The main job on S1's system: multicast and sum reduction by every mechanism.

use crate::compare::Comparison;
use crate::watch::Watch;
use crate::{CompareRequest, CompareRow, Error, Step, compare, load, parse_group};
use noccl_workload::CollectiveKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};

/// Preset of the demo.
pub const DEMO_PRESET: &str = "collective_noc_4x4";

/// Payload sizes of the demo in KiB (S1 §4.2).
pub const DEMO_KIB: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// One collective over one group at all sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DemoCase {
    /// What was compared.
    pub title: String,
    /// Rows.
    pub rows: Vec<CompareRow>,
    /// Algorithms that this network cannot run, with the reason.
    pub skipped: Vec<String>,
}

/// All cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DemoReport {
    /// Cases in the order of the tables.
    pub cases: Vec<DemoCase>,
}

/// Runs the demo.
///
/// # Errors
/// [`Error`] if a run hangs or is interrupted.
pub fn demo(watch: Watch<'_>) -> Result<DemoReport, Error> {
    let network = load(DEMO_PRESET, &[])?.network;
    let plan = [
        (
            CollectiveKind::Multicast,
            "row",
            "Multicast from memory tile 0 to a row of 4",
        ),
        (
            CollectiveKind::Multicast,
            "all",
            "Multicast from memory tile 0 to all 4x4 clusters",
        ),
        (
            CollectiveKind::Reduce,
            "row",
            "FP64 sum of a row of 4 into cluster (0,0)",
        ),
        (
            CollectiveKind::Reduce,
            "all",
            "FP64 sum of all 4x4 clusters into cluster (0,0)",
        ),
    ];
    let mut cases = Vec::new();
    let earlier_cycles = AtomicU64::new(0);
    for (index, (collective, group, title)) in plan.into_iter().enumerate() {
        let bytes = DEMO_KIB.map(|kib| kib << 10).to_vec();
        let mut request = CompareRequest::new(collective, parse_group(&network, group)?, bytes);
        request.has_links = true;
        let last_cycles = AtomicU64::new(0);
        let scaled = |step: Step| {
            last_cycles.fetch_max(step.simulated_cycles, Ordering::Relaxed);
            watch.report(Step {
                done: step.total * index as u64 + step.done,
                total: step.total * plan_len(),
                simulated_cycles: earlier_cycles.load(Ordering::Relaxed) + step.simulated_cycles,
            })
        };
        let Comparison { rows, skipped } = compare(&network, &request, Watch::new(&scaled))?;
        earlier_cycles.fetch_add(last_cycles.load(Ordering::Relaxed), Ordering::Relaxed);
        cases.push(DemoCase {
            title: title.to_owned(),
            rows,
            skipped,
        });
    }
    Ok(DemoReport { cases })
}

const fn plan_len() -> u64 {
    4
}
