// SPDX-License-Identifier: Apache-2.0
//! Dynamic libraries where there are none, in WebAssembly: opening one is refused.
#![allow(unsafe_code)]

use std::fmt;
use std::path::Path;

/// A dynamic library; no value of it exists.
pub(crate) enum Library {}

/// Why a library was not opened.
#[derive(Debug)]
pub(crate) struct Error;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this system has no dynamic libraries; accepted: the noccl program on Linux")
    }
}

impl Library {
    /// Refused.
    ///
    /// # Safety
    /// None needed: nothing is opened. The signature is that of `libloading`.
    pub(crate) unsafe fn new(_path: &Path) -> Result<Self, Error> {
        Err(Error)
    }

    /// A symbol of the library, which does not exist.
    ///
    /// # Safety
    /// None needed, as in [`Library::new`].
    pub(crate) unsafe fn get<F>(&self, _name: &[u8]) -> Result<Box<F>, Error> {
        match *self {}
    }
}
