// SPDX-License-Identifier: Apache-2.0
//! Claims of files where there are no files, in WebAssembly: taking one is refused.

pub(super) use NoClaim as Claim;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A claimed file; no value of it exists.
#[derive(Debug)]
pub(super) enum NoClaim {}

impl NoClaim {
    /// Refused.
    pub(super) fn take(_path: &Path, _mode: u32) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(super) const fn file(&mut self) -> &mut File {
        match *self {}
    }

    pub(super) fn publish(self, _place: &Path, _: Option<fs::Permissions>) -> io::Result<()> {
        match self {}
    }
}

/// Permission bits, which this system does not have.
pub(super) const fn mode(_permissions: Option<&fs::Permissions>) -> u32 {
    0o666
}

/// The path itself: nothing is written next to it.
pub(super) fn beside(path: &Path, _suffix: &str) -> PathBuf {
    path.to_owned()
}
