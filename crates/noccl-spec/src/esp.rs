// SPDX-License-Identifier: Apache-2.0
//! ESP's multicast: what its routers and its accelerators' DMA engines need beside the rest (S3's second baseline).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Routers that multicast by a list of destinations in the header (flow `esp`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EspRouter {
    /// Bits of the header flit, which holds a place and a valid bit per destination: bounds the list.
    pub header_bits: u32,
    /// Cycles in which a head that stands in a router reserves all its outputs, before it moves.
    pub reserve_cycles: u32,
    /// Data flits of one packet; a longer transfer is cut into several. 0: one packet per transfer.
    pub worm_flits: u32,
}

/// How a producer and its consumers find each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EspEndpoint {
    /// From a consumer's start to the first flit of its request: configuration read, address translation done.
    pub setup_cycles: u32,
    /// From the start of one consumer to that of the next: 0 if all start together (hardware only), else what the CPU
    /// takes for the register writes of one.
    pub consumer_start_cycles: u32,
    /// What the producer takes to note one request.
    pub request_cycles: u32,
}
