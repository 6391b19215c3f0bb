// SPDX-License-Identifier: Apache-2.0
//! Translated Torrent endpoints behind their C functions (`rtl/cosim/noccl_torrent_cosim.cpp`).
//!
//! Inputs are written and outputs read in place: the pointers stay valid as long as the model, and nothing but the two
//! halves of a clock cycle changes what they point to.
#![allow(unsafe_code)]

use super::LockstepError;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

type Handle = *mut c_void;

/// Endpoints between crossbars.
pub(super) struct PortsModel {
    handle: Handle,
    drive: *mut u64,
    seen: *const u64,
    settle: unsafe extern "C" fn(Handle, c_int),
    tick: unsafe extern "C" fn(Handle),
    broken: unsafe extern "C" fn() -> *const c_char,
    delete: unsafe extern "C" fn(Handle),
    /// Last, so that it is closed after everything else is gone.
    _library: Library,
}

impl PortsModel {
    /// Opens a library.
    pub(super) fn open(path: &Path) -> Result<Self, LockstepError> {
        let refuse = |error: libloading::Error| LockstepError::Library {
            path: path.display().to_string(),
            reason: format!("{error}; `make cosim-torrent` builds it"),
        };
        // SAFETY: the library is ours; loading it runs only the constructors of the simulator's run-time code.
        let library = unsafe { Library::new(path) }.map_err(refuse)?;
        macro_rules! function {
            ($name:literal, $type:ty) => {
                // SAFETY: the type is that of the function in noccl_torrent_cosim.cpp.
                *unsafe { library.get::<$type>($name) }.map_err(refuse)?
            };
        }
        let new = function!(b"noccl_new\0", unsafe extern "C" fn() -> Handle);
        let drive = function!(b"noccl_drive\0", unsafe extern "C" fn(Handle) -> *mut u64);
        let seen = function!(b"noccl_seen\0", unsafe extern "C" fn(Handle) -> *const u64);
        let settle = function!(b"noccl_settle\0", unsafe extern "C" fn(Handle, c_int));
        let tick = function!(b"noccl_tick\0", unsafe extern "C" fn(Handle));
        let broken = function!(b"noccl_broken\0", unsafe extern "C" fn() -> *const c_char);
        let delete = function!(b"noccl_delete\0", unsafe extern "C" fn(Handle));
        // SAFETY: a new model, and its signals.
        let (handle, drive, seen) = unsafe {
            let handle = new();
            (handle, drive(handle), seen(handle))
        };
        Ok(Self {
            handle,
            drive,
            seen,
            settle,
            tick,
            broken,
            delete,
            _library: library,
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

    /// Outputs follow inputs and registers.
    pub(super) fn settle(&mut self, is_reset: bool) {
        // SAFETY: the handle is a live model.
        unsafe { (self.settle)(self.handle, is_reset.into()) }
    }

    /// The clock rises.
    pub(super) fn tick(&mut self) {
        // SAFETY: the handle is a live model.
        unsafe { (self.tick)(self.handle) }
    }

    /// The first assertion that broke since the last call.
    pub(super) fn broken(&mut self) -> Option<String> {
        // SAFETY: a string of the library that lives until the next call, or null.
        unsafe {
            let text = (self.broken)();
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    }
}

impl Drop for PortsModel {
    fn drop(&mut self) {
        // SAFETY: the handle is a live model, and nobody uses it afterwards.
        unsafe { (self.delete)(self.handle) }
    }
}
