// SPDX-License-Identifier: Apache-2.0
//! Verilated network interfaces and mesh behind their C functions (`rtl/cosim/noccl_endpoints_cosim.cpp`).
#![allow(unsafe_code)]

use super::axi;
use crate::lockstep::LockstepError;
use crate::verilated::{Handle, Opening, Verilated};
use std::ffi::c_int;
use std::path::Path;

/// Sets of tiles of a plane, by their number in the C functions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tiles {
    /// Local inputs that take nothing.
    HoldIn = 0,
    /// Local outputs that give nothing.
    HoldOut = 1,
    /// Flits enter Local inputs.
    Enter = 2,
    /// Flits leave by Local outputs.
    Leave = 3,
    /// Flits cross links or are offered at Local outputs.
    Cross = 4,
}

/// Network interfaces and mesh.
pub(crate) struct EndpointModel {
    axi: [*mut u32; 2],
    /// Words per tile at the AXI ports, towards the hardware and from it.
    axi_words: [usize; 2],
    /// By plane (wide, req, rsp): flits at Local inputs and at all outputs.
    flits: [[*mut u32; 2]; 3],
    tiles: [[*mut u64; 5]; 3],
    pub(crate) hardware: Verilated,
}

impl EndpointModel {
    /// Opens a library and resets it.
    pub(crate) fn open(path: &Path, tiles_in_all: usize) -> Result<Self, LockstepError> {
        let opening = Opening::new(path)?;
        macro_rules! function {
            ($name:literal, $type:ty) => {
                // SAFETY: the type is that of the function in noccl_endpoints_cosim.cpp.
                unsafe { opening.function::<$type>($name) }?
            };
        }
        let words = function!(
            c"noccl_words",
            unsafe extern "C" fn(Handle, c_int) -> *mut u32
        );
        let num_words = function!(
            c"noccl_num_words",
            unsafe extern "C" fn(Handle, c_int) -> c_int
        );
        let tiles = function!(
            c"noccl_tiles",
            unsafe extern "C" fn(Handle, c_int, c_int) -> *mut u64
        );
        let hardware = opening.begin()?;
        let handle = hardware.handle();
        // SAFETY: the handle is live hardware, the signals are numbered as the functions' comments say.
        let mut model = unsafe {
            Self {
                axi: [0, 1].map(|i| words(handle, i)),
                axi_words: [0, 1].map(|i| num_words(handle, i) as usize / tiles_in_all),
                flits: [0, 1, 2].map(|p| [0, 1].map(|i| words(handle, 2 + 2 * p + i))),
                tiles: [0, 1, 2].map(|p| [0, 1, 2, 3, 4].map(|s| tiles(handle, p, s))),
                hardware,
            }
        };
        model.reset(tiles_in_all);
        Ok(model)
    }

    fn reset(&mut self, tiles: usize) {
        for plane in 0..3 {
            self.hold(plane, Tiles::HoldIn, 0);
            self.hold(plane, Tiles::HoldOut, 0);
        }
        for tile in 0..tiles {
            self.axi_in(tile).fill(0);
        }
        self.hardware.reset();
    }

    /// What a tile's managers offer and its memory responds.
    pub(crate) fn axi_in(&mut self, tile: usize) -> &mut [u32] {
        let words = self.axi_words[0];
        // SAFETY: an array of so many words per tile, in the model.
        unsafe { std::slice::from_raw_parts_mut(self.axi[0].add(tile * words), words) }
    }

    /// Read ports that DMA engines have at their L1.
    pub(crate) const fn read_ports(&self) -> usize {
        axi::read_ports(self.axi_words[0])
    }

    /// What a tile's network interface offers and takes.
    pub(crate) fn axi_out(&self, tile: usize) -> &[u32] {
        let words = self.axi_words[1];
        // SAFETY: an array of so many words per tile, in the model.
        unsafe { std::slice::from_raw_parts(self.axi[1].add(tile * words), words) }
    }

    /// Words of the flit that a network interface offers.
    pub(crate) fn input(&self, plane: usize, tile: usize, words: usize) -> &[u32] {
        // SAFETY: an array of `words` words per tile, in the model.
        unsafe { std::slice::from_raw_parts(self.flits[plane][0].add(tile * words), words) }
    }

    /// Words of the flit at an output of a tile's router.
    pub(crate) fn output(&self, plane: usize, tile: usize, port: usize, words: usize) -> &[u32] {
        // SAFETY: an array of `words` words per tile and port, in the model.
        unsafe {
            let first = self.flits[plane][1].add((tile * 5 + port) * words);
            std::slice::from_raw_parts(first, words)
        }
    }

    /// Tiles that are held up in this cycle.
    pub(crate) fn hold(&mut self, plane: usize, side: Tiles, tiles: u64) {
        // SAFETY: the signals live as long as the model.
        unsafe { *self.tiles[plane][side as usize] = tiles }
    }

    /// A set of tiles.
    pub(crate) fn tiles(&self, plane: usize, of: Tiles) -> u64 {
        // SAFETY: as in `hold`.
        unsafe { *self.tiles[plane][of as usize] }
    }

    /// Per output: tiles whose flit crosses the link; Local: tiles that are offered one.
    pub(crate) fn crossing(&self, plane: usize) -> [u64; 5] {
        // SAFETY: five sets, in the model.
        unsafe { *self.tiles[plane][Tiles::Cross as usize].cast::<[u64; 5]>() }
    }
}
