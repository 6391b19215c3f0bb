// SPDX-License-Identifier: Apache-2.0
//! The checker of traces: sets that are written as the network reads them, and limits within which all transactions
//! complete. Tiles, beats and cycles are for the simulator to accept.

mod limits;

pub use limits::check_trace_limits;
pub(crate) use limits::name;

use super::deadlock::check_trace_deadlock;
use super::{CheckError, TileSetError};
use crate::participants::check_base;
use crate::{PortKind, Trace};
use noccl_net::Network;

/// Checks a trace against a network.
///
/// # Errors
/// [`CheckError::Field`] for a set whose base has masked bits, [`CheckError::Overload`] for a limit that is exceeded,
/// [`CheckError::Deadlock`] for transactions that may wait for each other forever.
pub fn check_trace(network: &Network, trace: &Trace) -> Result<(), CheckError> {
    let Some(axi) = network.as_axi() else {
        return Err(CheckError::Field {
            field: "router.flow".to_owned(),
            found: format!("\"{}\"", network.spec().flow_name()),
            accepted: "a network of AXI clusters: core tiles have no ports whose transactions a trace could hold"
                .to_owned(),
        });
    };
    for (index, transaction) in trace.transactions.iter().enumerate() {
        check_sets(&transaction.kind).map_err(|(name, e)| CheckError::Field {
            field: format!(
                "transactions[{index}].kind.{}.{name}",
                transaction.kind.name()
            ),
            found: e.found,
            accepted: e.accepted,
        })?;
    }
    check_trace_limits(network, trace)?;
    check_trace_deadlock(axi, trace)
}

/// Is the base of the transaction's set, if it has one, 0 where the mask is 1?
///
/// # Errors
/// Name of the field, and what would be accepted there.
pub fn check_sets(kind: &PortKind) -> Result<(), (&'static str, TileSetError)> {
    kind.group().map_or(Ok(()), |(name, set)| {
        check_base(set).map_err(|error| (name, error))
    })
}
