// SPDX-License-Identifier: Apache-2.0
//! Runs on the caller's own bytes.

use crate::runs::Session;
use crate::{Error, Verified};
use noccl_net::Network;
use noccl_run::{MAX_VALUE_BYTES, MemoryImage, Mode, RunConfig, RunResult, Tally, Watch};
use noccl_workload::{Place, Schedule, interpret};

/// Runs a schedule on the caller's own inputs and returns the requested memory beside the timing.
///
/// # Errors
/// [`Error::Check`] if the checker refuses the schedule, [`Error::Argument`] for places outside the memories, [`Error::Run`] if the
/// run cannot finish.
pub fn run_values(
    network: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
    config: &RunConfig,
    watch: Watch<'_>,
) -> Result<RunResult, Error> {
    noccl_workload::check(network, schedule)?;
    check_values(network, inputs, outputs)?;
    let mut session = Session::<RunResult>::begin(None)?;
    Tally::run_actions(watch, |on_progress| {
        session.simulate(network, schedule, inputs, outputs, config, on_progress)
    })
}

/// Compares what a run has left at the requested places with what the reference interpreter leaves there. Of a run that moved no bytes
/// nothing is compared.
///
/// # Errors
/// As [`run_values`].
pub fn verify_values(
    network: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    (result, mode): (&RunResult, Mode),
) -> Result<Verified, Error> {
    if mode == Mode::Timing {
        return Ok(Verified::NotChecked);
    }
    let place = |image: &MemoryImage| Place {
        tile: image.tile,
        offset: image.offset,
    };
    let given: Vec<(Place, &[u8])> = inputs
        .iter()
        .map(|image| (place(image), image.bytes.as_slice()))
        .collect();
    let memories = interpret(network, schedule, &given)?;
    let is_right = |image: &MemoryImage| {
        memories
            .read(place(image), image.bytes.len() as u64)
            .as_ref()
            == Some(&image.bytes)
    };
    Ok(Verified::compared(result.memory.iter().all(is_right)))
}

/// Are the caller's inputs and outputs in the memories, and small enough for the host?
fn check_values(
    network: &Network,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
) -> Result<(), Error> {
    let of_input = |i: &MemoryImage| ("inputs", i.tile, i.offset, i.bytes.len() as u64);
    let of_output = |(at, bytes): &(Place, u64)| ("outputs", at.tile, at.offset, *bytes);
    let all = inputs.iter().map(of_input);
    let mut total_bytes = 0_u64;
    for (name, tile, offset, bytes) in all.chain(outputs.iter().map(of_output)) {
        let found = || format!("{bytes} bytes from {offset} in {tile}");
        let Some(id) = network.find(tile) else {
            return Err(Error::argument(
                name,
                found(),
                "accepted: tiles of the network",
            ));
        };
        let (field, memory_bytes) = (network.memory_field(id), network.memory_bytes(id));
        if offset
            .checked_add(bytes)
            .is_none_or(|end| end > memory_bytes)
        {
            let accepted =
                format!("accepted: ranges inside its memory ({field} = {memory_bytes} bytes)");
            return Err(Error::argument(name, found(), accepted));
        }
        total_bytes = total_bytes.saturating_add(bytes);
    }
    if total_bytes <= MAX_VALUE_BYTES {
        return Ok(());
    }
    let accepted = format!("accepted: at most {MAX_VALUE_BYTES} bytes together");
    Err(Error::argument("inputs and outputs", total_bytes, accepted))
}
