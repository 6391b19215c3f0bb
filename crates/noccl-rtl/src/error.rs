// SPDX-License-Identifier: Apache-2.0
//! What has no hardware.

use thiserror::Error;

/// Why a network or a set of sources cannot become hardware.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RtlError {
    /// A field of the spec asks for something that the modules do not implement.
    #[error("{field} = {found}: there is no hardware for it; {accepted}")]
    Refused {
        /// Path in the spec.
        field: String,
        /// Value found.
        found: String,
        /// What would be accepted.
        accepted: String,
    },
    /// The folder of sources lacks a file.
    #[error("{folder}: {missing} is missing; accepted: the folder rtl of a checkout of NoCCL")]
    Sources {
        /// The folder.
        folder: String,
        /// What should be there.
        missing: String,
    },
    /// Sources need each other in a circle, so there is no order to read them in.
    #[error("{first} and {second} need each other")]
    Circle {
        /// One package.
        first: String,
        /// The other.
        second: String,
    },
}
