// SPDX-License-Identifier: Apache-2.0
//! Why a file could not be read or written.

use thiserror::Error;

/// Why a file could not be read or written, or holds something else.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FileError {
    /// A file cannot be read, or an output has no possible place.
    #[error("{path}: {reason}")]
    File {
        /// Path.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// An output could not be written. What was there before is still there.
    #[error("{path}: cannot be written: {reason}")]
    NotWritten {
        /// Path.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// A file holds something else than it should.
    #[error("{path}: not a {expected}: {reason}")]
    Content {
        /// Path.
        path: String,
        /// Which format was expected.
        expected: &'static str,
        /// Where and what the reader saw.
        reason: String,
    },
}
