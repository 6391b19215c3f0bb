// SPDX-License-Identifier: Apache-2.0
//! What a flit that enters an input asks for: the output on its XY route, or those of its multicast.

pub(crate) mod requests;
pub(crate) mod route;
