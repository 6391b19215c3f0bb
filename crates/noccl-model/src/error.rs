// SPDX-License-Identifier: Apache-2.0
//! Why there is no bound.

use noccl_net::NetError;
use thiserror::Error;

/// A collective that this network cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// The group is not a set of clusters of this network.
    #[error(transparent)]
    Group(#[from] NetError),
    /// There is no such root.
    #[error(
        "root {root}: no such tile; accepted: a cluster of the {width}x{height} or one of {memories} memory tiles"
    )]
    Root {
        /// Root as written.
        root: String,
        /// Columns of clusters.
        width: u16,
        /// Rows of clusters.
        height: u16,
        /// Number of memory tiles.
        memories: usize,
    },
}
