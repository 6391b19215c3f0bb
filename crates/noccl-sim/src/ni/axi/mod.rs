// SPDX-License-Identifier: Apache-2.0
//! The network interface between AXI ports and the Local ports of three planes.
//!
//! A transaction passes [`issue`] (queued in [`state`]), [`ready`] and [`inject`] (into the router), [`deliver`] and
//! [`response`] at its target, [`complete`] at its initiator; [`errors`] is what a NI responds itself.

mod accept;
mod beats;
pub(crate) mod complete;
pub(crate) mod deliver;
pub(crate) mod error_table;
pub(crate) mod errors;
pub(crate) mod in_network_all_reduce;
pub(crate) mod inject;
pub(crate) mod issue;
mod load;
pub(crate) mod own_copy;
pub(crate) mod ready;
pub(crate) mod response;
pub(crate) mod round_robin_queues;
pub(crate) mod state;
