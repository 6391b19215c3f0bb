// SPDX-License-Identifier: Apache-2.0
//! Collectives of the library, and the algorithms that do the same on modelled cores.

use super::CoreCostRow;
use crate::compare::{collective_of, runtime_cycles};
use crate::{CompareRequest, Error, parse_group};
use noccl_coll::Choice;
use noccl_net::{Network, elaborate};
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::run_schedule;
use noccl_spec::{Core, Spec};
use noccl_workload::{CollectiveKind, Schedule};

/// A collective of the library, measured on executed cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutedCase {
    /// Columns and rows of the rectangle of ranks.
    pub mesh: (u32, u32),
    /// Name of the function, without `nm_`.
    pub function: String,
    /// Payload or block.
    pub bytes: u64,
    /// From when all ranks begin to when the last one ends.
    pub cycles: u64,
    /// Are constants fitted to it?
    pub is_fitted: bool,
}

/// Functions of the library, with the algorithm of each: the same messages in the same order.
const SAME: [(&str, CollectiveKind, &str); 6] = [
    ("barrier", CollectiveKind::Barrier, "tree:neighbour"),
    ("broadcast", CollectiveKind::Multicast, "in_network_static"),
    ("reduce", CollectiveKind::Reduce, "row_column:1:direct"),
    (
        "all_reduce",
        CollectiveKind::AllReduce,
        "row_column:1:direct",
    ),
    ("all_to_all", CollectiveKind::AllToAll, "torus:lag=1"),
    (
        "all_to_all_rounds",
        CollectiveKind::AllToAll,
        "rounds:split",
    ),
];

/// The same on modelled cores.
pub(super) struct Modelled<'e> {
    pub executed: &'e ExecutedCase,
    algorithm: &'static str,
    spec: Spec,
    schedule: Schedule,
}

impl<'e> Modelled<'e> {
    pub fn new(spec: &Spec, executed: &'e ExecutedCase) -> Result<Self, Error> {
        let found = SAME.iter().find(|(name, ..)| *name == executed.function);
        let Some((_, kind, algorithm)) = found else {
            let names: Vec<&str> = SAME.iter().map(|(name, ..)| *name).collect();
            let accepted = format!("accepted: {}", names.join(", "));
            return Err(Error::argument("function", &executed.function, accepted));
        };
        let mut spec = spec.clone();
        (spec.mesh.width, spec.mesh.height) = executed.mesh;
        let network = elaborate(&spec)?;
        let group = parse_group(&network, "all")?;
        let request = CompareRequest::new(*kind, group, vec![executed.bytes]);
        let mut collective = collective_of(&network, &request, executed.bytes)?;
        if *kind == CollectiveKind::Multicast {
            // In place, as the function: else the root copies its own part.
            collective.output_offset = collective.input_offset;
        }
        let choice: Choice = algorithm.parse()?;
        let schedule = noccl_coll::schedule(&network, &collective, choice)?;
        noccl_workload::check(&network, &schedule)?;
        Ok(Self {
            executed,
            algorithm,
            spec,
            schedule,
        })
    }

    /// Cycles with these costs.
    pub fn cycles(&self, core: &Core, tally: &Tally<'_>) -> Result<u64, Error> {
        let mut spec = self.spec.clone();
        if let Some(tiles) = spec.cores_mut() {
            tiles.core = core.clone();
        }
        let network: Network = elaborate(&spec)?;
        let config = RunConfig::new(Mode::Timing);
        let result =
            tally.run(|watch| run_schedule(&network, &self.schedule, &[], &[], &config, watch))?;
        Ok(runtime_cycles(Some(&self.schedule), &result.actions))
    }

    pub fn row(&self, core: &Core, tally: &Tally<'_>) -> Result<CoreCostRow, Error> {
        let modelled_cycles = self.cycles(core, tally)?;
        let executed_cycles = self.executed.cycles;
        Ok(CoreCostRow {
            mesh: format!("{}x{}", self.executed.mesh.0, self.executed.mesh.1),
            function: self.executed.function.clone(),
            algorithm: self.algorithm.to_owned(),
            bytes: self.executed.bytes,
            executed_cycles,
            modelled_cycles,
            deviation: modelled_cycles as f64 / executed_cycles.max(1) as f64 - 1.0,
            is_fitted: self.executed.is_fitted,
        })
    }
}
