// SPDX-License-Identifier: Apache-2.0
//! Traces of bare AXI transactions: [`form`] and [`faults`] check one, [`replay`] starts its entries and notes what completes,
//! [`verify`] compares what has arrived, [`run`] is the run around that.

pub(crate) mod faults;
pub(crate) mod form;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod verify;
