// SPDX-License-Identifier: Apache-2.0
//! Programs: kernels of our own, or recordings of users'.

use super::CoherenceProtocol;
use crate::Error;
use noccl_coherence::{Kernel, Log, Size};
use std::path::Path;

/// Largest file of a recording.
const MAX_RECORDING_BYTES: u64 = 1 << 30;

/// What runs on the machine.
#[derive(Debug, Clone)]
pub struct CoherenceProgram {
    pub(super) name: String,
    pub(super) log: Log,
}

impl CoherenceProgram {
    /// A kernel of our own, recorded with so many threads. Its result is checked.
    ///
    /// # Errors
    /// [`Error::Argument`] for numbers of threads that do not fit.
    pub fn kernel(kernel: Kernel, threads: u32, size: Size) -> Result<Self, Error> {
        let most = noccl_coherence::recording::MAX_THREADS as u32;
        if !(1..=most).contains(&threads) {
            let accepted = format!("accepted: 1 to {most}, a core each");
            return Err(Error::argument("--threads", threads, accepted));
        }
        let log = kernel.record(threads as usize, size)?;
        let name = kernel.name().to_owned();
        Ok(Self { name, log })
    }

    /// Writes the recording.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        crate::write_bytes(path, &self.log.to_bytes())
    }
}

/// Reads a recording and checks that it has no race.
///
/// # Errors
/// [`Error::File`], [`Error::Recording`].
pub fn read_recording(path: &Path) -> Result<CoherenceProgram, Error> {
    let bytes = noccl_files::read_bytes(path, MAX_RECORDING_BYTES)?;
    let log = Log::from_bytes(&bytes)?;
    log.check()?;
    let name = path.display().to_string();
    Ok(CoherenceProgram { name, log })
}

/// A list of kernels with commas between them, or `all`.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
pub fn parse_kernels(text: &str) -> Result<Vec<Kernel>, Error> {
    if text == "all" {
        return Ok(Kernel::ALL.to_vec());
    }
    let names = Kernel::ALL.map(Kernel::name);
    let parse = |name: &str| {
        Kernel::from_name(name.trim()).ok_or_else(|| {
            let hint = noccl_spec::nearest(name, names.into_iter());
            let accepted = format!("accepted: {}, or all{hint}", names.join(", "));
            Error::argument("--kernel", name, accepted)
        })
    };
    text.split(',').map(parse).collect()
}

/// A list of protocols with commas between them.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
pub fn parse_protocols(text: &str) -> Result<Vec<CoherenceProtocol>, Error> {
    let parse = |name: &str| match name.trim() {
        "ht" => Ok(CoherenceProtocol::Ht),
        "token" => Ok(CoherenceProtocol::Token),
        _ => Err(Error::argument("--protocol", name, "accepted: ht, token")),
    };
    text.split(',').map(parse).collect()
}
