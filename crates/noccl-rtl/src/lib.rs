// SPDX-License-Identifier: Apache-2.0
//! The hardware of the default network, seen from Rust.
//!
//! [`lockstep`] drives the translated mesh with the flits that a recorded run has injected and compares every
//! handshake of every router port, bit by bit.

pub mod lockstep;
