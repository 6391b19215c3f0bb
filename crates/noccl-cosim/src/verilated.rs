// SPDX-License-Identifier: Apache-2.0
//! Verilated hardware behind the C functions that every library has (`rtl/cosim/*.cpp`): opened, clocked and closed in one place.
//!
//! What else a library has is asked for by name while it is opened. Signals are read and written in place: their pointers stay valid
//! as long as the hardware, and nothing but the two halves of a clock cycle changes what they point to.
#![allow(unsafe_code)]

#[cfg(not(unix))]
use crate::no_library::{self as libloading, Library};
#[cfg(unix)]
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

/// File of a Verilated mesh, tile or network interface.
pub const LIBRARY_FILE: &str = "libnoccl.so";
/// Most tiles in lock-step: one bit each in a word.
pub(crate) const MAX_TILES: u32 = 64;

pub(crate) type Handle = *mut c_void;

/// A library that cannot be used.
#[derive(Debug)]
pub(crate) struct Unusable {
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// A library whose functions are looked up.
pub(crate) struct Opening<'p> {
    library: Library,
    path: &'p Path,
}

fn unusable(path: &Path, error: &libloading::Error) -> Unusable {
    Unusable {
        path: path.display().to_string(),
        reason: error.to_string(),
    }
}

impl<'p> Opening<'p> {
    /// Loads a library.
    pub(crate) fn new(path: &'p Path) -> Result<Self, Unusable> {
        // SAFETY: the library is ours; loading it runs only the constructors of the simulator's run-time code.
        let library = unsafe { Library::new(path) }.map_err(|e| unusable(path, &e))?;
        Ok(Self { library, path })
    }

    /// A function of the library.
    ///
    /// # Safety
    /// The type is that of the function in the library's source, and it is not called after the library is closed.
    pub(crate) unsafe fn function<F: Copy>(&self, name: &CStr) -> Result<F, Unusable> {
        // SAFETY: as the caller promises.
        let found = unsafe { self.library.get::<F>(name.to_bytes_with_nul()) };
        found.map(|f| *f).map_err(|e| unusable(self.path, &e))
    }

    /// Makes the hardware.
    pub(crate) fn begin(self) -> Result<Verilated, Unusable> {
        // SAFETY: all sources have these functions, of these types.
        unsafe {
            let new = self.function::<unsafe extern "C" fn() -> Handle>(c"noccl_new")?;
            let settle = self.function(c"noccl_settle")?;
            let tick = self.function(c"noccl_tick")?;
            let broken = self.function(c"noccl_broken")?;
            let delete = self.function(c"noccl_delete")?;
            Ok(Verilated {
                handle: new(),
                settle,
                tick,
                broken,
                delete,
                _library: self.library,
            })
        }
    }
}

/// Hardware with a clock.
pub(crate) struct Verilated {
    handle: Handle,
    settle: unsafe extern "C" fn(Handle, c_int),
    tick: unsafe extern "C" fn(Handle),
    broken: unsafe extern "C" fn() -> *const c_char,
    delete: unsafe extern "C" fn(Handle),
    /// Last, so that it is closed after everything else is gone.
    _library: Library,
}

impl Verilated {
    /// For the library's other functions.
    pub(crate) const fn handle(&self) -> Handle {
        self.handle
    }

    /// Outputs follow inputs and registers.
    pub(crate) fn settle(&mut self) {
        self.settle_in(false);
    }

    fn settle_in(&mut self, is_reset: bool) {
        // SAFETY: the handle is live hardware.
        unsafe { (self.settle)(self.handle, is_reset.into()) }
    }

    /// The clock rises.
    pub(crate) fn tick(&mut self) {
        // SAFETY: the handle is live hardware.
        unsafe { (self.tick)(self.handle) }
    }

    /// A reset of two cycles, with whatever inputs there are. Assertions that broke before are forgotten.
    pub(crate) fn reset(&mut self) {
        for is_reset in [false, true, true, false] {
            self.settle_in(is_reset);
            if is_reset {
                self.tick();
            }
        }
        self.broken();
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

impl Drop for Verilated {
    fn drop(&mut self) {
        // SAFETY: the handle is live hardware, and nobody uses it afterwards.
        unsafe { (self.delete)(self.handle) }
    }
}
