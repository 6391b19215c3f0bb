// SPDX-License-Identifier: Apache-2.0
//! Checkpoints: the complete state of a run between two cycles, in a file that another process can go on from.
//!
//! A resumed run gives the result that the run would have given without the interruption, bit for bit. So
//! everything that a later cycle reads is in the file or follows from what the run is of (network,
//! schedule, options), and that is compared by digest ([`Identity`]) before anything is believed. The
//! bytes depend on the state alone: maps are written in the order of their keys.
//!
//! A file is believed only after its SHA-256 has been computed and compared ([`Reader::open`]); what it says of
//! lengths is compared with the network. `docs/formats/checkpoint.md` describes the format.

mod error;
mod file;
mod machine;

pub use error::{CheckpointError, Part};
pub use file::{FORMAT, Reader, Writer};

use file::Hashed;
use noccl_net::Network;
use noccl_run::{MemoryImage, RunConfig};
use noccl_workload::Schedule;
use serde::{Deserialize, Serialize};
use std::io::Write;

/// SHA-256 of everything that a run's result follows from.
///
/// The number of threads is not in it: a run may go on with another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    spec: [u8; 32],
    schedule: [u8; 32],
    inputs: [u8; 32],
    mode: [u8; 32],
    stalls: [u8; 32],
    limits: [u8; 32],
}

impl Identity {
    /// The identity of a run.
    #[must_use]
    pub fn of(
        network: &Network,
        schedule: &Schedule,
        inputs: &[MemoryImage],
        config: &RunConfig,
    ) -> Self {
        let RunConfig {
            mode,
            stall_seed,
            stalls,
            port_stall_per_256,
            max_cycles,
            stall_cycles,
            // Of core tiles, whose runs cannot be saved.
            is_lock_step: _,
            noise_seed: _,
            start_skew_cycles: _,
            threads: _,
        } = config;
        let stalls = format!("{stall_seed} {stalls:?} {port_stall_per_256}");
        let limits = format!("{max_cycles} {stall_cycles}");
        let mut of_inputs = Hashed::new(std::io::sink());
        for MemoryImage {
            tile,
            offset,
            bytes,
        } in inputs
        {
            let place = format!("{tile} {offset} {} ", bytes.len());
            let written = of_inputs.write_all(place.as_bytes());
            written
                .and_then(|()| of_inputs.write_all(bytes))
                .expect(SINK);
        }
        Self {
            spec: of_json(network.spec()),
            schedule: of_json(schedule),
            inputs: of_inputs.digest(),
            mode: of_json(&format!("{mode:?}")),
            stalls: of_json(&stalls),
            limits: of_json(&limits),
        }
    }

    /// Are both of the same run?
    ///
    /// # Errors
    /// [`CheckpointError::Differs`] with the first part that is not the same.
    pub fn compare(&self, other: &Self) -> Result<(), CheckpointError> {
        let parts = [
            (self.spec == other.spec, Part::Spec),
            (self.schedule == other.schedule, Part::Schedule),
            (self.mode == other.mode, Part::Mode),
            (self.stalls == other.stalls, Part::Stalls),
            (self.limits == other.limits, Part::Limits),
            (self.inputs == other.inputs, Part::Inputs),
        ];
        let different = parts.into_iter().find(|(is_same, _)| !is_same);
        different.map_or(Ok(()), |(_, part)| Err(CheckpointError::Differs(part)))
    }
}

const SINK: &str = "a hash takes any bytes";

/// SHA-256 of the JSON form.
fn of_json(value: &impl Serialize) -> [u8; 32] {
    let mut buffer = std::io::BufWriter::new(Hashed::new(std::io::sink()));
    serde_json::to_writer(&mut buffer, value).expect("artefacts have a JSON form");
    let hashed = buffer.into_inner();
    hashed.expect(SINK).digest()
}
