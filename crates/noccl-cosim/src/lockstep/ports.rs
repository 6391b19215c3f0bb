// SPDX-License-Identifier: Apache-2.0
//! Lock-step of Verilated Torrent endpoints with a record of their AXI ports.
//!
//! The hardware gets the same memories, chains and standstills in the same cycles. Everything else it must do by itself: in
//! every cycle the same halves of the same handshakes at every port, the same words and beats, and the same memories at
//! the end.
#![allow(unsafe_code)]

use super::comparison::LockstepError;
use super::comparison::PortDivergence;
use crate::verilated::{Handle, LIBRARY_FILE, Opening, Verilated};
use noccl_run::{CHANNELS, CONTENTS, PortCycle, PortRun, PortWord, place_of};
use std::path::Path;

/// Endpoints of the library.
const ENDPOINTS: usize = 9;
/// Numbers that are compared, and the word of a memory behind them.
const COMPARED: usize = CHANNELS.len() + CONTENTS.len() * ENDPOINTS;

/// Inputs, in the order of `noccl_torrent_cosim.sv`.
const HOLDS: usize = 0;
const STARTS: usize = 3;
const FRAMES: usize = 4;
const HOST_WRITES: usize = 7;
const HOST_TILE: usize = 8;
const INPUTS: usize = 11;

/// Torrent endpoints in lock-step.
pub struct PortsLockstep {
    model: PortsModel,
}

impl PortsLockstep {
    /// Opens the library in `directory`.
    ///
    /// # Errors
    /// [`LockstepError::Library`] if it is missing.
    pub fn open(directory: &Path) -> Result<Self, LockstepError> {
        let model = PortsModel::open(&directory.join(LIBRARY_FILE))?;
        Ok(Self { model })
    }

    /// Resets the endpoints and compares a run. Returns the handshakes compared.
    ///
    /// # Errors
    /// The first difference, or an assertion of the hardware that broke.
    pub fn follow(&mut self, run: &PortRun) -> Result<u64, LockstepError> {
        if run.endpoints != ENDPOINTS {
            let what = "a number of endpoints other than 9";
            return Err(LockstepError::Unsupported { cycle: 0, what });
        }
        self.reset();
        for word in &run.memory {
            self.fill(word);
        }
        let mut handshakes = 0;
        for (cycle, recorded) in run.cycles.iter().enumerate() {
            handshakes += self.step(cycle as u64, recorded)?;
        }
        let end = run.cycles.len() as u64;
        run.written
            .iter()
            .try_for_each(|word| self.check(end, word))?;
        Ok(handshakes)
    }

    fn reset(&mut self) {
        self.model.drive(INPUTS).fill(0);
        self.model.hardware.reset();
    }

    fn fill(&mut self, word: &PortWord) {
        let host = [1, word.endpoint.into(), word.word, word.value];
        self.model.drive(INPUTS)[HOST_WRITES..].copy_from_slice(&host);
        self.model.hardware.settle();
        self.model.hardware.tick();
        self.model.drive(INPUTS)[HOST_WRITES] = 0;
    }

    fn step(&mut self, cycle: u64, recorded: &PortCycle) -> Result<u64, LockstepError> {
        let drive = self.model.drive(INPUTS);
        drive[HOLDS..STARTS].copy_from_slice(&recorded.holds);
        drive[STARTS] = 0;
        if let Some([endpoint, frames, destinations, own]) = recorded.start {
            drive[STARTS] = 1 << endpoint;
            drive[FRAMES..HOST_WRITES].copy_from_slice(&[frames, destinations, own]);
        }
        self.model.hardware.settle();
        let seen = self.model.seen(COMPARED);
        let mut pairs = recorded.seen.iter().zip(seen).enumerate();
        if let Some((at, (recorded, hardware))) = pairs.find(|(_, (r, h))| r != h) {
            let (at, endpoint) = place_of(at, recorded ^ hardware);
            return Err(LockstepError::Ports(Box::new(PortDivergence {
                cycle,
                endpoint,
                at: at.to_owned(),
                recorded: *recorded,
                hardware: *hardware,
            })));
        }
        let is_taken =
            |(channel, _): &(&noccl_run::PortChannel, _)| channel.name.ends_with("taken");
        let taken = CHANNELS.iter().zip(seen).filter(is_taken);
        let handshakes = taken.map(|(_, bits)| u64::from(bits.count_ones())).sum();
        self.model.hardware.tick();
        match self.model.hardware.broken() {
            Some(what) => Err(LockstepError::Assertion { cycle, what }),
            None => Ok(handshakes),
        }
    }

    fn check(&mut self, cycle: u64, word: &PortWord) -> Result<(), LockstepError> {
        let place = [word.endpoint.into(), word.word];
        self.model.drive(INPUTS)[HOST_TILE..HOST_TILE + 2].copy_from_slice(&place);
        self.model.hardware.settle();
        let hardware = self.model.seen(COMPARED + 1)[COMPARED];
        if hardware == word.value {
            return Ok(());
        }
        Err(LockstepError::Ports(Box::new(PortDivergence {
            cycle,
            endpoint: word.endpoint as usize,
            at: format!("word {} of the memory", word.word),
            recorded: word.value,
            hardware,
        })))
    }
}

// Verilated Torrent endpoints behind their C functions (`rtl/cosim/noccl_torrent_cosim.cpp`).

/// Endpoints between crossbars.
pub(super) struct PortsModel {
    drive: *mut u64,
    seen: *const u64,
    pub(super) hardware: Verilated,
}

impl PortsModel {
    /// Opens a library.
    pub(super) fn open(path: &Path) -> Result<Self, LockstepError> {
        let opening = Opening::new(path)?;
        // SAFETY: the types are those of the functions in noccl_torrent_cosim.cpp.
        let (drive, seen) = unsafe {
            let drive: unsafe extern "C" fn(Handle) -> *mut u64 =
                opening.function(c"noccl_drive")?;
            let seen: unsafe extern "C" fn(Handle) -> *const u64 =
                opening.function(c"noccl_seen")?;
            (drive, seen)
        };
        let hardware = opening.begin()?;
        // SAFETY: signals of new hardware.
        let (drive, seen) = unsafe { (drive(hardware.handle()), seen(hardware.handle())) };
        Ok(Self {
            drive,
            seen,
            hardware,
        })
    }

    /// The first `count` inputs.
    pub(super) fn drive(&mut self, count: usize) -> &mut [u64] {
        // SAFETY: at least as many inputs, in the model.
        unsafe { std::slice::from_raw_parts_mut(self.drive, count) }
    }

    /// The first `count` outputs.
    pub(super) fn seen(&self, count: usize) -> &[u64] {
        // SAFETY: at least as many outputs, in the model.
        unsafe { std::slice::from_raw_parts(self.seen, count) }
    }
}
