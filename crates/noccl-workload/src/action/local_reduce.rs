// SPDX-License-Identifier: Apache-2.0
//! A fold by the cores of one cluster.

use super::class::{Agent, Completion, Effect, Kind, Need, Waits};
use crate::check::{At, MAX_CYCLES, check_fits, check_multiple, check_operator};
use crate::{CheckError, ElementType, Operator};
use noccl_net::deadlock::Work;
use noccl_net::{Network, TileId, TileRef, TypedNetwork};
use noccl_spec::Cluster;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `output[i] = inputs[0][i] op inputs[1][i] op …`, reduced from the left, by the cores of one cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocalReduce {
    /// Cluster.
    pub tile: TileRef,
    /// Offsets of the operands, at least one.
    pub inputs: Vec<u64>,
    /// Offset of the result; may equal an input.
    pub output: u64,
    /// Bytes; zero is a no-op.
    pub bytes: u64,
    /// Operator.
    pub operator: Operator,
    /// Element type.
    pub element: ElementType,
}

impl<'a> Kind<'a> for &'a LocalReduce {
    fn name(&self) -> &'static str {
        "local_reduce"
    }

    fn words(&self) -> &'static str {
        "local reduce"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        network.find(self.tile).into_iter().collect()
    }

    fn agent(&self) -> Agent {
        Agent::Compute
    }

    fn completion(&self) -> Completion {
        Completion::AtOnce
    }

    fn waits(&self) -> Waits {
        Waits::Nobody
    }

    fn needs(&self) -> Need {
        Need::Core
    }

    fn effect(&self) -> Effect<'a> {
        Effect::LocalFold(self)
    }

    fn sent_bytes(&self, _: &Network) -> u64 {
        0
    }

    fn work(&self, _: &Network) -> Option<Work> {
        None
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        let tile = at.cluster("tile", self.tile)?;
        at.computes("tile", self.tile)?;
        check_operator(at.field("operator"), self.operator, self.element)?;
        check_multiple(at.field("bytes"), self.bytes, self.element)?;
        check_multiple(at.field("output"), self.output, self.element)?;
        if self.inputs.is_empty() {
            return at.fail("inputs", "[]", "at least one operand");
        }
        fold_cycles(at, self)?;
        let end = |offset: u64| u128::from(offset) + u128::from(self.bytes);
        for (i, input) in self.inputs.iter().enumerate() {
            let name = || format!("inputs[{i}]");
            if !input.is_multiple_of(self.element.bytes()) {
                check_multiple(at.field(&name()), *input, self.element)?;
            }
            check_fits(at.network, || at.field(&name()), tile, end(*input))?;
            if *input != self.output && input.abs_diff(self.output) < self.bytes {
                return at.fail(
                    &name(),
                    input,
                    "equal to `output` or at least `bytes` away from it",
                );
            }
        }
        at.fits("output", tile, end(self.output))
    }
}

/// Cores fold so many beats, or elements, at the speed that the spec gives.
fn fold_cycles(at: &At<'_>, reduce: &LocalReduce) -> Result<(), CheckError> {
    let (units, millicycles, speed) = match at.network.by_tiles() {
        TypedNetwork::Cores(cores) => {
            let cycles = cores.core.combine_cycles;
            let elements = reduce.bytes / reduce.element.bytes();
            let speed = format!("core.combine_cycles = {cycles}");
            (elements, 1000 * u128::from(cycles), speed)
        }
        TypedNetwork::Axi(network) => {
            let millicycles = network.axi().cluster.compute_millicycles_per_beat;
            let beats = reduce.bytes.div_ceil(Cluster::COMPUTE_BEAT_BYTES);
            let speed = format!("cluster.compute_millicycles_per_beat = {millicycles}");
            (beats, u128::from(millicycles), speed)
        }
    };
    let combined = u128::from(units) * reduce.inputs.len() as u128;
    if combined * millicycles <= u128::from(MAX_CYCLES) * 1000 {
        return Ok(());
    }
    let accepted = format!("what cores fold in 2^48 cycles at {speed}");
    at.fail("bytes", reduce.bytes, &accepted)
}
