// SPDX-License-Identifier: Apache-2.0
//! Verilated Torrent endpoints behind their C functions (`rtl/cosim/noccl_torrent_cosim.cpp`).
#![allow(unsafe_code)]

use super::error::LockstepError;
use crate::verilated::{Handle, Opening, Verilated};
use std::path::Path;

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
