// SPDX-License-Identifier: Apache-2.0
//! What advice consists of: a row per mechanism with the evidence of each number, and a conclusion.

use super::Mechanism;
use super::synthesis::{AdviceArea, AdvicePath};
use crate::Verified;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Advice for a mesh and a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Advice {
    /// Name of the workload.
    pub workload: String,
    /// What it does.
    pub about: String,
    /// Where its dimensions come from.
    pub source: String,
    /// Columns and rows of clusters.
    pub mesh: [u32; 2],
    /// Time of computation, the same for all mechanisms.
    pub compute_us: f64,
    /// One row per mechanism that can do everything.
    pub rows: Vec<AdviceRow>,
    /// Those that cannot.
    pub left_out: Vec<AdviceLeftOut>,
    /// Which mechanism wins, and what would change that.
    pub conclusion: AdviceConclusion,
}

/// A mechanism that cannot do everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdviceLeftOut {
    /// Which.
    pub mechanism: Mechanism,
    /// What, and why.
    pub reason: String,
}

/// A workload with one mechanism.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdviceRow {
    /// Which.
    pub mechanism: Mechanism,
    /// Its network.
    pub network: String,
    /// Clock of the network.
    pub clock_ghz: f64,
    /// What each collective takes.
    pub parts: Vec<AdvicePart>,
    /// All collectives of the workload; with the evidence `bound` at least so many, and times and speed-ups follow from that.
    pub cycles: u64,
    /// What says so: the weakest evidence of its parts.
    pub evidence: AdviceEvidence,
    /// No algorithm that the mechanism has hardware for can be faster, all collectives.
    pub bound_cycles: u64,
    /// `cycles / bound_cycles`.
    pub cycles_over_bound: f64,
    /// Time of the collectives at the clock of the network.
    pub collectives_us: f64,
    /// Time of the whole workload.
    pub time_us: f64,
    /// Time of the whole workload at the clock that the critical path allows, if that is slower; absent where no path is known.
    pub time_at_path_us: Option<f64>,
    /// Time of collectives in software divided by that of these.
    pub collectives_speedup: f64,
    /// Time of the whole workload in software divided by this one.
    pub speedup: f64,
    /// Energy of the collectives by S1's table; absent of core tiles, and where events were not counted.
    pub energy_uj: Option<f64>,
    /// Area of a tile's routers and of what endpoints have in addition; absent where it was not synthesised.
    pub area: Option<AdviceArea>,
    /// Critical path; absent where it was not synthesised.
    pub path: Option<AdvicePath>,
    /// Of what deadlock freedom is proved.
    pub deadlock_freedom: DeadlockFreedom,
    /// What a reader should know of area and path.
    pub remark: String,
}

/// A collective of a workload with a mechanism.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdvicePart {
    /// Step of the workload.
    pub step: String,
    /// Collective and payload.
    pub call: String,
    /// How often.
    pub count: u64,
    /// Algorithm with its parameters, as `noccl compare --algorithms` takes it; `auto` where none was looked for.
    pub algorithm: String,
    /// Cycles of one call.
    pub cycles: u64,
    /// What says so.
    pub evidence: AdviceEvidence,
    /// How far an estimate may be off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Were the bytes of the run compared?
    pub verified: Verified,
    /// Energy of one call.
    pub energy_pj: Option<f64>,
    /// The command that simulates it.
    pub command: String,
}

/// What says how many cycles something takes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AdviceEvidence {
    /// A run, cycle by cycle, with the bytes of all outputs compared.
    Simulated,
    /// The model, whose error stands beside the number.
    Estimated,
    /// The bound of all algorithms, which already is slower than another mechanism: it takes at least so long.
    Bound,
}

/// Of what it is proved that nobody waits in a circle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeadlockFreedom {
    /// Of the network, whatever is in flight together.
    AnyTraffic,
    /// Of each schedule here, alone.
    TheseSchedules,
}

impl DeadlockFreedom {
    /// As tables show it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::AnyTraffic => "proved",
            Self::TheseSchedules => "checked",
        }
    }
}

/// Which mechanism wins, and what would change that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdviceConclusion {
    /// The fastest; of several that are equally fast the first of the table.
    pub fastest: Mechanism,
    /// Does it gain at least 2 % of the whole workload?
    pub is_worth_it: bool,
    /// In words.
    pub sentence: String,
    /// At which numbers it would be another one.
    pub changes: Vec<String>,
}
