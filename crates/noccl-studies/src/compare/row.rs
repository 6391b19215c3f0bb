// SPDX-License-Identifier: Apache-2.0
//! What `compare` is asked and what it returns.

use super::inputs::Synchronisation;
use crate::runs::LinkFlits;
use crate::{Error, NoiseRequest, NoiseStatistics, Verified};
use noccl_coll::{Algorithm, Choice, CollError};
use noccl_net::{TileRef, TileSet};
use noccl_run::{gb_per_s, time_ns};
use noccl_workload::{CollectiveKind, Definition, ElementType, Lengths, Operator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What says how long a schedule takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// The simulator, cycle by cycle.
    Sim,
    /// The analytic model.
    Model,
}

const fn simulated() -> Backend {
    Backend::Sim
}

/// Which algorithm to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AlgorithmRequest {
    /// The one that the model expects to be fastest, with its parameters.
    Auto,
    /// The best parameters are searched; a chain of one chunk makes a row of its own.
    Search(Algorithm),
    /// Exactly this one.
    Fixed(Choice),
}

/// One comparison: a collective at several sizes, by several algorithms.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareRequest {
    /// Which collective.
    pub collective: CollectiveKind,
    /// Participants.
    pub group: TileSet,
    /// Root; `None` for the paper's choice.
    pub root: Option<TileRef>,
    /// Payload sizes; ignored by a barrier, which has no payload.
    pub bytes: Vec<u64>,
    /// Algorithms; empty for all.
    pub algorithms: Vec<AlgorithmRequest>,
    /// Operator of what is reduced.
    pub operator: Operator,
    /// Element type of what is reduced.
    pub element: ElementType,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Report the load of every link, not only of the busiest.
    pub has_links: bool,
    /// On core tiles: no message of a round begins before all earlier rounds have come.
    pub is_lock_step: bool,
    /// Lengths of an all-to-all's blocks, if they differ; none is longer than the only size.
    pub lengths: Option<Lengths>,
    /// What a custom collective asks for; its sizes are those of a chunk.
    pub definition: Option<Box<Definition>>,
    /// Runs under noise beside the verified one.
    pub noise: Option<NoiseRequest>,
    /// What of a comparison of all algorithms is simulated.
    pub extent: Extent,
}

/// What of a comparison of all algorithms is simulated. Algorithms that are asked for by name always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Everything.
    All,
    /// Whatever may be the fastest, and all else where that costs little; software that surely loses has an estimate in place of a run.
    MayWin,
}

impl CompareRequest {
    /// Is something reduced, so that operator and element matter?
    pub(crate) fn reduces(&self) -> bool {
        self.collective.reduces() || self.definition.as_ref().is_some_and(|d| d.reduces())
    }

    /// FP64 sums (where there is something to sum), every algorithm, the paper's root, seed 1.
    #[must_use]
    pub const fn new(collective: CollectiveKind, group: TileSet, bytes: Vec<u64>) -> Self {
        Self {
            collective,
            group,
            root: None,
            bytes,
            algorithms: Vec::new(),
            operator: Operator::Sum,
            element: ElementType::Fp64,
            seed: 1,
            has_links: false,
            is_lock_step: false,
            lengths: None,
            definition: None,
            noise: None,
            extent: Extent::All,
        }
    }
}

/// Within which cycles a run of an estimated row is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EstimateRange {
    /// Not fewer.
    pub least_cycles: u64,
    /// Not more.
    pub most_cycles: u64,
}

/// How far a floating-point sum may be from the exact one, and how far it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SumError {
    /// Largest |result - exact| over all elements, as a fraction of that element's bound; at most 1 if right.
    pub largest_of_bound: f64,
    /// Additions on the longest path that the bound allows for.
    pub additions: u32,
}

/// One measured algorithm at one size.
///
/// Cycles run from the start of the first transfer (of a barrier: the first arrival) to the last participant's
/// last instruction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareRow {
    /// Name of the network.
    pub network: String,
    /// Fields that were set beside the spec's file, by their dotted paths; `network` names them too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<String, String>,
    /// What says so; rows of older files come from the simulator.
    #[serde(default = "simulated")]
    pub backend: Backend,
    /// Which collective.
    pub collective: CollectiveKind,
    /// Name of the algorithm; `in_network` appears in the names of in-network algorithms only.
    pub algorithm: String,
    /// Operator; absent where nothing is reduced.
    pub operator: Option<Operator>,
    /// Element type; absent where nothing is reduced.
    pub element: Option<ElementType>,
    /// Parameters of the algorithm, e.g. `chunks`.
    pub parameters: BTreeMap<String, String>,
    /// Payload per participant.
    pub bytes: u64,
    /// Participants.
    pub group: String,
    /// Number of participants.
    pub num_participants: u32,
    /// Root.
    pub root: String,
    /// Runtime.
    pub cycles: u64,
    /// Of a row that is estimated because the algorithm surely loses: within which cycles its run would be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<EstimateRange>,
    /// Clock of the network; 0 in rows of before.
    #[serde(default)]
    pub clock_ghz: f64,
    /// `cycles` at this clock.
    #[serde(default)]
    pub time_ns: f64,
    /// `bytes` by this time (10^9 bytes per second); absent of a barrier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload_gb_per_s: Option<f64>,
    /// No algorithm can be faster on this network: serialisation of the payload plus the zero-load
    /// latency of the longest path.
    pub lower_bound_cycles: u64,
    /// No algorithm can be faster in which the network neither forks nor adds: data go from one place to one place, and cores add.
    /// Rows of before have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_bound_cycles: Option<u64>,
    /// Serialisation of the payload alone.
    pub payload_bound_cycles: u64,
    /// Of an all-to-all of cores in which each block is a message of its own: words over the busiest link. Other algorithms may be below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_bound_cycles: Option<u64>,
    /// The same: cycles of a core for its messages in both directions. The larger of the two is the bound of such an exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_bound_cycles: Option<u64>,
    /// `cycles / lower_bound_cycles`.
    pub cycles_over_lower_bound: f64,
    /// Cycles of the fastest software algorithm of this comparison at this size, divided by these
    /// cycles; absent if no software algorithm was compared.
    pub speedup_over_best_software: Option<f64>,
    /// Energy of the counted events; absent of core tiles, which have no cost per event.
    pub energy_pj: Option<f64>,
    /// Runtimes under noise, if they are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<NoiseStatistics>,
    /// Cycles in which words could not go on over a link between routers, over all links; of core tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_link_cycles: Option<u64>,
    /// Link with most flits; absent if no flit left its tile.
    pub busiest_link: Option<LinkFlits>,
    /// Is every output bit-exact to the fold in the schedule's order and to what the collective means? Of a barrier,
    /// which has no outputs: did the run complete that the checker has proved? Rows of the model are not checked: no
    /// bytes move there.
    pub verified: Verified,
    /// Distance to the exact sum; only for sums of floating-point numbers.
    pub sum_error: Option<SumError>,
    /// What a member waits for, in addition to reductions in the network. Absent in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synchronisation: Option<Synchronisation>,
    /// Is it an algorithm in which the network multicasts, reduces or merges a barrier?
    pub is_in_network: bool,
    /// Columns and rows of the mesh.
    pub mesh: [u16; 2],
    /// Clusters on the mesh: x and y of the south-west one, columns, rows.
    pub cluster_region: [u16; 4],
    /// Load of every used link; empty unless asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkFlits>,
}

impl CompareRow {
    /// Sets the runtime and all that follows from it alone.
    pub(super) fn set_cycles(&mut self, cycles: u64) {
        let clock_ghz = self.clock_ghz;
        let has_rate = self.bytes > 0 && cycles > 0;
        self.cycles = cycles;
        self.time_ns = time_ns(cycles as f64, clock_ghz);
        self.payload_gb_per_s =
            has_rate.then(|| gb_per_s(self.bytes as f64 / cycles as f64, clock_ghz));
        self.cycles_over_lower_bound = cycles as f64 / self.lower_bound_cycles.max(1) as f64;
    }
}

/// Reads `all`, or a list such as `chain,tree:4,in_network`; a name alone searches the best parameters,
/// a name with parameters (as [`Choice`] reads them) fixes them; `auto` is what the model expects to be fastest.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
pub fn parse_algorithms(text: &str) -> Result<Vec<AlgorithmRequest>, Error> {
    if text == "all" {
        return Ok(Vec::new());
    }
    text.split(',')
        .map(|name| parse_algorithm("--algorithms", name.trim(), "; or all, or auto"))
        .collect()
}

/// As [`parse_algorithms`], where there is one; `argument` names it in errors.
///
/// # Errors
/// As [`parse_algorithms`]; for a list, and for `all`.
pub fn parse_one_algorithm(argument: &str, text: &str) -> Result<AlgorithmRequest, Error> {
    if text == "all" || text.contains(',') {
        let accepted = "accepted: one algorithm, e.g. in_network or chain:8, or auto";
        return Err(Error::argument(argument, text, accepted));
    }
    parse_algorithm(argument, text.trim(), "; or auto")
}

fn parse_algorithm(argument: &str, text: &str, others: &str) -> Result<AlgorithmRequest, Error> {
    let read = || {
        if text == "auto" {
            Ok(AlgorithmRequest::Auto)
        } else if text.contains(':') {
            Ok(AlgorithmRequest::Fixed(text.parse()?))
        } else {
            Ok(AlgorithmRequest::Search(text.parse()?))
        }
    };
    read().map_err(|e: CollError| Error::argument(argument, text, format!("{e}{others}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_reads_back_from_its_name() {
        for algorithm in Algorithm::ALL {
            assert_eq!(
                parse_algorithms(algorithm.name()),
                Ok(vec![AlgorithmRequest::Search(algorithm)])
            );
        }
        let fixed = Choice::new(Algorithm::Chain, 8);
        assert_eq!(
            parse_algorithms("in_network, chain:8"),
            Ok(vec![
                AlgorithmRequest::Search(Algorithm::InNetwork),
                AlgorithmRequest::Fixed(fixed)
            ])
        );
    }

    #[test]
    fn unknown_algorithms_are_refused_with_the_known_names() {
        for text in ["", "star", "chain,,tree"] {
            let message = parse_algorithms(text).unwrap_err().to_string();
            assert!(message.contains("in_network"), "{message}");
        }
        assert!(parse_algorithms("chain:0").is_err());
    }
}
