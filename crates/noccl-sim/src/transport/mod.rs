// SPDX-License-Identifier: Apache-2.0
//! What travels, whatever the routers are: flits, the payload beats that they name, and the transactions behind both.

pub(crate) mod axi_response;
pub(crate) mod burst;
pub(crate) mod flit;
pub(crate) mod payload;
pub(crate) mod transaction;
