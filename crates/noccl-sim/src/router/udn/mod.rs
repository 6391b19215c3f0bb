// SPDX-License-Identifier: Apache-2.0
//! Routers between cores (S4): what is not simulated on them is refused.

use noccl_run::RunError;

/// What these routers do not do.
pub(crate) fn refused(what: &str) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: what.to_owned(),
        reason: "core tiles (router.flow = \"udn\") are described and checked, and not simulated yet; accepted: a network of AXI clusters, \
                 with another router.flow"
            .to_owned(),
    }
}
