// SPDX-License-Identifier: Apache-2.0
//! Response codes of AXI, in the order of their severity.

/// The target has done what was asked.
pub(crate) const OKAY: u8 = 0;
/// The target has failed.
pub(crate) const SLVERR: u8 = 2;
/// No target has this address, or what is asked for does not exist.
pub(crate) const DECERR: u8 = 3;
