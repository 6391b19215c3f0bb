// SPDX-License-Identifier: Apache-2.0
//! The network interface between AXI ports and the Local ports of three planes.
//!
//! A transaction passes [`issue`] (queued in [`state`]), [`ready`] and [`inject`] (into the router), [`deliver`] and
//! [`response`] at its target, [`deliver`] again at its initiator; [`chains`] joins Torrent endpoints to it.

pub(crate) mod chains;
pub(crate) mod deliver;
pub(crate) mod error_table;
pub(crate) mod in_network_all_reduce;
pub(crate) mod inject;
pub(crate) mod issue;
pub(crate) mod ready;
pub(crate) mod response;
pub(crate) mod round_robin_queues;
pub(crate) mod state;
