// SPDX-License-Identifier: Apache-2.0
//! What a run is of, as a checkpoint says it: a digest per part.

use super::error::{CheckpointError, Part};
use super::file::Hashed;
use crate::router::udn::ExecutedRequest;
use noccl_run::{MemoryImage, Request, RunConfig};
use serde::{Deserialize, Serialize};
use std::io::{BufWriter, Sink, Write, sink};

/// SHA-256 of everything that a run's result follows from.
///
/// The number of threads is not in it: a run may go on with another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity(Vec<(Part, [u8; 32])>);

impl Identity {
    /// The identity of a schedule's run.
    #[must_use]
    pub fn of(request: &Request<'_>) -> Self {
        let Request {
            network,
            schedule,
            inputs,
            config,
        } = request;
        let RunConfig {
            mode,
            stall_seed,
            stalls,
            port_stall_per_256,
            max_cycles,
            stall_cycles,
            // Of schedules on core tiles, whose runs cannot be saved.
            is_lock_step: _,
            noise_seed: _,
            start_skew_cycles: _,
            threads: _,
        } = config;
        let stalls = format!("{stall_seed} {stalls:?} {port_stall_per_256}");
        Self(vec![
            (Part::Spec, of_json(network.spec())),
            (Part::Schedule, of_json(schedule)),
            (Part::Mode, of_json(&format!("{mode:?}"))),
            (Part::Stalls, of_json(&stalls)),
            (Part::Limits, of_limits(*max_cycles, *stall_cycles)),
            (Part::Inputs, of_inputs(inputs)),
        ])
    }

    /// The identity of a compiled program's run.
    #[must_use]
    pub fn of_program(request: &ExecutedRequest<'_>) -> Self {
        let ExecutedRequest {
            network,
            program,
            places,
            memory_bytes,
            config,
            // Only what is told of the run depends on it.
            has_times: _,
        } = request;
        let RunConfig {
            max_cycles,
            stall_cycles,
            // Executing cores have nothing of these.
            mode: _,
            stall_seed: _,
            stalls: _,
            port_stall_per_256: _,
            is_lock_step: _,
            noise_seed: _,
            start_skew_cycles: _,
            threads: _,
        } = config;
        Self(vec![
            (Part::Spec, of_json(network.spec())),
            (Part::Program, of_json(program.image())),
            (Part::Ranks, of_json(places)),
            (Part::Costs, of_json(program.costs())),
            (Part::Memory, of_json(memory_bytes)),
            (Part::Limits, of_limits(*max_cycles, *stall_cycles)),
        ])
    }

    /// Are both of the same run?
    ///
    /// # Errors
    /// [`CheckpointError::Differs`] with the first part that is not the same.
    pub fn compare(&self, other: &Self) -> Result<(), CheckpointError> {
        let parts = |of: &Self| of.0.iter().map(|(part, _)| *part).collect::<Vec<_>>();
        if parts(self) != parts(other) {
            return Err(CheckpointError::Differs(Part::Kind));
        }
        let different = self.0.iter().zip(&other.0).find(|(own, of)| own != of);
        different.map_or(Ok(()), |((part, _), _)| {
            Err(CheckpointError::Differs(*part))
        })
    }
}

fn of_limits(max_cycles: u64, stall_cycles: u64) -> [u8; 32] {
    of_json(&format!("{max_cycles} {stall_cycles}"))
}

fn of_inputs(inputs: &[MemoryImage]) -> [u8; 32] {
    let mut hashed = Hashed::new(sink());
    for MemoryImage {
        tile,
        offset,
        bytes,
    } in inputs
    {
        let place = format!("{tile} {offset} {} ", bytes.len());
        let written = hashed.write_all(place.as_bytes());
        written.and_then(|()| hashed.write_all(bytes)).expect(SINK);
    }
    hashed.digest()
}

const SINK: &str = "a hash takes any bytes";

/// SHA-256 of the JSON form.
fn of_json(value: &(impl Serialize + ?Sized)) -> [u8; 32] {
    let mut buffer: BufWriter<Hashed<Sink>> = BufWriter::new(Hashed::new(sink()));
    serde_json::to_writer(&mut buffer, value).expect("artefacts have a JSON form");
    let hashed = buffer.into_inner();
    hashed.expect(SINK).digest()
}
