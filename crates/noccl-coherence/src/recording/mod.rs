// SPDX-License-Identifier: Apache-2.0
//! What the threads of a program have referenced, and how they have synchronised: recorded, written, read, checked.
//!
//! The addresses that a thread references must not depend on time: work is divided statically, and between synchronisations no two
//! threads reference the same bytes if one of them writes. [`Log::check`] refuses everything else, as its replay would prove nothing.

mod event;
mod file;
mod order;
mod race;

pub use event::{Cursor, MAX_ADDRESS, RecordedEvent, Recorder};
pub use file::{MAX_THREADS, RecordingError, VERSION};
pub(crate) use race::Mixer;

/// A recording that has been checked for its form: every event can be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    threads: Vec<Recorder>,
}

impl Log {
    /// What threads have recorded.
    ///
    /// # Errors
    /// [`RecordingError`] for a number of threads that does not fit.
    pub fn new(threads: Vec<Recorder>) -> Result<Self, RecordingError> {
        file::check_threads(threads.len() as u64)?;
        Ok(Self { threads })
    }

    /// Number of threads.
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.threads.len()
    }

    /// References of all threads.
    #[must_use]
    pub fn num_references(&self) -> u64 {
        self.threads.iter().map(|thread| thread.references()).sum()
    }

    /// What a thread has done.
    #[must_use]
    pub fn events(&self, thread: usize) -> Cursor<'_> {
        self.threads[thread].events()
    }

    /// Do synchronisations fit together, and do they order all references that conflict?
    ///
    /// # Errors
    /// [`RecordingError`] for the first that do not.
    pub fn check(&self) -> Result<(), RecordingError> {
        order::replay(self, &mut race::Races::new(self.num_threads()))
    }
}
