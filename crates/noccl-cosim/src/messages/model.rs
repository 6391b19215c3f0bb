// SPDX-License-Identifier: Apache-2.0
//! Verilated routers with bypass behind their C functions (`rtl/cosim/noccl_smart_cosim.cpp`).
#![allow(unsafe_code)]

use crate::lockstep::LockstepError;
use crate::verilated::{Handle, Opening, Verilated};
use std::ffi::c_int;
use std::path::Path;

/// Message classes, and mesh outputs.
pub(super) const CLASSES: usize = 3;
pub(super) const LINKS: usize = 4;

/// Where a flit of whole words stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub tile: usize,
    pub words: usize,
}

/// A mesh.
pub(super) struct MessageModel {
    in_valid: [*mut u64; CLASSES],
    in_ready: [*mut u64; CLASSES],
    out_ready: *mut u64,
    out_valid: *mut u64,
    crossing: [*mut u64; LINKS],
    in_flits: [*mut u32; CLASSES],
    out_flits: *mut u32,
    crossing_flits: [*mut u32; LINKS],
    pub(super) hardware: Verilated,
}

impl MessageModel {
    /// Opens a library and resets its mesh.
    pub(super) fn open(path: &Path) -> Result<Self, LockstepError> {
        let opening = Opening::new(path)?;
        // SAFETY: the types are those of the functions in noccl_smart_cosim.cpp.
        let (tiles, flits) = unsafe {
            let tiles: unsafe extern "C" fn(Handle, c_int) -> *mut u64 =
                opening.function(c"noccl_smart_tiles")?;
            let flits: unsafe extern "C" fn(Handle, c_int) -> *mut u32 =
                opening.function(c"noccl_smart_flits")?;
            (tiles, flits)
        };
        let hardware = opening.begin()?;
        let handle = hardware.handle();
        // SAFETY: the handle is live hardware, the signals are numbered as the functions' comments say.
        let (tiles, flits) = unsafe {
            (
                |signal| tiles(handle, signal),
                |signal| flits(handle, signal),
            )
        };
        let mut model = Self {
            in_valid: [0, 1, 2].map(tiles),
            in_ready: [3, 4, 5].map(tiles),
            out_ready: tiles(6),
            out_valid: tiles(7),
            crossing: [8, 9, 10, 11].map(tiles),
            in_flits: [0, 1, 2].map(flits),
            out_flits: flits(3),
            crossing_flits: [4, 5, 6, 7].map(flits),
            hardware,
        };
        model.drive([0; CLASSES], 0);
        model.hardware.reset();
        Ok(model)
    }

    /// Which queues offer a flit in this cycle, and which interfaces are granted one.
    pub(super) fn drive(&mut self, in_valid: [u64; CLASSES], out_ready: u64) {
        // SAFETY: the signals live as long as the model.
        unsafe {
            for (signal, tiles) in self.in_valid.into_iter().zip(in_valid) {
                *signal = tiles;
            }
            *self.out_ready = out_ready;
        }
    }

    /// Queues whose flit is taken.
    pub(super) fn in_ready(&self, class: usize) -> u64 {
        // SAFETY: as in `drive`.
        unsafe { *self.in_ready[class] }
    }

    /// Interfaces that get a flit.
    pub(super) fn out_valid(&self) -> u64 {
        // SAFETY: as in `drive`.
        unsafe { *self.out_valid }
    }

    /// Tiles with a flit on the link behind an output.
    pub(super) fn crossing(&self, port: usize) -> u64 {
        // SAFETY: as in `drive`.
        unsafe { *self.crossing[port] }
    }

    /// Packet and index of the flit on a link.
    pub(super) fn crossing_flit(&self, port: usize, tile: usize) -> (u32, u16) {
        // SAFETY: a word per tile, in the model.
        let word = unsafe { *self.crossing_flits[port].add(tile) };
        (word & 0xffff, (word >> 16 & 0xff) as u16)
    }

    /// Words of the flit that a queue offers.
    pub(super) fn input(&mut self, class: usize, Place { tile, words }: Place) -> &mut [u32] {
        // SAFETY: an array of `words` words per tile, in the model.
        unsafe { std::slice::from_raw_parts_mut(self.in_flits[class].add(tile * words), words) }
    }

    /// Words of the flit that an interface gets.
    pub(super) fn output(&self, Place { tile, words }: Place) -> &[u32] {
        // SAFETY: an array of `words` words per tile, in the model.
        unsafe { std::slice::from_raw_parts(self.out_flits.add(tile * words), words) }
    }
}
