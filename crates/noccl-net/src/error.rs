// SPDX-License-Identifier: Apache-2.0
//! Why a spec cannot become a network, or a set cannot be addressed.

use thiserror::Error;

/// Elaboration and addressing errors. Each names the field or the set and what would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NetError {
    /// A field is outside its range.
    #[error("{field} = {found}: {accepted}")]
    Field {
        /// Path in the spec.
        field: String,
        /// Value found.
        found: String,
        /// What would be accepted.
        accepted: String,
    },
    /// Regions overlap or leave a hole.
    #[error(
        "mesh.regions: tile {at} is covered {times} times; every tile belongs to exactly one region"
    )]
    Coverage {
        /// The coordinate.
        at: String,
        /// How many regions cover it.
        times: usize,
    },
    /// Address ranges overlap.
    #[error(
        "mesh.regions.{second}: addresses {range} overlap those of mesh.regions.{first}; move base_address"
    )]
    AddressOverlap {
        /// Index of the earlier region.
        first: usize,
        /// Index of the later region.
        second: usize,
        /// Range of the later region.
        range: String,
    },
    /// A set reaches outside the mesh or its region.
    #[error("{what} {set}: {reason}")]
    Set {
        /// "group", "destination set", ...
        what: String,
        /// The set as written.
        set: String,
        /// Why it is impossible and what would be accepted.
        reason: String,
    },
}
