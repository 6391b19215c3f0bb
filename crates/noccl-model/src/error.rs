// SPDX-License-Identifier: Apache-2.0
//! Why there is no bound and no prediction.

use crate::constants::Law;
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
    /// The calibration needs more clusters.
    #[error("calibration on {width}x{height} clusters; accepted: at least 4 columns and 2 rows")]
    TooSmall {
        /// Columns of clusters.
        width: u16,
        /// Rows of clusters.
        height: u16,
    },
    /// The calibration's runs need routers that do everything.
    #[error(
        "router.flow = \"{flow}\": the runs of a calibration need what these routers do not do; \
         accepted: \"non_blocking\""
    )]
    OtherRouters {
        /// What the routers are.
        flow: String,
    },
    /// The runs of a law do not determine a constant.
    #[error(
        "{constant}: the runs of the law {law:?} do not determine it; accepted: runs that differ in it"
    )]
    Undetermined {
        /// The constant.
        constant: &'static str,
        /// The law.
        law: Law,
    },
    /// No run checks the fit.
    #[error(
        "runs that the fit does not see: none; accepted: at least one, since its error is stored"
    )]
    NothingHeldOut,
    /// A calibration file is wrong.
    #[error("{file}: not a calibration: {reason}; `noccl calibrate -o FILE` writes one")]
    Calibration {
        /// The file.
        file: String,
        /// What the reader saw.
        reason: String,
    },
    /// The constants were fitted to another network.
    #[error(
        "{field} = {found}: the model's constants were fitted with {fitted}; \
         accepted: that value, or constants of `noccl calibrate` with this spec"
    )]
    OtherSpec {
        /// First field that differs.
        field: String,
        /// Its value in the spec.
        found: String,
        /// Its value in the calibration.
        fitted: String,
    },
    /// The model does not follow this of core tiles.
    #[error("{field} = {found}: not in the model; accepted: {accepted}, or the simulator")]
    NotModelled {
        /// The field of the spec.
        field: String,
        /// Its value.
        found: String,
        /// What the model follows.
        accepted: String,
    },
    /// A schedule names what is not on the network.
    #[error("actions[{action}]: {reason}")]
    Schedule {
        /// Index of the action.
        action: usize,
        /// What is wrong, and what would be accepted.
        reason: String,
    },
}
