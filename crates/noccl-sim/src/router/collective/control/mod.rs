// SPDX-License-Identifier: Apache-2.0
//! Control of 64 routers at once, as bit planes: occupancy of FIFOs, requests, arbitration.

pub(crate) mod block;
