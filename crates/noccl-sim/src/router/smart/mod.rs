// SPDX-License-Identifier: Apache-2.0
//! Routers with bypass (S2; `docs/design/0010-smart.md`).

use noccl_run::RunError;

/// What these routers do not do.
pub(crate) fn refused(what: &str) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: what.to_owned(),
        reason:
            "routers of flow smart are not simulated in runs yet; accepted: another router.flow"
                .to_owned(),
    }
}
