// SPDX-License-Identifier: Apache-2.0
//! State of the machine below the agents.
//!
//! Every field is named, so that a new one has to be sorted in: stored, or left out for a reason.

use super::{CheckpointError, Reader, Writer};
use crate::endpoint::memory::MemorySystem;
use crate::endpoint::torrent::TorrentSlot;
use crate::kernel::saved_form::Sorted;
use crate::machine::{Checks, Clock, Machine};
use crate::ni::axi::state::Interfaces;
use std::io::{Read, Write};

impl Machine<'_> {
    pub(crate) fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self {
            // What the run is of, and what follows from it.
            network: _,
            config: _,
            behaviour: _,
            beat: _,
            // Only looks on.
            recorder: _,
            // Of open-loop traffic, which has no checkpoints.
            sources: _,
            clock,
            mesh,
            interfaces,
            memory,
            txns,
            errors,
            torrents,
            checks,
            done,
        } = self;
        let (cycle, last_progress, wheel) = clock.state();
        let (nis, injecting, own_responses) = interfaces.state();
        let (memories, pool, atomics) = memory.state();
        let Checks {
            counters,
            checksum,
            wrong_beats,
        } = checks;
        let (planes, fpu_busy_until) = mesh.state();
        to.put(&(cycle, last_progress, txns, pool, memories))?;
        to.put(&(Sorted(atomics), nis, injecting, wheel, done))?;
        to.put(&(counters, fpu_busy_until, checksum, wrong_beats, errors))?;
        to.put(own_responses)?;
        to.put(&torrents.as_ref().map(|t| &t.places))?;
        planes.iter().try_for_each(|plane| plane.save(to))
    }

    /// Takes the place of a new machine's state.
    pub(crate) fn restore<R: Read>(&mut self, from: &mut Reader<R>) -> Result<(), CheckpointError> {
        let tiles = self.network.num_tiles();
        let (cycle, last_progress, txns, pool, memories) = from.take()?;
        let (atomics, nis, injecting, wheel, done) = from.take()?;
        (
            self.checks.counters,
            self.mesh.fpu_busy_until,
            self.checks.checksum,
            self.checks.wrong_beats,
            self.errors,
        ) = from.take()?;
        let own_responses = from.take()?;
        self.clock = Clock::saved(cycle, last_progress, wheel);
        self.interfaces = Interfaces::saved(nis, injecting, own_responses);
        self.memory = MemorySystem::saved(memories, pool, atomics);
        if self.memory.pool.beat() != self.beat {
            return Err(CheckpointError::damaged("it is of another wide beat"));
        }
        (self.txns, self.done) = (txns, done);
        let places: Option<Vec<TorrentSlot>> = from.take()?;
        match (&mut self.torrents, places) {
            (Some(own), Some(saved)) if saved.len() == tiles => own.places = saved,
            (None, None) => {}
            (Some(_), _) | (None, Some(_)) => {
                return Err(CheckpointError::damaged("it is of other endpoints"));
            }
        }
        if self.interfaces.nis.len() != tiles || self.mesh.fpu_busy_until.len() != tiles {
            return Err(CheckpointError::damaged("it is of another number of tiles"));
        }
        let mut planes = self.mesh.planes.iter_mut();
        planes.try_for_each(|plane| plane.restore(from))
    }
}
