// SPDX-License-Identifier: Apache-2.0
//! State of the machine below the agents.
//!
//! Every field is named, so that a new one has to be sorted in: stored, or left out for a reason.

use super::{CheckpointError, Reader, Writer};
use crate::endpoint::memory::MemorySystem;
use crate::endpoint::torrent::TorrentSlot;
use crate::kernel::saved_form::Sorted;
use crate::machine::{Checks, Clock, Machine};
use std::io::{Read, Write};

/// Appends a machine's state to a checkpoint.
pub(crate) fn save_machine<W: Write>(
    machine: &Machine<'_>,
    to: &mut Writer<W>,
) -> Result<(), CheckpointError> {
    let Machine {
        // What the run is of, and what follows from it.
        network: _,
        config: _,
        behaviour: _,
        beat: _,
        // Only looks on.
        recorder: _,
        observer: _,
        // Of open-loop traffic, which has no checkpoints.
        sources: _,
        clock,
        mesh,
        interfaces,
        memory,
        errors,
        torrents,
        checks,
        done,
    } = machine;
    let (cycle, last_progress, wheel) = clock.state();
    let (nis, sending, own_responses, txns) = interfaces.state();
    let (memories, pool, atomics) = memory.state();
    let Checks {
        counters,
        checksum,
        wrong_beats,
    } = checks;
    let (planes, fpu_busy_until) = mesh.state();
    to.put(&(cycle, last_progress, txns, pool, memories))?;
    to.put(&(Sorted(atomics), nis, sending, wheel, done))?;
    to.put(&(counters, fpu_busy_until, checksum, wrong_beats, errors))?;
    to.put(own_responses)?;
    to.put(&torrents.as_ref().map(|t| &t.places))?;
    planes.iter().try_for_each(|plane| plane.save(to))
}

/// Replaces the state of a new machine by that of a checkpoint.
pub(crate) fn restore_machine<R: Read>(
    machine: &mut Machine<'_>,
    from: &mut Reader<R>,
) -> Result<(), CheckpointError> {
    let tiles = machine.network.num_tiles();
    let (cycle, last_progress, txns, pool, memories) = from.take()?;
    let (atomics, nis, sending, wheel, done) = from.take()?;
    (
        machine.checks.counters,
        machine.mesh.fpu_busy_until,
        machine.checks.checksum,
        machine.checks.wrong_beats,
        machine.errors,
    ) = from.take()?;
    let own_responses = from.take()?;
    machine.clock = Clock::saved(cycle, last_progress, wheel);
    machine
        .interfaces
        .restore(nis, sending, own_responses, txns);
    machine.memory = MemorySystem::saved(memories, pool, atomics);
    if machine.memory.pool.beat() != machine.beat {
        return Err(CheckpointError::damaged("it is of another wide beat"));
    }
    machine.done = done;
    let places: Option<Vec<TorrentSlot>> = from.take()?;
    match (&mut machine.torrents, places) {
        (Some(own), Some(saved)) if saved.len() == tiles => own.places = saved,
        (None, None) => {}
        (Some(_), _) | (None, Some(_)) => {
            return Err(CheckpointError::damaged("it is of other endpoints"));
        }
    }
    if machine.interfaces.nis.len() != tiles || machine.mesh.fpu_busy_until.len() != tiles {
        return Err(CheckpointError::damaged("it is of another number of tiles"));
    }
    let mut planes = machine.mesh.planes.iter_mut();
    planes.try_for_each(|plane| plane.restore(from))
}
