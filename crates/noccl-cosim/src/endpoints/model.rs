// SPDX-License-Identifier: Apache-2.0
//! Translated network interfaces and mesh behind their C functions (`rtl/cosim/noccl_endpoints_cosim.cpp`).
//!
//! Signals are read and written in place: the pointers stay valid as long as the model, and nothing but the two halves
//! of a clock cycle changes what they point to.
#![allow(unsafe_code)]

use super::axi;
use crate::lockstep::LockstepError;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

type Handle = *mut c_void;

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
pub(crate) struct Model {
    handle: Handle,
    axi: [*mut u32; 2],
    /// Words per tile at the AXI ports, towards the hardware and from it.
    axi_words: [usize; 2],
    /// By plane (wide, req, rsp): flits at Local inputs and at all outputs.
    flits: [[*mut u32; 2]; 3],
    tiles: [[*mut u64; 5]; 3],
    settle: unsafe extern "C" fn(Handle, c_int),
    tick: unsafe extern "C" fn(Handle),
    broken: unsafe extern "C" fn() -> *const c_char,
    delete: unsafe extern "C" fn(Handle),
    /// Last, so that it is closed after everything else is gone.
    _library: Library,
}

impl Model {
    /// Opens a library and resets it.
    pub(crate) fn open(path: &Path, tiles_in_all: usize) -> Result<Self, LockstepError> {
        let refuse = |error: libloading::Error| LockstepError::Library {
            path: path.display().to_string(),
            reason: format!("{error}; `make cosim-endpoints` builds it"),
        };
        // SAFETY: the library is ours; loading it runs only the constructors of the simulator's run-time code.
        let library = unsafe { Library::new(path) }.map_err(refuse)?;
        macro_rules! function {
            ($name:literal, $type:ty) => {
                // SAFETY: the type is that of the function in noccl_endpoints_cosim.cpp.
                *unsafe { library.get::<$type>($name) }.map_err(refuse)?
            };
        }
        let new = function!(b"noccl_new\0", unsafe extern "C" fn() -> Handle);
        let words = function!(
            b"noccl_words\0",
            unsafe extern "C" fn(Handle, c_int) -> *mut u32
        );
        let num_words = function!(
            b"noccl_num_words\0",
            unsafe extern "C" fn(Handle, c_int) -> c_int
        );
        let tiles = function!(
            b"noccl_tiles\0",
            unsafe extern "C" fn(Handle, c_int, c_int) -> *mut u64
        );
        let settle = function!(b"noccl_settle\0", unsafe extern "C" fn(Handle, c_int));
        let tick = function!(b"noccl_tick\0", unsafe extern "C" fn(Handle));
        let broken = function!(b"noccl_broken\0", unsafe extern "C" fn() -> *const c_char);
        let delete = function!(b"noccl_delete\0", unsafe extern "C" fn(Handle));
        // SAFETY: the handle is a live model, the signals are numbered as the functions' comments say.
        let mut model = unsafe {
            let handle = new();
            Self {
                handle,
                axi: [0, 1].map(|i| words(handle, i)),
                axi_words: [0, 1].map(|i| num_words(handle, i) as usize / tiles_in_all),
                flits: [0, 1, 2].map(|p| [0, 1].map(|i| words(handle, 2 + 2 * p + i))),
                tiles: [0, 1, 2].map(|p| [0, 1, 2, 3, 4].map(|s| tiles(handle, p, s))),
                settle,
                tick,
                broken,
                delete,
                _library: library,
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
        for is_reset in [0, 1, 1, 0] {
            // SAFETY: the handle is a live model.
            unsafe {
                (self.settle)(self.handle, is_reset);
                if is_reset == 1 {
                    (self.tick)(self.handle);
                }
            }
        }
        self.broken();
    }

    /// What a tile's managers offer and its memory answers.
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

    /// Outputs follow inputs and registers.
    pub(crate) fn settle(&mut self) {
        // SAFETY: the handle is a live model.
        unsafe { (self.settle)(self.handle, 0) }
    }

    /// The clock rises.
    pub(crate) fn tick(&mut self) {
        // SAFETY: the handle is a live model.
        unsafe { (self.tick)(self.handle) }
    }

    /// The first assertion that broke since the last call.
    pub(crate) fn broken(&mut self) -> Option<String> {
        // SAFETY: a string of the library that lives until the next call, or null.
        unsafe {
            let text = (self.broken)();
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the handle is a live model, and nobody uses it afterwards.
        unsafe { (self.delete)(self.handle) }
    }
}
