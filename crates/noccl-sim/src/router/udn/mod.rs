// SPDX-License-Identifier: Apache-2.0
//! Networks of words between cores (S4; `docs/design/0013-core-tiles.md`): the dynamic one (UDN) and the static one.
//!
//! The routers are those of [`super::wormhole`], the cores those of `endpoint::message_core`; here is what runs them.

mod diagnose;
mod executed;
mod packets;
mod run;
mod traffic;

pub use executed::{ExecutedError, ExecutedRequest, ExecutedResult, ExecutedRun, RankFault};
use noccl_run::RunError;
pub(crate) use packets::UdnMessages;
pub(crate) use run::{open_run, schedule_run};
pub(crate) use traffic::traffic_run;

/// What core tiles do not do.
pub(crate) fn refused(what: &str) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: what.to_owned(),
        reason: "core tiles pass messages and have no AXI ports; accepted: schedules of message, static_multicast, local_reduce and \
                 compute actions, from their first cycle to their last, and open-loop traffic"
            .to_owned(),
    }
}
