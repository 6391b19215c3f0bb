// SPDX-License-Identifier: Apache-2.0
//! The Verilated mesh behind its C functions (`rtl/cosim/noccl_mesh_cosim.cpp`).
#![allow(unsafe_code)]

use super::comparison::LockstepError;
use crate::verilated::{Handle, Opening, Verilated};
use noccl_spec::Plane;
use std::ffi::{CStr, c_char, c_int};
use std::path::Path;

/// Signals of one plane.
struct Signals {
    in_flits: *mut u32,
    out_flits: *mut u32,
    in_valid: *mut u64,
    in_ready: *mut u64,
    out_ready: *mut u64,
    crossing: *mut u64,
}

/// Credits of a tile's merge point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credits {
    /// For a sender elsewhere.
    Returned,
    /// For its own NI.
    Own,
}

/// Signals of the merge points.
struct MergePoints {
    flits: [*mut u32; 2],
    valid: [*mut u64; 2],
    ready: *mut u64,
}

/// A mesh.
pub(crate) struct Model {
    planes: [Signals; 3],
    merge_points: MergePoints,
    waves: unsafe extern "C" fn(Handle, *const c_char) -> c_int,
    pub(crate) hardware: Verilated,
}

impl Model {
    /// Opens a library and resets its mesh.
    pub(crate) fn open(path: &Path) -> Result<Self, LockstepError> {
        let opening = Opening::new(path)?;
        macro_rules! function {
            ($name:literal, $type:ty) => {
                // SAFETY: the type is that of the function in noccl_mesh_cosim.cpp.
                unsafe { opening.function::<$type>($name) }?
            };
        }
        let flits = function!(
            c"noccl_flits",
            unsafe extern "C" fn(Handle, c_int, c_int) -> *mut u32
        );
        let tiles = function!(
            c"noccl_tiles",
            unsafe extern "C" fn(Handle, c_int, c_int) -> *mut u64
        );
        let waves = function!(
            c"noccl_waves",
            unsafe extern "C" fn(Handle, *const c_char) -> c_int
        );
        let hardware = opening.begin()?;
        let handle = hardware.handle();
        // SAFETY: the handle is live hardware, the signals are numbered as the functions' comments say.
        let (planes, merge_points) = unsafe {
            let signals = |plane| Signals {
                in_flits: flits(handle, plane, 0),
                out_flits: flits(handle, plane, 1),
                in_valid: tiles(handle, plane, 0),
                in_ready: tiles(handle, plane, 1),
                out_ready: tiles(handle, plane, 2),
                crossing: tiles(handle, plane, 3),
            };
            let number = |plane| match plane {
                Plane::Wide => 0,
                Plane::Req => 1,
                Plane::Rsp => 2,
            };
            let merge_points = MergePoints {
                flits: [flits(handle, 3, 0), flits(handle, 3, 1)],
                valid: [tiles(handle, 3, 0), tiles(handle, 3, 2)],
                ready: tiles(handle, 3, 1),
            };
            let planes = Plane::ALL.map(|plane| signals(number(plane)));
            (planes, merge_points)
        };
        let mut model = Self {
            planes,
            merge_points,
            waves,
            hardware,
        };
        model.reset();
        Ok(model)
    }

    fn reset(&mut self) {
        for plane in 0..3 {
            self.drive(plane, 0, 0);
        }
        self.send_credits(0);
        self.hardware.reset();
    }

    /// Which Local inputs are offered a flit in this cycle, and which tiles take what they are offered.
    pub(crate) fn drive(&mut self, plane: usize, in_valid: u64, out_ready: u64) {
        // SAFETY: the signals live as long as the model.
        unsafe {
            *self.planes[plane].in_valid = in_valid;
            *self.planes[plane].out_ready = out_ready;
        }
    }

    /// Tiles whose NI sends a pending credit in this cycle.
    pub(crate) fn send_credits(&mut self, tiles: u64) {
        // SAFETY: the signals live as long as the model.
        unsafe { *self.merge_points.ready = tiles }
    }

    /// Tiles with a credit.
    pub(crate) fn credits(&self, of: Credits) -> u64 {
        // SAFETY: as in `send_credits`.
        unsafe { *self.merge_points.valid[of as usize] }
    }

    /// Words of the flit of a tile's credit.
    pub(crate) fn credit(&self, of: Credits, tile: usize, words: usize) -> &[u32] {
        // SAFETY: an array of `words` words per tile, in the model.
        unsafe {
            let first = self.merge_points.flits[of as usize].add(tile * words);
            std::slice::from_raw_parts(first, words)
        }
    }

    /// Words of the flit that a tile offers to its Local input.
    pub(crate) fn input(&mut self, plane: usize, tile: usize, words: usize) -> &mut [u32] {
        // SAFETY: an array of `words` words per tile, in the model.
        unsafe {
            let first = self.planes[plane].in_flits.add(tile * words);
            std::slice::from_raw_parts_mut(first, words)
        }
    }

    /// Words of the flit at an output of a tile.
    pub(crate) fn output(&self, plane: usize, tile: usize, port: usize, words: usize) -> &[u32] {
        // SAFETY: an array of `words` words per tile and port, in the model.
        unsafe {
            let first = self.planes[plane].out_flits.add((tile * 5 + port) * words);
            std::slice::from_raw_parts(first, words)
        }
    }

    /// Local inputs with buffer space.
    pub(crate) fn in_ready(&self, plane: usize) -> u64 {
        // SAFETY: as in `drive`.
        unsafe { *self.planes[plane].in_ready }
    }

    /// Per output: tiles whose flit crosses the link; Local: tiles that are offered one.
    pub(crate) fn crossing(&self, plane: usize) -> [u64; 5] {
        // SAFETY: five sets, in the model.
        unsafe { *self.planes[plane].crossing.cast::<[u64; 5]>() }
    }

    /// Writes waves from now on. Returns whether the library can.
    pub(crate) fn write_waves(&mut self, path: &CStr) -> bool {
        // SAFETY: the handle is a live model, the path a terminated string.
        unsafe { (self.waves)(self.hardware.handle(), path.as_ptr()) != 0 }
    }
}
