// SPDX-License-Identifier: Apache-2.0
//! Network interfaces, by the protocol of the endpoint's ports.

pub(crate) mod axi;
